//! Pending deadlines, reported by the component that waits for them, so that a caller can show what happens next and
//! when (U-05). Reporting changes no state.

use podscope_api::{Kind, ObjectKey, Str, Uid};

use crate::SimTime;

/// What happens when a deadline is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PendingEventKind {
    /// A silent node becomes Ready=Unknown (CT-023).
    NotReady,
    /// A pod's toleration of a NoExecute taint ends, and the pod is deleted (CT-035).
    Evicted,
    /// A lease has expired, and a candidate acquires it (CT-153).
    Lease,
    /// The scheduler tries a pod again (SCH-115, SCH-116).
    Attempt,
    /// A container's back-off ends, and the container is restarted (LC-084).
    BackOff,
    /// One more failure makes a probe count as failed (LC-118).
    Probe,
    /// A preStop hook reaches its time limit, and the stop signal is sent.
    StopSignal,
    /// A container's grace period ends, and SIGKILL is sent (LC-138).
    Kill,
    /// A container's process exits by itself.
    Exit,
    /// A CronJob creates its next Job.
    Job,
}

/// A pending event, which happens unless something else prevents it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PendingEvent {
    pub at: SimTime,
    pub what: PendingEventKind,
    /// The kind of the object that it happens to.
    pub kind: Kind,
    pub key: ObjectKey,
    /// The object's UID; empty for nodes and leases.
    pub uid: Uid,
    /// The container; empty if the event concerns the whole object.
    pub container: Str,
    /// Whether another pending event must happen first, such as adding a taint that is not there yet.
    pub is_projected: bool,
}
