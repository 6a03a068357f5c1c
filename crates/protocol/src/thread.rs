//! The thread of causes of what is selected: what led to what happened to it, and what comes by itself.

use crate::requests::{FailedStretch, Thousandths};
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{DueView, Micros, SubjectRef};

/// Most records that a thread holds: the latest, with what led to them.
pub const MAX_THREAD: usize = 48;

/// The thread of what the inspector shows.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Thread {
    /// Each directly below the one that led to it, or below what else that one led to.
    pub links: Vec<ThreadLink>,
    /// What comes by itself for the same thing, the next first.
    pub due: Vec<DueView>,
    /// Whether earlier records are left out.
    pub is_cut: bool,
}

/// A record of a thread.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ThreadLink {
    /// Its number in the trace; a mark of the timeline that shows it has the same.
    pub record: u64,
    /// The number of the record that led to it, if one did.
    pub caused_by: Option<u64>,
    /// How many records of the thread lead to it, one after another.
    pub depth: u32,
    pub at: Micros,
    /// Who did it.
    pub by: ThreadActor,
    /// What happened.
    pub deed: Deed,
    /// To which pod or node, or to which other object.
    pub subject: Option<SubjectRef>,
    /// What it is called.
    pub name: String,
    /// The node it runs on, as far as the record says.
    pub node: Option<String>,
    /// Whether it is about the thing that is selected, not only on the way to it.
    pub is_own: bool,
}

/// Who did what a record says, as far as the stage has a place for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ThreadActor {
    Scheduler,
    ControllerManager,
    /// A kubelet, a machine, a person, the world outside.
    Other,
}

/// What happened. Its words are its `Display`; whom it happened to stands beside it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Deed {
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
    /// It wants that many pods.
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
    /// Clients send that many requests a second, thousandths.
    RequestRate {
        per_second: i64,
    },
}

impl fmt::Display for Deed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unless = |text: &str| {
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
            Self::Refused { message } => write!(f, "refused{}", unless(message)),
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
            } => write!(f, "{container} exited with {code}{}", unless(reason)),
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
            } => write!(f, "{condition} is {status}{}", unless(reason)),
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
