//! Requests of clients to Services, as the trace tells of them: who sends, what becomes of what is sent, and, where it
//! fails, what the client's node believed and what was true.

use std::fmt;

use podscope_api::{NodeName, ObjectKey, Str};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::SimTime;
use crate::happening::{Field, Fields, words};

words! {
    /// What became of a request, in the order in which things happen on its way.
    RequestOutcome {
        /// Answered within half of the time that the client waits.
        Ok = "ok",
        /// Answered after more than half of it.
        Late = "late",
        /// Answered with an error of the server.
        Error = "error",
        /// Refused at once: by a rule, or because nothing listens (TR-040, TR-043).
        Refused = "refused",
        /// The process ended with the request inside (TR-048).
        Reset = "reset",
        /// Nothing came back in time (TR-041, TR-042, TR-044, TR-050).
        Timeout = "timeout",
    }

    /// What was true where a request failed.
    RequestTruth {
        /// There is no Service of that name.
        NoService = "no-service",
        /// The client's node cannot ask for the name.
        NoName = "no-name",
        /// kube-proxy of the client's node has no rules for the Service (TR-018, TR-027).
        NoRules = "no-rules",
        /// The rules of the client's node list no endpoint (TR-043).
        NoEndpoints = "no-endpoints",
        /// A policy `Local`, and no endpoint on the node (TR-044).
        NoLocalEndpoints = "no-local-endpoints",
        /// The process runs and does not listen yet (TR-040, TR-060).
        Starting = "starting",
        /// The process does not run (TR-040).
        NotRunning = "not-running",
        /// The process has closed its listener after its stop signal (TR-040, TR-056).
        ListenerClosed = "listener-closed",
        /// The process ended with the request inside (TR-048).
        ProcessEnded = "process-ended",
        /// The pod is gone from its node (TR-041).
        PodGone = "pod-gone",
        /// The machine has no power (TR-042).
        NoPower = "no-power",
        /// A link on the way is cut (TR-042, TR-068).
        LinkCut = "link-cut",
        /// The server answered with an error.
        ServerError = "server-error",
        /// The server answers later than the client waits.
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

    /// Whether the client got no answer that it can use.
    pub const fn is_failed(self) -> bool {
        !matches!(self, Self::Ok | Self::Late)
    }
}

/// Who sends requests.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum RequestClient {
    /// Clients on every node whose machine runs.
    Nodes,
    /// Clients on every such node of a zone.
    Zone(Str),
    /// A client on a node.
    Node(Str),
    Pod(ObjectKey),
    /// Clients outside the cluster, through a port of the nodes.
    Outside,
}

impl fmt::Display for RequestClient {
    /// As `--from` names it.
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

/// A stretch of failures that are alike: one Service, one client's node, one endpoint, one outcome, one belief.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedRequests {
    pub service: ObjectKey,
    /// The pod that they were sent to, or the address of an endpoint without one; none if no endpoint was chosen.
    pub endpoint: Option<Str>,
    pub client: RequestClient,
    /// The node whose rules chose the endpoint.
    pub node: Str,
    pub outcome: RequestOutcome,
    /// When the first of them was sent, at the earliest.
    pub since: SimTime,
    /// When the last of them was sent, at the latest.
    pub until: SimTime,
    pub count: u64,
    /// Since when the rules of the node listed that endpoint.
    pub believed_since: Option<SimTime>,
    pub truth: RequestTruth,
    /// Since when it was true, where that is known.
    pub truth_since: Option<SimTime>,
}

/// What clients send to a Service from now on, and what becomes of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestRate {
    pub service: ObjectKey,
    pub client: RequestClient,
    /// Thousandths of a request per second.
    pub per_second: i64,
    /// The same by outcome; what does not occur is absent.
    pub outcomes: Vec<(RequestOutcome, i64)>,
}

impl FailedRequests {
    /// The client's node.
    pub fn node_name(&self) -> NodeName {
        NodeName(self.node.clone())
    }
}

/// Thousandths as a number with decimals.
fn thousandths(amount: i64) -> Value {
    crate::trace::seconds(amount.saturating_mul(1000))
}

impl Field for Box<FailedRequests> {
    fn say(&self, _: &'static str, fields: &mut Fields) {
        self.service.say("service", fields);
        self.endpoint.say("endpoint", fields);
        fields.push(("client", self.client.to_string().into()));
        self.node.say("node", fields);
        self.outcome.say("outcome", fields);
        self.since.say("since", fields);
        self.until.say("until", fields);
        self.count.say("count", fields);
        self.believed_since.say("believedSince", fields);
        self.truth.say("truth", fields);
        self.truth_since.say("truthSince", fields);
    }
}

impl Field for Box<RequestRate> {
    fn say(&self, _: &'static str, fields: &mut Fields) {
        self.service.say("service", fields);
        fields.push(("client", self.client.to_string().into()));
        fields.push(("perSecond", thousandths(self.per_second)));
        let outcomes = self.outcomes.iter();
        let outcomes = outcomes.map(|(outcome, amount)| (outcome.as_str().to_owned(), thousandths(*amount)));
        fields.push(("outcomes", Value::Object(outcomes.collect())));
    }
}
