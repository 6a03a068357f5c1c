//! Objects in versions that are served beside the one they are stored in (VA-330).

use serde_json::{Map, Value, json};

use crate::Kind;

/// The kind that such an object is stored as, and the object as that kind; none if it is of the stored version, or of
/// no kind that is stored.
#[must_use]
pub fn stored_form(api_version: &str, kind: &str, value: impl FnOnce() -> Value) -> Option<(Kind, Value)> {
    let of = match (api_version, kind) {
        ("autoscaling/v1", "HorizontalPodAutoscaler") => Kind::HorizontalPodAutoscaler,
        ("events.k8s.io/v1", "Event") => Kind::Event,
        _ => return None,
    };
    let mut value = value();
    let fields = value.as_object_mut()?;
    match of {
        Kind::Event => event(fields),
        _ => autoscaler(fields),
    }
    fields.insert("apiVersion".to_owned(), of.api_version().into());
    Some((of, value))
}

/// One target, the processor, has become a list of metrics.
fn autoscaler(fields: &mut Map<String, Value>) {
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

/// Fields of an event in `events.k8s.io`, and as it is stored.
const EVENT_FIELDS: [(&str, &str); 7] = [
    ("regarding", "involvedObject"),
    ("note", "message"),
    ("reportingController", "reportingComponent"),
    ("deprecatedSource", "source"),
    ("deprecatedFirstTimestamp", "firstTimestamp"),
    ("deprecatedLastTimestamp", "lastTimestamp"),
    ("deprecatedCount", "count"),
];

fn event(fields: &mut Map<String, Value>) {
    for (new, old) in EVENT_FIELDS {
        if let Some(value) = fields.shift_remove(new) {
            fields.insert(old.to_owned(), value);
        }
    }
}

/// A stored object as it is served in such a version: as it is in all but those that [`stored_form`] knows.
#[must_use]
pub fn served_form(api_version: &str, kind: &str, mut value: Value) -> Value {
    let Some(fields) = value.as_object_mut() else {
        return value;
    };
    match (api_version, kind) {
        ("events.k8s.io/v1", "Event") => {
            for (new, old) in EVENT_FIELDS {
                if let Some(value) = fields.shift_remove(old) {
                    fields.insert(new.to_owned(), value);
                }
            }
        }
        ("autoscaling/v1", "HorizontalPodAutoscaler") => served_autoscaler(fields),
        _ => return value,
    }
    fields.insert("apiVersion".to_owned(), api_version.into());
    value
}

/// The processor's share is a field of its own; other metrics stand in an annotation.
fn served_autoscaler(fields: &mut Map<String, Value>) {
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
