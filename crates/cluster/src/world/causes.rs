//! Causes of records: how the world finds the record that caused another record.
//!
//! Each queued event carries the record that caused it ([`podscope_sim::Queue`]). A step begins with that cause.
//! Everything that the step does has this cause, unless its component sets another one with `Context::because`: a
//! controller sets the change that it reconciles, a kubelet the last event of its machine, and the scheduler the change
//! that moved the pod into its queue.
//!
//! Causes are deliberately coarse in two cases. When a process lists again, the cause of everything that it finds is
//! the repair or start that made the list possible. The cause of a pass of a kubelet over all its pods is that of the
//! first pod that required the pass.

use std::sync::Arc;

use podscope_api::CausedBy;
use podscope_api::well_known::condition;
use podscope_sim::{Change, Happening, ProbeKind, Record, What};

use crate::{Place, Subject, World};

/// A record that was made while a request was served.
pub(super) struct RequestRecord {
    /// Importance of the record, see [`importance`].
    pub(super) importance: u8,
    pub(super) object: Option<Arc<Subject>>,
    pub(super) record: CausedBy,
}

/// Returns the importance of a record. If one write leads to several records, the most important one represents it as a
/// cause.
pub(super) fn importance(happening: &Happening) -> u8 {
    match happening {
        Happening::Deleted => 9,
        Happening::DeletionRequested { .. } => 8,
        Happening::Bound { .. } => 7,
        Happening::Created { .. } | Happening::NodeRegistered => 6,
        Happening::TaintAdded { .. } | Happening::TaintRemoved { .. } => 5,
        Happening::Updated { changed } if matches!(changed.phase.as_deref(), Some("Failed" | "Succeeded")) => 5,
        Happening::ConditionChanged { kind, .. }
            if matches!(&**kind, condition::READY | condition::DISRUPTION_TARGET) =>
        {
            4
        }
        Happening::Nominated { .. } | Happening::Refused { .. } => 3,
        Happening::ConditionChanged { .. } => 2,
        Happening::Updated { .. } => 1,
        _ => 0,
    }
}

/// Returns the record about the object of a change, if there is one.
pub(super) fn record_of_change(change: &Change, records: &[RequestRecord]) -> Option<CausedBy> {
    let object = change.object()?;
    let (kind, key) = (object.kind(), object.key());
    let is_of = |subject: &Arc<Subject>| subject.kind == kind && subject.key == key;
    most_important(records.iter().filter(|one| one.object.as_ref().is_some_and(is_of)))
}

/// Returns the most important record; of equal ones, the first.
pub(super) fn most_important<'a>(records: impl IntoIterator<Item = &'a RequestRecord>) -> Option<CausedBy> {
    let mut found: Option<&RequestRecord> = None;
    for one in records {
        if found.is_none_or(|known| one.importance > known.importance) {
            found = Some(one);
        }
    }
    found.map(|one| one.record)
}

impl World {
    /// Stores the latest record about each process in its machine. It becomes the cause of what the kubelet does about
    /// the process later.
    pub(super) fn store_process_cause(&mut self, record: &Record) {
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
