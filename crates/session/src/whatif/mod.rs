//! What-if questions about a cluster: a copy of the cluster runs with the change in question, and is compared with a
//! run without it. The session itself is not changed.
//!
//! [`ask`] first lets the cluster start: a dump is used as it is; a cluster without status is simulated for a minute.
//! Then `ask` runs the question's command (`kubectl drain`, `fault poweroff` on each node of a zone, `fault join`,
//! `kubectl scale`) and advances time until no pod moves any more; `question_run.rs` does so in pieces, for the page.
//! `compare.rs` compares the pods before and after: a pod that disappeared and its replacement form one move. Changes
//! that also occur without the command are left out. `count.rs` counts how many more pods of given shapes fit, with the
//! scheduler alone; in `fit.rs` the shapes come from files or from a pod, and `room_search.rs` finds a small change of
//! the cluster that makes room for more. `shortfall.rs` measures for how long workloads, budgets and Services have less
//! than before, and `volumes.rs` lists the volumes that cannot follow their pods. `grow.rs` determines which node group
//! could run a pending pod. `rolling.rs` drains node after node, to find an order in which this works, or the nodes
//! that the cluster does not need. If results depend on randomness, several runs with other seeds (draws) show how
//! frequent each result is.

mod compare;
mod count;
mod fit;
mod group_text;
mod grow;
mod question_run;
mod rolling;
mod room_search;
mod run;
mod shortfall;
mod text;
mod volumes;

use podscope_api::{Kind, ObjectKey, Pod, ordered};
use podscope_messages::Sentence;
use serde::Serialize;

pub(crate) use compare::ClusterState;
pub use compare::combine_draws;
pub use fit::{FitAnswer, FitRun, MAX_COPIES, PodShape, RefusingNode, ShapeFit, fit};
pub(crate) use group_text::group_help;
pub use group_text::{group_growth_markdown, group_growth_text, group_lines};
pub(crate) use grow::GroupCheck;
pub use grow::{
    GroupAnswer, GroupGrowth, NodeGroupSummary, PodGroupAnswers, evaluate_node_groups, group_answers_for_pod,
};
pub use question_run::QuestionRun;
pub use rolling::{
    Consolidation, ConsolidationSearch, DrainedNode, RollingDrain, UndrainableNode, consolidate, rolling_drain,
};
pub use room_search::RoomChange;
pub(crate) use run::settle_pods;
pub use run::{MAX_DRAWS, ask};
pub use shortfall::Shortfall;
pub(crate) use text::{add_section, in_capitals, node_line};
pub use text::{
    consolidation_markdown, consolidation_sections, consolidation_summary, consolidation_text, fit_markdown,
    fit_summary, fit_text, markdown, rolling_markdown, rolling_text, sections, summary, text,
};
pub use volumes::StuckVolume;

/// Lets a caller interrupt long work and observe its progress.
#[derive(Clone, Copy)]
pub struct WorkControl<'a> {
    /// When this function returns true, the work ends early; its result is what has been found so far.
    pub stop: fn() -> bool,
    pub progress: &'a (dyn Fn(ProgressStage) + Sync),
}

/// What a long computation is currently doing, for progress reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProgressStage {
    /// The cluster in the files is simulated until it has started.
    Starting,
    /// The cluster is simulated with and without the change; the value is the progress in per mille.
    Simulating(u32),
    /// Nodes are drained; the values are the number of drains so far, and the maximum number of drains.
    Drained(usize, usize),
    /// Copies of the shapes are placed; the value is the number of placed copies.
    Placed(usize),
}

/// Returns whether a drain of the pod's node evicts or deletes the pod.
fn is_removed_by_drain(pod: &Pod) -> bool {
    !pod.is_terminal() && !pod.is_mirror() && !pod.is_daemon()
}

/// The change to a cluster in a what-if question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Question {
    /// Drain these nodes.
    Drain(Vec<String>),
    /// Power off all machines of a zone.
    LoseZone(String),
    /// Add `count` nodes that are copies of the node `like`.
    Add { like: String, count: u32 },
    /// Scale a workload.
    Scale { kind: Kind, key: ObjectKey, replicas: i32 },
}

/// The answer to a what-if question: the result of the change.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Answer {
    /// Pods that disappear, are created, or get a node.
    pub moves: Vec<PodMove>,
    /// Pods that a drain cannot evict, because a PodDisruptionBudget prevents it.
    pub blocked: Vec<BlockedPod>,
    /// Nodes whose requested or allocatable resources are changed, ordered by name.
    pub nodes: Vec<NodeChange>,
    /// Names of the invariants that the change violates.
    pub broken: Vec<String>,
    /// Workloads, PodDisruptionBudgets and Services that had less than before the change, each with the duration.
    pub shortfalls: Vec<Shortfall>,
    /// Volumes that cannot follow their pods to other nodes.
    pub volumes: Vec<StuckVolume>,
    /// Error messages of the command that made the change.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub said: Vec<String>,
    /// Simulated time from the change until the end of the run, in seconds.
    pub seconds: i64,
    /// Number of runs with different seeds (draws) that were combined.
    pub draws: u32,
}

/// The move of a pod: it disappears, is created, or gets a node.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PodMove {
    /// `NAMESPACE/NAME` of the pod that disappears. For a new pod, its own name.
    pub pod: String,
    /// Node of the pod before the change. None if the pod had no node or is new.
    pub from: Option<String>,
    /// Node of the pod or of its replacement after the change. None if no pod runs in its place.
    pub to: Option<String>,
    /// The reason why `to` is None.
    #[serde(serialize_with = "podscope_messages::as_english")]
    pub reason: Option<Sentence>,
    /// Whether `to` is None because the replacement, or the new pod itself, is pending.
    #[serde(skip)]
    pub waits: bool,
    /// Share of the runs with different seeds in which the pod moves like this.
    pub share: f64,
}

/// A pod whose eviction a PodDisruptionBudget prevents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BlockedPod {
    pub pod: String,
    /// The PodDisruptionBudget that prevents the eviction, as `PodDisruptionBudget NAMESPACE/NAME`.
    pub by: String,
    /// Number of disruptions that the PodDisruptionBudget allows now.
    pub allowed: i32,
    /// Number of disruptions that the eviction of a pod needs.
    pub needed: i32,
}

/// The change of a node's requested or allocatable resources.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct NodeChange {
    pub name: String,
    /// The requested and the allocatable quantity of each resource. Empty if the node did not exist before the change.
    pub before: ordered::Map<String, [String; 2]>,
    pub after: ordered::Map<String, [String; 2]>,
}
