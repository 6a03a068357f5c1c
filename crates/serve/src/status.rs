//! `Status` objects: responses to failed requests, and to some successful ones (HT-024 to HT-041).

use podscope_cluster::{ApiError, Cause};
use serde_json::{Map, Value, json};

/// Converts an error to a `Status`.
pub(crate) fn of(error: &ApiError) -> Value {
    let mut status = json!({
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": error.message,
    });
    if !error.reason.as_str().is_empty() {
        status["reason"] = error.reason.as_str().into();
    }
    if let Some(details) = status_details(error) {
        status["details"] = details;
    }
    status["code"] = error.code.into();
    status
}

fn status_details(error: &ApiError) -> Option<Value> {
    let mut details = Map::new();
    let mut is_given = false;
    let (what, name) = match (&error.about, &error.resource) {
        (Some((kind, name)), _) => (kind.qualified_name(), name.to_string()),
        (None, Some(resource)) => (**resource).clone(),
        (None, None) => Default::default(),
    };
    is_given |= error.about.is_some() || error.resource.is_some();
    let (kind, group) = what.split_once('.').unwrap_or((&what, ""));
    for (field, text) in [("name", name.as_str()), ("group", group), ("kind", kind)] {
        if !text.is_empty() {
            details.insert(field.to_owned(), text.into());
        }
    }
    if !error.causes.is_empty() {
        is_given = true;
        let is_conflict = error.field_conflicts > 0;
        details.insert(
            "causes".to_owned(),
            error.causes.iter().map(|one| cause_json(one, is_conflict)).collect(),
        );
    }
    if let Some(seconds) = error.retry_after_seconds {
        is_given = true;
        details.insert("retryAfterSeconds".to_owned(), seconds.into());
    }
    is_given.then_some(Value::Object(details))
}

fn cause_json(cause: &Cause, is_conflict: bool) -> Value {
    if is_conflict {
        return json!({"reason": "FieldManagerConflict", "message": cause.message, "field": cause.about});
    }
    if cause.about == "NamespaceTerminating" {
        return json!({"reason": cause.about, "message": cause.message, "field": "metadata.namespace"});
    }
    // If `reason` is empty, `about` contains the reason instead of a field; `about` can also be empty.
    if cause.reason.is_empty() && cause.about.is_empty() {
        return json!({"message": cause.message});
    }
    if cause.reason.is_empty() {
        return json!({"reason": cause.about, "message": cause.message});
    }
    let mut value = json!({"reason": cause.reason, "message": cause.message});
    if !cause.about.is_empty() {
        value["field"] = cause.about.as_str().into();
    }
    value
}

/// Creates the `Status` of a success.
pub(crate) fn success(code: Option<u16>) -> Value {
    let mut status = json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success"});
    if let Some(code) = code {
        status["code"] = code.into();
    }
    status
}

/// Creates the `Status` for a client that accepts only protobuf but requests an object without a protobuf message
/// (HT-054).
pub(crate) fn not_marshalable() -> Value {
    let message = "object *unstructured.Unstructured does not implement the protobuf marshalling interface and cannot be encoded to a protobuf message";
    json!({
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": message,
        "reason": "NotAcceptable",
        "code": 406,
    })
}
