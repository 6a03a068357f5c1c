//! Converts objects to CEL values by their schema.
//!
//! Expressions access a field by its escaped name; fields that the schema does not declare are not accessible.

use cel::common::types::{CelBool, CelDouble, CelInt, CelList, CelNull, CelString};
use cel::common::value::Val;
use podscope_api::ordered::StableSort as _;
use serde_json::{Map, Value};

use super::{is_true, string_field};
use crate::map::{Record, SharedValue};

/// Reserved words of CEL; a field with such a name is escaped.
const RESERVED_CEL_WORDS: &[&str] = &[
    "true",
    "false",
    "null",
    "in",
    "as",
    "break",
    "const",
    "continue",
    "else",
    "for",
    "function",
    "if",
    "import",
    "let",
    "loop",
    "package",
    "namespace",
    "return",
];

/// Escapes the name of a field for use in expressions; None if the name cannot be escaped.
pub(super) fn escaped_property_name(name: &str) -> Option<String> {
    if RESERVED_CEL_WORDS.contains(&name) {
        return Some(format!("__{name}__"));
    }
    let mut escaped = String::with_capacity(name.len());
    let mut letters = name.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '_' if letters.peek() == Some(&'_') => {
                letters.next();
                escaped.push_str("__underscores__");
            }
            '.' => escaped.push_str("__dot__"),
            '-' => escaped.push_str("__dash__"),
            '/' => escaped.push_str("__slash__"),
            letter if letter.is_ascii_alphanumeric() || letter == '_' => escaped.push(letter),
            _ => return None,
        }
    }
    (!name.is_empty() && !name.starts_with(|first: char| first.is_ascii_digit())).then_some(escaped)
}

/// Adds the fields that every object has (`apiVersion`, `kind`, `metadata`) to a schema.
pub(super) fn schema_with_metadata(schema: &Value) -> Value {
    let text = || serde_json::json!({"type": "string"});
    let mut schema = match schema {
        Value::Object(_) => schema.clone(),
        _ => serde_json::json!({}),
    };
    schema["properties"]["apiVersion"] = text();
    schema["properties"]["kind"] = text();
    schema["properties"]["metadata"] =
        serde_json::json!({"type": "object", "properties": {"name": text(), "generateName": text()}});
    schema
}

/// Converts a value to CEL; rules access it as `self`.
///
/// Deviation: strings with the format `date-time`, `duration` or `byte` stay strings.
pub(super) fn to_cel_value(value: &Value, schema: &Value) -> Box<dyn Val> {
    match value {
        Value::Null => Box::new(CelNull),
        Value::Bool(value) => Box::new(CelBool::from(*value)),
        Value::Number(number) => match number.as_i64() {
            Some(number) if string_field(schema, "type") != "number" => Box::new(CelInt::from(number)),
            _ => Box::new(CelDouble::from(number.as_f64().unwrap_or_default())),
        },
        Value::String(text) => Box::new(CelString::from(text.clone())),
        Value::Array(items) => {
            let schema = schema.get("items").unwrap_or(&Value::Null);
            let items: Vec<Box<dyn Val>> = items.iter().map(|item| to_cel_value(item, schema)).collect();
            Box::new(CelList::from(items))
        }
        Value::Object(map) => Box::new(to_cel_record(map, schema)),
    }
}

fn to_cel_record(map: &Map<String, Value>, schema: &Value) -> Record {
    let mut entries: Vec<(CelString<'static>, SharedValue)> = Vec::new();
    let mut push = |name: String, value: &Value, schema: &Value| {
        entries.push((CelString::from(name), SharedValue::new(to_cel_value(value, schema))));
    };
    let more = schema.get("additionalProperties").filter(|more| more.is_object());
    if let Some(more) = more {
        map.iter().for_each(|(name, value)| push(name.clone(), value, more));
    } else {
        let embedded;
        let schema = match is_true(schema, "x-kubernetes-embedded-resource") {
            true => {
                embedded = schema_with_metadata(schema);
                &embedded
            }
            false => schema,
        };
        let properties = schema.get("properties").and_then(Value::as_object);
        for (name, schema) in properties.into_iter().flatten() {
            if let (Some(value), Some(name)) = (map.get(name), escaped_property_name(name)) {
                push(name, value, schema);
            }
        }
    }
    entries.stable_sort_by(|a, b| a.0.inner().cmp(b.0.inner()));
    Record::of(entries)
}
