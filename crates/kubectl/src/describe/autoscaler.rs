//! `kubectl describe` of HorizontalPodAutoscalers.

use podscope_api::{HorizontalPodAutoscaler, metric_source_field};
use serde_json::Value;

use super::super::jsonpath::value_text;
use super::super::text::TabbedText;
use super::{print_annotations, print_labels, rfc1123_time};

pub(super) fn describe_autoscaler(one: &HorizontalPodAutoscaler, text: &mut TabbedText) {
    let (meta, spec, status) = (&one.metadata, &one.spec, &one.status);
    text.line(0, &format!("Name:\t{}", meta.name));
    text.line(0, &format!("Namespace:\t{}", meta.namespace));
    print_labels(text, "Labels", &meta.labels);
    print_annotations(text, "Annotations", &meta.annotations);
    text.line(
        0,
        &format!("CreationTimestamp:\t{}", rfc1123_time(meta.creation_timestamp)),
    );
    let target = &spec.scale_target_ref;
    text.line(0, &format!("Reference:\t{}/{}", target.kind, target.name));
    text.line(0, "Metrics:\t( current / target )");
    let current = status.current_metrics.iter().flatten().map(Some);
    for (metric, current) in spec.metrics.iter().zip(current.chain(std::iter::repeat(None))) {
        text.line(1, &metric_row(metric, current.unwrap_or(&Value::Null)));
    }
    let min_replicas = spec
        .min_replicas
        .map_or_else(|| "<unset>".to_owned(), |min| min.to_string());
    text.line(0, &format!("Min replicas:\t{min_replicas}"));
    text.line(0, &format!("Max replicas:\t{}", spec.max_replicas));
    if let Some(behavior) = &spec.behavior {
        text.line(0, "Behavior:");
        print_scaling_rules("Scale Up", &behavior["scaleUp"], text);
        print_scaling_rules("Scale Down", &behavior["scaleDown"], text);
    }
    let (current, desired) = (status.current_replicas.unwrap_or(0), status.desired_replicas);
    text.line(
        0,
        &format!("{} pods:\t{current} current / {desired} desired", target.kind),
    );
    if !status.conditions.is_empty() {
        text.line(0, "Conditions:");
        text.line(1, "Type\tStatus\tReason\tMessage");
        text.line(1, "----\t------\t------\t-------");
    }
    for condition in &status.conditions {
        let columns = ["type", "status", "reason", "message"].map(|column| value_text(&condition[column]));
        text.line(1, &columns.join("\t"));
    }
}

/// Formats the line of a metric: `resource cpu on pods  (as a percentage of request):  50% (100m) / 50%`.
fn metric_row(metric: &Value, current: &Value) -> String {
    let kind = metric["type"].as_str().unwrap_or_default();
    let field = metric_source_field(kind);
    let (source, observed) = (&metric[&field], &current[&field]["current"]);
    let name = source["metric"]["name"].as_str().unwrap_or_default();
    let or_unknown = |value: &Value| match value {
        Value::Null => "<unknown>".to_owned(),
        value => value_text(value),
    };
    let amounts = |part: &str| {
        format!(
            "{} / {}",
            or_unknown(&observed[part]),
            value_text(&source["target"][part])
        )
    };
    let is_average = !source["target"]["averageValue"].is_null();
    let of_value = || match is_average {
        true => format!("(target average value):\t{}", amounts("averageValue")),
        false => format!("(target value):\t{}", amounts("value")),
    };
    match kind {
        "Resource" | "ContainerResource" => {
            let resource = source["name"].as_str().unwrap_or_default();
            let container = match source["container"].as_str() {
                Some(container) => format!(" of container {container:?}"),
                None => String::new(),
            };
            if is_average {
                return format!("resource {resource}{container} on pods:\t{}", amounts("averageValue"));
            }
            let current = match &observed["averageUtilization"] {
                Value::Null => "<unknown>".to_owned(),
                utilization => format!(
                    "{}% ({})",
                    value_text(utilization),
                    value_text(&observed["averageValue"])
                ),
            };
            let target = match &source["target"]["averageUtilization"] {
                Value::Null => "<auto>".to_owned(),
                percent => format!("{}%", value_text(percent)),
            };
            format!("resource {resource}{container} on pods  (as a percentage of request):\t{current} / {target}")
        }
        "Pods" => format!("{name:?} on pods:\t{}", amounts("averageValue")),
        "Object" => {
            let described = &source["describedObject"];
            format!(
                "\"{name}\" on {}/{}   {}",
                value_text(&described["kind"]),
                value_text(&described["name"]),
                of_value()
            )
        }
        "External" => format!("{name:?} {}", of_value()),
        _ => format!("<unknown metric type {kind:?}>"),
    }
}

/// Prints the scaling rules of one direction.
fn print_scaling_rules(title: &str, rules: &Value, text: &mut TabbedText) {
    if rules.is_null() {
        return;
    }
    text.line(1, &format!("{title}:"));
    if let Some(window) = rules["stabilizationWindowSeconds"].as_i64() {
        text.line(2, &format!("Stabilization Window: {window} seconds"));
    }
    let policies = rules["policies"].as_array().filter(|policies| !policies.is_empty());
    if let Some(policies) = policies {
        text.line(
            2,
            &format!("Select Policy: {}", rules["selectPolicy"].as_str().unwrap_or("Max")),
        );
        text.line(2, "Policies:");
        for policy in policies {
            let [kind, value, period] = ["type", "value", "periodSeconds"].map(|field| value_text(&policy[field]));
            text.line(3, &format!("- Type: {kind}\tValue: {value}\tPeriod: {period} seconds"));
        }
    }
}
