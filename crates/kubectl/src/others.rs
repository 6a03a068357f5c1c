//! `events`, `top`, `logs`, `label --list`.

use podscope_api::ordered::StableSort as _;
use podscope_api::{Event, Kind, Object, ObjectKey, Pod, Time};
use podscope_cluster::SimTime;

use super::columns::{age, event_times, node_status};
use super::get::find;
use super::text::{cell, table, table_padded};
use super::{Printed, View, not_found};
use crate::command::{Mark, Target, Top};

/// `48s (x5 over 3m48s)` (KC-073, KC-111).
pub(crate) fn event_age(event: &Event, now: Time) -> String {
    let (first, last, count) = event_times(event);
    if count > 1 {
        format!("{} (x{count} over {})", age(last, now), age(first, now))
    } else {
        age(first, now)
    }
}

/// `kubectl events` (KC-111).
pub(super) fn events(
    view: &View<'_>,
    namespace: Option<&str>,
    all_namespaces: bool,
    involved: Option<&(Kind, String)>,
    types: &[String],
    no_headers: bool,
    printed: &mut Printed,
) {
    let namespace = namespace.unwrap_or("default");
    let mut events: Vec<_> = view
        .objects
        .list::<Event>()
        .filter(|event| all_namespaces || &*event.metadata.namespace == namespace)
        .filter(|event| types.is_empty() || types.iter().any(|one| event.kind.eq_ignore_ascii_case(one)))
        .filter(|event| {
            involved.is_none_or(|(kind, name)| {
                &*event.involved_object.kind == kind.name() && *event.involved_object.name == **name
            })
        })
        .collect();
    if events.is_empty() {
        printed.err(if all_namespaces {
            "No events found.".to_owned()
        } else {
            format!("No events found in {namespace} namespace.")
        });
        return;
    }
    events.stable_sort_by_key(|event| event_times(event).1);
    let mut rows = Vec::new();
    if !no_headers {
        let mut header: Vec<String> = ["LAST SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"]
            .map(String::from)
            .into();
        if all_namespaces {
            header.insert(0, "NAMESPACE".into());
        }
        rows.push(header);
    }
    for event in events {
        let mut row = vec![
            event_age(event, view.now),
            event.kind.to_string(),
            event.reason.to_string(),
            format!("{}/{}", event.involved_object.kind, event.involved_object.name),
            cell(event.message.trim()),
        ];
        if all_namespaces {
            row.insert(0, event.metadata.namespace.to_string());
        }
        rows.push(row);
    }
    for line in table(&rows) {
        printed.out(line);
    }
}

fn usage_of(pod: &Pod, view: &View<'_>) -> Option<(i64, i64)> {
    let parts: Vec<(i64, i64)> = pod
        .spec
        .all_containers()
        .filter_map(|container| (view.usage)(pod, &container.name))
        .collect();
    if parts.is_empty() {
        return None;
    }
    Some(parts.iter().fold((0, 0), |sum, part| (sum.0 + part.0, sum.1 + part.1)))
}

/// `kubectl top` (KC-112, KC-113).
pub(super) fn top(top: &Top, view: &View<'_>, printed: &mut Printed) {
    let kind = if top.nodes { Kind::Node } else { Kind::Pod };
    let target = Target {
        namespace: top.namespace.clone(),
        all_namespaces: top.all_namespaces,
        selector: top.selector.clone(),
        ..Target::kind(kind, top.name.iter().cloned().collect())
    };
    let found = match find(&target, view.objects) {
        Ok(found) => found,
        Err(message) => return printed.fail(message),
    };
    for (kind, name) in &found.misses {
        printed.fail(not_found(*kind, name));
    }
    let objects: Vec<Object> = found.groups.into_iter().flat_map(|(_, objects)| objects).collect();
    // (cells before the numbers, cpu, memory, cells of percentages by number)
    type UseAndTotal = Option<(i64, i64)>;
    let mut rows: Vec<(Vec<String>, UseAndTotal, UseAndTotal)> = Vec::new();
    for object in &objects {
        match object {
            Object::Node(node) => {
                let ready = node_status(node).starts_with("Ready");
                let use_of_node = view
                    .objects
                    .pods_on(&node.metadata.name.as_ref().into())
                    .filter_map(|pod| usage_of(pod, view))
                    .fold((0, 0), |sum, part| (sum.0 + part.0, sum.1 + part.1));
                let allocatable = |name: &str| node.status.allocatable.get(name);
                let bounds = (
                    allocatable("cpu").map_or(0, |quantity| quantity.milli_value()),
                    allocatable("memory").map_or(0, |quantity| quantity.value()),
                );
                rows.push((
                    vec![node.metadata.name.to_string()],
                    ready.then_some(use_of_node),
                    Some(bounds),
                ));
            }
            Object::Pod(pod) => {
                let mut front = Vec::new();
                if top.all_namespaces {
                    front.push(pod.metadata.namespace.to_string());
                }
                front.push(pod.metadata.name.to_string());
                if top.containers {
                    for container in pod.spec.all_containers() {
                        if let Some(used) = (view.usage)(pod, &container.name) {
                            let mut front = front.clone();
                            front.push(container.name.to_string());
                            rows.push((front, Some(used), None));
                        }
                    }
                } else if let Some(used) = usage_of(pod, view) {
                    rows.push((front, Some(used), None));
                }
            }
            _ => {}
        }
    }
    if rows.is_empty() {
        if printed.status == 0 {
            printed.err(if top.all_namespaces || top.nodes {
                "No resources found".to_owned()
            } else {
                format!(
                    "No resources found in {} namespace.",
                    top.namespace.as_deref().unwrap_or("default")
                )
            });
        }
        return;
    }
    match top.sort_by.as_deref() {
        Some("cpu") => rows.stable_sort_by_key(|(_, used, _)| std::cmp::Reverse(used.map(|used| used.0))),
        Some(_) => rows.stable_sort_by_key(|(_, used, _)| std::cmp::Reverse(used.map(|used| used.1))),
        None => rows.stable_sort_by_key(|(_, used, _)| used.is_none()),
    }
    let mut lines: Vec<Vec<String>> = Vec::new();
    if !top.no_headers {
        let header: &[&str] = if top.nodes {
            &["NAME", "CPU(cores)", "CPU(%)", "MEMORY(bytes)", "MEMORY(%)"]
        } else {
            &["NAME", "CPU(cores)", "MEMORY(bytes)"]
        };
        let mut header: Vec<String> = header.iter().map(|text| (*text).to_owned()).collect();
        if top.containers && !top.nodes {
            header.insert(0, "POD".into());
        }
        if top.all_namespaces && !top.nodes {
            header.insert(0, "NAMESPACE".into());
        }
        lines.push(header);
    }
    let mut total = (0, 0);
    for (mut front, used, bounds) in rows {
        let percent = |part: i64, of: i64| {
            if of > 0 {
                format!("{}%", 100 * part / of)
            } else {
                "<unknown>".into()
            }
        };
        match (used, bounds) {
            (Some((cpu, memory)), Some((all_cpu, all_memory))) => {
                front.extend([
                    format!("{cpu}m"),
                    percent(cpu, all_cpu),
                    format!("{}Mi", memory >> 20),
                    percent(memory, all_memory),
                ]);
            }
            (Some((cpu, memory)), None) => front.extend([format!("{cpu}m"), format!("{}Mi", memory >> 20)]),
            (None, _) => front.extend(std::iter::repeat_n("<unknown>".to_owned(), 4)),
        }
        if let Some(used) = used {
            total = (total.0 + used.0, total.1 + used.1);
        }
        lines.push(front);
    }
    if top.sum && !top.nodes {
        let lead = usize::from(top.all_namespaces) + usize::from(top.containers);
        let blanks = || std::iter::repeat_n(String::new(), lead + 1);
        lines.push(blanks().chain(["________".to_owned(), "________".to_owned()]).collect());
        lines.push(
            blanks()
                .chain([format!("{}m", total.0), format!("{}Mi", total.1 >> 20)])
                .collect(),
        );
    }
    for line in table_padded(&lines) {
        printed.out(line);
    }
}

/// What `logs` was asked for.
pub(super) struct Logs<'a> {
    pub(super) pod: &'a str,
    pub(super) namespace: &'a str,
    pub(super) container: Option<&'a str>,
    pub(super) previous: bool,
    pub(super) all_containers: bool,
    pub(super) timestamps: bool,
    pub(super) tail: i64,
}

/// `kubectl logs`: the scripted containers' life events.
pub(super) fn logs(logs: &Logs<'_>, view: &View<'_>, printed: &mut Printed) {
    let Some(pod) = view.objects.get::<Pod>(&ObjectKey::new(logs.namespace, logs.pod)) else {
        return printed.fail(format!(
            "error: error from server (NotFound): pods {:?} not found in namespace {:?}",
            logs.pod, logs.namespace
        ));
    };
    let names: Vec<String> = if logs.all_containers {
        pod.spec
            .all_containers()
            .map(|container| container.name.to_string())
            .collect()
    } else if let Some(name) = logs.container {
        if !pod.spec.all_containers().any(|container| *container.name == *name) {
            return printed.fail(format!("error: container {name} is not valid for pod {}", logs.pod));
        }
        vec![name.to_owned()]
    } else {
        let all: Vec<&str> = pod.spec.all_containers().map(|container| &*container.name).collect();
        let first = pod
            .spec
            .containers
            .first()
            .map(|container| container.name.to_string())
            .unwrap_or_default();
        if all.len() > 1 {
            printed.err(format!("Defaulted container {first:?} out of: {}", all.join(", ")));
        }
        vec![first]
    };
    let mut lines: Vec<(SimTime, String)> = names
        .iter()
        .flat_map(|name| (view.logs)(pod, name, logs.previous))
        .collect();
    lines.stable_sort_by_key(|(at, _)| *at);
    if lines.is_empty() && pod.spec.node_name.is_some() {
        let waiting = names.iter().any(|name| {
            pod.status
                .container_statuses
                .iter()
                .chain(&pod.status.init_container_statuses)
                .any(|status| *status.name == **name && status.state.waiting.is_some())
        });
        if waiting {
            let reason = pod
                .status
                .container_statuses
                .iter()
                .find_map(|status| status.state.waiting.as_ref())
                .map_or("ContainerCreating", |waiting| &waiting.reason);
            return printed.fail(format!(
                "Error from server (BadRequest): container {:?} in pod {:?} is waiting to start: {reason}",
                names.first().map_or("", String::as_str),
                logs.pod
            ));
        }
    }
    let skip = usize::try_from(logs.tail).map_or(0, |tail| lines.len().saturating_sub(tail));
    for (at, text) in lines.into_iter().skip(skip) {
        if logs.timestamps {
            printed.out(format!(
                "{} {text}",
                podscope_api::print_rfc3339(view.start.0 + at.0, 6)
            ));
        } else {
            printed.out(text);
        }
    }
}

/// `label --list`, `annotate --list` (KC-100).
pub(super) fn list_marks(mark: &Mark, labels: bool, view: &View<'_>, printed: &mut Printed) {
    let found = match find(&mark.target, view.objects) {
        Ok(found) => found,
        Err(message) => return printed.fail(message),
    };
    for object in found.groups.iter().flat_map(|(_, objects)| objects) {
        let map = if labels {
            &object.metadata().labels
        } else {
            &object.metadata().annotations
        };
        for (key, value) in map.iter() {
            printed.out(format!("{key}={value}"));
        }
    }
    for (kind, name) in &found.misses {
        printed.fail(not_found(*kind, name));
    }
}
