//! Formats failed requests to a Service as a sentence. It names the state of the endpoint as the client's node knew it,
//! and the true state.

use std::fmt;

use podscope_messages::t;
use serde::{Deserialize, Serialize};

use crate::{Micros, clock};

/// A period of requests that failed in the same way.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FailedStretch {
    /// Name of the Service.
    pub service: String,
    /// The pod or address to which the requests were sent; `None` if the node's rules selected no endpoint.
    pub endpoint: Option<String>,
    /// The client: `node/b-1`, `pod/shop`, `outside`.
    pub client: String,
    /// The node whose kube-proxy rules selected the endpoint.
    pub node: String,
    /// Outcome of the requests, with its name in the trace.
    pub outcome: String,
    /// True state of the endpoint, by its name in the trace.
    pub truth: String,
    pub since: Micros,
    pub until: Micros,
    pub count: u64,
    /// Start of the endpoint's true state, if known.
    pub truth_since: Option<Micros>,
    /// Time since which the client's node has listed the endpoint.
    pub believed_since: Option<Micros>,
}

/// Returns the heading of the inspector for failed requests to a Service.
pub fn failures_title(service: &str) -> String {
    let service = service.strip_prefix("default/").unwrap_or(service);
    t!(failed_requests::title, service = service)
}

/// Formats thousandths as a decimal number: `12.5`.
pub struct Thousandths(pub i64);

impl fmt::Display for Thousandths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0 / 1000)?;
        match self.0 % 1000 {
            0 => Ok(()),
            rest => write!(f, ".{}", format!("{rest:03}").trim_end_matches('0')),
        }
    }
}

/// Formats a duration in seconds; with tenths of a second if it is shorter than ten seconds.
fn seconds_text(micros: Micros) -> String {
    let tenths = (micros.max(0) + 50_000) / 100_000;
    match tenths {
        0 => t!(failed_requests::a_moment),
        _ if tenths < 100 && tenths % 10 != 0 => format!("{}.{} s", tenths / 10, tenths % 10),
        _ => format!("{} s", tenths / 10),
    }
}

impl FailedStretch {
    /// Formats the number of requests and how they failed.
    fn count_and_outcome_text(&self) -> String {
        match &*self.outcome {
            "refused" => t!(failed_requests::refused, count = self.count),
            "reset" => t!(failed_requests::reset, count = self.count),
            "timeout" => t!(failed_requests::timeout, count = self.count),
            "error" => t!(failed_requests::error, count = self.count),
            other => t!(failed_requests::other, count = self.count, outcome = other),
        }
    }

    /// Returns why requests to this endpoint failed; `None` if the true state of the endpoint is unknown.
    fn failure_reason_at_endpoint(&self, endpoint: &str) -> Option<String> {
        let node = &self.node;
        let pod = endpoint.strip_prefix("default/").unwrap_or(endpoint);
        let ago = self.truth_since.map(|since| seconds_text(self.until - since));
        Some(match &*self.truth {
            "starting" => t!(failed_requests::starting, node = node, pod = pod),
            "not-running" => match ago {
                None => t!(failed_requests::not_running, node = node, pod = pod),
                Some(ago) if self.since < self.until => {
                    t!(failed_requests::not_running_up_to, node = node, pod = pod, ago = ago)
                }
                Some(ago) => t!(failed_requests::not_running_since, node = node, pod = pod, ago = ago),
            },
            "listener-closed" => match ago {
                None => t!(failed_requests::listener_closed, node = node, pod = pod),
                Some(ago) if self.since < self.until => {
                    t!(
                        failed_requests::listener_closed_up_to,
                        node = node,
                        pod = pod,
                        ago = ago
                    )
                }
                Some(ago) => t!(
                    failed_requests::listener_closed_since,
                    node = node,
                    pod = pod,
                    ago = ago
                ),
            },
            "process-ended" => t!(failed_requests::process_ended, node = node, pod = pod),
            "pod-gone" => t!(failed_requests::pod_gone, node = node, pod = pod),
            "no-power" => t!(failed_requests::pod_without_power, node = node, pod = pod),
            "link-cut" => t!(failed_requests::pod_cut_off, node = node, pod = pod),
            "server-error" => t!(failed_requests::server_error, node = node, pod = pod),
            "server-slow" => t!(failed_requests::server_slow, node = node, pod = pod),
            _ => return None,
        })
    }

    /// Returns why the requests failed, if no endpoint was chosen for them or the endpoint's true state is unknown.
    fn general_failure_reason(&self) -> String {
        let Self { node, service, .. } = self;
        match &*self.truth {
            "no-service" => t!(failed_requests::no_service, service = service),
            "no-name" => t!(failed_requests::no_name, node = node),
            "no-rules" => t!(failed_requests::no_rules, node = node, service = service),
            "no-endpoints" => t!(failed_requests::no_endpoints, node = node, service = service),
            "no-local-endpoints" => t!(failed_requests::no_local_endpoints, service = service, node = node),
            "no-power" => t!(failed_requests::no_power, node = node),
            "link-cut" => t!(failed_requests::cut_off, node = node),
            other => other.to_owned(),
        }
    }

    /// Formats which requests failed and why: the endpoint's state as the client's node knew it, its true state, and
    /// whether the node had missed a change.
    pub fn sentence(&self) -> String {
        let Some(since) = self.believed_since.filter(|_| self.endpoint.is_some()) else {
            return self.to_string();
        };
        let since = clock::instant(since);
        match &*self.truth {
            "not-running" | "listener-closed" | "pod-gone" | "no-power" => {
                t!(
                    failed_requests::believed_unaware,
                    failed = self,
                    node = self.node,
                    since = since
                )
            }
            _ => t!(
                failed_requests::believed,
                failed = self,
                node = self.node,
                since = since
            ),
        }
    }
}

impl fmt::Display for FailedStretch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at_endpoint = self
            .endpoint
            .as_ref()
            .and_then(|endpoint| self.failure_reason_at_endpoint(endpoint));
        let (requests, why) = (
            self.count_and_outcome_text(),
            at_endpoint.unwrap_or_else(|| self.general_failure_reason()),
        );
        f.write_str(&match self.until - self.since {
            span if span > 0 => t!(
                failed_requests::failed_for,
                requests = requests,
                why = why,
                time = seconds_text(span)
            ),
            _ => t!(failed_requests::failed, requests = requests, why = why),
        })
    }
}

/// Maximum number of request routes to one Service in a frame. If there are more, the frame contains none, and the page
/// draws none.
pub const MAX_REQUEST_ROUTES: usize = 24;

/// Current request rate to one Service, and the outcome of its requests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ServiceRequests {
    /// `NAMESPACE/NAME` of the Service.
    pub service: String,
    /// Senders in the form of `--from`: `nodes`, `zone/a`, `node/a-1`, `pod/shop`, `outside`. Empty before the first
    /// request and after the last one.
    pub clients: Vec<String>,
    /// Requests per second, in thousandths.
    pub per_second: i64,
    /// Requests per second that currently fail, in thousandths.
    pub failing_per_second: i64,
    /// Number of requests that failed since the start.
    pub failed: u64,
    /// Current routes of requests, at most [`MAX_REQUEST_ROUTES`]; empty if there are more.
    pub routes: Vec<RequestRoute>,
    /// The newest period of failures that has not ended.
    pub failing: Option<FailedStretch>,
}

/// The requests of a Service that go to the same endpoint and have the same outcome.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RequestRoute {
    /// `NAMESPACE/NAME` of the pod, and its node; `None` if the rules of the client's node chose no endpoint.
    pub endpoint: Option<(String, String)>,
    /// Requests per second, in thousandths.
    pub per_second: i64,
    /// Whether the requests fail.
    pub fails: bool,
}
