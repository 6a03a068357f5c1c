//! Who gets which event: calls to the API server and their answers, watch
//! changes to those who watch, timers to those who set them.

use std::sync::Arc;

use podscope_api::{Node, NodeName, Object, Pod};

use crate::controllers::ControllerManager;
use crate::effect::{Act, Ctx, Input, Timer};
use crate::election::{Election, ElectionSettings, Verdict};
use crate::event::{Call, Event, Process};
use crate::kubelet::{Kubelet, KubeletInput};
use crate::machine::MachineEvent;
use crate::scheduler_process::SchedulerProcess;
use crate::watch::WatchState;
use crate::world::{Body, CALL_TIMEOUT, Held, ProcessState};
use crate::{Actor, Answer, ApiError, CallId, Change, Objects, Place, Rng, SimTime, Sink, Span, World};

/// A component of the control plane that exited is started again after this long.
const RESTART_DELAY: Span = Span::seconds(1);

/// How often the liveness checks look.
pub(crate) const LOOK_INTERVAL: Span = Span::seconds(30);

impl World {
    pub(crate) fn dispatch(&mut self, event: Event, sink: &mut dyn Sink) {
        match event {
            Event::Start(process) => {
                if self.is_current(&process) {
                    self.on_start(&process, sink);
                    self.open_watch(&process);
                }
            }
            Event::Call(call) => self.on_call(&call, sink),
            Event::Answer(process, id, answer) => {
                if self.is_current(&process) {
                    self.on_answer(&process, id, Answer::clone(&answer), sink);
                }
            }
            Event::List(process) => self.on_list(&process),
            Event::Listed(process, revision, objects) => {
                if self.is_current(&process) {
                    self.on_listed(&process, revision, &objects, sink);
                }
            }
            Event::Watch(process, change) => {
                if self.is_current(&process) {
                    self.on_change(&process, &change, sink);
                }
            }
            Event::Resume(process) => self.on_resume(&process),
            Event::Timer(process, timer) => {
                if self.is_current(&process) {
                    self.on_timer(&process, timer, sink);
                }
            }
            Event::Machine(node, timer) => {
                self.with_machine(&node, sink, |machine, ctx| machine.handle(timer, ctx));
            }
            Event::Held(id) => self.on_held(id),
            Event::Look => {
                self.look(sink);
                self.queue.push(self.now + LOOK_INTERVAL, Event::Look);
            }
        }
    }

    /// The life of a process that runs now.
    pub(crate) fn running(&self, actor: &Actor) -> Option<Process> {
        let incarnation = match actor {
            Actor::Kubelet(node) => {
                let state = self.nodes.get(node)?;
                state.kubelet.as_ref()?;
                state.incarnation
            }
            _ => {
                let state = self.processes.get(actor)?;
                if matches!(state.body, Body::Down) {
                    return None;
                }
                state.incarnation
            }
        };
        Some(Process {
            actor: actor.clone(),
            incarnation,
        })
    }
    pub(crate) fn is_current(&self, process: &Process) -> bool {
        self.running(&process.actor).as_ref() == Some(process)
    }
    pub(crate) fn watch_mut(&mut self, actor: &Actor) -> Option<&mut WatchState> {
        match actor {
            Actor::Kubelet(node) => self.nodes.get_mut(node).map(|state| &mut state.watch),
            _ => self.processes.get_mut(actor).map(|state| &mut state.watch),
        }
    }
    pub(crate) fn set_watch(&mut self, actor: &Actor, to: WatchState) {
        if let Some(watch) = self.watch_mut(actor) {
            *watch = to;
        }
    }

    // Starting and stopping.

    /// A kubelet process comes into being, with empty memory; it has not acted yet.
    pub(crate) fn boot(&mut self, actor: &Actor) {
        let settings = self.settings.kubelet.clone();
        if let Actor::Kubelet(node) = actor
            && let Some(state) = self.nodes.get_mut(node)
        {
            state.incarnation += 1;
            state.kubelet = Some(Arc::new(Kubelet::new(node.clone(), settings)));
        }
    }
    /// The leaders at t = 0.
    pub(crate) fn start_control_plane(&mut self) {
        self.add_process(Actor::Scheduler(0), true, true);
        self.add_process(Actor::ControllerManager(0), true, true);
        self.add_helper(Actor::Attacher, ControllerManager::attacher());
        if self.settings.fencing.enabled {
            let fencing = ControllerManager::fencing(self.settings.fencing.clone());
            self.add_helper(Actor::Fencing, fencing);
        }
    }
    /// A process of controllers that runs once and needs no election.
    fn add_helper(&mut self, actor: Actor, core: ControllerManager) {
        let state = ProcessState {
            incarnation: 1,
            body: Body::Manager(Some(Arc::new(core))),
            rng: Rng::split(self.seed, &actor.to_string()),
            watch: WatchState::Closed,
            election: None,
        };
        self.processes.insert(actor, state);
    }
    /// A scheduler or controller-manager with empty memory; without election it believes it leads (`fault second`).
    pub(crate) fn add_process(&mut self, actor: Actor, has_election: bool, leads: bool) {
        let (lease, instance) = match actor {
            Actor::Scheduler(instance) => ("kube-scheduler", instance),
            Actor::ControllerManager(instance) => ("kube-controller-manager", instance),
            _ => return,
        };
        let incarnation = self.processes.get(&actor).map_or(0, |state| state.incarnation) + 1;
        let rng = match self.processes.remove(&actor) {
            Some(state) => state.rng,
            None => Rng::split(self.seed, &actor.to_string()),
        };
        let mut election = has_election.then(|| {
            let identity = format!("control-plane_{instance}-{incarnation}");
            Election::new(lease, identity.into(), self.election_settings(&actor))
        });
        if leads && let Some(candidate) = election.take() {
            election = Some(self.install_leader(candidate));
        }
        let leads = leads || !has_election;
        let body = match actor {
            Actor::Scheduler(_) => Body::Scheduler(Arc::new(SchedulerProcess::new(
                self.settings.scheduler.clone(),
                self.now,
                leads,
            ))),
            _ => {
                Body::Manager(leads.then(|| Arc::new(ControllerManager::new(self.settings.controller_manager.clone()))))
            }
        };
        let state = ProcessState {
            incarnation,
            body,
            rng,
            watch: WatchState::Closed,
            election,
        };
        self.processes.insert(actor, state);
    }
    fn install_leader(&mut self, candidate: Election) -> Election {
        let mut rng = self.world_rng.clone();
        let mut calls = 0;
        let ctx = Ctx::new(self.now, self.start, Actor::World, &mut rng, &self.switches, &mut calls);
        let lease = candidate.claim(&ctx);
        match self.import(Object::Lease(Arc::new(lease))) {
            Object::Lease(lease) => candidate.leading(lease, self.now),
            _ => candidate,
        }
    }
    /// A process ends: its memory is gone, what is under way for it is dropped.
    pub(crate) fn kill(&mut self, actor: &Actor) {
        match actor {
            Actor::Kubelet(node) => {
                if let Some(state) = self.nodes.get_mut(node) {
                    state.kubelet = None;
                    state.watch = WatchState::Closed;
                }
                self.heartbeats.end(node, self.now);
            }
            _ => {
                if let Some(state) = self.processes.get_mut(actor) {
                    state.body = Body::Down;
                    state.watch = WatchState::Closed;
                    state.election = None;
                }
            }
        }
    }
    /// A leader that could not renew exits; it is started again with empty memory, as a candidate.
    fn lose_lead(&mut self, process: &Process) {
        self.kill(&process.actor);
        self.add_process(process.actor.clone(), true, false);
        if let Some(next) = self.running(&process.actor) {
            self.queue.push(self.now + RESTART_DELAY, Event::Start(next));
        }
    }
    fn election_settings(&self, actor: &Actor) -> ElectionSettings {
        let settings = &self.settings.controller_manager;
        match actor {
            Actor::ControllerManager(_) => ElectionSettings {
                lease_duration: settings.lease_duration,
                renew_deadline: settings.renew_deadline,
                retry_period: settings.retry_period,
            },
            _ => ElectionSettings::default(),
        }
    }

    // Inputs.

    pub(crate) fn on_start(&mut self, process: &Process, sink: &mut dyn Sink) {
        if matches!(process.actor, Actor::Kubelet(_)) {
            self.with_kubelet(process, sink, |kubelet, machine, cache, ctx| {
                kubelet.handle(KubeletInput::Started, machine, cache, ctx);
            });
            return;
        }
        self.with_process(process, sink, |body, election, ctx| {
            if let Some(election) = election {
                election.tick(ctx);
            }
            input(body, Input::Started, ctx);
        });
    }

    pub(crate) fn on_listed(&mut self, process: &Process, revision: u64, objects: &Arc<Objects>, sink: &mut dyn Sink) {
        if let Actor::Kubelet(node) = &process.actor {
            let own = objects.named::<Node>(node.as_str()).cloned();
            let pods: Vec<Arc<Pod>> = objects.pods_on(node).cloned().collect();
            self.with_kubelet(process, sink, |kubelet, machine, cache, ctx| {
                kubelet.handle(KubeletInput::Listed { node: own, pods }, machine, cache, ctx);
            });
            return;
        }
        let objects = objects.clone();
        self.with_process(process, sink, |body, _, ctx| {
            input(body, Input::Listed { revision, objects }, ctx);
        });
    }

    fn on_change(&mut self, process: &Process, change: &Arc<Change>, sink: &mut dyn Sink) {
        if matches!(process.actor, Actor::Kubelet(_)) {
            let change = change.clone();
            let is_node = matches!(change.object(), Some(Object::Node(_)));
            self.with_kubelet(process, sink, |kubelet, machine, cache, ctx| {
                let input = if is_node {
                    KubeletInput::NodeChanged(change)
                } else {
                    KubeletInput::PodChanged(change)
                };
                kubelet.handle(input, machine, cache, ctx);
            });
            return;
        }
        let change = change.clone();
        self.with_process(process, sink, |body, _, ctx| input(body, Input::Changed(change), ctx));
    }

    fn on_answer(&mut self, process: &Process, id: CallId, answer: Answer, sink: &mut dyn Sink) {
        if matches!(process.actor, Actor::Kubelet(_)) {
            self.with_kubelet(process, sink, |kubelet, machine, cache, ctx| {
                kubelet.handle(KubeletInput::Answered(id, answer), machine, cache, ctx);
            });
            return;
        }
        let verdict = self.with_process(process, sink, |body, election, ctx| {
            let verdict = election
                .as_mut()
                .and_then(|election| election.answered(id, &answer, ctx));
            if verdict.is_none() {
                input(body, Input::Answered(id, answer), ctx);
            }
            verdict.unwrap_or(Verdict::Unchanged)
        });
        self.decide(process, verdict, sink);
    }

    fn on_timer(&mut self, process: &Process, timer: Timer, sink: &mut dyn Sink) {
        match timer {
            Timer::Node(podscope_node::Timer::Kubelet(timer)) => {
                self.with_kubelet(process, sink, |kubelet, machine, cache, ctx| {
                    kubelet.handle(KubeletInput::Timer(timer), machine, cache, ctx);
                })
            }
            Timer::Election => {
                let verdict = self.with_process(process, sink, |_, election, ctx| {
                    election
                        .as_mut()
                        .map_or(Verdict::Unchanged, |election| election.tick(ctx))
                });
                self.decide(process, verdict, sink);
            }
            timer => {
                self.with_process(process, sink, |body, _, ctx| input(body, Input::Timer(timer), ctx));
            }
        }
    }

    fn decide(&mut self, process: &Process, verdict: Option<Verdict>, sink: &mut dyn Sink) {
        match verdict {
            Some(Verdict::Elected) => {
                let core = ControllerManager::new(self.settings.controller_manager.clone());
                self.with_process(process, sink, |body, _, ctx| match body {
                    Body::Scheduler(scheduler) => ctx.scoped(|ctx| Arc::make_mut(scheduler).lead(ctx)),
                    body => {
                        if let Body::Manager(slot) = body {
                            *slot = Some(Arc::new(core));
                        }
                        input(body, Input::Started, ctx);
                    }
                });
                // A scheduler watches since its start, a controller-manager from its election on.
                if matches!(process.actor, Actor::ControllerManager(_)) {
                    self.open_watch(process);
                }
            }
            Some(Verdict::Lost) => self.lose_lead(process),
            Some(Verdict::Unchanged) | None => {}
        }
    }

    /// What a machine did that its kubelet can notice.
    pub(crate) fn notice(&mut self, node: &NodeName, events: Vec<MachineEvent>, sink: &mut dyn Sink) {
        for event in events {
            let Some(process) = self.running(&Actor::Kubelet(node.clone())) else {
                return;
            };
            self.with_kubelet(&process, sink, |kubelet, machine, cache, ctx| {
                kubelet.handle(KubeletInput::Machine(event), machine, cache, ctx);
            });
        }
    }

    // Calls.

    fn on_call(&mut self, call: &Arc<Call>, sink: &mut dyn Sink) {
        if !self.is_api_up {
            self.answer(call, Err(ApiError::refused_connection()));
            return;
        }
        if !self.is_etcd_up {
            let commits = self.world_rng.below(2) == 0;
            self.held.push(Held {
                call: call.clone(),
                commits,
                has_timed_out: false,
            });
            self.queue.push(self.now + CALL_TIMEOUT, Event::Held(call.id));
            return;
        }
        let answer = self.serve(&call.from.actor, &call.request, sink);
        self.answer(call, answer);
    }

    /// Sends an answer back; if the way is cut, the caller's time-out comes instead.
    pub(crate) fn answer(&mut self, call: &Call, answer: Answer) {
        let place = call.from.actor.place();
        let (at, answer) = match self.network.delivery(self.now, &Place::ControlPlane, &place) {
            Some(at) => (at, answer),
            None => ((call.sent + CALL_TIMEOUT).max(self.now), Err(ApiError::timeout())),
        };
        self.queue
            .push(at, Event::Answer(call.from.clone(), call.id, Arc::new(answer)));
    }

    fn on_held(&mut self, id: CallId) {
        let Some(held) = self.held.iter_mut().find(|held| held.call.id == id) else {
            return;
        };
        held.has_timed_out = true;
        let call = held.call.clone();
        if !held.commits {
            self.held.retain(|held| held.call.id != id);
        }
        self.answer(&call, Err(ApiError::etcd_timeout()));
    }

    /// etcd is back: what waits happens in order; what timed out happens only if it had reached etcd.
    pub(crate) fn release_held(&mut self, sink: &mut dyn Sink) {
        for held in std::mem::take(&mut self.held) {
            let answer = self.serve(&held.call.from.actor, &held.call.request, sink);
            if !held.has_timed_out {
                self.answer(&held.call, answer);
            }
        }
    }

    /// What the world itself does when something is written.
    pub(crate) fn observe(&mut self, change: &Change) {
        if let (None, Some(Object::Node(node))) = (&change.old, &change.new) {
            let name = NodeName(node.metadata.name.clone());
            self.create_node_lease(&name);
            self.beat_if_reachable(&name);
        }
        if let (Some(Object::Node(node)), None) = (&change.old, &change.new) {
            self.heartbeats.forget(&NodeName(node.metadata.name.clone()));
        }
    }

    /// Renewals of a node's lease begin, if its kubelet runs, its Node exists and the way is open.
    pub(crate) fn beat_if_reachable(&mut self, node: &NodeName) {
        let is_open = self.network.is_open(&Place::Node(node.clone()), &Place::ControlPlane);
        let exists = self.objects().named::<Node>(node.as_str()).is_some();
        if is_open && exists && self.running(&Actor::Kubelet(node.clone())).is_some() {
            let mut rng = Rng::split(self.seed, &format!("heartbeat/{node}"));
            let pause = rng.between(Span::ZERO, Span::seconds(7));
            self.heartbeats.begin(node, later(self.now, pause));
        }
    }
}

fn later(now: SimTime, pause: Span) -> SimTime {
    now + Span::millis(2) + pause
}

/// Hands an input to a process's body.
fn input(body: &mut Body, input: Input, ctx: &mut Ctx<'_>) {
    match body {
        Body::Manager(Some(core)) => hand(input, ctx, |input, ctx| Arc::make_mut(core).handle(input, ctx)),
        Body::Scheduler(scheduler) => hand(input, ctx, |input, ctx| Arc::make_mut(scheduler).handle(input, ctx)),
        Body::Client(client) => hand(input, ctx, |input, ctx| Arc::make_mut(client).handle(input, ctx)),
        Body::Manager(None) | Body::Down => {}
    }
}

/// Hands an input to a component in the terms of that component.
fn hand<T, A>(
    input: Input,
    ctx: &mut Ctx<'_>,
    handle: impl FnOnce(podscope_sim::Input<T>, &mut podscope_sim::Ctx<'_, T, A>),
) where
    T: TryFrom<Timer, Error = Timer>,
    Timer: From<T>,
    Act: From<A>,
{
    match input.narrow() {
        Ok(input) => ctx.scoped(|ctx| handle(input, ctx)),
        Err(timer) => unreachable!("{timer:?} was set by another component than {}", ctx.actor),
    }
}
