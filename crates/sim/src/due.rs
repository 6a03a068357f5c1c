//! What will come by itself, told by the component that waits for it: for whoever wants to know what the next thing
//! is that can happen, and when (U-05). Telling changes nothing.

use podscope_api::{Kind, ObjectKey, Str, Uid};

use crate::SimTime;

/// What kind of thing comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Coming {
    /// A node that is silent becomes Ready=Unknown (CT-023).
    NotReady,
    /// A pod's toleration of a NoExecute taint ends: it is deleted (CT-035).
    Evicted,
    /// Nobody holds a lease: a candidate takes it (CT-153).
    Lease,
    /// The scheduler looks at a pod again (SCH-115, SCH-116).
    Attempt,
    /// A container's back-off ends: it is started again (LC-084).
    BackOff,
    /// One more failure of a probe, and it counts as failed (LC-118).
    Probe,
    /// A preStop hook has had its time: the stop signal is sent.
    StopSignal,
    /// A container has had its grace: SIGKILL is sent (LC-138).
    Kill,
    /// A container's process ends by itself.
    Exit,
    /// A CronJob makes its next Job.
    Job,
}

/// Something that will come unless something else happens first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Due {
    pub at: SimTime,
    pub what: Coming,
    /// The object that it happens to.
    pub kind: Kind,
    pub key: ObjectKey,
    /// Its UID; empty for nodes and leases.
    pub uid: Uid,
    /// The container; empty if it is about all of it.
    pub container: Str,
    /// It needs something before it that is due itself: a taint that is not there yet.
    pub is_projected: bool,
}
