//! Conditions of a lesson: goals, `keep` conditions, conditions for the next step. The engine reads them from the lesson's
//! file; this module formats them as sentences.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Micros;

/// A condition of a lesson, for display.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum LessonCondition {
    /// Text of the lesson's author, in any language.
    AuthorText(String),
    /// The condition of the file. At least one of the fields is set.
    Required {
        /// Time limit; `None` means at any time.
        when: Option<ConditionTime>,
        /// Required state; `None` if only the time matters.
        what: Option<RequiredState>,
    },
}

/// The earliest or latest time at which the condition must hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ConditionTime {
    /// Not before this time.
    From(Micros),
    /// Not after this time.
    Until(Micros),
}

/// The state of an object, invariant or Service that fulfils a condition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum RequiredState {
    /// An object has a state.
    Object { object: RequiredObject, is: ObjectState },
    /// There is a certain number of objects.
    Count(RequiredCount),
    /// There is a certain number of pods that are ready and not being deleted.
    Serving(RequiredCount),
    /// The objects are those that existed when the step was shown, and no others.
    Same(RequiredObjects),
    /// The state has not occurred since the step was shown.
    Never(Box<RequiredState>),
    /// An invariant holds to the end.
    Kept {
        /// Statement of the invariant.
        statement: String,
    },
    /// There were a certain number of requests up to now.
    Requests {
        /// The Service's name.
        service: String,
        /// Outcome as named in the trace, or `failed`; `None` means any.
        outcome: Option<String>,
        number: RequiredValue,
    },
}

/// An object, identified by kind and name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequiredObject {
    pub kind: String,
    /// Namespace, if it is not the default one.
    pub namespace: Option<String>,
    pub name: String,
}

/// Required state of an object. Common fields have their own variants.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ObjectState {
    /// The object exists, or does not exist.
    Exists(bool),
    /// The pod has a node, or has none.
    HasNode(bool),
    /// The pod is on a node, or on another node.
    PlacedOn {
        node: String,
        /// False means any other node.
        is: bool,
    },
    /// The pod has a phase, or another phase.
    Phase {
        phase: String,
        /// False means any other phase.
        is: bool,
    },
    /// The object has a deletionTimestamp, or exists without one.
    Deleting(bool),
    /// The node is cordoned, or is not.
    Cordoned(bool),
    /// The pod has a nominated node.
    Nominated {
        /// `None` means any node.
        node: Option<String>,
    },
    /// The pod has this priority.
    Priority(String),
    /// The object has this `metadata.generation`.
    Generation(String),
    /// The rollout is at this revision.
    Revision(String),
    /// The object is ready, or not.
    Ready(bool),
    /// All containers of the pod are ready.
    ContainersReady,
    /// The scheduler has found no node for the pod.
    Unschedulable,
    /// A condition has a status, or another status.
    Condition {
        /// Type of the condition.
        name: String,
        status: String,
        /// False means any other status.
        is: bool,
    },
    /// A condition has a reason.
    ConditionReason {
        /// Type of the condition.
        name: String,
        reason: String,
    },
    /// The node has a taint with an effect, or has none.
    Taint { effect: String, is: bool },
    /// The workload has a number of pods, or desires it.
    Pods {
        /// The desired number, not the actual one.
        wants: bool,
        /// Number of pods.
        number: RequiredValue,
        /// The pods that are counted.
        which: PodsWhich,
    },
    /// The object has a label.
    Label {
        name: String,
        /// Value of the label; `None` means any.
        value: Option<String>,
    },
    /// The object has no label with this name.
    NoLabel(String),
    /// A container of the pod was restarted at least this many times.
    Restarted(i64),
    /// A container of the pod waits with this reason.
    ContainerWaits(String),
    /// A container of the pod has terminated with this reason.
    ContainerEnded(String),
    /// The object's status has this reason.
    Reason(String),
    /// A container uses this image.
    Image(String),
    /// The pod has this deletion grace period, in seconds.
    Grace(String),
    /// Any other field exists, or does not.
    HasField {
        /// Path of the field.
        path: String,
        is: bool,
    },
    /// Any other field has a value.
    Field {
        /// Path of the field.
        path: String,
        value: RequiredValue,
    },
}

/// The values of a field, or numbers of objects, that fulfil a condition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum RequiredValue {
    Is(String),
    /// Any other value.
    IsNot(String),
    /// A number within inclusive bounds.
    Within {
        /// `None` means no lower bound.
        least: Option<i64>,
        /// `None` means no upper bound.
        most: Option<i64>,
    },
}

/// The pods of a workload that are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum PodsWhich {
    All,
    /// Ready pods.
    Ready,
    /// Pods that have been ready for `minReadySeconds`.
    Available,
    /// Pods of the latest template.
    Latest,
    /// Failed pods.
    Failed,
    /// Succeeded pods.
    Succeeded,
    /// Pods that a PodDisruptionBudget counts as healthy.
    Healthy,
}

/// A required number of objects.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequiredCount {
    pub objects: RequiredObjects,
    /// Required number.
    pub number: RequiredValue,
}

/// Selected objects.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequiredObjects {
    /// Kinds to count, each with its plural as used by kubectl.
    pub kinds: Vec<(String, String)>,
    /// Names to count; empty means all.
    pub names: Vec<String>,
    /// Label selector.
    pub labels: Option<String>,
    /// Field selectors, in the order of the file.
    pub fields: Vec<CountedField>,
    pub place: CountedPlace,
}

/// A field selector.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum CountedField {
    /// Phase of the pods.
    Phase(String),
    /// Node of the pods.
    Node(String),
    /// Any other field selector, as text.
    Other(String),
}

/// Namespaces in which objects are counted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum CountedPlace {
    /// The default namespace, which is not mentioned in the text.
    Default,
    Namespace(String),
    /// All namespaces.
    Everywhere,
}

/// The conditions that a step waits for; all must hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaitsFor(pub Vec<LessonCondition>);

impl fmt::Display for WaitsFor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, wanted) in self.0.iter().enumerate() {
            f.write_str(if at == 0 { "" } else { ", and " })?;
            wanted.fmt(f)?;
        }
        Ok(())
    }
}

impl fmt::Display for LessonCondition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (when, what) = match self {
            Self::AuthorText(text) => return f.write_str(text),
            Self::Required { when, what } => (when, what),
        };
        if let Some(when) = when {
            let (before, at, after) = match when {
                ConditionTime::From(at) => ("From", at, " on"),
                ConditionTime::Until(at) => ("Until", at, ""),
            };
            write!(f, "{before} {}{after}", podscope_api::print_duration_short(*at))?;
            f.write_str(if what.is_some() { ": " } else { "" })?;
        }
        match what {
            None => Ok(()),
            Some(state) => state.fmt_after(&Opening::after(*when), f),
        }
    }
}

impl RequiredState {
    /// Formats the state as a sentence, or as the end of one.
    fn fmt_after(&self, opening: &Opening, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RequiredState::Object { object, is } => is.fmt_of(opening, object, f),
            RequiredState::Count(count) => count.fmt_after(opening, f),
            RequiredState::Serving(count) => {
                count.fmt_after(opening, f)?;
                f.write_str(" that are ready and not being deleted")
            }
            RequiredState::Same(objects) => {
                let what = objects.noun_phrase(false);
                write!(f, "{} {what} stay the same: none goes, none is added", opening.the)
            }
            RequiredState::Never(state) => {
                f.write_str("It never happens that ")?;
                state.fmt_after(&Opening::INSIDE, f)
            }
            RequiredState::Requests {
                service,
                outcome,
                number,
            } => fmt_requests(opening, service, outcome.as_deref(), number, f),
            RequiredState::Kept { statement } => {
                let mut inside = statement.trim_end_matches('.').to_owned();
                if let Some(first) = inside.get_mut(..1) {
                    first.make_ascii_lowercase();
                }
                write!(f, "To the end: {inside}")
            }
        }
    }
}

/// First word of a sentence: with a capital letter, unless a time precedes it.
struct Opening {
    the: &'static str,
    there: &'static str,
}

impl Opening {
    /// Inside a sentence.
    const INSIDE: Opening = Opening {
        the: "the",
        there: "there",
    };

    fn after(when: Option<ConditionTime>) -> Opening {
        match when {
            None => Opening {
                the: "The",
                there: "There",
            },
            Some(_) => Opening::INSIDE,
        }
    }
}

impl fmt::Display for RequiredObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.kind, self.name)?;
        match &self.namespace {
            Some(namespace) => write!(f, " in {namespace}"),
            None => Ok(()),
        }
    }
}

impl ObjectState {
    fn fmt_of(&self, opening: &Opening, of: &RequiredObject, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let the = opening.the;
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
                let is = not(!matches!(value, RequiredValue::IsNot(_)));
                write!(f, "{path} of {of} is {is}{value}")
            }
        }
    }
}

fn fmt_requests(
    opening: &Opening,
    service: &str,
    outcome: Option<&str>,
    number: &RequiredValue,
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    let there = opening.there;
    let noun = if number.is_singular() { "request" } else { "requests" };
    let which = match outcome {
        None => String::new(),
        Some("failed") => " that failed".to_owned(),
        Some(outcome) => format!(" with the outcome {outcome}"),
    };
    match number {
        RequiredValue::Is(value) if value == "0" => write!(f, "{there} is no request to {service}{which}"),
        RequiredValue::Is(value) if value == "1" => write!(f, "{there} is 1 request to {service}{which}"),
        RequiredValue::IsNot(value) => write!(f, "{there} are not {value} requests to {service}{which}"),
        number => write!(f, "{there} are {number} {noun} to {service}{which}"),
    }
}

/// Prefix that negates a word.
fn not(is: bool) -> &'static str {
    if is { "" } else { "not " }
}

fn fmt_pods(
    of: &RequiredObject,
    wants: bool,
    number: &RequiredValue,
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
    let noun = if number.is_singular() { "pod" } else { "pods" };
    write!(f, "{of} {verb} {number} {before}{noun}{after}")
}

impl RequiredValue {
    /// Returns whether the noun after the number is singular.
    fn is_singular(&self) -> bool {
        match self {
            Self::Is(value) => value == "1",
            Self::IsNot(_) => false,
            Self::Within { least, most } => most.or(*least) == Some(1),
        }
    }
}

impl fmt::Display for RequiredValue {
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

impl RequiredValue {
    /// Whether a noun after the number is in the singular: `1 pod`, `at least 1 pod`.
    fn is_one(&self) -> bool {
        match self {
            Self::Is(number) | Self::IsNot(number) => number == "1",
            Self::Within { least, most } => most.or(*least) == Some(1),
        }
    }
}

impl RequiredCount {
    fn fmt_after(&self, opening: &Opening, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let there = opening.there;
        let is_one = self.number.is_one();
        let are = if is_one { "is" } else { "are" };
        let what = self.objects.noun_phrase(is_one);
        match &self.number {
            RequiredValue::Is(number) if number == "0" => write!(f, "{there} are no {what}"),
            RequiredValue::IsNot(number) => write!(f, "{there} {are} not {number} {what}"),
            number => write!(f, "{there} {are} {number} {what}"),
        }
    }
}

impl RequiredObjects {
    /// The objects as a noun phrase: `Running pods labelled app=web on a-1 in shop`.
    fn noun_phrase(&self, is_one: bool) -> String {
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
