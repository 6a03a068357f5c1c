//! The fate of a request that is sent now: the path to its endpoint, the process that listens there, and the latency of
//! the response (TR-039 to TR-053).

use podscope_api::{CausedBy, NodeName};
use podscope_node::machine::{Container, ContainerId, MachinePod, Role};
use podscope_node::proxy::Backend;
use podscope_sim::{Network, Place, RequestFailureCause, RequestOutcome, SimTime, Span};
use rpds::RedBlackTreeMapSync;

use crate::world::NodeState;

/// What happens to the requests from one client to one endpoint (a lane): they are answered, or they fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RequestFate {
    Answered {
        /// Time from sending a request to its response.
        after: Span,
        is_late: bool,
        /// Share of the requests that get an error response, in parts per million.
        errors: u32,
        /// CPU time of one request.
        cpu_per_request: Span,
        process: ContainerId,
    },
    Fails(FailureReason),
}

/// The reason why requests to a Service fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FailureReason {
    pub outcome: RequestOutcome,
    pub truth: RequestFailureCause,
    /// When the state that makes the requests fail began, if known.
    pub since: Option<SimTime>,
}

impl FailureReason {
    pub(super) fn new(outcome: RequestOutcome, truth: RequestFailureCause) -> Self {
        let since = None;
        Self { outcome, truth, since }
    }

    /// Returns whether both reasons have the same outcome and explanation; `since` may differ.
    pub(super) fn has_same_result(&self, other: &Self) -> bool {
        (self.outcome, self.truth) == (other.outcome, other.truth)
    }
}

impl RequestFate {
    /// Returns the failure reason of all or, for error responses, part of the requests; None if all succeed.
    pub(super) fn failure_reason(&self) -> Option<FailureReason> {
        match self {
            Self::Fails(failing) => Some(*failing),
            Self::Answered { errors: 0, .. } => None,
            Self::Answered { .. } => Some(FailureReason::new(
                RequestOutcome::Error,
                RequestFailureCause::ServerError,
            )),
        }
    }

    /// Returns whether both fates are equal, apart from the time since when a failure's reason applies.
    pub(super) fn has_same_result(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Fails(one), Self::Fails(other)) => one.has_same_result(other),
            (one, other) => one == other,
        }
    }
}

/// The fate of requests, with its cause and the instant until which it holds.
#[derive(Debug, Clone, Copy)]
pub(super) struct RequestAssessment {
    pub fate: RequestFate,
    /// The latest record about the process that determines the fate; `NOTHING` if no process determines it.
    pub cause: CausedBy,
    /// When the fate may change although no event occurs; None if only an event can change it.
    pub until: Option<SimTime>,
}

impl RequestAssessment {
    pub(super) fn failure(outcome: RequestOutcome, truth: RequestFailureCause) -> Self {
        Self {
            fate: RequestFate::Fails(FailureReason::new(outcome, truth)),
            cause: CausedBy::NOTHING,
            until: None,
        }
    }
}

/// Timeout, keep-alive and retries, as `app traffic start` or an annotation sets them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ClientOptions {
    pub timeout: Span,
    pub keep_alive: bool,
}

/// The state that determines the fate of requests.
pub(super) struct ClusterView<'a> {
    pub now: SimTime,
    pub nodes: &'a RedBlackTreeMapSync<NodeName, NodeState>,
    pub network: &'a Network,
}

/// Returns the container that serves a port: the one that declares it, or else the first app container or sidecar.
fn serving_container<'m>(held: &'m MachinePod, backend: &Backend) -> Option<&'m Container> {
    let all = held.containers.iter();
    let mut serving = all.filter(|one| matches!(one.role, Role::App | Role::Sidecar));
    let declares = |one: &&Container| backend.port.is_some_and(|port| one.behavior.ports.contains(&port));
    let named = serving.clone().find(declares);
    let name = &named.or_else(|| serving.next())?.name;
    held.latest(name)
}

impl ClusterView<'_> {
    /// Returns whether messages pass in both directions between two nodes.
    fn is_open(&self, from: &NodeName, to: &NodeName) -> bool {
        let (from, to) = (Place::Node(from.clone()), Place::Node(to.clone()));
        self.network.is_open(&from, &to) && self.network.is_open(&to, &from)
    }

    /// Returns whether the machine is on.
    pub(super) fn is_on(&self, node: &NodeName) -> bool {
        self.nodes.get(node).is_some_and(|state| state.machine.is_on())
    }

    /// Returns the pod of an endpoint, if the pod still has the address of the endpoint.
    fn endpoint_pod(&self, backend: &Backend) -> Option<&MachinePod> {
        let held = self.nodes.get(&backend.node)?.machine.pod(&backend.uid)?;
        let sandbox = held.sandbox.as_ref()?;
        (sandbox.is_ready && sandbox.ip == backend.address).then_some(held)
    }

    /// Returns why requests between two nodes get no response; None if nothing prevents it.
    fn network_obstacle(&self, from: &NodeName, to: &NodeName) -> Option<RequestAssessment> {
        let truth = if !self.is_on(to) {
            RequestFailureCause::NoPower
        } else if !self.is_open(from, to) {
            RequestFailureCause::LinkCut
        } else {
            return None;
        };
        Some(RequestAssessment::failure(RequestOutcome::Timeout, truth))
    }

    /// Returns the fate of a request on a new connection to an endpoint.
    pub(super) fn assess(&self, from: &NodeName, backend: &Backend, options: ClientOptions) -> RequestAssessment {
        if let Some(obstacle) = self.network_obstacle(from, &backend.node) {
            return obstacle;
        }
        let Some(held) = self.endpoint_pod(backend) else {
            return RequestAssessment::failure(RequestOutcome::Timeout, RequestFailureCause::PodGone);
        };
        let Some(process) = serving_container(held, backend) else {
            return RequestAssessment::failure(RequestOutcome::Refused, RequestFailureCause::NotRunning);
        };
        let refused = |truth: RequestFailureCause, since: SimTime, until: Option<SimTime>| RequestAssessment {
            fate: RequestFate::Fails(FailureReason {
                outcome: RequestOutcome::Refused,
                truth,
                since: Some(since),
            }),
            cause: process.latest,
            until,
        };
        let listens_at = process.started_at + process.behavior.startup;
        if let Some(exit) = &process.exit {
            return refused(RequestFailureCause::NotRunning, exit.at, None);
        }
        if self.now < listens_at {
            return refused(RequestFailureCause::Starting, process.started_at, Some(listens_at));
        }
        let is_killed = process.signals.iter().any(|signal| &**signal == "SIGKILL");
        if let Some(at) = process
            .signalled_at
            .filter(|_| is_killed || !process.behavior.accepts_after_signal)
        {
            return refused(RequestFailureCause::ListenerClosed, at, None);
        }
        self.assess_answer(from, backend, process, options)
    }

    /// Returns the fate of a request on a kept connection; None if the server has closed the connection.
    pub(super) fn assess_kept_connection(
        &self,
        from: &NodeName,
        backend: &Backend,
        process: ContainerId,
        options: ClientOptions,
    ) -> Option<RequestAssessment> {
        if let Some(obstacle) = self.network_obstacle(from, &backend.node) {
            return Some(obstacle);
        }
        let container = self
            .endpoint_pod(backend)?
            .container(process)
            .filter(|one| one.is_running())?;
        // A draining server answers requests in progress and closes idle connections (TR-047).
        let is_draining = container.signalled_at.is_some() && !container.behavior.accepts_after_signal;
        (!is_draining).then(|| self.assess_answer(from, backend, container, options))
    }

    fn assess_answer(
        &self,
        from: &NodeName,
        backend: &Backend,
        process: &Container,
        options: ClientOptions,
    ) -> RequestAssessment {
        let (here, there) = (Place::Node(from.clone()), Place::Node(backend.node.clone()));
        let one_way = self.network.usual_latency(&here, &there) + self.network.usual_latency(&there, &here);
        let trips = if options.keep_alive { 1 } else { 2 };
        let after = Span(one_way.0 * trips) + process.behavior.latency;
        let elapsed = process.elapsed(self.now).0;
        let errors = process.behavior.errors;
        let boundaries = errors.into_iter().flat_map(|errors| [errors.from, errors.until]);
        let next = boundaries.flatten().filter(|at| *at > elapsed).min();
        let fate = if after >= options.timeout {
            RequestFate::Fails(FailureReason::new(
                RequestOutcome::Timeout,
                RequestFailureCause::ServerSlow,
            ))
        } else {
            RequestFate::Answered {
                after,
                is_late: after.0 * 2 > options.timeout.0,
                errors: errors.map_or(0, |errors| errors.at(elapsed)),
                cpu_per_request: process.behavior.cpu_per_request,
                process: process.id,
            }
        };
        RequestAssessment {
            fate,
            cause: process.latest,
            until: next.map(|at| process.started_at + Span(at)),
        }
    }

    /// Returns why requests that a process is handling will get no response; None if they will get one.
    pub(super) fn failure_in_flight(
        &self,
        from: &NodeName,
        backend: &Backend,
        process: ContainerId,
    ) -> Option<(FailureReason, CausedBy)> {
        if let Some(RequestAssessment {
            fate: RequestFate::Fails(failing),
            cause,
            ..
        }) = self.network_obstacle(from, &backend.node)
        {
            return Some((failing, cause));
        }
        let machine = &self.nodes.get(&backend.node)?.machine;
        let container = machine.pod(&backend.uid).and_then(|held| held.container(process));
        let reset = |since: Option<SimTime>| FailureReason {
            outcome: RequestOutcome::Reset,
            truth: RequestFailureCause::ProcessEnded,
            since,
        };
        match container {
            Some(one) => one.exit.as_ref().map(|exit| (reset(Some(exit.at)), one.latest)),
            None => Some((reset(None), CausedBy::NOTHING)),
        }
    }
}
