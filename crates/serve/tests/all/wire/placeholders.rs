//! Placeholders of the recorded exchanges, and the comparison of values that contain them.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use regex::Regex;
use serde_json::Value;

use super::{ComparisonOptions, truncated_text};

/// Values of the placeholders in a group of exchanges.
#[derive(Default)]
pub(super) struct PlaceholderValues(pub(super) BTreeMap<String, String>);

impl PlaceholderValues {
    pub(super) fn placeholder_regex() -> &'static Regex {
        static PLACEHOLDER_REGEX: OnceLock<Regex> = OnceLock::new();
        PLACEHOLDER_REGEX.get_or_init(|| Regex::new(r"<([a-z]+)(#\d+)?>").expect("a pattern"))
    }

    /// Replaces the placeholders in a text; None if one is unknown.
    pub(super) fn fill_placeholders(&self, text: &str) -> Option<String> {
        let mut is_whole = true;
        let filled = Self::placeholder_regex().replace_all(text, |found: &regex::Captures<'_>| {
            let name = &found[0];
            self.0.get(name).cloned().unwrap_or_else(|| {
                is_whole = false;
                String::new()
            })
        });
        is_whole.then(|| filled.into_owned())
    }

    pub(super) fn fill_placeholders_in_value(&self, value: &Value) -> Option<Value> {
        Some(match value {
            Value::String(text) => self.fill_placeholders(text)?.into(),
            Value::Array(items) => {
                let items = items.iter().map(|item| self.fill_placeholders_in_value(item));
                items.collect::<Option<_>>()?
            }
            Value::Object(map) => {
                let pairs = map
                    .iter()
                    .map(|(key, value)| Some((self.fill_placeholders(key)?, self.fill_placeholders_in_value(value)?)));
                Value::Object(pairs.collect::<Option<_>>()?)
            }
            other => other.clone(),
        })
    }

    /// Replaces placeholders without a number, such as `<uid>`, by the values of the same fields in the live object.
    pub(super) fn with_live_values(value: &Value, live: &Value) -> Value {
        match value {
            Value::String(text) if Self::placeholder_regex().is_match(text) && !text.contains('#') => match live {
                Value::String(live) => live.as_str().into(),
                _ => value.clone(),
            },
            Value::Array(items) => {
                let live = |number: usize| live.get(number).unwrap_or(&Value::Null);
                let items = items.iter().enumerate();
                items
                    .map(|(number, item)| Self::with_live_values(item, live(number)))
                    .collect()
            }
            Value::Object(map) => {
                let pairs = map
                    .iter()
                    .map(|(key, value)| (key.clone(), Self::with_live_values(value, &live[key.as_str()])));
                Value::Object(pairs.collect())
            }
            other => other.clone(),
        }
    }

    /// Returns whether a text matches the expected one. Stores the values of new placeholders. If `uses_known_values`
    /// is false, a placeholder whose value is known matches any text, too.
    pub(super) fn matches(&mut self, expected: &str, found: &str, uses_known_values: bool) -> bool {
        if !expected.contains('<') {
            return expected == found;
        }
        // Splits the expected text into literals, with unknown placeholders between them.
        let (mut literals, mut names, mut end) = (vec![String::new()], Vec::new(), 0);
        for capture in Self::placeholder_regex().captures_iter(expected) {
            let whole = capture.get(0).expect("it is found");
            let literal = literals.last_mut().expect("there is one");
            literal.push_str(&expected[end..whole.start()]);
            end = whole.end();
            match self.0.get(whole.as_str()).filter(|_| uses_known_values) {
                Some(known) => literal.push_str(known),
                None => {
                    names.push((whole.as_str().to_owned(), capture.get(2).is_some()));
                    literals.push(String::new());
                }
            }
        }
        literals.last_mut().expect("there is one").push_str(&expected[end..]);
        let Some(values) = split_at_literals(&literals, found) else {
            return false;
        };
        for ((name, is_numbered), value) in names.into_iter().zip(values) {
            if is_numbered {
                self.0.entry(name).or_insert(value);
            }
        }
        true
    }

    /// Returns the first difference between two values.
    pub(super) fn first_difference(
        &mut self,
        at: &str,
        expected: &Value,
        found: &Value,
        comparison: &ComparisonOptions<'_>,
    ) -> Option<String> {
        if comparison.varies.contains(&at) || at.ends_with("/managedFields") && !comparison.compares_managed_fields {
            return None;
        }
        // The recorded API server was built without a version stamp, so these fields are not compared.
        let of_build = ["/gitCommit", "/gitTreeState", "/goVersion", "/buildDate"];
        if of_build.iter().any(|field| at.ends_with(field)) {
            return None;
        }
        // The real server lists schema errors in the random order of a Go map, so both lists are sorted.
        if let (true, Some(expected), Some(found)) = (at.ends_with("/causes"), expected.as_array(), found.as_array())
            && comparison.varies.iter().any(|pointer| pointer.starts_with(at))
        {
            let ordered = |causes: &[Value]| {
                let mut causes: Vec<String> = causes.iter().map(Value::to_string).collect();
                causes.sort();
                causes
            };
            let (expected, found) = (ordered(expected), ordered(found));
            return (expected != found).then(|| format!("{at}: wanted {expected:?}, found {found:?}"));
        }
        // If an object was recorded as a string, the string is its name.
        if let (Value::String(_), Some(name)) = (expected, found.pointer("/metadata/name")) {
            return self.first_difference(at, expected, &name.clone(), comparison);
        }
        match (expected, found) {
            (Value::String(text), Value::String(other)) if self.matches(text, other, !comparison.numbers_vary) => None,
            // Any number matches this placeholder.
            (Value::String(text), Value::Number(_)) if text.starts_with('<') && text.ends_with('>') => None,
            (Value::Object(map), Value::Object(other)) => {
                let skipped = |key: &str| {
                    key == "managedFields" && !comparison.compares_managed_fields
                        || key == "description" && at.contains("/columnDefinitions/")
                };
                for (key, value) in map {
                    let path = json_pointer(at, key);
                    let key = self.fill_placeholders(key).unwrap_or_else(|| key.clone());
                    match other.get(&key) {
                        _ if skipped(&key) || comparison.varies.contains(&path.as_str()) => {}
                        Some(found) => {
                            if let Some(why) = self.first_difference(&path, value, found, comparison) {
                                return Some(why);
                            }
                        }
                        None => return Some(format!("{path}: wanted {}", truncated_text(value))),
                    }
                }
                if comparison.is_partial {
                    return None;
                }
                let known: Vec<String> = map
                    .keys()
                    .map(|key| self.fill_placeholders(key).unwrap_or_else(|| key.clone()))
                    .collect();
                let varies = |key: &str| comparison.varies.contains(&json_pointer(at, key).as_str());
                let more = other
                    .iter()
                    .find(|(key, _)| !known.contains(key) && !skipped(key) && !varies(key));
                more.map(|(key, value)| format!("{at}/{key}: not wanted: {}", truncated_text(value)))
            }
            (Value::Array(items), Value::Array(others)) => {
                for (number, item) in items.iter().enumerate() {
                    let path = format!("{at}/{number}");
                    match others.get(number) {
                        Some(other) => {
                            if let Some(why) = self.first_difference(&path, item, other, comparison) {
                                return Some(why);
                            }
                        }
                        None => return Some(format!("{path}: wanted {}", truncated_text(item))),
                    }
                }
                let more = others
                    .get(items.len())
                    .filter(|_| !comparison.is_partial || !at.ends_with("/rows"));
                more.map(|item| format!("{at}/{}: not wanted: {}", items.len(), truncated_text(item)))
            }
            _ if expected == found => None,
            _ => Some(format!(
                "{at}: wanted {}, found {}",
                truncated_text(expected),
                truncated_text(found)
            )),
        }
    }
}

/// Returns the parts of a text between the literals; None unless it begins with the first and ends with the last
/// literal.
fn split_at_literals(literals: &[String], text: &str) -> Option<Vec<String>> {
    let (first, rest) = literals.split_first()?;
    let mut left = text.strip_prefix(first.as_str())?;
    let Some((last, middle)) = rest.split_last() else {
        return left.is_empty().then(Vec::new);
    };
    let mut values = Vec::new();
    for literal in middle {
        let at = left.find(literal.as_str())?;
        values.push(left[..at].to_owned());
        left = &left[at + literal.len()..];
    }
    values.push(left.strip_suffix(last.as_str())?.to_owned());
    Some(values)
}

/// Returns the JSON pointer of a field.
fn json_pointer(at: &str, key: &str) -> String {
    format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"))
}
