//! `events`, `label --list`.

use podscope_api::ordered::StableSort as _;
use podscope_api::{Event, Kind, Object, Time};

use super::columns::{age, event_times};
use super::get::find;
use super::output::Form;
use super::text::{cell, table};
use super::{Printed, View, list_value};
use crate::command::{Events, Mark, Output};
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
