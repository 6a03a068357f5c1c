//! Invariants: checks of what must never happen (safety, at every event) and of what must eventually happen (liveness,
//! when no fault is active any more). A check observes requests, writes and records, the objects and the machines; it
//! cannot read the [`podscope_sim::Switches`] that restore older rules of Kubernetes.
//!
//! Every violation is reported, expected or not, with its cause: a command, a fault, or a bug (F-03, F-04).
//!
//! All checks together take 4 % of the simulation on 100 nodes with 300 pods in rollouts, and 2 % of a random run of
//! `podscope search` (instructions counted; the limit is 10 %). `podscope bench invariants` measures their share of the
//! time.

mod at_most_one;
mod attach_cas;
mod blame;
mod daemon_one;
mod detach_live;
mod evict_throttle;
mod fence_before_break;
mod force_authority;
mod forward_only;
mod grace_honoured;
#[cfg(test)]
mod lab;
mod ledger;
mod liveness;
mod no_early_removal;
mod no_overcommit;
mod no_request_to_ended;
mod one_node;
mod pdb_ledger;
mod preempt_lower;
mod roll_bound;
mod single_writer;
mod skew_at_bind;
mod slot_unique;

use podscope_api::fault::ViolationCause;
use podscope_api::ordered;
use podscope_messages::{Message, invariant};
use std::sync::Arc;

use podscope_api::{NodeName, Object, Pod, Uid};
use rpds::RedBlackTreeMapSync;

use crate::traffic::Traffic;
use crate::world::{NodeState, ProcessState};
use crate::{Actor, Change, Network, Objects, Record, Request, SimTime, Subject, What};

pub(crate) use ledger::{BlamedAction, Ledger};

/// Whether the condition of an invariant must hold always (safety) or eventually (liveness).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InvariantKind {
    /// The condition holds at every event.
    Safety,
    /// The condition eventually becomes true when no fault is active any more.
    Liveness,
}

/// Topic of an invariant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum InvariantGroup {
    /// How many pods may have the same name, identity or owner.
    Identity,
    /// Life cycle of pods.
    Life,
    /// Termination of pods.
    Termination,
    /// Volumes.
    Storage,
    /// Placement of pods.
    Scheduling,
    /// Requests to Services.
    Requests,
    /// Recovery after faults.
    Recovery,
}

impl InvariantGroup {
    /// Returns the heading of the group.
    pub const fn title(self) -> Message {
        match self {
            Self::Identity => invariant::group_identity,
            Self::Life => invariant::group_life,
            Self::Termination => invariant::group_termination,
            Self::Storage => invariant::group_storage,
            Self::Scheduling => invariant::group_scheduling,
            Self::Requests => invariant::group_requests,
            Self::Recovery => invariant::group_in_the_end,
        }
    }
}

/// The description of an invariant that users see (E-04). It is declared in the module of its check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Invariant {
    /// Name of the invariant in kebab case.
    pub name: &'static str,
    /// Number of the fact that defines the invariant.
    pub fact: &'static str,
    pub group: InvariantGroup,
    pub kind: InvariantKind,
    /// The condition that must hold.
    pub statement: Message,
    /// Names the components that ensure the condition.
    pub keeper: Message,
    /// Names actions and events that can violate the condition.
    pub breaker: Message,
    /// The lesson that demonstrates the invariant.
    pub lesson: &'static str,
}

use podscope_sim::Originator;

/// A detected violation of an invariant.
#[derive(Debug, Clone)]
pub(crate) struct DetectedViolation {
    pub invariant: &'static str,
    pub object: Option<Arc<Subject>>,
    pub cause: ViolationCause,
    pub by: Originator,
    /// Description of what was observed.
    pub seen: podscope_messages::Sentence,
    /// The volume that two nodes write to because its storage does not prevent it.
    pub corrupts: Option<podscope_api::Str>,
}

/// An event that the checks observe.
pub(crate) enum Observation<'a> {
    /// A request that has reached the API server, before it is served.
    Request { actor: &'a Actor, request: &'a Request },
    /// A write to the store.
    Change { actor: &'a Actor, change: &'a Change },
    /// A record of the trace.
    Record(&'a Record),
    /// A periodic check; `is_fault_free` says that no link is cut and no process is down.
    Tick {
        is_fault_free: bool,
        /// The pods of [`Monitors::overdue_pending_pods`] that fit a node now, according to the leading scheduler.
        fitting: &'a ordered::Set<Uid>,
    },
}

impl<'a> Observation<'a> {
    /// Returns the pod that this record reports as bound, and its node.
    fn recorded_bound_pod<'v>(&self, view: &View<'v>) -> Option<(&'a Record, Arc<Pod>, NodeName)> {
        let Self::Record(record) = *self else { return None };
        let object = record.object.as_ref().filter(|_| record.what() == What::Bound)?;
        let Object::Pod(pod) = view.objects.by_uid(&object.uid)? else {
            return None;
        };
        let node = pod.spec.node_name.clone()?;
        Some((record, pod, node))
    }

    /// Returns the actor and the change if this is a write by a controller-manager.
    fn change_by_controller_manager(&self) -> Option<(&'a Actor, &'a Change)> {
        match *self {
            Self::Change { actor, change } if matches!(actor, Actor::ControllerManager(_)) => Some((actor, change)),
            _ => None,
        }
    }
}

/// Everything that a check can read.
pub(crate) struct View<'a> {
    pub now: SimTime,
    pub objects: &'a Objects,
    pub nodes: &'a RedBlackTreeMapSync<NodeName, NodeState>,
    pub network: &'a Network,
    pub processes: &'a ordered::Map<Actor, ProcessState>,
    pub traffic: &'a Traffic,
    pub ledger: &'a Ledger,
    /// Maximum number of NoExecute taints in a zone per 1000 seconds.
    pub eviction_rate_millis: i64,
    /// Whether the attach/detach controller detaches by force after its timeout.
    pub detaches_by_force: bool,
}

/// The check of one or more invariants, with its state.
pub(crate) trait Check {
    /// Checks one observation; adds violations to `out`.
    fn check(&mut self, seen: &Observation<'_>, view: &View<'_>, out: &mut Vec<DetectedViolation>);
}

macro_rules! declare_checks {
    ($($field:ident: $type:ident [$($row:ident),+]),* $(,)?) => {
        /// All invariants.
        pub const INVARIANTS: &[Invariant] = &[$($($field::$row,)+)*];

        /// The checks of all invariants with their states, and the ledger that they share.
        #[derive(Debug, Clone, Default)]
        pub(crate) struct Monitors {
            pub ledger: Ledger,
            $($field: $field::$type,)*
        }

        impl Monitors {
            fn run_checks(&mut self, seen: &Observation<'_>, view: &WorldParts<'_>, out: &mut Vec<DetectedViolation>) {
                let view = View {
                    now: view.now,
                    objects: view.objects,
                    nodes: view.nodes,
                    network: view.network,
                    processes: view.processes,
                    traffic: view.traffic,
                    ledger: &self.ledger,
                    eviction_rate_millis: view.eviction_rate_millis,
                    detaches_by_force: view.detaches_by_force,
                };
                $(self.$field.check(seen, &view, out);)*
            }
        }
    };
}
declare_checks! {
    at_most_one: AtMostOne [AT_MOST_ONE, SAFE_STALL],
    single_writer: SingleWriter [SINGLE_WRITER],
    one_node: OneNode [ONE_NODE],
    forward_only: ForwardOnly [FORWARD_ONLY, GRACE_MONOTONE],
    grace_honoured: GraceHonoured [GRACE_HONOURED],
    force_authority: ForceAuthority [FORCE_AUTHORITY],
    no_early_removal: NoEarlyRemoval [NO_EARLY_REMOVAL],
    pdb_ledger: PdbLedger [PDB_LEDGER],
    no_overcommit: NoOvercommit [NO_OVERCOMMIT],
    skew_at_bind: SkewAtBind [SKEW_AT_BIND],
    preempt_lower: PreemptLower [PREEMPT_LOWER],
    attach_cas: AttachCas [ATTACH_CAS],
    fence_before_break: FenceBeforeBreak [FENCE_BEFORE_BREAK],
    slot_unique: SlotUnique [SLOT_UNIQUE],
    daemon_one: DaemonOne [DAEMON_ONE],
    roll_bound: RollBound [ROLL_BOUND],
    evict_throttle: EvictThrottle [EVICT_THROTTLE],
    no_request_to_ended: NoRequestToEnded [NO_REQUEST_TO_ENDED],
    liveness: Liveness [NOMINEE_RESOLVED, NO_ORPHANS, NAMESPACE_GONE, READY_RESTORED, CONVERGE, PENDING_PLACED],
    detach_live: DetachLive [DETACH_LIVE],
}

/// Parts of the world that the checks can read.
pub(crate) struct WorldParts<'a> {
    pub now: SimTime,
    pub objects: &'a Objects,
    pub nodes: &'a RedBlackTreeMapSync<NodeName, NodeState>,
    pub network: &'a Network,
    pub processes: &'a ordered::Map<Actor, ProcessState>,
    pub traffic: &'a Traffic,
    pub eviction_rate_millis: i64,
    /// Whether the attach/detach controller detaches by force after its timeout.
    pub detaches_by_force: bool,
}

impl Monitors {
    /// Returns the UIDs of the pods that have been pending so long that the scheduler must be asked whether they fit a
    /// node.
    pub(crate) fn overdue_pending_pods(&self, now: SimTime) -> Vec<Uid> {
        self.liveness.overdue_pending_pods(now)
    }

    /// Runs all checks on an observation and returns the violations.
    pub(crate) fn check(&mut self, seen: &Observation<'_>, parts: &WorldParts<'_>) -> Vec<DetectedViolation> {
        let mut out = Vec::new();
        if let Observation::Record(record) = seen
            && record.what() == What::InvariantViolated
        {
            return out;
        }
        // The checks compare with the state before the observation: the ledger records endings before the checks run,
        // and starts after them.
        self.ledger.observe_before_checks(seen, parts);
        self.run_checks(seen, parts, &mut out);
        self.ledger.observe_after_checks(seen, parts);
        out
    }
}
