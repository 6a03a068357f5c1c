//! What decides whether a container that ended is started again: its own rules first, then its own policy, then the
//! pod's (LC-082, LC-227, LC-228).

use crate::{Container, ContainerRestartRule, Phrase, Pod, RestartPolicy, phrase};

/// Reason of a container's state while all containers of its pod start anew, and of the instance before.
pub const RESTARTING_ALL: &str = "RestartingAllContainers";

/// Who decides.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RestartDecider<'a> {
    /// The first of its `restartPolicyRules` that is about the exit code.
    Rule(PlacedRule<'a>),
    /// Its own `restartPolicy`.
    Container {
        policy: &'a RestartPolicy,
        /// Whether there are rules, none of which is about the exit.
        has_rules: bool,
    },
    /// The pod's `restartPolicy`; none is Always.
    Pod(Option<&'a RestartPolicy>),
}

/// A rule, and where it stands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlacedRule<'a> {
    /// Whose it is.
    pub container: &'a Container,
    /// Its place among the container's `restartPolicyRules`.
    pub index: usize,
    pub rule: &'a ContainerRestartRule,
}

/// What becomes of a container that ended with a code.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RestartDecision<'a> {
    pub exit_code: i32,
    /// Who decides.
    pub by: RestartDecider<'a>,
}

/// Why a container was started again, or was not, as far as the pod's status tells.
#[derive(Debug, Clone, PartialEq)]
pub enum Restarted<'a> {
    /// By what its own exit led to.
    AfterExit(RestartDecision<'a>),
    /// With all containers of the pod, by one of these rules.
    WithAll(Vec<PlacedRule<'a>>),
}

impl ContainerRestartRule {
    /// Whether the rule is about an exit code.
    pub fn is_about(&self, exit_code: i32) -> bool {
        self.exit_codes.as_ref().is_some_and(|codes| {
            let is_listed = codes.values.contains(&exit_code);
            match &*codes.operator {
                "In" => is_listed,
                "NotIn" => !is_listed,
                // Refused by validation.
                _ => false,
            }
        })
    }

    /// Whether it starts all containers of the pod anew.
    pub fn restarts_all(&self) -> bool {
        &*self.action == "RestartAllContainers"
    }
}

impl RestartPolicy {
    fn allows(&self, exit_code: i32) -> bool {
        match self {
            Self::Never => false,
            Self::OnFailure => exit_code != 0,
            _ => true,
        }
    }
}

impl Container {
    fn rules(&self) -> impl Iterator<Item = PlacedRule<'_>> {
        let rules = self.restart_policy_rules.iter().enumerate();
        rules.map(|(index, rule)| PlacedRule {
            container: self,
            index,
            rule,
        })
    }
}

impl RestartDecision<'_> {
    /// Whether the container is started again.
    pub fn restarts(&self) -> bool {
        match self.by {
            RestartDecider::Rule(_) => true,
            RestartDecider::Container { policy, .. } => policy.allows(self.exit_code),
            RestartDecider::Pod(policy) => policy.is_none_or(|policy| policy.allows(self.exit_code)),
        }
    }

    /// Whether all containers of the pod are.
    pub fn restarts_all(&self) -> bool {
        matches!(self.by, RestartDecider::Rule(placed) if placed.rule.restarts_all())
    }
}

impl Pod {
    /// What becomes of one of its containers that ended with that code. Ephemeral ones never start again.
    pub fn restart_decision<'a>(&'a self, container: &'a Container, exit_code: i32) -> RestartDecision<'a> {
        let mut rules = container.rules();
        let by = match (
            rules.find(|placed| placed.rule.is_about(exit_code)),
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

    /// Why a container was started again after it last ended, or was not. `None` where it has not ended, and where
    /// nothing but the pod's policy can decide.
    pub fn restarted<'a>(&'a self, container: &'a Container) -> Option<Restarted<'a>> {
        let status = self.status.status_of(&container.name)?;
        let waits_anew = |waiting: &crate::ContainerStateWaiting| &*waiting.reason == RESTARTING_ALL;
        let last = status
            .state
            .terminated
            .as_ref()
            .or(status.last_state.terminated.as_ref());
        if status.state.waiting.as_ref().is_some_and(waits_anew)
            || last.is_some_and(|last| &*last.reason == RESTARTING_ALL)
        {
            let rules = self.spec.all_containers().flat_map(Container::rules);
            return Some(Restarted::WithAll(
                rules.filter(|placed| placed.rule.restarts_all()).collect(),
            ));
        }
        let has_own = !container.restart_policy_rules.is_empty()
            || container
                .restart_policy
                .as_ref()
                .is_some_and(|own| *own != RestartPolicy::Always);
        let exit_code = last.filter(|_| has_own)?.exit_code;
        Some(Restarted::AfterExit(self.restart_decision(container, exit_code)))
    }
}

impl PlacedRule<'_> {
    fn phrase(&self) -> Phrase {
        let action = self.rule.action.to_string();
        let Some(codes) = &self.rule.exit_codes else {
            return phrase!(
                "restartPolicyRules[{index}] ({action})",
                index = self.index,
                action = action
            );
        };
        let values: Vec<String> = codes.values.iter().map(ToString::to_string).collect();
        phrase!(
            "restartPolicyRules[{index}] ({action}, exit code {operator} [{values}])",
            index = self.index,
            action = action,
            operator = codes.operator.to_string(),
            values = values
        )
    }
}

impl RestartDecision<'_> {
    fn phrase(&self) -> Phrase {
        let outcome = match (self.restarts_all(), self.restarts()) {
            (true, _) => phrase!("starts all containers of the pod anew"),
            (false, true) => phrase!("starts it again"),
            (false, false) => phrase!("leaves it ended"),
        };
        let code = self.exit_code;
        match self.by {
            RestartDecider::Rule(placed) => phrase!(
                "exit code {code}: {rule} {outcome}",
                code = code,
                rule = placed.phrase(),
                outcome = outcome
            ),
            RestartDecider::Container {
                policy,
                has_rules: true,
            } => phrase!(
                "exit code {code}: no rule matches; its own restartPolicy {policy} {outcome}",
                code = code,
                policy = policy.to_string(),
                outcome = outcome
            ),
            RestartDecider::Container { policy, .. } => phrase!(
                "exit code {code}: its own restartPolicy {policy} {outcome}",
                code = code,
                policy = policy.to_string(),
                outcome = outcome
            ),
            RestartDecider::Pod(policy) => phrase!(
                "exit code {code}: the pod's restartPolicy {policy} {outcome}",
                code = code,
                policy = policy.unwrap_or(&RestartPolicy::Always).to_string(),
                outcome = outcome
            ),
        }
    }
}

impl Restarted<'_> {
    /// The sentence that tells it.
    #[must_use]
    pub fn phrase(&self) -> Phrase {
        let rules = match self {
            Self::AfterExit(decision) => return decision.phrase(),
            Self::WithAll(rules) => rules,
        };
        let named = |placed: &PlacedRule<'_>| {
            let container = placed.container.name.to_string();
            phrase!("{container}'s {rule}", container = container, rule = placed.phrase())
        };
        let either = rules
            .iter()
            .map(named)
            .reduce(|one, other| phrase!("{one} or {other}", one = one, other = other));
        phrase!(
            "all containers of the pod begin anew, by {rules}",
            rules = either.unwrap_or_default()
        )
    }
}

#[cfg(test)]
mod tests {
    use crate::{Kind, Object};

    /// Rules in order, then the container's policy, then the pod's.
    /// Shows: LC-082, LC-227, LC-228
    #[test]
    fn the_first_matching_rule_decides_then_the_container_then_the_pod() {
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
                (decision.restarts(), decision.phrase().to_string().as_str()),
                (restarts, words)
            );
            assert_eq!(decision.restarts_all(), words.ends_with("anew"), "{words}");
        }
    }
}
