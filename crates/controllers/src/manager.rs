//! The process that runs controllers: one watch cache, a work queue each, deadlines,
//! and the execution of what a sync asked for.
//!
//! A sync reads the cache and answers with a [`Plan`]: steps of requests that
//! may go out together, a step only after the previous one succeeded. Its key
//! stays in process until the last answer (or time-out) is in, so that a key
//! has one worker at a time; changes meanwhile make it run again (CT-158).

use podscope_api::ordered;
use std::sync::Arc;

use podscope_api::{CausedBy, Kind, Object, Time};

use crate::{Context, Input, Timer};
use podscope_sim::{Answer, ApiError, CallId, Change, Due, Heartbeats, Objects, Request, SimTime};

use super::controller::{Controller, ControllerContext, Outlook};
use super::index::Index;
use super::plan::{Accept, Action, Failure, GoesOn, Plan};
use super::queue::{Due as Ready, Key, Queue};
use super::{ControllerManagerSettings, FencingSettings, registry};

/// A plan under way.
#[derive(Debug, Clone)]
struct Running {
    plan: Plan,
    /// What led to the sync.
    caused_by: CausedBy,
    outstanding: u32,
    error: Option<(Action, ApiError)>,
    stopped: bool,
}

#[derive(Debug)]
struct Worker {
    controller: Box<dyn Controller>,
    queue: Queue,
    running: ordered::Map<Key, Running>,
    /// The newest revision that each key's syncs have written, of controllers that wait for it (CT-159).
    wrote: ordered::Map<Key, u64>,
}

impl Clone for Worker {
    fn clone(&self) -> Self {
        Self {
            controller: self.controller.clone_box(),
            queue: self.queue.clone(),
            running: self.running.clone(),
            wrote: self.wrote.clone(),
        }
    }
}

#[derive(Debug, Clone)]
struct Call {
    worker: usize,
    key: Key,
    action: Action,
}

/// One kube-controller-manager process that leads. Everything here is memory: a crash or a lost lease loses it (CT-032, CT-133).
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
    /// The wake-up that the world holds for us.
    armed: Option<SimTime>,
}

impl ControllerManager {
    /// A process that has just become leader; its first input is `Started`, then `Listed`.
    pub fn new(settings: ControllerManagerSettings) -> Self {
        Self::of(registry::CONTROLLERS.iter().map(|new| new()), settings)
    }

    /// The process of the storage drivers' attachers ([`podscope_sim::Actor::Attacher`]); it needs no election.
    pub fn attacher() -> Self {
        Self::of(
            [super::attacher::Attacher::boxed()],
            ControllerManagerSettings::default(),
        )
    }

    /// The fencing controller ([`podscope_sim::Actor::Fencing`]); it needs no election.
    pub fn fencing(settings: FencingSettings) -> Self {
        Self::of(
            [super::fencing::FencingController::boxed(settings)],
            ControllerManagerSettings::default(),
        )
    }

    fn of(controllers: impl IntoIterator<Item = Box<dyn Controller>>, settings: ControllerManagerSettings) -> Self {
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
                    wrote: ordered::Map::new(),
                })
                .collect(),
            calls: ordered::Map::new(),
            armed: None,
        }
    }

    /// The settings it runs with.
    pub fn settings(&self) -> &ControllerManagerSettings {
        &self.settings
    }

    /// The watch cache.
    pub fn objects(&self) -> &Arc<Objects> {
        &self.objects
    }

    /// What its controllers wait for and will do by themselves.
    pub fn due(&self, now: SimTime, wall: Time, heartbeats: &Heartbeats) -> Vec<Due> {
        let outlook = Outlook {
            now,
            wall,
            objects: &self.objects,
            settings: &self.settings,
            heartbeats,
        };
        (self.workers.iter())
            .flat_map(|worker| worker.controller.due(&outlook))
            .collect()
    }

    /// One step: takes the input into the cache, and works off what became due.
    pub fn handle(&mut self, input: Input, ctx: &mut Context<'_>) {
        match input {
            Input::Started => {}
            Input::Listed { revision, objects } => self.listed(revision, objects, ctx),
            Input::Changed(change) => {
                self.objects = change.after.clone();
                self.revision = change.revision;
                if self.has_synced {
                    self.changed(&change, ctx);
                }
            }
            Input::Answered(id, answer) => self.answered(id, answer, ctx),
            Input::Timer(_) => self.armed = self.armed.filter(|at| *at > ctx.now),
        }
        if self.has_synced {
            self.work(ctx);
            self.arm(ctx);
        }
    }

    /// Replaces the cache; what differs from before is seen as changes, intermediate states are lost (CT-158).
    fn listed(&mut self, revision: u64, objects: Arc<Objects>, ctx: &mut Context<'_>) {
        let before = std::mem::replace(&mut self.objects, objects.clone());
        self.revision = revision;
        for kind in Kind::ALL {
            let changed = |old: Option<Object>, new: Option<Object>| Change { revision, old, new };
            for old in before.list_kind(*kind) {
                if objects.get_kind(*kind, &old.key()).is_none() {
                    self.changed(&changed(Some(old), None), ctx);
                }
            }
            for new in objects.list_kind(*kind) {
                let old = before.get_kind(*kind, &new.key());
                let same = |old: &Object| old.metadata().resource_version == new.metadata().resource_version;
                if !old.as_ref().is_some_and(same) {
                    self.changed(&changed(old, Some(new)), ctx);
                }
            }
        }
        if !std::mem::replace(&mut self.has_synced, true) {
            self.each(ctx, |controller, cx| controller.started(cx));
        }
    }

    fn changed(&mut self, change: &Change, ctx: &mut Context<'_>) {
        let Some(kind) = change.object().map(Object::kind) else {
            return;
        };
        self.index.update(change);
        self.each(ctx, |controller, cx| {
            if controller.watches().contains(&kind) {
                controller.changed(change, cx);
            }
        });
    }

    /// Lets one controller act.
    fn with<T>(
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

    fn each(
        &mut self,
        ctx: &mut Context<'_>,
        mut act: impl FnMut(&mut dyn Controller, &mut ControllerContext<'_, '_>),
    ) {
        for index in 0..self.workers.len() {
            self.with(index, ctx, &mut act);
        }
    }

    /// Runs everything that is due now.
    fn work(&mut self, ctx: &mut Context<'_>) {
        for index in 0..self.workers.len() {
            while let Some(due) = self.workers[index].queue.next(ctx.now) {
                match due {
                    // Of what a pass over everything finds, the controller knows the cause or nobody does.
                    Ready::Tick(tick) => {
                        ctx.because(CausedBy::NOTHING);
                        self.with(index, ctx, |controller, cx| controller.tick(tick, cx));
                    }
                    Ready::Key(key, cause) => {
                        ctx.because(cause);
                        if !self.has_seen_own_writes(index, &key) {
                            let worker = &mut self.workers[index];
                            worker.queue.done(&key);
                            let backoff = worker.controller.backoff();
                            worker.queue.add_rate_limited(key, backoff, ctx.now, cause);
                            continue;
                        }
                        let running = Running {
                            plan: self.with(index, ctx, |controller, cx| controller.sync(&key, cx)),
                            caused_by: ctx.caused_by(),
                            outstanding: 0,
                            error: None,
                            stopped: false,
                        };
                        self.advance(index, key, running, ctx);
                    }
                }
            }
        }
    }

    /// Whether the cache holds what the key's earlier syncs created and updated; deletions are not waited for (CT-159).
    fn has_seen_own_writes(&mut self, index: usize, key: &Key) -> bool {
        let wrote = &mut self.workers[index].wrote;
        let has_seen = wrote.get(key).is_none_or(|newest| *newest <= self.revision);
        if has_seen {
            wrote.remove(key);
        }
        has_seen
    }

    /// Sends the next step of a key's plan, or ends the sync.
    fn advance(&mut self, index: usize, key: Key, mut running: Running, ctx: &mut Context<'_>) {
        if let Some((action, error)) = running.error.take() {
            let rest = std::mem::take(&mut running.plan.steps);
            let goes_on = |step: &Vec<Action>| !action.is_always && step.iter().all(|action| action.is_always);
            let (kept, dropped): (Vec<Vec<Action>>, Vec<Vec<Action>>) = rest.into_iter().partition(goes_on);
            let failure = Failure {
                request: action.request,
                error,
                dropped: dropped.into_iter().flatten().map(|action| action.request).collect(),
            };
            running.plan = self.with(index, ctx, |controller, cx| controller.failed(&key, &failure, cx));
            running.plan.failed = true;
            // What is said about a failure is not retried by itself.
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

    fn answered(&mut self, id: CallId, answer: Answer, ctx: &mut Context<'_>) {
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
            ctx.because(running.caused_by);
        }
        let worker = &mut self.workers[index];
        if worker.controller.waits_for_own_writes()
            && matches!(request, Request::Create(_) | Request::Update(..))
            && let Ok(Some(object)) = &answer
            && let Ok(written) = object.metadata().resource_version.parse::<u64>()
        {
            let newest = worker.wrote.entry(key.clone()).or_default();
            *newest = written.max(*newest);
        }
        self.with(index, ctx, |controller, cx| {
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
                cx.event(note);
            }
        });
        let Some(mut running) = self.workers[index].running.remove(&key) else {
            return;
        };
        running.outstanding -= 1;
        match action.accept.judge(&answer) {
            GoesOn::Yes => {}
            GoesOn::No => running.stopped = true,
            GoesOn::Fail(error) => running.error = running.error.take().or(Some((action, error))),
        }
        if running.outstanding > 0 {
            self.workers[index].running.insert(key, running);
        } else {
            self.advance(index, key, running, ctx);
        }
    }

    /// Keeps one wake-up with the world, for the earliest deadline.
    fn arm(&mut self, ctx: &mut Context<'_>) {
        let earliest = self.workers.iter().filter_map(|worker| worker.queue.earliest()).min();
        if let Some(at) = earliest
            && self.armed.is_none_or(|armed| at < armed)
        {
            self.armed = Some(at);
            ctx.timer(at, Timer::Wake);
        }
    }
}
