//! The observed state of a pod and its containers, as the kubelet reports it.

use std::sync::Arc;

use crate::macros::string_enum;
use crate::wire_types;
use crate::{Str, Time};

use super::{ResourceList, ResourceRequirements};

wire_types! {
    /// The observed state of the pod.
    pub struct PodStatus {
        pub observed_generation: Option<i64>,
        pub phase: Option<PodPhase>,
        pub conditions: Vec<PodCondition>,
        pub message: Str,
        pub reason: Str,
        pub nominated_node_name: Str,
        pub host_ip as "hostIP": Str,
        pub host_ips as "hostIPs": Vec<IpAddress>,
        pub pod_ip as "podIP": Str,
        pub pod_ips as "podIPs": Vec<IpAddress>,
        pub start_time: Option<Time>,
        pub init_container_statuses: Vec<ContainerStatus>,
        pub container_statuses: Vec<ContainerStatus>,
        pub ephemeral_container_statuses: Vec<ContainerStatus>,
        pub qos_class: Option<QosClass>,
        /// State of an in-place resize; deprecated.
        pub resize: Str,
        /// Pod-level requests that the kubelet has admitted.
        pub allocated_resources: ResourceList,
        /// Pod-level resources that are currently applied. The kubelet always sets this, even if it is empty.
        pub resources: Option<Arc<ResourceRequirements>>,
        /// The ResourceClaims that were created for the pod from templates (DRA-023).
        pub resource_claim_statuses: Vec<PodResourceClaimStatus>,
        /// The ResourceClaim that the scheduler created for the pod's extended resources (DRA-024).
        pub extended_resource_claim_status: Option<Box<PodExtendedResourceClaimStatus>>,
    }

    /// The ResourceClaim created for an entry of `spec.resourceClaims`; `resource_claim_name` is None if no claim is
    /// needed.
    pub struct PodResourceClaimStatus { pub name: Str, pub resource_claim_name: Option<Str> }
    /// The ResourceClaim that the scheduler created for extended resources, with its request for each extended resource
    /// of a container.
    pub struct PodExtendedResourceClaimStatus {
        pub request_mappings: Vec<ContainerExtendedResourceRequest>,
        pub resource_claim_name: Str,
    }

    pub struct ContainerExtendedResourceRequest { pub container_name: Str, pub resource_name: Str, pub request_name: Str }
    pub struct IpAddress { pub ip: Str }
    /// One condition of a pod (LC-106 to LC-110).
    pub struct PodCondition {
        pub kind as "type": Str,
        pub observed_generation: Option<i64>,
        pub status: ConditionStatus,
        pub last_probe_time [shown]: Option<Time>,
        pub last_transition_time [shown]: Option<Time>,
        pub reason: Str,
        pub message: Str,
    }

    /// The last reported status of a container.
    pub struct ContainerStatus {
        pub name: Str,
        pub state: ContainerState,
        pub last_state: ContainerState,
        pub ready: bool,
        pub restart_count: i32,
        pub image [shown]: Str,
        pub image_id as "imageID" [shown]: Str,
        pub container_id as "containerID": Str,
        pub started: Option<bool>,
        pub allocated_resources: ResourceList,
        pub resources: Option<Arc<ResourceRequirements>>,
        pub volume_mounts: Vec<VolumeMountStatus>,
        /// The health of the container's devices (DRA-249).
        pub allocated_resources_status: Vec<ContainerResourceStatus>,
        /// Whether the container mounts the token volume of `PodSpec::token_volume_suffix`; that mount is not in
        /// `volume_mounts`.
        pub mounts_token_volume as "": bool,
    }

    /// The health of the devices that a container gets through one of the pod's claims (`ResourceStatus` in the API).
    pub struct ContainerResourceStatus as "ResourceStatus" { pub name: Str, pub resources: Vec<ResourceHealth> }
    /// The health of one device: `Healthy`, `Unhealthy` or `Unknown`.
    pub struct ResourceHealth { pub resource_id as "resourceID": Str, pub health: Str, pub message: Option<Str> }
    /// The status of a volume mount of a container: the volume, its path in the container, and whether it is read-only.
    pub struct VolumeMountStatus { pub name [shown]: Str, pub mount_path [shown]: Str, pub read_only: Option<bool>, pub recursive_read_only: Option<Str> }
    /// The state of a container; exactly one of `waiting`, `running` and `terminated` is set (LC-092).
    pub struct ContainerState { pub waiting: Option<ContainerStateWaiting>, pub running: Option<ContainerStateRunning>, pub terminated: Option<ContainerStateTerminated> }
    /// The container has not started yet, or waits for its restart.
    pub struct ContainerStateWaiting { pub reason: Str, pub message: Str }
    pub struct ContainerStateRunning { pub started_at [shown]: Option<Time> }
    pub struct ContainerStateTerminated {
        pub exit_code: i32,
        pub signal: Option<i32>,
        pub reason: Str,
        pub message: Str,
        pub started_at [shown]: Option<Time>,
        pub finished_at [shown]: Option<Time>,
        pub container_id as "containerID": Str,
    }
}

string_enum! {
    /// The pod's phase; it never goes back to an earlier one (L-01).
    pub enum PodPhase { Pending, Running, Succeeded, Failed, Unknown }
    pub enum ConditionStatus { True, False, Unknown }
    /// Quality of service class (LC-043).
    pub enum QosClass { Guaranteed, Burstable, BestEffort }
}

impl Default for ConditionStatus {
    fn default() -> Self {
        Self::from("Unknown")
    }
}

impl PodStatus {
    /// Returns the statuses of init containers and containers, in that order.
    pub fn statuses(&self) -> impl Iterator<Item = &ContainerStatus> {
        self.init_container_statuses.iter().chain(&self.container_statuses)
    }

    pub fn status_of(&self, container: &str) -> Option<&ContainerStatus> {
        self.statuses().find(|status| &*status.name == container)
    }
}
