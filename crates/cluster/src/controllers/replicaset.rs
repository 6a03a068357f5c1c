//! ReplicaSet and ReplicationController: keep a number of active pods.
//!
//! Watches the sets and pods; compares active pods (not finished, not
//! terminating) with `spec.replicas`; creates or deletes the difference. A pod
//! is replaced as soon as its deletion begins, so processes may overlap
//! (C-01, CT-015, CT-055).

use podscope_api::ordered::InOrder as _;
use podscope_api::ordered::{BTreeMap, BTreeSet};
use std::cmp::Ordering;
use std::marker::PhantomData;
use std::sync::Arc;

use podscope_api::{
    ConditionStatus, EventType, Kind, LabelSelector, NodeName, Object, Pod, PodPhase, PodTemplateSpec, ReplicaSet,
    ReplicaSetStatus, ReplicationController, Time, WorkloadCondition,
};

use crate::{Answer, Change, DeleteOptions, Part, Request};
use podscope_api::Resource;

use super::expectations::Expectations;
use super::owner::{self, controller_of, controller_ref};
use super::pod_util::{available_in, is_active, is_available, max_restarts, next_available_in, ready_since};
use super::queue::{Key, key_of};
use super::runtime::{Accept, Action, Controller, Cx, Failure, Plan, note};
use super::template::Template;

/// Creations and deletions of one sync (CT-056).
pub(super) const BURST: usize = 500;

/// The cost that a user gives the deletion of a pod (CT-058).
const DELETION_COST: &str = "controller.kubernetes.io/pod-deletion-cost";

/// What ReplicaSet and ReplicationController have in common.
pub(super) trait ReplicaOwner: Resource + std::fmt::Debug {
    /// The controller's name.
    const NAME: &'static str;
    const WATCHES: &'static [Kind];
    fn replicas(&self) -> i32;
    fn min_ready_seconds(&self) -> Option<i32>;
    fn selector(&self) -> Option<LabelSelector>;
    fn template(&self) -> &Arc<PodTemplateSpec>;
    fn status(&self) -> &ReplicaSetStatus;
    fn status_mut(&mut self) -> &mut ReplicaSetStatus;
}

impl ReplicaOwner for ReplicaSet {
    const NAME: &'static str = "replicaset-controller";
    const WATCHES: &'static [Kind] = &[Kind::ReplicaSet, Kind::Pod];
    fn replicas(&self) -> i32 {
        self.spec.replicas.unwrap_or(1)
    }
    fn min_ready_seconds(&self) -> Option<i32> {
        self.spec.min_ready_seconds
    }
    fn selector(&self) -> Option<LabelSelector> {
        self.spec.selector.clone()
    }
    fn template(&self) -> &Arc<PodTemplateSpec> {
        &self.spec.template
    }
    fn status(&self) -> &ReplicaSetStatus {
        &self.status
    }
    fn status_mut(&mut self) -> &mut ReplicaSetStatus {
        &mut self.status
    }
}

impl ReplicaOwner for ReplicationController {
    const NAME: &'static str = "replication-controller";
    const WATCHES: &'static [Kind] = &[Kind::ReplicationController, Kind::Pod];
    fn replicas(&self) -> i32 {
        self.spec.replicas.unwrap_or(1)
    }
    fn min_ready_seconds(&self) -> Option<i32> {
        self.spec.min_ready_seconds
    }
    fn selector(&self) -> Option<LabelSelector> {
        Some(LabelSelector {
            match_labels: self.spec.selector.clone(),
            ..LabelSelector::default()
        })
    }
    fn template(&self) -> &Arc<PodTemplateSpec> {
        &self.spec.template
    }
    fn status(&self) -> &ReplicaSetStatus {
        &self.status
    }
    fn status_mut(&mut self) -> &mut ReplicaSetStatus {
        &mut self.status
    }
}

/// The controller of one of the two kinds.
#[derive(Debug)]
pub(super) struct Replicas<T> {
    expectations: Expectations,
    of: PhantomData<fn() -> T>,
}

impl<T: ReplicaOwner> Replicas<T> {
    pub(super) fn boxed() -> Box<dyn Controller> {
        Box::new(Self {
            expectations: Expectations::default(),
            of: PhantomData,
        })
    }
}

impl<T: ReplicaOwner> Controller for Replicas<T> {
    fn name(&self) -> &'static str {
        T::NAME
    }
    fn watches(&self) -> &'static [Kind] {
        T::WATCHES
    }
    fn changed(&mut self, change: &Change, cx: &mut Cx<'_, '_>) {
        let (old, new) = owner::pods_of_change(change);
        if old.is_none() && new.is_none() {
            if let Some(set) = change.object() {
                cx.enqueue((T::KIND, set.key()));
            }
            return;
        }
        let (old, new) = (old.map(|pod| &pod.metadata), new.map(|pod| &pod.metadata));
        for meta in [old, new].into_iter().flatten() {
            let Some(key) = controller_of::<T>(cx.objects, meta).map(|owner| key_of::<T>(owner)) else {
                continue;
            };
            if new.is_none_or(|new| new.is_terminating()) {
                self.expectations.deletion_observed(&key, &meta.key());
            } else if old.is_none() {
                self.expectations.creation_observed(&key);
            }
        }
        for key in owner::concerned::<T>(cx, old, new, T::selector) {
            cx.enqueue(key);
        }
    }
    fn sync(&mut self, key: &Key, cx: &mut Cx<'_, '_>) -> Plan {
        let Some(set) = cx.objects.get::<T>(&key.1).cloned() else {
            self.expectations.forget(key);
            return Plan::default();
        };
        let selector = set.selector().unwrap_or_default();
        let claimed = owner::claim::<T, Pod>(&set, &selector, owner::pod_candidates(cx, &*set));
        let active: Vec<Arc<Pod>> = claimed.owned.into_iter().filter(|pod| is_active(pod)).collect();
        let mut plan = Plan::default();
        for step in claimed.steps {
            plan = plan.then(step);
        }
        if self.expectations.are_satisfied(key, cx.now()) && !set.metadata().is_terminating() {
            plan = self.scale(plan, key, &set, &active, cx);
        }
        let now = cx.ctx.wall();
        let status = status_of(&*set, &active, None, now);
        plan.then(update_status(&*set, status))
            .requeue_after(next_available_in(&active, set.min_ready_seconds(), now))
    }
    fn answered(&mut self, key: &Key, request: &Request, answer: &Answer, _cx: &mut Cx<'_, '_>) {
        match (request, answer) {
            (Request::Create(Object::Pod(_)), Err(_)) => self.expectations.creation_observed(key),
            (Request::Delete { key: pod, .. }, Err(_)) => self.expectations.deletion_observed(key, pod),
            _ => {}
        }
    }
    fn failed(&mut self, key: &Key, failure: &Failure, cx: &mut Cx<'_, '_>) -> Plan {
        for dropped in &failure.dropped {
            if matches!(dropped, Request::Create(Object::Pod(_))) {
                self.expectations.creation_observed(key);
            }
        }
        let reason = match &failure.request {
            Request::Create(_) => "FailedCreate",
            Request::Delete { .. } => "FailedDelete",
            _ => return Plan::default(),
        };
        let Some(set) = cx.objects.get::<T>(&key.1).cloned() else {
            return Plan::default();
        };
        let active: Vec<Arc<Pod>> = cx
            .objects
            .pods_of(&set.metadata().uid)
            .filter(|pod| is_active(pod))
            .cloned()
            .collect();
        let status = status_of(&*set, &active, Some((reason, &failure.error.message)), cx.ctx.wall());
        Plan::default().then(update_status(&*set, status))
    }
    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(Self {
            expectations: self.expectations.clone(),
            of: PhantomData,
        })
    }
}

impl<T: ReplicaOwner> Replicas<T> {
    fn scale(&mut self, plan: Plan, key: &Key, set: &Arc<T>, active: &[Arc<Pod>], cx: &Cx<'_, '_>) -> Plan {
        let wanted = usize::try_from(set.replicas()).unwrap_or(0);
        let meta = set.metadata();
        if active.len() < wanted {
            let count = (wanted - active.len()).min(BURST);
            self.expectations.expect(key, count, BTreeSet::new(), cx.now());
            let template = Template::of(set.template());
            let pod = Arc::new(template.pod(&meta.namespace, &format!("{}-", meta.name), controller_ref::<T>(set)));
            let create = Action::from(Request::Create(Object::Pod(pod)))
                .accept(Accept::OrNamespaceTerminating)
                .on_success(note::<T>(
                    set,
                    EventType::Normal,
                    "SuccessfulCreate",
                    "Created pod: {name}",
                ))
                .on_failure(note::<T>(
                    set,
                    EventType::Warning,
                    "FailedCreate",
                    "Error creating: {error}",
                ));
            return plan.then_slowly(vec![create; count]);
        }
        let surplus = (active.len() - wanted).min(BURST);
        if surplus == 0 {
            return plan;
        }
        let victims = victims(set, active, surplus, cx);
        let keys: BTreeSet<_> = victims.iter().map(|pod| pod.metadata.key()).collect();
        self.expectations.expect(key, 0, keys, cx.now());
        plan.then(victims.iter().map(|pod| delete_pod::<T>(set, pod)).collect())
    }
}

/// A graceful DELETE by name, without UID (CT-059), with the events a workload controller writes.
pub(super) fn delete_pod<T: Resource>(set: &T, pod: &Pod) -> Action {
    Action::from(Request::Delete {
        kind: Kind::Pod,
        key: pod.metadata.key(),
        options: DeleteOptions::default(),
    })
    .accept(Accept::OrNotFound)
    .on_success(note::<T>(
        set,
        EventType::Normal,
        "SuccessfulDelete",
        format!("Deleted pod: {}", pod.metadata.name),
    ))
    .on_failure(note::<T>(
        set,
        EventType::Warning,
        "FailedDelete",
        "Error deleting: {error}",
    ))
}

/// The pods to delete first (CT-058).
fn victims<T: ReplicaOwner>(set: &Arc<T>, active: &[Arc<Pod>], count: usize, cx: &Cx<'_, '_>) -> Vec<Arc<Pod>> {
    let mut ranked: Vec<Arc<Pod>> = active.to_vec();
    if count < active.len() {
        let siblings = siblings_by_node(set, cx);
        let rank = |pod: &Pod| {
            pod.spec
                .node_name
                .as_ref()
                .and_then(|node| siblings.get(node))
                .copied()
                .unwrap_or(0)
        };
        let now = cx.ctx.wall();
        ranked.in_order_by(|one, other| earlier_dies_first(one, rank(one), other, rank(other), now));
    }
    ranked.truncate(count);
    ranked
}

/// Active pods by node, of all ReplicaSets that have the same controller as this one.
fn siblings_by_node<T: ReplicaOwner>(set: &Arc<T>, cx: &Cx<'_, '_>) -> BTreeMap<NodeName, usize> {
    let mut counts = BTreeMap::new();
    let Some(parent) = set.metadata().controller_ref() else {
        return counts;
    };
    for sibling in cx.objects.list_in::<T>(&set.metadata().namespace) {
        if sibling
            .metadata()
            .controller_ref()
            .is_some_and(|theirs| theirs.uid == parent.uid)
        {
            for pod in cx.objects.pods_of(&sibling.metadata().uid).filter(|pod| is_active(pod)) {
                if let Some(node) = &pod.spec.node_name {
                    *counts.entry(node.clone()).or_default() += 1;
                }
            }
        }
    }
    counts
}

/// The order of CT-058; `Less` dies first.
fn earlier_dies_first(one: &Pod, one_rank: usize, other: &Pod, other_rank: usize, now: Time) -> Ordering {
    let phase = |pod: &Pod| match pod.status.phase {
        Some(PodPhase::Unknown) => 1,
        Some(PodPhase::Running) => 2,
        _ => 0,
    };
    let cost = |pod: &Pod| {
        pod.metadata
            .annotation(DELETION_COST)
            .and_then(|text| text.parse::<i32>().ok())
            .unwrap_or(0)
    };
    let by_age = |one_since: Option<Time>, other_since: Option<Time>| match (one_since, other_since) {
        (Some(one_since), Some(other_since)) if one_since != other_since => age_bucket(one_since, now)
            .cmp(&age_bucket(other_since, now))
            .then_with(|| one.metadata.uid.cmp(&other.metadata.uid)),
        _ => Ordering::Equal,
    };
    one.spec
        .node_name
        .is_some()
        .cmp(&other.spec.node_name.is_some())
        .then_with(|| phase(one).cmp(&phase(other)))
        .then_with(|| one.is_ready().cmp(&other.is_ready()))
        .then_with(|| cost(one).cmp(&cost(other)))
        .then_with(|| other_rank.cmp(&one_rank))
        .then_with(|| by_age(ready_since(one), ready_since(other)))
        .then_with(|| max_restarts(other, false).cmp(&max_restarts(one, false)))
        .then_with(|| max_restarts(other, true).cmp(&max_restarts(one, true)))
        .then_with(|| by_age(one.metadata.creation_timestamp, other.metadata.creation_timestamp))
}

/// The binary logarithm of an age in nanoseconds, rounded down; −1 for none.
fn age_bucket(since: Time, now: Time) -> i64 {
    match u64::try_from(now.0 - since.0) {
        Ok(age) if age > 0 => i64::from(age.saturating_mul(1000).ilog2()),
        _ => -1,
    }
}

/// What the set's status should say.
fn status_of<T: ReplicaOwner>(
    set: &T,
    active: &[Arc<Pod>],
    failure: Option<(&str, &str)>,
    now: Time,
) -> ReplicaSetStatus {
    let labels = &set.template().metadata.labels;
    let count =
        |test: &dyn Fn(&Pod) -> bool| i32::try_from(active.iter().filter(|pod| test(pod)).count()).unwrap_or(i32::MAX);
    let some = |count: i32| (count > 0).then_some(count);
    let mut conditions = set.status().conditions.clone();
    let old = conditions
        .iter()
        .position(|condition| &*condition.kind == "ReplicaFailure");
    match (old, failure) {
        (Some(old), None) => {
            conditions.remove(old);
        }
        (None, Some((reason, message))) => conditions.push(WorkloadCondition {
            kind: "ReplicaFailure".into(),
            status: ConditionStatus::True,
            last_transition_time: Some(Time::from_seconds(now.seconds())),
            reason: reason.into(),
            message: message.into(),
            ..WorkloadCondition::default()
        }),
        _ => {}
    }
    ReplicaSetStatus {
        replicas: count(&|_| true),
        fully_labeled_replicas: some(count(&|pod| {
            labels
                .iter()
                .all(|(key, value)| pod.metadata.labels.get(key) == Some(value))
        })),
        ready_replicas: some(count(&|pod| available_in(pod, None, now).is_some())),
        available_replicas: some(count(&|pod| is_available(pod, set.min_ready_seconds(), now))),
        observed_generation: set.metadata().generation,
        conditions,
    }
}

fn update_status<T: ReplicaOwner>(set: &T, status: ReplicaSetStatus) -> Vec<Action> {
    if *set.status() == status {
        return Vec::new();
    }
    let mut updated = set.clone();
    *updated.status_mut() = status;
    vec![Request::Update(Arc::new(updated).into_object(), Part::Status).into()]
}

#[cfg(test)]
mod tests {
    use super::super::lab::{Lab, error};
    use super::*;
    use crate::Span;

    const WEB: &str = "{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: web}, spec: {replicas: 3, selector: {matchLabels: {app: web}}, \
        template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: web}]}}}}";

    /// C-01, CT-055, CT-015: replaced when deletion begins, not when the node is merely silent.
    #[test]
    fn ct_055_a_pod_is_replaced_as_soon_as_its_deletion_begins() {
        let mut lab = Lab::new(&["a-1", "b-1"], WEB);
        lab.run(Span::seconds(5));
        let before = lab.pods();
        assert_eq!(before.len(), 3, "{before:?}");
        assert!(
            lab.events
                .contains(&format!("web SuccessfulCreate: Created pod: {}", before[0])),
            "{:?}",
            lab.events
        );
        assert_eq!(lab.get::<ReplicaSet>("web").unwrap().status.available_replicas, Some(3));
        lab.partition("a-1");
        lab.delete(Kind::Pod, &before[0], None);
        lab.run(Span::millis(500));
        assert_eq!(lab.pods().len(), 4, "{:?}", lab.pods());
    }

    /// CT-056, CT-057: 1, 2, 4, … creations; a refusal ends the sync; ReplicaFailure says why.
    #[test]
    fn ct_056_slow_start() {
        let mut lab = Lab::new(&["a-1"], &WEB.replace("replicas: 3", "replicas: 10"));
        lab.run(Span::millis(20));
        let times: Vec<i64> = lab
            .writes
            .iter()
            .filter(|(_, write)| write.starts_with("create pod"))
            .map(|(at, _)| at.0 / 1000)
            .collect();
        assert_eq!(times, [2, 6, 6, 10, 10, 10, 10, 14, 14, 14], "{:?}", lab.writes);
        let mut lab = Lab::new(&["a-1"], "");
        lab.refuse = Some(|request| {
            matches!(request, Request::Create(Object::Pod(_))).then(|| error(403, "Forbidden", "exceeded quota"))
        });
        lab.apply(WEB);
        lab.run(Span::millis(20));
        let set = lab.get::<ReplicaSet>("web").unwrap();
        assert_eq!(&*set.status.conditions[0].reason, "FailedCreate");
        assert_eq!(lab.events[0], "web FailedCreate: Error creating: exceeded quota");
        lab.refuse = None;
        lab.run(Span::seconds(5));
        assert_eq!(lab.pods().len(), 3);
        assert!(lab.get::<ReplicaSet>("web").unwrap().status.conditions.is_empty());
    }

    /// CT-058, row by row.
    #[test]
    fn ct_058_victims_in_order() {
        let now = Time::from_seconds(1000);
        let pod = |uid: &str, change: &dyn Fn(&mut Pod)| {
            let mut pod = Pod::default();
            pod.metadata.uid = uid.into();
            pod.metadata.creation_timestamp = Some(Time::from_seconds(0));
            pod.spec.node_name = Some("a-1".into());
            pod.status.phase = Some(PodPhase::Running);
            super::super::pod_util::set_condition(
                &mut pod.status,
                "Ready",
                ConditionStatus::True,
                "",
                "",
                Time::from_seconds(10),
            );
            change(&mut pod);
            pod
        };
        let plain = pod("m", &|_| {});
        let restarted = |pod: &mut Pod| {
            pod.status.container_statuses = vec![podscope_api::ContainerStatus {
                restart_count: 3,
                ..Default::default()
            }];
        };
        let ready_at = |seconds: i64| {
            move |pod: &mut Pod| pod.status.conditions[0].last_transition_time = Some(Time::from_seconds(seconds))
        };
        for (name, first, rank, last, last_rank) in [
            (
                "unassigned",
                pod("z", &|pod| pod.spec.node_name = None),
                0,
                plain.clone(),
                0,
            ),
            (
                "pending",
                pod("z", &|pod| pod.status.phase = Some(PodPhase::Pending)),
                0,
                plain.clone(),
                0,
            ),
            (
                "not ready",
                pod("z", &|pod| pod.status.conditions.clear()),
                0,
                plain.clone(),
                0,
            ),
            (
                "cheap",
                pod("z", &|pod| {
                    pod.metadata.annotations =
                        super::super::template::with_label(&pod.metadata.annotations, DELETION_COST, "-1")
                }),
                0,
                plain.clone(),
                0,
            ),
            ("doubled up", pod("z", &|_| {}), 2, plain.clone(), 1),
            ("ready for less time", pod("z", &ready_at(900)), 0, plain.clone(), 0),
            (
                "the same bucket of time: by UID",
                pod("a", &ready_at(5)),
                0,
                plain.clone(),
                0,
            ),
            ("restarted more", pod("z", &restarted), 0, plain.clone(), 0),
            (
                "newer",
                pod("z", &|pod| {
                    pod.metadata.creation_timestamp = Some(Time::from_seconds(990))
                }),
                0,
                plain.clone(),
                0,
            ),
        ] {
            assert_eq!(
                earlier_dies_first(&first, rank, &last, last_rank, now),
                Ordering::Less,
                "{name}"
            );
            assert_eq!(
                earlier_dies_first(&last, last_rank, &first, rank, now),
                Ordering::Greater,
                "{name}, reversed"
            );
        }
    }

    /// CT-060: matching orphans are adopted, those that stop matching are released.
    #[test]
    fn ct_060_adoption_and_release() {
        let orphan = "{apiVersion: v1, kind: Pod, metadata: {name: stray, labels: {app: web}}, spec: {containers: [{name: web, image: web}]}}";
        let mut lab = Lab::new(&["a-1"], &format!("{orphan}\n---\n{WEB}"));
        lab.run(Span::seconds(5));
        assert_eq!(lab.pods().len(), 3, "the orphan counts: {:?}", lab.pods());
        assert!(lab.get::<Pod>("stray").unwrap().metadata.controller_ref().is_some());
        lab.edit::<Pod>("stray", |pod| pod.metadata.labels = Arc::default());
        lab.run(Span::seconds(5));
        assert!(lab.get::<Pod>("stray").unwrap().metadata.controller_ref().is_none());
        assert_eq!(lab.pods().len(), 4, "released and replaced");
    }

    /// CT-059: available after minReadySeconds, noticed at that moment.
    #[test]
    fn ct_059_available_after_min_ready_seconds() {
        let mut lab = Lab::new(
            &["a-1"],
            &WEB.replace("replicas: 3", "replicas: 3, minReadySeconds: 10"),
        );
        let available = |lab: &Lab| lab.get::<ReplicaSet>("web").unwrap().status.available_replicas;
        lab.run(Span::seconds(10));
        assert_eq!(available(&lab), None);
        lab.run(Span::millis(1100));
        assert_eq!(available(&lab), Some(3));
    }
}
