//! A Job's podFailurePolicy and successPolicy: the consequences of a failed pod, or of the succeeded indexes (CT-094).

use podscope_api::{ContainerStatus, Job, Pod};
use serde_json::Value;

use super::indexes::{self, Indexes};

/// What a failed pod means for its Job: the action of the first matching rule of podFailurePolicy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PodFailureDecision {
    /// The failure counts towards the backoff limit, by a rule or by default.
    Count,
    /// The failure does not count towards the backoff limit.
    Ignore,
    /// The pod's index fails and is not retried.
    FailIndex,
    /// The whole Job fails, with this message.
    FailJob(String),
}

impl PodFailureDecision {
    /// Returns whether the failure counts towards the limits.
    pub(super) fn counts_towards_limits(&self) -> bool {
        *self != Self::Ignore
    }
}

/// Returns the decision of the first rule that matches the failed pod.
pub(super) fn decide(job: &Job, pod: &Pod) -> PodFailureDecision {
    let rules = job
        .spec
        .pod_failure_policy
        .as_ref()
        .and_then(|policy| policy.get("rules")?.as_array());
    for (position, rule) in rules.into_iter().flatten().enumerate() {
        let Some(reason) = match_exit_code(rule, pod).or_else(|| match_condition(rule, pod)) else {
            continue;
        };
        let action = rule.get("action").and_then(Value::as_str).unwrap_or_default();
        return match action {
            "Ignore" => PodFailureDecision::Ignore,
            "FailIndex" => PodFailureDecision::FailIndex,
            "FailJob" => PodFailureDecision::FailJob(format!("{reason} matching {action} rule at index {position}")),
            _ => PodFailureDecision::Count,
        };
    }
    PodFailureDecision::Count
}

/// Returns the message of the first successPolicy rule that the succeeded indexes fulfil.
pub(super) fn matching_success_rule(job: &Job, succeeded: &Indexes) -> Option<String> {
    if succeeded.is_empty() {
        return None;
    }
    let rules = job.spec.success_policy.as_ref()?.get("rules")?.as_array()?;
    let is_met = |rule: &Value| {
        let count = rule.get("succeededCount").and_then(Value::as_u64);
        let (contained, needed) = match rule.get("succeededIndexes").and_then(Value::as_str) {
            Some(text) => {
                let wanted = indexes::parse(text, job.spec.completions.unwrap_or(0));
                let contained = wanted.iter().filter(|index| succeeded.contains(index)).count();
                (contained, Some(wanted.len()).filter(|needed| *needed > 0))
            }
            None => (succeeded.len(), None),
        };
        needed.is_some_and(|needed| contained == needed)
            || count.is_some_and(|count| u64::try_from(contained).is_ok_and(|contained| contained >= count))
    };
    let met = rules.iter().position(is_met)?;
    Some(format!("Matched rules at index {met}"))
}

/// Returns a message if the exit code of a container matches `onExitCodes` of the rule.
fn match_exit_code(rule: &Value, pod: &Pod) -> Option<String> {
    let wanted = rule.get("onExitCodes")?;
    let container = wanted.get("containerName").and_then(Value::as_str);
    let values: Vec<i64> = wanted
        .get("values")?
        .as_array()?
        .iter()
        .filter_map(Value::as_i64)
        .collect();
    let is_in = wanted.get("operator").and_then(Value::as_str) == Some("In");
    let statuses = pod
        .status
        .container_statuses
        .iter()
        .chain(&pod.status.init_container_statuses);
    statuses
        .filter(|status: &&ContainerStatus| container.is_none_or(|name| name == &*status.name))
        .find_map(|status| {
            let code = status.state.terminated.as_ref()?.exit_code;
            let matches = code != 0 && values.contains(&i64::from(code)) == is_in;
            matches.then(|| {
                format!(
                    "Container {} for pod {} failed with exit code {code}",
                    status.name,
                    pod.metadata.key()
                )
            })
        })
}

/// Returns a message if a condition of the pod matches `onPodConditions` of the rule.
fn match_condition(rule: &Value, pod: &Pod) -> Option<String> {
    let wanted = rule.get("onPodConditions")?.as_array()?;
    pod.status.conditions.iter().find_map(|condition| {
        let is_meant = |pattern: &Value| {
            let status = pattern.get("status").and_then(Value::as_str).unwrap_or("True");
            pattern.get("type").and_then(Value::as_str) == Some(&*condition.kind) && condition.status.as_str() == status
        };
        wanted
            .iter()
            .any(is_meant)
            .then(|| format!("Pod {} has condition {}", pod.metadata.key(), condition.kind))
    })
}
