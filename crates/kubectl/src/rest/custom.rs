//! Custom objects in HTTP requests: decodes bodies, and converts between objects and the `scale` subresource by the
//! paths in the CustomResourceDefinition (P-12).

use podscope_api::schema::{self, Rejection};
use podscope_api::{Kind, Object, ObjectKey, Tree};
use podscope_cluster::{ApiError, Cause, Objects, Request};
use serde_json::{Map, Value, json};

use super::Target;
use super::body::BodyObject;
use super::options::Options;
use crate::command::Validation;

/// The server's error for a strategic merge patch of a custom object.
pub(crate) const STRATEGIC_PATCH_UNSUPPORTED: &str = "the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml";

/// Returns the fields that the schema of the object's kind does not define, including fields of `metadata`, sorted.
pub(crate) fn unknown_fields(kind: Kind, object: &Value, objects: &Objects) -> Result<Vec<String>, Rejection> {
    let map = object.as_object().cloned().unwrap_or_default();
    let (envelope, mut fields): (Map<String, Value>, Map<String, Value>) = map
        .into_iter()
        .partition(|(name, _)| matches!(name.as_str(), "apiVersion" | "kind" | "metadata"));
    let envelope = Value::Object(envelope);
    let served = podscope_api::schema::served_custom_kind(kind);
    let mut unknown = match podscope_api::schema::decode_object(served.fields, &Tree::from_value(&envelope)) {
        Ok(()) => Vec::new(),
        Err(Rejection::Unknown(fields)) => fields,
        Err(why) => return Err(why),
    };
    let dropped = objects.with_version(kind, |version| {
        podscope_api::structural::prune(&mut fields, version.schema())
    });
    unknown.extend(dropped.unwrap_or_default());
    unknown.sort_unstable();
    Ok(unknown)
}

/// Checks that a body has the version and the kind of the URL (HT-159).
///
/// # Errors
/// 400 for another version, 422 for another kind.
pub(super) fn check_kind(value: &Value, target: &Target) -> Result<(), ApiError> {
    let text = |field: &str| value[field].as_str().unwrap_or_default();
    let (version, kind) = (target.served.api_version, target.served.kind);
    let given = text("apiVersion");
    if !given.is_empty() && given != version {
        return Err(ApiError::bad_request(format!(
            "the API version in the data ({given}) does not match the expected API version ({version})"
        )));
    }
    let other = text("kind");
    if !other.is_empty() && other != kind {
        let group = version.split_once('/').map_or("", |(group, _)| group);
        let name = value["metadata"]["name"].as_str().unwrap_or_default();
        let why = Cause::new("kind", format!("Invalid value: {other:?}: must be {kind}"));
        let causes = vec![why.with_reason("FieldValueInvalid")];
        return Err(ApiError::invalid_of(&format!("{other}.{group}"), name, causes));
    }
    Ok(())
}

/// Decodes the JSON of a custom object.
pub(super) fn read_custom_object(
    value: &Value,
    key: ObjectKey,
    target: &Target,
    options: &Options,
    objects: &Objects,
) -> BodyObject {
    let kind = target.kind;
    let malformed = |why: Rejection| {
        BodyObject::Malformed(Request::Malformed {
            kind,
            key: key.clone(),
            why,
        })
    };
    let unknown = match unknown_fields(kind, value, objects) {
        Ok(unknown) => unknown,
        Err(why) => return malformed(why),
    };
    if options.validation == Validation::Strict && !unknown.is_empty() {
        return malformed(Rejection::Unknown(unknown));
    }
    let warnings = match options.validation {
        Validation::Warn => unknown.iter().map(|field| schema::unknown_field(field)).collect(),
        _ => Vec::new(),
    };
    match decode_object(kind, value) {
        Ok(mut object) => {
            object.metadata_mut().namespace = key.namespace.clone();
            BodyObject::Object { object, warnings }
        }
        Err(why) => malformed(Rejection::Type(why)),
    }
}

/// Decodes an object of a kind.
///
/// # Errors
/// The first error in its metadata.
pub(crate) fn decode_object(kind: Kind, value: &Value) -> Result<Object, String> {
    podscope_api::object_from_tree(kind, &Tree::from_value(value)).map_err(|errors| {
        errors
            .into_iter()
            .next()
            .map_or_else(String::new, |error| error.message)
    })
}

/// Paths of the `scale` subresource in a CustomResourceDefinition.
#[derive(Debug, Clone)]
pub struct ScalePaths {
    /// JSON pointer to the desired number of replicas.
    spec_replicas: String,
    /// JSON pointer to the actual number of replicas.
    status_replicas: String,
    /// JSON pointer to the label selector in the status.
    selector: Option<String>,
    /// The path of the desired number of replicas as the definition writes it, for errors.
    spec_path_text: String,
}

/// Converts a JSONPath of plain field names to a JSON pointer.
pub(crate) fn json_pointer_of_path(path: &str) -> String {
    path.replace('.', "/")
}

impl ScalePaths {
    /// Returns the paths of a kind; `None` if it has no `scale` subresource.
    #[must_use]
    pub fn of(kind: Kind, objects: &Objects) -> Option<ScalePaths> {
        objects
            .with_version(kind, |version| {
                let scale = version.scale()?;
                let path = |field: &str| scale.get(field).and_then(Value::as_str);
                Some(ScalePaths {
                    spec_replicas: json_pointer_of_path(path("specReplicasPath")?),
                    status_replicas: json_pointer_of_path(path("statusReplicasPath")?),
                    selector: path("labelSelectorPath").map(json_pointer_of_path),
                    spec_path_text: path("specReplicasPath")?.to_owned(),
                })
            })
            .flatten()
    }

    /// Returns the path of the desired number of replicas as field names with slashes: `spec/replicas`.
    pub(super) fn spec_replicas_path(&self) -> String {
        self.spec_replicas.trim_start_matches('/').to_owned()
    }

    /// Creates the `Scale` of an object.
    ///
    /// # Errors
    /// The object has no desired number of replicas.
    pub fn scale(&self, object: &Object) -> Result<Value, ApiError> {
        let whole = object.to_value();
        let number = |at: &str| whole.pointer(at).and_then(Value::as_i64);
        let replicas = number(&self.spec_replicas).ok_or_else(|| {
            let why = format!("the spec replicas field {:?} does not exist", self.spec_path_text);
            ApiError {
                causes: vec![Cause::new("", why.clone())],
                ..ApiError::internal(format!("Internal error occurred: {why}"))
            }
        })?;
        let selector = self.selector.as_deref().and_then(|at| whole.pointer(at)?.as_str());
        let fields = ["name", "namespace", "uid", "resourceVersion", "creationTimestamp"];
        let found = number(&self.status_replicas).unwrap_or(0);
        Ok(crate::scale::scale_value(&whole, fields, (replicas, found), selector))
    }

    /// Creates a merge patch that sets the desired number of replicas.
    pub(crate) fn patch(&self, replicas: i64) -> Value {
        let mut patch = Value::Null;
        set_at_path(&mut patch, &self.spec_replicas_path(), replicas.into());
        patch
    }

    /// Returns the object with another desired number of replicas.
    pub(super) fn with_replicas(&self, live: &Object, replicas: i64) -> Result<Object, ApiError> {
        let mut value = live.to_value();
        set_at_path(&mut value, self.spec_replicas.trim_start_matches('/'), replicas.into());
        decode_object(live.kind(), &value).map_err(ApiError::bad_request)
    }
}

/// Sets the value at a path of field names; creates missing objects on the path.
pub(super) fn set_at_path(value: &mut Value, path: &str, new: Value) {
    let (field, rest) = path
        .split_once('/')
        .map_or((path, None), |(field, rest)| (field, Some(rest)));
    if !value.is_object() {
        *value = json!({});
    }
    match rest {
        Some(rest) => set_at_path(&mut value[field], rest, new),
        None => value[field] = new,
    }
}
