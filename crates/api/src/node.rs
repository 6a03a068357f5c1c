//! Nodes, leases and CSI nodes.

use std::fmt;

use crate::well_known::condition;
use crate::wire_types;
use crate::{ConditionStatus, MicroTime, ObjectMeta, ResourceList, Str, TaintEffect, Time};

wire_types! {
    /// A Node object: the API's view of a machine, which is simulated separately (F-05).
    pub struct Node {
        pub metadata: ObjectMeta,
        pub spec: NodeSpec,
        pub status: NodeStatus,
        /// Fields that Podscope does not simulate, kept for export.
        pub extra as "": crate::Extra,
    }

    /// The desired state of the node.
    pub struct NodeSpec {
        pub pod_cidr as "podCIDR": Str,
        pub pod_cidrs as "podCIDRs": Vec<Str>,
        pub provider_id as "providerID": Str,
        /// Whether the node is cordoned.
        pub unschedulable: Option<bool>,
        pub taints: Vec<Taint>,
    }

    /// A taint of a node: repels the pods that do not tolerate it.
    pub struct Taint { pub key: Str, pub value: Str, pub effect: TaintEffect, pub time_added: Option<Time> }
    /// The state of a node, as its kubelet reports it.
    pub struct NodeStatus {
        pub capacity: ResourceList,
        pub allocatable: ResourceList,
        pub conditions: Vec<NodeCondition>,
        pub addresses: Vec<NodeAddress>,
        pub node_info: Option<NodeSystemInfo>,
        pub images: Vec<ContainerImage>,
        pub volumes_in_use: Vec<Str>,
        pub volumes_attached: Vec<AttachedVolume>,
        /// Features that the node's kubelet declares, sorted.
        pub declared_features: Vec<Str>,
    }

    pub struct NodeCondition {
        pub kind as "type": Str,
        pub status: ConditionStatus,
        pub last_heartbeat_time: Option<Time>,
        pub last_transition_time: Option<Time>,
        pub reason: Str,
        pub message: Str,
    }

    pub struct NodeAddress { pub kind as "type": Str, pub address: Str }
    /// Versions of the node's software.
    pub struct NodeSystemInfo {
        pub kernel_version: Str,
        pub os_image: Str,
        pub container_runtime_version: Str,
        pub kubelet_version: Str,
        pub operating_system: Str,
        pub architecture: Str,
        pub boot_id as "bootID": Str,
    }

    /// A container image that is present on the node.
    pub struct ContainerImage { pub names: Vec<Str>, pub size_bytes: i64 }
    /// A volume that the attach/detach controller has attached.
    pub struct AttachedVolume { pub name: Str, pub device_path [shown]: Str }
    /// A lease: the heartbeat of a node, or the lock of a leader election.
    pub struct Lease {
        pub metadata: ObjectMeta,
        pub spec: LeaseSpec,
        /// Fields that Podscope does not simulate, kept for export.
        pub extra as "": crate::Extra,
    }

    /// The holder of the lease and its times.
    pub struct LeaseSpec {
        pub holder_identity: Option<Str>,
        pub lease_duration_seconds: Option<i32>,
        pub acquire_time: Option<MicroTime>,
        pub renew_time: Option<MicroTime>,
        pub lease_transitions: Option<i32>,
    }

    /// The CSI drivers of a node.
    pub struct CsiNode as "CSINode" {
        pub metadata: ObjectMeta,
        pub spec: CsiNodeSpec,
        /// Fields that Podscope does not simulate, kept for export.
        pub extra as "": crate::Extra,
    }

    /// The CSI drivers registered on the node.
    pub struct CsiNodeSpec as "CSINodeSpec" { pub drivers: Vec<CsiNodeDriver> }
    /// A CSI driver on a node.
    pub struct CsiNodeDriver as "CSINodeDriver" {
        pub name: Str,
        pub node_id as "nodeID": Str,
        pub topology_keys: Vec<Str>,
        pub allocatable: Option<VolumeNodeResources>,
    }

    /// Maximum number of volumes that a driver can attach to the node.
    pub struct VolumeNodeResources { pub count: Option<i32> }
}

impl fmt::Display for Taint {
    /// Prints the taint as kubectl does: `key=value:effect`; an empty value or effect is omitted.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_taint(f, &self.key, &self.value, self.effect.as_str())
    }
}

/// Prints the taint of a node or a device.
pub(crate) fn write_taint(f: &mut fmt::Formatter<'_>, key: &str, value: &str, effect: &str) -> fmt::Result {
    match (value, effect) {
        ("", "") => f.write_str(key),
        ("", effect) => write!(f, "{key}:{effect}"),
        (value, effect) => write!(f, "{key}={value}:{effect}"),
    }
}

impl Default for TaintEffect {
    fn default() -> Self {
        Self::Other("".into())
    }
}

impl Node {
    /// Returns the condition of this type.
    pub fn condition(&self, kind: &str) -> Option<&NodeCondition> {
        self.status.conditions.iter().find(|condition| &*condition.kind == kind)
    }

    pub fn is_ready(&self) -> bool {
        self.condition(condition::READY)
            .is_some_and(|condition| condition.status == ConditionStatus::True)
    }

    pub fn is_unschedulable(&self) -> bool {
        self.spec.unschedulable == Some(true)
    }
}
