//! Table columns of pods, workloads, autoscalers, disruption budgets and priority classes.

use podscope_api::{
    ConditionStatus, ControllerRevision, CronJob, DaemonSet, Deployment, HorizontalPodAutoscaler, IntOrString, Job,
    Pod, PodDisruptionBudget, PriorityClass, ReplicaSet, ReplicaSetStatus, ReplicationController, StatefulSet,
};
use serde_json::Value;

use super::line::Line;
use super::{age, job_status, label_map_text, selector_text, text_or_none};
use crate::duration::human_duration;
use crate::jsonpath::plain;
use crate::pod_status::pod_row;

fn number_or_zero(value: Option<i32>) -> String {
    value.unwrap_or(0).to_string()
}

/// Formats a cell of the READY column as `ready/desired`.
fn ready_text(ready: Option<i32>, desired: Option<i32>) -> String {
    format!("{}/{}", number_or_zero(ready), number_or_zero(desired))
}

pub(super) fn add_pod_columns(pod: &Pod, line: &mut Line) {
    let row = pod_row(pod, line.now);
    let gates = &pod.spec.readiness_gates;
    let is_true = |kind: &str| (pod.condition(kind)).is_some_and(|condition| condition.status == ConditionStatus::True);
    let n_true = gates.iter().filter(|gate| is_true(&gate.condition_type)).count();
    let ip = pod.status.pod_ips.first().map(|ip| &*ip.ip);
    line.add_name();
    line.put("READY", format!("{}/{}", row.ready, row.total));
    line.put("STATUS", row.status);
    line.put("RESTARTS", row.restarts);
    line.add_age();
    line.put_wide("IP", text_or_none(ip.unwrap_or_default()));
    line.put_wide("NODE", text_or_none(pod.spec.node_name.as_deref().unwrap_or_default()));
    line.put_wide("NOMINATED NODE", text_or_none(&pod.status.nominated_node_name));
    let gates_text = match gates.len() {
        0 => "<none>".to_owned(),
        gates => format!("{n_true}/{gates}"),
    };
    line.put_wide("READINESS GATES", gates_text);
}

pub(super) fn add_deployment_columns(deployment: &Deployment, line: &mut Line) {
    let (spec, status) = (&deployment.spec, &deployment.status);
    line.add_name();
    line.put("READY", ready_text(status.ready_replicas, spec.replicas));
    line.put("UP-TO-DATE", number_or_zero(status.updated_replicas));
    line.put("AVAILABLE", number_or_zero(status.available_replicas));
    line.add_age();
    line.add_template_columns(&spec.template);
    let selector = selector_text(spec.selector.as_ref());
    line.put_wide("SELECTOR", if selector == "<none>" { String::new() } else { selector });
}

/// Adds the columns that ReplicaSets and ReplicationControllers share.
fn add_replica_columns(desired: Option<i32>, status: &ReplicaSetStatus, line: &mut Line) {
    line.add_name();
    line.put("DESIRED", number_or_zero(desired));
    line.put("CURRENT", status.replicas.to_string());
    line.put("READY", number_or_zero(status.ready_replicas));
    line.add_age();
}

pub(super) fn add_replica_set_columns(set: &ReplicaSet, line: &mut Line) {
    add_replica_columns(set.spec.replicas, &set.status, line);
    line.add_template_columns(&set.spec.template);
    line.put_wide("SELECTOR", selector_text(set.spec.selector.as_ref()));
}

pub(super) fn add_replication_controller_columns(set: &ReplicationController, line: &mut Line) {
    add_replica_columns(set.spec.replicas, &set.status, line);
    line.add_template_columns(&set.spec.template);
    line.put_wide("SELECTOR", label_map_text(&set.spec.selector));
}

pub(super) fn add_stateful_set_columns(set: &StatefulSet, line: &mut Line) {
    line.add_name();
    line.put("READY", ready_text(set.status.ready_replicas, set.spec.replicas));
    line.add_age();
    line.add_template_columns(&set.spec.template);
}

pub(super) fn add_daemon_set_columns(set: &DaemonSet, line: &mut Line) {
    let status = &set.status;
    line.add_name();
    line.put("DESIRED", status.desired_number_scheduled.to_string());
    line.put("CURRENT", status.current_number_scheduled.to_string());
    line.put("READY", status.number_ready.to_string());
    line.put("UP-TO-DATE", number_or_zero(status.updated_number_scheduled));
    line.put("AVAILABLE", number_or_zero(status.number_available));
    line.put("NODE SELECTOR", label_map_text(&set.spec.template.spec.node_selector));
    line.add_age();
    line.add_template_columns(&set.spec.template);
    line.put_wide("SELECTOR", selector_text(set.spec.selector.as_ref()));
}

pub(super) fn add_job_columns(job: &Job, line: &mut Line) {
    let succeeded = job.status.succeeded.unwrap_or(0);
    let parallelism = job.spec.parallelism.unwrap_or(1);
    let completions = match job.spec.completions {
        Some(completions) => format!("{succeeded}/{completions}"),
        None if parallelism > 1 => format!("{succeeded}/1 of {parallelism}"),
        None => format!("{succeeded}/1"),
    };
    let duration = job.status.start_time.map(|start| {
        let end = job.status.completion_time.unwrap_or(line.now);
        human_duration((end.0 - start.0).div_euclid(super::MICROS_PER_SECOND))
    });
    line.add_name();
    line.put("STATUS", job_status(job).to_owned());
    line.put("COMPLETIONS", completions);
    line.put("DURATION", duration.unwrap_or_default());
    line.add_age();
    line.add_template_columns(&job.spec.template);
    line.put_wide("SELECTOR", selector_text(job.spec.selector.as_ref()));
}

pub(super) fn add_cron_job_columns(object: &CronJob, line: &mut Line) {
    let spec = &object.spec;
    let last = object.status.last_schedule_time;
    line.add_name();
    line.put("SCHEDULE", spec.schedule.to_string());
    line.put("TIMEZONE", text_or_none(spec.time_zone.as_deref().unwrap_or_default()));
    line.put(
        "SUSPEND",
        if spec.suspend == Some(true) { "True" } else { "False" }.to_owned(),
    );
    line.put("ACTIVE", object.status.active.len().to_string());
    let last = last.map_or_else(|| "<none>".to_owned(), |_| age(last, line.now));
    line.put("LAST SCHEDULE", last);
    line.add_age();
    line.add_template_columns(&spec.job_template.spec.template);
    line.put_wide("SELECTOR", selector_text(spec.job_template.spec.selector.as_ref()));
}

pub(super) fn add_autoscaler_columns(object: &HorizontalPodAutoscaler, line: &mut Line) {
    let spec = &object.spec;
    let min_replicas = spec.min_replicas.map(|min| min.to_string());
    line.add_name();
    line.put(
        "REFERENCE",
        format!("{}/{}", spec.scale_target_ref.kind, spec.scale_target_ref.name),
    );
    line.put("TARGETS", targets_text(object));
    line.put("MINPODS", min_replicas.unwrap_or_else(|| "<unset>".to_owned()));
    line.put("MAXPODS", spec.max_replicas.to_string());
    line.put("REPLICAS", number_or_zero(object.status.current_replicas));
    line.add_age();
}

/// Formats the TARGETS column of an autoscaler: the current and the target value of each metric.
fn targets_text(object: &HorizontalPodAutoscaler) -> String {
    let text = |value: &Value, pointer: &str| value.pointer(pointer).map(plain);
    let current = object.status.current_metrics.iter().flatten();
    let mut shown: Vec<String> = Vec::new();
    for (metric, current) in (object.spec.metrics.iter()).zip(current.map(Some).chain(std::iter::repeat(None))) {
        let kind = metric["type"].as_str().unwrap_or_default();
        let field = podscope_api::metric_source(kind);
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

pub(super) fn add_budget_columns(budget: &PodDisruptionBudget, line: &mut Line) {
    let bound = |value: &Option<IntOrString>| value.as_ref().map_or_else(|| "N/A".into(), ToString::to_string);
    line.add_name();
    line.put("MIN AVAILABLE", bound(&budget.spec.min_available));
    line.put("MAX UNAVAILABLE", bound(&budget.spec.max_unavailable));
    line.put("ALLOWED DISRUPTIONS", budget.status.disruptions_allowed.to_string());
    line.add_age();
}

pub(super) fn add_priority_class_columns(class: &PriorityClass, line: &mut Line) {
    let policy = class.preemption_policy.as_ref();
    line.add_name();
    line.put("VALUE", class.value.to_string());
    line.put("GLOBAL-DEFAULT", class.global_default.unwrap_or(false).to_string());
    line.add_age();
    line.put(
        "PREEMPTIONPOLICY",
        policy
            .map_or("PreemptLowerPriority", |policy| policy.as_str())
            .to_owned(),
    );
}

pub(super) fn add_controller_revision_columns(revision: &ControllerRevision, line: &mut Line) {
    let controller = revision.metadata.controller_ref().map(|owner| {
        let group = owner.api_version.split_once('/').map(|(group, _)| format!(".{group}"));
        let kind = owner.kind.to_ascii_lowercase();
        format!("{kind}{}/{}", group.unwrap_or_default(), owner.name)
    });
    line.add_name();
    line.put("CONTROLLER", controller.unwrap_or_else(|| "<none>".to_owned()));
    line.put("REVISION", revision.revision.to_string());
    line.add_age();
}
