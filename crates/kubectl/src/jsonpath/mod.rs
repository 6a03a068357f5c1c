//! kubectl's JSONPath (KC-054, KC-055): `{.items[*].metadata.name}`, with
//! fields, `['x']`, indexes, slices, `*`, `..`, filters, unions, and
//! `{range}…{end}`. It is not RFC 9535, which is why no crate reads it.

mod parse;
#[cfg(test)]
mod tests;
mod walk;

use std::borrow::Cow;

use serde_json::Value;

use self::parse::Keys;
use self::walk::Walker;
use crate::gotext;
use crate::work::{TooMuchWork, Work, of_text};

/// Longest text that a template prints, in bytes.
const MAX_OUTPUT: usize = 4 << 20;

/// A parsed template: text, and actions between braces.
#[derive(Debug, Clone, PartialEq)]
pub struct Template {
    text: String,
    tops: Vec<Top>,
}

#[derive(Debug, Clone, PartialEq)]
enum Top {
    Text(String),
    Action(Vec<Node>),
}

/// A path, as columns, `--sort-by` and conditions name it.
#[derive(Debug, Clone, PartialEq)]
pub struct Path {
    tops: Vec<Top>,
}

#[derive(Debug, Clone, PartialEq)]
enum Node {
    Field(String),
    Array([Param; 3]),
    Wildcard,
    Recursive,
    Union(Vec<Vec<Node>>),
    /// The elements for which the first path leads somewhere, or compares so with the second.
    Filter(Vec<Node>, Option<(String, Vec<Node>)>),
    /// A text, a number or a truth value.
    Literal(Value),
    /// `range`, `end`, or what is neither.
    Identifier(String),
}

/// A bound of a slice; none where it was left out.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Param {
    value: Option<i64>,
    /// `[3]` reads as `[3:4]`, whose end nobody wrote.
    is_derived: bool,
}

/// Why a path leads nowhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lost {
    /// It asks for more work than a command may cost.
    TooMuchWork(TooMuchWork),
    /// The template cannot be executed on this value.
    Refused(String),
}

impl From<TooMuchWork> for Lost {
    fn from(why: TooMuchWork) -> Self {
        Lost::TooMuchWork(why)
    }
}

impl std::fmt::Display for Lost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Lost::TooMuchWork(why) => why.fmt(f),
            Lost::Refused(why) => f.write_str(why),
        }
    }
}

/// What a path leads to.
pub(crate) type Found<'v> = Result<Vec<Cow<'v, Value>>, Lost>;

impl Path {
    /// Reads a bare path such as `.status.conditions[?(@.type=="Ready")].status`; braces and a leading dot may be missing (KC-055).
    ///
    /// # Errors
    /// What is wrong.
    pub fn parse(text: &str) -> Result<Path, String> {
        Path::read(text, Keys::Paths)
    }

    /// The same for a path of a scenario, where `['a.b/c']` is one key: it needs no backslashes.
    ///
    /// # Errors
    /// What is wrong.
    pub fn of_whole_keys(text: &str) -> Result<Path, String> {
        Path::read(text, Keys::Whole)
    }

    fn read(text: &str, keys: Keys) -> Result<Path, String> {
        if text.is_empty() {
            return Ok(Path { tops: Vec::new() });
        }
        let inner = text.strip_prefix('{').and_then(|text| text.strip_suffix('}'));
        let inner = inner.unwrap_or(text);
        let inner = inner.strip_prefix('.').unwrap_or(inner);
        if inner.is_empty() || inner.contains(['{', '}']) {
            return Err("unexpected path string, expected a 'name1.name2' or '.name1.name2' or '{name1.name2}' or '{.name1.name2}'".into());
        }
        let tops = parse::parse(&format!("{{.{inner}}}"), keys)?;
        Ok(Path { tops })
    }

    /// Every value the path leads to.
    ///
    /// # Errors
    /// The command's work is used up, or the path cannot be followed in this value.
    pub fn find<'v>(&self, root: &'v Value, work: &Work) -> Found<'v> {
        let groups = Walker::new(&self.tops, work).results(root)?;
        Ok(groups.into_iter().flatten().collect())
    }
}

impl Template {
    /// Reads a template.
    ///
    /// # Errors
    /// KC-054's text, without `error: `.
    pub fn parse(text: &str) -> Result<Template, String> {
        let tops = parse::parse(text, Keys::Paths).map_err(|why| format!("error parsing jsonpath {text}, {why}"))?;
        let text = text.to_owned();
        Ok(Template { text, tops })
    }

    /// What each action found, every one as a JSON list (`-o jsonpath-as-json`).
    ///
    /// # Errors
    /// It takes too much work, or the template cannot be executed.
    pub(crate) fn print_as_json(&self, value: &Value) -> Result<String, String> {
        let work = Work::default();
        let groups = self.groups(value, &work)?;
        let mut out = String::new();
        for group in groups {
            let mut all = Vec::new();
            for found in group {
                work.spend(weight(&found)).map_err(|why| why.to_string())?;
                all.push(found.into_owned());
            }
            out.push_str(&gotext::json_indented(&Value::Array(all)));
            out.push('\n');
        }
        Ok(out)
    }

    /// The text for a value; missing keys give nothing.
    ///
    /// # Errors
    /// It takes too much work, is too long, or the template cannot be executed.
    pub fn print(&self, value: &Value) -> Result<String, String> {
        let work = Work::default();
        let mut out = String::new();
        for group in self.groups(value, &work)? {
            for (at, found) in group.into_iter().enumerate() {
                if at > 0 {
                    out.push(' ');
                }
                work.spend(weight(&found)).map_err(|why| why.to_string())?;
                out.push_str(&plain(&found));
                if out.len() > MAX_OUTPUT {
                    return Err(format!("the output is longer than {MAX_OUTPUT} bytes"));
                }
            }
        }
        Ok(out)
    }

    fn groups<'v>(&self, value: &'v Value, work: &Work) -> Result<Vec<Vec<Cow<'v, Value>>>, String> {
        Walker::new(&self.tops, work).results(value).map_err(|why| match why {
            Lost::TooMuchWork(why) => why.to_string(),
            Lost::Refused(why) => format!(
                "error executing jsonpath {}: Error executing template: {why}. Printing more information for debugging the template:\n\ttemplate was:\n\t\t{}\n\tobject given to jsonpath engine was:\n\t\t{}\n\n",
                gotext::go_quoted(&self.text),
                self.text,
                gotext::go_syntax(value)
            ),
        })
    }
}

/// What a value costs who copies, compares or prints it: the values that it holds, itself included, long texts as several.
pub(crate) fn weight(value: &Value) -> u64 {
    match value {
        Value::String(text) => of_text(text),
        Value::Array(items) => 1 + items.iter().map(weight).sum::<u64>(),
        Value::Object(map) => 1 + map.values().map(weight).sum::<u64>(),
        _ => 1,
    }
}

/// A value as templates print it.
pub(crate) fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => gotext::json(other),
    }
}
