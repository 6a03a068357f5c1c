//! kube-scheduler v1.36 as a library: cache, plugins, cycle, preemption, queue, explanations.
//!
//! A [`Cache`] is fed with watch events; [`decide`] makes one complete decision for a pod against it.
//! [`Scheduler`] adds the queue and decides one pod at a time as kube-scheduler does. It knows no API server
//! and no clock: time and randomness are arguments, and the actions it requests (bind, patch, delete, event)
//! are its return values.
//!
//! Names follow `pkg/scheduler` of kube-scheduler. `plugins/` can be read as documentation: each file is one
//! plugin with its texts and formulas. `SCH-…` are the project's numbered facts about kube-scheduler
//! (`docs/facts`).
//!
//! ```
//! use podscope_api::{default_object, parse};
//! use podscope_scheduler::{NoRecorder, Outcome, Scheduler, SchedulerConfiguration};
//!
//! let text = "
//! apiVersion: v1
//! kind: Node
//! metadata: {name: a-1}
//! status: {allocatable: {cpu: 1, memory: 1Gi, pods: 110}}
//! ---
//! apiVersion: v1
//! kind: Pod
//! metadata: {name: web, namespace: default, uid: 7c1e}
//! spec: {containers: [{name: app, image: nginx, resources: {requests: {cpu: 2}}}]}
//! ";
//! let (now, mut draw) = (0, || 0); // microseconds; random numbers
//! let mut scheduler = Scheduler::new(SchedulerConfiguration::default(), now);
//! for mut located in parse(text).objects {
//!     default_object(&mut located.value);
//!     scheduler.on_change(None, Some(&located.value), now);
//! }
//!
//! let attempt = scheduler.schedule_one(now, &mut draw, &mut NoRecorder).expect("a pod waits");
//! let Outcome::Unschedulable { message, .. } = attempt.outcome else { panic!("{attempt:?}") };
//! assert!(message.starts_with("0/1 nodes are available: 1 Insufficient cpu."), "{message}");
//! ```

mod attempt;
pub mod bench;
mod cache;
pub mod cases;
pub mod config;
mod counters;
mod cycle;
mod decide;
mod devices;
pub mod explain;
mod node_info;
mod nominator;
pub mod plugins;
mod pod_info;
mod post_filter;
mod queue;
mod resources;
mod rows;
mod scheduler;
mod selector;
mod status;
mod stores;
mod symbols;
mod topology;
mod trial_nodes;
pub mod what_would_help;

pub use attempt::{Attempt, EventToCreate, FreedClaim, Outcome, PreemptionPlan, ReservedClaims, StatusPatch, Victim};
pub use cache::Cache;
pub use config::SchedulerConfiguration;
pub use cycle::{CycleResult, Diagnosis, PluginScores};
pub use decide::{Decision, decide};
pub use node_info::{NodeIdx, NodeInfo};
pub use nominator::Nominator;
pub use pod_info::{Incoming, PodInfo};
pub use post_filter::Preemption;
pub use queue::QueuePool;
pub use scheduler::{DecisionRecorder, NoRecorder, QueueEntry, Scheduler};
pub use status::{Code, Reason, Status};
pub use stores::Stores;
pub use symbols::{Symbol, Symbols};
pub use trial_nodes::TrialNodes;
