//! Structural schemas of CustomResourceDefinitions: pruning, defaulting and validation of custom objects
//! (`pkg/apiserver/schema` of k8s.io/apiextensions-apiserver).

mod check;

use serde_json::{Map, Value};

use crate::untyped::is_true;

pub use check::validate;
pub(crate) use check::{are_rules_blocked, check_objects_above_path};

const PRESERVE_UNKNOWN_FIELDS: &str = "x-kubernetes-preserve-unknown-fields";
const EMBEDDED_RESOURCE: &str = "x-kubernetes-embedded-resource";
/// Fields that every object has, even if its schema does not define them.
const FIELDS_OF_EVERY_OBJECT: [&str; 3] = ["apiVersion", "kind", "metadata"];

/// Returns the fields of a document that its schema does not declare, as server-side apply reports them (HT-130).
#[must_use]
pub fn undeclared_fields(document: &Value, schema: &Value) -> Vec<String> {
    let mut found = Vec::new();
    for (name, value) in document.as_object().into_iter().flatten() {
        if !FIELDS_OF_EVERY_OBJECT.contains(&name.as_str()) {
            push_undeclared_in_field(name, value, schema, "", &mut found);
        }
    }
    found
}

fn push_undeclared_in_field(name: &str, value: &Value, schema: &Value, path: &str, found: &mut Vec<String>) {
    let path = format!("{path}.{name}");
    match field_schema(schema, name) {
        Some(schema) => push_undeclared_in_value(value, schema, &path, found),
        None if is_true(schema, PRESERVE_UNKNOWN_FIELDS) => {}
        None => found.push(format!("{path}: field not declared in schema")),
    }
}

fn push_undeclared_in_value(value: &Value, schema: &Value, path: &str, found: &mut Vec<String>) {
    match (value, schema.get("items")) {
        (Value::Object(map), _) => {
            let is_object = is_true(schema, EMBEDDED_RESOURCE);
            for (name, value) in map {
                if !is_object || !FIELDS_OF_EVERY_OBJECT.contains(&name.as_str()) {
                    push_undeclared_in_field(name, value, schema, path, found);
                }
            }
        }
        (Value::Array(items), Some(of)) => {
            for (index, item) in items.iter().enumerate() {
                push_undeclared_in_value(item, of, &format!("{path}[{index}]"), found);
            }
        }
        _ => {}
    }
}

/// Prunes the fields that the schema does not define. Returns their paths, sorted, such as `spec.ports[0].nope`.
pub fn prune(object: &mut Map<String, Value>, schema: &Value) -> Vec<String> {
    let mut unknown = Vec::new();
    prune_map(object, schema, true, "", &mut unknown);
    unknown.sort_unstable();
    unknown
}

fn prune_value(value: &mut Value, schema: &Value, path: &str, unknown: &mut Vec<String>) {
    match value {
        Value::Object(map) => prune_map(map, schema, is_true(schema, EMBEDDED_RESOURCE), path, unknown),
        Value::Array(items) => {
            if let Some(schema) = schema.get("items") {
                for (index, item) in items.iter_mut().enumerate() {
                    prune_value(item, schema, &format!("{path}[{index}]"), unknown);
                }
            }
        }
        _ => {}
    }
}

fn prune_map(map: &mut Map<String, Value>, schema: &Value, is_object: bool, path: &str, unknown: &mut Vec<String>) {
    let keeps = is_true(schema, PRESERVE_UNKNOWN_FIELDS)
        || matches!(schema.get("additionalProperties"), Some(Value::Bool(true)));
    map.retain(|key, value| {
        if is_object && FIELDS_OF_EVERY_OBJECT.contains(&key.as_str()) {
            return true;
        }
        let path = match path {
            "" => key.clone(),
            path => format!("{path}.{key}"),
        };
        let known = field_schema(schema, key);
        if let Some(schema) = known {
            prune_value(value, schema, &path, unknown);
        } else if !keeps {
            unknown.push(path);
            return false;
        }
        true
    });
}

/// Returns the schema of the field `key` of an object or map with this schema.
fn field_schema<'s>(schema: &'s Value, key: &str) -> Option<&'s Value> {
    let own = schema.get("properties").and_then(|properties| properties.get(key));
    own.or_else(|| schema.get("additionalProperties").filter(|more| more.is_object()))
}

/// Sets the schema's defaults, and removes nulls from fields that are not nullable.
pub fn default(object: &mut Map<String, Value>, schema: &Value) {
    default_map(object, schema);
}

fn default_value(value: &mut Value, schema: &Value) {
    match value {
        Value::Object(map) => default_map(map, schema),
        Value::Array(items) => {
            if let Some(schema) = schema.get("items") {
                items.iter_mut().for_each(|item| default_value(item, schema));
            }
        }
        _ => {}
    }
}

fn default_map(map: &mut Map<String, Value>, schema: &Value) {
    let properties = schema.get("properties").and_then(Value::as_object);
    for (name, schema) in properties.into_iter().flatten() {
        let is_missing = match map.get(name) {
            None => true,
            Some(Value::Null) => !is_true(schema, "nullable"),
            Some(_) => false,
        };
        match schema.get("default").filter(|default| !default.is_null()) {
            Some(default) if is_missing => drop(map.insert(name.clone(), default.clone())),
            _ if is_missing => drop(map.shift_remove(name)),
            _ => {}
        }
    }
    for (name, value) in map.iter_mut() {
        if let Some(schema) = field_schema(schema, name) {
            default_value(value, schema);
        }
    }
}
