//! What page and engine say to each other about a lesson.

use podscope_api::ordered;

use serde::{Deserialize, Serialize};

use crate::{Micros, NodeTrouble, PodMark, WaitsFor, Wanted};

/// One step of a story: what is known of it when a session opens.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StoryStep {
    /// Markdown: paragraphs, emphasis, code, lists. Never markup or script.
    pub text: String,
    /// `node/a-1`, `pod/NS/NAME`, `lane/decisions`, …
    pub highlight: Vec<String>,
    /// The command the step's button runs.
    pub try_command: Option<String>,
    /// What is asked.
    pub question: Option<Question>,
    /// What the editor begins with; `___` marks a gap.
    pub manifest: Option<String>,
    /// Hints, the first the least telling.
    pub hints: Vec<String>,
    pub goals: Vec<Wanted>,
    /// What must hold from the step's showing to the end.
    pub keeps: Vec<Wanted>,
    /// What its author says to mistakes.
    pub mistakes: Vec<String>,
}

/// A question about what will happen.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Question {
    /// The question.
    pub ask: String,
    /// Answers to choose from; without any a node or pod is clicked, or a pin is set.
    pub options: Vec<String>,
    /// What kind of thing the answer is.
    pub kind: QuestionKind,
    /// What is said to an answer; `else` to every other wrong one.
    pub why: ordered::Map<String, String>,
    /// The pod whose decision is the answer, `NAMESPACE/NAME`: it is hidden until then.
    pub pod: Option<String>,
}

/// What kind of thing an answer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum QuestionKind {
    /// A node or a pod: a click on it answers too.
    Place,
    /// One of the options.
    #[default]
    Choice,
    /// A duration since the step's showing: a pin on the timeline answers too.
    Time,
}

/// Where a story stands.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StoryState {
    /// The step that is read; meaningless as long as none has shown.
    pub step: usize,
    /// The steps that have shown.
    pub steps: Vec<StepState>,
    /// What the next step waits for; none if it can be read or there is none.
    pub waits_for: Option<WaitsFor>,
    /// The step whose question waits for its answer, and time with it.
    pub question: Option<usize>,
    /// What was promised and broken: nothing is reached any more.
    pub halted: Option<Halted>,
    /// Every goal is reached.
    pub finished: bool,
    /// Of a finished story: the run before and after its key moment, as small pictures.
    pub moments: Vec<Moment>,
}

/// A run at an instant, as a small picture: nodes by zone, and what is on them.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Moment {
    pub at: Micros,
    /// Zones with their nodes; the name is empty for nodes without one.
    pub groups: Vec<(String, Vec<MomentNode>)>,
    /// Pods without a node.
    pub pending: Vec<MomentPod>,
}

/// A node in a small picture.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MomentNode {
    pub name: String,
    /// What is not as usual.
    pub trouble: Option<NodeTrouble>,
    /// Its pods, and processes that the API has forgotten.
    pub pods: Vec<MomentPod>,
}

/// A pod in a small picture.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MomentPod {
    /// Short name for the mark.
    pub short: String,
    /// `NAMESPACE/NAME`.
    pub key: String,
    /// Its owner's colour; none of a bare pod.
    pub hue: Option<u8>,
    pub mark: PodMark,
}

/// A promise that was broken.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Halted {
    pub at: Micros,
    pub promise: Wanted,
    /// When the step showed that asked for it: from there it can be tried again.
    pub from: Micros,
}

/// A step that has shown.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StepState {
    /// When it showed.
    pub at: Micros,
    pub goals: Vec<GoalState>,
    /// Whether each of its keeps is broken.
    pub broken: Vec<bool>,
    /// Its mistakes that were made, by index.
    pub mistakes: Vec<usize>,
    /// The reader's answer to its question; an empty one: skipped.
    pub answer: Option<String>,
    /// The run's answer, once there is the reader's.
    pub truth: Option<TruthView>,
}

/// The run's answer to a question.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TruthView {
    /// The value; of a time with options, the option it is; else as it is said.
    pub value: String,
    /// The exact value, where it differs.
    pub exact: Option<String>,
    /// When it came to be.
    pub at: Micros,
    /// Whether the reader's answer is right.
    pub is_right: bool,
}

/// Where a goal stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum GoalState {
    /// Not yet.
    #[default]
    Open,
    /// Reached, for good.
    Reached,
    /// It cannot be reached any more.
    Missed,
}
