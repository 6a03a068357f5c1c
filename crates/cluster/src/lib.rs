//! The simulated world: clock and event queue, API server, network, machines, kubelets, controllers, clients, fencing,
//! invariants and trace. This crate does no I/O and knows no wire format.
//!
//! ```
//! use podscope_api::parse;
//! use podscope_cluster::{OutputLine, Record, Setup, SimTime, Sink, What, World};
//!
//! /// The world does not store its trace: the caller collects the records.
//! #[derive(Default)]
//! struct Trace(Vec<Record>);
//!
//! impl Sink for Trace {
//!     fn record(&mut self, record: Record) {
//!         self.0.push(record);
//!     }
//!     fn output(&mut self, _: OutputLine) {}
//!     fn finished(&mut self, _command: u32, _: SimTime, _status: u8) {}
//! }
//!
//! let pod = "{apiVersion: v1, kind: Pod, metadata: {name: web, namespace: default}, \
//!             spec: {containers: [{name: app, image: nginx}]}}";
//! let objects = parse(pod).objects.into_iter().map(|located| located.value).collect();
//! let mut trace = Trace::default();
//! let mut world = World::new(Setup { seed: 7, objects, ..Setup::default() }, &mut trace).expect("the pod is admitted");
//! world.run_until(SimTime::from_seconds(10), &mut trace);
//!
//! let started = trace.0.iter().find(|record| record.what() == What::ContainerStarted).expect("the container starts");
//! assert_eq!(started.container.as_deref(), Some("app"));
//! assert_eq!(world.machines().flat_map(|(_, machine)| machine.processes()).count(), 1);
//! ```

pub mod client;
mod devices;
mod dispatch;
mod due;
mod effect;
mod election;
mod event;
pub mod fault;
mod inject;
mod invariants;
mod membership;
mod node_groups;
mod process;
mod scenario_objects;
mod scheduler_process;
mod setup;
mod traffic;
mod watch;
mod world;

pub use invariants::{INVARIANTS, Invariant, InvariantGroup, InvariantKind};
pub use membership::{GROUP_ANNOTATION, Member};
pub use node_groups::{GROUP_LABELS, NewGroupNode, NodeGroup, NodeGroupWithNodes, group_of, node_groups};
pub use podscope_controllers as controllers;
pub use podscope_controllers::{MAX_REACHED, not_triggered_message};
pub use podscope_node::{kubelet, machine};
pub use podscope_sim::volume::claim_name;
pub use podscope_sim::{
    Actor, Answer, ApiError, ApplyRequest, Assumed, AttemptResult, CallId, Cause, Change, DeleteOptions, EventNote,
    FailedRequests, FaultDetails, Fingerprint, Happening, Heartbeats, HookKind, INITIAL_NAMESPACES,
    MAX_OBJECTS_OF_KIND, MissingNodesOrStorage, MissingPods, Mutation, NOT_IN_THE_DUMP, Network, NetworkSettings,
    Objects, OutputKind, OutputLine, Part, PendingEvent, Place, Propagation, RENEW_INTERVAL, Record, Request,
    RequestClient, RequestFailureCause, RequestOutcome, RequestRate, Rng, SimTime, Sink, Span, StatusReason, Subject,
    Switches, Updated, Violation, WatchResponse, What, dump_time, seconds, subject, subject_of, volume,
};
pub use scheduler_process::{RecordedDecision, is_made_up_node, scheduler_of};
pub use setup::{NodeShorthand, Settings, Setup, SetupError};
pub use traffic::{FlowState, StartTraffic, Totals, TrafficCommand};
pub use world::{ControlPlaneProcessStatus, GivenCommand, World};
