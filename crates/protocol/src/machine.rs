//! The machine under a node, and where it and the API server differ.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Micros, clock};

/// The machine under a node, as it really is.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MachineView {
    /// Whether there is a machine at all (F-05).
    pub exists: bool,
    /// Power.
    pub powered: bool,
    /// Whether the kubelet runs.
    pub kubelet: bool,
    /// Whether the container runtime runs.
    pub runtime: bool,
    /// What it is cut off from.
    pub cuts: Vec<Cut>,
    /// What fences it off; empty if nothing does.
    pub fenced: Vec<Fence>,
    /// UIDs of the pods of which a process runs, those that the API has forgotten included.
    pub running: Vec<String>,
    /// Last heartbeat the API has seen of a node that is dark or not ready; none of the others. That of a dump
    /// may lie before the beginning.
    pub last_heartbeat: Option<Micros>,
    /// Where API and machine differ; empty where they agree (U-02).
    pub differs: Vec<Difference>,
}

/// What a machine is cut off from, and which way. Not both ways are open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cut {
    /// The other end.
    pub from: CutFrom,
    /// Whether what is sent to the machine is lost.
    pub is_in: bool,
    /// Whether what the machine sends is lost.
    pub is_out: bool,
}

/// The other end of a cut.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum CutFrom {
    ControlPlane,
    /// The storage servers.
    Storage,
    /// All other nodes, or all outside its zone.
    Nodes,
    /// That node alone.
    Node(String),
}

/// What keeps a machine from its volumes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Fence {
    /// The storage servers refuse it.
    Storage,
    /// It is isolated from every network.
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

/// A difference between what the API server has and what is on a machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Difference {
    /// There is a Node object, but no machine.
    NoMachine { node: String },
    /// The machine is off.
    NoPower {
        node: String,
        /// Pods that the API server still lists on it.
        listed: usize,
    },
    /// Nothing is heard of its kubelet.
    Dark {
        node: String,
        /// Whether it runs at all; else it is cut off.
        is_kubelet_down: bool,
        /// Whole seconds since the last heartbeat; none before the first.
        silent: Option<i64>,
    },
    /// Nothing is heard of a machine whose Node object is gone, or which never had one.
    Unknown {
        node: String,
        /// Whether its kubelet runs at all; else it is cut off.
        is_kubelet_down: bool,
    },
    /// What the control plane sends is lost, what the kubelet sends arrives.
    Deaf { node: String },
    /// The container runtime does not answer.
    NoRuntime { node: String },
    /// Storage refuses it.
    StorageRefused { node: String },
    /// A process runs of a pod that the API has forgotten.
    Ghost {
        /// `NAMESPACE/NAME`.
        pod: String,
    },
}

/// Why nothing is heard.
const fn silence(is_kubelet_down: bool) -> &'static str {
    if is_kubelet_down {
        "its kubelet does not run"
    } else {
        "cut off"
    }
}

impl MachineView {
    /// What is lost between it and the control plane: what is sent to it, and what it sends.
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
    /// What of it the machine itself shows, which knows nothing of the API server; none if nothing.
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
    /// What is, then what it means.
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
