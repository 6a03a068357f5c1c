//! Explanation of a scheduling decision for the page (S-14): the conclusion, every node, every score, preemption.
//! [`explained`](crate::explained) formats it; texts of single plugins are sent as strings.

use podscope_messages::Sentence;
use serde::{Deserialize, Serialize};

use crate::explained::{
    DecisionSummary, PreemptionExplanation, Refusal, Sampling, ScoreNote, ScoringPlugin, SpreadExplanation, Verdict,
    WinReason,
};

/// The complete explanation of one decision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Explanation {
    pub verdict: Verdict,
    /// The verdict with the data that its sentence needs.
    pub conclusion: DecisionSummary,
    /// The node that was bound or nominated, if it is known: drawn at random or the single best.
    pub chosen: Option<String>,
    /// The reason why the chosen node won.
    pub won: Option<WinReason>,
    /// kube-scheduler's own message.
    pub message: Option<String>,
    /// The plugins that scored, in order.
    pub plugins: Vec<ScoringPlugin>,
    /// Every node, in the order in which they are examined.
    pub nodes: Vec<NodeExplanation>,
    /// Spread constraints with their counts per domain.
    pub spread: Vec<SpreadExplanation>,
    /// Result of preemption; `None` if a node fits.
    pub preemption: Option<PreemptionExplanation>,
    /// Set if the search stopped before all nodes were examined.
    pub sampling: Option<Sampling>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeExplanation {
    pub name: String,
    pub verdict: NodeVerdict,
    /// What the pod's claims get of the node's devices, and why other devices do not do: one a line.
    pub devices: Vec<Sentence>,
}

/// Result of a node in the decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum NodeVerdict {
    /// The pod can run on the node.
    Fits {
        /// Weighted scores, one for each of [`Explanation::plugins`]; empty if nothing was scored.
        scores: Vec<i64>,
        /// Sum of `scores`.
        total: Option<i64>,
        /// Notes of plugins about their score, with the index into [`Explanation::plugins`].
        score_notes: Vec<(usize, ScoreNote)>,
    },
    /// The pod cannot run on the node.
    Refused {
        /// The rejecting plugin and its text.
        refusal: Refusal,
        /// kube-scheduler's reasons for the rejection.
        reasons: Vec<String>,
        /// The reasons, shortened to two or three words each.
        short: String,
    },
    /// The search stopped before this node.
    NotExamined,
}
