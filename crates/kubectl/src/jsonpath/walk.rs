//! Evaluation of a template on a value, like client-go's `FindResults` (KC-054).

use std::borrow::Cow;
use std::cmp::Ordering;

use serde_json::Value;

use super::{FoundValues, Node, PathError, Segment, SliceParam, work_of_value};
use crate::gotext;
use crate::work::{WorkCounter, work_of_text};

/// Maximum nesting depth of `range` loops.
const MAX_NESTED_LOOPS: usize = 8;

/// State of one execution of a template.
pub(super) struct Walker<'t> {
    segments: &'t [Segment],
    work: &'t WorkCounter,
    /// Number of `range` identifiers evaluated so far whose loop has not started yet.
    pending_ranges: usize,
    /// Number of `range` loops that are running.
    running_loops: usize,
    /// Number of `end` identifiers evaluated so far that have not ended a loop yet.
    pending_ends: usize,
    /// Index of the segment with the `end` that ended a loop last.
    last_end: Option<usize>,
}

/// The values that each executed segment finds, in order of execution.
type SegmentValues<'v> = Vec<Vec<Cow<'v, Value>>>;

fn fail<T>(why: impl Into<String>) -> Result<T, PathError> {
    Err(PathError::Execution(why.into()))
}

impl<'t> Walker<'t> {
    pub(super) fn new(segments: &'t [Segment], work: &'t WorkCounter) -> Walker<'t> {
        Walker {
            segments,
            work,
            pending_ranges: 0,
            running_loops: 0,
            pending_ends: 0,
            last_end: None,
        }
    }

    /// Returns the values that each segment finds, in order. The segments of a loop give one group per iteration.
    pub(super) fn results<'v>(&mut self, root: &'v Value) -> Result<SegmentValues<'v>, PathError> {
        self.evaluate_from(0, vec![Cow::Borrowed(root)])
    }

    /// Evaluates the segments from index `first` to the end of the current loop.
    fn evaluate_from<'v>(
        &mut self,
        first: usize,
        current: Vec<Cow<'v, Value>>,
    ) -> Result<SegmentValues<'v>, PathError> {
        let mut out = Vec::new();
        let mut at = first;
        while let Some(segment) = self.segments.get(at) {
            self.work.spend(1)?;
            let found = match segment {
                Segment::Text(text) => vec![Cow::Owned(Value::from(text.as_str()))],
                Segment::Action(nodes) => self.evaluate_nodes(&current, nodes)?,
            };
            if self.pending_ends > 0 && self.pending_ends <= self.running_loops {
                self.pending_ends -= 1;
                self.last_end = Some(at);
                break;
            }
            if self.pending_ranges == 0 {
                out.push(found);
                at += 1;
                continue;
            }
            self.pending_ranges -= 1;
            self.running_loops += 1;
            if self.running_loops > MAX_NESTED_LOOPS {
                return fail("ranges are nested too deeply");
            }
            if found.is_empty() {
                // The loop has no iterations: evaluate its body once without values, only to find its `end`.
                self.evaluate_from(at + 1, Vec::new())?;
            }
            for value in found {
                out.extend(self.evaluate_from(at + 1, vec![value])?);
            }
            self.running_loops -= 1;
            at = self.last_end.filter(|end| *end > at).unwrap_or(at) + 1;
        }
        Ok(out)
    }

    /// Applies the nodes in order: each one to the values that the previous one found.
    fn evaluate_nodes<'v>(&mut self, input: &[Cow<'v, Value>], nodes: &[Node]) -> FoundValues<'v> {
        let mut current = input.to_vec();
        for node in nodes {
            current = self.evaluate_node(current, node)?;
        }
        Ok(current)
    }

    fn evaluate_node<'v>(&mut self, input: Vec<Cow<'v, Value>>, node: &Node) -> FoundValues<'v> {
        self.work.spend(input.len() as u64)?;
        match node {
            Node::Identifier(name) => match name.as_str() {
                "range" => {
                    self.pending_ranges += 1;
                    Ok(input)
                }
                "end" if self.running_loops > 0 => {
                    self.pending_ends += 1;
                    Ok(Vec::new())
                }
                "end" => fail("not in range, nothing to end"),
                name => fail(format!("unrecognized identifier {name}")),
            },
            // A string literal gives one value, any other literal one value per input value.
            Node::Literal(value @ Value::String(_)) => Ok(vec![Cow::Owned(value.clone())]),
            Node::Literal(value) => Ok(input.iter().map(|_| Cow::Owned(value.clone())).collect()),
            Node::Union(parts) => {
                let mut out = Vec::new();
                for part in parts {
                    out.extend(self.evaluate_nodes(&input, part)?);
                }
                Ok(out)
            }
            Node::Field(name) => {
                self.work.spend(work_of_text(name) * input.len() as u64)?;
                Ok(input
                    .into_iter()
                    .filter_map(|value| object_member(value, name))
                    .collect())
            }
            Node::Array(params) => {
                let mut out = Vec::new();
                for value in input.into_iter().filter(|value| !value.is_null()) {
                    if !value.is_array() {
                        return fail(format!("{} is not array or slice", gotext::go_type_name(&value)));
                    }
                    let elements = elements(value);
                    let Some((from, to, step)) = slice_range_and_step(params, elements.len())? else {
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
                    let children = elements(value);
                    self.work.spend(children.len() as u64)?;
                    out.extend(children);
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

    /// Recursive descent: collects all non-empty lists, objects and strings, parents before children.
    fn descend<'v>(&mut self, input: Vec<Cow<'v, Value>>, out: &mut Vec<Cow<'v, Value>>) -> Result<(), PathError> {
        for value in input {
            self.work.spend(1)?;
            match &*value {
                Value::Array(_) | Value::Object(_) => {
                    let children = elements(value.clone());
                    if !children.is_empty() {
                        out.push(value);
                        self.descend(children, out)?;
                    }
                }
                Value::String(text) if !text.is_empty() => out.push(value),
                _ => {}
            }
        }
        Ok(())
    }

    /// Evaluates `[?(…)]`: keeps the elements of the lists for which the comparison holds.
    fn filter<'v>(
        &mut self,
        input: Vec<Cow<'v, Value>>,
        left: &[Node],
        right: Option<&(String, Vec<Node>)>,
    ) -> FoundValues<'v> {
        let mut out = Vec::new();
        for value in input {
            if !value.is_array() {
                let text = gotext::go_value_text(&value);
                return fail(format!("{text} is not array or slice and cannot be filtered"));
            }
            for item in elements(value) {
                self.work.spend(1)?;
                let one = [item];
                let lefts = self.evaluate_nodes(&one, left);
                let [item] = one;
                let Some((operator, right)) = right else {
                    if let Err(why @ PathError::TooMuchWork(_)) = lefts {
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
                    return fail("can only compare one element at a time");
                };
                let rights = self.evaluate_nodes(std::slice::from_ref(&item), right)?;
                let (Some(other), false) = (rights.first(), rights.len() > 1) else {
                    if rights.is_empty() {
                        continue;
                    }
                    return fail("can only compare one element at a time");
                };
                self.work.spend(work_of_value(one).min(work_of_value(other)))?;
                if comparison_holds(operator, one, other)? {
                    out.push(item);
                }
            }
        }
        Ok(out)
    }
}

/// Returns a member of an object; `None` if the value is no object or lacks the member.
fn object_member<'v>(value: Cow<'v, Value>, name: &str) -> Option<Cow<'v, Value>> {
    match value {
        Cow::Borrowed(value) => value.as_object()?.get(name).map(Cow::Borrowed),
        Cow::Owned(value) => value.as_object()?.get(name).cloned().map(Cow::Owned),
    }
}

/// Returns the elements of a list or the values of an object. Go iterates over maps in random order; here they are
/// sorted by key.
fn elements(value: Cow<'_, Value>) -> Vec<Cow<'_, Value>> {
    match value {
        Cow::Borrowed(Value::Array(items)) => items.iter().map(Cow::Borrowed).collect(),
        Cow::Borrowed(Value::Object(map)) => gotext::sorted_entries(map)
            .into_iter()
            .map(|(_, value)| Cow::Borrowed(value))
            .collect(),
        Cow::Owned(Value::Array(items)) => items.into_iter().map(Cow::Owned).collect(),
        Cow::Owned(Value::Object(map)) => gotext::sorted_entries(&map)
            .into_iter()
            .map(|(_, value)| Cow::Owned(value.clone()))
            .collect(),
        _ => Vec::new(),
    }
}

/// Returns the first index, end index and step of a slice; `None` if the slice is empty.
fn slice_range_and_step(params: &[SliceParam; 3], len: usize) -> Result<Option<(usize, usize, usize)>, PathError> {
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
    let out_of_bounds = |index: i64| fail(format!("array index out of bounds: index {index}, length {len}"));
    if first >= len || first < 0 {
        return out_of_bounds(first);
    }
    if end > len || end < 0 {
        return out_of_bounds(end.saturating_sub(1));
    }
    if first > end {
        return fail(format!("starting index {first} is greater than ending index {end}"));
    }
    let step = step.value.unwrap_or(1);
    if step <= 0 {
        return fail("step must be > 0");
    }
    let to_usize = |number: i64| usize::try_from(number).unwrap_or(usize::MAX);
    Ok(Some((to_usize(first), to_usize(end), to_usize(step))))
}

/// Evaluates a comparison by the rules of Go's templates: only values of the same type are comparable.
fn comparison_holds(operator: &str, left: &Value, right: &Value) -> Result<bool, PathError> {
    let is_equality = matches!(operator, "==" | "!=");
    let order = match (left, right) {
        (Value::Null | Value::Array(_) | Value::Object(_), _)
        | (_, Value::Null | Value::Array(_) | Value::Object(_)) => {
            return fail("invalid type for comparison");
        }
        (Value::String(left), Value::String(right)) => left.cmp(right),
        (Value::Number(left), Value::Number(right)) => match (left.as_i64(), right.as_i64()) {
            (Some(left), Some(right)) => left.cmp(&right),
            (None, None) => left.as_f64().partial_cmp(&right.as_f64()).unwrap_or(Ordering::Equal),
            _ => return fail("incompatible types for comparison"),
        },
        (Value::Bool(left), Value::Bool(right)) => match is_equality {
            true => left.cmp(right),
            false => return fail("invalid type for comparison"),
        },
        _ => return fail("incompatible types for comparison"),
    };
    Ok(match operator {
        "==" => order.is_eq(),
        "!=" => order.is_ne(),
        "<" => order.is_lt(),
        "<=" => order.is_le(),
        ">" => order.is_gt(),
        ">=" => order.is_ge(),
        other => return fail(format!("unrecognized filter operator {other}")),
    })
}
