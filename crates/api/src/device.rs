//! Dynamic resources (`resource.k8s.io/v1`): device classes, claims and their templates, slices (DRA-001 to DRA-020).

use serde_json::Value;

use crate::{NodeSelector, ObjectMeta, Quantity, ResourceList, Str, Time, ordered, wire_types};

/// Holds a claim that is allocated (DRA-002).
pub const CLAIM_FINALIZER: &str = "resource.kubernetes.io/delete-protection";
/// Annotation of a claim made from a template: the pod's entry that it is for.
pub const POD_CLAIM_NAME: &str = "resource.kubernetes.io/pod-claim-name";
/// Annotation of a claim that the scheduler makes for extended resources.
pub const EXTENDED_RESOURCE_CLAIM: &str = "resource.kubernetes.io/extended-resource-claim";
/// Label of a namespace in which requests may ask for admin access.
pub const ADMIN_ACCESS_LABEL: &str = "resource.kubernetes.io/admin-access";
/// What every class can be asked for as an extended resource: this, and its name.
pub const CLASS_RESOURCE_PREFIX: &str = "deviceclass.resource.kubernetes.io/";
/// Devices that one claim can be allocated at most.
pub const MAX_ALLOCATION_RESULTS: usize = 32;

wire_types! {
    /// A kind of devices that claims can ask for by name.
    pub struct DeviceClass {
        pub metadata: ObjectMeta,
        pub spec: DeviceClassSpec,
        /// What was given but has no behaviour here.
        pub extra as "": crate::Extra,
    }

    /// Which devices belong to a class, and how they are set up.
    pub struct DeviceClassSpec {
        pub selectors: Vec<DeviceSelector>,
        pub config: Vec<DeviceConfiguration>,
        pub extended_resource_name: Option<Str>,
    }

    /// A condition on one device.
    pub struct DeviceSelector { pub cel: Option<CelDeviceSelector> }
    /// An expression in CEL over the variable `device`.
    pub struct CelDeviceSelector { pub expression: Str }
    /// Parameters that a class hands to drivers; they have no effect on scheduling.
    pub struct DeviceConfiguration { pub opaque: Option<OpaqueDeviceConfiguration> }
    /// Parameters that only the driver understands.
    pub struct OpaqueDeviceConfiguration { pub driver: Str, pub parameters: Option<Value> }

    /// A request for devices, shared by the pods that name it.
    pub struct ResourceClaim {
        pub metadata: ObjectMeta,
        pub spec: ResourceClaimSpec,
        pub status: ResourceClaimStatus,
        /// What was given but has no behaviour here.
        pub extra as "": crate::Extra,
    }

    pub struct ResourceClaimSpec { pub devices: DeviceClaim }
    /// What a claim asks for.
    pub struct DeviceClaim {
        pub requests: Vec<DeviceRequest>,
        pub constraints: Vec<DeviceConstraint>,
        pub config: Vec<DeviceClaimConfiguration>,
    }

    /// One request of a claim: exactly one of the two.
    pub struct DeviceRequest {
        pub name: Str,
        pub exactly: Option<ExactDeviceRequest>,
        pub first_available: Vec<DeviceSubRequest>,
    }

    /// Devices of one class.
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

    /// One alternative of a prioritized list.
    pub struct DeviceSubRequest {
        pub name: Str,
        pub device_class_name [shown]: Str,
        pub selectors: Vec<DeviceSelector>,
        pub allocation_mode: Str,
        pub count: Option<i64>,
        pub tolerations: Vec<DeviceToleration>,
        pub capacity: Option<CapacityRequirements>,
    }

    /// How much of each capacity of a device is asked for.
    pub struct CapacityRequirements { pub requests: ResourceList }
    /// Which device taints a request accepts (DRA-170).
    pub struct DeviceToleration {
        pub key: Str,
        pub operator: Str,
        pub value: Str,
        pub effect: Str,
        /// Seconds a NoExecute taint is borne; absent means for ever.
        pub toleration_seconds: Option<i64>,
    }

    /// What the devices of some requests must have in common, or must not (DRA-155).
    pub struct DeviceConstraint {
        /// The requests it is for, `request` or `request/subrequest`; none means all.
        pub requests: Vec<Str>,
        pub match_attribute: Option<Str>,
        pub distinct_attribute: Option<Str>,
    }

    /// Parameters that a claim hands to drivers for some of its requests.
    pub struct DeviceClaimConfiguration { pub requests: Vec<Str>, pub opaque: Option<OpaqueDeviceConfiguration> }

    pub struct ResourceClaimStatus {
        pub allocation: Option<AllocationResult>,
        pub reserved_for: Vec<ResourceClaimConsumerReference>,
        pub devices: Vec<AllocatedDeviceStatus>,
    }

    /// The devices that a claim holds, and the nodes they can be used from.
    pub struct AllocationResult {
        pub devices: DeviceAllocationResult,
        pub node_selector: Option<NodeSelector>,
        pub allocation_timestamp: Option<Time>,
    }

    pub struct DeviceAllocationResult {
        pub results: Vec<DeviceRequestAllocationResult>,
        pub config: Vec<DeviceAllocationConfiguration>,
    }

    /// One device for one request.
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
        /// Tells apart the shares of a device that can be allocated several times.
        pub share_id as "shareID": Option<Str>,
        pub consumed_capacity: ResourceList,
    }

    /// Parameters of an allocation, and where they come from: `FromClass` or `FromClaim`.
    pub struct DeviceAllocationConfiguration {
        pub source: Str,
        pub requests: Vec<Str>,
        pub opaque: Option<OpaqueDeviceConfiguration>,
    }

    /// Who uses a claim.
    pub struct ResourceClaimConsumerReference { pub api_group: Str, pub resource: Str, pub name: Str, pub uid: Str }
    /// What a driver reports of a device that is allocated.
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
    pub struct DeviceCondition {
        pub kind as "type": Str,
        pub status: Str,
        pub observed_generation: Option<i64>,
        pub last_transition_time [shown]: Option<Time>,
        pub reason: Str,
        pub message: Str,
    }

    /// What claims of pods are made from.
    pub struct ResourceClaimTemplate {
        pub metadata: ObjectMeta,
        pub spec: ResourceClaimTemplateSpec,
        /// What was given but has no behaviour here.
        pub extra as "": crate::Extra,
    }

    /// Labels, annotations and spec of the claims.
    pub struct ResourceClaimTemplateSpec { pub metadata: Option<Box<ObjectMeta>>, pub spec: ResourceClaimSpec }

    /// Devices that a driver offers: all of a pool, or a part of it.
    pub struct ResourceSlice {
        pub metadata: ObjectMeta,
        pub spec: ResourceSliceSpec,
        /// What was given but has no behaviour here.
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

    /// The pool a slice belongs to (DRA-017).
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

    /// A property of a device: one of these.
    pub struct DeviceAttribute {
        pub int as "int": Option<i64>,
        pub boolean as "bool": Option<bool>,
        pub string as "string": Option<Str>,
        /// Semantic version 2.0.0.
        pub version: Option<Str>,
    }

    /// An amount that a device has.
    pub struct DeviceCapacity { pub value: Quantity, pub request_policy: Option<CapacityRequestPolicy> }
    /// How requests of a capacity are rounded and bounded (DRA-166, DRA-167).
    pub struct CapacityRequestPolicy {
        pub default as "default": Option<Quantity>,
        pub valid_values: Vec<Quantity>,
        pub valid_range: Option<CapacityRequestPolicyRange>,
    }

    pub struct CapacityRequestPolicyRange { pub min: Option<Quantity>, pub max: Option<Quantity>, pub step: Option<Quantity> }
    /// Keeps claims off a device, and evicts pods where its effect is NoExecute.
    pub struct DeviceTaint { pub key: Str, pub value: Str, pub effect: Str, pub time_added: Option<Time> }
    /// Amounts that the devices of a pool share.
    pub struct CounterSet { pub name: Str, pub counters: ordered::Map<Str, Counter> }
    /// How much of a counter set a device takes while it is in use.
    pub struct DeviceCounterConsumption { pub counter_set: Str, pub counters: ordered::Map<Str, Counter> }
    pub struct Counter { pub value: Quantity }
}

/// Whether the conditions of a claim's devices are met.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeviceReadiness {
    Ready,
    NotYet,
    /// Reason and message of the condition that says so.
    Failed(Str, Str),
}

impl DeviceTaint {
    /// Whether the taint stops an allocation or ends one, unless it is tolerated.
    pub fn is_enforced(&self) -> bool {
        matches!(&*self.effect, "NoSchedule" | "NoExecute")
    }
}

impl DeviceToleration {
    /// Whether it accepts a taint (DRA-170); how long is not asked here.
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
    /// Whether the claim is kept for a pod of that UID.
    pub fn is_reserved_for(&self, uid: &str) -> bool {
        self.status.reserved_for.iter().any(|consumer| &*consumer.uid == uid)
    }

    /// What the drivers say of its devices (DRA-098).
    pub fn readiness(&self) -> DeviceReadiness {
        let results = self
            .status
            .allocation
            .iter()
            .flat_map(|allocation| &allocation.devices.results);
        for result in results.filter(|result| !result.binding_conditions.is_empty()) {
            let is_its = |status: &&AllocatedDeviceStatus| {
                status.driver == result.driver && status.pool == result.pool && status.device == result.device
            };
            let Some(status) = self.status.devices.iter().find(is_its) else {
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

    /// Whether its pod has to wait for conditions of its devices.
    pub fn has_binding_conditions(&self) -> bool {
        let mut results = self
            .status
            .allocation
            .iter()
            .flat_map(|allocation| &allocation.devices.results);
        results.any(|result| !result.binding_conditions.is_empty())
    }

    /// Whether the scheduler made it for extended resources.
    pub fn is_for_extended_resources(&self) -> bool {
        self.metadata.annotation(EXTENDED_RESOURCE_CLAIM) == Some("true")
    }
}

impl DeviceClaim {
    /// Fills in what the API server does (DRA-008).
    pub(crate) fn set_defaults(&mut self) {
        for request in &mut self.requests {
            if let Some(exactly) = &mut request.exactly {
                default_mode(&mut exactly.allocation_mode, &mut exactly.count);
                default_operators(&mut exactly.tolerations);
            }
            for sub in &mut request.first_available {
                default_mode(&mut sub.allocation_mode, &mut sub.count);
                default_operators(&mut sub.tolerations);
            }
        }
    }
}

fn default_mode(mode: &mut Str, count: &mut Option<i64>) {
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
