//! Runs the processes of a machine: containers start, run hooks, receive signals and exit.

use std::sync::Arc;

use podscope_api::{Pod, ResourceRequirements, Str, Uid};

use super::empty_dirs::target_empty_dir;
use super::process::RunningHook;
use super::{
    Behavior, Container, ContainerId, Exit, HookKind, Machine, MachineEvent, MachineTimer, Role, TimedOutcome,
};
use crate::{Context, Timer};
use podscope_sim::{Happening, SimTime, Subject};

impl Machine {
    /// Creates and starts a container. `attempt` is the number of restarts before it.
    pub fn start_container(
        &mut self,
        pod: &Pod,
        container: &podscope_api::Container,
        role: Role,
        attempt: i32,
        ctx: &mut Context<'_>,
    ) -> ContainerId {
        self.launch_container(pod, container, role, attempt, ctx.now, ctx)
    }

    /// Runs a hook in a container; [`MachineEvent::HookFinished`] reports its end.
    pub fn start_hook(
        &mut self,
        uid: &Uid,
        id: ContainerId,
        hook: HookKind,
        outcome: TimedOutcome,
        ctx: &mut Context<'_>,
    ) {
        let Some(pod) = self.pods.get_mut(uid) else { return };
        let subject = pod.subject.clone();
        let Some(container) = pod.container_mut(id).filter(|container| container.is_running()) else {
            return;
        };
        let (ends_at, succeeds) = match outcome {
            TimedOutcome::Takes(span) => (Some(ctx.now + span), true),
            TimedOutcome::Fails => (Some(ctx.now), false),
            TimedOutcome::Hangs => (None, false),
        };
        container.hooks.push(RunningHook {
            hook,
            ends_at,
            succeeds,
        });
        let name = container.name.clone();
        ctx.record_subject(Happening::HookStarted { hook }, Some(subject), Some(name));
        if let Some(at) = ends_at {
            ctx.timer(at, Timer::Machine(MachineTimer::Hook(uid.clone(), id)));
        }
    }

    /// Sends the container's stop signal (usually SIGTERM) to its process.
    pub fn stop(&mut self, uid: &Uid, id: ContainerId, ctx: &mut Context<'_>) {
        let Some(pod) = self.pods.get_mut(uid) else { return };
        let subject = pod.subject.clone();
        let Some(container) = pod.container_mut(id).filter(|container| container.is_running()) else {
            return;
        };
        let signal = container.behavior.stop_signal.clone();
        let ends_in = if &*signal == "SIGKILL" {
            Some(container.behavior.stop)
        } else {
            container.behavior.sigterm
        };
        let code = if &*signal == "SIGKILL" { 137 } else { 0 };
        deliver_signal(container, subject, signal, ctx);
        let wake = ends_in.and_then(|span| container.plan_exit(Exit::with_code(ctx.now + span, code)));
        if let Some(at) = wake {
            ctx.timer(at, Timer::Machine(MachineTimer::Process(uid.clone(), id)));
        }
    }

    /// Sends SIGKILL to a container's process.
    pub fn kill(&mut self, uid: &Uid, id: ContainerId, ctx: &mut Context<'_>) {
        let Some(pod) = self.pods.get_mut(uid) else { return };
        let subject = pod.subject.clone();
        let Some(container) = pod.container_mut(id).filter(|container| container.is_running()) else {
            return;
        };
        deliver_signal(container, subject, "SIGKILL".into(), ctx);
        let at = ctx.now + container.behavior.stop;
        if let Some(at) = container.plan_exit(Exit::with_code(at, 137)) {
            ctx.timer(at, Timer::Machine(MachineTimer::Process(uid.clone(), id)));
        }
    }

    /// Changes the resources of a running container in place.
    ///
    /// # Errors
    /// The memory in use, in bytes, if it exceeds the new limit.
    pub fn resize_container(
        &mut self,
        uid: &Uid,
        id: ContainerId,
        resources: &Arc<ResourceRequirements>,
        ctx: &mut Context<'_>,
    ) -> Result<(), i64> {
        let Some(pod) = self.pods.get_mut(uid) else {
            return Ok(());
        };
        let Some(container) = pod.container_mut(id).filter(|container| container.is_running()) else {
            return Ok(());
        };
        let used = container.memory(ctx.now);
        if resources.limits.get("memory").is_some_and(|limit| limit.value() < used) {
            return Err(used);
        }
        container.resources = resources.clone();
        // A process that has received a signal keeps its planned exit, whatever the new memory limit is.
        if container.signals.is_empty() {
            container.plan = None;
            for at in container.plan_own_exits() {
                ctx.timer(at, Timer::Machine(MachineTimer::Process(uid.clone(), id)));
            }
        }
        Ok(())
    }

    /// Returns an equal behaviour that is already stored, or stores this one.
    fn shared_behavior(&mut self, behavior: Arc<Behavior>) -> Arc<Behavior> {
        /// Number of distinct behaviours to remember; beyond this, sharing is not worth the search.
        const MAX_BEHAVIORS: usize = 32;
        if let Some(known) = self.behaviors.iter().find(|known| **known == behavior) {
            return known.clone();
        }
        if self.behaviors.len() >= MAX_BEHAVIORS {
            self.behaviors.remove(0);
        }
        self.behaviors.push(behavior.clone());
        behavior
    }

    /// Creates a container whose process started at `started_at`, and records the start.
    pub(super) fn launch_container(
        &mut self,
        pod: &Pod,
        container: &podscope_api::Container,
        role: Role,
        attempt: i32,
        started_at: SimTime,
        ctx: &mut Context<'_>,
    ) -> ContainerId {
        let id = self.new_id();
        self.changes += 1;
        let uid = pod.metadata.uid.clone();
        let behavior = self.shared_behavior(self.behavior(pod, container, role));
        let source = self.ensure_image(&container.image, ctx.now);
        let mut process = Container {
            id,
            name: container.name.clone(),
            role,
            image: container.image.clone(),
            source,
            attempt,
            sandbox: 0,
            started_at,
            exit: None,
            signals: Vec::new(),
            signalled_at: None,
            oom_score_adj: self.oom_score_adj(pod, container, role),
            resources: container.resources.clone(),
            behavior,
            disk_size: self.disk_size(),
            writes_to: target_empty_dir(pod, container),
            hooks: Vec::new(),
            latest: podscope_api::CausedBy::NOTHING,
            plan: None,
        };
        let held = self.pod_entry(pod);
        process.sandbox = held.sandbox.as_ref().map_or(0, |sandbox| sandbox.attempt);
        ctx.record_subject(
            Happening::ContainerStarted { attempt },
            Some(held.subject.clone()),
            Some(container.name.clone()),
        );
        // The timers are set after the start has been recorded, so that the start is the cause of the planned exit.
        for at in process.plan_own_exits() {
            ctx.timer(at, Timer::Machine(MachineTimer::Process(uid.clone(), id)));
        }
        // The runtime keeps one dead container of a name beside the new one.
        let dead = held.containers.iter().filter(|old| old.name == container.name).count();
        if dead > 1
            && let Some(oldest) = held.containers.iter().position(|old| old.name == container.name)
        {
            let oldest = held.containers.remove(oldest);
            held.keep_written_data(&oldest, ctx.now);
            held.containers.push(process);
            self.release_image(&oldest.source, ctx.now);
        } else {
            held.containers.reserve_exact(1);
            held.containers.push(process);
        }
        self.set_memory_timer(ctx);
        id
    }

    pub(super) fn handle_process_timer(&mut self, uid: &Uid, id: ContainerId, ctx: &mut Context<'_>) {
        let due = self
            .pods
            .get_mut(uid)
            .and_then(|pod| pod.container_mut(id))
            .and_then(|container| container.take_due_exit(ctx.now));
        if let Some(exit) = due {
            self.finish_process(uid, id, Exit { at: ctx.now, ..exit }, ctx);
        }
    }

    /// Handles the exit of a process: records it and reports it to the kubelet.
    pub(super) fn finish_process(&mut self, uid: &Uid, id: ContainerId, exit: Exit, ctx: &mut Context<'_>) {
        self.changes += 1;
        let Some(pod) = self.pods.get_mut(uid) else { return };
        let subject = pod.subject.clone();
        let Some(container) = pod.container_mut(id) else { return };
        // Running hooks end when their container exits (LC-145).
        let hooks = std::mem::take(&mut container.hooks);
        let exited = Happening::ContainerExited {
            exit_code: exit.code,
            reason: exit.reason.into(),
        };
        container.exit = Some(exit);
        container.plan = None;
        let name = container.name.clone();
        ctx.record_subject(exited, Some(subject.clone()), Some(name.clone()));
        for RunningHook { hook, .. } in hooks {
            let finished = Happening::HookFinished { hook, succeeded: false };
            ctx.record_subject(finished, Some(subject.clone()), Some(name.clone()));
            self.events.push(MachineEvent::HookFinished {
                pod: uid.clone(),
                container: id,
                hook,
                succeeded: false,
            });
        }
        self.events.push(MachineEvent::Exited {
            pod: uid.clone(),
            container: id,
        });
    }

    pub(super) fn handle_hook_timer(&mut self, uid: &Uid, id: ContainerId, ctx: &mut Context<'_>) {
        let Some(pod) = self.pods.get_mut(uid) else { return };
        let subject = pod.subject.clone();
        let Some(container) = pod.container_mut(id) else { return };
        let name = container.name.clone();
        let is_due = |hook: &RunningHook| hook.ends_at.is_some_and(|at| at <= ctx.now);
        let (due, rest): (Vec<_>, Vec<_>) = std::mem::take(&mut container.hooks).into_iter().partition(is_due);
        container.hooks = rest;
        for RunningHook { hook, succeeds, .. } in due {
            let finished = Happening::HookFinished {
                hook,
                succeeded: succeeds,
            };
            ctx.record_subject(finished, Some(subject.clone()), Some(name.clone()));
            self.events.push(MachineEvent::HookFinished {
                pod: uid.clone(),
                container: id,
                hook,
                succeeded: succeeds,
            });
        }
    }
}

fn deliver_signal(container: &mut Container, subject: Arc<Subject>, signal: Str, ctx: &mut Context<'_>) {
    let sent = Happening::SignalSent { signal: signal.clone() };
    ctx.record_subject(sent, Some(subject), Some(container.name.clone()));
    container.signals.push(signal);
    container.signalled_at.get_or_insert(ctx.now);
}
