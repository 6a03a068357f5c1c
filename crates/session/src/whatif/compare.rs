//! Two ends of a run: which pod went, what came in its place, and how full the nodes are.

use podscope_api::ordered::{self, StableSort as _};
use podscope_api::{
    ConditionStatus, Node, NodeName, Object, ObjectKey, ObjectMeta, Pod, Quantity, ResourceList, Str, Uid,
};
use podscope_cluster::Objects;

use super::{Answer, Blocked, Move, NodeChange, Question};
use crate::owners::workload_of;
use crate::timeline::Session;

/// Resources of a node that are always told.
const TOLD: [&str; 3] = ["cpu", "memory", "pods"];
/// Its pods go with their nodes, and come with new ones.
const DAEMON_SET: &str = "DaemonSet";
/// What an eviction takes of a budget.
const EVICTION: i32 = 1;

/// Where a pod is, as far as moving goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    node: Option<NodeName>,
    /// It is being terminated, or was bound and does not run yet.
    pub(super) is_moving: bool,
}

/// Where the pods are.
pub(super) fn places(session: &Session) -> ordered::Map<Uid, Place> {
    let pods = session.world().objects().list::<Pod>().filter(|pod| !pod.is_terminal());
    let place = |pod: &Pod| Place {
        node: pod.spec.node_name.clone(),
        is_moving: pod.metadata.is_terminating() && is_heard(session, pod),
    };
    pods.map(|pod| (pod.metadata.uid.clone(), place(pod))).collect()
}

/// Whether the pod's node is there and answers: only then does a termination end by itself.
fn is_heard(session: &Session, pod: &Pod) -> bool {
    let node = pod.spec.node_name.as_ref().and_then(|node| {
        let objects = session.world().objects();
        objects.named::<Node>(node.as_str())
    });
    node.is_some_and(|node| node.is_ready())
}

/// Kind and name of a workload.
type Owner = (Str, ObjectKey);

/// A pod as it is compared.
#[derive(Debug, Clone)]
struct Seen {
    key: ObjectKey,
    /// Its workload, as a reader knows it: of a ReplicaSet's pod the Deployment.
    owner: Option<Owner>,
    node: Option<String>,
    is_terminating: bool,
    /// What its condition says of why it has no node.
    unscheduled: Option<String>,
}

/// The pods and nodes of a cluster at an instant.
#[derive(Debug, Clone)]
pub(crate) struct Picture {
    /// Those that have not ended, by UID.
    pods: ordered::Map<Uid, Seen>,
    nodes: ordered::Map<String, Fullness>,
}

/// Of each resource what is asked for, and what is allocatable.
type Fullness = ordered::Map<String, [Quantity; 2]>;

impl Picture {
    pub(crate) fn of(session: &Session) -> Picture {
        let objects = session.world().objects();
        let pods = objects.list::<Pod>().filter(|pod| !pod.is_terminal());
        let seen = pods.map(|pod| (pod.metadata.uid.clone(), Seen::of(objects, pod)));
        let nodes = objects.list::<Node>();
        Picture {
            pods: seen.collect(),
            nodes: nodes
                .filter(|node| !podscope_cluster::is_made_up_node(&Object::Node((*node).clone())))
                .map(|node| (node.metadata.name.to_string(), fullness(objects, node)))
                .collect(),
        }
    }

    /// The node of each pod, by `NAMESPACE/NAME`.
    pub(crate) fn nodes_of_pods(&self) -> ordered::Map<String, Option<String>> {
        let one = |seen: &Seen| (seen.key.to_string(), seen.node.clone());
        self.pods.values().map(one).collect()
    }

    /// Of each node what is asked for of a resource, and what is allocatable.
    pub(crate) fn of_nodes(&self, resource: &str) -> Vec<[Quantity; 2]> {
        let of = |fullness: &Fullness| fullness.get(resource).copied();
        self.nodes.values().filter_map(of).collect()
    }

    /// The nodes whose pods ask for more or less than before.
    pub(crate) fn changes(&self, after: &Picture) -> Vec<NodeChange> {
        let names: ordered::Set<&String> = self.nodes.keys().chain(after.nodes.keys()).collect();
        let written = |fullness: Option<&Fullness>| {
            let one =
                |(name, [used, of]): (&String, &[Quantity; 2])| (name.clone(), [used.to_string(), of.to_string()]);
            fullness.into_iter().flatten().map(one).collect()
        };
        let differs = |name: &&String| self.nodes.get(*name) != after.nodes.get(*name);
        let change = |name: &String| NodeChange {
            name: name.clone(),
            before: written(self.nodes.get(name)),
            after: written(after.nodes.get(name)),
        };
        names.into_iter().filter(differs).map(change).collect()
    }

    /// The pods that are in this picture and no longer in the other, or only to be terminated there.
    fn lost<'a>(&'a self, after: &'a Picture) -> impl Iterator<Item = (&'a Uid, &'a Seen)> {
        self.pods.iter().filter(|(uid, seen)| {
            let later = after.pods.get(*uid);
            later.is_none_or(|later| later.is_terminating && !seen.is_terminating)
        })
    }

    /// The pods that are not in the picture before.
    fn made<'a>(&'a self, before: &'a Picture) -> impl Iterator<Item = &'a Seen> {
        let is_new = |(uid, _): &(&Uid, &Seen)| !before.pods.contains_key(*uid);
        self.pods.iter().filter(is_new).map(|(_, seen)| seen)
    }
}

impl Seen {
    fn of(objects: &Objects, pod: &Pod) -> Seen {
        let scheduled = pod.status.conditions.iter().find(|one| &*one.kind == "PodScheduled");
        let unscheduled = scheduled
            .filter(|one| one.status == ConditionStatus::False)
            .map(|one| one.message.to_string());
        Seen {
            key: pod.metadata.key(),
            owner: owner(objects, &pod.metadata),
            node: pod.spec.node_name.as_ref().map(ToString::to_string),
            is_terminating: pod.metadata.is_terminating(),
            unscheduled,
        }
    }

    /// Why nothing runs in the place of a pod that went.
    fn why_nothing(&self, in_its_place: Option<&Seen>, after: Option<&Seen>) -> String {
        if let Some(waits) = in_its_place {
            return waits.unscheduled.clone().unwrap_or_else(|| "not scheduled yet".into());
        }
        match (&self.owner, after) {
            (_, Some(_)) => "still terminating: its node does not confirm the end, and its name stays taken".into(),
            (None, None) => "it has no controller: nothing replaces it".into(),
            (Some((kind, _)), None) if &**kind == DAEMON_SET => "its DaemonSet's pod goes with the node".into(),
            (Some((kind, key)), None) => format!("{kind} {} has not replaced it", key.name),
        }
    }
}

fn owner(objects: &Objects, meta: &ObjectMeta) -> Option<Owner> {
    let owner = workload_of(objects, meta)?;
    Some((
        owner.kind.clone(),
        ObjectKey::new(meta.namespace.clone(), owner.name.clone()),
    ))
}

fn fullness(objects: &Objects, node: &Node) -> Fullness {
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
    let is_told = |resource: &Str| TOLD.contains(&&**resource) || asked.contains_key(resource);
    (node.status.allocatable.iter())
        .filter(|(resource, _)| is_told(resource))
        .map(|(resource, has)| {
            let used = asked.get(resource).copied().unwrap_or_default();
            (resource.to_string(), [used, *has])
        })
        .collect()
}

/// What the question did: what differs between before and after, without what comes of itself.
pub(super) fn answer(question: &Question, before: &Picture, after: &Picture, without: &Picture) -> Answer {
    let mut moves = Vec::new();
    // What the controllers of each workload made, those that got a node first.
    let mut made: ordered::Map<Option<Owner>, Vec<&Seen>> = ordered::Map::new();
    for seen in after.made(before) {
        made.entry(seen.owner.clone()).or_default().push(seen);
    }
    for seen in without.made(before) {
        // It would have been made anyhow.
        if let Some(same) = made.get_mut(&seen.owner) {
            let twin = same
                .iter()
                .position(|one| one.key == seen.key)
                .or(same.len().checked_sub(1));
            if let Some(at) = twin {
                same.remove(at);
            }
        }
    }
    for all in made.values_mut() {
        all.stable_sort_by_key(|seen| (seen.node.is_none(), seen.key.clone()));
    }
    let anyhow: ordered::Set<&Uid> = before.lost(without).map(|(uid, _)| uid).collect();
    let lost: Vec<(&Uid, &Seen)> = before.lost(after).filter(|(uid, _)| !anyhow.contains(uid)).collect();
    for (uid, seen) in lost {
        let in_its_place = made
            .get_mut(&seen.owner)
            .filter(|_| seen.owner.is_some())
            .and_then(|same| {
                let at = same.iter().position(|one| one.key == seen.key).unwrap_or(0);
                (at < same.len()).then(|| same.remove(at))
            });
        let to = in_its_place.and_then(|one| one.node.clone());
        let reason = to
            .is_none()
            .then(|| seen.why_nothing(in_its_place, after.pods.get(uid)));
        moves.push(Move {
            pod: seen.key.to_string(),
            from: seen.node.clone(),
            to,
            reason,
            share: 1.0,
        });
    }
    let comes = |seen: &Seen| Move {
        pod: seen.key.to_string(),
        from: None,
        to: seen.node.clone(),
        reason: (seen.node.is_none()).then(|| seen.unscheduled.clone().unwrap_or_else(|| "not scheduled yet".into())),
        share: 1.0,
    };
    // A DaemonSet's pods on new nodes are no news.
    let is_news = |seen: &&&Seen| {
        let is_of_daemon_set = seen.owner.as_ref().is_some_and(|(kind, _)| &**kind == DAEMON_SET);
        !(is_of_daemon_set && matches!(question, Question::Add { .. }))
    };
    moves.extend(made.values().flatten().filter(is_news).map(|seen| comes(seen)));
    let waited = before.pods.iter().filter(|(_, seen)| seen.node.is_none());
    moves.extend(waited.filter_map(|(uid, _)| {
        let placed = after.pods.get(uid).filter(|seen| seen.node.is_some())?;
        let also = without.pods.get(uid).is_some_and(|seen| seen.node.is_some());
        (!also).then(|| comes(placed))
    }));
    // Those that come have names that nobody knows beforehand: they are in the order of where they go.
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

/// Pods that a budget keeps on nodes that are to be drained.
pub(super) fn blocked(session: &Session, question: &Question) -> Vec<Blocked> {
    let Question::Drain(nodes) = question else {
        return Vec::new();
    };
    let objects = session.world().objects();
    let mut blocked = Vec::new();
    for node in nodes {
        let stay =
            |pod: &&std::sync::Arc<Pod>| !pod.is_terminal() && !pod.metadata.is_terminating() && !pod.is_mirror();
        for pod in objects.pods_on(&NodeName(node.as_str().into())).filter(stay) {
            let budget = objects
                .budgets_of(pod)
                .find(|budget| budget.status.disruptions_allowed < EVICTION);
            blocked.extend(budget.map(|budget| Blocked {
                pod: pod.metadata.key().to_string(),
                by: format!("PodDisruptionBudget {}", budget.metadata.key()),
                allowed: budget.status.disruptions_allowed,
                needed: EVICTION,
            }));
        }
    }
    blocked
}

/// What is the same pod in several draws: its node and its name, or of one that comes its place among those.
type Drawn = (Option<String>, String);
/// Its moves, by where they end.
type Ends = ordered::Map<Option<String>, Vec<Move>>;

/// One answer of several draws: each pod goes where it goes most often. What is told beside the moves is the first draw's.
pub(super) fn together(mut answers: Vec<Answer>) -> Answer {
    let n_draws = answers.len();
    if n_draws <= 1 {
        return answers.pop().unwrap_or_default();
    }
    // Pods that come have other names in each draw: they are told apart by their order.
    let mut by_pod: ordered::Map<Drawn, Ends> = ordered::Map::new();
    let mut order: Vec<Drawn> = Vec::new();
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
    let most = |ends: &Ends| {
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
