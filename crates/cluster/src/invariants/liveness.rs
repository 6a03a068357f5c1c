//! Liveness: what must become true when no fault is active (CT-180 to CT-184). Checked periodically; a violation is
//! reported once while it lasts.

use podscope_api::fault::ViolationCause;
use podscope_api::ordered;
use podscope_api::well_known::{condition, finalizer, taint};
use podscope_messages::invariant;
use podscope_messages::{Sentence, sentence};
use std::sync::Arc;

use podscope_api::{
    ClaimPhase, Kind, Namespace, Node, NodeName, Object, ObjectKey, PersistentVolumeClaim, Pod, ReplicaSet,
    StatefulSet, TaintEffect, Uid,
};

use super::{Check, DetectedViolation, Invariant, InvariantGroup, InvariantKind, Observation, View};
use crate::{Actor, Change, Happening, Record, SimTime, Span, Subject, subject, subject_of};

pub(super) const NOMINEE_RESOLVED: Invariant = Invariant {
    name: "nominee-resolved",
    fact: "CT-180",
    group: InvariantGroup::Scheduling,
    kind: InvariantKind::Liveness,
    statement: invariant::nominee_resolved,
    keeper: invariant::nominee_resolved_keeper,
    breaker: invariant::nominee_resolved_breaker,
    lesson: "preemption-and-grace",
};

pub(super) const NO_ORPHANS: Invariant = Invariant {
    name: "no-orphans",
    fact: "CT-181",
    group: InvariantGroup::Recovery,
    kind: InvariantKind::Liveness,
    statement: invariant::no_orphans,
    keeper: invariant::no_orphans_keeper,
    breaker: invariant::no_orphans_breaker,
    lesson: "force-delete-split-brain",
};

pub(super) const NAMESPACE_GONE: Invariant = Invariant {
    name: "namespace-gone",
    fact: "CT-182",
    group: InvariantGroup::Recovery,
    kind: InvariantKind::Liveness,
    statement: invariant::namespace_gone,
    keeper: invariant::namespace_gone_keeper,
    breaker: invariant::namespace_gone_breaker,
    lesson: "namespace-stuck",
};

pub(super) const READY_RESTORED: Invariant = Invariant {
    name: "ready-restored",
    fact: "CT-183",
    group: InvariantGroup::Recovery,
    kind: InvariantKind::Liveness,
    statement: invariant::ready_restored,
    keeper: invariant::ready_restored_keeper,
    breaker: invariant::ready_restored_breaker,
    lesson: "partition-replicaset",
};

pub(super) const CONVERGE: Invariant = Invariant {
    name: "converge",
    fact: "CT-184",
    group: InvariantGroup::Recovery,
    kind: InvariantKind::Liveness,
    statement: invariant::converge,
    keeper: invariant::converge_keeper,
    breaker: invariant::converge_breaker,
    lesson: "partition-replicaset",
};

pub(super) const PENDING_PLACED: Invariant = Invariant {
    name: "pending-placed",
    fact: "F-03",
    group: InvariantGroup::Scheduling,
    kind: InvariantKind::Liveness,
    statement: invariant::pending_placed,
    keeper: invariant::pending_placed_keeper,
    breaker: invariant::pending_placed_breaker,
    lesson: "first-pod",
};

/// Identifies a problem: the name of the invariant, and kind and UID of the object.
type Key = (&'static str, Kind, Uid);

/// State of the liveness checks.
#[derive(Debug, Clone, Default)]
pub(super) struct Liveness {
    fault_free_since: Option<SimTime>,
    /// Since when each problem has existed without an active fault.
    open: ordered::Map<Key, SimTime>,
    reported: ordered::Set<Key>,
    /// Pods whose creation by a controller was refused, for example by a quota, and when it was last refused.
    refused: ordered::Map<ObjectKey, SimTime>,
}

/// Maximum time after which controllers retry a refused creation (the maximum back-off, CT-158).
const CREATION_RETRY_LIMIT: Span = Span::seconds(1000 + 60);

/// A problem that must not last.
struct OpenProblem {
    invariant: &'static str,
    object: Arc<Subject>,
    /// Maximum duration of the problem without an active fault.
    limit: Span,
    seen: Sentence,
}

impl Check for Liveness {
    fn check(&mut self, seen: &Observation<'_>, view: &View<'_>, out: &mut Vec<DetectedViolation>) {
        let (is_fault_free, fitting) = match seen {
            Observation::Tick { is_fault_free, fitting } => (is_fault_free, fitting),
            Observation::Record(record) => return self.record_refused_pod_creation(record),
            Observation::Change { change, .. } => {
                if can_make_room_for_pod(change) {
                    self.restart_pending_timers(view.now);
                }
                return;
            }
            Observation::Request { .. } => return,
        };
        if !is_fault_free {
            self.fault_free_since = None;
            self.open.clear();
            return;
        }
        self.fault_free_since.get_or_insert(view.now);
        let mut found = Vec::new();
        find_orphans(view, &mut found);
        find_stuck_namespaces(view, &mut found);
        find_unready_nodes(view, &mut found);
        let since = view.now - CREATION_RETRY_LIMIT;
        self.refused.retain(|_, at| *at >= since);
        find_replica_mismatches(view, &self.refused, &mut found);
        find_unresolved_nominees(view, &mut found);
        self.find_pending_pods(view, fitting, &mut found);
        let mut still_open = ordered::Map::new();
        for problem in found {
            let key: Key = (problem.invariant, problem.object.kind, problem.object.uid.clone());
            let since = self.open.get(&key).copied().unwrap_or(view.now);
            still_open.insert(key.clone(), since);
            if view.now - since >= problem.limit && self.reported.insert(key) {
                out.push(DetectedViolation {
                    corrupts: None,
                    invariant: problem.invariant,
                    object: Some(problem.object),
                    cause: ViolationCause::Bug,
                    by: sentence!(seen::nothing_changed, time = problem.limit.to_string()).into(),
                    seen: problem.seen,
                });
            }
        }
        self.reported.retain(|key| still_open.contains_key(key));
        self.open = still_open;
    }
}

/// Time after which a pending pod is checked for a fitting node. It is longer than any back-off, and than the five
/// minutes after which the scheduler retries every unschedulable pod.
const PENDING_LIMIT: Span = Span::seconds(420);

impl Liveness {
    /// Records pods whose creation was refused. A name conflict does not count.
    fn record_refused_pod_creation(&mut self, record: &Record) {
        if let Happening::Refused { code: 403 | 422, .. } = record.happening
            && let (Actor::ControllerManager(_), Some(object)) = (&record.actor, &record.object)
            && object.kind == Kind::Pod
        {
            self.refused.insert(object.key.clone(), record.at);
        }
    }

    /// Restarts the time limit of all pending pods after a change by which they may fit a node.
    fn restart_pending_timers(&mut self, now: SimTime) {
        for ((name, _, _), since) in &mut self.open {
            if *name == PENDING_PLACED.name {
                *since = now;
            }
        }
    }

    fn is_pending_overdue(&self, uid: &Uid, now: SimTime) -> bool {
        let key: Key = (PENDING_PLACED.name, Kind::Pod, uid.clone());
        self.open.get(&key).is_some_and(|since| now - *since >= PENDING_LIMIT)
    }

    /// Returns the UIDs of the pods that have been pending so long that the scheduler must be asked whether they fit a
    /// node.
    pub(super) fn overdue_pending_pods(&self, now: SimTime) -> Vec<Uid> {
        self.open
            .iter()
            .filter(|((name, _, _), since)| *name == PENDING_PLACED.name && now - **since >= PENDING_LIMIT)
            .map(|((_, _, uid), _)| uid.clone())
            .collect()
    }

    /// `pending-placed`: finds pods that stay pending. After the time limit, only those that fit a node count.
    fn find_pending_pods(&self, view: &View<'_>, fitting: &ordered::Set<Uid>, found: &mut Vec<OpenProblem>) {
        for pod in view.objects.list::<Pod>() {
            let is_pending = pod.spec.node_name.is_none()
                && pod.spec.scheduling_gates.is_empty()
                && !pod.metadata.is_terminating()
                && !pod.is_terminal();
            let uid = &pod.metadata.uid;
            if is_pending
                && !waits_for_volumes(pod, view)
                && (!self.is_pending_overdue(uid, view.now) || fitting.contains(uid))
            {
                found.push(OpenProblem {
                    invariant: PENDING_PLACED.name,
                    object: subject_of(&Object::Pod(pod.clone())),
                    limit: PENDING_LIMIT,
                    seen: sentence!(seen::fits_and_waits),
                });
            }
        }
    }
}

/// Returns whether a change may allow a pending pod to fit: a node was added or changed its scheduling properties, or a
/// pod left its node.
fn can_make_room_for_pod(change: &Change) -> bool {
    let scheduling_properties = |node: &Node| {
        let spec = &node.spec;
        let labels = &node.metadata.labels;
        (
            spec.unschedulable,
            spec.taints.clone(),
            labels.clone(),
            node.status.allocatable.clone(),
            node.status.declared_features.clone(),
        )
    };
    let uses_node = |pod: &Pod| pod.spec.node_name.is_some() && !pod.is_terminal();
    match (&change.old, &change.new) {
        (None, Some(Object::Node(_))) => true,
        (Some(Object::Node(old)), Some(Object::Node(new))) => scheduling_properties(old) != scheduling_properties(new),
        (Some(Object::Pod(old)), None) => uses_node(old),
        (Some(Object::Pod(old)), Some(Object::Pod(new))) => uses_node(old) && !uses_node(new),
        _ => false,
    }
}

/// Returns whether a claim of the pod is not bound: the pod then waits for its storage.
fn waits_for_volumes(pod: &Pod, view: &View<'_>) -> bool {
    pod.spec.volumes.iter().any(|volume| {
        let name = match (&volume.persistent_volume_claim, &volume.ephemeral) {
            (Some(claim), _) => claim.claim_name.clone(),
            (None, Some(_)) => format!("{}-{}", pod.metadata.name, volume.name).into(),
            (None, None) => return false,
        };
        view.objects
            .get::<PersistentVolumeClaim>(&ObjectKey::new(pod.metadata.namespace.clone(), name))
            .is_none_or(|claim| claim.status.phase != Some(ClaimPhase::Bound))
    })
}

/// `no-orphans`: finds live processes of pods without an API object.
fn find_orphans(view: &View<'_>, found: &mut Vec<OpenProblem>) {
    let entries = view.ledger.orphans.iter();
    for (uid, entry) in entries.filter_map(|uid| Some((uid, view.ledger.live.get(uid)?))) {
        let grace = view
            .ledger
            .removals
            .get(uid)
            .and_then(|removal| removal.pod.spec.termination_grace_period_seconds)
            .unwrap_or(30);
        found.push(OpenProblem {
            invariant: NO_ORPHANS.name,
            object: subject(Kind::Pod, entry.key.clone(), uid.clone()),
            limit: Span::seconds(grace.clamp(0, 86_400) + 180),
            seen: sentence!(seen::still_run, pod = entry.key.to_string(), node = &*entry.node),
        });
    }
}

/// `namespace-gone`: finds terminating namespaces, except those that wait for a finalizer which no component of the
/// simulated cluster removes.
fn find_stuck_namespaces(view: &View<'_>, found: &mut Vec<OpenProblem>) {
    for namespace in view.objects.list::<Namespace>() {
        if !namespace.metadata.is_terminating() || !namespace.metadata.finalizers.is_empty() {
            continue;
        }
        let name = &namespace.metadata.name;
        let is_held = (view.objects.kinds())
            .filter(|kind| kind.is_namespaced() && !matches!(kind, Kind::Event | Kind::Lease))
            .flat_map(|kind| view.objects.list_kind(kind))
            .any(|object| {
                object.metadata().namespace == *name
                    && object.metadata().finalizers.iter().any(|finalizer| {
                        !matches!(
                            &**finalizer,
                            finalizer::PVC_PROTECTION | "foregroundDeletion" | "orphan" | finalizer::JOB_TRACKING
                        )
                    })
            });
        let slowest = view
            .objects
            .list_in::<Pod>(name)
            .filter_map(|pod| pod.spec.termination_grace_period_seconds)
            .max()
            .unwrap_or(30);
        if !is_held {
            found.push(OpenProblem {
                invariant: NAMESPACE_GONE.name,
                object: subject_of(&Object::Namespace(namespace.clone())),
                limit: Span::seconds(slowest.clamp(0, 86_400) + 600),
                seen: sentence!(seen::namespace_still_terminating, name = name.to_string()),
            });
        }
    }
}

/// `ready-restored`: finds nodes that are not Ready, or still have a NoExecute taint.
fn find_unready_nodes(view: &View<'_>, found: &mut Vec<OpenProblem>) {
    for node in view.objects.list::<Node>() {
        let name = NodeName(node.metadata.name.clone());
        if !view.nodes.contains_key(&name) {
            continue;
        }
        let has_taint = node.spec.taints.iter().any(|taint| {
            taint.effect == TaintEffect::NoExecute && matches!(&*taint.key, taint::UNREACHABLE | taint::NOT_READY)
        });
        if !node.is_ready() || has_taint {
            found.push(OpenProblem {
                invariant: READY_RESTORED.name,
                object: subject_of(&Object::Node(node.clone())),
                limit: Span::seconds(180),
                seen: sentence!(seen::node_not_restored, node = name.to_string()),
            });
        }
    }
}

/// `converge`: finds workloads whose number of active pods differs from the spec. Pods on nodes that do not exist do
/// not count.
fn find_replica_mismatches(view: &View<'_>, refused: &ordered::Map<ObjectKey, SimTime>, found: &mut Vec<OpenProblem>) {
    let missing = view.objects.missing_nodes();
    let is_active = |pod: &Pod| {
        let has_node = || {
            let node = pod.spec.node_name.as_ref();
            node.is_none_or(|node| !missing.contains(node))
        };
        !pod.is_terminal() && !pod.metadata.is_terminating() && (missing.is_empty() || has_node())
    };
    // Pods are counted in the order of the list, in which pods of one owner are mostly adjacent. Looking up the owner
    // of each pod would take most of the time of an idle cluster.
    let mut counts: ordered::Map<Uid, i64> = ordered::Map::new();
    let mut last: Option<(&Uid, i64)> = None;
    for pod in view.objects.list::<Pod>().filter(|pod| is_active(pod)) {
        let Some(owner) = pod.metadata.controller_ref() else {
            continue;
        };
        match &mut last {
            Some((uid, count)) if **uid == owner.uid => *count += 1,
            _ => {
                if let Some((uid, count)) = last.replace((&owner.uid, 1)) {
                    *counts.entry(uid.clone()).or_default() += count;
                }
            }
        }
    }
    if let Some((uid, count)) = last {
        *counts.entry(uid.clone()).or_default() += count;
    }
    let active = |owner: &Uid| counts.get(owner).copied().unwrap_or(0);
    let is_ending = |namespace: &str| {
        view.objects
            .named::<Namespace>(namespace)
            .is_none_or(|namespace| namespace.metadata.is_terminating())
    };
    let mut check = |object: Object, wanted: Option<i32>| {
        let metadata = object.metadata();
        let wanted = i64::from(wanted.unwrap_or(1).max(0));
        let have = active(&metadata.uid);
        if have != wanted && !metadata.is_terminating() && !is_ending(&metadata.namespace) {
            found.push(OpenProblem {
                invariant: CONVERGE.name,
                seen: sentence!(
                    seen::replicas_differ,
                    workload = metadata.key().to_string(),
                    have = have,
                    wanted = wanted
                ),
                object: subject_of(&object),
                limit: Span::seconds(900),
            });
        }
    };
    for set in view.objects.list::<ReplicaSet>() {
        let is_refused = set
            .status
            .conditions
            .iter()
            .any(|condition| &*condition.kind == condition::REPLICA_FAILURE);
        if !is_refused {
            check(Object::ReplicaSet(set.clone()), set.spec.replicas);
        }
    }
    for set in view.objects.list::<StatefulSet>() {
        // An ordered StatefulSet waits for a pod that is not Ready, for example because of missing capacity or its
        // application.
        let is_waiting = view.objects.pods_of(&set.metadata.uid).any(|pod| {
            let has_node = pod
                .spec
                .node_name
                .as_ref()
                .is_some_and(|node| view.objects.named::<Node>(node.as_str()).is_some());
            !pod.is_ready() && (has_node || pod.spec.node_name.is_none()) || !pod.metadata.finalizers.is_empty()
        });
        let prefix = format!("{}-", set.metadata.name);
        let is_refused = refused
            .keys()
            .any(|key| key.namespace == set.metadata.namespace && key.name.starts_with(&prefix));
        if !is_waiting && !is_refused {
            check(Object::StatefulSet(set.clone()), set.spec.replicas);
        }
    }
}

/// `nominee-resolved`: finds pods with a nominated node that are not bound.
fn find_unresolved_nominees(view: &View<'_>, found: &mut Vec<OpenProblem>) {
    for pod in view.objects.list::<Pod>() {
        let is_nominated = !pod.status.nominated_node_name.is_empty() && pod.spec.node_name.is_none();
        if is_nominated && !pod.metadata.is_terminating() {
            found.push(OpenProblem {
                invariant: NOMINEE_RESOLVED.name,
                object: subject_of(&Object::Pod(pod.clone())),
                limit: Span::seconds(900),
                seen: sentence!(seen::still_nominated, node = pod.status.nominated_node_name.to_string()),
            });
        }
    }
}
