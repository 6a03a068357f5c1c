//! Conditions of a lesson: goals, `keep` conditions, conditions for the next step. The engine reads them from the
//! lesson file; this module formats them as sentences.

use std::fmt;

use podscope_messages::{Sentence, is_english, localized, t};
use serde::{Deserialize, Serialize};

use crate::Micros;

/// A condition of a lesson, for display.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum LessonCondition {
    /// A sentence that the lesson's author wrote, in any language.
    AuthorText(String),
    /// A description of the state that the lesson waits for, without details that would reveal the solution.
    Awaited(Sentence),
    /// The condition as written in the lesson file. At least one of the fields is set.
    Required {
        /// Time at which the condition must hold; `None` means at any time.
        when: Option<ConditionTimeLimit>,
        /// Required state; `None` if only the time matters.
        what: Option<RequiredState>,
    },
}

/// The earliest or latest time at which the condition must hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ConditionTimeLimit {
    /// The condition must hold at this time or later.
    From(Micros),
    /// The condition must hold at this time at the latest.
    Until(Micros),
}

/// The state of an object, invariant or Service that fulfils a condition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum RequiredState {
    /// An object has (or does not have) a state.
    Object { object: RequiredObject, is: ObjectState },
    /// The number of these objects is as required.
    Count(RequiredCount),
    /// The number of the selected pods that are ready and not being deleted is as required.
    Serving(RequiredCount),
    /// The selected objects are exactly those that existed when the step was shown.
    Same(RequiredObjects),
    /// The contained state has not occurred since the step was shown.
    Never(Box<RequiredState>),
    /// An invariant holds to the end.
    Kept {
        /// Statement of the invariant.
        statement: String,
    },
    /// The number of requests to a Service so far is as required.
    Requests {
        /// Name of the Service.
        service: String,
        /// Outcome of the counted requests: as in the trace, or `failed`; `None` counts all requests.
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
    /// The object exists (true), or does not exist (false).
    Exists(bool),
    /// The pod is bound to a node (true), or to none (false).
    HasNode(bool),
    /// The pod is on this node, or on any other node.
    PlacedOn {
        node: String,
        /// True if the pod is on `node`; false if it is on any other node.
        is: bool,
    },
    /// The pod is in this phase, or in any other phase.
    Phase {
        phase: String,
        /// True if the pod is in `phase`; false if it is in any other phase.
        is: bool,
    },
    /// The object has a deletionTimestamp (true), or exists and has none (false).
    Deleting(bool),
    /// The node is cordoned (true), or not (false).
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
    /// The object is ready (true), or not ready (false).
    Ready(bool),
    /// All containers of the pod are ready.
    ContainersReady,
    /// The scheduler has found no node for the pod.
    Unschedulable,
    /// A status condition of the object has this status, or any other status.
    Condition {
        /// Type of the condition.
        name: String,
        status: String,
        /// True if the condition has `status`; false if it has any other status.
        is: bool,
    },
    /// A status condition of the object has this reason.
    ConditionReason {
        /// Type of the condition.
        name: String,
        reason: String,
    },
    /// The node has a taint with this effect (if `is` is true), or has no such taint.
    Taint { effect: String, is: bool },
    /// The number of pods of a workload is as required.
    Pods {
        /// True for the desired number of pods (`spec.replicas`), false for the actual one.
        wants: bool,
        /// Number of pods.
        number: RequiredValue,
        /// Which of the workload's pods are counted.
        which: CountedPods,
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
    /// The object has (or does not have) a field that no other variant covers.
    HasField {
        /// Path of the field.
        path: String,
        is: bool,
    },
    /// A field that no other variant covers has this value.
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
    /// Any value but this one.
    IsNot(String),
    /// A number within inclusive bounds.
    Within {
        /// Minimum; `None` means no lower bound.
        least: Option<i64>,
        /// Maximum; `None` means no upper bound.
        most: Option<i64>,
    },
}

/// Which pods of a workload are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum CountedPods {
    All,
    /// Ready pods.
    Ready,
    /// Pods that have been ready for `minReadySeconds`.
    Available,
    /// Pods created from the latest revision of the pod template.
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

/// The objects that a condition is about, selected by kind, name, labels, fields and namespace.
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
    pub place: CountedNamespaces,
}

/// A field selector for the objects that a condition is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum CountedField {
    /// Phase of the pods.
    Phase(String),
    /// Node of the pods.
    Node(String),
    /// Any other field selector, as text.
    Other(String),
}

/// The namespaces whose objects are counted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum CountedNamespaces {
    /// The default namespace, which sentences do not mention.
    Default,
    Namespace(String),
    /// All namespaces.
    Everywhere,
}

/// The conditions under which the next step of a lesson is shown; all of them must hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaitsFor(pub Vec<LessonCondition>);

impl fmt::Display for WaitsFor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let conditions: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        f.write_str(&conditions.join(&t!(condition::and)))
    }
}

impl fmt::Display for LessonCondition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (when, what) = match self {
            Self::AuthorText(text) => return f.write_str(&localized(text)),
            Self::Awaited(what) => return what.fmt(f),
            Self::Required { when, what } => (when, what),
        };
        let position = if when.is_some() {
            PART_OF_SENTENCE
        } else {
            WHOLE_SENTENCE
        };
        let what = what.as_ref().map(|state| state.sentence(position));
        let time = |at: Micros| podscope_api::print_duration_short(at);
        f.write_str(&match (when, what) {
            (None, what) => what.unwrap_or_default(),
            (Some(ConditionTimeLimit::From(at)), None) => t!(condition::from, time = time(*at)),
            (Some(ConditionTimeLimit::From(at)), Some(what)) => t!(condition::from_what, time = time(*at), what = what),
            (Some(ConditionTimeLimit::Until(at)), None) => t!(condition::until, time = time(*at)),
            (Some(ConditionTimeLimit::Until(at)), Some(what)) => {
                t!(condition::until_what, time = time(*at), what = what)
            }
        })
    }
}

/// Value of the message argument `position` if the message is a whole sentence.
const WHOLE_SENTENCE: &str = "start";
/// Value of the message argument `position` if the message is part of another sentence.
const PART_OF_SENTENCE: &str = "inside";

impl RequiredState {
    /// Formats the state as a sentence, or as the end of a sentence.
    fn sentence(&self, position: &str) -> String {
        match self {
            RequiredState::Object { object, is } => is.sentence(position, object),
            RequiredState::Count(count) => count.sentence(position, &count.objects_phrase()),
            RequiredState::Serving(count) => {
                let objects = t!(condition::serving, objects = count.objects_phrase());
                count.sentence(position, &objects)
            }
            RequiredState::Same(objects) => {
                let objects = objects.noun_phrase(false);
                t!(condition::same_objects, position = position, objects = objects)
            }
            RequiredState::Never(state) => t!(condition::never, what = state.sentence(PART_OF_SENTENCE)),
            RequiredState::Requests {
                service,
                outcome,
                number,
            } => requests_sentence(position, service, outcome.as_deref(), number),
            RequiredState::Kept { statement } => {
                let statement = localized(statement);
                let mut inside = statement.trim_end_matches(['.', '。']).to_owned();
                if is_english()
                    && let Some(first) = inside.get_mut(..1)
                {
                    first.make_ascii_lowercase();
                }
                t!(condition::kept, statement = inside)
            }
        }
    }
}

impl fmt::Display for RequiredObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let object = format!("{} {}", self.kind, self.name);
        match &self.namespace {
            Some(namespace) => f.write_str(&t!(condition::object_in, object = object, namespace = namespace)),
            None => f.write_str(&object),
        }
    }
}

impl ObjectState {
    #[expect(clippy::too_many_lines, reason = "a table: one sentence a state")]
    fn sentence(&self, position: &str, object: &RequiredObject) -> String {
        match self {
            Self::Exists(true) => t!(condition::exists, object = object),
            Self::Exists(false) => t!(condition::is_gone, object = object),
            Self::HasNode(true) => t!(condition::has_node, object = object),
            Self::HasNode(false) => t!(condition::has_no_node, object = object),
            Self::PlacedOn { node, is: true } => t!(condition::placed_on, object = object, node = node),
            Self::PlacedOn { node, is: false } => t!(condition::placed_elsewhere, object = object, node = node),
            Self::Phase { phase, is: true } => t!(condition::phase, object = object, phase = phase),
            Self::Phase { phase, is: false } => t!(condition::not_phase, object = object, phase = phase),
            Self::Deleting(true) => t!(condition::deleting, object = object),
            Self::Deleting(false) => t!(condition::not_deleting, position = position, object = object),
            Self::Cordoned(true) => t!(condition::cordoned, object = object),
            Self::Cordoned(false) => t!(condition::not_cordoned, object = object),
            Self::Nominated { node: Some(node) } => t!(condition::nominated_to, object = object, node = node),
            Self::Nominated { node: None } => t!(condition::nominated, object = object),
            Self::Priority(priority) => t!(condition::priority, object = object, priority = priority),
            Self::Generation(number) => t!(
                condition::generation,
                position = position,
                object = object,
                generation = number
            ),
            Self::Revision(number) => t!(condition::revision, object = object, revision = number),
            Self::Ready(true) => t!(condition::ready, object = object),
            Self::Ready(false) => t!(condition::not_ready, object = object),
            Self::ContainersReady => t!(condition::containers_ready, position = position, object = object),
            Self::Unschedulable => t!(condition::unschedulable, position = position, object = object),
            Self::Condition { name, status, is: true } => t!(
                condition::condition_is,
                position = position,
                name = name,
                object = object,
                status = status
            ),
            Self::Condition {
                name,
                status,
                is: false,
            } => t!(
                condition::condition_is_not,
                position = position,
                name = name,
                object = object,
                status = status
            ),
            Self::ConditionReason { name, reason } => t!(
                condition::condition_reason,
                position = position,
                name = name,
                object = object,
                reason = reason
            ),
            Self::Taint { effect, is: true } => t!(condition::has_taint, object = object, effect = effect),
            Self::Taint { effect, is: false } => t!(condition::has_no_taint, object = object, effect = effect),
            Self::Pods { wants, number, which } => pod_count_sentence(object, *wants, number, *which),
            Self::Label {
                name,
                value: Some(value),
            } => t!(condition::has_label_value, object = object, name = name, value = value),
            Self::Label { name, value: None } => t!(condition::has_label, object = object, name = name),
            Self::NoLabel(name) => t!(condition::has_no_label, object = object, name = name),
            Self::Restarted(1) => t!(condition::restarted, position = position, object = object),
            Self::Restarted(times) => t!(
                condition::restarted_times,
                position = position,
                object = object,
                times = *times
            ),
            Self::ContainerWaits(reason) => t!(
                condition::container_waits,
                position = position,
                object = object,
                reason = reason
            ),
            Self::ContainerEnded(reason) => t!(
                condition::container_ended,
                position = position,
                object = object,
                reason = reason
            ),
            Self::Reason(reason) => t!(condition::has_reason, object = object, reason = reason),
            Self::Image(image) => t!(condition::has_image, object = object, image = image),
            Self::Grace(seconds) => t!(condition::has_grace, object = object, seconds = seconds),
            Self::HasField { path, is: true } => t!(condition::has_field, object = object, path = path),
            Self::HasField { path, is: false } => t!(condition::has_no_field, object = object, path = path),
            Self::Field {
                path,
                value: value @ RequiredValue::IsNot(_),
            } => t!(condition::field_is_not, path = path, object = object, number = value),
            Self::Field { path, value } => t!(condition::field_is, path = path, object = object, number = value),
        }
    }
}

fn requests_sentence(position: &str, service: &str, outcome: Option<&str>, number: &RequiredValue) -> String {
    let which = match outcome {
        None => String::new(),
        Some("failed") => format!(" {}", t!(condition::that_failed)),
        Some(outcome) => format!(" {}", t!(condition::with_outcome, outcome = outcome)),
    };
    let count = number.plural_count();
    match number {
        RequiredValue::Is(value) if value == "0" => t!(
            condition::no_request,
            position = position,
            service = service,
            which = which
        ),
        RequiredValue::Is(value) if value == "1" => t!(
            condition::one_request,
            position = position,
            service = service,
            which = which
        ),
        RequiredValue::IsNot(value) => t!(
            condition::not_requests,
            position = position,
            number = value,
            count = count,
            service = service,
            which = which
        ),
        number => t!(
            condition::requests,
            position = position,
            number = number,
            count = count,
            service = service,
            which = which
        ),
    }
}

/// Formats a sentence about the current or desired number of pods of a workload.
fn pod_count_sentence(object: &RequiredObject, is_desired: bool, number: &RequiredValue, which: CountedPods) -> String {
    let count = number.plural_count();
    macro_rules! count_message {
        ($id:ident) => {
            t!(condition::$id, object = object, number = number, count = count)
        };
    }
    match (is_desired, which) {
        (true, CountedPods::Healthy) => count_message!(wants_healthy_pods),
        (true, _) => count_message!(wants_pods),
        (false, CountedPods::All) => count_message!(has_pods),
        (false, CountedPods::Ready) => count_message!(has_ready_pods),
        (false, CountedPods::Available) => count_message!(has_available_pods),
        (false, CountedPods::Latest) => count_message!(has_latest_pods),
        (false, CountedPods::Failed) => count_message!(has_failed_pods),
        (false, CountedPods::Succeeded) => count_message!(has_succeeded_pods),
        (false, CountedPods::Healthy) => count_message!(has_healthy_pods),
    }
}

impl RequiredValue {
    /// Returns the number by which a noun after the value becomes singular or plural: 1 for `at least 1 pod`. Returns 0
    /// if the value is not a number.
    fn plural_count(&self) -> u64 {
        match self {
            Self::Is(value) | Self::IsNot(value) => value.parse().unwrap_or_default(),
            Self::Within { least, most } => {
                let number = most.or(*least).unwrap_or_default();
                u64::try_from(number).unwrap_or_default()
            }
        }
    }
}

impl fmt::Display for RequiredValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Is(value) | Self::IsNot(value) => f.write_str(value),
            Self::Within { least, most } => f.write_str(&match (least, most) {
                (Some(least), Some(most)) => t!(condition::between, least = least, most = most),
                (Some(least), None) => t!(condition::at_least, least = least),
                (None, most) => t!(condition::at_most, most = most.unwrap_or_default()),
            }),
        }
    }
}

impl RequiredCount {
    /// Formats the objects as a noun phrase, in the singular if their number is 1.
    fn objects_phrase(&self) -> String {
        self.objects.noun_phrase(self.number.plural_count() == 1)
    }

    fn sentence(&self, position: &str, objects: &str) -> String {
        let count = self.number.plural_count();
        match &self.number {
            RequiredValue::Is(number) if number == "0" => {
                t!(condition::no_objects, position = position, objects = objects)
            }
            RequiredValue::IsNot(number) => t!(
                condition::not_objects,
                position = position,
                count = count,
                number = number,
                objects = objects
            ),
            number => t!(
                condition::objects,
                position = position,
                count = count,
                number = number,
                objects = objects
            ),
        }
    }
}

impl RequiredObjects {
    /// Formats the objects as a noun phrase: `Running pods labelled app=web on a-1 in shop`.
    fn noun_phrase(&self, is_one: bool) -> String {
        let noun = |(kind, plural): &(String, String)| match (plural.as_str(), is_one) {
            ("pods", true) => "pod".to_owned(),
            ("nodes", true) => "node".to_owned(),
            (_, true) => kind.clone(),
            (plural, false) => plural.to_owned(),
        };
        let nouns: Vec<String> = self.kinds.iter().map(noun).collect();
        let or = t!(condition::or);
        let mut objects = nouns.join(&or);
        if !self.names.is_empty() {
            objects = t!(condition::named, objects = objects, names = self.names.join(&or));
        }
        if let Some(labels) = &self.labels {
            objects = t!(condition::labelled, objects = objects, labels = labels);
        }
        for field in &self.fields {
            objects = match field {
                CountedField::Phase(phase) => t!(condition::in_phase, phase = phase, objects = objects),
                CountedField::Node(node) => t!(condition::on_node, objects = objects, node = node),
                CountedField::Other(field) => t!(condition::with_field, objects = objects, field = field),
            };
        }
        match &self.place {
            CountedNamespaces::Default => objects,
            CountedNamespaces::Namespace(namespace) => {
                t!(condition::in_namespace, objects = objects, namespace = namespace)
            }
            CountedNamespaces::Everywhere => t!(condition::in_all_namespaces, objects = objects),
        }
    }
}
