//! `kubectl describe` of PodDisruptionBudgets, PriorityClasses, Namespaces, ConfigMaps and Secrets.

use std::sync::Arc;

use podscope_api::{
    ConfigMap, Namespace, Object, ObjectMeta, PodDisruptionBudget, PreemptionPolicy, PriorityClass, Secret,
};
use serde_json::Value;

use super::super::View;
use super::super::columns::{label_map_text, selector_text};
use super::super::jsonpath::value_text;
use super::super::text::TabbedText;
use super::{print_annotations, print_labels, rfc1123_time};

pub(super) fn describe_budget(budget: &Arc<PodDisruptionBudget>, text: &mut TabbedText) {
    let (meta, spec, status) = (&budget.metadata, &budget.spec, &budget.status);
    text.line(0, &format!("Name:\t{}", meta.name));
    text.line(0, &format!("Namespace:\t{}", meta.namespace));
    if let Some(min) = &spec.min_available {
        text.line(0, &format!("Min available:\t{min}"));
    } else if let Some(max) = &spec.max_unavailable {
        text.line(0, &format!("Max unavailable:\t{max}"));
    }
    let selector = match &spec.selector {
        Some(selector) => selector_text(Some(selector)),
        None => "<unset>".to_owned(),
    };
    text.line(0, &format!("Selector:\t{selector}"));
    text.line(0, "Status:");
    text.line(2, &format!("Allowed disruptions:\t{}", status.disruptions_allowed));
    text.line(2, &format!("Current:\t{}", status.current_healthy));
    text.line(2, &format!("Desired:\t{}", status.desired_healthy));
    text.line(2, &format!("Total:\t{}", status.expected_pods));
}

pub(super) fn describe_priority_class(class: &Arc<PriorityClass>, text: &mut TabbedText) {
    text.line(0, &format!("Name:\t{}", class.metadata.name));
    text.line(0, &format!("Value:\t{}", class.value));
    text.line(0, &format!("GlobalDefault:\t{}", class.global_default.unwrap_or(false)));
    let policy = class.preemption_policy.as_ref();
    let policy = policy.unwrap_or(&PreemptionPolicy::PreemptLowerPriority);
    text.line(0, &format!("PreemptionPolicy:\t{policy}"));
    text.line(0, &format!("Description:\t{}", class.description));
    text.line(
        0,
        &format!("Annotations:\t{}", label_map_text(&class.metadata.annotations)),
    );
}

/// Prints name, namespace, labels and annotations.
fn print_header(meta: &ObjectMeta, text: &mut TabbedText) {
    text.line(0, &format!("Name:\t{}", meta.name));
    text.line(0, &format!("Namespace:\t{}", meta.namespace));
    print_labels(text, "Labels", &meta.labels);
    print_annotations(text, "Annotations", &meta.annotations);
}

pub(super) fn describe_config_map(map: &Arc<ConfigMap>, text: &mut TabbedText) {
    print_header(&map.metadata, text);
    for line in ["", "Data", "===="] {
        text.line(0, line);
    }
    for (key, value) in &map.data {
        text.line(0, &format!("{key}:"));
        text.line(0, "----");
        text.line(0, value);
        text.line(0, "");
    }
    for line in ["", "BinaryData", "===="] {
        text.line(0, line);
    }
    let value = Object::ConfigMap(map.clone()).to_value();
    for (key, data) in value.get("binaryData").and_then(Value::as_object).into_iter().flatten() {
        text.line(0, &format!("{key}: {} bytes", base64_decoded_length(&value_text(data))));
    }
    text.line(0, "");
}

pub(super) fn describe_secret(secret: &Arc<Secret>, text: &mut TabbedText) {
    print_header(&secret.metadata, text);
    text.line(0, "");
    text.line(0, &format!("Type:\t{}", secret.kind));
    for line in ["", "Data", "===="] {
        text.line(0, line);
    }
    for (key, value) in &secret.data {
        text.line(0, &format!("{key}:\t{} bytes", base64_decoded_length(value)));
    }
}

/// Returns the number of bytes that a base64 text decodes to.
fn base64_decoded_length(text: &str) -> usize {
    text.trim_end_matches('=').len() * 3 / 4
}

pub(super) fn describe_namespace(namespace: &Arc<Namespace>, view: &View<'_>, text: &mut TabbedText) {
    let (meta, status) = (&namespace.metadata, &namespace.status);
    text.line(0, &format!("Name:\t{}", meta.name));
    print_labels(text, "Labels", &meta.labels);
    print_annotations(text, "Annotations", &meta.annotations);
    text.line(0, &format!("Status:\t{}", status.phase));
    if !status.conditions.is_empty() {
        text.line(0, "Conditions:");
        text.line(1, "Type\tStatus\tLastTransitionTime\tReason\tMessage");
        text.line(1, "----\t------\t------------------\t------\t-------");
    }
    for condition in &status.conditions {
        let at = rfc1123_time(condition.last_transition_time);
        text.line(
            1,
            &format!(
                "{}\t{}\t{at}\t{}\t{}",
                condition.kind, condition.status, condition.reason, condition.message
            ),
        );
    }
    text.line(0, "");
    super::settings::print_quotas(&meta.name, view, text);
    text.line(0, "");
    super::settings::print_limit_ranges(&meta.name, view, text);
}
