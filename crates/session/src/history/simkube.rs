//! Traces of SimKube as JSON: the objects that were applied or deleted at each instant. The first event contains the
//! objects that existed at the beginning. A trace contains no Nodes, and pods only if SimKube is configured to
//! track them.

use podscope_api::{Data, Tree};
use serde_json::Value;

use super::notes::{Note, NoteCounts};
use super::{HistoryRecord, ObjectChange, RecordedHistory, SECOND_MICROS, target_of, text};

/// Returns whether a document is a SimKube trace.
pub(super) fn is_trace(document: &Tree<'_>) -> bool {
    let events = document.get("events").map(|events| &events.data);
    let is_event = |event: &Tree<'_>| event.get("applied_objs").is_some() || event.get("deleted_objs").is_some();
    matches!(events, Some(Data::Seq(events)) if events.iter().any(is_event))
}

/// Reads the records of a trace.
///
/// # Errors
/// Line and message of the first event without a time.
pub(super) fn read_records(documents: &[Tree<'_>], notes: &mut NoteCounts) -> Result<RecordedHistory, (u32, String)> {
    let mut recorded = RecordedHistory {
        has_objects: true,
        ..RecordedHistory::default()
    };
    for document in documents.iter().filter(|document| is_trace(document)) {
        let has_lifetimes = |field: &str| match document.get(field).map(|field| &field.data) {
            Some(Data::Map(entries)) => !entries.is_empty(),
            _ => false,
        };
        if has_lifetimes("pod_lifecycles") || document.get("version").is_some() && has_lifetimes("index") {
            notes.add(Note::Lifetimes, "");
        }
        let Some(Data::Seq(events)) = document.get("events").map(|events| &events.data) else {
            continue;
        };
        for (index, event) in events.iter().enumerate() {
            let Some(Data::Int(seconds)) = event.get("ts").map(|ts| &ts.data) else {
                return Err((event.line, "ts must be a time in seconds since 1970".to_owned()));
            };
            let at = seconds.saturating_mul(SECOND_MICROS);
            recorded.start = Some(recorded.start.unwrap_or(at));
            let mut event = event.to_value();
            let mut objects = |field: &str| match event.get_mut(field).map(Value::take) {
                Some(Value::Array(objects)) => objects,
                _ => Vec::new(),
            };
            recorded
                .records
                .extend(objects("applied_objs").into_iter().map(|object| HistoryRecord {
                    is_initial: index == 0,
                    ..HistoryRecord::new(at, ObjectChange::Object(object))
                }));
            for object in objects("deleted_objs") {
                match target_of(&object) {
                    Some(target) => recorded
                        .records
                        .push(HistoryRecord::new(at, ObjectChange::delete(target))),
                    None => notes.add(Note::NotSimulated, text(&object, "/kind")),
                }
            }
        }
    }
    Ok(recorded)
}
