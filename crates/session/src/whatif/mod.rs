//! What if: a question about a cluster is answered by a second run of it in which the thing happens, beside one in which
//! it does not. Nothing of the session that asks is touched.
//!
//! The story: [`ask`] plays the cluster to its beginning (a dump is as it is; files without status get a minute to come
//! up), gives the command that the question stands for (`kubectl drain`, `fault poweroff` on each node of a zone,
//! `fault join`, `kubectl scale`), and lets time run until nothing moves any more. The pods of both ends, before and
//! after, are compared in `compare.rs`: a pod that went and what its controller made in its place are one move. What goes
//! or comes in the run without the command as well is not the question's doing. `fit.rs` answers *how many more of these
//! fit* by the scheduler alone. Where a draw decides, several runs by other seeds say how often.

mod compare;
mod fit;
mod run;
mod text;

use podscope_api::{Kind, ObjectKey, ordered};
use serde::Serialize;

pub(crate) use compare::Picture;
pub use fit::{Fit, MOST, StoppedBy, fit};
pub(crate) use run::settle_workload;
pub use run::{Given, MOST_DRAWS, ask};
pub(crate) use text::node_line;
pub use text::{fit_markdown, fit_text, markdown, text};

/// What is to happen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Question {
    /// These nodes are drained.
    Drain(Vec<String>),
    /// All machines of a zone lose their power.
    LoseZone(String),
    /// So many nodes join that are like this one.
    Add { like: String, count: u32 },
    /// A workload wants so many pods.
    Scale { kind: Kind, key: ObjectKey, replicas: i32 },
}

/// What comes of it.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Answer {
    /// Pods that go, come, or get a node, each with where it goes.
    pub moves: Vec<Move>,
    /// Pods that a budget keeps where they are.
    pub blocked: Vec<Blocked>,
    /// Nodes that are fuller or emptier than before, by name.
    pub nodes: Vec<NodeChange>,
    /// Guarantees that break.
    pub broken: Vec<String>,
    /// What the command itself complained of.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub said: Vec<String>,
    /// Seconds of the cluster's time until nothing moved any more.
    pub seconds: i64,
    /// Runs by different seeds.
    pub draws: u32,
}

/// A pod and where it goes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Move {
    /// `NAMESPACE/NAME` of the pod that goes; of one that only comes its own.
    pub pod: String,
    /// Its node before; none of a pod that had none, or comes.
    pub from: Option<String>,
    /// The node of what takes its place; none if nothing runs in its place.
    pub to: Option<String>,
    /// Why there is no such node.
    pub reason: Option<String>,
    /// In which part of the draws it goes to that node, or to none.
    pub share: f64,
}

/// A pod that a PodDisruptionBudget keeps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Blocked {
    /// `NAMESPACE/NAME`.
    pub pod: String,
    /// `PodDisruptionBudget NAMESPACE/NAME`.
    pub by: String,
    /// Disruptions that it allows now.
    pub allowed: i32,
    /// Disruptions that an eviction takes.
    pub needed: i32,
}

/// What a node's pods ask for, of what it has.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct NodeChange {
    pub name: String,
    /// By resource: what is asked for, and what is allocatable; nothing of a node that is not there.
    pub before: ordered::Map<String, [String; 2]>,
    pub after: ordered::Map<String, [String; 2]>,
}
