//! `events`, `top`, `label --list`.

use podscope_api::ordered::StableSort as _;
use podscope_api::{Event, Kind, Object, Pod, Time};

use super::columns::{age, event_times, node_status};
use super::get::find;
use super::output::Form;
use super::selector::LabelQuery;
use super::text::{cell, table, table_padded};
use super::{Printed, View, list_value};
use crate::command::{Events, Mark, Output, Target, Top};
use crate::refusals::not_found;

/// `48s (x5 over 3m48s)` (KC-073, KC-111).
pub(crate) fn event_age(event: &Event, now: Time) -> String {
    let (first, last, count) = event_times(event);
    if count > 1 {
        format!("{} (x{count} over {})", age(last, now), age(first, now))
    } else {
        age(first, now)
    }
}

impl Events {
    fn namespace(&self) -> &str {
        self.namespace.as_deref().unwrap_or("default")
    }
    /// Whether an event is one of those.
    pub(super) fn has(&self, event: &Event) -> bool {
        let is_of = |(kind, name): &(Kind, String)| {
            &*event.involved_object.kind == kind.name() && *event.involved_object.name == **name
        };
        (self.all_namespaces || &*event.metadata.namespace == self.namespace())
            && (self.types.is_empty() || self.types.iter().any(|one| event.kind.eq_ignore_ascii_case(one)))
            && self.involved.as_ref().is_none_or(is_of)
    }
    /// The line above the table.
    pub(super) fn header(&self) -> Vec<String> {
        let lead = self.all_namespaces.then_some("NAMESPACE");
        let titles = ["LAST SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"];
        lead.into_iter().chain(titles).map(String::from).collect()
    }
    /// An event's line in it.
    pub(super) fn row(&self, event: &Event, now: Time) -> Vec<String> {
        let lead = self.all_namespaces.then(|| event.metadata.namespace.to_string());
        let cells = [
            event_age(event, now),
            event.kind.to_string(),
            event.reason.to_string(),
            format!("{}/{}", event.involved_object.kind, event.involved_object.name),
            cell(event.message.trim()),
        ];
        lead.into_iter().chain(cells).collect()
    }
}

/// `kubectl events` (KC-111).
pub(super) fn events(wanted: &Events, view: &View<'_>, printed: &mut Printed) {
    let form = match Form::of(&wanted.output) {
        Ok(form) => form,
        Err(message) => return printed.fail(message),
    };
    let mut events: Vec<_> = view.objects.list::<Event>().filter(|event| wanted.has(event)).collect();
    if events.is_empty() {
        printed.err(if wanted.all_namespaces {
            "No events found.".to_owned()
        } else {
            format!("No events found in {} namespace.", wanted.namespace())
        });
        return;
    }
    events.stable_sort_by_key(|event| event_times(event).1);
    if let Some(form) = form {
        let objects: Vec<Object> = events.into_iter().map(|event| Object::Event(event.clone())).collect();
        // kubectl's printer of names knows no lists of events, and says nothing.
        if wanted.output == Output::Name {
            return;
        }
        let managed = matches!(form, Form::Managed(_));
        return match form.text(&list_value(&objects, managed)) {
            Ok(text) => text.split('\n').for_each(|line| printed.out(line)),
            Err(why) => printed.fail(why),
        };
    }
    let header = (!wanted.no_headers).then(|| wanted.header());
    let rows: Vec<Vec<String>> = header
        .into_iter()
        .chain(events.into_iter().map(|event| wanted.row(event, view.now)))
        .collect();
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
    // It is read before anybody is asked.
    if let Err(why) = LabelQuery::parse(top.selector.as_deref().unwrap_or_default()) {
        return printed.fail(format!("error: {why}"));
    }
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

/// `label --list`, `annotate --list` (KC-100).
pub(super) fn list_marks(mark: &Mark, labels: bool, view: &View<'_>, printed: &mut Printed) {
    let found = match find(&mark.target, view.objects) {
        Ok(found) => found,
        Err(message) => return printed.fail(message),
    };
    for object in found.groups.iter().flat_map(|(_, objects)| objects) {
        let (what, map) = match labels {
            true => ("labels", &object.metadata().labels),
            false => ("annotations", &object.metadata().annotations),
        };
        // Of one that was asked for by its name there is no doubt which it is.
        let indent = if found.single { "" } else { " " };
        if !found.single {
            let (kind, name) = (object.kind(), &object.metadata().name);
            let group = kind.group();
            printed.out(format!("Listing {what} for {}.{group}/{name}:", kind.name()));
        }
        // With changes, what they would make of them.
        let mut map = (**map).clone();
        for (key, value) in &mark.changes {
            match value {
                Some(value) => drop(map.insert(key.as_str().into(), value.as_str().into())),
                None => drop(map.remove(key.as_str())),
            }
        }
        for (key, value) in map.iter() {
            printed.out(format!("{indent}{key}={value}"));
        }
    }
    for (kind, name) in &found.misses {
        printed.fail(not_found(*kind, name));
    }
}
