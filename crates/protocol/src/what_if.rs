//! What would happen if nodes went: a question about the session at its present time, and the answer.

use serde::{Deserialize, Serialize};

use crate::Micros;

/// A change to try on a copy of the session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum WhatIf {
    /// Drain these nodes.
    Drain(Vec<String>),
    /// Power off all machines of a zone.
    LoseZone(String),
}

/// What the change would bring.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WhatIfAnswer {
    pub change: WhatIf,
    /// The instant of the session at which the change is tried.
    pub at: Micros,
    pub moves: Vec<PodMove>,
    /// Headings with their lines: budgets that block, volumes that stay, nodes, what has less than before, and broken
    /// guarantees. Headings without lines are left out.
    pub sections: Vec<(String, Vec<String>)>,
    /// The answer in one sentence.
    pub summary: String,
    /// The whole answer as Markdown.
    pub markdown: String,
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
    pub reason: Option<String>,
    /// `to` is `None` because the pod that replaces it stays Pending, or the new pod itself.
    pub waits: bool,
}
