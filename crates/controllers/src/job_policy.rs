//! A Job's podFailurePolicy: what a failed pod means for it (CT-094).

use podscope_api::{Job, Pod};
use serde_json::Value;

/// What the first rule that matches says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Decision {
    /// The failure counts, by a rule or by default.
    Count,
    /// It does not count.
    Ignore,
    /// The whole Job fails, for this reason.
    FailJob(String),
}

/// Whether the pod's failure does not count.
pub(super) fn is_ignored(job: &Job, pod: &Pod) -> bool {
    decide(job, pod) == Decision::Ignore
}

/// The first rule of the policy that matches the failed pod.
pub(super) fn decide(job: &Job, pod: &Pod) -> Decision {
    let rules = job
        .spec
        .pod_failure_policy
        .as_ref()
        .and_then(|policy| policy.get("rules")?.as_array());
    for (position, rule) in rules.into_iter().flatten().enumerate() {
        let Some(reason) = by_exit_code(rule, pod).or_else(|| by_condition(rule, pod)) else {
            continue;
        };
        let action = rule.get("action").and_then(Value::as_str).unwrap_or_default();
        return match action {
            "Ignore" => Decision::Ignore,
            "FailJob" => Decision::FailJob(format!("{reason} matching {action} rule at index {position}")),
            _ => Decision::Count,
        };
    }
    Decision::Count
}

fn by_exit_code(rule: &Value, pod: &Pod) -> Option<String> {
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
        .init_container_statuses
        .iter()
        .chain(&pod.status.container_statuses);
    statuses
        .filter(|status| container.is_none_or(|name| name == &*status.name))
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

fn by_condition(rule: &Value, pod: &Pod) -> Option<String> {
    rule.get("onPodConditions")?.as_array()?.iter().find_map(|wanted| {
        let kind = wanted.get("type")?.as_str()?;
        let status = wanted.get("status").and_then(Value::as_str).unwrap_or("True");
        let has = pod
            .condition(kind)
            .is_some_and(|condition| condition.status.as_str() == status);
        has.then(|| format!("Pod {} has condition {kind}", pod.metadata.key()))
    })
}
