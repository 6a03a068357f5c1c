//! Fields of JSON that has no type here: what is not there, or is something else, reads as empty.

use serde_json::Value;

/// The text of a field.
pub fn text<'v>(value: &'v Value, field: &str) -> &'v str {
    value.get(field).and_then(Value::as_str).unwrap_or_default()
}

/// A field that holds something.
pub fn given<'v>(value: &'v Value, field: &str) -> Option<&'v Value> {
    value.get(field).filter(|given| !given.is_null())
}

/// Whether a field is `true`.
pub fn is_true(value: &Value, field: &str) -> bool {
    value.get(field).and_then(Value::as_bool) == Some(true)
}

/// A list's items with their indices.
pub fn list(value: Option<&Value>) -> impl Iterator<Item = (usize, &Value)> {
    value.and_then(Value::as_array).into_iter().flatten().enumerate()
}

/// The items of a field that is a list.
pub fn items<'v>(value: &'v Value, field: &str) -> impl Iterator<Item = (usize, &'v Value)> {
    list(value.get(field))
}

/// The texts of a field that is a list.
pub fn texts<'v>(value: &'v Value, field: &str) -> Vec<&'v str> {
    items(value, field).filter_map(|(_, item)| item.as_str()).collect()
}
