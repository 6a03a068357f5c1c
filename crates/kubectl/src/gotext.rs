//! Values as Go's `encoding/json` and `fmt` write them: what templates, custom columns and messages of the server hold.

use std::fmt::Write as _;

use podscope_api::ordered::StableSort as _;
use serde_json::{Map, Value};

/// The entries of a map in the order in which Go writes them.
pub(crate) fn sorted(map: &Map<String, Value>) -> Vec<(&String, &Value)> {
    let mut entries: Vec<(&String, &Value)> = map.iter().collect();
    entries.stable_sort_by_key(|(key, _)| key.as_str().to_owned());
    entries
}

/// Compact JSON with sorted keys, `<`, `>` and `&` escaped: `json.Marshal`.
pub(crate) fn json(value: &Value) -> String {
    let mut out = String::new();
    write_json(value, None, 0, &mut out);
    out
}

/// The same with four blanks a level: `json.MarshalIndent`.
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
            for (at, (key, value)) in sorted(map).into_iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                line(level + 1, out);
                out.push_str(&quoted(key));
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
        Value::String(text) => out.push_str(&quoted(text)),
        other => drop(write!(out, "{other}")),
    }
}

fn quoted(text: &str) -> String {
    escaped(&Value::from(text).to_string())
}

/// JSON with the letters that HTML and JavaScript take amiss written by their numbers.
pub(crate) fn escaped(json: &str) -> String {
    json.replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}

/// `map[a:1 b:[x y]]`: what `%v` writes.
pub(crate) fn plain(value: &Value) -> String {
    match value {
        Value::Null => "<nil>".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(items) => format!("[{}]", items.iter().map(plain).collect::<Vec<_>>().join(" ")),
        Value::Object(map) => {
            let entries: Vec<String> = sorted(map)
                .into_iter()
                .map(|(key, value)| format!("{key}:{}", plain(value)))
                .collect();
            format!("map[{}]", entries.join(" "))
        }
        other => other.to_string(),
    }
}

/// A number as `%v` writes a `float64`: from a million on with an exponent.
pub(crate) fn float(number: f64) -> String {
    let text = format!("{number:e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..6).contains(&exponent) {
        return format!("{number}");
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.abs())
}

/// A line of Go's logger: what kubectl's libraries say, at that instant.
pub(crate) fn klog(level: char, now: podscope_api::Time, place: &str, message: &str) -> String {
    // `2026-01-02T03:04:05.000000Z`.
    let stamp = podscope_api::print_rfc3339(now.0, 6);
    let part = |from: usize, to: usize| stamp.get(from..to).unwrap_or_default();
    format!(
        "{level}{}{} {}       1 {place}] {message}",
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
    fn values_are_written_as_go_writes_them() {
        let value = json!({"b": [1, "x<y"], "a": {"z": null, "k": true}});
        assert_eq!(super::json(&value), r#"{"a":{"k":true,"z":null},"b":[1,"x\u003cy"]}"#);
        assert_eq!(plain(&value), "map[a:map[k:true z:<nil>] b:[1 x<y]]");
        for (number, text) in [
            (3.0, "3"),
            (0.5, "0.5"),
            (999_999.0, "999999"),
            (1e6, "1e+06"),
            (1_234_567.0, "1.234567e+06"),
            (0.0, "0"),
        ] {
            assert_eq!(float(number), text);
        }
    }
}
