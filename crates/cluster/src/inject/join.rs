//! `fault join`: new machines, each with a kubelet that registers its Node. A machine created like an existing Node
//! gets the properties with which that Node's machine would register, like the machines of a cloud's node group.

use std::sync::Arc;

use podscope_api::condition_taints::CONDITION_TAINTS;
use podscope_api::well_known::{label, taint};
use podscope_api::{CsiNode, DEVICES_ANNOTATION, Node, NodeName, Object, ResourceList, Str, Taint, ordered};
use podscope_sim::FaultKind;

use super::{START_DELAY, fault_record};
use crate::machine::Machine;
use crate::world::NodeState;
use crate::{Actor, Sink, World};

/// Taints that reflect the present state of a Node, besides those of its conditions.
const STATE_TAINTS: [&str; 2] = [taint::UNSCHEDULABLE, taint::OUT_OF_SERVICE];

/// Properties of new machines.
#[derive(Debug, Clone, Default)]
pub(super) struct MachineTemplate {
    pub(super) labels: ordered::Map<Str, Str>,
    /// Overrides of the scenario's default capacity.
    pub(super) capacity: ResourceList,
    /// Resources that the kubelet reserves.
    reserved: ResourceList,
    taints: Vec<Taint>,
    kubelet_version: Str,
    csi: Option<Arc<CsiNode>>,
    /// Description of the devices; empty if there are none.
    devices: Str,
}

impl World {
    /// The template for machines like those of an existing Node.
    pub(super) fn template_of(&self, like: &NodeName) -> Result<MachineTemplate, String> {
        let node = (self.objects().named::<Node>(like.as_str()))
            .ok_or_else(|| format!("there is no Node called {:?}", like.as_str()))?;
        // Labels whose value is the name of the original node, such as the hostname, are not copied.
        let is_own_name = |value: &Str| **value == *like.as_str();
        let labels = node.metadata.labels.iter().filter(|(_, value)| !is_own_name(value));
        let is_state_taint = |taint: &Taint| {
            CONDITION_TAINTS.iter().any(|row| row.taint == &*taint.key) || STATE_TAINTS.contains(&&*taint.key)
        };
        let reserved = node.status.capacity.iter().filter_map(|(name, total)| {
            let allocatable = node.status.allocatable.get(name)?;
            (allocatable < total).then(|| (name.clone(), total.minus(*allocatable)))
        });
        let info = node.status.node_info.as_ref();
        Ok(MachineTemplate {
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
            csi: self.objects().named::<CsiNode>(like.as_str()).cloned(),
            devices: node.metadata.annotation(DEVICES_ANNOTATION).unwrap_or_default().into(),
        })
    }

    /// Adds machines of those names: all of them, or none if a name is taken.
    pub(super) fn join(
        &mut self,
        by: &Actor,
        nodes: &[NodeName],
        template: &MachineTemplate,
        sink: &mut dyn Sink,
    ) -> Result<(), String> {
        if let Some(known) = nodes.iter().find(|node| self.nodes.contains_key(*node)) {
            return Err(format!("there is already a machine called {:?}", known.as_str()));
        }
        let cause = self.queue.cause();
        for node in nodes {
            self.queue.set_cause(cause);
            self.join_one(by, node, template, sink);
        }
        Ok(())
    }

    fn join_one(&mut self, by: &Actor, node: &NodeName, template: &MachineTemplate, sink: &mut dyn Sink) {
        let labels = template.labels.clone();
        let mut capacity = ResourceList::clone(&self.default_capacity);
        capacity.extend(template.capacity.iter().map(|(name, amount)| (name.clone(), *amount)));
        let zone = labels.get(label::ZONE).cloned();
        let mut machine = Machine::new(node.clone(), labels, capacity);
        machine.reserve(template.reserved.clone(), template.taints.clone());
        machine.install_kubelet(template.kubelet_version.clone());
        machine.describe_devices(template.devices.clone());
        self.nodes
            .insert_mut(node.clone(), NodeState::new(node, machine, zone, self.seed));
        self.emit_node(by, fault_record(FaultKind::Join), node, sink);
        if let Some(csi) = &template.csi {
            let mut csi = CsiNode::clone(csi);
            csi.metadata = podscope_api::ObjectMeta {
                name: node.0.clone(),
                ..Default::default()
            };
            for driver in &mut csi.spec.drivers {
                driver.node_id = node.0.clone();
            }
            self.import(Object::CsiNode(Arc::new(csi)));
        }
        self.start_kubelet(node, START_DELAY);
        self.update_proxy_of_machine(node);
    }
}
