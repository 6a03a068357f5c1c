//! Names of faults, of cut links, and of the causes of invariant violations, shared by the simulation, the trace and
//! the page. The effects and targets of faults are defined in the cluster crate.

use serde::{Deserialize, Serialize};

use crate::NodeName;

crate::named_enum! {
    /// A control plane process that can crash.
    ControlPlaneProcess {
        /// kube-scheduler.
        Scheduler = "scheduler",
        /// kube-controller-manager.
        ControllerManager = "controller-manager",
        /// kube-apiserver.
        ApiServer = "apiserver",
    }

    /// How a node is fenced (CT-142, V-05).
    FenceMechanism {
        /// The node is powered off.
        Power = "power",
        /// The storage servers refuse requests of the node.
        Storage = "storage",
        /// The node is isolated from every network.
        Network = "network",
    }

    /// The blocked direction of a link that is cut one way.
    OneWay {
        /// Messages to the node are lost.
        In = "in",
        /// Messages from the node are lost.
        Out = "out",
    }

    /// What caused an invariant violation.
    #[derive(Default)]
    ViolationCause {
        Command = "command",
        Fault = "fault",
        /// A bug of Podscope.
        #[default]
        Bug = "bug",
    }
}

/// The nodes or servers to which the links of a node are cut.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum CutFrom {
    ControlPlane,
    /// The storage servers.
    Storage,
    /// All other nodes. For a node of an isolated zone: all nodes outside the zone.
    Nodes,
    /// A single node.
    Node(NodeName),
}

impl CutFrom {
    /// Returns the name in commands and trace records: `control-plane`, `storage`, `nodes`, or the name of the node.
    pub fn as_str(&self) -> &str {
        match self {
            Self::ControlPlane => "control-plane",
            Self::Storage => "storage",
            Self::Nodes => "nodes",
            Self::Node(node) => node.as_str(),
        }
    }
}

/// The kind of a fault. The repair of a fault has the same kind.
///
/// Invariant: of several faults that begin at the same time, a violation is attributed to the one whose kind is
/// declared last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum FaultKind {
    /// Links are cut.
    Partition,
    /// Links are slow.
    Slow,
    /// A new machine joins the cluster.
    Join,
    /// A machine leaves the cluster permanently.
    Leave,
    /// A machine shuts down gracefully.
    Shutdown,
    /// A machine loses power.
    PowerOff,
    /// A kubelet crashes.
    CrashKubelet,
    /// A container runtime crashes.
    CrashRuntime,
    /// A control plane process crashes.
    Crash(ControlPlaneProcess),
    /// A second instance of a control plane process believes that it is the leader.
    Second(ControlPlaneProcess),
    /// etcd cannot be reached.
    EtcdDown,
    /// A container's process exits.
    Exit,
    /// A pod's sandbox is lost.
    Sandbox,
    /// A volume is detached from its node.
    Detach,
    /// A node is fenced. Trace records use this kind only when the fence is lifted.
    Fence(FenceMechanism),
    /// A device of a node changes.
    Device,
    /// The device drivers of a node crash.
    CrashDriver,
}

/// Prints the fault's name in the command language and in the trace.
impl std::fmt::Display for FaultKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Partition => "partition",
            Self::Slow => "slow",
            Self::Join => "join",
            Self::Leave => "leave",
            Self::Shutdown => "shutdown",
            Self::PowerOff => "poweroff",
            Self::CrashKubelet => "crash kubelet",
            Self::CrashRuntime => "crash runtime",
            Self::Crash(process) => return write!(f, "crash {}", process.as_str()),
            Self::Second(process) => return write!(f, "second {}", process.as_str()),
            Self::EtcdDown => "etcd down",
            Self::Exit => "exit",
            Self::Sandbox => "sandbox",
            Self::Detach => "detach",
            Self::Device => "device",
            Self::CrashDriver => "crash driver",
            Self::Fence(mechanism) => return write!(f, "fence {}", mechanism.as_str()),
        })
    }
}
