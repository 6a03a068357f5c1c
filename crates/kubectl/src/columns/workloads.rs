//! Table columns of pods, workloads, autoscalers, disruption budgets and priority classes.

use podscope_api::{
    ConditionStatus, ControllerRevision, CronJob, DaemonSet, Deployment, HorizontalPodAutoscaler, IntOrString, Job,
    Pod, PodDisruptionBudget, PriorityClass, ReplicaSet, ReplicaSetStatus, ReplicationController, StatefulSet,
};
use serde_json::Value;

use super::row::RowBuilder;
use super::{age, job_status, label_map_text, selector_text, text_or_none};
use crate::duration::human_duration;
use crate::jsonpath::value_text;
use crate::pod_status::pod_row;

fn number_or_zero(value: Option<i32>) -> String {
    value.unwrap_or(0).to_string()
}

/// Formats a cell of the READY column as `ready/desired`.
fn ready_text(ready: Option<i32>, desired: Option<i32>) -> String {
    format!("{}/{}", number_or_zero(ready), number_or_zero(desired))
}

pub(super) fn add_pod_columns(pod: &Pod, row: &mut RowBuilder) {
    let cells = pod_row(pod, row.now);
    let gates = &pod.spec.readiness_gates;
    let is_true = |kind: &str| (pod.condition(kind)).is_some_and(|condition| condition.status == ConditionStatus::True);
    let n_true = gates.iter().filter(|gate| is_true(&gate.condition_type)).count();
    let ip = pod.status.pod_ips.first().map(|ip| &*ip.ip);
    row.add_name();
    row.put("READY", format!("{}/{}", cells.ready, cells.total));
    row.put("STATUS", cells.status);
    row.put("RESTARTS", cells.restarts);
    row.add_age();
    row.put_wide("IP", text_or_none(ip.unwrap_or_default()));
    row.put_wide("NODE", text_or_none(pod.spec.node_name.as_deref().unwrap_or_default()));
    row.put_wide("NOMINATED NODE", text_or_none(&pod.status.nominated_node_name));
    let gates_text = match gates.len() {
        0 => "<none>".to_owned(),
        gates => format!("{n_true}/{gates}"),
    };
    row.put_wide("READINESS GATES", gates_text);
}

pub(super) fn add_deployment_columns(deployment: &Deployment, row: &mut RowBuilder) {
    let (spec, status) = (&deployment.spec, &deployment.status);
    row.add_name();
    row.put("READY", ready_text(status.ready_replicas, spec.replicas));
    row.put("UP-TO-DATE", number_or_zero(status.updated_replicas));
    row.put("AVAILABLE", number_or_zero(status.available_replicas));
    row.add_age();
    row.add_template_columns(&spec.template);
    let selector = selector_text(spec.selector.as_ref());
    row.put_wide("SELECTOR", if selector == "<none>" { String::new() } else { selector });
}

/// Adds the columns that ReplicaSets and ReplicationControllers share.
fn add_replica_columns(desired: Option<i32>, status: &ReplicaSetStatus, row: &mut RowBuilder) {
    row.add_name();
    row.put("DESIRED", number_or_zero(desired));
    row.put("CURRENT", status.replicas.to_string());
    row.put("READY", number_or_zero(status.ready_replicas));
    row.add_age();
}

pub(super) fn add_replica_set_columns(set: &ReplicaSet, row: &mut RowBuilder) {
    add_replica_columns(set.spec.replicas, &set.status, row);
    row.add_template_columns(&set.spec.template);
    row.put_wide("SELECTOR", selector_text(set.spec.selector.as_ref()));
}

pub(super) fn add_replication_controller_columns(set: &ReplicationController, row: &mut RowBuilder) {
    add_replica_columns(set.spec.replicas, &set.status, row);
    row.add_template_columns(&set.spec.template);
    row.put_wide("SELECTOR", label_map_text(&set.spec.selector));
}

pub(super) fn add_stateful_set_columns(set: &StatefulSet, row: &mut RowBuilder) {
    row.add_name();
    row.put("READY", ready_text(set.status.ready_replicas, set.spec.replicas));
    row.add_age();
    row.add_template_columns(&set.spec.template);
}

pub(super) fn add_daemon_set_columns(set: &DaemonSet, row: &mut RowBuilder) {
    let status = &set.status;
    row.add_name();
    row.put("DESIRED", status.desired_number_scheduled.to_string());
    row.put("CURRENT", status.current_number_scheduled.to_string());
    row.put("READY", status.number_ready.to_string());
    row.put("UP-TO-DATE", number_or_zero(status.updated_number_scheduled));
    row.put("AVAILABLE", number_or_zero(status.number_available));
    row.put("NODE SELECTOR", label_map_text(&set.spec.template.spec.node_selector));
    row.add_age();
    row.add_template_columns(&set.spec.template);
    row.put_wide("SELECTOR", selector_text(set.spec.selector.as_ref()));
}

pub(super) fn add_job_columns(job: &Job, row: &mut RowBuilder) {
    let succeeded = job.status.succeeded.unwrap_or(0);
    let parallelism = job.spec.parallelism.unwrap_or(1);
    let completions = match job.spec.completions {
        Some(completions) => format!("{succeeded}/{completions}"),
        None if parallelism > 1 => format!("{succeeded}/1 of {parallelism}"),
        None => format!("{succeeded}/1"),
    };
    let duration = job.status.start_time.map(|start| {
        let end = job.status.completion_time.unwrap_or(row.now);
        human_duration((end.0 - start.0).div_euclid(super::MICROS_PER_SECOND))
    });
    row.add_name();
    row.put("STATUS", job_status(job).to_owned());
    row.put("COMPLETIONS", completions);
    row.put("DURATION", duration.unwrap_or_default());
    row.add_age();
    row.add_template_columns(&job.spec.template);
    row.put_wide("SELECTOR", selector_text(job.spec.selector.as_ref()));
}

pub(super) fn add_cron_job_columns(object: &CronJob, row: &mut RowBuilder) {
    let spec = &object.spec;
    let last = object.status.last_schedule_time;
    row.add_name();
    row.put("SCHEDULE", spec.schedule.to_string());
    row.put("TIMEZONE", text_or_none(spec.time_zone.as_deref().unwrap_or_default()));
    row.put(
        "SUSPEND",
        if spec.suspend == Some(true) { "True" } else { "False" }.to_owned(),
    );
    row.put("ACTIVE", object.status.active.len().to_string());
    let last = last.map_or_else(|| "<none>".to_owned(), |_| age(last, row.now));
    row.put("LAST SCHEDULE", last);
    row.add_age();
    row.add_template_columns(&spec.job_template.spec.template);
    row.put_wide("SELECTOR", selector_text(spec.job_template.spec.selector.as_ref()));
}

pub(super) fn add_autoscaler_columns(object: &HorizontalPodAutoscaler, row: &mut RowBuilder) {
    let spec = &object.spec;
    let min_replicas = spec.min_replicas.map(|min| min.to_string());
    row.add_name();
    row.put(
        "REFERENCE",
        format!("{}/{}", spec.scale_target_ref.kind, spec.scale_target_ref.name),
    );
    row.put("TARGETS", targets_text(object));
    row.put("MINPODS", min_replicas.unwrap_or_else(|| "<unset>".to_owned()));
    row.put("MAXPODS", spec.max_replicas.to_string());
    row.put("REPLICAS", number_or_zero(object.status.current_replicas));
    row.add_age();
}

/// Formats the TARGETS column of an autoscaler: the current and the target value of each metric.
fn targets_text(object: &HorizontalPodAutoscaler) -> String {
    let text = |value: &Value, pointer: &str| value.pointer(pointer).map(value_text);
    let current = object.status.current_metrics.iter().flatten();
    let mut shown: Vec<String> = Vec::new();
    for (metric, current) in (object.spec.metrics.iter()).zip(current.map(Some).chain(std::iter::repeat(None))) {
        let kind = metric["type"].as_str().unwrap_or_default();
        let field = podscope_api::metric_source_field(kind);
        let name = text(metric, &format!("/{field}/name")).unwrap_or_default();
        let target = |part: &str| text(metric, &format!("/{field}/target/{part}"));
        let observed = |part: &str| {
            let value = current.and_then(|current| text(current, &format!("/{field}/current/{part}")));
            value.unwrap_or_else(|| "<unknown>".to_owned())
        };
        let average = target("averageValue").map(|target| format!("{}/{target}", observed("averageValue")));
        let of_value = || format!("{}/{}", observed("value"), target("value").unwrap_or_default());
        shown.push(match (kind, average) {
            ("Resource" | "ContainerResource", Some(average)) => format!("{name}: {average}"),
            ("Resource" | "ContainerResource", None) => {
                let target = target("averageUtilization").map_or_else(|| "<auto>".to_owned(), |target| target + "%");
                let observed = match observed("averageUtilization") {
                    unknown if unknown.starts_with('<') => unknown,
                    percent => percent + "%",
                };
                format!("{name}: {observed}/{target}")
            }
            ("Pods", average) => average.unwrap_or_default(),
            ("Object" | "External", Some(average)) => format!("{average} (avg)"),
            ("Object" | "External", None) => of_value(),
            _ => "<unknown type>".to_owned(),
        });
    }
    super::join_first_texts(shown, 2, ", ", "<none>")
}

pub(super) fn add_budget_columns(budget: &PodDisruptionBudget, row: &mut RowBuilder) {
    let bound = |value: &Option<IntOrString>| value.as_ref().map_or_else(|| "N/A".into(), ToString::to_string);
    row.add_name();
    row.put("MIN AVAILABLE", bound(&budget.spec.min_available));
    row.put("MAX UNAVAILABLE", bound(&budget.spec.max_unavailable));
    row.put("ALLOWED DISRUPTIONS", budget.status.disruptions_allowed.to_string());
    row.add_age();
}

pub(super) fn add_priority_class_columns(class: &PriorityClass, row: &mut RowBuilder) {
    let policy = class.preemption_policy.as_ref();
    row.add_name();
    row.put("VALUE", class.value.to_string());
    row.put("GLOBAL-DEFAULT", class.global_default.unwrap_or(false).to_string());
    row.add_age();
    row.put(
        "PREEMPTIONPOLICY",
        policy
            .map_or("PreemptLowerPriority", |policy| policy.as_str())
            .to_owned(),
    );
}

pub(super) fn add_controller_revision_columns(revision: &ControllerRevision, row: &mut RowBuilder) {
    let controller = revision.metadata.controller_ref().map(|owner| {
        let group = owner.api_version.split_once('/').map(|(group, _)| format!(".{group}"));
        let kind = owner.kind.to_ascii_lowercase();
        format!("{kind}{}/{}", group.unwrap_or_default(), owner.name)
    });
    row.add_name();
    row.put("CONTROLLER", controller.unwrap_or_else(|| "<none>".to_owned()));
    row.put("REVISION", revision.revision.to_string());
    row.add_age();
}
