//! The building blocks of simulated components: time and randomness, the event queue, the network, API requests and
//! answers, objects as persistent maps, the context of a component's step, the trace. The crate knows no concrete
//! component: the sender of a request or the owner of a timer is an [`Actor`] or a type parameter.
//!
//! ```
//! use podscope_sim::{Queue, SimTime, Span};
//!
//! let mut queue = Queue::default();
//! queue.push(SimTime::from_seconds(2), "second");
//! queue.push(SimTime::from_seconds(1), "first");
//! queue.push(SimTime::from_seconds(1) + Span::ZERO, "in the order in which it was decided");
//! assert_eq!(queue.pop(), Some((SimTime::from_seconds(1), "first")));
//! assert_eq!(queue.next_at(), Some(SimTime::from_seconds(1)));
//! ```

mod actor;
mod assumed;
mod context;
mod custom_kinds;
mod errors;
mod happening;
mod heartbeat;
mod network;
mod objects;
mod pending_event;
mod queue;
mod request;
mod request_load;
mod requests;
mod rng;
mod switches;
mod time;
mod trace;
pub mod volume;

pub use actor::{Actor, Place};
pub use assumed::{
    Assumed, ContainerProblem, INITIAL_NAMESPACES, MissingNodesOrStorage, MissingPods, NOT_IN_THE_DUMP, Owner,
    dump_time, newest_heartbeat, was_kubelet_reporting,
};
pub use context::{Change, Context, Effect, Input, WatchResponse, subject, subject_of};
pub use errors::StatusReason;
pub use happening::{
    AttemptResult, FaultDetails, Fields, Flag, Happening, HookKind, Originator, ProbeKind, Updated, Violation, What,
};
pub use heartbeat::{Heartbeats, RENEW_INTERVAL};
pub use network::{Network, NetworkSettings};
pub use objects::Objects;
pub use pending_event::PendingEvent;
pub use queue::Queue;
pub use request::{
    Answer, ApiError, ApplyRequest, CallId, Cause, DeleteOptions, EventNote, MAX_OBJECTS_OF_KIND, Mutation, Part,
    Propagation, Request,
};
pub use request_load::RequestLoad;
pub use requests::{FailedRequests, RequestClient, RequestFailureCause, RequestOutcome, RequestRate};
pub use rng::{Rng, fnv64};
pub use switches::Switches;
pub use time::{SimTime, Span};
pub use trace::{Fingerprint, OutputKind, OutputLine, Record, Sink, Subject, seconds};
