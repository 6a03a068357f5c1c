//! Custom objects and their CustomResourceDefinitions in the API server.
//!
//! The kind of a custom object contains the version of the request. The schema of that version prunes, defaults and
//! validates the object, which is then stored in the storage version. Conversion between versions has the strategy
//! `None`: fields that the written version does not have are dropped.

use std::sync::Arc;

use podscope_api::custom::{CLEANUP_FINALIZER, Definition};
use podscope_api::{ErrorList, Kind, Object, ObjectKey, UntypedObject};
use podscope_sim::ApiError;
use serde_json::{Value, json};

use super::{ApiServer, Caller, validation_rules};

impl ApiServer {
    /// Checks that objects of the kind can be created.
    ///
    /// # Errors
    /// Returns error 404 if the kind is not served, and error 403 if its definition is being deleted.
    pub(super) fn check_kind_is_served(&self, kind: Kind, name: &str) -> Result<(), ApiError> {
        if !matches!(kind, Kind::Custom(_)) {
            return Ok(());
        }
        let definition = self.objects().definition_of(kind);
        let definition = definition.as_ref().and_then(Definition::of);
        let definition = definition.filter(|definition| definition.is_established());
        let definition = definition.ok_or_else(ApiError::no_such_resource)?;
        if definition.condition("Terminating").is_some() {
            let why = "create not allowed while custom resource definition is terminating";
            return Err(ApiError::forbidden(kind, name, why));
        }
        Ok(())
    }

    /// Returns whether the kind has a status subresource, so that writes of the main resource do not change the status.
    pub(super) fn has_status_subresource(&self, kind: Kind) -> bool {
        self.objects()
            .with_version(kind, |version| version.has_status())
            .unwrap_or(true)
    }

    /// Prunes a custom object and sets defaults, by the schema of the version in which it was sent.
    pub(super) fn prune_and_set_defaults(&self, object: &mut Object) {
        if let Object::Untyped(untyped) = object {
            let kind = untyped.kind;
            self.objects()
                .with_version(kind, |version| version.prune_and_default(Arc::make_mut(untyped)));
        }
    }

    /// Adds the errors of a custom object that violates its schema, or of a definition whose validation rules do not
    /// compile. `old` is the object that `object` replaces.
    pub(super) fn check_schema(&self, object: &Object, old: Option<&Object>, problems: &mut ErrorList) {
        let Object::Untyped(untyped) = object else { return };
        if untyped.kind == Kind::CustomResourceDefinition && problems.is_empty() {
            problems.extend(validation_rules::check_definition(
                untyped,
                old.and_then(Object::as_untyped),
            ));
        }
        let old_fields = old.and_then(Object::as_untyped).map(|untyped| &**untyped);
        self.objects().with_version(untyped.kind, |version| {
            if version.validate(untyped, old_fields, problems) {
                problems.extend(validation_rules::check_validation_rules(object, old, version.schema()));
            }
        });
    }

    /// Converts a custom object to the storage version.
    pub(super) fn convert_to_storage_version(&self, object: &mut Object) {
        let definition = self.objects().definition_of(object.kind());
        let version = definition
            .as_ref()
            .and_then(|object| Definition::of(object)?.storage_version());
        if let (Some(version), Object::Untyped(untyped)) = (version, object) {
            let untyped = Arc::make_mut(untyped);
            let was = untyped.kind.api_version();
            untyped.kind = version.kind();
            if untyped.kind.api_version() != was {
                version.prune_and_default(untyped);
            }
        }
    }
}

/// Returns whether an update of a custom object increments its generation: it changes a field outside the metadata and,
/// if the kind has a status subresource, outside the status.
pub(super) fn increments_generation(old: &Object, new: &Object, has_status: bool) -> bool {
    let (Some(old), Some(new)) = (old.as_untyped(), new.as_untyped()) else {
        return false;
    };
    let differs = |one: &UntypedObject, other: &UntypedObject| {
        let mut fields = one.fields.iter().filter(|(name, _)| !has_status || *name != "status");
        fields.any(|(name, value)| other.fields.get(name) != Some(value))
    };
    differs(old, new) || differs(new, old)
}

/// Sets the initial status of a definition. A controller accepts its names later.
pub(super) fn set_initial_status(definition: &mut UntypedObject) {
    let spec = definition.at("/spec").cloned().unwrap_or_default();
    let status = json!({
        "conditions": null,
        "acceptedNames": {"plural": "", "kind": ""},
        "storedVersions": podscope_api::stored_version(&spec).into_iter().collect::<Vec<_>>(),
    });
    definition.fields.insert("status".to_owned(), status);
}

/// Adds the storage version to `status.storedVersions`.
pub(super) fn add_stored_version(definition: &mut UntypedObject) {
    let spec = definition.at("/spec").cloned().unwrap_or_default();
    let Some(stored) = podscope_api::stored_version(&spec) else {
        return;
    };
    let versions = definition.fields.get_mut("status");
    let versions = versions.and_then(|status| status.get_mut("storedVersions"));
    if let Some(Value::Array(versions)) = versions
        && !versions.iter().any(|version| version == stored)
    {
        versions.push(stored.into());
    }
}

/// Begins the deletion of a definition: adds the finalizer that holds it until all its objects are deleted, and the
/// condition `Terminating`.
pub(super) fn begin_deletion(definition: &mut UntypedObject, caller: &Caller<'_>) {
    let metadata = &mut definition.metadata;
    if metadata.deletion_timestamp.is_some() {
        return;
    }
    if !metadata.finalizers.iter().any(|name| &**name == CLEANUP_FINALIZER) {
        metadata.finalizers.push(CLEANUP_FINALIZER.into());
    }
    let condition = json!({
        "type": "Terminating",
        "status": "True",
        "lastTransitionTime": caller.wall_time().to_string(),
        "reason": "InstanceDeletionPending",
        "message": "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
    });
    let status = definition.fields.entry("status").or_insert_with(|| json!({}));
    match status.get_mut("conditions").and_then(Value::as_array_mut) {
        Some(conditions) => conditions.push(condition),
        None => status["conditions"] = json!([condition]),
    }
}

/// Checks that an update of a custom object or of a definition has a resourceVersion (HT-083).
///
/// # Errors
/// Returns error 422 if the update has no resourceVersion.
pub(super) fn check_has_resource_version(kind: Kind, key: &ObjectKey, version: &str) -> Result<(), ApiError> {
    let is_strict = matches!(kind, Kind::Custom(_) | Kind::CustomResourceDefinition);
    if !is_strict || !version.is_empty() {
        return Ok(());
    }
    let why = "Invalid value: 0: must be specified for an update";
    let cause = podscope_sim::Cause::new("metadata.resourceVersion", why).with_reason("FieldValueInvalid");
    Err(ApiError::invalid_of(&kind.qualified_plural(), &key.name, vec![cause]))
}
