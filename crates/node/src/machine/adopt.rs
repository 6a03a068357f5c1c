//! Restores the containers of imported pods: a machine already runs them when the simulation begins.

use std::borrow::Cow;
use std::sync::Arc;

use podscope_api::{ContainerState, ContainerStateRunning, ContainerStatus, Pod, PodPhase, Str};

use super::{Container, Exit, Machine, Role, containers_of};
use crate::Context;
use podscope_sim::SimTime;

impl Machine {
    /// Restores the containers of an imported pod from its status: running ones, and ended ones that the status lists.
    pub fn adopt(&mut self, pod: &Arc<Pod>, ctx: &mut Context<'_>) {
        if pod.is_terminal() || pod.metadata.uid.is_empty() {
            return;
        }
        if pod.is_mirror() {
            self.set_static_pod(pod.clone());
        }
        let now = ctx.now;
        let mut adopted = false;
        for (role, container) in containers_of(pod) {
            let statuses = match role {
                Role::Init | Role::Sidecar => &pod.status.init_container_statuses,
                Role::App => &pod.status.container_statuses,
                Role::Ephemeral => &pod.status.ephemeral_container_statuses,
            };
            let reported = statuses.iter().find(|status| status.name == container.name);
            let Some(status) = reported_or_assumed_status(pod, role, &container.name, reported) else {
                continue;
            };
            let has_run = status.state != Default::default()
                && (status.state.waiting.is_none() || status.last_state.terminated.is_some());
            if !adopted && (has_run || !pod.status.pod_ip.is_empty()) {
                adopted = true;
                let ip = pod.status.pod_ip.clone();
                let sandbox = self.new_sandbox(0, (!ip.is_empty()).then_some(ip), None);
                self.pod_entry(pod).sandbox = Some(sandbox);
            }
            if !has_run {
                continue;
            }
            if status.image_id.contains('@') && !self.has_image(&container.image) {
                let name = super::images::full_image_name(&container.image);
                let bytes = super::Image::from_registry(&name).bytes;
                self.add_image(&[status.image_id.clone(), name.into()], bytes);
            }
            let source = self.ensure_image(&container.image, now);
            let behavior = self.behavior(pod, container, role);
            let last_attempt = if status.state.waiting.is_some() {
                status.restart_count
            } else {
                status.restart_count - 1
            };
            for (attempt, past) in [
                (last_attempt, start_and_exit(&status.last_state, ctx)),
                (status.restart_count, start_and_exit(&status.state, ctx)),
            ] {
                if let Some((started_at, exit)) = past {
                    let id = self.new_id();
                    let record = Container {
                        id,
                        name: container.name.clone(),
                        role,
                        image: container.image.clone(),
                        source: source.clone(),
                        attempt: attempt.max(0),
                        sandbox: 0,
                        started_at,
                        exit: Some(exit),
                        signals: Vec::new(),
                        signalled_at: None,
                        oom_score_adj: 0,
                        resources: container.resources.clone(),
                        behavior: behavior.clone(),
                        disk_size: self.disk_size(),
                        writes_to: super::empty_dirs::target_empty_dir(pod, container),
                        hooks: Vec::new(),
                        latest: podscope_api::CausedBy::NOTHING,
                        plan: None,
                    };
                    self.pod_entry(pod).containers.push(record);
                }
            }
            if let Some(running) = &status.state.running {
                let started_at = past_sim_time(running.started_at, ctx);
                self.launch_container(pod, container, role, status.restart_count, started_at, ctx);
            }
        }
    }
}

/// Returns the status of a container, as imported. If a running pod has no state for a container (for example because
/// the dump was edited), the container is assumed to be running too.
fn reported_or_assumed_status<'p>(
    pod: &Pod,
    role: Role,
    name: &Str,
    reported: Option<&'p ContainerStatus>,
) -> Option<Cow<'p, ContainerStatus>> {
    let runs = pod.status.phase == Some(PodPhase::Running) && matches!(role, Role::App | Role::Sidecar);
    match reported {
        Some(status) if !runs || status.state != ContainerState::default() => Some(Cow::Borrowed(status)),
        _ if !runs => None,
        reported => {
            let mut assumed = reported.cloned().unwrap_or_default();
            assumed.name = name.clone();
            assumed.state.running = Some(ContainerStateRunning {
                started_at: pod.status.start_time,
            });
            Some(Cow::Owned(assumed))
        }
    }
}

/// Converts a time of the status to simulated time, but not later than now.
fn past_sim_time(wall: Option<podscope_api::Time>, ctx: &Context<'_>) -> SimTime {
    wall.map_or(ctx.now, |wall| ctx.sim_time(wall)).min(ctx.now)
}

/// Returns the start and exit of a container, if its state is `terminated`.
fn start_and_exit(state: &podscope_api::ContainerState, ctx: &Context<'_>) -> Option<(SimTime, Exit)> {
    let terminated = state.terminated.as_ref()?;
    let mut exit = Exit::with_code(past_sim_time(terminated.finished_at, ctx), terminated.exit_code);
    if &*terminated.reason == "OOMKilled" {
        exit.reason = "OOMKilled";
    }
    Some((past_sim_time(terminated.started_at, ctx), exit))
}
