//! Whether a container that ended starts again: its own rules first, then its own policy, then the pod's
//! (LC-073, LC-074, LC-082; container restart rules and RestartAllContainers of v1.36).

use podscope_api::{Container, ContainerRestartRule, Pod, RestartPolicy};

use crate::machine::{MachinePod, Role, containers_of};

/// Reason of a container's state while all containers of its pod start anew, and of the instance before.
pub(super) const RESTARTING_ALL: &str = "RestartingAllContainers";

/// The first rule that is about this exit code decides.
fn matching_rule(container: &Container, code: i32) -> Option<&ContainerRestartRule> {
    container.restart_policy_rules.iter().find(|rule| {
        rule.exit_codes
            .as_ref()
            .is_some_and(|codes| match (&*codes.operator, codes.values.contains(&code)) {
                ("In", is_listed) => is_listed,
                ("NotIn", is_listed) => !is_listed,
                // Refused by validation.
                _ => false,
            })
    })
}

fn allows(policy: &RestartPolicy, code: i32) -> bool {
    match policy {
        RestartPolicy::Never => false,
        RestartPolicy::OnFailure => code != 0,
        _ => true,
    }
}

/// Whether a container that ended with that code is started again.
pub(super) fn after_exit(pod: &Pod, role: Role, container: &Container, code: i32) -> bool {
    if role == Role::Ephemeral {
        return false;
    }
    if let Some(own) = &container.restart_policy {
        return matching_rule(container, code).is_some() || allows(own, code);
    }
    pod.spec
        .restart_policy
        .as_ref()
        .is_none_or(|policy| allows(policy, code))
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

fn is_for_all(rule: &ContainerRestartRule) -> bool {
    &*rule.action == "RestartAllContainers"
}

/// Whether a rule of the pod can restart all its containers: such a pod always tells by a condition whether one does.
pub(super) fn can_restart_all(pod: &Pod) -> bool {
    containers_of(pod).any(|(_, container)| container.restart_policy_rules.iter().any(is_for_all))
}

/// Whether a container has ended in a way that restarts all of them.
pub(super) fn wants_all(pod: &Pod, held: Option<&MachinePod>) -> bool {
    let Some(held) = held else { return false };
    !pod.metadata.is_terminating()
        && containers_of(pod).any(|(_, container)| {
            let exit = held.latest(&container.name).and_then(|latest| latest.exit.as_ref());
            exit.and_then(|exit| matching_rule(container, exit.code))
                .is_some_and(is_for_all)
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use podscope_api::ContainerRestartRuleOnExitCodes;

    /// SPEC L-17: rules in order, then the container's policy, then the pod's.
    #[test]
    fn the_first_matching_rule_decides_then_the_container_then_the_pod() {
        let rule = |operator: &str, values: &[i32]| ContainerRestartRule {
            action: "Restart".into(),
            exit_codes: Some(ContainerRestartRuleOnExitCodes {
                operator: operator.into(),
                values: values.to_vec(),
            }),
        };
        let never = Some(RestartPolicy::Never);
        let cases = [
            (Some(RestartPolicy::Always), None, vec![], 0, true),
            (Some(RestartPolicy::OnFailure), None, vec![], 0, false),
            (never.clone(), None, vec![], 1, false),
            (never.clone(), never.clone(), vec![rule("In", &[42])], 42, true),
            (never.clone(), never.clone(), vec![rule("In", &[42])], 1, false),
            (never.clone(), never.clone(), vec![rule("NotIn", &[1, 2])], 3, true),
            (Some(RestartPolicy::Always), never.clone(), vec![], 1, false),
            (never, Some(RestartPolicy::OnFailure), vec![rule("In", &[0])], 5, true),
        ];
        for (of_pod, own, rules, code, restarts) in cases {
            let mut pod = Pod::default();
            pod.spec.restart_policy = of_pod;
            let container = Container {
                restart_policy: own,
                restart_policy_rules: rules,
                ..Container::default()
            };
            assert_eq!(after_exit(&pod, Role::App, &container, code), restarts, "{container:?}");
        }
    }
}
