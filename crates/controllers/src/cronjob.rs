//! CronJob: creates a Job at each time of its schedule, unless its concurrency policy and a running Job forbid it, and
//! keeps only the latest finished Jobs (C-14, CT-187, CT-188).
//!
//! Watches CronJobs and Jobs; compares the latest scheduled time in the past with the time of the last scheduled Job.
//! The name of a Job contains the scheduled minute, so that two controllers do not create it twice. The status is
//! updated in a separate pass, when the cache contains the created Job; the real controller updates it in the same
//! pass.

mod schedule;

use std::sync::Arc;

use podscope_api::ordered::{self, StableSort as _};
use podscope_api::pending_event::PendingEventKind;
use podscope_api::{
    ConcurrencyPolicy, CronJob, CronJobStatus, EventType, Job, Kind, Object, ObjectKey, ObjectMeta, ObjectReference,
    Str, Time, Uid, print_rfc1123, print_rfc3339,
};
use podscope_sim::{Change, DeleteOptions, Part, PendingEvent, Propagation, Request, Span};

use super::controller::{Controller, ControllerContext, PendingContext, note};
use super::job::final_condition;
use super::owner::{controller_of, controller_ref};
use super::plan::{Accept, Action, Plan};
use super::queue::{Key, key_of};
use super::template::set_entry;
use schedule::Schedule;

/// Annotation of a Job with the scheduled time that it was created for.
const SCHEDULED_TIME_ANNOTATION: &str = "batch.kubernetes.io/cronjob-scheduled-timestamp";

#[derive(Debug, Clone, Default)]
pub(super) struct CronJobController {
    /// Requested Jobs by CronJob, with their name and scheduled time, until the status lists them.
    requested: ordered::Map<Key, (Str, Time)>,
    /// UIDs of Jobs that this controller deleted, with their CronJob, until the status no longer lists them; such Jobs
    /// are not reported as missing.
    deleted: ordered::Map<Uid, Key>,
}

impl CronJobController {
    /// Updates the list of active Jobs and the last successful time in `status`.
    fn update_active_jobs(
        &mut self,
        key: &Key,
        cron: &Arc<CronJob>,
        jobs: &[Arc<Job>],
        status: &mut CronJobStatus,
        cx: &mut ControllerContext<'_, '_>,
    ) {
        for job in jobs {
            let (name, uid) = (&job.metadata.name, &job.metadata.uid);
            let is_listed = status.active.iter().any(|job_ref| job_ref.uid == *uid);
            match final_condition(&job.status) {
                None if is_listed => {}
                None => match self.requested.get(key).cloned() {
                    Some((requested, at)) if requested == *name => {
                        self.requested.remove(key);
                        status.active.push(job_reference(job));
                        status.last_schedule_time = Some(at);
                    }
                    _ => {
                        let text = format!("Saw a job that the controller did not create or forgot: {name}");
                        cx.emit_event(note(&**cron, EventType::Warning, "UnexpectedJob", text));
                    }
                },
                Some(ended) => {
                    if is_listed {
                        status.active.retain(|job_ref| job_ref.uid != *uid);
                        let text = format!("Saw completed job: {name}, condition: {}", ended.kind);
                        cx.emit_event(note(&**cron, EventType::Normal, "SawCompletedJob", text));
                    }
                    let completed = job.status.completion_time.filter(|_| &*ended.kind == "Complete");
                    if completed > status.last_successful_time {
                        status.last_successful_time = completed;
                    }
                }
            }
        }
        let deleted = &self.deleted;
        status.active.retain(|job_ref| {
            let is_there = jobs.iter().any(|job| job.metadata.uid == job_ref.uid);
            if !is_there && !deleted.contains_key(&job_ref.uid) {
                let text = format!("Active job went missing: {}", job_ref.name);
                cx.emit_event(note(&**cron, EventType::Normal, "MissingJob", text));
            }
            is_there
        });
        self.deleted.retain(|uid, of| {
            of != key
                || jobs.iter().any(|job| job.metadata.uid == *uid)
                || cron.status.active.iter().any(|job_ref| job_ref.uid == *uid)
        });
    }

    /// Builds the request that deletes a Job, and stores the Job's UID in `deleted`.
    fn delete_job(&mut self, cron: &CronJob, job: &Job) -> Action {
        self.deleted.insert(job.metadata.uid.clone(), key_of(cron));
        let name = &job.metadata.name;
        let delete = Request::Delete {
            kind: Kind::Job,
            key: job.metadata.key(),
            options: DeleteOptions {
                propagation: Some(Propagation::Background),
                ..DeleteOptions::default()
            },
        };
        Action::from(delete)
            .on_success(note(
                cron,
                EventType::Normal,
                "SuccessfulDelete",
                format!("Deleted job {name}"),
            ))
            .on_failure(note(cron, EventType::Warning, "FailedDelete", "Deleted job: {error}"))
    }

    /// Deletes the oldest finished Jobs beyond the history limits.
    fn delete_surplus_jobs(&mut self, cron: &CronJob, jobs: &[Arc<Job>]) -> Vec<Action> {
        let limits = [
            ("Complete", cron.spec.successful_jobs_history_limit),
            ("Failed", cron.spec.failed_jobs_history_limit),
        ];
        let mut deletes = Vec::new();
        for (end_kind, limit) in limits {
            let Some(limit) = limit.and_then(|limit| usize::try_from(limit).ok()) else {
                continue;
            };
            let mut ended: Vec<&Arc<Job>> = (jobs.iter())
                .filter(|job| {
                    final_condition(&job.status).is_some_and(|end| &*end.kind == end_kind)
                        && !job.metadata.is_terminating()
                })
                .collect();
            ended.stable_sort_by_key(|job| {
                let start_time = job.status.start_time;
                (start_time.is_none(), start_time, job.metadata.name.clone())
            });
            let surplus = ended.len().saturating_sub(limit);
            deletes.extend(ended.iter().take(surplus).map(|job| self.delete_job(cron, job)));
        }
        deletes
    }

    /// Creates the Job that is due, if any.
    fn create_due_job(
        &mut self,
        key: &Key,
        cron: &Arc<CronJob>,
        jobs: &[Arc<Job>],
        cx: &mut ControllerContext<'_, '_>,
    ) -> Plan {
        let now = cx.ctx.wall();
        let spec = &cron.spec;
        if cron.metadata.is_terminating() || spec.suspend == Some(true) {
            return Plan::default();
        }
        let schedule = match Schedule::of(cron) {
            Ok(schedule) => schedule,
            Err(why) => {
                let text = format!("unparseable schedule: {:?} : {why}", spec.schedule);
                cx.emit_event(note(&**cron, EventType::Warning, "UnparseableSchedule", text));
                return Plan::default();
            }
        };
        let missed = schedule.missed_times(now, spec.starting_deadline_seconds);
        if missed.are_too_many {
            let text = "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew";
            cx.emit_event(note(&**cron, EventType::Warning, "TooManyMissedTimes", text));
        }
        let wait = Plan::default().requeue_after(schedule.until_next(now));
        let Some(at) = missed.latest else { return wait };
        let deadline = spec
            .starting_deadline_seconds
            .map(|seconds| at.0.saturating_add(seconds.saturating_mul(1_000_000)));
        if deadline.is_some_and(|deadline| deadline < now.0) {
            let text = format!("Missed scheduled time to start a job: {}", print_rfc1123(at));
            cx.emit_event(note(&**cron, EventType::Warning, "MissSchedule", text));
            return wait;
        }
        let name = Str::from(format!("{}-{}", key.1.name, at.seconds() / 60));
        if cron.status.last_schedule_time == Some(at) || cron.status.active.iter().any(|job_ref| job_ref.name == name) {
            return wait;
        }
        if let Some(existing) = cx
            .objects
            .get::<Job>(&ObjectKey::new(key.1.namespace.clone(), name.clone()))
        {
            // The Job already exists: it was created before a status update failed, or by somebody else.
            if jobs.iter().any(|own| own.metadata.uid == existing.metadata.uid) {
                self.requested.insert(key.clone(), (name, at));
                return Plan::default().requeue_after(Some(Span::ZERO));
            }
            return Plan::default();
        }
        let is_running = !cron.status.active.is_empty();
        if is_running && spec.concurrency_policy == Some(ConcurrencyPolicy::Forbid) {
            let text = "Not starting job because prior execution is running and concurrency policy is Forbid";
            cx.emit_event(note(&**cron, EventType::Normal, "JobAlreadyActive", text));
            return wait;
        }
        let mut plan = Plan::default();
        if spec.concurrency_policy == Some(ConcurrencyPolicy::Replace) {
            let running: Vec<&Arc<Job>> = (jobs.iter())
                .filter(|job| cron.status.active.iter().any(|job_ref| job_ref.uid == job.metadata.uid))
                .collect();
            plan = plan.then(running.into_iter().map(|job| self.delete_job(cron, job)).collect());
        }
        self.requested.insert(key.clone(), (name.clone(), at));
        let create = Action::from(Request::Create(Object::Job(Arc::new(new_job(cron, name, at)))))
            .accept(Accept::OrNamespaceTerminating)
            .on_success(note(
                &**cron,
                EventType::Normal,
                "SuccessfulCreate",
                "Created job {name}",
            ))
            .on_failure(note(
                &**cron,
                EventType::Warning,
                "FailedCreate",
                "Error creating job: {error}",
            ));
        plan.then_action(create).requeue_after(schedule.until_next(now))
    }
}

/// Builds the Job for a scheduled time.
fn new_job(cron: &CronJob, name: Str, at: Time) -> Job {
    let template = &cron.spec.job_template;
    let mut job = Job {
        metadata: ObjectMeta {
            name,
            namespace: cron.metadata.namespace.clone(),
            labels: template.metadata.labels.clone(),
            annotations: template.metadata.annotations.clone(),
            owner_references: vec![controller_ref(cron)],
            ..ObjectMeta::default()
        },
        spec: template.spec.clone(),
        ..Job::default()
    };
    set_entry(
        &mut job.metadata.annotations,
        SCHEDULED_TIME_ANNOTATION,
        &print_rfc3339(at.0, 0),
    );
    job
}

fn job_reference(job: &Job) -> ObjectReference {
    ObjectReference {
        kind: Kind::Job.name().into(),
        namespace: job.metadata.namespace.clone(),
        name: job.metadata.name.clone(),
        uid: job.metadata.uid.clone(),
        api_version: Kind::Job.api_version().into(),
        resource_version: job.metadata.resource_version.clone(),
        ..ObjectReference::default()
    }
}

impl Controller for CronJobController {
    fn name(&self) -> &'static str {
        "cronjob-controller"
    }

    fn watches(&self) -> &'static [Kind] {
        &[Kind::CronJob, Kind::Job]
    }

    fn waits_for_own_writes(&self) -> bool {
        true
    }

    fn changed(&mut self, change: &Change, cx: &mut ControllerContext<'_, '_>) {
        match change.object() {
            Some(Object::CronJob(cron)) => cx.enqueue(key_of(&**cron)),
            Some(Object::Job(job)) => {
                if let Some(cron) = controller_of::<CronJob>(cx.objects, &job.metadata) {
                    cx.enqueue(key_of(&**cron));
                }
            }
            _ => {}
        }
    }

    fn sync(&mut self, key: &Key, cx: &mut ControllerContext<'_, '_>) -> Plan {
        let Some(cron) = cx.objects.get::<CronJob>(&key.1).cloned() else {
            self.requested.remove(key);
            self.deleted.retain(|_, of| of != key);
            return Plan::default();
        };
        if cx.objects.assumed().is_left_alone(&cron.metadata.uid) {
            return Plan::default();
        }
        let jobs: Vec<Arc<Job>> = (cx.index.dependents_of(&cron.metadata.uid))
            .filter(|(kind, _)| *kind == Kind::Job)
            .filter_map(|(_, key)| cx.objects.get::<Job>(key).cloned())
            .filter(|job| {
                job.metadata
                    .controller_ref()
                    .is_some_and(|owner| owner.uid == cron.metadata.uid)
            })
            .collect();
        let mut status = cron.status.clone();
        self.update_active_jobs(key, &cron, &jobs, &mut status, cx);
        let deletes = self.delete_surplus_jobs(&cron, &jobs);
        if status == cron.status {
            let start = self.create_due_job(key, &cron, &jobs, cx);
            let mut plan = Plan::default().then(deletes);
            plan.steps.extend(start.steps);
            return plan.requeue_after(start.requeue_after);
        }
        let mut new = CronJob::clone(&cron);
        new.status = status;
        let update = Request::Update(Object::CronJob(Arc::new(new)), Part::Status);
        // A due Job is created in the next sync, when the cache contains this status.
        Plan::default()
            .then(deletes)
            .then_action(Action::from(update).even_after_failure())
            .requeue_after(Some(Span::ZERO))
    }

    fn pending_events(&self, pending: &PendingContext<'_>) -> Vec<PendingEvent> {
        let crons = pending.objects.list::<CronJob>();
        let is_scheduling = |cron: &&Arc<CronJob>| cron.spec.suspend != Some(true) && !cron.metadata.is_terminating();
        let assumed = pending.objects.assumed();
        let due = crons
            .filter(is_scheduling)
            .filter(|cron| !assumed.is_left_alone(&cron.metadata.uid))
            .filter_map(|cron| {
                let next = Schedule::of(cron).ok()?.until_next(pending.wall)?;
                Some(PendingEvent {
                    at: pending.now + next,
                    what: PendingEventKind::Job,
                    kind: Kind::CronJob,
                    key: cron.metadata.key(),
                    uid: cron.metadata.uid.clone(),
                    container: Str::default(),
                    is_projected: false,
                })
            });
        due.collect()
    }
}
