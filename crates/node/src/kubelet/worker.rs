//! One pod on this kubelet: its worker (LC-051 to LC-061).
//!
//! ```text
//!          admitted
//! (added) ─────────▶ Syncing ──deleted, ended, evicted──▶ Terminating ──nothing runs──▶ Terminated ──unmounted──▶ Finished
//!    │                                                        ▲
//!    └──refused──▶ Rejected ──────────────deleted─────────────┘
//! ```
//!
//! A worker is serial: while a sync or a kill is under way, updates collapse
//! into one that is pending (LC-055).

use std::sync::Arc;

use podscope_api::{CausedBy, ContainerStateWaiting, Pod, PodStatus, Str, Uid};

use super::allocation::Resize;
use super::backoff::BackOff;
use super::conditions::EndReason;
use super::grace;
use super::host::Host;
use super::kill::Kill;
use super::probes::{ProbeKind, ProbeWorker};
use super::status_manager::Report;
use super::sync::SyncRun;
use crate::machine::{ContainerId, MachineEvent, MachinePod, containers_of};
use podscope_sim::{SimTime, Span};

/// Where a worker is. Invariant: it only moves forward (LC-054).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stage {
    /// Refused at admission: nothing of it is run by this kubelet (LC-062).
    Rejected,
    /// Being kept running (LC-051).
    Syncing,
    /// Being killed (LC-052).
    Terminating,
    /// Nothing runs; volumes are given back (LC-053).
    Terminated,
    /// Nothing is left to do but the last DELETE.
    Finished,
}

/// What a worker is busy with.
#[derive(Debug, Clone)]
pub(super) enum Activity {
    Idle,
    /// Waiting for volumes to be attached and mountable.
    Volumes(super::volumes::Wait),
    /// Bringing containers to where they should be.
    Sync(Box<SyncRun>),
    /// Killing all of the pod.
    Kill(Kill),
}

/// How a sync ended (LC-056).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SyncEnd {
    /// Next one when something changes.
    Ok,
    /// Only back-offs of restarts were in the way; the next one soon after the first of them is over (LC-088).
    BackOff(SimTime),
    /// Next one in 10 to 15 s.
    Error,
}

/// A restart that is blocked for longer is looked at this often at least (LC-088).
const LONGEST_LOOK: Span = Span::seconds(60);

/// What the kubelet remembers of a container; a crash forgets it (LC-059).
#[derive(Debug, Clone, Default)]
pub(super) struct Memory {
    /// Why the last attempt to start it came to nothing.
    pub(super) waiting: Option<Box<ContainerStateWaiting>>,
    /// CrashLoopBackOff.
    pub(super) restarts: Option<BackOff>,
    /// ImagePullBackOff.
    pub(super) pulls: Option<BackOff>,
}

#[derive(Debug, Clone)]
pub(super) struct PodWorker {
    /// The API object as last seen, with the resources that were granted.
    pub(super) pod: Arc<Pod>,
    /// Whether the API object is gone.
    pub(super) is_gone: bool,
    pub(super) stage: Stage,
    pub(super) activity: Activity,
    /// Whether an update came while the worker was busy.
    is_pending: bool,
    /// Whether the sync under way did something to the machine.
    has_changed_machine: bool,
    /// What led to the sync that is due or under way, as far as the kubelet was told; see [`PodWorker::cause`].
    because: CausedBy,
    /// When the next sync begins.
    due: Option<SimTime>,
    last_sync_end: Option<SimTime>,
    /// Grace of the termination in seconds, 0 before it is set (LC-133).
    grace: i64,
    /// Grace asked for by an eviction or preemption.
    asked_grace: Option<i64>,
    /// Why the kubelet itself ends the pod.
    pub(super) ended_for: Option<Box<EndReason>>,
    /// When an eviction gives up waiting for the kill (LC-178).
    kill_wait_until: Option<SimTime>,
    /// Whether a container ended in a way that restarts all of them, and they are being stopped.
    pub(super) is_restarting_all: bool,
    /// A resize in place that is not over.
    pub(super) resize: Option<Box<Resize>>,
    /// Whether a resize was ever granted: the container statuses are this kubelet's own from then on.
    pub(super) has_resized: bool,
    pub(super) memory: Vec<Memory>,
    pub(super) probes: Vec<ProbeWorker>,
    pub(super) has_probes: bool,
    pub(super) report: Report,
    /// The earliest wake-up that is queued for it.
    pub(super) wake: Option<SimTime>,
}

impl PodWorker {
    pub(super) fn new(pod: Arc<Pod>) -> Self {
        let memory = containers_of(&pod).map(|_| Memory::default()).collect();
        Self {
            pod,
            is_gone: false,
            stage: Stage::Syncing,
            activity: Activity::Idle,
            is_pending: false,
            has_changed_machine: false,
            because: CausedBy::NOTHING,
            due: None,
            last_sync_end: None,
            grace: 0,
            asked_grace: None,
            ended_for: None,
            kill_wait_until: None,
            is_restarting_all: false,
            resize: None,
            has_resized: false,
            memory,
            probes: Vec::new(),
            has_probes: false,
            report: Report::default(),
            wake: None,
        }
    }

    pub(super) fn uid(&self) -> &Uid {
        &self.pod.metadata.uid
    }

    /// The status as this kubelet last set it, else as the API has it.
    pub(super) fn status(&self) -> &PodStatus {
        self.report.status().unwrap_or(&self.pod.status)
    }

    pub(super) fn waiting(&self, idx: usize) -> Option<&ContainerStateWaiting> {
        self.memory.get(idx)?.waiting.as_deref()
    }

    /// The published result of a probe; none if there is no such probe.
    pub(super) fn probe_result(&self, idx: usize, kind: ProbeKind, container: Option<ContainerId>) -> Option<bool> {
        let probe = self
            .probes
            .iter()
            .find(|probe| probe.container_idx == idx && probe.kind == kind)?;
        Some(probe.result_for(container))
    }

    /// Goes to another stage.
    ///
    /// # Panics
    /// The stage does not lie ahead: no worker ever goes back, and one is refused before it has begun or never (LC-054).
    pub(super) fn enter(&mut self, stage: Stage) {
        let is_new = self.stage == Stage::Syncing && self.due.is_none() && self.last_sync_end.is_none();
        let lies_ahead = stage > self.stage || (stage == Stage::Rejected && is_new);
        assert!(
            lies_ahead,
            "{:?} to {stage:?}: {:?}",
            self.stage,
            self.pod.metadata.key()
        );
        self.stage = stage;
    }

    /// Whether containers of it may run (LC-065, LC-111).
    pub(super) fn may_run(&self) -> bool {
        matches!(self.stage, Stage::Syncing | Stage::Terminating)
    }

    /// Something about the pod is new: it is synced now, or as soon as the runtime has been looked at again (LC-057).
    pub(super) fn kick(&mut self, host: &Host<'_, '_>) {
        self.kick_at(host.ctx.now, host);
    }

    /// A sync not before `at`.
    pub(super) fn kick_at(&mut self, at: SimTime, host: &Host<'_, '_>) {
        if !matches!(self.activity, Activity::Idle) {
            self.because = host.ctx.caused_by();
            self.is_pending = true;
            return;
        }
        let at = match self.last_sync_end {
            Some(end) => at.max(host.shared.relist_after(end)),
            None => at,
        };
        if self.due.is_none_or(|due| at <= due) {
            self.because = host.ctx.caused_by();
            self.due = Some(at);
        }
    }

    /// What leads to what the worker does now: the change or event that it was last told of, or what happened to one of
    /// its processes since.
    pub(super) fn cause(&self, host: &Host<'_, '_>) -> CausedBy {
        let held = host.machine.pod(self.uid());
        self.because
            .latest(held.map_or(CausedBy::NOTHING, MachinePod::latest_record))
    }

    /// The machine changed something of the pod: the kubelet sees it when it looks at the runtime (LC-057).
    pub(super) fn notice(&mut self, host: &Host<'_, '_>) {
        self.kick_at(host.shared.relist_after(host.ctx.now), host);
    }

    /// Termination begins (or its grace becomes shorter) for the reasons of LC-051.
    pub(super) fn terminate(&mut self, host: &mut Host<'_, '_>) {
        if self.stage >= Stage::Terminated {
            return;
        }
        self.grace = grace::of_pod(self.grace, &self.pod, self.asked_grace, host.ctx.switches);
        if self.stage < Stage::Terminating {
            self.enter(Stage::Terminating);
            self.is_restarting_all = false;
            // LC-169: volume waits are given up, starts under way are not.
            if matches!(self.activity, Activity::Volumes(_)) {
                self.activity = Activity::Idle;
                self.last_sync_end = Some(host.ctx.now);
            }
        }
        self.kick(host);
    }

    /// The kubelet itself ends the pod (eviction, preemption, shutdown): `killPodNow`. The caller is blocked as long as
    /// [`Self::is_being_killed`] says; a worker that is finished never answers it.
    pub(super) fn kill_pod_now(&mut self, ended_for: EndReason, asked_grace: Option<i64>, host: &mut Host<'_, '_>) {
        if self.stage == Stage::Terminated {
            return;
        }
        self.kill_wait_until = Some(host.ctx.now + grace::kill_wait(&self.pod, asked_grace));
        if self.stage == Stage::Finished {
            return;
        }
        self.asked_grace = asked_grace;
        self.ended_for = Some(Box::new(ended_for));
        self.terminate(host);
    }

    /// Whether a call of [`Self::kill_pod_now`] is still waited for: neither is the pod dead nor its time over.
    pub(super) fn is_being_killed(&self) -> bool {
        self.kill_wait_until.is_some()
    }

    /// The API object changed. True if it asks for other resources than were granted.
    pub(super) fn update(&mut self, pod: &Arc<Pod>, host: &mut Host<'_, '_>) -> bool {
        let before = self.pod.clone();
        let wants_resize = self.take(pod, host);
        self.report.api_changed(&before, pod, host);
        for (memory, ((_, old), (_, new))) in self
            .memory
            .iter_mut()
            .zip(containers_of(&before).zip(containers_of(pod)))
        {
            if old.image != new.image {
                // LC-084: another image is another back-off entry.
                memory.restarts = None;
            }
        }
        if pod.metadata.is_terminating() && self.stage < Stage::Terminated {
            let is_news = before.metadata.deletion_grace_period_seconds != pod.metadata.deletion_grace_period_seconds
                || !before.metadata.is_terminating();
            if is_news || self.stage < Stage::Terminating {
                self.terminate(host);
            }
        } else if pod.is_terminal() && !before.is_terminal() && self.stage == Stage::Syncing {
            // LC-056: the worker meets it at its next periodic sync.
            let at = host.ctx.now + host.ctx.rng.between(Span::ZERO, Span::seconds(90));
            self.kick_at(at, host);
        } else if self.stage == Stage::Syncing {
            let same_images = containers_of(&before)
                .zip(containers_of(pod))
                .all(|((_, old), (_, new))| old.image == new.image);
            let same_spec = same_images && before.spec.active_deadline_seconds == pod.spec.active_deadline_seconds;
            let foreign = |pod: &Pod| -> Vec<(Str, podscope_api::ConditionStatus)> {
                let gates = pod
                    .status
                    .conditions
                    .iter()
                    .filter(|known| !super::conditions::is_owned(&known.kind));
                gates.map(|known| (known.kind.clone(), known.status.clone())).collect()
            };
            if !same_spec || (!pod.spec.readiness_gates.is_empty() && foreign(&before) != foreign(pod)) {
                self.kick(host);
            }
        }
        self.try_delete(host);
        wants_resize
    }

    /// The API object is gone (LC-166).
    pub(super) fn removed(&mut self, last: Option<&Arc<Pod>>, host: &mut Host<'_, '_>) {
        if let Some(last) = last {
            self.pod = last.clone();
        }
        self.is_gone = true;
        self.report.forget();
        if self.stage == Stage::Rejected {
            self.enter(Stage::Finished);
        }
        self.terminate(host);
    }

    /// Does everything that is due now.
    pub(super) fn advance(&mut self, host: &mut Host<'_, '_>) {
        if self.ended_for.is_none()
            && self
                .deadline(host)
                .is_some_and(|at| host.shared.relist_after(at) <= host.ctx.now)
        {
            self.kick(host);
        }
        // Each round takes one step of the machine below.
        for round in 0.. {
            assert!(
                round < 10_000,
                "a worker never ends its step: {:?}",
                self.pod.metadata.key()
            );
            self.assert_activity_fits();
            self.run_probes(host);
            let progressed = match std::mem::replace(&mut self.activity, Activity::Idle) {
                Activity::Idle => self.begin_if_due(host),
                Activity::Volumes(wait) => self.wait_for_volumes(wait, host),
                Activity::Sync(run) => self.go_on(run, host),
                Activity::Kill(mut kill) => {
                    kill.tick(&self.pod, host);
                    if kill.is_done() {
                        self.killed(host);
                        true
                    } else {
                        self.activity = Activity::Kill(kill);
                        false
                    }
                }
            };
            if !progressed {
                break;
            }
        }
        self.check_kill_wait(host);
    }

    /// Nothing begins anew for a pod that ends, and one that has ended is busy with nothing (LC-054, LC-169).
    fn assert_activity_fits(&self) {
        let fits = match &self.activity {
            Activity::Idle => true,
            Activity::Volumes(_) => self.stage == Stage::Syncing,
            // A sync that was under way when the end began is let finish.
            Activity::Sync(_) => matches!(self.stage, Stage::Syncing | Stage::Terminating),
            Activity::Kill(_) => self.stage == Stage::Terminating,
        };
        assert!(
            fits,
            "a worker in {:?} is busy with {:?}: {:?}",
            self.stage,
            self.activity,
            self.pod.metadata.key()
        );
    }

    /// The earliest instant at which something is due.
    pub(super) fn next_due(&self, host: &Host<'_, '_>) -> Option<SimTime> {
        let activity = match &self.activity {
            Activity::Idle => self.due,
            Activity::Volumes(wait) => Some(wait.next_try),
            Activity::Sync(run) => run.next_due(),
            Activity::Kill(kill) => kill.next_deadline(),
        };
        let probes = self.next_probe(host);
        let deadline = self
            .deadline(host)
            .map(|at| host.shared.relist_after(at))
            .filter(|at| *at > host.ctx.now);
        [activity, probes, deadline, self.kill_wait_until]
            .into_iter()
            .flatten()
            .min()
    }

    /// The machine did something.
    pub(super) fn machine_event(&mut self, event: &MachineEvent, host: &mut Host<'_, '_>) {
        let pod = self.pod.clone();
        self.because = host.ctx.caused_by();
        let kill = match &mut self.activity {
            Activity::Kill(kill) => Some(kill),
            Activity::Sync(run) => run.kill_mut(),
            _ => None,
        };
        match event {
            MachineEvent::Exited { container, .. } => {
                if let Some(kill) = kill {
                    kill.exited(&pod, *container, host);
                }
                self.notice(host);
            }
            MachineEvent::HookFinished {
                container,
                hook,
                succeeded,
                ..
            } => match (hook, kill) {
                (crate::machine::HookKind::PreStop, Some(kill)) => {
                    kill.hook_finished(&pod, *container, *succeeded, host)
                }
                (crate::machine::HookKind::PostStart, _) => self.post_start_finished(*container, *succeeded, host),
                _ => {}
            },
            MachineEvent::SandboxLost(_) => self.notice(host),
            MachineEvent::Pulled {
                pull,
                succeeded,
                took,
                waited,
            } => self.pulled(*pull, *succeeded, (*took, *waited), host),
            MachineEvent::Runtime { .. } | MachineEvent::ShuttingDown | MachineEvent::OutOfMemory { .. } => {}
        }
    }

    /// The runtime went away: whatever it was doing failed (LC-167).
    pub(super) fn runtime_failed(&mut self, host: &mut Host<'_, '_>) {
        let was = std::mem::replace(&mut self.activity, Activity::Idle);
        match was {
            Activity::Idle | Activity::Volumes(_) => self.activity = was,
            Activity::Kill(_) => {
                let message = "error killing pod: rpc error: code = Unavailable desc = connection error";
                super::events::of_pod(
                    &self.pod,
                    podscope_api::EventType::Warning,
                    "FailedKillPod",
                    message,
                    host,
                );
                self.finish_sync(SyncEnd::Error, host);
            }
            Activity::Sync(_) => self.finish_sync(SyncEnd::Error, host),
        }
    }

    fn begin_if_due(&mut self, host: &mut Host<'_, '_>) -> bool {
        if self.due.is_none_or(|due| due > host.ctx.now) {
            return false;
        }
        self.due = None;
        if !host.machine.is_runtime_up() {
            if self.stage < Stage::Finished {
                self.finish_sync(SyncEnd::Error, host);
            }
            return false;
        }
        match self.stage {
            Stage::Syncing => self.begin_sync(host),
            Stage::Terminating => self.begin_kill(host),
            Stage::Terminated => self.clean_up(host),
            Stage::Rejected | Stage::Finished => return false,
        }
        true
    }

    /// A sync is over; the worker is free again.
    pub(super) fn finish_sync(&mut self, end: SyncEnd, host: &mut Host<'_, '_>) {
        self.activity = Activity::Idle;
        let has_changed = std::mem::take(&mut self.has_changed_machine);
        let is_pending = std::mem::take(&mut self.is_pending);
        // LC-057: the runtime is looked at again at once after a sync that went well and did something.
        let looks_at_once = has_changed && end == SyncEnd::Ok;
        self.last_sync_end = (!looks_at_once).then_some(host.ctx.now);
        if has_changed || is_pending {
            self.kick(host);
            return;
        }
        let wait = match end {
            SyncEnd::Ok => return,
            SyncEnd::BackOff(until) => {
                let least = (until - host.ctx.now).clamp(Span::ZERO, LONGEST_LOOK);
                host.ctx.rng.between(least, Span(least.0 + least.0 / 2))
            }
            SyncEnd::Error => host.ctx.rng.between(Span::seconds(10), Span::seconds(15)),
        };
        self.kick_at(host.ctx.now + wait, host);
    }

    /// Nothing of the pod runs any more: its worker goes to the next stage.
    fn killed(&mut self, host: &mut Host<'_, '_>) {
        let left = host.machine.pod(&self.pod.metadata.uid);
        debug_assert!(
            left.is_none_or(|held| held.running().next().is_none()),
            "killed, and something still runs: {:?}",
            self.pod.metadata.key()
        );
        host.machine.stop_sandbox(&self.pod.metadata.uid);
        self.probes.clear();
        self.kill_wait_until = None;
        self.enter(Stage::Terminated);
        self.set_status(true, host);
        self.tell_deadline(host);
        self.finish_sync(SyncEnd::Ok, host);
        self.kick(host);
    }

    fn begin_kill(&mut self, host: &mut Host<'_, '_>) {
        self.grace = grace::of_pod(self.grace, &self.pod, self.asked_grace, host.ctx.switches);
        self.set_status(false, host);
        self.tell_deadline(host);
        self.stop_probes_for_termination();
        let victims = self.all_victims(Some(self.grace), host);
        let kill = Kill::begin(&self.pod.clone(), victims, true, host);
        if kill.is_done() {
            self.killed(host);
        } else {
            self.activity = Activity::Kill(kill);
        }
    }

    fn clean_up(&mut self, host: &mut Host<'_, '_>) {
        let uid = self.pod.metadata.uid.clone();
        host.machine.unmount_all(&uid, host.ctx);
        debug_assert!(
            host.machine.pod(&uid).is_none_or(|held| held.mounts.is_empty()),
            "cleaned up, and something is still mounted: {:?}",
            self.pod.metadata.key()
        );
        self.enter(Stage::Finished);
        self.finish_sync(SyncEnd::Ok, host);
        self.due = None;
        self.finish_report(host);
    }

    /// `ExceededGracePeriod` (LC-178), when [`grace::kill_wait`] is over.
    fn check_kill_wait(&mut self, host: &mut Host<'_, '_>) {
        if self.kill_wait_until.is_some_and(|until| until <= host.ctx.now) {
            self.kill_wait_until = None;
            let message = "Container runtime did not kill the pod within specified grace period.";
            super::events::of_pod(
                &self.pod,
                podscope_api::EventType::Warning,
                "ExceededGracePeriod",
                message,
                host,
            );
        }
    }

    /// A sync changed containers or the sandbox: the next look at the runtime brings another sync (LC-057).
    pub(super) fn changed_machine(&mut self) {
        self.has_changed_machine = true;
    }

    /// Whether it is to have its volumes: it waits for them, or will when it tries again.
    pub(super) fn wants_volumes(&self) -> bool {
        self.stage == Stage::Syncing && (self.waits_for_volumes() || self.last_sync_end.is_some())
    }

    /// Whether it waits for volumes.
    pub(super) fn waits_for_volumes(&self) -> bool {
        matches!(self.activity, Activity::Volumes(_))
    }

    /// Volumes were attached or reported: a waiting worker looks again.
    pub(super) fn hurry_volumes(&mut self, host: &Host<'_, '_>) {
        if let Activity::Volumes(wait) = &mut self.activity {
            self.because = host.ctx.caused_by();
            wait.hurry(host.ctx.now);
        }
    }

    /// Steps of the termination for the page (L-16).
    pub(super) fn kill(&self) -> Option<&Kill> {
        match &self.activity {
            Activity::Kill(kill) => Some(kill),
            _ => None,
        }
    }
}
