//! ReplicaSet and ReplicationController: maintain a number of active pods.
//!
//! Watches the sets and their pods; compares the number of active pods (neither finished nor terminating) with
//! `spec.replicas`; creates missing pods or deletes excess pods. A pod is replaced as soon as its deletion begins, so
//! the processes of the old and the new pod may overlap (C-01, CT-015, CT-055).

use podscope_api::ordered;
use podscope_api::well_known::condition;
use std::marker::PhantomData;
use std::sync::Arc;

use podscope_api::{
    ConditionStatus, EventType, Kind, LabelSelector, Object, Pod, PodTemplateSpec, ReplicaSet, ReplicaSetStatus,
    ReplicationController, Time, WorkloadCondition,
};

use podscope_api::Resource;
use podscope_sim::{Answer, Change, DeleteOptions, MissingPods, Part, Request};

use super::controller::{Controller, ControllerContext, note};
use super::expectations::Expectations;
use super::owner::{self, controller_of, controller_ref};
use super::pace::RateLimit;
use super::plan::{Accept, Action, Failure, Plan};
use super::pod_util::{is_active, is_available, is_failed, is_terminating, next_available_in, ready_since};
use super::queue::{Key, key_of};
use super::tally::{Tallies, has_labels};
use super::template::Template;
use super::victims::victims;

/// Maximum number of creations or deletions in one sync (CT-056).
pub(super) const BURST_REPLICAS: usize = 500;

/// The common interface of ReplicaSet and ReplicationController.
pub(super) trait ReplicaOwner: Resource + Clone + Default + std::fmt::Debug {
    const NAME: &'static str;
    const WATCHES: &'static [Kind];
    /// Whether the status counts terminating pods (CT-063), and a sync waits for the controller's own writes (CT-159).
    /// Neither applies to ReplicationControllers.
    const HAS_TERMINATING_REPLICAS: bool;
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
    const HAS_TERMINATING_REPLICAS: bool = true;
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
    const HAS_TERMINATING_REPLICAS: bool = false;
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

/// The controller for the kind `T`.
#[derive(Debug, Clone, Default)]
pub(super) struct ReplicaSetController<T> {
    expectations: Expectations,
    tallies: Tallies,
    /// The replacement rate limit of each set with failed pods.
    rate_limits: ordered::Map<Key, RateLimit>,
    of: PhantomData<fn() -> T>,
}

impl<T: ReplicaOwner> Controller for ReplicaSetController<T> {
    fn name(&self) -> &'static str {
        T::NAME
    }

    fn watches(&self) -> &'static [Kind] {
        T::WATCHES
    }

    fn waits_for_own_writes(&self) -> bool {
        T::HAS_TERMINATING_REPLICAS
    }

    fn changed(&mut self, change: &Change, cx: &mut ControllerContext<'_, '_>) {
        let (old, new) = owner::pods_of_change(change);
        if old.is_none() && new.is_none() {
            if let Some(set) = change.object() {
                cx.enqueue((T::KIND, set.key()));
            }
            return;
        }
        self.tallies.update::<T>(change);
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
        for key in owner::affected_owners::<T>(cx, old, new, T::selector) {
            cx.enqueue(key);
        }
    }

    fn sync(&mut self, key: &Key, cx: &mut ControllerContext<'_, '_>) -> Plan {
        let Some(set) = cx.objects.get::<T>(&key.1).cloned() else {
            self.expectations.forget(key);
            self.tallies.forget(key);
            self.rate_limits.remove(key);
            return Plan::default();
        };
        let selector = set.selector().unwrap_or_default();
        let missing = cx.objects.assumed().missing_pods(&set.metadata().uid);
        let n_missing = usize::try_from(missing.replicas).unwrap_or(0);
        let tally = self.tallies.of(key, &*set, &selector, set.template(), cx.objects);
        let is_settled = tally.unselected == 0
            && set.min_ready_seconds().is_none_or(|seconds| seconds <= 0)
            && !cx
                .index
                .orphans_in(&set.metadata().namespace)
                .filter_map(|key| cx.objects.get::<Pod>(key))
                .any(|pod| tally.matches(pod));
        if is_settled {
            let counts = ReplicaCounts {
                replicas: tally.active,
                labeled: tally.labeled,
                ready: tally.ready,
                available: tally.ready,
                terminating: tally.terminating,
            };
            let mut plan = Plan::default();
            if self.may_scale(key, &*set, cx) {
                plan = match n_excess(&*set, counts.replicas + n_missing) {
                    0 => self.create_pods(plan, key, &set, counts.replicas + n_missing, cx),
                    n_excess => {
                        let active: Vec<Arc<Pod>> = active_pods_of(&*set, cx);
                        self.delete_pods(plan, key, &set, &active, n_excess, cx)
                    }
                };
            }
            return plan.then(update_status(
                &*set,
                status_of(&*set, counts.with_missing_pods(missing), None, cx.ctx.wall()),
            ));
        }
        let claimed = owner::claim_dependents::<T, Pod>(&set, &selector, owner::pod_candidates(cx, &*set));
        let n_terminating = claimed.owned.iter().filter(|pod| is_terminating(pod)).count();
        let active: Vec<Arc<Pod>> = claimed.owned.into_iter().filter(|pod| is_active(pod)).collect();
        let mut plan = Plan::default();
        for step in claimed.steps {
            plan = plan.then(step);
        }
        if self.may_scale(key, &*set, cx) {
            plan = match n_excess(&*set, active.len() + n_missing) {
                0 => self.create_pods(plan, key, &set, active.len() + n_missing, cx),
                n_excess => self.delete_pods(plan, key, &set, &active, n_excess, cx),
            };
        }
        let now = cx.ctx.wall();
        let status = status_of(
            &*set,
            ReplicaCounts::of(&*set, &active, n_terminating, now).with_missing_pods(missing),
            None,
            now,
        );
        plan.then(update_status(&*set, status))
            .requeue_after(next_available_in(&active, set.min_ready_seconds(), now))
    }

    fn answered(&mut self, key: &Key, request: &Request, answer: &Answer, _cx: &mut ControllerContext<'_, '_>) {
        match (request, answer) {
            (Request::Create(Object::Pod(_)), Err(_)) => self.expectations.creation_observed(key),
            (Request::Delete { key: pod, .. }, Err(_)) => self.expectations.deletion_observed(key, pod),
            _ => {}
        }
    }

    fn failed(&mut self, key: &Key, failure: &Failure, cx: &mut ControllerContext<'_, '_>) -> Plan {
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
        let now = cx.ctx.wall();
        let missing = cx.objects.assumed().missing_pods(&set.metadata().uid);
        let owned = cx.objects.pods_of(&set.metadata().uid);
        let n_terminating = owned.filter(|pod| is_terminating(pod)).count();
        let counts =
            ReplicaCounts::of(&*set, &active_pods_of(&*set, cx), n_terminating, now).with_missing_pods(missing);
        let status = status_of(&*set, counts, Some((reason, &failure.error.message)), now);
        Plan::default().then(update_status(&*set, status))
    }
}

impl<T: ReplicaOwner> ReplicaSetController<T> {
    /// Returns whether the sync may create or delete pods.
    fn may_scale(&self, key: &Key, set: &T, cx: &ControllerContext<'_, '_>) -> bool {
        self.expectations.are_satisfied(key, cx.now()) && !set.metadata().is_terminating()
    }

    /// Creates the missing pods, at most [`BURST_REPLICAS`] of them.
    fn create_pods(
        &mut self,
        plan: Plan,
        key: &Key,
        set: &Arc<T>,
        active: usize,
        cx: &ControllerContext<'_, '_>,
    ) -> Plan {
        let mut count = desired_replicas(&**set).saturating_sub(active).min(BURST_REPLICAS);
        if count == 0 {
            return plan;
        }
        let mut plan = plan;
        if (cx.objects.pods_of(&set.metadata().uid)).any(|pod| is_failed(pod)) {
            let (now, wait) = self.rate_limits.entry(key.clone()).or_default().take(count, cx.now());
            plan = plan.requeue_after(wait);
            if now == 0 {
                return plan;
            }
            count = now;
        }
        self.expectations.expect(key, count, ordered::Set::new(), cx.now());
        let (meta, template) = (set.metadata(), Template::of(set.template()));
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
        plan.then_in_growing_batches(vec![create; count])
    }

    /// Deletes `n_excess` of the active pods.
    fn delete_pods(
        &mut self,
        plan: Plan,
        key: &Key,
        set: &Arc<T>,
        active: &[Arc<Pod>],
        n_excess: usize,
        cx: &ControllerContext<'_, '_>,
    ) -> Plan {
        let victims = victims(set, active, n_excess.min(active.len()), cx);
        let keys: ordered::Set<_> = victims.iter().map(|pod| pod.metadata.key()).collect();
        self.expectations.expect(key, 0, keys, cx.now());
        plan.then(victims.iter().map(|pod| delete_pod::<T>(set, pod)).collect())
    }
}

fn desired_replicas<T: ReplicaOwner>(set: &T) -> usize {
    usize::try_from(set.replicas()).unwrap_or(0)
}

/// Returns the number of excess pods, at most [`BURST_REPLICAS`].
fn n_excess<T: ReplicaOwner>(set: &T, active: usize) -> usize {
    active.saturating_sub(desired_replicas(set)).min(BURST_REPLICAS)
}

fn active_pods_of<T: ReplicaOwner>(set: &T, cx: &ControllerContext<'_, '_>) -> Vec<Arc<Pod>> {
    let pods = cx.objects.pods_of(&set.metadata().uid);
    pods.filter(|pod| is_active(pod)).cloned().collect()
}

/// Deletes a pod gracefully by name, without a UID precondition (CT-059), and emits the events of a workload
/// controller.
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

/// The numbers of active and terminating pods that the status reports.
#[derive(Clone, Copy)]
struct ReplicaCounts {
    replicas: usize,
    labeled: usize,
    ready: usize,
    available: usize,
    terminating: usize,
}

impl ReplicaCounts {
    fn of<T: ReplicaOwner>(set: &T, active: &[Arc<Pod>], terminating: usize, now: Time) -> Self {
        let labels = &set.template().metadata.labels;
        let count = |test: &dyn Fn(&Pod) -> bool| active.iter().filter(|pod| test(pod)).count();
        Self {
            replicas: active.len(),
            labeled: count(&|pod| has_labels(pod, labels)),
            ready: count(&|pod| ready_since(pod).is_some()),
            available: count(&|pod| is_available(pod, set.min_ready_seconds(), now)),
            terminating,
        }
    }
}

impl ReplicaCounts {
    /// Adds the pods that exist in the cluster but were not imported (P-09). Their labels are unknown, so they count as
    /// fully labeled.
    fn with_missing_pods(self, missing: MissingPods) -> Self {
        let count = |count: i32| usize::try_from(count).unwrap_or(0);
        Self {
            replicas: self.replicas + count(missing.replicas),
            labeled: self.labeled + count(missing.replicas),
            ready: self.ready + count(missing.ready),
            available: self.available + count(missing.available),
            ..self
        }
    }
}

/// Returns the desired status of the set. `failure` is the reason and message of the condition ReplicaFailure.
fn status_of<T: ReplicaOwner>(
    set: &T,
    counts: ReplicaCounts,
    failure: Option<(&str, &str)>,
    now: Time,
) -> ReplicaSetStatus {
    let number = |count: usize| i32::try_from(count).unwrap_or(i32::MAX);
    let nonzero = |count: usize| (count > 0).then_some(number(count));
    let mut conditions = set.status().conditions.clone();
    let old = conditions
        .iter()
        .position(|condition| &*condition.kind == condition::REPLICA_FAILURE);
    match (old, failure) {
        (Some(old), None) => {
            conditions.remove(old);
        }
        (None, Some((reason, message))) => conditions.push(WorkloadCondition {
            kind: condition::REPLICA_FAILURE.into(),
            status: ConditionStatus::True,
            last_transition_time: Some(Time::from_seconds(now.seconds())),
            reason: reason.into(),
            message: message.into(),
            ..WorkloadCondition::default()
        }),
        _ => {}
    }
    ReplicaSetStatus {
        replicas: number(counts.replicas),
        fully_labeled_replicas: nonzero(counts.labeled),
        ready_replicas: nonzero(counts.ready),
        available_replicas: nonzero(counts.available),
        terminating_replicas: T::HAS_TERMINATING_REPLICAS.then_some(number(counts.terminating)),
        observed_generation: set.metadata().generation,
        conditions,
    }
}

fn update_status<T: ReplicaOwner>(set: &T, status: ReplicaSetStatus) -> Vec<Action> {
    let without_zeros = |status: &ReplicaSetStatus| {
        let nonzero = |count: Option<i32>| count.filter(|count| *count != 0);
        ReplicaSetStatus {
            fully_labeled_replicas: nonzero(status.fully_labeled_replicas),
            ready_replicas: nonzero(status.ready_replicas),
            available_replicas: nonzero(status.available_replicas),
            terminating_replicas: nonzero(status.terminating_replicas),
            ..status.clone()
        }
    };
    // Zero and absent counts are equal, because API servers store one or the other depending on their version.
    if *set.status() == status || without_zeros(set.status()) == without_zeros(&status) {
        return Vec::new();
    }
    let mut updated = set.clone();
    *updated.status_mut() = status;
    vec![Request::Update(Arc::new(updated).into_object(), Part::Status).into()]
}

#[cfg(test)]
mod tests {
    use super::super::lab::{Lab, api_error};
    use super::*;
    use podscope_sim::Span;

    const WEB: &str = "{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: web}, spec: {replicas: 3, selector: {matchLabels: {app: web}}, \
        template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: web}]}}}}";

    /// A pod is replaced when its deletion begins, not when its node becomes silent.
    /// Shows: C-01, CT-015, CT-055
    #[test]
    fn pod_is_replaced_when_its_deletion_begins() {
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

    /// Pods are created in batches of 1, 2, 4, … A refusal ends the sync and sets the condition ReplicaFailure.
    /// Shows: CT-056, CT-057
    #[test]
    fn pods_are_created_in_doubling_batches_until_refused() {
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
            matches!(request, Request::Create(Object::Pod(_)))
                .then(|| api_error(403, podscope_sim::StatusReason::Forbidden, "exceeded quota"))
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

    /// Matching orphans are adopted; pods that no longer match the selector are released.
    /// Shows: CT-060
    #[test]
    fn matching_orphans_are_adopted_and_others_released() {
        let orphan = "{apiVersion: v1, kind: Pod, metadata: {name: stray, labels: {app: web}}, spec: {containers: [{name: web, image: web}]}}";
        let mut lab = Lab::new(&["a-1"], &format!("{orphan}\n---\n{WEB}"));
        lab.run(Span::seconds(5));
        assert_eq!(lab.pods().len(), 3, "the adopted orphan counts: {:?}", lab.pods());
        assert!(lab.get::<Pod>("stray").unwrap().metadata.controller_ref().is_some());
        lab.edit::<Pod>("stray", |pod| pod.metadata.labels = Arc::default());
        lab.run(Span::seconds(5));
        assert!(lab.get::<Pod>("stray").unwrap().metadata.controller_ref().is_none());
        assert_eq!(lab.pods().len(), 4, "the released pod is replaced");
    }

    /// Pods become available when minReadySeconds have passed, and not before.
    /// Shows: CT-059
    #[test]
    fn pods_are_available_after_min_ready_seconds() {
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
