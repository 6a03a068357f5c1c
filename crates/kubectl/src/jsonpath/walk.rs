//! A template's nodes, followed through a value: client-go's `FindResults` (KC-054).

use std::borrow::Cow;
use std::cmp::Ordering;

use serde_json::Value;

use super::{Found, Lost, Node, Param, Top, weight};
use crate::gotext;
use crate::work::{Work, of_text};

/// How deep loops may stand in one another.
const LOOPS: usize = 8;

/// One execution of a template.
pub(super) struct Walker<'t> {
    tops: &'t [Top],
    work: &'t Work,
    /// `range`s that were met and not yet begun, loops that run, `end`s that were met.
    begun: usize,
    running: usize,
    ended: usize,
    /// Where the last `end` stands.
    last_end: Option<usize>,
}

type Groups<'v> = Vec<Vec<Cow<'v, Value>>>;

fn refused<T>(why: impl Into<String>) -> Result<T, Lost> {
    Err(Lost::Refused(why.into()))
}

impl<'t> Walker<'t> {
    pub(super) fn new(tops: &'t [Top], work: &'t Work) -> Walker<'t> {
        Walker {
            tops,
            work,
            begun: 0,
            running: 0,
            ended: 0,
            last_end: None,
        }
    }

    /// What each node at the top finds, in order; those of a loop once for each turn.
    pub(super) fn results<'v>(&mut self, root: &'v Value) -> Result<Groups<'v>, Lost> {
        self.from(0, vec![Cow::Borrowed(root)])
    }

    fn from<'v>(&mut self, first: usize, current: Vec<Cow<'v, Value>>) -> Result<Groups<'v>, Lost> {
        let mut out = Vec::new();
        let mut at = first;
        while let Some(top) = self.tops.get(at) {
            self.work.spend(1)?;
            let found = match top {
                Top::Text(text) => vec![Cow::Owned(Value::from(text.as_str()))],
                Top::Action(nodes) => self.list(&current, nodes)?,
            };
            if self.ended > 0 && self.ended <= self.running {
                self.ended -= 1;
                self.last_end = Some(at);
                break;
            }
            if self.begun == 0 {
                out.push(found);
                at += 1;
                continue;
            }
            self.begun -= 1;
            self.running += 1;
            if self.running > LOOPS {
                return refused("ranges are nested too deeply");
            }
            if found.is_empty() {
                // Nothing to go through: only its end is looked for.
                self.from(at + 1, Vec::new())?;
            }
            for value in found {
                out.extend(self.from(at + 1, vec![value])?);
            }
            self.running -= 1;
            at = self.last_end.filter(|end| *end > at).unwrap_or(at) + 1;
        }
        Ok(out)
    }

    fn list<'v>(&mut self, input: &[Cow<'v, Value>], nodes: &[Node]) -> Found<'v> {
        let mut current = input.to_vec();
        for node in nodes {
            current = self.node(current, node)?;
        }
        Ok(current)
    }

    fn node<'v>(&mut self, input: Vec<Cow<'v, Value>>, node: &Node) -> Found<'v> {
        self.work.spend(input.len() as u64)?;
        match node {
            Node::Identifier(name) => match name.as_str() {
                "range" => {
                    self.begun += 1;
                    Ok(input)
                }
                "end" if self.running > 0 => {
                    self.ended += 1;
                    Ok(Vec::new())
                }
                "end" => refused("not in range, nothing to end"),
                name => refused(format!("unrecognized identifier {name}")),
            },
            // A text stands for itself, a number once for each value.
            Node::Literal(value @ Value::String(_)) => Ok(vec![Cow::Owned(value.clone())]),
            Node::Literal(value) => Ok(input.iter().map(|_| Cow::Owned(value.clone())).collect()),
            Node::Union(parts) => {
                let mut out = Vec::new();
                for part in parts {
                    out.extend(self.list(&input, part)?);
                }
                Ok(out)
            }
            Node::Field(name) => {
                self.work.spend(of_text(name) * input.len() as u64)?;
                Ok(input.into_iter().filter_map(|value| member(value, name)).collect())
            }
            Node::Array(params) => {
                let mut out = Vec::new();
                for value in input.into_iter().filter(|value| !value.is_null()) {
                    if !value.is_array() {
                        return refused(format!("{} is not array or slice", gotext::type_name(&value)));
                    }
                    let elements = elements(value);
                    let Some((from, to, step)) = bounds(params, elements.len())? else {
                        return Ok(out);
                    };
                    self.work.spend(to.saturating_sub(from) as u64)?;
                    out.extend(elements.into_iter().take(to).skip(from).step_by(step));
                }
                Ok(out)
            }
            Node::Wildcard => {
                let mut out = Vec::new();
                for value in input {
                    let held = elements(value);
                    self.work.spend(held.len() as u64)?;
                    out.extend(held);
                }
                Ok(out)
            }
            Node::Recursive => {
                let mut out = Vec::new();
                self.descend(input, &mut out)?;
                Ok(out)
            }
            Node::Filter(left, right) => self.filter(input, left, right.as_ref()),
        }
    }

    /// The values that hold something, each before what it holds.
    fn descend<'v>(&mut self, input: Vec<Cow<'v, Value>>, out: &mut Vec<Cow<'v, Value>>) -> Result<(), Lost> {
        for value in input {
            self.work.spend(1)?;
            match &*value {
                Value::Array(_) | Value::Object(_) => {
                    let held = elements(value.clone());
                    if !held.is_empty() {
                        out.push(value);
                        self.descend(held, out)?;
                    }
                }
                Value::String(text) if !text.is_empty() => out.push(value),
                _ => {}
            }
        }
        Ok(())
    }

    fn filter<'v>(
        &mut self,
        input: Vec<Cow<'v, Value>>,
        left: &[Node],
        right: Option<&(String, Vec<Node>)>,
    ) -> Found<'v> {
        let mut out = Vec::new();
        for value in input {
            if !value.is_array() {
                let text = gotext::plain(&value);
                return refused(format!("{text} is not array or slice and cannot be filtered"));
            }
            for item in elements(value) {
                self.work.spend(1)?;
                let one = [item];
                let lefts = self.list(&one, left);
                let [item] = one;
                let Some((operator, right)) = right else {
                    if let Err(why @ Lost::TooMuchWork(_)) = lefts {
                        return Err(why);
                    }
                    out.extend(lefts.is_ok_and(|lefts| !lefts.is_empty()).then_some(item));
                    continue;
                };
                let lefts = lefts?;
                let (Some(one), false) = (lefts.first(), lefts.len() > 1) else {
                    if lefts.is_empty() {
                        continue;
                    }
                    return refused("can only compare one element at a time");
                };
                let rights = self.list(std::slice::from_ref(&item), right)?;
                let (Some(other), false) = (rights.first(), rights.len() > 1) else {
                    if rights.is_empty() {
                        continue;
                    }
                    return refused("can only compare one element at a time");
                };
                self.work.spend(weight(one).min(weight(other)))?;
                if holds(operator, one, other)? {
                    out.push(item);
                }
            }
        }
        Ok(out)
    }
}

/// A member of an object.
fn member<'v>(value: Cow<'v, Value>, name: &str) -> Option<Cow<'v, Value>> {
    match value {
        Cow::Borrowed(value) => value.as_object()?.get(name).map(Cow::Borrowed),
        Cow::Owned(value) => value.as_object()?.get(name).cloned().map(Cow::Owned),
    }
}

/// What a list or an object holds. Go walks its maps in no order; here it is that of the keys.
fn elements(value: Cow<'_, Value>) -> Vec<Cow<'_, Value>> {
    match value {
        Cow::Borrowed(Value::Array(items)) => items.iter().map(Cow::Borrowed).collect(),
        Cow::Borrowed(Value::Object(map)) => gotext::sorted(map)
            .into_iter()
            .map(|(_, value)| Cow::Borrowed(value))
            .collect(),
        Cow::Owned(Value::Array(items)) => items.into_iter().map(Cow::Owned).collect(),
        Cow::Owned(Value::Object(map)) => gotext::sorted(&map)
            .into_iter()
            .map(|(_, value)| Cow::Owned(value.clone()))
            .collect(),
        _ => Vec::new(),
    }
}

/// From where to where a slice goes, and in which steps; none where it asks for nothing.
fn bounds(params: &[Param; 3], len: usize) -> Result<Option<(usize, usize, usize)>, Lost> {
    let [from, to, step] = params;
    let len = i64::try_from(len).unwrap_or(i64::MAX);
    let mut first = from.value.unwrap_or(0);
    if first < 0 {
        first = first.saturating_add(len);
    }
    let mut end = to.value.unwrap_or(len);
    if end < 0 || (end == 0 && to.is_derived) {
        end = end.saturating_add(len);
    }
    if first == end {
        return Ok(None);
    }
    let out_of_bounds = |index: i64| refused(format!("array index out of bounds: index {index}, length {len}"));
    if first >= len || first < 0 {
        return out_of_bounds(first);
    }
    if end > len || end < 0 {
        return out_of_bounds(end.saturating_sub(1));
    }
    if first > end {
        return refused(format!("starting index {first} is greater than ending index {end}"));
    }
    let step = step.value.unwrap_or(1);
    if step <= 0 {
        return refused("step must be > 0");
    }
    let size = |number: i64| usize::try_from(number).unwrap_or(usize::MAX);
    Ok(Some((size(first), size(end), size(step))))
}

/// Whether a comparison holds, by the rules of Go's templates: only values of one kind compare.
fn holds(operator: &str, left: &Value, right: &Value) -> Result<bool, Lost> {
    let is_equality = matches!(operator, "==" | "!=");
    let order = match (left, right) {
        (Value::Null | Value::Array(_) | Value::Object(_), _)
        | (_, Value::Null | Value::Array(_) | Value::Object(_)) => {
            return refused("invalid type for comparison");
        }
        (Value::String(left), Value::String(right)) => left.cmp(right),
        (Value::Number(left), Value::Number(right)) => match (left.as_i64(), right.as_i64()) {
            (Some(left), Some(right)) => left.cmp(&right),
            (None, None) => left.as_f64().partial_cmp(&right.as_f64()).unwrap_or(Ordering::Equal),
            _ => return refused("incompatible types for comparison"),
        },
        (Value::Bool(left), Value::Bool(right)) => match is_equality {
            true => left.cmp(right),
            false => return refused("invalid type for comparison"),
        },
        _ => return refused("incompatible types for comparison"),
    };
    Ok(match operator {
        "==" => order.is_eq(),
        "!=" => order.is_ne(),
        "<" => order.is_lt(),
        "<=" => order.is_le(),
        ">" => order.is_gt(),
        ">=" => order.is_ge(),
        other => return refused(format!("unrecognized filter operator {other}")),
    })
}
