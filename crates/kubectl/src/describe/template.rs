//! `kubectl describe` of the pod template of a workload, and of the placement rules of pods.

use std::sync::Arc;

use podscope_api::ordered::StableSort as _;
use podscope_api::{Object, PodSpec, PodTemplateSpec, TolerationOperator};
use serde_json::Value;

use super::super::columns::selector_text;
use super::super::text::TabbedText;
use super::container::{self, ContainerOwner};
use super::{print_annotations, print_labels, print_list, volume};

/// Prints the section `Pod Template:`. `object` is a workload, or an object that stores a revision of a workload.
pub(in super::super) fn print_template_section(object: &Object, text: &mut TabbedText) {
    let value = object.to_value();
    match object.template() {
        Some(template) => print_pod_template(template, &value["spec"]["template"], text),
        None => text.line(0, "Pod Template:"),
    }
}

/// Prints a pod template. `value` is its JSON.
pub(super) fn print_pod_template(template: &Arc<PodTemplateSpec>, value: &Value, text: &mut TabbedText) {
    text.line(0, "Pod Template:");
    let spec_field = |field: &str| &value["spec"][field];
    let PodTemplateSpec { metadata, spec, .. } = &**template;
    print_labels(text, "  Labels", &metadata.labels);
    if !metadata.annotations.is_empty() {
        print_annotations(text, "  Annotations", &metadata.annotations);
    }
    if !spec.service_account_name.is_empty() {
        text.line(1, &format!("Service Account:\t{}", spec.service_account_name));
    }
    if !spec.init_containers.is_empty() {
        container::describe(
            "Init Containers",
            &spec.init_containers,
            spec_field("initContainers"),
            &ContainerOwner::Template,
            text,
        );
    }
    container::describe(
        "Containers",
        &spec.containers,
        spec_field("containers"),
        &ContainerOwner::Template,
        text,
    );
    volume::describe(spec_field("volumes"), "  ", text);
    print_topology_spread(spec, "  ", text);
    if !spec.priority_class_name.is_empty() {
        text.line(1, &format!("Priority Class Name:\t{}", spec.priority_class_name));
    }
    print_node_selectors(spec, "  ", text);
}

/// Prints node selectors, tolerations and topology spread constraints of a pod.
pub(super) fn print_placement(spec: &PodSpec, indent: &str, text: &mut TabbedText) {
    print_node_selectors(spec, indent, text);
    print_topology_spread(spec, indent, text);
}

fn print_node_selectors(spec: &PodSpec, indent: &str, text: &mut TabbedText) {
    print_labels(text, &format!("{indent}Node-Selectors"), &spec.node_selector);
    let mut tolerations: Vec<_> = spec.tolerations.iter().collect();
    tolerations.stable_sort_by(|a, b| a.key.cmp(&b.key));
    let tolerations: Vec<String> = tolerations
        .into_iter()
        .map(|toleration| {
            let mut out = toleration.key.to_string();
            if !toleration.value.is_empty() {
                out.push_str(&format!("={}", toleration.value));
            }
            if let Some(effect) = toleration.effect.as_ref().filter(|effect| !effect.as_str().is_empty()) {
                out.push_str(&format!(":{effect}"));
            }
            if toleration.operator == Some(TolerationOperator::Exists) && toleration.value.is_empty() {
                out.push_str(if out.is_empty() { "op=Exists" } else { " op=Exists" });
            }
            if let Some(seconds) = toleration.toleration_seconds {
                out.push_str(&format!(" for {seconds}s"));
            }
            out
        })
        .collect();
    print_list(text, &format!("{indent}Tolerations"), &tolerations);
}

fn print_topology_spread(spec: &PodSpec, indent: &str, text: &mut TabbedText) {
    let mut constraints: Vec<_> = spec.topology_spread_constraints.iter().collect();
    constraints.stable_sort_by(|a, b| a.topology_key.cmp(&b.topology_key));
    for (at, constraint) in constraints.into_iter().enumerate() {
        let title = if at == 0 { "Topology Spread Constraints:" } else { "" };
        let action = constraint
            .when_unsatisfiable
            .as_ref()
            .map_or("", |action| action.as_str());
        let selector = match &constraint.label_selector {
            Some(selector) => format!(" for selector {}", selector_text(Some(selector))),
            None => String::new(),
        };
        text.line(
            0,
            &format!(
                "{indent}{title}\t{}:{action} when max skew {} is exceeded{selector}",
                constraint.topology_key, constraint.max_skew
            ),
        );
    }
}
