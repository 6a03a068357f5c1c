//! Scale-down: finds the nodes that are not needed and since when, and chooses those to remove now (CA-018 to CA-027).

use std::sync::Arc;

use podscope_api::ordered::StableSort as _;
use podscope_api::well_known::taint;
use podscope_api::{Node, NodeName, Object, Pod, ordered};
use podscope_sim::{Objects, SimTime, Span};

use super::super::controller::ControllerContext;
use super::drainable::pods_to_move;
use super::removal::NodeRemoval;
use super::scale_up::{allocatable_cpu_and_memory, total_cpu_and_memory_requests};
use super::{ClusterAutoscaler, ScalableGroup, TrialCluster, add_bound_copy, key_of_node};

/// Maximum number of nodes that are removed at the same time (CA-023).
const MAX_PARALLEL_REMOVALS: usize = 10;
/// Maximum number of nodes with pods to move that are removed at the same time (CA-023).
const MAX_PARALLEL_DRAINS: usize = 1;
/// Maximum number of nodes with pods that one scan evaluates (CA-021).
const MAX_CANDIDATES: usize = 30;
/// Annotation that excludes a node from scale-down (CA-020).
const SCALE_DOWN_DISABLED_ANNOTATION: &str = "cluster-autoscaler.kubernetes.io/scale-down-disabled";

/// A node that is not needed, because its pods fit on other nodes.
struct UnneededNode {
    node: Arc<Node>,
    group: usize,
    has_pods: bool,
}

impl ClusterAutoscaler {
    /// Updates the set of unneeded nodes, and starts the removal of nodes that have been unneeded for long enough.
    pub(super) fn scale_down(&mut self, groups: &[ScalableGroup], cx: &mut ControllerContext<'_, '_>) {
        let now = cx.now();
        let found = self.unneeded_nodes(groups, cx);
        let names: ordered::Set<NodeName> = found.iter().map(|one| name_of(&one.node)).collect();
        self.unneeded.retain(|node, _| names.contains(node));
        for name in names {
            self.unneeded.entry(name).or_insert((now, self.latest_change));
        }
        if self.is_cooling_down(now) {
            return;
        }
        // Nodes that are being removed do not count towards the size of their group (CA-024).
        let size = |group: &ScalableGroup| group.nodes.iter().filter(|node| !self.is_being_removed(node)).count();
        let mut sizes: Vec<usize> = groups.iter().map(size).collect();
        for one in found {
            let name = name_of(&one.node);
            let Some((since, cause)) = self.unneeded.get(&name).copied() else {
                continue;
            };
            let is_due = since + self.settings.scale_down_unneeded_time < now;
            let drains = self.removals.values().filter(|removal| removal.has_pods).count();
            let is_possible = self.removals.len() < MAX_PARALLEL_REMOVALS
                && (!one.has_pods || drains < MAX_PARALLEL_DRAINS)
                && sizes[one.group] > groups[one.group].min;
            if is_due && is_possible {
                sizes[one.group] -= 1;
                self.unneeded.remove(&name);
                self.removals.insert(name.clone(), NodeRemoval::new(one.has_pods));
                cx.ctx.set_cause(cause);
                cx.enqueue(key_of_node(&name));
            }
        }
    }

    /// Returns whether the latest scale-up or failed removal is too recent for a removal (CA-022).
    fn is_cooling_down(&self, now: SimTime) -> bool {
        let is_recent = |last: Option<SimTime>, delay: Span| last.is_some_and(|last| now < last + delay);
        is_recent(self.last_scale_up, self.settings.scale_down_delay_after_add)
            || is_recent(self.last_failure, self.settings.scale_down_delay_after_failure)
    }

    /// Returns the nodes that can be removed together: they are underused, and their pods fit on other nodes (CA-019 to
    /// CA-021).
    fn unneeded_nodes(&self, groups: &[ScalableGroup], cx: &ControllerContext<'_, '_>) -> Vec<UnneededNode> {
        let objects = cx.objects;
        let candidates = groups
            .iter()
            .enumerate()
            .flat_map(|(at, group)| group.nodes.iter().map(move |node| (at, node)));
        let candidates = candidates.filter(|(_, node)| self.is_removal_candidate(node, objects));
        let now = cx.ctx.wall();
        let candidates = candidates.filter_map(|(group, node)| {
            let pods = pods_to_move(objects, &name_of(node), now, &self.settings)?;
            Some((group, node, pods))
        });
        // Evaluate empty nodes first, so that pods of other nodes are not moved to them. Among nodes with pods, those
        // that were already unneeded come first.
        let (empty, mut with_pods): (Vec<_>, Vec<_>) = candidates.partition(|(.., pods)| pods.is_empty());
        with_pods.stable_sort_by_key(|(_, node, _)| !self.unneeded.contains_key(&*node.metadata.name));
        let mut found = Vec::new();
        let mut trial: Option<Box<dyn TrialCluster>> = None;
        for (group, node, pods) in empty.into_iter().chain(with_pods.into_iter().take(MAX_CANDIDATES)) {
            let trial = trial.get_or_insert_with(|| self.trial_without_removals(objects));
            if try_removal(&mut **trial, objects, node, &pods) {
                found.push(UnneededNode {
                    node: node.clone(),
                    group,
                    has_pods: !pods.is_empty(),
                });
            }
        }
        found
    }

    fn is_removal_candidate(&self, node: &Node, objects: &Objects) -> bool {
        let is_kept = node.metadata.annotation(SCALE_DOWN_DISABLED_ANNOTATION) == Some("true");
        !self.is_being_removed(node) && !is_kept && node.is_ready() && self.is_underused(node, objects)
    }

    /// Returns whether the node is being removed.
    fn is_being_removed(&self, node: &Node) -> bool {
        self.removals.contains_key(&*node.metadata.name)
            || node.spec.taints.iter().any(|known| &*known.key == taint::TO_BE_DELETED)
    }

    /// Returns whether the requested fractions of the node's cpu and memory are both below the threshold (CA-019).
    fn is_underused(&self, node: &Node, objects: &Objects) -> bool {
        let pods = objects.pods_on(&name_of(node)).filter(|pod| !pod.is_terminal());
        let threshold = i128::from(self.settings.scale_down_utilization_threshold.0);
        let parts = total_cpu_and_memory_requests(pods)
            .into_iter()
            .zip(allocatable_cpu_and_memory(node));
        parts
            .into_iter()
            .all(|(requested, total)| requested * 1000 < threshold * total)
    }

    /// Returns the trial cluster without the nodes that are being removed. Their pods are placed on other nodes where
    /// possible.
    fn trial_without_removals(&self, objects: &Objects) -> Box<dyn TrialCluster> {
        let mut trial = self.trial_with_upcoming_nodes(objects);
        let going = self
            .removals
            .keys()
            .filter_map(|name| objects.named::<Node>(name.as_str()));
        let going: Vec<&Arc<Node>> = going.collect();
        for node in &going {
            remove_from_trial(&mut *trial, objects, node);
        }
        for node in going {
            let pods = objects.pods_on(&name_of(node));
            for pod in pods.filter(|pod| pod.metadata.controller_ref().is_some() && !pod.is_daemon()) {
                move_pod(&mut *trial, pod);
            }
        }
        trial
    }
}

pub(super) fn name_of(node: &Node) -> NodeName {
    NodeName(node.metadata.name.clone())
}

/// Removes a node and its pods from a trial.
fn remove_from_trial(trial: &mut dyn TrialCluster, objects: &Objects, node: &Arc<Node>) {
    for pod in objects.pods_on(&name_of(node)) {
        trial.remove_object(&Object::Pod(pod.clone()));
    }
    trial.remove_object(&Object::Node(node.clone()));
}

/// Removes a node and places its pods on other nodes. If a pod fits on no node, undoes all changes and returns false.
fn try_removal(trial: &mut dyn TrialCluster, objects: &Objects, node: &Arc<Node>, pods: &[Arc<Pod>]) -> bool {
    remove_from_trial(trial, objects, node);
    let mut placed = Vec::new();
    for pod in pods {
        match move_pod(trial, pod) {
            Some(copy) => placed.push(copy),
            None => {
                placed.iter().for_each(|copy| trial.remove_object(copy));
                trial.add(&Object::Node(node.clone()));
                for pod in objects.pods_on(&name_of(node)) {
                    trial.add(&Object::Pod(pod.clone()));
                }
                return false;
            }
        }
    }
    true
}

/// Places a copy of a pod on another node; returns `None` if no node accepts it.
fn move_pod(trial: &mut dyn TrialCluster, pod: &Arc<Pod>) -> Option<Object> {
    let mut pending = Pod::clone(pod);
    pending.spec.node_name = None;
    let pending = Arc::new(pending);
    let node = trial.nodes_accepting(&pending).first().cloned()?;
    Some(add_bound_copy(trial, &pending, &node))
}
