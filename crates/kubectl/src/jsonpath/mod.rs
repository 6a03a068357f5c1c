//! kubectl's JSONPath dialect, such as `{.items[*].metadata.name}` (KC-054, KC-055). It has fields, `['x']`, indexes,
//! slices, `*`, `..`, filters, unions, and `{range}…{end}`. It differs from RFC 9535, so no JSONPath crate parses it.

mod parse;
#[cfg(test)]
mod tests;
mod walk;

use std::borrow::Cow;

use serde_json::Value;

use self::parse::QuotedKeys;
use self::walk::Walker;
use crate::gotext;
use crate::work::{TooMuchWork, WorkCounter, work_of_text};

/// Maximum length of the output of a template, in bytes.
const MAX_OUTPUT_BYTES: usize = 4 << 20;

/// A parsed template: literal text, and actions in braces.
#[derive(Debug, Clone, PartialEq)]
pub struct Template {
    text: String,
    segments: Vec<Segment>,
}

/// A part of a template: literal text, or an action in braces.
#[derive(Debug, Clone, PartialEq)]
enum Segment {
    Text(String),
    Action(Vec<Node>),
}

/// A parsed path, as custom columns, `--sort-by` and `wait --for=jsonpath` use it.
#[derive(Debug, Clone, PartialEq)]
pub struct Path {
    segments: Vec<Segment>,
}

/// One step of a path, such as a field name or an index.
#[derive(Debug, Clone, PartialEq)]
enum Node {
    Field(String),
    Array([SliceParam; 3]),
    Wildcard,
    Recursive,
    Union(Vec<Vec<Node>>),
    /// Keeps the elements in which the first path finds a value. If there is also an operator and a second path, keeps
    /// those for which the comparison of the values at both paths is true.
    Filter(Vec<Node>, Option<(String, Vec<Node>)>),
    /// A string, a number or a boolean.
    Literal(Value),
    /// `range`, `end`, or an unknown identifier.
    Identifier(String),
}

/// A parameter of a slice `[from:to:step]`; the value is `None` if it was omitted.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct SliceParam {
    value: Option<i64>,
    /// Whether the parser added the value: `[3]` is parsed as `[3:4]`.
    is_derived: bool,
}

/// Error of evaluating a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathError {
    /// The path visits more values than one command may visit.
    TooMuchWork(TooMuchWork),
    /// The template cannot be executed on this value.
    Execution(String),
}

impl From<TooMuchWork> for PathError {
    fn from(why: TooMuchWork) -> Self {
        PathError::TooMuchWork(why)
    }
}

impl std::fmt::Display for PathError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            PathError::TooMuchWork(why) => why.fmt(f),
            PathError::Execution(why) => f.write_str(why),
        }
    }
}

/// The values that a path finds.
pub(crate) type FoundValues<'v> = Result<Vec<Cow<'v, Value>>, PathError>;

impl Path {
    /// Parses a single path such as `.status.conditions[?(@.type=="Ready")].status`. Braces and the leading dot are
    /// optional (KC-055).
    ///
    /// # Errors
    /// kubectl's message about an invalid path.
    pub fn parse(text: &str) -> Result<Path, String> {
        Path::read(text, QuotedKeys::Paths)
    }

    /// Like [`parse`](Self::parse), for paths in scenarios: `['a.b/c']` is one key, so its dots need no backslashes.
    ///
    /// # Errors
    /// kubectl's message about an invalid path.
    pub fn parse_with_whole_keys(text: &str) -> Result<Path, String> {
        Path::read(text, QuotedKeys::Whole)
    }

    /// Parses a single path. `keys` determines the meaning of `['…']`.
    fn read(text: &str, keys: QuotedKeys) -> Result<Path, String> {
        if text.is_empty() {
            return Ok(Path { segments: Vec::new() });
        }
        let inner = text.strip_prefix('{').and_then(|text| text.strip_suffix('}'));
        let inner = inner.unwrap_or(text);
        let inner = inner.strip_prefix('.').unwrap_or(inner);
        if inner.is_empty() || inner.contains(['{', '}']) {
            return Err("unexpected path string, expected a 'name1.name2' or '.name1.name2' or '{name1.name2}' or '{.name1.name2}'".into());
        }
        let segments = parse::parse(&format!("{{.{inner}}}"), keys)?;
        Ok(Path { segments })
    }

    /// Returns every value that the path finds.
    ///
    /// # Errors
    /// The command exceeds its work limit, or the path cannot be evaluated on this value.
    pub fn find<'v>(&self, root: &'v Value, work: &WorkCounter) -> FoundValues<'v> {
        let groups = Walker::new(&self.segments, work).results(root)?;
        Ok(groups.into_iter().flatten().collect())
    }
}

impl Template {
    /// Parses a template.
    ///
    /// # Errors
    /// kubectl's message without `error: ` (KC-054).
    pub fn parse(text: &str) -> Result<Template, String> {
        let segments =
            parse::parse(text, QuotedKeys::Paths).map_err(|why| format!("error parsing jsonpath {text}, {why}"))?;
        let text = text.to_owned();
        Ok(Template { text, segments })
    }

    /// Executes the template and prints the values of each action as a JSON list (`-o jsonpath-as-json`).
    ///
    /// # Errors
    /// The template visits too many values, or cannot be executed.
    pub(crate) fn print_as_json(&self, value: &Value) -> Result<String, String> {
        let work = WorkCounter::default();
        let groups = self.values_by_action(value, &work)?;
        let mut out = String::new();
        for group in groups {
            let mut all = Vec::new();
            for found in group {
                work.spend(work_of_value(&found)).map_err(|why| why.to_string())?;
                all.push(found.into_owned());
            }
            out.push_str(&gotext::json_indented(&Value::Array(all)));
            out.push('\n');
        }
        Ok(out)
    }

    /// Executes the template on a value. Missing keys print nothing.
    ///
    /// # Errors
    /// The template visits too many values, its output is too long, or it cannot be executed.
    pub fn print(&self, value: &Value) -> Result<String, String> {
        let work = WorkCounter::default();
        let mut out = String::new();
        for group in self.values_by_action(value, &work)? {
            for (at, found) in group.into_iter().enumerate() {
                if at > 0 {
                    out.push(' ');
                }
                work.spend(work_of_value(&found)).map_err(|why| why.to_string())?;
                out.push_str(&value_text(&found));
                if out.len() > MAX_OUTPUT_BYTES {
                    return Err(format!("the output is longer than {MAX_OUTPUT_BYTES} bytes"));
                }
            }
        }
        Ok(out)
    }

    /// Returns the values that each action finds.
    fn values_by_action<'v>(&self, value: &'v Value, work: &WorkCounter) -> Result<Vec<Vec<Cow<'v, Value>>>, String> {
        Walker::new(&self.segments, work).results(value).map_err(|why| match why {
            PathError::TooMuchWork(why) => why.to_string(),
            PathError::Execution(why) => format!(
                "error executing jsonpath {}: Error executing template: {why}. Printing more information for debugging the template:\n\ttemplate was:\n\t\t{}\n\tobject given to jsonpath engine was:\n\t\t{}\n\n",
                gotext::go_quoted(&self.text),
                self.text,
                gotext::go_syntax(value)
            ),
        })
    }
}

/// Returns the work of copying, comparing or printing a value: the number of values that it contains, itself included.
/// A long text counts as several values.
pub(crate) fn work_of_value(value: &Value) -> u64 {
    match value {
        Value::String(text) => work_of_text(text),
        Value::Array(items) => 1 + items.iter().map(work_of_value).sum::<u64>(),
        Value::Object(map) => 1 + map.values().map(work_of_value).sum::<u64>(),
        _ => 1,
    }
}

/// Formats a value as templates print it.
pub(crate) fn value_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => gotext::json(other),
    }
}
