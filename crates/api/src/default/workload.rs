//! Defaults of workloads.

use super::*;
use crate::well_known::label;

pub(super) fn default_replication_controller(controller: &mut crate::ReplicationController) {
    set_default(&mut controller.spec.replicas, 1);
    default_shared_value(&mut controller.spec.template, |template| {
        default_pod_template_spec(&mut template.spec)
    });
    let template = &controller.spec.template;
    if controller.spec.selector.is_empty() {
        controller.spec.selector = (*template.metadata.labels).clone();
    }
    if controller.metadata.labels.is_empty() {
        controller.metadata.labels = template.metadata.labels.clone();
    }
}

pub(super) fn default_deployment(spec: &mut crate::DeploymentSpec) {
    // The API server omits `paused: false`.
    spec.paused = spec.paused.filter(|paused| *paused);
    set_default(&mut spec.replicas, 1);
    set_default_or_empty_enum(
        &mut spec.strategy.kind,
        DeploymentStrategyType::RollingUpdate,
        DeploymentStrategyType::as_str,
    );
    if spec.strategy.kind == Some(DeploymentStrategyType::RollingUpdate) {
        let quarter = || IntOrString::String("25%".into());
        let rolling = spec
            .strategy
            .rolling_update
            .get_or_insert_with(RollingUpdateDeployment::default);
        rolling.max_unavailable.get_or_insert_with(quarter);
        rolling.max_surge.get_or_insert_with(quarter);
    }
    set_default(&mut spec.revision_history_limit, 10);
    set_default(&mut spec.progress_deadline_seconds, 600);
    default_shared_value(&mut spec.template, |template| {
        default_pod_template_spec(&mut template.spec)
    });
}

/// Sets the default update strategy of a StatefulSet or DaemonSet. Returns whether the strategy is RollingUpdate.
fn default_update_strategy(kind: &mut Option<UpdateStrategyType>) -> bool {
    set_default_or_empty_enum(kind, UpdateStrategyType::RollingUpdate, UpdateStrategyType::as_str);
    *kind == Some(UpdateStrategyType::RollingUpdate)
}

pub(super) fn default_daemon_set(spec: &mut crate::DaemonSetSpec) {
    let strategy = &mut spec.update_strategy;
    if default_update_strategy(&mut strategy.kind) {
        let rolling = strategy
            .rolling_update
            .get_or_insert_with(RollingUpdateDaemonSet::default);
        rolling.max_unavailable.get_or_insert(IntOrString::Int(1));
        rolling.max_surge.get_or_insert(IntOrString::Int(0));
    }
    set_default(&mut spec.revision_history_limit, 10);
    default_shared_value(&mut spec.template, |template| {
        default_pod_template_spec(&mut template.spec)
    });
}

pub(super) fn default_stateful_set(spec: &mut crate::StatefulSetSpec) {
    set_default(&mut spec.replicas, 1);
    set_default_or_empty_enum(
        &mut spec.pod_management_policy,
        PodManagementPolicy::OrderedReady,
        PodManagementPolicy::as_str,
    );
    let strategy = &mut spec.update_strategy;
    if default_update_strategy(&mut strategy.kind) {
        let rolling = strategy
            .rolling_update
            .get_or_insert_with(RollingUpdateStatefulSet::default);
        set_default(&mut rolling.partition, 0);
    }
    let retention = spec
        .persistent_volume_claim_retention_policy
        .get_or_insert_with(Default::default);
    set_default_string(&mut retention.when_deleted, "Retain");
    set_default_string(&mut retention.when_scaled, "Retain");
    set_default(&mut spec.revision_history_limit, 10);
    default_shared_value(&mut spec.template, |template| {
        default_pod_template_spec(&mut template.spec)
    });
    if !spec.volume_claim_templates.is_empty() {
        for template in Arc::make_mut(&mut spec.volume_claim_templates) {
            default_claim_spec(&mut template.spec);
            template.api_version = "v1".into();
            template.kind = "PersistentVolumeClaim".into();
            template.status = Some(serde_json::json!({"phase": "Pending"}));
        }
    }
}

pub(super) fn default_job(job: &mut crate::Job) {
    let spec = &mut job.spec;
    if spec.completions.is_none() && spec.parallelism.is_none() {
        spec.completions = Some(1);
    }
    set_default(&mut spec.parallelism, 1);
    let limit = if spec.backoff_limit_per_index.is_some() {
        i32::MAX
    } else {
        6
    };
    set_default(&mut spec.backoff_limit, limit);
    let rules = spec
        .pod_failure_policy
        .as_mut()
        .and_then(|policy| policy.get_mut("rules"));
    for rule in rules.and_then(serde_json::Value::as_array_mut).into_iter().flatten() {
        let patterns = rule
            .get_mut("onPodConditions")
            .and_then(serde_json::Value::as_array_mut);
        for pattern in patterns
            .into_iter()
            .flatten()
            .filter_map(serde_json::Value::as_object_mut)
        {
            pattern.entry("status").or_insert_with(|| "True".into());
        }
    }
    set_default(&mut spec.completion_mode, "NonIndexed".into());
    set_default(&mut spec.suspend, false);
    set_default(&mut spec.manual_selector, false);
    let replacement = if spec.pod_failure_policy.is_some() {
        "Failed"
    } else {
        "TerminatingOrFailed"
    };
    set_default(&mut spec.pod_replacement_policy, replacement.into());
    if job.metadata.labels.is_empty() {
        job.metadata.labels = spec.template.metadata.labels.clone();
    }
    default_shared_value(&mut spec.template, |template| {
        default_pod_template_spec(&mut template.spec)
    });
}

pub(super) fn default_cron_job(spec: &mut crate::CronJobSpec) {
    use crate::ConcurrencyPolicy;
    set_default_or_empty_enum(
        &mut spec.concurrency_policy,
        ConcurrencyPolicy::Allow,
        ConcurrencyPolicy::as_str,
    );
    set_default(&mut spec.suspend, false);
    set_default(&mut spec.successful_jobs_history_limit, 3);
    set_default(&mut spec.failed_jobs_history_limit, 1);
    let template = &mut spec.job_template.spec.template;
    default_shared_value(template, |template| default_pod_template_spec(&mut template.spec));
}

/// Generates a Job's selector and the labels of its pods from its UID (VA-052), unless `manualSelector` is set.
pub fn generate_job_selector(job: &mut crate::Job) {
    if job.spec.manual_selector == Some(true) {
        return;
    }
    let uid = job.metadata.uid.0.clone();
    let name = job.metadata.name.clone();
    let template = Arc::make_mut(&mut job.spec.template);
    // A Job without labels gets its template's labels, including the generated ones.
    let has_labels_of_template = job.metadata.labels.is_empty() || job.metadata.labels == template.metadata.labels;
    let labels = Arc::make_mut(&mut template.metadata.labels);
    for (key, value) in [
        (label::JOB_CONTROLLER_UID, &uid),
        (label::JOB_NAME, &name),
        ("controller-uid", &uid),
        ("job-name", &name),
    ] {
        labels.entry(key.into()).or_insert_with(|| value.clone());
    }
    if has_labels_of_template {
        job.metadata.labels = template.metadata.labels.clone();
    }
    job.spec
        .selector
        .get_or_insert_with(Default::default)
        .match_labels
        .entry(label::JOB_CONTROLLER_UID.into())
        .or_insert(uid);
}
