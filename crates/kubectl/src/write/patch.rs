//! `kubectl patch` and `kubectl edit`, and the server's errors about patched objects (KC-102, KC-103).

use podscope_api::schema::{self, Rejection};
use podscope_api::{Kind, Object, Tree};
use podscope_cluster::{ApiError, Part};
use serde_json::{Value, json};

use super::super::merge::{item_without_merge_key, json_merge, json_patch, strategic_merge, three_way_merge};
use super::manifest_reader::without_fields;
use super::{Plan, View, change_request, plan_for_objects, typed_name};
use crate::command::{EDITED_TEXT_MISSING, Kubectl, PatchType, Target};
use crate::refusals::{NO_SUCH_RESOURCE, Refusal, api_error, bad_request, no_subresource};
use crate::rest::custom::{self, STRATEGIC_PATCH_UNSUPPORTED};
use crate::scale::ScaleSubresource;

/// Returns the JSON type of a value in the words of Go's decoder.
fn json_type(value: &Value) -> &'static str {
    match value {
        Value::Array(_) => "array",
        Value::String(_) => "string",
        Value::Number(_) => "number",
        Value::Bool(_) => "bool",
        _ => "object",
    }
}

/// Parses a patch in YAML or JSON. The errors are those of the server.
fn read_patch(text: &str, patch_type: PatchType) -> Result<Value, Refusal> {
    // The patch `null` is an empty JSON patch or strategic merge patch; as a JSON merge patch it is invalid.
    if text.trim() == "null" {
        return match patch_type {
            PatchType::Json => Ok(json!([])),
            PatchType::Strategic => Ok(json!({})),
            PatchType::Merge => Err(bad_request("Invalid JSON Patch")),
        };
    }
    let looks_like_json = text.trim_start().starts_with(['{', '[']);
    let tree = match (podscope_api::read_yaml(text), serde_json::from_str::<Value>(text)) {
        (Ok(tree), _) => tree.to_value(),
        (Err(_), Err(error)) if looks_like_json && error.is_eof() => {
            return Err(bad_request("unexpected end of JSON input"));
        }
        (Err(problems), _) => {
            let why = problems.first().map_or_else(String::new, ToString::to_string);
            return Err(Refusal::kubectl_error(format!("unable to parse {text:?}: {why}")));
        }
    };
    match (patch_type, &tree) {
        (PatchType::Json, Value::Array(_)) | (PatchType::Strategic | PatchType::Merge, Value::Object(_)) => Ok(tree),
        (PatchType::Json, other) => {
            let json_type = json_type(other);
            let why = format!("json: cannot unmarshal {json_type} into Go value of type []handlers.jsonPatchOp");
            Err(bad_request(format!("error decoding patch: {why}")))
        }
        (_, other) => {
            let json_type = json_type(other);
            Err(bad_request(format!(
                "json: cannot unmarshal {json_type} into Go value of type map[string]interface {{}}"
            )))
        }
    }
}

/// Returns the server's error if a patch changes the name, namespace or UID of the object.
pub(super) fn identity_change_error(object: &Object, patched: &Value) -> Option<Refusal> {
    let meta = object.metadata();
    let text = |field: &str| patched.pointer(&format!("/metadata/{field}")).and_then(Value::as_str);
    let error = |why: String| Some(bad_request(why));
    if let Some(name) = text("name").filter(|name| **name != *meta.name) {
        return error(format!(
            "the name of the object ({name}) does not match the name on the URL ({})",
            meta.name
        ));
    }
    if text("namespace").is_some_and(|namespace| *namespace != *meta.namespace) {
        return error(
            "the namespace of the provided object does not match the namespace sent on the request".to_owned(),
        );
    }
    if let Some(uid) = text("uid").filter(|uid| **uid != *meta.uid.to_string()) {
        let (kind, name) = (object.kind().name(), &*meta.name);
        return Some(Refusal::as_is(format!(
            "The {kind} {name:?} is invalid: metadata.uid: Invalid value: {uid:?}: field is immutable"
        )));
    }
    None
}

/// Returns the server's conflict error if a patch names another resourceVersion than the current one.
fn version_conflict_error(object: &Object, patched: &Value) -> Option<Refusal> {
    let wanted = patched.pointer("/metadata/resourceVersion")?.as_str()?;
    ApiError::check_resource_version(object, wanted).err().map(api_error)
}

/// Plans `kubectl patch`.
pub(super) fn plan_patch(command: &Kubectl, view: &View<'_>) -> Plan {
    let Kubectl::Patch {
        target,
        patch_type,
        patch,
        subresource,
        ..
    } = command
    else {
        return Plan::default();
    };
    let patch_type = *patch_type;
    let part = part_of_subresource(subresource.as_deref());
    plan_for_objects(target, view, |object, plan, writes| {
        let kind = object.kind();
        let scale = ScaleSubresource::of_kind(kind, view.objects).filter(|_| subresource.as_deref() == Some("scale"));
        if !has_subresource(kind, subresource.as_deref(), view) {
            return Err(no_subresource(object));
        }
        check_patch_type(kind, patch_type)?;
        let tree = read_patch(patch, patch_type)?;
        let (tree, patch_type) = match scale {
            Some(scale @ ScaleSubresource::Custom(_)) => {
                (scale_patch(&scale, object, &tree, patch_type)?, PatchType::Merge)
            }
            _ => (tree, patch_type),
        };
        let given = tree.clone();
        let live = object.to_value();
        if patch_type == PatchType::Strategic
            && let Some((item, key)) = item_without_merge_key(&live, &tree)
        {
            let item = super::super::gotext::go_value_text(&item);
            return Err(Refusal::as_is(format!(
                "Error from server: map: {item} does not contain declared merge key: {key}"
            )));
        }
        let apply = move |live: &Value| match patch_type {
            PatchType::Strategic => Ok(strategic_merge(live, &tree)),
            PatchType::Merge => Ok(json_merge(live, &tree)),
            PatchType::Json => json_patch(live, &tree).map_err(|_| Refusal::as_is(REQUEST_REJECTED)),
        };
        let patched = apply(&live)?;
        if let Some(why) = identity_change_error(object, &patched).or_else(|| version_conflict_error(object, &patched))
        {
            return Err(why);
        }
        if patch_type == PatchType::Json
            && let Some(why) = decoding_error(object.kind(), &patched)
        {
            // The server's error contains the whole patched object as JSON.
            let json = super::super::gotext::json(&patched);
            return Err(Refusal::as_is(format!(
                "The request is invalid: patch: Invalid value: {json:?}: {why}"
            )));
        }
        let unknown = match (check_convertible_with_schema(kind, &patched, view), patch_type) {
            (Err(Rejection::Unknown(fields)), _) => fields,
            // The server decodes the result of a JSON patch and does not convert it; its errors are returned above.
            (Ok(()), _) | (Err(_), PatchType::Json) => Vec::new(),
            (Err(why), _) => return Err(invalid_patch(&given, &why)),
        };
        plan.warn_unknown_fields(&unknown);
        let apply = move |live: &Value| Ok(without_fields(&apply(live)?, &unknown));
        let (name, unchanged) = match subresource.as_deref() {
            Some("scale") => (format!("scale.autoscaling/{}", object.metadata().name), None),
            _ => (
                typed_name(object),
                Some(format!("{} patched (no change)", typed_name(object))),
            ),
        };
        writes.push(change_request(
            object,
            part,
            "kubectl-patch",
            &format!("{name} patched"),
            unchanged,
            apply,
        )?);
        Ok(())
    })
}

/// Returns whether objects of a kind have this subresource and it can be patched.
fn has_subresource(kind: Kind, subresource: Option<&str>, view: &View<'_>) -> bool {
    match subresource {
        None => true,
        Some("status") => {
            let has_status = view.objects.with_version(kind, |version| version.has_status());
            has_status.unwrap_or(true)
        }
        Some("scale") => ScaleSubresource::of_kind(kind, view.objects).is_some(),
        Some("resize") => kind == Kind::Pod,
        Some(_) => false,
    }
}

/// Converts a patch of an object's `Scale` to a merge patch of the object, in which the number of replicas may have
/// another path.
fn scale_patch(
    scale: &ScaleSubresource,
    object: &Object,
    patch: &Value,
    patch_type: PatchType,
) -> Result<Value, Refusal> {
    let present = scale.scale(object).map_err(api_error)?;
    let patched = match patch_type {
        PatchType::Json => json_patch(&present, patch).map_err(|_| Refusal::as_is(REQUEST_REJECTED))?,
        _ => json_merge(&present, patch),
    };
    let replicas = patched.pointer("/spec/replicas").and_then(Value::as_i64);
    Ok(scale.patch(replicas.unwrap_or(0)))
}

/// Returns an error for a strategic merge patch of a custom object, which the API server does not support.
fn check_patch_type(kind: Kind, patch_type: PatchType) -> Result<(), Refusal> {
    match (kind, patch_type) {
        (Kind::Custom(_), PatchType::Strategic) => Err(Refusal::kubectl_error(format!(
            "application/strategic-merge-patch+json is not supported by {}, Kind={}: {STRATEGIC_PATCH_UNSUPPORTED}",
            kind.api_version(),
            kind.name()
        ))),
        _ => Ok(()),
    }
}

/// Like [`check_convertible`], for custom kinds too: they reject fields that their schema does not define.
fn check_convertible_with_schema(kind: Kind, patched: &Value, view: &View<'_>) -> Result<(), Rejection> {
    let Kind::Custom(_) = kind else {
        return check_convertible(kind, patched);
    };
    match custom::unknown_fields(kind, patched, view.objects)? {
        fields if fields.is_empty() => Ok(()),
        fields => Err(Rejection::Unknown(fields)),
    }
}

/// Returns the part of an object that a write to a subresource changes.
fn part_of_subresource(subresource: Option<&str>) -> Part {
    match subresource {
        Some("status") => Part::Status,
        Some("resize") => Part::Resize,
        _ => Part::Main,
    }
}

/// Converts a patched value to its typed object like the server, and returns the server's rejection.
pub(crate) fn check_convertible(kind: Kind, patched: &Value) -> Result<(), Rejection> {
    match schema::served(kind.api_version(), kind.name()) {
        Some(served) => schema::convert_object(served.fields, &Tree::from_value(patched)),
        None => Ok(()),
    }
}

/// Returns the server's decoding error for the result of a JSON patch, if a field has the wrong type.
fn decoding_error(kind: Kind, patched: &Value) -> Option<Rejection> {
    let served = schema::served(kind.api_version(), kind.name())?;
    let why = schema::decode_object(served.fields, &Tree::from_value(patched)).err()?;
    matches!(why, Rejection::Type(_)).then_some(why)
}

/// Returns the server's error if it cannot convert the result of a patch; it prints the patch in Go's map format.
pub(super) fn invalid_patch(patch: &Value, why: &Rejection) -> Refusal {
    let patch = super::super::gotext::go_value_text(patch);
    Refusal::as_is(format!(
        "The request is invalid: patch: Invalid value: {patch:?}: {why}"
    ))
}

/// kubectl's message about a rejection without causes.
const REQUEST_REJECTED: &str = "The request is invalid: the server rejected our request due to an error in our request";

/// Parses a text that contains one object of a custom kind.
fn parse_custom_object(text: &str, view: &View<'_>) -> Option<Object> {
    let (documents, _) = podscope_api::read_documents(text);
    let [document] = documents.as_slice() else { return None };
    let value = document.to_value();
    let field = |name: &str| value[name].as_str().unwrap_or_default();
    let kind = view.objects.served_kind(field("apiVersion"), field("kind"))?;
    custom::decode_object(kind, &value).ok()
}

/// Plans `kubectl edit`: applies the changes of the edited text to the object.
pub(super) fn plan_edit(target: &Target, text: &str, subresource: Option<&str>, view: &View<'_>) -> Plan {
    let part = part_of_subresource(subresource);
    if text.is_empty() {
        return plan_for_objects(target, view, |_, _, _| Err(Refusal::kubectl_error(EDITED_TEXT_MISSING)));
    }
    let parsed = podscope_api::parse(text);
    if let Some(problem) = parsed.problems.first() {
        return Plan::refuse(format!("error: the edited file failed validation: {problem}"));
    }
    let given = match parsed.objects.as_slice() {
        [located] => Some(located.value.clone()),
        [] => parse_custom_object(text, view),
        _ => None,
    };
    let Some(given) = given else {
        return Plan::refuse("error: the edited text must hold one object");
    };
    let edited = given.to_value();
    plan_for_objects(target, view, |object, _, writes| {
        if object.kind() != given.kind() || object.metadata().name != given.metadata().name {
            return Err(Refusal::kubectl_error(
                "at least one of apiVersion, kind and name was changed",
            ));
        }
        if part == Part::Resize && object.kind() != Kind::Pod {
            return Err(Refusal::as_is(NO_SUCH_RESOURCE));
        }
        let (before, edited) = (object.to_value(), edited.clone());
        writes.push(change_request(
            object,
            part,
            "kubectl-edit",
            &format!("{} edited", typed_name(object)),
            Some("Edit cancelled, no changes made.".into()),
            move |live| Ok(three_way_merge(&before, &edited, live)),
        )?);
        Ok(())
    })
}
