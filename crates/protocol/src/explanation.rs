//! A decision of the scheduler as the page shows it (S-14): first what it came to, then every node, every score,
//! preemption. Its words are made in [`explained`](crate::explained); what plugins say themselves crosses as their text.

use serde::{Deserialize, Serialize};

use crate::explained::{Conclusion, PreemptionResult, Refusal, Sampling, Unhelped, Won};

/// The whole story of one decision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Explanation {
    /// How it ended.
    pub outcome: Outcome,
    /// The same with what a sentence about it needs.
    pub conclusion: Conclusion,
    /// The node that was taken, or nominated: by a draw, or because it alone was best.
    pub chosen: Option<String>,
    /// Why the winner won.
    pub won: Option<Won>,
    /// kube-scheduler's own text.
    pub message: Option<String>,
    /// The plugins that scored, in order.
    pub plugins: Vec<ScoringPlugin>,
    /// Every node, in the order in which they are examined.
    pub nodes: Vec<NodeExplanation>,
    /// Spread constraints with their counts per domain.
    pub spread: Vec<SpreadExplanation>,
    /// When no node fits.
    pub preemption: Option<PreemptionExplanation>,
    /// Where the search stopped early.
    pub sampling: Option<Sampling>,
}

/// How a decision ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Outcome {
    /// A node was chosen.
    Scheduled,
    /// No node fits, and ending pods would not help, or is not allowed.
    #[default]
    Unschedulable,
    /// No node fits, but one would without some less important pods.
    Preempts,
    /// The cycle failed.
    Error,
}

/// A column of the score table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScoringPlugin {
    /// Its name in Kubernetes.
    pub name: String,
    /// What it looks at.
    pub about: String,
    pub weight: i64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeExplanation {
    pub name: String,
    /// What became of it.
    pub verdict: NodeVerdict,
}

/// What became of a node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum NodeVerdict {
    /// The pod can run there.
    Fits {
        /// Weighted scores, one for each of [`Explanation::plugins`]; empty where nothing was scored.
        scores: Vec<i64>,
        /// Their sum.
        total: Option<i64>,
        /// What a plugin adds to its score, in words, by its place among [`Explanation::plugins`]; most add nothing.
        said: Vec<(usize, String)>,
    },
    /// A plugin refused it.
    Refused {
        /// Who, and what it says.
        refusal: Refusal,
        /// kube-scheduler's reasons.
        reasons: Vec<String>,
        /// The same in two or three words each.
        short: String,
    },
    /// The search ended before.
    NotExamined,
}

/// One spread constraint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpreadExplanation {
    /// Over which label.
    pub topology_key: String,
    /// DoNotSchedule (`true`) or ScheduleAnyway.
    pub hard: bool,
    /// Largest difference allowed.
    pub max_skew: i64,
    /// The smallest count (0 below minDomains); for soft constraints the smallest shown.
    pub min: i64,
    /// Where there are fewer domains than minDomains: how many there are, and how many it wants.
    pub too_few_domains: Option<(usize, usize)>,
    /// The domains, by name.
    pub domains: Vec<DomainCount>,
}

/// One domain of a constraint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DomainCount {
    /// The label's value.
    pub value: String,
    /// Matching pods.
    pub count: i64,
    /// The skew if the pod went there.
    pub skew: i64,
    /// Whether that is within the limit.
    pub allowed: bool,
    /// Whether it is compared with others: a soft constraint scores only domains with a node that can take the pod.
    pub is_scored: bool,
}

/// What preemption found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PreemptionExplanation {
    pub result: PreemptionResult,
    /// Nodes with victims.
    pub candidates: Vec<CandidateExplanation>,
    /// Where nothing helps: why not, node by node.
    pub unhelped: Vec<Unhelped>,
}

/// A node on which the pod would fit without some others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CandidateExplanation {
    pub node: String,
    /// Who would have to end, most important first.
    pub victims: Vec<VictimExplanation>,
    /// Pods of lower priority that may stay.
    pub reprieved: Vec<VictimExplanation>,
    /// Victims that a PodDisruptionBudget protects.
    pub pdb_violations: usize,
}

/// A pod of lower priority.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VictimExplanation {
    /// `namespace/name`.
    pub pod: String,
    pub priority: i32,
}
