//! What-if questions about a cluster. A copy of the cluster runs with the change in question and is compared with a run
//! without it. The session itself is not changed.
//!
//! [`ask`] plays the cluster to its start: a dump is used as it is; files without status get a minute to start. It then
//! runs the question's command (`kubectl drain`, `fault poweroff` on each node of a zone, `fault join`, `kubectl
//! scale`) and advances time until no pod moves any more; `asking.rs` does so in pieces, for the page. `compare.rs`
//! compares the pods before and after: a pod that disappeared and its replacement form one move. Changes that also occur
//! without the command are left out. `count.rs` counts how many more pods of given shapes fit, with the scheduler alone;
//! `fit.rs` takes the shapes from files or from a pod, and `room.rs` finds a small change of the cluster that makes room
//! for more. `shortfall.rs` measures for how long workloads, budgets and Services have less than before, and `volumes.rs`
//! names the volumes that cannot follow their pods. `grow.rs` asks which node group would take a pending pod. `rolling.rs`
//! drains node after node: to find an order that works, or the nodes that the cluster can do without. If
//! results depend on randomness, several runs with other seeds give their frequency.

mod asking;
mod compare;
mod count;
mod fit;
mod group_text;
mod grow;
mod rolling;
mod room;
mod run;
mod shortfall;
mod text;
mod volumes;

use podscope_api::{Kind, ObjectKey, Pod, ordered};
use podscope_messages::Sentence;
use serde::Serialize;

pub use asking::QuestionRun;
pub(crate) use compare::ClusterState;
pub use compare::combine_draws;
pub use fit::{Fit, Fitting, MAX_COPIES, Shape, ShapeFit, StoppedBy, fit};
pub(crate) use group_text::group_help;
pub use group_text::{group_lines, grow_markdown, grow_text};
pub(crate) use grow::GroupCheck;
pub use grow::{Group, GroupAnswer, Grow, PodGroups, grow, grow_for};
pub use rolling::{Consolidation, ConsolidationSearch, DrainedNode, Rolling, StoppedNode, consolidate, rolling_drain};
pub use room::Change;
pub(crate) use run::settle_workload;
pub use run::{MAX_DRAWS, ask};
pub use shortfall::Shortfall;
pub(crate) use text::{add_section, in_capitals, node_line};
pub use text::{
    consolidation_markdown, consolidation_sections, consolidation_summary, consolidation_text, fit_markdown,
    fit_summary, fit_text, markdown, rolling_markdown, rolling_text, sections, summary, text,
};
pub use volumes::StuckVolume;

/// Interrupts long work, and observes its progress.
#[derive(Clone, Copy)]
pub struct Control<'a> {
    /// Work ends early, with what it has found so far, when this returns true.
    pub stop: fn() -> bool,
    pub progress: &'a (dyn Fn(Stage) + Sync),
}

/// A stage of long work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// The cluster in the files is being started.
    Starting,
    /// The cluster is being simulated; the progress in per mille.
    Simulating(u32),
    /// Number of drains that have been tried, and maximum number of drains.
    Drained(usize, usize),
    /// Number of copies of the shapes that have been placed.
    Placed(usize),
}

/// Returns whether a drain evicts or deletes the pod.
fn is_drained(pod: &Pod) -> bool {
    !pod.is_terminal() && !pod.is_mirror() && !pod.is_daemon()
}

/// A change to a cluster.
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

/// Result of a change.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Answer {
    /// Pods that disappear, are created, or get a node.
    pub moves: Vec<Move>,
    /// Pods whose eviction a PodDisruptionBudget prevents.
    pub blocked: Vec<Blocked>,
    /// Nodes whose requested resources have changed, by name.
    pub nodes: Vec<NodeChange>,
    /// Names of the invariants that the change violates.
    pub broken: Vec<String>,
    /// Workloads, budgets and Services that had less than before the change, and for how long.
    pub shortfalls: Vec<Shortfall>,
    /// Volumes that cannot follow their pods.
    pub volumes: Vec<StuckVolume>,
    /// Error output of the command.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub said: Vec<String>,
    /// Simulated seconds until the last pod moved.
    pub seconds: i64,
    /// Number of runs with different seeds.
    pub draws: u32,
}

/// A pod that disappears, is created, or gets a node.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Move {
    /// `NAMESPACE/NAME` of the pod that disappears; for a new pod, its own name.
    pub pod: String,
    /// Node of the pod before. None if the pod had no node or is new.
    pub from: Option<String>,
    /// Node of the pod or of its replacement afterwards. None if nothing runs in its place.
    pub to: Option<String>,
    /// The reason why `to` is None.
    #[serde(serialize_with = "podscope_messages::as_english")]
    pub reason: Option<Sentence>,
    /// Whether `to` is None because the replacement, or the new pod itself, stays Pending.
    #[serde(skip)]
    pub waits: bool,
    /// Share of the draws in which the pod moves like this.
    pub share: f64,
}

/// A pod whose eviction a PodDisruptionBudget prevents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Blocked {
    pub pod: String,
    /// The PodDisruptionBudget, as `PodDisruptionBudget NAMESPACE/NAME`.
    pub by: String,
    /// Number of disruptions that the budget allows now.
    pub allowed: i32,
    /// Number of disruptions that an eviction needs.
    pub needed: i32,
}

/// Change of a node's requested or allocatable resources.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct NodeChange {
    pub name: String,
    /// The requested and the allocatable quantity of each resource. Empty if the node did not exist.
    pub before: ordered::Map<String, [String; 2]>,
    pub after: ordered::Map<String, [String; 2]>,
}
