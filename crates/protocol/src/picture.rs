//! The picture of a session at an instant: nodes, pods, timeline, story.

use podscope_api::{ConditionStatus, Phrase, ordered};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::clock;
use crate::{Director, MachineView, Mark, Micros, NotHeld, StoryState, Thread, Traffic};

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
    /// Groups (zones), all of them, whenever one changed in more than its counts.
    pub groups: Option<Vec<GroupView>>,
    /// The counts of the groups that were told last, group by group, whenever these alone changed.
    pub counts: Option<Vec<Vec<SpreadCount>>>,
    /// Changed and new nodes.
    pub nodes: Vec<NodeView>,
    pub nodes_gone: Vec<String>,
    /// Changed and new pods and ghosts, by `id`.
    pub pods: Vec<Arc<PodView>>,
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
    /// The other run of a comparison, as a frame of its own.
    pub other: Option<Box<Frame>>,
    /// What comes next, whenever it changed.
    pub director: Option<Director>,
    /// The spread of what the inspector shows, whenever it changed; one without domains stands for none.
    pub spread: Option<SpreadLane>,
    /// The thread of causes of what the inspector shows, whenever it changed; one without records stands for none.
    pub thread: Option<Thread>,
    /// What was sent since the frame before; nothing after a jump in time.
    pub traffic: Traffic,
}

/// Pods per domain over time, as a constraint counts them: of the pod or workload that the inspector shows. Without a
/// constraint, the pods of its owner.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SpreadLane {
    /// Whose constraint it is: a pod's or a workload's name.
    pub of: String,
    /// The topology key.
    pub key: String,
    /// Its values on nodes that count, in order of appearance.
    pub domains: Vec<String>,
    /// Skew allowed; none without a constraint.
    pub max_skew: Option<u32>,
    /// Whether no pod is placed beyond it (DoNotSchedule).
    pub hard: bool,
    /// With fewer domains than this the emptiest counts as 0.
    pub min_domains: u32,
    /// Each change with its instant, up to the horizon, oldest first.
    pub points: Vec<SpreadPoint>,
}

/// How pods are spread from an instant on.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SpreadPoint {
    /// The instant.
    pub at: Micros,
    /// Domains that are there.
    pub found: u32,
    /// Pods in the emptiest, by which the skew is counted.
    pub least: u32,
    /// Pods in the fullest.
    pub most: u32,
    /// Pods by domain, in the order of [`SpreadLane::domains`]; none where a domain had no node. Empty of more domains
    /// than can be told apart.
    pub pods: Vec<Option<u32>>,
}

impl Frame {
    /// The groups after this frame, if it changes them; `known` are those before it.
    pub fn take_groups(&mut self, known: &[GroupView]) -> Option<Vec<GroupView>> {
        let counts = self.counts.take();
        let told = self.groups.take();
        told.or_else(|| {
            let groups = known.iter().zip(counts?);
            Some(
                groups
                    .map(|(group, counts)| GroupView {
                        counts,
                        ..group.clone()
                    })
                    .collect(),
            )
        })
    }
}

/// A group of nodes: a zone, or the value of another label; the name is empty for nodes without the key.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GroupView {
    /// The label's value.
    pub name: String,
    /// Its nodes, in order.
    pub nodes: Arc<Vec<String>>,
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
    pub name: String,
    /// Zone label; empty if none.
    pub zone: String,
    /// Whether there is a Node object.
    pub registered: bool,
    /// Status of condition Ready.
    #[serde(with = "crate::status")]
    pub ready: ConditionStatus,
    /// Reason when not ready.
    pub ready_reason: String,
    /// Since when it has that status.
    pub ready_since: Micros,
    /// What the control plane will do about it next, if nothing changes.
    pub next: Option<NodeNext>,
    pub cordoned: bool,
    /// Taints as `key=value:Effect`.
    pub taints: Vec<String>,
    /// Pressure conditions that are True.
    pub pressure: Vec<String>,
    /// Whether pressure is what a dump said and nobody measures: it lasts until the machine starts anew (P-09).
    pub pressure_lasts: bool,
    /// Whether a dump knows only its name: how large it is and what it is like is made up (P-09).
    pub only_name: bool,
    /// cpu in thousandths, memory in bytes, pods: requested and allocatable.
    pub cpu: (i64, i64),
    /// Memory in bytes.
    pub memory: (i64, i64),
    pub pods: (i64, i64),
    /// Labels, for grouping.
    pub labels: ordered::Map<String, String>,
    pub machine: MachineView,
}

/// What the control plane does about a node from which it hears nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum NodeNext {
    /// Its Ready condition becomes Unknown, and it is tainted.
    NotReady {
        /// When, at the earliest.
        at: Micros,
    },
    /// Pods that do not tolerate its taints any longer are evicted.
    Evicts {
        /// Each instant with how many go then, the first one first.
        at: Vec<(Micros, u32)>,
    },
    /// Nothing: nobody judges nodes.
    Nobody {
        /// What is down; none if no controller-manager leads yet.
        down: Option<Component>,
    },
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
    /// Short name for the mark (`w0`).
    pub short: String,
    /// Owner id (see [`OwnerView`]); empty for a bare pod.
    pub owner: String,
    /// Node; empty while pending.
    pub node: String,
    /// Nominated node; empty if none.
    pub nominated: String,
    pub mark: PodMark,
    /// Whether the API says that it is ready.
    pub is_ready: bool,
    /// Phase as the API says.
    pub phase: String,
    /// Status as kubectl prints it.
    pub status: String,
    /// Labels, as `key=value`.
    pub labels: Vec<String>,
    /// What else it is found by, with spaces between: the images of its containers, its PriorityClass, its IPs.
    pub also: String,
    /// Image of its first container; empty of a ghost.
    pub image: String,
    /// What the scheduler counts for it: cpu in thousandths, memory in bytes. Nothing for a ghost.
    pub requests: (i64, i64),
    /// Since when its oldest running container runs, as the API says; none if none does.
    pub running_since: Option<Micros>,
    pub priority: i32,
    /// Ticks of priority, 0 to 3.
    pub ticks: u8,
    /// How far each container is.
    pub containers: Vec<ContainerStage>,
    /// Termination under way.
    pub termination: Option<Box<TerminationView>>,
    /// End of a back-off, or of another countdown.
    pub countdown: Option<Micros>,
    /// Pending pods: where in the queue and what it waits for.
    pub queue: Option<Box<QueueView>>,
}

impl PodView {
    pub fn uid(&self) -> &str {
        match self.mark {
            PodMark::Ghost => self.id.rsplit_once('@').map_or(&*self.id, |(uid, _)| uid),
            _ => &self.id,
        }
    }
}

/// How far a container is, as the API says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum ContainerStage {
    /// Not started, or in back-off.
    #[default]
    Waiting,
    Running,
    /// Ended well.
    Done,
    /// Ended with an exit code other than 0.
    Failed,
}

/// A termination timer (L-16).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct TerminationView {
    /// How far it is.
    pub stage: TerminationStage,
    /// When the stage began.
    pub since: Micros,
    /// When it ends at the latest; none if nobody can say (the node is cut off).
    pub until: Option<Micros>,
}

/// How far a termination is: the container that is furthest from its end speaks for the pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum TerminationStage {
    /// The kubelet has not heard of it yet.
    #[default]
    Unheard,
    /// The kubelet cannot hear of it: its node is dark.
    Unreachable,
    /// A preStop hook runs.
    PreStop,
    /// A container waits until others have ended.
    Turn,
    /// The stop signal was sent.
    Sigterm,
    /// SIGKILL was sent.
    Killed,
}

/// A pending pod's place in the scheduler's queue.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct QueueView {
    /// Where it stands and what it waits for.
    pub place: QueuePlace,
    /// End of the back-off, or of its victims' grace.
    pub until: Option<Micros>,
    /// Why no node took it at the last attempt; none before the first.
    pub refusal: Option<RefusalView>,
    /// The last message.
    pub message: String,
}

/// Where a pending pod stands and what it waits for.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum QueuePlace {
    /// The scheduler has not heard of it yet.
    #[default]
    Unheard,
    /// In the active queue: its turn comes.
    Active,
    /// In back-off.
    Backoff,
    /// Held by scheduling gates of these names.
    Gated(Vec<String>),
    /// It waits for less important pods to be gone from the node that it is nominated to.
    Victims {
        node: String,
        /// Those that still end there, `NAMESPACE/NAME`; none if they are only about to.
        pods: Vec<String>,
    },
    /// It fits nowhere, until an event may help one of these plugins, or the queue is flushed.
    Unschedulable(Vec<String>),
    /// Nobody can say, because no file has this.
    Unknown(NotHeld),
    /// No scheduler runs.
    Stranded,
    /// Nobody looks or binds: the API server is down, or cut off from etcd.
    Halted(Component),
    /// It is for a scheduler of that name, which does not run here.
    Foreign(String),
    /// A node is chosen and the binding under way.
    Binding {
        /// Whether it has volumes to wait for.
        has_volumes: bool,
    },
}

/// Why no node took a pod.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RefusalView {
    /// Nodes that there were.
    pub nodes: u32,
    /// Causes in two or three words with the nodes of each, most frequent first.
    pub causes: Vec<(String, u32)>,
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

/// A process of the control plane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComponentView {
    pub component: Component,
    /// How it is.
    pub state: ComponentState,
}

/// A process of the control plane, by what it does; of some there can be several instances.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Component {
    /// kube-apiserver.
    ApiServer,
    Etcd,
    /// kube-scheduler.
    Scheduler(u8),
    /// kube-controller-manager.
    ControllerManager(u8),
    /// The attacher of volumes.
    Attacher,
    /// The fencing controller.
    Fencing,
}

impl std::fmt::Display for Component {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (name, instance) = match self {
            Self::ApiServer => ("apiserver", 0),
            Self::Etcd => ("etcd", 0),
            Self::Scheduler(instance) => ("scheduler", *instance),
            Self::ControllerManager(instance) => ("controller-manager", *instance),
            Self::Attacher => ("attacher", 0),
            Self::Fencing => ("fencing", 0),
        };
        match instance {
            0 => f.write_str(name),
            _ => write!(f, "{name}/{instance}"),
        }
    }
}

/// How a process of the control plane is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ComponentState {
    /// It runs; nobody else could do its work.
    Up,
    /// It runs and leads.
    Leader,
    /// It runs and waits until nobody leads.
    Standby,
    /// It does not run.
    Down,
    /// Nobody reaches it.
    Unreachable,
}

impl ComponentState {
    /// Whether it runs.
    #[must_use]
    pub const fn is_up(self) -> bool {
        matches!(self, Self::Up | Self::Leader | Self::Standby)
    }
}

/// The control plane strip.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ControlPlaneView {
    /// Its processes.
    pub components: Vec<ComponentView>,
    /// Broken invariants.
    pub broken: Vec<BrokenInvariant>,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BrokenInvariant {
    /// Kebab-case name.
    pub name: String,
    /// First instant.
    pub at: Micros,
    /// What kind of thing caused it.
    pub cause: BreakCause,
    /// Who did it.
    pub by: Phrase,
    /// What was seen.
    pub seen: Phrase,
    /// When the command that is blamed was given, if it is one of this run.
    pub since: Option<Micros>,
    /// Whether it is the last command that a person gave: the one that an undo takes back.
    pub is_last: bool,
}

impl BrokenInvariant {
    /// When it broke, by whom and how, as one sentence.
    pub fn sentence(&self) -> String {
        let at = clock::instant(self.at);
        format!("Broken at {at} by {}: {}.", self.by, self.seen)
    }
}

/// What caused the break of an invariant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum BreakCause {
    /// Somebody's command.
    Command,
    Fault,
    /// Podscope itself.
    #[default]
    Bug,
}

impl BreakCause {
    /// As it is written.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Command => "command",
            Self::Fault => "fault",
            Self::Bug => "bug",
        }
    }
}

/// A branch of the session.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BranchView {
    /// Number.
    pub id: u32,
    /// Where it left its parent.
    pub from: Micros,
    pub parent: Option<u32>,
    /// First command that differs.
    pub label: String,
    /// Whether it is the present one.
    pub current: bool,
    /// Whether a person gave a command on it.
    pub is_touched: bool,
}
