//! What an explanation of the scheduler's decision says, as data (S-14): the scheduler finds it, and whoever shows it to
//! a person puts it into words. What a plugin says itself stands in it as the plugin's own text.

use serde::{Deserialize, Serialize};

/// How a pod fares: the first thing that a beginner reads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conclusion {
    /// `namespace/name`.
    pub pod: String,
    pub ending: Ending,
}

/// How a decision ended, with what a sentence about it needs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ending {
    /// The cycle failed, with kube-scheduler's own text.
    Failed(String),
    /// One node alone can take the pod.
    OnlyNode {
        node: String,
        /// All nodes of the cluster.
        of: usize,
    },
    /// One node scores highest.
    Best {
        node: String,
        /// Nodes that can take the pod.
        fit: usize,
        /// All nodes of the cluster.
        of: usize,
    },
    /// Several score equally high, and the draw took one.
    Drawn { node: String, among: usize },
    /// Several score equally high; who draws is not asked here.
    ToBeDrawn { among: Vec<String> },
    /// No node can take the pod.
    Waits {
        cause: WaitsBecause,
        /// Where ending others would make room for it.
        room: Option<Room>,
    },
}

/// Why no node can take a pod.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum WaitsBecause {
    /// The cluster is empty.
    NoNodes,
    /// It was refused before any node was looked at, with kube-scheduler's own text.
    WhateverTheNode(String),
    /// Each node was refused.
    Refused {
        nodes: usize,
        /// The most frequent first.
        causes: Vec<Cause>,
    },
}

/// What keeps a pod from some nodes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cause {
    /// How many it keeps it from.
    pub nodes: usize,
    /// What the plugin calls such nodes: `too full for its requests`.
    pub text: String,
}

/// Room that ending less important pods would make.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Room {
    /// How many pods would end.
    pub victims: usize,
    /// Where: one of these.
    pub nodes: Vec<String>,
}

/// Why a node was taken before the others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Won {
    /// There was no other, so that nothing was scored.
    OnlyNode,
    /// It has more points than any other.
    Ahead {
        points: i64,
        /// The node that comes next.
        next: String,
        next_points: i64,
        /// What sets it apart most, largest first.
        leads: Vec<Lead>,
    },
    /// Several have the most points.
    Tie {
        nodes: usize,
        points: i64,
        /// Which one the draw took, where it was drawn.
        chosen: Option<String>,
    },
}

/// Points by which a plugin sets a node before the next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lead {
    pub points: i64,
    /// Its name in Kubernetes.
    pub plugin: String,
    /// What it looks at, as it says itself.
    pub about: String,
}

/// A search that stopped early.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sampling {
    pub examined: usize,
    /// All nodes of the cluster.
    pub nodes: usize,
    /// How many that can take the pod end the search.
    pub wanted: usize,
}

/// Why a node cannot take a pod.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Refusal {
    /// A plugin says so.
    Plugin {
        /// Its name in Kubernetes.
        name: String,
        /// Its own text, with numbers.
        text: String,
    },
    /// The pod's affinity names other nodes, and no plugin was asked.
    NotNamed,
}

impl Refusal {
    /// The plugin that refused.
    pub fn plugin(&self) -> Option<&str> {
        match self {
            Self::Plugin { name, .. } => Some(name),
            Self::NotNamed => None,
        }
    }
}

/// What preemption found for a pod that no node can take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum PreemptionResult {
    /// It was not tried.
    NotEligible(NotEligible),
    /// Nothing helps.
    NoCandidate,
    /// Some nodes would do without other pods.
    Found {
        /// How many.
        candidates: usize,
        /// What decided between them.
        criterion: Criterion,
    },
}

/// Why ending less important pods would not let a pod run on a node (SCH-095, SCH-097).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum NotHelpful {
    /// What keeps the pod away is no pod: the plugin's own text.
    Other(String),
    /// No pod there is less important.
    NoVictims,
    /// Without all less important pods a plugin still refuses: its name, and kube-scheduler's reason.
    StillRefused(String, String),
}

/// A node, and why preemption does not help there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unhelped {
    pub node: String,
    pub why: NotHelpful,
}

/// Why a pod may not preempt now (SCH-094).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum NotEligible {
    /// `preemptionPolicy: Never`.
    Never,
    /// Victims of an earlier preemption are still ending.
    Terminating,
}

/// The criterion that left one candidate (SCH-102).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Criterion {
    /// There was only one.
    OnlyCandidate,
    /// Fewest PodDisruptionBudget violations.
    FewestPdbViolations,
    /// The most important victim is the least important.
    LowestHighestPriority,
    /// Smallest sum of priorities.
    LowestPrioritySum,
    FewestVictims,
    /// The most important victims started last.
    LatestStart,
    /// All equal: any.
    Tie,
}
