//! Decides whether a container that has exited is restarted: by its restart rules, else by its own restart policy, else
//! by the pod's (LC-082, LC-227, LC-228).

use crate::{Container, ContainerRestartRule, Pod, RestartPolicy};
use podscope_messages::{Sentence, sentence};

/// The reason in a container's waiting state while all containers of its pod restart, and in its last terminated state
/// after that restart.
pub const RESTARTING_ALL: &str = "RestartingAllContainers";

/// The rule or policy that decides on a restart.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RestartDecider<'a> {
    /// The first of the container's `restartPolicyRules` that matches the exit code.
    Rule(RestartRuleOfContainer<'a>),
    /// The container's own `restartPolicy`.
    Container {
        policy: &'a RestartPolicy,
        /// Whether the container has restart rules at all. If it has, none of them matches the exit code; otherwise
        /// the rule would decide.
        has_rules: bool,
    },
    /// The pod's `restartPolicy`; None means Always.
    Pod(Option<&'a RestartPolicy>),
}

/// A restart rule and its position in the pod's spec.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RestartRuleOfContainer<'a> {
    /// The container that has the rule.
    pub container: &'a Container,
    /// Index in the container's `restartPolicyRules`.
    pub index: usize,
    pub rule: &'a ContainerRestartRule,
}

/// The decision about a container that has exited.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RestartDecision<'a> {
    pub exit_code: i32,
    pub by: RestartDecider<'a>,
}

/// Why a container was or was not restarted, as far as the pod's status tells.
#[derive(Debug, Clone, PartialEq)]
pub enum RestartReason<'a> {
    /// The exit of the container itself led to the decision.
    AfterExit(RestartDecision<'a>),
    /// All containers of the pod were restarted, because an exit code matched one of these rules.
    WithAll(Vec<RestartRuleOfContainer<'a>>),
}

impl ContainerRestartRule {
    /// Returns whether the rule matches an exit code.
    pub fn matches_exit_code(&self, exit_code: i32) -> bool {
        self.exit_codes.as_ref().is_some_and(|codes| {
            let is_listed = codes.values.contains(&exit_code);
            match &*codes.operator {
                "In" => is_listed,
                "NotIn" => !is_listed,
                // Validation refuses operators other than In and NotIn.
                _ => false,
            }
        })
    }

    /// Returns whether the rule restarts all containers of the pod.
    pub fn restarts_all(&self) -> bool {
        &*self.action == "RestartAllContainers"
    }
}

impl RestartPolicy {
    fn allows_restart_after(&self, exit_code: i32) -> bool {
        match self {
            Self::Never => false,
            Self::OnFailure => exit_code != 0,
            _ => true,
        }
    }
}

impl Container {
    fn restart_rules_with_position(&self) -> impl Iterator<Item = RestartRuleOfContainer<'_>> {
        let rules = self.restart_policy_rules.iter().enumerate();
        rules.map(|(index, rule)| RestartRuleOfContainer {
            container: self,
            index,
            rule,
        })
    }
}

impl RestartDecision<'_> {
    /// Returns whether the container is restarted.
    pub fn restarts(&self) -> bool {
        match self.by {
            RestartDecider::Rule(_) => true,
            RestartDecider::Container { policy, .. } => policy.allows_restart_after(self.exit_code),
            RestartDecider::Pod(policy) => policy.is_none_or(|policy| policy.allows_restart_after(self.exit_code)),
        }
    }

    /// Returns whether all containers of the pod are restarted.
    pub fn restarts_all(&self) -> bool {
        matches!(self.by, RestartDecider::Rule(placed) if placed.rule.restarts_all())
    }
}

impl Pod {
    /// Decides on the restart of a container that exited with this code. Not valid for ephemeral containers, which
    /// never restart.
    pub fn restart_decision<'a>(&'a self, container: &'a Container, exit_code: i32) -> RestartDecision<'a> {
        let mut rules = container.restart_rules_with_position();
        let by = match (
            rules.find(|placed| placed.rule.matches_exit_code(exit_code)),
            &container.restart_policy,
        ) {
            (Some(placed), _) => RestartDecider::Rule(placed),
            (None, Some(policy)) => RestartDecider::Container {
                policy,
                has_rules: !container.restart_policy_rules.is_empty(),
            },
            (None, None) => RestartDecider::Pod(self.spec.restart_policy.as_ref()),
        };
        RestartDecision { exit_code, by }
    }

    /// Returns why a container was or was not restarted after its last exit. If all containers of the pod restart or
    /// have restarted, the result lists the rules that restart all containers, whichever container has them. None if
    /// the container has not exited, or if it has neither restart rules nor its own restart policy other than Always.
    pub fn restart_reason<'a>(&'a self, container: &'a Container) -> Option<RestartReason<'a>> {
        let status = self.status.status_of(&container.name)?;
        let is_restarting_all = |waiting: &crate::ContainerStateWaiting| &*waiting.reason == RESTARTING_ALL;
        let last = status
            .state
            .terminated
            .as_ref()
            .or(status.last_state.terminated.as_ref());
        if status.state.waiting.as_ref().is_some_and(is_restarting_all)
            || last.is_some_and(|last| &*last.reason == RESTARTING_ALL)
        {
            let rules = self
                .spec
                .all_containers()
                .flat_map(Container::restart_rules_with_position);
            return Some(RestartReason::WithAll(
                rules.filter(|placed| placed.rule.restarts_all()).collect(),
            ));
        }
        let has_own = !container.restart_policy_rules.is_empty()
            || container
                .restart_policy
                .as_ref()
                .is_some_and(|own| *own != RestartPolicy::Always);
        let exit_code = last.filter(|_| has_own)?.exit_code;
        Some(RestartReason::AfterExit(self.restart_decision(container, exit_code)))
    }
}

impl RestartRuleOfContainer<'_> {
    fn sentence(&self) -> Sentence {
        let action = self.rule.action.to_string();
        let Some(codes) = &self.rule.exit_codes else {
            return sentence!(restart::rule, index = self.index, action = action);
        };
        let values: Vec<String> = codes.values.iter().map(ToString::to_string).collect();
        sentence!(
            restart::rule_of_codes,
            index = self.index,
            action = action,
            operator = codes.operator.to_string(),
            values = values
        )
    }
}

impl RestartDecision<'_> {
    fn sentence(&self) -> Sentence {
        let outcome = match (self.restarts_all(), self.restarts()) {
            (true, _) => sentence!(restart::starts_all),
            (false, true) => sentence!(restart::starts_again),
            (false, false) => sentence!(restart::leaves_ended),
        };
        let code = self.exit_code;
        match self.by {
            RestartDecider::Rule(placed) => sentence!(
                restart::by_rule,
                code = code,
                rule = placed.sentence(),
                outcome = outcome
            ),
            RestartDecider::Container {
                policy,
                has_rules: true,
            } => sentence!(
                restart::by_policy_without_rule,
                code = code,
                policy = policy.to_string(),
                outcome = outcome
            ),
            RestartDecider::Container { policy, .. } => sentence!(
                restart::by_own_policy,
                code = code,
                policy = policy.to_string(),
                outcome = outcome
            ),
            RestartDecider::Pod(policy) => sentence!(
                restart::by_policy,
                code = code,
                policy = policy.unwrap_or(&RestartPolicy::Always).to_string(),
                outcome = outcome
            ),
        }
    }
}

impl RestartReason<'_> {
    /// Returns a sentence that explains why the container was or was not restarted.
    #[must_use]
    pub fn sentence(&self) -> Sentence {
        let rules = match self {
            Self::AfterExit(decision) => return decision.sentence(),
            Self::WithAll(rules) => rules,
        };
        let named = |placed: &RestartRuleOfContainer<'_>| {
            let container = placed.container.name.to_string();
            sentence!(
                restart::rule_of_container,
                container = container,
                rule = placed.sentence()
            )
        };
        let either = rules
            .iter()
            .map(named)
            .reduce(|one, other| sentence!(restart::either, one = one, other = other));
        sentence!(restart::all_by_rules, rules = either.unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use crate::{Kind, Object};

    /// Restart rules are evaluated first, then the container's policy, then the pod's policy.
    /// Shows: LC-082, LC-227, LC-228
    #[test]
    fn restart_rules_take_precedence_over_restart_policies() {
        let rule = |action: &str, operator: &str, value: i32| serde_json::json!({"action": action, "exitCodes": {"operator": operator, "values": [value]}});
        let both = || vec![rule("Restart", "In", 42), rule("RestartAllContainers", "NotIn", 1)];
        for (of_pod, own, rules, exit_code, restarts, words) in [
            (
                "Always",
                "",
                vec![],
                0,
                true,
                "exit code 0: the pod's restartPolicy Always starts it again",
            ),
            (
                "OnFailure",
                "",
                vec![],
                0,
                false,
                "exit code 0: the pod's restartPolicy OnFailure leaves it ended",
            ),
            (
                "Always",
                "Never",
                vec![],
                1,
                false,
                "exit code 1: its own restartPolicy Never leaves it ended",
            ),
            (
                "Never",
                "OnFailure",
                vec![rule("Restart", "In", 0)],
                5,
                true,
                "exit code 5: no rule matches; its own restartPolicy OnFailure starts it again",
            ),
            (
                "Never",
                "Never",
                both(),
                42,
                true,
                "exit code 42: restartPolicyRules[0] (Restart, exit code In [42]) starts it again",
            ),
            (
                "Never",
                "Never",
                both(),
                7,
                true,
                "exit code 7: restartPolicyRules[1] (RestartAllContainers, exit code NotIn [1]) starts all containers of the pod anew",
            ),
            (
                "Never",
                "Never",
                both(),
                1,
                false,
                "exit code 1: no rule matches; its own restartPolicy Never leaves it ended",
            ),
        ] {
            let mut container = serde_json::json!({"name": "c", "restartPolicyRules": rules});
            if !own.is_empty() {
                container["restartPolicy"] = own.into();
            }
            let pod = serde_json::json!({"spec": {"restartPolicy": of_pod, "containers": [container]}});
            let Ok(Object::Pod(pod)) = Object::from_typed_value(Kind::Pod, &pod) else {
                panic!("a readable pod")
            };
            let decision = pod.restart_decision(&pod.spec.containers[0], exit_code);
            assert_eq!(
                (decision.restarts(), decision.sentence().to_string().as_str()),
                (restarts, words)
            );
            assert_eq!(decision.restarts_all(), words.ends_with("anew"), "{words}");
        }
    }
}
