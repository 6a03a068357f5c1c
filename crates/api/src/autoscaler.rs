//! HorizontalPodAutoscalers: parses the annotation `behavior.podscope.dev/load: "cpu=300m..2@60s, requests=900"`, which
//! gives the total load of the scaled pods (C-14), and sets the default scaling policies.

use serde_json::{Value, json};

use crate::behavior::parse_usage;
use crate::{BEHAVIOR_PREFIX, Labels, Str, Usage, ordered};

/// Maximum number of metrics in one load annotation.
const MAX_LOAD_METRICS: usize = 50;

/// Returns the key of the load annotation.
pub fn load_annotation_key() -> String {
    format!("{BEHAVIOR_PREFIX}load")
}

/// Parses the load annotation. Returns for each metric (`cpu`, `memory` or any other name) the total load as a function
/// of the time since the autoscaler's creation. The load is divided evenly among the pods. A metric that the annotation
/// does not name is measured at the containers.
///
/// # Errors
/// A message about the first malformed part.
pub fn parse_load_annotation(annotations: &Labels) -> Result<ordered::Map<Str, Usage>, String> {
    let mut load = ordered::Map::new();
    let key = load_annotation_key();
    let text = annotations.get(&*key).map_or("", |text| text);
    for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        let Some((metric, amount)) = part.split_once('=').filter(|(metric, _)| !metric.trim().is_empty()) else {
            return Err(format!("{part:?} is not METRIC=AMOUNT, as in cpu=300m..2@60s"));
        };
        let metric = metric.trim();
        let amount = parse_usage(amount.trim()).map_err(|why| format!("{metric}: {why}"))?;
        if load.insert(metric.into(), amount).is_some() {
            return Err(format!("{metric} stands twice"));
        }
        if load.len() > MAX_LOAD_METRICS {
            return Err(format!("more than {MAX_LOAD_METRICS} metrics"));
        }
    }
    Ok(load)
}

/// Returns the name of the field that holds the source of a metric of this type: `containerResource` for
/// `ContainerResource`.
pub fn metric_source_field(kind: &str) -> String {
    let mut field = kind.to_owned();
    if let Some(first) = field.get_mut(..1) {
        first.make_ascii_lowercase();
    }
    field
}

/// Sets the defaults of the scaling rules in `spec.behavior`.
pub(crate) fn default_behavior(behavior: &mut Value) {
    let policy = |kind: &str, value: i32| json!({"type": kind, "value": value, "periodSeconds": 15});
    let up = json!({
        "stabilizationWindowSeconds": 0, "selectPolicy": "Max", "policies": [policy("Pods", 4), policy("Percent", 100)],
    });
    let down = json!({"selectPolicy": "Max", "policies": [policy("Percent", 100)]});
    for (direction, defaults) in [("scaleUp", up), ("scaleDown", down)] {
        let Some(rules) = behavior.as_object_mut() else { return };
        let rules = rules.entry(direction).or_insert(Value::Null);
        if rules.is_null() {
            *rules = json!({});
        }
        let (Some(rules), Value::Object(defaults)) = (rules.as_object_mut(), defaults) else {
            continue;
        };
        for (field, value) in defaults {
            let given = rules.entry(field).or_insert(Value::Null);
            if given.is_null() {
                *given = value;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    /// Shows: C-14
    #[test]
    fn load_annotation_is_parsed_or_refused_with_reason() {
        let read = |text: &str| {
            let mut annotations = Labels::default();
            Arc::make_mut(&mut annotations).insert(load_annotation_key().into(), text.into());
            parse_load_annotation(&annotations)
        };
        let both = read("cpu=300m..2@60s, requests=900").expect("it is well formed");
        assert_eq!(both.keys().map(|name| &**name).collect::<Vec<_>>(), ["cpu", "requests"]);
        assert_eq!(
            both.values().next().map(|usage| usage.at(30_000_000).milli_value()),
            Some(1150)
        );
        assert!(read("").is_ok_and(|load| load.is_empty()));
        for (text, why) in [
            ("cpu", "\"cpu\" is not METRIC=AMOUNT, as in cpu=300m..2@60s"),
            ("cpu=x", "cpu: \"x\" is not an amount such as 200Mi or 500m"),
            ("cpu=1, cpu=2", "cpu stands twice"),
        ] {
            assert_eq!(read(text).expect_err("it is malformed"), why);
        }
    }
}
