//! Checks that several `resource.k8s.io` kinds need: size limits of lists, sets and maps, and names of drivers, pools
//! and attributes (DRA-030, DRA-041).

use std::fmt::Display;

use serde_json::Value;

use super::{ErrorList, Path, names, quoted, volume};
use crate::{OpaqueDeviceConfiguration, Str, ordered};

/// Maximum length of an attribute name without its domain, in bytes.
const MAX_IDENTIFIER_BYTES: usize = 32;
/// Maximum length of the JSON of opaque parameters and of a device's status data, in bytes.
pub(super) const MAX_OPAQUE_JSON_BYTES: usize = 10 * 1024;

/// Checks the number of items in a list, then each item. If there are too many, only this is reported.
pub(super) fn check_list<T>(
    items: &[T],
    max: usize,
    path: &Path<'_>,
    errors: &mut ErrorList,
    mut check: impl FnMut(&T, &Path<'_>, &mut ErrorList),
) {
    if items.len() > max {
        return errors.too_many(path, items.len(), max);
    }
    for (index, item) in items.iter().enumerate() {
        check(item, &path.index(index), errors);
    }
}

/// Like [`check_list`], but also reports items with equal keys. `key` formats the key of an item for the message.
pub(super) fn check_set<T>(
    items: &[T],
    max: usize,
    path: &Path<'_>,
    errors: &mut ErrorList,
    check: impl FnMut(&T, &Path<'_>, &mut ErrorList),
    key: impl Fn(&T) -> String,
) {
    check_list(items, max, path, errors, check);
    if items.len() > max {
        return;
    }
    let mut seen = ordered::Set::new();
    for (index, item) in items.iter().enumerate() {
        let key = key(item);
        if !seen.insert(key.clone()) {
            errors.duplicate(&path.index(index), key, "");
        }
    }
}

/// Checks the number of keys in a map, then each key. An invalid key is reported at the path of the map.
pub(super) fn check_map_keys<V>(
    map: &ordered::Map<Str, V>,
    max: usize,
    path: &Path<'_>,
    errors: &mut ErrorList,
    check: impl Fn(&str, &Path<'_>, &mut ErrorList),
) {
    if map.len() > max {
        return errors.too_many(path, map.len(), max);
    }
    for key in map.keys() {
        check(key, path, errors);
    }
}

pub(super) fn check_dns_label(name: &str, path: &Path<'_>, errors: &mut ErrorList) {
    errors.invalid_name(path, name, &names::label_faults(name));
}

pub(super) fn check_driver_name(name: &str, path: &Path<'_>, errors: &mut ErrorList) {
    volume::check_csi_driver_name(name, path, errors);
}

pub(super) fn check_pool_name(name: &str, path: &Path<'_>, errors: &mut ErrorList) {
    const MAX_POOL_NAME_BYTES: usize = 253;
    if name.is_empty() {
        return errors.required(path, "");
    }
    if name.len() > MAX_POOL_NAME_BYTES {
        errors.too_long(path, MAX_POOL_NAME_BYTES);
    }
    for part in name.split('/') {
        errors.invalid_name(path, part, &names::subdomain_faults(part));
    }
}

/// Checks the name of an attribute or capacity, with or without a domain. As in the server, a name with several slashes
/// is not checked.
pub(super) fn check_property_name(name: &str, path: &Path<'_>, errors: &mut ErrorList) {
    let mut parts = name.split('/');
    match (parts.next(), parts.next(), parts.next()) {
        (Some(id), None, _) => check_identifier(id, path, errors),
        (Some(domain), Some(id), None) => {
            if domain.is_empty() {
                errors.invalid_text(path, "", "the domain must not be empty");
            } else {
                check_driver_name(domain, path, errors);
            }
            if id.is_empty() {
                errors.invalid_text(path, "", "the name must not be empty");
            } else {
                check_identifier(id, path, errors);
            }
        }
        _ => {}
    }
}

/// Checks the name of an attribute in a constraint, which must have a domain.
pub(super) fn check_attribute_name_with_domain(name: &str, path: &Path<'_>, errors: &mut ErrorList) {
    check_property_name(name, path, errors);
    if !name.contains('/') {
        let message = "a fully qualified name must be a domain and a name separated by a slash";
        errors.invalid_text(path, name, message);
    }
}

/// Checks that a name is a C identifier.
fn check_identifier(id: &str, path: &Path<'_>, errors: &mut ErrorList) {
    const MESSAGE: &str = "a valid C identifier must start with alphabetic character or '_', followed by a string of \
        alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is \
        '[A-Za-z_][A-Za-z0-9_]*')";
    if id.len() > MAX_IDENTIFIER_BYTES {
        errors.too_long(path, MAX_IDENTIFIER_BYTES);
    }
    let is_start = |first: char| first.is_ascii_alphabetic() || first == '_';
    if !id.starts_with(is_start) || !id.chars().all(|one| one.is_ascii_alphanumeric() || one == '_') {
        errors.invalid_text(path, id, MESSAGE);
    }
}

/// Checks the `opaque` part of a device configuration (DRA-034).
pub(super) fn check_configuration(opaque: Option<&OpaqueDeviceConfiguration>, path: &Path<'_>, errors: &mut ErrorList) {
    let path = path.child("opaque");
    let Some(opaque) = opaque else {
        return errors.required(&path, "");
    };
    check_driver_name(&opaque.driver, &path.child("driver"), errors);
    check_json_object(opaque.parameters.as_ref(), &path.child("parameters"), errors);
}

/// Checks a required JSON object whose format the driver defines.
pub(super) fn check_json_object(value: Option<&Value>, path: &Path<'_>, errors: &mut ErrorList) {
    match value {
        None | Some(Value::Null) => errors.required(path, ""),
        Some(value) if value.to_string().len() > MAX_OPAQUE_JSON_BYTES => errors.too_long(path, MAX_OPAQUE_JSON_BYTES),
        Some(Value::Object(_)) => {}
        Some(_) => errors.invalid_text(path, "<value omitted>", "must be a valid JSON object"),
    }
}

/// Checks the conditions that a device must meet before its pod is bound, and the conditions that mean failure
/// (DRA-044).
pub(super) fn check_binding_conditions(conditions: &[Str], failures: &[Str], path: &Path<'_>, errors: &mut ErrorList) {
    const MAX_BINDING_CONDITIONS: usize = 4;
    let label_name = |name: &Str, path: &Path<'_>, errors: &mut ErrorList| {
        errors.invalid_name(path, name, &names::qualified_name_faults(name));
    };
    let key = |name: &Str| quoted(name);
    let (of_success, of_failure) = (path.child("bindingConditions"), path.child("bindingFailureConditions"));
    check_set(conditions, MAX_BINDING_CONDITIONS, &of_success, errors, label_name, key);
    check_set(failures, MAX_BINDING_CONDITIONS, &of_failure, errors, label_name, key);
    for (index, name) in failures.iter().enumerate() {
        if conditions.contains(name) {
            let message = "bindingFailureConditions must not overlap with bindingConditions";
            errors.invalid_text(&of_failure.index(index), name, message);
        }
    }
    if conditions.is_empty() && !failures.is_empty() {
        let message = "bindingConditions are required to use bindingFailureConditions";
        errors.invalid(&of_success, "[]", message);
    }
    if failures.is_empty() && !conditions.is_empty() {
        let message = "bindingFailureConditions are required to use bindingConditions";
        errors.invalid(&of_failure, "[]", message);
    }
}

/// Checks that a value is one of `known`; an empty value is reported as missing.
pub(super) fn check_required_one_of(value: &str, known: &[&str], path: &Path<'_>, errors: &mut ErrorList) {
    if value.is_empty() {
        errors.required(path, "");
    } else if !known.contains(&value) {
        errors.unsupported_text(path, value, known);
    }
}

/// Prints a list as the API server's messages do.
pub(super) fn format_list(fields: &[&str]) -> impl Display {
    quoted(&format!("{{{}}}", fields.join(", ")))
}
