//! Changes with which a pending pod could be scheduled (S-15), as data: the scheduler computes them, the page and
//! kubectl print them.

use serde::{Deserialize, Serialize};

/// A change with which a pending pod could be scheduled; the scheduler has tested it on a copy of the cluster.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Change {
    /// Uncordon a node (`kubectl uncordon`).
    Uncordon { node: String },
    /// Remove a taint from a node.
    Untaint {
        node: String,
        key: String,
        /// The taint's value; may be empty.
        value: String,
        effect: String,
    },
    /// Remove the pod's scheduling gates.
    Ungate { gates: Vec<String> },
    /// Set `nodeTaintsPolicy: Honor`, so that nodes whose taints the pod does not tolerate are not counted.
    HonorTaints {
        /// Index of the pod's spread constraint.
        index: usize,
        topology_key: String,
    },
    /// Add a toleration to the pod.
    Tolerate {
        key: String,
        /// The taint's value; may be empty.
        value: String,
        effect: String,
    },
    /// Reduce a container's resource request; `from` and `to` are the sums of the whole pod.
    Shrink {
        resource: String,
        /// The amount that the pod requests now.
        from: String,
        /// The largest amount that fits, rounded down to a round number.
        to: String,
        /// The container whose request is reduced.
        container: String,
        /// The new request of that container.
        request: String,
        /// Whether the limit must be reduced as well, so that the pod keeps its QoS class.
        with_limit: bool,
    },
    /// Increase `maxSkew` of a spread constraint.
    MaxSkew {
        /// Index of the pod's spread constraint.
        index: usize,
        topology_key: String,
        /// The smallest value of `maxSkew` with which a node fits.
        to: i32,
    },
    /// Reduce `minDomains` of a spread constraint.
    MinDomains {
        /// Index of the pod's spread constraint.
        index: usize,
        topology_key: String,
        /// The number of existing topology domains.
        to: i32,
    },
    /// Replace DoNotSchedule with ScheduleAnyway in a spread constraint.
    Soften {
        /// Index of the pod's spread constraint.
        index: usize,
        topology_key: String,
    },
    /// Remove a rule from the pod's spec.
    Drop {
        /// Field path of the rule.
        field: String,
    },
    /// Remove the pod's request for a resource.
    DropRequest { resource: String },
    /// Change the pod's priority.
    Priority {
        /// A PriorityClass with the new priority; empty if there is none.
        class: String,
        value: i32,
    },
    /// Replace preemptionPolicy Never with PreemptLowerPriority.
    AllowPreemption,
    /// Set `schedulerName` to a scheduler that is running.
    Scheduler {
        /// The scheduler's name.
        to: String,
    },
    /// Delete a pod, so that its resources become free.
    DeletePod {
        /// `namespace/name`.
        pod: String,
        /// The node on which the deleted pod runs.
        node: String,
        /// The kind of the controller that would recreate the pod; empty if no controller would.
        remade_by: String,
    },
    /// Add a label to a node.
    Label {
        node: String,
        /// The label's key.
        key: String,
        value: String,
    },
    /// Add an extended resource to a node, as a device plugin does.
    Offer {
        node: String,
        resource: String,
        /// The node's new amount of the resource.
        amount: String,
    },
    /// Create a pod that the required pod affinity can match.
    AddPod {
        pod: String,
        namespace: String,
        /// The labels of the new pod, as `KEY=VALUE,…`.
        labels: String,
    },
    /// Change the spec of a ResourceClaim that is not allocated. The spec is immutable, so the claim must be deleted
    /// and created again.
    Claim {
        /// `namespace/name`.
        claim: String,
        /// The request that changes: `request`, or `request/subrequest` in a prioritized list; empty for the whole
        /// claim.
        request: String,
        edit: ClaimEdit,
    },
    /// Delete an allocated ResourceClaim that no pod uses.
    DeleteClaim {
        /// `namespace/name`.
        claim: String,
    },
    /// Add a node with the same devices as an existing node; all its devices are free.
    AddNodeWithDevices {
        node: NewNode,
        /// The drivers of the node's devices.
        drivers: Vec<String>,
        /// Whether the command `fault join --like` copies the devices too. It does so only if the existing node lists
        /// its devices in an annotation.
        is_scripted: bool,
    },
    /// Add a node with the same properties as an existing node.
    AddNode {
        node: NewNode,
        /// The topology label that the node needs; empty if its location does not matter.
        topology_key: String,
        /// The value of the topology label; empty for a new domain.
        domain: String,
        /// The PersistentVolume that must be reachable from the node; empty if there is none.
        volume: String,
        /// Resources of which the new node needs more than any existing node has, as `RESOURCE=AMOUNT,…`.
        more: String,
    },
}

/// A change of a ResourceClaim's spec.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ClaimEdit {
    /// Request fewer devices: `to` is the largest number that fits.
    Count { from: usize, to: usize },
    /// Remove this selector of the request.
    Selector(String),
    /// Add a toleration of this device taint, `KEY=VALUE:EFFECT`.
    Toleration(String),
    /// Remove the requests for device capacity.
    Capacity,
    /// Remove the constraint on this attribute.
    Constraint(String),
}

/// The node that would be added to the cluster.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NewNode {
    pub name: String,
    /// The existing node that the new node copies; empty in a cluster without nodes.
    pub like: String,
    /// Taints of the copied node that the new node does not have.
    pub without: Vec<String>,
    /// Labels of the new node except those that every kubelet sets, as `KEY=VALUE,…`.
    pub labels: String,
    /// Allocatable resources of the new node, as `RESOURCE=AMOUNT,…`.
    pub capacity: String,
}

/// Result of a suggested change, according to the scheduler.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ChangeEffect {
    /// The number of nodes that can run the pod after the change.
    Fits(usize),
    /// The pod would preempt these pods on this node.
    Ends {
        /// `namespace/name` of each preempted pod.
        victims: Vec<String>,
        node: String,
    },
}
