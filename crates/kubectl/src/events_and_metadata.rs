//! `kubectl events`, `label --list` and `annotate --list`.

use podscope_api::ordered::StableSort as _;
use podscope_api::{Event, Kind, Object, Time};

use super::columns::{age, event_times_and_count};
use super::get::find;
use super::output::ObjectFormat;
use super::text::{cell, table};
use super::{Printed, View, list_value};
use crate::command::{Events, MetadataChange, Output};

/// Formats the age of an event, with its count if it occurred several times: `48s (x5 over 3m48s)` (KC-073, KC-111).
pub(crate) fn event_age(event: &Event, now: Time) -> String {
    let (first, last, count) = event_times_and_count(event);
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

    /// Returns whether the command selects an event.
    pub(super) fn selects(&self, event: &Event) -> bool {
        let is_involved = |(kind, name): &(Kind, String)| {
            &*event.involved_object.kind == kind.name() && *event.involved_object.name == **name
        };
        (self.all_namespaces || &*event.metadata.namespace == self.namespace())
            && (self.types.is_empty() || self.types.iter().any(|one| event.kind.eq_ignore_ascii_case(one)))
            && self.involved.as_ref().is_none_or(is_involved)
    }

    /// Returns the table header of `kubectl events`.
    pub(super) fn table_header(&self) -> Vec<String> {
        let namespace = self.all_namespaces.then_some("NAMESPACE");
        let titles = ["LAST SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"];
        namespace.into_iter().chain(titles).map(String::from).collect()
    }

    /// Returns the table row of an event.
    pub(super) fn table_row(&self, event: &Event, now: Time) -> Vec<String> {
        let namespace = self.all_namespaces.then(|| event.metadata.namespace.to_string());
        let cells = [
            event_age(event, now),
            event.kind.to_string(),
            event.reason.to_string(),
            format!("{}/{}", event.involved_object.kind, event.involved_object.name),
            cell(event.message.trim()),
        ];
        namespace.into_iter().chain(cells).collect()
    }
}

/// Prints the output of `kubectl events` (KC-111).
pub(super) fn events(command: &Events, view: &View<'_>, printed: &mut Printed) {
    let format = match ObjectFormat::of(&command.output) {
        Ok(format) => format,
        Err(message) => return printed.fail(message),
    };
    let mut events: Vec<_> = view
        .objects
        .list::<Event>()
        .filter(|event| command.selects(event))
        .collect();
    if events.is_empty() {
        printed.err(if command.all_namespaces {
            "No events found.".to_owned()
        } else {
            format!("No events found in {} namespace.", command.namespace())
        });
        return;
    }
    events.stable_sort_by_key(|event| event_times_and_count(event).1);
    if let Some(format) = format {
        let objects: Vec<Object> = events.into_iter().map(|event| Object::Event(event.clone())).collect();
        // With `-o name`, kubectl prints nothing, because its name printer does not support event lists.
        if command.output == Output::Name {
            return;
        }
        let managed = matches!(format, ObjectFormat::WithManagedFields(_));
        return match format.text(&list_value(&objects, managed)) {
            Ok(text) => text.split('\n').for_each(|line| printed.out(line)),
            Err(why) => printed.fail(why),
        };
    }
    let header = (!command.no_headers).then(|| command.table_header());
    let rows: Vec<Vec<String>> = header
        .into_iter()
        .chain(events.into_iter().map(|event| command.table_row(event, view.now)))
        .collect();
    for line in table(&rows) {
        printed.out(line);
    }
}

/// Prints the output of `label --list` or `annotate --list` (KC-100).
pub(super) fn print_metadata_list(command: &MetadataChange, labels: bool, view: &View<'_>, printed: &mut Printed) {
    let found = match find(&command.target, view.objects) {
        Ok(found) => found,
        Err(message) => return printed.fail(message),
    };
    for object in found.groups.iter().flat_map(|(_, objects)| objects) {
        let (noun, map) = match labels {
            true => ("labels", &object.metadata().labels),
            false => ("annotations", &object.metadata().annotations),
        };
        // A single object that was requested by name is printed without a heading.
        let indent = if found.is_single { "" } else { " " };
        if !found.is_single {
            let (kind, name) = (object.kind(), &object.metadata().name);
            let group = kind.group();
            printed.out(format!("Listing {noun} for {}.{group}/{name}:", kind.name()));
        }
        // If the command also changes labels, the list shows the result of the changes.
        let mut map = (**map).clone();
        for (key, value) in &command.changes {
            match value {
                Some(value) => drop(map.insert(key.as_str().into(), value.as_str().into())),
                None => drop(map.remove(key.as_str())),
            }
        }
        for (key, value) in map.iter() {
            printed.out(format!("{indent}{key}={value}"));
        }
    }
    found.lookup_errors().for_each(|error| printed.fail(error));
}
