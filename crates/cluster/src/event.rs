//! Events of the world's queue, each with its receiver.

use std::sync::Arc;

use podscope_api::NodeName;

use crate::effect::Timer;
use crate::machine::MachineTimer;
use crate::traffic::{ProxyEvent, ProxyLife};
use crate::{Actor, Answer, CallId, Objects, Request, SimTime, WatchResponse};

/// One incarnation of a process. Messages and timers for an earlier incarnation are dropped.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Process {
    pub actor: Actor,
    pub incarnation: u32,
}

/// A call that is being sent to the API server.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub from: Process,
    pub id: CallId,
    pub request: Request,
    pub sent: SimTime,
}

/// A pending event of the world's event queue.
#[derive(Debug, Clone)]
pub(crate) enum Event {
    /// A process starts, with empty state.
    Start(Process),
    /// A request arrives at the API server.
    Call(Arc<Call>),
    /// The answer to a call, or its time-out, arrives.
    Answer(Process, CallId, Arc<Answer>),
    /// The list request of a process arrives at the API server.
    List(Process),
    /// The response to a list arrives.
    Listed(Process, u64, Arc<Objects>),
    /// A watch event arrives.
    Watch(Process, Arc<WatchResponse>),
    /// The process tries again to open its broken watch.
    Resume(Process),
    /// A timer of a process fires.
    Timer(Process, Timer),
    /// A timer of a machine fires.
    Machine(NodeName, MachineTimer),
    /// The liveness invariants are checked.
    CheckLiveness,
    /// A message or timer arrives at the kube-proxy of a node.
    Proxy(NodeName, ProxyLife, ProxyEvent),
    /// An instant is reached at which the results of requests to Services may change, or DNS observes a change.
    Traffic,
    /// A request that waits for etcd reaches its deadline.
    HeldRequest(CallId),
}
