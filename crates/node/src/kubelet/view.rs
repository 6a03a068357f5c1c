//! What the page asks a kubelet: how far a termination is (L-16).

use podscope_api::{Str, Uid};

use super::Kubelet;
use super::kill::Step;
use podscope_sim::{SimTime, Span};

/// How far the termination of a pod is (L-16).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TerminationView {
    /// One entry per container still to stop.
    pub containers: Vec<ContainerTermination>,
}

/// One container of a [`TerminationView`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContainerTermination {
    pub name: Str,
    /// What it waits for.
    pub step: TerminationStep,
    /// When the step began.
    pub since: SimTime,
    /// When the kubelet goes on, whatever happens.
    pub until: Option<SimTime>,
}

/// What the termination of a container waits for; what is earlier is further from the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TerminationStep {
    /// The preStop hook.
    PreStop,
    /// Other containers, which end first.
    Turn,
    /// The process, which has its stop signal; SIGKILL comes next.
    Stopping,
    /// The process, after SIGKILL.
    Killed,
}

impl Kubelet {
    /// The delay that holds a crashed container back now (LC-084), counted from the end of its last run; none if it is not in
    /// back-off, or the kubelet does not know the pod.
    pub fn back_off(&self, pod: &Uid, container: &str) -> Option<Span> {
        let worker = self.managers.pods.get(pod)?;
        let spec = &worker.pod.spec;
        let idx =
            (spec.init_containers.iter().chain(spec.containers.iter())).position(|one| &*one.name == container)?;
        let memory = worker.memory.get(idx)?;
        let waits = memory
            .waiting
            .as_ref()
            .is_some_and(|waiting| &*waiting.reason == "CrashLoopBackOff");
        memory.restarts.filter(|_| waits).map(|entry| entry.delay)
    }

    /// What a terminating pod waits for; none if no kill of it is under way here.
    pub fn termination(&self, pod: &Uid) -> Option<TerminationView> {
        let kill = self.managers.pods.get(pod)?.kill()?;
        let waiting = kill.calls.iter().filter(|call| call.step != Step::Done);
        let containers = waiting
            .map(|call| ContainerTermination {
                name: call.name.clone(),
                step: match call.step {
                    Step::PreStop => TerminationStep::PreStop,
                    Step::Turn => TerminationStep::Turn,
                    Step::Stopping => TerminationStep::Stopping,
                    Step::Killed | Step::Done => TerminationStep::Killed,
                },
                since: call.since,
                until: call.until,
            })
            .collect();
        Some(TerminationView { containers })
    }
}
