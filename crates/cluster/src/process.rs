//! Processes: where their state is stored, which of them run, how they start and end, and how they receive inputs.

use std::sync::Arc;

use podscope_api::{CausedBy, NodeName, Object};
use podscope_controllers::ControllerManager;
use podscope_node::kubelet::Kubelet;
use podscope_node::machine::{Machine, MachineEvent};

use crate::effect::{Act, Context, Input, Timer};
use crate::election::{Election, ElectionSettings};
use crate::event::{Event, Process};
use crate::node_groups::SimulatedCloud;
use crate::scheduler_process::SchedulerProcess;
use crate::watch::WatchState;
use crate::world::{ComponentState, ProcessState};
use crate::{Actor, Objects, Rng, Span, World};

/// Time until an exited component of the control plane is started again.
const RESTART_DELAY: Span = Span::seconds(1);

/// A process while it handles an input, with everything that it can access.
pub(crate) struct ActingProcess<'a> {
    pub component: &'a mut ComponentState,
    pub election: Option<&'a mut Election>,
    /// The machine of the process; only for kubelets and device drivers.
    pub machine: Option<&'a mut Machine>,
    /// The objects that the process can read now.
    pub view: &'a Objects,
}

impl ActingProcess<'_> {
    /// Passes an input to the component, converted to the component's own timer type.
    pub(crate) fn handle(&mut self, input: Input, ctx: &mut Context<'_>) {
        match (&mut *self.component, &mut self.machine) {
            (ComponentState::Manager(Some(core)), _) => {
                handle_scoped(input, ctx, |input, ctx| Arc::make_mut(core).handle(input, ctx));
            }
            (ComponentState::Scheduler(scheduler), _) => {
                handle_scoped(input, ctx, |input, ctx| Arc::make_mut(scheduler).handle(input, ctx));
            }
            (ComponentState::Client(client), _) => {
                handle_scoped(input, ctx, |input, ctx| Arc::make_mut(client).handle(input, ctx));
            }
            (ComponentState::Kubelet(kubelet), Some(machine)) => handle_scoped(input, ctx, |input, ctx| {
                Arc::make_mut(kubelet).handle(input, machine, self.view, ctx);
            }),
            (ComponentState::Driver(driver), Some(machine)) => handle_scoped(input, ctx, |input, ctx| {
                Arc::make_mut(driver).handle(input, machine, ctx);
            }),
            (ComponentState::Driver(_), None) => unreachable!("drivers have a machine"),
            (ComponentState::Kubelet(_), None) => unreachable!("a kubelet has a machine"),
            (ComponentState::Manager(None) | ComponentState::Down, _) => {}
        }
    }

    /// Passes an event of the machine to its kubelet.
    pub(crate) fn handle_machine_event(&mut self, event: &MachineEvent, ctx: &mut Context<'_>) {
        if let (ComponentState::Kubelet(kubelet), Some(machine)) = (&mut *self.component, &mut self.machine) {
            ctx.scoped(|ctx| Arc::make_mut(kubelet).handle_machine_event(event, machine, self.view, ctx));
        }
    }
}

/// Calls `handle` of a component, whose types of timers and acts are converted from and to those of all components.
fn handle_scoped<T, A>(
    input: Input,
    ctx: &mut Context<'_>,
    handle: impl FnOnce(podscope_sim::Input<T>, &mut podscope_sim::Context<'_, T, A>),
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

impl ProcessState {
    /// Returns whether the process runs.
    pub(crate) fn runs(&self) -> bool {
        !matches!(self.component, ComponentState::Down)
    }

    /// Returns the kubelet, if this process is a running kubelet.
    pub(crate) fn kubelet(&self) -> Option<&Kubelet> {
        match &self.component {
            ComponentState::Kubelet(kubelet) => Some(kubelet),
            _ => None,
        }
    }
}

impl World {
    pub(crate) fn process(&self, actor: &Actor) -> Option<&ProcessState> {
        match actor {
            Actor::Kubelet(node) => self.nodes.get(node).map(|state| &state.kubelet),
            Actor::Driver(node) => self.nodes.get(node)?.driver.as_deref(),
            _ => self.processes.get(actor),
        }
    }

    pub(crate) fn process_mut(&mut self, actor: &Actor) -> Option<&mut ProcessState> {
        match actor {
            Actor::Kubelet(node) => self.nodes.get_mut(node).map(|state| &mut state.kubelet),
            Actor::Driver(node) => self.nodes.get_mut(node)?.driver.as_deref_mut(),
            _ => self.processes.get_mut(actor),
        }
    }

    /// Returns all processes, kubelets first.
    pub(crate) fn all_processes(&self) -> impl Iterator<Item = (Actor, &ProcessState)> {
        let kubelets = self
            .nodes
            .iter()
            .map(|(node, state)| (Actor::Kubelet(node.clone()), &state.kubelet));
        let drivers = self.nodes.iter().filter_map(|(node, state)| {
            let driver = state.driver.as_deref()?;
            Some((Actor::Driver(node.clone()), driver))
        });
        let others = self.processes.iter().map(|(actor, state)| (actor.clone(), state));
        kubelets.chain(drivers).chain(others)
    }

    /// Returns a process with the number of its present incarnation; None if it does not run.
    pub(crate) fn running(&self, actor: &Actor) -> Option<Process> {
        let state = self.process(actor).filter(|state| state.runs())?;
        Some(Process {
            actor: actor.clone(),
            incarnation: state.incarnation,
        })
    }

    pub(crate) fn is_current(&self, process: &Process) -> bool {
        let runs = |state: &ProcessState| state.runs() && state.incarnation == process.incarnation;
        self.process(&process.actor).is_some_and(runs)
    }

    pub(crate) fn watch_mut(&mut self, actor: &Actor) -> Option<&mut WatchState> {
        self.process_mut(actor).map(|state| &mut state.watch)
    }

    pub(crate) fn set_watch(&mut self, actor: &Actor, to: WatchState) {
        if let Some(watch) = self.watch_mut(actor) {
            *watch = to;
        }
    }

    // Start and stop of processes.

    /// Creates a kubelet process with empty state; the caller schedules its start.
    pub(crate) fn boot_kubelet(&mut self, node: &NodeName) {
        let settings = self.settings.kubelet.clone();
        if let Some(state) = self.nodes.get_mut(node) {
            state.kubelet.incarnation += 1;
            state.kubelet.component = ComponentState::Kubelet(Arc::new(Kubelet::new(node.clone(), settings)));
            if state.kubelet.incarnation > 1 {
                self.api.forget_recorder(&Actor::Kubelet(node.clone()));
            }
        }
    }

    /// Starts the control plane at t = 0, with one leader of each kind.
    pub(crate) fn start_control_plane(&mut self) {
        self.add_process(Actor::Scheduler(0), true, true);
        self.add_process(Actor::ControllerManager(0), true, true);
        self.add_controllers(Actor::Attacher, ControllerManager::attacher());
        if self.settings.fencing.enabled {
            let fencing = ControllerManager::fencing(self.settings.fencing.clone());
            self.add_controllers(Actor::Fencing, fencing);
        }
        self.start_cluster_autoscaler();
    }

    /// Starts the cluster autoscaler if a node group has a maximum.
    fn start_cluster_autoscaler(&mut self) {
        let settings = &self.settings.cluster_autoscaler;
        if settings.enabled && self.node_groups.iter().any(|group| group.max.is_some()) {
            let cloud = SimulatedCloud {
                groups: self.node_groups.clone(),
                default_capacity: self.default_capacity.clone(),
                scheduler: self.settings.scheduler.clone(),
            };
            let autoscaler = ControllerManager::cluster_autoscaler(settings.clone(), Arc::new(cloud));
            self.add_controllers(Actor::ClusterAutoscaler, autoscaler);
        }
    }

    /// Adds a controller process that needs no leader election.
    fn add_controllers(&mut self, actor: Actor, core: ControllerManager) {
        let state = ProcessState {
            incarnation: 1,
            component: ComponentState::Manager(Some(Arc::new(core))),
            rng: Rng::split(self.seed, &actor.to_string()),
            watch: WatchState::Closed,
            command: CausedBy::NOTHING,
            election: None,
        };
        self.processes.insert(actor, state);
    }

    /// Adds a scheduler or controller-manager with empty state. If it has no leader election, as the second instance
    /// that `fault second` adds, it believes that it leads.
    pub(crate) fn add_process(&mut self, actor: Actor, has_election: bool, leads: bool) {
        let (lease, instance) = match actor {
            Actor::Scheduler(instance) => ("kube-scheduler", instance),
            Actor::ControllerManager(instance) => ("kube-controller-manager", instance),
            _ => return,
        };
        let incarnation = self.processes.get(&actor).map_or(0, |state| state.incarnation) + 1;
        if incarnation > 1 {
            self.api.forget_recorder(&actor);
        }
        let rng = match self.processes.remove(&actor) {
            Some(state) => state.rng,
            None => Rng::split(self.seed, &actor.to_string()),
        };
        let mut election = has_election.then(|| {
            let identity = format!("control-plane_{instance}-{incarnation}");
            Election::new(lease, identity.into(), self.election_settings(&actor))
        });
        if leads && let Some(candidate) = election.take() {
            election = Some(self.import_lease_of_leader(candidate));
        }
        let leads = leads || !has_election;
        let component = match actor {
            Actor::Scheduler(_) => ComponentState::Scheduler(Arc::new(SchedulerProcess::new(
                self.settings.scheduler.clone(),
                self.now,
                leads,
            ))),
            _ => ComponentState::Manager(
                leads.then(|| Arc::new(ControllerManager::new(self.settings.controller_manager.clone()))),
            ),
        };
        let state = ProcessState {
            incarnation,
            component,
            rng,
            watch: WatchState::Closed,
            command: CausedBy::NOTHING,
            election: election.map(Box::new),
        };
        self.processes.insert(actor, state);
    }

    /// Stores the Lease of a process that is the leader from t = 0 on, and returns its election state as the leader.
    fn import_lease_of_leader(&mut self, candidate: Election) -> Election {
        let mut rng = self.world_rng.clone();
        let mut calls = 0;
        let ctx = Context::new(self.now, self.start, Actor::World, &mut rng, &self.switches, &mut calls);
        let lease = candidate.claimed_lease(&ctx);
        match self.import(Object::Lease(Arc::new(lease))) {
            Object::Lease(lease) => candidate.into_leader(lease, self.now),
            _ => candidate,
        }
    }

    /// Ends a process: its state is deleted, and pending messages for it are dropped.
    pub(crate) fn kill(&mut self, actor: &Actor) {
        if let Some(state) = self.process_mut(actor) {
            state.component = ComponentState::Down;
            state.watch = WatchState::Closed;
            state.election = None;
        }
        if let Actor::Kubelet(node) = actor {
            self.heartbeats.end(node, self.now, self.queue.cause());
        }
    }

    /// Ends a leader that could not renew its lease. The process restarts as a candidate with empty state.
    pub(crate) fn end_lost_leader(&mut self, process: &Process) {
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
}
