//! Rust values as plain JavaScript objects: no `Map`s, no `BigInt`s where a number is exact.

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer as _};
use serde_json::Value;
use serde_wasm_bindgen::{Error, Serializer};
use wasm_bindgen::JsValue;

/// The largest whole number that a JavaScript number holds exactly.
const SAFE: i64 = (1 << 53) - 1;

/// A value of a type of ours, whose numbers are all small.
pub(crate) fn value<T: Serialize + ?Sized>(value: &T) -> Result<JsValue, Error> {
    value.serialize(&Serializer::json_compatible())
}

/// A JSON value of any origin: a manifest may hold numbers of 64 bits, which become what
/// `JSON.parse` makes of them.
pub(crate) fn json(value: &Value) -> Result<JsValue, Error> {
    Json(value).serialize(&Serializer::json_compatible())
}

/// Many of them, as an array.
pub(crate) fn array(values: &[Value]) -> Result<JsValue, Error> {
    Serializer::json_compatible().collect_seq(values.iter().map(Json))
}

/// A whole number, as a `number` where that is exact, else as a `bigint`.
pub(crate) fn whole(number: u64) -> JsValue {
    if i64::try_from(number).is_ok_and(|number| number <= SAFE) {
        JsValue::from_f64(number as f64)
    } else {
        JsValue::from(number)
    }
}

struct Json<'a>(&'a Value);

impl Serialize for Json<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Number(number) => match number.as_i64() {
                Some(whole) if (-SAFE..=SAFE).contains(&whole) => serializer.serialize_i64(whole),
                _ => serializer.serialize_f64(number.as_f64().unwrap_or(f64::NAN)),
            },
            Value::Array(items) => serializer.collect_seq(items.iter().map(Json)),
            Value::Object(fields) => {
                let mut map = serializer.serialize_map(Some(fields.len()))?;
                for (key, value) in fields {
                    map.serialize_entry(key, &Json(value))?;
                }
                map.end()
            }
            other => other.serialize(serializer),
        }
    }
}
