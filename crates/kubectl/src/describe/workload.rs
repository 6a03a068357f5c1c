//! `kubectl describe` of workloads: Deployments, ReplicaSets, ReplicationControllers, StatefulSets, DaemonSets and Jobs
//! (KC-076, KC-077).

use podscope_api::ordered::StableSort as _;
use std::sync::Arc;

use podscope_api::{
    DaemonSet, Deployment, Job, LabelSelector, Object, ObjectMeta, PodPhase, ReplicaSet, ReplicationController,
    StatefulSet, WorkloadCondition,
};

use super::super::View;
use super::super::columns::{claim_storage_class, label_map_text, selector_text};
use super::super::rollout::template_without_hash;
use super::super::text::TabbedText;
use super::{bracketed, print_annotations, print_labels, print_list, rfc1123_time, template};
use crate::duration::human_duration;

/// Formats a selector in query syntax; returns an empty text for an empty selector.
fn selector_text_or_empty(selector: Option<&LabelSelector>) -> String {
    match selector.filter(|selector| !selector.is_empty()) {
        Some(selector) => selector_text(Some(selector)),
        None => String::new(),
    }
}

/// Prints name and namespace.
fn print_header(meta: &ObjectMeta, text: &mut TabbedText) {
    text.line(0, &format!("Name:\t{}", meta.name));
    text.line(0, &format!("Namespace:\t{}", meta.namespace));
}

fn print_labels_and_annotations(meta: &ObjectMeta, text: &mut TabbedText) {
    print_labels(text, "Labels", &meta.labels);
    print_annotations(text, "Annotations", &meta.annotations);
}

fn print_owner(meta: &ObjectMeta, text: &mut TabbedText) {
    if let Some(owner) = meta.controller_ref() {
        text.line(0, &format!("Controlled By:\t{}/{}", owner.kind, owner.name));
    }
}

/// Prints `Pods Status`: the number of owned pods per phase.
fn print_pods_status(meta: &ObjectMeta, view: &View<'_>, text: &mut TabbedText) {
    let (mut running, mut waiting, mut succeeded, mut failed) = (0, 0, 0, 0);
    for pod in view.objects.pods_of(&meta.uid) {
        if pod.metadata.controller_ref().is_none_or(|owner| owner.uid != meta.uid) {
            continue;
        }
        match pod.status.phase {
            Some(PodPhase::Running) => running += 1,
            Some(PodPhase::Pending) => waiting += 1,
            Some(PodPhase::Succeeded) => succeeded += 1,
            Some(PodPhase::Failed) => failed += 1,
            _ => {}
        }
    }
    text.line(
        0,
        &format!("Pods Status:\t{running} Running / {waiting} Waiting / {succeeded} Succeeded / {failed} Failed"),
    );
}

fn print_conditions(conditions: &[WorkloadCondition], text: &mut TabbedText) {
    if conditions.is_empty() {
        return;
    }
    text.line(0, "Conditions:");
    text.line(1, "Type\tStatus\tReason");
    text.line(1, "----\t------\t------");
    for condition in conditions {
        text.line(
            1,
            &format!("{} \t{}\t{}", condition.kind, condition.status, condition.reason),
        );
    }
}

pub(super) fn describe_deployment(deployment: &Arc<Deployment>, view: &View<'_>, text: &mut TabbedText) {
    let (meta, spec, status) = (&deployment.metadata, &deployment.spec, &deployment.status);
    let object = Object::Deployment(deployment.clone());
    print_header(meta, text);
    text.line(
        0,
        &format!("CreationTimestamp:\t{}", rfc1123_time(meta.creation_timestamp)),
    );
    print_labels_and_annotations(meta, text);
    text.line(
        0,
        &format!("Selector:\t{}", selector_text_or_empty(spec.selector.as_ref())),
    );
    let count = |value: Option<i32>| value.unwrap_or(0);
    text.line(
        0,
        &format!(
            "Replicas:\t{} desired | {} updated | {} total | {} available | {} unavailable",
            count(spec.replicas),
            count(status.updated_replicas),
            count(status.replicas),
            count(status.available_replicas),
            count(status.unavailable_replicas)
        ),
    );
    let kind = spec.strategy.kind.as_ref().map_or("", |kind| kind.as_str());
    text.line(0, &format!("StrategyType:\t{kind}"));
    text.line(0, &format!("MinReadySeconds:\t{}", count(spec.min_ready_seconds)));
    if let Some(rolling) = &spec.strategy.rolling_update {
        let bound = |value: &Option<podscope_api::IntOrString>| value.clone().unwrap_or_default();
        let (unavailable, surge) = (bound(&rolling.max_unavailable), bound(&rolling.max_surge));
        text.line(
            0,
            &format!("RollingUpdateStrategy:\t{unavailable} max unavailable, {surge} max surge"),
        );
    }
    template::print_template_section(&object, text);
    print_conditions(&status.conditions, text);
    let current_template = template_without_hash(&object);
    let mut sets: Vec<&Arc<ReplicaSet>> = view
        .objects
        .list_in::<ReplicaSet>(&meta.namespace)
        .filter(|set| set.metadata.controller_ref().is_some_and(|owner| owner.uid == meta.uid))
        .collect();
    // kubectl's `NewReplicaSet` is the oldest ReplicaSet with the Deployment's current template.
    let new = sets
        .iter()
        .filter(|set| template_without_hash(&Object::ReplicaSet(Arc::clone(set))) == current_template)
        .min_by_key(|set| set.metadata.creation_timestamp)
        .map(|set| set.metadata.uid.clone());
    if sets.is_empty() {
        return;
    }
    sets.stable_sort_by(|a, b| a.metadata.name.cmp(&b.metadata.name));
    for (title, is_new) in [("OldReplicaSets", false), ("NewReplicaSet", true)] {
        let shown: Vec<String> = sets
            .iter()
            .filter(|set| (Some(&set.metadata.uid) == new.as_ref()) == is_new)
            .map(|set| {
                format!(
                    "{} ({}/{} replicas created)",
                    set.metadata.name,
                    set.status.replicas,
                    count(set.spec.replicas)
                )
            })
            .collect();
        let shown = if shown.is_empty() {
            "<none>".to_owned()
        } else {
            shown.join(", ")
        };
        text.line(0, &format!("{title}:\t{shown}"));
    }
}

fn print_current_and_desired_replicas(current: i32, desired: Option<i32>, text: &mut TabbedText) {
    text.line(
        0,
        &format!("Replicas:\t{current} current / {} desired", desired.unwrap_or(0)),
    );
}

pub(super) fn describe_replica_set(set: &Arc<ReplicaSet>, view: &View<'_>, text: &mut TabbedText) {
    let meta = &set.metadata;
    print_header(meta, text);
    text.line(0, &format!("Selector:\t{}", selector_text(set.spec.selector.as_ref())));
    print_labels_and_annotations(meta, text);
    print_owner(meta, text);
    print_current_and_desired_replicas(set.status.replicas, set.spec.replicas, text);
    print_pods_status(meta, view, text);
    template::print_template_section(&Object::ReplicaSet(set.clone()), text);
    print_conditions(&set.status.conditions, text);
}

pub(super) fn describe_replication_controller(
    one: &Arc<ReplicationController>,
    view: &View<'_>,
    text: &mut TabbedText,
) {
    let meta = &one.metadata;
    print_header(meta, text);
    text.line(0, &format!("Selector:\t{}", label_map_text(&one.spec.selector)));
    print_labels_and_annotations(meta, text);
    print_current_and_desired_replicas(one.status.replicas, one.spec.replicas, text);
    print_pods_status(meta, view, text);
    template::print_template_section(&Object::ReplicationController(one.clone()), text);
    print_conditions(&one.status.conditions, text);
}

pub(super) fn describe_stateful_set(set: &Arc<StatefulSet>, view: &View<'_>, text: &mut TabbedText) {
    let (meta, spec) = (&set.metadata, &set.spec);
    print_header(meta, text);
    text.line(
        0,
        &format!("CreationTimestamp:\t{}", rfc1123_time(meta.creation_timestamp)),
    );
    text.line(
        0,
        &format!("Selector:\t{}", selector_text_or_empty(spec.selector.as_ref())),
    );
    print_labels_and_annotations(meta, text);
    text.line(
        0,
        &format!(
            "Replicas:\t{} desired | {} total",
            spec.replicas.unwrap_or(0),
            set.status.replicas
        ),
    );
    let kind = spec.update_strategy.kind.as_ref().map_or("", |kind| kind.as_str());
    text.line(0, &format!("Update Strategy:\t{kind}"));
    if let Some(rolling) = &spec.update_strategy.rolling_update
        && let Some(partition) = rolling.partition
    {
        text.line(1, &format!("Partition:\t{partition}"));
        if let Some(max) = &rolling.max_unavailable {
            text.line(1, &format!("MaxUnavailable:\t{max}"));
        }
    }
    print_pods_status(meta, view, text);
    template::print_template_section(&Object::StatefulSet(set.clone()), text);
    if spec.volume_claim_templates.is_empty() {
        return text.line(0, "Volume Claims:\t<none>");
    }
    text.line(0, "Volume Claims:");
    for claim in spec.volume_claim_templates.iter() {
        let (meta, spec) = (&claim.metadata, &claim.spec);
        text.line(1, &format!("Name:\t{}", meta.name));
        text.line(1, &format!("StorageClass:\t{}", claim_storage_class(meta, spec)));
        print_labels(text, "  Labels", &meta.labels);
        let annotations: Vec<String> = meta
            .annotations
            .iter()
            .map(|(key, value)| format!("{key}={value}"))
            .collect();
        print_list(text, "  Annotations", &annotations);
        let capacity = spec.resources.requests.get("storage");
        let capacity = capacity.map_or_else(|| "<default>".to_owned(), ToString::to_string);
        text.line(1, &format!("Capacity:\t{capacity}"));
        text.line(1, &format!("Access Modes:\t{}", bracketed(&spec.access_modes)));
    }
}

pub(super) fn describe_daemon_set(set: &Arc<DaemonSet>, view: &View<'_>, text: &mut TabbedText) {
    let (meta, spec, status) = (&set.metadata, &set.spec, &set.status);
    print_header(meta, text);
    text.line(
        0,
        &format!("Selector:\t{}", selector_text_or_empty(spec.selector.as_ref())),
    );
    text.line(
        0,
        &format!("Node-Selector:\t{}", label_map_text(&spec.template.spec.node_selector)),
    );
    print_labels_and_annotations(meta, text);
    for (title, count) in [
        ("Desired Number of Nodes Scheduled", status.desired_number_scheduled),
        ("Current Number of Nodes Scheduled", status.current_number_scheduled),
        (
            "Number of Nodes Scheduled with Up-to-date Pods",
            status.updated_number_scheduled.unwrap_or(0),
        ),
        (
            "Number of Nodes Scheduled with Available Pods",
            status.number_available.unwrap_or(0),
        ),
        ("Number of Nodes Misscheduled", status.number_misscheduled),
    ] {
        text.line(0, &format!("{title}: {count}"));
    }
    print_pods_status(meta, view, text);
    template::print_template_section(&Object::DaemonSet(set.clone()), text);
}

pub(super) fn describe_job(job: &Arc<Job>, text: &mut TabbedText) {
    let (meta, spec, status) = (&job.metadata, &job.spec, &job.status);
    print_header(meta, text);
    text.line(
        0,
        &format!("Selector:\t{}", selector_text_or_empty(spec.selector.as_ref())),
    );
    print_labels_and_annotations(meta, text);
    print_owner(meta, text);
    fn print_optional<T: std::fmt::Display>(text: &mut TabbedText, title: &str, value: Option<T>) {
        if let Some(value) = value {
            text.line(0, &format!("{title}:\t{value}"));
        }
    }
    print_optional(text, "Parallelism", spec.parallelism);
    let completions = spec
        .completions
        .map_or_else(|| "<unset>".to_owned(), |count| count.to_string());
    text.line(0, &format!("Completions:\t{completions}"));
    print_optional(text, "Completion Mode", spec.completion_mode.as_ref());
    print_optional(text, "Suspend", spec.suspend);
    print_optional(text, "Backoff Limit", spec.backoff_limit);
    print_optional(text, "TTL Seconds After Finished", spec.ttl_seconds_after_finished);
    let at = |time: Option<podscope_api::Time>| time.map(|time| rfc1123_time(Some(time)));
    print_optional(text, "Start Time", at(status.start_time));
    print_optional(text, "Completed At", at(status.completion_time));
    if let (Some(start), Some(end)) = (status.start_time, status.completion_time) {
        let seconds = (end.0 - start.0).div_euclid(1_000_000);
        text.line(0, &format!("Duration:\t{}", human_duration(seconds)));
    }
    print_optional(
        text,
        "Active Deadline Seconds",
        spec.active_deadline_seconds.map(|seconds| format!("{seconds}s")),
    );
    let count = |value: Option<i32>| value.unwrap_or(0);
    let ready = status
        .ready
        .map_or_else(String::new, |ready| format!(" ({ready} Ready)"));
    text.line(
        0,
        &format!(
            "Pods Statuses:\t{} Active{ready} / {} Succeeded / {} Failed",
            count(status.active),
            count(status.succeeded),
            count(status.failed)
        ),
    );
    if spec.completion_mode.as_deref() == Some("Indexed") {
        text.line(
            0,
            &format!("Completed Indexes:\t{}", shortened_indexes(&status.completed_indexes)),
        );
    }
    template::print_template_section(&Object::Job(job.clone()), text);
}

/// Truncates a list of indexes after the first comma beyond 50 characters.
fn shortened_indexes(indexes: &str) -> String {
    if indexes.is_empty() {
        return "<none>".into();
    }
    match indexes.get(50..).and_then(|rest| rest.find(',')) {
        Some(comma) => format!("{}...", indexes.get(..=50 + comma).unwrap_or_default()),
        None => indexes.to_owned(),
    }
}
