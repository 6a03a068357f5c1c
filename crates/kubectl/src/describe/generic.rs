//! `kubectl describe` of kinds without a special format: metadata, then every field.

use podscope_api::Object;
use podscope_api::ordered::StableSort as _;
use serde_json::{Map, Value};

use super::super::jsonpath::value_text;
use super::super::text::TabbedText;
use super::{print_annotations, print_labels};

/// Paths of fields that the list of all fields omits: `describe` prints them above the list, or not at all.
const SKIPPED_FIELDS: [&str; 5] = [
    ".metadata.managedFields",
    ".metadata.name",
    ".metadata.namespace",
    ".metadata.labels",
    ".metadata.annotations",
];

pub(super) fn describe(object: &Object, text: &mut TabbedText) {
    let meta = object.metadata();
    text.line(0, &format!("Name:\t{}", meta.name));
    text.line(0, &format!("Namespace:\t{}", meta.namespace));
    print_labels(text, "Labels", &meta.labels);
    print_annotations(text, "Annotations", &meta.annotations);
    if let Value::Object(map) = object.to_value() {
        print_fields(0, &map, "", text);
    }
}

fn print_fields(level: usize, map: &Map<String, Value>, prefix: &str, text: &mut TabbedText) {
    let mut names: Vec<&String> = map.keys().collect();
    names.stable_sort();
    for name in names {
        let path = format!("{prefix}.{name}");
        if SKIPPED_FIELDS.contains(&&*path) {
            continue;
        }
        let title = field_title(name);
        match map.get(name) {
            Some(Value::Object(inner)) => {
                text.line(level, &format!("{title}:"));
                print_fields(level + 1, inner, &path, text);
            }
            Some(Value::Array(items)) => {
                text.line(level, &format!("{title}:"));
                for item in items {
                    match item {
                        Value::Object(inner) => print_fields(level + 1, inner, &path, text),
                        other => text.line(level + 1, &go_text(other)),
                    }
                }
            }
            other => text.line(level, &format!("{title}:\t{}", go_text(other.unwrap_or(&Value::Null)))),
        }
    }
}

/// Formats a value as Go prints it.
fn go_text(value: &Value) -> String {
    match value {
        Value::Null => "<nil>".into(),
        other => value_text(other),
    }
}

/// Converts the name of a field to its title: splits it into words, with common acronyms in capitals (`apiVersion` →
/// `API Version`).
fn field_title(name: &str) -> String {
    if name.chars().any(|letter| !letter.is_alphabetic() && letter != '-') {
        return name.to_owned();
    }
    let mut words: Vec<String> = Vec::new();
    let mut before: Option<char> = None;
    let mut letters = name.chars().peekable();
    while let Some(letter) = letters.next() {
        let after_is_lower = letters.peek().is_some_and(|next| next.is_lowercase());
        let starts_word = match before {
            None => true,
            Some(before) => {
                (before.is_alphabetic() != letter.is_alphabetic())
                    || (before.is_lowercase() && letter.is_uppercase())
                    || (before.is_uppercase() && letter.is_uppercase() && after_is_lower)
            }
        };
        match words.last_mut() {
            Some(word) if !starts_word => word.push(letter),
            _ => words.push(letter.to_string()),
        }
        before = Some(letter);
    }
    let words: Vec<String> = words
        .into_iter()
        .map(|word| {
            let upper = word.to_ascii_uppercase();
            if matches!(&*upper, "API" | "URL" | "UID" | "GUID") {
                return upper;
            }
            super::super::explain::capitalized(&word)
        })
        .collect();
    words.join(" ")
}
