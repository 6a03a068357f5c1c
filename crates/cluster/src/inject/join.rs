//! `fault join`: new machines, each with a kubelet that registers its Node. A machine created like an existing Node
//! gets the properties with which that Node's machine would register, like the machines of a cloud's node group.

use std::sync::Arc;

use podscope_api::fault::FaultKind;
use podscope_api::well_known::label;
use podscope_api::{CsiNode, Node, NodeName, Object};

use super::{PROCESS_START_DELAY, fault_record};
use crate::node_groups::{MachineTemplate, node_groups};
use crate::world::NodeState;
use crate::{Actor, Sink, World};

impl World {
    /// Returns the template for machines like that of an existing Node.
    pub(super) fn machine_template_like(&self, like: &NodeName) -> Result<MachineTemplate, String> {
        let node = (self.objects().named::<Node>(like.as_str()))
            .ok_or_else(|| format!("there is no Node called {:?}", like.as_str()))?;
        Ok(MachineTemplate::of_existing_node(self.objects(), node))
    }

    /// Adds a machine of a declared node group.
    pub(crate) fn join_group(
        &mut self,
        by: &Actor,
        node: &NodeName,
        group: &str,
        sink: &mut dyn Sink,
    ) -> Result<(), String> {
        let groups = node_groups(self.objects(), &self.node_groups);
        let group = groups.iter().find(|known| *known.group.name == *group);
        let group = group.ok_or_else(|| format!("there is no node group of {:?}", node.as_str()))?;
        let template = group.template(self.objects(), &self.default_capacity);
        self.join(by, std::slice::from_ref(node), &template, sink)
    }

    /// Adds machines with these names; adds none if one of the names is taken.
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
            self.join_machine(by, node, template, sink);
        }
        Ok(())
    }

    /// Adds a machine that is built from the template, and starts its kubelet.
    fn join_machine(&mut self, by: &Actor, node: &NodeName, template: &MachineTemplate, sink: &mut dyn Sink) {
        let zone = template.labels.get(label::ZONE).cloned();
        let machine = template.machine(node, &self.default_capacity);
        self.nodes
            .insert_mut(node.clone(), NodeState::new(node, machine, zone, self.seed));
        self.emit_node_record(by, fault_record(FaultKind::Join), node, sink);
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
        self.start_kubelet(node, PROCESS_START_DELAY);
        self.update_proxy_of_machine(node);
    }
}
