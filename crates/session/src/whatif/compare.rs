//! Compares two states of a cluster for the answer to a what-if question: which pods disappeared, which pods replaced
//! them, and how full the nodes are.

use podscope_api::ordered::{self, StableSort as _};
use podscope_api::well_known::condition;
use podscope_api::{
    ConditionStatus, Node, NodeName, Object, ObjectKey, ObjectMeta, Pod, Quantity, ResourceList, Str, Uid,
};
use podscope_cluster::Objects;
use podscope_messages::{Sentence, sentence};

use super::{Answer, BlockedPod, NodeChange, PodMove, Question};
use crate::owners::workload_of;
use crate::timeline::Session;

/// Resources of a node that are shown even if no pod requests them.
const ALWAYS_SHOWN_RESOURCES: [&str; 3] = ["cpu", "memory", "pods"];
/// Kind whose pods are deleted and created together with their nodes, so these pods are treated separately.
const DAEMON_SET: &str = "DaemonSet";
/// Number of disruptions that the eviction of one pod needs.
const DISRUPTIONS_PER_EVICTION: i32 = 1;

/// Node and state of a pod. Pods have stopped moving when these no longer change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PodPlace {
    uid: Uid,
    node: Option<NodeName>,
    /// Whether the pod is terminating and its termination will finish without help.
    pub(super) is_moving: bool,
}

/// Returns node and state of all pods that have not ended, ordered by key. They are compared every few seconds; for
/// this, a list of many pods is faster to build than a map.
pub(super) fn pod_places(session: &Session) -> Vec<PodPlace> {
    let pods = session.world().objects().list::<Pod>().filter(|pod| !pod.is_terminal());
    let place = |pod: &Pod| PodPlace {
        uid: pod.metadata.uid.clone(),
        node: pod.spec.node_name.clone(),
        is_moving: pod.metadata.is_terminating() && has_responsive_node(session, pod),
    };
    pods.map(|pod| place(pod)).collect()
}

/// Returns whether the pod's node exists and is Ready. If not, the termination of the pod does not finish without help.
fn has_responsive_node(session: &Session, pod: &Pod) -> bool {
    let node = pod.spec.node_name.as_ref().and_then(|node| {
        let objects = session.world().objects();
        objects.named::<Node>(node.as_str())
    });
    node.is_some_and(|node| node.is_ready())
}

/// Kind and key of the workload that owns a pod.
type Owner = (Str, ObjectKey);

/// The part of a pod's state that is compared.
#[derive(Debug, Clone)]
struct PodState {
    key: ObjectKey,
    /// The workload that controls the pod. For a pod of a Deployment's ReplicaSet, it is the Deployment.
    owner: Option<Owner>,
    node: Option<String>,
    is_terminating: bool,
    /// Message of the condition PodScheduled, if this condition is False.
    unscheduled: Option<String>,
}

/// The pods and nodes of a cluster at a time.
#[derive(Debug, Clone)]
pub(crate) struct ClusterState {
    /// Pods that have not ended, by UID.
    pods: ordered::Map<Uid, PodState>,
    nodes: ordered::Map<String, NodeResources>,
}

/// The requested and the allocatable quantity of each resource of a node.
type NodeResources = ordered::Map<String, [Quantity; 2]>;

impl ClusterState {
    pub(crate) fn of(session: &Session) -> ClusterState {
        let objects = session.world().objects();
        let pods = objects.list::<Pod>().filter(|pod| !pod.is_terminal());
        let pod = pods.map(|pod| (pod.metadata.uid.clone(), PodState::of(objects, pod)));
        let nodes = objects.list::<Node>();
        ClusterState {
            pods: pod.collect(),
            nodes: nodes
                .filter(|node| !podscope_cluster::is_made_up_node(&Object::Node((*node).clone())))
                .map(|node| (node.metadata.name.to_string(), node_resources(objects, node)))
                .collect(),
        }
    }

    /// Returns the node of each pod, by `NAMESPACE/NAME`.
    pub(crate) fn nodes_of_pods(&self) -> ordered::Map<String, Option<String>> {
        let one = |pod: &PodState| (pod.key.to_string(), pod.node.clone());
        self.pods.values().map(one).collect()
    }

    /// Returns the requested and the allocatable quantity of a resource for each node.
    pub(crate) fn requested_and_allocatable(&self, resource: &str) -> Vec<[Quantity; 2]> {
        let quantities_of = |node_resources: &NodeResources| node_resources.get(resource).copied();
        self.nodes.values().filter_map(quantities_of).collect()
    }

    /// Returns the nodes whose requested or allocatable resources are different in the state `after`.
    pub(crate) fn changes(&self, after: &ClusterState) -> Vec<NodeChange> {
        let names: ordered::Set<&String> = self.nodes.keys().chain(after.nodes.keys()).collect();
        let quantities = |node_resources: Option<&NodeResources>| {
            let one =
                |(name, [used, of]): (&String, &[Quantity; 2])| (name.clone(), [used.to_string(), of.to_string()]);
            node_resources.into_iter().flatten().map(one).collect()
        };
        let differs = |name: &&String| self.nodes.get(*name) != after.nodes.get(*name);
        let change = |name: &String| NodeChange {
            name: name.clone(),
            before: quantities(self.nodes.get(name)),
            after: quantities(after.nodes.get(name)),
        };
        names.into_iter().filter(differs).map(change).collect()
    }

    /// Returns the pods that do not exist in the state `after`, or that are terminating only there.
    fn lost_pods<'a>(&'a self, after: &'a ClusterState) -> impl Iterator<Item = (&'a Uid, &'a PodState)> {
        self.pods.iter().filter(|(uid, pod)| {
            let later = after.pods.get(*uid);
            later.is_none_or(|later| later.is_terminating && !pod.is_terminating)
        })
    }

    /// Returns the pods that do not exist in the state `before`.
    fn new_pods<'a>(&'a self, before: &'a ClusterState) -> impl Iterator<Item = &'a PodState> {
        let is_new = |(uid, _): &(&Uid, &PodState)| !before.pods.contains_key(*uid);
        self.pods.iter().filter(is_new).map(|(_, pod)| pod)
    }
}

impl PodState {
    fn of(objects: &Objects, pod: &Pod) -> PodState {
        let scheduled = pod
            .status
            .conditions
            .iter()
            .find(|one| &*one.kind == condition::POD_SCHEDULED);
        let unscheduled = scheduled
            .filter(|one| one.status == ConditionStatus::False)
            .map(|one| one.message.to_string());
        PodState {
            key: pod.metadata.key(),
            owner: owner(objects, &pod.metadata),
            node: pod.spec.node_name.as_ref().map(ToString::to_string),
            is_terminating: pod.metadata.is_terminating(),
            unscheduled,
        }
    }

    /// Returns the reason why no other pod runs in place of this pod.
    fn why_not_replaced(&self, replacement: Option<&PodState>, after: Option<&PodState>) -> Sentence {
        if let Some(waits) = replacement {
            return waits.why_waiting();
        }
        match (&self.owner, after) {
            (_, Some(_)) => sentence!(what_if_answer::still_terminating),
            (None, None) => sentence!(what_if_answer::no_controller),
            (Some((kind, _)), None) if &**kind == DAEMON_SET => sentence!(what_if_answer::daemon_goes),
            (Some((kind, key)), None) => sentence!(what_if_answer::not_replaced, kind = &**kind, name = &*key.name),
        }
    }

    /// Returns the reason why a pod without a node is pending.
    fn why_waiting(&self) -> Sentence {
        let said = self.unscheduled.as_deref().map(Sentence::from);
        said.unwrap_or_else(|| sentence!(what_if_answer::not_scheduled))
    }
}

fn owner(objects: &Objects, meta: &ObjectMeta) -> Option<Owner> {
    let owner = workload_of(objects, meta)?;
    Some((
        owner.kind.clone(),
        ObjectKey::new(meta.namespace.clone(), owner.name.clone()),
    ))
}

fn node_resources(objects: &Objects, node: &Node) -> NodeResources {
    let name = NodeName(node.metadata.name.clone());
    let mut asked = ResourceList::new();
    for pod in objects.pods_on(&name).filter(|pod| !pod.is_terminal()) {
        for (resource, amount) in pod.spec.total_requests() {
            let sum = asked.entry(resource).or_default();
            *sum = sum.plus(amount);
        }
        let count = asked.entry("pods".into()).or_default();
        *count = count.plus(Quantity::from_units(1));
    }
    let is_shown = |resource: &Str| ALWAYS_SHOWN_RESOURCES.contains(&&**resource) || asked.contains_key(resource);
    (node.status.allocatable.iter())
        .filter(|(resource, _)| is_shown(resource))
        .map(|(resource, has)| {
            let used = asked.get(resource).copied().unwrap_or_default();
            (resource.to_string(), [used, *has])
        })
        .collect()
}

/// Compares the states before and after a change. Differences that also occur in the run without the change are left
/// out.
pub(super) fn answer(
    question: &Question,
    before: &ClusterState,
    after: &ClusterState,
    without: &ClusterState,
) -> Answer {
    let mut moves = Vec::new();
    // The created pods, by workload; pods with a node come first.
    let mut new_pods: ordered::Map<Option<Owner>, Vec<&PodState>> = ordered::Map::new();
    for pod in after.new_pods(before) {
        new_pods.entry(pod.owner.clone()).or_default().push(pod);
    }
    for pod in without.new_pods(before) {
        // A pod of this workload is also created without the change, so one of the created pods is not a difference.
        if let Some(same) = new_pods.get_mut(&pod.owner) {
            let counterpart = same
                .iter()
                .position(|one| one.key == pod.key)
                .or(same.len().checked_sub(1));
            if let Some(at) = counterpart {
                same.remove(at);
            }
        }
    }
    for all in new_pods.values_mut() {
        all.stable_sort_by_key(|pod| (pod.node.is_none(), pod.key.clone()));
    }
    let lost_without_question: ordered::Set<&Uid> = before.lost_pods(without).map(|(uid, _)| uid).collect();
    let lost_pods: Vec<(&Uid, &PodState)> = before
        .lost_pods(after)
        .filter(|(uid, _)| !lost_without_question.contains(uid))
        .collect();
    for (uid, pod) in lost_pods {
        let replacement = new_pods
            .get_mut(&pod.owner)
            .filter(|_| pod.owner.is_some())
            .and_then(|same| {
                let at = same.iter().position(|one| one.key == pod.key).unwrap_or(0);
                (at < same.len()).then(|| same.remove(at))
            });
        let to = replacement.and_then(|one| one.node.clone());
        let reason = to
            .is_none()
            .then(|| pod.why_not_replaced(replacement, after.pods.get(uid)));
        moves.push(PodMove {
            pod: pod.key.to_string(),
            from: pod.node.clone(),
            waits: to.is_none() && replacement.is_some(),
            to,
            reason,
            share: 1.0,
        });
    }
    let new_pod_move = |pod: &PodState| PodMove {
        pod: pod.key.to_string(),
        from: None,
        to: pod.node.clone(),
        waits: pod.node.is_none(),
        reason: pod.node.is_none().then(|| pod.why_waiting()),
        share: 1.0,
    };
    // If nodes are added, the pods that DaemonSets create there are not reported.
    let is_worth_mentioning = |pod: &&&PodState| {
        let is_of_daemon_set = pod.owner.as_ref().is_some_and(|(kind, _)| &**kind == DAEMON_SET);
        !(is_of_daemon_set && matches!(question, Question::Add { .. }))
    };
    moves.extend(
        new_pods
            .values()
            .flatten()
            .filter(is_worth_mentioning)
            .map(|pod| new_pod_move(pod)),
    );
    let pending_before = before.pods.iter().filter(|(_, pod)| pod.node.is_none());
    moves.extend(pending_before.filter_map(|(uid, _)| {
        let placed = after.pods.get(uid).filter(|pod| pod.node.is_some())?;
        let is_placed_without_question = without.pods.get(uid).is_some_and(|pod| pod.node.is_some());
        (!is_placed_without_question).then(|| new_pod_move(placed))
    }));
    // The names of new pods are random, so new pods are ordered by node.
    moves.stable_sort_by_key(|one| {
        let goes = (one.from.is_none()).then(|| (one.to.is_none(), one.to.clone()));
        (goes, one.from.clone(), one.pod.clone())
    });
    Answer {
        moves,
        nodes: without.changes(after),
        draws: 1,
        ..Answer::default()
    }
}

/// Returns the pods on drained nodes whose eviction a PodDisruptionBudget prevents.
pub(super) fn blocked_pods(session: &Session, nodes: &[String]) -> Vec<BlockedPod> {
    let objects = session.world().objects();
    let mut blocked_pods = Vec::new();
    for node in nodes {
        let stay =
            |pod: &&std::sync::Arc<Pod>| !pod.is_terminal() && !pod.metadata.is_terminating() && !pod.is_mirror();
        for pod in objects.pods_on(&NodeName(node.as_str().into())).filter(stay) {
            let budget = objects
                .budgets_of(pod)
                .find(|budget| budget.status.disruptions_allowed < DISRUPTIONS_PER_EVICTION);
            blocked_pods.extend(budget.map(|budget| BlockedPod {
                pod: pod.metadata.key().to_string(),
                by: format!("PodDisruptionBudget {}", budget.metadata.key()),
                allowed: budget.status.disruptions_allowed,
                needed: DISRUPTIONS_PER_EVICTION,
            }));
        }
    }
    blocked_pods
}

/// Identifies a pod in several draws (runs with different seeds): by node and name if it existed before the change,
/// otherwise by its position among the new pods.
type PodOfDraw = (Option<String>, String);
/// Moves of one pod in several draws, by target node.
type MovesByTarget = ordered::Map<Option<String>, Vec<PodMove>>;

/// Combines the answers of several draws (runs with different seeds), in the order of the draws. The result contains
/// each pod's most frequent move; everything else is that of the first draw.
pub fn combine_draws(mut answers: Vec<Answer>) -> Answer {
    let n_draws = answers.len();
    if n_draws <= 1 {
        return answers.pop().unwrap_or_default();
    }
    // The names of new pods differ between draws, so their order identifies them.
    let mut by_pod: ordered::Map<PodOfDraw, MovesByTarget> = ordered::Map::new();
    let mut order: Vec<PodOfDraw> = Vec::new();
    for answer in &answers {
        let mut nth = 0;
        for one in &answer.moves {
            let key = match &one.from {
                Some(from) => (Some(from.clone()), one.pod.clone()),
                None => {
                    nth += 1;
                    (None, format!("{nth:08}"))
                }
            };
            if !by_pod.contains_key(&key) {
                order.push(key.clone());
            }
            by_pod
                .entry(key)
                .or_default()
                .entry(one.to.clone())
                .or_default()
                .push(one.clone());
        }
    }
    let most = |ends: &MovesByTarget| {
        let often = ends.values().max_by_key(|moves| moves.len())?;
        let mut one = often.first()?.clone();
        one.share = often.len() as f64 / n_draws as f64;
        Some(one)
    };
    let moves = order.iter().filter_map(|key| most(by_pod.get(key)?)).collect();
    let broken: ordered::Set<String> = answers.iter().flat_map(|answer| answer.broken.clone()).collect();
    let first = answers.swap_remove(0);
    Answer {
        moves,
        broken: broken.into_iter().collect(),
        draws: u32::try_from(n_draws).unwrap_or(u32::MAX),
        ..first
    }
}
