//! Validation of events (VA-327). Events with `eventTime` must satisfy more rules than events without it.

use std::sync::Arc;

use crate::{Event, Object};

use super::error_list::IMMUTABLE;
use super::{ErrorList, Path, names};

/// Maximum length of an event's reason, action and reporting instance, in bytes.
const MAX_WORD_BYTES: usize = 128;
/// Maximum length of an event's message, in bytes.
const MAX_MESSAGE_BYTES: usize = 1024;

pub(super) fn validate(event: &Event, errors: &mut ErrorList) {
    let own = &*event.metadata.namespace;
    let about = &*event.involved_object.namespace;
    let has_event_time = event.event_time.is_some();
    let fits = match (about, has_event_time) {
        ("", false) => matches!(own, "" | "default"),
        ("", true) => matches!(own, "default" | "kube-system"),
        (about, _) => has_event_time || about == own,
    };
    if !fits {
        let involved = Path::root("involvedObject");
        errors.invalid_text(&involved.child("namespace"), about, "does not match event.namespace");
    }
    if has_event_time {
        check_fields_required_with_event_time(event, errors);
    }
    let namespace = Path::root("namespace");
    errors.invalid_name(&namespace, own, &names::subdomain_faults(own));
}

/// Checks the fields that events with `eventTime` require.
fn check_fields_required_with_event_time(event: &Event, errors: &mut ErrorList) {
    let component = Path::root("reportingComponent");
    if event.reporting_component.is_empty() {
        errors.required(&component, "");
    }
    let problems = names::qualified_name_faults(&event.reporting_component);
    errors.invalid_name(&component, &event.reporting_component, &problems);
    for (field, word) in [
        ("reportingInstance", &event.reporting_instance),
        ("action", &event.action),
        ("reason", &event.reason),
    ] {
        if word.is_empty() {
            errors.required(&Path::root(field), "");
        }
        check_max_field_length(field, word, MAX_WORD_BYTES, errors);
    }
    check_max_field_length("message", &event.message, MAX_MESSAGE_BYTES, errors);
}

/// Returns the errors that only an event created through `events.k8s.io` can have.
pub fn validate_events_k8s_io_event(event: &Event) -> ErrorList {
    let mut errors = ErrorList::default();
    if event.event_time.is_none() {
        errors.required(&Path::root("eventTime"), "");
    }
    if !matches!(&*event.kind, "Normal" | "Warning") {
        let detail = format!("has invalid value: {}", event.kind);
        errors.invalid_text(&Path::root("type"), "", &detail);
    }
    let source = &event.source;
    for (field, is_set) in [
        ("firstTimestamp", event.first_timestamp.is_some()),
        ("lastTimestamp", event.last_timestamp.is_some()),
        ("count", event.count.is_some_and(|count| count != 0)),
        ("source", !source.component.is_empty() || !source.host.is_empty()),
    ] {
        if is_set {
            errors.invalid_text(&Path::root(field), "", "needs to be unset");
        }
    }
    errors
}

/// Returns the errors of an update through `events.k8s.io`, which may change only the series.
pub fn validate_events_k8s_io_update(old: &Event, new: &Event) -> ErrorList {
    // The API server checks the field `reason` twice, so it is listed twice.
    const IMMUTABLE_FIELDS: [&str; 14] = [
        "involvedObject",
        "reason",
        "message",
        "source",
        "firstTimestamp",
        "lastTimestamp",
        "count",
        "reason",
        "type",
        "eventTime",
        "action",
        "related",
        "reportingComponent",
        "reportingInstance",
    ];
    let value = |event: &Event| Object::Event(Arc::new(event.clone())).to_value();
    let (before, after) = (value(old), value(new));
    let mut errors = ErrorList::default();
    for field in IMMUTABLE_FIELDS {
        if before.get(field) != after.get(field) {
            let shown = after.get(field).map_or_else(|| "null".to_owned(), ToString::to_string);
            let path = match field {
                "reportingComponent" => "reportingController",
                field => field,
            };
            errors.invalid(&Path::root(path), shown, IMMUTABLE);
        }
    }
    errors
}

fn check_max_field_length(field: &str, text: &str, max: usize, errors: &mut ErrorList) {
    if text.len() > max {
        errors.invalid_text(&Path::root(field), "", &format!("can have at most {max} characters"));
    }
}
