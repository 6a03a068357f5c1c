//! The devices of a pod's claims in an explanation: what each request gets, and why other devices do not do.

use serde::{Deserialize, Serialize};

/// The devices of a pod's ResourceClaims on one node: which device each request gets, and why other devices do not do
/// (DRA-139 to DRA-170).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct NodeDevices {
    pub requests: Vec<RequestDevices>,
    /// Pools of which the node can take no device.
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
    /// The devices that the request gets. For a request that gets too few, the largest number that fits together.
    pub gets: Vec<DeviceShare>,
    /// Groups of devices that do not do, with their common reason.
    pub unsuitable: Vec<UnsuitableDevices>,
}

/// How the search for a request's devices ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum RequestOutcome {
    /// It gets all devices that it asks for.
    Complete,
    /// It gets fewer devices than it asks for.
    TooFew {
        /// The number that it asks for; `None` for all matching devices.
        asks: Option<usize>,
    },
    /// An alternative that gets all devices that it asks for, but with it another request would get too few.
    PassedOver,
    /// The claim was allocated before, and the node can use its devices.
    Allocated,
    /// The claim was allocated before, and the node cannot use its devices: they belong to other nodes, or their
    /// binding conditions failed.
    AllocatedElsewhere,
}

/// Identity of a device.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct DeviceName {
    pub driver: String,
    pub pool: String,
    pub device: String,
}

/// A device that a request gets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceShare {
    pub device: DeviceName,
    /// Capacity that the request consumes of a shareable device.
    pub consumes: Vec<Amount>,
    /// Shared counters that the device consumes.
    pub counters: Vec<CounterUse>,
}

/// An amount of a named capacity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Amount {
    pub name: String,
    pub amount: String,
}

/// The use of one shared counter by a device (DRA-160).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CounterUse {
    pub counter_set: String,
    pub counter: String,
    /// The amount that the device takes of the counter.
    pub takes: String,
    /// For a device that a request gets: what is left afterwards. Otherwise: what is left without it.
    pub left: String,
}

/// Devices that do not do for a request, for one reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnsuitableDevices {
    pub devices: Vec<DeviceName>,
    pub why: DeviceObstacle,
}

/// The first test of the allocator that a device does not pass (DRA-143).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum DeviceObstacle {
    /// It is allocated to a claim.
    InUse {
        /// `namespace/name` of the claim; its UID while the allocation is not written yet.
        claim: String,
        /// Names of the pods for which the claim is reserved.
        pods: Vec<String>,
    },
    /// Another request of the pod takes it.
    TakenBy { claim: String, request: String },
    /// A selector excludes it.
    NotSelected {
        selector: DeviceSelectorPlace,
        expression: String,
    },
    /// A selector cannot be evaluated on it.
    SelectorError {
        selector: DeviceSelectorPlace,
        expression: String,
        error: String,
    },
    /// It cannot be used from this node.
    OtherNode,
    /// It has no capacity of the requested name.
    NoSuchCapacity { name: String },
    /// The request policy of the capacity does not allow the amount.
    CapacityPolicy(Amount),
    /// Other shares leave too little capacity.
    Capacity { asks: Amount, left: String },
    /// A shared counter has too little left.
    Counter(CounterUse),
    /// The request does not tolerate its taint.
    Taint { key: String, value: String, effect: String },
    /// It lacks the attribute of a constraint.
    NoAttribute { attribute: String },
    /// Its attribute differs from that of the devices taken before (`matchAttribute`).
    Differs {
        attribute: String,
        value: String,
        /// The value of the devices taken before.
        wanted: String,
    },
    /// Its attribute equals that of a device taken before (`distinctAttribute`).
    Repeats { attribute: String, value: String },
    /// It does by itself, but with it some other request would lack devices.
    LeavesTooFew,
}

/// The list that holds a CEL selector.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum DeviceSelectorPlace {
    /// That of the device class.
    Class { class: String, index: usize },
    /// That of the request in the claim.
    Request { index: usize },
}

/// A pool of which no device can be taken (DRA-134, DRA-136).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UnusablePool {
    pub driver: String,
    pub pool: String,
    /// True if not all slices of the pool are published; false if they contradict each other.
    pub is_incomplete: bool,
}
