//! Dispatches events: calls to the API server, answers to their callers, watch events to watchers, timers to the
//! components that set them.

use std::sync::Arc;

use podscope_api::{CausedBy, Node, NodeName, Object};

use crate::controllers::ControllerManager;
use crate::effect::{Input, Timer};
use crate::election::ElectionResult;
use crate::event::{Call, Event, Process};
use crate::machine::MachineEvent;
use crate::world::{CALL_TIMEOUT, ComponentState, HeldRequest};
use crate::{Actor, Answer, ApiError, CallId, Change, Place, Rng, SimTime, Sink, Span, World};

/// Interval between two checks of the liveness invariants.
pub(crate) const LIVENESS_CHECK_INTERVAL: Span = Span::seconds(30);

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
                    self.on_input(&process, Input::Listed { revision, objects }, sink);
                }
            }
            Event::Watch(process, change) => {
                if self.is_current(&process) {
                    self.on_input(&process, Input::Changed(change), sink);
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
            Event::HeldRequest(id) => self.on_held_request(id),
            Event::Proxy(node, life, event) => self.on_proxy_event(&node, life, event),
            Event::Traffic => self.wake_traffic(),
            Event::CheckLiveness => {
                self.check_liveness(sink);
                self.queue.set_cause(CausedBy::NOTHING);
                self.api.forget_old_events(self.wall_time());
                self.queue
                    .push(self.now + LIVENESS_CHECK_INTERVAL, Event::CheckLiveness);
            }
        }
    }

    pub(crate) fn on_start(&mut self, process: &Process, sink: &mut dyn Sink) {
        self.with_process(process, sink, |acting, ctx| {
            if let Some(election) = &mut acting.election {
                election.tick(ctx);
            }
            acting.handle(Input::Started, ctx);
        });
    }

    pub(crate) fn on_input(&mut self, process: &Process, input: Input, sink: &mut dyn Sink) {
        self.with_process(process, sink, |acting, ctx| acting.handle(input, ctx));
    }

    fn on_answer(&mut self, process: &Process, id: CallId, answer: Answer, sink: &mut dyn Sink) {
        let verdict = self.with_process(process, sink, |acting, ctx| {
            let verdict = acting
                .election
                .as_mut()
                .and_then(|election| election.handle_answer(id, &answer, ctx));
            if verdict.is_none() {
                acting.handle(Input::Answered(id, answer), ctx);
            }
            verdict.unwrap_or(ElectionResult::Unchanged)
        });
        self.apply_election_result(process, verdict, sink);
    }

    fn on_timer(&mut self, process: &Process, timer: Timer, sink: &mut dyn Sink) {
        if timer != Timer::Election {
            return self.on_input(process, Input::Timer(timer), sink);
        }
        let verdict = self.with_process(process, sink, |acting, ctx| {
            let election = acting.election.as_mut();
            election.map_or(ElectionResult::Unchanged, |election| election.tick(ctx))
        });
        self.apply_election_result(process, verdict, sink);
    }

    fn apply_election_result(&mut self, process: &Process, verdict: Option<ElectionResult>, sink: &mut dyn Sink) {
        match verdict {
            Some(ElectionResult::Elected) => {
                let core = ControllerManager::new(self.settings.controller_manager.clone());
                self.with_process(process, sink, |acting, ctx| match &mut *acting.component {
                    ComponentState::Scheduler(scheduler) => {
                        ctx.scoped(|ctx| Arc::make_mut(scheduler).become_leader(ctx));
                    }
                    ComponentState::Manager(slot) => {
                        *slot = Some(Arc::new(core));
                        acting.handle(Input::Started, ctx);
                    }
                    _ => unreachable!("the process takes part in no leader election"),
                });
                // A scheduler watches from its start, so only a controller-manager opens its watch now.
                if matches!(process.actor, Actor::ControllerManager(_)) {
                    self.open_watch(process);
                }
            }
            Some(ElectionResult::Lost) => self.end_lost_leader(process),
            Some(ElectionResult::Unchanged) | None => {}
        }
    }

    /// Passes events of a machine to its kubelet, if the kubelet runs.
    pub(crate) fn deliver_machine_events(&mut self, node: &NodeName, events: Vec<MachineEvent>, sink: &mut dyn Sink) {
        let cause = self.queue.cause();
        for event in events {
            let Some(process) = self.running(&Actor::Kubelet(node.clone())) else {
                return;
            };
            self.queue.set_cause(cause);
            self.with_process(&process, sink, |acting, ctx| acting.handle_machine_event(&event, ctx));
        }
    }

    // The methods below handle calls to the API server.

    fn on_call(&mut self, call: &Arc<Call>, sink: &mut dyn Sink) {
        if !self.is_api_up {
            self.answer(call, Err(ApiError::refused_connection()));
            return;
        }
        if !self.is_etcd_up {
            // A request sent before the link to etcd was cut may have reached etcd. A request sent later waits until
            // the link is restored, and is dropped if its caller times out first.
            let was_sent_before_cut = call.sent < self.etcd_cut;
            let commits = was_sent_before_cut && self.world_rng.below(2) == 0;
            self.held_requests.push(HeldRequest {
                call: call.clone(),
                caused_by: self.queue.cause(),
                commits,
                has_timed_out: false,
            });
            self.queue.push(self.now + CALL_TIMEOUT, Event::HeldRequest(call.id));
            return;
        }
        let answer = self.serve(&call.from.actor, &call.request, sink);
        self.answer(call, answer);
    }

    /// Sends the answer to a call; if the link from the API server to the caller is cut, the caller gets a timeout.
    pub(crate) fn answer(&mut self, call: &Call, answer: Answer) {
        let place = call.from.actor.place();
        let (at, answer) = match self.network.delivery(self.now, &Place::ControlPlane, &place) {
            Some(at) => (at, answer),
            None => ((call.sent + CALL_TIMEOUT).max(self.now), Err(ApiError::timeout())),
        };
        self.queue
            .push(at, Event::Answer(call.from.clone(), call.id, Arc::new(answer)));
    }

    /// Handles the timeout of a request that waits for etcd.
    fn on_held_request(&mut self, id: CallId) {
        let Some(held) = self.held_requests.iter_mut().find(|held| held.call.id == id) else {
            return;
        };
        held.has_timed_out = true;
        let call = held.call.clone();
        if !held.commits {
            self.held_requests.retain(|held| held.call.id != id);
        }
        self.answer(&call, Err(ApiError::etcd_timeout()));
    }

    /// Serves the requests that waited for etcd, in order, because etcd is reachable again. A request that timed out is
    /// in the list only if it had reached etcd.
    pub(crate) fn serve_held_requests(&mut self, sink: &mut dyn Sink) {
        let heal = self.queue.cause();
        for held in std::mem::take(&mut self.held_requests) {
            self.queue.set_cause(held.caused_by);
            let answer = self.serve(&held.call.from.actor, &held.call.request, sink);
            if !held.has_timed_out {
                self.answer(&held.call, answer);
            }
        }
        self.queue.set_cause(heal);
    }

    /// Updates the state that the world derives from Node objects: device drivers, leases and heartbeats.
    pub(crate) fn observe_node_change(&mut self, change: &Change) {
        self.observe_devices(change);
        if let (None, Some(Object::Node(node))) = (&change.old, &change.new) {
            let name = NodeName(node.metadata.name.clone());
            self.create_node_lease(&name);
            self.start_heartbeats_if_reachable(&name);
        }
        if let (Some(Object::Node(node)), None) = (&change.old, &change.new) {
            self.heartbeats.forget(&NodeName(node.metadata.name.clone()));
        }
    }

    /// Starts the renewals of a node's lease if its kubelet runs, its Node exists and the link is open.
    pub(crate) fn start_heartbeats_if_reachable(&mut self, node: &NodeName) {
        let is_open = self.network.is_open(&Place::Node(node.clone()), &Place::ControlPlane);
        let exists = self.objects().named::<Node>(node.as_str()).is_some();
        if is_open && exists && self.running(&Actor::Kubelet(node.clone())).is_some() {
            let mut rng = Rng::split(self.seed, &format!("heartbeat/{node}"));
            let delay = rng.between(Span::ZERO, Span::seconds(7));
            self.heartbeats.begin(node, first_lease_renewal(self.now, delay));
        }
    }
}

fn first_lease_renewal(now: SimTime, delay: Span) -> SimTime {
    now + Span::millis(2) + delay
}
