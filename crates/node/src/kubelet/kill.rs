//! Kills containers: a kubelet stops all containers of a kill concurrently, each with a small state machine (LC-138).
//! The calls are lost when the kubelet crashes: a crash sends no signal, and the next kubelet begins again (LC-167).
//!
//! ```text
//!             ┌──────────────── no hook ──────────────┐
//!             │                                       ▼
//! (begin) ─▶ PreStop ──returned / grace over──▶ Turn ──its turn / grace over──▶ Stopping ──timeout──▶ Killed
//!               │                               │                                │                      │
//!               └──────────────────────── process exited ────────────────────────┴──────────────────────┴──▶ Done
//! ```

use podscope_api::{Pod, Str};

use super::events;
use super::grace::RemainingGrace;
use super::host::Host;
use super::worker::{PodWorker, WorkerActivity};
use crate::machine::{Container, ContainerId, HookKind, Role, TimedOutcome};
use podscope_sim::{SimTime, Span};

/// Step of a stop call: what the call waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StopStep {
    /// Waits for the return of the preStop hook.
    PreStop,
    /// Waits for the exit of the containers that must stop first (LC-158).
    Turn,
    /// Waits for the exit of the process after its stop signal.
    Stopping,
    /// Waits for the exit of the process after SIGKILL.
    Killed,
    /// Waits for nothing: the call has returned.
    Done,
}

/// The call that stops one container.
#[derive(Debug, Clone)]
pub(super) struct StopCall {
    pub(super) container: ContainerId,
    pub(super) name: Str,
    /// Indices of the calls in this kill that must be done before this container gets its stop signal.
    after: Vec<usize>,
    /// Remaining grace period.
    left: RemainingGrace,
    pub(super) step: StopStep,
    pub(super) since: SimTime,
    /// Deadline of the step; None if the step waits without a limit.
    pub(super) until: Option<SimTime>,
}

/// Stop calls that began together.
#[derive(Debug, Clone)]
pub(super) struct Kill {
    pub(super) calls: Vec<StopCall>,
}

/// A container to be killed.
pub(super) struct ContainerToKill {
    pub(super) container: ContainerId,
    pub(super) name: Str,
    pub(super) role: Role,
    /// Index among the init containers; only used for sidecars.
    pub(super) init_idx: usize,
    pub(super) left: RemainingGrace,
    /// Message of the Killing event; None emits no event.
    pub(super) message: Option<String>,
    /// Outcome of the preStop hook; None if there is no hook or it is not run.
    pub(super) hook: Option<TimedOutcome>,
}

impl PodWorker {
    /// Returns the kill in progress, for the views of the page (L-16).
    pub(super) fn kill(&self) -> Option<&Kill> {
        match &self.activity {
            WorkerActivity::Kill(kill) => Some(kill),
            _ => None,
        }
    }
}

impl Kill {
    /// Begins the stop calls. With `is_ordered`, a sidecar waits for the app containers and for the sidecar declared
    /// after it (LC-158).
    pub(super) fn begin(pod: &Pod, victims: Vec<ContainerToKill>, is_ordered: bool, host: &mut Host<'_, '_>) -> Self {
        let after = |victim: &ContainerToKill| -> Vec<usize> {
            if !is_ordered || victim.role != Role::Sidecar {
                return Vec::new();
            }
            let comes_first = |other: &ContainerToKill| {
                other.role == Role::App
                    || (other.role == Role::Sidecar && other.init_idx == next_sidecar_index(pod, victim.init_idx))
            };
            (0..victims.len()).filter(|idx| comes_first(&victims[*idx])).collect()
        };
        let order: Vec<Vec<usize>> = victims.iter().map(after).collect();
        let mut calls = Vec::with_capacity(victims.len());
        for (victim, after) in victims.into_iter().zip(order) {
            if let Some(message) = &victim.message {
                events::emit_killing(pod, &victim.name, message, host);
            }
            let mut call = StopCall {
                container: victim.container,
                name: victim.name,
                after,
                left: victim.left,
                step: StopStep::Turn,
                since: host.ctx.now,
                until: None,
            };
            if let (Some(hook), Some(wait)) = (victim.hook, call.left.max_wait()) {
                call.step = StopStep::PreStop;
                call.until = Some(host.ctx.now + wait);
                host.machine
                    .start_hook(&pod.metadata.uid, call.container, HookKind::PreStop, hook, host.ctx);
            }
            calls.push(call);
        }
        let mut kill = Self { calls };
        kill.stop_ready_containers(pod, host);
        kill
    }

    /// Returns whether every call has returned.
    pub(super) fn is_done(&self) -> bool {
        self.calls.iter().all(|call| call.step == StopStep::Done)
    }

    /// Returns the earliest deadline of the stop calls.
    pub(super) fn next_deadline(&self) -> Option<SimTime> {
        self.calls.iter().filter_map(|call| call.until).min()
    }

    /// Handles the return of a preStop hook.
    pub(super) fn handle_hook_finished(
        &mut self,
        pod: &Pod,
        container: ContainerId,
        succeeded: bool,
        host: &mut Host<'_, '_>,
    ) {
        let waiting = |call: &&mut StopCall| call.container == container && call.step == StopStep::PreStop;
        let Some(call) = self.calls.iter_mut().find(waiting) else {
            return;
        };
        if !succeeded && is_container_running(pod, container, host) {
            events::emit_pre_stop_failed(pod, &call.name, host);
        }
        call.wait_for_turn(host.ctx.now);
        self.stop_ready_containers(pod, host);
    }

    /// Handles the exit of a process: its stop call returns.
    pub(super) fn handle_exit(&mut self, pod: &Pod, container: ContainerId, host: &mut Host<'_, '_>) {
        if let Some(call) = self.calls.iter_mut().find(|call| call.container == container) {
            call.step = StopStep::Done;
            call.until = None;
            self.stop_ready_containers(pod, host);
        }
    }

    /// Moves each stop call whose deadline is reached to its next step.
    pub(super) fn advance_due_calls(&mut self, pod: &Pod, host: &mut Host<'_, '_>) {
        let now = host.ctx.now;
        for call in &mut self.calls {
            if call.until.is_none_or(|until| until > now) {
                continue;
            }
            match call.step {
                StopStep::PreStop => call.wait_for_turn(now),
                StopStep::Turn => call.send_stop_signal(pod, host),
                StopStep::Stopping => {
                    // In the trace, the cause of SIGKILL is the stop signal, to which the process did not react.
                    let process = find_container(pod, call.container, host);
                    let signal = process.map_or(host.ctx.caused_by(), |process| process.latest);
                    host.ctx.set_cause(signal);
                    call.step = StopStep::Killed;
                    call.since = now;
                    call.until = None;
                    host.machine.kill(&pod.metadata.uid, call.container, host.ctx);
                }
                StopStep::Killed | StopStep::Done => call.until = None,
            }
        }
        self.stop_ready_containers(pod, host);
    }

    /// Sends the stop signal to each waiting container if the containers that stop before it are done, or its grace
    /// period is over.
    fn stop_ready_containers(&mut self, pod: &Pod, host: &mut Host<'_, '_>) {
        let done: Vec<bool> = self.calls.iter().map(|call| call.step == StopStep::Done).collect();
        for call in &mut self.calls {
            if call.step != StopStep::Turn {
                continue;
            }
            let is_its_turn = call.after.iter().all(|idx| done[*idx]);
            if is_its_turn || call.left.max_wait().is_none() {
                call.send_stop_signal(pod, host);
            } else if call.until.is_none() {
                call.until = call.left.max_wait().map(|wait| call.since + wait);
            }
        }
    }
}

impl StopCall {
    /// Enters step `Turn`, in which the call waits for the containers that must stop first.
    fn wait_for_turn(&mut self, now: SimTime) {
        self.left = self.left.after_waiting(now - self.since);
        self.step = StopStep::Turn;
        self.since = now;
        self.until = None;
    }

    /// Sends the stop signal to the container, or SIGKILL if no time is left. If the container does not run, the call
    /// is done.
    fn send_stop_signal(&mut self, pod: &Pod, host: &mut Host<'_, '_>) {
        let now = host.ctx.now;
        self.left = self.left.after_waiting(now - self.since);
        self.since = now;
        let uid = &pod.metadata.uid;
        if !is_container_running(pod, self.container, host) {
            self.step = StopStep::Done;
            self.until = None;
            return;
        }
        let timeout = self.left.stop_timeout(host.ctx.switches);
        if timeout == Span::ZERO {
            // With timeout 0, the container runtime sends SIGKILL without a stop signal.
            self.step = StopStep::Killed;
            self.until = None;
            host.machine.kill(uid, self.container, host.ctx);
        } else {
            self.step = StopStep::Stopping;
            self.until = Some(now + timeout);
            host.machine.stop(uid, self.container, host.ctx);
        }
    }
}

fn is_container_running(pod: &Pod, container: ContainerId, host: &Host<'_, '_>) -> bool {
    find_container(pod, container, host).is_some_and(Container::is_running)
}

fn find_container<'h>(pod: &Pod, container: ContainerId, host: &'h Host<'_, '_>) -> Option<&'h Container> {
    host.machine.pod(&pod.metadata.uid)?.container(container)
}

/// Returns the index of the sidecar declared next after the one at `idx` (LC-158). Plain init containers are skipped.
fn next_sidecar_index(pod: &Pod, idx: usize) -> usize {
    let init = &pod.spec.init_containers;
    (idx + 1..init.len())
        .find(|next| init[*next].is_sidecar())
        .unwrap_or(usize::MAX)
}
