//! Expectations, conditions of steps, and goals: one form for all.

use std::cell::RefCell;

use podscope_api::{Kind, Object, ObjectKey, ProblemKind};
use podscope_cluster::{Objects, SimTime, Span, Totals};
use podscope_protocol::Wanted;
use serde_json::Value;

use super::counted_requests::CountedRequests;
use super::document::ExpectDocument;
use super::{Findings, Place};
use crate::timeline::END_OF_TIME;
use podscope_kubectl::command::{self, Command, Get, Kubectl, Selection};
use podscope_kubectl::duration::{parse_duration, print_duration};
use podscope_kubectl::{FieldQuery, LabelQuery, Path, Work};

/// When an expectation is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Timing {
    /// At that instant, after its events.
    At(SimTime),
    /// Once, at that instant or before.
    By(SimTime),
    /// All the time.
    Always,
}

/// What the found value must be.
#[derive(Debug, Clone, PartialEq)]
pub enum Test {
    /// It is there, or not.
    Exists(bool),
    Equals(Value),
    /// It is there and differs from this.
    Not(Value),
    /// It is a number within these bounds, both included.
    Range {
        /// At least.
        least: Option<i64>,
        /// At most.
        most: Option<i64>,
    },
}

/// What is looked at.
#[derive(Debug, Clone, PartialEq)]
pub enum Check {
    /// A field of an object, or the object itself.
    Object {
        kind: Kind,
        /// Namespace and name.
        key: ObjectKey,
        /// JSONPath and its text.
        path: Option<(Path, String)>,
        test: Test,
    },
    /// How many objects there are.
    Count {
        /// As `kubectl get` would select them.
        get: Box<Get>,
        test: Test,
    },
    /// How many requests there were from the start.
    Requests { counted: CountedRequests, test: Test },
    /// An invariant holds.
    Invariant(String),
}

/// What a condition is judged by.
pub(crate) struct Seen<'a> {
    pub(crate) objects: &'a Objects,
    /// Whether an invariant has been broken.
    pub(crate) broken: &'a dyn Fn(&str) -> bool,
    /// The requests so far.
    pub(crate) requests: &'a dyn Fn() -> Totals,
    pub(crate) findings: &'a RefCell<Findings>,
}

/// A condition of a step or goal.
#[derive(Debug, Clone, PartialEq)]
pub struct Condition {
    /// Not before this instant (`at`), or only until it (`by`).
    pub timing: Option<Timing>,
    /// What must hold.
    pub check: Option<Check>,
    /// As it is told to who reads the lesson.
    pub wanted: Wanted,
}

/// An expectation.
#[derive(Debug, Clone, PartialEq)]
pub struct Expect {
    pub timing: Timing,
    pub check: Check,
    /// As it was written, on one line.
    pub text: String,
    /// Where it stands.
    pub place: Place,
}

/// What is wrong with an expectation.
pub(super) struct Bad {
    /// The field of it; empty where it is about no one field.
    pub(super) field: String,
    pub(super) message: String,
    pub(super) kind: ProblemKind,
}

fn bad(field: &str, message: impl Into<String>) -> Bad {
    Bad {
        field: field.to_owned(),
        message: message.into(),
        kind: ProblemKind::Other,
    }
}

/// A field that has to be there; `which` says more, or nothing.
fn required(field: &str, which: &str) -> Bad {
    Bad {
        kind: ProblemKind::Required,
        ..bad(field, format!("Required value{which}"))
    }
}

fn instant(field: &str, text: &str) -> Result<SimTime, Bad> {
    match written_duration(text) {
        Ok(span) => Ok(SimTime::ZERO + span),
        Err(why) => Err(bad(field, why)),
    }
}

/// A time in a scenario; what is wrong with it in a teacher's words.
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

fn timing(document: &ExpectDocument) -> Result<Option<Timing>, Bad> {
    match (&document.at.0, &document.by.0, &document.always) {
        (Some(text), None, None) => Ok(Some(Timing::At(instant("at", text)?))),
        (None, Some(text), None) => Ok(Some(Timing::By(instant("by", text)?))),
        (None, None, Some(_)) => Ok(Some(Timing::Always)),
        (None, None, None) => Ok(None),
        _ => Err(bad("", "only one of at, by and always may be given")),
    }
}

/// The check of a document, and how it reads.
fn check(document: &ExpectDocument) -> Result<Option<(Check, String)>, Bad> {
    if let Some(name) = &document.always {
        return invariant(document, name).map(Some);
    }
    let test = test(document)?;
    match (&document.object, &document.count, &document.requests) {
        (None, None, None) => {
            if document.path.is_some() || test.is_some() {
                return Err(required("object", ""));
            }
            Ok(None)
        }
        (Some(text), None, None) => object(document, text, test).map(Some),
        (None, Some(text), None) => counted(document, text, test).map(Some),
        (None, None, Some(text)) => requests(document, text, test).map(Some),
        _ => Err(bad("", "only one of object, count, requests and always may be given")),
    }
}

fn requests(document: &ExpectDocument, text: &str, test: Option<Test>) -> Result<(Check, String), Bad> {
    if document.path.is_some() {
        return Err(bad("path", "a count has no path"));
    }
    let counted = CountedRequests::parse(text).map_err(|why| bad("requests", format!("Invalid value: {why}")))?;
    let test = match test {
        Some(test @ (Test::Equals(_) | Test::Not(_) | Test::Range { .. })) => test,
        _ => return Err(required("equals", "")),
    };
    let words = format!("requests {text} {}", words(&test));
    Ok((Check::Requests { counted, test }, words))
}

fn invariant(document: &ExpectDocument, name: &str) -> Result<(Check, String), Bad> {
    let extra =
        document.object.is_some() || document.count.is_some() || document.requests.is_some() || document.path.is_some();
    let is_bounded = document.least.is_some() || document.most.is_some();
    if extra || is_bounded || document.exists.is_some() || !document.equals.is_null() || !document.not.is_null() {
        return Err(bad("always", "takes an invariant's name and nothing else"));
    }
    if !is_invariant(name) {
        return Err(bad(
            "always",
            format!("Invalid value: {name:?}: not the name of an invariant"),
        ));
    }
    Ok((Check::Invariant(name.to_owned()), format!("always {name}")))
}

/// What is compared, of which there may be one.
fn test(document: &ExpectDocument) -> Result<Option<Test>, Bad> {
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
        _ => Err(bad(
            "",
            "only one of exists, equals, not and least or most may be given",
        )),
    }
}

fn object(document: &ExpectDocument, text: &str, test: Option<Test>) -> Result<(Check, String), Bad> {
    let (kind, key) = object_ref(text).map_err(|why| bad("object", why))?;
    let path = match &document.path {
        Some(path) => Some((
            Path::of_whole_keys(path).map_err(|why| bad("path", format!("Invalid value: {path:?}: {why}")))?,
            path.clone(),
        )),
        None => None,
    };
    let test = match test {
        Some(test) => test,
        None => Test::Exists(true),
    };
    if path.is_none() && !matches!(test, Test::Exists(_)) {
        return Err(required("path", ""));
    }
    let words = format!(
        "{text}{} {}",
        path.as_ref().map_or(String::new(), |(_, text)| format!(" {text}")),
        words(&test)
    );
    Ok((Check::Object { kind, key, path, test }, words))
}

fn counted(document: &ExpectDocument, text: &str, test: Option<Test>) -> Result<(Check, String), Bad> {
    if document.path.is_some() {
        return Err(bad("path", "a count has no path"));
    }
    let get = match command::parse(&format!("kubectl get {text}")) {
        Ok(Command::Kubectl(Kubectl::Get(get))) => get,
        Ok(_) => return Err(bad("count", format!("Invalid value: {text:?}: names no objects"))),
        Err(error) => return Err(bad("count", error.message)),
    };
    let Selection::Kinds { kinds, .. } = &get.target.selection else {
        return Err(bad(
            "count",
            format!("Invalid value: {text:?}: counts a type, e.g. pods -l app=web"),
        ));
    };
    LabelQuery::parse(get.target.selector.as_deref().unwrap_or_default()).map_err(|why| bad("count", why))?;
    for kind in kinds {
        FieldQuery::parse(*kind, get.target.field_selector.as_deref().unwrap_or_default(), "")
            .map_err(|why| bad("count", why))?;
    }
    let test = match test {
        Some(test @ (Test::Equals(_) | Test::Not(_) | Test::Range { .. })) => test,
        _ => return Err(required("equals", "")),
    };
    let words = format!("count {text} {}", words(&test));
    Ok((
        Check::Count {
            get: Box::new(get),
            test,
        },
        words,
    ))
}

fn words(test: &Test) -> String {
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

pub(super) fn expectation(document: &ExpectDocument, place: Place) -> Result<Expect, Bad> {
    let timing = timing(document)?.ok_or_else(|| required("at", ": one of at, by and always"))?;
    let (check, words) =
        check(document)?.ok_or_else(|| required("object", ": one of object, count, requests and always"))?;
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

pub(super) fn condition(document: &ExpectDocument) -> Result<Condition, Bad> {
    let timing = timing(document)?;
    let check = check(document)?;
    if timing.is_none() && check.is_none() {
        return Err(required("", ": one of at, by, always, object, count and requests"));
    }
    let check = check.map(|(check, _)| check);
    let wanted = match &document.say {
        Some(say) => Wanted::Said(podscope_api::visible(say).into_owned()),
        None => super::wanted::wanted(timing, check.as_ref()),
    };
    Ok(Condition { timing, check, wanted })
}

/// `Pod default/web-0`, `Node a-1`: a kind as written on the wire or as kubectl takes it.
///
/// # Errors
/// What is wrong with the text.
pub fn object_ref(text: &str) -> Result<(Kind, ObjectKey), String> {
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

fn is_invariant(name: &str) -> bool {
    podscope_cluster::INVARIANTS
        .iter()
        .any(|invariant| invariant.name == name)
}

impl Test {
    /// Judges what was found (several values as kubectl joins them).
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

/// What stands at a path of an object; several values as kubectl joins them.
pub(super) fn value_at(path: &Path, object: &Object) -> Option<String> {
    let value = object.to_value();
    let found: Vec<String> = path
        .find(&value, &Work::default())
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
    /// Whether it holds, and what was found.
    pub(crate) fn holds(&self, seen: &Seen<'_>) -> (bool, String) {
        let Seen { objects, broken, .. } = seen;
        match self {
            Check::Object { kind, key, path, test } => {
                let Some(object) = objects.get_kind(*kind, key) else {
                    return (test.holds(None), "no such object".into());
                };
                let Some((path, _)) = path else {
                    return (test.holds(Some("")), "it exists".into());
                };
                match seen.findings.borrow_mut().at(path, &object) {
                    None => (test.holds(None), "nothing".into()),
                    Some(text) => (test.holds(Some(&text)), text),
                }
            }
            Check::Count { get, test } => {
                let count = count(get, objects).to_string();
                (test.holds(Some(&count)), count)
            }
            Check::Requests { counted, test } => {
                let count = counted.count(&(seen.requests)()).to_string();
                (test.holds(Some(&count)), count)
            }
            Check::Invariant(name) => {
                let is_broken = broken(name);
                (!is_broken, if is_broken { "broken" } else { "held" }.into())
            }
        }
    }
}

/// How many objects there are.
pub(crate) fn count(get: &Get, objects: &Objects) -> usize {
    // Its selectors were read when the scenario was.
    podscope_kubectl::count(&get.target, objects)
}
