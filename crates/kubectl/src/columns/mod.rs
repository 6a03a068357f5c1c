//! Table columns of each kind, and functions that format their cells (KC-013 to KC-049).

mod cluster;
mod custom;
mod row;
mod storage;
mod untyped;
mod workloads;

use podscope_api::well_known::{annotation, condition};
use podscope_api::{ordered, wire};
use serde_json::Value;

use podscope_api::{
    ConditionStatus, LabelSelector, Object, ObjectMeta, PersistentVolume, PersistentVolumeClaimSpec, PodTemplateSpec,
    ResourceClaim, Str, Time,
};

use crate::duration::human_duration;

use row::RowBuilder;

pub use custom::PrinterColumn;
pub use row::Column;

/// One second in microseconds.
const MICROS_PER_SECOND: i64 = 1_000_000;

/// Returns the cells of an object of a built-in kind with their column headers, as in the API server's `Table`
/// responses (HT-121).
pub fn cells(object: &Object, now: Time) -> Vec<Column> {
    columns(object, "", &[], now)
}

/// Returns the columns of an object. The NAME column holds `prefix` + name. `printer_columns` are the columns of a
/// custom kind that follow NAME; they are empty for a built-in kind.
pub(crate) fn columns(object: &Object, prefix: &str, printer_columns: &[PrinterColumn], now: Time) -> Vec<Column> {
    let mut builder = RowBuilder::new(object, prefix, now);
    if !printer_columns.is_empty() {
        builder.add_name();
        let value = object.to_value();
        let own = printer_columns.iter().map(|printer| printer.column(&value, now));
        return builder.columns().into_iter().chain(own).collect();
    }
    let row = &mut builder;
    match object {
        Object::Pod(pod) => workloads::add_pod_columns(pod, row),
        Object::Deployment(deployment) => workloads::add_deployment_columns(deployment, row),
        Object::ReplicaSet(set) => workloads::add_replica_set_columns(set, row),
        Object::ReplicationController(set) => workloads::add_replication_controller_columns(set, row),
        Object::StatefulSet(set) => workloads::add_stateful_set_columns(set, row),
        Object::DaemonSet(set) => workloads::add_daemon_set_columns(set, row),
        Object::Job(job) => workloads::add_job_columns(job, row),
        Object::CronJob(job) => workloads::add_cron_job_columns(job, row),
        Object::HorizontalPodAutoscaler(autoscaler) => workloads::add_autoscaler_columns(autoscaler, row),
        Object::PodDisruptionBudget(budget) => workloads::add_budget_columns(budget, row),
        Object::PriorityClass(class) => workloads::add_priority_class_columns(class, row),
        Object::ControllerRevision(revision) => workloads::add_controller_revision_columns(revision, row),
        Object::PersistentVolume(volume) => storage::add_volume_columns(volume, row),
        Object::PersistentVolumeClaim(claim) => storage::add_claim_columns(claim, row),
        Object::StorageClass(class) => storage::add_storage_class_columns(class, object, row),
        Object::VolumeAttachment(attachment) => storage::add_attachment_columns(attachment, row),
        Object::CsiNode(node) => storage::add_csi_node_columns(node, row),
        Object::CsiDriver(driver) => storage::add_csi_driver_columns(driver, object, row),
        Object::Node(node) => cluster::add_node_columns(node, row),
        Object::Service(service) => cluster::add_service_columns(service, object, row),
        Object::EndpointSlice(slice) => cluster::add_endpoint_slice_columns(slice, row),
        Object::Endpoints(endpoints) => cluster::add_endpoints_columns(endpoints, row),
        Object::Event(event) => cluster::add_event_columns(event, row),
        Object::Namespace(namespace) => cluster::add_namespace_columns(namespace, row),
        Object::Lease(lease) => cluster::add_lease_columns(lease, row),
        Object::ConfigMap(map) => cluster::add_config_map_columns(map, object, row),
        Object::Secret(secret) => cluster::add_secret_columns(secret, row),
        Object::ResourceQuota(quota) => cluster::add_quota_columns(quota, row),
        Object::Untyped(object) => untyped::add_untyped_columns(object, row),
        Object::ResourceClaim(claim) => {
            row.add_name();
            row.put("STATE", resource_claim_state(claim));
            row.add_age();
        }
        Object::ResourceSlice(slice) => {
            let spec = &slice.spec;
            row.add_name();
            row.put("NODE", spec.node_name.as_deref().unwrap_or_default().to_owned());
            row.put("DRIVER", spec.driver.to_string());
            row.put("POOL", spec.pool.name.to_string());
            row.add_age();
        }
        Object::LimitRange(_) => {
            row.add_name();
            row.add_created_at();
        }
        Object::RuntimeClass(class) => {
            row.add_name();
            row.put("HANDLER", class.handler.to_string());
            row.add_age();
        }
        _ => {
            row.add_name();
            row.add_age();
        }
    }
    builder.columns()
}

/// Returns the text of the STATE column of a ResourceClaim (DRA-261).
fn resource_claim_state(claim: &ResourceClaim) -> String {
    let mut states = Vec::new();
    if claim.metadata.is_terminating() {
        states.push("deleted");
    }
    match &claim.status.allocation {
        Some(_) => states.push("allocated"),
        None if states.is_empty() => states.push("pending"),
        None => {}
    }
    if claim.status.allocation.is_some() && !claim.status.reserved_for.is_empty() {
        states.push("reserved");
    }
    states.join(",")
}

/// Formats the age of an object (KC-012). The creation time is rounded down to seconds, the precision of timestamps in
/// the API.
pub(crate) fn age(at: Option<Time>, now: Time) -> String {
    match at {
        Some(at) if at.0 != 0 => human_duration(
            (now.0 - at.0.div_euclid(MICROS_PER_SECOND) * MICROS_PER_SECOND).div_euclid(MICROS_PER_SECOND),
        ),
        _ => "<unknown>".into(),
    }
}

/// Returns the text, or `<none>` if it is empty.
pub(crate) fn text_or_none(text: &str) -> String {
    if text.is_empty() { "<none>".into() } else { text.into() }
}

/// Returns the text, or `<unset>` if it is missing.
pub(crate) fn text_or_unset(text: Option<&Str>) -> String {
    text.map_or_else(|| "<unset>".into(), |text| text.to_string())
}

/// Returns the names and the images of a template's containers, each joined by commas.
fn container_names_and_images(template: &PodTemplateSpec) -> [String; 2] {
    let join = |texts: Vec<&str>| texts.join(",");
    [
        join(
            template
                .spec
                .containers
                .iter()
                .map(|container| &*container.name)
                .collect(),
        ),
        join(
            template
                .spec
                .containers
                .iter()
                .map(|container| &*container.image)
                .collect(),
        ),
    ]
}

/// Formats a selector in the query syntax of `-l`, as Kubernetes' `FormatLabelSelector` does (KC-026); `<none>` if
/// empty.
pub(crate) fn selector_text(selector: Option<&LabelSelector>) -> String {
    text_or_none(&selector.map(ToString::to_string).unwrap_or_default())
}

/// Parses a selector from JSON.
pub(crate) fn selector_from_value(value: Option<&Value>) -> Option<LabelSelector> {
    value.and_then(|value| wire::from_value(value).ok())
}

pub(crate) fn label_map_text(map: &ordered::Map<Str, Str>) -> String {
    text_or_none(
        &map.iter()
            .map(|(key, value)| format!("{key}={value}"))
            .collect::<Vec<_>>()
            .join(","),
    )
}

/// Formats access modes abbreviated, in kubectl's fixed order and without duplicates (KC-049).
pub(crate) fn access_modes_text<T: std::fmt::Display>(modes: &[T]) -> String {
    let have: ordered::Set<String> = modes.iter().map(ToString::to_string).collect();
    [
        ("ReadWriteOnce", "RWO"),
        ("ReadOnlyMany", "ROX"),
        ("ReadWriteMany", "RWX"),
        ("ReadWriteOncePod", "RWOP"),
    ]
    .iter()
    .filter(|(long, _)| have.contains(*long))
    .map(|(_, short)| *short)
    .collect::<Vec<_>>()
    .join(",")
}

/// Joins the first `limit` texts and adds the number of omitted ones; returns `if_empty` for an empty list.
fn join_first_texts(mut texts: Vec<String>, limit: usize, separator: &str, if_empty: &str) -> String {
    let more = texts.len().saturating_sub(limit);
    texts.truncate(limit);
    let mut all = texts.join(separator);
    if all.is_empty() {
        all = if_empty.to_owned();
    }
    if more > 0 {
        all.push_str(&format!(" + {more} more..."));
    }
    all
}

/// Returns the value at a path in an object's JSON, for fields that the typed object does not have.
fn value_at_path(object: &Object, path: &[&str]) -> Option<serde_json::Value> {
    let value = object.to_value();
    let mut at = &value;
    for part in path {
        at = at.get(part)?;
    }
    Some(at.clone())
}

/// Returns the text of the STATUS column of a node (KC-023).
pub fn node_status(node: &podscope_api::Node) -> String {
    let mut status = match node.condition(condition::READY) {
        Some(condition) if condition.status == ConditionStatus::True => String::from("Ready"),
        Some(_) => "NotReady".into(),
        None => "Unknown".into(),
    };
    if node.is_unschedulable() {
        status.push_str(",SchedulingDisabled");
    }
    status
}

/// Returns the text of the ROLES column of a node (KC-024).
pub(crate) fn node_roles(node: &podscope_api::Node) -> String {
    let mut roles: ordered::Set<&str> = node
        .metadata
        .labels
        .keys()
        .filter_map(|key| key.strip_prefix("node-role.kubernetes.io/"))
        .filter(|role| !role.is_empty())
        .collect();
    roles.extend(
        node.metadata
            .label("kubernetes.io/role")
            .filter(|role| !role.is_empty()),
    );
    text_or_none(&roles.into_iter().collect::<Vec<_>>().join(","))
}

/// Returns the text of the STATUS column of a job (KC-032).
pub(crate) fn job_status(job: &podscope_api::Job) -> &'static str {
    let has = |kind: &str| {
        job.status
            .conditions
            .iter()
            .any(|condition| &*condition.kind == kind && condition.status == ConditionStatus::True)
    };
    if has("Complete") {
        "Complete"
    } else if has("Failed") {
        "Failed"
    } else if job.metadata.is_terminating() {
        "Terminating"
    } else if has(condition::SUSPENDED) {
        "Suspended"
    } else if has(condition::FAILURE_TARGET) {
        "FailureTarget"
    } else if has(condition::SUCCESS_CRITERIA_MET) {
        "SuccessCriteriaMet"
    } else {
        "Running"
    }
}

/// Returns the storage class in the deprecated annotation, or else in the field of the spec.
fn storage_class_annotation_or_field(meta: &ObjectMeta, field: &str) -> String {
    meta.annotation(annotation::BETA_STORAGE_CLASS)
        .unwrap_or(field)
        .to_owned()
}

/// Returns the storage class of a volume. The deprecated annotation has precedence over the field (KC-039).
pub(crate) fn volume_storage_class(volume: &PersistentVolume) -> String {
    storage_class_annotation_or_field(&volume.metadata, &volume.spec.storage_class_name)
}

/// Returns the storage class of a claim or of a claim template.
pub(crate) fn claim_storage_class(meta: &ObjectMeta, spec: &PersistentVolumeClaimSpec) -> String {
    storage_class_annotation_or_field(meta, spec.storage_class_name.as_deref().unwrap_or(""))
}

/// Returns whether a StorageClass is the default for claims without a class (KC-041).
pub(crate) fn is_default_storage_class(meta: &ObjectMeta) -> bool {
    [
        annotation::DEFAULT_STORAGE_CLASS,
        "storageclass.beta.kubernetes.io/is-default-class",
    ]
    .iter()
    .any(|key| meta.annotation(key) == Some("true"))
}

/// Returns the times of the first and the last occurrence of an event, and the number of occurrences (KC-046).
pub fn event_times_and_count(event: &podscope_api::Event) -> (Option<Time>, Option<Time>, i32) {
    let first = event.first_timestamp.or(event.event_time.map(|time| Time(time.0)));
    if let Some(series) = &event.series {
        return (
            first,
            series.last_observed_time.map(|time| Time(time.0)),
            series.count.max(1),
        );
    }
    let last = event.last_timestamp.or(first);
    (first, last, event.count.filter(|count| *count > 0).unwrap_or(1))
}
