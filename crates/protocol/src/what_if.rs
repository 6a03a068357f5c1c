//! What would happen if nodes went, how many more pods fit, and the figures of two runs: a question about the session at
//! its present time, and the answer.

use podscope_messages::Sentence;
use serde::{Deserialize, Serialize};

use crate::Micros;
use crate::markdown::Block;

/// What is tried on a copy of the session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum WhatIf {
    /// Drain these nodes.
    Drain(Vec<String>),
    /// Power off all machines of a zone.
    LoseZone(String),
    /// Place copies of the pod `NAMESPACE/NAME` until no node accepts the next one. If fewer than `need` fit, find
    /// changes that make room for so many.
    Fit { pod: String, need: u32 },
    /// Drain the emptiest nodes one after another, as long as every pod finds another node.
    Consolidate,
    /// Change nothing: measure the session and the one that it is compared with.
    Figures,
}

/// What the change would bring.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WhatIfAnswer {
    pub change: WhatIf,
    /// The instant of the session at which the change is tried.
    pub at: Micros,
    pub moves: Vec<PodMove>,
    /// Each node's room for copies of a pod, by name. Empty unless the question is about copies.
    pub room: Vec<NodeRoom>,
    /// Changes that make room for the copies that are needed, the smallest first.
    pub changes: Vec<RoomChange>,
    /// The nodes that the cluster can do without. Empty unless the question is about them.
    pub can_go: Vec<String>,
    /// Figures of the session and of the one that it is compared with. Empty unless the question is about them.
    pub figures: ComparedFigures,
    /// Headings with their lines: budgets that block, volumes that stay, nodes, what has less than before, and broken
    /// guarantees. Headings without lines are left out.
    pub sections: Vec<(Sentence, Vec<Sentence>)>,
    /// The answer in one sentence.
    pub summary: Sentence,
    /// The whole answer, to be copied as Markdown.
    pub markdown: Vec<Block>,
}

/// Where a pod goes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PodMove {
    /// `NAMESPACE/NAME` of the pod that disappears. For a new pod, its own.
    pub pod: String,
    /// Node of the pod before. `None` if it had none, or is new.
    pub from: Option<String>,
    /// Node of the pod or of its replacement. `None` if nothing runs in its place.
    pub to: Option<String>,
    /// Why `to` is `None`.
    pub reason: Option<Sentence>,
    /// `to` is `None` because the pod that replaces it stays Pending, or the new pod itself.
    pub waits: bool,
}

/// A change of the cluster that makes room for copies of a pod.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RoomChange {
    /// The commands that make it.
    pub commands: Vec<String>,
    /// Number of copies that fit then, counted up to the number that is needed.
    pub fits: u32,
}

/// A node's room for copies of a pod.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeRoom {
    pub node: String,
    /// Number of copies that were placed on the node.
    pub pods: usize,
    /// The scheduler's reasons for refusing the next copy. Empty if counting stopped at its maximum.
    pub reason: String,
}

/// Figures of two runs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ComparedFigures {
    /// A figure's name, and its value in each run.
    pub rows: Vec<Vec<Sentence>>,
    pub fullness: Vec<Fullness>,
}

/// How full the nodes of two runs are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Fullness {
    pub resource: String,
    /// For each run, the requested share of each node in per mille, the fullest first; of many nodes, of some in equal
    /// steps.
    pub runs: Vec<Vec<u32>>,
}
