//! kube-controller-manager: every controller in one file of its own, over one
//! shared watch cache. A controller reads like its documentation: what it
//! watches, what it compares, what it requests. Nothing here writes the store.

mod deployment;
mod deployment_status;
mod disruption;
mod expectations;
mod garbage_collector;
mod index;
#[cfg(test)]
mod lab;
mod namespace;
mod node_lifecycle;
mod node_zones;
mod owner;
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
mod template;
#[cfg(test)]
mod tests;

pub use runtime::{ControllerManager, ControllerTimer};
pub use settings::{ControllerManagerSettings, Millis, SettingError};
