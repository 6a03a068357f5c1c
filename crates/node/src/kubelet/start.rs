//! Starting one container: back-off, image, creation, postStart hook (LC-068
//! to LC-070, LC-081, LC-084 to LC-089, LC-180). A part of a sync (`sync.rs`).

use std::sync::Arc;

use podscope_api::{Container, ContainerStateWaiting, EventType, Pod, PullPolicy, check_image_name};

use super::backoff::BackOff;
use super::grace::KillReason;
use super::host::Host;
use super::kill::Kill;
use super::sync::{Start, Step, SyncRun};
use super::worker::{Activity, PodWorker};
use super::{backoff, config, events};
use crate::machine::{ContainerId, HookKind, Outcome, PullId, Role, containers_of};
use podscope_sim::{SimTime, Span, Trouble};

impl PodWorker {
    /// Back-off and image of the next container.
    pub(super) fn prepare(&mut self, pod: &Arc<Pod>, start: Start, run: &mut SyncRun, host: &mut Host<'_, '_>) {
        let Some((role, container)) = containers_of(pod).nth(start.idx) else {
            return;
        };
        let now = host.ctx.now;
        let longest = host.shared.settings.max_container_restart_period;
        let Some(memory) = self.memory.get_mut(start.idx) else {
            return;
        };
        if let Some(finished) = start.exited_at
            && let Err(delay) = backoff::restart(&mut memory.restarts, finished, now, longest)
        {
            fail(run, role);
            let until = finished + delay;
            run.blocked_until = Some(run.blocked_until.map_or(until, |known| known.min(until)));
            let whom = format!("{}_{}({})", pod.metadata.name, pod.metadata.namespace, pod.metadata.uid);
            let event = format!("Back-off restarting failed container {} in pod {whom}", container.name);
            events::of_container(pod, &container.name, EventType::Warning, "BackOff", event, host);
            let delay = backoff::print_delay(delay);
            let message = format!(
                "back-off {delay} restarting failed container={} pod={whom}",
                container.name
            );
            self.set_waiting(start.idx, "CrashLoopBackOff", message);
            return;
        }
        let image = &container.image;
        let cannot_pull = matches!(host.machine.trouble(pod, container), Some(Trouble::Pull(_)));
        let is_present = !cannot_pull && host.machine.has_image(image);
        let policy = container.image_pull_policy.clone().unwrap_or(PullPolicy::IfNotPresent);
        if let Err(why) = check_image_name(image) {
            fail(run, role);
            let message = format!("Failed to apply default image tag {:?}: {why}", &**image);
            events::of_container(
                pod,
                &container.name,
                EventType::Warning,
                "InspectFailed",
                message.clone(),
                host,
            );
            self.refuse(pod, start.idx, container, "InvalidImageName", message, host);
            return;
        }
        match policy {
            PullPolicy::Never if !is_present => {
                fail(run, role);
                let message = format!("Container image \"{image}\" is not present with pull policy of Never");
                events::of_container(
                    pod,
                    &container.name,
                    EventType::Warning,
                    "ErrImageNeverPull",
                    message.clone(),
                    host,
                );
                self.refuse(pod, start.idx, container, "ErrImageNeverPull", message, host);
            }
            PullPolicy::Always => self.pull(pod, start, container, role, run, host),
            _ if is_present => {
                let message =
                    format!("Container image \"{image}\" already present on machine and can be accessed by the pod");
                events::of_container(pod, &container.name, EventType::Normal, "Pulled", message, host);
                run.step = Step::Create(start);
            }
            _ => self.pull(pod, start, container, role, run, host),
        }
    }

    /// At the beginning: why containers of an imported pod wait, and for how long they were made to (P-09).
    pub(super) fn recall(&mut self, host: &Host<'_, '_>) {
        let now = host.ctx.now;
        if now > SimTime::ZERO {
            return;
        }
        let pod = self.pod.clone();
        let longest = host.shared.settings.max_container_restart_period;
        for ((_, container), memory) in containers_of(&pod).zip(&mut self.memory) {
            let Some(status) = pod.status.status_of(&container.name) else {
                continue;
            };
            let Some(waiting) = &status.state.waiting else {
                continue;
            };
            let trouble = host.machine.trouble(&pod, container);
            if trouble.is_some() || &*waiting.reason == "CreateContainerConfigError" {
                memory.waiting = Some(Box::new(waiting.clone()));
            }
            match trouble {
                Some(Trouble::Pull(_)) => memory.pulls = Some(BackOff::longest(backoff::LONGEST, now)),
                Some(Trouble::Ends { .. }) => {
                    memory.restarts = Some(BackOff::after(status.restart_count, longest, now));
                }
                _ => {}
            }
        }
    }

    fn pull(
        &mut self,
        pod: &Arc<Pod>,
        start: Start,
        container: &Container,
        role: Role,
        run: &mut SyncRun,
        host: &mut Host<'_, '_>,
    ) {
        let image = &container.image;
        let entry = self.memory.get(start.idx).and_then(|memory| memory.pulls);
        if backoff::is_pull_blocked(&entry, host.ctx.now) {
            fail(run, role);
            let event = format!("Back-off pulling image \"{image}\"");
            let message = format!("{event}: ErrImagePull: {}", pull_error(image));
            events::of_container(pod, &container.name, EventType::Normal, "BackOff", event, host);
            self.refuse(pod, start.idx, container, "ImagePullBackOff", message, host);
            return;
        }
        events::of_container(
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
        run.step = Step::Pull(start, id);
    }

    /// Creates and starts a container whose image is there.
    pub(super) fn create(&mut self, pod: &Arc<Pod>, start: Start, run: &mut SyncRun, host: &mut Host<'_, '_>) {
        run.step = Step::Next;
        let Some((role, container)) = containers_of(pod).nth(start.idx) else {
            return;
        };
        let held = host.machine.pod(self.uid());
        if let Err(message) = config::check(pod, container, host.cache, held) {
            fail(run, role);
            self.fail_to_create(pod, start.idx, container, message, host);
            return;
        }
        if let Some(Trouble::NotCreated { reason, message }) = host.machine.trouble(pod, container).cloned() {
            fail(run, role);
            failed(pod, container, &message, host);
            self.set_waiting(start.idx, &reason, message.to_string());
            return;
        }
        let attempt = self.next_attempt(container, host);
        events::of_container(
            pod,
            &container.name,
            EventType::Normal,
            "Created",
            "Container created",
            host,
        );
        let id = host.machine.start_container(pod, container, role, attempt, host.ctx);
        events::of_container(
            pod,
            &container.name,
            EventType::Normal,
            "Started",
            "Container started",
            host,
        );
        if let Some(memory) = self.memory.get_mut(start.idx) {
            memory.waiting = None;
        }
        self.changed_machine();
        if container
            .lifecycle
            .as_ref()
            .is_some_and(|lifecycle| lifecycle.post_start.is_some())
        {
            let outcome = host.machine.behavior(pod, container, role).post_start;
            host.machine
                .start_hook(&pod.metadata.uid, id, HookKind::PostStart, outcome, host.ctx);
            run.step = Step::PostStart(start.idx, id);
            if outcome == Outcome::Hangs {
                // Nothing will come until the container ends (LC-081).
            }
        }
    }

    /// LC-097.
    fn next_attempt(&self, container: &Container, host: &Host<'_, '_>) -> i32 {
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

    fn set_waiting(&mut self, idx: usize, reason: &str, message: String) {
        if let Some(memory) = self.memory.get_mut(idx) {
            memory.waiting = Some(Box::new(ContainerStateWaiting {
                reason: reason.into(),
                message: message.into(),
            }));
        }
    }

    /// A start that failed for its image: `Error: REASON`, and why the container waits.
    fn refuse(
        &mut self,
        pod: &Pod,
        idx: usize,
        container: &Container,
        reason: &str,
        message: String,
        host: &mut Host<'_, '_>,
    ) {
        failed(pod, container, reason, host);
        self.set_waiting(idx, reason, message);
    }

    fn fail_to_create(
        &mut self,
        pod: &Pod,
        idx: usize,
        container: &Container,
        message: String,
        host: &mut Host<'_, '_>,
    ) {
        failed(pod, container, &message, host);
        self.set_waiting(idx, "CreateContainerConfigError", message);
    }

    /// An image pull of this pod ended.
    pub(super) fn pulled(
        &mut self,
        id: PullId,
        succeeded: bool,
        (took, waited): (Span, Span),
        host: &mut Host<'_, '_>,
    ) {
        let pod = self.pod.clone();
        let Activity::Sync(run) = &mut self.activity else {
            return;
        };
        let Step::Pull(start, pull) = run.step else { return };
        if pull != id {
            return;
        }
        let Some((role, container)) = containers_of(&pod).nth(start.idx) else {
            return;
        };
        let image = &container.image;
        if succeeded {
            run.step = Step::Create(start);
            events::pulled(&pod, &container.name, image, took, waited, host);
            return;
        }
        run.step = Step::Next;
        fail(run, role);
        if let Some(memory) = self.memory.get_mut(start.idx) {
            backoff::pull_failed(&mut memory.pulls, host.ctx.now);
        }
        let error = pull_error(image);
        let message = format!("Failed to pull image \"{image}\": {error}");
        events::of_container(&pod, &container.name, EventType::Warning, "Failed", message, host);
        self.refuse(&pod, start.idx, container, "ErrImagePull", error, host);
    }

    /// A postStart hook returned (LC-081).
    pub(super) fn post_start_finished(&mut self, id: ContainerId, succeeded: bool, host: &mut Host<'_, '_>) {
        let pod = self.pod.clone();
        let Activity::Sync(run) = &mut self.activity else {
            return;
        };
        let Step::PostStart(idx, waiting) = run.step else {
            return;
        };
        if waiting != id {
            return;
        }
        run.step = Step::Next;
        let Some((role, container)) = containers_of(&pod).nth(idx) else {
            return;
        };
        if succeeded {
            return;
        }
        fail(run, role);
        events::of_container(
            &pod,
            &container.name,
            EventType::Warning,
            "FailedPostStartHook",
            "PostStartHook failed",
            host,
        );
        let victim = self.victim(
            id,
            idx,
            None,
            KillReason::Other,
            Some("FailedPostStartHook".into()),
            host,
        );
        let kill = Kill::begin(&pod, victim.into_iter().collect(), false, host);
        if let Activity::Sync(run) = &mut self.activity {
            run.kill = Some(kill);
        }
        self.set_waiting(idx, "PostStartHookError", "PostStartHook failed".into());
    }
}

/// A container could not be started: a plain init container keeps the rest from being tried.
fn fail(run: &mut SyncRun, role: Role) {
    run.has_failed = true;
    if role == Role::Init {
        run.starts.clear();
    }
}

fn pull_error(image: &str) -> String {
    format!("rpc error: code = NotFound desc = failed to pull and unpack image \"{image}\": not found")
}

/// `Error: …`: a container that did not start.
fn failed(pod: &Pod, container: &Container, error: &str, host: &mut Host<'_, '_>) {
    let message = format!("Error: {error}");
    events::of_container(pod, &container.name, EventType::Warning, "Failed", message, host);
}
