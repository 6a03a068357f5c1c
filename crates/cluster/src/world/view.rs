//! Read access to a world from outside, and methods that turn the invariants and the recording of decisions on or off.

use std::sync::Arc;

use podscope_api::well_known::condition;
use podscope_api::{NodeName, Str, Time, Uid};

use super::{ComponentState, ProcessState, World};
use crate::kubelet::Kubelet;
use crate::machine::{EmptyDirData, Machine};
use crate::scheduler_process::RecordedDecision;
use crate::{Actor, Change, Heartbeats, Network, Objects, Place, SimTime, Switches};

/// State of a process of the control plane, other than the API server and etcd.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ControlPlaneProcessStatus {
    pub actor: Actor,
    pub runs: bool,
    pub leads: bool,
}

impl World {
    /// Returns whether no link is cut or slow and no process is down. Liveness properties must hold only in this state.
    pub(crate) fn is_fault_free(&self) -> bool {
        self.is_api_up
            && self.is_etcd_up
            && self.network.has_no_faults()
            && self.processes.values().all(ProcessState::runs)
            && self.nodes.values().all(|node| {
                node.is_powered
                    && node.kubelet.runs()
                    && node.driver.as_deref().is_none_or(ProcessState::runs)
                    && node.has_runtime
                    && node.machine.imported_condition(condition::READY).is_none()
            })
    }

    /// Returns the writable volumes of a pod on a machine whose storage does not answer: every write to them fails with
    /// an I/O error (V-05).
    pub fn failing_volumes(&self, node: &NodeName, pod: &Uid) -> Vec<Str> {
        let Some(state) = self.nodes.get(node) else {
            return Vec::new();
        };
        let here = Place::Node(node.clone());
        let is_reachable = !state.machine.is_storage_refused() && self.network.is_open(&here, &Place::Storage);
        let mounts = state
            .machine
            .pod(pod)
            .filter(|_| !is_reachable)
            .map(|held| &held.mounts);
        let failing = mounts
            .into_iter()
            .flatten()
            .filter(|mount| mount.is_remote && mount.is_writable);
        failing.map(|mount| mount.volume.clone()).collect()
    }

    /// Returns the number of commands that still run.
    pub fn client_count(&self) -> usize {
        self.running_clients().count()
    }

    /// Returns the numbers of the commands that still run, in the order in which they were given.
    pub fn running_commands(&self) -> impl Iterator<Item = u32> {
        self.running_clients().map(|client| self.command_of(client))
    }

    /// Returns the numbers of the clients that still run.
    pub(super) fn running_clients(&self) -> impl Iterator<Item = u32> {
        self.processes.keys().filter_map(|actor| match actor {
            Actor::Client(number) => Some(*number),
            _ => None,
        })
    }

    /// Returns the number of the command that started a client. It differs from the client's number, because faults and
    /// refused commands start no client. A client that was started without [`World::record_command`] has its own
    /// number.
    pub(super) fn command_of(&self, client: u32) -> u32 {
        let command = self.monitors.ledger.commands.get(&client);
        command.and_then(|command| command.number).unwrap_or(client)
    }

    /// Returns the contents of a pod's emptyDirs on a machine; empty if the pod is not there.
    pub fn empty_dir_contents(&self, node: &NodeName, pod: &Uid) -> Vec<EmptyDirData> {
        let machine = self.nodes.get(node).map(|state| &state.machine);
        let held = machine.and_then(|machine| machine.pod(pod));
        held.map_or_else(Vec::new, |held| held.empty_dir_contents(|one| one.disk(self.now)))
    }

    pub fn now(&self) -> SimTime {
        self.now
    }

    /// Returns the wall-clock time at t = 0.
    pub fn start_time(&self) -> Time {
        self.start
    }

    /// Returns the present wall-clock time, as API objects store it.
    pub fn wall_time(&self) -> Time {
        self.wall_at(self.now)
    }

    /// Returns the wall-clock time of an instant.
    pub fn wall_at(&self, at: SimTime) -> Time {
        Time(self.start.0 + at.0)
    }

    /// Returns the instant of a wall-clock time. It is negative for a time before the start, as in objects of a dump.
    pub fn sim_time(&self, wall: Time) -> SimTime {
        SimTime(wall.0 - self.start.0)
    }

    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Returns the switches for older rules of Kubernetes and for what-if rules.
    pub fn switches(&self) -> &Switches {
        &self.switches
    }

    pub fn controller_settings(&self) -> &podscope_controllers::ControllerManagerSettings {
        &self.settings.controller_manager
    }

    pub fn objects(&self) -> &Arc<Objects> {
        self.api.objects()
    }

    pub fn revision(&self) -> u64 {
        self.api.store().revision()
    }

    /// Returns the last write to an object of a kind that processes watch (not to events or leases).
    pub fn last_write(&self) -> Option<&Arc<Change>> {
        self.api.store().last()
    }

    /// Returns the writes after `last`; None if `last` is not among the newest writes of this world.
    pub fn writes_after(&self, last: &Arc<Change>) -> Option<impl Iterator<Item = &Arc<Change>>> {
        self.api.store().after(last)
    }

    /// Returns the writes after a revision to objects that no process of the cluster watches (events and leases), the
    /// oldest write first. Only the newest few hundred are kept.
    pub fn unwatched_writes_after(&self, revision: u64) -> impl Iterator<Item = &Arc<Change>> {
        self.api.store().unwatched_changes_after(revision)
    }

    pub fn machines(&self) -> impl Iterator<Item = (&NodeName, &Arc<Machine>)> {
        self.nodes.iter().map(|(name, node)| (name, &node.machine))
    }

    pub fn machine(&self, node: &NodeName) -> Option<&Machine> {
        self.nodes.get(node).map(|node| &*node.machine)
    }

    /// Returns the running kubelets, by node.
    pub fn kubelets(&self) -> impl Iterator<Item = (&NodeName, &Kubelet)> {
        self.nodes
            .iter()
            .filter_map(|(name, node)| Some((name, node.kubelet.kubelet()?)))
    }

    /// Returns the kubelet of a node, if it runs.
    pub fn kubelet_of(&self, node: &str) -> Option<&Kubelet> {
        self.nodes.get(node)?.kubelet.kubelet()
    }

    pub fn network(&self) -> &Network {
        &self.network
    }

    pub fn heartbeats(&self) -> &Heartbeats {
        &self.heartbeats
    }

    /// Returns the number of events in the queue, and the number of events processed so far.
    pub fn pending_and_processed_events(&self) -> (usize, u64) {
        self.queue.stats()
    }

    /// Returns whether the API server runs, and whether it reaches etcd.
    pub fn api_server_runs_and_reaches_etcd(&self) -> (bool, bool) {
        (self.is_api_up, self.is_etcd_up)
    }

    /// Returns the leading scheduler, if there is one.
    pub fn scheduler(&self) -> Option<&podscope_scheduler::Scheduler> {
        self.processes.values().find_map(|state| match &state.component {
            ComponentState::Scheduler(process) if process.is_leader() => Some(process.core()),
            _ => None,
        })
    }

    /// Turns all invariants off, to measure their cost. Do not turn them on again: their state is then incomplete.
    pub fn disable_invariants(&mut self) {
        self.are_invariants_disabled = true;
    }

    /// Turns recording of full decisions on or off, for replaying up to an attempt (S-14). Only the latest decision is
    /// kept. The simulation itself does not change.
    pub fn record_decisions(&mut self, on: bool) {
        for state in self.processes.values_mut() {
            if let ComponentState::Scheduler(process) = &mut state.component {
                Arc::make_mut(process).records_next_decision = on;
            }
        }
    }

    /// Takes the recorded decision, if there is one.
    pub fn take_decision(&mut self) -> Option<Arc<RecordedDecision>> {
        self.processes
            .values_mut()
            .find_map(|state| match &mut state.component {
                ComponentState::Scheduler(process) if process.recorded.is_some() => {
                    Arc::make_mut(process).recorded.take()
                }
                _ => None,
            })
    }

    /// Returns the processes of the control plane other than the API server and etcd.
    pub fn control_plane_processes(&self) -> Vec<ControlPlaneProcessStatus> {
        self.processes
            .iter()
            .filter(|(actor, _)| !matches!(actor, Actor::Client(_)))
            .map(|(actor, state)| {
                let leads = match &state.component {
                    ComponentState::Scheduler(process) => process.is_leader(),
                    ComponentState::Manager(core) => core.is_some(),
                    _ => false,
                };
                ControlPlaneProcessStatus {
                    actor: actor.clone(),
                    runs: state.runs(),
                    leads,
                }
            })
            .collect()
    }

    /// Returns whether a command still runs.
    pub fn is_running(&self, command: u32) -> bool {
        self.processes.contains_key(&Actor::Client(command))
    }
}
