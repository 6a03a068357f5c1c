//! The explanation of a scheduling decision as data (S-14). The scheduler produces it; the page and the command line
//! turn it into sentences. Text from a plugin is kept verbatim.

use serde::{Deserialize, Serialize};

/// The outcome for a pod, in one sentence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DecisionSummary {
    /// `namespace/name`.
    pub pod: String,
    pub outcome: DecisionOutcome,
}

/// How a decision ended, with the values that its sentence needs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum DecisionOutcome {
    /// The scheduling cycle failed; kube-scheduler's own text.
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
    /// `among` nodes have the same highest score, and a random draw chose this one.
    Drawn { node: String, among: usize },
    /// These nodes have the same highest score; the random draw has not happened yet.
    ToBeDrawn { among: Vec<String> },
    /// No node can run the pod.
    Waits {
        cause: WaitsBecause,
        /// Nodes where preemption would make room for the pod.
        room: Option<Room>,
    },
}

/// Why no node can run a pod.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum WaitsBecause {
    /// The cluster has no nodes.
    NoNodes,
    /// The pod was refused before any node was examined; kube-scheduler's own text.
    WhateverTheNode(String),
    /// Every node was refused.
    Refused {
        nodes: usize,
        /// Reasons, the most frequent first.
        causes: Vec<Cause>,
    },
}

/// A reason why a group of nodes cannot run the pod.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cause {
    /// Number of nodes with this reason.
    pub nodes: usize,
    /// The plugin's description of such nodes: `too full for its requests`.
    pub text: String,
}

/// Room that preempting pods of lower priority would make.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Room {
    /// Number of pods to preempt.
    pub victims: usize,
    /// The candidate nodes; preemption on one of them suffices.
    pub nodes: Vec<String>,
}

/// Why the chosen node was preferred.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum WinReason {
    /// It was the only feasible node, so nothing was scored.
    OnlyNode,
    /// It has a higher score than any other node.
    Ahead {
        points: i64,
        /// The node with the second-highest score.
        next: String,
        next_points: i64,
        /// The plugins that contribute most to the difference, largest first.
        leads: Vec<Lead>,
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
pub struct Lead {
    pub points: i64,
    /// The plugin's name in Kubernetes.
    pub plugin: String,
    /// What the plugin evaluates, in its own words.
    pub about: String,
}

/// A node search that stopped early (`percentageOfNodesToScore`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sampling {
    pub examined: usize,
    /// All nodes of the cluster.
    pub nodes: usize,
    /// The number of feasible nodes at which the search stops.
    pub wanted: usize,
}

/// Why a node cannot run a pod.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Refusal {
    /// A plugin refused the node.
    Plugin {
        /// The plugin's name in Kubernetes.
        name: String,
        /// The plugin's own text, with numbers.
        text: String,
    },
    /// The pod's node affinity names other nodes, so no plugin was asked about this one.
    NotNamed,
}

impl Refusal {
    /// The plugin that refused, if one did.
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
    NotEligible(NotEligible),
    /// Preemption does not help on any node.
    NoCandidate,
    /// Preemption would make room on some nodes.
    Found {
        /// Number of candidate nodes.
        candidates: usize,
        /// The rule that selected one of them.
        criterion: Criterion,
    },
}

/// Why preempting pods of lower priority on a node would not let the pod run there (SCH-095, SCH-097).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum NotHelpful {
    /// The obstacle is not another pod; the plugin's own text.
    Other(String),
    /// No pod on the node has a lower priority.
    NoVictims,
    /// A plugin still refuses the node without all pods of lower priority: its name, and kube-scheduler's reason.
    StillRefused(String, String),
}

/// A node, and why preemption does not help there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotHelpedNode {
    pub node: String,
    pub why: NotHelpful,
}

/// Why a pod may not preempt now (SCH-094).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum NotEligible {
    /// The pod has `preemptionPolicy: Never`.
    Never,
    /// Victims of an earlier preemption are still terminating.
    Terminating,
}

/// The rule that selected one preemption candidate (SCH-102).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Criterion {
    /// There was only one candidate.
    OnlyCandidate,
    /// Fewest PodDisruptionBudget violations.
    FewestPdbViolations,
    /// The highest priority among the victims is lowest.
    LowestHighestPriority,
    /// The sum of the victims' priorities is lowest.
    LowestPrioritySum,
    FewestVictims,
    /// The start time of the highest-priority victims is latest.
    LatestStart,
    /// All rules were tied; any candidate is taken.
    Tie,
}
