//! kube-scheduler as a process of the world. It passes its watch events to the scheduler library, decides one pod at a
//! time while it leads, and sends the requests of each attempt to the API server.
//!
//! Deviation: a decision takes one simulated millisecond, whatever its real cost; the real scheduler needs 0.1 to 10
//! milliseconds.

mod binding;
mod claims;
mod preempt;

use podscope_api::ordered;
use podscope_api::well_known::condition;
use podscope_sim::{AttemptResult, Happening};
use std::convert::Infallible;
use std::sync::Arc;

use podscope_api::{CausedBy, ConditionStatus, EventType, Kind, Object, ObjectKey, Pod, PodCondition, Uid};
use podscope_scheduler::plugins::{Plugin, Point};
use podscope_scheduler::{
    Attempt, Cache, Decision, DecisionRecorder, Outcome, Scheduler, SchedulerConfiguration, StatusPatch,
};

use crate::{Answer, CallId, EventNote, Mutation, Objects, Part, Request, SimTime, Span, Switches, subject};

use binding::{Binding, BindingPlan, Write};
use preempt::{PreemptionId, PreemptionInProgress};

/// Timer of kube-scheduler for its next decision or deadline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SchedulerTimer;

pub(crate) type Context<'a> = podscope_sim::Context<'a, SchedulerTimer, Infallible>;
pub(crate) type Input = podscope_sim::Input<SchedulerTimer>;

/// Simulated duration of one decision.
const DECISION_TIME: Span = Span::millis(1);

/// Kinds that the scheduler watches, in the order in which it is given their objects after a list.
const WATCHED_KINDS: &[Kind] = &[
    Kind::Namespace,
    Kind::Node,
    Kind::CsiNode,
    Kind::CsiDriver,
    Kind::CsiStorageCapacity,
    Kind::StorageClass,
    Kind::PersistentVolume,
    Kind::PersistentVolumeClaim,
    Kind::VolumeAttachment,
    Kind::Service,
    Kind::ReplicationController,
    Kind::ReplicaSet,
    Kind::StatefulSet,
    Kind::PodDisruptionBudget,
    Kind::DeviceClass,
    Kind::ResourceClaim,
    Kind::ResourceSlice,
    Kind::Pod,
];

/// A decision of the scheduler with its cache, recorded on request so that the decision can be explained (S-14).
#[derive(Debug, Clone)]
pub struct RecordedDecision {
    pub pod: ObjectKey,
    /// The scheduler's cache at the time of the decision.
    pub cache: Cache,
    pub decision: Decision,
}

/// Stores a decision that the scheduler library reports.
struct DecisionSlot<'a> {
    is_wanted: bool,
    decision: &'a mut Option<Arc<RecordedDecision>>,
}

impl DecisionRecorder for DecisionSlot<'_> {
    fn wants_decision_of(&self, _pod: &ObjectKey) -> bool {
        self.is_wanted
    }

    fn record(&mut self, cache: &Cache, decision: &Decision) {
        *self.decision = Some(Arc::new(RecordedDecision {
            pod: decision.incoming.info.pod.metadata.key(),
            cache: cache.clone(),
            decision: decision.clone(),
        }));
    }
}

/// Purpose of a call of kube-scheduler whose answer is pending.
#[derive(Debug, Clone)]
enum PendingCall {
    /// Writing the status of an unschedulable pod; the next attempt waits for the answer.
    Status,
    /// Writing the expected node to the status of this pod.
    Expectation(Uid),
    /// Writing a PersistentVolume or claim of this pod.
    Volume(Uid),
    /// Writing a ResourceClaim of this pod.
    Claim(Uid, Box<claims::ClaimWrite>),
    /// Sending the Binding of this pod.
    Binding(Uid),
    /// Clearing the nomination of a pod with lower priority, for a preemption.
    Clearing(PreemptionId),
    /// Writing the condition of a victim (by index).
    Condition(PreemptionId, usize),
    /// Deleting a victim (by index).
    Victim(PreemptionId, usize),
}

/// State of one kube-scheduler process.
#[derive(Debug, Clone)]
pub(crate) struct SchedulerProcess {
    core: Scheduler,
    leads: bool,
    known: Arc<Objects>,
    wake_at: Option<SimTime>,
    busy_until: SimTime,
    calls: ordered::Map<CallId, PendingCall>,
    bindings: ordered::Map<Uid, Binding>,
    preemptions: ordered::Map<PreemptionId, PreemptionInProgress>,
    n_preemptions: PreemptionId,
    /// Whether the status of an unschedulable pod is being written; the next attempt waits for the answer.
    is_reporting: bool,
    /// Whether the next decision is to be recorded.
    pub records_next_decision: bool,
    /// The recorded decision.
    pub recorded: Option<Arc<RecordedDecision>>,
}

impl SchedulerProcess {
    /// Creates a process with empty state.
    pub(crate) fn new(config: SchedulerConfiguration, now: SimTime, leads: bool) -> Self {
        Self {
            core: Scheduler::new(config, now.0),
            leads,
            known: Arc::default(),
            wake_at: None,
            busy_until: now,
            calls: ordered::Map::new(),
            bindings: ordered::Map::new(),
            preemptions: ordered::Map::new(),
            n_preemptions: 0,
            is_reporting: false,
            records_next_decision: false,
            recorded: None,
        }
    }

    pub(crate) fn core(&self) -> &Scheduler {
        &self.core
    }

    /// Returns the watch cache.
    pub(crate) fn watch_cache(&self) -> &Objects {
        &self.known
    }

    /// Returns whether the pod's profile filters by topology spread constraints.
    pub(crate) fn filters_by_spread(&self, pod: &Pod) -> bool {
        let profile = self.core.config().profile(&pod.spec.scheduler_name);
        profile.is_some_and(|profile| profile.has(Point::Filter, Plugin::PodTopologySpread))
    }

    pub(crate) fn is_leader(&self) -> bool {
        self.leads
    }

    /// Begins to lead, because the process was elected.
    pub(crate) fn become_leader(&mut self, ctx: &mut Context<'_>) {
        self.leads = true;
        self.set_timer(ctx);
    }

    pub(crate) fn handle(&mut self, input: Input, ctx: &mut Context<'_>) {
        self.core.set_cause(match &input {
            Input::Started | Input::Timer(_) => CausedBy::NOTHING,
            Input::Listed { .. } | Input::Changed(_) | Input::Answered(..) => ctx.caused_by(),
        });
        match input {
            Input::Started => {}
            Input::Listed { objects, .. } => self.apply_list(objects, ctx),
            Input::Changed(change) => {
                let old = change
                    .old
                    .as_ref()
                    .and_then(|object| scheduler_view(object, ctx.switches));
                let new = change
                    .new
                    .as_ref()
                    .and_then(|object| scheduler_view(object, ctx.switches));
                self.known = change.after.clone();
                self.core.on_change(old.as_ref(), new.as_ref(), ctx.now.0);
            }
            Input::Answered(id, answer) => self.handle_answer(id, answer, ctx),
            Input::Timer(_) => self.handle_timer(ctx),
        }
        self.set_timer(ctx);
    }

    /// Compares a list with the last known state, and applies the differences as changes.
    fn apply_list(&mut self, objects: Arc<Objects>, ctx: &mut Context<'_>) {
        let old = std::mem::replace(&mut self.known, objects.clone());
        for kind in WATCHED_KINDS {
            for deleted in old.list_kind(*kind) {
                if objects.get_kind(*kind, &deleted.key()).is_none() {
                    self.core
                        .on_change(scheduler_view(&deleted, ctx.switches).as_ref(), None, ctx.now.0);
                }
            }
            for object in objects.list_kind(*kind) {
                let before = old.get_kind(*kind, &object.key());
                let version = |object: &Object| object.metadata().resource_version.clone();
                if before.as_ref().map(version) != Some(version(&object)) {
                    let before = before.and_then(|before| scheduler_view(&before, ctx.switches));
                    let now = scheduler_view(&object, ctx.switches);
                    self.core.on_change(before.as_ref(), now.as_ref(), ctx.now.0);
                }
            }
        }
    }

    /// Sets the timer for the next decision or deadline.
    fn set_timer(&mut self, ctx: &mut Context<'_>) {
        if !self.leads {
            return;
        }
        let decision = self
            .core
            .next_deadline(ctx.now.0)
            .filter(|_| !self.is_reporting)
            .map(|at| SimTime(at).max(self.busy_until));
        let Some(at) = [decision, self.next_poll()].into_iter().flatten().min() else {
            return;
        };
        if self.wake_at.is_none_or(|set| at < set) {
            self.wake_at = Some(at);
            ctx.timer(at, SchedulerTimer);
        }
    }

    fn handle_timer(&mut self, ctx: &mut Context<'_>) {
        if self.wake_at != Some(ctx.now) || !self.leads {
            return;
        }
        self.wake_at = None;
        self.poll_volumes(ctx);
        self.poll_devices(ctx);
        if ctx.now < self.busy_until || self.is_reporting {
            return;
        }
        let mut slot = DecisionSlot {
            is_wanted: self.records_next_decision,
            decision: &mut self.recorded,
        };
        self.core.set_wall_clock(ctx.wall());
        let rng = &mut *ctx.rng;
        let attempt = self.core.schedule_one(ctx.now.0, &mut || rng.bits(), &mut slot);
        if let Some(attempt) = attempt {
            self.busy_until = ctx.now + DECISION_TIME;
            ctx.set_cause(attempt.caused_by);
            self.apply_attempt(attempt, ctx);
        }
    }

    /// Records a scheduling attempt and sends its requests.
    fn apply_attempt(&mut self, attempt: Attempt, ctx: &mut Context<'_>) {
        record_attempt(&attempt, ctx);
        let uid = Uid(attempt.uid.clone());
        let events = event_notes(attempt.events, &attempt.scheduler_name);
        match attempt.outcome {
            Outcome::Assumed {
                node,
                is_slow,
                volumes,
                claims,
                devices,
                ..
            } => {
                let volumes = volumes.into_iter().map(Object::PersistentVolume);
                let on_devices = devices.map_or_else(Vec::new, |reserved| {
                    claims::claim_writes(*reserved, &attempt.pod, &attempt.uid)
                });
                let profile = self.core.config().profile(&attempt.scheduler_name);
                let timeout = profile.map_or(0, |profile| profile.args.bind_timeout_seconds);
                let plan = BindingPlan {
                    pod: attempt.pod,
                    uid,
                    node,
                    events,
                    is_slow,
                    writes: volumes
                        .chain(claims.into_iter().map(Object::PersistentVolumeClaim))
                        .map(Write::Volume)
                        .chain(on_devices.into_iter().map(Write::Claim))
                        .collect(),
                    patch: attempt.patch,
                    timeout: Span::seconds(timeout),
                };
                self.begin_binding(plan, ctx);
            }
            Outcome::Unschedulable { preempt: None, .. } if self.has_imported_reason(&attempt.pod) => {}
            Outcome::Unschedulable { preempt, .. } => {
                if let Some(freed) = attempt.freed {
                    claims::release_claim(freed, ctx);
                }
                emit_events(events, ctx);
                if let Some(plan) = preempt {
                    self.preempt(attempt.pod.clone(), uid.clone(), attempt.scheduler_name, plan, ctx);
                }
                self.write_unschedulable_status(&attempt.pod, &uid, attempt.patch, ctx);
            }
            Outcome::Error { .. } | Outcome::Skipped => {
                emit_events(events, ctx);
                self.write_unschedulable_status(&attempt.pod, &uid, attempt.patch, ctx);
            }
        }
    }

    /// Returns whether the reason why an imported pod is unschedulable must be kept (P-09): the real scheduler wrote
    /// it, and the dump lacks objects on which it is based.
    fn has_imported_reason(&self, pod: &ObjectKey) -> bool {
        let pod = self.known.get::<Pod>(pod);
        pod.is_some_and(|pod| {
            self.known.has_imported_scheduler_message(pod) && self.known.missing_objects(pod).is_some()
        })
    }

    /// Writes the status of an unschedulable pod; the next attempt waits for the answer.
    fn write_unschedulable_status(
        &mut self,
        pod: &ObjectKey,
        uid: &Uid,
        patch: Option<StatusPatch>,
        ctx: &mut Context<'_>,
    ) {
        if let Some(patch) = patch {
            let id = patch_status(pod, uid, patch, ctx);
            self.calls.insert(id, PendingCall::Status);
            self.is_reporting = true;
        }
    }

    /// Records a failed binding as a separate scheduling attempt, and writes the pod's status. The scheduling loop does
    /// not wait for this write.
    fn report_failed_binding(&mut self, attempt: Attempt, ctx: &mut Context<'_>) {
        record_attempt(&attempt, ctx);
        if let Some(patch) = attempt.patch {
            patch_status(&attempt.pod, &Uid(attempt.uid), patch, ctx);
        }
        emit_events(event_notes(attempt.events, &attempt.scheduler_name), ctx);
    }

    fn handle_answer(&mut self, id: CallId, answer: Answer, ctx: &mut Context<'_>) {
        match self.calls.remove(&id) {
            None => {}
            Some(PendingCall::Status) => self.is_reporting = false,
            Some(PendingCall::Expectation(uid)) => self.write_next(&uid, ctx),
            Some(PendingCall::Claim(uid, write)) => self.handle_claim_answer(&uid, *write, answer, ctx),
            Some(PendingCall::Volume(uid)) => self.handle_volume_answer(&uid, answer, ctx),
            Some(PendingCall::Binding(uid)) => {
                let result = answer
                    .map(|_| ())
                    .map_err(|error| format!("running Bind plugin \"DefaultBinder\": {}", error.message));
                self.end_binding(&uid, result, ctx);
            }
            Some(PendingCall::Clearing(run)) => self.finish_preemption_step(run, answer.is_ok(), ctx),
            Some(PendingCall::Condition(run, victim)) => self.handle_condition_answer(run, victim, &answer, ctx),
            Some(PendingCall::Victim(run, victim)) => self.handle_victim_answer(run, victim, &answer, ctx),
        }
    }
}

/// Returns an object as the scheduler receives it: while the switch `pod_priority_off` is on, all pods have priority 0.
/// None if the scheduler must not see the object.
fn scheduler_view(object: &Object, switches: &Switches) -> Option<Object> {
    if is_made_up_node(object) {
        return None;
    }
    let mut object = object.clone();
    if (switches.pod_priority_off || switches.non_preempting_off)
        && let Object::Pod(pod) = &mut object
    {
        let spec = &mut Arc::make_mut(pod).spec;
        if switches.pod_priority_off {
            spec.priority = Some(0);
        }
        if switches.non_preempting_off {
            spec.preemption_policy = None;
        }
    }
    Some(object)
}

/// Returns a scheduler whose cache holds `objects`. Pods that another scheduler has assumed are not in it.
pub fn scheduler_of(objects: &Objects, config: SchedulerConfiguration, now: i64) -> Scheduler {
    let mut scheduler = Scheduler::new(config, now);
    // Pods are added last, so that their nodes, classes and volumes are known first.
    for kind in Kind::ALL
        .iter()
        .filter(|kind| !matches!(kind, Kind::Pod | Kind::Event | Kind::Lease))
    {
        let known = objects.list_kind(*kind).into_iter();
        for object in known.filter(|object| !is_made_up_node(object)) {
            scheduler.on_change(None, Some(&object), now);
        }
    }
    for object in objects.list_kind(Kind::Pod) {
        scheduler.on_change(None, Some(&object), now);
    }
    scheduler.update_snapshot();
    scheduler
}

/// Returns whether the object is a Node that a dump does not contain and of which only the name is known. The scheduler
/// ignores such nodes (P-09).
pub fn is_made_up_node(object: &Object) -> bool {
    matches!(object, Object::Node(node) if node.metadata.annotation(crate::NOT_IN_THE_DUMP).is_some())
}

fn record_attempt(attempt: &Attempt, ctx: &mut Context<'_>) {
    let result = match &attempt.outcome {
        Outcome::Assumed { node, ties, .. } => AttemptResult::Scheduled {
            node: node.clone(),
            ties: *ties,
        },
        Outcome::Unschedulable { message, preempt } => AttemptResult::Unschedulable {
            message: message.clone(),
            preempts: preempt
                .as_ref()
                .map(|preempt| (preempt.victims.len(), preempt.node.as_str().into())),
        },
        Outcome::Error { message } => AttemptResult::Error {
            message: message.clone(),
        },
        Outcome::Skipped => AttemptResult::Skipped,
    };
    let attempted = Happening::Attempt {
        number: attempt.number,
        result,
        feasible: attempt.n_feasible,
        examined: attempt.n_examined,
    };
    let about = subject(Kind::Pod, attempt.pod.clone(), Uid(attempt.uid.clone()));
    ctx.record_subject(attempted, Some(about), None);
}

/// Returns the events of an attempt, reported by the scheduler with this name (SCH-128).
fn event_notes(events: Vec<podscope_scheduler::EventToCreate>, scheduler_name: &str) -> Vec<EventNote> {
    let note = |event: podscope_scheduler::EventToCreate| EventNote {
        component: scheduler_name.into(),
        kind: Kind::Pod,
        key: event.about,
        uid: Uid(event.about_uid),
        field_path: "".into(),
        kind_of_event: EventType::from(event.kind),
        reason: event.reason.into(),
        message: event.note.into(),
        action: event.action.into(),
        related: event.related.map(|(key, uid)| (Kind::Pod, key, Uid(uid))),
    };
    events.into_iter().map(note).collect()
}

fn emit_events(events: Vec<EventNote>, ctx: &mut Context<'_>) {
    for event in events {
        ctx.call(Request::Event(event));
    }
}

/// Patches the condition PodScheduled and the nominated node of a pod (SCH-024, SCH-025).
fn patch_status(pod: &ObjectKey, uid: &Uid, patch: StatusPatch, ctx: &mut Context<'_>) -> CallId {
    let wall = ctx.wall();
    ctx.call(Request::Patch {
        kind: Kind::Pod,
        key: pod.clone(),
        uid: (!uid.is_empty()).then(|| uid.clone()),
        part: Part::Status,
        change: Mutation::new::<Pod>("scheduling", move |pod| {
            if let Some((reason, message)) = &patch.condition {
                set_pod_condition(
                    pod,
                    PodCondition {
                        kind: condition::POD_SCHEDULED.into(),
                        observed_generation: pod.metadata.generation,
                        status: ConditionStatus::False,
                        last_transition_time: Some(wall),
                        reason: (*reason).into(),
                        message: message.as_str().into(),
                        ..PodCondition::default()
                    },
                );
            }
            if let Some(node) = &patch.nominated_node_name {
                pod.status.nominated_node_name = node.clone();
            }
        }),
    })
}

/// Sets a condition by type. The transition time only changes with the condition's status.
fn set_pod_condition(pod: &mut Pod, mut condition: PodCondition) {
    match pod
        .status
        .conditions
        .iter_mut()
        .find(|other| other.kind == condition.kind)
    {
        Some(other) => {
            if other.status == condition.status {
                condition.last_transition_time = other.last_transition_time;
            }
            *other = condition;
        }
        None => pod.status.conditions.push(condition),
    }
}
