//! PATCH: the four types of patch. A patch is applied to the stored object when it arrives (HT-087 to HT-091, HT-125).

use std::sync::Arc;

use podscope_api::managed::FieldManagers;
use podscope_api::schema::{self, Rejection, ServedKind};
use podscope_api::{Kind, Object, Tree};
use podscope_cluster::{ApiError, ApplyRequest, Cause, Mutation, Objects, Part, Request};
use serde_json::Value;

use super::body::{check_kind, check_name, json_value_go_type, parse_json};
use super::options::Options;
use super::{ApiCall, ScalePaths, Target, TranslatedCall, custom, event, part_of_subresource, subresource};
use crate::command::{PatchType, Validation};
use crate::merge::{
    has_bad_retain_keys, invalid_directive_error, item_without_merge_key, json_merge, json_patch, strategic_merge,
};
use crate::scale::{has_scale, scale_of};
use crate::write::manifest_reader::without_fields;
use crate::write::patch::check_convertible;

/// Content-Type of server-side apply.
const APPLY_MEDIA_TYPE: &str = "application/apply-patch+yaml";
/// A patch as the client sent it, of a type other than server-side apply.
#[derive(Debug, Clone)]
struct SentPatch {
    patch_type: PatchType,
    tree: Value,
    validation: Validation,
    kind: Kind,
    /// The kind in the API version of the URL.
    served: ServedKind,
}

/// Translates a PATCH of any type.
pub(super) fn translate_patch(
    call: &ApiCall,
    target: &Target,
    options: &Options,
    objects: &Objects,
) -> Result<TranslatedCall, ApiError> {
    if target.is_collection() {
        return Err(ApiError::method_not_allowed());
    }
    let is_custom = matches!(target.kind, Kind::Custom(_));
    let patch_type = match call.media_type() {
        APPLY_MEDIA_TYPE => return translate_apply(call, target, options, objects),
        "application/json-patch+json" => PatchType::Json,
        "application/merge-patch+json" => PatchType::Merge,
        "application/strategic-merge-patch+json" if !is_custom => PatchType::Strategic,
        _ if is_custom => return Err(ApiError::unsupported_media_type(custom::STRATEGIC_PATCH_UNSUPPORTED)),
        _ => {
            return Err(ApiError {
                resource: Some(Default::default()),
                ..ApiError::unsupported_media_type("415: Unsupported Media Type")
            });
        }
    };
    if options.force.is_some() {
        let why = Cause::new("force", "Forbidden: may not be specified for non-apply patch")
            .with_reason("FieldValueForbidden");
        return Err(ApiError::invalid_of("PatchOptions.meta.k8s.io", "", vec![why]));
    }
    let given = SentPatch {
        patch_type,
        tree: parse_patch(&call.body, patch_type)?,
        validation: options.validation,
        kind: target.kind,
        served: target.served,
    };
    let live = objects.get_kind(target.kind, &target.key);
    let warnings = match &live {
        Some(live) if is_custom && target.subresource != "scale" => given.unknown_custom_fields(live, objects)?,
        Some(live) if target.subresource.is_empty() => given.unknown_fields(live),
        _ => Vec::new(),
    };
    let paths = ScalePaths::of(target.kind, objects);
    let (part, change) = match target.subresource.as_str() {
        "scale" if has_scale(target.kind) || paths.is_some() => {
            let manager = options.manager.clone();
            let change = Mutation::from_fallible(manager, move |live| given.apply_to_scale(live, paths.as_ref()))
                .with_subresource("scale");
            (Part::Main, change)
        }
        subresource => {
            let part = part_of_subresource(target.kind, subresource, objects);
            let part = part.ok_or_else(|| super::no_subresource(target.kind, &target.key.name))?;
            let change = Mutation::from_fallible(options.manager.clone(), move |live| given.apply_to(live));
            (part, change)
        }
    };
    Ok(TranslatedCall {
        requests: vec![Request::Patch {
            kind: target.kind,
            key: target.key.clone(),
            uid: None,
            part,
            change,
        }],
        warnings,
    })
}

/// Parses a patch and checks that it has the structure of its type: a list for a JSON patch, otherwise an object.
fn parse_patch(text: &str, patch_type: PatchType) -> Result<Value, ApiError> {
    let tree = parse_json(text).map_err(|why| match patch_type {
        PatchType::Strategic => ApiError::bad_request(why),
        PatchType::Json | PatchType::Merge => ApiError::bad_request(format!("error decoding patch: {why}")),
    })?;
    match (patch_type, &tree) {
        (PatchType::Json, Value::Array(_)) | (PatchType::Strategic | PatchType::Merge, Value::Object(_)) => Ok(tree),
        (PatchType::Json, other) => Err(ApiError::bad_request(format!(
            "error decoding patch: json: cannot unmarshal {} into Go value of type []handlers.jsonPatchOp",
            json_value_go_type(other)
        ))),
        (PatchType::Merge, Value::Null) => Err(ApiError::bad_request("Invalid JSON Patch")),
        (PatchType::Merge, other) => Err(ApiError::bad_request(format!(
            "error decoding patch: json: cannot unmarshal {} into Go value of type map[string]interface {{}}",
            json_value_go_type(other)
        ))),
        (PatchType::Strategic, other) => Err(ApiError::bad_request(format!(
            "json: cannot unmarshal {} into Go value of type map[string]interface {{}}",
            json_value_go_type(other)
        ))),
    }
}

impl SentPatch {
    /// Applies the patch to a JSON value.
    fn apply_to_value(&self, before: &Value) -> Result<Value, ApiError> {
        match self.patch_type {
            PatchType::Strategic => match item_without_merge_key(before, &self.tree) {
                _ if has_bad_retain_keys(&self.tree) => {
                    Err(ApiError::bad_request("invalid patch format of retainKeys"))
                }
                Some((item, key)) => {
                    let item = crate::gotext::go_value_text(&item);
                    let why = format!("map: {item} does not contain declared merge key: {key}");
                    Err(ApiError::without_reason(why))
                }
                None => match invalid_directive_error(before, &self.tree) {
                    Some(why) => Err(ApiError::without_reason(why)),
                    None => Ok(strategic_merge(before, &self.tree)),
                },
            },
            PatchType::Merge => Ok(json_merge(before, &self.tree)),
            PatchType::Json => json_patch(before, &self.tree).map_err(|_| ApiError::patch_not_applicable()),
        }
    }

    /// Applies the patch to the live object.
    fn apply_to(&self, live: &Object) -> Result<Object, ApiError> {
        let kind = live.kind();
        let mut patched = self.apply_to_value(&self.to_served_version(live))?;
        check_identity(live, &patched)?;
        let whole = patched.clone();
        let managers = take_sent_managers(live, &mut patched);
        let with_managers = |mut object: Object| {
            object.metadata_mut().managers = managers;
            object
        };
        if let Kind::Custom(_) = kind {
            let object = custom::decode_object(self.kind, &patched).map_err(ApiError::bad_request)?;
            return Ok(with_managers(object));
        }
        if let Some(why) = self.version_error(&patched) {
            return Err(self.invalid_object_error(&whole, &Rejection::Type(why)));
        }
        let stored = podscope_api::stored_form(self.served.api_version, self.served.kind, || patched.clone());
        if let Some((_, stored)) = stored {
            patched = stored;
        }
        match self.check_decodable(kind, &patched) {
            Ok(()) => {}
            Err(why @ Rejection::Unknown(_)) if self.validation == Validation::Strict => {
                return Err(self.invalid_object_error(&whole, &why));
            }
            Err(Rejection::Unknown(fields)) => patched = without_fields(&patched, &fields),
            Err(why) => return Err(self.invalid_object_error(&whole, &why)),
        }
        let object = podscope_api::object_from_value(&patched).map_err(|errors| {
            let first = errors.into_iter().next();
            ApiError::bad_request(first.map_or_else(String::new, |error| error.message))
        })?;
        event::check_event(self.served.api_version, Some(live), &object)?;
        Ok(with_managers(object))
    }

    /// Checks a patched object as the API server does: the result of a strategic patch is converted, the result of
    /// other patches is decoded.
    fn check_decodable(&self, kind: Kind, patched: &Value) -> Result<(), Rejection> {
        match (self.patch_type, schema::served(kind.api_version(), kind.name())) {
            (PatchType::Json | PatchType::Merge, Some(served)) => {
                schema::decode_object(served.fields, &Tree::from_value(patched))
            }
            _ => check_convertible(kind, patched),
        }
    }

    /// Applies the patch to the object's `Scale`, and sets the resulting number of replicas in the object.
    fn apply_to_scale(&self, live: &Object, paths: Option<&ScalePaths>) -> Result<Object, ApiError> {
        let before = paths.map_or_else(|| Ok(scale_of(live)), |paths| paths.scale(live))?;
        let scale = self.apply_to_value(&before)?;
        check_identity(live, &scale)?;
        subresource::with_replicas(live, &scale, paths)
    }

    /// Returns the live object as a JSON value in the API version of the patch.
    fn to_served_version(&self, live: &Object) -> Value {
        let mut value = crate::get::printed_value(live, true);
        if let Kind::Custom(_) = self.kind {
            value["apiVersion"] = self.kind.api_version().into();
            return value;
        }
        podscope_api::served_form(self.served.api_version, self.served.kind, value)
    }

    /// Returns the decoder's error if the patched object has another API version or kind that the server does not
    /// serve.
    fn version_error(&self, patched: &Value) -> Option<String> {
        let text = |field: &str| patched.get(field).and_then(Value::as_str).unwrap_or_default();
        let (version, kind) = (text("apiVersion"), text("kind"));
        let is_served = schema::served(version, kind).is_some();
        let why = || {
            format!(
                "no kind {kind:?} is registered for version {version:?} in scheme \"pkg/api/legacyscheme/scheme.go:30\""
            )
        };
        (!is_served && (version, kind) != (self.served.api_version, self.served.kind)).then(why)
    }

    /// Applies the patch to a custom object, and returns warnings about fields of the result that its schema does not
    /// define; an error if validation is strict.
    fn unknown_custom_fields(&self, live: &Object, objects: &Objects) -> Result<Vec<String>, ApiError> {
        let patched = self.apply_to_value(&self.to_served_version(live))?;
        let unknown = match custom::unknown_fields(self.kind, &patched, objects) {
            Ok(unknown) => unknown,
            Err(why) => return Err(self.invalid_object_error(&patched, &why)),
        };
        match self.validation {
            Validation::Strict if !unknown.is_empty() => {
                Err(self.invalid_object_error(&patched, &Rejection::Unknown(unknown)))
            }
            Validation::Warn => Ok(unknown.iter().map(|field| schema::unknown_field(field)).collect()),
            _ => Ok(Vec::new()),
        }
    }

    /// Applies the patch to an object, and returns warnings about unknown fields of the result, if the request asks for
    /// warnings.
    fn unknown_fields(&self, live: &Object) -> Vec<String> {
        if self.served.api_version != live.kind().api_version() {
            return Vec::new();
        }
        let patched = self.apply_to_value(&live.to_value());
        let convertible = |mut patched: Value| {
            take_sent_managers(live, &mut patched);
            self.check_decodable(live.kind(), &patched)
        };
        match patched.map(convertible) {
            Ok(Err(Rejection::Unknown(fields))) if self.validation == Validation::Warn => {
                fields.iter().map(|field| schema::unknown_field(field)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Returns the error for an invalid patched object. The server prints a strategic patch as a Go map, and the result
    /// of other patches as JSON. In that JSON, maps on the path of a changed field are sorted; others have the field
    /// order of the Go struct.
    fn invalid_object_error(&self, patched: &Value, why: &Rejection) -> ApiError {
        let shown = match self.patch_type {
            PatchType::Strategic => crate::gotext::go_value_text(&self.tree),
            PatchType::Json | PatchType::Merge if matches!(self.kind, Kind::Custom(_)) => crate::gotext::json(patched),
            PatchType::Json => with_sorted_keys(patched, &patched_maps(&self.tree)).to_string(),
            PatchType::Merge => with_sorted_keys(patched, &self.tree).to_string(),
        };
        let cause = Cause::new("patch", format!("Invalid value: {shown:?}: {why}")).with_reason("FieldValueInvalid");
        ApiError::invalid_of("", "", vec![cause])
    }
}

/// Sorts the keys of the maps in `value` that are on the path of a field that the patch changes.
fn with_sorted_keys(value: &Value, patch: &Value) -> Value {
    match (value, patch) {
        (Value::Object(map), Value::Object(patch)) => {
            let entries = crate::gotext::sorted_entries(map).into_iter();
            let entries = entries.map(|(key, value)| {
                let inner = patch.get(key).unwrap_or(&Value::Null);
                (key.clone(), with_sorted_keys(value, inner))
            });
            Value::Object(entries.collect())
        }
        _ => value.clone(),
    }
}

/// Converts a JSON patch to nested maps with the parent path of each operation: the path `/spec/a/b` gives
/// `{"spec":{"a":{}}}`.
fn patched_maps(operations: &Value) -> Value {
    let mut patched_maps = Value::Object(Default::default());
    let operations = operations.as_array().into_iter().flatten();
    let pointers = operations.flat_map(|operation| [operation.get("path"), operation.get("from")]);
    for pointer in pointers.flatten().filter_map(Value::as_str) {
        let mut map_at_path = &mut patched_maps;
        let parents = pointer.rsplit_once('/').map_or("", |(parents, _)| parents);
        for part in parents.split('/').skip(1) {
            let key = part.replace("~1", "/").replace("~0", "~");
            let Some(map) = map_at_path.as_object_mut() else { break };
            map_at_path = map.entry(key).or_insert_with(|| Value::Object(Default::default()));
        }
    }
    patched_maps
}

/// Checks that a patch does not change the object's name, namespace, UID or resourceVersion.
fn check_identity(live: &Object, patched: &Value) -> Result<(), ApiError> {
    let metadata = live.metadata();
    check_name(patched, &metadata.name)?;
    let namespace = patched.pointer("/metadata/namespace").and_then(Value::as_str);
    if namespace.unwrap_or_default() != &*metadata.namespace {
        return Err(ApiError::bad_request(
            "the namespace of the provided object does not match the namespace sent on the request",
        ));
    }
    ApiError::check_uid_and_resource_version(live, patched)
}

/// Removes `managedFields` from a patched object. Returns the field managers if the patch changed them.
fn take_sent_managers(live: &Object, patched: &mut Value) -> FieldManagers {
    let metadata = patched.get_mut("metadata").and_then(Value::as_object_mut);
    let sent = metadata.and_then(|metadata| metadata.shift_remove("managedFields"));
    match sent {
        Some(sent) if Some(&sent) != live.metadata().managers.to_value(live).as_ref() => {
            FieldManagers::from_client(&sent)
        }
        _ => FieldManagers::default(),
    }
}

/// Translates a server-side apply.
fn translate_apply(
    call: &ApiCall,
    target: &Target,
    options: &Options,
    objects: &Objects,
) -> Result<TranslatedCall, ApiError> {
    if !options.has_manager {
        let why =
            Cause::new("fieldManager", "Required value: is required for apply patch").with_reason("FieldValueRequired");
        return Err(ApiError::invalid_of("PatchOptions.meta.k8s.io", "", vec![why]));
    }
    let is_scale = target.subresource == "scale";
    if !is_scale {
        part_of_subresource(target.kind, &target.subresource, objects).ok_or_else(ApiError::no_such_resource)?;
    }
    let (mut document, warnings) = applied_document(&call.body, options.validation)?;
    let served = match is_scale {
        true => ("autoscaling/v1", "Scale"),
        false => (target.served.api_version, target.served.kind),
    };
    check_served_kind(&document, served, target)?;
    if document
        .pointer("/metadata/managedFields")
        .is_some_and(|entries| !entries.is_null())
    {
        return Err(ApiError::bad_request("metadata.managedFields must be nil"));
    }
    check_name(&document, &target.key.name)?;
    if target.kind.is_namespaced() {
        let namespace = document.pointer("/metadata/namespace").and_then(Value::as_str);
        if namespace.is_some_and(|namespace| !namespace.is_empty() && *namespace != *target.key.namespace) {
            return Err(ApiError::bad_request(
                "the namespace of the provided object does not match the namespace sent on the request",
            ));
        }
    }
    if is_scale {
        document = subresource::scaled_document(&document, target, objects)?;
    }
    if matches!(target.kind, Kind::Event | Kind::HorizontalPodAutoscaler)
        && let Some((_, stored)) =
            podscope_api::stored_form(target.served.api_version, target.served.kind, || document.clone())
    {
        document = stored;
    }
    document.sort_all_objects();
    Ok(TranslatedCall {
        requests: vec![Request::Apply(Arc::new(ApplyRequest {
            kind: target.kind,
            key: target.key.clone(),
            document,
            manager: options.manager.as_str().into(),
            subresource: target.subresource.as_str().into(),
            force: options.force == Some(true),
        }))],
        warnings,
    })
}

/// Decodes an apply patch. Strict decoding refuses duplicate keys; otherwise the last value is used.
fn applied_document(text: &str, validation: Validation) -> Result<(Value, Vec<String>), ApiError> {
    let (value, duplicates) = match super::duplicates::parse_yaml_or_json(text) {
        Ok(read) => read,
        Err(why) => {
            let why = format!("error decoding YAML: error converting YAML to JSON: yaml: {why}");
            return Err(ApiError::bad_request(why));
        }
    };
    if validation == Validation::Strict && !duplicates.is_empty() {
        let lines = duplicates.join("\n  ");
        return Err(ApiError::bad_request(format!(
            "error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  {lines}"
        )));
    }
    if !value.is_object() {
        let of = json_value_go_type(&value);
        return Err(ApiError::bad_request(format!(
            "error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal {of} into Go value of type map[string]interface {{}}"
        )));
    }
    let warnings = if validation == Validation::Warn {
        duplicates
    } else {
        Vec::new()
    };
    Ok((value, warnings))
}

/// Returns an error for a document whose kind is not the kind of the URL.
fn check_served_kind(document: &Value, served: (&str, &str), target: &Target) -> Result<(), ApiError> {
    let text = |field: &str| document.get(field).and_then(Value::as_str).unwrap_or_default();
    let (version, kind) = (text("apiVersion"), text("kind"));
    if (version, kind) == served {
        return Ok(());
    }
    if schema::served(version, kind).is_none_or(|other| other.kind != served.1) {
        let (group, version) = version.rsplit_once('/').unwrap_or(("", version));
        return Err(ApiError::bad_request(format!(
            "invalid object type: {group}/{version}, Kind={kind}"
        )));
    }
    check_kind(document, served.0, served.1, target.kind.name())
}
