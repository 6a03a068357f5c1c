//! What all controllers share: one watch cache, a work queue each, deadlines,
//! and the execution of what a sync asked for.
//!
//! A sync reads the cache and answers with a [`Plan`]: steps of requests that
//! may go out together, a step only after the previous one succeeded. Its key
//! stays in process until the last answer (or time-out) is in, so that a key
//! has one worker at a time; changes meanwhile make it run again (CT-158).

use podscope_api::ordered;
use std::collections::VecDeque;
use std::sync::Arc;

use podscope_api::{EventType, Kind, Object, Resource, Time, Uid};

use crate::{Ctx, Input, Timer};
use podscope_sim::{Answer, ApiError, CallId, Change, EventNote, Objects, Request, SimTime, Span};

use super::index::Index;
use super::queue::{Backoff, Due, Key, Queue};
use super::{ControllerManagerSettings, FencingSettings, registry};

/// One controller: what it watches, how a change leads to keys, how a key is brought to what is wanted.
pub(super) trait Controller: std::fmt::Debug + Send + Sync {
    /// What it calls itself, in the events it emits.
    fn name(&self) -> &'static str;
    /// The kinds whose changes concern it.
    fn watches(&self) -> &'static [Kind];
    /// How failed keys are retried.
    fn backoff(&self) -> Backoff {
        Backoff::default()
    }
    /// The cache is complete; periodic work begins here.
    fn started(&mut self, _cx: &mut Cx<'_, '_>) {}
    /// A change of a watched kind: which keys does it concern?
    fn changed(&mut self, change: &Change, cx: &mut Cx<'_, '_>);
    /// A deadline set with [`Cx::tick_at`].
    fn tick(&mut self, _tick: u8, _cx: &mut Cx<'_, '_>) {}
    /// Compares what is with what should be, and says what to request.
    fn sync(&mut self, key: &Key, cx: &mut Cx<'_, '_>) -> Plan;
    /// An answer to one of its requests.
    fn answered(&mut self, _key: &Key, _request: &Request, _answer: &Answer, _cx: &mut Cx<'_, '_>) {}
    /// A request failed and the rest of the plan was dropped: what is still to be said? The key is retried with back-off.
    fn failed(&mut self, _key: &Key, _failure: &Failure, _cx: &mut Cx<'_, '_>) -> Plan {
        Plan::default()
    }
    /// A copy, for checkpoints.
    fn clone_box(&self) -> Box<dyn Controller>;
}

/// Why a plan was not carried out to its end.
#[derive(Debug, Clone)]
pub(super) struct Failure {
    /// The first request that was refused or timed out.
    pub(super) request: Request,
    pub(super) error: ApiError,
    /// What was not tried any more.
    pub(super) dropped: Vec<Request>,
}

/// What a sync wants done.
#[derive(Debug, Clone, Default)]
pub(super) struct Plan {
    steps: VecDeque<Vec<Action>>,
    requeue_after: Option<Span>,
    failed: bool,
}

impl Plan {
    /// A plan of one request.
    pub(super) fn one(action: impl Into<Action>) -> Self {
        Self::default().then(vec![action.into()])
    }
    /// A sync that could not be done; the key is retried with back-off.
    pub(super) fn failure() -> Self {
        Self {
            failed: true,
            ..Self::default()
        }
    }
    /// Adds a step of requests that may go out together.
    pub(super) fn then(mut self, actions: Vec<Action>) -> Self {
        if !actions.is_empty() {
            self.steps.push_back(actions);
        }
        self
    }
    /// Adds a step of one request.
    pub(super) fn then_one(self, action: impl Into<Action>) -> Self {
        self.then(vec![action.into()])
    }
    /// Adds steps of 1, 2, 4, … requests, so that a persistent failure costs few (CT-056).
    pub(super) fn then_slowly(mut self, actions: Vec<Action>) -> Self {
        let mut rest = actions.into_iter();
        let mut size = 1;
        loop {
            let batch: Vec<Action> = rest.by_ref().take(size).collect();
            if batch.is_empty() {
                return self;
            }
            self.steps.push_back(batch);
            size *= 2;
        }
    }
    /// Syncs the key again after a while, when everything went well.
    pub(super) fn requeue_after(mut self, span: Option<Span>) -> Self {
        self.requeue_after = match (self.requeue_after, span) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
        self
    }
    /// Retries the key with back-off when the requests are done, as a sync that returns an error.
    pub(super) fn and_retry(mut self, retry: bool) -> Self {
        self.failed |= retry;
        self
    }
}

/// Which answers let a plan go on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Accept {
    /// Success only.
    Success,
    /// Success, or "already gone".
    OrNotFound,
    /// Success, or "already there".
    OrAlreadyExists,
    /// Success, or the namespace is ending (CT-056).
    OrNamespaceTerminating,
    /// Whatever the answer, the plan goes on.
    Anything,
    /// The live object must have this UID and not be terminating (CT-060); otherwise the plan ends, to be retried.
    LiveOwner(Uid),
    /// Only NotFound goes on; an existing object ends the plan quietly (CT-048).
    OnlyNotFound,
    /// No object of that UID: NotFound, or another one of the name (CT-152).
    Gone(Uid),
    /// A Node that does not report the volume in use, or none at all (CT-132).
    NotInUse(podscope_api::Str),
    /// A failure ends the plan quietly: the next periodic pass sees to it.
    OrStop,
}

enum Verdict {
    Go,
    Stop,
    Fail(ApiError),
}

impl Accept {
    fn judge(&self, answer: &Answer) -> Verdict {
        match (self, answer) {
            (Self::Anything, _) => Verdict::Go,
            (Self::LiveOwner(uid), Ok(Some(owner))) => {
                if owner.metadata().uid == *uid && !owner.metadata().is_terminating() {
                    Verdict::Go
                } else {
                    Verdict::Stop
                }
            }
            (Self::OnlyNotFound, Ok(_)) => Verdict::Stop,
            (Self::Gone(uid), Ok(found)) => {
                let is_it = found.as_ref().is_some_and(|object| object.metadata().uid == *uid);
                if is_it { Verdict::Stop } else { Verdict::Go }
            }
            (Self::NotInUse(volume), Ok(Some(Object::Node(node)))) if node.status.volumes_in_use.contains(volume) => {
                Verdict::Stop
            }
            (Self::OnlyNotFound | Self::OrNotFound | Self::Gone(_) | Self::NotInUse(_), Err(error))
                if error.code == 404 =>
            {
                Verdict::Go
            }
            (Self::OnlyNotFound | Self::OrStop, Err(_)) => Verdict::Stop,
            (Self::OrAlreadyExists, Err(error)) if error.reason == "AlreadyExists" => Verdict::Go,
            (Self::OrNamespaceTerminating, Err(error)) if is_namespace_terminating(error) => Verdict::Go,
            (_, Ok(_)) => Verdict::Go,
            (_, Err(error)) => Verdict::Fail(error.clone()),
        }
    }
}

/// Whether a create was refused because its namespace is being deleted (CT-119).
pub(super) fn is_namespace_terminating(error: &ApiError) -> bool {
    error.causes.iter().any(|(kind, _)| kind == "NamespaceTerminating")
}

/// One request with what is said about its outcome. In the events' texts `{name}` stands for the name in the answer, `{error}` for the refusal.
#[derive(Debug, Clone)]
pub(super) struct Action {
    pub(super) request: Request,
    accept: Accept,
    on_success: Option<EventNote>,
    on_failure: Option<EventNote>,
}

impl From<Request> for Action {
    fn from(request: Request) -> Self {
        Self {
            request,
            accept: Accept::Success,
            on_success: None,
            on_failure: None,
        }
    }
}

impl Action {
    pub(super) fn accept(mut self, accept: Accept) -> Self {
        self.accept = accept;
        self
    }
    pub(super) fn on_success(mut self, note: EventNote) -> Self {
        self.on_success = Some(note);
        self
    }
    pub(super) fn on_failure(mut self, note: EventNote) -> Self {
        self.on_failure = Some(note);
        self
    }
}

/// An event about an object; the controller that emits it signs it.
pub(super) fn note<T: Resource>(about: &T, kind: EventType, reason: &str, message: impl Into<String>) -> EventNote {
    let meta = about.metadata();
    EventNote {
        component: "".into(),
        kind: T::KIND,
        key: meta.key(),
        uid: meta.uid.clone(),
        field_path: "".into(),
        kind_of_event: kind,
        reason: reason.into(),
        message: message.into().into(),
        action: "".into(),
        related: None,
    }
}

/// What a controller is given at each step.
pub(super) struct Cx<'c, 'a> {
    pub(super) ctx: &'c mut Ctx<'a>,
    pub(super) objects: &'c Arc<Objects>,
    pub(super) settings: &'c ControllerManagerSettings,
    pub(super) index: &'c Index,
    queue: &'c mut Queue,
    component: &'static str,
}

impl Cx<'_, '_> {
    pub(super) fn now(&self) -> SimTime {
        self.ctx.now
    }
    /// The wall-clock time, to the second, as objects carry it.
    pub(super) fn time(&self) -> Time {
        Time::from_seconds(self.ctx.wall().seconds())
    }
    pub(super) fn enqueue(&mut self, key: Key) {
        self.queue.add(key);
    }
    pub(super) fn enqueue_after(&mut self, key: Key, span: Span) {
        self.queue.add_at(key, self.ctx.now + span);
    }
    /// Calls [`Controller::tick`] with that number at an instant.
    pub(super) fn tick_at(&mut self, at: SimTime, tick: u8) {
        self.queue.ticks.insert((at.max(self.ctx.now), tick));
    }
    /// Emits an event.
    pub(super) fn event(&mut self, mut note: EventNote) {
        note.component = self.component.into();
        self.ctx.call(Request::Event(note));
    }
}

/// A plan under way.
#[derive(Debug, Clone)]
struct Running {
    plan: Plan,
    outstanding: u32,
    error: Option<(Request, ApiError)>,
    stopped: bool,
}

#[derive(Debug)]
struct Worker {
    controller: Box<dyn Controller>,
    queue: Queue,
    running: ordered::Map<Key, Running>,
}

impl Clone for Worker {
    fn clone(&self) -> Self {
        Self {
            controller: self.controller.clone_box(),
            queue: self.queue.clone(),
            running: self.running.clone(),
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
            [super::fencing::Fencing::boxed(settings)],
            ControllerManagerSettings::default(),
        )
    }
    fn of(controllers: impl IntoIterator<Item = Box<dyn Controller>>, settings: ControllerManagerSettings) -> Self {
        Self {
            settings: Arc::new(settings),
            objects: Arc::default(),
            index: Index::default(),
            has_synced: false,
            workers: controllers
                .into_iter()
                .map(|controller| Worker {
                    controller,
                    queue: Queue::default(),
                    running: ordered::Map::new(),
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
    /// One step: takes the input into the cache, and works off what became due.
    pub fn handle(&mut self, input: Input, ctx: &mut Ctx<'_>) {
        match input {
            Input::Started => {}
            Input::Listed { revision, objects } => self.listed(revision, objects, ctx),
            Input::Changed(change) => {
                self.objects = change.after.clone();
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
    fn listed(&mut self, revision: u64, objects: Arc<Objects>, ctx: &mut Ctx<'_>) {
        let before = std::mem::replace(&mut self.objects, objects.clone());
        for kind in Kind::ALL {
            let changed = |old: Option<Object>, new: Option<Object>| Change {
                revision,
                old,
                new,
                after: objects.clone(),
            };
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

    fn changed(&mut self, change: &Change, ctx: &mut Ctx<'_>) {
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
        ctx: &mut Ctx<'_>,
        act: impl FnOnce(&mut dyn Controller, &mut Cx<'_, '_>) -> T,
    ) -> T {
        let worker = &mut self.workers[index];
        let mut cx = Cx {
            ctx,
            objects: &self.objects,
            settings: &self.settings,
            index: &self.index,
            queue: &mut worker.queue,
            component: worker.controller.name(),
        };
        act(worker.controller.as_mut(), &mut cx)
    }

    fn each(&mut self, ctx: &mut Ctx<'_>, mut act: impl FnMut(&mut dyn Controller, &mut Cx<'_, '_>)) {
        for index in 0..self.workers.len() {
            self.with(index, ctx, &mut act);
        }
    }

    /// Runs everything that is due now.
    fn work(&mut self, ctx: &mut Ctx<'_>) {
        for index in 0..self.workers.len() {
            while let Some(due) = self.workers[index].queue.next(ctx.now) {
                match due {
                    Due::Tick(tick) => self.with(index, ctx, |controller, cx| controller.tick(tick, cx)),
                    Due::Key(key) => {
                        let running = Running {
                            plan: self.with(index, ctx, |controller, cx| controller.sync(&key, cx)),
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

    /// Sends the next step of a key's plan, or ends the sync.
    fn advance(&mut self, index: usize, key: Key, mut running: Running, ctx: &mut Ctx<'_>) {
        if let Some((request, error)) = running.error.take() {
            let dropped = std::mem::take(&mut running.plan.steps).into_iter().flatten();
            let failure = Failure {
                request,
                error,
                dropped: dropped.map(|action| action.request).collect(),
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
            worker.queue.add_rate_limited(key, backoff, ctx.now);
        } else {
            worker.queue.forget(&key);
            if let Some(after) = running.plan.requeue_after {
                worker.queue.add_at(key, ctx.now + after);
            }
        }
    }

    fn answered(&mut self, id: CallId, answer: Answer, ctx: &mut Ctx<'_>) {
        let Some(Call {
            worker: index,
            key,
            action,
        }) = self.calls.remove(&id)
        else {
            return;
        };
        let request = &action.request;
        self.with(index, ctx, |controller, cx| {
            controller.answered(&key, request, &answer, cx);
            let (template, name, error) = match &answer {
                Ok(object) => {
                    let name = object
                        .as_ref()
                        .map_or_else(String::new, |object| object.metadata().name.to_string());
                    (action.on_success, name, String::new())
                }
                Err(error) => (action.on_failure, String::new(), error.message.clone()),
            };
            if let Some(mut note) = template {
                note.message = note.message.replace("{name}", &name).replace("{error}", &error).into();
                cx.event(note);
            }
        });
        let Some(mut running) = self.workers[index].running.remove(&key) else {
            return;
        };
        running.outstanding -= 1;
        match action.accept.judge(&answer) {
            Verdict::Go => {}
            Verdict::Stop => running.stopped = true,
            Verdict::Fail(error) => running.error = running.error.take().or(Some((action.request, error))),
        }
        if running.outstanding > 0 {
            self.workers[index].running.insert(key, running);
        } else {
            self.advance(index, key, running, ctx);
        }
    }

    /// Keeps one wake-up with the world, for the earliest deadline.
    fn arm(&mut self, ctx: &mut Ctx<'_>) {
        let earliest = self.workers.iter().filter_map(|worker| worker.queue.earliest()).min();
        if let Some(at) = earliest
            && self.armed.is_none_or(|armed| at < armed)
        {
            self.armed = Some(at);
            ctx.timer(at, Timer::Wake);
        }
    }
}
