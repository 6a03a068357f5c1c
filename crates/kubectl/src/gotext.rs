//! Values in the formats of Go's `encoding/json` and `fmt`, which templates, custom columns and messages of the server
//! use.

use std::fmt::Write as _;

use podscope_api::ordered::StableSort as _;
use serde_json::{Map, Value};

/// Returns the entries of a map sorted by key, the order in which Go writes them.
pub(crate) fn sorted_entries(map: &Map<String, Value>) -> Vec<(&String, &Value)> {
    let mut entries: Vec<(&String, &Value)> = map.iter().collect();
    entries.stable_sort_by_key(|(key, _)| key.as_str().to_owned());
    entries
}

/// Formats compact JSON like `json.Marshal`: keys are sorted, and `<`, `>` and `&` are escaped.
pub(crate) fn json(value: &Value) -> String {
    let mut out = String::new();
    write_json(value, None, 0, &mut out);
    out
}

/// Formats JSON like `json.MarshalIndent`, with four spaces per level.
pub(crate) fn json_indented(value: &Value) -> String {
    let mut out = String::new();
    write_json(value, Some(4), 0, &mut out);
    out
}

fn write_json(value: &Value, indent: Option<usize>, level: usize, out: &mut String) {
    let line = |level: usize, out: &mut String| {
        if let Some(width) = indent {
            out.push('\n');
            out.extend(std::iter::repeat_n(' ', width * level));
        }
    };
    match value {
        Value::Object(map) if !map.is_empty() => {
            out.push('{');
            for (at, (key, value)) in sorted_entries(map).into_iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                line(level + 1, out);
                out.push_str(&json_quoted(key));
                out.push_str(if indent.is_some() { ": " } else { ":" });
                write_json(value, indent, level + 1, out);
            }
            line(level, out);
            out.push('}');
        }
        Value::Array(items) if !items.is_empty() => {
            out.push('[');
            for (at, value) in items.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                line(level + 1, out);
                write_json(value, indent, level + 1, out);
            }
            line(level, out);
            out.push(']');
        }
        Value::String(text) => out.push_str(&json_quoted(text)),
        Value::Number(number) if number.is_f64() => out.push_str(&json_float(number.as_f64().unwrap_or_default())),
        other => drop(write!(out, "{other}")),
    }
}

/// Formats a number like `encoding/json` does for a `float64`: whole numbers have no decimal point; numbers from 1e21
/// on and below 1e-6 have an exponent.
fn json_float(number: f64) -> String {
    if number != 0.0 && !(1e-6..1e21).contains(&number.abs()) {
        let text = format!("{number:e}");
        return match text.split_once("e-") {
            Some(_) => text,
            None => text.replace('e', "e+"),
        };
    }
    format!("{number}")
}

/// Formats a string like `json.Marshal`.
fn json_quoted(text: &str) -> String {
    escape_html_in_json(&Value::from(text).to_string())
}

/// Replaces characters in JSON that are special in HTML and JavaScript by `\u` escapes.
pub(crate) fn escape_html_in_json(json: &str) -> String {
    json.replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}

/// Formats a value like `%v`: `map[a:1 b:[x y]]`.
pub(crate) fn go_value_text(value: &Value) -> String {
    match value {
        Value::Null => "<nil>".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(items) => format!("[{}]", items.iter().map(go_value_text).collect::<Vec<_>>().join(" ")),
        Value::Object(map) => {
            let entries: Vec<String> = sorted_entries(map)
                .into_iter()
                .map(|(key, value)| format!("{key}:{}", go_value_text(value)))
                .collect();
            format!("map[{}]", entries.join(" "))
        }
        other => other.to_string(),
    }
}

/// Formats a number like `%v` does for a `float64`: with an exponent from a million on and below 0.0001.
pub(crate) fn go_float(number: f64) -> String {
    let text = format!("{number:e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..6).contains(&exponent) {
        return format!("{number}");
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.abs())
}

/// Returns the name of the Go type that a JSON value is decoded into.
pub(crate) fn go_type_name(value: &Value) -> &'static str {
    match value {
        Value::Object(_) => "map[string]interface {}",
        Value::Array(_) => "[]interface {}",
        Value::String(_) => "string",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_f64() => "float64",
        Value::Number(_) => "int64",
        Value::Null => "<nil>",
    }
}

/// Formats a value in Go syntax, like `%#v`.
pub(crate) fn go_syntax(value: &Value) -> String {
    match value {
        Value::Null => "interface {}(nil)".to_owned(),
        Value::String(text) => go_quoted(text),
        Value::Array(items) => format!(
            "[]interface {{}}{{{}}}",
            items.iter().map(go_syntax).collect::<Vec<_>>().join(", ")
        ),
        Value::Object(map) => {
            let entries: Vec<String> = sorted_entries(map)
                .into_iter()
                .map(|(key, value)| format!("{}:{}", go_quoted(key), go_syntax(value)))
                .collect();
            format!("map[string]interface {{}}{{{}}}", entries.join(", "))
        }
        other => other.to_string(),
    }
}

/// Formats a quoted string, like `%q`.
pub(crate) fn go_quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{7}' => out.push_str("\\a"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{b}' => out.push_str("\\v"),
            c if c < ' ' || c == '\u{7f}' => drop(write!(out, "\\x{:02x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Formats a character with its code point, like `%#U`.
pub(crate) fn format_code_point(c: char) -> String {
    match c.is_control() {
        true => format!("U+{:04X}", u32::from(c)),
        false => format!("U+{:04X} '{c}'", u32::from(c)),
    }
}

/// Formats a log line of klog, the logger of kubectl's libraries. `source` is the file and line of the log call.
pub(crate) fn klog_line(level: char, now: podscope_api::Time, source: &str, message: &str) -> String {
    // `2026-01-02T03:04:05.000000Z`
    let stamp = podscope_api::print_rfc3339(now.0, 6);
    let part = |from: usize, to: usize| stamp.get(from..to).unwrap_or_default();
    format!(
        "{level}{}{} {}       1 {source}] {message}",
        part(5, 7),
        part(8, 10),
        part(11, 26)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn formatted_json_values_equal_go_output() {
        let value = json!({"b": [1, "x<y"], "a": {"z": null, "k": true}});
        assert_eq!(super::json(&value), r#"{"a":{"k":true,"z":null},"b":[1,"x\u003cy"]}"#);
        assert_eq!(go_value_text(&value), "map[a:map[k:true z:<nil>] b:[1 x<y]]");
        for (number, text) in [
            (3.0, "3"),
            (0.5, "0.5"),
            (999_999.0, "999999"),
            (1e6, "1e+06"),
            (1_234_567.0, "1.234567e+06"),
            (0.0, "0"),
        ] {
            assert_eq!(go_float(number), text);
        }
    }
}
