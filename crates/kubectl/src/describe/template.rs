//! The pod template of a workload, and where its pods may run.

use std::sync::Arc;

use podscope_api::ordered::StableSort as _;
use podscope_api::{Object, PodSpec, PodTemplateSpec, TolerationOperator};
use serde_json::Value;

use super::super::columns::selector_text;
use super::super::text::Elastic;
use super::container::{self, Of};
use super::{annotations, labels, list, volume};

/// `Pod Template:` and what follows; `object` is the workload it belongs to, or one that holds a revision of it.
pub(in super::super) fn template(object: &Object, text: &mut Elastic) {
    let value = object.to_value();
    match object.template() {
        Some(template) => of_template(template, &value["spec"]["template"], text),
        None => text.line(0, "Pod Template:"),
    }
}

/// The template of pods; `value` is the whole of it.
pub(super) fn of_template(template: &Arc<PodTemplateSpec>, value: &Value, text: &mut Elastic) {
    text.line(0, "Pod Template:");
    let of_spec = |field: &str| &value["spec"][field];
    let PodTemplateSpec { metadata, spec, .. } = &**template;
    labels(text, "  Labels", &metadata.labels);
    if !metadata.annotations.is_empty() {
        annotations(text, "  Annotations", &metadata.annotations);
    }
    if !spec.service_account_name.is_empty() {
        text.line(1, &format!("Service Account:\t{}", spec.service_account_name));
    }
    if !spec.init_containers.is_empty() {
        container::describe(
            "Init Containers",
            &spec.init_containers,
            of_spec("initContainers"),
            &Of::Template,
            text,
        );
    }
    container::describe(
        "Containers",
        &spec.containers,
        of_spec("containers"),
        &Of::Template,
        text,
    );
    volume::describe(of_spec("volumes"), "  ", text);
    spread(spec, "  ", text);
    if !spec.priority_class_name.is_empty() {
        text.line(1, &format!("Priority Class Name:\t{}", spec.priority_class_name));
    }
    selectors(spec, "  ", text);
}

/// Node selectors, tolerations and spread constraints of a pod.
pub(super) fn placement(spec: &PodSpec, indent: &str, text: &mut Elastic) {
    selectors(spec, indent, text);
    spread(spec, indent, text);
}

fn selectors(spec: &PodSpec, indent: &str, text: &mut Elastic) {
    labels(text, &format!("{indent}Node-Selectors"), &spec.node_selector);
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
    list(text, &format!("{indent}Tolerations"), &tolerations);
}

fn spread(spec: &PodSpec, indent: &str, text: &mut Elastic) {
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
