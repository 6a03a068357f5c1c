//! Sentences and labels of the inspector about the inspected subject: summary, subtitle, container states, volumes.

use std::fmt;

use podscope_messages::{listed, t};
use serde::{Deserialize, Serialize};

use crate::{BrokenInvariant, FailedStretch, MachineDifference, Micros, clock};

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
    /// For a node: its zone; empty if it has none.
    Zone(String),
    /// There is or was a machine, but no Node object.
    NoNode,
    /// For any other object: its kind.
    Kind(String),
    /// The inspected subject is an invariant.
    Invariant,
    /// Namespace, owner and node, as far as the page knows them before the engine sends the detail. Empty parts are not
    /// displayed.
    Known([String; 3]),
    /// The inspected subject is a group of failed requests.
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
            Self::Pod { namespace, priority } => f.write_str(&t!(
                summary::namespace_and_priority,
                namespace = namespace,
                priority = priority
            )),
            Self::Gone => f.write_str(&t!(summary::gone)),
            Self::Ghost { node } => f.write_str(&t!(summary::ghost, node = node)),
            Self::Zone(zone) if zone.is_empty() => Ok(()),
            Self::Zone(zone) => f.write_str(&t!(summary::zone, zone = zone)),
            Self::NoNode => f.write_str(&t!(summary::no_node)),
            Self::Kind(kind) => f.write_str(kind),
            Self::Invariant => f.write_str(&t!(summary::invariant)),
            Self::FailedRequests => f.write_str(&t!(summary::failed_requests)),
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

/// The state of the inspected subject and what it means, in one or two sentences.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub enum Summary {
    /// There is nothing to say about the subject.
    #[default]
    Nothing,
    /// A pod is terminating.
    Terminating {
        cause: DeletionCause,
        /// Whether the node of the pod is unreachable.
        is_dark: bool,
    },
    /// A pod has no node. The message of the scheduler is shown with its decision.
    Unbound,
    /// The node of a pod is unreachable; only the last reported status of the pod is known.
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
    /// A pod no longer exists, and none of its processes run.
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
    /// The API server's view of a node matches the state of its machine.
    Agrees {
        /// Status of the node as kubectl prints it.
        status: String,
    },
    /// The API server's view of a node differs from the state of its machine.
    Differs(Vec<MachineDifference>),
    /// A machine has no Node object.
    MachineAlone {
        /// Name of the machine.
        node: String,
        /// Other differences between the machine and what the API server knows of it.
        differs: Vec<MachineDifference>,
    },
    /// There is neither a machine nor a Node object.
    GoneNode {
        /// Name of the node.
        node: String,
    },
    /// The object, which is neither a pod nor a node, no longer exists.
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
            Self::Terminating { cause, is_dark: false } => f.write_str(&t!(summary::terminating, cause = cause)),
            Self::Terminating { cause, is_dark: true } => {
                f.write_str(&t!(summary::terminating_unconfirmed, cause = cause))
            }
            Self::Unbound => f.write_str(&t!(summary::unbound)),
            Self::LastHeard { status, node } => f.write_str(&t!(summary::last_heard, status = status, node = node)),
            Self::Bound {
                status,
                node,
                ready,
                containers,
            } => f.write_str(&t!(
                summary::bound,
                status = status,
                node = node,
                ready = ready,
                containers = *containers
            )),
            Self::GonePod { pod } => f.write_str(&t!(summary::gone_pod, pod = pod)),
            Self::GhostPod { pod, node } => f.write_str(&t!(summary::ghost_pod, pod = pod, node = node)),
            Self::Agrees { status } => f.write_str(&t!(summary::agrees, status = status)),
            Self::Differs(differs) => f.write_str(&join_differences(differs)),
            Self::MachineAlone { node, differs } => {
                write!(
                    f,
                    "{} {}",
                    t!(summary::machine_alone, node = node),
                    join_differences(differs)
                )
            }
            Self::GoneNode { node } => f.write_str(&t!(summary::gone_node, node = node)),
            Self::GoneObject { kind, key } => f.write_str(&t!(summary::gone_object, kind = kind, key = key)),
            Self::Holds { invariant } => f.write_str(&t!(summary::holds, invariant = invariant)),
            Self::Broken(broken) => f.write_str(&broken.sentence()),
            Self::FailedRequests(Some(failed)) => {
                f.write_str(&t!(summary::requests_failed, sentence = failed.sentence()))
            }
            Self::FailedRequests(None) => f.write_str(&t!(summary::no_request_failed)),
        }
    }
}

fn join_differences(differs: &[MachineDifference]) -> String {
    let all: Vec<String> = differs.iter().map(ToString::to_string).collect();
    all.join(" ")
}

/// The reason why a pod is being deleted (C-09).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum DeletionCause {
    /// A client requested the deletion.
    Request,
    Preemption,
    /// A NoExecute taint of the node evicted the pod.
    Taint,
    /// A client evicted the pod through the eviction API.
    Eviction,
    /// The pod garbage collector deleted the pod, because its node no longer exists.
    NodeGone,
    /// The kubelet evicted the pod because of node pressure.
    Pressure,
    /// Any other cause: the reason of the pod's DisruptionTarget condition.
    Other(String),
}

impl fmt::Display for DeletionCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Request => f.write_str(&t!(summary::deleted_by_request)),
            Self::Preemption => f.write_str(&t!(summary::preempted)),
            Self::Taint => f.write_str(&t!(summary::tainted)),
            Self::Eviction => f.write_str(&t!(summary::evicted)),
            Self::NodeGone => f.write_str(&t!(summary::node_gone)),
            Self::Pressure => f.write_str(&t!(summary::node_pressure)),
            Self::Other(reason) => f.write_str(reason),
        }
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
    /// The pod of the container no longer exists.
    Forgotten,
    /// The kubelet has not reported a status of the container yet.
    #[default]
    NoStatus,
    /// The container waits, with the reported reason.
    Waiting(Option<String>),
    Running,
    /// The container has terminated.
    Ended {
        reason: String,
        exit_code: i32,
    },
}

impl fmt::Display for ContainerState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Forgotten => f.write_str(&t!(summary::unknown_to_api)),
            Self::NoStatus => f.write_str(&t!(summary::no_status)),
            Self::Waiting(None) => f.write_str(&t!(summary::waiting)),
            Self::Waiting(Some(reason)) => f.write_str(&t!(summary::waiting_because, reason = reason)),
            Self::Running => f.write_str(&t!(summary::running)),
            Self::Ended { reason, exit_code } => f.write_str(&t!(summary::ended, reason = reason, code = exit_code)),
        }
    }
}

/// A container's process on the machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessView {
    /// Start time of the process.
    pub since: Micros,
    /// Signals that the process received, oldest first.
    pub signals: Vec<String>,
}

impl fmt::Display for ProcessView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let since = clock::instant(self.since);
        f.write_str(&match self.signals.as_slice() {
            [] => t!(summary::runs_since, since = since),
            signals => t!(
                summary::runs_since_with_signals,
                since = since,
                signals = listed(signals)
            ),
        })
    }
}

/// Data that a container has written into an emptyDir.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EmptyDirDataView {
    /// Amount of written data, as a quantity.
    pub size: String,
    /// Name of the container.
    pub container: String,
    /// Start time of the first container with this name that wrote the data.
    pub since: Micros,
}

impl fmt::Display for EmptyDirDataView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let since = clock::instant(self.since);
        f.write_str(&t!(
            summary::written,
            size = self.size,
            container = self.container,
            since = since
        ))
    }
}

/// Kind and content of a volume.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum VolumeView {
    /// A PersistentVolumeClaim, by name.
    Claim(String),
    /// An emptyDir, with its data on the machine.
    Scratch(Vec<EmptyDirDataView>),
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
            Self::Claim(name) => f.write_str(&t!(summary::claim, name = name)),
            Self::Scratch(written) if written.is_empty() => f.write_str(&t!(summary::scratch)),
            Self::Scratch(written) => {
                let written: Vec<String> = written.iter().map(ToString::to_string).collect();
                f.write_str(&t!(summary::scratch_with_data, written = listed(written)))
            }
            Self::ConfigMap(name) => write!(f, "ConfigMap {name}"),
            Self::Secret(name) => write!(f, "Secret {name}"),
            Self::Nfs => f.write_str(&t!(summary::nfs)),
            Self::HostPath => f.write_str(&t!(summary::host_path)),
            Self::Other => f.write_str(&t!(summary::volume)),
            Self::Attached => f.write_str(&t!(summary::attached)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MarkLabel;

    #[test]
    fn summaries_with_arguments_are_formatted_as_sentences() {
        let text = str::to_owned;
        let dark = |is_kubelet_down, silent| MachineDifference::Dark {
            node: text("a-1"),
            is_kubelet_down,
            silent,
        };
        let ghost = MachineDifference::Ghost { pod: text("default/w") };
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
