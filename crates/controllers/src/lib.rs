//! kube-controller-manager: every controller in a file of its own, with a folder
//! beside it where it is large, over one shared watch cache. A controller reads like its documentation: what it
//! watches, what it compares, what it requests. Nothing here writes the store.
//!
//! ```
//! use podscope_api::Time;
//! use podscope_controllers::{ControllerManager, ControllerManagerSettings, Context};
//! use podscope_sim::{Actor, Input, Rng, SimTime, Switches};
//!
//! let mut manager = ControllerManager::new(ControllerManagerSettings::default());
//! let (mut rng, switches, mut calls) = (Rng::split(7, "controller-manager"), Switches::default(), 0);
//! let actor = Actor::ControllerManager(0);
//! let mut ctx = Context::new(SimTime::ZERO, Time::from_seconds(0), actor, &mut rng, &switches, &mut calls);
//! // Before its first list has answered it asks for nothing.
//! manager.handle(Input::Started, &mut ctx);
//! assert!(ctx.into_effects::<podscope_controllers::Timer, podscope_controllers::Act>().is_empty());
//! ```

mod attach_detach;
mod attacher;
mod attachment;
mod controller;
mod cronjob;
mod daemonset;
mod deployment;
mod descheduler;
mod device_taint_eviction;
mod disruption;
mod endpoints;
mod endpointslice;
mod expectations;
mod fencing;
mod garbage_collector;
mod index;
mod job;
#[cfg(test)]
mod lab;
mod manager;
mod namespace;
mod namespace_objects;
mod node_lifecycle;
mod node_selector;
mod node_zones;
mod owner;
mod pace;
mod persistent_volume;
mod plan;
mod pod_util;
mod podautoscaler;
mod podgc;
mod queue;
mod registry;
mod replicaset;
mod resource_claim;
mod resource_quota;
mod revision;
mod settings;
mod statefulset;
mod taint_eviction;
mod taints;
mod tally;
mod template;
#[cfg(test)]
mod tests;
mod trigger_time;
mod ttl_after_finished;
mod unheld;
mod victims;
mod volume_protection;

pub use attachment::Holder;
pub use fencing::{FenceMechanism, FencingSettings};
pub use manager::ControllerManager;
pub use namespace_objects::objects_of;
pub use node_selector::counts_for_spread;
pub use settings::{ControllerManagerSettings, Millis, SettingError};
pub use taint_eviction::stay;
pub use unheld::unheld;

use podscope_api::NodeName;

/// The context of a step of a process of controllers.
pub type Context<'a> = podscope_sim::Context<'a, Timer, Act>;
/// What reaches a process of controllers.
pub type Input = podscope_sim::Input<Timer>;

/// A timer of a process of controllers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Timer {
    /// The earliest of its deadlines has come; it keeps them itself.
    Wake,
}

/// What a controller does to the world beside the API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Act {
    /// Cut a node off, so that nothing on it can write any more (V-05).
    Fence(NodeName, FenceMechanism),
}
