//! Content of the inspector for one subject.

use podscope_api::ConditionStatus;
use podscope_messages::Sentence;
use serde::{Deserialize, Serialize};

use crate::{BrokenInvariant, ContainerRole, ContainerState, Mark, Micros, ProcessView, Subtitle, Summary, VolumeView};

/// Content of the inspector for one subject: a pod, node, other object or invariant.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InspectorContent {
    /// Heading of the inspector.
    pub title: String,
    /// Line below the heading.
    pub subtitle: Subtitle,
    /// Sentence about the present state of the subject.
    pub summary: Summary,
    /// Conditions in the status of the object.
    pub conditions: Vec<ConditionLine>,
    pub containers: Vec<ContainerDetail>,
    /// Events, newest first.
    pub events: Vec<EventLine>,
    /// For an invariant: its violations, newest first.
    pub breaks: Vec<BrokenInvariant>,
    /// Owner chain, nearest owner first, each as kind and key.
    pub owners: Vec<(String, String)>,
    /// Volumes of the pod, each with its name.
    pub volumes: Vec<(String, VolumeView)>,
    /// Bars that show how each container of the pod terminates.
    pub bars: Vec<Mark>,
    /// The API server's object as YAML; empty for a ghost, a process whose pod the API server no longer has.
    pub yaml: String,
    /// Desired replicas (`spec.replicas`); `None` if the object has no such field.
    pub replicas: Option<i64>,
}

/// A condition in the inspector.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ConditionLine {
    /// Type of the condition.
    pub kind: String,
    #[serde(with = "crate::status")]
    pub status: ConditionStatus,
    pub reason: String,
    pub message: String,
    /// Last transition time.
    pub since: Micros,
}

/// A container in the inspector.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ContainerDetail {
    pub name: String,
    /// Kind of container: app, init or sidecar.
    pub role: ContainerRole,
    /// State of the container according to the API.
    pub state: ContainerState,
    /// The container's process on the machine; `None` if none runs.
    pub process: Option<ProcessView>,
    /// Whether API server and machine disagree about whether the container runs.
    pub differs: bool,
    pub restarts: i32,
    pub ready: bool,
    pub image: String,
    /// The rule or policy by which the kubelet decided about a restart after the last exit; `None` if none applied.
    pub restarted: Option<Sentence>,
}

/// An event in the inspector.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EventLine {
    /// Time of the last occurrence.
    pub at: Micros,
    /// Whether the type of the event is Warning.
    pub is_warning: bool,
    pub reason: String,
    /// Number of occurrences.
    pub count: i32,
    pub from: String,
    pub message: String,
}
