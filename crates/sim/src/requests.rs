//! Clients' requests to Services as they appear in the trace: the client, the outcome and, for a failure, the
//! difference between the rules on the client's node and the true state.

use std::fmt;

use podscope_api::{NodeName, ObjectKey, Str, named_enum};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::SimTime;
use crate::happening::{Fields, TraceField};

named_enum! {
    /// The outcome of a request, from best to worst.
    RequestOutcome {
        /// Answered within half of the client's timeout.
        Ok = "ok",
        /// Answered within the timeout, but later than half of it.
        Late = "late",
        /// Answered with an error by the server.
        Error = "error",
        /// Refused at once: by a kube-proxy rule, or because nothing listens (TR-040, TR-043).
        Refused = "refused",
        /// The process ended while it handled the request (TR-048).
        Reset = "reset",
        /// No answer within the timeout (TR-041, TR-042, TR-044, TR-050).
        Timeout = "timeout",
    }

    /// The true state that explains a failed request.
    RequestFailureCause {
        /// No Service with that name exists.
        NoService = "no-service",
        /// The client's node cannot resolve the name.
        NoName = "no-name",
        /// kube-proxy on the client's node has no rules for the Service (TR-018, TR-027).
        NoRules = "no-rules",
        /// The rules on the client's node list no endpoint (TR-043).
        NoEndpoints = "no-endpoints",
        /// The traffic policy is `Local`, and the node has no endpoint (TR-044).
        NoLocalEndpoints = "no-local-endpoints",
        /// The process runs but does not listen yet (TR-040, TR-060).
        Starting = "starting",
        /// The process does not run (TR-040).
        NotRunning = "not-running",
        /// The process closed its listener after the stop signal (TR-040, TR-056).
        ListenerClosed = "listener-closed",
        /// The process ended while it handled the request (TR-048).
        ProcessEnded = "process-ended",
        /// The pod no longer exists on its node (TR-041).
        PodGone = "pod-gone",
        /// The machine has no power (TR-042).
        NoPower = "no-power",
        /// A link on the path is cut (TR-042, TR-068).
        LinkCut = "link-cut",
        /// The server answered with an error.
        ServerError = "server-error",
        /// The server answers later than the client's timeout.
        ServerSlow = "server-slow",
    }
}

impl RequestOutcome {
    /// Every outcome, in order.
    pub const ALL: [Self; 6] = [
        Self::Ok,
        Self::Late,
        Self::Error,
        Self::Refused,
        Self::Reset,
        Self::Timeout,
    ];

    /// Returns whether the client got no usable answer.
    pub const fn is_failed(self) -> bool {
        !matches!(self, Self::Ok | Self::Late)
    }
}

/// The sender of requests to a Service.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum RequestClient {
    /// A client on every node whose machine runs.
    Nodes,
    /// A client on every node of a zone whose machine runs.
    Zone(Str),
    /// A client on a node.
    Node(Str),
    Pod(ObjectKey),
    /// Clients outside the cluster, through a node port.
    Outside,
}

impl fmt::Display for RequestClient {
    /// Formats the client as a value of the flag `--from`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nodes => f.write_str("nodes"),
            Self::Zone(zone) => write!(f, "zone/{zone}"),
            Self::Node(node) => write!(f, "node/{node}"),
            Self::Pod(key) if &*key.namespace == "default" => write!(f, "pod/{}", key.name),
            Self::Pod(key) => write!(f, "pod/{}/{}", key.namespace, key.name),
            Self::Outside => f.write_str("outside"),
        }
    }
}

/// A series of similar failures: the same Service, client node, endpoint, outcome and explanation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedRequests {
    pub service: ObjectKey,
    /// The target pod, or the address of an endpoint without a pod; `None` if no endpoint was chosen.
    pub endpoint: Option<Str>,
    pub client: RequestClient,
    /// The node whose kube-proxy rules chose the endpoint.
    pub node: Str,
    pub outcome: RequestOutcome,
    /// Lower bound of the time at which the first request was sent.
    pub since: SimTime,
    /// Upper bound of the time at which the last request was sent.
    pub until: SimTime,
    pub count: u64,
    /// Since when the rules on the node have listed that endpoint.
    pub believed_since: Option<SimTime>,
    pub truth: RequestFailureCause,
    /// Since when the true state has held, if known.
    pub truth_since: Option<SimTime>,
}

/// The current rate of requests from a client to a Service, by outcome.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestRate {
    pub service: ObjectKey,
    pub client: RequestClient,
    /// Requests per second, in thousandths.
    pub per_second: i64,
    /// The rate of each outcome that occurs, in the same unit.
    pub outcomes: Vec<(RequestOutcome, i64)>,
}

impl FailedRequests {
    pub fn node_name(&self) -> NodeName {
        NodeName(self.node.clone())
    }
}

/// Converts thousandths to a decimal number.
fn decimal_from_thousandths(amount: i64) -> Value {
    crate::trace::seconds(amount.saturating_mul(1000))
}

impl TraceField for Box<FailedRequests> {
    fn add_to_trace_fields(&self, _: &'static str, fields: &mut Fields) {
        self.service.add_to_trace_fields("service", fields);
        self.endpoint.add_to_trace_fields("endpoint", fields);
        fields.push(("client", self.client.to_string().into()));
        self.node.add_to_trace_fields("node", fields);
        self.outcome.add_to_trace_fields("outcome", fields);
        self.since.add_to_trace_fields("since", fields);
        self.until.add_to_trace_fields("until", fields);
        self.count.add_to_trace_fields("count", fields);
        self.believed_since.add_to_trace_fields("believedSince", fields);
        self.truth.add_to_trace_fields("truth", fields);
        self.truth_since.add_to_trace_fields("truthSince", fields);
    }
}

impl TraceField for Box<RequestRate> {
    fn add_to_trace_fields(&self, _: &'static str, fields: &mut Fields) {
        self.service.add_to_trace_fields("service", fields);
        fields.push(("client", self.client.to_string().into()));
        fields.push(("perSecond", decimal_from_thousandths(self.per_second)));
        let outcomes = self.outcomes.iter();
        let outcomes =
            outcomes.map(|(outcome, amount)| (outcome.as_str().to_owned(), decimal_from_thousandths(*amount)));
        fields.push(("outcomes", Value::Object(outcomes.collect())));
    }
}
