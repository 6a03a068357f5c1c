//! The causal thread of the selected subject: the records that led to its changes, and its upcoming events.

use crate::requests::{FailedStretch, Thousandths};
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Micros, SubjectRef, UpcomingEvent};

/// Maximum number of records in a thread: the latest ones with their causes.
pub const MAX_THREAD: usize = 48;

/// The causal thread of the inspected subject.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Thread {
    /// Records in display order: each follows its cause, or the previous effect of the same cause.
    pub links: Vec<ThreadLink>,
    /// Upcoming events of the same subject, earliest first.
    pub due: Vec<UpcomingEvent>,
    /// Earlier records are omitted.
    pub is_cut: bool,
}

/// A record of a thread.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ThreadLink {
    /// Sequence number in the trace, which is also the id of the record's timeline mark.
    pub record: u64,
    /// Sequence number of the record that caused it, if any.
    pub caused_by: Option<u64>,
    /// Number of records in the chain of causes above it.
    pub depth: u32,
    pub at: Micros,
    /// The actor.
    pub by: ThreadActor,
    pub event: ThreadEvent,
    /// The affected pod, node or other object.
    pub subject: Option<SubjectRef>,
    /// Name of the affected object.
    pub name: String,
    /// The node of the affected object, if the record contains it.
    pub node: Option<String>,
    /// The record concerns the selected subject itself, not only one of its causes.
    pub is_own: bool,
}

/// The actor of a record, as far as the stage displays it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ThreadActor {
    Scheduler,
    ControllerManager,
    /// A kubelet, a machine, a person or an external event.
    Other,
}

/// The event of a record. `Display` formats it; the affected object is shown beside it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ThreadEvent {
    Command {
        line: String,
    },
    RefusedCommand {
        line: String,
    },
    Fault {
        fault: String,
    },
    Healed {
        fault: String,
    },
    Fenced,
    Created,
    Updated,
    /// The desired number of replicas changed.
    Scaled {
        replicas: i32,
    },
    DeletionRequested {
        grace: i64,
    },
    Deleted,
    Refused {
        message: String,
    },
    Bound {
        node: String,
    },
    Chosen {
        node: String,
    },
    Unschedulable {
        preempts: usize,
    },
    AttemptFailed,
    Nominated {
        node: String,
    },
    Preempted {
        by: String,
    },
    Gated,
    ImagePulled {
        image: String,
    },
    Started {
        container: String,
        restarts: i32,
    },
    Exited {
        container: String,
        code: i32,
        reason: String,
    },
    HookStarted {
        container: String,
        hook: String,
    },
    HookFinished {
        container: String,
        hook: String,
        succeeded: bool,
    },
    Signal {
        container: String,
        signal: String,
    },
    ProbeFailed {
        container: String,
        probe: String,
    },
    ProbeSucceeded {
        container: String,
        probe: String,
    },
    VolumeAttached {
        volume: String,
    },
    VolumeDetached {
        volume: String,
    },
    VolumeMounted {
        volume: String,
    },
    VolumeUnmounted {
        volume: String,
    },
    VolumeCorrupted,
    Registered,
    Condition {
        condition: String,
        status: String,
        reason: String,
    },
    TaintAdded {
        taint: String,
    },
    TaintRemoved {
        taint: String,
    },
    Event {
        reason: String,
    },
    Broken {
        guarantee: String,
    },
    Judged {
        holds: bool,
    },
    RequestsFailed(Box<FailedStretch>),
    /// Rate of requests of clients, in thousandths per second.
    RequestRate {
        per_second: i64,
    },
}

impl fmt::Display for ThreadEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let colon_and = |text: &str| {
            if text.is_empty() {
                String::new()
            } else {
                format!(": {text}")
            }
        };
        match self {
            Self::Command { line } => f.write_str(line),
            Self::RefusedCommand { line } => write!(f, "refused: {line}"),
            Self::Fault { fault } => write!(f, "fault: {fault}"),
            Self::Healed { fault } => write!(f, "repaired: {fault}"),
            Self::Fenced => f.write_str("fenced"),
            Self::Created => f.write_str("created"),
            Self::Updated => f.write_str("updated"),
            Self::Scaled { replicas: 1 } => f.write_str("wants 1 pod"),
            Self::Scaled { replicas } => write!(f, "wants {replicas} pods"),
            Self::DeletionRequested { grace: 0 } => f.write_str("deletion requested, no grace"),
            Self::DeletionRequested { grace } => write!(f, "deletion requested, {grace} s of grace"),
            Self::Deleted => f.write_str("gone from the API"),
            Self::Refused { message } => write!(f, "refused{}", colon_and(message)),
            Self::Bound { node } => write!(f, "bound to {node}"),
            Self::Chosen { node } => write!(f, "scheduler chooses {node}"),
            Self::Unschedulable { preempts: 0 } => f.write_str("no node fits"),
            Self::Unschedulable { preempts: 1 } => f.write_str("no node fits: preempts 1 pod"),
            Self::Unschedulable { preempts } => write!(f, "no node fits: preempts {preempts} pods"),
            Self::AttemptFailed => f.write_str("scheduling attempt failed"),
            Self::Nominated { node } => write!(f, "nominated to {node}"),
            Self::Preempted { by } => write!(f, "preempted by {by}"),
            Self::Gated => f.write_str("held back by scheduling gates"),
            Self::ImagePulled { image } => write!(f, "image {image} pulled"),
            Self::Started { container, restarts: 0 } => write!(f, "{container} started"),
            Self::Started { container, restarts } => write!(f, "{container} started again, restart {restarts}"),
            Self::Exited {
                container,
                code,
                reason,
            } => write!(f, "{container} exited with {code}{}", colon_and(reason)),
            Self::HookStarted { container, hook } => write!(f, "{container}: {hook} hook started"),
            Self::HookFinished {
                container,
                hook,
                succeeded: true,
            } => write!(f, "{container}: {hook} hook finished"),
            Self::HookFinished {
                container,
                hook,
                succeeded: false,
            } => write!(f, "{container}: {hook} hook failed"),
            Self::Signal { container, signal } => write!(f, "{signal} to {container}"),
            Self::ProbeFailed { container, probe } => write!(f, "{container}: {probe} probe failed"),
            Self::ProbeSucceeded { container, probe } => write!(f, "{container}: {probe} probe succeeds"),
            Self::VolumeAttached { volume } => write!(f, "volume {volume} attached"),
            Self::VolumeDetached { volume } => write!(f, "volume {volume} detached"),
            Self::VolumeMounted { volume } => write!(f, "volume {volume} mounted"),
            Self::VolumeUnmounted { volume } => write!(f, "volume {volume} unmounted"),
            Self::VolumeCorrupted => f.write_str("two nodes wrote to one volume"),
            Self::Registered => f.write_str("registered"),
            Self::Condition {
                condition,
                status,
                reason,
            } => write!(f, "{condition} is {status}{}", colon_and(reason)),
            Self::TaintAdded { taint } => write!(f, "tainted {taint}"),
            Self::TaintRemoved { taint } => write!(f, "taint {taint} removed"),
            Self::Event { reason } => write!(f, "event {reason}"),
            Self::Broken { guarantee } => write!(f, "{guarantee} broken"),
            Self::Judged { holds: true } => f.write_str("expectation holds"),
            Self::Judged { holds: false } => f.write_str("expectation fails"),
            Self::RequestsFailed(failed) => failed.fmt(f),
            Self::RequestRate { per_second: 0 } => f.write_str("no requests any more"),
            Self::RequestRate { per_second } => write!(f, "{} requests a second", Thousandths(*per_second)),
        }
    }
}
