//! The simulated world: clock and event queue, API server, network, machines,
//! kubelets, controllers, clients, fencing, invariants, trace. No I/O, no wire
//! format.

mod actor;
mod apiserver;
pub mod client;
pub mod controllers;
mod ctx;
mod dispatch;
mod election;
pub mod fault;
mod heartbeat;
mod inject;
mod invariants;
pub mod kubelet;
pub mod machine;
mod membership;
mod network;
mod objects;
mod queue;
mod request;
mod rng;
mod scheduler_process;
mod setup;
mod switches;
mod time;
mod trace;
pub mod volume;
mod watch;
mod world;

pub use actor::{Actor, Place};
pub use apiserver::{ApiServer, Store, qualified_resource};
pub use ctx::{Change, Ctx, Effect, Input, Timer, subject, subject_of};
pub use heartbeat::{Heartbeats, RENEW_INTERVAL};
pub use invariants::{INVARIANTS, Invariant, Promise};
pub use membership::{GROUP_ANNOTATION, Member};
pub use network::{Network, NetworkSettings};
pub use objects::Objects;
pub use request::{Answer, ApiError, CallId, DeleteOptions, EventNote, Mutation, Part, Propagation, Request};
pub use rng::Rng;
pub use scheduler_process::RecordedDecision;
pub use setup::{NodeShorthand, Settings, Setup, SetupError};
pub use switches::Switches;
pub use time::{SimTime, Span};
pub use trace::{OutputLine, Record, Sink, Subject, What};
pub use world::World;
