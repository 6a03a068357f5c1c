//! What led to what: how the cause of a record is carried through the world.
//!
//! Each queued event carries the record that led to it ([`podscope_sim::Queue`]). A step begins with that cause; what
//! it does is caused by it, or by what a component keeps for a purpose and names with `Context::because`: a controller
//! the change that it reconciles, a kubelet what its machine did last, a scheduler what brought the pod into its queue.
//!
//! Coarse on purpose: a process that lists again sees all that changed meanwhile because of the repair or start that
//! let it list; a kubelet's passes over all of its pods are caused by what made the first of them necessary.

use std::sync::Arc;

use podscope_api::CausedBy;
use podscope_sim::{Change, Happening, ProbeKind, Record, What};

use crate::{Place, Subject, World};

/// A record that a request led to.
pub(super) struct Written {
    /// How much it says of a change, see [`weight`].
    pub(super) weight: u8,
    pub(super) object: Option<Arc<Subject>>,
    pub(super) record: CausedBy,
}

/// Of several records of one write, the one of greatest weight stands for it: what others act on.
pub(super) fn weight(happening: &Happening) -> u8 {
    match happening {
        Happening::Deleted => 9,
        Happening::DeletionRequested { .. } => 8,
        Happening::Bound { .. } => 7,
        Happening::Created { .. } | Happening::NodeRegistered => 6,
        Happening::TaintAdded { .. } | Happening::TaintRemoved { .. } => 5,
        Happening::Updated { changed } if matches!(changed.phase.as_deref(), Some("Failed" | "Succeeded")) => 5,
        Happening::ConditionChanged { kind, .. } if matches!(&**kind, "Ready" | "DisruptionTarget") => 4,
        Happening::Nominated { .. } | Happening::Refused { .. } => 3,
        Happening::ConditionChanged { .. } => 2,
        Happening::Updated { .. } => 1,
        _ => 0,
    }
}

/// The record that tells of a change, if one does.
pub(super) fn of_change(change: &Change, records: &[Written]) -> Option<CausedBy> {
    let object = change.object()?;
    let (kind, key) = (object.kind(), object.key());
    let is_of = |subject: &Arc<Subject>| subject.kind == kind && subject.key == key;
    heaviest(records.iter().filter(|one| one.object.as_ref().is_some_and(is_of)))
}

/// The record that says most; the earlier of two.
pub(super) fn heaviest<'a>(records: impl IntoIterator<Item = &'a Written>) -> Option<CausedBy> {
    let mut found: Option<&Written> = None;
    for one in records {
        if found.is_none_or(|known| one.weight > known.weight) {
            found = Some(one);
        }
    }
    found.map(|one| one.record)
}

impl World {
    /// A machine remembers the latest record of each of its processes, for what its kubelet does about them later.
    pub(super) fn note_process(&mut self, record: &Record) {
        let is_of_process = match &record.happening {
            Happening::ProbeFailed { probe } => *probe != ProbeKind::Readiness,
            happening => matches!(
                happening.what(),
                What::ContainerStarted
                    | What::ContainerExited
                    | What::HookStarted
                    | What::HookFinished
                    | What::SignalSent
            ),
        };
        if is_of_process
            && let (Some(pod), Some(container)) = (&record.object, &record.container)
            && let Place::Node(node) = record.actor.place()
            && let Some(state) = self.nodes.get_mut(&node)
        {
            let latest = CausedBy::record(record.seq);
            Arc::make_mut(&mut state.machine).note_record(&pod.uid, container, latest);
        }
    }
}
