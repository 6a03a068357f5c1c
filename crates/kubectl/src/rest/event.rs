//! Rules of `events.k8s.io` that the core API does not have: every field of a new event is required or must be unset,
//! and an update may only change the series.

use podscope_api::{ErrorList, Kind, Object, validate_events_k8s_io_event, validate_events_k8s_io_update};
use podscope_cluster::{ApiError, Objects};

use super::Target;

/// Checks an event that is sent through `events.k8s.io`. `live` is the stored event, if it exists.
///
/// # Errors
/// Error 422 with all problems.
pub(super) fn check_event(api_version: &str, live: Option<&Object>, sent: &Object) -> Result<(), ApiError> {
    if !api_version.starts_with("events.k8s.io/") {
        return Ok(());
    }
    let problems = match (live, sent) {
        (None, Object::Event(sent)) => validate_events_k8s_io_event(sent),
        (Some(Object::Event(live)), Object::Event(sent)) => validate_events_k8s_io_update(live, sent),
        _ => ErrorList::default(),
    };
    match problems.is_empty() {
        true => Ok(()),
        false => Err(ApiError::invalid(Kind::Event, &sent.metadata().name, problems)),
    }
}

/// Checks the event in the body of a POST or PUT.
///
/// # Errors
/// The errors of [`check_event`].
pub(super) fn check_sent_event(target: &Target, sent: &Object, objects: &Objects) -> Result<(), ApiError> {
    let live = objects.get_kind(target.kind, &target.key);
    check_event(target.served.api_version, live.as_ref(), sent)
}
