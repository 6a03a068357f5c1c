//! SyncPod: makes the containers of a pod match its spec (LC-058, LC-071 to LC-090). A sync is one run of this state
//! machine; it blocks its worker.
//!
//! ```text
//! (pod actions) ─▶ kill containers ─▶ new sandbox ─▶ next container ─▶ pull ─▶ create, start ─▶ postStart ─▶ … (end)
//! ```

use std::collections::VecDeque;

use podscope_api::{EventType, PodPhase};

use super::claims::{self, ClaimPreparation};
use super::grace::{self, KillReason, RemainingGrace};
use super::host::Host;
use super::kill::{ContainerToKill, Kill};
use super::worker::{PodWorker, SyncResult, WorkerActivity, WorkerStage};
use super::{events, security, volumes};
use crate::machine::{ContainerId, PullId, containers_of};
use podscope_sim::{SimTime, Span};

/// Reason and message of a pod that exceeded its activeDeadlineSeconds (LC-219).
const DEADLINE_EXCEEDED: (&str, &str) = (
    "DeadlineExceeded",
    "Pod was active on the node longer than the specified deadline",
);

/// A container to start.
#[derive(Debug, Clone, Copy)]
pub(super) struct ContainerStart {
    /// Index of the container among all containers of the pod.
    pub(super) idx: usize,
    /// When the latest exited instance ended, as known at the beginning of the sync (LC-090).
    pub(super) exited_at: Option<SimTime>,
}

/// Step of a sync: what the sync does or waits for.
#[derive(Debug, Clone, Copy)]
pub(super) enum SyncStep {
    /// Chooses the next container to start.
    Next,
    /// Waits for the pull of a container's image.
    Pull(ContainerStart, PullId),
    /// Creates and starts a container whose image is present.
    Create(ContainerStart),
    /// Waits for the return of the postStart hook of the container with this index and ID.
    PostStart(usize, ContainerId),
}

/// A sync in progress.
#[derive(Debug, Clone)]
pub(super) struct SyncRun {
    pub(super) kill: Option<Kill>,
    stops_sandbox: bool,
    new_sandbox: bool,
    pub(super) starts: VecDeque<ContainerStart>,
    pub(super) step: SyncStep,
    /// Whether the start of a container failed or was not tried.
    pub(super) has_failed: bool,
    /// The earliest end of the back-offs that delay the start of containers.
    pub(super) blocked_until: Option<SimTime>,
    /// Whether all containers are removed after their exit, so that they start again (RestartAllContainers).
    restart_all: bool,
    /// When the device drivers answer the call that prepares the pod's claims.
    prepared_at: Option<SimTime>,
}

impl SyncRun {
    pub(super) fn kill_mut(&mut self) -> Option<&mut Kill> {
        self.kill.as_mut()
    }

    pub(super) fn next_due(&self) -> Option<SimTime> {
        let kill = self.kill.as_ref().and_then(Kill::next_deadline);
        kill.into_iter().chain(self.prepared_at).min()
    }
}

impl PodWorker {
    /// Begins a sync: computes the status, mounts the volumes, then begins the actions.
    pub(super) fn begin_sync(&mut self, host: &mut Host<'_, '_>) {
        self.check_active_deadline(host);
        self.complete_applied_resize(host);
        self.is_restarting_all = super::restart::must_restart_all(&self.pod, host.machine.pod(self.uid()));
        if host.ctx.now == SimTime::ZERO {
            // Probe results of imported running containers must be in the first status.
            self.add_probes(host);
        }
        self.set_status(false, host);
        if matches!(self.status().phase, Some(PodPhase::Succeeded | PodPhase::Failed)) {
            self.finish_sync(SyncResult::Ok, host);
            self.terminate(host);
            return;
        }
        if host.machine.waits_forever(&self.pod) {
            // A container of this imported pod waits for something that its status does not tell; no change ends this.
            self.finish_sync(SyncResult::Ok, host);
            return;
        }
        match volumes::mount_all_volumes(&self.pod, host) {
            Ok(()) => self.begin_sync_actions(host),
            Err(problems) => {
                self.activity = WorkerActivity::Volumes(volumes::VolumeWait::begin(&self.pod, &problems, host))
            }
        }
    }

    /// Tries again to mount the volumes. Returns true if the wait ended, with or without success.
    pub(super) fn wait_for_volumes(&mut self, mut wait: volumes::VolumeWait, host: &mut Host<'_, '_>) -> bool {
        if wait.next_try > host.ctx.now {
            self.activity = WorkerActivity::Volumes(wait);
            return false;
        }
        match volumes::mount_all_volumes(&self.pod, host) {
            Ok(()) => self.begin_sync_actions(host),
            Err(problems) if wait.has_timed_out(host.ctx.now) => {
                wait.emit_timeout(&self.pod, &problems, host);
                self.finish_sync(SyncResult::Error, host);
            }
            Err(problems) => {
                wait.record_failure(&self.pod, &problems, host);
                self.activity = WorkerActivity::Volumes(wait);
                return false;
            }
        }
        true
    }

    /// Computes the actions of the sync and begins with its kills.
    fn begin_sync_actions(&mut self, host: &mut Host<'_, '_>) {
        let pod = self.pod.clone();
        security::check_image_pull_secrets(&pod, host);
        self.add_probes(host);
        let actions = self.compute_pod_actions(host);
        let had_sandbox = host
            .machine
            .pod(&pod.metadata.uid)
            .is_some_and(|held| held.sandbox.is_some());
        if actions.new_sandbox && had_sandbox {
            let message = "Pod sandbox changed, it will be killed and re-created.";
            events::emit_for_pod(&pod, EventType::Normal, "SandboxChanged", message, host);
        }
        let exited_at = |idx: usize, host: &Host<'_, '_>| -> Option<SimTime> {
            let (_, container) = containers_of(&pod).nth(idx)?;
            let held = host.machine.pod(&pod.metadata.uid)?;
            let exit =
                |one: Option<&crate::machine::Container>| one.and_then(|one| one.exit.as_ref()).map(|exit| exit.at);
            exit(held.latest(&container.name)).or_else(|| exit(held.previous(&container.name)))
        };
        let starts = actions
            .start
            .iter()
            .map(|idx| ContainerStart {
                idx: *idx,
                exited_at: exited_at(*idx, host),
            })
            .collect();
        let kill = if actions.restart_all {
            // RestartAllContainers runs no hooks and gives the minimum of two seconds between stop signal and SIGKILL.
            Kill::begin(&pod, self.all_containers_to_kill(Some(0), host), false, host)
        } else if actions.kill_pod {
            let victims = self.all_containers_to_kill(None, host);
            Kill::begin(&pod, victims, true, host)
        } else {
            // Deviation: several containers are killed concurrently; the kubelet kills them one after the other.
            let victims = actions
                .kill
                .into_iter()
                .filter_map(|(id, idx, message, reason)| {
                    self.container_to_kill(id, idx, None, reason, Some(message), host)
                })
                .collect();
            Kill::begin(&pod, victims, false, host)
        };
        let has_failed = !self.resize_in_place(&actions.resize, host);
        self.activity = WorkerActivity::Sync(Box::new(SyncRun {
            kill: Some(kill),
            stops_sandbox: actions.kill_pod,
            new_sandbox: actions.new_sandbox,
            starts,
            step: SyncStep::Next,
            has_failed,
            blocked_until: None,
            restart_all: actions.restart_all,
            prepared_at: None,
        }));
    }

    /// Applies the granted resources to running containers. Returns false if that fails for one of them.
    fn resize_in_place(&mut self, containers: &[(ContainerId, usize)], host: &mut Host<'_, '_>) -> bool {
        let pod = self.pod.clone();
        let mut is_done = true;
        for (id, idx) in containers {
            let Some((_, container)) = containers_of(&pod).nth(*idx) else {
                continue;
            };
            let resources = &container.resources;
            match host
                .machine
                .resize_container(&pod.metadata.uid, *id, resources, host.ctx)
            {
                Ok(()) => self.set_machine_changed(),
                Err(used) => {
                    is_done = false;
                    let limit = resources.limits.get("memory").map_or(0, |limit| limit.value());
                    let name = &container.name;
                    self.report_resize_failure(
                        format!(
                            "attempting to set container {name:?} memory limit ({limit}) below current usage ({used})"
                        ),
                        host,
                    );
                }
            }
        }
        is_done
    }

    /// Takes the next step of a sync. Returns false if it has to wait.
    pub(super) fn continue_sync(&mut self, mut run: Box<SyncRun>, host: &mut Host<'_, '_>) -> bool {
        let pod = self.pod.clone();
        let uid = &pod.metadata.uid;
        if let Some(kill) = &mut run.kill {
            kill.advance_due_calls(&pod, host);
            if !kill.is_done() {
                self.activity = WorkerActivity::Sync(run);
                return false;
            }
            run.kill = None;
            if std::mem::take(&mut run.stops_sandbox) {
                host.machine.stop_sandbox(uid);
            }
        }
        if std::mem::take(&mut run.restart_all) {
            host.machine.purge_containers(uid, host.ctx.now);
            self.publish_restart_all(host);
            self.set_machine_changed();
        }
        if run.new_sandbox {
            match claims::prepare_claims(&pod, run.prepared_at, host) {
                ClaimPreparation::Ready => run.prepared_at = None,
                ClaimPreparation::InProgress(at) => {
                    run.prepared_at = Some(at);
                    self.activity = WorkerActivity::Sync(run);
                    return false;
                }
                ClaimPreparation::Failed(why) => {
                    self.handle_prepare_failure(&why, host);
                    return true;
                }
            }
        }
        if std::mem::take(&mut run.new_sandbox) {
            let node = host.shared.node_object.clone();
            let cidr = node
                .as_ref()
                .map(|node| &*node.spec.pod_cidr)
                .filter(|cidr| !cidr.is_empty());
            let is_host_network = pod.spec.host_network == Some(true);
            let host_ip = is_host_network.then(|| self.status().host_ip.clone());
            host.machine.purge_init_containers(uid, host.ctx.now);
            if !host.machine.create_sandbox(&pod, cidr, host_ip) {
                let message = "Failed to create pod sandbox: rpc error: code = Unknown desc = failed to start sandbox";
                events::emit_for_pod(&pod, EventType::Warning, "FailedCreatePodSandBox", message, host);
                self.finish_sync(SyncResult::Error, host);
                return true;
            }
            self.publish_sandbox_ready(host);
            self.set_machine_changed();
        }
        match run.step {
            SyncStep::Next => match run.starts.pop_front() {
                None => {
                    let end = match (run.has_failed, run.blocked_until) {
                        (_, Some(until)) => SyncResult::BackOff(until),
                        (true, None) => SyncResult::Error,
                        (false, None) => SyncResult::Ok,
                    };
                    self.finish_sync(end, host);
                    return true;
                }
                Some(start) => self.prepare_container_start(&pod, start, &mut run, host),
            },
            SyncStep::Create(start) => self.create_container(&pod, start, &mut run, host),
            SyncStep::Pull(..) | SyncStep::PostStart(..) => {
                self.activity = WorkerActivity::Sync(run);
                return false;
            }
        }
        self.activity = WorkerActivity::Sync(run);
        true
    }

    /// Returns every running container, to be killed with the pod's grace period `requested`, or with its own if
    /// `requested` is None.
    pub(super) fn all_containers_to_kill(&self, requested: Option<i64>, host: &Host<'_, '_>) -> Vec<ContainerToKill> {
        let Some(held) = host.machine.pod(self.uid()) else {
            return Vec::new();
        };
        let running: Vec<(ContainerId, usize)> = containers_of(&self.pod)
            .enumerate()
            .filter_map(|(idx, (_, container))| {
                Some((held.latest(&container.name).filter(|one| one.is_running())?.id, idx))
            })
            .collect();
        running
            .into_iter()
            .filter_map(|(id, idx)| {
                let name = &containers_of(&self.pod).nth(idx)?.1.name;
                self.container_to_kill(
                    id,
                    idx,
                    requested,
                    KillReason::Other,
                    Some(format!("Stopping container {name}")),
                    host,
                )
            })
            .collect()
    }

    /// Describes the kill of one running container; None if it does not run.
    pub(super) fn container_to_kill(
        &self,
        id: ContainerId,
        idx: usize,
        requested: Option<i64>,
        reason: KillReason,
        message: Option<String>,
        host: &Host<'_, '_>,
    ) -> Option<ContainerToKill> {
        let (role, container) = containers_of(&self.pod).nth(idx)?;
        let process = host
            .machine
            .pod(self.uid())?
            .container(id)
            .filter(|process| process.is_running())?;
        let has_hook = container
            .lifecycle
            .as_ref()
            .is_some_and(|lifecycle| lifecycle.pre_stop.is_some());
        let base = grace::container_grace_seconds(&self.pod, Some(container), reason);
        Some(ContainerToKill {
            container: id,
            name: container.name.clone(),
            role,
            init_idx: idx,
            left: RemainingGrace::new(requested, base, host.ctx.switches),
            message,
            hook: has_hook.then_some(process.behavior.pre_stop),
        })
    }

    /// Ends the pod if activeDeadlineSeconds are over.
    fn check_active_deadline(&mut self, host: &mut Host<'_, '_>) {
        if self.end_reason.is_none()
            && self
                .active_deadline(host)
                .is_some_and(|deadline| deadline <= host.ctx.now)
        {
            self.end_reason = Some(Box::new(super::conditions::PodEndReason {
                reason: DEADLINE_EXCEEDED.0.into(),
                message: DEADLINE_EXCEEDED.1.into(),
                disruption: None,
            }));
            self.emit_deadline_event(host);
        }
    }

    /// Emits the event of a pod that exceeded its deadline. Every sync that computes its status emits it
    /// (`activeDeadlineHandler`).
    pub(super) fn emit_deadline_event(&mut self, host: &mut Host<'_, '_>) {
        let (reason, message) = DEADLINE_EXCEEDED;
        if self
            .end_reason
            .as_ref()
            .is_some_and(|end_reason| &*end_reason.reason == reason)
        {
            events::emit_for_pod(&self.pod, EventType::Normal, reason, message, host);
        }
    }

    /// Returns when activeDeadlineSeconds are over (LC-219); None if there is no deadline or the pod no longer syncs.
    pub(super) fn active_deadline(&self, host: &Host<'_, '_>) -> Option<SimTime> {
        let seconds = self.pod.spec.active_deadline_seconds?;
        let start = self.status().start_time?;
        (self.stage == WorkerStage::Syncing).then(|| host.ctx.sim_time(start) + Span::seconds(seconds))
    }
}
