//! Converts Rust values to plain JavaScript objects, without `Map`, and with `BigInt` only where a number would not be
//! exact.

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer as _};
use serde_json::Value;
use serde_wasm_bindgen::{Error, Serializer};
use wasm_bindgen::JsValue;

/// The largest integer that a JavaScript number holds exactly (`Number.MAX_SAFE_INTEGER`).
const MAX_SAFE_INTEGER: i64 = (1 << 53) - 1;

/// Converts a value of Podscope's own types, whose integers are all small enough.
pub(crate) fn value<T: Serialize + ?Sized>(value: &T) -> Result<JsValue, Error> {
    value.serialize(&Serializer::json_compatible())
}

/// Converts arbitrary JSON. Large integers, which a manifest may contain, become inexact numbers as with `JSON.parse`.
pub(crate) fn json(value: &Value) -> Result<JsValue, Error> {
    InexactJson(value).serialize(&Serializer::json_compatible())
}

/// Converts JSON values to an array.
pub(crate) fn array(values: &[Value]) -> Result<JsValue, Error> {
    Serializer::json_compatible().collect_seq(values.iter().map(InexactJson))
}

/// Converts an integer to a `number` if that is exact, else to a `bigint`.
pub(crate) fn integer(number: u64) -> JsValue {
    if i64::try_from(number).is_ok_and(|number| number <= MAX_SAFE_INTEGER) {
        JsValue::from_f64(number as f64)
    } else {
        JsValue::from(number)
    }
}

/// Serializes JSON as [`json`] converts it: with inexact numbers for large integers.
struct InexactJson<'a>(&'a Value);

impl Serialize for InexactJson<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Number(number) => match number.as_i64() {
                Some(whole) if (-MAX_SAFE_INTEGER..=MAX_SAFE_INTEGER).contains(&whole) => {
                    serializer.serialize_i64(whole)
                }
                _ => serializer.serialize_f64(number.as_f64().unwrap_or(f64::NAN)),
            },
            Value::Array(items) => serializer.collect_seq(items.iter().map(InexactJson)),
            Value::Object(fields) => {
                let mut map = serializer.serialize_map(Some(fields.len()))?;
                for (key, value) in fields {
                    map.serialize_entry(key, &InexactJson(value))?;
                }
                map.end()
            }
            other => other.serialize(serializer),
        }
    }
}
