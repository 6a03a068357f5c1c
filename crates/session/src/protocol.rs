//! What page and engine say to each other: one [`Request`] enum up, one
//! [`Update`] enum down. The page keeps a view model made of these types and
//! never sees the world. In the browser they cross the worker boundary by
//! serde-wasm-bindgen; natively the same host runs in-process, which is how
//! it is tested.
//!
//! Times are simulated microseconds since t = 0 (`i64`; JavaScript holds them
//! exactly up to 285 years). Objects are named as the page's hooks name them:
//! a pod is `NAMESPACE/NAME` plus UID, because two lives of one name may be
//! visible at once (a ghost and its successor).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Simulated microseconds since t = 0.
pub type Micros = i64;

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
    /// Run to just after the next scheduling decision and stop.
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
    /// Explain an attempt of a pod: the given one, or its latest.
    Explain {
        /// `NAMESPACE/NAME`.
        pod: String,
        /// Number of the attempt.
        attempt: Option<u64>,
    },
    /// What would help a pending pod; answers come as [`Update::Help`] until done.
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
    GroupBy {
        /// The key.
        key: String,
    },
    /// Go to a step of the story (0-based).
    StoryStep {
        /// The step.
        step: usize,
    },
    /// Make a link of everything. `screen` is opaque to the engine: selection, panels.
    Share {
        /// The page's own state.
        screen: String,
        /// Rename objects first.
        anonymise: bool,
    },
    /// Make a file.
    Export {
        /// What of.
        what: ExportKind,
    },
    /// Complete a command line.
    Complete {
        /// The line so far.
        line: String,
        /// Cursor, in bytes.
        cursor: usize,
    },
    /// Check a manifest or scenario without running it (the editor).
    Check {
        /// Its text.
        text: String,
        /// Echoed in the answer.
        revision: u64,
    },
    /// Start the second run of a comparison on the same seed (T-04), with these commands instead.
    Compare {
        /// Scenario text of the other side; none ends the comparison.
        other: Option<String>,
    },
    /// The page has drawn the last frame and wants the next.
    FrameDone,
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
    Link {
        /// The text.
        fragment: String,
    },
    /// A built-in lesson.
    Lesson {
        /// Its name.
        name: String,
    },
    /// The small living cluster of a first visit.
    Welcome,
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
    /// A node.
    Node {
        /// Its name.
        name: String,
    },
    /// Any other object.
    Object {
        /// Kind on the wire.
        kind: String,
        /// `NAMESPACE/NAME` or name.
        key: String,
    },
    /// An invariant.
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
}

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
    },
    /// Progress of a long job, in thousandths.
    Progress {
        /// What is being done.
        what: String,
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
    /// Explanation of a decision (the scheduler's own structure as JSON).
    Explanation {
        /// `NAMESPACE/NAME`.
        pod: String,
        /// The attempts of this pod, oldest first.
        attempts: Vec<AttemptInfo>,
        /// Which of them this is.
        attempt: u64,
        /// `podscope_scheduler::explain::Explanation` as JSON.
        explanation: serde_json::Value,
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
    Console {
        /// The lines.
        lines: Vec<ConsoleLine>,
    },
    /// Completions of a command line.
    Completions {
        /// The line that was completed.
        line: String,
        /// Byte range that a choice replaces.
        replace: (usize, usize),
        /// The choices.
        choices: Vec<Completion>,
    },
    /// A link.
    Link {
        /// The fragment, from `s1:` on.
        fragment: String,
        /// Warnings, e.g. that it is long.
        notices: Vec<String>,
    },
    /// A file.
    File {
        /// Suggested name.
        name: String,
        /// Media type.
        media_type: String,
        /// Its text.
        text: String,
    },
    /// Result of a check.
    Checked {
        /// The revision of the request.
        revision: u64,
        /// Problems.
        problems: Vec<Problem>,
        /// Advice (P-08).
        advice: Vec<Problem>,
    },
    /// The engine met a bug; the page reloads into the saved session.
    Crashed {
        /// What happened.
        message: String,
    },
}

/// A built-in lesson.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LessonInfo {
    /// Name, as in links.
    pub name: String,
    /// Title.
    pub title: String,
    /// Group, e.g. `Pod safety`.
    pub group: String,
    /// One sentence.
    pub summary: String,
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
}

/// What a page needs to know of a session once.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Opened {
    /// Title.
    pub title: String,
    /// Lesson name, if it is one.
    pub lesson: Option<String>,
    /// The seed.
    pub seed: u64,
    /// The story, if the scenario has one.
    pub story: Vec<StoryStep>,
    /// What was translated, ignored or kept: `3 × Ingress (not simulated)`.
    pub notices: Vec<String>,
    /// Warnings on the manifests (P-08).
    pub advice: Vec<Problem>,
    /// From a link: the page's own state.
    pub screen: Option<String>,
    /// The scenario's text, for the editor.
    pub text: String,
}

/// One step of a story.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StoryStep {
    /// Markdown: paragraphs, emphasis, code, lists. Never markup or script.
    pub text: String,
    /// `node/a-1`, `pod/NS/NAME`, `lane/decisions`, …
    pub highlight: Vec<String>,
    /// The command the step's button runs.
    pub try_command: Option<String>,
    /// The goal in words, if the step has one.
    pub goal: Option<String>,
}

/// The picture's next state.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Frame {
    /// The cursor.
    pub now: Micros,
    /// How far this branch has been computed.
    pub horizon: Micros,
    /// Whether time runs.
    pub playing: bool,
    /// Wanted speed in thousandths.
    pub speed_per_mille: u64,
    /// Achieved speed in thousandths.
    pub achieved_per_mille: u64,
    /// The run's title, whenever everything is replaced.
    pub title: Option<String>,
    /// True if everything below replaces what the page has; else it is a delta.
    pub reset: bool,
    /// Groups (zones), all of them, whenever one changed.
    pub groups: Option<Vec<GroupView>>,
    /// Changed and new nodes.
    pub nodes: Vec<NodeView>,
    /// Nodes gone.
    pub nodes_gone: Vec<String>,
    /// Changed and new pods and ghosts, by `id`.
    pub pods: Vec<PodView>,
    /// Ids gone.
    pub pods_gone: Vec<String>,
    /// The control plane, whenever it changed.
    pub control_plane: Option<ControlPlaneView>,
    /// Owners with their colours, whenever one is new.
    pub owners: Option<Vec<OwnerView>>,
    /// Timeline marks, new or changed, by `id`.
    pub marks: Vec<Mark>,
    /// Marks gone (after a seek back on a changed branch).
    pub marks_gone: Vec<u64>,
    /// Branches, whenever they changed.
    pub branches: Option<Vec<BranchView>>,
    /// The story's state, whenever it changed.
    pub story: Option<StoryState>,
    /// For the live region: what just happened, in words.
    pub announcements: Vec<String>,
    /// The other run of a comparison, as a frame of its own.
    pub other: Option<Box<Frame>>,
}

/// A group of nodes: a zone, or the value of another label; the name is empty for nodes without the key.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GroupView {
    /// The label's value.
    pub name: String,
    /// Its nodes, in order.
    pub nodes: Vec<String>,
    /// Counts per spread group (owner), with the limit where one applies.
    pub counts: Vec<SpreadCount>,
}

/// Pods of one owner in one group.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SpreadCount {
    /// The owner's id.
    pub owner: String,
    /// Pods that the constraint counts here.
    pub pods: u32,
    /// Ghosts here.
    pub ghosts: u32,
    /// Skew allowed, if the owner's pods have a DoNotSchedule constraint on this key.
    pub max_skew: Option<u32>,
}

/// A node and its machine.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeView {
    /// Name.
    pub name: String,
    /// Zone label; empty if none.
    pub zone: String,
    /// Whether there is a Node object.
    pub registered: bool,
    /// Status of condition Ready: `True`, `False`, `Unknown`.
    pub ready: String,
    /// Reason when not ready.
    pub ready_reason: String,
    /// Cordoned.
    pub cordoned: bool,
    /// Taints as `key=value:Effect`.
    pub taints: Vec<String>,
    /// Pressure conditions that are True.
    pub pressure: Vec<String>,
    /// cpu in thousandths, memory in bytes, pods: requested and allocatable.
    pub cpu: (i64, i64),
    /// Memory in bytes.
    pub memory: (i64, i64),
    /// Pods.
    pub pods: (i64, i64),
    /// Labels, for grouping.
    pub labels: BTreeMap<String, String>,
    /// The machine.
    pub machine: MachineView,
}

/// The machine under a node, as it really is.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MachineView {
    /// Whether there is a machine at all (F-05).
    pub exists: bool,
    /// Power.
    pub powered: bool,
    /// Whether the kubelet runs.
    pub kubelet: bool,
    /// Whether the container runtime runs.
    pub runtime: bool,
    /// Cuts: `control-plane`, `storage`, `nodes`, or a node's name; with `in`/`out` when one way.
    pub cuts: Vec<String>,
    /// Fenced by: `power`, `storage`, `network`; empty if not.
    pub fenced: Vec<String>,
    /// Last heartbeat the API has seen.
    pub last_heartbeat: Micros,
    /// Where API and machine differ, in words; empty where they agree (U-02).
    pub differs: Vec<String>,
}

/// How a pod is drawn (UI.md, pod marks).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum PodMark {
    /// Not bound.
    #[default]
    Pending,
    /// Bound, not started.
    Starting,
    /// Running and ready.
    Ready,
    /// Running, not ready.
    NotReady,
    /// Being terminated.
    Terminating,
    /// CrashLoopBackOff.
    CrashLoop,
    /// Phase Succeeded.
    Succeeded,
    /// Phase Failed.
    Failed,
    /// Runs, but the API has forgotten it.
    Ghost,
    /// The API says running; the machine is dark or cut.
    Unconfirmed,
}

/// A pod, or a ghost.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PodView {
    /// Unique: the UID, and for a ghost `UID@NODE`.
    pub id: String,
    /// `NAMESPACE/NAME`.
    pub key: String,
    /// UID.
    pub uid: String,
    /// Short name for the mark (`w0`).
    pub short: String,
    /// Owner id (see [`OwnerView`]); empty for a bare pod.
    pub owner: String,
    /// Node; empty while pending.
    pub node: String,
    /// Nominated node; empty if none.
    pub nominated: String,
    /// The mark.
    pub mark: PodMark,
    /// Phase as the API says.
    pub phase: String,
    /// Status as kubectl prints it.
    pub status: String,
    /// Priority.
    pub priority: i32,
    /// Ticks of priority, 0 to 3.
    pub ticks: u8,
    /// State of each container: `running`, `waiting`, `done`, `failed`.
    pub containers: Vec<String>,
    /// Termination under way.
    pub termination: Option<TerminationView>,
    /// End of a back-off, or of another countdown.
    pub countdown: Option<Micros>,
    /// Pending pods: where in the queue and what it waits for.
    pub queue: Option<QueueView>,
    /// Why it is being deleted (C-09).
    pub deletion_cause: String,
}

/// A termination timer (L-16).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TerminationView {
    /// `waiting` (the kubelet does not know yet), `preStop`, `sigterm`, `killed`.
    pub stage: String,
    /// When the stage began.
    pub since: Micros,
    /// When it ends at the latest; none if nobody can say (the node is cut off).
    pub until: Option<Micros>,
    /// What happens next, in words.
    pub next: String,
}

/// A pending pod's place in the scheduler's queue.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct QueueView {
    /// `active`, `backoff`, `unschedulable`, `gated`.
    pub pool: String,
    /// What it waits for, in words.
    pub waits_for: String,
    /// End of the back-off or flush.
    pub until: Option<Micros>,
    /// Nodes that fit at the last attempt, and how many there were.
    pub fit: Option<(u32, u32)>,
    /// The last message.
    pub message: String,
}

/// An owner of pods and its colour.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OwnerView {
    /// `KIND NAMESPACE/NAME` of the top owner.
    pub id: String,
    /// Short name.
    pub name: String,
    /// Index into the palette.
    pub hue: u8,
}

/// The control plane strip.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ControlPlaneView {
    /// Component name, whether it is up, and a word (leader, second, down).
    pub components: Vec<(String, bool, String)>,
    /// Broken invariants.
    pub broken: Vec<BrokenInvariant>,
}

/// A broken invariant.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BrokenInvariant {
    /// Kebab-case name.
    pub name: String,
    /// First instant.
    pub at: Micros,
    /// `command`, `fault` or `bug`.
    pub cause: String,
    /// Who did it.
    pub by: String,
    /// The statement and what broke it, in words.
    pub text: String,
}

/// A lane of the timeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Lane {
    /// Faults.
    #[default]
    Faults,
    /// Commands.
    Commands,
    /// Scheduling decisions.
    Decisions,
    /// Terminations, a bar per container and stage.
    Terminations,
    /// Invariants.
    Invariants,
}

/// A mark or bar on the timeline.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Mark {
    /// Unique on this branch.
    pub id: u64,
    /// Lane.
    pub lane: Lane,
    /// Start.
    pub from: Micros,
    /// End; equal to `from` for a point, none while it lasts.
    pub to: Option<Micros>,
    /// `bound`, `failed`, `preempted`, `preStop`, `sigterm`, `killed`, `cut`, …
    pub kind: String,
    /// Text on or beside it.
    pub label: String,
    /// What selecting it selects.
    pub subject: Option<SubjectRef>,
}

/// A branch of the session.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BranchView {
    /// Number.
    pub id: u32,
    /// Where it left its parent.
    pub from: Micros,
    /// Parent.
    pub parent: Option<u32>,
    /// First command that differs.
    pub label: String,
    /// Whether it is the present one.
    pub current: bool,
}

/// State of a story.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StoryState {
    /// The step shown.
    pub step: usize,
    /// Highest step whose condition holds.
    pub reached: usize,
    /// Goals by step: none if the step has no goal.
    pub goals: Vec<Option<bool>>,
}

/// A record of an attempt.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AttemptInfo {
    /// Number, unique in the session.
    pub id: u64,
    /// When.
    pub at: Micros,
    /// `bound`, `unschedulable`, `preempting`, `error`.
    pub outcome: String,
    /// One line.
    pub text: String,
}

/// A change that would let a pod schedule, verified (S-15).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Remedy {
    /// In words.
    pub text: String,
    /// The command that does it.
    pub command: String,
    /// Nodes it would then fit.
    pub nodes: Vec<String>,
}

/// A line of the console.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ConsoleLine {
    /// When.
    pub at: Micros,
    /// `input`, `output`, `error`, `notice`.
    pub kind: String,
    /// Text.
    pub text: String,
}

/// A completion.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Completion {
    /// The text to insert.
    pub text: String,
    /// What it is.
    pub hint: String,
}

/// What the inspector shows.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Detail {
    /// Heading.
    pub title: String,
    /// Line under it: namespace, owner, priority.
    pub subtitle: String,
    /// One sentence: what is, and what it means.
    pub sentence: String,
    /// Conditions: type, status, reason, message, since.
    pub conditions: Vec<(String, String, String, String, Micros)>,
    /// Containers.
    pub containers: Vec<ContainerDetail>,
    /// Events, newest first.
    pub events: Vec<EventLine>,
    /// Owner chain, nearest first: kind and key.
    pub owners: Vec<(String, String)>,
    /// Volumes: name and state in words.
    pub volumes: Vec<(String, String)>,
    /// Termination bars of its containers.
    pub bars: Vec<Mark>,
    /// The object as YAML, as the API server has it; empty for a ghost.
    pub yaml: String,
    /// Actions: label and command; dangerous ones carry their consequence.
    pub actions: Vec<Action>,
}

/// A container in the inspector.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ContainerDetail {
    /// Name.
    pub name: String,
    /// `init`, `sidecar`, `app`.
    pub role: String,
    /// State in words, as the API says.
    pub state: String,
    /// What really runs on the machine, in words.
    pub machine: String,
    /// Restarts.
    pub restarts: i32,
    /// Whether it is ready.
    pub ready: bool,
    /// Image.
    pub image: String,
}

/// An event in the inspector.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EventLine {
    /// Last seen.
    pub at: Micros,
    /// `Normal` or `Warning`.
    pub kind: String,
    /// Reason.
    pub reason: String,
    /// Times seen.
    pub count: i32,
    /// Who.
    pub from: String,
    /// Text.
    pub message: String,
}

/// Something that can be done to a subject: a button and the command it issues (K-01).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Action {
    /// Label.
    pub label: String,
    /// The command line.
    pub command: String,
    /// Said before it is done; empty for harmless ones.
    pub warning: String,
}
