//! The kubelet: one small state machine per pod over the machine it runs on.
//! A kubelet's memory is lost when it crashes; the machine's is not.

mod admission;
mod allocation;
mod backoff;
mod conditions;
mod config;
mod due;
mod events;
mod eviction;
mod grace;
mod host;
mod images;
mod kill;
mod mirror;
mod node;
mod orphans;
mod pod_actions;
mod preemption;
mod probes;
mod restart;
mod security;
mod settings;
mod shutdown;
mod start;
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

pub use node::{healthy, usual_labels};
pub use settings::{EvictionSignal, EvictionThreshold, KubeletSettings, ShutdownGroup, ThresholdValue};
pub use view::{ContainerTermination, TerminationStep, TerminationView};

use self::host::{Call, Host, Shared};
use self::worker::{PodWorker, Stage};
use crate::machine::{Machine, MachineEvent};
use crate::{Context, Timer};
use podscope_sim::{Answer, CallId, Input, Objects, SimTime, Span};

/// A timer of a kubelet. Timers of a crashed kubelet are never delivered.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum KubeletTimer {
    /// Something of that pod is due.
    Pod(Uid),
    /// The status manager's pass (every 10 s while something is unsaid).
    Status,
    /// The eviction manager's pass (every 10 s while usage can cross a threshold).
    Eviction,
    /// Housekeeping (every 2 s while there are orphans).
    Housekeeping,
    /// The node's registration or status is due.
    Node,
    /// A step of an orderly shutdown is over.
    Shutdown,
    /// The image manager's pass (every 5 min while images could have to go).
    Images,
    /// Resizes that wait are tried again (every 3 min while there are some).
    Resizes,
}

/// The memory of one kubelet process; a crash empties it.
#[derive(Debug, Clone)]
pub struct Kubelet {
    shared: Shared,
    managers: Managers,
}

/// Everything that works on the shared part.
#[derive(Debug, Clone, Default)]
struct Managers {
    pods: ordered::Map<Uid, PodWorker>,
    orphans: orphans::Orphans,
    eviction: eviction::Eviction,
    images: images::ImageGc,
    shutdown: Option<shutdown::Shutdown>,
    /// Critical pods that others end for; the first of them now (LC-066).
    preemptions: VecDeque<preemption::Preemption>,
    /// New pods that wait until the admission of a critical one is over, in the order in which they came.
    backlog: Vec<Arc<Pod>>,
    mirrors: mirror::Mirrors,
    resizes: allocation::PendingResizes,
    /// Whether the first list has answered (LC-061: before it, nothing is an orphan).
    has_listed: bool,
}

impl Kubelet {
    /// A process that has not started yet; the world sends [`podscope_sim::Input::Started`] next.
    pub fn new(node: NodeName, settings: Arc<KubeletSettings>) -> Self {
        Self {
            shared: Shared {
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
                status_pass: None,
            },
            managers: Managers::default(),
        }
    }

    pub fn node(&self) -> &NodeName {
        &self.shared.node
    }

    /// Its configuration.
    pub fn settings(&self) -> &KubeletSettings {
        &self.shared.settings
    }

    /// One step. `cache` holds all objects as the process can read them now:
    /// the store's while it reaches the API server, frozen while it does not
    /// (for ConfigMaps, Secrets, claims, volumes, attachments; pods and the
    /// Node come as inputs). It watches its Node and its pods only.
    pub fn handle(&mut self, input: Input<Timer>, machine: &mut Machine, cache: &Objects, ctx: &mut Context<'_>) {
        self.step(machine, cache, ctx, |managers, host| managers.handle(input, host));
    }

    /// Something happened on the machine that the kubelet can come to notice.
    pub fn notice(&mut self, event: &MachineEvent, machine: &mut Machine, cache: &Objects, ctx: &mut Context<'_>) {
        self.step(machine, cache, ctx, |managers, host| {
            managers.machine_event(event, host)
        });
    }

    fn step(
        &mut self,
        machine: &mut Machine,
        cache: &Objects,
        ctx: &mut Context<'_>,
        act: impl FnOnce(&mut Managers, &mut Host<'_, '_>),
    ) {
        let mut host = Host {
            machine,
            cache,
            ctx,
            shared: &mut self.shared,
        };
        act(&mut self.managers, &mut host);
        self.managers.preemption_step(&mut host);
        self.managers.eviction_step(&mut host);
        self.managers.mirror_pass(&mut host);
        self.managers.shutdown_pass(&mut host);
    }
}

impl Managers {
    fn handle(&mut self, input: Input<Timer>, host: &mut Host<'_, '_>) {
        match input {
            Input::Started => self.start(host),
            Input::Listed { objects, .. } => {
                let node = objects.named::<Node>(host.shared.node.as_str()).cloned();
                let pods = objects.pods_on(&host.shared.node).cloned().collect();
                self.listed(node, pods, host);
            }
            Input::Changed(change) => match (&change.old, &change.new) {
                (_, Some(Object::Node(node))) => self.node_seen(Some(node.clone()), host),
                (Some(Object::Node(_)), None) => self.node_seen(None, host),
                (_, Some(Object::Pod(pod))) => self.pod_seen(pod, host),
                (Some(Object::Pod(pod)), None) => self.pod_gone(&pod.metadata.uid.clone(), None, host),
                _ => {}
            },
            Input::Answered(id, answer) => self.answered(id, &answer, host),
            Input::Timer(Timer::Kubelet(timer)) => self.timer(timer, host),
            Input::Timer(Timer::Machine(timer)) => unreachable!("{timer:?} is for the machine"),
        }
    }

    fn timer(&mut self, timer: KubeletTimer, host: &mut Host<'_, '_>) {
        match timer {
            KubeletTimer::Pod(uid) => {
                if let Some(worker) = self.pods.get_mut(&uid) {
                    worker.wake = worker.wake.filter(|wake| *wake > host.ctx.now);
                }
                self.advance(&uid, host);
            }
            KubeletTimer::Status => self.status_pass(host),
            KubeletTimer::Eviction => self.eviction_pass(host),
            KubeletTimer::Housekeeping => self.housekeeping(host),
            KubeletTimer::Node => self.node_pass(host),
            // Every step looks at the shutdown.
            KubeletTimer::Shutdown => {}
            KubeletTimer::Images => self.image_pass(host),
            KubeletTimer::Resizes => self.resize_timer(host),
        }
    }

    fn start(&mut self, host: &mut Host<'_, '_>) {
        host.machine.cancel_pulls();
        host.shared.started_at = host.ctx.now;
        host.shared.is_restart = host.ctx.now > SimTime::ZERO;
        host.shared.relist_phase = host.ctx.rng.between(Span::ZERO, Span::seconds(1) - Span(1));
        host.shared.slow_phase = host.ctx.rng.between(Span::ZERO, host::SLOW - Span(1));
        if host.shared.is_restart {
            node::tell_start(host);
        }
        if !host.machine.is_runtime_up() {
            host.shared.node_state.runtime_down_since = Some(host.ctx.now);
            host.want_node_status();
        }
        self.start_static_pods(host);
    }

    fn listed(&mut self, node: Option<Arc<Node>>, mut pods: Vec<Arc<Pod>>, host: &mut Host<'_, '_>) {
        self.node_seen(node, host);
        // LC-060: in the order of creation.
        pods.stable_sort_by(|a, b| {
            let age = |pod: &Pod| (pod.metadata.creation_timestamp, pod.metadata.key());
            age(a).cmp(&age(b))
        });
        for mirror in pods.iter().filter(|pod| pod.is_mirror()) {
            self.mirror_seen(mirror, host);
        }
        let gone: Vec<Uid> = self
            .pods
            .keys()
            .filter(|uid| !pods.iter().any(|pod| pod.metadata.uid == **uid))
            .cloned()
            .collect();
        for uid in gone {
            self.pod_gone(&uid, None, host);
        }
        for pod in pods.iter().filter(|pod| !pod.is_mirror()) {
            self.pod_seen(pod, host);
        }
        self.has_listed = true;
        self.retry_resizes(host);
        self.look_for_orphans(host);
        self.watch_usage(host);
    }

    /// A pod as the API shows it: new to this kubelet, or changed.
    fn pod_seen(&mut self, pod: &Arc<Pod>, host: &mut Host<'_, '_>) {
        if pod.is_mirror() {
            return self.mirror_seen(pod, host);
        }
        let uid = pod.metadata.uid.clone();
        let is_admitting = self.is_admitting();
        let wants_resize = match self.pods.get_mut(&uid) {
            Some(worker) => worker.update(pod, host),
            None if is_admitting => return self.put_back(pod),
            None => self.add(pod, host),
        };
        if wants_resize {
            self.push_resize(&uid);
        }
        self.retry_resizes(host);
        self.advance(&uid, host);
    }

    /// True if the pod asks for other resources than an earlier process has granted.
    fn add(&mut self, pod: &Arc<Pod>, host: &mut Host<'_, '_>) -> bool {
        let mut worker = PodWorker::new(pod.clone());
        worker.recall(host);
        let runs = host
            .machine
            .pod(&pod.metadata.uid)
            .is_some_and(|held| held.running().next().is_some());
        if pod.is_terminal() {
            // LC-218: never started again; what is left of it is cleared away.
            let has_mounts = host
                .machine
                .pod(&pod.metadata.uid)
                .is_some_and(|held| !held.mounts.is_empty());
            if runs || has_mounts || pod.metadata.is_terminating() {
                worker.terminate(host);
            } else {
                worker.enter(Stage::Finished);
            }
            self.pods.insert(pod.metadata.uid.clone(), worker);
            return false;
        }
        let wants_resize = worker.restore_allocation(host);
        let pod = &worker.pod.clone();
        // A pod that a dump shows on its node was admitted before (P-09).
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
            Ok(victims) if victims.is_empty() => worker.kick(host),
            Ok(victims) => self
                .preemptions
                .push_back(preemption::Preemption::new(pod.metadata.uid.clone(), victims)),
        }
        self.pods.insert(pod.metadata.uid.clone(), worker);
        wants_resize
    }

    /// The pods whose resources count on this node (LC-065), with what they were granted; without one of them. A pod
    /// whose API object is gone does not count, though its processes may still end: the kubelet's list has it no more.
    fn admitted(&self, without: Option<&Uid>) -> Vec<Arc<Pod>> {
        let counts = |worker: &&PodWorker| {
            worker.may_run() && !worker.is_gone && !worker.pod.is_terminal() && Some(worker.uid()) != without
        };
        self.pods
            .values()
            .filter(counts)
            .map(|worker| worker.pod.clone())
            .collect()
    }

    /// LC-062 to LC-066; with the pods that must end before this one may start, in the order in which they are ended.
    fn admit(&self, pod: &Arc<Pod>, host: &Host<'_, '_>) -> Result<VecDeque<Uid>, admission::Refusal> {
        let others = self.admitted(None);
        let others: Vec<&Pod> = others.iter().map(|pod| &**pod).collect();
        let refusal = match admission::admit(pod, &others, host) {
            Ok(()) => return Ok(VecDeque::new()),
            Err(refusal) => refusal,
        };
        if !refusal.is_for_resources || !admission::is_critical(pod) {
            return Err(refusal);
        }
        let Some(victims) = preemption::victims(pod, &others, host) else {
            return Err(refusal);
        };
        Ok(victims.iter().map(|victim| victim.metadata.uid.clone()).collect())
    }

    /// Whether a `killPodNow` of the pod has not returned yet.
    fn is_being_killed(&self, uid: &Uid) -> bool {
        self.pods.get(uid).is_some_and(PodWorker::is_being_killed)
    }

    fn pod_gone(&mut self, uid: &Uid, last: Option<&Arc<Pod>>, host: &mut Host<'_, '_>) {
        if self.mirror_gone(uid, host) {
            return;
        }
        self.backlog.retain(|pod| pod.metadata.uid != *uid);
        if let Some(worker) = self.pods.get_mut(uid) {
            worker.removed(last, host);
        }
        self.advance(uid, host);
        self.retry_resizes(host);
        if self.has_listed {
            self.look_for_orphans(host);
        }
    }

    fn answered(&mut self, id: CallId, answer: &Answer, host: &mut Host<'_, '_>) {
        let Some(call) = host.shared.calls.remove(&id) else {
            return;
        };
        match &call {
            Call::Status(uid, version) => {
                if let Some(worker) = self.pods.get_mut(uid) {
                    worker.status_answered(*version, answer, host);
                }
                self.advance(uid, host);
            }
            Call::Delete(uid) => {
                if let Some(worker) = self.pods.get_mut(uid) {
                    worker.delete_answered(answer, host);
                }
                self.advance(uid, host);
            }
            Call::Register | Call::NodeStatus => self.node_answered(&call, answer, host),
            Call::DeleteMirror(_) | Call::CreateMirror(_) => self.mirror_answered(&call, answer, host),
        }
    }

    fn machine_event(&mut self, event: &MachineEvent, host: &mut Host<'_, '_>) {
        let uid = match event {
            MachineEvent::Exited { pod, container } => {
                self.orphans.exited(pod, *container, host);
                pod.clone()
            }
            MachineEvent::HookFinished { pod, .. } | MachineEvent::SandboxLost(pod) => pod.clone(),
            MachineEvent::Pulled { pull, succeeded, .. } => {
                let asked = host.shared.pulls.remove(pull);
                if *succeeded {
                    host.images_changed();
                }
                match asked {
                    Some(uid) => uid,
                    None => return,
                }
            }
            MachineEvent::Runtime { is_up } => {
                self.runtime_changed(*is_up, host);
                return;
            }
            MachineEvent::ShuttingDown => {
                self.begin_shutdown(host);
                return;
            }
            MachineEvent::OutOfMemory { process, pid } => {
                let message = format!("System OOM encountered, victim process: {process}, pid: {pid}");
                let node = host.shared.node.clone();
                events::of_node(&node, podscope_api::EventType::Warning, "SystemOOM", message, host);
                return;
            }
        };
        if let Some(worker) = self.pods.get_mut(&uid) {
            worker.machine_event(event, host);
        }
        self.advance(&uid, host);
        self.watch_usage(host);
    }

    fn runtime_changed(&mut self, is_up: bool, host: &mut Host<'_, '_>) {
        host.shared.node_state.runtime_down_since = (!is_up).then_some(host.ctx.now);
        host.want_node_status();
        host.shared.pulls.clear();
        let uids: Vec<Uid> = self.pods.keys().cloned().collect();
        for uid in uids {
            if let Some(worker) = self.pods.get_mut(&uid)
                && !is_up
            {
                worker.runtime_failed(host);
            }
            self.advance(&uid, host);
        }
        if is_up && self.has_listed {
            self.look_for_orphans(host);
        }
    }

    /// The node's volumes changed: pods that wait look again.
    fn volumes_changed(&mut self, host: &mut Host<'_, '_>) {
        let waiting: Vec<Uid> = self
            .pods
            .iter()
            .filter(|(_, worker)| worker.waits_for_volumes())
            .map(|(uid, _)| uid.clone())
            .collect();
        for uid in waiting {
            if let Some(worker) = self.pods.get_mut(&uid) {
                worker.hurry_volumes(host);
            }
            self.advance(&uid, host);
        }
    }

    fn status_pass(&mut self, host: &mut Host<'_, '_>) {
        if host.shared.status_pass.is_none_or(|queued| queued > host.ctx.now) {
            return;
        }
        host.shared.status_pass = None;
        self.retry_mirrors(host);
        for worker in self.pods.values_mut() {
            worker.status_pass(host);
        }
    }

    /// Lets a pod's worker do what is due, and queues its next wake-up.
    fn advance(&mut self, uid: &Uid, host: &mut Host<'_, '_>) {
        let Some(worker) = self.pods.get_mut(uid) else { return };
        let had_mounts = host.machine.pod(uid).is_some_and(|held| !held.mounts.is_empty());
        let had_run = worker.may_run();
        let cause = host.ctx.caused_by();
        host.ctx.because(worker.cause(host));
        worker.advance(host);
        if had_mounts && host.machine.pod(uid).is_none_or(|held| held.mounts.is_empty()) {
            host.want_node_status();
        }
        // Purged once the API object is gone and nothing is left of it (LC-054).
        if worker.stage == Stage::Finished && worker.is_gone {
            self.pods.remove(uid);
            host.machine.remove_pod(uid, host.ctx);
            host.ctx.because(cause);
            return;
        }
        if let Some(due) = worker.next_due(host)
            && worker.wake.is_none_or(|wake| wake > due || wake <= host.ctx.now)
        {
            worker.wake = Some(due);
            host.ctx.timer(due, Timer::Kubelet(KubeletTimer::Pod(uid.clone())));
        }
        let has_ended = had_run && !worker.may_run();
        if had_run != worker.may_run() || host.machine.pod(uid).is_some() {
            self.watch_usage(host);
        }
        host.ctx.because(cause);
        if has_ended {
            self.retry_resizes(host);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 50 000 idle pods must cost little: what a kubelet holds of one, beside the shared API object.
    #[test]
    fn an_idle_pod_is_small() {
        assert!(size_of::<PodWorker>() <= 640, "{}", size_of::<PodWorker>());
        assert!(size_of::<worker::Memory>() <= 64, "{}", size_of::<worker::Memory>());
    }
}
