//! Sentences and labels of the inspector for one subject: summary, subtitle, container states, volumes.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{BrokenInvariant, Difference, FailedStretch, Micros, clock};

/// The line below the name of the inspected subject.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Subtitle {
    Pod {
        namespace: String,
        priority: i32,
    },
    /// The pod no longer exists, and no process of it runs.
    Gone,
    /// The pod no longer exists, but a process of it runs.
    Ghost {
        node: String,
    },
    /// For a node: its zone; empty without a zone.
    Zone(String),
    /// There is or was a machine, but no Node object.
    NoNode,
    /// For any other object: its kind.
    Kind(String),
    /// For an invariant.
    Invariant,
    /// Preliminary information before the detail arrives: namespace, owner, node. Empty parts are omitted.
    Known([String; 3]),
    /// For failed requests.
    FailedRequests,
}

impl Default for Subtitle {
    fn default() -> Self {
        Self::Zone(String::new())
    }
}

impl fmt::Display for Subtitle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pod { namespace, priority } => write!(f, "{namespace} · priority {priority}"),
            Self::Gone => f.write_str("gone"),
            Self::Ghost { node } => write!(f, "ghost on {node}"),
            Self::Zone(zone) if zone.is_empty() => Ok(()),
            Self::Zone(zone) => write!(f, "zone {zone}"),
            Self::NoNode => f.write_str("no Node object"),
            Self::Kind(kind) => f.write_str(kind),
            Self::Invariant => f.write_str("invariant"),
            Self::FailedRequests => f.write_str("failed requests"),
            Self::Known(parts) => {
                let known: Vec<&str> = parts
                    .iter()
                    .map(String::as_str)
                    .filter(|part| !part.is_empty())
                    .collect();
                f.write_str(&known.join(" · "))
            }
        }
    }
}

/// State of the inspected subject and its meaning, in one or two sentences.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub enum Summary {
    /// No text.
    #[default]
    Nothing,
    /// A pod is terminating.
    Terminating {
        cause: DeletionCause,
        /// The node of the pod is unreachable.
        is_dark: bool,
    },
    /// A pod has no node. The scheduler's message is shown with its decision.
    Unbound,
    /// The node of a pod is unreachable.
    LastHeard {
        /// The pod's status as kubectl prints it.
        status: String,
        node: String,
    },
    /// A pod is bound to a node.
    Bound {
        /// The pod's status as kubectl prints it.
        status: String,
        node: String,
        /// Number of ready containers.
        ready: usize,
        /// Number of all containers.
        containers: usize,
    },
    /// A pod no longer exists, and no process of it runs.
    GonePod {
        /// `NAMESPACE/NAME`.
        pod: String,
    },
    /// A pod no longer exists, but a process of it runs.
    GhostPod {
        /// `NAMESPACE/NAME`.
        pod: String,
        node: String,
    },
    /// The API server's view of a node matches its machine.
    Agrees {
        /// Status of the node as kubectl prints it.
        status: String,
    },
    /// The API server's view of a node differs from its machine.
    Differs(Vec<Difference>),
    /// A machine has no Node object.
    MachineAlone {
        /// Name of the machine.
        node: String,
        /// Further differences.
        differs: Vec<Difference>,
    },
    /// There is neither a machine nor a Node object.
    GoneNode {
        /// Name of the node.
        node: String,
    },
    /// Another object no longer exists.
    GoneObject {
        kind: String,
        /// `NAMESPACE/NAME` or name.
        key: String,
    },
    /// An invariant holds.
    Holds {
        /// Name of the invariant.
        invariant: String,
    },
    /// An invariant was violated; holds the first violation.
    Broken(BrokenInvariant),
    /// Requests that failed, and why; `None` before the first failure.
    FailedRequests(Option<Box<FailedStretch>>),
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => Ok(()),
            Self::Terminating { cause, is_dark } => {
                write!(f, "Being terminated: {cause}.")?;
                match is_dark {
                    true => f.write_str(" Its node cannot be reached, so nobody can confirm that its processes ended."),
                    false => Ok(()),
                }
            }
            Self::Unbound => f.write_str("Not bound to a node yet."),
            Self::LastHeard { status, node } => write!(
                f,
                "The API says {status}, but {node} cannot be reached: this is the last that was heard."
            ),
            Self::Bound {
                status,
                node,
                ready,
                containers,
            } => write!(f, "{status} on {node}, {ready}/{containers} containers ready."),
            Self::GonePod { pod } => {
                write!(f, "{pod} is gone: the API has no such pod, and no process of it runs.")
            }
            Self::GhostPod { pod, node } => write!(
                f,
                "{pod} still runs on {node}, but the API has forgotten it. Its kubelet will end it when it hears of the deletion."
            ),
            Self::Agrees { status } => write!(f, "{status}. API and machine agree."),
            Self::Differs(differs) => f.write_str(&joined(differs)),
            Self::MachineAlone { node, differs } => write!(
                f,
                "There is a machine {node}, but the API has no Node for it. {}",
                joined(differs)
            ),
            Self::GoneNode { node } => write!(f, "{node} is gone."),
            Self::GoneObject { kind, key } => write!(f, "The API has no {kind} {key}."),
            Self::Holds { invariant } => write!(f, "{invariant} holds."),
            Self::Broken(broken) => f.write_str(&broken.sentence()),
            Self::FailedRequests(Some(failed)) => write!(f, "{}.", failed.sentence()),
            Self::FailedRequests(None) => f.write_str("No request has failed yet."),
        }
    }
}

fn joined(differs: &[Difference]) -> String {
    let all: Vec<String> = differs.iter().map(ToString::to_string).collect();
    all.join(" ")
}

/// The reason why a pod is being deleted (C-09).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum DeletionCause {
    /// A deletion request.
    Request,
    Preemption,
    /// A NoExecute taint of the node.
    Taint,
    /// An eviction through the API.
    Eviction,
    /// The pod garbage collector, because the node no longer exists.
    NodeGone,
    /// The kubelet, because of node pressure.
    Pressure,
    /// Another reason of the pod's DisruptionTarget condition.
    Other(String),
}

impl fmt::Display for DeletionCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Request => "deleted by request",
            Self::Preemption => "preempted by a pod of higher priority",
            Self::Taint => "its node has a NoExecute taint that it does not tolerate",
            Self::Eviction => "evicted by a drain or another voluntary disruption",
            Self::NodeGone => "its node is gone: removed by the pod garbage collector",
            Self::Pressure => "evicted by its kubelet: the node is under pressure",
            Self::Other(reason) => reason,
        })
    }
}

/// Kind of a container in its pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum ContainerRole {
    /// An ordinary container.
    #[default]
    App,
    /// An init container, which ends before the ordinary containers start.
    Init,
    /// A restartable init container, which starts before the ordinary containers and runs beside them.
    Sidecar,
}

/// State of a container according to the API.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum ContainerState {
    /// The pod no longer exists.
    Forgotten,
    /// No status was reported yet.
    #[default]
    NoStatus,
    /// Waiting, with the reported reason.
    Waiting(Option<String>),
    Running,
    /// Terminated.
    Ended {
        reason: String,
        exit_code: i32,
    },
}

impl fmt::Display for ContainerState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Forgotten => f.write_str("unknown to the API"),
            Self::NoStatus => f.write_str("no status yet"),
            Self::Waiting(None) => f.write_str("waiting"),
            Self::Waiting(Some(reason)) => write!(f, "waiting: {reason}"),
            Self::Running => f.write_str("running"),
            Self::Ended { reason, exit_code } => write!(f, "ended: {reason}, exit code {exit_code}"),
        }
    }
}

/// A process on the machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessView {
    /// Start time of the process.
    pub since: Micros,
    /// Signals that the process received, oldest first.
    pub signals: Vec<String>,
}

impl fmt::Display for ProcessView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "runs since {}", clock::instant(self.since))?;
        match self.signals.as_slice() {
            [] => Ok(()),
            signals => write!(f, ", received {}", signals.join(", ")),
        }
    }
}

/// Data that a container has written into an emptyDir.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WrittenView {
    /// Amount of data, as a quantity.
    pub size: String,
    /// Name of the container.
    pub container: String,
    /// Start time of the first container of that name that wrote the data.
    pub since: Micros,
}

impl fmt::Display for WrittenView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let since = clock::instant(self.since);
        write!(f, "{} by {} since {since}", self.size, self.container)
    }
}

/// Kind and content of a volume.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum VolumeView {
    /// A PersistentVolumeClaim, by name.
    Claim(String),
    /// An emptyDir, with its data on the machine.
    Scratch(Vec<WrittenView>),
    /// A ConfigMap, by name.
    ConfigMap(String),
    /// A Secret, by name.
    Secret(String),
    /// An NFS share.
    Nfs,
    /// A directory of the node.
    HostPath,
    /// Any other kind of volume.
    Other,
    /// A volume that is attached to the node.
    Attached,
}

impl fmt::Display for VolumeView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Claim(name) => write!(f, "claim {name}"),
            Self::Scratch(written) => {
                f.write_str("scratch space that lives as long as the pod")?;
                for (at, one) in written.iter().enumerate() {
                    let before = if at == 0 { ": " } else { ", " };
                    write!(f, "{before}{one}")?;
                }
                Ok(())
            }
            Self::ConfigMap(name) => write!(f, "ConfigMap {name}"),
            Self::Secret(name) => write!(f, "Secret {name}"),
            Self::Nfs => f.write_str("NFS: does not keep a second writer out"),
            Self::HostPath => f.write_str("a directory of the node"),
            Self::Other => f.write_str("volume"),
            Self::Attached => f.write_str("attached"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MarkLabel;

    #[test]
    fn messages_with_arguments_format_as_sentences() {
        let text = str::to_owned;
        let dark = |is_kubelet_down, silent| Difference::Dark {
            node: text("a-1"),
            is_kubelet_down,
            silent,
        };
        let ghost = Difference::Ghost { pod: text("default/w") };
        let summary = Summary::MachineAlone {
            node: text("a-1"),
            differs: vec![dark(false, Some(130)), ghost],
        };
        let twice = MarkLabel::Broken {
            invariant: text("at-most-one"),
            name: text("w"),
            at_once: 2,
        };
        let formatted = [
            summary.to_string(),
            dark(true, None).to_string(),
            Summary::Terminating {
                cause: DeletionCause::Preemption,
                is_dark: true,
            }
            .to_string(),
            Subtitle::Known([text("default"), String::new(), text("a-1")]).to_string(),
            ProcessView {
                since: 65_000_000,
                signals: vec![text("SIGTERM"), text("SIGKILL")],
            }
            .to_string(),
            twice.to_string(),
        ];
        let want = [
            "There is a machine a-1, but the API has no Node for it. a-1: cut off, no heartbeat for 2 min. The API \
             server cannot know whether its pods still run. default/w still runs here, but the API has forgotten it.",
            "a-1: its kubelet does not run, no heartbeat yet. The API server cannot know whether its pods still run.",
            "Being terminated: preempted by a pod of higher priority. Its node cannot be reached, so nobody can confirm \
             that its processes ended.",
            "default · a-1",
            "runs since 1:05.0, received SIGTERM, SIGKILL",
            "at-most-one: 2 × w",
        ];
        assert_eq!(formatted, want);
    }
}
