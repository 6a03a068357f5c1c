//! The smallest changes of a cluster that make room for a number of pods: nodes made schedulable, labels added, taints
//! removed, nodes added.
//!
//! Each kind of change is tried on one node after another, those with most free cpu first, until enough pods fit. Every
//! answer was counted by the scheduler on the changed nodes.

use std::sync::Arc;

use podscope_api::ordered::{self, StableSort as _};
use podscope_api::well_known::{label, taint};
use podscope_api::{Node, Object, Quantity, Str};
use podscope_cluster::Rng;
use podscope_scheduler::Scheduler;
use serde::Serialize;

use super::Control;
use super::count::{AdmittedShape, Counting};

/// Maximum number of nodes that a change touches.
const MAX_CHANGED: usize = 20;
/// Maximum number of added nodes.
const MAX_ADDED: usize = 1_000;
/// Maximum number of node shapes for which adding nodes is tried.
const MAX_KINDS: usize = 5;

/// Number of copies between two polls of `stop`.
const COPIES_PER_POLL: usize = 100;

/// A change of a cluster that makes room.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Change {
    /// The commands that make it.
    pub commands: Vec<String>,
    /// Number of changed or added nodes.
    pub nodes: usize,
    /// Number of pods that fit then, counted up to the number that is needed.
    pub fits: usize,
}

/// Inputs of the search for changes.
pub(super) struct Search<'a> {
    /// A scheduler of the cluster without the counted pods.
    pub scheduler: &'a Scheduler,
    pub shapes: &'a [AdmittedShape],
    pub nodes: &'a [Arc<Node>],
    /// The nodes that refuse the next pod now.
    pub refusing: &'a [&'a str],
    pub need: usize,
    pub rng: &'a Rng,
    pub control: Control<'a>,
}

/// An edit of a node with its command; None if the node needs no such edit.
type Edit = fn(&Node, &AdmittedShape) -> Option<(Node, String)>;

/// Finds the smallest change of each kind, those with the fewest nodes first.
pub(super) fn changes(search: &Search<'_>) -> Vec<Change> {
    let edits: [Edit; 3] = [uncordoned, labelled, untainted];
    let edited = edits.iter().filter_map(|edit| search.edit_nodes(*edit));
    let mut all: Vec<Change> = edited.chain(search.add_nodes()).collect();
    all.stable_sort_by_key(|change| change.nodes);
    all
}

impl Search<'_> {
    fn count(&self, scheduler: &Scheduler) -> usize {
        let (scheduler, rng) = (scheduler.clone(), self.rng.clone());
        let mut counting = Counting::new(scheduler, self.shapes.to_vec(), self.need, rng);
        while !(self.control.stop)() && !counting.work(COPIES_PER_POLL) {}
        counting.n_placed()
    }

    /// Edits refusing nodes until enough pods fit. Nodes on which an edit does not help keep as they are.
    fn edit_nodes(&self, edit: Edit) -> Option<Change> {
        let mut candidates: Vec<&Arc<Node>> = self.nodes.iter().collect();
        candidates.retain(|node| self.refusing.contains(&&*node.metadata.name));
        candidates.stable_sort_by_key(|node| {
            let cpu = node.status.allocatable.get("cpu").map_or(0, Quantity::milli_value);
            (-cpu, node.metadata.name.clone())
        });
        let mut scheduler = self.scheduler.clone();
        let mut fits = self.count(&scheduler);
        let mut change = Change {
            commands: Vec::new(),
            nodes: 0,
            fits,
        };
        let edited = candidates.into_iter().filter_map(|node| {
            let (new, command) = self.shapes.iter().find_map(|shape| edit(node, shape))?;
            Some((node, new, command))
        });
        for (node, new, command) in edited.take(MAX_CHANGED) {
            let mut trial = scheduler.clone();
            trial.on_change(Some(&Object::Node(node.clone())), Some(&Object::Node(Arc::new(new))), 0);
            let more = self.count(&trial);
            if more <= fits {
                continue;
            }
            (scheduler, fits) = (trial, more);
            change.commands.push(command);
            change.nodes += 1;
            change.fits = fits;
            if fits >= self.need {
                return Some(change);
            }
        }
        None
    }

    /// The smallest number of new nodes of one kind that is enough. A kind with more resources may need fewer.
    fn add_nodes(&self) -> Option<Change> {
        let mut kinds: ordered::Map<Vec<(Str, Quantity)>, &Arc<Node>> = ordered::Map::new();
        for node in self.nodes.iter().filter(|node| !node.is_unschedulable()) {
            let resources = node.status.allocatable.iter();
            let kind = resources.map(|(name, amount)| (name.clone(), *amount)).collect();
            kinds.entry(kind).or_insert(node);
        }
        let each = kinds
            .values()
            .take(MAX_KINDS)
            .filter_map(|node| self.add_nodes_like(node));
        each.min_by_key(|change| change.nodes)
    }

    fn add_nodes_like(&self, node: &Arc<Node>) -> Option<Change> {
        let name = &node.metadata.name;
        let fits_with = |added: usize| {
            let mut scheduler = self.scheduler.clone();
            for nth in 1..=added {
                scheduler.on_change(None, Some(&Object::Node(Arc::new(copy_of(node, nth)))), 0);
            }
            self.count(&scheduler)
        };
        // Doubles the number until it is enough, then halves the distance to the last one that was not.
        let (mut few, mut enough) = (0, 1);
        let before = fits_with(0);
        while fits_with(enough) < self.need {
            if enough >= MAX_ADDED || (self.control.stop)() || fits_with(enough) <= before {
                return None;
            }
            (few, enough) = (enough, (enough * 2).min(MAX_ADDED));
        }
        while enough - few > 1 {
            let middle = few + (enough - few) / 2;
            if fits_with(middle) < self.need {
                few = middle;
            } else {
                enough = middle;
            }
        }
        Some(Change {
            commands: vec![format!("fault join {name}-copy --like {name} --count {enough}")],
            nodes: enough,
            fits: fits_with(enough),
        })
    }
}

/// A new node like another one, as `fault join --like` makes it: without the taints of its conditions.
fn copy_of(node: &Node, nth: usize) -> Node {
    let mut copy = node.clone();
    let name: Str = format!("{}-copy-{nth}", node.metadata.name).into();
    Arc::make_mut(&mut copy.metadata.labels).insert(label::HOSTNAME.into(), name.clone());
    copy.metadata.uid = podscope_api::Uid(format!("copy-{name}").into());
    copy.metadata.name = name;
    copy.spec
        .taints
        .retain(|taint| !taint.key.starts_with("node.kubernetes.io/"));
    copy
}

fn uncordoned(node: &Node, _: &AdmittedShape) -> Option<(Node, String)> {
    if !node.is_unschedulable() {
        return None;
    }
    let mut new = node.clone();
    new.spec.unschedulable = None;
    new.spec.taints.retain(|taint| &*taint.key != taint::UNSCHEDULABLE);
    Some((new, format!("kubectl uncordon {}", node.metadata.name)))
}

/// The node with the labels of the pod's node selector.
fn labelled(node: &Node, (pod, _): &AdmittedShape) -> Option<(Node, String)> {
    let selector = pod.spec.node_selector.iter();
    // A node keeps its own name and place.
    let is_given = |key: &str| key.starts_with("kubernetes.io/") || key.starts_with("topology.kubernetes.io/");
    let missing: Vec<(&Str, &Str)> = selector
        .filter(|(key, value)| node.metadata.labels.get(*key) != Some(*value))
        .collect();
    if missing.is_empty() || missing.iter().any(|(key, _)| is_given(key)) {
        return None;
    }
    let mut new = node.clone();
    let mut command = format!("kubectl label node {} --overwrite", node.metadata.name);
    for (key, value) in missing {
        Arc::make_mut(&mut new.metadata.labels).insert(key.clone(), value.clone());
        command.push_str(&format!(" {key}={value}"));
    }
    Some((new, command))
}

/// The node without the taints that the pod does not tolerate.
fn untainted(node: &Node, (pod, _): &AdmittedShape) -> Option<(Node, String)> {
    let mut new = node.clone();
    let mut command = format!("kubectl taint node {}", node.metadata.name);
    let tolerates = |taint: &podscope_api::Taint| pod.spec.tolerations.iter().any(|one| one.tolerates(taint));
    // The taints of conditions come back while the condition lasts.
    let is_of_condition = |taint: &podscope_api::Taint| taint.key.starts_with("node.kubernetes.io/");
    let in_the_way = node.spec.taints.iter().filter(|taint| !tolerates(taint));
    if in_the_way.clone().any(is_of_condition) || in_the_way.clone().next().is_none() {
        return None;
    }
    for taint in in_the_way {
        command.push_str(&format!(" {}:{}-", taint.key, taint.effect));
    }
    new.spec.taints.retain(tolerates);
    Some((new, command))
}
