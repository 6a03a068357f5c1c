//! Pending deadlines, reported by the component that waits for them, so that a caller can show what happens next and
//! when (U-05). Reporting changes no state.

use podscope_api::pending_event::PendingEventKind;
use podscope_api::{Kind, ObjectKey, Str, Uid};

use crate::SimTime;

/// A pending event, which happens unless something else prevents it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PendingEvent {
    pub at: SimTime,
    pub what: PendingEventKind,
    /// The kind of the object that the event happens to.
    pub kind: Kind,
    pub key: ObjectKey,
    /// The object's UID; empty for nodes and leases.
    pub uid: Uid,
    /// The container; empty if the event concerns the whole object.
    pub container: Str,
    /// Whether another pending event must happen first, such as adding a taint that is not there yet.
    pub is_projected: bool,
}
