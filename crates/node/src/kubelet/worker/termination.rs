//! The end of a pod: termination, the kill of its containers, and the clean-up (LC-051 to LC-061).

use super::{PodWorker, SyncResult, WorkerActivity, WorkerStage};
use crate::kubelet::conditions::PodEndReason;
use crate::kubelet::host::Host;
use crate::kubelet::kill::Kill;
use crate::kubelet::{claims, events, grace};

impl PodWorker {
    /// Begins the termination (LC-051). If it has already begun, a smaller grace period that is requested now replaces
    /// the stored one: the next kill uses it, but a kill in progress keeps its deadline (LC-164, LC-165).
    pub(in crate::kubelet) fn terminate(&mut self, host: &mut Host<'_, '_>) {
        if self.stage >= WorkerStage::Terminated {
            return;
        }
        self.grace = grace::pod_grace_seconds(self.grace, &self.pod, self.requested_grace, host.ctx.switches);
        if self.stage < WorkerStage::Terminating {
            self.enter_stage(WorkerStage::Terminating);
            self.is_restarting_all = false;
            // Termination cancels a wait for volumes, but not a start in progress (LC-169).
            if matches!(self.activity, WorkerActivity::Volumes(_)) {
                self.activity = WorkerActivity::Idle;
                self.last_sync_end = Some(host.ctx.now);
            }
            // A volume that the pod waited for is no longer in use (CT-128). A mounted volume stays in use.
            let held = host.machine.pod(&self.pod.metadata.uid);
            if !self.pod.spec.volumes.is_empty() && held.is_none_or(|held| held.mounts.is_empty()) {
                host.request_node_status();
            }
        }
        self.request_sync(host);
    }

    /// `killPodNow`: the kubelet itself ends the pod (eviction, preemption, shutdown). The caller is blocked as long as
    /// [`Self::is_being_killed`] returns true. If the worker is already finished, the call only returns by its timeout.
    pub(in crate::kubelet) fn kill_pod_now(
        &mut self,
        end_reason: PodEndReason,
        requested_grace: Option<i64>,
        host: &mut Host<'_, '_>,
    ) {
        if self.stage == WorkerStage::Terminated {
            return;
        }
        self.kill_timeout_at = Some(host.ctx.now + grace::kill_timeout(&self.pod, requested_grace));
        if self.stage == WorkerStage::Finished {
            return;
        }
        self.requested_grace = requested_grace;
        self.end_reason = Some(Box::new(end_reason));
        self.terminate(host);
    }

    /// Returns whether a call of [`Self::kill_pod_now`] is pending: the pod is not dead, and the call has not timed
    /// out.
    pub(in crate::kubelet) fn is_being_killed(&self) -> bool {
        self.kill_timeout_at.is_some()
    }

    /// Stops the sandbox and enters stage Terminated, because all containers are dead.
    pub(super) fn finish_kill(&mut self, host: &mut Host<'_, '_>) {
        let left = host.machine.pod(&self.pod.metadata.uid);
        debug_assert!(
            left.is_none_or(|held| held.running().next().is_none()),
            "a container still runs after the kill: {:?}",
            self.pod.metadata.key()
        );
        host.machine.stop_sandbox(&self.pod.metadata.uid);
        if !claims::unprepare_claims(&self.pod.metadata.uid, host) {
            return self.finish_sync(SyncResult::Error, host);
        }
        self.probes.clear();
        self.kill_timeout_at = None;
        self.enter_stage(WorkerStage::Terminated);
        self.set_status(true, host);
        self.emit_deadline_event(host);
        self.finish_sync(SyncResult::Ok, host);
        self.request_sync(host);
    }

    /// Starts to kill all containers of the pod.
    pub(super) fn begin_kill(&mut self, host: &mut Host<'_, '_>) {
        self.grace = grace::pod_grace_seconds(self.grace, &self.pod, self.requested_grace, host.ctx.switches);
        self.set_status(false, host);
        self.emit_deadline_event(host);
        self.stop_probes_for_termination();
        let victims = self.all_containers_to_kill(Some(self.grace), host);
        let kill = Kill::begin(&self.pod.clone(), victims, true, host);
        if kill.is_done() {
            self.finish_kill(host);
        } else {
            self.activity = WorkerActivity::Kill(kill);
        }
    }

    /// Unmounts the volumes, enters stage Finished and sends the final status.
    pub(super) fn clean_up(&mut self, host: &mut Host<'_, '_>) {
        let uid = self.pod.metadata.uid.clone();
        host.machine.unmount_all(&uid, host.ctx);
        debug_assert!(
            host.machine.pod(&uid).is_none_or(|held| held.mounts.is_empty()),
            "a volume is still mounted after the cleanup: {:?}",
            self.pod.metadata.key()
        );
        self.enter_stage(WorkerStage::Finished);
        self.finish_sync(SyncResult::Ok, host);
        self.due = None;
        self.send_final_status(host);
    }

    /// Emits `ExceededGracePeriod` when `killPodNow` times out (LC-178).
    pub(super) fn check_kill_timeout(&mut self, host: &mut Host<'_, '_>) {
        if self.kill_timeout_at.is_some_and(|until| until <= host.ctx.now) {
            self.kill_timeout_at = None;
            let message = "Container runtime did not kill the pod within specified grace period.";
            events::emit_for_pod(
                &self.pod,
                podscope_api::EventType::Warning,
                "ExceededGracePeriod",
                message,
                host,
            );
        }
    }
}
