//! The nodes of a run by zone, and their layout.

use podscope_api::ordered::Set;
use podscope_protocol::GroupView;

use super::zoomed_group;
use crate::components::messages::NodeEnd;
use crate::pure::stage::slots::Slots;
use crate::pure::stage::{Plan, SlotsByNode, StageSize, plan};
use crate::state::{Model, NodeState, Page, Shared};

/// Nodes that are drawn in one frame: a zone, or machines without a Node object.
pub(super) struct Group<'a> {
    /// The zone's view; `None` for the group of machines without a Node object.
    pub(super) view: Option<&'a GroupView>,
    pub(super) nodes: Vec<Shared<NodeState>>,
}

impl<'a> Group<'a> {
    pub(super) fn all(page: &Page, model: &'a Model) -> Vec<Group<'a>> {
        let is_seen = |group: &&GroupView| page.session.zone.as_ref().is_none_or(|zone| *zone == group.name);
        let mut all: Vec<Group> = (model.groups.iter().filter(is_seen))
            .map(|group| Group {
                view: Some(group),
                nodes: group
                    .nodes
                    .iter()
                    .filter_map(|name| model.nodes.get(name).cloned())
                    .collect(),
            })
            .collect();
        let unregistered = if zoomed_group(page, model).is_some() {
            Vec::new()
        } else {
            model.nodes_without_object()
        };
        if !unregistered.is_empty() {
            all.push(Group {
                view: None,
                nodes: unregistered,
            });
        }
        all
    }
}

impl Group<'_> {
    /// Returns the group's nodes as ends of message wires.
    pub(super) fn message_ends(&self) -> Vec<NodeEnd> {
        let one = |node: &Shared<NodeState>| {
            let machine = &node.view.machine;
            NodeEnd {
                name: node.view.name.clone(),
                is_cut: !machine.cuts.is_empty(),
            }
        };
        self.nodes.iter().map(one).collect()
    }
}

/// Returns ids of the pods that have slots (cells) on a node. A nominated pod has one too, and keeps it when it is
/// bound to the node.
pub(super) fn ids_with_slots(node: &NodeState) -> impl Iterator<Item = &str> + Clone {
    node.pods.iter().chain(&node.nominated).map(|pod| pod.id.as_str())
}

/// Computes the layout of a run. In a comparison both layouts reserve space for the nodes of both runs, so that equal
/// nodes are at equal positions.
pub(super) fn plan_of_run(
    room: StageSize,
    groups: &[Group],
    slots: &mut Slots,
    compared_run: Option<(&[Group], &mut Slots)>,
) -> Plan {
    let mut n_usual = assign_slots(groups, slots);
    let mut beside_has = Vec::new();
    if let Some((groups, slots)) = compared_run {
        n_usual = n_usual.max(assign_slots(groups, slots));
        beside_has.extend(groups.iter().map(|group| group.nodes.len()));
    }
    let mut slots_by_node: SlotsByNode = (groups.iter())
        .map(|group| {
            group
                .nodes
                .iter()
                .map(|node| slots.shown_slot_count(&node.view.name, n_usual))
                .collect()
        })
        .collect();
    for (nth, n_nodes) in beside_has.into_iter().enumerate() {
        match slots_by_node.get_mut(nth) {
            Some(nodes) => nodes.resize(nodes.len().max(n_nodes), n_usual),
            None => slots_by_node.push(vec![n_usual; n_nodes]),
        }
    }
    let mut plan = plan(room, &slots_by_node, n_usual);
    plan.zones.truncate(groups.len());
    for (zone, group) in plan.zones.iter_mut().zip(groups) {
        zone.nodes.truncate(group.nodes.len());
    }
    plan
}

/// Assigns slots (cells on a node) to the pods of a run; returns the number of pods that a node usually has.
fn assign_slots(groups: &[Group], slots: &mut Slots) -> usize {
    let mut names: Set<&str> = Set::new();
    for node in groups.iter().flat_map(|group| &group.nodes) {
        slots.assign(&node.view.name, ids_with_slots(node));
        names.insert(&node.view.name);
    }
    slots.retain_nodes(|name| names.contains(name));
    slots.usual_slot_count()
}
