//! Recorded histories as scenarios (P-15): watch streams of kubectl, audit logs, kwokctl recordings and SimKube traces.
//! One file of this module reads each format into [`HistoryRecord`]s; `replay` decides which records were made by a user
//! or a failure, and turns these into the timeline of a Scenario document. Writes of simulated components are not
//! replayed, because the simulation makes its own.
//!
//! The objects that existed when a history began are the cluster at t = 0. If a dump is given together with histories,
//! the cluster at t = 0 is that of the dump, and the histories continue it.

mod audit;
mod clean;
mod documents;
mod node;
mod notes;
mod recording;
mod replay;
mod simkube;
mod watch;
mod writer;

use podscope_api::ordered::{self, StableSort as _};
use podscope_api::{Kind, ObjectKey, Tree};
use podscope_kubectl::command::PatchType;
use podscope_messages::{Sentence, sentence};
use podscope_protocol::{Problem, Remark, TextKind};
use serde_json::{Value, json};

use crate::scenario::{self, File, MAX_ENTRIES, Unreadable};
use notes::{Note, NoteCounts};

/// Texts by which a recorded history is recognised: every history contains at least one of them, except a stream of
/// `kubectl get -w` without `--output-watch-events`.
const HISTORY_MARKERS: [&str; 5] = [
    "audit.k8s.io/",
    "ResourcePatch",
    "applied_objs",
    "\"ADDED\"",
    "type: ADDED",
];

/// Microseconds in a second.
const SECOND_MICROS: i64 = 1_000_000;

/// Who made a write, if the history shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ChangeWriter {
    /// The history's format does not record who made the write.
    Unknown,
    /// A simulated component.
    Simulated,
    /// Anyone else: a user, or a controller that is not simulated.
    External,
}

/// Identifies the object that a write changes.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ChangeTarget {
    kind: Kind,
    /// Namespace and name. The namespace is empty for a cluster-scoped kind.
    key: ObjectKey,
}

/// A change of an object, as a history records it.
#[derive(Debug, Clone, PartialEq)]
enum ObjectChange {
    /// The object was created or updated; the value is the whole object after the change.
    Object(Value),
    /// A patch of the object.
    Patch(ChangeTarget, PatchType, Value),
    /// A request to delete the object, or its removal.
    Delete {
        target: ChangeTarget,
        /// The grace period of the deletion request in seconds, if the history has it.
        grace: Option<i64>,
        /// The last known state of the deleted object.
        last: Option<Value>,
    },
    /// Any other request, as a timeline entry without its time.
    Request(Value),
}

#[derive(Debug, Clone, PartialEq)]
struct HistoryRecord {
    /// Wall-clock time of the change, in microseconds.
    at: i64,
    change: ObjectChange,
    by: ChangeWriter,
    /// Whether the object existed when the history began.
    is_initial: bool,
    /// Whether the change updates an object that existed before the change.
    is_update: bool,
    /// Whether the history has no time for this change: `at` is then the time of the next record that has one.
    is_undated: bool,
}

/// The records of one history file.
#[derive(Debug, Default)]
struct RecordedHistory {
    records: Vec<HistoryRecord>,
    /// Wall-clock time at which the history begins, in microseconds; None if the history is empty.
    start: Option<i64>,
    /// Whether the history lists the objects that existed when it began.
    has_objects: bool,
    /// Whether the objects at the beginning are live objects with UIDs and statuses. Otherwise they are created at t =
    /// 0.
    is_live: bool,
}

/// A format of recorded histories.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum HistoryFormat {
    Watch,
    Audit,
    Recording,
    SimKube,
}

/// Length in bytes of the part of a text that is searched for the field `items` of a List.
const LIST_HEAD_BYTES: usize = 200;

/// Returns whether a text contains a marker of a recorded history and is not a List.
fn has_history_marker(text: &str) -> bool {
    !is_list(text) && HISTORY_MARKERS.iter().any(|mark| text.contains(mark))
}

/// Returns whether a text begins like a List. Most dumps are Lists, and searching such a large text would take long.
fn is_list(text: &str) -> bool {
    let head = &text.as_bytes()[..text.len().min(LIST_HEAD_BYTES)];
    let has = |word: &[u8]| head.windows(word.len()).any(|at| at == word);
    (has(b"\nitems:") || has(b"\"items\":")) && !has(b"audit.k8s.io/")
}

/// Determines the format of a history from its documents. None for any other text.
fn format(documents: &[Tree<'_>]) -> Option<HistoryFormat> {
    let of_document = |document: &Tree<'_>| {
        let field = |name: &str| document.get(name).and_then(Tree::as_str).unwrap_or_default();
        match field("apiVersion") {
            version if version.starts_with("audit.k8s.io/") => Some(HistoryFormat::Audit),
            version if version.contains("kwok.x-k8s.io/") && field("kind") == "ResourcePatch" => {
                Some(HistoryFormat::Recording)
            }
            "" if simkube::is_trace(document) => Some(HistoryFormat::SimKube),
            "" if watch::is_watch_event(document) => Some(HistoryFormat::Watch),
            _ => None,
        }
    };
    documents
        .iter()
        .find_map(of_document)
        .or_else(|| watch::is_watch_stream(documents).then_some(HistoryFormat::Watch))
}

/// Returns whether a text must be parsed to find out whether it is a history.
fn may_be_history(text: &str) -> bool {
    !is_list(text) && (has_history_marker(text) || watch::may_be_watch_stream(text))
}

/// Returns whether one of the files may be a history, without parsing them.
pub(crate) fn may_contain_history(files: &[File]) -> bool {
    files.iter().any(|(_, text)| may_be_history(text))
}

/// Result of opening files: the histories are replaced by a Scenario.
pub(crate) struct ConvertedFiles {
    /// The files that are not histories, and the Scenario file that was made from the histories, if there were any.
    pub(crate) files: Vec<File>,
    /// Notices about what the histories do not record, and about what was not replayed.
    pub(crate) notices: Vec<Remark>,
}

/// Replaces the recorded histories among the files by one Scenario file. Returns the files unchanged if there is no
/// history among them.
///
/// # Errors
/// All problems of the histories with their positions, and the files.
pub(crate) fn convert_histories(files: Vec<File>) -> Result<ConvertedFiles, Unreadable> {
    let (mut notes, mut problems) = (NoteCounts::default(), Vec::new());
    let mut histories: ordered::Map<usize, RecordedHistory> = ordered::Map::new();
    for (index, (name, text)) in files.iter().enumerate().filter(|(_, (_, text))| may_be_history(text)) {
        match read_history(text, &mut notes) {
            Ok(Some(recorded)) => drop(histories.insert(index, recorded)),
            Ok(None) => {}
            Err((line, message)) => problems.push(Problem {
                line,
                column: 1,
                ..Problem::of_file(name.as_str(), message)
            }),
        }
    }
    if histories.is_empty() && problems.is_empty() {
        return Ok(ConvertedFiles { files, notices: vec![] });
    }
    let others = || (files.iter().enumerate()).filter(|(index, _)| !histories.contains_key(index));
    let with_scenario = others().find(|(_, (_, text))| scenario::recognise(text) >= TextKind::Scenario);
    if let Some((_, (name, _))) = with_scenario {
        problems.push(Problem::of_file(name.as_str(), sentence!(history::beside_scenario)));
    }
    if !problems.is_empty() {
        return Err(Unreadable { files, problems });
    }
    let is_history: Vec<bool> = (0..files.len()).map(|index| histories.contains_key(&index)).collect();
    let (recorded, kept): (Vec<_>, Vec<_>) = std::iter::zip(files, is_history).partition(|(_, is_history)| *is_history);
    let without_flags = |files: Vec<(File, bool)>| files.into_iter().map(|(file, _)| file);
    let first = recorded.first().map_or_else(String::new, |((name, _), _)| name.clone());
    let mut files: Vec<File> = without_flags(kept).collect();
    match scenario_file(&first, &files, histories.into_values().collect(), notes) {
        Ok((text, notices)) => {
            files.push(("history.yaml".to_owned(), text));
            Ok(ConvertedFiles { files, notices })
        }
        Err(message) => {
            files.extend(without_flags(recorded));
            Err(Unreadable {
                files,
                problems: vec![Problem::of_file(first, message)],
            })
        }
    }
}

/// Reads a text as a history. None if it is not a history.
///
/// # Errors
/// Line and message of the first problem.
fn read_history(text: &str, notes: &mut NoteCounts) -> Result<Option<RecordedHistory>, (u32, String)> {
    let documents = documents::split_documents(text);
    let Some(format) = format(&documents.complete) else {
        return Ok(None);
    };
    if let Some((line, message)) = documents.syntax_error {
        return Err((line, message));
    }
    if let Some(line) = documents.incomplete_line {
        notes.add(Note::Cut, &format!("line {line}"));
    }
    Ok(Some(match format {
        HistoryFormat::Watch => watch::read_records(&documents.complete, notes)?,
        HistoryFormat::Audit => audit::read_records(&documents.complete, notes)?,
        HistoryFormat::Recording => recording::read_records(&documents.complete, notes)?,
        HistoryFormat::SimKube => simkube::read_records(&documents.complete, notes)?,
    }))
}

/// Builds one Scenario file from histories, with notices. If there is a dump, the histories continue it.
///
/// # Errors
/// The timeline would be too long.
fn scenario_file(
    name: &str,
    dump: &[File],
    histories: Vec<RecordedHistory>,
    notes: NoteCounts,
) -> Result<(String, Vec<Remark>), Sentence> {
    let dumped = dump.iter().flat_map(|(_, text)| {
        let parsed = podscope_api::parse(&scenario::extract_manifests(text).text);
        parsed
            .objects
            .into_iter()
            .map(|located| scenario::with_default_namespace(located.value))
    });
    let dumped: Vec<podscope_api::Object> = dumped.collect();
    let dump_time = podscope_cluster::dump_time(&dumped).map(|time| time.0);
    let is_live = histories.iter().any(|history| history.is_live) || dump_time.is_some();
    let start = simulation_start(dump_time, &histories);
    let mut replay = replay::Replay::new(start, is_live, notes);
    for object in &dumped {
        replay.add_dumped(object.kind(), object.key(), object.to_value());
    }
    let mut records: Vec<(HistoryRecord, bool)> = Vec::new();
    for history in histories {
        let has_objects = history.has_objects;
        records.extend(history.records.into_iter().map(|record| (record, has_objects)));
    }
    records.stable_sort_by_key(|(record, _)| (!record.is_initial, record.at));
    for (record, has_objects) in records {
        replay.add(record, has_objects);
    }
    let replayed = replay.finish();
    if replayed.timeline.len() > MAX_ENTRIES {
        let count = replayed.timeline.len();
        return Err(sentence!(history::too_long, count = count, limit = MAX_ENTRIES));
    }
    let mut spec = json!({"title": format!("Recorded history: {name}")});
    if is_live || start != default_start_micros() {
        spec["start"] = podscope_api::print_rfc3339(start, 0).into();
    }
    spec["timeline"] = Value::Array(replayed.timeline);
    let scenario = json!({
        "apiVersion": "podscope.dev/v1alpha1",
        "kind": "Scenario",
        "metadata": {"name": "history"},
        "spec": spec,
    });
    let notices = replayed.notes.notices();
    let mut text = String::new();
    for notice in &notices {
        let notice = notice.english();
        text.push_str(&format!("# {}\n", podscope_api::visible(&notice).replace('\n', " ")));
    }
    text.push_str(&podscope_api::print_yaml(&scenario));
    for object in replayed.objects {
        text.push_str("---\n");
        text.push_str(&podscope_api::print_yaml(&object));
    }
    Ok((text, notices.into_iter().map(Remark::History).collect()))
}

/// Returns the wall-clock time of t = 0 in microseconds, rounded down to a whole second. Of the histories that list the
/// objects at their start, it is the latest start, or the first change in any of them if that is earlier; but it is
/// never before the time of the dump. If there are neither such histories nor a dump, it is the time of the first
/// record.
fn simulation_start(dump_time: Option<i64>, histories: &[RecordedHistory]) -> i64 {
    let with_objects = || histories.iter().filter(|history| history.has_objects);
    let first_change = |history: &RecordedHistory| {
        let changes = history.records.iter().filter(|record| !record.is_initial);
        changes.map(|record| record.at).min()
    };
    let latest_start = || with_objects().filter_map(|history| history.start).max();
    let of_objects = || Some(latest_start()?.min(with_objects().filter_map(first_change).min().unwrap_or(i64::MAX)));
    let earliest = || histories.iter().filter_map(|history| history.start).min();
    let start = dump_time
        .max(of_objects())
        .or_else(earliest)
        .unwrap_or_else(default_start_micros);
    start.div_euclid(SECOND_MICROS) * SECOND_MICROS
}

/// Returns the default time of t = 0 of a scenario, in microseconds.
fn default_start_micros() -> i64 {
    podscope_cluster::Setup::default().start.0
}

/// Returns the text at a JSON pointer, or an empty one.
fn text<'v>(value: &'v Value, pointer: &str) -> &'v str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// Returns the time at a JSON pointer, in microseconds.
fn time_micros(value: &Value, pointer: &str) -> Option<i64> {
    podscope_api::parse_rfc3339(value.pointer(pointer)?.as_str()?)
}

/// Returns kind, namespace and name of an object. None for kinds that are not built in.
fn target_of(value: &Value) -> Option<ChangeTarget> {
    let kind = Kind::from_wire(text(value, "/apiVersion"), text(value, "/kind"))?;
    Some(target(
        kind,
        text(value, "/metadata/namespace"),
        text(value, "/metadata/name"),
    ))
}

fn target(kind: Kind, namespace: &str, name: &str) -> ChangeTarget {
    let key = match (kind.is_namespaced(), namespace) {
        (false, _) => ObjectKey::cluster(name),
        (true, "") => ObjectKey::new("default", name),
        (true, namespace) => ObjectKey::new(namespace, name),
    };
    ChangeTarget { kind, key }
}

/// Returns the kind with this plural name in this group and version. None if Podscope has no such kind.
fn kind_of_resource(group: &str, version: &str, resource: &str) -> Option<Kind> {
    let api_version = match group {
        "" => version.to_owned(),
        group => format!("{group}/{version}"),
    };
    let served = podscope_api::schema::served_resource(&api_version, resource)?;
    Kind::from_wire(served.api_version, served.kind)
}

impl ObjectChange {
    fn delete(target: ChangeTarget) -> Self {
        Self::Delete {
            target,
            grace: None,
            last: None,
        }
    }
}

impl HistoryRecord {
    fn new(at: i64, change: ObjectChange) -> Self {
        Self {
            at,
            change,
            by: ChangeWriter::Unknown,
            is_initial: false,
            is_update: false,
            is_undated: false,
        }
    }
}

/// Rounds a time up to a whole second; both in microseconds.
fn round_up_to_second(micros: i64) -> i64 {
    micros.saturating_add(SECOND_MICROS - 1).div_euclid(SECOND_MICROS) * SECOND_MICROS
}
