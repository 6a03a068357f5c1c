//! The machine under a node, and its differences to the API server's view.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Micros, clock};

/// True state of the machine under a node.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MachineView {
    /// A machine exists for the node (F-05).
    pub exists: bool,
    /// The machine has power.
    pub powered: bool,
    /// The kubelet runs.
    pub kubelet: bool,
    /// The container runtime runs.
    pub runtime: bool,
    /// Network links of the machine that are cut.
    pub cuts: Vec<Cut>,
    /// Active fences of the machine.
    pub fenced: Vec<Fence>,
    /// UIDs of the pods with a running process, including pods that the API server no longer has.
    pub running: Vec<String>,
    /// Last heartbeat that the API server received, for a node that is unreachable or not ready; else `None`. Negative if a
    /// dump's heartbeat precedes the start.
    pub last_heartbeat: Option<Micros>,
    /// Differences between the API server's view and the machine (U-02).
    pub differs: Vec<Difference>,
}

/// A cut between a machine and something else, in at least one direction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cut {
    pub from: CutFrom,
    /// Messages to the machine are lost.
    pub is_in: bool,
    /// Messages from the machine are lost.
    pub is_out: bool,
}

/// The other end of a cut.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum CutFrom {
    ControlPlane,
    /// The storage servers.
    Storage,
    /// All other nodes, or all nodes of other zones.
    Nodes,
    /// A single node.
    Node(String),
}

/// A fence that prevents a machine from writing to its volumes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Fence {
    /// The storage servers reject the machine.
    Storage,
    /// The machine is isolated from every network.
    Network,
}

impl fmt::Display for Fence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Storage => "Fenced by storage.",
            Self::Network => "Fenced by network.",
        })
    }
}

/// A difference between the API server's view and the state of a machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Difference {
    /// A Node object exists, but no machine.
    NoMachine { node: String },
    /// The machine has no power.
    NoPower {
        node: String,
        /// Number of pods that the API server still lists on the node.
        listed: usize,
    },
    /// The kubelet sends no heartbeats.
    Dark {
        node: String,
        /// The kubelet does not run; otherwise it is cut off.
        is_kubelet_down: bool,
        /// Whole seconds since the last heartbeat; `None` before the first one.
        silent: Option<i64>,
    },
    /// The kubelet of a machine without Node object is not heard: the object was deleted or never existed.
    Unknown {
        node: String,
        /// The kubelet does not run; otherwise it is cut off.
        is_kubelet_down: bool,
    },
    /// Messages from the control plane are lost, those from the kubelet arrive.
    Deaf { node: String },
    /// The container runtime does not answer.
    NoRuntime { node: String },
    /// The storage servers reject the machine.
    StorageRefused { node: String },
    /// A process runs whose pod the API server no longer has.
    Ghost {
        /// `NAMESPACE/NAME`.
        pod: String,
    },
}

/// The reason why no heartbeats arrive.
const fn silence(is_kubelet_down: bool) -> &'static str {
    if is_kubelet_down {
        "its kubelet does not run"
    } else {
        "cut off"
    }
}

impl MachineView {
    /// Whether messages between machine and control plane are lost: (to the machine, from the machine).
    #[must_use]
    pub fn lost(&self) -> (bool, bool) {
        let is_fenced = self.fenced.contains(&Fence::Network);
        let mut cuts = self.cuts.iter().filter(|cut| cut.from == CutFrom::ControlPlane);
        cuts.next()
            .map_or((is_fenced, is_fenced), |cut| (cut.is_in, cut.is_out))
    }
}

impl fmt::Display for CutFrom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ControlPlane => "the control plane",
            Self::Storage => "storage",
            Self::Nodes => "other nodes",
            Self::Node(name) => name,
        })
    }
}

impl Difference {
    /// The part of the difference that the machine itself can show, without knowledge of the API server; `None` if there is
    /// none.
    #[must_use]
    pub fn on_machine(&self) -> Option<String> {
        match self {
            Self::NoMachine { .. } | Self::Ghost { .. } => None,
            Self::NoPower { node, .. } => {
                let node = node.clone();
                Some(Self::NoPower { node, listed: 0 }.to_string())
            }
            Self::Dark {
                node, is_kubelet_down, ..
            }
            | Self::Unknown { node, is_kubelet_down } => Some(format!("{node}: {}.", silence(*is_kubelet_down))),
            Self::Deaf { node } => Some(format!("{node}: what is sent to it is lost, what it sends arrives.")),
            Self::NoRuntime { .. } | Self::StorageRefused { .. } => Some(self.to_string()),
        }
    }
}

impl fmt::Display for Difference {
    /// The fact, followed by its meaning.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoMachine { node } => write!(f, "{node}: there is a Node object, but no machine."),
            Self::NoPower { node, listed } => {
                write!(f, "{node} has no power: nothing runs here.")?;
                match listed {
                    0 => Ok(()),
                    1 => f.write_str(" The API server still lists a pod on it."),
                    _ => write!(f, " The API server still lists {listed} pods on it."),
                }
            }
            Self::Dark {
                node,
                is_kubelet_down,
                silent,
            } => {
                write!(f, "{node}: {}, no heartbeat ", silence(*is_kubelet_down))?;
                match silent {
                    Some(seconds) => write!(f, "for {}", clock::length(*seconds))?,
                    None => f.write_str("yet")?,
                }
                f.write_str(". The API server cannot know whether its pods still run.")
            }
            Self::Unknown { node, is_kubelet_down } => {
                let why = silence(*is_kubelet_down);
                write!(
                    f,
                    "{node}: {why}. The API server has no Node object of it and asks nothing."
                )
            }
            Self::Deaf { node } => write!(
                f,
                "{node}: what is sent to it is lost, its heartbeats arrive. It does not hear of new pods and deletions."
            ),
            Self::NoRuntime { node } => {
                write!(f, "{node}: the container runtime does not answer; containers run on.")
            }
            Self::StorageRefused { node } => write!(
                f,
                "{node}: storage refuses it; its processes can no longer write to shared volumes."
            ),
            Self::Ghost { pod } => write!(f, "{pod} still runs here, but the API has forgotten it."),
        }
    }
}
