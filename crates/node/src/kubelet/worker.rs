//! The worker of one pod on this kubelet (LC-051 to LC-061).
//!
//! ```text
//!          admitted
//! (added) ─────────▶ Syncing ──deleted, ended, evicted──▶ Terminating ──nothing runs──▶ Terminated ──unmounted──▶ Finished
//!    │                                                        ▲
//!    └──rejected─▶ Rejected ──────────────deleted─────────────┘
//! ```
//!
//! A worker is serial: while a sync or a kill is in progress, all updates are merged into one pending sync (LC-055).

mod termination;

use std::sync::Arc;

use podscope_api::{CausedBy, ContainerStateWaiting, Pod, PodStatus, Str, Uid};

use super::allocation::UncompletedResize;
use super::backoff::BackOff;
use super::conditions::PodEndReason;
use super::host::Host;
use super::kill::Kill;
use super::probes::{ProbeKind, ProbeWorker};
use super::status_manager::StatusReport;
use super::sync::SyncRun;
use crate::machine::{ContainerId, MachineEvent, MachinePod, containers_of};
use podscope_sim::{SimTime, Span};

/// Stage of a worker. Invariant: it only moves forward (LC-054).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum WorkerStage {
    /// Rejected at admission: this kubelet runs nothing of the pod (LC-062).
    Rejected,
    /// The pod is synced to its spec (LC-051).
    Syncing,
    /// The containers are being killed (LC-052).
    Terminating,
    /// No container runs; the volumes are unmounted next (LC-053).
    Terminated,
    /// Only the final DELETE is left.
    Finished,
}

/// Present activity of a worker.
#[derive(Debug, Clone)]
pub(super) enum WorkerActivity {
    Idle,
    /// Waiting until the volumes are attached and can be mounted.
    Volumes(super::volumes::VolumeWait),
    /// Making the containers match the spec.
    Sync(Box<SyncRun>),
    /// Killing all containers of the pod.
    Kill(Kill),
}

/// Result of a sync (LC-056).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SyncResult {
    /// The sync succeeded; the next sync follows the next change.
    Ok,
    /// The sync only delayed starts because of restart back-offs; the next sync follows soon after the first back-off
    /// ends (LC-088).
    BackOff(SimTime),
    /// The sync failed; the next sync follows in 10 to 15 s.
    Error,
}

/// Maximum interval between syncs while a restart is delayed by back-off (LC-088).
const MAX_BACK_OFF_WAIT: Span = Span::seconds(60);

/// In-memory state of a container in the kubelet; it is lost when the kubelet crashes (LC-059).
#[derive(Debug, Clone, Default)]
pub(super) struct VolatileContainerState {
    /// Why the last attempt to start the container failed.
    pub(super) waiting: Option<Box<ContainerStateWaiting>>,
    /// Restart back-off (CrashLoopBackOff).
    pub(super) restarts: Option<BackOff>,
    /// Pull back-off (ImagePullBackOff).
    pub(super) pulls: Option<BackOff>,
}

#[derive(Debug, Clone)]
pub(super) struct PodWorker {
    /// The API object as last observed, but with the granted resources.
    pub(super) pod: Arc<Pod>,
    /// Whether the API object is deleted.
    pub(super) is_deleted: bool,
    pub(super) stage: WorkerStage,
    pub(super) activity: WorkerActivity,
    /// Whether a sync was requested while the worker was busy.
    is_pending: bool,
    /// Whether the present sync changed containers or the sandbox.
    has_changed_machine: bool,
    /// The trace record that caused the next or present sync; see [`PodWorker::cause_of_actions`].
    input_cause: CausedBy,
    /// When the next sync begins.
    due: Option<SimTime>,
    last_sync_end: Option<SimTime>,
    /// Grace period of the termination in seconds; 0 before it is set (LC-133).
    grace: i64,
    /// Grace period in seconds that an eviction, preemption or shutdown requested.
    requested_grace: Option<i64>,
    /// Why the kubelet itself ends the pod.
    pub(super) end_reason: Option<Box<PodEndReason>>,
    /// When `killPodNow` times out (LC-178).
    kill_timeout_at: Option<SimTime>,
    /// Whether all containers are being stopped because of RestartAllContainers.
    pub(super) is_restarting_all: bool,
    /// An in-place resize that has not completed.
    pub(super) resize: Option<Box<UncompletedResize>>,
    /// Whether a resize was ever granted. From then on, resources in container statuses are computed, not taken from
    /// the API.
    pub(super) has_resized: bool,
    pub(super) container_states: Vec<VolatileContainerState>,
    pub(super) probes: Vec<ProbeWorker>,
    pub(super) has_probes: bool,
    pub(super) report: StatusReport,
    /// The earliest scheduled timer of this worker.
    pub(super) wake: Option<SimTime>,
}

impl PodWorker {
    pub(super) fn new(pod: Arc<Pod>) -> Self {
        let container_states = containers_of(&pod).map(|_| VolatileContainerState::default()).collect();
        Self {
            pod,
            is_deleted: false,
            stage: WorkerStage::Syncing,
            activity: WorkerActivity::Idle,
            is_pending: false,
            has_changed_machine: false,
            input_cause: CausedBy::NOTHING,
            due: None,
            last_sync_end: None,
            grace: 0,
            requested_grace: None,
            end_reason: None,
            kill_timeout_at: None,
            is_restarting_all: false,
            resize: None,
            has_resized: false,
            container_states,
            probes: Vec::new(),
            has_probes: false,
            report: StatusReport::default(),
            wake: None,
        }
    }

    pub(super) fn uid(&self) -> &Uid {
        &self.pod.metadata.uid
    }

    /// Returns the latest status that this kubelet has computed; that of the API object if no computed status is
    /// stored.
    pub(super) fn status(&self) -> &PodStatus {
        self.report.status().unwrap_or(&self.pod.status)
    }

    pub(super) fn waiting_state(&self, idx: usize) -> Option<&ContainerStateWaiting> {
        self.container_states.get(idx)?.waiting.as_deref()
    }

    /// Returns the published result of a probe; None if the container has no such probe.
    pub(super) fn probe_result(&self, idx: usize, kind: ProbeKind, container: Option<ContainerId>) -> Option<bool> {
        let probe = self
            .probes
            .iter()
            .find(|probe| probe.container_idx == idx && probe.kind == kind)?;
        Some(probe.result_for(container))
    }

    /// Enters another stage.
    ///
    /// # Panics
    /// Panics if the stage is not later than the present one; only a new worker may become Rejected (LC-054).
    pub(super) fn enter_stage(&mut self, stage: WorkerStage) {
        let is_new = self.stage == WorkerStage::Syncing && self.due.is_none() && self.last_sync_end.is_none();
        let is_later = stage > self.stage || (stage == WorkerStage::Rejected && is_new);
        assert!(is_later, "{:?} to {stage:?}: {:?}", self.stage, self.pod.metadata.key());
        self.stage = stage;
    }

    /// Returns whether containers of the pod may run (LC-065, LC-111).
    pub(super) fn can_have_running_containers(&self) -> bool {
        matches!(self.stage, WorkerStage::Syncing | WorkerStage::Terminating)
    }

    /// Requests a sync, because something about the pod changed. It begins now, or after the next relist of the runtime
    /// (LC-057).
    pub(super) fn request_sync(&mut self, host: &Host<'_, '_>) {
        self.request_sync_at(host.ctx.now, host);
    }

    /// Requests a sync that begins at `at` or later.
    pub(super) fn request_sync_at(&mut self, at: SimTime, host: &Host<'_, '_>) {
        if !matches!(self.activity, WorkerActivity::Idle) {
            self.input_cause = host.ctx.caused_by();
            self.is_pending = true;
            return;
        }
        let at = match self.last_sync_end {
            Some(end) => at.max(host.shared.next_relist_after(end)),
            None => at,
        };
        if self.due.is_none_or(|due| at <= due) {
            self.input_cause = host.ctx.caused_by();
            self.due = Some(at);
        }
    }

    /// Returns the trace record that caused the worker's present actions: the latest of the record that caused the sync
    /// and the records about the pod's processes.
    pub(super) fn cause_of_actions(&self, host: &Host<'_, '_>) -> CausedBy {
        let held = host.machine.pod(self.uid());
        self.input_cause
            .latest(held.map_or(CausedBy::NOTHING, MachinePod::cause_from_latest_record))
    }

    /// Requests a sync after a change on the machine. The kubelet detects the change when it relists the runtime
    /// (LC-057).
    pub(super) fn request_sync_after_relist(&mut self, host: &Host<'_, '_>) {
        self.request_sync_at(host.shared.next_relist_after(host.ctx.now), host);
    }

    /// Handles a change of the API object. Returns true if it requests other resources than were granted.
    pub(super) fn handle_api_change_of_pod(&mut self, pod: &Arc<Pod>, host: &mut Host<'_, '_>) -> bool {
        let before = self.pod.clone();
        let wants_resize = self.set_api_pod(pod, host);
        self.report.handle_api_change(&before, pod, host);
        for (container_state, ((_, old), (_, new))) in self
            .container_states
            .iter_mut()
            .zip(containers_of(&before).zip(containers_of(pod)))
        {
            if old.image != new.image {
                // A changed image starts a new back-off entry (LC-084).
                container_state.restarts = None;
            }
        }
        if pod.metadata.is_terminating() && self.stage < WorkerStage::Terminated {
            let is_news = before.metadata.deletion_grace_period_seconds != pod.metadata.deletion_grace_period_seconds
                || !before.metadata.is_terminating();
            if is_news || self.stage < WorkerStage::Terminating {
                self.terminate(host);
            }
        } else if pod.is_terminal() && !before.is_terminal() && self.stage == WorkerStage::Syncing {
            // A terminal phase written by someone else is handled at the next periodic sync (LC-056).
            let at = host.ctx.now + host.ctx.rng.between(Span::ZERO, Span::seconds(90));
            self.request_sync_at(at, host);
        } else if self.stage == WorkerStage::Syncing {
            let same_images = containers_of(&before)
                .zip(containers_of(pod))
                .all(|((_, old), (_, new))| old.image == new.image);
            let same_spec = same_images && before.spec.active_deadline_seconds == pod.spec.active_deadline_seconds;
            let foreign = |pod: &Pod| -> Vec<(Str, podscope_api::ConditionStatus)> {
                let gates = pod
                    .status
                    .conditions
                    .iter()
                    .filter(|known| !super::conditions::is_owned_by_kubelet(&known.kind));
                gates.map(|known| (known.kind.clone(), known.status.clone())).collect()
            };
            if !same_spec || (!pod.spec.readiness_gates.is_empty() && foreign(&before) != foreign(pod)) {
                self.request_sync(host);
            }
        }
        self.send_final_delete_if_done(host);
        wants_resize
    }

    /// Handles the deletion of the API object (LC-166).
    pub(super) fn handle_deletion(&mut self, host: &mut Host<'_, '_>) {
        self.is_deleted = true;
        self.report.stop_requests_after_deletion();
        if self.stage == WorkerStage::Rejected {
            self.enter_stage(WorkerStage::Finished);
        }
        self.terminate(host);
    }

    /// Performs all actions of the worker that are due now.
    pub(super) fn advance(&mut self, host: &mut Host<'_, '_>) {
        if self.end_reason.is_none()
            && self
                .active_deadline(host)
                .is_some_and(|at| host.shared.next_relist_after(at) <= host.ctx.now)
        {
            self.request_sync(host);
        }
        // Each round takes one step of the activity.
        for round in 0.. {
            assert!(
                round < 10_000,
                "the worker does not finish its step: {:?}",
                self.pod.metadata.key()
            );
            self.assert_activity_matches_stage();
            self.run_probes(host);
            let progressed = match std::mem::replace(&mut self.activity, WorkerActivity::Idle) {
                WorkerActivity::Idle => self.begin_next_sync_if_due(host),
                WorkerActivity::Volumes(wait) => self.wait_for_volumes(wait, host),
                WorkerActivity::Sync(run) => self.continue_sync(run, host),
                WorkerActivity::Kill(mut kill) => {
                    kill.advance_due_calls(&self.pod, host);
                    if kill.is_done() {
                        self.finish_kill(host);
                        true
                    } else {
                        self.activity = WorkerActivity::Kill(kill);
                        false
                    }
                }
            };
            if !progressed {
                break;
            }
        }
        self.check_kill_timeout(host);
    }

    /// Checks that the activity is allowed in the present stage: a terminating pod starts nothing new, and a finished
    /// worker is idle (LC-054, LC-169).
    fn assert_activity_matches_stage(&self) {
        let is_allowed = match &self.activity {
            WorkerActivity::Idle => true,
            WorkerActivity::Volumes(_) => self.stage == WorkerStage::Syncing,
            // A sync that was in progress when the termination began may complete.
            WorkerActivity::Sync(_) => matches!(self.stage, WorkerStage::Syncing | WorkerStage::Terminating),
            WorkerActivity::Kill(_) => self.stage == WorkerStage::Terminating,
        };
        assert!(
            is_allowed,
            "a worker in stage {:?} has activity {:?}: {:?}",
            self.stage,
            self.activity,
            self.pod.metadata.key()
        );
    }

    /// Returns the earliest instant at which an action is due.
    pub(super) fn next_due(&self, host: &Host<'_, '_>) -> Option<SimTime> {
        let activity = match &self.activity {
            WorkerActivity::Idle if self.is_blocked_by_preemption(host) => None,
            WorkerActivity::Idle => self.due,
            WorkerActivity::Volumes(wait) => Some(wait.next_try),
            WorkerActivity::Sync(run) => run.next_due(),
            WorkerActivity::Kill(kill) => kill.next_deadline(),
        };
        let probes = self.next_probe_tick(host);
        let deadline = self
            .active_deadline(host)
            .map(|at| host.shared.next_relist_after(at))
            .filter(|at| *at > host.ctx.now);
        [activity, probes, deadline, self.kill_timeout_at]
            .into_iter()
            .flatten()
            .min()
    }

    /// Handles an event of the machine about this pod.
    pub(super) fn handle_machine_event(&mut self, event: &MachineEvent, host: &mut Host<'_, '_>) {
        let pod = self.pod.clone();
        self.input_cause = host.ctx.caused_by();
        let kill = match &mut self.activity {
            WorkerActivity::Kill(kill) => Some(kill),
            WorkerActivity::Sync(run) => run.kill_mut(),
            _ => None,
        };
        match event {
            MachineEvent::Exited { container, .. } => {
                if let Some(kill) = kill {
                    kill.handle_exit(&pod, *container, host);
                }
                self.request_sync_after_relist(host);
            }
            MachineEvent::HookFinished {
                container,
                hook,
                succeeded,
                ..
            } => match (hook, kill) {
                (crate::machine::HookKind::PreStop, Some(kill)) => {
                    kill.handle_hook_finished(&pod, *container, *succeeded, host)
                }
                (crate::machine::HookKind::PostStart, _) => {
                    self.handle_post_start_finished(*container, *succeeded, host)
                }
                _ => {}
            },
            MachineEvent::SandboxLost(_) => self.request_sync_after_relist(host),
            MachineEvent::Pulled {
                pull,
                succeeded,
                took,
                waited,
            } => self.handle_image_pull_end(*pull, *succeeded, (*took, *waited), host),
            MachineEvent::Runtime { .. }
            | MachineEvent::ShuttingDown
            | MachineEvent::OutOfMemory { .. }
            | MachineEvent::Devices => {}
        }
    }

    /// Fails the present activity, because the container runtime went down (LC-167).
    pub(super) fn handle_runtime_failure(&mut self, host: &mut Host<'_, '_>) {
        let was = std::mem::replace(&mut self.activity, WorkerActivity::Idle);
        match was {
            WorkerActivity::Idle | WorkerActivity::Volumes(_) => self.activity = was,
            WorkerActivity::Kill(_) => {
                let message = "error killing pod: rpc error: code = Unavailable desc = connection error";
                super::events::emit_for_pod(
                    &self.pod,
                    podscope_api::EventType::Warning,
                    "FailedKillPod",
                    message,
                    host,
                );
                self.finish_sync(SyncResult::Error, host);
            }
            WorkerActivity::Sync(_) => self.finish_sync(SyncResult::Error, host),
        }
    }

    /// Begins the next sync if it is due; returns whether it did.
    fn begin_next_sync_if_due(&mut self, host: &mut Host<'_, '_>) -> bool {
        if self.due.is_none_or(|due| due > host.ctx.now) || self.is_blocked_by_preemption(host) {
            return false;
        }
        self.due = None;
        if !host.machine.is_runtime_up() {
            if self.stage < WorkerStage::Finished {
                self.finish_sync(SyncResult::Error, host);
            }
            return false;
        }
        match self.stage {
            WorkerStage::Syncing => self.begin_sync(host),
            WorkerStage::Terminating => self.begin_kill(host),
            WorkerStage::Terminated => self.clean_up(host),
            WorkerStage::Rejected | WorkerStage::Finished => return false,
        }
        true
    }

    /// Ends a sync: the worker is idle again, and the next sync is scheduled.
    pub(super) fn finish_sync(&mut self, end: SyncResult, host: &mut Host<'_, '_>) {
        self.activity = WorkerActivity::Idle;
        let has_changed = std::mem::take(&mut self.has_changed_machine);
        let is_pending = std::mem::take(&mut self.is_pending);
        // After a successful sync that changed something, the runtime is relisted at once (LC-057).
        let relists_at_once = has_changed && end == SyncResult::Ok;
        self.last_sync_end = (!relists_at_once).then_some(host.ctx.now);
        if has_changed || is_pending {
            self.request_sync(host);
            return;
        }
        let wait = match end {
            SyncResult::Ok => return,
            SyncResult::BackOff(until) => {
                let least = (until - host.ctx.now).clamp(Span::ZERO, MAX_BACK_OFF_WAIT);
                host.ctx.rng.between(least, Span(least.0 + least.0 / 2))
            }
            SyncResult::Error => host.ctx.rng.between(Span::seconds(10), Span::seconds(15)),
        };
        self.request_sync_at(host.ctx.now + wait, host);
    }

    /// Notes that this sync changed containers or the sandbox; the next relist then causes another sync (LC-057).
    pub(super) fn set_machine_changed(&mut self) {
        self.has_changed_machine = true;
    }

    /// Returns whether the pod waits for its volumes, or will when the sync is retried.
    pub(super) fn wants_volumes(&self) -> bool {
        self.stage == WorkerStage::Syncing && (self.waits_for_volumes() || self.last_sync_end.is_some())
    }

    pub(super) fn waits_for_volumes(&self) -> bool {
        matches!(self.activity, WorkerActivity::Volumes(_))
    }

    /// Lets a waiting worker try again at once, because volumes were attached or reported in use.
    pub(super) fn retry_volumes(&mut self, host: &Host<'_, '_>) {
        if let WorkerActivity::Volumes(wait) = &mut self.activity {
            self.input_cause = host.ctx.caused_by();
            wait.retry_now(host.ctx.now);
        }
    }
}
