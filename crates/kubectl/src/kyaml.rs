//! KYAML (`-o kyaml`): YAML in flow style, like JSON. String values are always quoted, keys only where necessary.

use serde_json::Value;

use super::gotext::sorted_entries;

/// Prints a document as kubectl does, with a leading `---`.
pub(crate) fn print(value: &Value) -> String {
    let mut out = String::from("---\n");
    write_value(value, 0, &mut out);
    out
}

fn indent(level: usize, out: &mut String) {
    out.extend(std::iter::repeat_n("  ", level));
}

/// Writes a value. `level` is its indentation in steps of two spaces.
fn write_value(value: &Value, level: usize, out: &mut String) {
    match value {
        Value::Object(map) if !map.is_empty() => {
            out.push_str("{\n");
            for (key, value) in sorted_entries(map) {
                indent(level + 1, out);
                out.push_str(&self::key_text(key));
                out.push_str(": ");
                write_value(value, level + 1, out);
                out.push_str(",\n");
            }
            indent(level, out);
            out.push('}');
        }
        Value::Object(_) => out.push_str("{}"),
        Value::Array(items) if items.is_empty() => out.push_str("[]"),
        Value::Array(items) if items.iter().all(|item| item.is_object() || item.is_array()) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push_str(", ");
                }
                write_value(item, level, out);
            }
            out.push(']');
        }
        Value::Array(items) => {
            out.push_str("[\n");
            for item in items {
                indent(level + 1, out);
                write_value(item, level + 1, out);
                out.push_str(",\n");
            }
            indent(level, out);
            out.push(']');
        }
        Value::String(text) if text.contains('\n') => write_multi_line(text, level + 1, out),
        Value::String(text) => out.push_str(&Value::from(text.as_str()).to_string()),
        other => out.push_str(&other.to_string()),
    }
}

/// Writes a multi-line string as one quoted scalar: one source line per text line, continued by a trailing `\`. A line
/// that begins with white space needs a leading `\`; all other lines have a space in that column.
fn write_multi_line(text: &str, level: usize, out: &mut String) {
    out.push_str("\"\\\n");
    for line in text.split_inclusive('\n') {
        indent(level, out);
        out.push(if line.starts_with([' ', '\t']) { '\\' } else { ' ' });
        let quoted = Value::from(line).to_string();
        let inner = quoted.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        out.push_str(inner.unwrap_or(&quoted));
        out.push_str("\\\n");
    }
    indent(level, out);
    out.push('"');
}

/// Formats a map key: unquoted unless a YAML parser could read it as something other than a string.
fn key_text(text: &str) -> String {
    let is_plain = text
        .chars()
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "_-./".contains(c));
    let lower = text.to_ascii_lowercase();
    let is_ambiguous = matches!(
        lower.as_str(),
        "y" | "yes" | "n" | "no" | "on" | "off" | "true" | "false" | "null" | "inf" | "nan"
    );
    if is_plain && !is_ambiguous {
        text.to_owned()
    } else {
        Value::from(text).to_string()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    #[test]
    fn kyaml_quotes_strings_and_joins_brackets_on_one_line() {
        let value = json!({"l": [{"a": 1}, {"b": "x"}], "s": ["p"], "e": {}, "1": null, "m": "a\n b"});
        assert_eq!(
            super::print(&value),
            "---\n{\n  \"1\": null,\n  e: {},\n  l: [{\n    a: 1,\n  }, {\n    b: \"x\",\n  }],\n  m: \"\\\n     a\\n\\\n    \\ b\\\n    \",\n  s: [\n    \"p\",\n  ],\n}"
        );
    }
}
