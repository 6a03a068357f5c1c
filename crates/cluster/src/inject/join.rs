//! `fault join`: machines that are brought, each with a kubelet that registers its Node. One that is like a Node of the
//! cluster gets what that Node's own machine would register with, as a node group of a cloud makes them.

use std::sync::Arc;

use podscope_api::condition_taints::CONDITION_TAINTS;
use podscope_api::{CsiNode, Node, NodeName, Object, ResourceList, Str, Taint, ordered};
use podscope_sim::FaultKind;

use super::{START_DELAY, broken};
use crate::machine::Machine;
use crate::world::NodeState;
use crate::{Actor, Sink, World};

/// Taints that a Node has for what became of it, beside those of its conditions.
const PASSING_TAINTS: [&str; 2] = ["node.kubernetes.io/unschedulable", "node.kubernetes.io/out-of-service"];

/// What machines are made of.
#[derive(Debug, Clone, Default)]
pub(super) struct Mold {
    pub(super) labels: ordered::Map<Str, Str>,
    /// What is not named here is the scenario's.
    pub(super) capacity: ResourceList,
    /// What a kubelet reserves of the capacity.
    reserved: ResourceList,
    taints: Vec<Taint>,
    kubelet_version: Str,
    csi: Option<Arc<CsiNode>>,
}

impl World {
    /// What a Node's machine is made of.
    pub(super) fn mold_of(&self, like: &NodeName) -> Result<Mold, String> {
        let node = (self.objects().named::<Node>(like.as_str()))
            .ok_or_else(|| format!("there is no Node called {:?}", like.as_str()))?;
        // Labels that hold its name are those of the copy.
        let own = |value: &Str| **value == *like.as_str();
        let labels = node.metadata.labels.iter().filter(|(_, value)| !own(value));
        let passes = |taint: &Taint| {
            CONDITION_TAINTS.iter().any(|row| row.taint == &*taint.key) || PASSING_TAINTS.contains(&&*taint.key)
        };
        let reserved = node.status.capacity.iter().filter_map(|(name, has)| {
            let gives = node.status.allocatable.get(name)?;
            (gives < has).then(|| (name.clone(), has.minus(*gives)))
        });
        let info = node.status.node_info.as_ref();
        Ok(Mold {
            labels: labels.map(|(key, value)| (key.clone(), value.clone())).collect(),
            capacity: node.status.capacity.clone(),
            reserved: reserved.collect(),
            taints: node
                .spec
                .taints
                .iter()
                .filter(|taint| !passes(taint))
                .cloned()
                .collect(),
            kubelet_version: info.map(|info| info.kubelet_version.clone()).unwrap_or_default(),
            csi: self.objects().named::<CsiNode>(like.as_str()).cloned(),
        })
    }

    /// Brings machines of those names: all of them, or none.
    pub(super) fn join(
        &mut self,
        by: &Actor,
        nodes: &[NodeName],
        mold: &Mold,
        sink: &mut dyn Sink,
    ) -> Result<(), String> {
        if let Some(known) = nodes.iter().find(|node| self.nodes.contains_key(*node)) {
            return Err(format!("there is already a machine called {:?}", known.as_str()));
        }
        let cause = self.queue.cause();
        for node in nodes {
            self.queue.set_cause(cause);
            self.join_one(by, node, mold, sink);
        }
        Ok(())
    }

    fn join_one(&mut self, by: &Actor, node: &NodeName, mold: &Mold, sink: &mut dyn Sink) {
        let labels = mold.labels.clone();
        let mut full = ResourceList::clone(&self.default_capacity);
        full.extend(mold.capacity.iter().map(|(name, amount)| (name.clone(), *amount)));
        let zone = labels.get("topology.kubernetes.io/zone").cloned();
        let mut machine = Machine::new(node.clone(), labels, full);
        machine.reserve(mold.reserved.clone(), mold.taints.clone());
        machine.install_kubelet(mold.kubelet_version.clone());
        self.nodes
            .insert_mut(node.clone(), NodeState::new(node, machine, zone, self.seed));
        self.emit_node(by, broken(FaultKind::Join), node, sink);
        if let Some(csi) = &mold.csi {
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
        self.proxy_of_machine(node);
    }
}
