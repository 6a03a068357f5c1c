//! The machine under a node, and how its state differs from what the API server shows.

use std::fmt;

use podscope_api::fault::CutFrom;
use podscope_messages::t;
use serde::{Deserialize, Serialize};

use crate::{Micros, duration};

/// True state of the machine under a node.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MachineView {
    /// Whether a machine exists for the node (F-05).
    pub exists: bool,
    /// Whether the machine has power.
    pub powered: bool,
    /// Whether the kubelet runs.
    pub kubelet: bool,
    /// Whether the container runtime runs.
    pub runtime: bool,
    /// Network links of the machine that are cut.
    pub cuts: Vec<Cut>,
    /// Active fences of the machine.
    pub fenced: Vec<Fence>,
    /// UIDs of the pods with a running process, including pods that the API server no longer has.
    pub running: Vec<String>,
    /// Time of the last heartbeat that the API server received, if the node is unreachable or not ready; else `None`.
    /// Negative if the heartbeat is from a dump, before the start.
    pub last_heartbeat: Option<Micros>,
    /// Differences between the API server's view and the machine (U-02).
    pub differs: Vec<MachineDifference>,
}

/// A cut network link between a machine and something else, in at least one direction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cut {
    pub from: CutFrom,
    /// Whether messages to the machine are lost.
    pub is_in: bool,
    /// Whether messages from the machine are lost.
    pub is_out: bool,
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
        f.write_str(&match self {
            Self::Storage => t!(machine::fenced_by_storage),
            Self::Network => t!(machine::fenced_by_network),
        })
    }
}

/// A difference between the API server's view and the state of a machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum MachineDifference {
    /// A Node object exists, but no machine.
    NoMachine { node: String },
    /// The machine has no power.
    NoPower {
        node: String,
        /// Number of pods on the node according to the API server.
        listed: usize,
    },
    /// The kubelet of a node sends no heartbeats.
    Dark {
        node: String,
        /// True if the kubelet does not run; false if it runs but is cut off.
        is_kubelet_down: bool,
        /// Whole seconds since the last heartbeat; `None` before the first one.
        silent: Option<i64>,
    },
    /// The kubelet of a machine sends no heartbeats and its Node object is missing: it was deleted or never existed.
    Unknown {
        node: String,
        /// True if the kubelet does not run; false if it runs but is cut off.
        is_kubelet_down: bool,
    },
    /// The kubelet's messages reach the control plane, but the control plane's messages do not reach the kubelet.
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

impl MachineView {
    /// Returns whether messages between machine and control plane are lost: the first value is for messages to the
    /// machine, the second for messages from the machine.
    #[must_use]
    pub fn lost_directions(&self) -> (bool, bool) {
        let is_fenced = self.fenced.contains(&Fence::Network);
        let mut cuts = self.cuts.iter().filter(|cut| cut.from == CutFrom::ControlPlane);
        cuts.next()
            .map_or((is_fenced, is_fenced), |cut| (cut.is_in, cut.is_out))
    }
}

/// Describes in words the other end of a machine's cut link, such as the control plane.
#[must_use]
pub fn other_end_of_cut(from: &CutFrom) -> String {
    match from {
        CutFrom::ControlPlane => t!(machine::control_plane),
        CutFrom::Storage => t!(machine::storage),
        CutFrom::Nodes => t!(machine::other_nodes),
        CutFrom::Node(name) => name.to_string(),
    }
}

impl MachineDifference {
    /// Formats only the part of the difference that is about the machine, without the API server's view; `None` if
    /// there is no such part.
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
            | Self::Unknown { node, is_kubelet_down } => Some(match is_kubelet_down {
                true => t!(machine::kubelet_down, node = node),
                false => t!(machine::cut_off, node = node),
            }),
            Self::Deaf { node } => Some(t!(machine::deaf_machine, node = node)),
            Self::NoRuntime { .. } | Self::StorageRefused { .. } => Some(self.to_string()),
        }
    }
}

impl fmt::Display for MachineDifference {
    /// Formats the difference as a fact, followed by the meaning of the fact.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&match self {
            Self::NoMachine { node } => t!(machine::no_machine, node = node),
            Self::NoPower { node, listed: 0 } => t!(machine::no_power, node = node),
            Self::NoPower { node, listed } => t!(machine::no_power_with_pods, node = node, listed = *listed),
            Self::Dark {
                node,
                is_kubelet_down,
                silent,
            } => {
                let time = silent.map(duration::in_largest_unit);
                match (is_kubelet_down, time) {
                    (true, Some(time)) => t!(machine::kubelet_down_for, node = node, time = time),
                    (true, None) => t!(machine::kubelet_down_yet, node = node),
                    (false, Some(time)) => t!(machine::cut_off_for, node = node, time = time),
                    (false, None) => t!(machine::cut_off_yet, node = node),
                }
            }
            Self::Unknown {
                node,
                is_kubelet_down: true,
            } => t!(machine::kubelet_down_unknown, node = node),
            Self::Unknown { node, .. } => t!(machine::cut_off_unknown, node = node),
            Self::Deaf { node } => t!(machine::deaf, node = node),
            Self::NoRuntime { node } => t!(machine::no_runtime, node = node),
            Self::StorageRefused { node } => t!(machine::storage_refused, node = node),
            Self::Ghost { pod } => t!(machine::ghost, pod = pod),
        })
    }
}
