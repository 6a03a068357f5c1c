//! Invariants: continuous checks of what must never happen (safety, at every
//! event) and of what must happen in the end (liveness, after the last heal).
//! A check sees requests, writes and records, the objects and the machines;
//! it cannot read the history switches.
//!
//! Every break is reported, excused or not, with who caused it: a command, a
//! fault, or a bug (F-03, F-04).
//!
//! All checks together cost 4 % of the simulation on 100 nodes with 300 pods
//! in rollouts, 2 % of a drawn run of the search (instructions counted; a
//! tenth is the bound). `podscope bench invariants` measures it as time.

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
mod live;
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

use podscope_api::ordered;
use std::sync::Arc;

use podscope_api::{NodeName, Object, Pod, Uid};
use rpds::RedBlackTreeMapSync;

use crate::traffic::Traffic;
use crate::world::{NodeState, ProcessState};
use crate::{Actor, Change, Network, Objects, Record, Request, SimTime, Subject, What};

pub(crate) use ledger::{Deed, Ledger};

/// What kind of promise an invariant is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Promise {
    /// Must hold at every event.
    Safety,
    /// Must come true once everything is healed.
    Liveness,
}

/// What an invariant is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    /// Who is who.
    Identity,
    /// How far a pod has come.
    Life,
    /// How it ends.
    Termination,
    /// Its volumes.
    Storage,
    /// Its place.
    Scheduling,
    /// Requests to its Services.
    Requests,
    /// What comes when all is healed.
    InTheEnd,
}

impl Group {
    /// As a heading.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Identity => "Identity",
            Self::Life => "Life",
            Self::Termination => "Termination",
            Self::Storage => "Storage",
            Self::Scheduling => "Scheduling",
            Self::Requests => "Requests",
            Self::InTheEnd => "In the end",
        }
    }
}

/// One invariant, as shown to people (E-04). It stands beside its check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Invariant {
    /// Name in kebab case.
    pub name: &'static str,
    /// Number of the fact.
    pub fact: &'static str,
    /// What it is about.
    pub group: Group,
    /// Safety or liveness.
    pub promise: Promise,
    /// What it says.
    pub statement: &'static str,
    /// Who keeps it.
    pub keeper: &'static str,
    /// What breaks it.
    pub breaker: &'static str,
    /// The lesson that shows it.
    pub lesson: &'static str,
}

pub(crate) use podscope_sim::BreakCause as Cause;
use podscope_sim::Culprit;

/// A break of an invariant.
#[derive(Debug, Clone)]
pub(crate) struct Breach {
    pub invariant: &'static str,
    pub object: Option<Arc<Subject>>,
    pub cause: Cause,
    pub by: Culprit,
    /// What was seen.
    pub seen: podscope_api::Phrase,
    /// The volume that two nodes write, which its back-end does not prevent.
    pub corrupts: Option<podscope_api::Str>,
}

/// Something that a check can see.
pub(crate) enum Seen<'a> {
    /// A request as it reaches the API server, before it is served.
    Request { actor: &'a Actor, request: &'a Request },
    /// A write to the store.
    Change { actor: &'a Actor, change: &'a Change },
    /// A record of the trace.
    Record(&'a Record),
    /// Some time has passed; `is_whole` says that nothing is cut, down or crashed.
    Tick {
        is_whole: bool,
        /// Pods of [`Monitors::questions`] that fit a node now, as the scheduler that leads sees it.
        fitting: &'a ordered::Set<Uid>,
    },
}

impl<'a> Seen<'a> {
    /// The pod that is bound at this instant, and its node.
    fn bound<'v>(&self, view: &View<'v>) -> Option<(&'a Record, Arc<Pod>, NodeName)> {
        let Self::Record(record) = *self else { return None };
        let object = record.object.as_ref().filter(|_| record.what() == What::Bound)?;
        let Object::Pod(pod) = view.objects.by_uid(&object.uid)? else {
            return None;
        };
        let node = pod.spec.node_name.clone()?;
        Some((record, pod, node))
    }

    /// A write of a controller-manager.
    fn by_controller_manager(&self) -> Option<(&'a Actor, &'a Change)> {
        match *self {
            Self::Change { actor, change } if matches!(actor, Actor::ControllerManager(_)) => Some((actor, change)),
            _ => None,
        }
    }
}

/// What a check may look at.
pub(crate) struct View<'a> {
    pub now: SimTime,
    pub objects: &'a Objects,
    pub nodes: &'a RedBlackTreeMapSync<NodeName, NodeState>,
    pub network: &'a Network,
    pub processes: &'a ordered::Map<Actor, ProcessState>,
    pub traffic: &'a Traffic,
    pub ledger: &'a Ledger,
    /// NoExecute taints a zone may get per 1000 seconds.
    pub eviction_rate_millis: i64,
    /// Whether the force timeout of detaching is on.
    pub detaches_by_force: bool,
}

/// One check with its memory.
pub(crate) trait Check {
    /// Looks at one thing that happened.
    fn see(&mut self, seen: &Seen<'_>, view: &View<'_>, out: &mut Vec<Breach>);
}

macro_rules! checks {
    ($($field:ident: $type:ident [$($row:ident),+]),* $(,)?) => {
        /// Every invariant that is checked.
        pub const INVARIANTS: &[Invariant] = &[$($($field::$row,)+)*];

        /// All checks with their memories.
        #[derive(Debug, Clone, Default)]
        pub(crate) struct Monitors {
            pub ledger: Ledger,
            $($field: $field::$type,)*
        }

        impl Monitors {
            fn each(&mut self, seen: &Seen<'_>, view: &Parts<'_>, out: &mut Vec<Breach>) {
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
                $(self.$field.see(seen, &view, out);)*
            }
        }
    };
}
checks! {
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
    live: Live [NOMINEE_RESOLVED, NO_ORPHANS, NAMESPACE_GONE, READY_RESTORED, CONVERGE, PENDING_PLACED],
    detach_live: DetachLive [DETACH_LIVE],
}

/// What the world lends to the checks.
pub(crate) struct Parts<'a> {
    pub now: SimTime,
    pub objects: &'a Objects,
    pub nodes: &'a RedBlackTreeMapSync<NodeName, NodeState>,
    pub network: &'a Network,
    pub processes: &'a ordered::Map<Actor, ProcessState>,
    pub traffic: &'a Traffic,
    pub eviction_rate_millis: i64,
    /// Whether the force timeout of detaching is on.
    pub detaches_by_force: bool,
}

impl Monitors {
    /// Pods that wait so long that it matters whether they fit.
    pub(crate) fn questions(&self, now: SimTime) -> Vec<Uid> {
        self.live.questions(now)
    }

    /// Shows the checks what happened; the breaks they found.
    pub(crate) fn see(&mut self, seen: &Seen<'_>, parts: &Parts<'_>) -> Vec<Breach> {
        let mut out = Vec::new();
        if let Seen::Record(record) = seen
            && record.what() == What::InvariantViolated
        {
            return out;
        }
        // Checks compare with what was known before; the ledger learns of endings first, of the rest after them.
        self.ledger.before(seen, parts);
        self.each(seen, parts, &mut out);
        self.ledger.after(seen, parts);
        out
    }
}
