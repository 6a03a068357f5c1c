//! What the engine answers.

use std::fmt;

use podscope_api::ProblemKind;
use serde::{Deserialize, Serialize};

use crate::triage::Finding;
use crate::{Detail, Explanation, Frame, Micros, Outcome, Remark, Remedy, Said, StoryStep, TextKind, Wanted};

/// What the engine tells the page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Update {
    /// The engine is there.
    Hello {
        /// Version of the engine.
        version: String,
        /// Built-in lessons, in order.
        lessons: Vec<LessonInfo>,
        /// What is promised of a pod's life, group by group.
        guarantees: Vec<Guarantee>,
    },
    /// Progress of a long job, in thousandths.
    Progress {
        /// What is being done.
        task: Task,
        /// 0 to 1000.
        per_mille: u32,
    },
    /// A session opened.
    Opened(Box<Opened>),
    /// Input was refused; the running session is untouched.
    Refused {
        /// Every problem.
        problems: Vec<Problem>,
    },
    /// State of time and what changed in the picture since the last frame.
    Frame(Box<Frame>),
    /// Detail of the inspected subject.
    Detail(Box<Detail>),
    /// Explanation of a decision.
    Explanation {
        /// `NAMESPACE/NAME`.
        pod: String,
        /// The UID that was asked for.
        uid: String,
        /// The attempts of this pod, oldest first; none if the scheduler never looked at it.
        attempts: Vec<AttemptInfo>,
        /// Which of them this is.
        attempt: u64,
        /// None without an attempt.
        explanation: Option<Box<Explanation>>,
    },
    /// Remedies found so far.
    Help {
        /// `NAMESPACE/NAME`.
        pod: String,
        /// Smallest first.
        remedies: Vec<Remedy>,
        /// 0 to 1000.
        per_mille: u32,
        /// Whether the search is over.
        done: bool,
    },
    /// Lines that commands printed, and commands echoed.
    Console { lines: Vec<ConsoleLine> },
    /// Completions of a command line.
    Completions {
        /// The line that was completed.
        line: String,
        /// Byte range that a choice replaces.
        replace: (usize, usize),
        choices: Vec<Completion>,
    },
    /// Fields that fit where the editor asked.
    Fields {
        /// Names, and what each is.
        choices: Vec<Completion>,
    },
    Link {
        /// The fragment, from `s1:` on: what led to the cursor.
        fragment: String,
        /// The same with the commands after the cursor, where there are some: what a session is kept by.
        whole: Option<String>,
        /// The request's number.
        revision: u64,
        /// What is to be said of its length; nothing where every program takes it.
        length: Option<LinkLength>,
        /// Names are left out of it.
        #[serde(default)]
        anonymised: bool,
    },
    File {
        /// Suggested name.
        name: String,
        media_type: String,
        text: String,
    },
    /// Result of a check.
    Checked {
        /// The revision of the request.
        revision: u64,
        /// What the text is.
        kind: TextKind,
        problems: Vec<Problem>,
        /// Advice (P-08).
        advice: Vec<Problem>,
    },
    /// The engine met a bug; the page reloads into the saved session.
    Crashed {
        /// What happened.
        message: String,
    },
    /// A film as animated SVG, or why there is none.
    Film(Result<String, NoFilm>),
    /// The goals of the lesson being recorded.
    Recorded {
        /// In the order of their picking.
        goals: Vec<Wanted>,
    },
    /// What a text is that was pasted into the console.
    Recognised {
        text: String,
        /// What it is.
        kind: TextKind,
    },
    /// What becomes of a text that was pasted on the page.
    Pasted {
        /// It opens, or is refused as a file is; otherwise it is neither a scenario nor manifests.
        opens: bool,
    },
    /// The first `requests` requests since the engine started are done, and every update that they led to was sent
    /// before this one. [`Request::FrameDone`](crate::Request::FrameDone) does not count.
    Settled {
        /// How many requests the engine has taken.
        requests: u64,
    },
    /// What is wrong in the cluster, worst first: of a dump when it has opened, later when it is asked for (P-09).
    Triage {
        findings: Vec<Finding>,
        /// When it was looked at.
        at: Micros,
        /// Names are left out of it.
        anonymised: bool,
    },
}

/// A job that takes long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Task {
    /// Files are opened.
    Open,
    /// An instant is sought.
    Seek,
    /// A film is made.
    Film,
}

impl Task {
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Seek => "seek",
            Self::Film => "film",
        }
    }
}

/// A built-in lesson.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LessonInfo {
    /// Name, as in links.
    pub name: String,
    pub title: String,
    /// Group, e.g. `Pod safety`.
    pub group: String,
    /// One sentence.
    pub summary: String,
    /// How long it takes, in minutes; 0: nobody said.
    pub minutes: u32,
    /// Lessons that come before it.
    pub needs: Vec<String>,
    /// The page of the Kubernetes documentation it belongs to: its name.
    pub topic: String,
    /// The same page's address.
    pub page: String,
    /// What is to be remembered, in one sentence.
    pub rule: String,
    /// What to try in a cluster of one's own.
    pub own: String,
    /// Another thing to try here.
    pub variation: String,
    /// Lessons whose questions fit to be asked again after it.
    pub recap: Vec<String>,
    /// Whether it asks for predictions.
    pub asks: bool,
}

/// A promise of Kubernetes that is checked at every instant: an invariant, as people read it (E-04).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Guarantee {
    /// Kebab-case name, as in traces.
    pub name: String,
    /// What it is about, as a heading.
    pub group: String,
    /// Whether it holds at every instant; otherwise it comes true in the end.
    pub is_safety: bool,
    /// What is promised.
    pub statement: String,
    /// Who keeps it.
    pub keeper: String,
    /// What breaks it.
    pub breaker: String,
    /// The lesson that shows it.
    pub lesson: String,
}

/// A problem of some input, or advice about it.
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
    /// The server's words.
    pub message: String,
    /// What it is about, where that is known: what more there is to say of it hangs on this, not on the words.
    pub kind: ProblemKind,
}

impl Problem {
    /// One of a whole file, or of none if that is empty.
    #[must_use]
    pub fn of(file: impl Into<String>, message: impl Into<String>) -> Self {
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

impl std::fmt::Display for Problem {
    /// `FILE:LINE:COL: field.path: message`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.line == 0 {
            write!(f, "{}: ", self.file)?;
        } else {
            write!(f, "{}:{}:{}: ", self.file, self.line, self.column)?;
        }
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.message)
    }
}

/// What a page needs to know of a session once.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Opened {
    pub title: String,
    /// Lesson name, if it is one.
    pub lesson: Option<String>,
    pub seed: u64,
    /// The story, if the scenario has one.
    pub story: Vec<StoryStep>,
    /// What was translated, ignored or kept: `3 × Ingress (not simulated)`.
    pub notices: Vec<Remark>,
    /// What answers rest on because of what the files do not have; each is among the notices too.
    pub basis: Vec<Basis>,
    /// Warnings on the manifests (P-08).
    pub advice: Vec<Problem>,
    /// It shows a live cluster as it was: it begins standing still, and its triage follows (P-09).
    pub is_dump: bool,
    /// From a link: the page's own state.
    pub screen: Option<String>,
    /// The scenario's text, for the editor.
    pub text: String,
}

/// What answers about a dump rest on, because of what it does not hold (P-09).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Basis {
    /// No PodDisruptionBudget.
    NoBudgets,
    NoNodes,
    /// Pods of one namespace only.
    OneNamespace {
        /// Its name.
        namespace: String,
    },
    /// Nodes of which only the names are known.
    OnlyNames,
    /// The beginning of a List.
    Cut {
        file: String,
        /// Objects that are whole.
        objects: usize,
        /// The line in which it ends.
        line: u32,
    },
}

impl std::fmt::Display for Basis {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoBudgets => {
                f.write_str("No file has a PodDisruptionBudget: preemption and `kubectl drain` ignore them")
            }
            Self::NoNodes => f.write_str("No file has a Node: pending pods meet a made-up cluster of six nodes"),
            Self::OnlyNames => f.write_str("No file has a Node, so nobody can say why a pod is pending"),
            Self::OneNamespace { namespace } => write!(
                f,
                "All pods in the files are of namespace {namespace}: what else runs on the nodes is not counted"
            ),
            Self::Cut { file, objects, line } => write!(
                f,
                "{file} ends in the middle of line {line}: {} read, and what came after is missing",
                match objects {
                    1 => "one object was".to_owned(),
                    n => format!("{n} objects were"),
                }
            ),
        }
    }
}

/// A record of an attempt.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AttemptInfo {
    /// Number, unique in the session.
    pub id: u64,
    pub at: Micros,
    /// How it ended.
    pub outcome: Outcome,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ConsoleLine {
    pub at: Micros,
    /// Who says it.
    pub kind: LineKind,
    pub text: Said,
    /// The command that was given by it, or that prints it while time runs; none for what was answered at once. A
    /// number means the last command that was given with it.
    pub command: Option<u32>,
    /// Of the person's: manifests are applied by it, and what answers it is told in the editor too.
    pub applies: bool,
}

/// That a link is long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum LinkLength {
    /// Longer than some programs pass on.
    Long {
        /// How long it is, in characters.
        characters: usize,
        /// How much those pass on.
        limit: usize,
    },
    /// Longer than every browser opens.
    TooLong {
        /// How long it is, in characters.
        characters: usize,
    },
}

impl fmt::Display for LinkLength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Long { characters, limit } => write!(
                f,
                "This link has {characters} characters; some programs cut links off after {limit}. A scenario file is safer."
            ),
            Self::TooLong { characters } => write!(
                f,
                "This link has {characters} characters; not every browser opens one of that length. Save a scenario file."
            ),
        }
    }
}

/// Why there is no film.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum NoFilm {
    /// Nothing has been played between its two instants.
    NothingPlayed,
    /// It would be larger than so many MiB.
    TooLarge {
        /// The most.
        mib: usize,
    },
}

impl fmt::Display for NoFilm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NothingPlayed => {
                f.write_str("A film wants a span that has been played: its end lies after its beginning")
            }
            Self::TooLarge { mib } => write!(
                f,
                "This film would be larger than {mib} MiB: take a shorter span, or a smaller cluster"
            ),
        }
    }
}

/// Who says a line of the console.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum LineKind {
    /// The person.
    Input,
    /// A command, on its standard output.
    #[default]
    Output,
    /// A command, on its standard error.
    Error,
    /// A command, on its standard error: it goes on.
    Warning,
    /// Podscope itself.
    Notice,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Completion {
    /// The text to insert.
    pub text: String,
    /// What it is.
    pub hint: String,
}
