//! Messages between the components of a cluster, as the page draws them.

use serde::{Deserialize, Serialize};

use crate::Micros;

/// Maximum number of individual messages in a frame; further ones are only counted.
pub const MAX_MESSAGES: usize = 64;

/// Messages sent since the previous frame. A message is derived from a trace record and the latency of its link; a
/// heartbeat is derived from the heartbeat phase of its node.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Traffic {
    /// At most [`MAX_MESSAGES`] messages, in order of departure.
    pub messages: Vec<Message>,
    /// Number of further messages by link. At high speeds, `messages` is a sample.
    pub more: Vec<OmittedMessages>,
}

impl Traffic {
    pub fn is_empty(&self) -> bool {
        self.messages.is_empty() && self.more.is_empty()
    }
}

/// Number of messages on one link that a frame counts but does not contain individually.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OmittedMessages {
    pub from: Peer,
    pub to: Peer,
    /// Number of messages.
    pub count: u32,
}

/// A message between two components.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Message {
    pub from: Peer,
    pub to: Peer,
    pub kind: MessageKind,
    /// Time of departure.
    pub sent: Micros,
    /// Time of arrival; `None` if the message is lost because its link is cut.
    pub arrives: Option<Micros>,
    /// Sequence number of the trace record that the message causes or reports; `None` for a heartbeat.
    pub record: Option<u64>,
    /// The object of the message: `NAMESPACE/NAME` of a pod, name of a node, kind and name of anything else; empty for a
    /// heartbeat.
    pub about: String,
}

/// Sender or receiver of a message.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Peer {
    ApiServer,
    Scheduler,
    /// The controller-manager and other controllers.
    Controllers,
    /// The user who runs commands.
    User,
    /// The kubelet of a node.
    Node(String),
}

/// Content of a message between two components.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum MessageKind {
    /// A node renews its lease.
    Heartbeat,
    /// A watch event from the API server.
    Watch,
    Create,
    /// A Binding of a pod to a node.
    Bind,
    /// A status update.
    Status,
    /// Any other update of an object.
    Update,
    Delete,
    /// An eviction of a pod, through the API or because of a taint.
    Evict,
    /// Creation of an Event object.
    Event,
    /// A rejected request.
    Refused,
}
