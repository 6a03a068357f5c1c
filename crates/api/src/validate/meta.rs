//! Validation of metadata (VA-070 to VA-081, VA-276).

use crate::{Kind, Labels, Object, ObjectMeta};

use super::error_list::{IMMUTABLE, quoted};
use super::{ErrorList, Path, names};

const MAX_ANNOTATIONS_BYTES: usize = 256 * 1024;

fn name_rule_of_kind(kind: Kind) -> names::NameRule {
    match kind {
        Kind::Namespace | Kind::StatefulSet | Kind::Service => names::label_faults,
        Kind::PodDisruptionBudget
        | Kind::Event
        | Kind::Role
        | Kind::RoleBinding
        | Kind::ClusterRole
        | Kind::ClusterRoleBinding => names::path_segment_faults,
        _ => names::subdomain_faults,
    }
}

pub(super) fn validate(object: &Object, errors: &mut ErrorList) {
    let kind = object.kind();
    let metadata = object.metadata();
    let path = Path::root("metadata");
    let rule = name_rule_of_kind(kind);
    if !metadata.generate_name.is_empty() {
        let masked = match metadata.generate_name.strip_suffix('-') {
            Some(rest) if !rest.is_empty() => format!("{}a", &rest[..rest.len() - byte_len_of_last_char(rest)]),
            _ => metadata.generate_name.to_string(),
        };
        errors.invalid_name(&path.child("generateName"), &metadata.generate_name, &rule(&masked));
    }
    if metadata.name.is_empty() {
        errors.required(&path.child("name"), "name or generateName is required");
    } else {
        errors.invalid_name(&path.child("name"), &metadata.name, &rule(&metadata.name));
    }
    if kind.is_namespaced() {
        if metadata.namespace.is_empty() {
            errors.required(&path.child("namespace"), "");
        } else {
            let messages = names::label_faults(&metadata.namespace);
            errors.invalid_name(&path.child("namespace"), &metadata.namespace, &messages);
        }
    } else if !metadata.namespace.is_empty() {
        errors.forbidden(&path.child("namespace"), "not allowed on this type");
    }
    check_common_metadata(kind, metadata, &path, errors);
}

fn byte_len_of_last_char(text: &str) -> usize {
    text.chars().next_back().map_or(0, char::len_utf8)
}

/// Checks metadata on both create and update.
fn check_common_metadata(kind: Kind, metadata: &ObjectMeta, path: &Path<'_>, errors: &mut ErrorList) {
    errors.check_not_negative(&path.child("generation"), metadata.generation);
    check_labels(&metadata.labels, &path.child("labels"), errors);
    check_annotations(&metadata.annotations, &path.child("annotations"), errors);
    check_owner_references(metadata, &path.child("ownerReferences"), errors);
    let finalizers = path.child("finalizers");
    for (index, finalizer) in metadata.finalizers.iter().enumerate() {
        let is_core = kind.group().is_empty();
        self::check_finalizer(finalizer, is_core, &finalizers, &finalizers.index(index), errors);
    }
}

/// Checks a finalizer's name; objects of core kinds require a standard or qualified name.
pub(super) fn check_finalizer(
    name: &str,
    is_core: bool,
    list_path: &Path<'_>,
    item_path: &Path<'_>,
    errors: &mut ErrorList,
) {
    errors.invalid_name(list_path, name, &names::qualified_name_faults(name));
    if is_core && !name.contains('/') && !matches!(name, "orphan" | "foregroundDeletion" | "kubernetes") {
        let message = "name is neither a standard finalizer name nor is it fully qualified";
        errors.invalid_text(item_path, name, message);
    }
}

pub(super) fn check_labels(
    labels: &crate::ordered::Map<crate::Str, crate::Str>,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    for (key, value) in labels {
        errors.invalid_name(path, key, &names::qualified_name_faults(key));
        errors.invalid_name(path, value, &names::label_value_faults(value));
    }
}

pub(super) fn check_annotations(annotations: &Labels, path: &Path<'_>, errors: &mut ErrorList) {
    let mut size = 0;
    for (key, value) in annotations.iter() {
        errors.invalid_name(path, key, &names::qualified_name_faults(&key.to_ascii_lowercase()));
        size += key.len() + value.len();
    }
    if size > MAX_ANNOTATIONS_BYTES {
        errors.too_long(path, MAX_ANNOTATIONS_BYTES);
    }
}

fn check_owner_references(metadata: &ObjectMeta, path: &Path<'_>, errors: &mut ErrorList) {
    let mut controller: Option<String> = None;
    for owner in &metadata.owner_references {
        for (field, value, message) in [
            ("apiVersion", &*owner.api_version, "version must not be empty"),
            ("kind", &*owner.kind, "must not be empty"),
            ("name", &*owner.name, "must not be empty"),
            ("uid", owner.uid.as_str(), "must not be empty"),
        ] {
            if value.is_empty() {
                errors.invalid_text(&path.child(field), value, message);
            }
        }
        if (&*owner.api_version, &*owner.kind) == ("v1", "Event") {
            let message = "/v1, Kind=Event is disallowed from being an owner";
            errors.invalid(path, crate::wire::to_json(owner), message);
        }
        if owner.controller == Some(true) {
            let name = format!("{}/{}", owner.kind, owner.name);
            if let Some(first) = &controller {
                let all = crate::wire::to_json(&metadata.owner_references);
                let message = format!(
                    "Only one reference can have Controller set to true. Found \"true\" in references for {first} and {name}"
                );
                errors.invalid(path, all, &message);
            } else {
                controller = Some(name);
            }
        }
    }
}

/// Checks the immutable deletion fields in an update: a client can neither set `deletionTimestamp` nor change the grace
/// period. An existing `deletionTimestamp` keeps its value, even if the client sends another one (VA-357).
#[must_use]
pub fn validate_metadata_update(old: &Object, new: &Object) -> ErrorList {
    let mut errors = ErrorList::default();
    let path = Path::root("metadata");
    let (before, after) = (old.metadata(), new.metadata());
    if let Some(time) = after.deletion_timestamp
        && before.deletion_timestamp.is_none()
    {
        let time = crate::print_rfc3339(time.0, 0);
        errors.invalid_text(&path.child("deletionTimestamp"), &time, IMMUTABLE);
    }
    if let Some(seconds) = after.deletion_grace_period_seconds
        && before.deletion_grace_period_seconds != Some(seconds)
    {
        errors.invalid(&path.child("deletionGracePeriodSeconds"), seconds, IMMUTABLE);
    }
    errors
}

pub(super) fn validate_update(old: &Object, new: &Object, errors: &mut ErrorList) {
    let path = Path::root("metadata");
    let (before, after) = (old.metadata(), new.metadata());
    if before.deletion_timestamp.is_some() {
        let added: Vec<String> = after
            .finalizers
            .iter()
            .filter(|finalizer| !before.finalizers.contains(finalizer))
            .map(|finalizer| quoted(finalizer))
            .collect();
        if !added.is_empty() {
            let message = format!(
                "no new finalizers can be added if the object is being deleted, found new finalizers []string{{{}}}",
                added.join(", ")
            );
            // The API server validates the metadata of an update twice, and lists each cause twice (HT-088).
            for _ in 0..2 {
                errors.forbidden(&path.child("finalizers"), &message);
            }
        }
    }
    for (field, before, after) in [
        ("name", &before.name, &after.name),
        ("namespace", &before.namespace, &after.namespace),
    ] {
        if before != after {
            errors.invalid_text(&path.child(field), after, IMMUTABLE);
        }
    }
    check_common_metadata(new.kind(), after, &path, errors);
}
