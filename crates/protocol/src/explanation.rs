//! Explanation of a scheduling decision for the page (S-14): the conclusion, every node, every score, preemption.
//! [`explained`](crate::explained) formats it; texts of single plugins are sent as strings.

use podscope_messages::Sentence;
use serde::{Deserialize, Serialize};

use crate::explained::{DecisionSummary, NotHelpedNode, PreemptionResult, Refusal, Sampling, ScoreNote, WinReason};

/// The complete explanation of one decision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Explanation {
    pub outcome: Outcome,
    /// The outcome with the data that its sentence needs.
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

/// Outcome of a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Outcome {
    /// A node was chosen.
    Scheduled,
    /// No node fits, and preemption does not help or is not allowed.
    #[default]
    Unschedulable,
    /// No node fits, but preempting lower-priority pods makes room.
    Preempts,
    /// The cycle failed.
    Error,
}

/// A column of the score table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScoringPlugin {
    /// Name of the plugin in Kubernetes.
    pub name: String,
    /// Short description of the aspect that the plugin scores.
    pub about: String,
    pub weight: i64,
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

/// One spread constraint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpreadExplanation {
    pub topology_key: String,
    /// True for DoNotSchedule, false for ScheduleAnyway.
    pub hard: bool,
    /// Largest allowed difference between a domain's count and `min`.
    pub max_skew: i64,
    /// The smallest count of a domain; 0 with fewer than minDomains domains. For soft constraints, the smallest count of a
    /// scored domain.
    pub min: i64,
    /// If there are fewer domains than minDomains: number of domains, and minDomains.
    pub too_few_domains: Option<(usize, usize)>,
    /// The domains, sorted by name.
    pub domains: Vec<DomainCount>,
}

/// One domain of a constraint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DomainCount {
    /// Value of the topology label.
    pub value: String,
    /// Number of matching pods.
    pub count: i64,
    /// The skew if the pod were placed in this domain.
    pub skew: i64,
    /// `skew` is within `max_skew`.
    pub allowed: bool,
    /// The domain is scored: a soft constraint scores only domains with a feasible node.
    pub is_scored: bool,
}

/// How the preemption attempt of a scheduling cycle ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PreemptionExplanation {
    pub result: PreemptionResult,
    /// Nodes on which preemption would make room.
    pub candidates: Vec<CandidateExplanation>,
    /// If preemption does not help: the reason for each node.
    pub not_helped_nodes: Vec<NotHelpedNode>,
}

/// A node on which the pod would fit after its victims are preempted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CandidateExplanation {
    pub node: String,
    /// The pods to preempt, most important first.
    pub victims: Vec<VictimExplanation>,
    /// Lower-priority pods that need not be preempted.
    pub reprieved: Vec<VictimExplanation>,
    /// Number of victims whose preemption violates a PodDisruptionBudget.
    pub pdb_violations: usize,
}

/// A lower-priority pod on a candidate node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VictimExplanation {
    /// `namespace/name`.
    pub pod: String,
    pub priority: i32,
}
