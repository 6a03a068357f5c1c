//! Failed requests to a Service as a sentence: what the client's node believed, and what was true.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Micros, clock};

/// A period of requests that failed in the same way.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FailedStretch {
    /// The Service's name.
    pub service: String,
    /// The pod or address to which the requests were sent; `None` if the rules selected no endpoint.
    pub endpoint: Option<String>,
    /// The client: `node/b-1`, `pod/shop`, `outside`.
    pub client: String,
    /// The node whose rules selected the endpoint.
    pub node: String,
    /// Outcome, as named in the trace.
    pub outcome: String,
    /// True state of the endpoint, as named in the trace.
    pub truth: String,
    pub since: Micros,
    pub until: Micros,
    pub count: u64,
    /// Start of the true state, if known.
    pub truth_since: Option<Micros>,
    /// Since when the client's node has listed the endpoint.
    pub believed_since: Option<Micros>,
}

/// Heading of the inspector for failed requests to a Service.
pub fn failures_title(service: &str) -> String {
    format!("Requests to {}", service.strip_prefix("default/").unwrap_or(service))
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

/// Formats a duration; with tenths of a second below ten seconds.
fn seconds(micros: Micros) -> String {
    let tenths = (micros.max(0) + 50_000) / 100_000;
    match tenths {
        0 => "less than 0.1 s".into(),
        _ if tenths < 100 && tenths % 10 != 0 => format!("{}.{} s", tenths / 10, tenths % 10),
        _ => format!("{} s", tenths / 10),
    }
}

impl FailedStretch {
    fn outcome(&self) -> &str {
        match &*self.outcome {
            "refused" => "refused",
            "reset" => "cut off",
            "timeout" => "timed out",
            "error" => "answered with an error",
            other => other,
        }
    }

    /// The true state of the endpoint as a clause after "which".
    fn truth_of_endpoint(&self) -> Option<String> {
        let before = || {
            let up_to = if self.since < self.until { " up to" } else { "" };
            let ago = self.truth_since.map(|since| seconds(self.until - since));
            ago.map_or_else(String::new, |ago| format!("{up_to} {ago} before"))
        };
        Some(match &*self.truth {
            "starting" => "runs but did not listen yet".into(),
            "not-running" => format!("had stopped{}", before()),
            "listener-closed" => format!("had closed its listener{}", before()),
            "process-ended" => "ended with the requests inside".into(),
            "pod-gone" => "is gone from its node".into(),
            "no-power" => "is on a machine without power".into(),
            "link-cut" => "is behind a link that is cut".into(),
            "server-error" => "answers with errors".into(),
            "server-slow" => "answers later than the client waits".into(),
            _ => return None,
        })
    }

    /// What failed and why, with what the client's node believed about the endpoint, and whether it lacked a change.
    pub fn sentence(&self) -> String {
        let Some(since) = self.believed_since.filter(|_| self.endpoint.is_some()) else {
            return self.to_string();
        };
        let lacks = match &*self.truth {
            "not-running" | "listener-closed" | "pod-gone" | "no-power" => ", and had not heard of the change",
            _ => "",
        };
        format!(
            "{self}; {} listed it as an endpoint since {}{lacks}",
            self.node,
            clock::instant(since)
        )
    }
}

impl fmt::Display for FailedStretch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { node, service, .. } = self;
        let requests = if self.count == 1 { "request" } else { "requests" };
        write!(f, "{} {requests} {}: ", self.count, self.outcome())?;
        match (&self.endpoint, self.truth_of_endpoint()) {
            (Some(endpoint), Some(truth)) => {
                let pod = endpoint.strip_prefix("default/").unwrap_or(endpoint);
                write!(f, "{node} sent to {pod}, which {truth}")?;
            }
            _ => match &*self.truth {
                "no-service" => write!(f, "there is no Service {service}")?,
                "no-name" => write!(f, "{node} cannot reach the cluster's DNS")?,
                "no-rules" => write!(f, "{node} has no rules for {service}")?,
                "no-endpoints" => write!(f, "{node} knows no endpoint of {service}")?,
                "no-local-endpoints" => write!(f, "{service} is for endpoints on the same node, and {node} has none")?,
                "no-power" => write!(f, "{node} has no power")?,
                "link-cut" => write!(f, "{node} cannot be reached")?,
                other => f.write_str(other)?,
            },
        }
        match self.until - self.since {
            span if span > 0 => write!(f, ", for {}", seconds(span)),
            _ => Ok(()),
        }
    }
}

/// Most ways of requests to one Service that a frame names; beyond these the stage draws none.
pub const MAX_REQUEST_ROUTES: usize = 24;

/// Current request rate to one Service, and the outcome of its requests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ServiceRequests {
    /// The Service's `NAMESPACE/NAME`.
    pub service: String,
    /// Senders, as named by `--from`: `nodes`, `zone/a`, `node/a-1`, `pod/shop`, `outside`. Empty before the first
    /// request and after the last.
    pub clients: Vec<String>,
    /// Requests a second, in thousandths.
    pub per_second: i64,
    /// Requests a second that fail now, in thousandths.
    pub failing_per_second: i64,
    /// Requests that failed since the start.
    pub failed: u64,
    /// Where requests go now, at most [`MAX_REQUEST_ROUTES`]; empty if there are more.
    pub routes: Vec<RequestRoute>,
    /// The newest stretch of failures that has not ended.
    pub failing: Option<FailedStretch>,
}

/// Requests that are sent to one endpoint and have one outcome.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RequestRoute {
    /// The pod's `NAMESPACE/NAME` and its node; none where the rules of the client's node chose no endpoint.
    pub endpoint: Option<(String, String)>,
    /// Requests a second, in thousandths.
    pub per_second: i64,
    /// Whether they fail.
    pub fails: bool,
}
