//! `kubectl describe` (KC-064 to KC-075): pods and nodes by their own forms, other kinds by their fields.

use podscope_api::{Event, Labels, Node, Object, Pod, Time};
use serde_json::Value;

use super::columns::{age, node_roles};
use super::get::find;
use super::others::event_age;
use super::text::{Elastic, table};
use super::{Printed, View, not_found};
use crate::command::Describe;

pub(super) fn describe(what: &Describe, view: &View<'_>, printed: &mut Printed) {
    let found = match find(
        &what.selection,
        what.namespace.as_deref(),
        what.all_namespaces,
        what.selector.as_deref(),
        None,
        view,
    ) {
        Ok(found) => found,
        Err(message) => return printed.fail(message),
    };
    let mut first = true;
    for object in found.groups.iter().flat_map(|(_, objects)| objects) {
        if !std::mem::replace(&mut first, false) {
            printed.out("");
            printed.out("");
        }
        let mut text = Elastic::default();
        match object {
            Object::Pod(pod) => describe_pod(pod, view, &mut text),
            Object::Node(node) => describe_node(node, view, &mut text),
            other => describe_other(other, &mut text),
        }
        let events = if what.show_events {
            events(object, view, &mut text)
        } else {
            Vec::new()
        };
        for line in text.finish() {
            printed.out(line);
        }
        for line in table(&events) {
            printed.out(format!("  {line}"));
        }
    }
    for (kind, name) in &found.misses {
        printed.fail(not_found(*kind, name));
    }
}

/// `Sat, 21 Nov 2026 01:06:15 +0000` (KC-064).
fn stamp(at: Time) -> String {
    let text = podscope_api::print_rfc3339(at.0, 0);
    let day = at.seconds().div_euclid(86_400).rem_euclid(7);
    let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
    let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    let part = |from: usize, to: usize| text.get(from..to).unwrap_or_default();
    let month = part(5, 7)
        .parse::<usize>()
        .ok()
        .and_then(|month| months.get(month.wrapping_sub(1)))
        .copied()
        .unwrap_or("");
    let name = usize::try_from(day)
        .ok()
        .and_then(|day| days.get(day))
        .copied()
        .unwrap_or("");
    format!("{name}, {} {month} {} {} +0000", part(8, 10), part(0, 4), part(11, 19))
}

fn pairs(text: &mut Elastic, title: &str, map: &Labels, separator: &str) {
    let shown: Vec<String> = map
        .iter()
        .filter(|(key, _)| &***key != "kubectl.kubernetes.io/last-applied-configuration")
        .map(|(key, value)| format!("{key}{separator}{}", value.lines().next().unwrap_or_default()))
        .collect();
    list(text, title, &shown);
}

fn list(text: &mut Elastic, title: &str, items: &[String]) {
    match items.split_first() {
        None => text.line(0, &format!("{title}:\t<none>")),
        Some((first, rest)) => {
            text.line(0, &format!("{title}:\t{first}"));
            for item in rest {
                text.line(0, &format!("\t{item}"));
            }
        }
    }
}

fn describe_pod(pod: &Pod, view: &View<'_>, text: &mut Elastic) {
    let meta = &pod.metadata;
    text.line(0, &format!("Name:\t{}", meta.name));
    text.line(0, &format!("Namespace:\t{}", meta.namespace));
    if let Some(priority) = pod.spec.priority {
        text.line(0, &format!("Priority:\t{priority}"));
    }
    if !pod.spec.priority_class_name.is_empty() {
        text.line(0, &format!("Priority Class Name:\t{}", pod.spec.priority_class_name));
    }
    text.line(0, &format!("Service Account:\t{}", pod.spec.service_account_name));
    match &pod.spec.node_name {
        Some(node) => text.line(0, &format!("Node:\t{node}/{}", pod.status.host_ip)),
        None => text.line(0, "Node:\t<none>"),
    }
    if let Some(start) = pod.status.start_time {
        text.line(0, &format!("Start Time:\t{}", stamp(start)));
    }
    pairs(text, "Labels", &meta.labels, "=");
    pairs(text, "Annotations", &meta.annotations, ": ");
    let phase = pod.status.phase.as_ref().map_or_else(String::new, ToString::to_string);
    match meta.deletion_timestamp {
        Some(deadline) if !pod.is_terminal() => {
            text.line(
                0,
                &format!("Status:\tTerminating (lasts {})", age(Some(deadline), view.now)),
            );
            text.line(
                0,
                &format!(
                    "Termination Grace Period:\t{}s",
                    meta.deletion_grace_period_seconds.unwrap_or(0)
                ),
            );
        }
        _ => text.line(0, &format!("Status:\t{phase}")),
    }
    for (title, value) in [("Reason", &pod.status.reason), ("Message", &pod.status.message)] {
        if !value.is_empty() {
            text.line(0, &format!("{title}:\t{value}"));
        }
    }
    text.line(0, &format!("IP:\t{}", pod.status.pod_ip));
    if pod.status.pod_ips.is_empty() {
        text.line(0, "IPs:\t<none>");
    } else {
        text.line(0, "IPs:");
        for ip in &pod.status.pod_ips {
            text.line(1, &format!("IP:\t{}", ip.ip));
        }
    }
    if let Some(owner) = meta.controller_ref() {
        text.line(0, &format!("Controlled By:\t{}/{}", owner.kind, owner.name));
    }
    if !pod.status.nominated_node_name.is_empty() {
        text.line(0, &format!("NominatedNodeName:\t{}", pod.status.nominated_node_name));
    }
    for (title, containers, statuses) in [
        (
            "Init Containers",
            &pod.spec.init_containers,
            &pod.status.init_container_statuses,
        ),
        ("Containers", &pod.spec.containers, &pod.status.container_statuses),
    ] {
        if containers.is_empty() {
            continue;
        }
        text.line(0, &format!("{title}:"));
        for container in containers.iter() {
            text.line(1, &format!("{}:", container.name));
            text.line(2, &format!("Image:\t{}", container.image));
            if let Some(status) = statuses.iter().find(|status| status.name == container.name) {
                let state = &status.state;
                if let Some(running) = &state.running {
                    text.line(2, "State:\tRunning");
                    if let Some(at) = running.started_at {
                        text.line(3, &format!("Started:\t{}", stamp(at)));
                    }
                } else if let Some(ended) = &state.terminated {
                    text.line(2, "State:\tTerminated");
                    text.line(3, &format!("Reason:\t{}", ended.reason));
                    text.line(3, &format!("Exit Code:\t{}", ended.exit_code));
                } else {
                    text.line(2, "State:\tWaiting");
                    if let Some(waiting) = state.waiting.as_ref().filter(|waiting| !waiting.reason.is_empty()) {
                        text.line(3, &format!("Reason:\t{}", waiting.reason));
                    }
                }
                text.line(2, &format!("Ready:\t{}", if status.ready { "True" } else { "False" }));
                text.line(2, &format!("Restart Count:\t{}", status.restart_count));
            }
            for (name, amounts) in [
                ("Limits", &container.resources.limits),
                ("Requests", &container.resources.requests),
            ] {
                if !amounts.is_empty() {
                    text.line(2, &format!("{name}:"));
                    for (resource, amount) in amounts {
                        text.line(3, &format!("{resource}:\t{amount}"));
                    }
                }
            }
        }
    }
    if !pod.status.conditions.is_empty() {
        text.line(0, "Conditions:");
        text.line(1, "Type\tStatus");
        for condition in &pod.status.conditions {
            text.line(1, &format!("{}\t{} ", condition.kind, condition.status));
        }
    }
    if let Some(class) = &pod.status.qos_class {
        text.line(0, &format!("QoS Class:\t{class}"));
    }
    let selectors: Vec<String> = pod
        .spec
        .node_selector
        .iter()
        .map(|(key, value)| format!("{key}={value}"))
        .collect();
    list(text, "Node-Selectors", &selectors);
    let mut tolerations: Vec<String> = pod
        .spec
        .tolerations
        .iter()
        .map(|toleration| {
            let mut out = toleration.key.to_string();
            if !toleration.value.is_empty() {
                out.push_str(&format!("={}", toleration.value));
            }
            if let Some(effect) = &toleration.effect {
                out.push_str(&format!(":{effect}"));
            }
            if toleration.operator == Some(podscope_api::TolerationOperator::Exists) {
                out.push_str(" op=Exists");
            }
            if let Some(seconds) = toleration.toleration_seconds {
                out.push_str(&format!(" for {seconds}s"));
            }
            out
        })
        .collect();
    tolerations.sort();
    list(text, "Tolerations", &tolerations);
}

fn describe_node(node: &Node, view: &View<'_>, text: &mut Elastic) {
    let meta = &node.metadata;
    text.line(0, &format!("Name:\t{}", meta.name));
    text.line(0, &format!("Roles:\t{}", node_roles(node)));
    pairs(text, "Labels", &meta.labels, "=");
    pairs(text, "Annotations", &meta.annotations, ": ");
    if let Some(at) = meta.creation_timestamp {
        text.line(0, &format!("CreationTimestamp:\t{}", stamp(at)));
    }
    let mut taints: Vec<String> = node
        .spec
        .taints
        .iter()
        .map(|taint| {
            let value = if taint.value.is_empty() {
                String::new()
            } else {
                format!("={}", taint.value)
            };
            format!("{}{value}:{}", taint.key, taint.effect)
        })
        .collect();
    taints.sort();
    list(text, "Taints", &taints);
    text.line(0, &format!("Unschedulable:\t{}", node.is_unschedulable()));
    text.line(0, "Conditions:");
    text.line(
        1,
        "Type\tStatus\tLastHeartbeatTime\tLastTransitionTime\tReason\tMessage",
    );
    text.line(
        1,
        "----\t------\t-----------------\t------------------\t------\t-------",
    );
    for condition in &node.status.conditions {
        let at = |time: Option<Time>| time.map_or_else(String::new, stamp);
        text.line(
            1,
            &format!(
                "{} \t{} \t{} \t{} \t{} \t{}",
                condition.kind,
                condition.status,
                at(condition.last_heartbeat_time),
                at(condition.last_transition_time),
                condition.reason,
                condition.message
            ),
        );
    }
    for (title, amounts) in [
        ("Capacity", &node.status.capacity),
        ("Allocatable", &node.status.allocatable),
    ] {
        text.line(0, &format!("{title}:"));
        for (resource, amount) in amounts {
            text.line(1, &format!("{resource}:\t{amount}"));
        }
    }
    let pods: Vec<_> = view
        .objects
        .pods_on(&meta.name.as_ref().into())
        .filter(|pod| !pod.is_terminal())
        .collect();
    text.line(0, &format!("Non-terminated Pods:\t({} in total)", pods.len()));
    text.line(1, "Namespace\tName\tAge");
    text.line(1, "---------\t----\t---");
    for pod in pods {
        text.line(
            1,
            &format!(
                "{}\t{}\t{}",
                pod.metadata.namespace,
                pod.metadata.name,
                age(pod.metadata.creation_timestamp, view.now)
            ),
        );
    }
}

/// Kinds without a form of their own: metadata, then the fields as they are.
fn describe_other(object: &Object, text: &mut Elastic) {
    let meta = object.metadata();
    text.line(0, &format!("Name:\t{}", meta.name));
    if !meta.namespace.is_empty() {
        text.line(0, &format!("Namespace:\t{}", meta.namespace));
    }
    if let Some(at) = meta.creation_timestamp {
        text.line(0, &format!("CreationTimestamp:\t{}", stamp(at)));
    }
    pairs(text, "Labels", &meta.labels, "=");
    pairs(text, "Annotations", &meta.annotations, ": ");
    if let Value::Object(fields) = object.typed_value() {
        for (key, value) in fields {
            if !matches!(key.as_str(), "apiVersion" | "kind" | "metadata") {
                fields_of(&key, &value, 0, text);
            }
        }
    }
}

fn fields_of(key: &str, value: &Value, level: usize, text: &mut Elastic) {
    let mut title: String = key.chars().take(1).flat_map(char::to_uppercase).collect();
    title.extend(key.chars().skip(1));
    match value {
        Value::Object(map) if level < 6 => {
            text.line(level, &format!("{title}:"));
            for (key, value) in map {
                fields_of(key, value, level + 1, text);
            }
        }
        Value::Array(items) if level < 6 && items.iter().any(Value::is_object) => {
            text.line(level, &format!("{title}:"));
            for item in items {
                for (key, value) in item.as_object().into_iter().flatten() {
                    fields_of(key, value, level + 1, text);
                }
            }
        }
        other => text.line(level, &format!("{title}:\t{}", super::jsonpath::plain(other))),
    }
}

/// The rows of the events table (KC-073); without events a line in the block before.
fn events(object: &Object, view: &View<'_>, text: &mut Elastic) -> Vec<Vec<String>> {
    let meta = object.metadata();
    let mut events: Vec<_> = view
        .objects
        .list::<Event>()
        .filter(|event| {
            let about = &event.involved_object;
            &*about.kind == object.kind().name()
                && about.name == meta.name
                && (about.namespace == meta.namespace || !object.kind().is_namespaced())
                && (about.uid.is_empty() || about.uid == meta.uid || !object.kind().is_namespaced())
        })
        .collect();
    if events.is_empty() {
        text.line(0, "Events:\t<none>");
        return Vec::new();
    }
    text.line(0, "Events:");
    events.sort_by_key(|event| event.last_timestamp);
    let mut rows = vec![
        ["Type", "Reason", "Age", "From", "Message"].map(String::from).to_vec(),
        ["----", "------", "----", "----", "-------"].map(String::from).to_vec(),
    ];
    rows.extend(events.iter().map(|event| {
        let from = if event.source.component.is_empty() {
            &event.reporting_component
        } else {
            &event.source.component
        };
        vec![
            event.kind.to_string(),
            event.reason.to_string(),
            event_age(event, view.now),
            from.to_string(),
            super::text::cell(event.message.trim()),
        ]
    }));
    // The elastic layout pads by two.
    let mut aligned = Elastic::default();
    for row in &rows {
        aligned.line(0, &row.join("\t"));
    }
    aligned.finish().into_iter().map(|line| vec![line]).collect()
}
