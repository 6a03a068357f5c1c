//! Starts one container: back-off, image, creation, postStart hook (LC-068 to LC-070, LC-081, LC-084 to LC-089,
//! LC-180). These are steps of a sync (`sync.rs`).

use std::sync::Arc;

use podscope_api::{Container, ContainerStateWaiting, EventType, Pod, PullPolicy, check_image_name};

use super::backoff::BackOff;
use super::grace::KillReason;
use super::host::Host;
use super::kill::Kill;
use super::sync::{ContainerStart, SyncRun, SyncStep};
use super::worker::{PodWorker, WorkerActivity};
use super::{backoff, container_config, events};
use crate::machine::{ContainerId, HookKind, PullId, Role, containers_of};
use podscope_sim::{ContainerProblem, SimTime, Span};

impl PodWorker {
    /// Checks the restart back-off of the next container, and its image. Begins a pull if needed.
    pub(super) fn prepare_container_start(
        &mut self,
        pod: &Arc<Pod>,
        start: ContainerStart,
        run: &mut SyncRun,
        host: &mut Host<'_, '_>,
    ) {
        let Some((role, container)) = containers_of(pod).nth(start.idx) else {
            return;
        };
        let now = host.ctx.now;
        let max = host.shared.settings.max_container_restart_period;
        let Some(container_state) = self.container_states.get_mut(start.idx) else {
            return;
        };
        if let Some(finished) = start.exited_at
            && let Err(delay) = backoff::try_restart(&mut container_state.restarts, finished, now, max)
        {
            mark_sync_failed(run, role);
            let until = finished + delay;
            run.blocked_until = Some(run.blocked_until.map_or(until, |known| known.min(until)));
            let pod_name = format!("{}_{}({})", pod.metadata.name, pod.metadata.namespace, pod.metadata.uid);
            let event = format!(
                "Back-off restarting failed container {} in pod {pod_name}",
                container.name
            );
            events::emit_for_container(pod, &container.name, EventType::Warning, "BackOff", event, host);
            let delay = backoff::format_delay(delay);
            let message = format!(
                "back-off {delay} restarting failed container={} pod={pod_name}",
                container.name
            );
            self.set_waiting_reason(start.idx, "CrashLoopBackOff", message);
            return;
        }
        let image = &container.image;
        let cannot_pull = matches!(host.machine.problem_of(pod, container), Some(ContainerProblem::Pull(_)));
        let is_present = !cannot_pull && host.machine.has_image(image);
        let policy = container.image_pull_policy.clone().unwrap_or(PullPolicy::IfNotPresent);
        if let Err(why) = check_image_name(image) {
            mark_sync_failed(run, role);
            let message = format!("Failed to apply default image tag {:?}: {why}", &**image);
            events::emit_for_container(
                pod,
                &container.name,
                EventType::Warning,
                "InspectFailed",
                message.clone(),
                host,
            );
            self.handle_image_failure(pod, start.idx, container, "InvalidImageName", message, host);
            return;
        }
        match policy {
            PullPolicy::Never if !is_present => {
                mark_sync_failed(run, role);
                let message = format!("Container image \"{image}\" is not present with pull policy of Never");
                events::emit_for_container(
                    pod,
                    &container.name,
                    EventType::Warning,
                    "ErrImageNeverPull",
                    message.clone(),
                    host,
                );
                self.handle_image_failure(pod, start.idx, container, "ErrImageNeverPull", message, host);
            }
            PullPolicy::Always => self.pull_image(pod, start, container, role, run, host),
            _ if is_present => {
                let message =
                    format!("Container image \"{image}\" already present on machine and can be accessed by the pod");
                events::emit_for_container(pod, &container.name, EventType::Normal, "Pulled", message, host);
                run.step = SyncStep::Create(start);
            }
            _ => self.pull_image(pod, start, container, role, run, host),
        }
    }

    /// Restores, at the start of the simulation, why the containers of an imported pod are waiting, and their back-off
    /// (P-09).
    pub(super) fn restore_imported_waiting_reasons(&mut self, host: &Host<'_, '_>) {
        let now = host.ctx.now;
        if now > SimTime::ZERO {
            return;
        }
        let pod = self.pod.clone();
        let max = host.shared.settings.max_container_restart_period;
        for ((_, container), container_state) in containers_of(&pod).zip(&mut self.container_states) {
            let Some(status) = pod.status.status_of(&container.name) else {
                continue;
            };
            let Some(waiting) = &status.state.waiting else {
                continue;
            };
            let problem = host.machine.problem_of(&pod, container);
            if problem.is_some() || &*waiting.reason == "CreateContainerConfigError" {
                container_state.waiting = Some(Box::new(waiting.clone()));
            }
            match problem {
                Some(ContainerProblem::Pull(_)) => {
                    container_state.pulls = Some(BackOff::with_delay(backoff::MAX_DELAY, now))
                }
                Some(ContainerProblem::Ends { .. }) => {
                    container_state.restarts = Some(BackOff::after_restarts(status.restart_count, max, now));
                }
                _ => {}
            }
        }
    }

    /// Requests the image of a container, unless the pull back-off forbids it.
    fn pull_image(
        &mut self,
        pod: &Arc<Pod>,
        start: ContainerStart,
        container: &Container,
        role: Role,
        run: &mut SyncRun,
        host: &mut Host<'_, '_>,
    ) {
        let image = &container.image;
        let entry = self
            .container_states
            .get(start.idx)
            .and_then(|container_state| container_state.pulls);
        if backoff::is_pull_blocked(&entry, host.ctx.now) {
            mark_sync_failed(run, role);
            let event = format!("Back-off pulling image \"{image}\"");
            let message = format!("{event}: ErrImagePull: {}", pull_error(image));
            events::emit_for_container(pod, &container.name, EventType::Normal, "BackOff", event, host);
            self.handle_image_failure(pod, start.idx, container, "ImagePullBackOff", message, host);
            return;
        }
        events::emit_for_container(
            pod,
            &container.name,
            EventType::Normal,
            "Pulling",
            format!("Pulling image \"{image}\""),
            host,
        );
        let outcome = host.machine.behavior(pod, container, role).pull;
        let id = host
            .machine
            .pull(pod, image, outcome, host.shared.settings.parallel_pulls(), host.ctx);
        host.shared.pulls.insert(id, pod.metadata.uid.clone());
        run.step = SyncStep::Pull(start, id);
    }

    /// Creates and starts a container whose image is present.
    pub(super) fn create_container(
        &mut self,
        pod: &Arc<Pod>,
        start: ContainerStart,
        run: &mut SyncRun,
        host: &mut Host<'_, '_>,
    ) {
        run.step = SyncStep::Next;
        let Some((role, container)) = containers_of(pod).nth(start.idx) else {
            return;
        };
        let held = host.machine.pod(self.uid());
        if let Err(message) = container_config::check_container_config(pod, container, host.cache, held) {
            mark_sync_failed(run, role);
            self.handle_create_failure(pod, start.idx, container, message, host);
            return;
        }
        if let Some(ContainerProblem::NotCreated { reason, message }) = host.machine.problem_of(pod, container).cloned()
        {
            mark_sync_failed(run, role);
            emit_failed_event(pod, container, &message, host);
            self.set_waiting_reason(start.idx, &reason, message.to_string());
            return;
        }
        let attempt = self.next_restart_count(container, host);
        events::emit_for_container(
            pod,
            &container.name,
            EventType::Normal,
            "Created",
            "Container created",
            host,
        );
        let id = host.machine.start_container(pod, container, role, attempt, host.ctx);
        events::emit_for_container(
            pod,
            &container.name,
            EventType::Normal,
            "Started",
            "Container started",
            host,
        );
        if let Some(container_state) = self.container_states.get_mut(start.idx) {
            container_state.waiting = None;
        }
        self.set_machine_changed();
        if container
            .lifecycle
            .as_ref()
            .is_some_and(|lifecycle| lifecycle.post_start.is_some())
        {
            let outcome = host.machine.behavior(pod, container, role).post_start;
            host.machine
                .start_hook(&pod.metadata.uid, id, HookKind::PostStart, outcome, host.ctx);
            // A hanging hook blocks the worker until the container exits (LC-081).
            run.step = SyncStep::PostStart(start.idx, id);
        }
    }

    /// Returns the restart count of the next instance. Without a container on the machine, the count is restored from
    /// the status (LC-097).
    fn next_restart_count(&self, container: &Container, host: &Host<'_, '_>) -> i32 {
        if let Some(latest) = host
            .machine
            .pod(self.uid())
            .and_then(|held| held.latest(&container.name))
        {
            return latest.attempt + 1;
        }
        let status = self.status();
        status.status_of(&container.name).map_or(0, |one| {
            let ran = one.state.terminated.is_some() || one.state.running.is_some();
            one.restart_count + i32::from(ran)
        })
    }

    fn set_waiting_reason(&mut self, idx: usize, reason: &str, message: String) {
        if let Some(container_state) = self.container_states.get_mut(idx) {
            container_state.waiting = Some(Box::new(ContainerStateWaiting {
                reason: reason.into(),
                message: message.into(),
            }));
        }
    }

    /// Handles a start that failed because of the image: emits event `Failed` and sets the waiting reason.
    fn handle_image_failure(
        &mut self,
        pod: &Pod,
        idx: usize,
        container: &Container,
        reason: &str,
        message: String,
        host: &mut Host<'_, '_>,
    ) {
        emit_failed_event(pod, container, reason, host);
        self.set_waiting_reason(idx, reason, message);
    }

    /// Handles a start that failed because of the container's configuration.
    fn handle_create_failure(
        &mut self,
        pod: &Pod,
        idx: usize,
        container: &Container,
        message: String,
        host: &mut Host<'_, '_>,
    ) {
        emit_failed_event(pod, container, &message, host);
        self.set_waiting_reason(idx, "CreateContainerConfigError", message);
    }

    /// Handles the end of an image pull for this pod.
    pub(super) fn handle_image_pull_end(
        &mut self,
        id: PullId,
        succeeded: bool,
        (took, waited): (Span, Span),
        host: &mut Host<'_, '_>,
    ) {
        let pod = self.pod.clone();
        let WorkerActivity::Sync(run) = &mut self.activity else {
            return;
        };
        let SyncStep::Pull(start, pull) = run.step else { return };
        if pull != id {
            return;
        }
        let Some((role, container)) = containers_of(&pod).nth(start.idx) else {
            return;
        };
        let image = &container.image;
        if succeeded {
            run.step = SyncStep::Create(start);
            events::emit_pulled(&pod, &container.name, image, took, waited, host);
            return;
        }
        run.step = SyncStep::Next;
        mark_sync_failed(run, role);
        if let Some(container_state) = self.container_states.get_mut(start.idx) {
            backoff::record_pull_failure(&mut container_state.pulls, host.ctx.now);
        }
        let error = pull_error(image);
        let message = format!("Failed to pull image \"{image}\": {error}");
        events::emit_for_container(&pod, &container.name, EventType::Warning, "Failed", message, host);
        self.handle_image_failure(&pod, start.idx, container, "ErrImagePull", error, host);
    }

    /// Handles the return of a postStart hook (LC-081).
    pub(super) fn handle_post_start_finished(&mut self, id: ContainerId, succeeded: bool, host: &mut Host<'_, '_>) {
        let pod = self.pod.clone();
        let WorkerActivity::Sync(run) = &mut self.activity else {
            return;
        };
        let SyncStep::PostStart(idx, waiting) = run.step else {
            return;
        };
        if waiting != id {
            return;
        }
        run.step = SyncStep::Next;
        let Some((role, container)) = containers_of(&pod).nth(idx) else {
            return;
        };
        if succeeded {
            return;
        }
        mark_sync_failed(run, role);
        events::emit_for_container(
            &pod,
            &container.name,
            EventType::Warning,
            "FailedPostStartHook",
            "PostStartHook failed",
            host,
        );
        let victim = self.container_to_kill(
            id,
            idx,
            None,
            KillReason::Other,
            Some("FailedPostStartHook".into()),
            host,
        );
        let kill = Kill::begin(&pod, victim.into_iter().collect(), false, host);
        if let WorkerActivity::Sync(run) = &mut self.activity {
            run.kill = Some(kill);
        }
        self.set_waiting_reason(idx, "PostStartHookError", "PostStartHook failed".into());
    }
}

/// Marks the sync as failed. If a plain init container could not be started, the containers after it are not tried.
fn mark_sync_failed(run: &mut SyncRun, role: Role) {
    run.has_failed = true;
    if role == Role::Init {
        run.starts.clear();
    }
}

fn pull_error(image: &str) -> String {
    format!("rpc error: code = NotFound desc = failed to pull and unpack image \"{image}\": not found")
}

/// Emits event `Failed` with message `Error: …`: a container did not start.
fn emit_failed_event(pod: &Pod, container: &Container, error: &str, host: &mut Host<'_, '_>) {
    let message = format!("Error: {error}");
    events::emit_for_container(pod, &container.name, EventType::Warning, "Failed", message, host);
}
