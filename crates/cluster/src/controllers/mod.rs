//! kube-controller-manager: every controller in one file of its own, over one
//! shared watch cache. A controller reads like its documentation: what it
//! watches, what it compares, what it requests. Nothing here writes the store.

mod attach_detach;
mod attacher;
mod attachment;
mod daemonset;
mod deployment;
mod deployment_status;
mod descheduler;
mod disruption;
mod endpointslice;
mod expectations;
mod fencing;
mod garbage_collector;
mod index;
mod job;
mod job_policy;
#[cfg(test)]
mod lab;
mod namespace;
mod node_lifecycle;
mod node_selector;
mod node_zones;
mod owner;
mod persistent_volume;
mod pod_util;
mod podgc;
mod queue;
mod registry;
mod replicaset;
mod revision;
mod runtime;
mod settings;
mod statefulset;
mod statefulset_claims;
mod taint_eviction;
mod taints;
mod tally;
mod template;
#[cfg(test)]
mod tests;
mod victims;
mod volume_protection;

pub use attachment::ATTACHED_TO;
pub(crate) use attachment::driver_of;
pub use fencing::FencingSettings;
pub(crate) use node_selector::fits as fits_node;
pub use runtime::{ControllerManager, ControllerTimer};
pub use settings::{ControllerManagerSettings, Millis, SettingError};
