//! One sync of one Job: counts finished pods, decides whether the Job has ended, and computes its status.

use std::sync::Arc;

use podscope_api::ordered::{self, StableSort as _};
use podscope_api::well_known::condition;
use podscope_api::{
    ConditionStatus, EventType, Job, JobStatus, Kind, Object, Pod, PodStatus, Str, Time, UncountedTerminatedPods,
};
use podscope_sim::{Mutation, Part, Request, Span};

use super::backoff::{FailureRecord, finish_time};
use super::indexes::{self, Indexes, counted_and_all_failures_before, index_of, is_indexed};
use super::policy::{self, PodFailureDecision};
use super::status::{move_uncounted_to_counts, set_condition, true_condition};
use super::{has_tracking_finalizer, is_suspended, remove_finalizers, replaces_only_failed_pods};
use crate::controller::{ControllerContext, note};
use crate::plan::{Action, Plan};
use crate::pod_util::{is_active, is_failed, is_succeeded};

/// Maximum number of entries in `uncountedTerminatedPods`.
const MAX_UNCOUNTED_PODS: usize = 500;

/// How a Job ends; stored in its interim condition (CT-095).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct JobEnding {
    succeeded: bool,
    reason: Str,
    message: Str,
}

impl JobEnding {
    fn failure(reason: &str, message: &str) -> Self {
        Self {
            succeeded: false,
            reason: reason.into(),
            message: message.into(),
        }
    }

    fn success(reason: &str, message: &str) -> Self {
        Self {
            succeeded: true,
            ..Self::failure(reason, message)
        }
    }

    /// Returns the type of the interim condition: SuccessCriteriaMet or FailureTarget.
    fn interim_condition(&self) -> &'static str {
        if self.succeeded {
            condition::SUCCESS_CRITERIA_MET
        } else {
            condition::FAILURE_TARGET
        }
    }
}

/// The state of one sync of a Job.
pub(super) struct JobSync<'c, 'a, 'x> {
    pub(super) job: Arc<Job>,
    pub(super) pods: Vec<Arc<Pod>>,
    pub(super) active: Vec<Arc<Pod>>,
    pub(super) status: JobStatus,
    pub(super) succeeded: i32,
    failed: i32,
    /// Indexes that have succeeded.
    pub(super) succeeded_indexes: Indexes,
    /// Indexes that have failed and are not retried; `None` unless the Job has a backoff limit per index.
    pub(super) failed_indexes: Option<Indexes>,
    /// The failed pod that the next pod of each index replaces. It keeps its finalizer until then, because its
    /// annotations hold the failure counts.
    pub(super) replaced: ordered::Map<i32, Arc<Pod>>,
    pub(super) record: FailureRecord,
    pub(super) ending: Option<JobEnding>,
    pub(super) requeue: Option<Span>,
    pub(super) cx: &'c mut ControllerContext<'a, 'x>,
}

impl<'c, 'a, 'x> JobSync<'c, 'a, 'x> {
    pub(super) fn new(
        job: Arc<Job>,
        mut pods: Vec<Arc<Pod>>,
        record: FailureRecord,
        cx: &'c mut ControllerContext<'a, 'x>,
    ) -> Self {
        if is_indexed(&job) {
            pods.stable_sort_by_key(|pod| index_of(&job, pod));
        }
        let active = pods.iter().filter(|pod| is_active(pod)).cloned().collect();
        let mut status = job.status.clone();
        let held = pods.iter().filter(|pod| has_tracking_finalizer(pod));
        move_uncounted_to_counts(&mut status, &held.map(|pod| pod.metadata.uid.0.clone()).collect());
        if status.start_time.is_none() && !is_suspended(&job) {
            status.start_time = Some(cx.time());
        }
        let mut sync = Self {
            succeeded_indexes: Indexes::new(),
            failed_indexes: None,
            replaced: ordered::Map::new(),
            record,
            ending: None,
            job,
            pods,
            active,
            status,
            succeeded: 0,
            failed: 0,
            requeue: None,
            cx,
        };
        sync.count_pods();
        sync
    }

    fn completions(&self) -> i32 {
        self.job.spec.completions.unwrap_or(0)
    }

    /// Returns whether a pod counts as failed now. With the default replacement policy, terminating pods count as
    /// failed (CT-092).
    fn counts_as_failed(&self, pod: &Pod) -> bool {
        is_failed(pod) || (pod.metadata.is_terminating() && !is_succeeded(pod) && !replaces_only_failed_pods(&self.job))
    }

    /// Returns whether the pod's failure prevents a retry of its index.
    fn fails_index(&self, pod: &Pod, limit: i32) -> bool {
        self.counts_as_failed(pod)
            && match policy::decide(&self.job, pod) {
                PodFailureDecision::FailIndex => true,
                decision => decision.counts_towards_limits() && counted_and_all_failures_before(pod).0 >= limit,
            }
    }

    /// Counts the succeeded and failed pods: those counted in the status, those listed as uncounted, and those that
    /// finished since.
    fn count_pods(&mut self) {
        let uncounted = self.status.uncounted_terminated_pods.clone().unwrap_or_default();
        let is_indexed = is_indexed(&self.job);
        let newly_ended = |list: &[Str], ended: &dyn Fn(&Pod) -> bool| -> Vec<Arc<Pod>> {
            let pods = self.pods.iter().filter(|pod| {
                has_tracking_finalizer(pod)
                    && !list.contains(&pod.metadata.uid.0)
                    && (!is_indexed || index_of(&self.job, pod).is_some())
                    && ended(pod)
            });
            pods.cloned().collect()
        };
        let succeeded = newly_ended(&uncounted.succeeded, &|pod| is_succeeded(pod));
        let failed = newly_ended(&uncounted.failed, &|pod| self.counts_as_failed(pod));
        self.record = self.record.with_finished_pods(&succeeded, &failed);
        let count = |number: usize| i32::try_from(number).unwrap_or(i32::MAX);
        let counted = failed
            .iter()
            .filter(|pod| policy::decide(&self.job, pod).counts_towards_limits());
        self.failed = self.status.failed.unwrap_or(0) + count(counted.count()) + count(uncounted.failed.len());
        if !is_indexed {
            self.succeeded =
                self.status.succeeded.unwrap_or(0) + count(succeeded.len()) + count(uncounted.succeeded.len());
            return;
        }
        self.succeeded_indexes = indexes::parse(&self.status.completed_indexes, self.completions());
        let ended = self
            .pods
            .iter()
            .filter(|pod| has_tracking_finalizer(pod) && is_succeeded(pod));
        self.succeeded_indexes
            .extend(ended.filter_map(|pod| index_of(&self.job, pod)));
        self.succeeded = count(self.succeeded_indexes.len());
        if let Some(limit) = self.job.spec.backoff_limit_per_index {
            let mut failed_indexes =
                indexes::parse(self.status.failed_indexes.as_deref().unwrap_or(""), self.completions());
            let held = self
                .pods
                .iter()
                .filter(|pod| has_tracking_finalizer(pod) && self.fails_index(pod, limit));
            failed_indexes.extend(held.filter_map(|pod| index_of(&self.job, pod)));
            self.replaced = self.pods_to_retry(&failed_indexes);
            self.failed_indexes = Some(failed_indexes);
        }
    }

    /// Returns the last failed pod of each index that has to be retried.
    fn pods_to_retry(&self, failed_indexes: &Indexes) -> ordered::Map<i32, Arc<Pod>> {
        let active: Indexes = self.active.iter().filter_map(|pod| index_of(&self.job, pod)).collect();
        let mut last: ordered::Map<i32, Arc<Pod>> = ordered::Map::new();
        for pod in self
            .pods
            .iter()
            .filter(|pod| has_tracking_finalizer(pod) && self.counts_as_failed(pod))
        {
            let Some(index) = index_of(&self.job, pod) else {
                continue;
            };
            if self.succeeded_indexes.contains(&index) || failed_indexes.contains(&index) || active.contains(&index) {
                continue;
            }
            let is_later = last.get(&index).is_none_or(|before| {
                counted_and_all_failures_before(before).1 <= counted_and_all_failures_before(pod).1
                    && finish_time(before) <= finish_time(pod)
            });
            if is_later {
                last.insert(index, pod.clone());
            }
        }
        last
    }

    /// Determines whether the Job ends for another reason than the completion of its pods (CT-095). Checks the reasons
    /// in the order of the real controller.
    pub(super) fn determine_ending(&mut self) {
        self.ending = self
            .recorded_ending()
            .or_else(|| self.failure_by_policy())
            .or_else(|| self.failure_by_limit())
            .or_else(|| self.failure_of_indexes());
        if self.ending.is_none() {
            let met = policy::matching_success_rule(&self.job, &self.succeeded_indexes);
            self.ending = met.map(|message| JobEnding::success("SuccessPolicy", &message));
        }
    }

    /// Returns the ending that an earlier sync stored in the interim condition.
    fn recorded_ending(&self) -> Option<JobEnding> {
        let of = |kind: &str, succeeded: bool| {
            true_condition(&self.status, kind).map(|condition| JobEnding {
                succeeded,
                reason: condition.reason.clone(),
                message: condition.message.clone(),
            })
        };
        of(condition::SUCCESS_CRITERIA_MET, true).or_else(|| of(condition::FAILURE_TARGET, false))
    }

    /// Returns the failure of the Job if a rule of its podFailurePolicy requires it.
    fn failure_by_policy(&self) -> Option<JobEnding> {
        let failed = self.pods.iter().filter(|pod| self.counts_as_failed(pod));
        failed
            .map(|pod| policy::decide(&self.job, pod))
            .find_map(|decision| match decision {
                PodFailureDecision::FailJob(text) => Some(JobEnding::failure("PodFailurePolicy", &text)),
                PodFailureDecision::Count | PodFailureDecision::Ignore | PodFailureDecision::FailIndex => None,
            })
    }

    /// Returns the failure of the Job if its backoff limit or active deadline is exceeded.
    fn failure_by_limit(&mut self) -> Option<JobEnding> {
        let spec = &self.job.spec;
        if self.failed > spec.backoff_limit.unwrap_or(6) || self.restarted_too_often() {
            let text = "Job has reached the specified backoff limit";
            return Some(JobEnding::failure("BackoffLimitExceeded", text));
        }
        let (Some(seconds), Some(start), false) = (
            spec.active_deadline_seconds,
            self.status.start_time,
            is_suspended(&self.job),
        ) else {
            return None;
        };
        let left = Span::seconds(seconds) - Span(self.cx.ctx.wall().0 - start.0);
        if left <= Span::ZERO {
            let text = "Job was active longer than specified deadline";
            return Some(JobEnding::failure("DeadlineExceeded", text));
        }
        self.requeue_after_at_most(left);
        None
    }

    /// Returns whether container restarts with the policy OnFailure have reached the backoff limit. The Job fails when
    /// the restarts reach the limit, or when the failed pods exceed it.
    fn restarted_too_often(&self) -> bool {
        use podscope_api::PodPhase::{Pending, Running};
        use podscope_api::RestartPolicy::OnFailure;
        if self.job.spec.template.spec.restart_policy != Some(OnFailure) {
            return false;
        }
        let running = self.pods.iter().map(|pod| &pod.status);
        let running = running.filter(|status| matches!(status.phase, Some(Running | Pending)));
        let statuses = running.flat_map(PodStatus::statuses);
        let restarts: i64 = statuses.map(|status| i64::from(status.restart_count)).sum();
        restarts >= i64::from(self.job.spec.backoff_limit.unwrap_or(6)).max(1)
    }

    /// Returns the failure of the Job if too many indexes have failed, or some have failed and none is left to run.
    fn failure_of_indexes(&self) -> Option<JobEnding> {
        let failed_indexes = i32::try_from(self.failed_indexes.as_ref()?.len()).unwrap_or(i32::MAX);
        if self.job.spec.max_failed_indexes.is_some_and(|max| failed_indexes > max) {
            let text = "Job has exceeded the specified maximal number of failed indexes";
            return Some(JobEnding::failure("MaxFailedIndexesExceeded", text));
        }
        let is_over = failed_indexes > 0 && failed_indexes.saturating_add(self.succeeded) >= self.completions();
        is_over.then(|| JobEnding::failure("FailedIndexes", "Job has failed indexes"))
    }

    /// Returns whether enough pods have succeeded and none is active. If so, sets the ending.
    pub(super) fn set_ending_if_complete(&mut self, active: usize) -> bool {
        let is_enough = match self.job.spec.completions {
            None => self.succeeded > 0,
            Some(completions) => self.succeeded >= completions,
        };
        let is_complete = is_enough && active == 0;
        if is_complete {
            let text = "Reached expected number of succeeded pods";
            self.ending = Some(JobEnding::success("CompletionsReached", text));
        }
        is_complete
    }

    /// Updates the condition Suspended from `spec.suspend`. A suspended Job has no start time.
    pub(super) fn update_suspended_condition(&mut self) {
        let now = self.cx.time();
        let (value, reason, event, text) = if is_suspended(&self.job) {
            (ConditionStatus::True, "JobSuspended", "Suspended", "Job suspended")
        } else {
            (ConditionStatus::False, "JobResumed", "Resumed", "Job resumed")
        };
        let is_suspended = value == ConditionStatus::True;
        if set_condition(&mut self.status, condition::SUSPENDED, value, reason, text, now) {
            self.status.start_time = (!is_suspended).then_some(now);
            let event = note(&*self.job, EventType::Normal, event, text);
            self.cx.emit_event(event);
        }
    }

    pub(super) fn requeue_after_at_most(&mut self, span: Span) {
        self.requeue = Some(self.requeue.map_or(span, |least| least.min(span)));
    }

    /// Returns whether the pod's finalizer may be removed.
    fn can_remove_finalizer(&self, pod: &Pod) -> bool {
        if self.job.metadata.is_terminating() || self.ending.is_some() || is_succeeded(pod) {
            return true;
        }
        let is_replaced = |index: i32| {
            self.replaced
                .get(&index)
                .is_some_and(|last| last.metadata.uid == pod.metadata.uid)
        };
        self.counts_as_failed(pod) && !index_of(&self.job, pod).is_some_and(is_replaced)
    }

    /// Adds finished pods to `uncountedTerminatedPods`; returns the pods whose finalizer must be removed.
    fn add_uncounted_pods(&mut self) -> Vec<Arc<Pod>> {
        let mut uncounted = self.status.uncounted_terminated_pods.clone().unwrap_or_default();
        let is_indexed = is_indexed(&self.job);
        // All pods of a failed Job count as failed.
        let all_failed = self.ending.as_ref().is_some_and(|ending| !ending.succeeded);
        let mut released = Vec::new();
        for pod in self
            .pods
            .iter()
            .filter(|pod| has_tracking_finalizer(pod) && self.can_remove_finalizer(pod))
        {
            released.push(pod.clone());
            let uid = pod.metadata.uid.0.clone();
            if is_succeeded(pod) && !uncounted.failed.contains(&uid) {
                if !is_indexed && !uncounted.succeeded.contains(&uid) {
                    uncounted.succeeded.push(uid);
                }
            } else if (self.counts_as_failed(pod) || all_failed)
                && !uncounted.failed.contains(&uid)
                && (!is_indexed || index_of(&self.job, pod).is_some())
                && policy::decide(&self.job, pod).counts_towards_limits()
            {
                uncounted.failed.push(uid);
            }
            if uncounted.succeeded.len() + uncounted.failed.len() >= MAX_UNCOUNTED_PODS {
                break;
            }
        }
        self.status.uncounted_terminated_pods = Some(uncounted);
        if is_indexed {
            self.status.completed_indexes = indexes::print(&self.succeeded_indexes).into();
            self.status.succeeded = (!self.succeeded_indexes.is_empty()).then_some(self.succeeded);
            self.status.failed_indexes = self.failed_indexes.as_ref().map(|list| indexes::print(list).into());
        }
        released
    }

    /// Writes the uncounted pods, then removes their finalizers, then writes the counts. The final condition is set
    /// only when all pods have ended (CT-095).
    pub(super) fn finish(mut self, plan: Plan, deleted: &[Arc<Pod>]) -> Plan {
        let is_deleted = |pod: &Pod| {
            deleted
                .iter()
                .any(|released_pod| released_pod.metadata.uid == pod.metadata.uid)
        };
        let count = |test: &dyn Fn(&Pod) -> bool| {
            i32::try_from(self.pods.iter().filter(|pod| test(pod)).count()).unwrap_or(i32::MAX)
        };
        let active = count(&|pod| is_active(pod) && !is_deleted(pod));
        let ready = count(&|pod| is_active(pod) && pod.is_ready() && !is_deleted(pod));
        let terminating = count(&|pod| !pod.is_terminal() && (pod.metadata.is_terminating() || is_deleted(pod)));
        self.status.active = (active > 0).then_some(active);
        self.status.ready = Some(ready);
        self.status.terminating = Some(terminating);
        let released = self.add_uncounted_pods();
        let now = self.cx.time();
        if let Some(ending) = &self.ending {
            let (kind, reason, message) = (ending.interim_condition(), &ending.reason, &ending.message);
            set_condition(&mut self.status, kind, ConditionStatus::True, reason, message, now);
        }
        let mut plan = plan;
        if self.status != self.job.status {
            let mut updated = (*self.job).clone();
            updated.status = self.status.clone();
            let update = Request::Update(Object::Job(Arc::new(updated)), Part::Status);
            plan = plan.then_action(Action::from(update).even_after_failure());
        }
        plan = plan.then(
            remove_finalizers(&released)
                .into_iter()
                .map(Action::even_after_failure)
                .collect(),
        );
        let mut counted = self.status.clone();
        let held = self.pods.iter().filter(|pod| has_tracking_finalizer(pod));
        let held = held.filter(|pod| {
            !released
                .iter()
                .any(|released_pod| released_pod.metadata.uid == pod.metadata.uid)
        });
        move_uncounted_to_counts(&mut counted, &held.map(|pod| pod.metadata.uid.0.clone()).collect());
        let is_settled = counted.uncounted_terminated_pods == Some(UncountedTerminatedPods::default());
        let mut events = Vec::new();
        if let Some(ending) = self.ending.take().filter(|_| is_settled && terminating == 0) {
            events = self.set_final_condition(&mut counted, &ending, now);
        }
        if counted != self.status {
            plan = plan.then_action(self.write_counts(counted, events).even_after_failure());
        }
        plan.requeue_after(self.requeue)
    }

    /// Builds the second status update of a sync. Nobody else writes a Job's status, so a patch without resourceVersion
    /// suffices.
    fn write_counts(&self, counted: JobStatus, events: Vec<podscope_sim::EventNote>) -> Action {
        let change = Mutation::new("counted", move |job: &mut Job| job.status.clone_from(&counted));
        let mut action = Action::from(Request::Patch {
            kind: Kind::Job,
            key: self.job.metadata.key(),
            uid: Some(self.job.metadata.uid.clone()),
            part: Part::Status,
            change,
        });
        action.on_success = events;
        action
    }

    /// Sets the final condition; returns the events to emit.
    fn set_final_condition(
        &self,
        status: &mut JobStatus,
        ending: &JobEnding,
        now: Time,
    ) -> Vec<podscope_sim::EventNote> {
        let kind = if ending.succeeded { "Complete" } else { "Failed" };
        set_condition(
            status,
            kind,
            ConditionStatus::True,
            &ending.reason,
            &ending.message,
            now,
        );
        if !ending.succeeded {
            return vec![note(&*self.job, EventType::Warning, &ending.reason, &*ending.message)];
        }
        status.completion_time = Some(now);
        let mut events = Vec::new();
        let wanted = self.job.spec.completions;
        if wanted.is_some_and(|wanted| status.succeeded.unwrap_or(0) > wanted) {
            let text = "Too many succeeded pods running after completion count reached";
            events.push(note(&*self.job, EventType::Warning, "TooManySucceededPods", text));
        }
        events.push(note(&*self.job, EventType::Normal, "Completed", "Job completed"));
        events
    }
}
