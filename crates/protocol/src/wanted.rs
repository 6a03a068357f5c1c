//! What a lesson wants to see: its goals, what it has promised, what a step waits for. The engine reads it from the
//! conditions of the lesson's file; the sentence is made here.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Micros;

/// A condition of a lesson, for who reads it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Wanted {
    /// In the words of the lesson's author, in any language.
    Said(String),
    /// As the file has it. One of both is always there.
    Asked {
        /// From when on, or until when; at any time otherwise.
        when: Option<WantedTime>,
        /// What is to hold; nothing but the time otherwise.
        what: Option<WantedState>,
    },
}

/// The time of a condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum WantedTime {
    /// Not before.
    From(Micros),
    /// Not after.
    Until(Micros),
}

/// What is to hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum WantedState {
    /// An object is so.
    Object {
        object: WantedObject,
        /// How.
        is: ObjectState,
    },
    /// There are so many objects.
    Count(WantedCount),
    /// A guarantee is kept to the end.
    Kept {
        /// What it guarantees, as it says itself.
        statement: String,
    },
    /// There were so many requests up to now.
    Requests {
        /// The Service's name.
        service: String,
        /// Their outcome's word, or `failed`; any if there is none.
        outcome: Option<String>,
        number: WantedValue,
    },
}

/// An object, by its name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WantedObject {
    pub kind: String,
    /// Its namespace, where that is told: not the default one.
    pub namespace: Option<String>,
    pub name: String,
}

/// How an object is to be. What lessons look at has a variant of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ObjectState {
    /// It is there, or it is gone.
    Exists(bool),
    /// It has a node, or none.
    HasNode(bool),
    /// It is on that node, or on another one.
    PlacedOn {
        node: String,
        /// Whether on this one.
        is: bool,
    },
    /// Its phase is that, or another one.
    Phase {
        phase: String,
        /// Whether this one.
        is: bool,
    },
    /// It is being deleted, or is there and is not.
    Deleting(bool),
    /// It takes no new pods, or does.
    Cordoned(bool),
    /// A node is nominated for it.
    Nominated {
        /// That one; any if none.
        node: Option<String>,
    },
    /// It has that priority.
    Priority(String),
    /// Its spec has been changed so often.
    Generation(String),
    /// Its rollout is at that revision.
    Revision(String),
    /// It is ready, or not.
    Ready(bool),
    /// All its containers are.
    ContainersReady,
    /// The scheduler has found no node for it.
    Unschedulable,
    /// A condition of it has that status, or another one.
    Condition {
        /// Its type.
        name: String,
        status: String,
        /// Whether this one.
        is: bool,
    },
    /// A condition of it has that reason.
    ConditionReason {
        /// Its type.
        name: String,
        reason: String,
    },
    /// It has a taint of that effect, or none.
    Taint {
        effect: String,
        /// Whether it has.
        is: bool,
    },
    /// It has so many pods, or wants them.
    Pods {
        /// Whether it wants them.
        wants: bool,
        /// How many.
        number: WantedValue,
        /// Of these.
        which: PodsWhich,
    },
    /// It has a label.
    Label {
        name: String,
        /// Its value; any if none.
        value: Option<String>,
    },
    /// It has no label of that name.
    NoLabel(String),
    /// A container of it was restarted at least so often.
    Restarted(i64),
    /// A container of it waits for that reason.
    ContainerWaits(String),
    /// A container of it has ended for that reason.
    ContainerEnded(String),
    /// It has that reason.
    Reason(String),
    /// It runs that image.
    Image(String),
    /// It has so many seconds to end.
    Grace(String),
    /// Any other field is there, or not.
    HasField {
        /// Where it is.
        path: String,
        /// Whether it is there.
        is: bool,
    },
    /// Any other field has a value.
    Field {
        /// Where it is.
        path: String,
        value: WantedValue,
    },
}

/// A value, or what is told of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum WantedValue {
    Is(String),
    /// Another one.
    IsNot(String),
    /// A number between these, both included.
    Within {
        /// Any if none.
        least: Option<i64>,
        /// Any if none.
        most: Option<i64>,
    },
}

/// Which of a workload's pods are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum PodsWhich {
    All,
    /// Those that are ready.
    Ready,
    /// Those that have been ready for long enough.
    Available,
    /// Those of its latest template.
    Latest,
    /// Those that have failed.
    Failed,
    /// Those that have succeeded.
    Succeeded,
    /// Those that a budget counts as healthy.
    Healthy,
}

/// Objects that are counted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WantedCount {
    /// Of these kinds: the kind, and its plural as kubectl takes it.
    pub kinds: Vec<(String, String)>,
    /// Of one of these names; of any if there are none.
    pub names: Vec<String>,
    /// By a selector of labels.
    pub labels: Option<String>,
    /// By fields, in the order in which they stand.
    pub fields: Vec<CountedField>,
    pub place: CountedPlace,
    /// How many.
    pub number: WantedValue,
}

/// A field by which objects are counted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum CountedField {
    /// Their phase.
    Phase(String),
    /// Their node.
    Node(String),
    /// Any other one, as a selector has it.
    Other(String),
}

/// Where objects are counted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum CountedPlace {
    /// In the default namespace, which is not told.
    Default,
    Namespace(String),
    /// In all namespaces.
    Everywhere,
}

/// What a step waits for: all of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaitsFor(pub Vec<Wanted>);

impl fmt::Display for WaitsFor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, wanted) in self.0.iter().enumerate() {
            f.write_str(if at == 0 { "" } else { ", and " })?;
            wanted.fmt(f)?;
        }
        Ok(())
    }
}

impl fmt::Display for Wanted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (when, what) = match self {
            Self::Said(text) => return f.write_str(text),
            Self::Asked { when, what } => (when, what),
        };
        if let Some(when) = when {
            let (before, at, after) = match when {
                WantedTime::From(at) => ("From", at, " on"),
                WantedTime::Until(at) => ("Until", at, ""),
            };
            write!(f, "{before} {}{after}", podscope_api::print_duration_short(*at))?;
            f.write_str(if what.is_some() { ": " } else { "" })?;
        }
        match what {
            None => Ok(()),
            Some(WantedState::Object { object, is }) => is.fmt_of(&Opening::after(*when), object, f),
            Some(WantedState::Count(count)) => count.fmt_after(&Opening::after(*when), f),
            Some(WantedState::Requests {
                service,
                outcome,
                number,
            }) => fmt_requests(&Opening::after(*when), service, outcome.as_deref(), number, f),
            Some(WantedState::Kept { statement }) => {
                let mut inside = statement.trim_end_matches('.').to_owned();
                if let Some(first) = inside.get_mut(..1) {
                    first.make_ascii_lowercase();
                }
                write!(f, "To the end: {inside}")
            }
        }
    }
}

/// How a sentence that has no subject of its own opens: with a capital, unless a time stands before it.
struct Opening {
    the: &'static str,
    there: &'static str,
}

impl Opening {
    fn after(when: Option<WantedTime>) -> Opening {
        let (the, there) = match when {
            None => ("The", "There"),
            Some(_) => ("the", "there"),
        };
        Opening { the, there }
    }
}

impl fmt::Display for WantedObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.kind, self.name)?;
        match &self.namespace {
            Some(namespace) => write!(f, " in {namespace}"),
            None => Ok(()),
        }
    }
}

impl ObjectState {
    fn fmt_of(&self, open: &Opening, of: &WantedObject, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let the = open.the;
        match self {
            Self::Exists(true) => write!(f, "{of} exists"),
            Self::Exists(false) => write!(f, "{of} is gone"),
            Self::HasNode(true) => write!(f, "{of} has a node"),
            Self::HasNode(false) => write!(f, "{of} has no node"),
            Self::PlacedOn { node, is: true } => write!(f, "{of} is placed on {node}"),
            Self::PlacedOn { node, is: false } => write!(f, "{of} is placed on another node than {node}"),
            Self::Phase { phase, is } => write!(f, "{of} is {}{phase}", not(*is)),
            Self::Deleting(true) => write!(f, "{of} is being deleted"),
            Self::Deleting(false) => write!(f, "A {of} that is not being deleted exists"),
            Self::Cordoned(is) => write!(f, "{of} is {}cordoned", not(*is)),
            Self::Nominated { node: Some(node) } => write!(f, "{of} is nominated to {node}"),
            Self::Nominated { node: None } => write!(f, "{of} is nominated to a node"),
            Self::Priority(priority) => write!(f, "{of} has the priority {priority}"),
            Self::Generation(number) => write!(f, "{the} spec of {of} is at its generation {number}"),
            Self::Revision(number) => write!(f, "{of} is at revision {number}"),
            Self::Ready(is) => write!(f, "{of} is {}ready", not(*is)),
            Self::ContainersReady => write!(f, "{the} containers of {of} are ready"),
            Self::Unschedulable => write!(f, "{the} scheduler found no node for {of}"),
            Self::Condition { name, status, is } => {
                write!(f, "{the} condition {name} of {of} is {}{status}", not(*is))
            }
            Self::ConditionReason { name, reason } => {
                write!(f, "{the} condition {name} of {of} has the reason {reason}")
            }
            Self::Taint { effect, is } => {
                let a = if *is { "a" } else { "no" };
                write!(f, "{of} has {a} taint with the effect {effect}")
            }
            Self::Pods { wants, number, which } => fmt_pods(of, *wants, number, *which, f),
            Self::Label {
                name,
                value: Some(value),
            } => write!(f, "{of} has the label {name}={value}"),
            Self::Label { name, value: None } => write!(f, "{of} has a label {name}"),
            Self::NoLabel(name) => write!(f, "{of} has no label {name}"),
            Self::Restarted(1) => write!(f, "A container of {of} was restarted"),
            Self::Restarted(times) => write!(f, "A container of {of} was restarted {times} times"),
            Self::ContainerWaits(reason) => write!(f, "A container of {of} waits: {reason}"),
            Self::ContainerEnded(reason) => write!(f, "A container of {of} has ended: {reason}"),
            Self::Reason(reason) => write!(f, "{of} has the reason {reason}"),
            Self::Image(image) => write!(f, "{of} has the image {image}"),
            Self::Grace(seconds) => write!(f, "{of} has {seconds} s of grace"),
            Self::HasField { path, is: true } => write!(f, "{of} has {path}"),
            Self::HasField { path, is: false } => write!(f, "{of} has no {path}"),
            Self::Field { path, value } => {
                let is = not(!matches!(value, WantedValue::IsNot(_)));
                write!(f, "{path} of {of} is {is}{value}")
            }
        }
    }
}

fn fmt_requests(
    open: &Opening,
    service: &str,
    outcome: Option<&str>,
    number: &WantedValue,
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    let there = open.there;
    let noun = if number.ends_at_one() { "request" } else { "requests" };
    let which = match outcome {
        None => String::new(),
        Some("failed") => " that failed".to_owned(),
        Some(outcome) => format!(" with the outcome {outcome}"),
    };
    match number {
        WantedValue::Is(value) if value == "0" => write!(f, "{there} is no request to {service}{which}"),
        WantedValue::Is(value) if value == "1" => write!(f, "{there} is 1 request to {service}{which}"),
        WantedValue::IsNot(value) => write!(f, "{there} are not {value} requests to {service}{which}"),
        number => write!(f, "{there} are {number} {noun} to {service}{which}"),
    }
}

/// What stands before a word that is denied.
fn not(is: bool) -> &'static str {
    if is { "" } else { "not " }
}

fn fmt_pods(
    of: &WantedObject,
    wants: bool,
    number: &WantedValue,
    which: PodsWhich,
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    let verb = if wants { "wants" } else { "has" };
    let (before, after) = match which {
        PodsWhich::All => ("", ""),
        PodsWhich::Ready => ("ready ", ""),
        PodsWhich::Available => ("available ", ""),
        PodsWhich::Latest => ("", " of its latest template"),
        PodsWhich::Failed => ("failed ", ""),
        PodsWhich::Succeeded => ("succeeded ", ""),
        PodsWhich::Healthy => ("healthy ", ""),
    };
    let noun = if number.ends_at_one() { "pod" } else { "pods" };
    write!(f, "{of} {verb} {number} {before}{noun}{after}")
}

impl WantedValue {
    /// Whether what is counted stands in the singular behind it.
    fn ends_at_one(&self) -> bool {
        match self {
            Self::Is(value) => value == "1",
            Self::IsNot(_) => false,
            Self::Within { least, most } => most.or(*least) == Some(1),
        }
    }
}

impl fmt::Display for WantedValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Is(value) | Self::IsNot(value) => f.write_str(value),
            Self::Within { least, most } => match (least, most) {
                (Some(least), Some(most)) => write!(f, "{least} to {most}"),
                (Some(least), None) => write!(f, "at least {least}"),
                (None, most) => write!(f, "at most {}", most.unwrap_or_default()),
            },
        }
    }
}

impl WantedCount {
    fn fmt_after(&self, open: &Opening, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let there = open.there;
        let is_one = matches!(&self.number, WantedValue::Is(number) if number == "1");
        let what = self.what(is_one);
        match &self.number {
            WantedValue::Is(number) if number == "0" => write!(f, "{there} are no {what}"),
            WantedValue::Is(number) if is_one => write!(f, "{there} is {number} {what}"),
            WantedValue::IsNot(number) => write!(f, "{there} are not {number} {what}"),
            number => write!(f, "{there} are {number} {what}"),
        }
    }

    /// `Running pods labelled app=web on a-1 in shop`.
    fn what(&self, is_one: bool) -> String {
        let noun = |(kind, plural): &(String, String)| match (plural.as_str(), is_one) {
            ("pods", true) => "pod".to_owned(),
            ("nodes", true) => "node".to_owned(),
            (_, true) => kind.clone(),
            (plural, false) => plural.to_owned(),
        };
        let nouns: Vec<String> = self.kinds.iter().map(noun).collect();
        let mut what = nouns.join(" or ");
        if !self.names.is_empty() {
            what = format!("{what} named {}", self.names.join(" or "));
        }
        let mut rest = String::new();
        if let Some(labels) = &self.labels {
            rest.push_str(&format!(" labelled {labels}"));
        }
        for field in &self.fields {
            match field {
                CountedField::Phase(phase) => what = format!("{phase} {what}"),
                CountedField::Node(node) => rest.push_str(&format!(" on {node}")),
                CountedField::Other(field) => rest.push_str(&format!(" with {field}")),
            }
        }
        match &self.place {
            CountedPlace::Default => {}
            CountedPlace::Namespace(namespace) => rest.push_str(&format!(" in {namespace}")),
            CountedPlace::Everywhere => rest.push_str(" in all namespaces"),
        }
        format!("{what}{rest}")
    }
}
