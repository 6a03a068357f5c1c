//! Problems of imported containers. An imported pod behaves as its dump shows, as long as its UID and image stay the
//! same (P-09). An annotation that scripts the container's behaviour takes precedence.

use std::sync::Arc;

use podscope_api::{BEHAVIOR_PREFIX, Container, NodeCondition, Pod, Str, Uid};
use podscope_sim::{ContainerProblem, Span};

use super::{Behavior, Machine, ProbeAnswers, ProbeResult, Role, TimedOutcome, behavior_of};

/// A duration that is longer than any simulation.
const FOR_EVER: Span = Span::seconds(200 * 366 * 86_400);

impl Machine {
    /// Sets the problems that an imported pod's status shows, by container name.
    pub fn set_container_problems(&mut self, pod: &Uid, container_problems: &[(Str, ContainerProblem)]) {
        if !container_problems.is_empty() {
            self.container_problems.insert(pod.clone(), container_problems.into());
        }
    }

    /// Sets the unhealthy conditions of the imported Node.
    pub fn set_imported_conditions(&mut self, conditions: &[NodeCondition]) {
        self.conditions = conditions.into();
    }

    /// Returns the imported unhealthy condition of a type.
    pub fn imported_condition(&self, kind: &str) -> Option<&NodeCondition> {
        self.conditions.iter().find(|one| &*one.kind == kind)
    }

    /// Returns the imported problem of a container; None if a new image or an annotation supersedes it.
    pub fn problem_of(&self, pod: &Pod, container: &Container) -> Option<&ContainerProblem> {
        let container_problems = self.container_problems.get(&pod.metadata.uid)?;
        let (_, problem) = container_problems.iter().find(|(name, _)| *name == container.name)?;
        let key = format!("{BEHAVIOR_PREFIX}{}", container.name);
        let is_over = matches!(problem, ContainerProblem::Pull(image) if *image != container.image);
        (!is_over && pod.metadata.annotation(&key).is_none()).then_some(problem)
    }

    /// Returns whether a container of the imported pod waits for ever (`ContainerProblem::WaitsForever`).
    pub fn waits_forever(&self, pod: &Pod) -> bool {
        let has_problems = self.container_problems.contains_key(&pod.metadata.uid);
        let mut containers = pod.spec.containers.iter().filter(|_| has_problems);
        containers.any(|container| self.problem_of(pod, container) == Some(&ContainerProblem::WaitsForever))
    }

    /// Returns the behaviour of a container on this machine: its pod's annotation, with the imported problem applied.
    pub fn behavior(&self, pod: &Pod, container: &Container, role: Role) -> Arc<Behavior> {
        let mut behavior = behavior_of(pod, container, role);
        let Some(problem) = self.problem_of(pod, container) else {
            return behavior;
        };
        let fails = || ProbeAnswers {
            windows: vec![(Span::ZERO, None, ProbeResult::Failure)],
        };
        let changed = Arc::make_mut(&mut behavior);
        match problem {
            ContainerProblem::Pull(_) => changed.pull = TimedOutcome::Fails,
            ContainerProblem::Ends {
                after,
                code,
                is_out_of_memory,
            } => {
                changed.run = Some(*after);
                changed.exit_code = *code;
                changed.is_out_of_memory = *is_out_of_memory;
            }
            ContainerProblem::NeverEnds => changed.run = None,
            ContainerProblem::NotStarted => changed.started = fails(),
            ContainerProblem::NotReady => changed.readiness = fails(),
            ContainerProblem::IgnoresTermination => {
                changed.sigterm = None;
                changed.stop = FOR_EVER;
            }
            ContainerProblem::NotCreated { .. } | ContainerProblem::WaitsForever => {}
        }
        behavior
    }
}
