//! Reduces objects to what users set: removes the status and the fields that the server and the components set.

use podscope_api::Kind;
use serde_json::{Map, Value, json};

use super::{SECOND_MICROS, text, time_micros};

/// Metadata fields that the server sets.
const SERVER_METADATA: [&str; 8] = [
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "selfLink",
    "managedFields",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
];

/// Prefixes of annotations that components and kubectl set.
const COMPONENT_ANNOTATION_PREFIXES: [&str; 10] = [
    "batch.kubernetes.io/job-tracking",
    "control-plane.alpha.kubernetes.io/",
    "csi.volume.kubernetes.io/",
    "deployment.kubernetes.io/",
    "kubeadm.alpha.kubernetes.io/",
    "kubectl.kubernetes.io/last-applied-configuration",
    "node.alpha.kubernetes.io/",
    "pv.kubernetes.io/",
    "volume.",
    "volumes.kubernetes.io/",
];

/// Finalizers that components set and remove.
const COMPONENT_FINALIZERS: [&str; 5] = [
    "batch.kubernetes.io/job-tracking",
    "foregroundDeletion",
    "kubernetes.io/pv-protection",
    "kubernetes.io/pvc-protection",
    "orphan",
];

/// Key prefixes of taints that the node controller and the kubelet set.
const COMPONENT_TAINT_PREFIXES: [&str; 2] = ["node.kubernetes.io/", "node.cloudprovider.kubernetes.io/"];

/// Returns the fields of the spec that components set.
fn spec_fields_set_by_components(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::Pod => &["nodeName"],
        Kind::Node => &["podCIDR", "podCIDRs", "providerID"],
        Kind::Namespace => &["finalizers"],
        Kind::PersistentVolume => &["claimRef"],
        Kind::PersistentVolumeClaim => &["volumeName"],
        _ => &[],
    }
}

/// Returns the instant of the request to delete an object, in microseconds: `deletionTimestamp` minus the grace period.
pub(super) fn deletion_request_micros(object: &Value) -> Option<i64> {
    let gone = time_micros(object, "/metadata/deletionTimestamp")?;
    Some(
        gone.saturating_sub(
            deletion_grace_seconds(object)
                .unwrap_or(0)
                .saturating_mul(SECOND_MICROS),
        ),
    )
}

/// Returns `deletionGracePeriodSeconds`.
pub(super) fn deletion_grace_seconds(object: &Value) -> Option<i64> {
    object
        .pointer("/metadata/deletionGracePeriodSeconds")?
        .as_i64()
        .filter(|grace| *grace >= 0)
}

/// Returns the object without the fields that the server and components set. If the results for two versions are equal,
/// no user changed the object.
pub(super) fn user_set_fields(kind: Kind, object: &Value) -> Value {
    let mut wanted = object.clone();
    let Some(fields) = wanted.as_object_mut() else {
        return wanted;
    };
    fields.shift_remove("status");
    if let Some(metadata) = fields.get_mut("metadata").and_then(Value::as_object_mut) {
        for field in SERVER_METADATA {
            metadata.shift_remove(field);
        }
        retain_keys(metadata, "annotations", |key| {
            !COMPONENT_ANNOTATION_PREFIXES.iter().any(|begin| key.starts_with(begin))
        });
        retain_items(metadata, "finalizers", |item| {
            !item.as_str().is_some_and(|name| COMPONENT_FINALIZERS.contains(&name))
        });
    }
    if let Some(spec) = fields.get_mut("spec").and_then(Value::as_object_mut) {
        for field in spec_fields_set_by_components(kind) {
            spec.shift_remove(*field);
        }
        if kind == Kind::Node {
            retain_items(spec, "taints", |taint| {
                !COMPONENT_TAINT_PREFIXES
                    .iter()
                    .any(|begin| text(taint, "/key").starts_with(begin))
            });
        }
    }
    wanted
}

fn retain_keys(parent: &mut Map<String, Value>, field: &str, keep: impl Fn(&str) -> bool) {
    if let Some(Value::Object(inner)) = parent.get_mut(field) {
        inner.retain(|key, _| keep(key));
        if inner.is_empty() {
            parent.shift_remove(field);
        }
    }
}

fn retain_items(parent: &mut Map<String, Value>, field: &str, keep: impl Fn(&Value) -> bool) {
    if let Some(Value::Array(items)) = parent.get_mut(field) {
        items.retain(keep);
        if items.is_empty() {
            parent.shift_remove(field);
        }
    }
}

/// Returns the object as a user would create it, without fields that the server allocates or generates.
pub(super) fn as_user_would_create(kind: Kind, object: &Value) -> Value {
    let mut created = user_set_fields(kind, object);
    if let Some(metadata) = created.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.shift_remove("ownerReferences");
    }
    let Some(spec) = created.get_mut("spec").and_then(Value::as_object_mut) else {
        return created;
    };
    match kind {
        Kind::Service if spec.get("clusterIP").and_then(Value::as_str) != Some("None") => {
            spec.shift_remove("clusterIP");
            spec.shift_remove("clusterIPs");
        }
        Kind::Job if spec.get("manualSelector") != Some(&Value::Bool(true)) => {
            spec.shift_remove("selector");
            let labels = spec
                .get_mut("template")
                .and_then(|template| template.pointer_mut("/metadata"));
            if let Some(metadata) = labels.and_then(Value::as_object_mut) {
                let generated = ["controller-uid", "job-name"];
                let is_generated = |key: &str| generated.iter().any(|name| key.ends_with(name));
                retain_keys(metadata, "labels", |key| !is_generated(key));
            }
        }
        _ => {}
    }
    created
}

/// Returns the JSON merge patch that turns one object into another; null if they are equal.
pub(super) fn merge_patch(before: &Value, after: &Value) -> Value {
    let (Value::Object(old), Value::Object(new)) = (before, after) else {
        return if before == after { Value::Null } else { after.clone() };
    };
    let mut patch = Map::new();
    for key in old.keys().filter(|key| !new.contains_key(*key)) {
        patch.insert(key.clone(), Value::Null);
    }
    for (key, value) in new {
        match old.get(key) {
            None => drop(patch.insert(key.clone(), value.clone())),
            Some(known) if known == value => {}
            Some(known) => drop(patch.insert(key.clone(), merge_patch(known, value))),
        }
    }
    if patch.is_empty() {
        Value::Null
    } else {
        Value::Object(patch)
    }
}

/// Returns the value that a patch sets in `spec.FIELD`, if the patch sets nothing else.
pub(super) fn only_spec_field<'v>(patch: &'v Value, field: &str) -> Option<&'v Value> {
    let is_single = |value: &Value| value.as_object().is_some_and(|fields| fields.len() == 1);
    let spec = patch.get("spec").filter(|spec| is_single(patch) && is_single(spec))?;
    spec.get(field)
}

/// Returns a timeline entry that sends an HTTP request to the API server.
pub(super) fn api_request_entry(method: &str, path: &str, content_type: &str, body: Value) -> Value {
    let mut api = json!({"method": method, "path": path});
    if !body.is_null() {
        api["contentType"] = content_type.into();
        api["body"] = body;
    }
    json!({"api": api})
}
