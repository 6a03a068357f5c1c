//! What would help a pending pod (S-15), as data: the scheduler finds it, and the page is told.

use serde::{Deserialize, Serialize};

/// A change that was tried.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Change {
    /// `kubectl uncordon`.
    Uncordon { node: String },
    /// A taint taken off a node.
    Untaint {
        node: String,
        key: String,
        /// Value, may be empty.
        value: String,
        effect: String,
    },
    /// The scheduling gates taken off the pod.
    Ungate { gates: Vec<String> },
    /// `nodeTaintsPolicy: Honor`: nodes that the pod does not tolerate do not count.
    HonorTaints {
        /// Which constraint of the pod.
        index: usize,
        topology_key: String,
    },
    /// One more toleration.
    Tolerate {
        key: String,
        /// Value, may be empty.
        value: String,
        effect: String,
    },
    /// A smaller request (of the whole pod).
    Shrink {
        resource: String,
        /// What it asks for now.
        from: String,
        /// The largest amount that fits, rounded down to what people write.
        to: String,
        /// The container that gives up the difference.
        container: String,
        /// What that one requests then.
        request: String,
        /// Whether its limit has to follow, so that the pod stays of its class of service.
        with_limit: bool,
    },
    /// A larger maxSkew.
    MaxSkew {
        /// Which constraint of the pod.
        index: usize,
        topology_key: String,
        /// The smallest value that fits.
        to: i32,
    },
    /// A smaller minDomains.
    MinDomains {
        /// Which constraint of the pod.
        index: usize,
        topology_key: String,
        /// How many domains there are.
        to: i32,
    },
    /// ScheduleAnyway instead of DoNotSchedule.
    Soften {
        /// Which constraint of the pod.
        index: usize,
        topology_key: String,
    },
    /// A rule of the pod's spec left out.
    Drop {
        /// Field path.
        field: String,
    },
    /// A request left out.
    DropRequest { resource: String },
    /// Another priority.
    Priority {
        /// The PriorityClass, if one has that value.
        class: String,
        value: i32,
    },
    /// PreemptLowerPriority instead of Never.
    AllowPreemption,
    /// A scheduler that runs, instead of one that does not.
    Scheduler {
        /// Its name.
        to: String,
    },
    /// One pod less.
    DeletePod {
        /// `namespace/name`.
        pod: String,
        /// Where it runs.
        node: String,
        /// The kind of its controller, which makes another one; empty where there is none.
        remade_by: String,
    },
    /// A label that a node lacks.
    Label {
        node: String,
        /// The label.
        key: String,
        value: String,
    },
    /// A resource that a device plugin would bring to a node.
    Offer {
        node: String,
        resource: String,
        /// How much of it the node then has.
        amount: String,
    },
    /// A pod that required affinity asks for.
    AddPod {
        /// Its name.
        pod: String,
        namespace: String,
        /// Its labels, `KEY=VALUE,…`.
        labels: String,
    },
    /// One more node.
    AddNode {
        node: NewNode,
        /// The label that says where; empty if that does not matter.
        topology_key: String,
        /// Its value; empty for one that no node has yet.
        domain: String,
        /// The PersistentVolume that can be reached there, if it is for one.
        volume: String,
        /// What it has more of than any node that is there, `RESOURCE=AMOUNT,…`.
        more: String,
    },
}

/// A node that would join.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NewNode {
    pub name: String,
    /// The node that it is like; empty in a cluster without nodes.
    pub like: String,
    /// Taints of that one that it does not have.
    pub without: Vec<String>,
    /// Its labels, but for those that every kubelet sets: `KEY=VALUE,…`.
    pub labels: String,
    /// What pods may use of it: `RESOURCE=AMOUNT,…`.
    pub capacity: String,
}

/// What comes of a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Then {
    /// So many nodes can take the pod.
    Fits(usize),
    /// It would end these on that node.
    Ends {
        /// `namespace/name` of each.
        victims: Vec<String>,
        node: String,
    },
}
