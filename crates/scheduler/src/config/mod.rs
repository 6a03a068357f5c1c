//! `KubeSchedulerConfiguration`: profiles, plugin sets, arguments (SCH-130 to SCH-137, S-16).
//!
//! [`SchedulerConfiguration::from_value`] reads, defaults, merges and validates; what it returns is ready
//! to run: for every profile and extension point the plugins in their final order.

mod args;
mod read;
mod resolve;

use std::sync::Arc;

use podscope_api::{NodeAffinity, Str};

use crate::plugins::{
    COUNT, Plugin, Point, balanced_allocation, default_preemption, inter_pod_affinity, node_resources_fit,
    pod_topology_spread, volume_binding,
};
pub use read::ConfigError;
pub(crate) use read::{Errors, Fields};

/// A configuration that was accepted.
#[derive(Debug, Clone)]
pub struct SchedulerConfiguration {
    /// Read, validated and otherwise without effect: nodes are examined one after the other (SCH-014).
    pub parallelism: i64,
    /// 0 is the adaptive formula (SCH-013).
    pub percentage_of_nodes_to_score: i64,
    /// First back-off, seconds.
    pub pod_initial_backoff_seconds: i64,
    /// Largest back-off, seconds.
    pub pod_max_backoff_seconds: i64,
    /// One per scheduler name.
    pub profiles: Vec<Arc<Profile>>,
    /// What was translated from an older form, or accepted without effect.
    pub notices: Vec<String>,
}

#[derive(Debug, Clone)]
pub struct Profile {
    /// Pods with this `spec.schedulerName` are its.
    pub scheduler_name: Str,
    /// Overrides the global value.
    pub percentage_of_nodes_to_score: Option<i64>,
    /// Plugins at each point, in order.
    points: [Vec<Plugin>; 12],
    /// Weight of each plugin's score.
    weights: [i64; COUNT],
    /// Plugin arguments.
    pub args: Args,
}

impl Profile {
    /// The plugins at a point, in order.
    pub fn at(&self, point: Point) -> &[Plugin] {
        &self.points[point as usize]
    }

    /// Whether the plugin is on at that point.
    pub fn has(&self, point: Point, plugin: Plugin) -> bool {
        self.at(point).contains(&plugin)
    }

    /// The weight of a plugin's score.
    pub fn weight(&self, plugin: Plugin) -> i64 {
        self.weights[plugin as usize]
    }
}

/// Arguments of every plugin.
#[derive(Debug, Clone, PartialEq)]
pub struct Args {
    /// DefaultPreemption.
    pub preemption: default_preemption::Args,
    pub inter_pod_affinity: inter_pod_affinity::Args,
    /// NodeAffinity: a rule for every pod.
    pub added_affinity: Option<Arc<NodeAffinity>>,
    /// NodeResourcesFit.
    pub fit: node_resources_fit::Args,
    /// NodeResourcesBalancedAllocation.
    pub balanced: balanced_allocation::Args,
    /// PodTopologySpread.
    pub spread: pod_topology_spread::Defaulting,
    /// VolumeBinding, seconds.
    pub bind_timeout_seconds: i64,
}

impl Default for Args {
    fn default() -> Self {
        Self {
            preemption: default_preemption::Args::default(),
            inter_pod_affinity: inter_pod_affinity::Args::default(),
            added_affinity: None,
            fit: node_resources_fit::Args::default(),
            balanced: balanced_allocation::Args::default(),
            spread: pod_topology_spread::Defaulting::default(),
            bind_timeout_seconds: volume_binding::BIND_TIMEOUT_SECONDS,
        }
    }
}

/// The name of the scheduler that pods ask for when they ask for none.
pub const DEFAULT_SCHEDULER_NAME: &str = "default-scheduler";

impl Default for SchedulerConfiguration {
    fn default() -> Self {
        Self {
            parallelism: 16,
            percentage_of_nodes_to_score: 0,
            pod_initial_backoff_seconds: 1,
            pod_max_backoff_seconds: 10,
            profiles: vec![Arc::new(resolve::default_profile())],
            notices: Vec::new(),
        }
    }
}

impl SchedulerConfiguration {
    /// The profile for a `spec.schedulerName` (empty is the default name).
    pub fn profile(&self, scheduler_name: &str) -> Option<&Arc<Profile>> {
        let name = if scheduler_name.is_empty() {
            DEFAULT_SCHEDULER_NAME
        } else {
            scheduler_name
        };
        self.profiles.iter().find(|profile| &*profile.scheduler_name == name)
    }

    /// The same configuration with every node examined.
    #[must_use]
    pub fn without_sampling(mut self) -> Self {
        self.percentage_of_nodes_to_score = 100;
        for profile in &mut self.profiles {
            Arc::make_mut(profile).percentage_of_nodes_to_score = None;
        }
        self
    }

    /// Reads a configuration: v1, or the older forms with a notice of what was translated.
    ///
    /// # Errors
    /// Everything that is unknown or invalid, each with its field path.
    pub fn from_value(value: &serde_json::Value) -> Result<Self, Vec<ConfigError>> {
        read::read(value)
    }
}
