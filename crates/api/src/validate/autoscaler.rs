//! Validation of HorizontalPodAutoscalers: target, metrics and scaling rules (VA-306, VA-307).

use serde_json::Value;

use crate::untyped::{given, items, text};
use crate::{HorizontalPodAutoscaler, Quantity};

use super::error_list::NOT_POSITIVE;
use super::{ErrorList, Path, names, resources};

/// Maximum `stabilizationWindowSeconds`.
const MAX_WINDOW_SECONDS: i64 = 3600;
/// Maximum `periodSeconds` of a scaling policy.
const MAX_PERIOD_SECONDS: i64 = 1800;
/// Message for a metric target with both a value and a utilization.
const VALUE_AND_UTILIZATION: &str = "may not set both a target raw value and a target utilization";
/// Message for a metric target with neither a value nor a utilization.
const NO_VALUE_OR_UTILIZATION: &str = "must set either a target raw value or a target utilization";

fn number_in_field(value: &Value, field: &str) -> Option<i64> {
    value.get(field).and_then(Value::as_i64)
}

/// Reads a quantity from JSON: a string or a number.
fn quantity_in_field(value: &Value, field: &str) -> Option<Quantity> {
    match value.get(field)? {
        Value::String(text) => text.parse().ok(),
        Value::Number(number) => number.to_string().parse().ok(),
        _ => None,
    }
}

pub(super) fn validate(
    object: &HorizontalPodAutoscaler,
    old: Option<&HorizontalPodAutoscaler>,
    errors: &mut ErrorList,
) {
    let path = Path::root("spec");
    let spec = &object.spec;
    if let Some(least) = spec.min_replicas.filter(|least| *least < 1) {
        errors.invalid(&path.child("minReplicas"), least, "must be greater than or equal to 1");
    }
    let most = path.child("maxReplicas");
    if spec.max_replicas < 1 {
        errors.required(&most, "must be set and greater than 0");
    }
    if spec.min_replicas.is_some_and(|least| spec.max_replicas < least) {
        let message = "must be greater than or equal to `minReplicas`";
        errors.invalid(&most, spec.max_replicas, message);
    }
    let target = &spec.scale_target_ref;
    let field = path.child("scaleTargetRef");
    check_target_kind_and_name(&target.kind, &target.name, &field, errors);
    // If an update does not change the reference to the scaled workload, the reference may lack its API group.
    let is_unchanged = old.is_some_and(|old| {
        let old = &old.spec.scale_target_ref;
        (&old.kind, &old.api_version) == (&target.kind, &target.api_version)
    });
    if !is_unchanged {
        let may_be_core = &*target.kind == "ReplicationController";
        check_target_api_version(&target.api_version, may_be_core, &field, errors);
    }
    check_metrics(object, old.is_some(), &path.child("metrics"), errors);
    if let Some(behavior) = &spec.behavior {
        let path = path.child("behavior");
        for direction in ["scaleUp", "scaleDown"] {
            if let Some(rules) = given(behavior, direction) {
                check_scaling_rules(rules, &path.child(direction), errors);
            }
        }
    }
    if let Err(why) = crate::parse_load_annotation(&object.metadata.annotations) {
        let key = crate::load_annotation_key();
        let given = object.metadata.annotation(&key).unwrap_or_default();
        let metadata = Path::root("metadata");
        let annotations = metadata.child("annotations");
        errors.invalid_text(&annotations.key(&key), given, &why);
    }
}

fn check_target_kind_and_name(kind: &str, name: &str, path: &Path<'_>, errors: &mut ErrorList) {
    for (field, text) in [("kind", kind), ("name", name)] {
        errors.check_name(&path.child(field), text, names::path_segment_faults);
    }
}

fn check_target_api_version(version: &str, may_be_core: bool, path: &Path<'_>, errors: &mut ErrorList) {
    let problem = match version.matches('/').count() {
        _ if matches!(version, "" | "/") && !may_be_core => "apiVersion must specify API group".to_owned(),
        0 if !may_be_core => "apiVersion must specify API group".to_owned(),
        0 | 1 => return,
        _ => format!("unexpected GroupVersion string: {version}"),
    };
    errors.invalid_text(&path.child("apiVersion"), version, &problem);
}

fn check_metrics(object: &HorizontalPodAutoscaler, is_update: bool, path: &Path<'_>, errors: &mut ErrorList) {
    let mut has_external = false;
    for (index, item) in object.spec.metrics.iter().enumerate() {
        check_metric(item, is_update, &path.index(index), errors);
        has_external |= matches!(text(item, "type"), "Object" | "External");
    }
    if object.spec.min_replicas == Some(0) && !has_external {
        errors.forbidden(
            path,
            "must specify at least one Object or External metric to support scaling to zero replicas",
        );
    }
}

/// Checks one metric: the source for its type must be set, and no other source. If several sources are set, only the
/// first is examined.
fn check_metric(metric: &Value, is_update: bool, path: &Path<'_>, errors: &mut ErrorList) {
    const METRIC_TYPES: [&str; 5] = ["ContainerResource", "External", "Object", "Pods", "Resource"];
    const METRIC_SOURCE_FIELDS: [&str; 5] = ["object", "external", "pods", "resource", "containerResource"];
    let kind = text(metric, "type");
    if kind.is_empty() {
        errors.required(&path.child("type"), "must specify a metric source type");
    }
    let is_known = METRIC_TYPES.contains(&kind);
    if !is_known {
        errors.unsupported_text(&path.child("type"), kind, &METRIC_TYPES);
    }
    let present: Vec<(&str, &Value)> = METRIC_SOURCE_FIELDS
        .into_iter()
        .filter_map(|field| Some((field, given(metric, field)?)))
        .collect();
    if let Some((field, source)) = present.first() {
        let path = path.child(field);
        match *field {
            "object" => check_object_source(source, is_update, &path, errors),
            "external" => check_external_source(source, &path, errors),
            "pods" => check_pods_source(source, &path, errors),
            described_path => check_resource_source(source, described_path == "containerResource", &path, errors),
        }
    }
    let expected = if is_known {
        crate::metric_source_field(kind)
    } else {
        String::new()
    };
    if is_known && !present.iter().any(|(field, _)| *field == expected) {
        let message = "must populate information for the given metric source";
        errors.required(&path.child(&expected), message);
    }
    if present.len() != 1 {
        for (field, _) in present.iter().filter(|(field, _)| *field != expected) {
            errors.forbidden(&path.child(field), "must populate the given metric source only");
        }
    }
}

fn check_object_source(source: &Value, is_update: bool, path: &Path<'_>, errors: &mut ErrorList) {
    let described_path = path.child("describedObject");
    let described = source.get("describedObject").unwrap_or(&Value::Null);
    check_target_kind_and_name(
        text(described, "kind"),
        text(described, "name"),
        &described_path,
        errors,
    );
    if !is_update {
        check_target_api_version(text(described, "apiVersion"), true, &described_path, errors);
    }
    let target = check_metric_name_and_target(source, path, errors);
    if given(target, "value").is_none() && given(target, "averageValue").is_none() {
        let message = "must set either a target value or averageValue";
        errors.required(&path.child("target").child("averageValue"), message);
    }
}

fn check_external_source(source: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    let target = check_metric_name_and_target(source, path, errors);
    let (value, average) = (given(target, "value"), given(target, "averageValue"));
    let path = path.child("target");
    if value.is_none() && average.is_none() {
        let message = "must set either a target value for metric or a per-pod target";
        errors.required(&path.child("averageValue"), message);
    }
    if value.is_some() && average.is_some() {
        let message = "may not set both a target value for metric and a per-pod target";
        errors.forbidden(&path.child("value"), message);
    }
}

fn check_pods_source(source: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    let target = check_metric_name_and_target(source, path, errors);
    if given(target, "averageValue").is_none() {
        let message = "must specify a positive target averageValue";
        errors.required(&path.child("target").child("averageValue"), message);
    }
}

fn check_resource_source(source: &Value, is_of_container: bool, path: &Path<'_>, errors: &mut ErrorList) {
    let name = text(source, "name");
    if name.is_empty() {
        errors.required(&path.child("name"), "must specify a resource name");
    } else if is_of_container {
        resources::check_container_resource_name(name, &path.child("name"), errors);
    }
    if is_of_container {
        match text(source, "container") {
            "" => errors.required(&path.child("container"), "must specify a container"),
            name => errors.invalid_name(&path.child("container"), name, &names::label_faults(name)),
        }
    }
    let target = source.get("target").unwrap_or(&Value::Null);
    let path = path.child("target");
    check_metric_target(target, &path, errors);
    let (share, value) = (given(target, "averageUtilization"), given(target, "averageValue"));
    if share.is_none() && value.is_none() {
        errors.required(&path.child("averageUtilization"), NO_VALUE_OR_UTILIZATION);
    }
    if share.is_some() && value.is_some() {
        errors.forbidden(&path.child("averageValue"), VALUE_AND_UTILIZATION);
    }
}

/// Checks the metric's name and its target; returns the target.
fn check_metric_name_and_target<'v>(source: &'v Value, path: &Path<'_>, errors: &mut ErrorList) -> &'v Value {
    let metric = path.child("metric");
    match text(source.get("metric").unwrap_or(&Value::Null), "name") {
        "" => errors.required(&metric.child("name"), "must specify a metric name"),
        name => errors.invalid_name(&metric.child("name"), name, &names::path_segment_faults(name)),
    }
    let target = source.get("target").unwrap_or(&Value::Null);
    check_metric_target(target, &path.child("target"), errors);
    target
}

fn check_metric_target(target: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    let kind = text(target, "type");
    if kind.is_empty() {
        errors.required(&path.child("type"), "must specify a metric target type");
    }
    if !matches!(kind, "Utilization" | "Value" | "AverageValue") {
        let message = "must be either Utilization, Value, or AverageValue";
        errors.invalid_text(&path.child("type"), kind, message);
    }
    for field in ["value", "averageValue"] {
        if let Some(amount) = quantity_in_field(target, field).filter(|amount| amount.sign() < 1) {
            errors.invalid_text(&path.child(field), &amount.to_string(), "must be positive");
        }
    }
    if let Some(share) = number_in_field(target, "averageUtilization").filter(|share| *share < 1) {
        errors.invalid(&path.child("averageUtilization"), share, "must be greater than 0");
    }
}

fn check_scaling_rules(rules: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    let window = path.child("stabilizationWindowSeconds");
    if let Some(seconds) = number_in_field(rules, "stabilizationWindowSeconds") {
        if seconds < 0 {
            errors.invalid(&window, seconds, "must be greater than or equal to zero");
        }
        if seconds > MAX_WINDOW_SECONDS {
            let message = format!("must be less than or equal to {MAX_WINDOW_SECONDS}");
            errors.invalid(&window, seconds, &message);
        }
    }
    if let Some(policy) = given(rules, "selectPolicy").and_then(Value::as_str)
        && !matches!(policy, "Max" | "Min" | "Disabled")
    {
        errors.unsupported_text(&path.child("selectPolicy"), policy, &["Disabled", "Max", "Min"]);
    }
    let policies = path.child("policies");
    if items(rules, "policies").next().is_none() {
        errors.required(&policies, "must specify at least one Policy");
    }
    for (index, policy) in items(rules, "policies") {
        check_scaling_policy(policy, &policies.index(index), errors);
    }
    if let Some(tolerance) = quantity_in_field(rules, "tolerance") {
        resources::check_amount("", tolerance, &path.child("tolerance"), errors);
    }
}

fn check_scaling_policy(policy: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    let kind = text(policy, "type");
    if !matches!(kind, "Pods" | "Percent") {
        errors.unsupported_text(&path.child("type"), kind, &["Percent", "Pods"]);
    }
    for field in ["value", "periodSeconds"] {
        let value = number_in_field(policy, field).unwrap_or(0);
        if value <= 0 {
            errors.invalid(&path.child(field), value, NOT_POSITIVE);
        }
        if field == "periodSeconds" && value > MAX_PERIOD_SECONDS {
            let message = format!("must be less than or equal to {MAX_PERIOD_SECONDS}");
            errors.invalid(&path.child(field), value, &message);
        }
    }
}
