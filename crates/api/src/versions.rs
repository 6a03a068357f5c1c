//! Conversion between the stored API version of objects and other versions (VA-330).

use serde_json::{Map, Value, json};

use crate::Kind;

/// Converts an object to its stored version; returns its kind and the converted value. None if the object already has
/// the stored version, or its kind is not converted.
#[must_use]
pub fn stored_form(api_version: &str, kind: &str, value: impl FnOnce() -> Value) -> Option<(Kind, Value)> {
    let stored_kind = match (api_version, kind) {
        ("autoscaling/v1", "HorizontalPodAutoscaler") => Kind::HorizontalPodAutoscaler,
        ("events.k8s.io/v1", "Event") => Kind::Event,
        _ => return None,
    };
    let mut value = value();
    let fields = value.as_object_mut()?;
    match stored_kind {
        Kind::Event => convert_events_k8s_io_event(fields),
        _ => convert_autoscaler_from_v1(fields),
    }
    fields.insert("apiVersion".to_owned(), stored_kind.api_version().into());
    Some((stored_kind, value))
}

/// Converts an object of `resource.k8s.io/v1beta1` or `v1beta2` to v1. The API server of v1.36 does not serve these
/// versions by default (DRA-001); dumps of older clusters contain them. Returns None for other objects.
pub(crate) fn current_device_form(
    api_version: &str,
    kind: &str,
    value: impl FnOnce() -> Value,
) -> Option<(Kind, Value)> {
    let version = api_version.strip_prefix("resource.k8s.io/")?;
    if !matches!(version, "v1beta1" | "v1beta2") {
        return None;
    }
    let stored_kind = Kind::from_wire("resource.k8s.io/v1", kind)?;
    let mut value = value();
    value
        .as_object_mut()?
        .insert("apiVersion".to_owned(), stored_kind.api_version().into());
    // In v1beta2, the objects have the same fields as in v1.
    if version == "v1beta1" {
        match stored_kind {
            Kind::ResourceClaim => convert_v1beta1_requests(value.pointer_mut("/spec/devices/requests")),
            Kind::ResourceClaimTemplate => convert_v1beta1_requests(value.pointer_mut("/spec/spec/devices/requests")),
            Kind::ResourceSlice => convert_v1beta1_devices(value.pointer_mut("/spec/devices")),
            _ => {}
        }
    }
    Some((stored_kind, value))
}

/// Fields that v1beta1 has directly in a device request, and later versions in the request's field `exactly`.
const EXACT_REQUEST_FIELDS: [&str; 7] = [
    "deviceClassName",
    "selectors",
    "allocationMode",
    "count",
    "adminAccess",
    "tolerations",
    "capacity",
];

fn convert_v1beta1_requests(requests: Option<&mut Value>) {
    let requests = requests.and_then(Value::as_array_mut).into_iter().flatten();
    for request in requests.filter_map(Value::as_object_mut) {
        let exact = EXACT_REQUEST_FIELDS
            .iter()
            .filter_map(|name| request.shift_remove_entry(*name));
        let exact: Map<String, Value> = exact.collect();
        if !exact.is_empty() {
            request.insert("exactly".to_owned(), Value::Object(exact));
        }
    }
}

/// Converts devices of v1beta1: the fields in `basic` become fields of the device.
fn convert_v1beta1_devices(devices: Option<&mut Value>) {
    let devices = devices.and_then(Value::as_array_mut).into_iter().flatten();
    for device in devices.filter_map(Value::as_object_mut) {
        if let Some(Value::Object(basic)) = device.shift_remove("basic") {
            device.extend(basic);
        }
    }
}

/// Converts the CPU target of `autoscaling/v1` to the list of metrics of v2.
fn convert_autoscaler_from_v1(fields: &mut Map<String, Value>) {
    let spec = fields.get_mut("spec").and_then(Value::as_object_mut);
    if let Some(spec) = spec
        && let Some(percent) = spec.shift_remove("targetCPUUtilizationPercentage")
        && !percent.is_null()
    {
        let target = json!({"type": "Utilization", "averageUtilization": percent});
        let metric = json!({"type": "Resource", "resource": {"name": "cpu", "target": target}});
        spec.insert("metrics".to_owned(), json!([metric]));
    }
}

/// Fields of an event with different names in two API versions: the name in `events.k8s.io`, and in the stored version.
const RENAMED_EVENT_FIELDS: [(&str, &str); 7] = [
    ("regarding", "involvedObject"),
    ("note", "message"),
    ("reportingController", "reportingComponent"),
    ("deprecatedSource", "source"),
    ("deprecatedFirstTimestamp", "firstTimestamp"),
    ("deprecatedLastTimestamp", "lastTimestamp"),
    ("deprecatedCount", "count"),
];

fn convert_events_k8s_io_event(fields: &mut Map<String, Value>) {
    for (new, old) in RENAMED_EVENT_FIELDS {
        if let Some(value) = fields.shift_remove(new) {
            fields.insert(old.to_owned(), value);
        }
    }
}

/// Converts a stored object to the served version `api_version`. An object that [`stored_form`] does not convert stays
/// unchanged.
#[must_use]
pub fn served_form(api_version: &str, kind: &str, mut value: Value) -> Value {
    let Some(fields) = value.as_object_mut() else {
        return value;
    };
    match (api_version, kind) {
        ("events.k8s.io/v1", "Event") => {
            for (new, old) in RENAMED_EVENT_FIELDS {
                if let Some(value) = fields.shift_remove(old) {
                    fields.insert(new.to_owned(), value);
                }
            }
        }
        ("autoscaling/v1", "HorizontalPodAutoscaler") => convert_autoscaler_to_v1(fields),
        _ => return value,
    }
    fields.insert("apiVersion".to_owned(), api_version.into());
    value
}

/// Converts the metrics of v2 to those of `autoscaling/v1`: the CPU target gets its own field, other metrics are stored
/// in an annotation.
fn convert_autoscaler_to_v1(fields: &mut Map<String, Value>) {
    let spec = fields.get_mut("spec").and_then(Value::as_object_mut);
    let metrics = spec.and_then(|spec| spec.shift_remove("metrics"));
    let metrics = metrics.as_ref().and_then(Value::as_array).cloned().unwrap_or_default();
    let percent = |metric: &Value| {
        let is_cpu = metric.pointer("/resource/name").and_then(Value::as_str) == Some("cpu");
        metric
            .pointer("/resource/target/averageUtilization")
            .filter(|_| is_cpu)
            .cloned()
    };
    let found = metrics.iter().find_map(percent);
    let others: Vec<Value> = metrics
        .iter()
        .filter(|metric| percent(metric).is_none())
        .cloned()
        .collect();
    if let (Some(percent), Some(spec)) = (found, fields.get_mut("spec").and_then(Value::as_object_mut)) {
        spec.insert("targetCPUUtilizationPercentage".to_owned(), percent);
    }
    if !others.is_empty()
        && let Some(metadata) = fields.get_mut("metadata").and_then(Value::as_object_mut)
        && let Some(annotations) = metadata
            .entry("annotations")
            .or_insert_with(|| json!({}))
            .as_object_mut()
    {
        let text = Value::Array(others).to_string();
        annotations.insert("autoscaling.alpha.kubernetes.io/metrics".to_owned(), text.into());
    }
}
