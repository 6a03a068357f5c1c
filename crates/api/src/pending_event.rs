//! The kinds of events that are scheduled for a later time, shared by the simulation and the page.

use serde::{Deserialize, Serialize};

/// The event that happens when a deadline is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
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
