//! Requests of clients to Services: who sends, which endpoint the rules of the client's node choose, and what becomes
//! of each request (TR-).
//!
//! A *flow* is what one command or one pod sends to a Service, evenly spaced. It is dealt out in turn to its clients,
//! one *stream* for each node they are on; a stream is dealt out in turn to the endpoints that kube-proxy's rules on
//! that node list, one *lane* for each. Between two changes everything in a lane has one fate, so nothing happens: how
//! many requests it was is arithmetic. What can change a fate *touches* the traffic: a process that starts, gets a
//! signal or ends, a link, rules that were written anew. Once a step is over, [`World::settle_traffic`] counts what the
//! touched lanes carried so far and judges them again. A stretch of failures that are alike becomes one record when it
//! ends; one that goes on is told after a minute, then each time it is twice as long.
//!
//! Traffic only watches. It draws from generators of its own and its messages use no link's order, so a run with
//! traffic is the run without it, and its records beside it.
//!
//! Deviations: a request is at its server in the instant in which it is sent, and is answered after two round trips
//! (one on a kept connection) and the server's latency; a request that meets silence is a timeout although the link
//! heals while it waits (TR-051); the cluster's DNS runs beside the control plane and answers as the API is (TR-076);
//! load, queues of a listener, UDP and the idle ends of connections are left out (TR-085).

mod balancer;
mod count;
mod fate;
mod flow;
mod now;
mod proxies;
mod settle;
mod start;

use std::sync::Arc;

use podscope_api::{CausedBy, NodeName, ObjectKey, Rate, Uid, ordered};
use podscope_sim::{FailedRequests, RequestClient, RequestOutcome, RequestRate, SimTime, Span, Subject};

use flow::Flow;
use proxies::ProxyState;
pub(crate) use proxies::{ProxyEvent, ProxyLife};

use crate::{Objects, World};

/// Requests by Service and outcome.
pub type Totals = ordered::Map<(ObjectKey, RequestOutcome), u64>;

/// `app traffic start SERVICE …`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StartTraffic {
    pub service: ObjectKey,
    pub rate: Rate,
    pub client: RequestClient,
    /// How long an answer is waited for; a second if it is not said.
    pub timeout: Option<Span>,
    /// Whether a connection is kept for the next request.
    pub keep_alive: bool,
    /// How often a failed request is repeated at once.
    pub retries: u32,
}

/// `app traffic …`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TrafficCommand {
    Start(StartTraffic),
    /// Ends all that commands have started to that Service.
    Stop(ObjectKey),
}

/// A flow as it is now.
#[derive(Debug, Clone, PartialEq)]
pub struct Flowing {
    /// What is sent, and what becomes of it.
    pub rate: RequestRate,
    /// Where it goes now: the client's node, the node of the endpoint and its pod, and thousandths of a request a
    /// second; without an endpoint where none was chosen.
    pub lanes: Vec<FlowingLane>,
    /// Stretches of failures that go on.
    pub failing: Vec<FailedRequests>,
}

/// One way that requests go now.
#[derive(Debug, Clone, PartialEq)]
pub struct FlowingLane {
    pub from: NodeName,
    /// The pod and its node.
    pub to: Option<(ObjectKey, NodeName)>,
    /// Thousandths of a request a second.
    pub per_second: i64,
    /// What becomes of them.
    pub outcome: RequestOutcome,
}

/// What may have changed what becomes of requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Touch {
    /// Anything: machines, links, Services.
    All,
    /// The rules of a node.
    Rules(NodeName),
    /// The processes of a pod.
    Pod(Uid),
    /// Pods of a machine got or lost their addresses.
    Machine(NodeName),
    /// A pod with calls of its own runs.
    Caller(Uid),
    /// An instant came for which somebody waited.
    Instant,
}

/// All traffic of a world.
#[derive(Debug, Clone, Default)]
pub(crate) struct Traffic {
    flows: Vec<Flow>,
    /// kube-proxies by node. Invariant: empty until there is traffic, and then one for each machine.
    proxies: ordered::Map<NodeName, ProxyState>,
    /// What nodes that are cut off had last heard, until there are proxies.
    known_before_cut: ordered::Map<NodeName, Arc<Objects>>,
    /// What has been counted.
    totals: Totals,
    touched: Vec<(Touch, CausedBy)>,
    /// The earliest instant at which it is looked again.
    wake: Option<SimTime>,
}

/// What settling led to: counts and records.
#[derive(Default)]
struct Outcomes {
    counts: Vec<(ObjectKey, RequestOutcome, u64)>,
    failed: Vec<Failure>,
    /// When to look again.
    wake: Option<SimTime>,
    /// The latest record about a process whose requests have another fate now.
    led: CausedBy,
}

/// A record to be made.
struct Failure {
    failed: FailedRequests,
    pod: Option<Arc<Subject>>,
    cause: CausedBy,
}

impl Outcomes {
    fn wake_at(&mut self, at: Option<SimTime>) {
        self.wake = [self.wake, at].into_iter().flatten().min();
    }
}

impl Traffic {
    /// Whether there has been none so far: nothing is followed, and nothing is costed.
    pub(crate) fn is_idle(&self) -> bool {
        self.proxies.is_empty()
    }

    /// Whether kube-proxy of a node has heard that an endpoint of one of its lanes ended, without having acted on it
    /// since then: each with the instant.
    pub(crate) fn overdue(&self) -> impl Iterator<Item = (&ObjectKey, &NodeName, &ObjectKey, SimTime)> {
        self.flows.iter().flat_map(move |flow| {
            flow.streams.iter().flat_map(move |stream| {
                let state = self.proxies.get(&stream.node);
                let lanes = stream.lanes.iter().filter(|_| stream.kept.is_none());
                lanes.filter_map(move |lane| {
                    let backend = lane.backend.as_ref()?;
                    let since = state?.proxy.heard_of_end(&flow.service, backend)?;
                    Some((&flow.service, &stream.node, &backend.pod, since))
                })
            })
        })
    }
}

impl World {
    /// How many requests there were up to now, by Service and outcome; those under way are in none.
    pub fn requests(&self) -> Totals {
        let mut totals = self.traffic.totals.clone();
        for flow in &self.traffic.flows {
            for (outcome, count) in flow.uncounted(self.now) {
                if count > 0 {
                    *totals.entry((flow.service.clone(), outcome)).or_default() += count;
                }
            }
        }
        totals
    }

    /// What flows now.
    pub fn flowing(&self) -> Vec<Flowing> {
        let flows = self.traffic.flows.iter();
        flows.map(|flow| flow.flowing(self.now)).collect()
    }
}
