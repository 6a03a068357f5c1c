//! Whether a container that ended starts again: its own rules first, then its own policy, then the pod's
//! (LC-073, LC-074, LC-082; container restart rules and RestartAllContainers of v1.36).

use podscope_api::{Container, ContainerRestartRule, Pod, RestartPolicy};

use crate::machine::{MachinePod, Role, containers_of};

/// Whether a container that ended with that code is started again.
pub(super) fn after_exit(pod: &Pod, role: Role, container: &Container, code: i32) -> bool {
    role != Role::Ephemeral && pod.restart_decision(container, code).restarts()
}

/// Whether a container that a probe condemned is started again: rules are about exits, and it still runs.
pub(super) fn after_probe(pod: &Pod, container: &Container) -> bool {
    let policy = container.restart_policy.as_ref().or(pod.spec.restart_policy.as_ref());
    policy != Some(&RestartPolicy::Never)
}

/// Whether no container of the pod ever starts again once it ended.
pub(super) fn is_never(pod: &Pod) -> bool {
    let may = |container: &Container| {
        !container.restart_policy_rules.is_empty()
            || container
                .restart_policy
                .as_ref()
                .is_some_and(|own| *own != RestartPolicy::Never)
    };
    pod.spec.restart_policy == Some(RestartPolicy::Never) && !containers_of(pod).any(|(_, container)| may(container))
}

/// Whether a rule of the pod can restart all its containers: such a pod always tells by a condition whether one does.
pub(super) fn can_restart_all(pod: &Pod) -> bool {
    containers_of(pod).any(|(_, container)| {
        container
            .restart_policy_rules
            .iter()
            .any(ContainerRestartRule::restarts_all)
    })
}

/// Whether a container has ended in a way that restarts all of them.
pub(super) fn wants_all(pod: &Pod, held: Option<&MachinePod>) -> bool {
    let Some(held) = held else { return false };
    !pod.metadata.is_terminating()
        && containers_of(pod).any(|(_, container)| {
            let exit = held.latest(&container.name).and_then(|latest| latest.exit.as_ref());
            exit.is_some_and(|exit| pod.restart_decision(container, exit.code).restarts_all())
        })
}
