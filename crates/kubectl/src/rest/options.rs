//! Query parameters of writes: `dryRun`, `fieldManager`, `fieldValidation`, `force` (HT-067 to HT-070).

use std::sync::Arc;

use podscope_api::Object;
use podscope_api::managed::{FieldManager, FieldManagers};
use podscope_cluster::{ApiError, Cause, Request};
use serde_json::{Value, json};

use super::{Method, Query};
use crate::command::Validation;

/// Maximum length of the name of a field manager, in bytes.
const MAX_MANAGER_LENGTH: usize = 128;
/// Field manager of a client without a User-Agent header.
const UNKNOWN_MANAGER: &str = "unknown";

/// Options of a write in its query parameters.
#[derive(Debug, Clone)]
pub(super) struct Options {
    pub(super) is_dry_run: bool,
    pub(super) manager: String,
    /// Whether `fieldManager` was given; an apply patch requires it.
    pub(super) has_manager: bool,
    pub(super) validation: Validation,
    pub(super) force: Option<bool>,
}

/// Returns the error cause for a value that is not one of the supported values.
pub(super) fn unsupported_value_cause(field: &str, value: &str, known: &str) -> Cause {
    Cause::new(field, format!("Unsupported value: {value}: supported values: {known}"))
        .with_reason("FieldValueNotSupported")
}

impl Options {
    /// Parses the parameters.
    ///
    /// # Errors
    /// Error 422 with all invalid parameters.
    pub(super) fn of(method: Method, query: &Query) -> Result<Options, ApiError> {
        let mut causes = Vec::new();
        let dry_run: Vec<&str> = query.all("dryRun").collect();
        causes.extend(dry_run_causes(&dry_run));
        let manager = query.get("fieldManager").unwrap_or_default();
        if manager.len() > MAX_MANAGER_LENGTH {
            causes.push(
                Cause::new(
                    "fieldManager",
                    format!("Too long: may not be more than {MAX_MANAGER_LENGTH} bytes"),
                )
                .with_reason("FieldValueTooLong"),
            );
        }
        if let Some(odd) = manager.chars().find(|letter| letter.is_control()) {
            let why = format!("Invalid value: {manager:?}: should only contain printable characters, found {odd:?}");
            causes.push(Cause::new("fieldManager", why).with_reason("FieldValueInvalid"));
        }
        let validation = match query.get("fieldValidation").unwrap_or_default() {
            "" | "Warn" => Validation::Warn,
            "Ignore" => Validation::Ignore,
            "Strict" => Validation::Strict,
            other => {
                let known = "\"Ignore\", \"Strict\", \"Warn\"";
                causes.push(unsupported_value_cause("fieldValidation", &format!("{other:?}"), known));
                Validation::Warn
            }
        };
        let kind = match method {
            Method::Post => "CreateOptions",
            Method::Put => "UpdateOptions",
            Method::Patch => "PatchOptions",
            Method::Delete => "DeleteOptions",
        };
        if !causes.is_empty() {
            return Err(ApiError::invalid_of(&format!("{kind}.meta.k8s.io"), "", causes));
        }
        Ok(Options {
            is_dry_run: !dry_run.is_empty(),
            has_manager: !manager.is_empty(),
            manager: if manager.is_empty() { UNKNOWN_MANAGER } else { manager }.to_owned(),
            validation,
            force: query.get("force").map(|_| query.is_true("force")),
        })
    }

    /// Sets the sender as the object's field manager.
    pub(super) fn set_field_manager(&self, object: &mut Object) {
        object.metadata_mut().managers = FieldManagers::of(vec![FieldManager::of_sender(self.manager.as_str())]);
    }

    /// Like [`Options::set_field_manager`], for an object that replaces a stored object (PUT). The body may ask to
    /// remove all field managers (HT-134).
    pub(super) fn set_field_managers_of_replacement(&self, object: &mut Object, body: &Value) {
        let mut managers = vec![FieldManager::of_sender(self.manager.as_str())];
        if clears_managers(body) {
            managers.push(FieldManager::of_sender(""));
        }
        object.metadata_mut().managers = FieldManagers::of(managers);
    }
}

/// Returns whether the body of a request asks to remove all field managers (HT-134).
pub(super) fn clears_managers(body: &Value) -> bool {
    let sent = body.pointer("/metadata/managedFields").and_then(Value::as_array);
    sent.is_some_and(|sent| sent.is_empty() || *sent == [json!({})])
}

/// Returns the error cause of invalid `dryRun` values.
pub(super) fn dry_run_causes(values: &[&str]) -> Option<Cause> {
    let is_wrong = values.iter().any(|value| *value != "All");
    is_wrong.then(|| {
        let shown: Vec<String> = values.iter().map(|value| format!("{value:?}")).collect();
        unsupported_value_cause("dryRun", &format!("[{}]", shown.join(",")), "\"All\"")
    })
}

/// Converts a request to a dry run.
pub(super) fn as_dry_run(request: Request) -> Request {
    match request {
        // These requests store nothing, or are already dry runs.
        Request::Refused { .. } | Request::Malformed { .. } | Request::DryRun(_) => request,
        request => Request::DryRun(Arc::new(request)),
    }
}
