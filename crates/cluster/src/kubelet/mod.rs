//! The kubelet: one small state machine per pod over the machine it runs on.

use std::sync::Arc;

use podscope_api::{Node, NodeName, Pod};

use crate::machine::{Machine, MachineEvent};
use crate::{Answer, CallId, Change, Ctx, Objects};

/// A timer of a kubelet.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum KubeletTimer {}

/// Settings of every kubelet, under the names of `KubeletConfiguration`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct KubeletSettings {}

/// What reaches a kubelet. It watches its Node and its pods only.
#[derive(Debug, Clone)]
pub enum KubeletInput {
    /// The process starts, with empty memory; containers of an earlier life may be running.
    Started,
    /// A list answered (after the start, or when a broken watch lost its revision).
    Listed {
        /// The kubelet's Node, if it exists.
        node: Option<Arc<Node>>,
        /// The pods bound to the node, by key.
        pods: Vec<Arc<Pod>>,
    },
    /// A watch event about a pod bound to the node (a removal has no `new`).
    PodChanged(Arc<Change>),
    /// A watch event about the kubelet's Node.
    NodeChanged(Arc<Change>),
    /// The answer to a call, or its time-out (`code` 0, reason `Timeout`).
    Answered(CallId, Answer),
    /// A timer that this process set.
    Timer(KubeletTimer),
    /// Something happened on the machine that the kubelet can come to notice.
    Machine(MachineEvent),
}

/// The memory of one kubelet process; a crash empties it.
#[derive(Debug, Clone)]
pub struct Kubelet {
    node: NodeName,
}

impl Kubelet {
    /// A process that has not started yet; the world sends [`KubeletInput::Started`] next.
    pub fn new(node: NodeName, _settings: Arc<KubeletSettings>) -> Self {
        Self { node }
    }
    /// One step. `cache` holds all objects as the process can read them now:
    /// the store's while it reaches the API server, frozen while it does not
    /// (for ConfigMaps, Secrets, claims, volumes, attachments; pods and the
    /// Node come as inputs).
    pub fn handle(&mut self, _input: KubeletInput, _machine: &mut Machine, _cache: &Objects, _ctx: &mut Ctx<'_>) {
        let _ = &self.node;
    }
}
