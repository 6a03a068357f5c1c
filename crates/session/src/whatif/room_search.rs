//! Finds the smallest changes of a cluster that make room for a number of pods: uncordoning nodes, adding labels to
//! nodes, removing taints, adding nodes.
//!
//! Each type of change to nodes is one attempt, which changes one node after another, those with the most CPU first,
//! until enough pods fit. Each shape of node that can be added is one attempt, which varies the number of added nodes.
//! After each change, [`RoomSearch`] lets the scheduler count the pods that fit into the changed cluster, in pieces of
//! work, and passes their number to the attempt.

use std::collections::VecDeque;
use std::sync::Arc;

use podscope_api::ordered::{self, StableSort as _};
use podscope_api::well_known::{label, taint};
use podscope_api::{Node, Object, Quantity, Str};
use podscope_cluster::Rng;
use podscope_scheduler::Scheduler;
use serde::Serialize;

use super::count::{AdmittedShape, CopyCounter};

/// Maximum number of nodes that are changed to make room.
const MAX_CHANGED_NODES: usize = 20;
/// Maximum number of nodes that are added to make room.
const MAX_ADDED_NODES: usize = 1_000;
/// Maximum number of node shapes for which adding nodes is tried.
const MAX_NODE_SHAPES: usize = 5;

/// A change of a cluster that makes room for pods.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RoomChange {
    /// The commands that make the change.
    pub commands: Vec<String>,
    /// Number of changed or added nodes.
    pub nodes: usize,
    /// Number of pods that fit after the change, counted up to the needed number.
    pub fits: usize,
}

/// Input of a search for changes that make room.
#[derive(Debug, Clone)]
pub(super) struct RoomQuestion {
    /// Scheduler of the cluster, without the pods that are counted.
    pub(super) scheduler: Scheduler,
    pub(super) shapes: Vec<AdmittedShape>,
    pub(super) nodes: Vec<Arc<Node>>,
    pub(super) need: usize,
    pub(super) rng: Rng,
}

/// The search for changes that make room, in progress.
#[derive(Debug)]
pub(super) struct RoomSearch {
    question: RoomQuestion,
    /// The attempts that have not ended yet; the first one is being tried.
    attempts: VecDeque<RoomAttempt>,
    /// The changed cluster of the first attempt, in which pods are being counted.
    trial: Option<CountTrial>,
    edits: Vec<RoomChange>,
    /// The smallest number of added nodes that was found so far. Fewer nodes may be enough if they are larger.
    addition: Option<RoomChange>,
}

#[derive(Debug)]
struct CountTrial {
    changed: Scheduler,
    counting: CopyCounter,
}

/// What an attempt does after a count.
enum AfterCount {
    Count,
    End(Option<RoomChange>),
}

#[derive(Debug)]
enum RoomAttempt {
    Edit(Box<NodeEditingAttempt>),
    Add(NodeAddingAttempt),
}

impl RoomSearch {
    /// Starts a search. `refusing` are the nodes that refuse the next pod in the unchanged cluster.
    pub(super) fn start(question: RoomQuestion, refusing: &[&str]) -> Self {
        let edits: [NodeEdit; 3] = [uncordoned, labelled, untainted];
        let edits =
            (edits.iter()).map(|edit| RoomAttempt::Edit(Box::new(NodeEditingAttempt::new(&question, refusing, *edit))));
        let additions = one_node_per_shape(&question.nodes).map(|node| RoomAttempt::Add(NodeAddingAttempt::new(node)));
        Self {
            attempts: edits.chain(additions).collect(),
            question,
            trial: None,
            edits: Vec::new(),
            addition: None,
        }
    }

    /// Places at most `max_copies` copies to count them. Returns whether the search has ended.
    pub(super) fn work(&mut self, max_copies: usize) -> bool {
        let Some(attempt) = self.attempts.front_mut() else {
            return true;
        };
        let Some(trial) = &mut self.trial else {
            match attempt.next_cluster(&self.question.scheduler) {
                Some(changed) => self.trial = Some(self.question.start_trial(changed)),
                None => drop(self.attempts.pop_front()),
            }
            return self.attempts.is_empty();
        };
        if !trial.counting.work(max_copies) {
            return false;
        }
        let fits = trial.counting.n_placed();
        let Some(CountTrial { changed, .. }) = self.trial.take() else {
            return false;
        };
        if let AfterCount::End(change) = attempt.handle_count(changed, fits, self.question.need) {
            match self.attempts.pop_front() {
                Some(RoomAttempt::Add(_)) => {
                    let both = self.addition.take().into_iter().chain(change);
                    self.addition = both.min_by_key(|change| change.nodes);
                }
                Some(RoomAttempt::Edit(_)) => self.edits.extend(change),
                None => {}
            }
        }
        self.attempts.is_empty()
    }

    /// Returns the smallest change of each type, those with the fewest changed nodes first.
    pub(super) fn into_changes(self) -> Vec<RoomChange> {
        let mut all: Vec<RoomChange> = self.edits.into_iter().chain(self.addition).collect();
        all.stable_sort_by_key(|change| change.nodes);
        all
    }
}

impl RoomQuestion {
    fn start_trial(&self, changed: Scheduler) -> CountTrial {
        let (scheduler, rng) = (changed.clone(), self.rng.clone());
        CountTrial {
            changed,
            counting: CopyCounter::new(scheduler, self.shapes.clone(), self.need, rng),
        }
    }
}

impl RoomAttempt {
    /// Returns the next cluster in which pods are to be counted; `None` if the attempt has ended without a result.
    fn next_cluster(&mut self, original: &Scheduler) -> Option<Scheduler> {
        match self {
            Self::Edit(editing) => editing.next_cluster(original),
            Self::Add(adding) => Some(adding.next_cluster(original)),
        }
    }

    /// Receives the number of pods that fit into `cluster`, which `next_cluster` has returned. Returns whether the
    /// attempt continues.
    fn handle_count(&mut self, cluster: Scheduler, fits: usize, need: usize) -> AfterCount {
        match self {
            Self::Edit(editing) => editing.handle_count(cluster, fits, need),
            Self::Add(adding) => adding.handle_count(fits, need),
        }
    }
}

/// An edit of nodes. It returns the edited node and the command that makes the edit; None if the node does not need it.
type NodeEdit = fn(&Node, &AdmittedShape) -> Option<(Node, String)>;

/// The attempt to make room by editing the nodes that refuse the next pod, until enough pods fit. An edit after which
/// no more pods fit is dropped.
#[derive(Debug)]
struct NodeEditingAttempt {
    /// The nodes that can still be edited: original node, edited node, and command.
    candidates: VecDeque<(Arc<Node>, Node, String)>,
    /// The command of the edit that is being tried.
    tried: Option<String>,
    /// The cluster with all edits that help. `None` before the first count, which is in the unchanged cluster.
    helped: Option<Scheduler>,
    change: RoomChange,
}

impl NodeEditingAttempt {
    fn new(question: &RoomQuestion, refusing: &[&str], edit: NodeEdit) -> Self {
        let mut nodes: Vec<&Arc<Node>> = question.nodes.iter().collect();
        nodes.retain(|node| refusing.contains(&&*node.metadata.name));
        nodes.stable_sort_by_key(|node| {
            let cpu = node.status.allocatable.get("cpu").map_or(0, Quantity::milli_value);
            (-cpu, node.metadata.name.clone())
        });
        let edited = nodes.into_iter().filter_map(|node| {
            let (new, command) = question.shapes.iter().find_map(|shape| edit(node, shape))?;
            Some((node.clone(), new, command))
        });
        Self {
            candidates: edited.take(MAX_CHANGED_NODES).collect(),
            tried: None,
            helped: None,
            change: RoomChange {
                commands: Vec::new(),
                nodes: 0,
                fits: 0,
            },
        }
    }

    fn next_cluster(&mut self, original: &Scheduler) -> Option<Scheduler> {
        let Some(helped) = &self.helped else {
            return (!self.candidates.is_empty()).then(|| original.clone());
        };
        let (node, new, command) = self.candidates.pop_front()?;
        let mut changed = helped.clone();
        changed.on_change(Some(&Object::Node(node)), Some(&Object::Node(Arc::new(new))), 0);
        self.tried = Some(command);
        Some(changed)
    }

    fn handle_count(&mut self, cluster: Scheduler, fits: usize, need: usize) -> AfterCount {
        let is_first = self.helped.is_none();
        if is_first || fits > self.change.fits {
            self.helped = Some(cluster);
            self.change.fits = fits;
            if let Some(command) = self.tried.take() {
                self.change.commands.push(command);
                self.change.nodes += 1;
            }
        }
        match fits >= need {
            true => AfterCount::End((!is_first).then(|| self.change.clone())),
            false => AfterCount::Count,
        }
    }
}

/// The attempt to make room by adding copies of a node: doubles their number until enough pods fit, then bisects to
/// find the smallest number with which enough pods fit.
#[derive(Debug)]
struct NodeAddingAttempt {
    node: Arc<Node>,
    /// Number of pods that fit without additional nodes. `None` before they have been counted.
    before: Option<usize>,
    /// The largest number of added nodes with which too few pods fit.
    too_few: usize,
    /// The smallest number of added nodes with which enough pods fit, and the number of pods that then fit.
    enough: Option<(usize, usize)>,
}

impl NodeAddingAttempt {
    const fn new(node: Arc<Node>) -> Self {
        Self {
            node,
            before: None,
            too_few: 0,
            enough: None,
        }
    }

    /// Returns the number of added nodes to try next.
    fn next_node_count(&self) -> usize {
        match (self.before, self.enough) {
            (None, _) => 0,
            (Some(_), Some((enough, _))) => self.too_few + (enough - self.too_few) / 2,
            (Some(_), None) => (self.too_few * 2).clamp(1, MAX_ADDED_NODES),
        }
    }

    fn next_cluster(&self, original: &Scheduler) -> Scheduler {
        let mut changed = original.clone();
        for nth in 1..=self.next_node_count() {
            changed.on_change(None, Some(&Object::Node(Arc::new(copy_of(&self.node, nth)))), 0);
        }
        changed
    }

    fn handle_count(&mut self, fits: usize, need: usize) -> AfterCount {
        let number = self.next_node_count();
        let Some(before) = self.before else {
            self.before = Some(fits);
            return match fits >= need {
                true => AfterCount::End(None),
                false => AfterCount::Count,
            };
        };
        if fits >= need {
            self.enough = Some((number, fits));
        } else if self.enough.is_none() && (number == MAX_ADDED_NODES || fits <= before) {
            return AfterCount::End(None);
        } else {
            self.too_few = number;
        }
        match self.enough {
            Some((enough, fits)) if enough <= self.too_few + 1 => AfterCount::End(Some(self.change(enough, fits))),
            _ => AfterCount::Count,
        }
    }

    fn change(&self, added: usize, fits: usize) -> RoomChange {
        let name = &self.node.metadata.name;
        RoomChange {
            commands: vec![format!("fault join {name}-copy --like {name} --count {added}")],
            nodes: added,
            fits,
        }
    }
}

/// Returns one schedulable node of each shape, that is, with each combination of allocatable resources.
fn one_node_per_shape(nodes: &[Arc<Node>]) -> impl Iterator<Item = Arc<Node>> + use<> {
    let mut kinds: ordered::Map<Vec<(Str, Quantity)>, Arc<Node>> = ordered::Map::new();
    for node in nodes.iter().filter(|node| !node.is_unschedulable()) {
        let resources = node.status.allocatable.iter();
        let kind = resources.map(|(name, amount)| (name.clone(), *amount)).collect();
        kinds.entry(kind).or_insert_with(|| node.clone());
    }
    let each: Vec<Arc<Node>> = kinds.values().take(MAX_NODE_SHAPES).cloned().collect();
    each.into_iter()
}

/// Returns a copy of a node with a new name, without the taints that its conditions cause, like `fault join --like`.
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

/// Adds the labels of the pod's node selector to a copy of a node. Returns the copy and the command that adds the
/// labels. None if no label is missing, or if they cannot be added.
fn labelled(node: &Node, (pod, _): &AdmittedShape) -> Option<(Node, String)> {
    let selector = pod.spec.node_selector.iter();
    // Labels with a node's name and location cannot be changed.
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

/// Removes the taints that the pod does not tolerate from a copy of a node. Returns the copy and the command that
/// removes the taints. None if there are no such taints, or if one of them is caused by a condition of the node.
fn untainted(node: &Node, (pod, _): &AdmittedShape) -> Option<(Node, String)> {
    let mut new = node.clone();
    let mut command = format!("kubectl taint node {}", node.metadata.name);
    let tolerates = |taint: &podscope_api::Taint| pod.spec.tolerations.iter().any(|one| one.tolerates(taint));
    // A taint that a condition causes would be added again as long as the condition holds.
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
