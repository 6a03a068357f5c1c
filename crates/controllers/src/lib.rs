//! kube-controller-manager: the controllers, one file each (large ones with a folder beside it), over one shared watch
//! cache. Each controller states what it watches, what it compares and what it requests. Nothing here writes the store
//! directly.
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
//! // The manager sends no requests before its first list is answered.
//! manager.handle(Input::Started, &mut ctx);
//! assert!(ctx.into_effects::<podscope_controllers::Timer, podscope_controllers::Act>().is_empty());
//! ```

mod attach_detach;
mod attacher;
mod attachment;
mod cluster_autoscaler;
mod controller;
mod cronjob;
mod custom_resource_definition;
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
mod missing_objects;
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
mod victims;
mod volume_protection;

pub use attachment::Holder;
pub use cluster_autoscaler::{
    Cloud, ClusterAutoscalerSettings, Expander, MAX_REACHED, ScalableGroup, TrialCluster, not_triggered_message,
};
pub use daemonset::daemon_pods_on;
pub use fencing::FencingSettings;
pub use manager::ControllerManager;
pub use missing_objects::missing_controller_objects;
pub use namespace_objects::initial_namespace_objects;
pub use node_selector::counts_for_spread;
pub use settings::{ControllerManagerSettings, SettingError, Thousandths};
pub use taint_eviction::toleration_time;

use podscope_api::fault::FenceMechanism;
use podscope_api::{NodeName, Str};

/// The context of one step of a controller process.
pub type Context<'a> = podscope_sim::Context<'a, Timer, Act>;
/// The input of a controller process.
pub type Input = podscope_sim::Input<Timer>;

/// A timer of a controller process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Timer {
    /// Wakes the process at its earliest deadline. The process itself keeps the deadlines.
    Wake,
}

/// An action of a controller outside the API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Act {
    /// Fence a node, so that nothing on it can write data any more (V-05).
    Fence(NodeName, FenceMechanism),
    /// Boot a new machine of a node group (CA-017).
    Join {
        node: NodeName,
        /// Name of the group.
        group: Str,
    },
    /// Release the machine of a node permanently (CA-033).
    Leave(NodeName),
}
