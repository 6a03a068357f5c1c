//! `kubectl describe pod` (KC-067 to KC-072).

use std::sync::Arc;

use podscope_api::{Object, Pod};
use serde_json::Value;

use super::super::View;
use super::super::text::TabbedText;
use super::container::{self, ContainerOwner};
use super::{print_annotations, print_labels, rfc1123_time, template, terminating_status, volume};

pub(super) fn describe(pod: &Arc<Pod>, view: &View<'_>, text: &mut TabbedText) {
    let value = Object::Pod(pod.clone()).to_value();
    let pod = &*pod.with_token_volume();
    let (meta, spec, status) = (&pod.metadata, &pod.spec, &pod.status);
    let optional = |text: &mut TabbedText, title: &str, value: &str| {
        if !value.is_empty() {
            text.line(0, &format!("{title}:\t{value}"));
        }
    };
    text.line(0, &format!("Name:\t{}", meta.name));
    text.line(0, &format!("Namespace:\t{}", meta.namespace));
    if let Some(priority) = spec.priority {
        text.line(0, &format!("Priority:\t{priority}"));
    }
    optional(text, "Priority Class Name", &spec.priority_class_name);
    optional(
        text,
        "Runtime Class Name",
        spec.runtime_class_name.as_deref().unwrap_or_default(),
    );
    optional(text, "Service Account", &spec.service_account_name);
    match &spec.node_name {
        Some(node) => text.line(0, &format!("Node:\t{node}/{}", status.host_ip)),
        None => text.line(0, "Node:\t<none>"),
    }
    if status.start_time.is_some() {
        text.line(0, &format!("Start Time:\t{}", rfc1123_time(status.start_time)));
    }
    print_labels(text, "Labels", &meta.labels);
    print_annotations(text, "Annotations", &meta.annotations);
    print_phase(pod, view, text);
    optional(text, "Reason", &status.reason);
    optional(text, "Message", &status.message);
    if let Some(profile) = value.pointer("/spec/securityContext/seccompProfile") {
        container::print_seccomp(0, 0, profile, text);
    }
    print_addresses(pod, text);
    if let Some(owner) = meta.controller_ref() {
        text.line(0, &format!("Controlled By:\t{}/{}", owner.kind, owner.name));
    }
    optional(text, "NominatedNodeName", &status.nominated_node_name);
    if let Some(pod_resources) = &spec.resources {
        text.line(0, "Resources:");
        container::print_resources(pod_resources, 1, text);
    }
    print_containers(pod, &value, text);
    print_conditions(pod, text);
    volume::describe(&value["spec"]["volumes"], "", text);
    let class = status.qos_class.as_ref().map_or("", |class| class.as_str());
    text.line(0, &format!("QoS Class:\t{class}"));
    template::print_placement(spec, "", text);
}

/// Prints the phase, or for how long the pod has been terminating.
fn print_phase(pod: &Pod, view: &View<'_>, text: &mut TabbedText) {
    let meta = &pod.metadata;
    if meta.is_terminating() && !pod.is_terminal() {
        text.line(
            0,
            &format!("Status:\t{}", terminating_status(meta.deletion_timestamp, view.now)),
        );
        let grace = meta.deletion_grace_period_seconds.unwrap_or(0);
        text.line(0, &format!("Termination Grace Period:\t{grace}s"));
    } else {
        let phase = pod.status.phase.as_ref().map_or("", |phase| phase.as_str());
        text.line(0, &format!("Status:\t{phase}"));
    }
}

fn print_addresses(pod: &Pod, text: &mut TabbedText) {
    text.line(0, &format!("IP:\t{}", pod.status.pod_ip));
    if pod.status.pod_ips.is_empty() {
        text.line(0, "IPs:\t<none>");
        return;
    }
    text.line(0, "IPs:");
    for ip in &pod.status.pod_ips {
        text.line(1, &format!("IP:\t{}", ip.ip));
    }
}

/// Prints the containers of each type. `value` is the JSON of the pod.
fn print_containers(pod: &Pod, value: &Value, text: &mut TabbedText) {
    let (spec, status) = (&pod.spec, &pod.status);
    for (title, list, statuses, field) in [
        (
            "Init Containers",
            &spec.init_containers,
            &status.init_container_statuses,
            "initContainers",
        ),
        ("Containers", &spec.containers, &status.container_statuses, "containers"),
        (
            "Ephemeral Containers",
            &spec.ephemeral_containers,
            &status.ephemeral_container_statuses,
            "ephemeralContainers",
        ),
    ] {
        if !list.is_empty() || field == "containers" {
            let owner = ContainerOwner::Pod(pod, statuses);
            container::describe(title, list, &value["spec"][field], &owner, text);
        }
    }
}

fn print_conditions(pod: &Pod, text: &mut TabbedText) {
    let (spec, status) = (&pod.spec, &pod.status);
    if !spec.readiness_gates.is_empty() {
        text.line(0, "Readiness Gates:");
        text.line(1, "Type\tStatus");
        for gate in spec.readiness_gates.iter() {
            let status = pod
                .condition(&gate.condition_type)
                .map_or("<none>", |condition| condition.status.as_str());
            text.line(1, &format!("{} \t{status} ", gate.condition_type));
        }
    }
    if !status.conditions.is_empty() {
        text.line(0, "Conditions:");
        text.line(1, "Type\tStatus");
        for condition in &status.conditions {
            text.line(1, &format!("{} \t{} ", condition.kind, condition.status));
        }
    }
}
