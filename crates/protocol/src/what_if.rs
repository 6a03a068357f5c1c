//! What-if questions about the session at its current time, and their answers: the effects of removing nodes, the
//! number of pods that still fit, and the figures of two runs.

use podscope_messages::Sentence;
use serde::{Deserialize, Serialize};

use crate::Micros;
use crate::markdown::Block;

/// A change that is tried on a copy of the session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum WhatIf {
    /// Drain these nodes.
    Drain(Vec<String>),
    /// Power off all machines of a zone.
    LoseZone(String),
    /// Place copies of the pod `NAMESPACE/NAME` one after another, until no node accepts another copy. If fewer than
    /// `need` copies fit, also find changes that make room for `need` copies.
    Fit { pod: String, need: u32 },
    /// Drain the emptiest nodes one after another, as long as every pod finds another node.
    Consolidate,
    /// Change nothing: measure the session, and the session with which it is compared.
    Figures,
}

/// The predicted effects of the change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WhatIfAnswer {
    pub change: WhatIf,
    /// Time in the session at which the change is tried.
    pub at: Micros,
    pub moves: Vec<PodMove>,
    /// How many copies of a pod fit on each node, sorted by node name. Empty unless the question is `Fit`.
    pub room: Vec<NodeRoom>,
    /// Changes that make room for the needed copies, smallest first.
    pub changes: Vec<RoomChange>,
    /// The nodes that can be removed. Empty unless the question is `Consolidate`.
    pub can_go: Vec<String>,
    /// Figures of the session, and of the session with which it is compared. Empty unless the question is `Figures`.
    pub figures: ComparedFigures,
    /// Headings with their lines: budgets that block, volumes that cannot follow, nodes, objects that temporarily have
    /// fewer pods or endpoints than required, and broken guarantees. Headings without lines are omitted.
    pub sections: Vec<(Sentence, Vec<Sentence>)>,
    /// The answer in one sentence.
    pub summary: Sentence,
    /// The whole answer, to be copied as Markdown.
    pub markdown: Vec<Block>,
}

/// Where one pod would go.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PodMove {
    /// `NAMESPACE/NAME` of the pod that is removed, or of the new pod.
    pub pod: String,
    /// Node of the pod before the change. `None` if it had none, or if the pod is new.
    pub from: Option<String>,
    /// Node of the new pod or of the replacement. `None` if the pod is not replaced or its replacement does not run.
    pub to: Option<String>,
    /// The reason why `to` is `None`.
    pub reason: Option<Sentence>,
    /// Whether `to` is `None` because the replacement, or the new pod, stays Pending.
    pub waits: bool,
}

/// A change of the cluster that makes room for copies of a pod.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RoomChange {
    /// The commands that make the change.
    pub commands: Vec<String>,
    /// Number of copies that fit after the change, counted up to the needed number.
    pub fits: u32,
}

/// How many copies of a pod fit on one node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeRoom {
    pub node: String,
    /// Number of copies that were placed on the node.
    pub pods: usize,
    /// The scheduler's reasons for refusing another copy on this node. Empty if counting stopped at its maximum.
    pub reason: String,
}

/// Figures of the two runs of a comparison.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ComparedFigures {
    /// Rows with the name of a figure, and its value in each run.
    pub rows: Vec<Vec<Sentence>>,
    pub fullness: Vec<NodeFullness>,
}

/// How full the nodes are in each of two runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeFullness {
    pub resource: String,
    /// For each run, the requested share of each node in thousandths, fullest node first. If there are many nodes, a
    /// sample at equal intervals.
    pub runs: Vec<Vec<u32>>,
}
