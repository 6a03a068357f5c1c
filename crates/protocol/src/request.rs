//! What the page asks for.

use serde::{Deserialize, Serialize};

use crate::Micros;

/// A demand of the page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Request {
    /// Start a session from a source; the running one is replaced only if it opens.
    Open {
        /// Where from.
        source: Source,
    },
    /// Issue a command at the cursor. In the past this starts a branch (T-01).
    Command {
        /// The line as typed, e.g. `fault partition a-1`.
        line: String,
    },
    /// Let time run at the current speed.
    Play,
    /// Stop time.
    Pause,
    /// Simulated seconds per second of real time, in thousandths (0.1× is 100, 10 000× is 10 000 000).
    Speed {
        /// Thousandths.
        per_mille: u64,
    },
    /// Process the next event and stop.
    Step,
    /// Run fast to just after the next scheduling decision and stop; bounded where none can come.
    NextDecision,
    /// Go to an instant, both ways.
    Seek {
        /// The instant.
        at: Micros,
    },
    /// Keep the present future as a branch and continue from the cursor on a new one.
    Fork,
    /// Go to another branch at its cursor.
    Branch {
        /// Its number.
        branch: u32,
    },
    /// Take back the last command of this branch.
    Undo,
    /// What the inspector shows; its detail is sent now and kept current.
    Inspect {
        /// The thing; none closes the inspector.
        subject: Option<SubjectRef>,
    },
    /// Explain an attempt of a pod: the given one, or its latest; without attempts the answer says so.
    Explain {
        /// `NAMESPACE/NAME`.
        pod: String,
        /// UID: a ghost and its successor share the name. Empty: whoever had the name.
        uid: String,
        /// Number of the attempt.
        attempt: Option<u64>,
    },
    /// What would help a pending pod; answers come as [`Update::Help`](super::Update::Help) until done.
    WhatWouldHelp {
        /// `NAMESPACE/NAME`.
        pod: String,
    },
    /// Stop looking for help.
    CancelHelp,
    /// Try one remedy in a fork.
    TryRemedy {
        /// Index in the last list.
        index: usize,
    },
    /// Group nodes by a label key; empty means zone (U-11).
    GroupBy { key: String },
    /// Go to a step of the story (0-based).
    StoryStep { step: usize },
    /// Make a link of everything. A session on its way to an instant answers when it is there: of two such requests
    /// that wait, the later one. `screen` is opaque to the engine: selection, panels.
    Share {
        /// The page's own state.
        screen: String,
        /// Rename objects first.
        anonymise: bool,
        /// Any number: the answer names it.
        revision: u64,
    },
    /// Make a file.
    Export {
        what: ExportKind,
        /// Rename objects first.
        anonymise: bool,
    },
    /// Complete a command line.
    Complete {
        /// The line so far.
        line: String,
        /// Cursor, in bytes.
        cursor: usize,
    },
    /// What may be written at a place of a manifest (the editor).
    Fields {
        /// The document up to there.
        before: String,
        /// And from there on.
        after: String,
    },
    /// Check a manifest or scenario without running it (the editor).
    Check {
        text: String,
        /// Echoed in the answer.
        revision: u64,
    },
    /// Start the second run of a comparison on the same seed (T-04), with these commands instead.
    Compare {
        /// Scenario text of the other side; none ends the comparison.
        other: Option<String>,
    },
    /// The same with another branch of this session as the second run.
    CompareBranch {
        /// Its number.
        branch: u32,
    },
    /// The page has drawn the last frame and wants the next.
    FrameDone,
    /// Answer the question of a step; none skips it. Time goes on as it did.
    Predict {
        step: usize,
        /// The answer: an option, a node's or pod's name, or a duration.
        answer: Option<String>,
    },
    /// Play the solution from where the last step showed.
    ShowMe,
    /// Run fast to what is due next, and stop there.
    SkipAhead,
    /// Make a goal of the lesson being recorded of a field: the one that a line of an object's YAML shows, with its
    /// present value. [`Update::Recorded`](crate::Update::Recorded) answers.
    RecordGoal {
        /// The object.
        subject: SubjectRef,
        /// The line, from 1.
        line: u32,
    },
    /// Take a recorded goal back.
    ForgetGoal {
        /// Which, in the order of [`Update::Recorded`](crate::Update::Recorded).
        index: usize,
    },
    /// Check a text as a lesson: play its solution, nothing and its bypasses. The answer is that of a check, with what is
    /// to be mended as advice.
    CheckLesson {
        text: String,
        /// Echoed in the answer.
        revision: u64,
    },
    /// Make a film of what was played between two instants.
    Film {
        /// Its beginning.
        from: Micros,
        /// Its end.
        to: Micros,
        /// How long it takes to watch.
        seconds: u32,
        /// Rename objects first.
        anonymise: bool,
    },
    /// What a text is that was pasted into the console. [`Update::Recognised`](crate::Update::Recognised) answers.
    Recognise { text: String },
    /// A text was pasted on the page, in no field: it opens if it is a scenario or manifests, and is left alone
    /// otherwise. [`Update::Pasted`](crate::Update::Pasted) answers, then what answers to `Open`.
    Paste {
        /// What it is called as a file.
        name: String,
        text: String,
    },
    /// Several commands that were given at once: the next is issued when the one before has ended, as a shell does.
    Commands {
        /// The lines as typed.
        lines: Vec<String>,
    },
    /// Run fast to where the story goes on, and stop there; bounded where it waits for a condition.
    SkipToStory,
    /// What is wrong in the cluster now. [`Update::Triage`](crate::Update::Triage) answers.
    Triage {
        /// Rename objects first.
        anonymise: bool,
    },
}

/// What a text is, as it is read. Of several documents the last of these counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum TextKind {
    /// Neither.
    #[default]
    Other,
    /// It begins as manifests do, and cannot be read to its end.
    Broken,
    /// Kubernetes objects.
    Manifests,
    /// A scenario: it is opened, and not applied.
    Scenario,
    /// A scenario that tells something.
    Lesson,
}

/// Where a session comes from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Source {
    /// Files, in order, as one: a scenario, manifests, a dump.
    Files {
        /// Name and text of each.
        files: Vec<(String, String)>,
    },
    /// The fragment of a share link, from `s1:` on.
    Link { fragment: String },
    /// A built-in lesson.
    Lesson {
        name: String,
        /// Another seed than its own.
        seed: Option<u64>,
    },
    /// The small living cluster of a first visit, shown from when all its pods run.
    Welcome,
    /// The same cluster from its start, with nothing to follow.
    Free,
    /// The first question of a lesson, asked again on another seed: what leads to it has been done.
    Recap {
        /// The lesson's name.
        name: String,
        seed: u64,
    },
}

/// What the inspector can show.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum SubjectRef {
    /// A pod, by key and UID.
    Pod {
        /// `NAMESPACE/NAME`.
        key: String,
        /// UID; empty means the one the API knows.
        uid: String,
    },
    Node {
        name: String,
    },
    /// Any other object.
    Object {
        /// Kind on the wire.
        kind: String,
        /// `NAMESPACE/NAME` or name.
        key: String,
    },
    Invariant {
        /// Its kebab-case name.
        name: String,
    },
}

/// What can be exported (T-06).
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
    /// The same as PNG: the text is the SVG, and who saves it draws its pixels.
    Image,
    /// What was done as the steps and the solution of a lesson, to be written on.
    Lesson,
    /// Which old name became which, of what leaves with objects renamed: a line each, with a tab between. It stays with
    /// who has the names.
    Names,
}
