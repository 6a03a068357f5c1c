//! Killing containers: the stop calls of one kubelet, all at once, each a
//! small state machine (LC-138). They die with the kubelet: a crash sends no
//! signal, and the next kubelet begins anew (LC-167).
//!
//! ```text
//!            ┌────────── no hook ──────────┐
//! (begin) ─▶ PreStop ──returned / grace──▶ Turn ──its turn / grace──▶ Stopping ──timeout──▶ Killed
//!               │                           │                            │                   │
//!               └──────────────────── process ended ─────────────────────┴───────────────────┴──▶ Done
//! ```

use podscope_api::{Pod, Str};

use super::events;
use super::grace::Remaining;
use super::host::Host;
use crate::machine::{Container, ContainerId, HookKind, Outcome, Role};
use podscope_sim::{SimTime, Span};

/// What a stop call waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// The preStop hook.
    PreStop,
    /// The containers that must end first (LC-158).
    Turn,
    /// The process, after its stop signal.
    Stopping,
    /// The process, after SIGKILL.
    Killed,
    /// Nothing: the call returned.
    Done,
}

/// One container's stop call.
#[derive(Debug, Clone)]
pub(super) struct StopCall {
    pub(super) container: ContainerId,
    pub(super) name: Str,
    /// Containers of this kill that must end first, by position.
    after: Vec<usize>,
    /// Whether its pod has an order at all (LC-138 step 4).
    left: Remaining,
    pub(super) step: Step,
    pub(super) since: SimTime,
    /// When the step is over in any case.
    pub(super) until: Option<SimTime>,
}

/// A set of stop calls that began together.
#[derive(Debug, Clone)]
pub(super) struct Kill {
    pub(super) calls: Vec<StopCall>,
}

/// A container to be killed.
pub(super) struct Victim {
    pub(super) container: ContainerId,
    pub(super) name: Str,
    pub(super) role: Role,
    /// Its place among the init containers, for sidecars.
    pub(super) init_idx: usize,
    pub(super) left: Remaining,
    /// Text of the Killing event; none emits none.
    pub(super) message: Option<String>,
    /// How its preStop hook goes; none if it has none or none is run.
    pub(super) hook: Option<Outcome>,
}

impl Kill {
    /// Begins the stop calls. With `is_ordered`, sidecars wait for the apps and for the sidecar after them (LC-158).
    pub(super) fn begin(pod: &Pod, victims: Vec<Victim>, is_ordered: bool, host: &mut Host<'_, '_>) -> Self {
        let after = |victim: &Victim| -> Vec<usize> {
            if !is_ordered || victim.role != Role::Sidecar {
                return Vec::new();
            }
            let comes_first = |other: &Victim| {
                other.role == Role::App
                    || (other.role == Role::Sidecar && other.init_idx == next_sidecar(pod, victim.init_idx))
            };
            (0..victims.len()).filter(|idx| comes_first(&victims[*idx])).collect()
        };
        let order: Vec<Vec<usize>> = victims.iter().map(after).collect();
        let mut calls = Vec::with_capacity(victims.len());
        for (victim, after) in victims.into_iter().zip(order) {
            if let Some(message) = &victim.message {
                events::killing(pod, &victim.name, message, host);
            }
            let mut call = StopCall {
                container: victim.container,
                name: victim.name,
                after,
                left: victim.left,
                step: Step::Turn,
                since: host.ctx.now,
                until: None,
            };
            if let (Some(hook), Some(wait)) = (victim.hook, call.left.wait()) {
                call.step = Step::PreStop;
                call.until = Some(host.ctx.now + wait);
                host.machine
                    .start_hook(&pod.metadata.uid, call.container, HookKind::PreStop, hook, host.ctx);
            }
            calls.push(call);
        }
        let mut kill = Self { calls };
        kill.take_turns(pod, host);
        kill
    }

    /// Whether every call returned.
    pub(super) fn is_done(&self) -> bool {
        self.calls.iter().all(|call| call.step == Step::Done)
    }

    /// When the next step is over in any case.
    pub(super) fn next_deadline(&self) -> Option<SimTime> {
        self.calls.iter().filter_map(|call| call.until).min()
    }

    /// A hook returned.
    pub(super) fn hook_finished(
        &mut self,
        pod: &Pod,
        container: ContainerId,
        succeeded: bool,
        host: &mut Host<'_, '_>,
    ) {
        let waiting = |call: &&mut StopCall| call.container == container && call.step == Step::PreStop;
        let Some(call) = self.calls.iter_mut().find(waiting) else {
            return;
        };
        if !succeeded && is_running(pod, container, host) {
            events::pre_stop_failed(pod, &call.name, host);
        }
        call.wait_for_turn(host.ctx.now);
        self.take_turns(pod, host);
    }

    /// A process ended: its call returns.
    pub(super) fn exited(&mut self, pod: &Pod, container: ContainerId, host: &mut Host<'_, '_>) {
        if let Some(call) = self.calls.iter_mut().find(|call| call.container == container) {
            call.step = Step::Done;
            call.until = None;
            self.take_turns(pod, host);
        }
    }

    /// Goes on where a step is over.
    pub(super) fn tick(&mut self, pod: &Pod, host: &mut Host<'_, '_>) {
        let now = host.ctx.now;
        for call in &mut self.calls {
            if call.until.is_none_or(|until| until > now) {
                continue;
            }
            match call.step {
                Step::PreStop => call.wait_for_turn(now),
                Step::Turn => call.stop(pod, host),
                Step::Stopping => {
                    // The signal that it did not heed.
                    let process = process(pod, call.container, host);
                    let signal = process.map_or(host.ctx.caused_by(), |process| process.latest);
                    host.ctx.because(signal);
                    call.step = Step::Killed;
                    call.since = now;
                    call.until = None;
                    host.machine.kill(&pod.metadata.uid, call.container, host.ctx);
                }
                Step::Killed | Step::Done => call.until = None,
            }
        }
        self.take_turns(pod, host);
    }

    fn take_turns(&mut self, pod: &Pod, host: &mut Host<'_, '_>) {
        let done: Vec<bool> = self.calls.iter().map(|call| call.step == Step::Done).collect();
        for call in &mut self.calls {
            if call.step != Step::Turn {
                continue;
            }
            let is_its_turn = call.after.iter().all(|idx| done[*idx]);
            if is_its_turn || call.left.wait().is_none() {
                call.stop(pod, host);
            } else if call.until.is_none() {
                call.until = call.left.wait().map(|wait| call.since + wait);
            }
        }
    }
}

impl StopCall {
    fn wait_for_turn(&mut self, now: SimTime) {
        self.left = self.left.after(now - self.since);
        self.step = Step::Turn;
        self.since = now;
        self.until = None;
    }

    fn stop(&mut self, pod: &Pod, host: &mut Host<'_, '_>) {
        let now = host.ctx.now;
        self.left = self.left.after(now - self.since);
        self.since = now;
        let uid = &pod.metadata.uid;
        if !is_running(pod, self.container, host) {
            self.step = Step::Done;
            self.until = None;
            return;
        }
        let timeout = self.left.stop_timeout(host.ctx.switches);
        if timeout == Span::ZERO {
            // A runtime that is given no time sends no stop signal.
            self.step = Step::Killed;
            self.until = None;
            host.machine.kill(uid, self.container, host.ctx);
        } else {
            self.step = Step::Stopping;
            self.until = Some(now + timeout);
            host.machine.stop(uid, self.container, host.ctx);
        }
    }
}

fn is_running(pod: &Pod, container: ContainerId, host: &Host<'_, '_>) -> bool {
    process(pod, container, host).is_some_and(Container::is_running)
}

fn process<'h>(pod: &Pod, container: ContainerId, host: &'h Host<'_, '_>) -> Option<&'h Container> {
    host.machine.pod(&pod.metadata.uid)?.container(container)
}

/// The place of the sidecar declared directly after the one at `idx` (LC-158); plain init containers do not count.
fn next_sidecar(pod: &Pod, idx: usize) -> usize {
    let init = &pod.spec.init_containers;
    (idx + 1..init.len())
        .find(|next| init[*next].is_sidecar())
        .unwrap_or(usize::MAX)
}
