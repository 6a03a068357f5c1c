//! Job: runs pods until enough have succeeded (C-03, CT-091 to CT-095).
//!
//! Watches Jobs and their pods; compares the active pods with the desired number. A finalizer keeps finished pods until
//! they are counted (CT-093). Terminating pods are replaced at once unless the replacement policy waits until they have
//! failed (CT-092), so two executions of one index may overlap (CT-094).
//!
//! ```text
//!        suspend: true                     all succeeded, or a rule of successPolicy
//! Suspended ◄─────► Running ───────────────► SuccessCriteriaMet ──► Complete
//!                      │  limit, deadline, policy, indexes           all pods have ended
//!                      └──────────────────► FailureTarget ───────► Failed
//! ```

mod backoff;
mod indexes;
mod pods;
mod policy;
mod status;
mod sync;

use std::sync::Arc;

use podscope_api::well_known::finalizer;
use podscope_api::{Job, Kind, Object, Pod, ordered};

use podscope_sim::{Answer, Change, Mutation, Part, Request, Span};

use super::controller::{Controller, ControllerContext};
use super::expectations::Expectations;
use super::owner::{self, controller_of, kind_of};
use super::plan::{Accept, Action, Failure, Plan};
use super::queue::{Backoff, Key, key_of};
use super::replicaset::delete_pod;
use backoff::FailureRecord;
use pods::JobPodsStep;
pub(super) use status::final_condition;
use sync::JobSync;

/// The name of this controller in `spec.managedBy` of a Job. The controller ignores Jobs that have another name there.
const CONTROLLER_NAME: &str = "kubernetes.io/job-controller";
/// Delay of a sync after a change of a pod, so that several changes are handled together.
const POD_CHANGE_BATCH_DELAY: Span = Span::seconds(1);

#[derive(Debug, Clone, Default)]
pub(super) struct JobController {
    expectations: Expectations,
    /// The failures of each Job that are already counted in its status.
    records: ordered::Map<Key, FailureRecord>,
    /// Failure records that replace those in `records` when the status that counts their failures is written.
    next_records: ordered::Map<Key, FailureRecord>,
}

fn has_tracking_finalizer(pod: &Pod) -> bool {
    pod.metadata
        .finalizers
        .iter()
        .any(|name| &**name == finalizer::JOB_TRACKING)
}

/// Returns whether a replacement waits until the old pod is Failed (CT-092).
fn replaces_only_failed_pods(job: &Job) -> bool {
    job.spec.pod_replacement_policy.as_deref() == Some("Failed") || job.spec.pod_failure_policy.is_some()
}

fn is_suspended(job: &Job) -> bool {
    job.spec.suspend == Some(true)
}

fn is_ignored_job(job: &Job, cx: &ControllerContext<'_, '_>) -> bool {
    let is_managed_elsewhere = job
        .spec
        .managed_by
        .as_deref()
        .is_some_and(|manager| manager != CONTROLLER_NAME);
    is_managed_elsewhere || cx.objects.assumed().is_left_alone(&job.metadata.uid)
}

impl Controller for JobController {
    fn name(&self) -> &'static str {
        "job-controller"
    }

    fn watches(&self) -> &'static [Kind] {
        &[Kind::Job, Kind::Pod]
    }

    fn waits_for_own_writes(&self) -> bool {
        true
    }

    fn backoff(&self) -> Backoff {
        Backoff {
            base: Span::seconds(1),
            max: Span::seconds(60),
        }
    }

    fn changed(&mut self, change: &Change, cx: &mut ControllerContext<'_, '_>) {
        if let Some(Object::Job(job)) = change.object() {
            if change.new.is_none() {
                // The Job was deleted, so nothing counts its pods any more: their finalizers are removed.
                let pods: Vec<Key> = cx
                    .objects
                    .pods_of(&job.metadata.uid)
                    .map(|pod| key_of(&**pod))
                    .collect();
                pods.into_iter().for_each(|pod| cx.enqueue(pod));
            }
            cx.enqueue(key_of(&**job));
            return;
        }
        let (old, new) = owner::pods_of_change(change);
        for pod in [old, new].into_iter().flatten() {
            let Some(key) = controller_of::<Job>(cx.objects, &pod.metadata).map(|job| key_of(&**job)) else {
                let reference = pod.metadata.controller_ref();
                if has_tracking_finalizer(pod) && reference.and_then(kind_of) == Some(Kind::Job) {
                    cx.enqueue(key_of(&**pod));
                }
                continue;
            };
            if new.is_none_or(|new| new.metadata.is_terminating()) {
                self.expectations.deletion_observed(&key, &pod.metadata.key());
            } else if old.is_none() {
                self.expectations.creation_observed(&key);
            }
            cx.enqueue_after(key, POD_CHANGE_BATCH_DELAY);
        }
    }

    fn sync(&mut self, key: &Key, cx: &mut ControllerContext<'_, '_>) -> Plan {
        if key.0 == Kind::Pod {
            return remove_finalizer_of_orphan(key, cx);
        }
        let Some(job) = cx.objects.get::<Job>(&key.1).cloned() else {
            self.expectations.forget(key);
            self.records.remove(key);
            return Plan::default();
        };
        if is_ignored_job(&job, cx) {
            return Plan::default();
        }
        let pods: Vec<Arc<Pod>> = cx.objects.pods_of(&job.metadata.uid).cloned().collect();
        if final_condition(&job.status).is_some() {
            self.records.remove(key);
            let held: Vec<Arc<Pod>> = pods.into_iter().filter(|pod| has_tracking_finalizer(pod)).collect();
            return Plan::default().then(remove_finalizers(&held));
        }
        let is_satisfied = self.expectations.are_satisfied(key, cx.now());
        let record = self.records.get(key).copied().unwrap_or_default();
        let mut sync = JobSync::new(job, pods, record, cx);
        sync.determine_ending();
        let (mut plan, mut deleted) = (Plan::default(), Vec::new());
        if sync.ending.is_some() {
            deleted.clone_from(&sync.active);
            plan = plan.then(deleted.iter().map(|pod| delete_pod(&*sync.job, pod)).collect());
            if !is_satisfied {
                // Do not end the Job in this sync, because the cache may not contain all its pods yet.
                sync.ending = None;
            }
        } else {
            let is_managed = is_satisfied && !sync.job.metadata.is_terminating();
            let mut active = sync.active.len();
            if is_managed {
                match pods::next_step(&mut sync) {
                    JobPodsStep::Nothing => {}
                    JobPodsStep::Delete(victims) => {
                        active -= victims.len();
                        plan = self.delete_pods(plan, key, &sync, &victims);
                        deleted = victims;
                    }
                    JobPodsStep::Create(indexes) => {
                        active += indexes.len();
                        plan = self.create_pods(plan, key, &sync, &indexes);
                    }
                }
            }
            if !sync.set_ending_if_complete(active) && is_managed {
                sync.update_suspended_condition();
            }
        }
        self.next_records.insert(key.clone(), sync.record);
        sync.finish(plan, &deleted)
    }

    fn answered(&mut self, key: &Key, request: &Request, answer: &Answer, _cx: &mut ControllerContext<'_, '_>) {
        match (request, answer) {
            (Request::Create(Object::Pod(_)), Err(_)) => self.expectations.creation_observed(key),
            (Request::Delete { key: pod, .. }, Err(_)) => self.expectations.deletion_observed(key, pod),
            (Request::Update(Object::Job(_), _), Ok(_)) => {
                if let Some(record) = self.next_records.remove(key) {
                    self.records.insert(key.clone(), record);
                }
            }
            _ => {}
        }
    }

    fn failed(&mut self, key: &Key, failure: &Failure, _cx: &mut ControllerContext<'_, '_>) -> Plan {
        for dropped in &failure.dropped {
            if matches!(dropped, Request::Create(Object::Pod(_))) {
                self.expectations.creation_observed(key);
            }
        }
        Plan::default()
    }
}

impl JobController {
    /// Deletes excess pods. Removes their finalizers first, because the Job's status does not count these pods.
    fn delete_pods(&mut self, plan: Plan, key: &Key, sync: &JobSync<'_, '_, '_>, victims: &[Arc<Pod>]) -> Plan {
        let keys = victims.iter().map(|pod| pod.metadata.key()).collect();
        self.expectations.expect(key, 0, keys, sync.cx.now());
        plan.then(remove_finalizers(victims))
            .then(victims.iter().map(|pod| delete_pod(&*sync.job, pod)).collect())
    }

    fn create_pods(&mut self, plan: Plan, key: &Key, sync: &JobSync<'_, '_, '_>, indexes: &[Option<i32>]) -> Plan {
        self.expectations
            .expect(key, indexes.len(), ordered::Set::new(), sync.cx.now());
        plan.then_in_growing_batches(
            indexes
                .iter()
                .map(|index| pods::create_pod_action(sync, *index))
                .collect(),
        )
    }
}

/// Removes the tracking finalizer of the pods.
fn remove_finalizers(pods: &[Arc<Pod>]) -> Vec<Action> {
    pods.iter()
        .filter(|pod| has_tracking_finalizer(pod))
        .map(remove_finalizer)
        .collect()
}

fn remove_finalizer(pod: &Arc<Pod>) -> Action {
    let change = Mutation::new("tracking", |pod: &mut Pod| {
        pod.metadata
            .finalizers
            .retain(|name| &**name != finalizer::JOB_TRACKING)
    });
    let patch = Request::Patch {
        kind: Kind::Pod,
        key: pod.metadata.key(),
        uid: Some(pod.metadata.uid.clone()),
        part: Part::Main,
        change,
    };
    Action::from(patch).accept(Accept::OrNotFound)
}

/// Removes the finalizer of a pod whose Job no longer exists.
fn remove_finalizer_of_orphan(key: &Key, cx: &ControllerContext<'_, '_>) -> Plan {
    let Some(pod) = cx.objects.get::<Pod>(&key.1) else {
        return Plan::default();
    };
    let is_orphan = controller_of::<Job>(cx.objects, &pod.metadata).is_none();
    let is_assumed = pod
        .metadata
        .controller_ref()
        .is_some_and(|owner| cx.objects.assumed().is_left_alone(&owner.uid));
    if !is_orphan || is_assumed || !has_tracking_finalizer(pod) {
        return Plan::default();
    }
    Plan::one(remove_finalizer(pod))
}
