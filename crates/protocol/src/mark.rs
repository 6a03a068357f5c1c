//! Marks (events drawn on the timeline), and their labels.

use std::fmt;

use podscope_api::fault::{CutFrom, FaultKind};
use podscope_messages::{listed, t};
use serde::{Deserialize, Serialize};

use crate::{FailedStretch, Micros, SubjectRef, Thousandths, other_end_of_cut};

/// A lane (row) of the timeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Lane {
    #[default]
    Faults,
    Commands,
    /// Scheduling decisions.
    Decisions,
    /// Terminations: one bar per container and phase of its termination.
    Terminations,
    Invariants,
    /// Requests to Services: rates and periods of failures.
    Requests,
}

/// An event or a period that the timeline shows as a point or a bar.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Mark {
    /// Number of the mark, unique within its branch.
    pub id: u64,
    pub lane: Lane,
    /// Start time.
    pub from: Micros,
    /// End time. Equal to `from` for a mark that is a point; `None` while the event lasts.
    pub to: Option<Micros>,
    pub kind: MarkKind,
    /// Text on the mark or beside it.
    pub label: MarkLabel,
    /// The subject that a click on the mark selects.
    pub subject: Option<SubjectRef>,
}

/// The type of event that a mark on the timeline shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum MarkKind {
    /// Network links were cut.
    #[default]
    Cut,
    /// A fault other than a cut link began.
    Fault,
    /// The end of a fault.
    Healed,
    /// A node was fenced.
    Fenced,
    /// A volume was written from two nodes.
    Corrupted,
    Command,
    /// A command that was refused.
    Refused,
    /// A pod was bound to a node.
    Bound,
    /// A scheduling attempt found no node.
    Failed,
    /// A pod was nominated to a node.
    Nominated,
    /// A pod was preempted.
    Preempted,
    /// A preStop hook is running.
    PreStop,
    /// The stop signal was sent.
    Sigterm,
    /// SIGKILL was sent.
    Killed,
    /// An invariant was violated.
    Broken,
    /// An expectation of the scenario was met.
    Expected,
    /// An expectation of the scenario was not met.
    Unexpected,
    /// A node is not ready or under pressure; the mark lasts as long as the condition.
    NotReady,
    /// A pod was evicted, or deleted with its node.
    Evicted,
    /// A container exited, without being stopped by the kubelet.
    Exited,
    /// A container was restarted.
    Restarted,
    /// Requests to a Service, all of which succeed.
    Requests,
    /// Requests to a Service, some of which fail.
    RequestsFailing,
    /// A period in which requests to a Service failed.
    RequestsFailed,
}

/// Content of the text beside a mark on the timeline.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum MarkLabel {
    /// A fault began; `name` is the affected object, or empty.
    Fault {
        fault: FaultKind,
        /// Name of a node, a pod or a volume.
        name: String,
    },
    /// Links of a node are cut.
    Cut {
        node: String,
        /// The other end of the cut links; `None` means that all links of the node are cut.
        from: Option<CutFrom>,
        /// Whether messages to the node are lost.
        is_in: bool,
        /// Whether messages from the node are lost.
        is_out: bool,
    },
    /// A node was cordoned or uncordoned.
    Cordoned {
        node: String,
        /// True if the node was cordoned, false if it was uncordoned.
        is_on: bool,
    },
    /// A pod was evicted, or deleted with its node.
    Evicted { pod: String, by: Evictor },
    /// A container exited, without being stopped by the kubelet.
    Exited {
        pod: String,
        /// Name of the container.
        container: String,
        /// Exit code of the container.
        code: i32,
        /// Whether the container was OOM-killed.
        is_out_of_memory: bool,
    },
    /// A container was restarted.
    Restarted {
        pod: String,
        /// Name of the container.
        container: String,
    },
    /// A fault ended; `name` is the affected object, or empty.
    Healed {
        fault: FaultKind,
        /// Name of a node, a pod or a volume.
        name: String,
    },
    /// A volume was written from two nodes.
    Corrupted { volume: String },
    /// Text that the user has written: a command or an expectation.
    Written(String),
    /// A command whose effect is shown by a mark of its own.
    Marked(String),
    /// A command that applied manifests.
    Given {
        /// The command, such as `kubectl apply`.
        command: String,
        /// The first objects of the manifests, each in the form `Deployment web`.
        objects: Vec<String>,
        /// Number of objects that `objects` does not list.
        more: usize,
    },
    /// A pod was bound to a node.
    Bound { pod: String, node: String },
    /// A scheduling attempt found no node for a pod.
    NoNode { pod: String },
    /// A pod was nominated to a node on which victims are being terminated.
    Nominated { pod: String, node: String },
    /// A pod was preempted.
    Preempted { pod: String },
    /// A container terminates.
    Container {
        pod: String,
        /// Name of the container.
        container: String,
    },
    /// A node is `NotReady` or has a pressure condition.
    Condition { node: String, condition: String },
    /// A taint was added to a node.
    Tainted {
        node: String,
        /// Key of the taint.
        key: String,
        effect: String,
    },
    /// A taint was removed from a node.
    Untainted {
        node: String,
        /// Key of the taint.
        key: String,
    },
    /// An invariant was violated.
    Broken {
        invariant: String,
        /// Name of the affected object; empty if there is none.
        name: String,
        /// Number of pods with the same name that run at the same time; 0 for violations of other invariants.
        at_once: usize,
    },
    /// Rates of requests to a Service and of failures from this time on, in thousandths of a request per second.
    Requests {
        service: String,
        per_second: i64,
        failing: i64,
    },
    /// A period of requests that failed in the same way.
    RequestsFailed(Box<FailedStretch>),
}

/// The component that evicts a pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Evictor {
    /// The taint manager.
    Taint,
    /// The kubelet, under node pressure.
    Pressure,
    /// The kubelet, because the machine shuts down.
    Shutdown,
    /// A client of the eviction API.
    Api,
    /// The pod garbage collector.
    PodGc,
}

impl Evictor {
    /// Formats a sentence about who evicted or deleted the pod and why, without a full stop.
    fn eviction_sentence(self, pod: &str) -> String {
        match self {
            Self::Taint => t!(mark::evicted_by_taint, pod = pod),
            Self::Pressure => t!(mark::evicted_by_pressure, pod = pod),
            Self::Shutdown => t!(mark::ended_by_shutdown, pod = pod),
            Self::Api => t!(mark::evicted_by_api, pod = pod),
            Self::PodGc => t!(mark::removed_by_garbage_collector, pod = pod),
        }
    }
}

impl Default for MarkLabel {
    fn default() -> Self {
        Self::Written(String::new())
    }
}

/// Formats a sentence about a fault and the affected object, without a full stop.
#[must_use]
pub fn fault_sentence(fault: FaultKind, name: &str) -> String {
    match fault {
        FaultKind::Partition => t!(mark::partition, name = name),
        FaultKind::Slow => t!(mark::slow, name = name),
        FaultKind::Join => t!(mark::joined, node = name),
        FaultKind::Leave => t!(mark::leave, name = name),
        FaultKind::Shutdown => t!(mark::shutdown, name = name),
        FaultKind::PowerOff => t!(mark::power_off, name = name),
        FaultKind::CrashKubelet => t!(mark::crash_kubelet, name = name),
        FaultKind::CrashRuntime => t!(mark::crash_runtime, name = name),
        FaultKind::Crash(process) => t!(mark::crash, component = process.as_str()),
        FaultKind::Second(process) => t!(mark::second, component = process.as_str()),
        FaultKind::EtcdDown => t!(mark::etcd_down),
        FaultKind::Exit => t!(mark::exit, name = name),
        FaultKind::Sandbox => t!(mark::sandbox, name = name),
        FaultKind::Detach => t!(mark::detach, name = name),
        FaultKind::Fence(_) => t!(mark::fenced, node = name),
        FaultKind::Device => t!(mark::device, name = name),
        FaultKind::CrashDriver => t!(mark::crash_driver, name = name),
    }
}

/// Formats a sentence about the end of a fault, without a full stop.
fn repair_sentence(fault: FaultKind, name: &str) -> String {
    match fault {
        FaultKind::PowerOff => t!(mark::power_on, name = name),
        FaultKind::Slow => t!(mark::not_slow, name = name),
        FaultKind::EtcdDown => t!(mark::etcd_up),
        FaultKind::Crash(process) => t!(mark::component_starts, component = process.as_str()),
        FaultKind::Second(process) => t!(mark::second_gone, component = process.as_str()),
        FaultKind::CrashKubelet => t!(mark::kubelet_starts, name = name),
        FaultKind::CrashRuntime => t!(mark::runtime_starts, name = name),
        FaultKind::Fence(_) => t!(mark::unfenced, node = name),
        FaultKind::Device => t!(mark::device_back, name = name),
        FaultKind::CrashDriver => t!(mark::driver_starts, name = name),
        FaultKind::Partition
        | FaultKind::Join
        | FaultKind::Leave
        | FaultKind::Shutdown
        | FaultKind::Exit
        | FaultKind::Sandbox
        | FaultKind::Detach => t!(mark::healed, name = name),
    }
}

fn cut_label(node: &str, from: Option<&CutFrom>, is_in: bool, is_out: bool) -> String {
    let lost = match (is_in, is_out) {
        (true, false) => "incoming",
        (false, true) => "outgoing",
        _ => "both",
    };
    match from {
        None => t!(mark::cut, node = node, lost = lost),
        Some(from) => t!(mark::cut_from, node = node, from = other_end_of_cut(from), lost = lost),
    }
}

fn requests_label(service: &str, per_second: i64, failing: i64) -> String {
    let per_second = Thousandths(per_second);
    match failing {
        0 => format!("{service} {per_second}/s"),
        failing => t!(
            mark::requests_failing,
            service = service,
            per_second = per_second,
            failing = Thousandths(failing)
        ),
    }
}

impl fmt::Display for MarkLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fault {
                fault: fault @ (FaultKind::Join | FaultKind::Fence(_)),
                name,
            } => f.write_str(&fault_sentence(*fault, name)),
            Self::Fault { fault, name } if name.is_empty() => write!(f, "{fault}"),
            Self::Fault { fault, name } => write!(f, "{fault} {name}"),
            Self::Cut {
                node,
                from,
                is_in,
                is_out,
            } => f.write_str(&cut_label(node, from.as_ref(), *is_in, *is_out)),
            Self::Cordoned { node, is_on: true } => f.write_str(&t!(mark::cordoned, node = node)),
            Self::Cordoned { node, .. } => f.write_str(&t!(mark::uncordoned, node = node)),
            Self::Evicted { pod, by } => f.write_str(&by.eviction_sentence(pod)),
            Self::Exited {
                pod,
                container,
                is_out_of_memory: true,
                ..
            } => f.write_str(&t!(mark::out_of_memory, pod = pod, container = container)),
            Self::Exited {
                pod, container, code, ..
            } => f.write_str(&t!(mark::exited, pod = pod, container = container, code = code)),
            Self::Restarted { pod, container } => f.write_str(&t!(mark::restarted, pod = pod, container = container)),
            Self::Healed { fault, name } => f.write_str(&repair_sentence(*fault, name)),
            Self::Corrupted { volume } => f.write_str(&t!(mark::corrupted, volume = volume)),
            Self::Written(text) | Self::Marked(text) => f.write_str(text),
            Self::Given { command, objects, more } => {
                let objects = listed(objects);
                match more {
                    0 => write!(f, "{command}: {objects}"),
                    _ => f.write_str(&t!(
                        mark::given_more,
                        command = command,
                        objects = objects,
                        more = *more
                    )),
                }
            }
            Self::Bound { pod, node } => write!(f, "{pod} → {node}"),
            Self::NoNode { pod } => f.write_str(&t!(mark::no_node, pod = pod)),
            Self::Nominated { pod, node } => f.write_str(&t!(mark::nominated, pod = pod, node = node)),
            Self::Preempted { pod } => f.write_str(&t!(mark::preempted, pod = pod)),
            Self::Container { pod, container } => write!(f, "{pod}/{container}"),
            Self::Condition { node, condition } => write!(f, "{node} {condition}"),
            Self::Tainted { node, key, effect } => {
                f.write_str(&t!(mark::tainted, node = node, taint = format_args!("{key}:{effect}")))
            }
            Self::Untainted { node, key } => f.write_str(&t!(mark::untainted, node = node, key = key)),
            Self::Broken { invariant, name, .. } if name.is_empty() => f.write_str(invariant),
            Self::Broken {
                invariant,
                name,
                at_once: 0,
            } => write!(f, "{invariant}: {name}"),
            Self::Broken {
                invariant,
                name,
                at_once,
            } => write!(f, "{invariant}: {at_once} × {name}"),
            Self::Requests {
                service,
                per_second,
                failing,
            } => f.write_str(&requests_label(service, *per_second, *failing)),
            Self::RequestsFailed(failed) => failed.fmt(f),
        }
    }
}
