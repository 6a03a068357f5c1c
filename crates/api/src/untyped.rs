//! Accessors for JSON without a Rust type. A missing field, or a field with an unexpected type, counts as empty.

use serde_json::Value;

/// Returns the string in a field, or "".
pub fn text<'v>(value: &'v Value, field: &str) -> &'v str {
    value.get(field).and_then(Value::as_str).unwrap_or_default()
}

/// Returns the value of a field, or None if it is absent or null.
pub fn given<'v>(value: &'v Value, field: &str) -> Option<&'v Value> {
    value.get(field).filter(|given| !given.is_null())
}

/// Returns whether a field is `true`.
pub fn is_true(value: &Value, field: &str) -> bool {
    value.get(field).and_then(Value::as_bool) == Some(true)
}

/// Returns the items of a list with their indices.
pub fn list(value: Option<&Value>) -> impl Iterator<Item = (usize, &Value)> {
    value.and_then(Value::as_array).into_iter().flatten().enumerate()
}

/// Returns the items of a list field with their indices.
pub fn items<'v>(value: &'v Value, field: &str) -> impl Iterator<Item = (usize, &'v Value)> {
    list(value.get(field))
}

/// Returns the strings in a list field; other items are skipped.
pub fn texts<'v>(value: &'v Value, field: &str) -> Vec<&'v str> {
    items(value, field).filter_map(|(_, item)| item.as_str()).collect()
}
