//! The explanation of a scheduling decision as data (S-14). The scheduler produces it; the page and the command line
//! turn it into sentences. Text from a plugin is kept verbatim.
//!
//! Invariant: whether a field is serialized does not depend on its value, because messages to the page are encoded
//! without field names. A field with `serde(skip)` is not sent to the page, where it has its default value; only the
//! JSON output (`explanation_json` in the session crate) contains it.

mod devices;

use serde::{Deserialize, Serialize};

pub use self::devices::*;

/// The complete explanation of one decision. The explanation of devices ([`NodeDevices`]) is a separate value, because
/// the page does not read it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Explanation {
    /// Name of the profile that decided.
    #[serde(skip)]
    pub scheduler_name: String,
    #[serde(skip)]
    pub priority: i32,
    pub conclusion: DecisionSummary,
    /// The node to which the pod was bound, or the nominated node of the pod; None if there is no such node, or if the
    /// random choice among the best nodes has not happened yet.
    pub chosen: Option<String>,
    /// The nodes with the highest score; more than one is a tie.
    #[serde(skip)]
    pub hosts: Vec<String>,
    /// The reason why the chosen node won.
    pub won: Option<WinReason>,
    /// Message of the FailedScheduling event if no node is feasible, or the error of the scheduling cycle.
    pub message: Option<String>,
    /// The plugins that scored the nodes, in the order of their scores in [`NodeScores`].
    pub plugins: Vec<ScoringPlugin>,
    /// Every node, in the order in which they are examined.
    pub nodes: Vec<NodeExplanation>,
    /// Spread constraints with their counts per domain.
    pub spread: Vec<SpreadExplanation>,
    /// Result of preemption; `None` if a node fits.
    pub preemption: Option<PreemptionExplanation>,
    /// Set if the search stopped before all nodes were examined.
    pub sampling: Option<NodeSampling>,
}

impl Explanation {
    /// Returns `namespace/name` of the pod.
    pub fn pod(&self) -> &str {
        &self.conclusion.pod
    }

    /// Returns the verdict on the pod: scheduled, unschedulable, preempts or error.
    pub fn verdict(&self) -> SchedulingVerdict {
        self.conclusion.outcome.verdict()
    }
}

/// The result of a scheduling decision for one node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeExplanation {
    pub name: String,
    /// Value of the node's zone label.
    #[serde(skip)]
    pub zone: Option<String>,
    pub verdict: NodeVerdict,
}

/// Whether a node can run the pod.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum NodeVerdict {
    /// The pod can run on the node.
    Fits(NodeScores),
    /// The pod cannot run on the node.
    Refused {
        refusal: NodeRefusal,
        code: Code,
        /// kube-scheduler's reasons.
        reasons: Vec<String>,
        /// The reasons, shortened to two or three words each.
        short: String,
    },
    /// The search stopped before this node.
    NotExamined,
}

/// Scores of a node on which the pod can run. All are empty if nothing was scored, as with a single feasible node.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct NodeScores {
    /// Weighted scores, one for each of [`Explanation::plugins`].
    pub weighted: Vec<i64>,
    /// Unweighted scores before normalization to 0…100, one for each of [`Explanation::plugins`].
    #[serde(skip)]
    pub raw: Vec<i64>,
    /// Sum of `weighted`.
    pub total: Option<i64>,
    /// Notes of plugins about their score, with the index into [`Explanation::plugins`].
    pub notes: Vec<(usize, ScoreNote)>,
}

/// Status code of a rejection, as in kube-scheduler's framework.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Code {
    /// Preemption may help.
    Unschedulable,
    /// Preemption cannot help.
    UnschedulableAndUnresolvable,
    /// An internal error, which fails the cycle.
    Error,
}

impl Code {
    /// Returns the name that kube-scheduler gives the code.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unschedulable => "Unschedulable",
            Self::UnschedulableAndUnresolvable => "UnschedulableAndUnresolvable",
            Self::Error => "Error",
        }
    }
}

/// The outcome for a pod, in one sentence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DecisionSummary {
    /// `namespace/name`.
    pub pod: String,
    pub outcome: DecisionOutcome,
}

/// A plugin's note about its score for a node, where the number alone does not explain it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ScoreNote {
    /// How evenly the node's resources are used, from 0 to 100, without the pod and with it.
    Evenness { without: i64, with: i64 },
}

/// How a decision ended, with the values that its sentence needs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum DecisionOutcome {
    /// The scheduling cycle failed. The field is kube-scheduler's error message.
    Failed(String),
    /// Only one node can run the pod.
    OnlyNode {
        node: String,
        /// Number of nodes in the cluster.
        of: usize,
    },
    /// One node has the highest score.
    Best {
        node: String,
        /// Number of nodes that can run the pod.
        fit: usize,
        /// Number of nodes in the cluster.
        of: usize,
    },
    /// `among` nodes have the same highest score, and a random draw chose `node`.
    Drawn { node: String, among: usize },
    /// These nodes have the same highest score; the random draw has not happened yet.
    ToBeDrawn { among: Vec<String> },
    /// No node can run the pod.
    Waits {
        cause: WaitsBecause,
        /// Nodes where preemption would make room for the pod. None if preemption does not help or is not allowed.
        room: Option<PreemptionRoom>,
    },
}

impl DecisionOutcome {
    /// Returns the verdict that belongs to the outcome.
    pub fn verdict(&self) -> SchedulingVerdict {
        match self {
            Self::Failed(_) => SchedulingVerdict::Error,
            Self::OnlyNode { .. } | Self::Best { .. } | Self::Drawn { .. } | Self::ToBeDrawn { .. } => {
                SchedulingVerdict::Scheduled
            }
            Self::Waits { room: Some(_), .. } => SchedulingVerdict::Preempts,
            Self::Waits { room: None, .. } => SchedulingVerdict::Unschedulable,
        }
    }
}

/// The reason why no node can run a pod.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum WaitsBecause {
    /// The cluster has no nodes.
    NoNodes,
    /// The pod was refused before any node was examined. The field is kube-scheduler's message.
    WhateverTheNode(String),
    /// Every node was refused.
    Refused(RefusedNodes),
}

/// The reasons why nodes were refused, with the number of nodes for each reason.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RefusedNodes {
    /// Number of nodes in the cluster.
    pub nodes: usize,
    /// Reasons, the most frequent first. A node with two reasons counts for both.
    pub causes: Vec<RefusalCause>,
}

/// A reason why a group of nodes cannot run the pod.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefusalCause {
    /// Number of nodes with this reason.
    pub nodes: usize,
    /// The reason. In a [`DecisionSummary`], it is the plugin's description of the nodes: `too full for its requests`.
    /// For a pod in the scheduling queue, it is kube-scheduler's reason in two or three words: `Insufficient cpu`.
    pub text: String,
}

/// The nodes on which the preemption of lower-priority pods would make room for a pod.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PreemptionRoom {
    /// Number of pods to preempt.
    pub victims: usize,
    /// The candidate nodes; preemption on one of them suffices.
    pub nodes: Vec<String>,
}

/// The reason why the chosen node was preferred.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum WinReason {
    /// The chosen node was the only feasible node, so nothing was scored.
    OnlyNode,
    /// The chosen node has a higher score than any other node.
    Ahead {
        points: i64,
        /// The node with the second-highest score.
        next: String,
        next_points: i64,
        /// The plugins that contribute most to the difference, largest first.
        leads: Vec<ScoreLead>,
    },
    /// Several nodes share the highest score.
    Tie {
        nodes: usize,
        points: i64,
        /// The node that the random draw chose; None if there was no draw.
        chosen: Option<String>,
    },
}

/// The points by which one plugin prefers the chosen node to the next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScoreLead {
    pub points: i64,
    /// The plugin's name in Kubernetes.
    pub plugin: String,
    /// What the plugin evaluates, in the words of the plugin.
    pub about: String,
}

/// A node search that stopped early (`percentageOfNodesToScore`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeSampling {
    pub examined: usize,
    /// Number of nodes in the cluster.
    pub nodes: usize,
    /// The number of feasible nodes at which the search stops.
    pub wanted: usize,
}

/// Why a node cannot run a pod.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum NodeRefusal {
    /// A plugin refused the node.
    Plugin {
        /// The plugin's name in Kubernetes.
        name: String,
        /// The plugin's explanation of the refusal, with numbers.
        text: String,
    },
    /// The pod's node affinity selects other nodes by name, so no plugin evaluated this node.
    NotNamed,
}

impl NodeRefusal {
    /// Returns the name of the plugin that refused the node; None if no plugin did.
    pub fn plugin(&self) -> Option<&str> {
        match self {
            Self::Plugin { name, .. } => Some(name),
            Self::NotNamed => None,
        }
    }
}

/// Result of preemption for a pod that no node can run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum PreemptionResult {
    /// Preemption was not attempted.
    NotEligible(PreemptionIneligibility),
    /// Preemption does not help on any node.
    NoCandidate,
    /// Preemption would make room on some nodes.
    Found {
        /// Number of candidate nodes.
        candidates: usize,
        /// The rule that selected one of them.
        criterion: PreemptionCriterion,
    },
}

/// Why the preemption of lower-priority pods on a node would not let the pod run there (SCH-095, SCH-097).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum PreemptionObstacle {
    /// The obstacle is not another pod. The field is the plugin's explanation.
    Other(String),
    /// No pod on the node has a lower priority.
    NoVictims,
    /// A plugin would refuse the node even without all pods of lower priority. The fields are the plugin's name and
    /// kube-scheduler's reason.
    StillRefused(String, String),
}

/// A node on which preemption does not help, with the reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeNotHelpedByPreemption {
    pub node: String,
    pub why: PreemptionObstacle,
}

/// Why a pod may not preempt now (SCH-094).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum PreemptionIneligibility {
    /// The pod has `preemptionPolicy: Never`.
    Never,
    /// Victims of an earlier preemption are still terminating.
    Terminating,
}

/// The rule that selected one preemption candidate (SCH-102).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum PreemptionCriterion {
    /// There was only one candidate.
    OnlyCandidate,
    /// The candidate has the fewest PodDisruptionBudget violations.
    FewestPdbViolations,
    /// The highest priority among the candidate's victims is lower than on other candidates.
    LowestHighestPriority,
    /// The sum of the victims' priorities is lower than on other candidates.
    LowestPrioritySum,
    FewestVictims,
    /// The candidate's highest-priority victims started later than those of other candidates.
    LatestStart,
    /// All rules were tied; any candidate may be chosen.
    Tie,
}

/// Outcome of a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum SchedulingVerdict {
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

/// A plugin that scores nodes: one column of the score table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ScoringPlugin {
    /// Name of the plugin in Kubernetes.
    pub name: String,
    /// Short description of the aspect that the plugin scores.
    pub about: String,
    pub weight: i64,
}

/// One spread constraint of the pod, with its counts per topology domain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpreadExplanation {
    /// Index in the pod's list of constraints, or in the list of default constraints.
    pub index: usize,
    pub topology_key: String,
    /// True for DoNotSchedule, false for ScheduleAnyway.
    pub hard: bool,
    /// Largest allowed difference between a domain's count and `min`.
    pub max_skew: i64,
    /// The smallest count of a domain; 0 with fewer than minDomains domains. For soft constraints, the smallest count
    /// of a scored domain.
    pub min: i64,
    /// Set if there are fewer domains than minDomains, so that `min` is 0 (SCH-076).
    pub too_few_domains: Option<TooFewDomains>,
    /// 1 if the pod matches its own constraint's selector, else 0.
    pub own: i64,
    /// The topology domains, sorted by name.
    pub domains: Vec<DomainCount>,
}

/// Numbers for a constraint with fewer domains than its minDomains.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TooFewDomains {
    /// Number of existing topology domains.
    pub found: usize,
    /// `minDomains` of the constraint.
    pub min_domains: usize,
}

/// One topology domain of a spread constraint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DomainCount {
    /// Value of the topology label.
    pub value: String,
    /// Number of matching pods.
    pub count: i64,
    /// The skew if the pod were placed in this domain.
    pub skew: i64,
    /// Whether `skew` is at most `max_skew`.
    pub allowed: bool,
    /// Whether the domain is scored: a soft constraint scores only domains with a feasible node.
    pub is_scored: bool,
}

/// How the preemption attempt of a scheduling cycle ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PreemptionExplanation {
    pub result: PreemptionResult,
    /// Nodes on which preemption would make room.
    pub candidates: Vec<CandidateExplanation>,
    /// The best candidates, of which one is chosen.
    pub chosen: Vec<String>,
    /// If preemption does not help: the reason for each node.
    pub not_helped_nodes: Vec<NodeNotHelpedByPreemption>,
}

impl PreemptionExplanation {
    /// Returns the rule that selected one of the candidates; None if there is no candidate.
    pub fn criterion(&self) -> Option<PreemptionCriterion> {
        match self.result {
            PreemptionResult::Found { criterion, .. } => Some(criterion),
            PreemptionResult::NotEligible(_) | PreemptionResult::NoCandidate => None,
        }
    }
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
    /// PodDisruptionBudgets that select the pod, with their `disruptionsAllowed`.
    pub budgets: Vec<(String, i32)>,
}
