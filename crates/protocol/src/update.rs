//! Updates from the engine to the page.

use std::fmt;

use podscope_api::{Danger, ProblemKind};
use podscope_messages::{Sentence, sentence, t};
use serde::{Deserialize, Serialize};

use crate::explained::{Explanation, SchedulingVerdict};
use crate::triage::Finding;
use crate::{
    ConsoleText, CourseUpdate, Frame, InspectorContent, LessonCondition, Micros, Remark, Remedy, SearchUpdate,
    StoryStep, TextKind, WhatIfAnswer,
};

/// A message of the engine to the page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Update {
    /// The engine has started.
    Hello {
        /// Version of the engine.
        version: String,
        /// Built-in lessons, in order.
        lessons: Vec<LessonInfo>,
        /// Invariants that are checked, by group.
        guarantees: Vec<Guarantee>,
    },
    /// Progress of a long task.
    Progress {
        task: Task,
        /// Progress in thousandths, 0 to 1000.
        per_mille: u32,
    },
    /// A session was opened.
    Opened(Box<OpenedSession>),
    /// Input was rejected. The running session is unchanged.
    Refused {
        /// All problems of the input.
        problems: Vec<Problem>,
    },
    /// The clock, and changes of the picture (drawn state of the session) since the last frame.
    Frame(Box<Frame>),
    /// Detail of the inspected subject.
    Detail(Box<InspectorContent>),
    /// The explanation of a scheduling decision.
    Explanation {
        /// `NAMESPACE/NAME`.
        pod: String,
        /// UID in the request that is answered.
        uid: String,
        /// The scheduling attempts of the pod, oldest first; empty if there are none.
        attempts: Vec<AttemptInfo>,
        /// Number of the explained attempt.
        attempt: u64,
        /// The explanation; `None` if there is no attempt.
        explanation: Option<Box<Explanation>>,
        /// For each node, lines about its devices: unusable pools, then each device request with the devices that it
        /// gets and the reasons against other devices. Contains only nodes that the DynamicResources filter evaluated.
        devices: Vec<(String, Vec<Sentence>)>,
    },
    /// The remedies for a pending pod that were found so far.
    Help {
        /// `NAMESPACE/NAME`.
        pod: String,
        /// Remedies, smallest change first.
        remedies: Vec<Remedy>,
        /// For each node group, one line about the effect of one more node. Empty if the cluster has no node group.
        groups: Vec<Sentence>,
        /// Progress in thousandths, 0 to 1000.
        per_mille: u32,
        /// Whether the search is finished.
        done: bool,
    },
    /// Output of commands, and echoed command lines.
    Console { lines: Vec<ConsoleLine> },
    /// Completions of a command line.
    Completions {
        /// The line that was completed.
        line: String,
        /// Byte range of the line that the chosen completion replaces.
        replace: (usize, usize),
        choices: Vec<Completion>,
    },
    /// Completions at the requested position of the editor.
    Fields {
        /// Field names with hints.
        choices: Vec<Completion>,
        /// The `revision` of the request.
        revision: u64,
    },
    Link {
        /// The fragment of the link, from `s1:` on, with the commands up to the current time.
        fragment: String,
        /// The link that the browser stores for the session, if it differs from `fragment`: it also contains the
        /// commands after the shown instant and the other branches.
        whole: Option<String>,
        /// The `revision` of the request.
        revision: u64,
        /// Warning about the length of the link; `None` if it is short enough.
        length: Option<LinkLength>,
        /// Whether names of objects were replaced.
        #[serde(default)]
        anonymised: bool,
    },
    File {
        /// Suggested name of the downloaded file.
        name: String,
        media_type: String,
        text: String,
    },
    /// The result of checking a text in the editor.
    Checked {
        /// The `revision` of the request.
        revision: u64,
        /// Kind of the text.
        kind: TextKind,
        problems: Vec<Problem>,
        /// Warnings (P-08), and problems of a lesson.
        advice: Vec<Problem>,
    },
    /// The engine crashed because of a bug. The page reloads and opens the saved session.
    Crashed {
        /// Panic message.
        message: String,
    },
    /// A film as animated SVG, or the reason why there is none.
    Film(Result<String, FilmRefusal>),
    /// The goals of the lesson being recorded.
    Recorded {
        /// Goals in the order in which they were added.
        goals: Vec<LessonCondition>,
    },
    /// Kind of a text that was pasted into the console.
    Recognised {
        text: String,
        /// Kind of the text.
        kind: TextKind,
    },
    /// Result of pasting a text on the page.
    Pasted {
        /// True if the text is opened like a file; false if it is neither a scenario nor manifests.
        opens: bool,
    },
    /// The engine has processed the first `requests` requests since its start, and has sent all updates that they
    /// caused. [`Request::FrameDone`](crate::Request::FrameDone) is not counted.
    Settled {
        /// Number of requests that the engine has processed.
        requests: u64,
    },
    /// Problems of the cluster, worst first. Sent when a dump is opened, and on request (P-09).
    Triage {
        findings: Vec<Finding>,
        /// Time of the triage.
        at: Micros,
        /// Whether names of objects were replaced.
        anonymised: bool,
        /// Whether the problems are those of a large dump that is still being opened: its [`Update::Opened`] or
        /// [`Update::Refused`] follows.
        is_early: bool,
    },
    /// The predicted effects of a what-if question's change.
    WhatIf(Box<WhatIfAnswer>),
    /// Progress of a search for a run that breaks a guarantee.
    Search(SearchUpdate),
    /// An answer about practice or a course.
    Course(Box<CourseUpdate>),
    /// Command lines were not run, because one of them is dangerous and not confirmed.
    Dangerous {
        /// The command lines of the request.
        lines: Vec<String>,
        /// Why the first dangerous line is dangerous.
        danger: Danger,
    },
}

/// A long task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Task {
    /// Opening files.
    Open,
    /// Seeking to an instant.
    Seek,
    /// Creating a film.
    Film,
    /// Answering a what-if question.
    WhatIf,
}

impl Task {
    /// Names the task in the current language, for the progress bar.
    #[must_use]
    pub fn label(self) -> String {
        match self {
            Self::Open => t!(update::task_open),
            Self::Seek => t!(update::task_seek),
            Self::Film => t!(update::task_film),
            Self::WhatIf => t!(update::task_what_if),
        }
    }
}

/// A built-in lesson.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LessonInfo {
    /// Name of the lesson, as in links.
    pub name: String,
    pub title: String,
    /// Heading of the lesson's group, e.g. `Pod safety`.
    pub group: String,
    /// Summary in one sentence.
    pub summary: String,
    /// Duration in minutes; 0 if unknown.
    pub minutes: u32,
    /// Names of prerequisite lessons.
    pub needs: Vec<String>,
    /// Title of the related page of the Kubernetes documentation.
    pub topic: String,
    /// URL of that page.
    pub page: String,
    /// The rule that the reader should remember, in one sentence.
    pub rule: String,
    /// A command to try in the reader's own cluster.
    pub own: String,
    /// Suggestion of a variation to try in Podscope.
    pub variation: String,
    /// Names of the lessons whose questions are repeated some days after this lesson.
    pub recap: Vec<String>,
    /// Whether the lesson asks for predictions.
    pub asks: bool,
}

/// An invariant that is checked at all times, with its description for readers (E-04).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Guarantee {
    /// Name in kebab case, as in traces.
    pub name: String,
    /// Heading of the invariant's group.
    pub group: String,
    /// True for a safety property, which holds at all times; false for a liveness property, which holds eventually.
    pub is_safety: bool,
    /// The guarantee as a sentence.
    pub statement: String,
    /// The component that upholds the invariant.
    pub keeper: String,
    /// Actions that can break the invariant.
    pub breaker: String,
    /// Name of the lesson about the invariant.
    pub lesson: String,
}

/// A problem of an input, or advice about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Problem {
    /// File name.
    pub file: String,
    /// Number of the document in the file, from 1; 0 if unknown (P-04).
    pub document: u32,
    /// Line, from 1; 0 if unknown.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
    /// Field path; may be empty.
    pub path: String,
    /// Message of the API server, or a sentence of Podscope.
    pub message: Sentence,
    /// Class of the problem. The page chooses its help for the problem by this class, not by the message.
    pub kind: ProblemKind,
}

impl Problem {
    /// Creates a problem of a whole file; `file` may be empty.
    #[must_use]
    pub fn of_file(file: impl Into<String>, message: impl Into<Sentence>) -> Self {
        Self {
            file: file.into(),
            document: 0,
            line: 0,
            column: 0,
            path: String::new(),
            message: message.into(),
            kind: ProblemKind::Other,
        }
    }
}

impl Problem {
    /// Returns `FILE:LINE:COL`; omits what is unknown.
    #[must_use]
    pub fn position(&self) -> String {
        match (self.file.as_str(), self.line) {
            (file, 0) => file.to_owned(),
            ("", line) => format!("{line}:{}", self.column),
            (file, line) => format!("{file}:{line}:{}", self.column),
        }
    }

    /// Returns `FILE:LINE:COL: field.path`; omits what is unknown.
    #[must_use]
    pub fn position_and_path(&self) -> String {
        match self.path.as_str() {
            "" => self.position(),
            path => format!("{}: {path}", self.position()),
        }
    }

    /// Returns whether the message begins with the field path, or there is no path.
    #[must_use]
    pub fn message_begins_with_path(&self) -> bool {
        self.message.english().starts_with(&self.path)
    }
}

impl std::fmt::Display for Problem {
    /// Formats `FILE:LINE:COL: field.path: message` in English, like all errors on a terminal.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.position_and_path(), self.message.english())
    }
}

/// Properties of a session that are sent once, when it opens.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OpenedSession {
    pub title: String,
    /// Name of the lesson, if the session is a lesson.
    pub lesson: Option<String>,
    pub seed: u64,
    /// The story, if the scenario has one.
    pub story: Vec<StoryStep>,
    /// Remarks about translated, ignored or unsimulated input: `3 × Ingress (not simulated)`.
    pub notices: Vec<Remark>,
    /// Limitations of answers because of missing objects. Also contained in `notices`.
    pub basis: Vec<AnswerLimitation>,
    /// Warnings about the manifests (P-08).
    pub advice: Vec<Problem>,
    /// Whether the session is a dump of a live cluster. It then starts paused, and its triage follows (P-09).
    pub is_dump: bool,
    /// Whether the session was running before this page joined it (`podscope serve --site`). Its clock is then not
    /// changed.
    pub is_joined: bool,
    /// State of the page that the opened link contains; `None` if no link was opened.
    pub screen: Option<String>,
    /// Text of the scenario, for the editor.
    pub text: String,
}

/// A limitation of answers about a dump, because objects are missing (P-09).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum AnswerLimitation {
    /// The dump has no PodDisruptionBudget.
    NoBudgets,
    NoNodes,
    /// The dump has pods of one namespace only.
    OneNamespace {
        /// Name of the namespace.
        namespace: String,
    },
    /// The dump contains only the names of nodes, not their resources.
    OnlyNames,
    /// A List is truncated.
    Cut {
        file: String,
        /// Number of complete objects.
        objects: usize,
        /// Line at which the file was cut off.
        line: u32,
    },
}

impl AnswerLimitation {
    #[must_use]
    pub fn sentence(&self) -> Sentence {
        match self {
            Self::NoBudgets => sentence!(update::no_budgets),
            Self::NoNodes => sentence!(update::no_nodes),
            Self::OnlyNames => sentence!(update::only_names),
            Self::OneNamespace { namespace } => sentence!(update::one_namespace, namespace = namespace),
            Self::Cut { file, objects, line } => {
                sentence!(update::cut, file = file, line = *line, count = *objects)
            }
        }
    }
}

impl std::fmt::Display for AnswerLimitation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.sentence().fmt(f)
    }
}

/// A scheduling attempt.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AttemptInfo {
    /// Number of the attempt, unique in the session.
    pub id: u64,
    pub at: Micros,
    pub verdict: SchedulingVerdict,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ConsoleLine {
    pub at: Micros,
    /// Origin of the line.
    pub kind: LineKind,
    pub text: ConsoleText,
    /// For a typed line, the number of the command that it started; for output, the number of the command that printed
    /// it. `None` for output that is printed at once, without a command in the simulation. If several typed lines have
    /// the number, the last one is meant.
    pub command: Option<u32>,
    /// For a typed command: whether it applies manifests, so that its output is also shown in the editor.
    pub applies: bool,
}

/// Warning about a long link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum LinkLength {
    /// The link is longer than some programs accept.
    Long {
        /// Length in characters.
        characters: usize,
        /// Maximum length that those programs accept, in characters.
        limit: usize,
    },
    /// The link is too long for some browsers.
    TooLong {
        /// Length in characters.
        characters: usize,
    },
}

impl fmt::Display for LinkLength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&match self {
            Self::Long { characters, limit } => t!(update::link_long, characters = *characters, limit = limit),
            Self::TooLong { characters } => t!(update::link_too_long, characters = *characters),
        })
    }
}

/// The reason why no film was created.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum FilmRefusal {
    /// No time was simulated between the start and the end of the film.
    EmptySpan,
    /// The film is not created, because it would be too large.
    TooLarge {
        /// Maximum size in MiB.
        mib: usize,
    },
}

impl fmt::Display for FilmRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&match self {
            Self::EmptySpan => t!(update::film_empty_span),
            Self::TooLarge { mib } => t!(update::film_too_large, mib = mib),
        })
    }
}

/// Origin of a console line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum LineKind {
    /// The user typed the line.
    Input,
    /// Standard output of a command.
    #[default]
    Output,
    /// Standard error of a command that failed.
    Error,
    /// Standard error of a command that continues.
    Warning,
    /// The line is a notice of Podscope itself.
    Notice,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Completion {
    /// The text to insert.
    pub text: String,
    /// Short description of the choice.
    pub hint: String,
}
