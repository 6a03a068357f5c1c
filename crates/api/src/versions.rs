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

fn event(fields: &mut Map<String, Value>) {
    for (new, old) in [
        ("regarding", "involvedObject"),
        ("note", "message"),
        ("reportingController", "reportingComponent"),
        ("deprecatedSource", "source"),
        ("deprecatedFirstTimestamp", "firstTimestamp"),
        ("deprecatedLastTimestamp", "lastTimestamp"),
        ("deprecatedCount", "count"),
    ] {
        if let Some(value) = fields.shift_remove(new) {
            fields.insert(old.to_owned(), value);
        }
    }
}
