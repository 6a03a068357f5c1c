//! Requests of clients to Services: who sends them, which endpoint the rules of the client's node choose, and the fate
//! of each request (facts TR-…).
//!
//! A *flow* is the evenly spaced requests of one command or pod to a Service. They are distributed round-robin to its
//! clients, one *stream* per node with a client. A stream is distributed round-robin to the endpoints that kube-proxy's
//! rules on that node list, one *lane* per endpoint. Between two changes all requests of a lane have the same fate, so
//! no events are needed: their number is computed. An event that can change a fate *touches* the traffic: a process
//! that starts, gets a signal or exits, a link, rewritten rules. At the end of the step, [`World::settle_traffic`]
//! counts the requests of the touched lanes up to now and assesses their fate again. A *stretch* of equal failures
//! becomes one record when it ends; a lasting one is reported after a minute, and then each time its duration has
//! doubled.
//!
//! Traffic only observes. It uses random generators of its own, and its messages do not take part in the order of
//! messages on links. A run with traffic therefore equals the run without it, plus the records about traffic. The one
//! exception are HorizontalPodAutoscalers: they see the CPU load of requests (`cpu_load.rs`) where the behaviour of a
//! container names the CPU time of one request.
//!
//! Deviations: a request reaches its server at the instant at which it is sent, and is answered after two round trips
//! (one on a kept connection) plus the server's latency. A request without a response times out even if the link heals
//! while it waits (TR-051). The cluster's DNS runs beside the control plane and answers from the API objects as of its
//! watch; clients cache no answer (TR-076). A session ends only with its endpoint (TR-021). Load, listen queues, UDP
//! and idle timeouts of connections are left out (TR-085).

mod balancer;
mod count;
mod cpu_load;
mod fate;
mod flow;
mod flow_state;
mod proxies;
mod settle;
mod start;

use std::sync::Arc;

use podscope_api::{CausedBy, NodeName, ObjectKey, Rate, Uid, ordered};
use podscope_sim::{FailedRequests, RequestClient, RequestLoad, RequestOutcome, RequestRate, SimTime, Span, Subject};

use podscope_node::machine::ContainerId;

use flow::Flow;
use proxies::ProxyState;
pub(crate) use proxies::{ProxyEvent, ProxyLife};

use crate::{Objects, World};

/// Number of requests by Service and outcome.
pub type Totals = ordered::Map<(ObjectKey, RequestOutcome), u64>;

/// The command `app traffic start SERVICE …`, which sends requests to a Service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StartTraffic {
    pub service: ObjectKey,
    pub rate: Rate,
    pub client: RequestClient,
    /// Timeout of a request; one second if None.
    pub timeout: Option<Span>,
    /// Whether the connection is kept for the next request.
    pub keep_alive: bool,
    /// Number of immediate retries of a failed request.
    pub retries: u32,
}

/// The commands `app traffic start` and `app traffic stop`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TrafficCommand {
    Start(StartTraffic),
    /// Ends all flows to that Service that commands have started.
    Stop(ObjectKey),
}

/// The present state of a flow: the requests of one command or pod to one Service.
#[derive(Debug, Clone, PartialEq)]
pub struct FlowState {
    /// Rate of requests and of their outcomes.
    pub rate: RequestRate,
    /// The lanes that carry requests now.
    pub lanes: Vec<LaneState>,
    /// Stretches of failures that have not ended, with their causes.
    pub failing: Vec<(FailedRequests, CausedBy)>,
}

/// Requests from one client node to one endpoint (a lane).
#[derive(Debug, Clone, PartialEq)]
pub struct LaneState {
    pub from: NodeName,
    /// The endpoint's pod and its node; None if no endpoint was chosen.
    pub to: Option<(ObjectKey, NodeName)>,
    /// Rate in thousandths of a request per second.
    pub per_second: i64,
    /// Outcome of the requests.
    pub outcome: RequestOutcome,
}

/// A change that may affect the fate of requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TrafficTouch {
    /// Machines, links or Services changed, which may affect all requests.
    All,
    /// The rules of this node's kube-proxy changed.
    Rules(NodeName),
    /// The processes of the pod with this UID changed.
    Pod(Uid),
    /// A pod of a machine got or lost its address.
    Machine(NodeName),
    /// A pod that sends requests itself has started.
    Caller(Uid),
    /// The instant was reached at which requests may begin to fail or succeed although no other event occurs.
    Instant,
}

/// State of the requests to Services in a world.
#[derive(Debug, Clone, Default)]
pub(crate) struct Traffic {
    flows: Vec<Flow>,
    /// kube-proxies by node. Invariant: empty until traffic starts, then one per machine.
    proxies: ordered::Map<NodeName, ProxyState>,
    /// The last API objects that each node with a cut link had observed; its kube-proxy starts with them.
    known_before_cut: ordered::Map<NodeName, Arc<Objects>>,
    /// States of the API objects that the cluster's DNS observes, oldest first, each with the instant at which DNS
    /// observes it. The first state is the one from which DNS answers now.
    dns_states: Vec<(SimTime, Arc<Objects>)>,
    /// Number of requests counted so far, by Service and outcome.
    totals: Totals,
    /// CPU load of the requests, as of the last [`World::settle_traffic`].
    load: Arc<RequestLoad>,
    touched: Vec<(TrafficTouch, CausedBy)>,
    /// The earliest instant at which [`World::settle_traffic`] must run although nothing changes.
    wake: Option<SimTime>,
}

/// Results of [`World::settle_traffic`]: the counted requests, the records about failures, and when it must run again.
#[derive(Default)]
struct SettledOutcomes {
    counts: Vec<(ObjectKey, RequestOutcome, u64)>,
    failed: Vec<FailedRequestsRecord>,
    /// Instant at which [`World::settle_traffic`] must run again although nothing changes.
    wake: Option<SimTime>,
    /// The latest record about a process whose requests have a new fate.
    cause: CausedBy,
}

/// A record about failed requests.
struct FailedRequestsRecord {
    failed: FailedRequests,
    pod: Option<Arc<Subject>>,
    /// The container that answered with errors, and its node.
    process: Option<(NodeName, ContainerId)>,
    cause: CausedBy,
}

impl SettledOutcomes {
    fn wake_at(&mut self, at: Option<SimTime>) {
        self.wake = [self.wake, at].into_iter().flatten().min();
    }
}

impl Traffic {
    /// Returns whether traffic has never been started; nothing is then tracked.
    pub(crate) fn is_idle(&self) -> bool {
        self.proxies.is_empty()
    }

    /// Returns the CPU load of the requests that are answered now.
    pub(crate) fn load(&self) -> &Arc<RequestLoad> {
        &self.load
    }

    /// Returns the lanes of new connections whose endpoint has ended, where the node's kube-proxy has observed the end
    /// but not synced since: (service, client's node, pod, when it was observed).
    pub(crate) fn stale_lanes(&self) -> impl Iterator<Item = (&ObjectKey, &NodeName, &ObjectKey, SimTime)> {
        self.flows.iter().flat_map(move |flow| {
            flow.streams.iter().flat_map(move |stream| {
                let state = self.proxies.get(&stream.node);
                let lanes = stream.lanes.iter().filter(|_| stream.kept.is_none());
                lanes.filter_map(move |lane| {
                    let backend = lane.backend.as_ref()?;
                    let since = state?.proxy.stale_since(&flow.service, backend)?;
                    Some((&flow.service, &stream.node, &backend.pod, since))
                })
            })
        })
    }
}

impl World {
    /// Returns the number of requests up to now by Service and outcome; requests in flight are not included.
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

    /// Returns the present state of all flows.
    pub fn flow_states(&self) -> Vec<FlowState> {
        let flows = self.traffic.flows.iter();
        flows.map(|flow| flow.state_at(self.now)).collect()
    }
}
