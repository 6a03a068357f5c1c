//! The status manager for one pod: which status is computed, which is sent, and the final DELETE (LC-111, LC-112,
//! LC-170 to LC-177).

use std::sync::Arc;

use podscope_api::well_known::condition;
use podscope_api::{Kind, Pod, PodCondition, PodPhase, PodStatus};

use super::conditions::{self, ConditionInputs, is_owned_by_kubelet};
use super::host::{Host, PendingCall};
use super::status;
use super::worker::{PodWorker, WorkerStage};
use podscope_sim::{Answer, DeleteOptions, Mutation, Part, Request};

/// State of the status manager for one pod: its computed status, and what the API server has of it.
#[derive(Debug, Clone, Default)]
pub(super) struct StatusReport {
    /// The computed status; None while it equals the status in the API.
    own: Option<Arc<PodStatus>>,
    version: u32,
    acknowledged: u32,
    is_in_flight: bool,
    is_deleting: bool,
    /// Whether the worker has done all its work on the pod (LC-172).
    is_finished: bool,
    /// Whether a terminal phase is not sent yet because containers may still run (LC-111).
    is_held_back: bool,
    /// Whether the API object is deleted: nothing is sent any more.
    is_deleted: bool,
}

impl StatusReport {
    pub(super) fn status(&self) -> Option<&PodStatus> {
        self.own.as_deref()
    }

    /// Stops all requests, because the API object is deleted.
    pub(super) fn stop_requests_after_deletion(&mut self) {
        self.is_deleted = true;
    }

    /// Returns whether the API server has acknowledged the latest status.
    fn is_latest_acknowledged(&self) -> bool {
        self.version == self.acknowledged && !self.is_in_flight
    }

    /// Handles a change of the API object, which may be a change that this kubelet made. A status that someone
    /// overwrote is sent again in the next pass (LC-114).
    pub(super) fn handle_api_change(&mut self, before: &Pod, after: &Pod, host: &mut Host<'_, '_>) {
        if !self.is_latest_acknowledged() {
            return;
        }
        let own = match &self.own {
            Some(own) => own.clone(),
            None if merge_status(&before.status, &after.status) != after.status && !after.is_terminal() => {
                Arc::new(before.status.clone())
            }
            None => return,
        };
        if merge_status(
            &reportable_status(&own, self.is_held_back, &after.status),
            &after.status,
        ) == after.status
        {
            self.drop_reported_status(after);
        } else {
            self.own = Some(own);
            self.version += 1;
            host.schedule_status_manager_pass();
        }
    }

    /// Drops the computed status if the API object has it. This keeps the memory of idle pods small.
    fn drop_reported_status(&mut self, api: &Pod) {
        let is_reported = self
            .own
            .as_ref()
            .is_some_and(|own| merge_status(own, &api.status) == api.status);
        if is_reported && !self.is_held_back && self.is_latest_acknowledged() {
            self.own = None;
        }
    }
}

/// Returns the status that may be sent. While `is_held_back`, a container can still run, so the end of the pod is not
/// reported yet (LC-111): phase, reason and message stay those of the API object, and DisruptionTarget is left out,
/// because it says why the pod ended and is sent together with the terminal phase. A DisruptionTarget that the API
/// object already has stays. The kubelet reads that object before each patch, so `api` is the server's present status,
/// which this kubelet may not have observed yet.
fn reportable_status(own: &PodStatus, is_held_back: bool, api: &PodStatus) -> PodStatus {
    let mut reportable = own.clone();
    if is_held_back {
        reportable.phase = api.phase.clone();
        reportable.reason = api.reason.clone();
        reportable.message = api.message.clone();
        let known = |condition: &PodCondition| api.conditions.iter().any(|known| known.kind == condition.kind);
        reportable
            .conditions
            .retain(|condition| &*condition.kind != condition::DISRUPTION_TARGET || known(condition));
    }
    reportable
}

/// Merges the kubelet's status into that of the API: conditions of other owners stay, and so does a terminal phase.
fn merge_status(own: &PodStatus, api: &PodStatus) -> PodStatus {
    let is_terminal = |status: &PodStatus| matches!(status.phase, Some(PodPhase::Succeeded | PodPhase::Failed));
    let mut merged = own.clone();
    merged.nominated_node_name = api.nominated_node_name.clone();
    merged.qos_class = api.qos_class.clone().or_else(|| own.qos_class.clone());
    merged.resize = api.resize.clone();
    merged.resource_claim_statuses.clone_from(&api.resource_claim_statuses);
    merged
        .extended_resource_claim_status
        .clone_from(&api.extended_resource_claim_status);
    if is_terminal(api) && !is_terminal(own) {
        merged.phase = api.phase.clone();
        merged.reason = api.reason.clone();
        merged.message = api.message.clone();
    }
    let kept = |known: &&PodCondition| {
        let is_foreign = !is_owned_by_kubelet(&known.kind);
        is_foreign
            && !(&*known.kind == condition::DISRUPTION_TARGET
                && own.conditions.iter().any(|one| one.kind == known.kind))
    };
    merged.conditions = api.conditions.iter().filter(kept).cloned().collect();
    let of_kubelet = |one: &&PodCondition| is_owned_by_kubelet(&one.kind) || &*one.kind == condition::DISRUPTION_TARGET;
    for one in own.conditions.iter().filter(of_kubelet) {
        if !merged.conditions.iter().any(|known| known.kind == one.kind) {
            merged.conditions.push(one.clone());
        }
    }
    merged
}

/// Returns whether two statuses agree in phase, container states and conditions; other fields are ignored.
fn is_equivalent(new: &PodStatus, old: &PodStatus) -> bool {
    let containers = |status: &PodStatus| -> Vec<(podscope_api::Str, bool, bool, bool, bool, i32)> {
        status
            .statuses()
            .map(|one| {
                let state = &one.state;
                let states = (
                    state.waiting.is_some(),
                    state.running.is_some(),
                    state.terminated.is_some(),
                );
                (
                    one.name.clone(),
                    states.0,
                    states.1,
                    states.2,
                    one.ready,
                    one.restart_count,
                )
            })
            .collect()
    };
    let agrees = |known: &PodCondition| {
        let fresh = new.conditions.iter().find(|one| one.kind == known.kind);
        !is_owned_by_kubelet(&known.kind) || fresh.is_some_and(|fresh| fresh.status == known.status)
    };
    !old.conditions.is_empty()
        && new.phase == old.phase
        && containers(new) == containers(old)
        && old.conditions.iter().all(agrees)
}

impl PodWorker {
    /// Computes the status, passes it to the probe workers, and sends it if it changed.
    pub(super) fn set_status(&mut self, is_final: bool, host: &mut Host<'_, '_>) {
        let status = status::generate_status(self, host, is_final);
        self.observe_probes(&status, true, host);
        // The status of an imported pod counts as already sent by this kubelet, until something changes.
        let is_import = self.report.version == 0 && !host.shared.is_restart;
        if is_import && is_equivalent(&status, &self.pod.status) {
            return;
        }
        self.publish_status(status, host);
    }

    /// Handles a new mirror pod of this static pod (LC-213): the full status is sent to the mirror pod.
    pub(super) fn set_mirror(&mut self, mirror: &Arc<Pod>, host: &mut Host<'_, '_>) {
        let status = self.status().clone();
        self.pod = mirror.clone();
        self.report = StatusReport::default();
        self.wake = None;
        self.publish_status(status, host);
    }

    /// Updates `started`, `ready` and the conditions at once, after a changed probe result (LC-170).
    pub(super) fn set_readiness(&mut self, host: &mut Host<'_, '_>) {
        let fresh = status::generate_status(self, host, false);
        let mut status = self.status().clone();
        let same =
            |a: &podscope_api::ContainerStatus, b: &podscope_api::ContainerStatus| a.container_id == b.container_id;
        for (known, new) in status
            .init_container_statuses
            .iter_mut()
            .zip(&fresh.init_container_statuses)
            .chain(status.container_statuses.iter_mut().zip(&fresh.container_statuses))
        {
            if same(known, new) && known.state.running.is_some() {
                known.started = new.started.or(known.started);
                known.ready = new.ready;
            }
        }
        conditions::set_ready_conditions(&mut status, &self.pod, host.ctx);
        self.observe_probes(&status, true, host);
        self.publish_status(status, host);
    }

    /// Sends condition PodReadyToStartContainers as soon as the sandbox is ready, before any image is pulled (LC-106).
    pub(super) fn publish_sandbox_ready(&mut self, host: &mut Host<'_, '_>) {
        let mut status = self.status().clone();
        conditions::set_sandbox_ready(&mut status, &self.pod, host.ctx);
        self.publish_status(status, host);
    }

    /// Publishes that RestartAllContainers has removed all containers from the machine. In this one status each of them
    /// counts as restarted, whether it had exited or not; in the next they wait like those of a new pod (LC-228).
    pub(super) fn publish_restart_all(&mut self, host: &mut Host<'_, '_>) {
        self.is_restarting_all = false;
        let old = self.status();
        let mut status = old.clone();
        let inits = status.init_container_statuses.iter_mut();
        for one in inits.chain(&mut status.container_statuses) {
            status::set_removed_by_restart_all(one);
        }
        conditions::set_all_conditions(&mut status, old, &self.pod, ConditionInputs::of(self, host), host.ctx);
        self.publish_status(status, host);
    }

    /// Rejects the pod at admission (LC-062).
    pub(super) fn reject(&mut self, reason: &str, detail: &str, host: &mut Host<'_, '_>) {
        self.enter_stage(WorkerStage::Rejected);
        super::events::emit_for_pod(&self.pod, podscope_api::EventType::Warning, reason, detail, host);
        let status = PodStatus {
            observed_generation: self.pod.metadata.generation,
            phase: Some(PodPhase::Failed),
            reason: reason.into(),
            message: format!("Pod was rejected: {detail}").into(),
            start_time: self.pod.status.start_time.or(Some(host.ctx.wall())),
            qos_class: self.pod.status.qos_class.clone(),
            ..PodStatus::default()
        };
        self.publish_status(status, host);
    }

    /// Sends the final status and then the DELETE, because the worker has done its work (LC-171, LC-173, LC-174).
    pub(super) fn send_final_status(&mut self, host: &mut Host<'_, '_>) {
        let mut status = self.status().clone();
        status::set_final_status(&mut status, &self.pod);
        status::refresh_conditions(&mut status, &self.pod, host);
        self.report.is_finished = true;
        self.publish_status(status, host);
        self.send_final_delete_if_done(host);
    }

    /// Sets the computed status and sends it, if it changed. Holds back a terminal phase while containers may run.
    fn publish_status(&mut self, status: PodStatus, host: &mut Host<'_, '_>) {
        let is_terminal = matches!(status.phase, Some(PodPhase::Succeeded | PodPhase::Failed));
        let holds_back = is_terminal && self.can_have_running_containers() && !self.pod.is_terminal();
        let was_held_back = std::mem::replace(&mut self.report.is_held_back, holds_back);
        if *self.status() == status && was_held_back == holds_back {
            return;
        }
        self.report.own = Some(Arc::new(status));
        self.report.version += 1;
        self.send_status(host);
    }

    /// Sends the status if it is not acknowledged; one request at a time.
    pub(super) fn send_status(&mut self, host: &mut Host<'_, '_>) {
        let report = &mut self.report;
        if report.is_in_flight || report.is_deleted || report.version == report.acknowledged {
            return;
        }
        let Some(own) = report.own.clone() else { return };
        let is_held_back = report.is_held_back;
        let change = Mutation::new::<Pod>("pod status", move |pod| {
            pod.status = merge_status(&reportable_status(&own, is_held_back, &pod.status), &pod.status);
        });
        let uid = self.pod.metadata.uid.clone();
        let id = host.ctx.call(Request::Patch {
            kind: Kind::Pod,
            key: self.pod.metadata.key(),
            uid: Some(uid.clone()),
            part: Part::Status,
            change,
        });
        report.is_in_flight = true;
        host.shared.calls.insert(id, PendingCall::Status(uid, report.version));
    }

    /// Handles the response to a status patch.
    pub(super) fn handle_status_answer(&mut self, version: u32, answer: &Answer, host: &mut Host<'_, '_>) {
        self.report.is_in_flight = false;
        match answer {
            Ok(_) => {
                self.report.acknowledged = version;
                if self.report.version != version {
                    self.send_status(host);
                } else {
                    self.report.drop_reported_status(&self.pod);
                }
                self.send_final_delete_if_done(host);
            }
            // The pod is deleted, or another pod has its name: there is nothing more to send (LC-177).
            Err(error) if error.code == 404 || error.code == 409 => self.report.acknowledged = version,
            Err(_) => host.schedule_status_manager_pass(),
        }
    }

    /// Runs the periodic pass, every 10 s while a status is not sent.
    pub(super) fn run_status_pass(&mut self, host: &mut Host<'_, '_>) {
        self.send_status(host);
        self.send_final_delete_if_done(host);
    }

    /// Sends the final DELETE when all work is done and the final status is acknowledged (LC-171, LC-172).
    pub(super) fn send_final_delete_if_done(&mut self, host: &mut Host<'_, '_>) {
        let report = &mut self.report;
        let may_delete =
            report.is_finished && !report.is_deleting && !report.is_deleted && report.is_latest_acknowledged();
        if !may_delete || !self.pod.metadata.is_terminating() {
            return;
        }
        report.is_deleting = true;
        let uid = self.pod.metadata.uid.clone();
        let id = host.ctx.call(Request::Delete {
            kind: Kind::Pod,
            key: self.pod.metadata.key(),
            options: DeleteOptions {
                grace_seconds: Some(0),
                uid: Some(uid.clone()),
                ..DeleteOptions::default()
            },
        });
        host.shared.calls.insert(id, PendingCall::Delete(uid));
    }

    /// Handles the response to the DELETE.
    pub(super) fn handle_delete_answer(&mut self, answer: &Answer, host: &mut Host<'_, '_>) {
        if let Err(error) = answer
            && error.code != 404
            && error.code != 409
        {
            self.report.is_deleting = false;
            host.schedule_status_manager_pass();
        }
    }
}
