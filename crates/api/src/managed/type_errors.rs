//! Type errors of server-side apply: validates a document as the library structured-merge-diff does, which checks field
//! names, scalar types and list keys, but not the range of numbers.

use serde_json::Value;

use super::path_text;
use super::semantics::built_in_path_element;
use crate::schema::{GoType, Shape, Struct, StructField};

/// Returns all type errors in the document, each prefixed with its path.
#[must_use]
pub fn type_errors(fields: Struct, document: &Value) -> Vec<String> {
    let mut found = Vec::new();
    check_struct_type(fields, document, "", &mut found);
    found
}

fn check_struct_type(fields: Struct, value: &Value, at: &str, found: &mut Vec<String>) {
    let Value::Object(map) = value else {
        return push_mismatch("map", value, at, found);
    };
    let mut sorted: Vec<_> = map.iter().collect();
    sorted.sort_unstable_by_key(|(name, _)| name.as_str());
    for (name, value) in sorted {
        let path = format!("{at}.{name}");
        match fields.field(name) {
            Some(field) => check_value_type(Some(field), field.of, value, &path, found),
            None if at.is_empty() && matches!(name.as_str(), "apiVersion" | "kind") => {}
            None => found.push(format!("{path}: field not declared in schema")),
        }
    }
}

/// Checks a value. `holder` is the field that holds the value; None for an element of a list or a value of a map.
fn check_value_type(holder: Option<StructField>, go_type: GoType, value: &Value, at: &str, found: &mut Vec<String>) {
    if value.is_null() {
        return;
    }
    match go_type.shape() {
        Shape::Struct(fields) => check_struct_type(fields, value, at, found),
        Shape::Map(go_type) => match value {
            Value::Object(map) => map
                .iter()
                .for_each(|(key, value)| check_value_type(None, go_type, value, &format!("{at}.{key}"), found)),
            _ => push_mismatch("map", value, at, found),
        },
        Shape::List(go_type) => match value {
            Value::Array(items) => check_list_type(holder, go_type, items, at, found),
            _ => push_mismatch("list", value, at, found),
        },
        Shape::Leaf(leaf) => check_scalar_type(leaf, value, at, found),
    }
}

fn check_list_type(holder: Option<StructField>, go_type: GoType, items: &[Value], at: &str, found: &mut Vec<String>) {
    let keys = holder.and_then(StructField::element_keys);
    let keys = keys.filter(|keys| !keys.is_empty());
    let mut seen = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let Some(step) = keys.as_ref().map(|keys| built_in_path_element(item, keys)) else {
            check_value_type(None, go_type, item, &format!("{at}[{index}]"), found);
            continue;
        };
        let element = path_text(std::slice::from_ref(&step));
        if seen.contains(&step) {
            found.push(format!("{at}: duplicate entries for key {element}"));
        }
        seen.push(step);
        check_value_type(None, go_type, item, &format!("{at}{element}"), found);
    }
}

fn check_scalar_type(leaf: &str, value: &Value, at: &str, found: &mut Vec<String>) {
    let plain = crate::schema::plain_type_name(leaf);
    let is_scalar = !value.is_object() && !value.is_array();
    match plain {
        "string" | "bytes" | "Time" | "MicroTime" if !value.is_string() => {
            found.push(format!(
                "{at}: expected string, got {}",
                format_go_value("&value.valueUnstructured{Value:", value, "}")
            ));
        }
        "int32" | "int64" | "float64" if !value.is_number() => {
            let go_type = match value {
                Value::String(_) => "string",
                Value::Bool(_) => "bool",
                Value::Array(_) => "[]interface {}",
                _ => "map[string]interface {}",
            };
            found.push(format!("{at}: expected numeric (int or float), got {go_type}"));
        }
        "bool" if !value.is_boolean() => push_mismatch("boolean", value, at, found),
        "IntOrString" | "Quantity" if !is_scalar => push_mismatch("scalar", value, at, found),
        _ => {}
    }
}

fn push_mismatch(expected: &str, value: &Value, at: &str, found: &mut Vec<String>) {
    found.push(format!(
        "{at}: expected {expected}, got {}",
        format_go_value("&{", value, "}")
    ));
}

/// Prints a value between `open` and `close` as Go formats it: with `%#v` (strings in quotes) if `open` contains a
/// colon, otherwise with `%v`.
fn format_go_value(open: &str, value: &Value, close: &str) -> String {
    let is_syntax = open.contains(':');
    let text = match value {
        Value::String(text) if is_syntax => format!("{text:?}"),
        Value::String(text) => text.clone(),
        Value::Array(items) if is_syntax => {
            let items: Vec<String> = items.iter().map(|item| format_go_value("", item, "")).collect();
            format!("[]interface {{}}{{{}}}", items.join(", "))
        }
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(|item| format_go_value("", item, "")).collect();
            format!("[{}]", items.join(" "))
        }
        Value::Object(map) => {
            let mut pairs: Vec<String> = map
                .iter()
                .map(|(key, value)| format!("{key}:{}", format_go_value("", value, "")))
                .collect();
            pairs.sort_unstable();
            format!("map[{}]", pairs.join(" "))
        }
        Value::Null => "<nil>".to_owned(),
        other => other.to_string(),
    };
    format!("{open}{text}{close}")
}
