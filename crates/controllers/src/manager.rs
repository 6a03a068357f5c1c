//! The process that runs controllers: one watch cache, a work queue per controller, deadlines, and the execution of
//! plans.
//!
//! A sync reads the cache and returns a [`Plan`]: steps of requests. The requests of a step are sent together, and a
//! step is sent only after the previous one succeeded. The key stays in processing until the last answer or timeout has
//! arrived, so that only one worker handles a key at a time. Changes that arrive meanwhile cause another sync (CT-158).

use podscope_api::ordered::{self, StableSort as _};
use std::sync::Arc;

use podscope_api::{CausedBy, Kind, Object, Time};

use crate::{Context, Input, Timer};
use podscope_sim::{Answer, ApiError, CallId, Change, Heartbeats, Objects, PendingEvent, Request, SimTime};

use super::cluster_autoscaler::{Cloud, ClusterAutoscaler, ClusterAutoscalerSettings};
use super::controller::{Controller, ControllerContext, PendingContext};
use super::index::Index;
use super::plan::{Accept, Action, AnswerEffect, Failure, Plan};
use super::queue::{Key, Queue, QueueItem};
use super::{ControllerManagerSettings, FencingSettings, registry};

/// Returns whether changes of a kind are watched. A controller that watches all built-in kinds also watches custom
/// kinds.
fn is_watched(watches: &[Kind], kind: Kind) -> bool {
    watches.contains(&kind) || matches!(kind, Kind::Custom(_)) && watches.len() == Kind::ALL.len()
}

/// A plan whose requests are being sent.
#[derive(Debug, Clone)]
struct RunningPlan {
    plan: Plan,
    /// The trace record that caused the sync.
    caused_by: CausedBy,
    outstanding: u32,
    error: Option<(Action, ApiError)>,
    stopped: bool,
}

/// A controller with its work queue and the plans of its keys.
#[derive(Debug, Clone)]
struct Worker {
    controller: Box<dyn Controller>,
    queue: Queue,
    running: ordered::Map<Key, RunningPlan>,
    /// For controllers that wait for their own writes: the newest revision that each key's syncs wrote (CT-159).
    written_revisions: ordered::Map<Key, u64>,
}

/// A request whose answer is pending.
#[derive(Debug, Clone)]
struct Call {
    worker: usize,
    key: Key,
    action: Action,
}

/// A kube-controller-manager process that is the leader. All state is kept in memory, and is lost when the process
/// crashes or loses the lease (CT-032, CT-133).
#[derive(Debug, Clone)]
pub struct ControllerManager {
    settings: Arc<ControllerManagerSettings>,
    objects: Arc<Objects>,
    /// The revision of `objects`.
    revision: u64,
    index: Index,
    has_synced: bool,
    workers: Vec<Worker>,
    calls: ordered::Map<CallId, Call>,
    /// The earliest wake-up timer that is set.
    timer_at: Option<SimTime>,
}

impl ControllerManager {
    /// Creates a process that has just become leader. Its first inputs are `Started` and `Listed`.
    pub fn new(settings: ControllerManagerSettings) -> Self {
        Self::with_controllers(registry::constructors().map(|new| new()), settings)
    }

    /// Creates the process of the CSI drivers' attachers ([`podscope_sim::Actor::Attacher`]). It needs no leader
    /// election.
    pub fn attacher() -> Self {
        Self::with_controllers(
            [registry::new::<super::attacher::Attacher>()],
            ControllerManagerSettings::default(),
        )
    }

    /// Creates the process of the fencing controller ([`podscope_sim::Actor::Fencing`]). It needs no leader election.
    pub fn fencing(settings: FencingSettings) -> Self {
        Self::with_controllers(
            [Box::new(super::fencing::FencingController::new(settings)) as Box<dyn Controller>],
            ControllerManagerSettings::default(),
        )
    }

    /// Creates the process of the cluster autoscaler ([`podscope_sim::Actor::ClusterAutoscaler`]). There is only one
    /// such process, so it needs no leader election.
    pub fn cluster_autoscaler(settings: ClusterAutoscalerSettings, cloud: Arc<dyn Cloud>) -> Self {
        Self::with_controllers(
            [Box::new(ClusterAutoscaler::new(settings, cloud)) as Box<dyn Controller>],
            ControllerManagerSettings::default(),
        )
    }

    fn with_controllers(
        controllers: impl IntoIterator<Item = Box<dyn Controller>>,
        settings: ControllerManagerSettings,
    ) -> Self {
        Self {
            settings: Arc::new(settings),
            objects: Arc::default(),
            revision: 0,
            index: Index::default(),
            has_synced: false,
            workers: controllers
                .into_iter()
                .map(|controller| Worker {
                    controller,
                    queue: Queue::default(),
                    running: ordered::Map::new(),
                    written_revisions: ordered::Map::new(),
                })
                .collect(),
            calls: ordered::Map::new(),
            timer_at: None,
        }
    }

    pub fn settings(&self) -> &ControllerManagerSettings {
        &self.settings
    }

    pub fn objects(&self) -> &Arc<Objects> {
        &self.objects
    }

    /// Returns the pending deadlines of all controllers.
    pub fn pending_events(&self, now: SimTime, wall: Time, heartbeats: &Heartbeats) -> Vec<PendingEvent> {
        let pending = PendingContext {
            now,
            wall,
            objects: &self.objects,
            settings: &self.settings,
            heartbeats,
        };
        (self.workers.iter())
            .flat_map(|worker| worker.controller.pending_events(&pending))
            .collect()
    }

    /// Performs one step: updates the cache from the input, and processes everything that is due.
    pub fn handle(&mut self, input: Input, ctx: &mut Context<'_>) {
        match input {
            Input::Started => {}
            Input::Listed { revision, objects } => self.on_list(revision, objects, ctx),
            Input::Changed(change) => {
                self.objects = change.after.clone();
                self.revision = change.revision;
                if self.has_synced {
                    self.on_change(&change, ctx);
                }
            }
            Input::Answered(id, answer) => self.on_answer(id, answer, ctx),
            Input::Timer(_) => self.timer_at = self.timer_at.filter(|at| *at > ctx.now),
        }
        if self.has_synced {
            self.process_queues(ctx);
            self.set_timer(ctx);
        }
    }

    /// Replaces the cache. Differences from the previous cache are handled as changes; intermediate states are lost
    /// (CT-158).
    fn on_list(&mut self, revision: u64, objects: Arc<Objects>, ctx: &mut Context<'_>) {
        let before = std::mem::replace(&mut self.objects, objects.clone());
        self.revision = revision;
        let mut kinds: Vec<Kind> = before.kinds().chain(objects.kinds()).collect();
        kinds.stable_sort();
        kinds.dedup();
        for kind in &kinds {
            let difference = |old: Option<Object>, new: Option<Object>| Change { revision, old, new };
            for old in before.list_kind(*kind) {
                if objects.get_kind(*kind, &old.key()).is_none() {
                    self.on_change(&difference(Some(old), None), ctx);
                }
            }
            for new in objects.list_kind(*kind) {
                let old = before.get_kind(*kind, &new.key());
                let is_unchanged = |old: &Object| old.metadata().resource_version == new.metadata().resource_version;
                if !old.as_ref().is_some_and(is_unchanged) {
                    self.on_change(&difference(old, Some(new)), ctx);
                }
            }
        }
        if !std::mem::replace(&mut self.has_synced, true) {
            self.for_each_controller(ctx, |controller, cx| controller.started(cx));
        }
    }

    fn on_change(&mut self, change: &Change, ctx: &mut Context<'_>) {
        let Some(kind) = change.object().map(Object::kind) else {
            return;
        };
        self.index.update(change);
        self.for_each_controller(ctx, |controller, cx| {
            if is_watched(controller.watches(), kind) {
                controller.changed(change, cx);
            }
        });
    }

    /// Calls `act` with one controller and its context.
    fn with_controller<T>(
        &mut self,
        index: usize,
        ctx: &mut Context<'_>,
        act: impl FnOnce(&mut dyn Controller, &mut ControllerContext<'_, '_>) -> T,
    ) -> T {
        let worker = &mut self.workers[index];
        let mut cx = ControllerContext {
            ctx,
            objects: &self.objects,
            settings: &self.settings,
            index: &self.index,
            queue: &mut worker.queue,
            component: worker.controller.name(),
        };
        act(worker.controller.as_mut(), &mut cx)
    }

    fn for_each_controller(
        &mut self,
        ctx: &mut Context<'_>,
        mut act: impl FnMut(&mut dyn Controller, &mut ControllerContext<'_, '_>),
    ) {
        for index in 0..self.workers.len() {
            self.with_controller(index, ctx, &mut act);
        }
    }

    /// Runs all ticks and syncs all keys that are due now.
    fn process_queues(&mut self, ctx: &mut Context<'_>) {
        for index in 0..self.workers.len() {
            while let Some(due) = self.workers[index].queue.next(ctx.now) {
                match due {
                    // A periodic pass has no single cause; the controller sets the cause if it knows one.
                    QueueItem::Tick(tick) => {
                        ctx.set_cause(CausedBy::NOTHING);
                        self.with_controller(index, ctx, |controller, cx| controller.tick(tick, cx));
                    }
                    QueueItem::Key(key, cause) => {
                        ctx.set_cause(cause);
                        if !self.has_seen_own_writes(index, &key) {
                            let worker = &mut self.workers[index];
                            worker.queue.done(&key);
                            let backoff = worker.controller.backoff();
                            worker.queue.add_rate_limited(key, backoff, ctx.now, cause);
                            continue;
                        }
                        let running = RunningPlan {
                            plan: self.with_controller(index, ctx, |controller, cx| controller.sync(&key, cx)),
                            caused_by: ctx.caused_by(),
                            outstanding: 0,
                            error: None,
                            stopped: false,
                        };
                        self.advance_plan(index, key, running, ctx);
                    }
                }
            }
        }
    }

    /// Returns whether the cache contains the creates and updates of the key's earlier syncs. Deletions are not waited
    /// for (CT-159).
    fn has_seen_own_writes(&mut self, index: usize, key: &Key) -> bool {
        let written_revisions = &mut self.workers[index].written_revisions;
        let has_seen = written_revisions.get(key).is_none_or(|newest| *newest <= self.revision);
        if has_seen {
            written_revisions.remove(key);
        }
        has_seen
    }

    /// Sends the next step of a key's plan, or ends the sync.
    fn advance_plan(&mut self, index: usize, key: Key, mut running: RunningPlan, ctx: &mut Context<'_>) {
        if let Some((action, error)) = running.error.take() {
            let rest = std::mem::take(&mut running.plan.steps);
            let is_unconditional = |step: &Vec<Action>| {
                !action.is_sent_after_failure && step.iter().all(|action| action.is_sent_after_failure)
            };
            let (kept, dropped): (Vec<Vec<Action>>, Vec<Vec<Action>>) = rest.into_iter().partition(is_unconditional);
            let failure = Failure {
                request: action.request,
                error,
                dropped: dropped.into_iter().flatten().map(|action| action.request).collect(),
            };
            running.plan = self.with_controller(index, ctx, |controller, cx| controller.failed(&key, &failure, cx));
            running.plan.failed = true;
            // Errors of the requests that handle the failure are ignored; the key is retried in any case.
            running
                .plan
                .steps
                .iter_mut()
                .flatten()
                .for_each(|action| action.accept = Accept::Anything);
            running.plan.steps.extend(kept);
            running.stopped = false;
        } else if running.stopped {
            running.plan.steps.clear();
        }
        let worker = &mut self.workers[index];
        if let Some(step) = running.plan.steps.pop_front() {
            running.outstanding = u32::try_from(step.len()).unwrap_or(u32::MAX);
            for action in step {
                let id = ctx.call(action.request.clone());
                let call = Call {
                    worker: index,
                    key: key.clone(),
                    action,
                };
                self.calls.insert(id, call);
            }
            worker.running.insert(key, running);
            return;
        }
        worker.queue.done(&key);
        if running.plan.failed {
            let backoff = worker.controller.backoff();
            worker.queue.add_rate_limited(key, backoff, ctx.now, running.caused_by);
        } else {
            worker.queue.forget(&key);
            if let Some(after) = running.plan.requeue_after {
                worker.queue.add_at(key, ctx.now + after, running.caused_by);
            }
        }
    }

    fn on_answer(&mut self, id: CallId, answer: Answer, ctx: &mut Context<'_>) {
        let Some(Call {
            worker: index,
            key,
            action,
        }) = self.calls.remove(&id)
        else {
            return;
        };
        let request = &action.request;
        if let Some(running) = self.workers[index].running.get(&key) {
            ctx.set_cause(running.caused_by);
        }
        let worker = &mut self.workers[index];
        if worker.controller.waits_for_own_writes()
            && matches!(request, Request::Create(_) | Request::Update(..))
            && let Ok(Some(object)) = &answer
            && let Ok(written) = object.metadata().resource_version.parse::<u64>()
        {
            let newest = worker.written_revisions.entry(key.clone()).or_default();
            *newest = written.max(*newest);
        }
        self.with_controller(index, ctx, |controller, cx| {
            controller.answered(&key, request, &answer, cx);
            let (template, name, error) = match &answer {
                Ok(object) => {
                    let name = object
                        .as_ref()
                        .map_or_else(String::new, |object| object.metadata().name.to_string());
                    (action.on_success.clone(), name, String::new())
                }
                Err(error) => (action.on_failure.clone(), String::new(), error.message.clone()),
            };
            for mut note in template {
                note.message = note.message.replace("{name}", &name).replace("{error}", &error).into();
                cx.emit_event(note);
            }
        });
        let Some(mut running) = self.workers[index].running.remove(&key) else {
            return;
        };
        running.outstanding -= 1;
        match action.accept.effect_of(&answer) {
            AnswerEffect::Continue => {}
            AnswerEffect::Stop => running.stopped = true,
            AnswerEffect::Fail(error) => running.error = running.error.take().or(Some((action, error))),
        }
        if running.outstanding > 0 {
            self.workers[index].running.insert(key, running);
        } else {
            self.advance_plan(index, key, running, ctx);
        }
    }

    /// Sets a wake-up timer for the earliest deadline unless one is set already.
    fn set_timer(&mut self, ctx: &mut Context<'_>) {
        let earliest = self
            .workers
            .iter()
            .filter_map(|worker| worker.queue.earliest_due_time())
            .min();
        if let Some(at) = earliest
            && self.timer_at.is_none_or(|timer_at| at < timer_at)
        {
            self.timer_at = Some(at);
            ctx.timer(at, Timer::Wake);
        }
    }
}
