//! Validation of workloads on create (VA-180 to VA-197).

use crate::ProblemKind;
use crate::ordered;

use crate::{
    DaemonSet, DaemonSetSpec, Deployment, DeploymentSpec, DeploymentStrategyType, IntOrString, LabelSelector,
    PodManagementPolicy, PodTemplateSpec, ReplicaSet, ReplicationController, RestartPolicy, StatefulSet,
    StatefulSetSpec, Str, UpdateStrategyType,
};

use super::error_list::sorted_values;
use super::policy::{check_at_most_100_percent, check_int_or_percent};
use super::{ErrorList, Path, names, pod, selector};

/// A workload's selector, which must match the labels of its pod template (VA-180 to VA-183).
struct SelectorCheck<'s> {
    selector: Option<&'s LabelSelector>,
    /// Message of the error for an empty selector.
    empty: &'static str,
    /// Whether a missing selector is an error.
    required: bool,
    /// Message of an additional error for an invalid selector, if the server reports one.
    invalid_message: Option<&'static str>,
}

impl SelectorCheck<'_> {
    /// Validates the selector. Returns whether the labels of the template can be checked against it.
    fn check(&self, path: &Path<'_>, errors: &mut ErrorList) -> bool {
        let at = path.child("selector");
        let Some(labels) = self.selector else {
            if self.required {
                errors.required(&at, "");
            }
            return true;
        };
        selector::validate(labels, &at, errors);
        if labels.is_empty() {
            errors.invalid(&at, "{}", self.empty);
        }
        let is_selector_valid = selector::is_valid_selector(labels);
        if let Some(why) = self.invalid_message.filter(|_| !is_selector_valid) {
            errors.invalid(&at, selector::selector_json(labels), why);
        }
        is_selector_valid
    }

    fn matches(&self, labels: &ordered::Map<Str, Str>) -> bool {
        self.selector
            .is_some_and(|selector| selector.is_empty() || selector.matches(labels))
    }

    fn check_template_labels(&self, template: &PodTemplateSpec, path: &Path<'_>, errors: &mut ErrorList) {
        if !self.matches(&template.metadata.labels) {
            let metadata = path.child("metadata");
            errors.invalid_of_kind(
                ProblemKind::Selector,
                &metadata.child("labels"),
                selector::labels_json(&template.metadata.labels),
                "`selector` does not match template `labels`",
            );
        }
    }
}

/// Checks that pods of the template always restart and have no deadline (VA-184, VA-185).
fn check_restart_policy_is_always(template: &PodTemplateSpec, kind: &str, path: &Path<'_>, errors: &mut ErrorList) {
    let spec = path.child("spec");
    let policy = template.spec.restart_policy.as_ref().map_or("", RestartPolicy::as_str);
    if policy != "Always" {
        errors.unsupported_text(&spec.child("restartPolicy"), policy, &["Always"]);
    }
    if template.spec.active_deadline_seconds.is_some() {
        errors.forbidden(
            &spec.child("activeDeadlineSeconds"),
            &format!("activeDeadlineSeconds in {kind} is not Supported"),
        );
    }
}

pub(super) fn validate_replication_controller(object: &ReplicationController, errors: &mut ErrorList) {
    let path = Path::root("spec");
    let spec = &object.spec;
    errors.check_not_negative(&path.child("minReadySeconds"), spec.min_ready_seconds);
    if spec.selector.is_empty() {
        errors.required(&path.child("selector"), "");
    }
    errors.check_not_negative(&path.child("replicas"), spec.replicas);
    let template = path.child("template");
    let labels = &spec.template.metadata.labels;
    if labels.is_empty() && spec.template.spec.containers.is_empty() {
        return errors.required(&template, "");
    }
    if !spec.selector.iter().all(|(key, value)| labels.get(key) == Some(value)) {
        let metadata = template.child("metadata");
        errors.invalid_of_kind(
            ProblemKind::Selector,
            &metadata.child("labels"),
            selector::labels_json(labels),
            "`selector` does not match template `labels`",
        );
    }
    pod::validate_template(&spec.template, &[], &template, errors);
    check_restart_policy_is_always(&spec.template, "ReplicationController", &template, errors);
}

pub(super) fn validate_replica_set(object: &ReplicaSet, errors: &mut ErrorList) {
    let path = Path::root("spec");
    let spec = &object.spec;
    errors.check_not_negative(&path.child("replicas"), spec.replicas);
    errors.check_not_negative(&path.child("minReadySeconds"), spec.min_ready_seconds);
    check_selector_and_template(spec.selector.as_ref(), &spec.template, &path, errors);
}

/// Checks selector and template of a Deployment or ReplicaSet.
fn check_selector_and_template(
    selector: Option<&LabelSelector>,
    template: &PodTemplateSpec,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let selector_check = SelectorCheck {
        selector,
        empty: "empty selector is invalid for deployment",
        required: true,
        invalid_message: Some("invalid label selector"),
    };
    if selector_check.check(path, errors) {
        let path = path.child("template");
        selector_check.check_template_labels(template, &path, errors);
        pod::validate_template(template, &[], &path, errors);
        check_restart_policy_is_always(template, "ReplicaSet", &path, errors);
    }
}

pub(super) fn validate_deployment(object: &Deployment, errors: &mut ErrorList) {
    let path = Path::root("spec");
    let spec = &object.spec;
    errors.check_not_negative(&path.child("replicas"), spec.replicas);
    check_selector_and_template(spec.selector.as_ref(), &spec.template, &path, errors);
    check_deployment_strategy(spec, &path.child("strategy"), errors);
    errors.check_not_negative(&path.child("minReadySeconds"), spec.min_ready_seconds);
    errors.check_not_negative(&path.child("revisionHistoryLimit"), spec.revision_history_limit);
    if let Some(seconds) = spec.progress_deadline_seconds {
        let path = path.child("progressDeadlineSeconds");
        errors.check_not_negative(&path, Some(seconds));
        if seconds <= spec.min_ready_seconds.unwrap_or(0) {
            errors.invalid(&path, seconds, "must be greater than minReadySeconds");
        }
    }
}

/// Checks the strategy of a Deployment (VA-187 to VA-189).
fn check_deployment_strategy(spec: &DeploymentSpec, path: &Path<'_>, errors: &mut ErrorList) {
    let rolling = path.child("rollingUpdate");
    let given = spec.strategy.rolling_update.as_ref();
    match &spec.strategy.kind {
        Some(DeploymentStrategyType::Recreate) => {
            if given.is_some() {
                errors.forbidden(&rolling, "may not be specified when strategy `type` is 'Recreate'");
            }
        }
        Some(DeploymentStrategyType::RollingUpdate) => match given {
            None => errors.required(&rolling, "this should be defaulted and never be nil"),
            Some(bounds) => {
                let (unavailable_path, surge_path) = (rolling.child("maxUnavailable"), rolling.child("maxSurge"));
                let unavailable =
                    check_rolling_update_limit(bounds.max_unavailable.as_ref(), &unavailable_path, errors);
                let surge = check_rolling_update_limit(bounds.max_surge.as_ref(), &surge_path, errors);
                if is_zero_limit(unavailable) && is_zero_limit(surge) {
                    errors.invalid(
                        &unavailable_path,
                        int_or_quoted_string(unavailable),
                        "may not be 0 when `maxSurge` is 0",
                    );
                }
                check_at_most_100_percent(unavailable, &unavailable_path, errors);
            }
        },
        other => {
            let kind = other.as_ref().map_or("", DeploymentStrategyType::as_str);
            let bounds = given.map_or_else(
                || "null".to_owned(),
                |bounds| {
                    let text = |value: &Option<IntOrString>| {
                        value.as_ref().map_or_else(|| "0".to_owned(), int_or_quoted_string)
                    };
                    format!(
                        "{{\"MaxUnavailable\":{},\"MaxSurge\":{}}}",
                        text(&bounds.max_unavailable),
                        text(&bounds.max_surge)
                    )
                },
            );
            let value = format!("{{\"Type\":{},\"RollingUpdate\":{bounds}}}", super::quoted(kind));
            errors.unsupported(path, value, &sorted_values(DeploymentStrategyType::KNOWN));
        }
    }
}

/// Validates a limit of a rolling update and returns it; None means 0.
fn check_rolling_update_limit<'b>(
    given: Option<&'b IntOrString>,
    path: &Path<'_>,
    errors: &mut ErrorList,
) -> &'b IntOrString {
    const ZERO: &IntOrString = &IntOrString::Int(0);
    let limit = given.unwrap_or(ZERO);
    check_int_or_percent(limit, path, errors);
    limit
}

/// Returns whether a limit is 0; a malformed string counts as 0.
fn is_zero_limit(value: &IntOrString) -> bool {
    match value {
        IntOrString::Int(number) => *number == 0,
        IntOrString::String(text) => {
            let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            let percent = text.strip_suffix('%').filter(|digits| is_digits(digits));
            percent.unwrap_or(text).parse::<i64>().is_ok_and(|number| number == 0) || {
                let sign = text.strip_prefix(['-', '+']).unwrap_or(text);
                percent.is_none() && !is_digits(sign)
            }
        }
    }
}

fn int_or_quoted_string(value: &IntOrString) -> String {
    match value {
        IntOrString::Int(number) => number.to_string(),
        IntOrString::String(text) => super::quoted(text),
    }
}

pub(super) fn validate_stateful_set(object: &StatefulSet, errors: &mut ErrorList) {
    validate_stateful_set_spec(&object.spec, &Path::root("spec"), errors);
}

pub(super) fn validate_stateful_set_spec(spec: &StatefulSetSpec, path: &Path<'_>, errors: &mut ErrorList) {
    match &spec.pod_management_policy {
        Some(PodManagementPolicy::OrderedReady | PodManagementPolicy::Parallel) => {}
        None => errors.required(&path.child("podManagementPolicy"), ""),
        Some(PodManagementPolicy::Other(other)) => errors.invalid_text(
            &path.child("podManagementPolicy"),
            other,
            "must be 'OrderedReady' or 'Parallel'",
        ),
    }
    check_stateful_set_update(&spec.update_strategy, &path.child("updateStrategy"), errors);
    if let Some(retention) = &spec.persistent_volume_claim_retention_policy {
        let path = path.child("persistentVolumeClaimRetentionPolicy");
        for (name, policy) in [
            ("whenDeleted", &retention.when_deleted),
            ("whenScaled", &retention.when_scaled),
        ] {
            errors.check_one_of(&path.child(name), policy, &["Retain", "Delete"]);
        }
    }
    errors.check_not_negative(&path.child("replicas"), spec.replicas);
    errors.check_not_negative(&path.child("minReadySeconds"), spec.min_ready_seconds);
    if let Some(ordinals) = &spec.ordinals {
        let path = path.child("ordinals");
        errors.check_not_negative(&path.child("start"), Some(ordinals.start));
    }
    let selector_check = SelectorCheck {
        selector: spec.selector.as_ref(),
        empty: "empty selector is invalid for statefulset",
        required: true,
        invalid_message: Some(""),
    };
    if selector_check.check(path, errors) {
        let template = path.child("template");
        selector_check.check_template_labels(&spec.template, &template, errors);
        let claims: Vec<Str> = spec
            .volume_claim_templates
            .iter()
            .map(|claim| claim.metadata.name.clone())
            .collect();
        pod::validate_template(&spec.template, &claims, &template, errors);
        check_restart_policy_is_always(&spec.template, "StatefulSet", &template, errors);
    }
    let claims = path.child("volumeClaimTemplates");
    for (index, claim) in spec.volume_claim_templates.iter().enumerate() {
        super::storage::validate_claim_spec(&claim.spec, &claims.index(index).child("spec"), errors);
    }
    if !spec.service_name.is_empty() {
        let messages = names::label_faults(&spec.service_name);
        errors.invalid_name(&path.child("serviceName"), &spec.service_name, &messages);
    }
}

fn check_stateful_set_update(strategy: &crate::StatefulSetUpdateStrategy, update: &Path<'_>, errors: &mut ErrorList) {
    let rolling_path = update.child("rollingUpdate");
    let rolling = strategy.rolling_update.as_ref();
    let internal = rolling.map_or_else(
        || "null".to_owned(),
        |bounds| {
            let most = bounds
                .max_unavailable
                .as_ref()
                .map_or_else(|| "null".to_owned(), int_or_quoted_string);
            format!(
                "{{\"Partition\":{},\"MaxUnavailable\":{most}}}",
                bounds.partition.unwrap_or(0)
            )
        },
    );
    match &strategy.kind {
        Some(UpdateStrategyType::RollingUpdate) => {
            if let Some(bounds) = rolling {
                errors.check_not_negative(&rolling_path.child("partition"), bounds.partition);
            }
        }
        Some(UpdateStrategyType::OnDelete) => {
            if rolling.is_some() {
                errors.invalid(
                    &rolling_path,
                    internal,
                    "only allowed for updateStrategy 'RollingUpdate'",
                );
            }
        }
        None => errors.required(update, ""),
        Some(UpdateStrategyType::Other(other)) => {
            let value = format!("{{\"Type\":{},\"RollingUpdate\":{internal}}}", super::quoted(other));
            errors.invalid(update, value, "must be 'RollingUpdate' or 'OnDelete'");
        }
    }
}

pub(super) fn validate_daemon_set(object: &DaemonSet, errors: &mut ErrorList) {
    let path = Path::root("spec");
    check_daemon_set_spec(&object.spec, &path, errors);
}

fn check_daemon_set_spec(spec: &DaemonSetSpec, path: &Path<'_>, errors: &mut ErrorList) {
    let selector_check = SelectorCheck {
        selector: spec.selector.as_ref(),
        empty: "empty selector is invalid for daemonset",
        required: false,
        invalid_message: None,
    };
    let template = path.child("template");
    if selector_check.check(path, errors) {
        selector_check.check_template_labels(&spec.template, &template, errors);
    }
    pod::validate_template(&spec.template, &[], &template, errors);
    check_restart_policy_is_always(&spec.template, "DaemonSet", &template, errors);
    errors.check_not_negative(&path.child("minReadySeconds"), spec.min_ready_seconds);
    check_daemon_strategy(spec, &path.child("updateStrategy"), errors);
    errors.check_not_negative(&path.child("revisionHistoryLimit"), spec.revision_history_limit);
}

/// Checks the update strategy of a DaemonSet (VA-191).
fn check_daemon_strategy(spec: &DaemonSetSpec, path: &Path<'_>, errors: &mut ErrorList) {
    match &spec.update_strategy.kind {
        Some(UpdateStrategyType::OnDelete) => {}
        Some(UpdateStrategyType::RollingUpdate) => {
            let rolling = path.child("rollingUpdate");
            let Some(bounds) = &spec.update_strategy.rolling_update else {
                errors.required(&rolling, "");
                return;
            };
            let (unavailable_path, surge_path) = (rolling.child("maxUnavailable"), rolling.child("maxSurge"));
            let unavailable = check_rolling_update_limit(bounds.max_unavailable.as_ref(), &unavailable_path, errors);
            let surge = check_rolling_update_limit(bounds.max_surge.as_ref(), &surge_path, errors);
            check_at_most_100_percent(unavailable, &unavailable_path, errors);
            check_at_most_100_percent(surge, &surge_path, errors);
            match (is_zero_limit(unavailable), is_zero_limit(surge)) {
                (false, false) => errors.invalid(
                    &surge_path,
                    int_or_quoted_string(surge),
                    "may not be set when maxUnavailable is non-zero",
                ),
                (true, true) => errors.required(&unavailable_path, "cannot be 0 when maxSurge is 0"),
                _ => {}
            }
        }
        other => {
            let kind = other.as_ref().map_or("", UpdateStrategyType::as_str);
            // The API server prints the whole update strategy in the error.
            let value = format!("{{\"Type\":{},\"RollingUpdate\":null}}", super::quoted(kind));
            errors.unsupported(path, value, UpdateStrategyType::KNOWN);
        }
    }
}

/// Validates a ControllerRevision.
pub(super) fn validate_revision(object: &crate::ControllerRevision, errors: &mut ErrorList) {
    errors.check_not_negative(&Path::root("revision"), Some(object.revision));
    if object.data.is_none() {
        errors.required(&Path::root("data"), "data is mandatory");
    }
}

pub(super) fn validate_revision_update(
    old: &crate::ControllerRevision,
    new: &crate::ControllerRevision,
    errors: &mut ErrorList,
) {
    validate_revision(new, errors);
    if old.data != new.data {
        let value = new.data.as_ref().map_or_else(|| "null".to_owned(), ToString::to_string);
        errors.invalid(&Path::root("data"), value, super::error_list::IMMUTABLE);
    }
}
