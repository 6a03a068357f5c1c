//! Number of pods per topology domain over time, for the selected object (U-05). It follows the spread constraint of a
//! pod or workload through the whole trace of the branch, and counts as the scheduler does (SCH-072, SCH-075 to
//! SCH-077).

use podscope_api::ordered;
use podscope_api::{Kind, LabelSelector, Node, NodeName, Object, Pod, PodSpec, Str, TopologySpreadConstraint, Uid};
use podscope_cluster::controllers::counts_for_spread;
use podscope_cluster::{Actor, Happening, Objects, Record, SimTime, Subject};
use podscope_protocol::{Micros, SpreadLane, SpreadPoint, SubjectRef};

use super::pod_key;
use crate::timeline::Session;

/// Maximum number of domains that the page shows individually. If there are more, it shows only the largest and the
/// smallest count.
const MAX_DOMAINS: usize = 12;
/// Maximum number of changes of the counts that are stored; older changes are dropped.
const MAX_POINTS: usize = 1000;
/// Maximum number of trace records that are examined for one frame.
const MAX_RECORDS_PER_FRAME: usize = 40_000;

/// Selects the pods and nodes that are counted for the selected object.
#[derive(Debug, Clone)]
struct SpreadQuery {
    subject: SubjectRef,
    of: String,
    namespace: Str,
    constraint: TopologySpreadConstraint,
    spec: PodSpec,
    /// Label keys that a node must have to be counted.
    keys: Vec<Str>,
    /// Whether a spread constraint limits the counts. Without a constraint, the pods of one owner are counted.
    is_limited: bool,
}

/// The row of the timeline with the number of pods per domain, up to the last processed record.
#[derive(Debug, Clone, Default)]
pub(crate) struct SpreadRow {
    query: Option<SpreadQuery>,
    branch: usize,
    seen: usize,
    /// The counted pods, with their nodes.
    pods: ordered::Map<Uid, NodeName>,
    /// The counted nodes, with the indices of their domains.
    nodes: ordered::Map<NodeName, usize>,
    /// Owners of pods that have no node yet.
    owners: ordered::Map<Uid, String>,
    /// For each owner, whether its pods are counted.
    members: ordered::Map<String, bool>,
    /// For each domain, the number of pods and the number of nodes.
    counts: Vec<(u32, u32)>,
    lane: SpreadLane,
}

/// Returns the label selector of a workload.
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

/// Returns the label selector of the topmost owner of a pod.
fn selector_of_owner(objects: &Objects, pod: &Pod) -> Option<LabelSelector> {
    let mut owner = pod.metadata.controller_ref().cloned();
    let mut selector = None;
    // The owner of a ReplicaSet can be a Deployment, and that of a Job a CronJob. There are no higher levels.
    for _ in 0..2 {
        let Some(found) = owner.take().and_then(|owner| objects.by_uid(&owner.uid)) else {
            break;
        };
        selector = selector_of(&found).cloned().or(selector);
        owner = found.metadata().controller_ref().cloned();
    }
    selector
}

impl SpreadQuery {
    /// Returns what is counted for the selected object. None if nothing is counted.
    fn of(objects: &Objects, subject: &SubjectRef, group_by: &str) -> Option<SpreadQuery> {
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
            SubjectRef::Node { .. } | SubjectRef::Invariant { .. } | SubjectRef::FailedRequests { .. } => return None,
        };
        let all = &spec.topology_spread_constraints;
        let chosen = (all.iter().find(|one| &*one.topology_key == group_by))
            .or_else(|| all.iter().find(|one| one.is_do_not_schedule()));
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
        let of_its_kind = |one: &&TopologySpreadConstraint| one.is_do_not_schedule() == constraint.is_do_not_schedule();
        let keys = all.iter().filter(of_its_kind).map(|one| one.topology_key.clone());
        Some(SpreadQuery {
            subject: subject.clone(),
            of: key.name.to_string(),
            namespace: key.namespace,
            keys: keys.chain([constraint.topology_key.clone()]).collect(),
            spec,
            is_limited,
            constraint,
        })
    }

    /// Returns the topology domain of a node. None if the node is not counted.
    fn domain<'a>(&self, node: &'a Node) -> Option<&'a Str> {
        let counts = counts_for_spread(&self.spec, node, &self.constraint, self.keys.iter());
        node.metadata
            .labels
            .get(&self.constraint.topology_key)
            .filter(|_| counts)
    }
}

/// Returns the objects of the API server soon after a time: those at the next checkpoint or, if there is none, at the
/// cursor.
fn objects_soon_after(session: &Session, at: SimTime) -> &Objects {
    let checkpoints = &session.branch().checkpoints;
    let next = checkpoints.partition_point(|checkpoint| checkpoint.at <= at);
    checkpoints
        .get(next)
        .map_or(session.world(), |next| &next.world)
        .objects()
}

impl SpreadRow {
    /// Updates the row of the timeline to the cursor. Returns the row if it has changed; a row without domains is not
    /// shown.
    pub(crate) fn update(
        &mut self,
        session: &Session,
        subject: Option<&SubjectRef>,
        group_by: &str,
    ) -> Option<SpreadLane> {
        let trace = session.branch().trace();
        let now = subject.and_then(|subject| SpreadQuery::of(session.world().objects(), subject, group_by));
        let is_same = match (&now, &self.query) {
            (Some(now), Some(known)) => now.subject == known.subject && now.constraint == known.constraint,
            // The row of the selected object stays, although the object does not exist at the cursor.
            (None, Some(known)) => subject == Some(&known.subject),
            (None, None) => return None,
            (Some(_), None) => false,
        };
        let is_new = !is_same || session.current_branch_index() != self.branch || trace.len() < self.seen;
        if is_new {
            let query = if is_same { now.or(self.query.take()) } else { now };
            *self = SpreadRow::begin(session, query);
        }
        let until = if self.query.is_some() {
            trace.len().min(self.seen + MAX_RECORDS_PER_FRAME)
        } else {
            trace.len()
        };
        let mut has_changed = is_new;
        if self.query.is_some() {
            for record in trace.range(self.seen, until) {
                has_changed |= self.process_record(session, &record);
            }
        }
        self.seen = until;
        has_changed.then(|| self.lane.clone())
    }

    /// Returns whether the trace has records that have not been processed yet.
    pub(crate) fn has_unprocessed_records(&self, session: &Session) -> bool {
        self.query.is_some() && self.seen < session.branch().trace().len()
    }

    /// Creates the row of the timeline in its state at the beginning of the branch.
    fn begin(session: &Session, query: Option<SpreadQuery>) -> SpreadRow {
        let mut spread = SpreadRow {
            branch: session.current_branch_index(),
            ..SpreadRow::default()
        };
        let (Some(query), Some(first)) = (query, session.branch().checkpoints.first()) else {
            return spread;
        };
        let hard = query.is_limited && query.constraint.is_do_not_schedule();
        spread.lane = SpreadLane {
            of: query.of.clone(),
            key: query.constraint.topology_key.to_string(),
            max_skew: query
                .is_limited
                .then(|| u32::try_from(query.constraint.max_skew).unwrap_or(0)),
            hard,
            min_domains: query
                .constraint
                .min_domains
                .filter(|_| hard)
                .and_then(|n| u32::try_from(n).ok())
                .unwrap_or(1),
            ..SpreadLane::default()
        };
        let objects = first.world.objects();
        let namespace = query.namespace.clone();
        spread.query = Some(query);
        for node in objects.list::<Node>() {
            spread.update_node(node);
        }
        for pod in objects
            .list_in::<Pod>(&namespace)
            .filter(|pod| !pod.is_terminal() && !pod.metadata.is_terminating())
        {
            if let Some(node) = &pod.spec.node_name
                && spread.counts_pods_with_labels(&pod.metadata.labels)
            {
                spread.add_pod(&pod.metadata.uid, node);
            }
        }
        spread.add_point(0);
        spread
    }

    fn counts_pods_with_labels(&self, labels: &ordered::Map<Str, Str>) -> bool {
        self.query
            .as_ref()
            .is_some_and(|query| query.constraint.selects(labels))
    }

    fn process_record(&mut self, session: &Session, record: &Record) -> bool {
        let Some(subject) = &record.object else { return false };
        match subject.kind {
            Kind::Pod => self.process_pod_record(session, record, subject),
            Kind::Node => self.process_node_record(session, record, &subject.key.name),
            _ => return false,
        }
        self.add_point(record.at.0)
    }

    fn process_pod_record(&mut self, session: &Session, record: &Record, subject: &Subject) {
        if self
            .query
            .as_ref()
            .is_none_or(|query| query.namespace != subject.key.namespace)
        {
            return;
        }
        match &record.happening {
            Happening::Created { node, owner } => {
                if let Some(owner) = owner {
                    self.owners.insert(subject.uid.clone(), owner.clone());
                }
                if let Some(node) = node.as_ref().filter(|_| self.is_counted(session, record.at, subject)) {
                    self.add_pod(&subject.uid, node);
                }
            }
            Happening::Bound { node } if self.is_counted(session, record.at, subject) => {
                self.add_pod(&subject.uid, node)
            }
            Happening::Updated { changed } if matches!(changed.phase.as_deref(), Some("Succeeded" | "Failed")) => {
                self.remove_pod(&subject.uid);
            }
            Happening::DeletionRequested { .. } | Happening::Deleted => self.remove_pod(&subject.uid),
            _ => {}
        }
    }

    /// Returns whether a pod is counted, according to its labels. If the pod is neither among the objects at the cursor
    /// nor among those at the next checkpoint, it is counted if other pods of its owner are.
    fn is_counted(&mut self, session: &Session, at: SimTime, subject: &Subject) -> bool {
        let owner = self.owners.remove(&subject.uid);
        let known_objects = [session.world().objects(), objects_soon_after(session, at)];
        let pod = (known_objects.into_iter()).find_map(|objects| {
            let pod = objects.get::<Pod>(&subject.key)?;
            (pod.metadata.uid == subject.uid).then_some(pod)
        });
        match (pod, owner) {
            (Some(pod), owner) => {
                let counts = self.counts_pods_with_labels(&pod.metadata.labels);
                if let Some(owner) = owner {
                    self.members.insert(owner, counts);
                }
                counts
            }
            (None, Some(owner)) => self.members.get(&owner).copied().unwrap_or(false),
            (None, None) => false,
        }
    }

    fn process_node_record(&mut self, session: &Session, record: &Record, name: &Str) {
        match &record.happening {
            Happening::Deleted => self.remove_node(&NodeName(name.clone())),
            // Status updates by a kubelet change neither labels nor taints.
            Happening::Updated { .. } if matches!(record.actor, Actor::Kubelet(_)) => {}
            Happening::Created { .. }
            | Happening::NodeRegistered
            | Happening::Updated { .. }
            | Happening::TaintAdded { .. }
            | Happening::TaintRemoved { .. } => {
                if let Some(node) = objects_soon_after(session, record.at).named::<Node>(name) {
                    self.update_node(node);
                }
            }
            _ => {}
        }
    }

    /// Updates the domain of a node that was created or changed.
    fn update_node(&mut self, node: &Node) {
        let Some(query) = &self.query else { return };
        let name = NodeName(node.metadata.name.clone());
        let domain = query.domain(node).map(|domain| {
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
        self.remove_node(&name);
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

    fn remove_node(&mut self, name: &NodeName) {
        let pods = self.pods_on(name);
        if let Some(count) = self.nodes.remove(name).and_then(|domain| self.counts.get_mut(domain)) {
            *count = (count.0.saturating_sub(pods), count.1.saturating_sub(1));
        }
    }

    fn add_pod(&mut self, uid: &Uid, node: &NodeName) {
        self.remove_pod(uid);
        self.pods.insert(uid.clone(), node.clone());
        if let Some(count) = self.nodes.get(node).and_then(|domain| self.counts.get_mut(*domain)) {
            count.0 += 1;
        }
    }

    fn remove_pod(&mut self, uid: &Uid) {
        self.owners.remove(uid);
        let node = self.pods.remove(uid);
        let domain = node.and_then(|node| self.nodes.get(&node).copied());
        if let Some(count) = domain.and_then(|domain| self.counts.get_mut(domain)) {
            count.0 = count.0.saturating_sub(1);
        }
    }

    /// Adds a point to the row of the timeline if the counts have changed.
    fn add_point(&mut self, at: Micros) -> bool {
        let counts_of_present_domains = || self.counts.iter().filter(|(_, nodes)| *nodes > 0);
        let found = u32::try_from(counts_of_present_domains().count()).unwrap_or(u32::MAX);
        let least = counts_of_present_domains().map(|(pods, _)| *pods).min().unwrap_or(0);
        let point = SpreadPoint {
            at,
            found,
            least: if found < self.lane.min_domains { 0 } else { least },
            most: counts_of_present_domains().map(|(pods, _)| *pods).max().unwrap_or(0),
            pods: if self.counts.len() > MAX_DOMAINS {
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
        if points.len() > MAX_POINTS {
            points.drain(..MAX_POINTS / 4);
        }
        true
    }
}
