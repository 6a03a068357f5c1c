//! Requests of the page to the engine.

use serde::{Deserialize, Serialize};

use crate::{CourseRequest, Micros, Search, UpcomingEvent, WhatIf};

/// A request of the page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Request {
    /// Start a session from a source. The running session is replaced only if the source opens.
    Open { source: SessionSource },
    /// Run a command at the current time of the session. Before the end of the computed run, this starts a branch
    /// (T-01).
    Command {
        /// The command line as typed, e.g. `fault partition a-1`.
        line: String,
    },
    /// Run time at the current speed.
    Play,
    /// Pause time.
    Pause,
    /// Set the speed: simulated seconds per second of real time, in thousandths (0.1× is 100, 10 000× is 10 000 000).
    Speed { per_mille: u64 },
    /// Process the next event and pause.
    Step,
    /// Run fast to just after the next scheduling decision and pause. The run has a time limit, in case no decision
    /// follows.
    NextDecision,
    /// Go to an instant, forwards or backwards.
    Seek { at: Micros },
    /// Keep the computed future as a branch and continue from the present time on a new one.
    Fork,
    /// Switch to another branch, at its last time.
    Branch {
        /// Number of the branch to switch to.
        branch: u32,
    },
    /// Undo the last command of this branch.
    Undo,
    /// Open the inspector for a subject. Its details are sent now, and again after each change.
    Inspect {
        /// The subject to inspect; `None` closes the inspector.
        subject: Option<SubjectRef>,
    },
    /// Explain a scheduling attempt of a pod: the given or the latest one. If the pod has no attempts, the answer
    /// contains none.
    Explain {
        /// `NAMESPACE/NAME`.
        pod: String,
        /// UID, because a ghost and its successor share the name. Empty means any pod with the name.
        uid: String,
        /// Number of the attempt; `None` means the latest one.
        attempt: Option<u64>,
    },
    /// Search for remedies for a pending pod. [`Update::Help`](super::Update::Help) is sent repeatedly until the search
    /// is done.
    WhatWouldHelp {
        /// `NAMESPACE/NAME`.
        pod: String,
    },
    /// Cancel the search for remedies.
    CancelHelp,
    /// Try a remedy on a new branch.
    TryRemedy {
        /// Index in the last list of remedies.
        index: usize,
    },
    /// Group nodes by a label key; empty means zone (U-11).
    GroupBy { key: String },
    /// Go to a step of the story (0-based).
    StoryStep { step: usize },
    /// Create a link to the session. During a seek, the answer is sent when the seek ends; if two such requests wait,
    /// only the later one is answered. `screen` is the state of the page (selection, panels), which is opaque to the
    /// engine.
    Share {
        /// The page's state (selection, panels), which the link contains and the engine does not read.
        screen: String,
        /// Whether to replace the names of objects.
        anonymise: bool,
        /// An arbitrary number; the answer contains the same number.
        revision: u64,
    },
    /// Create a file that the page saves for the user.
    Export {
        what: ExportKind,
        /// Whether to replace the names of objects.
        anonymise: bool,
    },
    /// Complete a command line.
    Complete {
        /// The line to complete.
        line: String,
        /// Cursor position in bytes.
        cursor: usize,
    },
    /// Request completions at a position of a manifest in the editor.
    Fields {
        /// The document before the position.
        before: String,
        /// The text of the document after the position.
        after: String,
        /// Number of the request; the answer contains the same number.
        revision: u64,
    },
    /// Check a manifest or scenario in the editor without running it.
    Check {
        text: String,
        /// Number of the request; the answer contains the same number.
        revision: u64,
    },
    /// Start the second run of a comparison on the same seed (T-04), with another scenario.
    Compare {
        /// Scenario text of the second run; `None` ends the comparison.
        other: Option<String>,
    },
    /// Start a comparison whose second run is another branch of this session.
    CompareBranch {
        /// Number of the branch.
        branch: u32,
    },
    /// The page has drawn the last frame and is ready for the next.
    FrameDone,
    /// The user may open a file or paste a text soon. The worker loads the rest of the engine ahead; the session does
    /// not change.
    PrepareToOpen,
    /// Answer the question of a step; `None` skips the question. Time then runs again, if it ran before the question.
    Predict {
        step: usize,
        /// The answer: an option, the name of a node or pod, or a duration.
        answer: Option<String>,
    },
    /// Play the lesson's solution from the time at which the last step was shown.
    ShowMe,
    /// Run fast to an upcoming event, and pause there.
    SkipAhead {
        /// The event that the page displayed when the button was pressed. If `None`, or if the event is no longer
        /// expected, the next event.
        to: Option<Box<UpcomingEvent>>,
    },
    /// Add a goal to the lesson being recorded: the field in a line of an object's YAML, with its current value.
    /// Answered by [`Update::Recorded`](crate::Update::Recorded).
    RecordGoal {
        subject: SubjectRef,
        /// Line number, from 1.
        line: u32,
    },
    /// Remove a goal from the lesson being recorded.
    ForgetGoal {
        /// Index in the order of [`Update::Recorded`](crate::Update::Recorded).
        index: usize,
    },
    /// Check a text as a lesson: run its solution, run it without any commands, and run its bypasses. Answered like
    /// `Check`, with the lesson's problems as advice.
    CheckLesson {
        text: String,
        /// Number of the request; the answer contains the same number.
        revision: u64,
    },
    /// Create a film of the session between two instants.
    Film {
        /// Start of the filmed span.
        from: Micros,
        /// End of the filmed span.
        to: Micros,
        /// Duration of the film, in seconds.
        seconds: u32,
        /// Whether to replace the names of objects.
        anonymise: bool,
    },
    /// Classify a text that was pasted into the console. Answered by [`Update::Recognised`](crate::Update::Recognised).
    Recognise { text: String },
    /// A text was pasted on the page outside of any field. It is opened if it is a scenario or manifests, and ignored
    /// otherwise. Answered by [`Update::Pasted`](crate::Update::Pasted), followed by the answers to `Open`.
    Paste {
        /// File name for the text.
        name: String,
        text: String,
    },
    /// Run several commands in sequence, each after the previous one has ended, as a shell does.
    Commands {
        /// The command lines as typed.
        lines: Vec<String>,
    },
    /// Run fast until the story continues, and pause there. The run has a time limit if the story waits for a
    /// condition.
    SkipToStory,
    /// List the current problems of the cluster. Answered by [`Update::Triage`](crate::Update::Triage).
    Triage {
        /// Whether to replace the names of objects.
        anonymise: bool,
    },
    /// Try a change on a copy of the session. Answered by [`Update::WhatIf`](crate::Update::WhatIf), or by `Refused`.
    /// `None` stops the current trial.
    WhatIf(Option<WhatIf>),
    /// Try seeds for a run that breaks a guarantee. Answered by [`Update::Search`](crate::Update::Search) for each
    /// seed, or by `Refused`.
    Search(Box<Search>),
    /// A request about practice or a course. Answered by [`Update::Course`](crate::Update::Course).
    Course(CourseRequest),
    /// Run command lines unless one of them is dangerous. In that case nothing runs, and
    /// [`Update::Dangerous`](crate::Update::Dangerous) asks for confirmation, which is `Command` or `Commands` with the same
    /// lines.
    RunUnlessDangerous {
        /// The command lines as typed.
        lines: Vec<String>,
    },
}

impl Request {
    /// Returns the request to run one or several command lines.
    #[must_use]
    pub fn run_lines(mut lines: Vec<String>) -> Self {
        match lines.len() {
            1 => Self::Command { line: lines.remove(0) },
            _ => Self::Commands { lines },
        }
    }

    /// Returns the command lines that the request would run.
    #[must_use]
    pub fn command_lines(&self) -> &[String] {
        match self {
            Self::Command { line } => std::slice::from_ref(line),
            Self::Commands { lines } | Self::RunUnlessDangerous { lines } => lines,
            _ => &[],
        }
    }
}

/// Kind of a text. A text with several documents has the kind that comes last in this list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum TextKind {
    /// A text that is of no other kind in this list.
    #[default]
    Other,
    /// The text starts like manifests but cannot be parsed completely.
    Broken,
    /// Kubernetes objects.
    Manifests,
    /// A scenario, which is opened and not applied.
    Scenario,
    /// A scenario with the steps of a lesson.
    Lesson,
}

/// Name of the lesson that the page offers at a user's first visit. The lesson's cluster is the one that the page shows
/// at that visit.
pub const FIRST_VISIT_LESSON: &str = "cut-a-node-off";
/// The first command of the lesson [`FIRST_VISIT_LESSON`]. At a first visit, the page opens the lesson and runs this
/// command.
pub const FIRST_VISIT_COMMAND: &str = "fault partition c-2";

/// What a session is opened from: files, a link, a lesson or a built-in cluster.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum SessionSource {
    /// Files that are read as one, in order: a scenario, manifests or a dump.
    Files {
        /// Name and text of each file.
        files: Vec<(String, String)>,
    },
    /// The fragment of a share link, from `s1:` on.
    Link { fragment: String },
    /// A built-in lesson.
    Lesson {
        name: String,
        /// Seed of the session; `None` means the seed in the lesson.
        seed: Option<u64>,
    },
    /// The small cluster of a first visit, beginning when all its pods run. A rolling update starts automatically.
    Welcome,
    /// Free play: the cluster of a first visit at t = 0, without the automatic rolling update.
    Free,
    /// A repetition of the first question of a lesson, with another seed. Everything before the question has already
    /// happened.
    Recap {
        /// Name of the lesson.
        name: String,
        seed: u64,
    },
}

/// An object, or a group of failed requests, that the inspector can show.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum SubjectRef {
    /// A pod, by key and UID.
    Pod {
        /// `NAMESPACE/NAME`.
        key: String,
        /// UID; empty means the pod that the API server has.
        uid: String,
    },
    Node {
        name: String,
    },
    /// Any other object.
    Object {
        /// Kind as in manifests.
        kind: String,
        /// `NAMESPACE/NAME` or name.
        key: String,
    },
    Invariant {
        /// Name of the invariant in kebab case.
        name: String,
    },
    /// Requests that failed in the same way: those of the trace record `record`, or the newest ones if it is `None`.
    FailedRequests {
        /// `NAMESPACE/NAME` of the Service.
        service: String,
        /// The pod or address to which the requests were sent; `None` means any.
        endpoint: Option<String>,
        /// Sequence number of the trace record.
        record: Option<u64>,
    },
}

/// Kind of an exported file (T-06).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ExportKind {
    /// All objects as a YAML `List`.
    Objects,
    /// The trace as JSON Lines.
    Trace,
    /// The session as a scenario file.
    Scenario,
    /// A picture of the cluster as SVG.
    Picture,
    /// A picture of the cluster as PNG: the update contains the SVG, which the page renders.
    Image,
    /// A draft of a lesson, with the commands of the session as steps and solution.
    Lesson,
    /// The table of replaced names: one line per name, old and new name separated by a tab. Only the owner of the names
    /// should have it.
    Names,
}
