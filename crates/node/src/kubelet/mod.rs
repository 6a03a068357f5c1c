//! The kubelet: one state machine per pod, on the machine that it runs on. A crash of the kubelet deletes its state,
//! but not that of the machine.

mod admission;
mod allocation;
mod backoff;
mod claims;
mod conditions;
mod container_config;
mod container_start;
mod events;
mod eviction;
mod grace;
mod host;
mod images;
mod kill;
mod mirror;
mod node;
mod orphans;
mod pending_events;
mod pod_actions;
mod preemption;
mod probes;
mod restart;
mod security;
mod settings;
mod shutdown;
mod status;
mod status_manager;
mod sync;
mod view;
mod volumes;
mod worker;

use podscope_api::ordered;
use podscope_api::ordered::StableSort as _;
use std::collections::VecDeque;
use std::sync::Arc;

use podscope_api::{Node, NodeName, Object, Pod, Uid};

pub use node::{default_labels, healthy_node_conditions};
pub use settings::{EvictionSignal, EvictionThreshold, KubeletSettings, ShutdownGroup, ThresholdValue};
pub use view::{ContainerTermination, TerminationStep, TerminationView};

use self::host::{Host, PendingCall, SharedState};
use self::worker::{PodWorker, WorkerStage};
use crate::machine::{Machine, MachineEvent};
use crate::{Context, Timer};
use podscope_sim::{Answer, CallId, Input, Objects, SimTime, Span};

/// A timer of a kubelet. Timers of a crashed kubelet are dropped.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum KubeletTimer {
    /// An action of this pod's worker is due.
    Pod(Uid),
    /// Pass of the status manager (every 10 s while a status is not sent yet).
    Status,
    /// Pass of the eviction manager (every 10 s while usage can cross a threshold).
    Eviction,
    /// Housekeeping (every 2 s while there are orphaned containers).
    Housekeeping,
    /// The registration of the node, or its next status, is due.
    Node,
    /// The deadline of a group of pods in a graceful shutdown is reached.
    Shutdown,
    /// Pass of image garbage collection (every 5 min while an image may have to be removed).
    Images,
    /// Retry of deferred resizes (every 3 min while there are any).
    Resizes,
    /// The device drivers have been disconnected for 30 s, or claims of unknown pods are unprepared.
    Drivers,
}

/// State of one kubelet process; a crash deletes it.
#[derive(Debug, Clone)]
pub struct Kubelet {
    shared: SharedState,
    managers: KubeletManagers,
}

/// The managers of a kubelet; each works on the shared state in [`Host`].
#[derive(Debug, Clone, Default)]
struct KubeletManagers {
    pods: ordered::Map<Uid, PodWorker>,
    orphans: orphans::OrphanKills,
    eviction: eviction::EvictionManager,
    images: images::ImageGc,
    shutdown: Option<shutdown::Shutdown>,
    /// Admissions of critical pods that preempt others; the first one is in progress (LC-066).
    preemptions: VecDeque<preemption::CriticalPodPreemption>,
    /// New pods that wait behind the admission of a critical pod, in the order of arrival.
    backlog: Vec<Arc<Pod>>,
    /// Pods whose API objects were deleted during the admission of a critical pod.
    deleted_backlog: Vec<Uid>,
    mirrors: mirror::MirrorRequests,
    resizes: allocation::PendingResizes,
    /// Whether the first list has arrived. Before it, no container is treated as an orphan (LC-061).
    has_listed: bool,
}

impl Kubelet {
    /// Creates a kubelet process that has not started yet; the caller sends [`podscope_sim::Input::Started`] next.
    pub fn new(node: NodeName, settings: Arc<KubeletSettings>) -> Self {
        Self {
            shared: SharedState {
                node,
                settings,
                started_at: SimTime::ZERO,
                is_restart: false,
                relist_phase: Span::ZERO,
                slow_phase: Span::ZERO,
                node_object: None,
                calls: ordered::Map::new(),
                pulls: ordered::Map::new(),
                node_state: node::NodeState::default(),
                is_sync_loop_blocked: false,
                next_status_pass: None,
                driver_lost: None,
            },
            managers: KubeletManagers::default(),
        }
    }

    pub fn node(&self) -> &NodeName {
        &self.shared.node
    }

    pub fn settings(&self) -> &KubeletSettings {
        &self.shared.settings
    }

    /// Runs one step. `cache` holds the objects as the process can read them now: the API server's store while it is
    /// reachable, else the last state before. The kubelet reads ConfigMaps, Secrets, claims, volumes and attachments
    /// from it. Pods and its Node arrive as inputs, because the kubelet watches only those.
    pub fn handle(&mut self, input: Input<Timer>, machine: &mut Machine, cache: &Objects, ctx: &mut Context<'_>) {
        self.run_step(machine, cache, ctx, |managers, host| managers.handle(input, host));
    }

    /// Reacts to a process that started or exited, or to a change of the machine's resources.
    pub fn handle_machine_event(
        &mut self,
        event: &MachineEvent,
        machine: &mut Machine,
        cache: &Objects,
        ctx: &mut Context<'_>,
    ) {
        self.run_step(machine, cache, ctx, |managers, host| {
            managers.handle_machine_event(event, host)
        });
    }

    /// Runs `act` with the context of one step, and then the passes that follow every step.
    fn run_step(
        &mut self,
        machine: &mut Machine,
        cache: &Objects,
        ctx: &mut Context<'_>,
        act: impl FnOnce(&mut KubeletManagers, &mut Host<'_, '_>),
    ) {
        let mut host = Host {
            machine,
            cache,
            ctx,
            shared: &mut self.shared,
        };
        act(&mut self.managers, &mut host);
        self.managers.continue_preemption(&mut host);
        self.managers.handle_eviction_kill_end(&mut host);
        self.managers.send_mirror_requests(&mut host);
        self.managers.continue_shutdown(&mut host);
    }
}

impl KubeletManagers {
    fn handle(&mut self, input: Input<Timer>, host: &mut Host<'_, '_>) {
        match input {
            Input::Started => self.start(host),
            Input::Listed { objects, .. } => {
                let node = objects.named::<Node>(host.shared.node.as_str()).cloned();
                let pods = objects.pods_on(&host.shared.node).cloned().collect();
                self.observe_list(node, pods, host);
            }
            Input::Changed(change) => match (&change.old, &change.new) {
                (_, Some(Object::Node(node))) => self.observe_node(Some(node.clone()), host),
                (Some(Object::Node(_)), None) => self.observe_node(None, host),
                (_, Some(Object::Pod(pod))) => self.observe_pod(pod, host),
                (Some(Object::Pod(pod)), None) => self.observe_pod_deleted(&pod.metadata.uid.clone(), host),
                _ => {}
            },
            Input::Answered(id, answer) => self.handle_answer(id, &answer, host),
            Input::Timer(Timer::Kubelet(timer)) => self.handle_timer(timer, host),
            Input::Timer(timer @ (Timer::Machine(_) | Timer::Driver)) => unreachable!("{timer:?} is not the kubelet's"),
        }
    }

    fn handle_timer(&mut self, timer: KubeletTimer, host: &mut Host<'_, '_>) {
        match timer {
            KubeletTimer::Pod(uid) => {
                if let Some(worker) = self.pods.get_mut(&uid) {
                    worker.wake = worker.wake.filter(|wake| *wake > host.ctx.now);
                }
                self.advance_worker(&uid, host);
            }
            KubeletTimer::Status => self.run_status_pass(host),
            KubeletTimer::Eviction => self.handle_eviction_timer(host),
            KubeletTimer::Housekeeping => self.run_housekeeping(host),
            KubeletTimer::Node => self.run_node_status_pass(host),
            // Nothing to do here: `continue_shutdown`, which runs after every step, checks the deadline.
            KubeletTimer::Shutdown => {}
            KubeletTimer::Images => self.run_image_gc_if_due(host),
            KubeletTimer::Resizes => self.handle_resize_timer(host),
            KubeletTimer::Drivers => self.handle_driver_timer(host),
        }
    }

    /// Initializes the state of a kubelet process that starts.
    fn start(&mut self, host: &mut Host<'_, '_>) {
        host.machine.cancel_pulls();
        host.shared.started_at = host.ctx.now;
        host.shared.is_restart = host.ctx.now > SimTime::ZERO;
        host.shared.relist_phase = host.ctx.rng.between(Span::ZERO, Span::seconds(1) - Span(1));
        host.shared.slow_phase = host.ctx.rng.between(Span::ZERO, host::SLOW_LOOP_INTERVAL - Span(1));
        if host.shared.is_restart {
            node::emit_start_events(host);
        }
        if !host.machine.is_runtime_up() {
            host.shared.node_state.runtime_down_since = Some(host.ctx.now);
            host.request_node_status();
        }
        self.start_static_pods(host);
        self.initialize_devices(host);
    }

    /// Handles the first list of pods, or a new list after the watch was interrupted.
    fn observe_list(&mut self, node: Option<Arc<Node>>, mut pods: Vec<Arc<Pod>>, host: &mut Host<'_, '_>) {
        self.observe_node(node, host);
        // Pods are added in the order of creation (LC-060).
        pods.stable_sort_by(|a, b| {
            let age = |pod: &Pod| (pod.metadata.creation_timestamp, pod.metadata.key());
            age(a).cmp(&age(b))
        });
        for mirror in pods.iter().filter(|pod| pod.is_mirror()) {
            self.observe_mirror(mirror, host);
        }
        let gone: Vec<Uid> = self
            .pods
            .keys()
            .filter(|uid| !pods.iter().any(|pod| pod.metadata.uid == **uid))
            .cloned()
            .collect();
        for uid in gone {
            self.observe_pod_deleted(&uid, host);
        }
        for pod in pods.iter().filter(|pod| !pod.is_mirror()) {
            self.observe_pod(pod, host);
        }
        self.has_listed = true;
        self.retry_resizes(host);
        self.schedule_housekeeping(host);
        self.schedule_passes_for_usage(host);
    }

    /// Handles a pod that is new to this kubelet or has changed.
    fn observe_pod(&mut self, pod: &Arc<Pod>, host: &mut Host<'_, '_>) {
        if pod.is_mirror() {
            return self.observe_mirror(pod, host);
        }
        if host.shared.is_sync_loop_blocked {
            return self.defer_pod(pod);
        }
        let uid = pod.metadata.uid.clone();
        let wants_resize = match self.pods.get_mut(&uid) {
            Some(worker) => worker.handle_api_change_of_pod(pod, host),
            None => self.add_worker(pod, host),
        };
        if wants_resize {
            self.queue_resize(&uid);
        }
        self.retry_resizes(host);
        self.advance_worker(&uid, host);
    }

    /// Adds a worker for a pod. Returns whether the API object requests other resources than an earlier kubelet process
    /// granted.
    fn add_worker(&mut self, pod: &Arc<Pod>, host: &mut Host<'_, '_>) -> bool {
        let mut worker = PodWorker::new(pod.clone());
        worker.restore_imported_waiting_reasons(host);
        let runs = host
            .machine
            .pod(&pod.metadata.uid)
            .is_some_and(|held| held.running().next().is_some());
        if pod.is_terminal() {
            // A terminal pod is never started again; its remaining containers and mounts are removed (LC-218).
            let has_mounts = host
                .machine
                .pod(&pod.metadata.uid)
                .is_some_and(|held| !held.mounts.is_empty());
            if runs || has_mounts || pod.metadata.is_terminating() {
                worker.terminate(host);
            } else {
                worker.enter_stage(WorkerStage::Finished);
            }
            self.pods.insert(pod.metadata.uid.clone(), worker);
            return false;
        }
        let wants_resize = worker.restore_allocation(host);
        let pod = &worker.pod.clone();
        // An imported pod with state on this machine was admitted before the simulation began (P-09).
        let was_admitted = host.ctx.now == SimTime::ZERO && host.machine.pod(&pod.metadata.uid).is_some();
        let admitted = if was_admitted {
            Ok(VecDeque::new())
        } else {
            self.admit(pod, host)
        };
        match admitted {
            Err(refusal) => {
                worker.reject(&refusal.reason, &refusal.detail, host);
                if pod.metadata.is_terminating() {
                    worker.terminate(host);
                }
            }
            Ok(_) if pod.metadata.is_terminating() => worker.terminate(host),
            Ok(victims) if victims.is_empty() => worker.request_sync(host),
            Ok(victims) => {
                let preemption = preemption::CriticalPodPreemption::new(pod.metadata.uid.clone(), victims);
                self.preemptions.push_back(preemption);
                host.shared.is_sync_loop_blocked = true;
            }
        }
        self.pods.insert(pod.metadata.uid.clone(), worker);
        wants_resize
    }

    /// Returns the pods whose resources count on this node (LC-065), with the granted resources, except the pod
    /// `without`. A pod whose API object is deleted does not count, even while its processes still run, because it is
    /// no longer in the kubelet's list.
    fn admitted_pods(&self, without: Option<&Uid>) -> Vec<Arc<Pod>> {
        let counts = |worker: &&PodWorker| {
            worker.can_have_running_containers()
                && !worker.is_deleted
                && !worker.pod.is_terminal()
                && Some(worker.uid()) != without
        };
        self.pods
            .values()
            .filter(counts)
            .map(|worker| worker.pod.clone())
            .collect()
    }

    /// Admits a pod (LC-062 to LC-066). Returns the pods to preempt first, in the order in which they are killed.
    fn admit(&self, pod: &Arc<Pod>, host: &Host<'_, '_>) -> Result<VecDeque<Uid>, admission::AdmissionRefusal> {
        let others = self.admitted_pods(None);
        let others: Vec<&Pod> = others.iter().map(|pod| &**pod).collect();
        let refusal = match admission::admit(pod, &others, host) {
            Ok(()) => return Ok(VecDeque::new()),
            Err(refusal) => refusal,
        };
        if !refusal.is_for_resources || !admission::is_critical(pod) {
            return Err(refusal);
        }
        let Some(victims) = preemption::pods_to_preempt(pod, &others, host) else {
            return Err(refusal);
        };
        Ok(victims.iter().map(|victim| victim.metadata.uid.clone()).collect())
    }

    /// Returns whether a `killPodNow` of the pod is still pending.
    fn is_being_killed(&self, uid: &Uid) -> bool {
        self.pods.get(uid).is_some_and(PodWorker::is_being_killed)
    }

    /// Handles the deletion of a pod's API object.
    fn observe_pod_deleted(&mut self, uid: &Uid, host: &mut Host<'_, '_>) {
        if self.recreate_if_mirror(uid, host) {
            return;
        }
        self.backlog.retain(|pod| pod.metadata.uid != *uid);
        if host.shared.is_sync_loop_blocked {
            self.deleted_backlog.push(uid.clone());
            return;
        }
        if let Some(worker) = self.pods.get_mut(uid) {
            worker.handle_deletion(host);
        }
        self.advance_worker(uid, host);
        self.retry_resizes(host);
        if self.has_listed {
            self.schedule_housekeeping(host);
        }
    }

    fn handle_answer(&mut self, id: CallId, answer: &Answer, host: &mut Host<'_, '_>) {
        let Some(call) = host.shared.calls.remove(&id) else {
            return;
        };
        match &call {
            PendingCall::Status(uid, version) => {
                if let Some(worker) = self.pods.get_mut(uid) {
                    worker.handle_status_answer(*version, answer, host);
                }
                self.advance_worker(uid, host);
            }
            PendingCall::Delete(uid) => {
                if let Some(worker) = self.pods.get_mut(uid) {
                    worker.handle_delete_answer(answer, host);
                }
                self.advance_worker(uid, host);
            }
            PendingCall::Register | PendingCall::NodeStatus => self.handle_node_answer(&call, answer, host),
            PendingCall::DeleteMirror(_) | PendingCall::CreateMirror(_) => {
                self.handle_mirror_answer(&call, answer, host)
            }
        }
    }

    fn handle_machine_event(&mut self, event: &MachineEvent, host: &mut Host<'_, '_>) {
        let uid = match event {
            MachineEvent::Exited { pod, container } => {
                self.orphans.handle_exit(pod, *container, host);
                pod.clone()
            }
            MachineEvent::HookFinished { pod, .. } | MachineEvent::SandboxLost(pod) => pod.clone(),
            MachineEvent::Pulled { pull, succeeded, .. } => {
                let requested_by = host.shared.pulls.remove(pull);
                if *succeeded {
                    host.handle_images_changed();
                }
                match requested_by {
                    Some(uid) => uid,
                    None => return,
                }
            }
            MachineEvent::Runtime { is_up } => {
                self.handle_runtime_change(*is_up, host);
                return;
            }
            MachineEvent::ShuttingDown => {
                self.begin_shutdown(host);
                return;
            }
            MachineEvent::Devices => {
                self.handle_devices_changed(host);
                return;
            }
            MachineEvent::OutOfMemory { process, pid } => {
                let message = format!("System OOM encountered, victim process: {process}, pid: {pid}");
                let node = host.shared.node.clone();
                events::emit_for_node(&node, podscope_api::EventType::Warning, "SystemOOM", message, host);
                return;
            }
        };
        if let Some(worker) = self.pods.get_mut(&uid) {
            worker.handle_machine_event(event, host);
        }
        self.advance_worker(&uid, host);
        self.schedule_passes_for_usage(host);
    }

    fn handle_runtime_change(&mut self, is_up: bool, host: &mut Host<'_, '_>) {
        host.shared.node_state.runtime_down_since = (!is_up).then_some(host.ctx.now);
        host.request_node_status();
        host.shared.pulls.clear();
        let uids: Vec<Uid> = self.pods.keys().cloned().collect();
        for uid in uids {
            if let Some(worker) = self.pods.get_mut(&uid)
                && !is_up
            {
                worker.handle_runtime_failure(host);
            }
            self.advance_worker(&uid, host);
        }
        if is_up && self.has_listed {
            self.schedule_housekeeping(host);
        }
    }

    /// Retries the workers that wait for volumes, because the attached or in-use volumes of the Node changed.
    fn handle_volumes_changed(&mut self, host: &mut Host<'_, '_>) {
        let waiting: Vec<Uid> = self
            .pods
            .iter()
            .filter(|(_, worker)| worker.waits_for_volumes())
            .map(|(uid, _)| uid.clone())
            .collect();
        for uid in waiting {
            if let Some(worker) = self.pods.get_mut(&uid) {
                worker.retry_volumes(host);
            }
            self.advance_worker(&uid, host);
        }
    }

    fn run_status_pass(&mut self, host: &mut Host<'_, '_>) {
        if host.shared.next_status_pass.is_none_or(|queued| queued > host.ctx.now) {
            return;
        }
        host.shared.next_status_pass = None;
        self.retry_failed_mirror_requests(host);
        for worker in self.pods.values_mut() {
            worker.run_status_pass(host);
        }
    }

    /// Lets a pod's worker do everything that is due, and schedules its next timer.
    fn advance_worker(&mut self, uid: &Uid, host: &mut Host<'_, '_>) {
        let Some(worker) = self.pods.get_mut(uid) else { return };
        let had_mounts = host.machine.pod(uid).is_some_and(|held| !held.mounts.is_empty());
        let had_run = worker.can_have_running_containers();
        let cause = host.ctx.caused_by();
        host.ctx.set_cause(worker.cause_of_actions(host));
        worker.advance(host);
        if had_mounts && host.machine.pod(uid).is_none_or(|held| held.mounts.is_empty()) {
            host.request_node_status();
        }
        // The worker is removed when its API object is deleted and all its work is done (LC-054).
        if worker.stage == WorkerStage::Finished && worker.is_deleted {
            self.pods.remove(uid);
            host.machine.remove_pod(uid, host.ctx);
            host.ctx.set_cause(cause);
            return;
        }
        if let Some(due) = worker.next_due(host)
            && worker.wake.is_none_or(|wake| wake > due || wake <= host.ctx.now)
        {
            worker.wake = Some(due);
            host.ctx.timer(due, Timer::Kubelet(KubeletTimer::Pod(uid.clone())));
        }
        let has_ended = had_run && !worker.can_have_running_containers();
        if had_run != worker.can_have_running_containers() || host.machine.pod(uid).is_some() {
            self.schedule_passes_for_usage(host);
        }
        host.ctx.set_cause(cause);
        if has_ended {
            self.retry_resizes(host);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The memory of each idle pod, without the shared API object, must be small: clusters have up to 50 000 pods.
    #[test]
    fn idle_pod_state_is_small() {
        assert!(size_of::<PodWorker>() <= 640, "{}", size_of::<PodWorker>());
        assert!(
            size_of::<worker::VolatileContainerState>() <= 64,
            "{}",
            size_of::<worker::VolatileContainerState>()
        );
    }
}
