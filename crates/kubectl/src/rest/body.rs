//! Decodes JSON and YAML bodies like the API server, with its error messages (HT-050, VA-234 to VA-252).

use podscope_api::schema::{self, Rejection};
use podscope_api::{Kind, Object, ObjectKey, Tree};
use podscope_cluster::{ApiError, Objects, Request};
use serde_json::Value;

use super::options::{Options, clears_managers};
use super::{ApiCall, Target, custom, duplicates};
use crate::command::Validation;
use crate::write::manifest_reader::{Document, ManifestItem};

/// Error message for unsupported values of Content-Type (HT-001).
pub(super) const UNSUPPORTED_CONTENT_TYPE: &str = "the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf";

/// The object in the body of a request, or the request that reports why it cannot be decoded.
pub(super) enum BodyObject {
    Object {
        object: Object,
        /// Warnings about unknown fields, if the request asks for warnings.
        warnings: Vec<String>,
    },
    /// The API server's decoder refuses the body.
    Malformed(Request),
}

/// The body of a request, decoded from JSON or YAML.
pub(super) struct DecodedBody {
    pub(super) value: Value,
    /// Warnings about fields that occur more than once.
    duplicates: Vec<String>,
    is_yaml: bool,
}

/// Decodes a body.
///
/// # Errors
/// The errors of [`decode_with_duplicates`].
pub(super) fn decode(call: &ApiCall, kind: &str) -> Result<Value, ApiError> {
    decode_with_duplicates(call, kind).map(|sent| sent.value)
}

/// Decodes a body and finds duplicate fields.
///
/// # Errors
/// The body is neither JSON nor YAML, its Content-Type is not supported, or it is not a map.
pub(super) fn decode_with_duplicates(call: &ApiCall, kind: &str) -> Result<DecodedBody, ApiError> {
    let unreadable = |why: String, shown: &str| {
        ApiError::bad_request(format!(
            "the object provided is unrecognized (must be of type {kind}): {why} ({shown})"
        ))
    };
    match call.media_type() {
        "" | "application/json" => {
            let shown = if call.body.is_empty() {
                "<empty>".to_owned()
            } else {
                hex_of_first_bytes(call.body.trim_end())
            };
            let (value, duplicates) = parse_json_with_duplicates(&call.body)
                .map_err(|why| unreadable(format!("couldn't get version/kind; json parse error: {why}"), &shown))?;
            match &value {
                Value::Object(_) => Ok(DecodedBody {
                    value,
                    duplicates: duplicates
                        .iter()
                        .map(|field| format!("duplicate field {field:?}"))
                        .collect(),
                    is_yaml: false,
                }),
                other => {
                    let of = json_value_go_type(other);
                    let why = format!(
                        "couldn't get version/kind; json parse error: json: cannot unmarshal {of} into Go value of type struct {{ APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; Kind string \"json:\\\"kind,omitempty\\\"\" }}"
                    );
                    Err(unreadable(why, &shown))
                }
            }
        }
        "application/yaml" => match duplicates::parse_yaml_or_json(&call.body) {
            Ok((value, duplicates)) => Ok(DecodedBody {
                value,
                duplicates,
                is_yaml: true,
            }),
            Err(why) => Err(unreadable(format!("yaml: {why}"), &hex_of_first_bytes(&call.body))),
        },
        _ => Err(ApiError::unsupported_media_type(UNSUPPORTED_CONTENT_TYPE)),
    }
}

/// Formats the first thirty bytes in hexadecimal, as the server prints a body that it cannot decode.
fn hex_of_first_bytes(text: &str) -> String {
    let bytes = text.as_bytes();
    let shown: String = bytes.iter().take(30).map(|byte| format!("{byte:02x}")).collect();
    if bytes.len() > 30 {
        format!("{shown} ...")
    } else {
        shown
    }
}

/// Parses JSON, with Go's error messages.
pub(super) fn parse_json(text: &str) -> Result<Value, String> {
    parse_json_with_duplicates(text).map(|(value, _)| value)
}

/// Parses JSON and finds the paths of duplicate fields.
fn parse_json_with_duplicates(text: &str) -> Result<(Value, Vec<String>), String> {
    duplicates::parse_json(text).map_err(|error| {
        if error.is_eof() || text.is_empty() {
            return "unexpected end of JSON input".to_owned();
        }
        let line = text.lines().nth(error.line().saturating_sub(1)).unwrap_or_default();
        let found = line.chars().nth(error.column().saturating_sub(1)).unwrap_or('\n');
        format!("invalid character {found:?} looking for beginning of value")
    })
}

/// Returns Go's name for the type of a JSON value, as in Go's type errors.
pub(super) fn json_value_go_type(value: &Value) -> &'static str {
    match value {
        Value::Array(_) => "array",
        Value::String(_) => "string",
        Value::Number(_) => "number",
        Value::Bool(_) => "bool",
        Value::Null => "null",
        Value::Object(_) => "object",
    }
}

/// Returns the string at a JSON pointer; empty if there is none.
fn string_at_pointer<'v>(value: &'v Value, pointer: &str) -> &'v str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// Checks that the body names the same object as the URL (HT-081).
///
/// # Errors
/// The body has no name, or another name.
pub(super) fn check_name(value: &Value, name: &str) -> Result<(), ApiError> {
    match string_at_pointer(value, "/metadata/name") {
        "" => Err(ApiError::bad_request(format!(
            "the name of the object ({name} based on URL) was undeterminable: name must be provided"
        ))),
        other if other != name => Err(ApiError::bad_request(format!(
            "the name of the object ({other}) does not match the name on the URL ({name})"
        ))),
        _ => Ok(()),
    }
}

/// Converts a decoded body to an object of the target. Duplicate fields are refused by strict decoding; otherwise they
/// produce warnings.
pub(super) fn read_body(
    sent: &DecodedBody,
    target: &Target,
    options: &Options,
    objects: &Objects,
) -> Result<BodyObject, ApiError> {
    let value = &sent.value;
    let duplicates = &sent.duplicates;
    if options.validation == Validation::Strict && !duplicates.is_empty() {
        check_kind(value, target.served.api_version, target.served.kind, target.kind.name())?;
        let list = match sent.is_yaml {
            true => format!("yaml: unmarshal errors:\n  {}", duplicates.join("\n  ")),
            false => duplicates.join(", "),
        };
        let why = Rejection::Type(format!("strict decoding error: {list}"));
        let (kind, key) = (target.kind, target.key.clone());
        return Ok(BodyObject::Malformed(Request::Malformed { kind, key, why }));
    }
    let mut read = read_value(value, target, options, objects)?;
    if let (Validation::Warn, BodyObject::Object { warnings, .. }) = (options.validation, &mut read) {
        warnings.splice(0..0, duplicates.iter().cloned());
    }
    Ok(read)
}

/// Converts a value to an object of the target; `apiVersion` and `kind` may be missing.
///
/// # Errors
/// The value has another kind or another namespace.
pub(super) fn read_value(
    value: &Value,
    target: &Target,
    options: &Options,
    objects: &Objects,
) -> Result<BodyObject, ApiError> {
    match target.kind {
        Kind::Custom(_) => custom::check_kind(value, target)?,
        _ => check_kind(value, target.served.api_version, target.served.kind, target.kind.name())?,
    }
    let mut value = value.clone();
    value["apiVersion"] = target.served.api_version.into();
    value["kind"] = target.served.kind.into();
    if clears_managers(&value)
        && let Some(metadata) = value["metadata"].as_object_mut()
    {
        metadata.shift_remove("managedFields");
    }
    let namespace = string_at_pointer(&value, "/metadata/namespace");
    if target.kind.is_namespaced() && !namespace.is_empty() && *namespace != *target.key.namespace {
        return Err(ApiError::bad_request(
            "the namespace of the provided object does not match the namespace sent on the request",
        ));
    }
    let key = ObjectKey::new(
        target.key.namespace.clone(),
        string_at_pointer(&value, "/metadata/name"),
    );
    if let Kind::Custom(_) = target.kind {
        return Ok(custom::read_custom_object(&value, key, target, options, objects));
    }
    let tree = Tree::from_value(&value);
    let document = Document::of_request_body(&tree, target.served, key).ok_or_else(ApiError::no_such_resource)?;
    Ok(match document.decode_item(options.validation) {
        ManifestItem::Object { object, unknown, .. } => BodyObject::Object {
            object,
            warnings: unknown.iter().map(|field| schema::unknown_field(field)).collect(),
        },
        ManifestItem::Malformed { kind, key, why, .. } => BodyObject::Malformed(Request::Malformed { kind, key, why }),
        ManifestItem::Binding { .. } => return Err(ApiError::method_not_allowed()),
    })
}

/// Checks that the body has the kind of the URL.
///
/// # Errors
/// The body has another kind or API version.
pub(super) fn check_kind(value: &Value, version: &str, kind: &str, internal: &str) -> Result<(), ApiError> {
    let (own_version, own) = (
        string_at_pointer(value, "/apiVersion"),
        string_at_pointer(value, "/kind"),
    );
    let group = |version: &str| {
        version
            .rsplit_once('/')
            .map_or_else(String::new, |(group, _)| group.to_owned())
    };
    let last = |version: &str| version.rsplit('/').next().unwrap_or_default().to_owned();
    if own_version.is_empty() && own.is_empty() || (own_version, own) == (version, kind) {
        return Ok(());
    }
    let given = if own_version.is_empty() { version } else { own_version };
    let own = if own.is_empty() { kind } else { own };
    if (given, own) == (version, kind) {
        return Ok(());
    }
    if group(given) != group(version) && given.contains('/') {
        return Err(ApiError::bad_request(format!(
            "the API version in the data ({given}) does not match the expected API version ({version})"
        )));
    }
    let why = if schema::served(given, own).is_some() || own == "List" {
        let package = match group(version).as_str() {
            "" => "core".to_owned(),
            group => group.split('.').next().unwrap_or_default().to_owned(),
        };
        format!(
            "converting ({}.{own}) to ({package}.{internal}): unknown conversion",
            last(given)
        )
    } else {
        format!("no kind {own:?} is registered for version {given:?} in scheme \"pkg/api/legacyscheme/scheme.go:30\"")
    };
    let version = last(given);
    Err(ApiError::bad_request(format!(
        "{own} in version {version:?} cannot be handled as a {internal}: {why}"
    )))
}
