//! Streams of `kubectl get KIND -w -o json` or `-o yaml`: a sequence of objects, each inside a watch event if
//! `--output-watch-events` is set. kubectl prints the existing objects first, ordered by namespace and name.
//!
//! The stream does not record when a change happened. The time of a record is estimated: it is the newest time in the
//! record's object, if that is newer than the times of all earlier records. A record without such a time gets the time
//! of the next record that has one.

use podscope_api::{Data, Tree, ordered};
use serde_json::Value;

use super::notes::{Note, NoteCounts};
use super::{HistoryRecord, ObjectChange, RecordedHistory, round_up_to_second, target_of, text, time_micros};

/// Fields of objects whose values are times in the past, such as `creationTimestamp`.
const PAST_TIME_FIELDS: [&str; 18] = [
    "acquireTime",
    "completionTime",
    "creationTimestamp",
    "eventTime",
    "finishedAt",
    "firstTimestamp",
    "lastHeartbeatTime",
    "lastObservedTime",
    "lastProbeTime",
    "lastScaleTime",
    "lastTimestamp",
    "lastTransitionTime",
    "lastUpdateTime",
    "renewTime",
    "startTime",
    "startedAt",
    "time",
    "lastScheduleTime",
];

/// Returns whether a document is a watch event: `{type: ADDED, object: {…}}`.
pub(super) fn is_watch_event(document: &Tree<'_>) -> bool {
    let kind = document.get("type").and_then(Tree::as_str).unwrap_or_default();
    let is_type = ["ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"].contains(&kind);
    is_type
        && document
            .get("object")
            .is_some_and(|object| matches!(object.data, Data::Map(_)))
}

/// Returns whether a text may be a watch stream of objects without events. The text is not parsed: either each document
/// is one line, or the line of a UID occurs twice, with the indentation that kubectl uses outside a List.
pub(super) fn may_be_watch_stream(text: &str) -> bool {
    let mut seen: ordered::Set<&str> = ordered::Set::new();
    let is_uid = |line: &&str| line.starts_with("  uid: ") || line.starts_with("        \"uid\": ");
    let is_repeated = (text.lines().filter(is_uid)).any(|line| !seen.insert(line.trim_end_matches(',')));
    is_repeated || text.contains("\n{\"") && text.contains("resourceVersion")
}

/// Returns whether documents are a watch stream of objects without events: an object occurs again with another
/// resourceVersion.
pub(super) fn is_watch_stream(documents: &[Tree<'_>]) -> bool {
    let mut versions: ordered::Map<[&str; 3], &str> = ordered::Map::new();
    for document in documents {
        let field = |name: &str| {
            document
                .get("metadata")
                .and_then(|metadata| metadata.get(name)?.as_str())
        };
        let kind = document.get("kind").and_then(Tree::as_str);
        let (Some(kind), Some(uid), Some(version)) = (kind, field("uid"), field("resourceVersion")) else {
            return false;
        };
        if versions
            .insert([kind, uid, field("name").unwrap_or_default()], version)
            .is_some_and(|known| known != version)
        {
            return true;
        }
    }
    false
}

/// Returns the newest past time in an object, in microseconds. For an object that is being deleted, this includes the
/// time of the deletion request.
fn newest_past_time(object: &Value) -> Option<i64> {
    let parts = ["/status", "/metadata/managedFields", "/series"];
    let within = parts
        .iter()
        .filter_map(|part| newest_past_time_within(object.pointer(part)?));
    let own = ["", "/metadata", "/spec"].iter().flat_map(|part| {
        let fields = object.pointer(part).and_then(Value::as_object).into_iter().flatten();
        fields.filter_map(|(key, value)| past_time(key, value))
    });
    within
        .chain(own)
        .chain(super::clean::deletion_request_micros(object))
        .max()
}

fn past_time(key: &str, value: &Value) -> Option<i64> {
    let text = value.as_str().filter(|_| PAST_TIME_FIELDS.contains(&key))?;
    podscope_api::parse_rfc3339(text)
}

fn newest_past_time_within(value: &Value) -> Option<i64> {
    match value {
        Value::Object(fields) => fields
            .iter()
            .filter_map(|(key, value)| past_time(key, value).or_else(|| newest_past_time_within(value)))
            .max(),
        Value::Array(items) => items.iter().filter_map(newest_past_time_within).max(),
        _ => None,
    }
}

/// An object of the stream, with what its watch event says about it.
struct StreamItem {
    object: Value,
    is_deletion: bool,
    /// Whether the event reports a change or deletion, so that the object existed before the event.
    is_change: bool,
    newest: Option<i64>,
}

/// Reads the records of a stream.
///
/// # Errors
/// Line and message of the first document that is neither an object nor an event.
pub(super) fn read_records(documents: &[Tree<'_>], notes: &mut NoteCounts) -> Result<RecordedHistory, (u32, String)> {
    let mut seen = Vec::new();
    for document in documents {
        let (kind, object) = match is_watch_event(document) {
            true => (document.get("type").and_then(Tree::as_str), document.get("object")),
            false => (None, Some(document)),
        };
        let object = object.map(Tree::to_value).unwrap_or_default();
        match kind.unwrap_or_default() {
            "BOOKMARK" => {}
            "ERROR" => notes.add(Note::WatchError, text(&object, "/message")),
            _ if text(&object, "/kind").is_empty() => {
                let message = "this is neither an object nor an event of a watch: kind is missing";
                return Err((document.line, message.to_owned()));
            }
            kind => {
                let items = object.get("items").and_then(Value::as_array);
                let objects = items.cloned().unwrap_or_else(|| vec![object]);
                seen.extend(objects.into_iter().map(|object| StreamItem {
                    newest: newest_past_time(&object),
                    is_deletion: kind == "DELETED",
                    is_change: ["MODIFIED", "DELETED"].contains(&kind),
                    object,
                }));
            }
        }
    }
    if !documents.iter().any(is_watch_event) {
        notes.add(Note::NoTypes, "");
    }
    let is_initial = which_existed_at_start(&seen);
    let start = std::iter::zip(&seen, &is_initial).filter_map(|(one, is_initial)| one.newest.filter(|_| *is_initial));
    let start = start
        .max()
        .or_else(|| seen.iter().find_map(|one| one.newest))
        .map(round_up_to_second);
    Ok(RecordedHistory {
        records: records_with_estimated_times(
            seen,
            &is_initial,
            start.unwrap_or_else(super::default_start_micros),
            notes,
        ),
        start,
        has_objects: true,
        is_live: true,
    })
}

/// Returns, for each record, whether its object existed when the watch began. kubectl prints the existing objects
/// first, so these are the first records of each kind, as long as they are ordered by namespace and name. Objects at
/// the end of this sequence that are newer than all objects before them, and unchanged since their creation, do not
/// count: they were created during the watch.
fn which_existed_at_start(seen: &[StreamItem]) -> Vec<bool> {
    let mut of_kind: ordered::Map<&str, Vec<usize>> = ordered::Map::new();
    let mut has_ended: ordered::Set<&str> = ordered::Set::new();
    for (index, one) in seen.iter().enumerate() {
        let kind = text(&one.object, "/kind");
        let key = |one: &StreamItem| {
            let field = |pointer| text(&one.object, pointer).to_owned();
            (field("/metadata/namespace"), field("/metadata/name"))
        };
        let before = of_kind.entry(kind).or_default();
        let is_next = before.last().is_none_or(|last| key(&seen[*last]) < key(one));
        if one.is_change || !is_next || has_ended.contains(kind) {
            has_ended.insert(kind);
        } else {
            before.push(index);
        }
    }
    let mut is_initial = vec![false; seen.len()];
    for mut indices in of_kind.into_values() {
        while let [before @ .., last] = &*indices {
            let created = time_micros(&seen[*last].object, "/metadata/creationTimestamp");
            let is_unchanged = created.is_some() && seen[*last].newest == created;
            let newest_before = before.iter().filter_map(|index| seen[*index].newest).max();
            if before.is_empty() || !is_unchanged || created <= newest_before {
                break;
            }
            indices.pop();
        }
        indices.into_iter().for_each(|index| is_initial[index] = true);
    }
    is_initial
}

/// Returns the records with their estimated times.
fn records_with_estimated_times(
    seen: Vec<StreamItem>,
    is_initial: &[bool],
    start: i64,
    notes: &mut NoteCounts,
) -> Vec<HistoryRecord> {
    let mut latest = start;
    let mut times: Vec<Option<i64>> = Vec::new();
    for (one, is_initial) in std::iter::zip(&seen, is_initial) {
        let own = one.newest.filter(|own| !is_initial && *own > latest);
        latest = own.unwrap_or(latest);
        times.push(own);
    }
    let mut next = latest;
    let mut records = Vec::new();
    let known = std::iter::zip(is_initial, times);
    for (one, (is_initial, own)) in seen.into_iter().zip(known).rev() {
        next = own.unwrap_or(next);
        let target = target_of(&one.object);
        let change = match target {
            Some(target) if one.is_deletion => ObjectChange::Delete {
                target,
                grace: None,
                last: Some(one.object),
            },
            _ if one.is_deletion => {
                notes.add(Note::NotSimulated, text(&one.object, "/kind"));
                continue;
            }
            _ => ObjectChange::Object(one.object),
        };
        records.push(HistoryRecord {
            is_initial: *is_initial,
            is_undated: own.is_none() && !is_initial,
            ..HistoryRecord::new(if *is_initial { start } else { next }, change)
        });
    }
    records.reverse();
    records
}
