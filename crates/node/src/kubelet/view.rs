//! What the page asks a kubelet: how far a termination is (L-16).

use podscope_api::{Str, Uid};

use super::Kubelet;
use super::kill::Step;
use podscope_sim::SimTime;

/// How far the termination of a pod is (L-16).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TerminationView {
    /// One entry per container still to stop.
    pub containers: Vec<ContainerTermination>,
}

/// One container of a [`TerminationView`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContainerTermination {
    /// Its name.
    pub name: Str,
    /// What it waits for: `preStop` (the hook), `turn` (other containers end first), `SIGTERM` (the process, after its
    /// stop signal; SIGKILL comes next), `SIGKILL` (the process, after SIGKILL).
    pub step: &'static str,
    /// When the step began.
    pub since: SimTime,
    /// When the kubelet goes on, whatever happens.
    pub until: Option<SimTime>,
}

impl Kubelet {
    /// What a terminating pod waits for; none if no kill of it is under way here.
    pub fn termination(&self, pod: &Uid) -> Option<TerminationView> {
        let kill = self.managers.pods.get(pod)?.kill()?;
        let waiting = kill.calls.iter().filter(|call| call.step != Step::Done);
        let containers = waiting
            .map(|call| ContainerTermination {
                name: call.name.clone(),
                step: match call.step {
                    Step::PreStop => "preStop",
                    Step::Turn => "turn",
                    Step::Stopping => "SIGTERM",
                    Step::Killed | Step::Done => "SIGKILL",
                },
                since: call.since,
                until: call.until,
            })
            .collect();
        Some(TerminationView { containers })
    }
}
