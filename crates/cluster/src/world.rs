//! The simulated world. [`World::step`] takes the next event from the queue, passes it to its component, and applies
//! the effects that the component returns. Besides that, only faults and commands change the world.

mod causes;
mod invariant_checks;
mod load;
mod view;

pub use view::ControlPlaneProcessStatus;

use podscope_api::ordered;
use std::sync::Arc;

use podscope_api::{CausedBy, NodeName, ResourceList, Time};
use podscope_apiserver::{ApiServer, Caller, Outcome, RecordDraft};
use podscope_sim::{Happening, Queue, What};
use rpds::RedBlackTreeMapSync;

use crate::client::{Client, ClientAct, ClientCommand};
use crate::controllers::ControllerManager;
use crate::effect::{Act, Context, Effect, Timer};
use crate::election::Election;
use crate::event::{Call, Event, Process};
use crate::fault::Fault;
use crate::invariants::{BlamedAction, Monitors, Observation};
use crate::kubelet::Kubelet;
use crate::machine::Machine;
use crate::membership::Members;
use crate::node_groups::NodeGroup;
use crate::process::ActingProcess;
use crate::scheduler_process::SchedulerProcess;
use crate::setup::{Settings, Setup};
use crate::traffic::{Traffic, TrafficTouch};
use crate::watch::WatchState;
use causes::RequestRecord;

use crate::{
    Actor, Answer, ApiError, Heartbeats, Network, OutputLine, Place, Record, Request, Rng, SimTime, Sink, Span,
    Subject, Switches,
};

/// Time after which a call without an answer counts as failed (CT-155).
pub(crate) const CALL_TIMEOUT: Span = Span::seconds(10);

/// A machine with the kubelet that runs on it.
#[derive(Debug, Clone)]
pub(crate) struct NodeState {
    pub machine: Arc<Machine>,
    pub machine_rng: Rng,
    pub kubelet: ProcessState,
    /// The process of the device drivers; `None` if the node has none.
    pub driver: Option<Box<ProcessState>>,
    pub is_powered: bool,
    /// Whether the container runtime answers.
    pub has_runtime: bool,
    /// Zone of the machine, independent of the labels of its Node object.
    pub zone: Option<podscope_api::Str>,
}

impl NodeState {
    pub(crate) fn new(name: &NodeName, machine: Machine, zone: Option<podscope_api::Str>, seed: u64) -> Self {
        Self {
            machine: Arc::new(machine),
            machine_rng: Rng::split(seed, &format!("machine/{name}")),
            kubelet: ProcessState {
                incarnation: 0,
                component: ComponentState::Down,
                rng: Rng::split(seed, &format!("kubelet/{name}")),
                watch: WatchState::Closed,
                command: CausedBy::NOTHING,
                election: None,
            },
            driver: None,
            is_powered: true,
            has_runtime: true,
            zone,
        }
    }
}

/// The component that runs in a process, with its state.
#[derive(Debug, Clone)]
pub(crate) enum ComponentState {
    /// The process does not run.
    Down,
    /// A controller-manager. Its controllers exist only while it leads.
    Manager(Option<Arc<ControllerManager>>),
    Scheduler(Arc<SchedulerProcess>),
    /// A client that executes a command.
    Client(Arc<Client>),
    /// A kubelet; its machine is in [`NodeState`].
    Kubelet(Arc<Kubelet>),
    /// The device drivers of a node.
    Driver(Arc<podscope_node::DeviceDriver>),
}

/// A process that talks to the API server: its component, watch and leader election.
#[derive(Debug, Clone)]
pub(crate) struct ProcessState {
    pub incarnation: u32,
    pub component: ComponentState,
    pub rng: Rng,
    pub watch: WatchState,
    /// The record that a user gave the command which this client executes; it is the cause of everything that the
    /// client does. `NOTHING` if the process is no client.
    pub command: CausedBy,
    /// Leader election; None for processes without one, and for a second instance that believes it leads.
    pub election: Option<Box<Election>>,
}

/// A request that waits for etcd.
#[derive(Debug, Clone)]
pub(crate) struct HeldRequest {
    pub call: Arc<Call>,
    /// The record that caused the call.
    pub caused_by: CausedBy,
    /// Whether the request had reached etcd when the link failed. It is then committed even if its caller has timed out
    /// (CT-155).
    pub commits: bool,
    pub has_timed_out: bool,
}

/// A command as the user entered it.
#[derive(Debug, Clone, Copy)]
pub struct GivenCommand<'a> {
    /// The command line.
    pub text: &'a str,
    /// Number of the command in this run; violations that the command causes refer to it.
    pub number: u32,
}

/// The world at one instant. Cloning is cheap: large parts are shared and copied on write.
#[derive(Debug, Clone)]
pub struct World {
    pub(crate) now: SimTime,
    pub(crate) start: Time,
    pub(crate) seed: u64,
    pub(crate) switches: Switches,
    pub(crate) settings: Arc<Settings>,
    pub(crate) default_capacity: Arc<ResourceList>,
    /// The declared node groups.
    pub(crate) node_groups: Arc<Vec<NodeGroup>>,
    pub(crate) queue: Queue<Event>,
    pub(crate) network: Network,
    pub(crate) heartbeats: Heartbeats,
    pub(crate) api: ApiServer,
    pub(crate) is_api_up: bool,
    pub(crate) is_etcd_up: bool,
    /// When the link from the API server to etcd was last cut.
    pub(crate) etcd_cut: SimTime,
    pub(crate) held_requests: Vec<HeldRequest>,
    pub(crate) nodes: RedBlackTreeMapSync<NodeName, NodeState>,
    pub(crate) processes: ordered::Map<Actor, ProcessState>,
    /// Application groups whose membership was changed. The members of all other groups follow from the pods'
    /// annotations.
    pub(crate) groups: ordered::Map<podscope_api::Str, Members>,
    pub(crate) world_rng: Rng,
    pub(crate) monitors: Monitors,
    pub(crate) traffic: Arc<Traffic>,
    are_invariants_disabled: bool,
    /// The command that was given last, until the client or fault that it starts takes it, so that violations are
    /// attributed to the command.
    command: Option<BlamedAction>,
    next_call: u64,
    next_client: u32,
    next_record: u64,
}

impl World {
    pub(crate) fn empty(setup: &Setup) -> Self {
        Self {
            now: SimTime::ZERO,
            start: setup.start,
            seed: setup.seed,
            switches: setup.switches,
            settings: Arc::new(setup.settings.clone()),
            default_capacity: Arc::new(setup.nodes.capacity.clone()),
            node_groups: Arc::new(setup.nodes.groups.clone()),
            queue: Queue::default(),
            network: Network::new(setup.settings.network.clone(), setup.seed),
            heartbeats: Heartbeats::default(),
            api: ApiServer::new(setup.seed).with_history_switches(&setup.switches),
            is_api_up: true,
            is_etcd_up: true,
            etcd_cut: SimTime::ZERO,
            held_requests: Vec::new(),
            nodes: RedBlackTreeMapSync::new_sync(),
            processes: ordered::Map::new(),
            groups: ordered::Map::new(),
            world_rng: Rng::split(setup.seed, "world"),
            monitors: Monitors::default(),
            traffic: Arc::default(),
            are_invariants_disabled: false,
            command: None,
            next_call: 0,
            next_client: 1,
            next_record: 0,
        }
    }

    /// Returns the time of the next event; None if the queue is empty.
    pub fn next_at(&self) -> Option<SimTime> {
        self.queue.next_at()
    }

    /// Processes one event; returns false if there is none.
    pub fn step(&mut self, sink: &mut dyn Sink) -> bool {
        let Some((at, event)) = self.queue.pop() else {
            return false;
        };
        debug_assert!(at >= self.now, "the event is in the past");
        self.now = self.now.max(at);
        self.monitors.ledger.current_command = None;
        self.dispatch(event, sink);
        self.settle_traffic(sink);
        true
    }

    /// Processes every event up to and including `until`, and moves the clock there.
    pub fn run_until(&mut self, until: SimTime, sink: &mut dyn Sink) {
        while self.next_at().is_some_and(|at| at <= until) {
            self.step(sink);
        }
        self.now = self.now.max(until);
    }

    /// Processes every event before `until`, and moves the clock there. Commands given at that instant take effect
    /// before its events.
    pub fn run_before(&mut self, until: SimTime, sink: &mut dyn Sink) {
        while self.next_at().is_some_and(|at| at < until) {
            self.step(sink);
        }
        self.now = self.now.max(until);
    }

    /// Records a command, and the error if it was refused.
    pub fn record_command(&mut self, given: GivenCommand<'_>, error: Option<&str>, sink: &mut dyn Sink) {
        let GivenCommand { text, number } = given;
        self.queue.set_cause(CausedBy::NOTHING);
        let given = Happening::Command {
            command: text.to_owned(),
            error: error.map(ToOwned::to_owned),
        };
        self.emit(&Actor::Client(0), given, None, None, sink);
        self.monitors.ledger.current_command = Some(number);
        self.command = error.is_none().then(|| BlamedAction {
            text: text.into(),
            number: Some(number),
        });
    }

    /// Records the result of an expectation in the scenario.
    pub fn record_expectation(&mut self, text: &str, holds: bool, found: &str, sink: &mut dyn Sink) {
        let judged = Happening::Expectation {
            expect: text.to_owned(),
            ok: holds,
            found: found.to_owned(),
        };
        self.queue.set_cause(CausedBy::NOTHING);
        self.emit(&Actor::World, judged, None, None, sink);
    }

    /// Starts a command as a client of its own and returns its number. The client acts at once, before the events of
    /// this instant. Call [`World::record_command`] first, so that violations caused by the command are attributed to
    /// it.
    pub fn start_client(&mut self, command: ClientCommand, sink: &mut dyn Sink) -> u32 {
        let number = self.next_client;
        self.next_client += 1;
        if let Some(action) = self.command.take() {
            self.monitors.ledger.commands.insert_mut(number, action);
        }
        let actor = Actor::Client(number);
        let state = ProcessState {
            incarnation: 1,
            component: ComponentState::Client(Arc::new(Client::new(command))),
            rng: Rng::split(self.seed, &format!("client/{number}")),
            watch: WatchState::Closed,
            command: self.queue.cause(),
            election: None,
        };
        self.processes.insert(actor.clone(), state);
        let process = Process { actor, incarnation: 1 };
        self.on_start(&process, sink);
        self.open_watch(&process);
        number
    }

    /// Ends a command like Ctrl-C; its requests are not undone.
    pub fn stop_command(&mut self, command: u32) {
        let mut clients = self.running_clients();
        if let Some(client) = clients.find(|client| self.command_of(*client) == command) {
            drop(clients);
            self.processes.remove(&Actor::Client(client));
        }
    }

    /// Serves a request at the API server now, and sends the changes to the watches.
    pub(crate) fn serve(&mut self, actor: &Actor, request: &Request, sink: &mut dyn Sink) -> Answer {
        self.check(&Observation::Request { actor, request }, sink);
        let mut out = Outcome::default();
        let caller = Caller {
            actor,
            now: self.now,
            start: self.start,
        };
        let answer = if matches!(request, Request::Create(_)) && self.is_overloaded() {
            self.api.refuse_as_overloaded(request, &mut out)
        } else {
            self.api.handle(request, &caller, &mut out)
        };
        for change in &out.changes {
            self.check(&Observation::Change { actor, change }, sink);
        }
        let cause = self.queue.cause();
        let mut records = Vec::with_capacity(out.records.len());
        for RecordDraft { happening, object } in out.records {
            let importance = causes::importance(&happening);
            self.queue.set_cause(cause);
            let record = self.emit(actor, happening, object.clone(), None, sink);
            records.push(RequestRecord {
                importance,
                object,
                record,
            });
        }
        for change in out.changes {
            let record = causes::record_of_change(&change, &records).unwrap_or(cause);
            self.queue.set_cause(record);
            self.api.note_record(change.revision, record);
            self.observe_node_change(&change);
            self.fan_out(&change);
        }
        // The answer is caused by the most important record of the request.
        self.queue.set_cause(causes::most_important(&records).unwrap_or(cause));
        answer
    }

    /// Adds a record to the trace. Its cause is that of the present action. A fault, a repair or a command becomes the
    /// cause of everything done after it in this step.
    pub(crate) fn emit(
        &mut self,
        actor: &Actor,
        happening: Happening,
        object: Option<Arc<Subject>>,
        container: Option<podscope_api::Str>,
        sink: &mut dyn Sink,
    ) -> CausedBy {
        let seq = self.next_record;
        self.next_record += 1;
        let (this, cause) = (CausedBy::record(seq), self.queue.cause());
        let record = Record {
            at: self.now,
            seq,
            caused_by: cause,
            actor: actor.clone(),
            happening,
            object,
            container,
        };
        self.store_process_cause(&record);
        self.touch_traffic_by_record(&record);
        let is_origin = matches!(record.what(), What::Fault | What::Healed | What::Command);
        let violations = self.violations(&Observation::Record(&record));
        sink.record(record);
        self.queue.set_cause(this);
        self.report(violations, sink);
        self.queue.set_cause(if is_origin { this } else { cause });
        this
    }

    /// Calls a function of a machine with its context, and applies the effects.
    pub(crate) fn with_machine<T>(
        &mut self,
        node: &NodeName,
        sink: &mut dyn Sink,
        act: impl FnOnce(&mut Machine, &mut podscope_node::Context<'_>) -> T,
    ) -> Option<T> {
        let state = self.nodes.get_mut(node)?;
        let actor = Actor::Machine(node.clone());
        let mut ctx = podscope_node::Context::new(
            self.now,
            self.start,
            actor.clone(),
            &mut state.machine_rng,
            &self.switches,
            &mut self.next_call,
        )
        .with_world(&self.network, &self.heartbeats)
        .with_cause(self.queue.cause());
        let machine = Arc::make_mut(&mut state.machine);
        let value = act(machine, &mut ctx);
        let events = machine.take_events();
        let effects = ctx.into_effects();
        self.apply_effects(&Process { actor, incarnation: 0 }, effects, sink);
        self.deliver_machine_events(node, events, sink);
        Some(value)
    }

    /// Calls a function of a process with its context, and applies the effects.
    pub(crate) fn with_process<T>(
        &mut self,
        process: &Process,
        sink: &mut dyn Sink,
        act: impl FnOnce(&mut ActingProcess<'_>, &mut Context<'_>) -> T,
    ) -> Option<T> {
        let (store, cause) = (self.api.objects(), self.queue.cause());
        let (state, host) = match &process.actor {
            Actor::Kubelet(node) => {
                let state = self.nodes.get_mut(node)?;
                (&mut state.kubelet, Some((node, Arc::make_mut(&mut state.machine))))
            }
            Actor::Driver(node) => {
                let state = self.nodes.get_mut(node)?;
                let driver = state.driver.as_deref_mut()?;
                (driver, Some((node, Arc::make_mut(&mut state.machine))))
            }
            actor => (self.processes.get_mut(actor)?, None),
        };
        // Everything that a command does is caused by the record of the command, not by the event that it waited for.
        let cause = if state.command == CausedBy::NOTHING {
            cause
        } else {
            state.command
        };
        self.queue.set_cause(cause);
        let mut ctx = Context::new(
            self.now,
            self.start,
            process.actor.clone(),
            &mut state.rng,
            &self.switches,
            &mut self.next_call,
        )
        .with_world(&self.network, &self.heartbeats)
        .with_request_load(self.traffic.load())
        .with_cause(cause);
        let (node, mut machine) = host.unzip();
        let addresses = machine.as_ref().map(|machine| machine.address_changes());
        let mut acting = ActingProcess {
            component: &mut state.component,
            election: state.election.as_deref_mut(),
            machine: machine.as_deref_mut(),
            view: match &state.watch {
                WatchState::Broken { view, .. } => view,
                _ => store,
            },
        };
        let value = act(&mut acting, &mut ctx);
        let has_moved = machine.as_ref().map(|machine| machine.address_changes()) != addresses;
        let events = machine.map(Machine::take_events);
        let effects = ctx.into_effects();
        self.apply_effects(process, effects, sink);
        if let Some(node) = node.filter(|_| has_moved) {
            self.touch_traffic(TrafficTouch::Machine(node.clone()));
        }
        if let (Some(node), Some(events)) = (node, events) {
            self.deliver_machine_events(node, events, sink);
        }
        Some(value)
    }

    /// Applies the effects of a component. A record is caused by the cause of the step. Requests and timers are caused
    /// by the last record made in the step, if there is one: for example, a decision is the cause of its binding, and a
    /// signal the cause of the exit.
    fn apply_effects(&mut self, process: &Process, effects: Vec<Effect>, sink: &mut dyn Sink) {
        let mut because = self.queue.cause();
        let mut latest = because;
        for effect in effects {
            self.queue.set_cause(latest);
            match effect {
                Effect::Because(cause) => (because, latest) = (cause, cause),
                Effect::Follow => because = latest,
                Effect::Call(id, request) => {
                    let arrival = self
                        .network
                        .delivery(self.now, &process.actor.place(), &Place::ControlPlane);
                    match arrival {
                        Some(at) => {
                            let call = Call {
                                from: process.clone(),
                                id,
                                request,
                                sent: self.now,
                            };
                            self.queue.push(at, Event::Call(Arc::new(call)));
                        }
                        None => {
                            let answer = Arc::new(Err(ApiError::timeout()));
                            self.queue
                                .push(self.now + CALL_TIMEOUT, Event::Answer(process.clone(), id, answer));
                        }
                    }
                }
                Effect::Timer(at, Timer::Node(podscope_node::Timer::Machine(timer))) => {
                    if let Place::Node(node) = process.actor.place() {
                        self.queue.push(at.max(self.now), Event::Machine(node, timer));
                    }
                }
                Effect::Timer(at, timer) => {
                    self.queue.push(at.max(self.now), Event::Timer(process.clone(), timer));
                }
                Effect::Record {
                    happening,
                    object,
                    container,
                } => {
                    self.queue.set_cause(because);
                    latest = self.emit(&process.actor, happening, object, container, sink);
                }
                Effect::Act(Act::Client(ClientAct::Print { kind, text })) => {
                    if let Actor::Client(client) = process.actor {
                        sink.output(OutputLine {
                            at: self.now,
                            command: self.command_of(client),
                            kind,
                            text,
                        });
                    }
                }
                Effect::Act(Act::Client(ClientAct::Answer(answers))) => {
                    if let Actor::Client(client) = process.actor {
                        sink.answered(client, answers);
                    }
                }
                Effect::Act(Act::Client(ClientAct::Exit(status))) => {
                    if let Actor::Client(client) = process.actor
                        && self.processes.remove(&process.actor).is_some()
                    {
                        sink.finished(self.command_of(client), self.now, status);
                    }
                }
                Effect::Act(Act::Controller(act)) => self.inject_for_controller(&process.actor, act, sink),
                Effect::Act(Act::Node(podscope_node::NodeAct::PowerOff)) => {
                    if let Place::Node(node) = process.actor.place() {
                        // The fault fails if the machine lost power meanwhile: it stays off.
                        let _ = self.inject(&process.actor, &Fault::Power { node, on: false }, sink);
                    }
                }
            }
        }
        self.queue.set_cause(latest);
    }
}
