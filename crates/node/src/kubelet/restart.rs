//! Decides whether an exited container is restarted: by its own restart rules first, then its own policy, then the
//! pod's policy (LC-073, LC-074, LC-082; container restart rules and RestartAllContainers of v1.36).

use podscope_api::{Container, ContainerRestartRule, Pod, RestartPolicy};

use crate::machine::{MachinePod, Role, containers_of};

/// Returns whether a container that exited with this code is restarted.
pub(super) fn restarts_after_exit(pod: &Pod, role: Role, container: &Container, code: i32) -> bool {
    role != Role::Ephemeral && pod.restart_decision(container, code).restarts()
}

/// Returns whether a container is restarted after a failed probe. Restart rules depend on exit codes, and the container
/// still runs; so only the policies count.
pub(super) fn restarts_after_failed_probe(pod: &Pod, container: &Container) -> bool {
    let policy = container.restart_policy.as_ref().or(pod.spec.restart_policy.as_ref());
    policy != Some(&RestartPolicy::Never)
}

/// Returns whether no container of the pod is ever restarted.
pub(super) fn never_restarts(pod: &Pod) -> bool {
    let may_restart = |container: &Container| {
        !container.restart_policy_rules.is_empty()
            || container
                .restart_policy
                .as_ref()
                .is_some_and(|own| *own != RestartPolicy::Never)
    };
    pod.spec.restart_policy == Some(RestartPolicy::Never)
        && !containers_of(pod).any(|(_, container)| may_restart(container))
}

/// Returns whether a rule of the pod can restart all its containers. Such a pod always has condition
/// AllContainersRestarting.
pub(super) fn can_restart_all(pod: &Pod) -> bool {
    containers_of(pod).any(|(_, container)| {
        container
            .restart_policy_rules
            .iter()
            .any(ContainerRestartRule::restarts_all)
    })
}

/// Returns whether the exit of a container requires that all containers are restarted.
pub(super) fn must_restart_all(pod: &Pod, held: Option<&MachinePod>) -> bool {
    let Some(held) = held else { return false };
    !pod.metadata.is_terminating()
        && containers_of(pod).any(|(_, container)| {
            let exit = held.latest(&container.name).and_then(|latest| latest.exit.as_ref());
            exit.is_some_and(|exit| pod.restart_decision(container, exit.code).restarts_all())
        })
}
