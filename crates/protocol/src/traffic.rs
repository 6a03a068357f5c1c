//! Messages that travel between the parts of a cluster, as the stage draws them.

use serde::{Deserialize, Serialize};

use crate::Micros;

/// Most messages that one frame tells one by one; the rest is counted.
pub const MAX_MESSAGES: usize = 64;

/// What was sent since the frame before. Each message follows from a record of the trace and the latency of its link, a
/// heartbeat from the phase of its node; none is drawn that was not sent.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Traffic {
    /// In order of departure, at most [`MAX_MESSAGES`].
    pub messages: Vec<Message>,
    /// What was sent besides, by link: at high speeds the messages are a sample.
    pub more: Vec<UncountedLink>,
}

impl Traffic {
    /// Whether nothing was sent.
    pub fn is_empty(&self) -> bool {
        self.messages.is_empty() && self.more.is_empty()
    }
}

/// Messages of one link that are not told one by one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UncountedLink {
    pub from: Stop,
    pub to: Stop,
    /// How many.
    pub count: u32,
}

/// A message on its way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Message {
    pub from: Stop,
    pub to: Stop,
    pub kind: MessageKind,
    /// When it left.
    pub sent: Micros,
    /// When it arrives; none if its link is cut: it is lost.
    pub arrives: Option<Micros>,
    /// The record of the trace that it led to or tells of; none of a heartbeat.
    pub record: Option<u64>,
    /// The object it is about: a pod's `NAMESPACE/NAME`, a node's name, anything else as kind and name; empty for a heartbeat.
    pub about: String,
}

/// Where messages begin and end.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Stop {
    ApiServer,
    Scheduler,
    /// The controller-manager, and the controllers beside it.
    Controllers,
    /// Whoever gives commands.
    User,
    /// The kubelet of a node.
    Node(String),
}

/// What a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum MessageKind {
    /// A node renews its lease.
    Heartbeat,
    /// The API server tells a watcher of a change.
    Watch,
    Create,
    /// A pod gets its node.
    Bind,
    /// A status is reported.
    Status,
    /// Anything else of an object is changed.
    Update,
    Delete,
    /// A pod is asked to leave, by the eviction API or for a taint.
    Evict,
    /// An event is written down.
    Event,
    /// A request that was refused.
    Refused,
}
