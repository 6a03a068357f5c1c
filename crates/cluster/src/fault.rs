//! Faults: everything that happens to a cluster from outside (F-01).

use podscope_api::ordered;
use podscope_api::{NodeName, ObjectKey, ResourceList, Str};

pub use podscope_controllers::FenceMechanism;
use podscope_sim::Span;

use crate::traffic::TrafficCommand;

/// Which side of a node's links is cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CutFrom {
    /// Every link.
    Everything,
    ControlPlane,
    /// All other nodes.
    Nodes,
    /// The storage servers.
    Storage,
    Node(NodeName),
}

/// Which direction is lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    Both,
    /// What goes to the node.
    In,
    /// What comes from the node.
    Out,
}

pub use podscope_sim::ControlPlaneProcess;

/// Nodes a fault is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Targets {
    /// These nodes.
    Nodes(Vec<NodeName>),
    /// All nodes of a zone.
    Zone(Str),
    /// Every node.
    All,
}

/// One fault or its repair: the `fault …` commands of the contract.
#[derive(Debug, Clone, PartialEq)]
pub enum Fault {
    /// `fault partition`.
    Partition {
        /// Whom.
        targets: Targets,
        from: CutFrom,
        /// Which way.
        direction: Direction,
    },
    /// `fault heal`: removes every cut of the targets.
    Heal(Targets),
    /// `fault join`: new machines whose kubelets register.
    Join {
        /// Name of the machine; of several what their names begin with.
        node: NodeName,
        /// How many: `NODE-1` to `NODE-COUNT`; none is one of that very name.
        count: Option<u32>,
        /// A Node whose labels, capacity, allocatable and lasting taints they get.
        like: Option<NodeName>,
        /// Labels the kubelet registers with.
        labels: ordered::Map<Str, Str>,
        /// Capacity; empty means the scenario's.
        capacity: ResourceList,
    },
    /// `fault leave`: the machine is taken away for good.
    Leave(NodeName),
    /// `fault crash kubelet|runtime NODE` or `restart`.
    Kubelet {
        node: NodeName,
        /// True to start it again (restarting a running one crashes it first).
        up: bool,
    },
    /// The container runtime of a node.
    Runtime {
        node: NodeName,
        /// True to start it again.
        up: bool,
    },
    /// `fault poweroff` / `fault boot`.
    Power {
        node: NodeName,
        /// True to boot.
        on: bool,
    },
    /// `fault shutdown NODE`: the operating system goes down in order. The kubelet ends the pods first if it is
    /// configured to (LC-212); else the power goes at once.
    Shutdown(NodeName),
    /// `fault crash|restart scheduler|controller-manager|apiserver`.
    ControlPlane {
        process: ControlPlaneProcess,
        /// True to start it again.
        up: bool,
    },
    /// `fault second controller-manager|scheduler`.
    Second(ControlPlaneProcess),
    /// `fault etcd down|up`.
    Etcd {
        /// Whether the API server reaches etcd.
        up: bool,
    },
    /// `fault slow NODE DURATION`.
    Slow(NodeName, Span),
    /// `fault exit POD CONTAINER CODE`.
    Exit {
        pod: ObjectKey,
        container: Str,
        /// Its exit code.
        code: i32,
    },
    /// `fault sandbox POD`: the pod's sandbox is lost.
    Sandbox(ObjectKey),
    /// `fault fence NODE --by MECHANISM`.
    Fence(NodeName, FenceMechanism),
    /// `fault unfence NODE`: the fences of storage and network are lifted; power comes back with `fault boot`.
    Unfence(NodeName),
    /// `fault detach VOLUME`: breaks an attachment by force.
    Detach(Str),
    /// `app member add|remove GROUP MEMBER` (C-13).
    Member {
        group: Str,
        /// The pod's name.
        member: Str,
        /// True to add.
        add: bool,
    },
    /// `app traffic start|stop`: clients that send requests to a Service.
    Traffic(TrafficCommand),
}

impl Fault {
    /// The machines it names, the one it makes excepted.
    pub fn machines(&self) -> Vec<&NodeName> {
        match self {
            Fault::Partition { targets, from, .. } => {
                let mut named = targets.named();
                if let CutFrom::Node(node) = from {
                    named.push(node);
                }
                named
            }
            Fault::Heal(targets) => targets.named(),
            Fault::Leave(node)
            | Fault::Kubelet { node, .. }
            | Fault::Runtime { node, .. }
            | Fault::Power { node, .. }
            | Fault::Shutdown(node)
            | Fault::Slow(node, _)
            | Fault::Fence(node, _)
            | Fault::Unfence(node) => vec![node],
            Fault::Join { .. }
            | Fault::ControlPlane { .. }
            | Fault::Second(_)
            | Fault::Etcd { .. }
            | Fault::Exit { .. }
            | Fault::Sandbox(_)
            | Fault::Detach(_)
            | Fault::Member { .. }
            | Fault::Traffic(_) => Vec::new(),
        }
    }
}

/// The machines that a `fault join` brings.
pub fn joining(node: &NodeName, count: Option<u32>) -> Vec<NodeName> {
    match count {
        None => vec![node.clone()],
        Some(count) => (1..=count)
            .map(|nth| NodeName(format!("{node}-{nth}").into()))
            .collect(),
    }
}

impl Targets {
    fn named(&self) -> Vec<&NodeName> {
        match self {
            Targets::Nodes(nodes) => nodes.iter().collect(),
            Targets::Zone(_) | Targets::All => Vec::new(),
        }
    }
}
