//! The devices of a pod's claims in an explanation: which devices each request gets, and why the other devices are
//! unsuitable.

use serde::{Deserialize, Serialize};

/// The devices of a pod's ResourceClaims on one node: which devices each request gets, and why the other devices are
/// unsuitable (DRA-139 to DRA-170).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct NodeDevices {
    pub requests: Vec<RequestDevices>,
    /// Pools from which no device can be allocated on this node.
    pub unusable_pools: Vec<UnusablePool>,
    /// kube-scheduler's own text for an error that fails the whole scheduling cycle.
    pub error: Option<String>,
}

/// A request of a claim, or one alternative of a prioritized list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestDevices {
    /// `namespace/name` of the claim.
    pub claim: String,
    /// `request`, or `request/subrequest` in a prioritized list.
    pub request: String,
    /// The device class.
    pub class: String,
    pub outcome: RequestOutcome,
    /// The devices that the request gets. For a request that gets too few: the largest number of devices that can be
    /// allocated together.
    pub gets: Vec<DeviceShare>,
    /// Groups of unsuitable devices, each with a common reason.
    pub unsuitable: Vec<UnsuitableDevices>,
}

/// How the search for a request's devices ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum RequestOutcome {
    /// The request gets all requested devices.
    Complete,
    /// The request gets fewer devices than it requests.
    TooFew {
        /// Number of requested devices; `None` for all matching devices.
        asks: Option<usize>,
    },
    /// This alternative of a prioritized list would get all its devices, but then another request would get too few, so
    /// the alternative is not used.
    PassedOver,
    /// The claim was allocated before, and the node can use its devices.
    Allocated,
    /// The claim was allocated before, and the node cannot use its devices: they belong to other nodes, or their
    /// binding conditions failed.
    AllocatedElsewhere,
}

/// The identity of a device: its driver, its pool, and its name in the pool.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct DeviceName {
    pub driver: String,
    pub pool: String,
    pub device: String,
}

/// A device that a request gets, or its share of a shareable device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceShare {
    pub device: DeviceName,
    /// Capacity of a shareable device that the request consumes.
    pub consumes: Vec<CapacityAmount>,
    /// Counters, shared with other devices, that the device consumes.
    pub counters: Vec<CounterUse>,
}

/// An amount of one capacity of a device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CapacityAmount {
    pub name: String,
    pub amount: String,
}

/// The amount of one shared counter that a device consumes (DRA-160).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CounterUse {
    pub counter_set: String,
    pub counter: String,
    /// The amount that the device consumes.
    pub takes: String,
    /// The amount of the counter that remains. If a request gets this device, this is the amount after its
    /// allocation, otherwise the amount before it.
    pub left: String,
}

/// Devices that are unsuitable for a request, for one reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnsuitableDevices {
    pub devices: Vec<DeviceName>,
    pub why: DeviceObstacle,
}

/// Why a device is unsuitable: the first check of the allocator that fails (DRA-143).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum DeviceObstacle {
    /// The device is allocated to a claim.
    InUse {
        /// `namespace/name` of the claim, or the UID of the claim while its allocation is not stored yet.
        claim: String,
        /// Names of the pods for which the claim is reserved.
        pods: Vec<String>,
    },
    /// Another request of the pod gets the device.
    TakenBy { claim: String, request: String },
    /// A CEL selector excludes the device.
    NotSelected {
        selector: DeviceSelectorPlace,
        expression: String,
    },
    /// A CEL selector cannot be evaluated for the device.
    SelectorError {
        selector: DeviceSelectorPlace,
        expression: String,
        error: String,
    },
    /// The device cannot be used from this node.
    OtherNode,
    /// The device has no capacity of the requested name.
    NoSuchCapacity { name: String },
    /// The request policy of the device's capacity does not allow this amount.
    CapacityPolicy(CapacityAmount),
    /// Other claims that share the device leave too little capacity.
    Capacity { asks: CapacityAmount, left: String },
    /// A shared counter has too little left.
    Counter(CounterUse),
    /// The request does not tolerate a taint of the device.
    Taint { key: String, value: String, effect: String },
    /// The device lacks the attribute that a constraint compares.
    NoAttribute { attribute: String },
    /// The device's attribute differs from that of the devices already selected (`matchAttribute`).
    Differs {
        attribute: String,
        value: String,
        /// The attribute's value on the devices already selected.
        wanted: String,
    },
    /// The device's attribute equals that of a device already selected (`distinctAttribute`).
    Repeats { attribute: String, value: String },
    /// The device alone is suitable, but with it another request would get too few devices.
    LeavesTooFew,
}

/// The object whose list holds a CEL selector; `index` is the position in that list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum DeviceSelectorPlace {
    /// The selectors of the device class.
    Class { class: String, index: usize },
    /// The selectors of the request in the claim.
    Request { index: usize },
}

/// A pool from which no device can be allocated (DRA-134, DRA-136).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UnusablePool {
    pub driver: String,
    pub pool: String,
    /// True if some slices of the pool are missing; false if the slices contradict each other.
    pub is_incomplete: bool,
}
