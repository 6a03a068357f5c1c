//! Serializes objects for responses: in the API version of the path, with managed fields.

use std::sync::Arc;

use podscope_api::schema::ServedKind;
use podscope_api::{Kind, NodeName, Object, UntypedObject};
use podscope_cluster::Objects;
use serde_json::{Map, Value, json};

use crate::board::Snapshot;
use crate::field_managers;

/// Serializes an object in a served version.
pub(crate) fn of(object: &Object, served: ServedKind, snapshot: &Snapshot) -> Value {
    if let Object::Untyped(untyped) = object
        && let Kind::Custom(_) = untyped.kind
    {
        return serialize_custom_object(untyped, served, snapshot);
    }
    let mut value = podscope_kubectl::printed_value(object, true);
    if let (Object::Lease(lease), true) = (object, &*object.metadata().namespace == "kube-node-lease") {
        set_lease_renew_time(&mut value, &lease.metadata.name, snapshot);
    }
    put_unset_fields(object.kind(), &mut value);
    field_managers::put_managed_fields(object, &mut value);
    value = podscope_api::served_form(served.api_version, served.kind, value);
    match served.api_version {
        // These fields are omitted when empty, but only in this group.
        "events.k8s.io/v1" => {
            for field in ["reportingInstance", "reportingController"] {
                if let Some(map) = value.as_object_mut().filter(|map| map.get(field) == Some(&json!(""))) {
                    map.shift_remove(field);
                }
            }
        }
        "autoscaling/v1" => {
            for field in ["currentReplicas", "desiredReplicas"] {
                if value["status"][field].is_null() {
                    value["status"][field] = 0.into();
                }
            }
            if let Some(status) = value["status"].as_object_mut() {
                status.retain(|field, value| field != "currentMetrics" || !value.is_null());
            }
        }
        _ => {}
    }
    value
}

/// Returns the time fields of a condition that Go encodes as null if they are not set.
fn nullable_condition_times(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::Deployment | Kind::CertificateSigningRequest => &["lastUpdateTime", "lastTransitionTime"],
        Kind::Job | Kind::PersistentVolumeClaim => &["lastProbeTime", "lastTransitionTime"],
        Kind::Node => &["lastHeartbeatTime", "lastTransitionTime"],
        Kind::ReplicaSet
        | Kind::ReplicationController
        | Kind::StatefulSet
        | Kind::DaemonSet
        | Kind::HorizontalPodAutoscaler
        | Kind::Namespace
        | Kind::Pod => &["lastTransitionTime"],
        _ => &[],
    }
}

/// Sets missing fields of a JSON object to null.
fn put_unset_as_null(fields: &[&str], value: &mut Value) {
    for field in fields {
        if value.get(field).is_none() {
            value[*field] = Value::Null;
        }
    }
}

/// Adds unset structs, times and lists that Go encodes although they are empty.
fn put_unset_fields(kind: Kind, value: &mut Value) {
    let empty = || json!({});
    let times = nullable_condition_times(kind);
    let conditions = value.pointer_mut("/status/conditions").filter(|_| !times.is_empty());
    for condition in conditions.and_then(Value::as_array_mut).into_iter().flatten() {
        put_unset_as_null(times, condition);
    }
    match kind {
        Kind::EndpointSlice => {
            put_unset_as_null(&["endpoints", "ports"], value);
        }
        Kind::CsiNode => put_unset_as_null(&["drivers"], &mut value["spec"]),
        Kind::Ingress if value["status"]["loadBalancer"].is_null() => value["status"]["loadBalancer"] = empty(),
        Kind::ValidatingAdmissionPolicy if value["status"].is_null() => value["status"] = empty(),
        Kind::ResourceClaimTemplate if value["spec"]["metadata"].is_null() => value["spec"]["metadata"] = empty(),
        Kind::PodTemplate => {
            for field in ["containers", "initContainers"] {
                let containers = value.pointer_mut(&format!("/template/spec/{field}"));
                for container in containers.and_then(Value::as_array_mut).into_iter().flatten() {
                    if container["resources"].is_null() {
                        container["resources"] = empty();
                    }
                }
            }
        }
        _ => {}
    }
}

/// Serializes a custom object in the requested version.
fn serialize_custom_object(untyped: &Arc<UntypedObject>, served: ServedKind, snapshot: &Snapshot) -> Value {
    let mut untyped = untyped.clone();
    if untyped.kind.api_version() != served.api_version {
        let (_, version) = served.api_version.split_once('/').unwrap_or_default();
        snapshot.objects.with_named_version(untyped.kind, version, |version| {
            let untyped = Arc::make_mut(&mut untyped);
            untyped.kind = version.kind();
            version.prune_and_default(untyped);
        });
    }
    podscope_kubectl::printed_value(&Object::Untyped(untyped), true)
}

/// Returns the deprecation warning of the version of a custom kind, if any.
pub(crate) fn deprecation_warning(kind: Kind, objects: &Objects) -> Option<String> {
    objects
        .with_version(kind, |version| version.deprecation_warning())
        .flatten()
}

/// Sets the renew time of a node's Lease. A reachable node renews its Lease every ten seconds, but the simulation does
/// not store these writes.
fn set_lease_renew_time(value: &mut Value, node: &str, snapshot: &Snapshot) {
    let start = snapshot.now.0 - snapshot.at.0;
    if let Some(at) = snapshot.heartbeats.last_renewal(&NodeName(node.into()), snapshot.at) {
        value["spec"]["renewTime"] = podscope_api::print_rfc3339(start + at.0, 6).into();
    }
}

/// Returns the `PartialObjectMetadata` of an object (HT-045).
pub(crate) fn partial_object_metadata(value: &Value) -> Value {
    json!({
        "kind": "PartialObjectMetadata",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": value.get("metadata").cloned().unwrap_or_default(),
    })
}

/// Removes `apiVersion` and `kind`, which items of typed lists do not have (HT-006).
pub(crate) fn as_list_item(mut value: Value) -> Value {
    if let Some(map) = value.as_object_mut() {
        map.shift_remove("kind");
        map.shift_remove("apiVersion");
    }
    value
}

/// Creates a list object.
pub(crate) fn list(kind: &str, api_version: &str, metadata: Map<String, Value>, items: Vec<Value>) -> Value {
    json!({"kind": kind, "apiVersion": api_version, "metadata": metadata, "items": items})
}

/// Returns Go's name for the type of an object, as in error messages: `*core.ConfigMap`.
pub(crate) fn go_type(kind: Kind, is_list: bool) -> String {
    let package = match kind.group() {
        "" => "core",
        group => group.split('.').next().unwrap_or_default(),
    };
    let list = if is_list { "List" } else { "" };
    format!("*{package}.{}{list}", kind.name())
}
