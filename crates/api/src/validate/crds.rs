//! Validation of CustomResourceDefinitions (VA-328): names, versions and the structure of schemas.

use serde_json::Value;

use crate::UntypedObject;
use crate::ordered::StableSort as _;
use crate::untyped::{given, is_true, items, list, text, texts};

use super::error_list::{IMMUTABLE, quoted};
use super::internal::to_internal_struct;
use super::untyped_fields::check_known_text_field;
use super::{ErrorList, Path, names};

const NULL: &Value = &Value::Null;
/// Allowed types of printer columns.
const COLUMN_TYPES: &[&str] = &["boolean", "date", "integer", "number", "string"];
const COLUMN_FORMATS: &[&str] = &[
    "byte",
    "date",
    "date-time",
    "double",
    "float",
    "int32",
    "int64",
    "password",
];
const SCHEMA_TYPES: &[&str] = &["array", "boolean", "integer", "number", "object", "string"];
/// Fields that the server moves from the versions to the spec if all versions have the same value: the field's name in
/// a version, and its name in the spec.
const FIELDS_MOVED_TO_SPEC: [(&str, &str); 2] = [
    ("schema", "validation"),
    ("additionalPrinterColumns", "additionalPrinterColumns"),
];

pub(super) fn validate(object: &UntypedObject, errors: &mut ErrorList) {
    let spec = object.at("/spec").unwrap_or(NULL);
    let names = spec.get("names").unwrap_or(NULL);
    let name = &*object.metadata.name;
    if name != format!("{}.{}", text(names, "plural"), text(spec, "group")) {
        let metadata = Path::root("metadata");
        errors.invalid_text(
            &metadata.child("name"),
            name,
            "must be spec.names.plural+\".\"+spec.group",
        );
    }
    let path = Path::root("spec");
    check_crd_group(text(spec, "group"), &path.child("group"), errors);
    check_required_one_of(spec, "scope", &["Cluster", "Namespaced"], &path, errors);
    check_crd_versions(spec, &path, errors);
    check_crd_names(names, &path.child("names"), errors);
    for (field, spec_field) in FIELDS_MOVED_TO_SPEC {
        if let Some(shared) = value_equal_in_all_versions(spec, field) {
            check_schema_or_columns(field, shared, &path.child(spec_field), errors);
        }
    }
    check_conversion(
        spec.get("conversion").unwrap_or(NULL),
        &path.child("conversion"),
        errors,
    );
    if stored_version(spec).is_none() {
        let status = Path::root("status");
        errors.invalid(
            &status.child("storedVersions"),
            "null",
            "must have at least one stored version",
        );
    }
    let storage: Vec<&str> = items(spec, "versions")
        .filter(|(_, version)| is_true(version, "storage"))
        .map(|(_, version)| text(version, "name"))
        .collect();
    if let [first, .., last] = storage.as_slice() {
        let status = Path::root("status");
        let why = format!("must have the storage version {last}");
        errors.invalid(&status.child("storedVersions"), serde_json::json!([first]), &why);
    }
    check_api_approval(object, errors);
    if is_true(spec, "preserveUnknownFields") {
        let message = "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema \
                       instead";
        errors.invalid(&path.child("preserveUnknownFields"), true, message);
    }
}

pub(super) fn validate_update(old: &UntypedObject, new: &UntypedObject, errors: &mut ErrorList) {
    for pointer in ["/spec/scope", "/spec/names/kind", "/spec/group", "/spec/names/plural"] {
        let value_in = |object: &UntypedObject| object.at(pointer).cloned().unwrap_or_default();
        if value_in(old) != value_in(new) {
            let field = pointer.trim_start_matches('/').replace('/', ".");
            errors.invalid(&Path::root(&field), value_in(new), IMMUTABLE);
        }
    }
}

/// Returns the name of the storage version.
#[must_use]
pub fn stored_version(spec: &Value) -> Option<&str> {
    items(spec, "versions")
        .find(|(_, version)| is_true(version, "storage"))
        .map(|(_, version)| text(version, "name"))
}

fn check_required_one_of(value: &Value, field: &str, known: &[&str], path: &Path<'_>, errors: &mut ErrorList) {
    match text(value, field) {
        "" => errors.required(&path.child(field), ""),
        _ => check_known_text_field(value, field, known, path, errors),
    }
}

/// Adds one error whose message is `prefix` followed by all problems of `name`.
fn report_name_problems_joined(
    path: &Path<'_>,
    name: &str,
    problems: &[names::NameFault],
    prefix: &str,
    errors: &mut ErrorList,
) {
    if !problems.is_empty() {
        errors.invalid_name(path, name, &[names::join_faults(problems, prefix, ",")]);
    }
}

fn check_crd_group(group: &str, path: &Path<'_>, errors: &mut ErrorList) {
    let problems = names::subdomain_faults(group);
    if group.is_empty() {
        errors.required(path, "");
        return;
    }
    report_name_problems_joined(path, group, &problems, "", errors);
    if problems.is_empty() && !group.contains('.') {
        errors.invalid_text(path, group, "should be a domain with at least one dot");
    }
}

/// Returns the value of a field if it is equal in all versions.
fn value_equal_in_all_versions<'v>(spec: &'v Value, field: &str) -> Option<&'v Value> {
    let mut all = items(spec, "versions").map(|(_, version)| given(version, field));
    let first = all.next()??;
    all.all(|other| other == Some(first)).then_some(first)
}

fn check_crd_versions(spec: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    let path = path.child("versions");
    for (index, version) in items(spec, "versions") {
        if version.pointer("/schema/openAPIV3Schema").is_none() {
            let at = path.index(index);
            errors.required(&at.child("schema").child("openAPIV3Schema"), "");
        }
    }
    let mut known: Vec<&str> = Vec::new();
    for (index, version) in items(spec, "versions") {
        let path = path.index(index);
        let name = text(version, "name");
        report_name_problems_joined(&path.child("name"), name, &names::label_1035_faults(name), "", errors);
        let warning = version.get("deprecationWarning").and_then(Value::as_str);
        if let Some(warning) = warning.filter(|_| !is_true(version, "deprecated")) {
            let message = "can only be set for deprecated versions";
            errors.invalid_text(&path.child("deprecationWarning"), warning, message);
        }
        for (field, _) in FIELDS_MOVED_TO_SPEC
            .iter()
            .filter(|(field, _)| value_equal_in_all_versions(spec, field).is_none())
        {
            if let Some(own) = given(version, field) {
                check_schema_or_columns(field, own, &path.child(field), errors);
            }
        }
        known.push(name);
    }
    let versions_text = || {
        spec.get("versions")
            .map_or_else(|| "null".to_owned(), |_| internal_versions_json(spec))
    };
    let is_unique = known
        .iter()
        .enumerate()
        .all(|(index, name)| !known[..index].contains(name));
    if !is_unique {
        errors.invalid(&path, versions_text(), "must contain unique version names");
    }
    let stored = items(spec, "versions").filter(|(_, version)| is_true(version, "storage"));
    if stored.count() != 1 {
        let message = "must have exactly one version marked as storage version";
        errors.invalid(&path, versions_text(), message);
    }
    // The server validates the first version's name a second time, and reports its problems at `spec.version`.
    if let Some(first) = known.first().filter(|name| !name.is_empty()) {
        report_name_problems_joined(
            &Path::root("spec.version"),
            first,
            &names::label_1035_faults(first),
            "",
            errors,
        );
    }
}

/// Prints the versions of a definition as the API server's messages do: without the fields that the server moves to the
/// spec.
fn internal_versions_json(spec: &Value) -> String {
    const MOVED_TO_SPEC: [&str; 4] = ["schema", "subresources", "additionalPrinterColumns", "selectableFields"];
    let version_to_internal = |version: &Value| -> Value {
        let mut own = version.clone();
        if let Some(fields) = own.as_object_mut() {
            fields.retain(|field, _| {
                !MOVED_TO_SPEC.contains(&field.as_str()) || value_equal_in_all_versions(spec, field).is_none()
            });
        }
        to_internal_struct("CustomResourceDefinitionVersion", &own)
    };
    let all: Vec<Value> = items(spec, "versions")
        .map(|(_, version)| version_to_internal(version))
        .collect();
    Value::Array(all).to_string()
}

fn check_crd_names(names: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    const MIXED_CASE_HINT: &str = "may have mixed case, but should otherwise match: ";
    const NAME_FIELDS: [(&str, &str); 4] = [
        ("plural", ""),
        ("singular", ""),
        ("kind", MIXED_CASE_HINT),
        ("listKind", MIXED_CASE_HINT),
    ];
    for (field, _) in NAME_FIELDS {
        if text(names, field).is_empty() {
            errors.required(&path.child(field), "");
        }
    }
    for (field, before) in NAME_FIELDS {
        let word = text(names, field);
        let lower = word.to_ascii_lowercase();
        let checked = if before.is_empty() { word } else { &lower };
        if !word.is_empty() {
            report_name_problems_joined(
                &path.child(field),
                word,
                &names::label_1035_faults(checked),
                before,
                errors,
            );
        }
    }
    let list = |field: &str, errors: &mut ErrorList| {
        for (index, word) in texts(names, field).into_iter().enumerate() {
            let at = path.child(field);
            report_name_problems_joined(&at.index(index), word, &names::label_1035_faults(word), "", errors);
        }
    };
    list("shortNames", errors);
    let kind = text(names, "kind");
    if !kind.is_empty() && kind == text(names, "listKind") {
        let message = "kind and listKind may not be the same";
        errors.invalid_text(&path.child("listKind"), kind, message);
    }
    list("categories", errors);
}

/// Checks a version's schema or printer columns.
fn check_schema_or_columns(field: &str, value: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    if field == "schema" {
        let schema = value.get("openAPIV3Schema").unwrap_or(NULL);
        let path = path.child("openAPIV3Schema");
        let mut found = ErrorList::default();
        check_schema_is_structural(schema, SchemaPosition::Root, &path, &mut found);
        let mut found: Vec<_> = found.into_iter().collect();
        found.stable_sort_by_key(ToString::to_string);
        errors.extend(found);
        check_schema_types(schema, &path, errors);
        return;
    }
    for (index, column) in list(Some(value)) {
        let path = path.index(index);
        if text(column, "name").is_empty() {
            errors.required(&path.child("name"), "");
        }
        let known = format!("must be one of {}", COLUMN_TYPES.join(","));
        match text(column, "type") {
            "" => errors.required(&path.child("type"), &known),
            column_type if COLUMN_TYPES.contains(&column_type) => {}
            column_type => errors.invalid_text(&path.child("type"), column_type, &known),
        }
        let format = text(column, "format");
        if !format.is_empty() && !COLUMN_FORMATS.contains(&format) {
            let known = format!("must be one of {}", COLUMN_FORMATS.join(","));
            errors.invalid_text(&path.child("format"), format, &known);
        }
        if text(column, "jsonPath").is_empty() {
            errors.required(&path.child("JSONPath"), "");
        }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum SchemaPosition {
    Root,
    Item,
    Field,
}

fn property_schemas(schema: &Value) -> impl Iterator<Item = (&String, &Value)> {
    let all = schema.get("properties").and_then(Value::as_object);
    all.into_iter().flatten()
}

/// Checks that the schema is structural: every part must have a type.
fn check_schema_is_structural(schema: &Value, level: SchemaPosition, path: &Path<'_>, errors: &mut ErrorList) {
    let kind = text(schema, "type");
    let parts = given(schema, "items");
    if kind == "array" && parts.is_none() {
        errors.required(&path.child("items"), "must be specified");
    }
    if let Some(parts) = parts {
        check_schema_is_structural(parts, SchemaPosition::Item, &path.child("items"), errors);
    }
    let at = path.child("properties");
    for (name, property) in property_schemas(schema) {
        check_schema_is_structural(property, SchemaPosition::Field, &at.key(name), errors);
    }
    if let Some(more) = schema.get("additionalProperties").filter(|more| !more.is_null()) {
        let path = path.child("additionalProperties");
        if level == SchemaPosition::Root {
            errors.forbidden(&path, "must not be used at the root");
        }
        if more.is_object() {
            check_schema_is_structural(more, SchemaPosition::Field, &path, errors);
        }
    }
    let is_open = ["x-kubernetes-int-or-string", "x-kubernetes-preserve-unknown-fields"];
    let at = path.child("type");
    match (kind, level) {
        ("", _) if is_open.iter().any(|field| is_true(schema, field)) => {}
        ("", SchemaPosition::Root) => errors.required(&at, "must not be empty at the root"),
        ("", SchemaPosition::Item) => errors.required(&at, "must not be empty for specified array items"),
        ("", SchemaPosition::Field) => errors.required(&at, "must not be empty for specified object fields"),
        ("object", _) | (_, SchemaPosition::Item | SchemaPosition::Field) => {}
        (other, SchemaPosition::Root) => errors.invalid_text(&at, other, "must be object at the root"),
    }
}

fn check_schema_types(schema: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    let kind = text(schema, "type");
    if !kind.is_empty() && !SCHEMA_TYPES.contains(&kind) {
        errors.unsupported_text(&path.child("type"), kind, SCHEMA_TYPES);
    }
    let at = path.child("properties");
    for (name, property) in property_schemas(schema) {
        check_schema_types(property, &at.key(name), errors);
    }
    if let Some(items) = given(schema, "items") {
        check_schema_types(items, &path.child("items"), errors);
    }
}

fn check_conversion(conversion: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    check_required_one_of(conversion, "strategy", &["None", "Webhook"], path, errors);
    let client = path.child("webhookClientConfig");
    let has_client = conversion.pointer("/webhook/clientConfig").is_some();
    match text(conversion, "strategy") {
        "Webhook" if !has_client => errors.required(&client, "required when strategy is set to Webhook"),
        "Webhook" => {}
        _ if has_client => errors.forbidden(&client, "should not be set when strategy is not set to Webhook"),
        _ => {}
    }
}

/// Checks that a definition in an API group of Kubernetes has the approval annotation.
fn check_api_approval(object: &UntypedObject, errors: &mut ErrorList) {
    const APPROVAL_ANNOTATION: &str = "api-approved.kubernetes.io";
    let group = object.at("/spec/group").and_then(Value::as_str).unwrap_or_default();
    let is_protected = ["k8s.io", "kubernetes.io"].iter().any(|own| {
        group
            .strip_suffix(own)
            .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    });
    if is_protected && object.metadata.annotation(APPROVAL_ANNOTATION).is_none() {
        let metadata = Path::root("metadata");
        let annotations = metadata.child("annotations");
        let message = format!(
            "protected groups must have approval annotation {}, see \
             https://github.com/kubernetes/enhancements/pull/1111",
            quoted(APPROVAL_ANNOTATION)
        );
        errors.required(&annotations.key(APPROVAL_ANNOTATION), &message);
    }
}
