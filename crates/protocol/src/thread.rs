//! The causal thread (chain of causes) of the selected subject: the trace records that led to its changes, and its
//! upcoming events.

use crate::requests::{FailedStretch, Thousandths};
use std::fmt;

use podscope_api::fault::FaultKind;
use podscope_messages::t;
use serde::{Deserialize, Serialize};

use crate::{Micros, SubjectRef, UpcomingEvent};

/// Maximum number of records in a causal thread. The latest records are kept, together with their causes.
pub const MAX_THREAD_RECORDS: usize = 48;

/// The causal thread (chain of causes) of the inspected subject.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CausalThread {
    /// Records in display order: each follows its cause, or the previous effect of the same cause.
    pub links: Vec<ThreadLink>,
    /// Upcoming events of the same subject, earliest first.
    pub due: Vec<UpcomingEvent>,
    /// Whether earlier records are omitted.
    pub is_cut: bool,
}

/// A trace record in a causal thread.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ThreadLink {
    /// Sequence number in the trace, which is also the id of the record's timeline mark.
    pub record: u64,
    /// Sequence number of the record that caused this one, if any.
    pub caused_by: Option<u64>,
    /// Number of records between this one and the first cause in its chain.
    pub depth: u32,
    pub at: Micros,
    /// The component or user that acted.
    pub by: ThreadActor,
    pub event: ThreadEvent,
    /// The affected pod, node or other object.
    pub subject: Option<SubjectRef>,
    /// Name of the affected object.
    pub name: String,
    /// The node of the affected object, if the record contains it.
    pub node: Option<String>,
    /// Whether the record is about the selected subject itself; false if it is only a cause of such a record.
    pub is_own: bool,
}

/// The actor of a trace record, as far as the page distinguishes actors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ThreadActor {
    Scheduler,
    ControllerManager,
    /// A kubelet, a machine, the user or an external event.
    Other,
}

/// What happened according to a trace record. `Display` formats it; the affected object is shown beside it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ThreadEvent {
    Command {
        line: String,
    },
    RefusedCommand {
        line: String,
    },
    Fault {
        fault: FaultKind,
    },
    Healed {
        fault: FaultKind,
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
    #[expect(clippy::too_many_lines, reason = "a table: one sentence an event")]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&match self {
            Self::Command { line } => return f.write_str(line),
            Self::RefusedCommand { line } => t!(thread_events::refused_command, line = line),
            Self::Fault { fault } => t!(thread_events::fault, fault = fault),
            Self::Healed { fault } => t!(thread_events::repaired, fault = fault),
            Self::Fenced => t!(thread_events::fenced),
            Self::Created => t!(thread_events::created),
            Self::Updated => t!(thread_events::updated),
            Self::Scaled { replicas } => t!(thread_events::wants_pods, replicas = *replicas),
            Self::DeletionRequested { grace } => t!(thread_events::deletion_requested, grace = *grace),
            Self::Deleted => t!(thread_events::deleted),
            Self::Refused { message } if message.is_empty() => t!(thread_events::refused),
            Self::Refused { message } => t!(thread_events::refused_because, message = message),
            Self::Bound { node } => t!(thread_events::bound, node = node),
            Self::Chosen { node } => t!(thread_events::chosen, node = node),
            Self::Unschedulable { preempts: 0 } => t!(thread_events::no_node_fits),
            Self::Unschedulable { preempts } => t!(thread_events::preempts, preempts = *preempts),
            Self::AttemptFailed => t!(thread_events::attempt_failed),
            Self::Nominated { node } => t!(thread_events::nominated, node = node),
            Self::Preempted { by } => t!(thread_events::preempted, by = by),
            Self::Gated => t!(thread_events::gated),
            Self::ImagePulled { image } => t!(thread_events::image_pulled, image = image),
            Self::Started { container, restarts: 0 } => t!(thread_events::started, container = container),
            Self::Started { container, restarts } => {
                t!(thread_events::started_again, container = container, restarts = restarts)
            }
            Self::Exited {
                container,
                code,
                reason,
            } => match reason.as_str() {
                "" => t!(thread_events::exited, container = container, code = code),
                reason => t!(
                    thread_events::exited_because,
                    container = container,
                    code = code,
                    reason = reason
                ),
            },
            Self::HookStarted { container, hook } => {
                t!(thread_events::hook_started, container = container, hook = hook)
            }
            Self::HookFinished {
                container,
                hook,
                succeeded: true,
            } => t!(thread_events::hook_finished, container = container, hook = hook),
            Self::HookFinished {
                container,
                hook,
                succeeded: false,
            } => t!(thread_events::hook_failed, container = container, hook = hook),
            Self::Signal { container, signal } => t!(thread_events::signal, signal = signal, container = container),
            Self::ProbeFailed { container, probe } => {
                t!(thread_events::probe_failed, container = container, probe = probe)
            }
            Self::ProbeSucceeded { container, probe } => {
                t!(thread_events::probe_succeeds, container = container, probe = probe)
            }
            Self::VolumeAttached { volume } => t!(thread_events::volume_attached, volume = volume),
            Self::VolumeDetached { volume } => t!(thread_events::volume_detached, volume = volume),
            Self::VolumeMounted { volume } => t!(thread_events::volume_mounted, volume = volume),
            Self::VolumeUnmounted { volume } => t!(thread_events::volume_unmounted, volume = volume),
            Self::VolumeCorrupted => t!(thread_events::volume_corrupted),
            Self::Registered => t!(thread_events::registered),
            Self::Condition {
                condition,
                status,
                reason,
            } => match reason.as_str() {
                "" => t!(thread_events::condition, condition = condition, status = status),
                reason => t!(
                    thread_events::condition_because,
                    condition = condition,
                    status = status,
                    reason = reason
                ),
            },
            Self::TaintAdded { taint } => t!(thread_events::tainted, taint = taint),
            Self::TaintRemoved { taint } => t!(thread_events::untainted, taint = taint),
            Self::Event { reason } => t!(thread_events::event, reason = reason),
            Self::Broken { guarantee } => t!(thread_events::broken, guarantee = guarantee),
            Self::Judged { holds: true } => t!(thread_events::expectation_holds),
            Self::Judged { holds: false } => t!(thread_events::expectation_fails),
            Self::RequestsFailed(failed) => return failed.fmt(f),
            Self::RequestRate { per_second: 0 } => t!(thread_events::no_requests),
            Self::RequestRate { per_second } => t!(thread_events::requests, rate = Thousandths(*per_second)),
        })
    }
}
