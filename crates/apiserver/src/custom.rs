//! Objects of kinds that CustomResourceDefinitions define, and what happens to definitions themselves.
//!
//! The kind of such an object says which version it was sent in. Its schema drops fields, fills in defaults and refuses;
//! stored is the storage version. Versions have no conversion: a field that only another version knows is dropped when
//! it is written in this one (strategy `None`).

use std::sync::Arc;

use podscope_api::custom::{CLEANUP_FINALIZER, Definition};
use podscope_api::{ErrorList, Kind, Object, ObjectKey, UntypedObject};
use podscope_sim::ApiError;
use serde_json::{Value, json};

use super::{ApiServer, Caller, rules};

impl ApiServer {
    /// Whether an object of that kind can be made.
    ///
    /// # Errors
    /// 404 where the kind is not served, 403 while its definition is being deleted.
    pub(super) fn check_defined(&self, kind: Kind, name: &str) -> Result<(), ApiError> {
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

    /// Whether writes of an object leave its status alone, as those of all built-in kinds that have one.
    pub(super) fn keeps_status_apart(&self, kind: Kind) -> bool {
        self.objects()
            .with_version(kind, |version| version.has_status())
            .unwrap_or(true)
    }

    /// Drops and fills in what the schema of the version says that the object was sent in.
    pub(super) fn conform(&self, object: &mut Object) {
        if let Object::Untyped(untyped) = object {
            let kind = untyped.kind;
            self.objects()
                .with_version(kind, |version| version.conform(Arc::make_mut(untyped)));
        }
    }

    /// Adds everything that the schema of a defined kind refuses of an object, and the rules of a definition that do not
    /// compile. `old` is the object that it replaces.
    pub(super) fn check_schema(&self, object: &Object, old: Option<&Object>, problems: &mut ErrorList) {
        let Object::Untyped(untyped) = object else { return };
        if untyped.kind == Kind::CustomResourceDefinition && problems.is_empty() {
            problems.extend(rules::check_definition(untyped, old.and_then(Object::as_untyped)));
        }
        let old_fields = old.and_then(Object::as_untyped).map(|untyped| &**untyped);
        self.objects().with_version(untyped.kind, |version| {
            if version.validate(untyped, old_fields, problems) {
                problems.extend(rules::check_object(object, old, version.schema()));
            }
        });
    }

    /// Turns an object into the version that is stored.
    pub(super) fn to_storage(&self, object: &mut Object) {
        let definition = self.objects().definition_of(object.kind());
        let version = definition.as_ref().and_then(|object| Definition::of(object)?.storage());
        if let (Some(version), Object::Untyped(untyped)) = (version, object) {
            let untyped = Arc::make_mut(untyped);
            let was = untyped.kind.api_version();
            untyped.kind = version.kind();
            if untyped.kind.api_version() != was {
                version.conform(untyped);
            }
        }
    }
}

/// Whether an update of a defined object raises its generation: of anything but metadata and a status that stands apart.
pub(super) fn raises_generation(old: &Object, new: &Object, has_status: bool) -> bool {
    let (Some(old), Some(new)) = (old.as_untyped(), new.as_untyped()) else {
        return false;
    };
    let differs = |one: &UntypedObject, other: &UntypedObject| {
        let mut fields = one.fields.iter().filter(|(name, _)| !has_status || *name != "status");
        fields.any(|(name, value)| other.fields.get(name) != Some(value))
    };
    differs(old, new) || differs(new, old)
}

/// The status of a definition that is new: the names are accepted later, by a controller.
pub(super) fn begin(definition: &mut UntypedObject) {
    let spec = definition.at("/spec").cloned().unwrap_or_default();
    let status = json!({
        "conditions": null,
        "acceptedNames": {"plural": "", "kind": ""},
        "storedVersions": podscope_api::stored_version(&spec).into_iter().collect::<Vec<_>>(),
    });
    definition.fields.insert("status".to_owned(), status);
}

/// A new storage version is one more that objects may be stored in.
pub(super) fn note_stored_version(definition: &mut UntypedObject) {
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

/// A definition that is to be deleted goes when all its objects have gone.
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
        "lastTransitionTime": caller.wall().to_string(),
        "reason": "InstanceDeletionPending",
        "message": "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
    });
    let status = definition.fields.entry("status").or_insert_with(|| json!({}));
    match status.get_mut("conditions").and_then(Value::as_array_mut) {
        Some(conditions) => conditions.push(condition),
        None => status["conditions"] = json!([condition]),
    }
}

/// HT-083: an update of a defined object, or of a definition, must say which version it is of.
///
/// # Errors
/// 422 where it says none.
pub(super) fn check_version(kind: Kind, key: &ObjectKey, version: &str) -> Result<(), ApiError> {
    let is_strict = matches!(kind, Kind::Custom(_) | Kind::CustomResourceDefinition);
    if !is_strict || !version.is_empty() {
        return Ok(());
    }
    let why = "Invalid value: 0: must be specified for an update";
    let cause = podscope_sim::Cause::new("metadata.resourceVersion", why).with_reason("FieldValueInvalid");
    Err(ApiError::invalid_of(&kind.qualified_plural(), &key.name, vec![cause]))
}
