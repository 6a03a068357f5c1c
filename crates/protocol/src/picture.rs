//! The state of a session at one time, as the page draws it (the picture): nodes, pods, timeline, story. Frames update
//! it.

use podscope_api::explained::RefusedNodes;
use podscope_api::fault::ViolationCause;
use podscope_api::{ConditionStatus, ordered};
use podscope_messages::Sentence;
use podscope_messages::t;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::clock;
use crate::{
    CausalThread, Director, MachineView, Mark, Micros, MissingObjectsView, NodeDevices, ServiceRequests, StoryState,
    Traffic,
};

/// An update of the page's picture of the session: the differences to the previous frame, or everything.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Frame {
    /// Current time of the session.
    pub now: Micros,
    /// The time up to which this branch has been computed.
    pub horizon: Micros,
    /// Whether time is running.
    pub playing: bool,
    /// Requested speed, in thousandths of real time.
    pub speed_per_mille: u64,
    /// Achieved speed, in thousandths of real time.
    pub achieved_per_mille: u64,
    /// Title of the run; sent with `reset`.
    pub title: Option<String>,
    /// Whether the fields below replace the whole picture; otherwise they are a delta.
    pub reset: bool,
    /// All groups of nodes (zones), if anything but the pod counts of a group changed.
    pub groups: Option<Vec<GroupView>>,
    /// Pod counts of each group of nodes, in the order of the last sent `groups`, if only counts changed.
    pub counts: Option<Vec<Vec<SpreadCount>>>,
    /// Changed and new nodes.
    pub nodes: Vec<NodeView>,
    pub nodes_gone: Vec<String>,
    /// Changed and new pods and ghosts, by `id`.
    pub pods: Vec<Arc<PodView>>,
    /// Ids of removed pods and ghosts.
    pub pods_gone: Vec<String>,
    /// The control plane, if it changed.
    pub control_plane: Option<ControlPlaneView>,
    /// All owners of pods with their colours, if there is a new owner.
    pub owners: Option<Vec<OwnerView>>,
    /// New and changed timeline marks, by `id`.
    pub marks: Vec<Mark>,
    /// Ids of removed marks (after seeking back on a changed branch).
    pub marks_gone: Vec<u64>,
    /// All branches, if they changed.
    pub branches: Option<Vec<BranchView>>,
    /// State of the story, if it changed.
    pub story: Option<StoryState>,
    /// The other run of a comparison, as a frame of its own.
    pub other: Option<Box<Frame>>,
    /// Upcoming events and fast runs, if they changed.
    pub director: Option<Director>,
    /// Spread of the inspected subject, if it changed; a value without domains removes it.
    pub spread: Option<SpreadLane>,
    /// Chain of causes of the inspected subject, if it changed; a value without records removes it.
    pub thread: Option<CausalThread>,
    /// Messages sent since the previous frame; empty after a jump in time.
    pub traffic: Traffic,
    /// Requests of clients by Service, if any of them changed.
    pub requests: Option<Vec<ServiceRequests>>,
    /// Devices of all nodes, if they changed.
    pub devices: Option<Vec<NodeDevices>>,
}

/// Pods per topology domain over time, as counted by a spread constraint of the inspected pod or workload. Without a
/// constraint, the pods of its owner are counted.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SpreadLane {
    /// Name of the pod or workload whose constraint counts the pods.
    pub of: String,
    /// Topology key of the constraint.
    pub key: String,
    /// Values of the key on included nodes, in order of appearance.
    pub domains: Vec<String>,
    /// Allowed skew; `None` without a constraint.
    pub max_skew: Option<u32>,
    /// Whether the constraint is hard (DoNotSchedule).
    pub hard: bool,
    /// Minimum number of domains (`minDomains`): with fewer domains, the minimum count is 0.
    pub min_domains: u32,
    /// The changes up to the horizon, oldest first.
    pub points: Vec<SpreadPoint>,
}

/// Pods per topology domain from the time `at` on.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SpreadPoint {
    pub at: Micros,
    /// Number of topology domains that exist at this time.
    pub found: u32,
    /// Number of pods in the emptiest domain, from which the skew is computed.
    pub least: u32,
    /// Number of pods in the fullest domain.
    pub most: u32,
    /// Pods by domain, in the order of [`SpreadLane::domains`]; `None` while a domain has no node. Empty if there are too many
    /// domains to draw.
    pub pods: Vec<Option<u32>>,
}

impl Frame {
    /// Returns the groups of nodes after this frame, if the frame changes them; `known` are the groups before it.
    pub fn take_groups(&mut self, known: &[GroupView]) -> Option<Vec<GroupView>> {
        let counts = self.counts.take();
        let replaced = self.groups.take();
        replaced.or_else(|| {
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

/// A group of nodes with the same zone, or with the same value of another label. `name` is empty for nodes without the
/// label.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GroupView {
    /// Value of the label that the nodes have in common.
    pub name: String,
    /// Names of the nodes, in order.
    pub nodes: Arc<Vec<String>>,
    /// Number of pods of each owner in the group, with the allowed skew if there is a constraint.
    pub counts: Vec<SpreadCount>,
}

/// Pods of one owner in one group.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SpreadCount {
    /// The owner's id.
    pub owner: String,
    /// Number of pods in the group that the constraint counts.
    pub pods: u32,
    /// Number of ghosts in the group: processes whose pod the API server no longer has.
    pub ghosts: u32,
    /// Allowed skew, if the owner's pods have a DoNotSchedule constraint on this key.
    pub max_skew: Option<u32>,
}

/// A node and its machine.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeView {
    pub name: String,
    /// Zone label; empty if none.
    pub zone: String,
    /// Whether the API server has a Node object for the machine.
    pub registered: bool,
    /// Status of condition Ready.
    #[serde(with = "crate::status")]
    pub ready: ConditionStatus,
    /// Reason of the Ready condition if it is not True.
    pub ready_reason: String,
    /// Last transition time of the Ready condition. Negative if the transition is from a dump, before the start.
    pub ready_since: Micros,
    /// What the control plane will do next with the node, if nothing changes.
    pub next: Option<NodeNext>,
    pub cordoned: bool,
    /// Taints as `key=value:Effect`.
    pub taints: Vec<String>,
    /// Pressure conditions that are True.
    pub pressure: Vec<String>,
    /// Whether the pressure comes from a dump and is not measured: it lasts until the machine restarts (P-09).
    pub pressure_lasts: bool,
    /// Whether the dump contains only the name of the node; capacity and labels are assumed (P-09).
    pub only_name: bool,
    /// Requested and allocatable cpu, in millicores.
    pub cpu: (i64, i64),
    /// Requested and allocatable memory, in bytes.
    pub memory: (i64, i64),
    pub pods: (i64, i64),
    /// Labels of the node, by which the page can group nodes.
    pub labels: ordered::Map<String, String>,
    pub machine: MachineView,
}

/// Next action of the control plane on a node without heartbeats.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum NodeNext {
    /// The Ready condition becomes Unknown, and the node is tainted.
    NotReady {
        /// Earliest time of the change.
        at: Micros,
    },
    /// Pods whose toleration of the node's taints expires are evicted.
    Evicts {
        /// Times, each with the number of evicted pods, earliest first.
        at: Vec<(Micros, u32)>,
    },
    /// Nothing happens to the node, because no node lifecycle controller runs.
    Nobody {
        /// The component that is down; `None` if no controller-manager leads yet.
        down: Option<Component>,
    },
}

/// State of a pod as the page draws it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum PodMark {
    /// The pod is not bound to a node.
    #[default]
    Pending,
    /// Bound to a node, but not started.
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
    /// A process runs, but the API server no longer has the pod.
    Ghost,
    /// Running according to the API, but the machine is unreachable.
    Unconfirmed,
}

/// A pod, or a ghost.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PodView {
    /// Unique id: the UID, or `UID@NODE` for a ghost.
    pub id: String,
    /// `NAMESPACE/NAME`.
    pub key: String,
    /// Short name that the page prints on the pod, such as `w0`.
    pub short: String,
    /// Owner id (see [`OwnerView`]); empty for a bare pod.
    pub owner: String,
    /// Name of the node; empty while pending.
    pub node: String,
    /// Nominated node; empty if none.
    pub nominated: String,
    pub mark: PodMark,
    /// Whether the pod is ready according to the API.
    pub is_ready: bool,
    /// Phase according to the API.
    pub phase: String,
    /// Status as kubectl prints it.
    pub status: String,
    /// Labels, as `key=value`.
    pub labels: Vec<String>,
    /// Further search terms, separated by spaces: images of the containers, PriorityClass, IPs.
    pub also: String,
    /// Image of the first container; empty for a ghost.
    pub image: String,
    /// Requests as counted by the scheduler: millicores, bytes of memory. 0 for a ghost.
    pub requests: (i64, i64),
    /// Start time of the oldest running container according to the API; `None` if none runs.
    pub running_since: Option<Micros>,
    pub priority: i32,
    /// Number of ticks (0 to 3) that show the pod's priority on the page.
    pub ticks: u8,
    /// State of each container, as the page draws it.
    pub containers: Vec<ContainerStage>,
    /// The termination in progress, if any.
    pub termination: Option<Box<TerminationView>>,
    /// End time of the countdown that the pod shows, such as a back-off.
    pub countdown: Option<Micros>,
    /// For a pending pod: its position in the scheduler's queue.
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

/// State of a container according to the API, as the page draws it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum ContainerStage {
    /// The container is not started, or is in back-off.
    #[default]
    Waiting,
    Running,
    /// Exited with code 0.
    Done,
    /// Exited with another code than 0.
    Failed,
}

/// Progress of a pod's termination (L-16).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct TerminationView {
    pub stage: TerminationStage,
    /// Start of the current stage of the termination.
    pub since: Micros,
    /// Latest end of the current stage; `None` if it is unknown because the node is cut off.
    pub until: Option<Micros>,
}

/// Stage of a termination. The container that is furthest from its end determines the stage of the pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum TerminationStage {
    /// The kubelet has not received the deletion yet.
    #[default]
    NotObserved,
    /// The kubelet cannot receive the deletion, because its node is unreachable.
    Unreachable,
    /// A preStop hook runs.
    PreStop,
    /// The container waits until other containers have terminated.
    Turn,
    /// The stop signal was sent.
    Sigterm,
    /// SIGKILL was sent.
    Killed,
}

/// Where a pending pod is in the scheduling queue, and what it waits for.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct QueueView {
    /// Part of the scheduling queue that holds the pod, or another reason why it waits.
    pub place: QueuePlace,
    /// End of the back-off, or of the victims' grace period.
    pub until: Option<Micros>,
    /// Reasons of the last failed attempt; `None` before the first.
    pub refusal: Option<RefusedNodes>,
    /// Message of the last failed attempt.
    pub message: String,
}

/// Part of the scheduling queue that holds a pending pod, or another reason why the pod waits.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum QueuePlace {
    /// The scheduler has not received the pod yet.
    #[default]
    NotObserved,
    /// The pod is in activeQ: the scheduler will try it next.
    Active,
    /// The pod is in backoffQ, until its back-off ends.
    Backoff,
    /// Held by scheduling gates with these names.
    Gated(Vec<String>),
    /// Waiting until its victims have terminated on the nominated node.
    Victims {
        node: String,
        /// `NAMESPACE/NAME` of the terminating victims; empty if their deletion has not begun.
        pods: Vec<String>,
    },
    /// The pod is in unschedulablePods, until an event occurs that may make one of these plugins accept it, or until
    /// the periodic flush.
    Unschedulable(Vec<String>),
    /// Unknown, because these objects are missing from the dump.
    Unknown(MissingObjectsView),
    /// No scheduler runs.
    Stranded,
    /// Scheduling is halted: the API server is down, or cut off from etcd.
    Halted(Component),
    /// The pod has the `schedulerName` of a scheduler that does not run here.
    Foreign(String),
    /// A node is chosen and the binding is in progress.
    Binding {
        /// Whether the binding waits for volumes.
        has_volumes: bool,
    },
}

/// An owner of pods and its colour.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OwnerView {
    /// `KIND NAMESPACE/NAME` of the topmost owner, such as the Deployment.
    pub id: String,
    /// Short name.
    pub name: String,
    /// Index into the colour palette.
    pub hue: u8,
}

/// A process of the control plane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComponentView {
    pub component: Component,
    pub state: ComponentState,
}

/// A component of the control plane. Some components can have several instances, which are numbered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Component {
    /// kube-apiserver.
    ApiServer,
    Etcd,
    /// kube-scheduler.
    Scheduler(u8),
    /// kube-controller-manager.
    ControllerManager(u8),
    /// The attach-detach controller, as a process of its own.
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

/// State of a control-plane process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ComponentState {
    /// Running; the component has no leader election.
    Up,
    /// Running as the leader.
    Leader,
    /// Running, and waiting to become the leader.
    Standby,
    /// The process does not run.
    Down,
    /// Running, but unreachable.
    Unreachable,
}

impl ComponentState {
    /// Returns whether the process runs and is reachable.
    #[must_use]
    pub const fn is_up(self) -> bool {
        matches!(self, Self::Up | Self::Leader | Self::Standby)
    }
}

/// State of the control plane.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ControlPlaneView {
    pub components: Vec<ComponentView>,
    /// Violated invariants.
    pub broken: Vec<BrokenInvariant>,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BrokenInvariant {
    /// Name of the invariant in kebab case.
    pub name: String,
    /// Time of the violation.
    pub at: Micros,
    /// Kind of the cause.
    pub cause: ViolationCause,
    /// The cause: a command, a fault or a bug.
    pub by: Sentence,
    /// Description of the observed violation.
    pub seen: Sentence,
    /// Time of the command that caused the violation, if it is a command of this run.
    pub since: Option<Micros>,
    /// Whether the cause is the last command of the user, which an undo would revert.
    pub is_last: bool,
}

impl BrokenInvariant {
    /// Formats time, cause and description of the violation as one sentence.
    pub fn sentence(&self) -> String {
        let time = clock::instant(self.at);
        t!(picture::broken, time = time, cause = self.by, violation = self.seen)
    }
}

/// Returns a word for the kind of cause of a violation.
#[must_use]
pub fn cause_word(cause: ViolationCause) -> String {
    match cause {
        ViolationCause::Command => t!(picture::cause_command),
        ViolationCause::Fault => t!(picture::cause_fault),
        ViolationCause::Bug => t!(picture::cause_bug),
    }
}

/// A branch of the session.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BranchView {
    /// Number of the branch.
    pub id: u32,
    /// Time at which the branch forks from its parent.
    pub from: Micros,
    pub parent: Option<u32>,
    /// First command that differs from the parent.
    pub label: String,
    /// Whether the session is on this branch.
    pub current: bool,
    /// Whether the user has run a command on this branch.
    pub is_touched: bool,
}
