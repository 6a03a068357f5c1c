//! Faults: everything that happens to a cluster from outside (F-01).

use std::fmt;

use podscope_api::fault::{ControlPlaneProcess, CutFrom, FenceMechanism, OneWay};
use podscope_api::ordered;
use podscope_api::{NodeName, ObjectKey, ResourceList, Str};

use podscope_sim::Span;

use crate::traffic::TrafficCommand;

/// The nodes that a fault affects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Targets {
    Nodes(Vec<NodeName>),
    /// All nodes of a zone.
    Zone(Str),
    All,
}

/// A change of a device (`fault device NODE DEVICE …`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeviceChange {
    /// `taint KEY=VALUE:EFFECT`: the driver publishes the taint.
    Taint { key: Str, value: Str, effect: Str },
    /// `taint KEY:EFFECT-` or `taint KEY-`: removes taints that a fault added.
    Untaint { key: Str, effect: Option<Str> },
    /// `gone`: the driver no longer publishes the device.
    Gone,
    /// `back`: the device is there again, and healthy.
    Back,
    /// `unhealthy`: the driver reports the device as unhealthy to the kubelet.
    Unhealthy,
}

impl fmt::Display for DeviceChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Taint { key, value, effect } if value.is_empty() => write!(f, "taint {key}:{effect}"),
            Self::Taint { key, value, effect } => write!(f, "taint {key}={value}:{effect}"),
            Self::Untaint { key, effect: None } => write!(f, "taint {key}-"),
            Self::Untaint {
                key,
                effect: Some(effect),
            } => write!(f, "taint {key}:{effect}-"),
            Self::Gone => f.write_str("gone"),
            Self::Back => f.write_str("back"),
            Self::Unhealthy => f.write_str("unhealthy"),
        }
    }
}

/// Returns whether [`DeviceChange::Untaint`] with this key and effect removes the taint.
pub(crate) fn removes_taint(key: &Str, effect: Option<&Str>, taint: &podscope_api::DeviceTaint) -> bool {
    taint.key == *key && effect.is_none_or(|effect| taint.effect == *effect)
}

/// A fault or its repair: the `fault …` and `app …` commands of the command language.
#[derive(Debug, Clone, PartialEq)]
pub enum Fault {
    /// `fault partition`: cuts network links of the targets.
    Partition {
        /// The affected nodes.
        targets: Targets,
        /// The other end of the cut links; `None` means everything.
        from: Option<CutFrom>,
        /// The blocked direction; `None` if both.
        one_way: Option<OneWay>,
    },
    /// `fault heal`: restores all cut links of the targets.
    Heal(Targets),
    /// `fault join`: new machines whose kubelets register.
    Join {
        /// Name of the machine; with a count, the prefix of the names.
        node: NodeName,
        /// Number of machines, which are named `NODE-1` to `NODE-COUNT`; None creates one machine named `NODE`.
        count: Option<u32>,
        /// A Node whose labels, capacity, allocatable and permanent taints the machines copy.
        like: Option<NodeName>,
        /// Additional labels with which the kubelet registers.
        labels: ordered::Map<Str, Str>,
        /// Capacity; empty means the scenario's default.
        capacity: ResourceList,
    },
    /// `fault leave`: the machine is removed for good.
    Leave(NodeName),
    /// `fault crash|restart kubelet NODE`.
    Kubelet {
        node: NodeName,
        /// True starts the kubelet, after crashing it if it runs; false crashes it.
        up: bool,
    },
    /// `fault crash|restart runtime NODE`.
    Runtime {
        node: NodeName,
        /// True starts the runtime; false crashes it.
        up: bool,
    },
    /// `fault poweroff` / `fault boot`.
    Power {
        node: NodeName,
        /// True boots the machine; false cuts its power.
        on: bool,
    },
    /// `fault shutdown NODE`: the operating system shuts down gracefully. The kubelet first ends the pods if it is
    /// configured to (LC-212); otherwise the power goes off at once.
    Shutdown(NodeName),
    /// `fault crash|restart scheduler|controller-manager|apiserver`.
    ControlPlane {
        process: ControlPlaneProcess,
        /// True starts the process; false crashes it.
        up: bool,
    },
    /// `fault second controller-manager|scheduler`: starts a second instance, which believes that it leads.
    Second(ControlPlaneProcess),
    /// `fault etcd down|up`.
    Etcd {
        /// Whether the API server reaches etcd.
        up: bool,
    },
    /// `fault slow NODE DURATION`: additional latency of the node's links.
    Slow(NodeName, Span),
    /// `fault exit POD CONTAINER CODE`: the process of the container exits with this status.
    Exit { pod: ObjectKey, container: Str, code: i32 },
    /// `fault sandbox POD`: the pod's sandbox is lost.
    Sandbox(ObjectKey),
    /// `fault fence NODE --by MECHANISM`.
    Fence(NodeName, FenceMechanism),
    /// `fault unfence NODE`: removes the fences of storage and network. `fault boot` restores the power.
    Unfence(NodeName),
    /// `fault device NODE DEVICE …`.
    Device {
        node: NodeName,
        /// `DEVICE` or `DRIVER/DEVICE`.
        device: Str,
        change: DeviceChange,
    },
    /// `fault crash|restart driver NODE`: the device drivers of a node.
    Driver {
        node: NodeName,
        /// True starts the drivers, after crashing them if they run; false crashes them.
        up: bool,
    },
    /// `fault detach VOLUME`: forces the volume's detach.
    Detach(Str),
    /// `app member add|remove GROUP MEMBER` (C-13).
    Member {
        group: Str,
        /// Name of the pod.
        member: Str,
        /// True adds the member.
        add: bool,
    },
    /// `app traffic start|stop`: requests to a Service.
    Traffic(TrafficCommand),
}

impl Fault {
    /// Returns the machines that the fault names, except those that it creates.
    pub fn machines(&self) -> Vec<&NodeName> {
        match self {
            Fault::Partition { targets, from, .. } => {
                let mut named = targets.named_nodes();
                if let Some(CutFrom::Node(node)) = from {
                    named.push(node);
                }
                named
            }
            Fault::Heal(targets) => targets.named_nodes(),
            Fault::Leave(node)
            | Fault::Kubelet { node, .. }
            | Fault::Runtime { node, .. }
            | Fault::Device { node, .. }
            | Fault::Driver { node, .. }
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

/// Returns the names of the machines that `fault join` creates.
pub fn joined_node_names(node: &NodeName, count: Option<u32>) -> Vec<NodeName> {
    match count {
        None => vec![node.clone()],
        Some(count) => (1..=count)
            .map(|nth| NodeName(format!("{node}-{nth}").into()))
            .collect(),
    }
}

impl Targets {
    fn named_nodes(&self) -> Vec<&NodeName> {
        match self {
            Targets::Nodes(nodes) => nodes.iter().collect(),
            Targets::Zone(_) | Targets::All => Vec::new(),
        }
    }
}
