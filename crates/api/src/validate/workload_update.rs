//! Validation of workload updates (VA-193, VA-194, VA-198).

use std::sync::Arc;

use crate::{DaemonSet, Deployment, Job, LabelSelector, ReplicaSet, StatefulSet};

use super::error_list::{IMMUTABLE, quoted};
use super::{ErrorList, Path, internal, job, selector, workload};
use crate::wire::Wire;

fn check_selector_unchanged(old: Option<&LabelSelector>, new: Option<&LabelSelector>, errors: &mut ErrorList) {
    if old != new {
        let value = new.map_or_else(|| "null".to_owned(), selector::selector_json);
        let path = Path::root("spec");
        errors.invalid(&path.child("selector"), value, IMMUTABLE);
    }
}

pub(super) fn validate_replica_set(old: &ReplicaSet, new: &ReplicaSet, errors: &mut ErrorList) {
    workload::validate_replica_set(new, errors);
    check_selector_unchanged(old.spec.selector.as_ref(), new.spec.selector.as_ref(), errors);
}

pub(super) fn validate_deployment(old: &Deployment, new: &Deployment, errors: &mut ErrorList) {
    workload::validate_deployment(new, errors);
    check_selector_unchanged(old.spec.selector.as_ref(), new.spec.selector.as_ref(), errors);
}

pub(super) fn validate_daemon_set(old: &DaemonSet, new: &DaemonSet, errors: &mut ErrorList) {
    // The API server checks the selector before the other fields.
    check_selector_unchanged(old.spec.selector.as_ref(), new.spec.selector.as_ref(), errors);
    workload::validate_daemon_set(new, errors);
}

pub(super) fn validate_stateful_set(old: &StatefulSet, new: &StatefulSet, errors: &mut ErrorList) {
    workload::validate_stateful_set(new, errors);
    let mut rest = new.spec.clone();
    rest.replicas = old.spec.replicas;
    rest.ordinals.clone_from(&old.spec.ordinals);
    rest.template = Arc::clone(&old.spec.template);
    rest.update_strategy.clone_from(&old.spec.update_strategy);
    rest.revision_history_limit = old.spec.revision_history_limit;
    rest.persistent_volume_claim_retention_policy
        .clone_from(&old.spec.persistent_volume_claim_retention_policy);
    rest.min_ready_seconds = old.spec.min_ready_seconds;
    if rest != old.spec {
        errors.forbidden(
            &Path::root("spec"),
            "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', \
             'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
        );
    }
}

/// Validates an update of a Job. While the Job is suspended, the scheduling fields of its pod template may change
/// (VA-198).
pub(super) fn validate_job(old: &Job, new: &Job, errors: &mut ErrorList) {
    job::validate(new, errors);
    let path = Path::root("spec");
    job::check_completions_update(&old.spec, &new.spec, &path, errors);
    check_selector_unchanged(old.spec.selector.as_ref(), new.spec.selector.as_ref(), errors);
    let mut template = (*new.spec.template).clone();
    let is_suspended = old.spec.suspend == Some(true) && new.spec.suspend == Some(true);
    if is_suspended {
        let (before, now) = (&old.spec.template, &mut template);
        now.metadata.labels.clone_from(&before.metadata.labels);
        now.metadata.annotations.clone_from(&before.metadata.annotations);
        now.spec.node_selector.clone_from(&before.spec.node_selector);
        now.spec.affinity.clone_from(&before.spec.affinity);
        now.spec.tolerations.clone_from(&before.spec.tolerations);
        now.spec.scheduling_gates.clone_from(&before.spec.scheduling_gates);
        for (now, before) in [
            (&mut now.spec.containers, &before.spec.containers),
            (&mut now.spec.init_containers, &before.spec.init_containers),
        ] {
            if now != before && now.len() == before.len() {
                for (now, before) in Arc::make_mut(now).iter_mut().zip(before.iter()) {
                    now.resources = Arc::clone(&before.resources);
                }
            }
        }
    }
    if template != *old.spec.template {
        let mut value = template.to_json_value();
        template.extra.merge_into(&mut value);
        let spec = internal::to_internal_struct("PodSpec", &value["spec"]);
        if is_suspended {
            let at = path.child("template");
            errors.invalid(&at.child("spec"), spec, IMMUTABLE);
        } else {
            let mut template_value = value["metadata"].as_object().cloned().unwrap_or_default();
            template_value.insert("Spec".to_owned(), spec);
            errors.invalid(
                &path.child("template"),
                serde_json::Value::Object(template_value),
                IMMUTABLE,
            );
        }
    }
    if old.spec.completion_mode != new.spec.completion_mode {
        let value = new
            .spec
            .completion_mode
            .as_deref()
            .map_or_else(|| "null".to_owned(), quoted);
        errors.invalid(&path.child("completionMode"), value, IMMUTABLE);
    }
    check_job_policy_unchanged(
        &old.spec.pod_failure_policy,
        &new.spec.pod_failure_policy,
        ("podFailurePolicy", "PodFailurePolicy"),
        errors,
    );
    let limit = new.spec.backoff_limit_per_index;
    if old.spec.backoff_limit_per_index != limit {
        let value = limit.map_or_else(|| "null".to_owned(), |limit| limit.to_string());
        errors.invalid(&path.child("backoffLimitPerIndex"), value, IMMUTABLE);
    }
    if old.spec.managed_by != new.spec.managed_by {
        let value = new.spec.managed_by.as_deref().map_or_else(|| "null".to_owned(), quoted);
        errors.invalid(&path.child("managedBy"), value, IMMUTABLE);
    }
    check_job_policy_unchanged(
        &old.spec.success_policy,
        &new.spec.success_policy,
        ("successPolicy", "SuccessPolicy"),
        errors,
    );
}

/// Checks that a policy of a Job does not change; `field` is the policy's field and `name` its struct.
fn check_job_policy_unchanged(
    old: &Option<serde_json::Value>,
    new: &Option<serde_json::Value>,
    (field, name): (&str, &str),
    errors: &mut ErrorList,
) {
    if old != new {
        let spec = Path::root("spec");
        let value = new.as_ref().map_or_else(
            || "null".to_owned(),
            |policy| internal::to_internal_struct_json(name, policy),
        );
        errors.invalid(&spec.child(field), value, IMMUTABLE);
    }
}
