//! The last-applied-configuration annotation, which `apply` and `--save-config` write (KC-123).

use std::sync::Arc;

use podscope_api::Object;
use podscope_api::well_known::annotation;
use serde_json::{Map, Value, json};

use super::super::gotext::escape_html_in_json;

/// Fields of generated objects in the order of Go's structs. One common order fits all structs except
/// [`ROLE_REF_FIELD_ORDER`].
const FIELD_ORDER: &[&str] = &[
    "kind",
    "apiGroup",
    "name",
    "apiVersion",
    "metadata",
    "generateName",
    "namespace",
    "labels",
    "annotations",
    "ownerReferences",
    "image",
    "command",
    "args",
    "rules",
    "subjects",
    "roleRef",
    "verbs",
    "apiGroups",
    "aggregationRule",
    "value",
    "globalDefault",
    "description",
    "preemptionPolicy",
    "immutable",
    "data",
    "binaryData",
    "schedule",
    "jobTemplate",
    "minAvailable",
    "scaleTargetRef",
    "minReplicas",
    "maxReplicas",
    "targetCPUUtilizationPercentage",
    "metrics",
    "hard",
    "scopes",
    "ingressClassName",
    "defaultBackend",
    "tls",
    "hosts",
    "secretName",
    "host",
    "http",
    "path",
    "pathType",
    "backend",
    "service",
    "number",
    "protocol",
    "port",
    "targetPort",
    "containerPort",
    "nodePort",
    "ports",
    "env",
    "limits",
    "requests",
    "resources",
    "resourceNames",
    "nonResourceURLs",
    "replicas",
    "selector",
    "maxUnavailable",
    "template",
    "strategy",
    "clusterIP",
    "type",
    "resource",
    "target",
    "averageUtilization",
    "externalIPs",
    "sessionAffinity",
    "externalName",
    "containers",
    "restartPolicy",
    "dnsPolicy",
    "stdin",
    "stdinOnce",
    "tty",
    "spec",
    "status",
];

/// Fields of `roleRef`, the only struct in which `apiGroup` precedes `kind`.
const ROLE_REF_FIELD_ORDER: &[&str] = &["apiGroup", "kind", "name"];

/// Returns the last-applied-configuration annotation of an object from a manifest: one line of JSON with sorted keys.
/// `metadata.annotations` is present even if empty.
pub(super) fn last_applied_of_manifest(document: &Value) -> String {
    let mut document = document.clone();
    if let Some(metadata) = document.get_mut("metadata").and_then(Value::as_object_mut) {
        let annotations = metadata.entry("annotations").or_insert_with(|| json!({}));
        if let Some(map) = annotations.as_object_mut() {
            map.shift_remove(annotation::LAST_APPLIED);
        }
        if metadata.get("annotations").is_some_and(Value::is_null) {
            metadata.insert("annotations".to_owned(), json!({}));
        }
    }
    document.sort_all_objects();
    json_line(&document)
}

/// Returns the last-applied-configuration annotation of an object that kubectl generates from flags: one line of JSON
/// in the field order of Go's structs.
pub(super) fn last_applied_of_generated(value: &Value) -> String {
    json_line(&with_field_order(value, FIELD_ORDER))
}

/// Formats JSON as Go's encoder does, with a final line break.
fn json_line(value: &Value) -> String {
    format!("{}\n", escape_html_in_json(&value.to_string()))
}

/// Returns the value with the fields of each object in the given order.
fn with_field_order(value: &Value, order: &[&str]) -> Value {
    match value {
        Value::Array(items) => items.iter().map(|item| with_field_order(item, FIELD_ORDER)).collect(),
        Value::Object(fields) => {
            let rank = |name: &str| order.iter().position(|known| *known == name).unwrap_or(order.len());
            let mut sorted: Vec<(usize, &String, &Value)> =
                fields.iter().map(|(name, value)| (rank(name), name, value)).collect();
            // Fields that are not in `order` come last, sorted by name.
            sorted.sort_unstable_by_key(|(rank, name, _)| (*rank, *name));
            let inner = |name: &str| {
                if name == "roleRef" {
                    ROLE_REF_FIELD_ORDER
                } else {
                    FIELD_ORDER
                }
            };
            let ordered_field = |(_, name, value): (usize, &String, &Value)| match name.as_str() {
                "labels" | "annotations" | "matchLabels" | "data" | "hard" | "limits" | "requests" => {
                    let mut map = value.clone();
                    map.sort_all_objects();
                    (name.clone(), map)
                }
                _ => (name.clone(), with_field_order(value, inner(name))),
            };
            Value::Object(sorted.into_iter().map(ordered_field).collect::<Map<_, _>>())
        }
        other => other.clone(),
    }
}

/// Sets the last-applied-configuration annotation in a JSON object to `text`.
pub(super) fn set_last_applied_annotation(value: &mut Value, text: &str) {
    let Some(fields) = value.as_object_mut() else { return };
    let metadata = fields.entry("metadata").or_insert_with(|| json!({}));
    let Some(metadata) = metadata.as_object_mut() else {
        return;
    };
    let annotations = metadata.entry("annotations").or_insert_with(|| json!({}));
    if !annotations.is_object() {
        *annotations = json!({});
    }
    annotations[annotation::LAST_APPLIED] = text.into();
}

/// Sets the last-applied-configuration annotation in a typed object to `text`.
pub(super) fn set_last_applied_of_object(object: &mut Object, text: &str) {
    let annotations = Arc::make_mut(&mut object.metadata_mut().annotations);
    annotations.insert(annotation::LAST_APPLIED.into(), text.into());
}
