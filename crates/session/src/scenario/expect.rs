//! Expectations of a scenario, conditions of steps, and goals. All three have the same format.

use std::cell::RefCell;

use podscope_api::{Kind, Object, ObjectKey, ProblemKind, Tree};
use podscope_cluster::{Objects, SimTime, Span, Totals};
use podscope_protocol::LessonCondition;
use serde_json::Value;

use super::counted_requests::CountedRequests;
use super::document::ExpectDocument;
use super::recorded_state::RecordedState;
use super::{FilePosition, ValueCache};
use crate::timeline::END_OF_TIME;
use podscope_kubectl::command::{self, Command, Get, Kubectl, Selection};
use podscope_kubectl::duration::{parse_duration, print_duration};
use podscope_kubectl::{FieldQuery, LabelQuery, Path, WorkCounter};

/// When an expectation is checked. For a condition of a lesson, see [`Condition::timing`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Timing {
    /// The expectation is checked once, at that time, after the events of that time.
    At(SimTime),
    /// The expectation is fulfilled if the check holds at any time up to and including that time.
    By(SimTime),
    /// The expectation is fulfilled if the check holds at every time of the run.
    Always,
}

/// A test of the value that a check finds in the cluster.
#[derive(Debug, Clone, PartialEq)]
pub enum Test {
    /// Whether the value must exist (true) or must not exist (false).
    Exists(bool),
    Equals(Value),
    /// The value must exist and must not be equal to this one.
    Not(Value),
    /// The value must be a number within these inclusive bounds.
    Range {
        /// Minimum value.
        least: Option<i64>,
        /// Maximum value.
        most: Option<i64>,
    },
}

/// What an expectation or condition checks.
#[derive(Debug, Clone, PartialEq)]
pub enum Check {
    /// A field of an object, or whether the object exists.
    Object {
        kind: Kind,
        key: ObjectKey,
        /// The field as a JSONPath: parsed, and as text. None if the check is about the object itself.
        path: Option<(Path, String)>,
        test: Test,
    },
    /// The number of selected objects.
    Count {
        /// The selection, as in `kubectl get`.
        get: Box<Get>,
        test: Test,
    },
    /// The number of client requests to a Service since t = 0.
    Requests { counted: CountedRequests, test: Test },
    /// The number of selected pods that a Service can use: they are ready and not being deleted.
    Ready { get: Box<Get>, test: Test },
    /// `same`: the selected objects are exactly those that existed when the step was shown.
    Same(Box<Get>),
    /// `never`: the inner check has not held at any time since the step was shown.
    Never(Box<Check>),
    /// The invariant with that name has not been violated.
    Invariant(String),
}

/// The state of the cluster and the run against which conditions are checked.
pub(crate) struct WorldState<'a> {
    pub(crate) objects: &'a Objects,
    /// Takes the name of an invariant. Returns whether the run has violated it.
    pub(crate) is_invariant_violated: &'a dyn Fn(&str) -> bool,
    /// Returns the numbers of client requests up to the cursor, by Service and outcome.
    pub(crate) requests: &'a dyn Fn() -> Totals,
    pub(crate) value_cache: &'a RefCell<ValueCache>,
    /// The state that the step has recorded for this check. None for checks that do not compare with an earlier state.
    pub(crate) recorded: Option<&'a RecordedState>,
}

/// A condition of a step, or a goal.
#[derive(Debug, Clone, PartialEq)]
pub struct Condition {
    /// `at`: the condition is checked from this time on. `by`: it must hold until this time at the latest.
    pub timing: Option<Timing>,
    /// What is checked. None if the condition is only a time.
    pub check: Option<Check>,
    /// Description of the condition for the reader of a lesson.
    pub description: LessonCondition,
}

/// An expectation of a scenario (`spec.expect`).
#[derive(Debug, Clone, PartialEq)]
pub struct Expect {
    pub timing: Timing,
    pub check: Check,
    /// The expectation as text on one line.
    pub text: String,
    /// Position of the expectation in the file.
    pub place: FilePosition,
}

/// An error in an expectation or condition.
pub(super) struct ConditionError {
    /// The field that has the error. Empty if the error concerns the whole condition.
    pub(super) field: String,
    pub(super) message: String,
    pub(super) kind: ProblemKind,
}

fn condition_error(field: &str, message: impl Into<String>) -> ConditionError {
    ConditionError {
        field: field.to_owned(),
        message: message.into(),
        kind: ProblemKind::Other,
    }
}

/// Returns the error that a required field is missing; `which` is appended to the message.
fn missing_field_error(field: &str, which: &str) -> ConditionError {
    ConditionError {
        kind: ProblemKind::Required,
        ..condition_error(field, format!("Required value{which}"))
    }
}

fn parse_instant(field: &str, text: &str) -> Result<SimTime, ConditionError> {
    match written_duration(text) {
        Ok(span) => Ok(SimTime::ZERO + span),
        Err(why) => Err(condition_error(field, why)),
    }
}

/// Parses a duration in a scenario. The error messages are written for authors of lessons.
pub(super) fn written_duration(text: &str) -> Result<Span, String> {
    match parse_duration(text) {
        Ok(span) if SimTime::ZERO + span > END_OF_TIME => {
            Err(format!("{text} is after the end of time: a hundred years are 876000h"))
        }
        Ok(span) if span.0 >= 0 => Ok(span),
        Ok(_) => Err(format!("{text} is before the beginning: times count from 0s")),
        Err(_) if text.parse::<f64>().is_ok() => Err(format!("{text} has no unit: write {text}s")),
        Err(_) => Err(format!("{text:?} is not a time: write it like 90s, 1m30s or 250ms")),
    }
}

fn read_timing(document: &ExpectDocument) -> Result<Option<Timing>, ConditionError> {
    match (&document.at.0, &document.by.0, &document.always) {
        (Some(text), None, None) => Ok(Some(Timing::At(parse_instant("at", text)?))),
        (None, Some(text), None) => Ok(Some(Timing::By(parse_instant("by", text)?))),
        (None, None, Some(_)) => Ok(Some(Timing::Always)),
        (None, None, None) => Ok(None),
        _ => Err(condition_error("", "only one of at, by and always may be given")),
    }
}

/// Returns what a document checks, and the check as text.
fn read_check(document: &ExpectDocument) -> Result<Option<(Check, String)>, ConditionError> {
    if let Some(name) = &document.always {
        return read_invariant_check(document, name).map(Some);
    }
    let test = read_test(document)?;
    let texts = [
        &document.object,
        &document.count,
        &document.requests,
        &document.ready,
        &document.same,
    ];
    let n_given = texts.into_iter().flatten().count() + usize::from(!document.never.is_null());
    if n_given > 1 {
        return Err(condition_error("", format!("only one of {CHECK_FIELDS} may be given")));
    }
    if n_given == 0 {
        if document.path.is_some() || test.is_some() {
            return Err(missing_field_error("object", ""));
        }
        return Ok(None);
    }
    if let Some(text) = &document.object {
        return read_object_check(document, text, test).map(Some);
    }
    if document.path.is_some() {
        return Err(condition_error("path", "only an object has a path"));
    }
    if let Some(text) = &document.requests {
        return read_requests_check(text, test).map(Some);
    }
    if let Some(text) = &document.count {
        let get = parse_selection("count", text)?;
        let test = require_number_test(test)?;
        let words = format!("count {text} {}", test_text(&test));
        return Ok(Some((Check::Count { get, test }, words)));
    }
    if let Some(text) = &document.ready {
        let get = parse_selection("ready", text)?;
        if !matches!(&get.target.selection, Selection::Kinds { kinds, .. } if *kinds == [Kind::Pod]) {
            return Err(condition_error(
                "ready",
                format!("Invalid value: {text:?}: only pods are counted"),
            ));
        }
        let test = require_number_test(test)?;
        let words = format!("ready {text} {}", test_text(&test));
        return Ok(Some((Check::Ready { get, test }, words)));
    }
    if test.is_some() {
        return Err(condition_error("", "same and never take no test"));
    }
    if let Some(text) = &document.same {
        return Ok(Some((
            Check::Same(parse_selection("same", text)?),
            format!("same {text}"),
        )));
    }
    read_never_check(&document.never).map(Some)
}

/// Names of the fields that determine what a condition checks, for error messages. A condition has exactly one of them.
const CHECK_FIELDS: &str = "object, count, ready, requests, same, never and always";

/// Reads the inner condition of `never`.
fn read_never_check(value: &Value) -> Result<(Check, String), ConditionError> {
    let within = |field: &str| super::join_field_paths("never", field);
    let (document, errors): (ExpectDocument, _) = podscope_api::decode_lenient(&Tree::from_value(value), true);
    if let Some(error) = errors.first() {
        let (kind, message) = super::lesson::plain_message(error);
        return Err(ConditionError {
            field: within(&error.path),
            message,
            kind,
        });
    }
    if document.say.is_some() || read_timing(&document)?.is_some() {
        return Err(condition_error("never", "takes no at, by, always and say"));
    }
    let (check, words) = read_check(&document)
        .map_err(|error| ConditionError {
            field: within(&error.field),
            ..error
        })?
        .ok_or_else(|| missing_field_error("never", ": one of object, count, ready and requests"))?;
    if check.compares_with_step_start() {
        return Err(condition_error("never", "cannot contain same or never"));
    }
    Ok((Check::Never(Box::new(check)), format!("never {words}")))
}

/// Returns the test if it is a test of a number; otherwise an error.
fn require_number_test(test: Option<Test>) -> Result<Test, ConditionError> {
    match test {
        Some(test @ (Test::Equals(_) | Test::Not(_) | Test::Range { .. })) => Ok(test),
        _ => Err(missing_field_error("equals", "")),
    }
}

fn read_requests_check(text: &str, test: Option<Test>) -> Result<(Check, String), ConditionError> {
    let counted =
        CountedRequests::parse(text).map_err(|why| condition_error("requests", format!("Invalid value: {why}")))?;
    let test = require_number_test(test)?;
    let words = format!("requests {text} {}", test_text(&test));
    Ok((Check::Requests { counted, test }, words))
}

fn read_invariant_check(document: &ExpectDocument, name: &str) -> Result<(Check, String), ConditionError> {
    let extra =
        document.object.is_some() || document.count.is_some() || document.requests.is_some() || document.path.is_some();
    let extra = extra || document.ready.is_some() || document.same.is_some() || !document.never.is_null();
    let is_bounded = document.least.is_some() || document.most.is_some();
    if extra || is_bounded || document.exists.is_some() || !document.equals.is_null() || !document.not.is_null() {
        return Err(condition_error("always", "takes an invariant's name and nothing else"));
    }
    if !is_invariant_name(name) {
        return Err(condition_error(
            "always",
            format!("Invalid value: {name:?}: not the name of an invariant"),
        ));
    }
    Ok((Check::Invariant(name.to_owned()), format!("always {name}")))
}

/// Returns the test in a document. A document has at most one test.
fn read_test(document: &ExpectDocument) -> Result<Option<Test>, ConditionError> {
    let tests = [
        document.exists.map(Test::Exists),
        Some(&document.equals)
            .filter(|value| !value.is_null())
            .cloned()
            .map(Test::Equals),
        Some(&document.not)
            .filter(|value| !value.is_null())
            .cloned()
            .map(Test::Not),
        (document.least.is_some() || document.most.is_some()).then_some(Test::Range {
            least: document.least,
            most: document.most,
        }),
    ];
    let mut tests = tests.into_iter().flatten();
    match (tests.next(), tests.next()) {
        (one, None) => Ok(one),
        _ => Err(condition_error(
            "",
            "only one of exists, equals, not and least or most may be given",
        )),
    }
}

fn read_object_check(
    document: &ExpectDocument,
    text: &str,
    test: Option<Test>,
) -> Result<(Check, String), ConditionError> {
    let (kind, key) = parse_object_ref(text).map_err(|why| condition_error("object", why))?;
    let path = match &document.path {
        Some(path) => Some((
            Path::parse_with_whole_keys(path)
                .map_err(|why| condition_error("path", format!("Invalid value: {path:?}: {why}")))?,
            path.clone(),
        )),
        None => None,
    };
    let test = match test {
        Some(test) => test,
        None => Test::Exists(true),
    };
    if path.is_none() && !matches!(test, Test::Exists(_)) {
        return Err(missing_field_error("path", ""));
    }
    let words = format!(
        "{text}{} {}",
        path.as_ref().map_or(String::new(), |(_, text)| format!(" {text}")),
        test_text(&test)
    );
    Ok((Check::Object { kind, key, path, test }, words))
}

/// Parses a selection of objects in the syntax of `kubectl get`.
fn parse_selection(field: &str, text: &str) -> Result<Box<Get>, ConditionError> {
    let get = match command::parse(&format!("kubectl get {text}")) {
        Ok(Command::Kubectl {
            action: Kubectl::Get(get),
            ..
        }) => get,
        Ok(_) => {
            return Err(condition_error(
                field,
                format!("Invalid value: {text:?}: names no objects"),
            ));
        }
        Err(error) => return Err(condition_error(field, error.message)),
    };
    let Selection::Kinds { kinds, .. } = &get.target.selection else {
        return Err(condition_error(
            field,
            format!("Invalid value: {text:?}: takes a type, e.g. pods -l app=web"),
        ));
    };
    LabelQuery::parse(get.target.selector.as_deref().unwrap_or_default()).map_err(|why| condition_error(field, why))?;
    for kind in kinds {
        FieldQuery::parse(*kind, get.target.field_selector.as_deref().unwrap_or_default(), "")
            .map_err(|why| condition_error(field, why))?;
    }
    Ok(Box::new(get))
}

fn test_text(test: &Test) -> String {
    let value = |value: &Value| match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    match test {
        Test::Exists(true) => "exists".into(),
        Test::Exists(false) => "does not exist".into(),
        Test::Equals(wanted) => format!("equals {}", value(wanted)),
        Test::Not(unwanted) => format!("is not {}", value(unwanted)),
        Test::Range { least, most } => match (least, most) {
            (Some(least), Some(most)) => format!("is {least} to {most}"),
            (Some(least), None) => format!("is at least {least}"),
            (None, most) => format!("is at most {}", most.unwrap_or_default()),
        },
    }
}

pub(super) fn read_expectation(document: &ExpectDocument, place: FilePosition) -> Result<Expect, ConditionError> {
    let timing = read_timing(document)?.ok_or_else(|| missing_field_error("at", ": one of at, by and always"))?;
    let (check, words) =
        read_check(document)?.ok_or_else(|| missing_field_error("object", &format!(": one of {CHECK_FIELDS}")))?;
    if check.compares_with_step_start() {
        let message = "same and never compare with the start of a step: an expectation has none";
        return Err(condition_error("", message));
    }
    let text = match timing {
        Timing::At(at) => format!("at {}: {words}", print_duration(at - SimTime::ZERO)),
        Timing::By(by) => format!("by {}: {words}", print_duration(by - SimTime::ZERO)),
        Timing::Always => words,
    };
    Ok(Expect {
        timing,
        check,
        text,
        place,
    })
}

pub(super) fn read_condition(document: &ExpectDocument) -> Result<Condition, ConditionError> {
    let timing = read_timing(document)?;
    let check = read_check(document)?;
    if timing.is_none() && check.is_none() {
        return Err(missing_field_error("", &format!(": one of at, by, {CHECK_FIELDS}")));
    }
    let check = check.map(|(check, _)| check);
    if timing.is_some() && check.as_ref().is_some_and(Check::compares_with_step_start) {
        let message = "same and never take no at or by: they begin with the step";
        return Err(condition_error("", message));
    }
    let description = match &document.say {
        Some(say) => LessonCondition::AuthorText(podscope_api::visible(say).into_owned()),
        None => super::condition::describe(timing, check.as_ref()),
    };
    Ok(Condition {
        timing,
        check,
        description,
    })
}

/// Parses an object such as `Pod default/web-0` or `Node a-1`. The kind is a Kubernetes kind, or any resource name that
/// kubectl accepts.
///
/// # Errors
/// A message that describes the error.
pub fn parse_object_ref(text: &str) -> Result<(Kind, ObjectKey), String> {
    let invalid = || format!("Invalid value: {text:?}: must be KIND NAMESPACE/NAME, e.g. Pod default/web-0");
    let (kind, name) = text.trim().split_once(char::is_whitespace).ok_or_else(invalid)?;
    let kind = Kind::named(kind)
        .or_else(|| Kind::from_resource_name(kind))
        .ok_or_else(|| format!("Invalid value: {text:?}: there is no kind {kind:?}"))?;
    let name = name.trim();
    if name.is_empty() || name.contains(char::is_whitespace) {
        return Err(invalid());
    }
    Ok((
        kind,
        match (kind.is_namespaced(), name.split_once('/')) {
            (true, Some((namespace, name))) => ObjectKey::new(namespace, name),
            (true, None) => ObjectKey::new("default", name),
            (false, _) => ObjectKey::cluster(name),
        },
    ))
}

fn is_invariant_name(name: &str) -> bool {
    podscope_cluster::INVARIANTS
        .iter()
        .any(|invariant| invariant.name == name)
}

impl Test {
    /// Returns whether a value that was found in the cluster passes the test. If the path matches several values,
    /// `found` contains all of them, joined as in the output of kubectl.
    fn holds(&self, found: Option<&str>) -> bool {
        let plain = |value: &Value| match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        match (self, found) {
            (Test::Exists(wanted), found) => found.is_some() == *wanted,
            (Test::Equals(wanted), Some(found)) => plain(wanted) == found,
            (Test::Not(unwanted), Some(found)) => plain(unwanted) != found,
            (Test::Range { least, most }, Some(found)) => found
                .parse::<i64>()
                .is_ok_and(|found| least.is_none_or(|least| found >= least) && most.is_none_or(|most| found <= most)),
            (Test::Equals(_) | Test::Not(_) | Test::Range { .. }, None) => false,
        }
    }
}

/// Returns the value at a path of an object. If the path matches several values, they are joined as in the output of
/// kubectl.
pub(super) fn value_at(path: &Path, object: &Object) -> Option<String> {
    let value = object.to_value();
    let found: Vec<String> = path
        .find(&value, &WorkCounter::default())
        .unwrap_or_default()
        .iter()
        .filter(|value| !value.is_null())
        .map(|value| match &**value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        })
        .collect();
    (!found.is_empty()).then(|| found.join(" "))
}

impl Check {
    /// Returns whether the check compares the current state with the time at which its step was shown: `same` and
    /// `never`.
    pub(crate) fn compares_with_step_start(&self) -> bool {
        matches!(self, Check::Same(_) | Check::Never(_))
    }

    /// Returns whether the check counts client requests.
    pub(crate) fn counts_requests(&self) -> bool {
        match self {
            Check::Never(check) => check.counts_requests(),
            other => matches!(other, Check::Requests { .. }),
        }
    }

    /// Returns whether the check holds, and the value that it found.
    pub(crate) fn holds(&self, state: &WorldState<'_>) -> (bool, String) {
        let WorldState { objects, .. } = state;
        match self {
            Check::Object { kind, key, path, test } => {
                let Some(object) = objects.get_kind(*kind, key) else {
                    return (test.holds(None), "no such object".into());
                };
                let Some((path, _)) = path else {
                    return (test.holds(Some("")), "it exists".into());
                };
                match state.value_cache.borrow_mut().value_at(path, &object) {
                    None => (test.holds(None), "nothing".into()),
                    Some(text) => (test.holds(Some(&text)), text),
                }
            }
            Check::Count { get, test } => {
                let count = count(get, objects).to_string();
                (test.holds(Some(&count)), count)
            }
            Check::Requests { counted, test } => {
                let count = counted.count(&(state.requests)()).to_string();
                (test.holds(Some(&count)), count)
            }
            Check::Ready { get, test } => {
                let count = super::recorded_state::count_ready(get, objects).to_string();
                (test.holds(Some(&count)), count)
            }
            Check::Same(_) | Check::Never(_) => {
                let holds = state.recorded.is_some_and(|recorded| recorded.holds(self, objects));
                (holds, if holds { "held" } else { "broken" }.into())
            }
            Check::Invariant(name) => {
                let is_broken = (state.is_invariant_violated)(name);
                (!is_broken, if is_broken { "broken" } else { "held" }.into())
            }
        }
    }
}

/// Returns the number of objects that are selected.
pub(crate) fn count(get: &Get, objects: &Objects) -> usize {
    // The selectors were validated when the scenario was read.
    podscope_kubectl::count_selected(&get.target, objects)
}
