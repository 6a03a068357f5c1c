//! What the inspector shows of one thing.

use podscope_api::{ConditionStatus, Phrase};
use serde::{Deserialize, Serialize};

use crate::{BrokenInvariant, ContainerRole, ContainerState, Mark, Micros, ProcessView, Subtitle, Summary, VolumeView};

/// What the inspector shows.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Detail {
    /// Heading.
    pub title: String,
    /// The line under it.
    pub subtitle: Subtitle,
    /// How it is.
    pub summary: Summary,
    /// Conditions of its status.
    pub conditions: Vec<ConditionLine>,
    pub containers: Vec<ContainerDetail>,
    /// Events, newest first.
    pub events: Vec<EventLine>,
    /// Of a guarantee, when it was broken, newest first.
    pub breaks: Vec<BrokenInvariant>,
    /// Owner chain, nearest first: kind and key.
    pub owners: Vec<(String, String)>,
    /// Volumes by name.
    pub volumes: Vec<(String, VolumeView)>,
    /// Termination bars of its containers.
    pub bars: Vec<Mark>,
    /// The object as YAML, as the API server has it; empty for a ghost.
    pub yaml: String,
    /// Wanted replicas, if it has them.
    pub replicas: Option<i64>,
}

/// A condition in the inspector.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ConditionLine {
    /// Type.
    pub kind: String,
    /// Whether it is so.
    #[serde(with = "crate::status")]
    pub status: ConditionStatus,
    pub reason: String,
    pub message: String,
    /// Since when.
    pub since: Micros,
}

/// A container in the inspector.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ContainerDetail {
    pub name: String,
    /// What it is in its pod.
    pub role: ContainerRole,
    /// How it is, as the API says.
    pub state: ContainerState,
    /// What really runs on the machine.
    pub process: Option<ProcessView>,
    /// Only one of the two says that it runs.
    pub differs: bool,
    pub restarts: i32,
    /// Whether it is ready.
    pub ready: bool,
    pub image: String,
    /// Which rule or policy of its own started it again after its last end, or did not; none where none had a say.
    pub restarted: Option<Phrase>,
}

/// An event in the inspector.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EventLine {
    /// Last seen.
    pub at: Micros,
    /// Whether its type is Warning.
    pub is_warning: bool,
    pub reason: String,
    /// Times seen.
    pub count: i32,
    pub from: String,
    pub message: String,
}
