//! State of a kubelet that the page shows: the progress of a termination (L-16), and the restart back-off.

use podscope_api::{Str, Uid};

use super::Kubelet;
use super::kill::StopStep;
use podscope_sim::{SimTime, Span};

/// Progress of the termination of a pod (L-16).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TerminationView {
    /// The containers that have not stopped yet.
    pub containers: Vec<ContainerTermination>,
}

/// One container of a [`TerminationView`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContainerTermination {
    pub name: Str,
    pub step: TerminationStep,
    pub since: SimTime,
    /// Deadline of the step, at which the kubelet continues in any case; None if the step has no deadline.
    pub until: Option<SimTime>,
}

/// What the termination of a container waits for, in the order of the steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TerminationStep {
    /// Waits for the return of the preStop hook.
    PreStop,
    /// Waits for the exit of the containers that must stop first.
    Turn,
    /// Waits for the exit of the process after the stop signal; SIGKILL follows.
    Stopping,
    /// Waits for the exit of the process after SIGKILL.
    Killed,
}

impl Kubelet {
    /// Returns the back-off delay that keeps a crashed container from starting (LC-084), counted from the end of its
    /// last run. None if the container is not in back-off or the kubelet does not know the pod.
    pub fn back_off(&self, pod: &Uid, container: &str) -> Option<Span> {
        let worker = self.managers.pods.get(pod)?;
        let spec = &worker.pod.spec;
        let idx =
            (spec.init_containers.iter().chain(spec.containers.iter())).position(|one| &*one.name == container)?;
        let container_state = worker.container_states.get(idx)?;
        let is_in_back_off = container_state
            .waiting
            .as_ref()
            .is_some_and(|waiting| &*waiting.reason == "CrashLoopBackOff");
        container_state
            .restarts
            .filter(|_| is_in_back_off)
            .map(|entry| entry.delay)
    }

    /// Returns the progress of a pod's termination; None if this kubelet is not killing the pod.
    pub fn termination(&self, pod: &Uid) -> Option<TerminationView> {
        let kill = self.managers.pods.get(pod)?.kill()?;
        let waiting = kill.calls.iter().filter(|call| call.step != StopStep::Done);
        let containers = waiting
            .map(|call| ContainerTermination {
                name: call.name.clone(),
                step: match call.step {
                    StopStep::PreStop => TerminationStep::PreStop,
                    StopStep::Turn => TerminationStep::Turn,
                    StopStep::Stopping => TerminationStep::Stopping,
                    StopStep::Killed | StopStep::Done => TerminationStep::Killed,
                },
                since: call.since,
                until: call.until,
            })
            .collect();
        Some(TerminationView { containers })
    }
}
