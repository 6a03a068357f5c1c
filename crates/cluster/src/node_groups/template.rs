//! Templates of machines: the properties with which their kubelets register, copied from an existing Node or declared
//! by a node group.

use std::sync::Arc;

use podscope_api::condition_taints::CONDITION_TAINTS;
use podscope_api::well_known::{label, taint};
use podscope_api::{CsiNode, DEVICES_ANNOTATION, Node, NodeName, ResourceList, Str, Taint, ordered};

use super::NodeGroup;
use crate::Objects;
use crate::kubelet::default_labels;
use crate::machine::Machine;

/// Taints that reflect the present state of a Node, besides those of its conditions.
const STATE_TAINTS: [&str; 4] = [
    taint::UNSCHEDULABLE,
    taint::OUT_OF_SERVICE,
    taint::TO_BE_DELETED,
    taint::DELETION_CANDIDATE,
];
/// Prefixes of the keys of taints that new nodes have only while they start, or that report a state (CA-005).
const STATE_TAINT_PREFIXES: [&str; 3] = [
    "ignore-taint.cluster-autoscaler.kubernetes.io/",
    "startup-taint.cluster-autoscaler.kubernetes.io/",
    "status-taint.cluster-autoscaler.kubernetes.io/",
];

/// Properties with which the kubelets of new machines register their Nodes.
#[derive(Debug, Clone, Default)]
pub(crate) struct MachineTemplate {
    pub(crate) labels: ordered::Map<Str, Str>,
    /// Overrides of the scenario's default capacity.
    pub(crate) capacity: ResourceList,
    /// Resources that the kubelet reserves.
    reserved: ResourceList,
    taints: Vec<Taint>,
    kubelet_version: Str,
    pub(crate) csi: Option<Arc<CsiNode>>,
    /// Description of the devices, as in the annotation `podscope.dev/devices`; empty if there are none.
    devices: Str,
}

impl MachineTemplate {
    /// Returns the template for machines with the properties of an existing Node.
    pub(crate) fn of_existing_node(objects: &Objects, node: &Node) -> Self {
        let own_name = &node.metadata.name;
        // Labels whose value is the name of the original node, such as the hostname, are not copied.
        let labels = node.metadata.labels.iter().filter(|(_, value)| *value != own_name);
        let is_state_taint = |taint: &Taint| {
            CONDITION_TAINTS.iter().any(|row| row.taint == &*taint.key)
                || STATE_TAINTS.contains(&&*taint.key)
                || STATE_TAINT_PREFIXES.iter().any(|begin| taint.key.starts_with(begin))
        };
        let reserved = node.status.capacity.iter().filter_map(|(name, total)| {
            let allocatable = node.status.allocatable.get(name)?;
            (allocatable < total).then(|| (name.clone(), total.minus(*allocatable)))
        });
        let info = node.status.node_info.as_ref();
        Self {
            labels: labels.map(|(key, value)| (key.clone(), value.clone())).collect(),
            capacity: node.status.capacity.clone(),
            reserved: reserved.collect(),
            taints: node
                .spec
                .taints
                .iter()
                .filter(|taint| !is_state_taint(taint))
                .cloned()
                .collect(),
            kubelet_version: info.map(|info| info.kubelet_version.clone()).unwrap_or_default(),
            csi: objects.named::<CsiNode>(own_name).cloned(),
            devices: node.metadata.annotation(DEVICES_ANNOTATION).unwrap_or_default().into(),
        }
    }

    /// Adds the properties that a node group sets, and the label of the group.
    pub(super) fn apply_node_group(&mut self, group: &NodeGroup, default_capacity: &ResourceList) {
        let labels = group.labels.iter().map(|(key, value)| (key.clone(), value.clone()));
        self.labels.extend(labels);
        self.labels.insert(label::NODE_GROUP.into(), group.name.clone());
        for (name, amount) in default_capacity {
            self.capacity.entry(name.clone()).or_insert(*amount);
        }
        for (name, amount) in &group.capacity {
            self.capacity.insert(name.clone(), *amount);
            self.reserved.remove(name);
        }
        for taint in &group.taints {
            self.taints
                .retain(|known| known.key != taint.key || known.effect != taint.effect);
            self.taints.push(taint.clone());
        }
    }

    /// Creates a machine from this template; `default_capacity` applies where the template sets none.
    pub(crate) fn machine(&self, name: &NodeName, default_capacity: &ResourceList) -> Machine {
        let mut capacity = default_capacity.clone();
        capacity.extend(self.capacity.iter().map(|(name, amount)| (name.clone(), *amount)));
        let mut machine = Machine::new(name.clone(), self.labels.clone(), capacity);
        machine.configure_kubelet(self.reserved.clone(), self.taints.clone());
        machine.install_kubelet(self.kubelet_version.clone());
        machine.set_device_description(self.devices.clone());
        machine
    }

    /// Returns the Node that the kubelet of a machine with this template registers; only the properties that the
    /// scheduler reads are set.
    pub(crate) fn node(self, name: &str) -> Node {
        let mut node = Node::default();
        node.metadata.name = name.into();
        let mut labels = self.labels;
        for (key, value) in default_labels(name) {
            labels.entry(key.into()).or_insert_with(|| value.into());
        }
        node.metadata.labels = Arc::new(labels);
        node.spec.taints = self.taints;
        node.status.allocatable = self.capacity.clone();
        for (name, reserved) in &self.reserved {
            if let Some(amount) = node.status.allocatable.get_mut(name) {
                *amount = amount.minus(*reserved);
            }
        }
        node.status.capacity = self.capacity;
        let version = match &*self.kubelet_version {
            "" => podscope_api::KUBERNETES_VERSION,
            version => version,
        };
        node.status.declared_features = podscope_api::features::declared_by(version);
        node
    }
}
