//! The explanation of a scheduling decision as data (S-14). The scheduler produces it; the page and the command line
//! turn it into sentences. Text from a plugin is kept verbatim.

use serde::{Deserialize, Serialize};

/// The outcome for a pod, in one sentence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DecisionSummary {
    /// `namespace/name`.
    pub pod: String,
    pub outcome: DecisionOutcome,
}

/// What a plugin says about its score for a node, where the number alone does not explain it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ScoreNote {
    /// How evenly the node's resources are used, from 0 to 100, without the pod and with it.
    Evenness { without: i64, with: i64 },
}

/// How a decision ended, with the values that its sentence needs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum DecisionOutcome {
    /// The scheduling cycle failed; kube-scheduler's own text.
    Failed(String),
    /// Only one node can run the pod.
    OnlyNode {
        node: String,
        /// Number of nodes in the cluster.
        of: usize,
    },
    /// One node has the highest score.
    Best {
        node: String,
        /// Number of nodes that can run the pod.
        fit: usize,
        /// Number of nodes in the cluster.
        of: usize,
    },
    /// `among` nodes have the same highest score, and a random draw chose this one.
    Drawn { node: String, among: usize },
    /// These nodes have the same highest score; the random draw has not happened yet.
    ToBeDrawn { among: Vec<String> },
    /// No node can run the pod.
    Waits {
        cause: WaitsBecause,
        /// Nodes where preemption would make room for the pod.
        room: Option<Room>,
    },
}

/// Why no node can run a pod.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum WaitsBecause {
    /// The cluster has no nodes.
    NoNodes,
    /// The pod was refused before any node was examined; kube-scheduler's own text.
    WhateverTheNode(String),
    /// Every node was refused.
    Refused(RefusedNodes),
}

/// The reasons why nodes were refused, counted.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RefusedNodes {
    /// Number of nodes in the cluster.
    pub nodes: usize,
    /// Reasons, the most frequent first. A node with two reasons counts for both.
    pub causes: Vec<Cause>,
}

/// A reason why a group of nodes cannot run the pod.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cause {
    /// Number of nodes with this reason.
    pub nodes: usize,
    /// In a conclusion, the plugin's description of such nodes: `too full for its requests`. In a queue, the plugin's
    /// reason in two or three words: `Insufficient cpu`.
    pub text: String,
}

/// Room that preempting pods of lower priority would make.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Room {
    /// Number of pods to preempt.
    pub victims: usize,
    /// The candidate nodes; preemption on one of them suffices.
    pub nodes: Vec<String>,
}

/// Why the chosen node was preferred.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum WinReason {
    /// It was the only feasible node, so nothing was scored.
    OnlyNode,
    /// It has a higher score than any other node.
    Ahead {
        points: i64,
        /// The node with the second-highest score.
        next: String,
        next_points: i64,
        /// The plugins that contribute most to the difference, largest first.
        leads: Vec<Lead>,
    },
    /// Several nodes share the highest score.
    Tie {
        nodes: usize,
        points: i64,
        /// The node that the random draw chose; None if there was no draw.
        chosen: Option<String>,
    },
}

/// The points by which one plugin prefers the chosen node to the next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lead {
    pub points: i64,
    /// The plugin's name in Kubernetes.
    pub plugin: String,
    /// What the plugin evaluates, in its own words.
    pub about: String,
}

/// A node search that stopped early (`percentageOfNodesToScore`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sampling {
    pub examined: usize,
    /// All nodes of the cluster.
    pub nodes: usize,
    /// The number of feasible nodes at which the search stops.
    pub wanted: usize,
}

/// Why a node cannot run a pod.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Refusal {
    /// A plugin refused the node.
    Plugin {
        /// The plugin's name in Kubernetes.
        name: String,
        /// The plugin's own text, with numbers.
        text: String,
    },
    /// The pod's node affinity names other nodes, so no plugin was asked about this one.
    NotNamed,
}

impl Refusal {
    /// The plugin that refused, if one did.
    pub fn plugin(&self) -> Option<&str> {
        match self {
            Self::Plugin { name, .. } => Some(name),
            Self::NotNamed => None,
        }
    }
}

/// Result of preemption for a pod that no node can run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum PreemptionResult {
    /// Preemption was not attempted.
    NotEligible(NotEligible),
    /// Preemption does not help on any node.
    NoCandidate,
    /// Preemption would make room on some nodes.
    Found {
        /// Number of candidate nodes.
        candidates: usize,
        /// The rule that selected one of them.
        criterion: Criterion,
    },
}

/// Why preempting pods of lower priority on a node would not let the pod run there (SCH-095, SCH-097).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum NotHelpful {
    /// The obstacle is not another pod; the plugin's own text.
    Other(String),
    /// No pod on the node has a lower priority.
    NoVictims,
    /// A plugin still refuses the node without all pods of lower priority: its name, and kube-scheduler's reason.
    StillRefused(String, String),
}

/// A node, and why preemption does not help there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotHelpedNode {
    pub node: String,
    pub why: NotHelpful,
}

/// Why a pod may not preempt now (SCH-094).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum NotEligible {
    /// The pod has `preemptionPolicy: Never`.
    Never,
    /// Victims of an earlier preemption are still terminating.
    Terminating,
}

/// The rule that selected one preemption candidate (SCH-102).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Criterion {
    /// There was only one candidate.
    OnlyCandidate,
    /// Fewest PodDisruptionBudget violations.
    FewestPdbViolations,
    /// The highest priority among the victims is lowest.
    LowestHighestPriority,
    /// The sum of the victims' priorities is lowest.
    LowestPrioritySum,
    FewestVictims,
    /// The start time of the highest-priority victims is latest.
    LatestStart,
    /// All rules were tied; any candidate is taken.
    Tie,
}

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
