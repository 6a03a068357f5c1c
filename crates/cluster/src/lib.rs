//! The simulated world: clock and event queue, API server, network, machines,
//! kubelets, controllers, clients, fencing, invariants, trace. No I/O, no wire
//! format.

mod actor;
pub mod client;
pub mod controllers;
mod ctx;
pub mod fault;
mod heartbeat;
pub mod kubelet;
pub mod machine;
mod network;
mod objects;
mod request;
mod rng;
mod switches;
mod time;
mod trace;

pub use actor::{Actor, Place};
pub use ctx::{Change, Ctx, Effect, Input, Timer, subject, subject_of};
pub use heartbeat::{Heartbeats, RENEW_INTERVAL};
pub use network::{Network, NetworkSettings};
pub use objects::{Objects, Stored, Table};
pub use request::{Answer, ApiError, CallId, DeleteOptions, EventNote, Mutation, Part, Propagation, Request};
pub use rng::Rng;
pub use switches::Switches;
pub use time::{SimTime, Span};
pub use trace::{OutputLine, Record, Sink, Subject, What};
