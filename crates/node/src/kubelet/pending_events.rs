//! Future actions of a kubelet that are already scheduled: the ends of hooks, grace periods and back-offs, and probes
//! that will count as failed (U-05). This module only reads state.

use podscope_api::pending_event::PendingEventKind;
use podscope_api::{Kind, Pod, Str};
use podscope_sim::{PendingEvent, SimTime};

use super::Kubelet;
use super::kill::StopStep;
use super::probes::ProbeKindExt as _;
use super::worker::PodWorker;
use crate::machine::{Machine, containers_of};

impl Kubelet {
    /// Returns the scheduled actions for all pods of the machine.
    pub fn pending_events(&self, machine: &Machine, now: SimTime) -> Vec<PendingEvent> {
        let workers = self.managers.pods.values();
        workers.flat_map(|worker| worker.pending_events(machine, now)).collect()
    }
}

/// Returns a scheduled action on a container.
fn pending_container_event(pod: &Pod, container: &Str, what: PendingEventKind, at: SimTime) -> PendingEvent {
    PendingEvent {
        at,
        what,
        kind: Kind::Pod,
        key: pod.metadata.key(),
        uid: pod.metadata.uid.clone(),
        container: container.clone(),
        is_projected: false,
    }
}

impl PodWorker {
    fn pending_events(&self, machine: &Machine, now: SimTime) -> Vec<PendingEvent> {
        if let Some(kill) = self.kill() {
            let ends = kill.calls.iter().filter_map(|call| {
                let what = match call.step {
                    StopStep::PreStop | StopStep::Turn => PendingEventKind::StopSignal,
                    StopStep::Stopping => PendingEventKind::Kill,
                    StopStep::Killed | StopStep::Done => return None,
                };
                Some(pending_container_event(&self.pod, &call.name, what, call.until?))
            });
            return ends.collect();
        }
        let held = machine.pod(self.uid());
        let mut due = Vec::new();
        for (container_state, (_, container)) in self.container_states.iter().zip(containers_of(&self.pod)) {
            let waiting_reason = container_state.waiting.as_ref().map(|waiting| &*waiting.reason);
            let exit = held.and_then(|held| held.latest(&container.name)?.exit.as_ref());
            let at = match (waiting_reason, &container_state.restarts, &container_state.pulls, exit) {
                (Some("CrashLoopBackOff"), Some(entry), _, Some(exit)) => exit.at + entry.delay,
                (Some("ImagePullBackOff"), _, Some(entry), _) => entry.last + entry.delay,
                _ => continue,
            };
            if at >= now {
                due.push(pending_container_event(
                    &self.pod,
                    &container.name,
                    PendingEventKind::BackOff,
                    at,
                ));
            }
        }
        for probe in &self.probes {
            let container = containers_of(&self.pod).nth(probe.container_idx).map(|(_, one)| one);
            let Some(container) = container else { continue };
            let running = held
                .and_then(|held| held.latest(&container.name))
                .filter(|one| one.is_running());
            let failing = running.zip(probe.kind.probe_spec(container));
            if let Some(at) =
                failing.and_then(|(running, spec)| probe.reaches_failure_threshold_at(spec, &running.behavior))
            {
                due.push(pending_container_event(
                    &self.pod,
                    &container.name,
                    PendingEventKind::Probe,
                    at,
                ));
            }
        }
        due
    }
}
