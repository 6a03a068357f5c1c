//! Recordings of kwokctl: the objects that existed at the beginning, then a ResourcePatch for each write, with its time
//! since the first write. In `action.kwok.x-k8s.io/v1alpha1` a ResourcePatch has the fields `method` and `resource`; in
//! older recordings it has `create`, `delete` or `patch`, and the resource in `target.type`.

use podscope_api::{Data, Tree};
use podscope_kubectl::command::PatchType;
use serde_json::{Value, json};

use super::notes::{Note, NoteCounts};
use super::{
    ChangeTarget, HistoryRecord, ObjectChange, RecordedHistory, kind_of_resource, round_up_to_second, target, text,
};

/// Reads the records of a recording.
///
/// # Errors
/// Line and message of the first write without a method or a time.
pub(super) fn read_records(documents: &[Tree<'_>], notes: &mut NoteCounts) -> Result<RecordedHistory, (u32, String)> {
    let is_patch = |document: &&Tree<'_>| document.get("kind").and_then(Tree::as_str) == Some("ResourcePatch");
    let (patches, objects): (Vec<_>, Vec<_>) = documents.iter().partition(is_patch);
    let objects: Vec<Value> = objects.into_iter().map(Tree::to_value).collect();
    let parsed = objects
        .iter()
        .filter_map(|object| podscope_api::object_from_value(object).ok());
    let newest = podscope_cluster::dump_time(&parsed.collect::<Vec<_>>());
    let start = newest.map_or_else(super::default_start_micros, |newest| round_up_to_second(newest.0));
    let mut records: Vec<HistoryRecord> = Vec::new();
    let is_live = objects.iter().any(|object| !text(object, "/metadata/uid").is_empty());
    records.extend(objects.into_iter().map(|object| HistoryRecord {
        is_initial: true,
        ..HistoryRecord::new(start, ObjectChange::Object(object))
    }));
    for document in patches {
        let fail = |message: &str| (document.line, message.to_owned());
        let offset = match document.get("durationNanosecond").map(|duration| &duration.data) {
            Some(Data::Int(nanoseconds)) if *nanoseconds >= 0 => nanoseconds / 1_000,
            None => 0,
            Some(_) => return Err(fail("durationNanosecond must be a number of nanoseconds")),
        };
        let change = change_by_patch(&document.to_value(), notes).map_err(fail)?;
        records.extend(change.map(|change| HistoryRecord::new(start.saturating_add(offset), change)));
    }
    Ok(RecordedHistory {
        records,
        start: Some(start),
        has_objects: true,
        is_live,
    })
}

/// Returns the change that a ResourcePatch makes. None, with a note, if its kind is not simulated.
fn change_by_patch(patch: &Value, notes: &mut NoteCounts) -> Result<Option<ObjectChange>, &'static str> {
    let resource = match patch.get("resource") {
        Some(_) => "/resource",
        None => "/target/type",
    };
    let field = |name: &str| text(patch, &format!("{resource}/{name}"));
    let (plural, name) = (field("resource"), text(patch, "/target/name"));
    if plural.is_empty() || name.is_empty() {
        return Err("a ResourcePatch needs a resource and a target");
    }
    let has = |name: &str| patch.get(name).and_then(Value::as_bool) == Some(true);
    let method = match text(patch, "/method") {
        "" if has("create") => "create",
        "" if has("delete") => "delete",
        "" if patch.get("patch").is_some() => "patch",
        method => method,
    };
    let Some(kind) = kind_of_resource(field("group"), field("version"), plural) else {
        notes.add(Note::NotSimulated, plural);
        return Ok(None);
    };
    let target = target(kind, text(patch, "/target/namespace"), name);
    let content = patch.get("template").or_else(|| patch.get("patch")).cloned();
    Ok(Some(match (method, content) {
        ("delete", _) => ObjectChange::delete(target),
        ("create", Some(object)) => ObjectChange::Object(with_kind_and_name(object, &target)),
        ("patch", Some(patch)) => ObjectChange::Patch(target, PatchType::Strategic, patch),
        ("create" | "patch", None) => return Err("this ResourcePatch has no template"),
        _ => return Err("method must be create, patch or delete"),
    }))
}

/// Returns the object with kind and name added, which a template in a ResourcePatch may lack.
fn with_kind_and_name(mut object: Value, target: &ChangeTarget) -> Value {
    let Some(fields) = object.as_object_mut() else {
        return object;
    };
    fields.insert("apiVersion".into(), target.kind.api_version().into());
    fields.insert("kind".into(), target.kind.name().into());
    let metadata = fields.entry("metadata").or_insert_with(|| json!({}));
    if let Some(metadata) = metadata.as_object_mut() {
        metadata.insert("name".into(), (&*target.key.name).into());
        if target.kind.is_namespaced() {
            metadata.insert("namespace".into(), (&*target.key.namespace).into());
        }
    }
    object
}
