//! Validation of events (VA-327). Events with `eventTime` must satisfy more rules than older ones.

use crate::Event;

use super::{ErrorList, Path, names};

/// Maximum length of reason, action and reporting instance, in bytes.
const WORD_MAX: usize = 128;
/// Maximum length of the message, in bytes.
const NOTE_MAX: usize = 1024;

pub(super) fn validate(event: &Event, errors: &mut ErrorList) {
    let own = &*event.metadata.namespace;
    let about = &*event.involved_object.namespace;
    let is_new = event.event_time.is_some();
    let fits = match (about, is_new) {
        ("", false) => matches!(own, "" | "default"),
        ("", true) => matches!(own, "default" | "kube-system"),
        (about, _) => is_new || about == own,
    };
    if !fits {
        let involved = Path::root("involvedObject");
        errors.invalid_text(&involved.child("namespace"), about, "does not match event.namespace");
    }
    if is_new {
        new_event_fields(event, errors);
    }
    let namespace = Path::root("namespace");
    errors.each_invalid(&namespace, own, &names::subdomain(own));
}

/// Checks the fields that events with `eventTime` require.
fn new_event_fields(event: &Event, errors: &mut ErrorList) {
    let component = Path::root("reportingComponent");
    if event.reporting_component.is_empty() {
        errors.required(&component, "");
    }
    let problems = names::qualified(&event.reporting_component);
    errors.each_invalid(&component, &event.reporting_component, &problems);
    for (field, word) in [
        ("reportingInstance", &event.reporting_instance),
        ("action", &event.action),
        ("reason", &event.reason),
    ] {
        if word.is_empty() {
            errors.required(&Path::root(field), "");
        }
        at_most(field, word, WORD_MAX, errors);
    }
    at_most("message", &event.message, NOTE_MAX, errors);
}

fn at_most(field: &str, text: &str, max: usize, errors: &mut ErrorList) {
    if text.len() > max {
        errors.invalid_text(&Path::root(field), "", &format!("can have at most {max} characters"));
    }
}
