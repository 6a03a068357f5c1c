//! Audit logs: one Event of `audit.k8s.io` per line. The writes of simulated components are recognised by the user name
//! in the event. Only events of successful requests in the stage ResponseComplete are read.

use podscope_api::Tree;
use podscope_kubectl::command::PatchType;
use serde_json::{Value, json};

use super::notes::{Note, NoteCounts};
use super::replay::{target_text, without_resource_version};
use super::{
    ChangeTarget, ChangeWriter, HistoryRecord, ObjectChange, RecordedHistory, clean, kind_of_resource, target,
    target_of, text, time_micros, writer,
};

/// Subresources whose requests change no object.
const READ_ONLY_SUBRESOURCES: [&str; 6] = ["attach", "exec", "log", "portforward", "proxy", "token"];

/// HTTP status code `201 Created` of a request that has created an object.
const HTTP_CREATED: i64 = 201;

/// Returns the status code of the response, if the event has it.
fn response_code(event: &Value) -> Option<i64> {
    event.pointer("/responseStatus/code").and_then(Value::as_i64)
}

/// Reads the records of an audit log.
///
/// # Errors
/// Line and message of the first event without a time.
pub(super) fn read_records(documents: &[Tree<'_>], notes: &mut NoteCounts) -> Result<RecordedHistory, (u32, String)> {
    let mut recorded = RecordedHistory::default();
    for document in documents {
        let value = document.to_value();
        let items = value.get("items").and_then(Value::as_array).cloned();
        for event in items.unwrap_or_else(|| vec![value]) {
            let at = ["/requestReceivedTimestamp", "/stageTimestamp"]
                .iter()
                .find_map(|field| time_micros(&event, field));
            let Some(at) = at else {
                let message = "this audit event has no requestReceivedTimestamp";
                return Err((document.line, message.to_owned()));
            };
            recorded.start = Some(recorded.start.map_or(at, |start| start.min(at)));
            if is_write(&event) {
                recorded.records.extend(record_of_event(&event, at, notes));
            }
        }
    }
    Ok(recorded)
}

/// Returns whether the event is the end of a request that has changed something.
fn is_write(event: &Value) -> bool {
    let code = response_code(event).unwrap_or(200);
    let verbs = ["create", "update", "patch", "delete", "deletecollection"];
    text(event, "/stage") == "ResponseComplete"
        && verbs.contains(&text(event, "/verb"))
        && (200..300).contains(&code)
        && !text(event, "/requestURI").contains("dryRun=All")
        && event.get("objectRef").is_some()
        && !READ_ONLY_SUBRESOURCES.contains(&text(event, "/objectRef/subresource"))
}

fn record_of_event(event: &Value, at: i64, notes: &mut NoteCounts) -> Option<HistoryRecord> {
    let field = |name: &str| text(event, &format!("/objectRef/{name}")).to_owned();
    let (group, version, resource) = (field("apiGroup"), field("apiVersion"), field("resource"));
    let user = text(event, "/user/username");
    let by = if writer::is_component_user(user) {
        ChangeWriter::Simulated
    } else {
        ChangeWriter::External
    };
    if writer::is_components_resource(&resource) {
        notes.add(Note::BySimulation, "");
        return None;
    }
    let version = if version.is_empty() { "v1" } else { version.as_str() };
    let Some(kind) = kind_of_resource(&group, version, &resource) else {
        notes.add(Note::NotSimulated, &resource);
        return None;
    };
    let target = target(kind, &field("namespace"), &field("name"));
    let change = match &*field("subresource") {
        "" => change_by_request(event, &target, by, notes),
        "status" if by == ChangeWriter::Simulated => change_by_request(event, &target, by, notes),
        subresource => subresource_change(event, &target, subresource, by, notes),
    };
    Some(HistoryRecord {
        by,
        is_update: text(event, "/verb") != "create" && response_code(event) != Some(HTTP_CREATED),
        ..HistoryRecord::new(at, change?)
    })
}

/// Returns the object in the event, in its state after the change.
fn object_in_event(event: &Value) -> Option<Value> {
    let response = event.get("responseObject").filter(|object| target_of(object).is_some());
    let request = || {
        let request = event.get("requestObject").filter(|object| target_of(object).is_some());
        // Server-side apply creates an object with a patch that contains the whole object.
        request
            .filter(|_| text(event, "/verb") != "patch" || response_code(event) == Some(HTTP_CREATED))
            .cloned()
    };
    response.cloned().or_else(|| Some(without_resource_version(request()?)))
}

/// Returns the change that a request makes to an object. For requests to subresources, see [`subresource_change`].
fn change_by_request(
    event: &Value,
    target: &ChangeTarget,
    by: ChangeWriter,
    notes: &mut NoteCounts,
) -> Option<ObjectChange> {
    let verb = text(event, "/verb");
    match verb {
        "delete" => {
            let options = event.get("requestObject");
            if options.is_some_and(|options| text(options, "/propagationPolicy") == "Orphan") {
                let path = super::replay::api_path(target);
                let body = json!({"propagationPolicy": "Orphan"});
                return Some(ObjectChange::Request(clean::api_request_entry(
                    "DELETE",
                    &path,
                    "application/json",
                    body,
                )));
            }
            return Some(ObjectChange::Delete {
                target: target.clone(),
                grace: options.and_then(|options| options.get("gracePeriodSeconds")?.as_i64()),
                last: None,
            });
        }
        "deletecollection" => {
            let request = clean::api_request_entry("DELETE", text(event, "/requestURI"), "", Value::Null);
            return Some(ObjectChange::Request(request));
        }
        _ => {}
    }
    if let Some(mut object) = object_in_event(event) {
        // The body of a create request may omit the namespace, which is then only in the URL path.
        let namespace = &*target.key.namespace;
        if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut)
            && !namespace.is_empty()
        {
            metadata.insert("namespace".into(), namespace.into());
        }
        return Some(ObjectChange::Object(object));
    }
    let Some(patch) = event.get("requestObject").filter(|_| verb == "patch") else {
        match by {
            ChangeWriter::Simulated => notes.add(Note::BySimulation, ""),
            _ => notes.add(Note::Incomplete, &target_text(target)),
        }
        return None;
    };
    let how = match patch {
        Value::Array(_) => PatchType::Json,
        _ => PatchType::Strategic,
    };
    if how == PatchType::Strategic && by != ChangeWriter::Simulated {
        notes.add(Note::PatchType, "");
    }
    Some(ObjectChange::Patch(target.clone(), how, patch.clone()))
}

/// Returns the change that a request to a subresource makes. None for writes by components, because the simulation
/// makes its own.
fn subresource_change(
    event: &Value,
    target: &ChangeTarget,
    subresource: &str,
    by: ChangeWriter,
    notes: &mut NoteCounts,
) -> Option<ObjectChange> {
    if by == ChangeWriter::Simulated {
        notes.add(Note::BySimulation, "");
        return None;
    }
    if subresource == "eviction" {
        return Some(ObjectChange::Request(super::replay::eviction_entry(target)));
    }
    let sent = event.get("requestObject");
    let replicas = sent.and_then(|sent| sent.pointer("/spec/replicas")?.as_i64());
    if let ("scale", Some(replicas)) = (subresource, replicas) {
        let patch = json!({"spec": {"replicas": replicas}});
        return Some(ObjectChange::Patch(target.clone(), PatchType::Merge, patch));
    }
    let Some(body) = sent.cloned() else {
        notes.add(Note::Incomplete, &format!("{} ({subresource})", target_text(target)));
        return None;
    };
    let path = format!("{}/{subresource}", super::replay::api_path(target));
    let (method, content_type) = match (text(event, "/verb"), &body) {
        ("create", _) => ("POST", "application/json"),
        ("patch", Value::Array(_)) => ("PATCH", "application/json-patch+json"),
        ("patch", _) => ("PATCH", "application/strategic-merge-patch+json"),
        _ => ("PUT", "application/json"),
    };
    Some(ObjectChange::Request(clean::api_request_entry(
        method,
        &path,
        content_type,
        without_resource_version(body),
    )))
}
