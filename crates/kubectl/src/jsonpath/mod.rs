//! kubectl's JSONPath (KC-054, KC-055): `{.items[*].metadata.name}`, with
//! fields, `['x']`, indexes, slices, `*`, `..`, filters, unions, and
//! `{range}…{end}`. It is not RFC 9535, which is why no crate reads it.

mod parse;
#[cfg(test)]
mod tests;

use std::cmp::Ordering;

use serde_json::Value;

use self::parse::{Parser, pieces};
use crate::work::{TooMuchWork, Work, of_text};

/// Longest text that a template prints, in bytes.
const MAX_OUTPUT: usize = 4 << 20;

type Found<'v> = Result<Vec<&'v Value>, TooMuchWork>;

/// A parsed template.
#[derive(Debug, Clone, PartialEq)]
pub struct Template(Vec<Piece>);

#[derive(Debug, Clone, PartialEq)]
enum Piece {
    Text(String),
    Path(Path),
    Range(Path, Vec<Piece>),
}

/// A path: steps from the current value, or from the root.
#[derive(Debug, Clone, PartialEq)]
pub struct Path {
    from_root: bool,
    steps: Vec<Step>,
}

#[derive(Debug, Clone, PartialEq)]
enum Step {
    Field(String),
    Fields(Vec<String>),
    Indexes(Vec<i64>),
    Slice(Option<i64>, Option<i64>, i64),
    Wildcard,
    Recursive,
    Filter(Operand, Option<(Compare, Operand)>),
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Compare {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

#[derive(Debug, Clone, PartialEq)]
enum Operand {
    Path(Path),
    Literal(Value),
}

impl Path {
    /// Reads a bare path such as `.status.conditions[?(@.type=="Ready")].status`; braces and a leading dot may be missing (KC-055).
    ///
    /// # Errors
    /// What is wrong.
    pub fn parse(text: &str) -> Result<Path, String> {
        let inner = text.trim();
        let inner = inner
            .strip_prefix('{')
            .and_then(|inner| inner.strip_suffix('}'))
            .unwrap_or(inner);
        let mut parser = Parser { rest: inner, depth: 0 };
        let path = parser.path()?;
        parser.rest = parser.rest.trim_start();
        if parser.rest.is_empty() {
            Ok(path)
        } else {
            Err(format!(
                "unrecognized character in action: {:?}",
                parser.rest.chars().next().unwrap_or(' ')
            ))
        }
    }
    /// Every value the path leads to.
    ///
    /// # Errors
    /// The command's work is used up.
    pub fn find<'v>(&self, root: &'v Value, work: &Work) -> Found<'v> {
        self.walk(root, root, work)
    }
    fn walk<'v>(&self, root: &'v Value, current: &'v Value, work: &Work) -> Found<'v> {
        let mut found = vec![if self.from_root { root } else { current }];
        for step in &self.steps {
            let mut next = Vec::new();
            for value in found {
                step.apply(root, value, work, &mut next)?;
            }
            found = next;
        }
        Ok(found)
    }
}

impl Step {
    fn apply<'v>(
        &self,
        root: &'v Value,
        value: &'v Value,
        work: &Work,
        out: &mut Vec<&'v Value>,
    ) -> Result<(), TooMuchWork> {
        work.spend(match (self, value) {
            (Step::Wildcard | Step::Filter(..) | Step::Slice(..), Value::Array(items)) => 1 + items.len() as u64,
            (Step::Wildcard, Value::Object(map)) => 1 + map.len() as u64,
            (Step::Field(name), _) => of_text(name),
            (Step::Fields(names), _) => names.iter().map(|name| of_text(name)).sum(),
            (Step::Indexes(indexes), _) => indexes.len() as u64,
            _ => 1,
        })?;
        match self {
            Step::Field(name) => out.extend(value.get(name.as_str()).filter(|value| !value.is_null())),
            Step::Fields(names) => out.extend(names.iter().filter_map(|name| value.get(name.as_str()))),
            Step::Indexes(indexes) => {
                if let Value::Array(items) = value {
                    let len = items.len() as i64;
                    out.extend(indexes.iter().filter_map(|index| {
                        let at = if *index < 0 { len + index } else { *index };
                        usize::try_from(at).ok().and_then(|at| items.get(at))
                    }));
                }
            }
            Step::Slice(from, to, step) => {
                if let Value::Array(items) = value {
                    let len = items.len() as i64;
                    let clamp = |at: i64| (if at < 0 { len + at } else { at }).clamp(0, len);
                    let (from, to) = (clamp(from.unwrap_or(0)), clamp(to.unwrap_or(len)));
                    let mut at = from;
                    while at < to {
                        out.extend(usize::try_from(at).ok().and_then(|at| items.get(at)));
                        at = at.saturating_add((*step).max(1));
                    }
                }
            }
            Step::Wildcard => match value {
                Value::Array(items) => out.extend(items),
                Value::Object(map) => out.extend(map.values()),
                _ => {}
            },
            Step::Recursive => descend(value, work, out)?,
            Step::Filter(left, right) => {
                if let Value::Array(items) = value {
                    for item in items {
                        let lefts = left.values(root, item, work)?;
                        let holds = match right {
                            None => !lefts.is_empty(),
                            Some((compare, right)) => {
                                let rights = right.values(root, item, work)?;
                                match (lefts.first(), rights.first()) {
                                    (Some(left), Some(right)) => {
                                        work.spend(weight(left).min(weight(right)))?;
                                        compare.holds(left, right)
                                    }
                                    _ => false,
                                }
                            }
                        };
                        if holds {
                            out.push(item);
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

fn descend<'v>(value: &'v Value, work: &Work, out: &mut Vec<&'v Value>) -> Result<(), TooMuchWork> {
    work.spend(1)?;
    out.push(value);
    match value {
        Value::Array(items) => items.iter().try_for_each(|item| descend(item, work, out)),
        Value::Object(map) => map.values().try_for_each(|item| descend(item, work, out)),
        _ => Ok(()),
    }
}

impl Operand {
    fn values<'a>(&'a self, root: &'a Value, current: &'a Value, work: &Work) -> Found<'a> {
        match self {
            Operand::Literal(value) => Ok(vec![value]),
            Operand::Path(path) => path.walk(root, current, work),
        }
    }
}

impl Compare {
    fn holds(self, left: &Value, right: &Value) -> bool {
        let order = match (left, right) {
            (Value::Number(a), Value::Number(b)) => match (a.as_i64(), b.as_i64()) {
                (Some(a), Some(b)) => Some(a.cmp(&b)),
                _ => a.as_f64().partial_cmp(&b.as_f64()),
            },
            (Value::String(a), Value::String(b)) => Some(a.cmp(b)),
            (a, b) if a == b => Some(Ordering::Equal),
            _ => None,
        };
        match self {
            Compare::Equal => order == Some(Ordering::Equal),
            Compare::NotEqual => order != Some(Ordering::Equal),
            Compare::Less => order == Some(Ordering::Less),
            Compare::LessEqual => matches!(order, Some(Ordering::Less | Ordering::Equal)),
            Compare::Greater => order == Some(Ordering::Greater),
            Compare::GreaterEqual => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
        }
    }
}

impl Template {
    /// Reads a template.
    ///
    /// # Errors
    /// KC-054's text, without `error: `.
    pub fn parse(text: &str) -> Result<Template, String> {
        let wrap = |why: String| format!("error parsing jsonpath {text}, {why}");
        // A template without braces is a path (kubectl relaxes `.a` to `{.a}`).
        if !text.contains('{') {
            let path = Path::parse(text).map_err(wrap)?;
            return Ok(Template(vec![Piece::Path(path)]));
        }
        let mut rest = text;
        let pieces = pieces(&mut rest, 0, false).map_err(wrap)?;
        Ok(Template(pieces))
    }
    /// Everything that the template's paths lead to, as one list (`-o jsonpath-as-json`).
    ///
    /// # Errors
    /// It takes too much work.
    pub(crate) fn found(&self, value: &Value) -> Result<Value, String> {
        let (work, mut all) = (Work::default(), Vec::new());
        for piece in &self.0 {
            if let Piece::Path(path) | Piece::Range(path, _) = piece {
                for found in path.find(value, &work).map_err(|why| why.to_string())? {
                    work.spend(weight(found)).map_err(|why| why.to_string())?;
                    all.push(found.clone());
                }
            }
        }
        Ok(Value::Array(all))
    }
    /// The text for a value; missing keys give nothing.
    ///
    /// # Errors
    /// It takes too much work, or is too long.
    pub fn print(&self, value: &Value) -> Result<String, String> {
        let mut out = String::new();
        print_pieces(&self.0, value, value, &Work::default(), &mut out)?;
        Ok(out)
    }
}

fn print_pieces(pieces: &[Piece], root: &Value, current: &Value, work: &Work, out: &mut String) -> Result<(), String> {
    let too_much = |why: TooMuchWork| why.to_string();
    for piece in pieces {
        work.spend(1).map_err(too_much)?;
        match piece {
            Piece::Text(text) => out.push_str(text),
            Piece::Path(path) => {
                for (at, value) in path
                    .walk(root, current, work)
                    .map_err(too_much)?
                    .into_iter()
                    .enumerate()
                {
                    if at > 0 {
                        out.push(' ');
                    }
                    work.spend(weight(value)).map_err(too_much)?;
                    out.push_str(&plain(value));
                    if out.len() > MAX_OUTPUT {
                        break;
                    }
                }
            }
            Piece::Range(path, body) => {
                for value in path.walk(root, current, work).map_err(too_much)? {
                    print_pieces(body, root, value, work, out)?;
                }
            }
        }
        if out.len() > MAX_OUTPUT {
            return Err(format!("the output is longer than {MAX_OUTPUT} bytes"));
        }
    }
    Ok(())
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
        other => super::gotext::json(other),
    }
}
