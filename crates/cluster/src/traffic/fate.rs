//! What becomes of a request that is sent now: the way to its endpoint, what listens there, and how long the answer
//! takes (TR-039 to TR-053).

use podscope_api::{CausedBy, NodeName};
use podscope_node::machine::{Container, ContainerId, MachinePod, Role};
use podscope_node::proxy::Backend;
use podscope_sim::{Network, Place, RequestOutcome, RequestTruth, SimTime, Span};
use rpds::RedBlackTreeMapSync;

use crate::world::NodeState;

/// What becomes of the requests of a lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    Answered {
        /// How long after it was sent.
        after: Span,
        is_late: bool,
        /// Parts in a million that get an error.
        errors: u32,
        process: ContainerId,
    },
    Fails(Failing),
}

/// Why requests fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Failing {
    pub outcome: RequestOutcome,
    pub truth: RequestTruth,
    /// Since when it is true, where that is known.
    pub since: Option<SimTime>,
}

impl Failing {
    pub(super) fn new(outcome: RequestOutcome, truth: RequestTruth) -> Self {
        let since = None;
        Self { outcome, truth, since }
    }

    pub(super) fn is_like(&self, other: &Self) -> bool {
        (self.outcome, self.truth) == (other.outcome, other.truth)
    }
}

impl Fate {
    /// What fails of it: everything, or what the server answers with an error.
    pub(super) fn failing(&self) -> Option<Failing> {
        match self {
            Self::Fails(failing) => Some(*failing),
            Self::Answered { errors: 0, .. } => None,
            Self::Answered { .. } => Some(Failing::new(RequestOutcome::Error, RequestTruth::ServerError)),
        }
    }

    /// Whether requests in one and the other have the same end.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Fails(one), Self::Fails(other)) => one.is_like(other),
            (one, other) => one == other,
        }
    }
}

/// A fate, what led to it, and when it will be another by itself.
#[derive(Debug, Clone, Copy)]
pub(super) struct Judged {
    pub fate: Fate,
    /// Nothing where the fate is not that of a process.
    pub cause: CausedBy,
    pub until: Option<SimTime>,
}

impl Judged {
    pub(super) fn fails(outcome: RequestOutcome, truth: RequestTruth) -> Self {
        Self {
            fate: Fate::Fails(Failing::new(outcome, truth)),
            cause: CausedBy::NOTHING,
            until: None,
        }
    }
}

/// How a client waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Patience {
    pub timeout: Span,
    pub keep_alive: bool,
}

/// What a request meets on its way.
pub(super) struct Ground<'a> {
    pub now: SimTime,
    pub nodes: &'a RedBlackTreeMapSync<NodeName, NodeState>,
    pub network: &'a Network,
}

/// The container that serves a port: the one that declares it, else the first that is no init container.
fn server<'m>(held: &'m MachinePod, backend: &Backend) -> Option<&'m Container> {
    let all = held.containers.iter();
    let mut serving = all.filter(|one| matches!(one.role, Role::App | Role::Sidecar));
    let declares = |one: &&Container| backend.port.is_some_and(|port| one.behavior.ports.contains(&port));
    let named = serving.clone().find(declares);
    let name = &named.or_else(|| serving.next())?.name;
    held.latest(name)
}

impl Ground<'_> {
    /// Whether messages pass both ways between two nodes.
    fn is_open(&self, from: &NodeName, to: &NodeName) -> bool {
        let (from, to) = (Place::Node(from.clone()), Place::Node(to.clone()));
        self.network.is_open(&from, &to) && self.network.is_open(&to, &from)
    }

    /// Whether a machine runs.
    pub(super) fn is_on(&self, node: &NodeName) -> bool {
        self.nodes.get(node).is_some_and(|state| state.machine.is_on())
    }

    /// The pod of an endpoint, if it still has that address.
    fn held(&self, backend: &Backend) -> Option<&MachinePod> {
        let held = self.nodes.get(&backend.node)?.machine.pod(&backend.uid)?;
        let sandbox = held.sandbox.as_ref()?;
        (sandbox.is_ready && sandbox.ip == backend.address).then_some(held)
    }

    /// What stands in the way between two nodes.
    fn obstacle(&self, from: &NodeName, to: &NodeName) -> Option<Judged> {
        let truth = if !self.is_on(to) {
            RequestTruth::NoPower
        } else if !self.is_open(from, to) {
            RequestTruth::LinkCut
        } else {
            return None;
        };
        Some(Judged::fails(RequestOutcome::Timeout, truth))
    }

    /// What becomes of a request on a new connection to an endpoint.
    pub(super) fn judge(&self, from: &NodeName, backend: &Backend, patience: Patience) -> Judged {
        if let Some(obstacle) = self.obstacle(from, &backend.node) {
            return obstacle;
        }
        let Some(held) = self.held(backend) else {
            return Judged::fails(RequestOutcome::Timeout, RequestTruth::PodGone);
        };
        let Some(process) = server(held, backend) else {
            return Judged::fails(RequestOutcome::Refused, RequestTruth::NotRunning);
        };
        let refused = |truth: RequestTruth, since: SimTime, until: Option<SimTime>| Judged {
            fate: Fate::Fails(Failing {
                outcome: RequestOutcome::Refused,
                truth,
                since: Some(since),
            }),
            cause: process.latest,
            until,
        };
        let listens_at = process.started_at + process.behavior.startup;
        if let Some(exit) = &process.exit {
            return refused(RequestTruth::NotRunning, exit.at, None);
        }
        if self.now < listens_at {
            return refused(RequestTruth::Starting, process.started_at, Some(listens_at));
        }
        let is_killed = process.signals.iter().any(|signal| &**signal == "SIGKILL");
        if let Some(at) = process
            .signalled_at
            .filter(|_| is_killed || !process.behavior.accepts_after_signal)
        {
            return refused(RequestTruth::ListenerClosed, at, None);
        }
        self.answered(from, backend, process, patience)
    }

    /// What becomes of a request on a connection that is kept; none if the server ended the connection itself.
    pub(super) fn judge_kept(
        &self,
        from: &NodeName,
        backend: &Backend,
        process: ContainerId,
        patience: Patience,
    ) -> Option<Judged> {
        if let Some(obstacle) = self.obstacle(from, &backend.node) {
            return Some(obstacle);
        }
        let container = self.held(backend)?.container(process).filter(|one| one.is_running())?;
        // A server that drains answers what is inside and closes what is idle (TR-047).
        let is_draining = container.signalled_at.is_some() && !container.behavior.accepts_after_signal;
        (!is_draining).then(|| self.answered(from, backend, container, patience))
    }

    fn answered(&self, from: &NodeName, backend: &Backend, process: &Container, patience: Patience) -> Judged {
        let (here, there) = (Place::Node(from.clone()), Place::Node(backend.node.clone()));
        let one_way = self.network.usual_latency(&here, &there) + self.network.usual_latency(&there, &here);
        let trips = if patience.keep_alive { 1 } else { 2 };
        let after = Span(one_way.0 * trips) + process.behavior.latency;
        let elapsed = process.elapsed(self.now).0;
        let errors = process.behavior.errors;
        let boundaries = errors.into_iter().flat_map(|errors| [errors.from, errors.until]);
        let next = boundaries.flatten().filter(|at| *at > elapsed).min();
        let fate = if after >= patience.timeout {
            Fate::Fails(Failing::new(RequestOutcome::Timeout, RequestTruth::ServerSlow))
        } else {
            Fate::Answered {
                after,
                is_late: after.0 * 2 > patience.timeout.0,
                errors: errors.map_or(0, |errors| errors.at(elapsed)),
                process: process.id,
            }
        };
        Judged {
            fate,
            cause: process.latest,
            until: next.map(|at| process.started_at + Span(at)),
        }
    }

    /// Why requests that are inside a process get no answer any more; none if they still do.
    pub(super) fn lost(&self, from: &NodeName, backend: &Backend, process: ContainerId) -> Option<(Failing, CausedBy)> {
        if let Some(Judged {
            fate: Fate::Fails(failing),
            cause,
            ..
        }) = self.obstacle(from, &backend.node)
        {
            return Some((failing, cause));
        }
        let machine = &self.nodes.get(&backend.node)?.machine;
        let container = machine.pod(&backend.uid).and_then(|held| held.container(process));
        let reset = |since: Option<SimTime>| Failing {
            outcome: RequestOutcome::Reset,
            truth: RequestTruth::ProcessEnded,
            since,
        };
        match container {
            Some(one) => one.exit.as_ref().map(|exit| (reset(Some(exit.at)), one.latest)),
            None => Some((reset(None), CausedBy::NOTHING)),
        }
    }
}
