//! The marks of the timeline, and what is said on them.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Component, CutFrom, FailedStretch, Micros, SubjectRef, Thousandths};

/// A lane of the timeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Lane {
    #[default]
    Faults,
    Commands,
    /// Scheduling decisions.
    Decisions,
    /// Terminations, a bar per container and stage.
    Terminations,
    Invariants,
    /// Requests to Services: rates, and stretches of failures.
    Requests,
}

/// A mark or bar on the timeline.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Mark {
    /// Unique on this branch.
    pub id: u64,
    pub lane: Lane,
    /// Start.
    pub from: Micros,
    /// End; equal to `from` for a point, none while it lasts.
    pub to: Option<Micros>,
    /// What it stands for.
    pub kind: MarkKind,
    /// What is said on or beside it.
    pub label: MarkLabel,
    /// What selecting it selects.
    pub subject: Option<SubjectRef>,
}

/// What a mark stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum MarkKind {
    /// A cut of links.
    #[default]
    Cut,
    /// Another fault.
    Fault,
    /// The end of a fault.
    Healed,
    /// A node was fenced.
    Fenced,
    /// A volume has two writers.
    Corrupted,
    Command,
    /// A command that was refused.
    Refused,
    /// A pod got a node.
    Bound,
    /// No node fits.
    Failed,
    /// A pod was nominated to a node.
    Nominated,
    /// A pod has to end for another one.
    Preempted,
    /// A preStop hook runs.
    PreStop,
    /// The stop signal was sent.
    Sigterm,
    /// SIGKILL was sent.
    Killed,
    /// An invariant broke.
    Broken,
    /// An expectation held.
    Expected,
    /// An expectation failed.
    Unexpected,
    /// A node that is not ready, or under pressure, as long as the API server knows it so.
    NotReady,
    /// A pod is evicted, or removed with its node.
    Evicted,
    /// A container failed by itself.
    Exited,
    /// A container runs again.
    Restarted,
    /// Requests to a Service, all of which are answered.
    Requests,
    /// Requests to a Service, some of which fail.
    RequestsFailing,
    /// A stretch of failures.
    RequestsFailed,
}

/// What is said on a mark.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum MarkLabel {
    /// A fault, and whom it strikes; nobody if that is empty.
    Fault {
        fault: FaultView,
        /// A node, a pod or a volume.
        name: String,
    },
    /// Links of a node are cut.
    Cut {
        node: String,
        /// From what; none if from everything.
        from: Option<CutFrom>,
        /// Whether what is sent to it is lost.
        is_in: bool,
        /// Whether what it sends is lost.
        is_out: bool,
    },
    /// A machine comes.
    Joined { node: String },
    /// A node takes no new pods, or takes them again.
    Cordoned {
        node: String,
        /// Whether it takes none.
        is_on: bool,
    },
    /// A pod is evicted, or removed with its node.
    Evicted {
        pod: String,
        /// By whom.
        by: Evictor,
    },
    /// A container failed by itself.
    Exited {
        pod: String,
        /// Its name.
        container: String,
        /// Its exit code.
        code: i32,
        /// The kernel ended it for want of memory.
        is_out_of_memory: bool,
    },
    /// A container runs again.
    Restarted {
        pod: String,
        /// Its name.
        container: String,
    },
    /// A fault is over, of that one if it has a name.
    Healed {
        fault: FaultView,
        /// A node, a pod or a volume.
        name: String,
    },
    /// A node was fenced.
    Fenced { node: String },
    /// A node is no longer fenced.
    Unfenced { node: String },
    /// Two wrote to a volume.
    Corrupted { volume: String },
    /// What a person wrote: a command, an expectation.
    Written(String),
    /// A command whose effect has a mark of its own.
    Marked(String),
    /// A command that was given manifests.
    Given {
        /// `kubectl apply`.
        command: String,
        /// The first objects, as `Deployment web`.
        objects: Vec<String>,
        /// How many more there are.
        more: usize,
    },
    /// A pod got a node.
    Bound { pod: String, node: String },
    /// No node fits a pod.
    NoNode { pod: String },
    /// Room is made for a pod.
    Nominated {
        pod: String,
        /// The node where.
        node: String,
    },
    /// A pod has to end for another one.
    Preempted { pod: String },
    /// A container ends.
    Container {
        pod: String,
        /// Its name.
        container: String,
    },
    /// A condition of a node is not as it should be: `NotReady`, or one of pressure.
    Condition { node: String, condition: String },
    /// Somebody tainted a node.
    Tainted {
        node: String,
        /// The taint's key.
        key: String,
        effect: String,
    },
    /// Somebody took a taint away.
    Untainted {
        node: String,
        /// The taint's key.
        key: String,
    },
    /// A guarantee is broken.
    Broken {
        invariant: String,
        /// Of what; empty if of nothing by name.
        name: String,
        /// How many of that name run at once; 0 where that is not what is broken.
        at_once: usize,
    },
    /// What is sent to a Service from now on, and how much of it fails: thousandths of a request a second.
    Requests {
        service: String,
        per_second: i64,
        failing: i64,
    },
    /// Requests failed that are alike.
    RequestsFailed(Box<FailedStretch>),
}

/// Who makes a pod leave its node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Evictor {
    /// The taint manager.
    Taint,
    /// Its kubelet, under pressure.
    Pressure,
    /// Its kubelet, because the machine shuts down.
    Shutdown,
    /// A client of the eviction API.
    Api,
    /// The pod garbage collector.
    PodGc,
}

impl fmt::Display for Evictor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Taint => "evicted: a taint of its node",
            Self::Pressure => "evicted by its kubelet: pressure on its node",
            Self::Shutdown => "ended by its kubelet: the node shuts down",
            Self::Api => "evicted through the eviction API",
            Self::PodGc => "removed by the pod garbage collector: its node is gone or out of service",
        })
    }
}

impl Default for MarkLabel {
    fn default() -> Self {
        Self::Written(String::new())
    }
}

/// A fault that has no mark of its own kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum FaultView {
    /// Links are cut; what ends is told by it, what begins by [`MarkLabel::Cut`].
    Partition,
    /// Links are slow.
    Slow,
    /// A machine goes for good.
    Leave,
    /// A machine is shut down in order.
    Shutdown,
    /// A machine loses its power.
    PowerOff,
    /// A kubelet ends.
    CrashKubelet,
    /// A container runtime ends.
    CrashRuntime,
    /// A part of the control plane ends.
    Crash(Component),
    /// A second instance of a part of the control plane believes that it leads.
    Second(Component),
    /// etcd cannot be reached.
    EtcdDown,
    /// A process exits.
    Exit,
    /// A sandbox is lost.
    Sandbox,
    /// A volume is taken from its node.
    Detach,
}

/// As the command language calls it.
impl fmt::Display for FaultView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Partition => "partition",
            Self::Slow => "slow",
            Self::Leave => "leave",
            Self::Shutdown => "shutdown",
            Self::PowerOff => "poweroff",
            Self::CrashKubelet => "crash kubelet",
            Self::CrashRuntime => "crash runtime",
            Self::Crash(component) => return write!(f, "crash {component}"),
            Self::Second(component) => return write!(f, "second {component}"),
            Self::EtcdDown => "etcd down",
            Self::Exit => "exit",
            Self::Sandbox => "sandbox",
            Self::Detach => "detach",
        })
    }
}

impl FaultView {
    /// What has happened to whom it strikes, as a sentence without its full stop.
    pub fn told(self, name: &str) -> String {
        match self {
            Self::Partition => format!("{name} is cut off"),
            Self::Slow => format!("the links of {name} are slow"),
            Self::Leave => format!("{name} is gone for good"),
            Self::Shutdown => format!("{name} shuts down"),
            Self::PowerOff => format!("{name} loses its power"),
            Self::CrashKubelet => format!("{name}: its kubelet crashes"),
            Self::CrashRuntime => format!("{name}: its container runtime crashes"),
            Self::Crash(component) => format!("{component} crashes"),
            Self::Second(component) => format!("a second {component} believes that it leads"),
            Self::EtcdDown => "etcd is down".to_owned(),
            Self::Exit => format!("{name}: a process of it exits"),
            Self::Sandbox => format!("{name} loses its sandbox"),
            Self::Detach => format!("{name} is taken from its node"),
        }
    }

    /// How it ends, as a sentence without its full stop.
    pub fn healed(self, name: &str) -> String {
        match self {
            Self::PowerOff => format!("{name} boots"),
            Self::Slow => format!("{name} is no longer slow"),
            Self::EtcdDown => "etcd is up again".to_owned(),
            Self::Crash(component) => format!("{component} starts"),
            Self::Second(component) => format!("the second {component} is gone"),
            Self::CrashKubelet => format!("{name}: its kubelet starts"),
            Self::CrashRuntime => format!("{name}: its runtime starts"),
            Self::Partition | Self::Leave | Self::Shutdown | Self::Exit | Self::Sandbox | Self::Detach => {
                format!("healed {name}")
            }
        }
    }
}

fn fmt_requests(service: &str, per_second: i64, failing: i64, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(f, "{service} {}/s", Thousandths(per_second))?;
    match failing {
        0 => Ok(()),
        failing => write!(f, " · {}/s fail", Thousandths(failing)),
    }
}

impl fmt::Display for MarkLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fault { fault, name } if name.is_empty() => write!(f, "{fault}"),
            Self::Fault { fault, name } => write!(f, "{fault} {name}"),
            Self::Cut {
                node,
                from,
                is_in,
                is_out,
            } => {
                write!(f, "partition {node}")?;
                if let Some(from) = from {
                    write!(f, " from {from}")?;
                }
                f.write_str(match (is_in, is_out) {
                    (true, false) => ", what goes to it",
                    (false, true) => ", what it sends",
                    _ => "",
                })
            }
            Self::Joined { node } => write!(f, "{node} joins"),
            Self::Cordoned { node, is_on: true } => write!(f, "{node} cordoned"),
            Self::Cordoned { node, .. } => write!(f, "{node} uncordoned"),
            Self::Evicted { pod, by } => write!(f, "{pod} {by}"),
            Self::Exited {
                pod,
                container,
                is_out_of_memory: true,
                ..
            } => write!(f, "{pod}/{container} ran out of memory"),
            Self::Exited {
                pod, container, code, ..
            } => write!(f, "{pod}/{container} exited with {code}"),
            Self::Restarted { pod, container } => write!(f, "{pod}/{container} runs again"),
            Self::Healed { fault, name } => f.write_str(&fault.healed(name)),
            Self::Fenced { node } => write!(f, "fenced {node}"),
            Self::Unfenced { node } => write!(f, "unfenced {node}"),
            Self::Corrupted { volume } => write!(f, "{volume} corrupted"),
            Self::Written(text) | Self::Marked(text) => f.write_str(text),
            Self::Given { command, objects, more } => {
                write!(f, "{command}: {}", objects.join(", "))?;
                if *more > 0 {
                    write!(f, " and {more} more")?;
                }
                Ok(())
            }
            Self::Bound { pod, node } => write!(f, "{pod} → {node}"),
            Self::NoNode { pod } => write!(f, "{pod}: no node"),
            Self::Nominated { pod, node } => write!(f, "{pod} nominated to {node}"),
            Self::Preempted { pod } => write!(f, "{pod} preempted"),
            Self::Container { pod, container } => write!(f, "{pod}/{container}"),
            Self::Condition { node, condition } => write!(f, "{node} {condition}"),
            Self::Tainted { node, key, effect } => write!(f, "{node} tainted {key}:{effect}"),
            Self::Untainted { node, key } => write!(f, "{node} no longer tainted {key}"),
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
            } => fmt_requests(service, *per_second, *failing, f),
            Self::RequestsFailed(failed) => failed.fmt(f),
        }
    }
}
