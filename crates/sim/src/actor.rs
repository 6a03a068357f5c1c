//! Actors: the processes that act on the cluster, and the network places where they run.

use podscope_api::NodeName;

/// A process that acts on the cluster. Two controller-managers or schedulers may run at once (F-01); the number is the
/// instance.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Actor {
    /// kube-apiserver.
    ApiServer,
    /// kube-scheduler, by instance.
    Scheduler(u8),
    /// kube-controller-manager, by instance.
    ControllerManager(u8),
    /// The kubelet of a node.
    Kubelet(NodeName),
    /// The external attacher of CSI drivers, and the storage back-ends.
    Attacher,
    /// The fencing controller, which is off by default (V-05).
    Fencing,
    /// The cluster autoscaler, which runs if a scenario declares node groups (CA-006).
    ClusterAutoscaler,
    /// The client of a user or script, by command number.
    Client(u32),
    /// A machine (processes, power). It is no client of the API.
    Machine(NodeName),
    /// The environment that injects faults.
    World,
    /// The device drivers of a node.
    Driver(NodeName),
}

impl std::fmt::Display for Actor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::ApiServer => f.write_str("apiserver"),
            Self::Scheduler(0) => f.write_str("scheduler"),
            Self::Scheduler(instance) => write!(f, "scheduler/{instance}"),
            Self::ControllerManager(0) => f.write_str("controller-manager"),
            Self::ControllerManager(instance) => write!(f, "controller-manager/{instance}"),
            Self::Kubelet(node) => write!(f, "kubelet/{node}"),
            Self::Attacher => f.write_str("attacher"),
            Self::Fencing => f.write_str("fencing"),
            Self::ClusterAutoscaler => f.write_str("cluster-autoscaler"),
            Self::Client(_) => f.write_str("user"),
            Self::Machine(node) => write!(f, "machine/{node}"),
            Self::World => f.write_str("world"),
            Self::Driver(node) => write!(f, "driver/{node}"),
        }
    }
}

/// A location on the network.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// Where the API server, scheduler and controller-manager run.
    ControlPlane,
    Node(NodeName),
    /// The storage servers.
    Storage,
}

impl Actor {
    /// Returns the network location where the process runs.
    pub fn place(&self) -> Place {
        match self {
            Self::Kubelet(node) | Self::Machine(node) | Self::Driver(node) => Place::Node(node.clone()),
            Self::Attacher => Place::Storage,
            _ => Place::ControlPlane,
        }
    }
}
