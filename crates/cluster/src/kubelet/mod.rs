//! The kubelet: one small state machine per pod over the machine it runs on.

mod settings;

use std::sync::Arc;

use podscope_api::{Node, NodeName, Pod, Str, Uid};

pub use settings::{EvictionSignal, EvictionThreshold, KubeletSettings, ThresholdValue};

use crate::machine::{Machine, MachineEvent};
use crate::{Answer, CallId, Change, Ctx, Objects};

/// A timer of a kubelet.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum KubeletTimer {
    /// Something of that pod is due.
    Pod(Uid),
    /// A probe of a container of that pod is due.
    Probe(Uid),
    /// The status manager's pass every 10 s.
    Status,
    /// The eviction manager's pass every 10 s.
    Eviction,
    /// Housekeeping every 2 s.
    Housekeeping,
    /// Registration is tried again, or the node's status is due.
    Node,
}

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
    /// What a terminating pod waits for, for the live termination timer (L-16); none if it is not terminating here.
    pub fn termination(&self, _pod: &Uid) -> Option<TerminationView> {
        None
    }
}

/// How far the termination of a pod is (L-16).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TerminationView {
    /// One entry per container still to stop.
    pub containers: Vec<ContainerTermination>,
}

/// One container of a [`TerminationView`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContainerTermination {
    /// Its name.
    pub name: Str,
    /// What it waits for: `preStop`, `turn` (other containers come first), `SIGTERM` (the process is asked to end), `SIGKILL`.
    pub step: &'static str,
    /// When the step began.
    pub since: crate::SimTime,
    /// When the kubelet goes on, whatever happens.
    pub until: Option<crate::SimTime>,
}
