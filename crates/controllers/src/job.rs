//! Job: runs pods until enough have succeeded (C-03, CT-091 to CT-095).
//!
//! Watches Jobs and their pods; compares active pods with what is wanted;
//! finished pods are kept by a finalizer until they are counted (CT-093). Pods
//! that terminate are replaced at once unless the policy waits for the end
//! (CT-092), so two executions of one index may overlap (CT-094).

use podscope_api::ordered;
use podscope_api::ordered::StableSort as _;
use std::sync::Arc;

use podscope_api::{
    ConditionStatus, EventType, Job, JobStatus, Kind, Object, Pod, Str, Time, UncountedTerminatedPods,
    WorkloadCondition,
};

use podscope_sim::{Answer, Change, Mutation, Part, Request, Span};

use super::controller::{Controller, ControllerContext, note};
use super::expectations::Expectations;
use super::job_policy::{self, Decision};
use super::owner::{self, controller_of, controller_ref};
use super::plan::{Accept, Action, Failure, Plan};
use super::pod_util::{is_active, is_failed, is_succeeded};
use super::queue::{Backoff, Key, key_of};
use super::replicaset::{BURST, delete_pod};
use super::template::{Template, set_entry};

const FINALIZER: &str = "batch.kubernetes.io/job-tracking";
const INDEX: &str = "batch.kubernetes.io/job-completion-index";
/// Wait after the first failure, doubling with each, and its longest (CT-094).
const RETRY: (Span, Span) = (Span::seconds(10), Span::seconds(600));

#[derive(Debug, Clone, Default)]
pub(super) struct Jobs {
    expectations: Expectations,
}

impl Jobs {
    pub(super) fn boxed() -> Box<dyn Controller> {
        Box::new(Self::default())
    }
}

fn has_finalizer(pod: &Pod) -> bool {
    pod.metadata.finalizers.iter().any(|name| &**name == FINALIZER)
}

/// Whether a replacement waits for the terminal phase (CT-092).
fn waits_for_failed(job: &Job) -> bool {
    match job.spec.pod_replacement_policy.as_deref() {
        Some(policy) => policy == "Failed",
        None => job.spec.pod_failure_policy.is_some(),
    }
}

fn is_indexed(job: &Job) -> bool {
    job.spec.completion_mode.as_deref() == Some("Indexed")
}

fn index_of(pod: &Pod) -> Option<i32> {
    pod.metadata.annotation(INDEX)?.parse().ok()
}

fn condition<'s>(status: &'s JobStatus, kind: &str) -> Option<&'s WorkloadCondition> {
    status
        .conditions
        .iter()
        .find(|condition| &*condition.kind == kind && condition.status == ConditionStatus::True)
}

fn set_condition(status: &mut JobStatus, kind: &str, reason: &str, message: &str, now: Time) {
    status.conditions.retain(|condition| &*condition.kind != kind);
    status.conditions.push(WorkloadCondition {
        kind: kind.into(),
        status: ConditionStatus::True,
        last_probe_time: Some(now),
        last_transition_time: Some(now),
        reason: reason.into(),
        message: message.into(),
        ..WorkloadCondition::default()
    });
}

/// `0-2,4`: indexes as a Job's status prints them.
fn print_indexes(indexes: &ordered::Set<i32>) -> String {
    let mut ranges: Vec<(i32, i32)> = Vec::new();
    for index in indexes {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == *index => *last = *index,
            _ => ranges.push((*index, *index)),
        }
    }
    let print = |(first, last): (i32, i32)| match last - first {
        0 => first.to_string(),
        1 => format!("{first},{last}"),
        _ => format!("{first}-{last}"),
    };
    ranges.into_iter().map(print).collect::<Vec<_>>().join(",")
}

fn read_indexes(text: &str) -> ordered::Set<i32> {
    let mut indexes = ordered::Set::new();
    for part in text.split(',').filter(|part| !part.is_empty()) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        if let (Ok(first), Ok(last)) = (first.parse::<i32>(), last.parse::<i32>()) {
            indexes.extend(first..=last);
        }
    }
    indexes
}

impl Controller for Jobs {
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
            cx.enqueue(key_of(&**job));
            return;
        }
        let (old, new) = owner::pods_of_change(change);
        for pod in [old, new].into_iter().flatten() {
            let Some(key) = controller_of::<Job>(cx.objects, &pod.metadata).map(|job| key_of(&**job)) else {
                continue;
            };
            if new.is_none_or(|new| new.metadata.is_terminating()) {
                self.expectations.deletion_observed(&key, &pod.metadata.key());
            } else if old.is_none() {
                self.expectations.creation_observed(&key);
            }
            cx.enqueue(key);
        }
    }
    fn sync(&mut self, key: &Key, cx: &mut ControllerContext<'_, '_>) -> Plan {
        let Some(job) = cx.objects.get::<Job>(&key.1).cloned() else {
            self.expectations.forget(key);
            return Plan::default();
        };
        if cx.objects.assumed().is_left_alone(&job.metadata.uid) {
            return Plan::default();
        }
        let pods: Vec<Arc<Pod>> = cx.objects.pods_of(&job.metadata.uid).cloned().collect();
        if condition(&job.status, "Complete").is_some() || condition(&job.status, "Failed").is_some() {
            return Plan::default().then(release(&pods, |_| true));
        }
        let satisfied = self.expectations.are_satisfied(key, cx.now());
        let mut pass = Pass::new(job, pods, cx);
        pass.count();
        pass.judge();
        let mut plan = Plan::default();
        if satisfied && !pass.job.metadata.is_terminating() {
            plan = self.manage(plan, key, &mut pass);
        }
        pass.finish(plan)
    }
    fn answered(&mut self, key: &Key, request: &Request, answer: &Answer, _cx: &mut ControllerContext<'_, '_>) {
        match (request, answer) {
            (Request::Create(Object::Pod(_)), Err(_)) => self.expectations.creation_observed(key),
            (Request::Delete { key: pod, .. }, Err(_)) => self.expectations.deletion_observed(key, pod),
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
    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }
}

/// Removes the tracking finalizer of the pods that are counted.
fn release(pods: &[Arc<Pod>], counted: impl Fn(&Pod) -> bool) -> Vec<Action> {
    let held = pods.iter().filter(|pod| has_finalizer(pod) && counted(pod));
    held.map(|pod| {
        let change = Mutation::new("tracking", |pod: &mut Pod| {
            pod.metadata.finalizers.retain(|name| &**name != FINALIZER)
        });
        let patch = Request::Patch {
            kind: Kind::Pod,
            key: pod.metadata.key(),
            uid: Some(pod.metadata.uid.clone()),
            part: Part::Main,
            change,
        };
        Action::from(patch).accept(Accept::OrNotFound)
    })
    .collect()
}

/// One pass over one Job.
struct Pass<'c, 'a, 'x> {
    job: Arc<Job>,
    pods: Vec<Arc<Pod>>,
    active: Vec<Arc<Pod>>,
    status: JobStatus,
    succeeded: i32,
    failed: i32,
    done: ordered::Set<i32>,
    requeue: Option<Span>,
    events: Vec<(EventType, String, String)>,
    cx: &'c mut ControllerContext<'a, 'x>,
}

impl<'c, 'a, 'x> Pass<'c, 'a, 'x> {
    fn new(job: Arc<Job>, pods: Vec<Arc<Pod>>, cx: &'c mut ControllerContext<'a, 'x>) -> Self {
        let active = pods.iter().filter(|pod| is_active(pod)).cloned().collect();
        let mut status = job.status.clone();
        if status.start_time.is_none() && job.spec.suspend != Some(true) {
            status.start_time = Some(cx.time());
        }
        Self {
            done: read_indexes(&status.completed_indexes),
            job,
            pods,
            active,
            status,
            succeeded: 0,
            failed: 0,
            requeue: None,
            events: Vec::new(),
            cx,
        }
    }

    /// Whether a pod counts as failed now; with the default policy a terminating one does (CT-092).
    fn counts_as_failed(&self, pod: &Pod) -> bool {
        is_failed(pod) || (pod.metadata.is_terminating() && !is_succeeded(pod) && !waits_for_failed(&self.job))
    }

    /// Moves finished pods through `uncounted` into the counts (CT-093).
    fn count(&mut self) {
        let mut uncounted = self.status.uncounted_terminated_pods.clone().unwrap_or_default();
        let held: ordered::Set<&str> = self
            .pods
            .iter()
            .filter(|pod| has_finalizer(pod))
            .map(|pod| pod.metadata.uid.as_str())
            .collect();
        let settle = |list: &mut Vec<Str>, count: &mut Option<i32>| {
            let before = list.len();
            list.retain(|uid| held.contains(&**uid));
            let settled = i32::try_from(before - list.len()).unwrap_or(0);
            if settled > 0 {
                *count = Some(count.unwrap_or(0) + settled);
            }
        };
        settle(&mut uncounted.succeeded, &mut self.status.succeeded);
        settle(&mut uncounted.failed, &mut self.status.failed);
        for pod in self.pods.iter().filter(|pod| has_finalizer(pod)) {
            let uid: Str = pod.metadata.uid.0.clone();
            if uncounted.succeeded.contains(&uid) || uncounted.failed.contains(&uid) {
                continue;
            }
            if is_succeeded(pod) {
                match index_of(pod).filter(|_| is_indexed(&self.job)) {
                    // One success an index; the list of indexes is the count.
                    Some(index) => {
                        if self.done.insert(index) {
                            uncounted.succeeded.push(uid);
                        }
                    }
                    None => uncounted.succeeded.push(uid),
                }
            } else if self.counts_as_failed(pod) && !job_policy::is_ignored(&self.job, pod) {
                uncounted.failed.push(uid);
            }
        }
        let length = |list: &Vec<Str>| i32::try_from(list.len()).unwrap_or(i32::MAX);
        self.failed = self.status.failed.unwrap_or(0) + length(&uncounted.failed);
        self.succeeded = if is_indexed(&self.job) {
            i32::try_from(self.done.len()).unwrap_or(i32::MAX)
        } else {
            self.status.succeeded.unwrap_or(0) + length(&uncounted.succeeded)
        };
        if is_indexed(&self.job) {
            self.status.completed_indexes = print_indexes(&self.done).into();
        }
        self.status.uncounted_terminated_pods = Some(uncounted);
    }

    /// Whether the Job has come to an end (CT-095).
    fn judge(&mut self) {
        if condition(&self.status, "FailureTarget").is_some() || condition(&self.status, "SuccessCriteriaMet").is_some()
        {
            return;
        }
        let now = self.cx.time();
        let limit = self.job.spec.backoff_limit.unwrap_or(6);
        let by_policy =
            self.pods
                .iter()
                .filter(|pod| is_failed(pod))
                .find_map(|pod| match job_policy::decide(&self.job, pod) {
                    Decision::FailJob(text) => Some(text),
                    _ => None,
                });
        let deadline = self.job.spec.active_deadline_seconds.zip(self.status.start_time);
        let passed = |start: Time| Span(self.cx.ctx.wall().0 - start.0);
        let left = deadline.map(|(seconds, start)| Span::seconds(seconds) - passed(start));
        let is_over = |left: Span| left <= Span::ZERO;
        if let Some(text) = by_policy {
            set_condition(&mut self.status, "FailureTarget", "PodFailurePolicy", &text, now);
        } else if self.failed > limit {
            let text = "Job has reached the specified backoff limit";
            set_condition(&mut self.status, "FailureTarget", "BackoffLimitExceeded", text, now);
        } else if left.is_some_and(is_over) && self.job.spec.suspend != Some(true) {
            let text = "Job was active longer than specified deadline";
            set_condition(&mut self.status, "FailureTarget", "DeadlineExceeded", text, now);
        } else if self.is_complete() {
            let text = "Reached expected number of succeeded pods";
            set_condition(&mut self.status, "SuccessCriteriaMet", "CompletionsReached", text, now);
        } else if let Some(left) = left {
            self.requeue = Some(left);
        }
    }

    fn is_complete(&self) -> bool {
        match self.job.spec.completions {
            None => self.succeeded > 0 && self.active.is_empty(),
            Some(completions) => self.succeeded >= completions && self.active.is_empty(),
        }
    }

    fn is_ending(&self) -> bool {
        condition(&self.status, "FailureTarget").is_some() || condition(&self.status, "SuccessCriteriaMet").is_some()
    }

    /// How many should be active now (CT-091).
    fn wanted(&self) -> usize {
        let parallelism = self.job.spec.parallelism.unwrap_or(1);
        let wanted = match self.job.spec.completions {
            Some(completions) => (completions - self.succeeded).min(parallelism),
            None if self.succeeded > 0 => i32::try_from(self.active.len()).unwrap_or(i32::MAX).min(parallelism),
            None => parallelism,
        };
        usize::try_from(wanted).unwrap_or(0)
    }

    /// How long to wait after failures: from the last one, doubling (CT-094).
    fn back_off(&self) -> Option<Span> {
        let finished = |pod: &Pod| {
            let ends = pod
                .status
                .container_statuses
                .iter()
                .filter_map(|status| status.state.terminated.as_ref()?.finished_at);
            let end = ends.max().or(pod.metadata.deletion_timestamp);
            end.or_else(|| pod.condition("Ready").and_then(|ready| ready.last_transition_time))
                .or(pod.metadata.creation_timestamp)
        };
        let last_success = self
            .pods
            .iter()
            .filter(|pod| is_succeeded(pod))
            .filter_map(|pod| finished(pod))
            .max();
        let failures: Vec<Time> = self
            .pods
            .iter()
            .filter(|pod| is_failed(pod))
            .filter_map(|pod| finished(pod))
            .collect();
        let since: Vec<Time> = failures
            .into_iter()
            .filter(|at| last_success.is_none_or(|success| *at > success))
            .collect();
        let last = since.iter().max()?;
        let doublings = u32::try_from(since.len() - 1).unwrap_or(u32::MAX).min(20);
        let wait = Span(RETRY.0.0 << doublings).min(RETRY.1);
        let left = Span(last.0 + wait.0 - self.cx.ctx.wall().0);
        (left > Span::ZERO).then_some(left)
    }

    /// Writes the status first, then lets go of what it counts; the last condition only when nothing runs any more (CT-095).
    fn finish(mut self, plan: Plan) -> Plan {
        let count = |test: &dyn Fn(&Pod) -> bool| {
            i32::try_from(self.pods.iter().filter(|pod| test(pod)).count()).unwrap_or(i32::MAX)
        };
        let some = |count: i32| (count > 0).then_some(count);
        let terminating = count(&|pod| pod.metadata.is_terminating() && !pod.is_terminal());
        self.status.active = some(i32::try_from(self.active.len()).unwrap_or(i32::MAX));
        self.status.ready = Some(count(&|pod| is_active(pod) && pod.is_ready()));
        self.status.terminating = Some(terminating);
        let uncounted = self.status.uncounted_terminated_pods.clone().unwrap_or_default();
        let is_settled = uncounted == UncountedTerminatedPods::default();
        if self.is_ending() && is_settled && self.active.is_empty() && terminating == 0 {
            self.end();
        }
        let mut plan = plan;
        if self.status != self.job.status {
            let mut updated = (*self.job).clone();
            updated.status = self.status.clone();
            plan = plan.then_one(Request::Update(Object::Job(Arc::new(updated)), Part::Status));
        }
        let is_counted = |pod: &Pod| {
            uncounted.succeeded.contains(&pod.metadata.uid.0)
                || uncounted.failed.contains(&pod.metadata.uid.0)
                || (pod.is_terminal() && (job_policy::is_ignored(&self.job, pod) || is_succeeded(pod)))
        };
        let plan = plan.then(release(&self.pods, is_counted)).requeue_after(self.requeue);
        for (kind, reason, text) in self.events {
            self.cx.event(note(&*self.job, kind, &reason, text));
        }
        plan
    }

    fn end(&mut self) {
        let now = self.cx.time();
        if let Some(target) = condition(&self.status, "FailureTarget").cloned() {
            set_condition(&mut self.status, "Failed", &target.reason, &target.message, now);
            self.events.push((
                EventType::Warning,
                target.reason.to_string(),
                target.message.to_string(),
            ));
        } else if let Some(met) = condition(&self.status, "SuccessCriteriaMet").cloned() {
            set_condition(&mut self.status, "Complete", &met.reason, &met.message, now);
            self.status.completion_time = Some(now);
            self.events
                .push((EventType::Normal, "Completed".into(), "Job completed".into()));
        }
    }
}

impl Jobs {
    /// Deletes what is too much, else creates what is missing (CT-091, CT-095).
    fn manage(&mut self, plan: Plan, key: &Key, pass: &mut Pass<'_, '_, '_>) -> Plan {
        let job = pass.job.clone();
        let wanted = if pass.is_ending() || job.spec.suspend == Some(true) {
            0
        } else {
            pass.wanted()
        };
        if pass.active.len() > wanted {
            let mut victims = pass.active.clone();
            victims.stable_sort_by_key(|pod| {
                (
                    pod.spec.node_name.is_some(),
                    pod.is_ready(),
                    std::cmp::Reverse(pod.metadata.creation_timestamp),
                )
            });
            victims.truncate((pass.active.len() - wanted).min(BURST));
            let keys = victims.iter().map(|pod| pod.metadata.key()).collect();
            self.expectations.expect(key, 0, keys, pass.cx.now());
            return plan.then(victims.iter().map(|pod| delete_pod(&*job, pod)).collect());
        }
        let terminating = pass
            .pods
            .iter()
            .filter(|pod| pod.metadata.is_terminating() && !pod.is_terminal())
            .count();
        let waiting = if waits_for_failed(&job) { terminating } else { 0 };
        let count = wanted.saturating_sub(pass.active.len() + waiting).min(BURST);
        if count == 0 {
            return plan;
        }
        if let Some(left) = pass.back_off() {
            pass.requeue = Some(pass.requeue.map_or(left, |least| least.min(left)));
            return plan;
        }
        let indexes = if is_indexed(&job) {
            free_indexes(pass, count)
        } else {
            vec![None; count]
        };
        self.expectations
            .expect(key, indexes.len(), ordered::Set::new(), pass.cx.now());
        let create = indexes.into_iter().map(|index| {
            Action::from(Request::Create(Object::Pod(Arc::new(pod_for(&job, index)))))
                .accept(Accept::OrNamespaceTerminating)
                .on_success(note(
                    &*job,
                    EventType::Normal,
                    "SuccessfulCreate",
                    "Created pod: {name}",
                ))
                .on_failure(note(
                    &*job,
                    EventType::Warning,
                    "FailedCreate",
                    "Error creating: {error}",
                ))
        });
        plan.then_slowly(create.collect())
    }
}

/// The lowest indexes that are neither done nor under way.
fn free_indexes(pass: &Pass<'_, '_, '_>, count: usize) -> Vec<Option<i32>> {
    let blocked = pass.pods.iter().filter(|pod| {
        is_active(pod) || (waits_for_failed(&pass.job) && pod.metadata.is_terminating() && !pod.is_terminal())
    });
    let busy: ordered::Set<i32> = blocked.filter_map(|pod| index_of(pod)).collect();
    let all = 0..pass.job.spec.completions.unwrap_or(0);
    all.filter(|index| !busy.contains(index) && !pass.done.contains(index))
        .take(count)
        .map(Some)
        .collect()
}

fn pod_for(job: &Job, index: Option<i32>) -> Pod {
    let template = Template::of(&job.spec.template);
    let name = &job.metadata.name;
    let prefix = index.map_or_else(|| format!("{name}-"), |index| format!("{name}-{index}-"));
    let mut pod = template.pod(&job.metadata.namespace, &prefix, controller_ref(job));
    let labels: ordered::Map<&str, &str> = ordered::Map::from([
        ("batch.kubernetes.io/controller-uid", job.metadata.uid.as_str()),
        ("batch.kubernetes.io/job-name", &**name),
        ("controller-uid", job.metadata.uid.as_str()),
        ("job-name", &**name),
    ]);
    for (key, value) in labels {
        set_entry(&mut pod.metadata.labels, key, value);
    }
    pod.metadata.finalizers.push(FINALIZER.into());
    if let Some(index) = index {
        set_entry(&mut pod.metadata.annotations, INDEX, &index.to_string());
        set_entry(&mut pod.metadata.labels, INDEX, &index.to_string());
        pod.spec.hostname = format!("{name}-{index}").into();
    }
    pod
}
