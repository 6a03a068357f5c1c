//! What a kubelet waits for and will do by itself: the ends of hooks, graces and back-offs, and probes that have
//! begun to fail (U-05). Reads only.

use podscope_api::{Kind, Pod, Str};
use podscope_sim::{Coming, Due, SimTime};

use super::Kubelet;
use super::kill::Step;
use super::probes::Probing as _;
use super::worker::PodWorker;
use crate::machine::{Machine, containers_of};

impl Kubelet {
    /// What it waits for on its machine.
    pub fn due(&self, machine: &Machine, now: SimTime) -> Vec<Due> {
        let workers = self.managers.pods.values();
        workers.flat_map(|worker| worker.due(machine, now)).collect()
    }
}

/// That something happens to a container at an instant.
fn of_container(pod: &Pod, container: &Str, what: Coming, at: SimTime) -> Due {
    Due {
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
    fn due(&self, machine: &Machine, now: SimTime) -> Vec<Due> {
        if let Some(kill) = self.kill() {
            let ends = kill.calls.iter().filter_map(|call| {
                let what = match call.step {
                    Step::PreStop | Step::Turn => Coming::StopSignal,
                    Step::Stopping => Coming::Kill,
                    Step::Killed | Step::Done => return None,
                };
                Some(of_container(&self.pod, &call.name, what, call.until?))
            });
            return ends.collect();
        }
        let held = machine.pod(self.uid());
        let mut due = Vec::new();
        for (memory, (_, container)) in self.memory.iter().zip(containers_of(&self.pod)) {
            let waits = memory.waiting.as_ref().map(|waiting| &*waiting.reason);
            let ended = held.and_then(|held| held.latest(&container.name)?.exit.as_ref());
            let at = match (waits, &memory.restarts, &memory.pulls, ended) {
                (Some("CrashLoopBackOff"), Some(entry), _, Some(exit)) => exit.at + entry.delay,
                (Some("ImagePullBackOff"), _, Some(entry), _) => entry.last + entry.delay,
                _ => continue,
            };
            if at >= now {
                due.push(of_container(&self.pod, &container.name, Coming::BackOff, at));
            }
        }
        for probe in &self.probes {
            let container = containers_of(&self.pod).nth(probe.container_idx).map(|(_, one)| one);
            let Some(container) = container else { continue };
            let running = held
                .and_then(|held| held.latest(&container.name))
                .filter(|one| one.is_running());
            let fails = running.zip(probe.kind.spec(container));
            if let Some(at) = fails.and_then(|(running, spec)| probe.fails_at(spec, &running.behavior)) {
                due.push(of_container(&self.pod, &container.name, Coming::Probe, at));
            }
        }
        due
    }
}
