//! Pods per domain over time, of what the inspector shows (U-05): a pod's or a workload's constraint, followed through
//! the branch's whole trace as the scheduler counts (SCH-072, SCH-075 to SCH-077).

use podscope_api::ordered;
use podscope_api::{Kind, LabelSelector, Node, NodeName, Object, Pod, PodSpec, Str, TopologySpreadConstraint, Uid};
use podscope_cluster::controllers::counts_for_spread;
use podscope_cluster::{Actor, Happening, Objects, Record, SimTime, Subject};
use podscope_protocol::{Micros, SpreadLane, SpreadPoint, SubjectRef};

use super::pod_key;
use crate::timeline::Session;

/// With more domains than this only the fullest and the emptiest are told.
const DOMAINS: usize = 12;
/// Changes that are kept, the latest.
const POINTS: usize = 1000;
/// Records looked at in one frame.
const PIECE: usize = 40_000;

/// What is counted.
#[derive(Debug, Clone)]
struct Question {
    subject: SubjectRef,
    of: String,
    namespace: Str,
    constraint: TopologySpreadConstraint,
    spec: PodSpec,
    /// Keys that a node has to have to count.
    keys: Vec<Str>,
    /// Without a constraint the pods of one owner are counted, and nothing limits them.
    is_limited: bool,
}

/// The lane, kept up as the trace grows.
#[derive(Debug, Clone, Default)]
pub(crate) struct Spread {
    question: Option<Question>,
    branch: usize,
    seen: usize,
    /// Pods that count, and where.
    pods: ordered::Map<Uid, NodeName>,
    /// Domains of the nodes that count.
    nodes: ordered::Map<NodeName, usize>,
    /// Owners of pods that wait for a node.
    owners: ordered::Map<Uid, String>,
    /// Whether an owner's pods are counted.
    members: ordered::Map<String, bool>,
    /// By domain: pods, and nodes.
    counts: Vec<(u32, u32)>,
    lane: SpreadLane,
}

/// The selector of a workload.
fn selector_of(object: &Object) -> Option<&LabelSelector> {
    match object {
        Object::Deployment(o) => o.spec.selector.as_ref(),
        Object::ReplicaSet(o) => o.spec.selector.as_ref(),
        Object::StatefulSet(o) => o.spec.selector.as_ref(),
        Object::DaemonSet(o) => o.spec.selector.as_ref(),
        Object::Job(o) => o.spec.selector.as_ref(),
        _ => None,
    }
}

/// The selector of whoever stands at the top of a pod's owners.
fn selector_of_owner(objects: &Objects, pod: &Pod) -> Option<LabelSelector> {
    let mut owner = pod.metadata.controller_ref().cloned();
    let mut selector = None;
    // A ReplicaSet's Deployment, a Job's CronJob: nobody stands higher.
    for _ in 0..2 {
        let Some(found) = owner.take().and_then(|owner| objects.by_uid(&owner.uid)) else {
            break;
        };
        selector = selector_of(&found).cloned().or(selector);
        owner = found.metadata().controller_ref().cloned();
    }
    selector
}

impl Question {
    /// None for what is spread by nothing.
    fn of(objects: &Objects, subject: &SubjectRef, group_by: &str) -> Option<Question> {
        let (key, spec, selector) = match subject {
            SubjectRef::Pod { key, .. } => {
                let key = pod_key(key);
                let pod = objects.get::<Pod>(&key)?;
                let selector = selector_of_owner(objects, pod);
                (key, pod.spec.clone(), selector)
            }
            SubjectRef::Object { kind, key } => {
                let key = pod_key(key);
                let found = objects.get_kind(Kind::named(kind)?, &key)?;
                (key, found.template()?.spec.clone(), selector_of(&found).cloned())
            }
            SubjectRef::Node { .. } | SubjectRef::Invariant { .. } => return None,
        };
        let all = &spec.topology_spread_constraints;
        let chosen =
            (all.iter().find(|one| &*one.topology_key == group_by)).or_else(|| all.iter().find(|one| one.is_hard()));
        let chosen = chosen.or(all.first()).cloned();
        let is_limited = chosen.is_some();
        let constraint = match chosen {
            Some(constraint) => constraint,
            None => TopologySpreadConstraint {
                topology_key: group_by.into(),
                label_selector: Some(selector?),
                ..TopologySpreadConstraint::default()
            },
        };
        let of_its_kind = |one: &&TopologySpreadConstraint| one.is_hard() == constraint.is_hard();
        let keys = all.iter().filter(of_its_kind).map(|one| one.topology_key.clone());
        Some(Question {
            subject: subject.clone(),
            of: key.name.to_string(),
            namespace: key.namespace,
            keys: keys.chain([constraint.topology_key.clone()]).collect(),
            spec,
            is_limited,
            constraint,
        })
    }

    /// The domain of a node that counts.
    fn domain<'a>(&self, node: &'a Node) -> Option<&'a Str> {
        let counts = counts_for_spread(&self.spec, node, &self.constraint, self.keys.iter());
        node.metadata
            .labels
            .get(&self.constraint.topology_key)
            .filter(|_| counts)
    }
}

/// What the API server had soon after an instant: at the next checkpoint, or at the cursor.
fn soon_after(session: &Session, at: SimTime) -> &Objects {
    let checkpoints = &session.branch().checkpoints;
    let next = checkpoints.partition_point(|checkpoint| checkpoint.at <= at);
    checkpoints
        .get(next)
        .map_or(session.world(), |next| &next.world)
        .objects()
}

impl Spread {
    /// Follows the trace. The lane if it is another one than the last time; one without domains stands for none.
    pub(crate) fn follow(
        &mut self,
        session: &Session,
        subject: Option<&SubjectRef>,
        group_by: &str,
    ) -> Option<SpreadLane> {
        let trace = session.branch().trace();
        let now = subject.and_then(|subject| Question::of(session.world().objects(), subject, group_by));
        let is_same = match (&now, &self.question) {
            (Some(now), Some(known)) => now.subject == known.subject && now.constraint == known.constraint,
            // What is not there at the cursor is told as it was.
            (None, Some(known)) => subject == Some(&known.subject),
            (None, None) => return None,
            (Some(_), None) => false,
        };
        let is_new = !is_same || session.current() != self.branch || trace.len() < self.seen;
        if is_new {
            let question = if is_same { now.or(self.question.take()) } else { now };
            *self = Spread::begin(session, question);
        }
        let until = if self.question.is_some() {
            trace.len().min(self.seen + PIECE)
        } else {
            trace.len()
        };
        let mut has_changed = is_new;
        if self.question.is_some() {
            for record in trace.range(self.seen, until) {
                has_changed |= self.take(session, &record);
            }
        }
        self.seen = until;
        has_changed.then(|| self.lane.clone())
    }

    /// Whether the trace holds more than has been looked at.
    pub(crate) fn is_late(&self, session: &Session) -> bool {
        self.question.is_some() && self.seen < session.branch().trace().len()
    }

    /// The lane at the beginning of the branch.
    fn begin(session: &Session, question: Option<Question>) -> Spread {
        let mut spread = Spread {
            branch: session.current(),
            ..Spread::default()
        };
        let (Some(question), Some(first)) = (question, session.branch().checkpoints.first()) else {
            return spread;
        };
        let hard = question.is_limited && question.constraint.is_hard();
        spread.lane = SpreadLane {
            of: question.of.clone(),
            key: question.constraint.topology_key.to_string(),
            max_skew: question
                .is_limited
                .then(|| u32::try_from(question.constraint.max_skew).unwrap_or(0)),
            hard,
            min_domains: question
                .constraint
                .min_domains
                .filter(|_| hard)
                .and_then(|n| u32::try_from(n).ok())
                .unwrap_or(1),
            ..SpreadLane::default()
        };
        let objects = first.world.objects();
        let namespace = question.namespace.clone();
        spread.question = Some(question);
        for node in objects.list::<Node>() {
            spread.see_node(node);
        }
        for pod in objects
            .list_in::<Pod>(&namespace)
            .filter(|pod| !pod.is_terminal() && !pod.metadata.is_terminating())
        {
            if let Some(node) = &pod.spec.node_name
                && spread.counts_labels(&pod.metadata.labels)
            {
                spread.put(&pod.metadata.uid, node);
            }
        }
        spread.tell(0);
        spread
    }

    fn counts_labels(&self, labels: &ordered::Map<Str, Str>) -> bool {
        self.question
            .as_ref()
            .is_some_and(|question| question.constraint.selects(labels))
    }

    fn take(&mut self, session: &Session, record: &Record) -> bool {
        let Some(subject) = &record.object else { return false };
        match subject.kind {
            Kind::Pod => self.take_pod(session, record, subject),
            Kind::Node => self.take_node(session, record, &subject.key.name),
            _ => return false,
        }
        self.tell(record.at.0)
    }

    fn take_pod(&mut self, session: &Session, record: &Record, subject: &Subject) {
        if self
            .question
            .as_ref()
            .is_none_or(|question| question.namespace != subject.key.namespace)
        {
            return;
        }
        match &record.happening {
            Happening::Created { node, owner } => {
                if let Some(owner) = owner {
                    self.owners.insert(subject.uid.clone(), owner.clone());
                }
                if let Some(node) = node.as_ref().filter(|_| self.is_counted(session, record.at, subject)) {
                    self.put(&subject.uid, node);
                }
            }
            Happening::Bound { node } if self.is_counted(session, record.at, subject) => self.put(&subject.uid, node),
            Happening::Updated { changed } if matches!(changed.phase.as_deref(), Some("Succeeded" | "Failed")) => {
                self.remove(&subject.uid);
            }
            Happening::DeletionRequested { .. } | Happening::Deleted => self.remove(&subject.uid),
            _ => {}
        }
    }

    /// Whether a pod is counted, by its labels; of one that was gone before anyone saw it, by its siblings.
    fn is_counted(&mut self, session: &Session, at: SimTime, subject: &Subject) -> bool {
        let owner = self.owners.remove(&subject.uid);
        let places = [session.world().objects(), soon_after(session, at)];
        let pod = (places.into_iter()).find_map(|objects| {
            let pod = objects.get::<Pod>(&subject.key)?;
            (pod.metadata.uid == subject.uid).then_some(pod)
        });
        match (pod, owner) {
            (Some(pod), owner) => {
                let counts = self.counts_labels(&pod.metadata.labels);
                if let Some(owner) = owner {
                    self.members.insert(owner, counts);
                }
                counts
            }
            (None, Some(owner)) => self.members.get(&owner).copied().unwrap_or(false),
            (None, None) => false,
        }
    }

    fn take_node(&mut self, session: &Session, record: &Record, name: &Str) {
        match &record.happening {
            Happening::Deleted => self.lose_node(&NodeName(name.clone())),
            // A kubelet's writes of its status change neither labels nor taints.
            Happening::Updated { .. } if matches!(record.actor, Actor::Kubelet(_)) => {}
            Happening::Created { .. }
            | Happening::NodeRegistered
            | Happening::Updated { .. }
            | Happening::TaintAdded { .. }
            | Happening::TaintRemoved { .. } => {
                if let Some(node) = soon_after(session, record.at).named::<Node>(name) {
                    self.see_node(node);
                }
            }
            _ => {}
        }
    }

    /// Takes a node as it is now.
    fn see_node(&mut self, node: &Node) {
        let Some(question) = &self.question else { return };
        let name = NodeName(node.metadata.name.clone());
        let domain = question.domain(node).map(|domain| {
            let known = self.lane.domains.iter().position(|known| **known == **domain);
            known.unwrap_or_else(|| {
                self.lane.domains.push(domain.to_string());
                self.counts.push((0, 0));
                self.counts.len() - 1
            })
        });
        if self.nodes.get(&name) == domain.as_ref() {
            return;
        }
        self.lose_node(&name);
        let Some(domain) = domain else { return };
        self.nodes.insert(name.clone(), domain);
        let pods = self.pods_on(&name);
        if let Some(count) = self.counts.get_mut(domain) {
            *count = (count.0 + pods, count.1 + 1);
        }
    }

    fn pods_on(&self, node: &NodeName) -> u32 {
        u32::try_from(self.pods.values().filter(|on| *on == node).count()).unwrap_or(u32::MAX)
    }

    fn lose_node(&mut self, name: &NodeName) {
        let pods = self.pods_on(name);
        if let Some(count) = self.nodes.remove(name).and_then(|domain| self.counts.get_mut(domain)) {
            *count = (count.0.saturating_sub(pods), count.1.saturating_sub(1));
        }
    }

    fn put(&mut self, uid: &Uid, node: &NodeName) {
        self.remove(uid);
        self.pods.insert(uid.clone(), node.clone());
        if let Some(count) = self.nodes.get(node).and_then(|domain| self.counts.get_mut(*domain)) {
            count.0 += 1;
        }
    }

    fn remove(&mut self, uid: &Uid) {
        self.owners.remove(uid);
        let node = self.pods.remove(uid);
        let domain = node.and_then(|node| self.nodes.get(&node).copied());
        if let Some(count) = domain.and_then(|domain| self.counts.get_mut(domain)) {
            count.0 = count.0.saturating_sub(1);
        }
    }

    /// Writes down how it is now, if that is new.
    fn tell(&mut self, at: Micros) -> bool {
        let here = || self.counts.iter().filter(|(_, nodes)| *nodes > 0);
        let found = u32::try_from(here().count()).unwrap_or(u32::MAX);
        let least = here().map(|(pods, _)| *pods).min().unwrap_or(0);
        let point = SpreadPoint {
            at,
            found,
            least: if found < self.lane.min_domains { 0 } else { least },
            most: here().map(|(pods, _)| *pods).max().unwrap_or(0),
            pods: if self.counts.len() > DOMAINS {
                Vec::new()
            } else {
                (self.counts.iter())
                    .map(|(pods, nodes)| (*nodes > 0).then_some(*pods))
                    .collect()
            },
        };
        let points = &mut self.lane.points;
        if points
            .last()
            .is_some_and(|last| SpreadPoint { at, ..last.clone() } == point)
        {
            return false;
        }
        if points.last().is_some_and(|last| last.at == at) {
            points.pop();
        }
        points.push(point);
        if points.len() > POINTS {
            points.drain(..POINTS / 4);
        }
        true
    }
}
