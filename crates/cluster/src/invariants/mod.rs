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
mod one_node;
mod pdb_ledger;
mod preempt_lower;
mod roll_bound;
mod single_writer;
mod skew_at_bind;
mod slot_unique;

use podscope_api::ordered;
use std::sync::Arc;

use podscope_api::{NodeName, Uid};
use rpds::RedBlackTreeMapSync;

use crate::world::{NodeState, ProcessState};
use crate::{Actor, Change, Network, Objects, Record, Request, SimTime, Subject, What};

pub(crate) use ledger::Ledger;

/// What kind of promise an invariant is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Promise {
    /// Must hold at every event.
    Safety,
    /// Must come true once everything is healed.
    Liveness,
}

/// One invariant, as shown to people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Invariant {
    /// Name in kebab case.
    pub name: &'static str,
    /// Number of the fact.
    pub fact: &'static str,
    /// What it says.
    pub statement: &'static str,
    /// Safety or liveness.
    pub promise: Promise,
}

const fn safety(name: &'static str, fact: &'static str, statement: &'static str) -> Invariant {
    Invariant {
        name,
        fact,
        statement,
        promise: Promise::Safety,
    }
}
const fn liveness(name: &'static str, fact: &'static str, statement: &'static str) -> Invariant {
    Invariant {
        name,
        fact,
        statement,
        promise: Promise::Liveness,
    }
}

pub(crate) use podscope_sim::BreakCause as Cause;

/// A break of an invariant.
#[derive(Debug, Clone)]
pub(crate) struct Breach {
    pub invariant: &'static str,
    pub object: Option<Arc<Subject>>,
    pub cause: Cause,
    /// The command or fault, and the exception of the facts' table.
    pub by: String,
    /// What was seen.
    pub message: String,
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

/// What a check may look at.
pub(crate) struct View<'a> {
    pub now: SimTime,
    pub objects: &'a Objects,
    pub nodes: &'a RedBlackTreeMapSync<NodeName, NodeState>,
    pub network: &'a Network,
    pub processes: &'a ordered::Map<Actor, ProcessState>,
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
    ($($field:ident: $type:ty),* $(,)?) => {
        /// All checks with their memories.
        #[derive(Debug, Clone, Default)]
        pub(crate) struct Monitors {
            pub ledger: Ledger,
            $($field: $type,)*
        }
        impl Monitors {
            fn each(&mut self, seen: &Seen<'_>, view: &Parts<'_>, out: &mut Vec<Breach>) {
                let view = View {
                    now: view.now,
                    objects: view.objects,
                    nodes: view.nodes,
                    network: view.network,
                    processes: view.processes,
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
    at_most_one: at_most_one::AtMostOne,
    single_writer: single_writer::SingleWriter,
    one_node: one_node::OneNode,
    forward_only: forward_only::ForwardOnly,
    grace_honoured: grace_honoured::GraceHonoured,
    force_authority: force_authority::ForceAuthority,
    no_early_removal: no_early_removal::NoEarlyRemoval,
    pdb_ledger: pdb_ledger::PdbLedger,
    no_overcommit: no_overcommit::NoOvercommit,
    skew_at_bind: skew_at_bind::SkewAtBind,
    preempt_lower: preempt_lower::PreemptLower,
    attach_cas: attach_cas::AttachCas,
    fence_before_break: fence_before_break::FenceBeforeBreak,
    slot_unique: slot_unique::SlotUnique,
    daemon_one: daemon_one::DaemonOne,
    roll_bound: roll_bound::RollBound,
    evict_throttle: evict_throttle::EvictThrottle,
    live: live::Live,
    detach_live: detach_live::DetachLive,
}

/// Every invariant that is checked, in the order of the facts' table.
pub const INVARIANTS: &[Invariant] = &[
    safety(
        "at-most-one",
        "CT-162",
        "At most one pod of a StatefulSet identity has live processes.",
    ),
    safety(
        "single-writer",
        "CT-163",
        "A ReadWriteOnce volume is writable on at most one node, a ReadWriteOncePod volume by at most one pod.",
    ),
    safety(
        "one-node",
        "CT-164",
        "A pod runs only on the node it was bound to, and that never changes.",
    ),
    safety(
        "forward-only",
        "CT-165",
        "A phase never goes back; a deletion is never taken back.",
    ),
    safety(
        "grace-monotone",
        "CT-166",
        "The grace period of a deletion never grows.",
    ),
    safety(
        "grace-honoured",
        "CT-167",
        "Between the first signal and SIGKILL lies at least the grace period, and never less than two seconds.",
    ),
    safety(
        "force-authority",
        "CT-168",
        "Only those may delete with grace 0 who know that nothing runs: the kubelet, PodGC under its conditions, the owner of the application.",
    ),
    safety(
        "no-early-removal",
        "CT-169",
        "A kubelet removes a pod only when none of its processes runs.",
    ),
    safety(
        "pdb-ledger",
        "CT-170",
        "Between two looks at a budget, no more evictions are approved than it allowed; that is never negative.",
    ),
    safety(
        "no-overcommit",
        "CT-171",
        "When a pod is bound, the requests on its node fit the allocatable.",
    ),
    safety(
        "skew-at-bind",
        "CT-172",
        "Where a scheduler places a pod, its DoNotSchedule constraints hold by what that scheduler saw.",
    ),
    safety(
        "preempt-lower",
        "CT-173",
        "Victims of preemption have strictly lower priority than a pending preemptor.",
    ),
    safety(
        "attach-cas",
        "CT-174",
        "A volume's holder changes only from the value its writer observed; a container starts only where its volume is attached.",
    ),
    safety(
        "fence-before-break",
        "CT-175",
        "A node is fenced, powered off or has unmounted before its volume or its unreachable pod is taken away by force.",
    ),
    safety(
        "slot-unique",
        "CT-176",
        "No pod of a StatefulSet is created while an object of its name exists.",
    ),
    safety(
        "daemon-one",
        "CT-177",
        "A DaemonSet has at most one active pod on a node, unless it surges.",
    ),
    safety(
        "roll-bound",
        "CT-178",
        "A rollout never has more replicas than it may surge to.",
    ),
    safety(
        "evict-throttle",
        "CT-179",
        "NoExecute taints come to a zone no faster than its eviction rate.",
    ),
    liveness(
        "nominee-resolved",
        "CT-180",
        "A nominated pod is scheduled, loses its nomination, or is deleted in the end.",
    ),
    liveness("no-orphans", "CT-181", "After the heal, no process outlives its pod."),
    liveness(
        "namespace-gone",
        "CT-182",
        "After the heal, a terminating namespace ends.",
    ),
    liveness(
        "ready-restored",
        "CT-183",
        "After the heal, a node becomes Ready and loses its taints.",
    ),
    liveness(
        "converge",
        "CT-184",
        "In the end there are as many pods as the workload asks for.",
    ),
    safety(
        "safe-stall",
        "CT-185",
        "While a node is partitioned, a StatefulSet identity on it is absent or stalled, never duplicated.",
    ),
    liveness(
        "detach-live",
        "CT-186",
        "After the heal, a volume that nobody needs on a node is detached from it.",
    ),
    liveness(
        "pending-placed",
        "F-03",
        "After the heal, a pending pod that fits a node is placed.",
    ),
];

/// What the world lends to the checks.
pub(crate) struct Parts<'a> {
    pub now: SimTime,
    pub objects: &'a Objects,
    pub nodes: &'a RedBlackTreeMapSync<NodeName, NodeState>,
    pub network: &'a Network,
    pub processes: &'a ordered::Map<Actor, ProcessState>,
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
