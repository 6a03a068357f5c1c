//! Messages about the stories of lessons: steps, questions, goals, progress.

use podscope_api::ordered;

use serde::{Deserialize, Serialize};

use crate::{LessonCondition, Micros, NodeTrouble, PodMark, WaitsFor};

/// Returns whether a hint is a command rather than a sentence. For a command, the page shows a button.
pub fn is_command_hint(hint: &str) -> bool {
    ["kubectl ", "fault ", "app "].iter().any(|verb| hint.starts_with(verb))
}

/// One step of a story: its static content, sent when a session opens.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StoryStep {
    /// Text in Markdown: paragraphs, emphasis, code, lists. Never HTML or scripts.
    pub text: String,
    /// Elements to highlight: `node/a-1`, `pod/NS/NAME`, `lane/decisions`, …
    pub highlight: Vec<String>,
    /// The command that the step's button runs.
    pub try_command: Option<String>,
    /// The step's question, if it has one.
    pub question: Option<Question>,
    /// Initial text of the editor; `___` marks a gap.
    pub manifest: Option<String>,
    /// Hints, from vague to specific.
    pub hints: Vec<String>,
    pub goals: Vec<LessonCondition>,
    /// The step's `keep` conditions: they must hold from the time when the step is shown to the end of the lesson.
    pub keeps: Vec<LessonCondition>,
    /// The author's replies to mistakes.
    pub mistakes: Vec<String>,
}

/// A question about what will happen.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Question {
    pub ask: String,
    /// Answers to choose from. If empty, the reader clicks a node or pod, or sets a pin on the timeline.
    pub options: Vec<String>,
    /// Whether the answer is a node or pod, an option, or a duration.
    pub kind: QuestionKind,
    /// Explanation for each answer; the key `else` is for all other wrong answers.
    pub why: ordered::Map<String, String>,
    /// `NAMESPACE/NAME` of the pod whose decision is the answer; the decision is hidden until the question is answered.
    pub pod: Option<String>,
}

/// The sort of answer that a question asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum QuestionKind {
    /// A node or pod; the reader can also click it to answer.
    Place,
    /// One of the question's options.
    #[default]
    Choice,
    /// A duration since the step was shown; the reader can also set a pin on the timeline.
    Time,
}

/// Progress of a story.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StoryState {
    /// Index of the displayed step; meaningless before the first step is shown.
    pub step: usize,
    /// The steps that have been shown.
    pub steps: Vec<StepState>,
    /// The condition for the next step; `None` if the step can already be shown or if there is no next step.
    pub waits_for: Option<WaitsFor>,
    /// Index of the step whose question is unanswered; time is paused meanwhile.
    pub question: Option<usize>,
    /// The unmet condition that halted the story. No further goal can be reached then.
    pub halted: Option<StoryHalt>,
    /// Whether all goals of the story are reached.
    pub finished: bool,
    /// For a finished story: two small pictures of the run, before and after its key moment.
    pub moments: Vec<MomentPicture>,
}

/// A small picture of a run at one time: nodes by zone, with their pods.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MomentPicture {
    pub at: Micros,
    /// Zones with their nodes; the name is empty for nodes without a zone.
    pub groups: Vec<(String, Vec<MomentNode>)>,
    /// Pods without a node.
    pub pending: Vec<MomentPod>,
}

/// A node in a small picture.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MomentNode {
    pub name: String,
    /// The most important problem of the node, if it has one.
    pub trouble: Option<NodeTrouble>,
    /// Pods on the node, including pods that no longer exist but whose processes still run.
    pub pods: Vec<MomentPod>,
}

/// A pod in a small picture.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MomentPod {
    /// Short name that the picture prints on the pod.
    pub short: String,
    /// `NAMESPACE/NAME`.
    pub key: String,
    /// Colour index of the owner; `None` for a bare pod.
    pub hue: Option<u8>,
    pub mark: PodMark,
}

/// Why the story halted: a `keep` condition is violated, or a goal was missed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StoryHalt {
    pub at: Micros,
    pub promise: LessonCondition,
    /// Time at which the step with the condition was shown; the button for another attempt seeks to it.
    pub from: Micros,
}

/// State of a step that has been shown.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StepState {
    /// Time at which the step was shown.
    pub at: Micros,
    pub goals: Vec<GoalState>,
    /// For each `keep` condition, whether it was violated.
    pub broken: Vec<bool>,
    /// Index of the mistake whose reply is shown: the one that was made last. Empty if there is none, or if the story
    /// has continued.
    pub mistakes: Vec<usize>,
    /// Indices of all mistakes that were made, including those whose reply is no longer shown.
    pub made: Vec<usize>,
    /// The user's answer to the step's question; empty if the user skipped it.
    pub answer: Option<String>,
    /// The true answer to the step's question; `None` until the user has answered.
    pub truth: Option<TrueAnswer>,
}

/// The true answer to a question.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TrueAnswer {
    /// The true answer. If the question asks for a time and offers options, this is the option that matches that time.
    pub value: String,
    /// The exact answer, if it differs from `value`.
    pub exact: Option<String>,
    /// Time at which the true answer became known.
    pub at: Micros,
    /// Whether the answer of the reader is correct.
    pub is_right: bool,
}

/// Whether a goal of a lesson is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum GoalState {
    /// The goal is not reached yet.
    #[default]
    Open,
    /// The goal is reached, and stays reached.
    Reached,
    /// The goal can no longer be reached.
    Missed,
}
