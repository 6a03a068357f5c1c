//! What the world's queue holds: who will get what.

use std::sync::Arc;

use podscope_api::NodeName;

use crate::effect::Timer;
use crate::machine::MachineTimer;
use crate::traffic::{ProxyEvent, ProxyLife};
use crate::{Actor, Answer, CallId, Objects, Request, SimTime, WatchResponse};

/// One life of a process. What is under way for an earlier life is dropped.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Process {
    pub actor: Actor,
    pub incarnation: u32,
}

/// A call on its way to the API server.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub from: Process,
    pub id: CallId,
    pub request: Request,
    pub sent: SimTime,
}

/// Something that will happen.
#[derive(Debug, Clone)]
pub(crate) enum Event {
    /// A process starts, with empty memory.
    Start(Process),
    /// A request arrives at the API server.
    Call(Arc<Call>),
    /// A call's answer, or its time-out, arrives.
    Answer(Process, CallId, Arc<Answer>),
    /// A process that is not watching asks for everything; arrives at the API server.
    List(Process),
    /// The answer to a list arrives.
    Listed(Process, u64, Arc<Objects>),
    /// A watch event arrives.
    Watch(Process, Arc<WatchResponse>),
    /// A broken watch is tried again.
    Resume(Process),
    /// A process's timer.
    Timer(Process, Timer),
    /// A machine's timer.
    Machine(NodeName, MachineTimer),
    /// The liveness checks look again.
    Look,
    /// Something reaches the kube-proxy of a node.
    Proxy(NodeName, ProxyLife, ProxyEvent),
    /// What becomes of requests may change by itself.
    Traffic,
    /// A request that waits for etcd reaches its deadline.
    Held(CallId),
}
