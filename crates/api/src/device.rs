//! Dynamic resource allocation (`resource.k8s.io/v1`): device classes, claims, claim templates, slices (DRA-001 to
//! DRA-020).

use std::fmt;

use serde_json::Value;

use crate::{NodeSelector, ObjectMeta, Quantity, ResourceList, Str, Time, ordered, wire_types};

/// Finalizer of an allocated claim (DRA-002).
pub const CLAIM_FINALIZER: &str = "resource.kubernetes.io/delete-protection";
/// Annotation of a claim created from a template: the name of the pod's `resourceClaims` entry.
pub const POD_CLAIM_NAME: &str = "resource.kubernetes.io/pod-claim-name";
/// Annotation of a claim that the scheduler creates for extended resources.
pub const EXTENDED_RESOURCE_CLAIM: &str = "resource.kubernetes.io/extended-resource-claim";
/// Label of a namespace in which requests may use admin access.
pub const ADMIN_ACCESS_LABEL: &str = "resource.kubernetes.io/admin-access";
/// Prefix of the implicit extended resource of each class; the class name follows.
pub const CLASS_RESOURCE_PREFIX: &str = "deviceclass.resource.kubernetes.io/";
/// Annotation of a Node that describes the devices which its simulated drivers publish ([`parse_devices`] reads it).
///
/// [`parse_devices`]: crate::parse_devices
pub const DEVICES_ANNOTATION: &str = "podscope.dev/devices";
/// Maximum number of devices allocated to one claim.
pub const MAX_ALLOCATION_RESULTS: usize = 32;

wire_types! {
    /// A category of devices that claims can request by name.
    pub struct DeviceClass {
        pub metadata: ObjectMeta,
        pub spec: DeviceClassSpec,
        /// Fields that Podscope does not simulate, kept for export.
        pub extra as "": crate::Extra,
    }

    /// The devices of a class and their configuration.
    pub struct DeviceClassSpec {
        pub selectors: Vec<DeviceSelector>,
        pub config: Vec<DeviceConfiguration>,
        pub extended_resource_name: Option<Str>,
    }

    /// A condition on one device.
    pub struct DeviceSelector { pub cel: Option<CelDeviceSelector> }
    /// A CEL expression over the variable `device`.
    pub struct CelDeviceSelector as "CELDeviceSelector" { pub expression: Str }
    /// Configuration that a class passes to drivers; it does not affect scheduling.
    pub struct DeviceConfiguration as "DeviceClassConfiguration" { pub opaque: Option<OpaqueDeviceConfiguration> }
    /// Configuration in a driver's own format.
    pub struct OpaqueDeviceConfiguration { pub driver: Str, pub parameters: Option<Value> }

    /// A request for devices, shared by the pods that refer to it.
    pub struct ResourceClaim {
        pub metadata: ObjectMeta,
        pub spec: ResourceClaimSpec,
        pub status: ResourceClaimStatus,
        /// Fields that Podscope does not simulate, kept for export.
        pub extra as "": crate::Extra,
    }

    pub struct ResourceClaimSpec { pub devices: DeviceClaim }
    /// The devices that a claim requests.
    pub struct DeviceClaim {
        pub requests: Vec<DeviceRequest>,
        pub constraints: Vec<DeviceConstraint>,
        pub config: Vec<DeviceClaimConfiguration>,
    }

    /// One request of a claim: either `exactly` or `first_available` is set.
    pub struct DeviceRequest {
        pub name: Str,
        pub exactly: Option<ExactDeviceRequest>,
        pub first_available: Vec<DeviceSubRequest>,
    }

    /// A request for devices of one class.
    pub struct ExactDeviceRequest {
        pub device_class_name [shown]: Str,
        pub selectors: Vec<DeviceSelector>,
        /// `ExactCount` (the default) or `All`.
        pub allocation_mode: Str,
        pub count: Option<i64>,
        pub admin_access: Option<bool>,
        pub tolerations: Vec<DeviceToleration>,
        pub capacity: Option<CapacityRequirements>,
    }

    /// An alternative in a prioritized list of requests.
    pub struct DeviceSubRequest {
        pub name: Str,
        pub device_class_name [shown]: Str,
        pub selectors: Vec<DeviceSelector>,
        pub allocation_mode: Str,
        pub count: Option<i64>,
        pub tolerations: Vec<DeviceToleration>,
        pub capacity: Option<CapacityRequirements>,
    }

    /// The requested amounts of a device's capacities.
    pub struct CapacityRequirements { pub requests: ResourceList }
    /// A toleration of a request: the device taints that the request accepts (DRA-170).
    pub struct DeviceToleration {
        pub key: Str,
        pub operator: Str,
        pub value: Str,
        pub effect: Str,
        /// Number of seconds for which a NoExecute taint is tolerated; None means forever.
        pub toleration_seconds: Option<i64>,
    }

    /// An attribute that the devices of some requests must share, or must not share (DRA-155).
    pub struct DeviceConstraint {
        /// The constrained requests, as `request` or `request/subrequest`; empty means all.
        pub requests: Vec<Str>,
        pub match_attribute: Option<Str>,
        pub distinct_attribute: Option<Str>,
    }

    /// Configuration that a claim passes to drivers, for all or some of its requests.
    pub struct DeviceClaimConfiguration { pub requests: Vec<Str>, pub opaque: Option<OpaqueDeviceConfiguration> }

    pub struct ResourceClaimStatus {
        pub allocation: Option<AllocationResult>,
        pub reserved_for: Vec<ResourceClaimConsumerReference>,
        pub devices: Vec<AllocatedDeviceStatus>,
    }

    /// The devices allocated to a claim, and the nodes from which the devices can be used.
    pub struct AllocationResult {
        pub devices: DeviceAllocationResult,
        pub node_selector: Option<NodeSelector>,
        pub allocation_timestamp: Option<Time>,
    }

    pub struct DeviceAllocationResult {
        pub results: Vec<DeviceRequestAllocationResult>,
        pub config: Vec<DeviceAllocationConfiguration>,
    }

    /// A device allocated to a request.
    pub struct DeviceRequestAllocationResult {
        /// `request`, or `request/subrequest`.
        pub request: Str,
        pub driver: Str,
        pub pool: Str,
        pub device: Str,
        pub admin_access: Option<bool>,
        pub tolerations: Vec<DeviceToleration>,
        pub binding_conditions: Vec<Str>,
        pub binding_failure_conditions: Vec<Str>,
        /// Identifies a share of a device that allows multiple allocations.
        pub share_id as "shareID": Option<Str>,
        pub consumed_capacity: ResourceList,
    }

    /// Configuration of an allocation with its source: `FromClass` or `FromClaim`.
    pub struct DeviceAllocationConfiguration {
        pub source: Str,
        pub requests: Vec<Str>,
        pub opaque: Option<OpaqueDeviceConfiguration>,
    }

    /// A consumer that a claim is reserved for: usually a pod.
    pub struct ResourceClaimConsumerReference { pub api_group: Str, pub resource: Str, pub name: Str, pub uid: Str }
    /// The status that a driver reports for an allocated device.
    pub struct AllocatedDeviceStatus {
        pub driver: Str,
        pub pool: Str,
        pub device: Str,
        pub share_id as "shareID": Option<Str>,
        pub conditions: Vec<DeviceCondition>,
        pub data: Option<Value>,
        pub network_data: Option<Value>,
    }

    /// `metav1.Condition` of a device.
    pub struct DeviceCondition as "Condition" {
        pub kind as "type": Str,
        pub status: Str,
        pub observed_generation: Option<i64>,
        pub last_transition_time [shown]: Option<Time>,
        pub reason [shown]: Str,
        pub message [shown]: Str,
    }

    /// A template from which claims for pods are created.
    pub struct ResourceClaimTemplate {
        pub metadata: ObjectMeta,
        pub spec: ResourceClaimTemplateSpec,
        /// Fields that Podscope does not simulate, kept for export.
        pub extra as "": crate::Extra,
    }

    /// Labels, annotations and spec of the claims that a template creates.
    pub struct ResourceClaimTemplateSpec { pub metadata: Option<Box<ObjectMeta>>, pub spec: ResourceClaimSpec }

    /// Devices that a driver publishes: a whole pool or a part of it.
    pub struct ResourceSlice {
        pub metadata: ObjectMeta,
        pub spec: ResourceSliceSpec,
        /// Fields that Podscope does not simulate, kept for export.
        pub extra as "": crate::Extra,
    }

    pub struct ResourceSliceSpec {
        pub driver: Str,
        pub pool: ResourcePool,
        pub node_name: Option<Str>,
        pub node_selector: Option<NodeSelector>,
        pub all_nodes: Option<bool>,
        pub devices: Vec<Device>,
        pub per_device_node_selection: Option<bool>,
        pub shared_counters: Vec<CounterSet>,
    }

    /// The pool that a slice belongs to (DRA-017).
    pub struct ResourcePool { pub name: Str, pub generation: i64, pub resource_slice_count: i64 }
    pub struct Device {
        pub name: Str,
        pub attributes: ordered::Map<Str, DeviceAttribute>,
        pub capacity: ordered::Map<Str, DeviceCapacity>,
        pub consumes_counters: Vec<DeviceCounterConsumption>,
        pub node_name: Option<Str>,
        pub node_selector: Option<NodeSelector>,
        pub all_nodes: Option<bool>,
        pub taints: Vec<DeviceTaint>,
        pub binds_to_node: Option<bool>,
        pub binding_conditions: Vec<Str>,
        pub binding_failure_conditions: Vec<Str>,
        pub allow_multiple_allocations: Option<bool>,
    }

    /// A property of a device; exactly one field is set.
    pub struct DeviceAttribute {
        pub int as "int": Option<i64>,
        pub boolean as "bool": Option<bool>,
        pub string as "string": Option<Str>,
        /// Semantic version (semver 2.0.0).
        pub version: Option<Str>,
    }

    /// The amount of one capacity of a device, and the policy for requests.
    pub struct DeviceCapacity { pub value: Quantity, pub request_policy: Option<CapacityRequestPolicy> }
    /// Rounding and bounds of requests for a capacity (DRA-166, DRA-167).
    pub struct CapacityRequestPolicy {
        pub default as "default": Option<Quantity>,
        pub valid_values: Vec<Quantity>,
        pub valid_range: Option<CapacityRequestPolicyRange>,
    }

    pub struct CapacityRequestPolicyRange { pub min: Option<Quantity>, pub max: Option<Quantity>, pub step: Option<Quantity> }
    /// A taint of a device: prevents the allocation of the device; with the effect NoExecute, it also evicts the pods
    /// that use it.
    pub struct DeviceTaint { pub key: Str, pub value: Str, pub effect: Str, pub time_added: Option<Time> }
    /// Amounts shared by the devices of a pool.
    pub struct CounterSet { pub name: Str, pub counters: ordered::Map<Str, Counter> }
    /// The amounts of a counter set that a device consumes while it is allocated.
    pub struct DeviceCounterConsumption { pub counter_set: Str, pub counters: ordered::Map<Str, Counter> }
    pub struct Counter { pub value: Quantity }
}

/// Whether the binding conditions of a claim's devices are met.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeviceReadiness {
    Ready,
    NotYet,
    /// A binding condition failed; the fields are its reason and message.
    Failed(Str, Str),
}

impl fmt::Display for DeviceTaint {
    /// Prints the taint like the taint of a node: `key=value:effect`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        crate::node::write_taint(f, &self.key, &self.value, &self.effect)
    }
}

impl DeviceTaint {
    /// Returns whether the taint has an effect on claims that do not tolerate it: `NoSchedule` or `NoExecute`.
    pub fn is_enforced(&self) -> bool {
        matches!(&*self.effect, "NoSchedule" | "NoExecute")
    }
}

impl DeviceToleration {
    /// Returns whether the toleration accepts a taint (DRA-170), without regard to `toleration_seconds`.
    pub fn tolerates(&self, taint: &DeviceTaint) -> bool {
        (self.effect.is_empty() || self.effect == taint.effect)
            && (self.key.is_empty() || self.key == taint.key)
            && match &*self.operator {
                "Exists" => true,
                "" | "Equal" => self.value == taint.value,
                _ => false,
            }
    }
}

impl ResourceClaim {
    /// Returns whether the claim is reserved for the pod with this UID.
    pub fn is_reserved_for(&self, uid: &str) -> bool {
        self.status.reserved_for.iter().any(|consumer| &*consumer.uid == uid)
    }

    /// Evaluates the binding conditions that drivers report for the allocated devices (DRA-098).
    pub fn readiness(&self) -> DeviceReadiness {
        let results = self
            .status
            .allocation
            .iter()
            .flat_map(|allocation| &allocation.devices.results);
        for result in results.filter(|result| !result.binding_conditions.is_empty()) {
            let is_same_device = |status: &&AllocatedDeviceStatus| {
                status.driver == result.driver && status.pool == result.pool && status.device == result.device
            };
            let Some(status) = self.status.devices.iter().find(is_same_device) else {
                return DeviceReadiness::NotYet;
            };
            let is_true = |kind: &Str| {
                let mut conditions = status.conditions.iter();
                conditions.find(|condition| condition.kind == *kind && &*condition.status == "True")
            };
            if let Some(failed) = result.binding_failure_conditions.iter().find_map(is_true) {
                return DeviceReadiness::Failed(failed.reason.clone(), failed.message.clone());
            }
            if !result.binding_conditions.iter().all(|kind| is_true(kind).is_some()) {
                return DeviceReadiness::NotYet;
            }
        }
        DeviceReadiness::Ready
    }

    /// Returns whether a pod that uses the claim must wait for binding conditions of its devices.
    pub fn has_binding_conditions(&self) -> bool {
        let mut results = self
            .status
            .allocation
            .iter()
            .flat_map(|allocation| &allocation.devices.results);
        results.any(|result| !result.binding_conditions.is_empty())
    }

    /// Returns whether the scheduler created the claim for extended resources.
    pub fn is_for_extended_resources(&self) -> bool {
        self.metadata.annotation(EXTENDED_RESOURCE_CLAIM) == Some("true")
    }
}

impl DeviceClaim {
    /// Sets the defaults that the API server sets in the requests of a claim (DRA-008).
    pub(crate) fn set_defaults(&mut self) {
        for request in &mut self.requests {
            if let Some(exactly) = &mut request.exactly {
                default_allocation_mode(&mut exactly.allocation_mode, &mut exactly.count);
                default_operators(&mut exactly.tolerations);
            }
            for sub in &mut request.first_available {
                default_allocation_mode(&mut sub.allocation_mode, &mut sub.count);
                default_operators(&mut sub.tolerations);
            }
        }
    }
}

fn default_allocation_mode(mode: &mut Str, count: &mut Option<i64>) {
    if mode.is_empty() {
        *mode = "ExactCount".into();
    }
    if &**mode == "ExactCount" && count.unwrap_or(0) == 0 {
        *count = Some(1);
    }
}

fn default_operators(tolerations: &mut [DeviceToleration]) {
    for toleration in tolerations {
        if toleration.operator.is_empty() {
            toleration.operator = "Equal".into();
        }
    }
}
