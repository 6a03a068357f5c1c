//! The functions of Go templates, and printing of values in Go's format.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};

use super::{MAX_OUTPUT_BYTES, MaybeValue, OUTPUT_TOO_LONG};
use crate::gotext::{go_float, go_type_name, go_value_text};

/// Returns the Go type of a value inside a template.
pub(super) fn go_type_of_value(value: &Value) -> &'static str {
    match value {
        Value::Null => "nil",
        // Templates decode every JSON number as float64.
        Value::Number(_) => "float64",
        other => go_type_name(other),
    }
}

/// Returns whether a template value counts as true: missing, zero and empty values do not.
pub(super) fn is_truthy(value: &MaybeValue) -> bool {
    match value {
        None | Some(Value::Null) => false,
        Some(Value::Bool(value)) => *value,
        Some(Value::Number(value)) => value.as_f64() != Some(0.0),
        Some(Value::String(text)) => !text.is_empty(),
        Some(Value::Array(items)) => !items.is_empty(),
        Some(Value::Object(map)) => !map.is_empty(),
    }
}

/// Formats a value like `%v`. Templates treat JSON numbers as floats.
pub(super) fn print_value(value: &MaybeValue) -> String {
    fn with_numbers_as_floats(value: &Value) -> Value {
        match value {
            Value::Number(number) => Value::from(number.as_f64().map_or_else(|| number.to_string(), go_float)),
            Value::Array(items) => Value::Array(items.iter().map(with_numbers_as_floats).collect()),
            Value::Object(map) => {
                let entries = map
                    .iter()
                    .map(|(key, value)| (key.clone(), with_numbers_as_floats(value)));
                Value::Object(entries.collect::<Map<_, _>>())
            }
            other => other.clone(),
        }
    }
    match value {
        None | Some(Value::Null) => "<no value>".to_owned(),
        Some(value) => go_value_text(&with_numbers_as_floats(value)),
    }
}

/// Calls a template function.
pub(super) fn call_function(name: &str, arguments: &[MaybeValue]) -> Result<MaybeValue, String> {
    let min_arguments = match name {
        "print" | "println" | "exists" => 0,
        "eq" | "ne" | "lt" | "le" | "gt" | "ge" => 2,
        _ => 1,
    };
    if arguments.len() < min_arguments {
        return Err(format!(
            "wrong number of args for {name}: want at least {min_arguments} got {}",
            arguments.len()
        ));
    }
    let first = arguments.first().cloned().flatten();
    let texts = |arguments: &[MaybeValue]| arguments.iter().map(print_value).collect::<Vec<_>>();
    Ok(Some(match name {
        "and" | "or" => {
            let is_result = |value: &&MaybeValue| is_truthy(value) == (name == "or");
            return Ok(arguments.iter().find(is_result).or(arguments.last()).cloned().flatten());
        }
        "not" => Value::from(!is_truthy(&first)),
        "eq" => Value::from(arguments.iter().skip(1).any(|other| compare(&first, other) == Some(0))),
        "ne" => Value::from(compare(&first, &arguments[1]) != Some(0)),
        "lt" | "le" | "gt" | "ge" => {
            let order = compare(&first, &arguments[1])
                .ok_or_else(|| format!("error calling {name}: incompatible types for comparison"))?;
            Value::from(match name {
                "lt" => order < 0,
                "le" => order <= 0,
                "gt" => order > 0,
                _ => order >= 0,
            })
        }
        "len" => match &first {
            Some(Value::String(text)) => Value::from(text.len()),
            Some(Value::Array(items)) => Value::from(items.len()),
            Some(Value::Object(map)) => Value::from(map.len()),
            _ => return Err("error calling len: len of nil pointer".to_owned()),
        },
        "index" | "exists" => {
            let mut value = first;
            for key in arguments.iter().skip(1).flatten() {
                value = match (&value, key) {
                    (Some(Value::Object(map)), Value::String(key)) => map.get(key).cloned(),
                    (Some(Value::Array(items)), Value::Number(at)) => {
                        let found = at.as_u64().and_then(|at| items.get(at as usize)).cloned();
                        if found.is_none() && name == "index" {
                            return Err(format!("error calling index: reflect: slice index out of range: {at}"));
                        }
                        found
                    }
                    _ if name == "index" => return Err("error calling index: index of untyped nil".to_owned()),
                    _ => None,
                };
            }
            match name {
                "exists" => Value::from(value.is_some()),
                _ => return Ok(value),
            }
        }
        "print" => within_output_limit(texts(arguments).join(" "))?,
        "println" => within_output_limit(texts(arguments).join(" ") + "\n")?,
        "printf" => within_output_limit(printf(&print_value(&first), arguments.get(1..).unwrap_or_default()))?,
        _ => {
            let text = print_value(&first);
            let bytes = STANDARD
                .decode(&text)
                .map_err(|_| "error calling base64decode: illegal base64 data")?;
            Value::from(String::from_utf8_lossy(&bytes).into_owned())
        }
    }))
}

/// Returns a computed text, or an error if it is longer than the output limit. Without this check, a template that
/// doubles a text repeatedly could exhaust the memory before it prints anything.
fn within_output_limit(text: String) -> Result<Value, String> {
    if text.len() > MAX_OUTPUT_BYTES {
        return Err(OUTPUT_TOO_LONG.to_owned());
    }
    Ok(Value::from(text))
}

/// Compares two values: returns -1, 0 or 1 for less, equal or greater; `None` if their types are not comparable.
fn compare(left: &MaybeValue, right: &MaybeValue) -> Option<i8> {
    let order = match (left, right) {
        (Some(Value::Number(a)), Some(Value::Number(b))) => a.as_f64().partial_cmp(&b.as_f64())?,
        (Some(Value::String(a)), Some(Value::String(b))) => a.cmp(b),
        (a, b) if a == b => std::cmp::Ordering::Equal,
        _ => return None,
    };
    Some(order as i8)
}

/// Implements `printf` with `%s`, `%v`, `%d`, `%q` and widths.
fn printf(format: &str, arguments: &[MaybeValue]) -> String {
    let mut out = String::new();
    let (mut chars, mut arguments) = (format.chars().peekable(), arguments.iter());
    while let Some(c) = chars.next() {
        if out.len() > MAX_OUTPUT_BYTES {
            break; // The caller rejects a text of this length.
        }
        if c != '%' {
            out.push(c);
            continue;
        }
        let is_left = chars.next_if_eq(&'-').is_some();
        let mut width = 0_usize;
        while let Some(digit) = chars.peek().and_then(|c| c.to_digit(10)) {
            width = (width * 10 + digit as usize).min(1000);
            chars.next();
        }
        let text = match chars.next() {
            Some('%') => "%".to_owned(),
            Some('q') => format!("{:?}", arguments.next().map(print_value).unwrap_or_default()),
            Some(_) => arguments.next().map(print_value).unwrap_or_default(),
            None => "%!(NOVERB)".to_owned(),
        };
        match is_left {
            true => out.push_str(&format!("{text:<width$}")),
            false => out.push_str(&format!("{text:>width$}")),
        }
    }
    out
}
