//! Problems of imported containers. An imported pod behaves as its dump shows, as long as its UID and image stay the
//! same (P-09). An annotation that scripts the container's behaviour takes precedence.

use std::sync::Arc;

use podscope_api::{BEHAVIOR_PREFIX, Container, NodeCondition, Pod, Str, Uid};
use podscope_sim::{Span, Trouble};

use super::{Answers, Behavior, Machine, Outcome, ProbeResult, Role, behavior_of};

/// Longer than any simulation.
const FOR_EVER: Span = Span::seconds(200 * 366 * 86_400);

impl Machine {
    /// Sets the problems that an imported pod's status shows, by container name.
    pub fn set_troubles(&mut self, pod: &Uid, troubles: &[(Str, Trouble)]) {
        if !troubles.is_empty() {
            self.troubles.insert(pod.clone(), troubles.into());
        }
    }

    /// Sets the unhealthy conditions of the imported Node.
    pub fn set_conditions(&mut self, conditions: &[NodeCondition]) {
        self.conditions = conditions.into();
    }

    /// The imported unhealthy condition of a type.
    pub fn imported_condition(&self, kind: &str) -> Option<&NodeCondition> {
        self.conditions.iter().find(|one| &*one.kind == kind)
    }

    /// The imported problem of a container; None if a new image or an annotation supersedes it.
    pub fn trouble(&self, pod: &Pod, container: &Container) -> Option<&Trouble> {
        let troubles = self.troubles.get(&pod.metadata.uid)?;
        let (_, trouble) = troubles.iter().find(|(name, _)| *name == container.name)?;
        let key = format!("{BEHAVIOR_PREFIX}{}", container.name);
        let is_over = matches!(trouble, Trouble::Pull(image) if *image != container.image);
        (!is_over && pod.metadata.annotation(&key).is_none()).then_some(trouble)
    }

    /// Returns whether a container of the imported pod waits for ever (`Trouble::Waits`).
    pub fn waits_forever(&self, pod: &Pod) -> bool {
        let has_troubles = self.troubles.contains_key(&pod.metadata.uid);
        let mut containers = pod.spec.containers.iter().filter(|_| has_troubles);
        containers.any(|container| self.trouble(pod, container) == Some(&Trouble::Waits))
    }

    /// Behaviour of a container on this machine: its pod's annotation, with the imported problem applied.
    pub fn behavior(&self, pod: &Pod, container: &Container, role: Role) -> Arc<Behavior> {
        let mut behavior = behavior_of(pod, container, role);
        let Some(trouble) = self.trouble(pod, container) else {
            return behavior;
        };
        let fails = || Answers {
            windows: vec![(Span::ZERO, None, ProbeResult::Failure)],
        };
        let changed = Arc::make_mut(&mut behavior);
        match trouble {
            Trouble::Pull(_) => changed.pull = Outcome::Fails,
            Trouble::Ends {
                after,
                code,
                is_out_of_memory,
            } => {
                changed.run = Some(*after);
                changed.exit_code = *code;
                changed.is_out_of_memory = *is_out_of_memory;
            }
            Trouble::RunsOn => changed.run = None,
            Trouble::NotStarted => changed.started = fails(),
            Trouble::NotReady => changed.readiness = fails(),
            Trouble::Outlives => {
                changed.sigterm = None;
                changed.stop = FOR_EVER;
            }
            Trouble::NotCreated { .. } | Trouble::Waits => {}
        }
        behavior
    }
}
