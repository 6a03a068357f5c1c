//! `KubeSchedulerConfiguration`: profiles, plugin sets, arguments (SCH-130 to SCH-137, S-16).
//!
//! [`SchedulerConfiguration::from_value`] reads, defaults, merges and validates. The returned configuration
//! lists the plugins of every profile and extension point in their final order.

mod args;
mod read;
mod resolve;

use std::sync::Arc;

use podscope_api::{NodeAffinity, Str};
use podscope_messages::Sentence;

use crate::plugins::{
    COUNT, Plugin, Point, balanced_allocation, default_preemption, inter_pod_affinity, node_resources_fit,
    pod_topology_spread, volume_binding,
};
pub use read::ConfigError;
pub(crate) use read::{Errors, Fields};

/// A validated configuration.
#[derive(Debug, Clone)]
pub struct SchedulerConfiguration {
    /// This field is validated but has no effect: nodes are examined one after the other (SCH-014).
    pub parallelism: i64,
    /// Percentage of nodes at which the search for feasible nodes stops; 0 selects the adaptive formula (SCH-013).
    pub percentage_of_nodes_to_score: i64,
    /// Back-off after the first failed attempt, in seconds.
    pub pod_initial_backoff_seconds: i64,
    /// Maximum back-off, in seconds.
    pub pod_max_backoff_seconds: i64,
    /// One profile per scheduler name.
    pub profiles: Vec<Arc<Profile>>,
    /// Messages about fields that were translated from an older API version or that have no effect here.
    pub notices: Vec<Sentence>,
}

#[derive(Debug, Clone)]
pub struct Profile {
    /// Pods with this `spec.schedulerName` use the profile.
    pub scheduler_name: Str,
    /// Overrides [`SchedulerConfiguration::percentage_of_nodes_to_score`].
    pub percentage_of_nodes_to_score: Option<i64>,
    /// Plugins of each extension point, in order.
    points: [Vec<Plugin>; 12],
    /// Weight of each plugin's score.
    weights: [i64; COUNT],
    /// Plugin arguments.
    pub args: Args,
}

impl Profile {
    /// Returns the plugins of an extension point, in order.
    pub fn at(&self, point: Point) -> &[Plugin] {
        &self.points[point as usize]
    }

    /// Returns whether the plugin is enabled at the extension point.
    pub fn has(&self, point: Point, plugin: Plugin) -> bool {
        self.at(point).contains(&plugin)
    }

    /// Returns the weight of a plugin's score.
    pub fn weight(&self, plugin: Plugin) -> i64 {
        self.weights[plugin as usize]
    }
}

/// Arguments of every plugin.
#[derive(Debug, Clone, PartialEq)]
pub struct Args {
    /// Arguments of DefaultPreemption.
    pub preemption: default_preemption::Args,
    pub inter_pod_affinity: inter_pod_affinity::Args,
    /// `addedAffinity` of NodeAffinity, which applies to every pod of the profile.
    pub added_affinity: Option<Arc<NodeAffinity>>,
    /// Arguments of NodeResourcesFit.
    pub fit: node_resources_fit::Args,
    /// Arguments of NodeResourcesBalancedAllocation.
    pub balanced: balanced_allocation::Args,
    /// Default constraints of PodTopologySpread.
    pub spread: pod_topology_spread::DefaultConstraints,
    /// `bindTimeoutSeconds` of VolumeBinding.
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
            spread: pod_topology_spread::DefaultConstraints::default(),
            bind_timeout_seconds: volume_binding::BIND_TIMEOUT_SECONDS,
        }
    }
}

/// Default of `spec.schedulerName`.
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
    /// Returns the profile for a `spec.schedulerName`; an empty name means the default scheduler.
    pub fn profile(&self, scheduler_name: &str) -> Option<&Arc<Profile>> {
        let name = if scheduler_name.is_empty() {
            DEFAULT_SCHEDULER_NAME
        } else {
            scheduler_name
        };
        self.profiles.iter().find(|profile| &*profile.scheduler_name == name)
    }

    /// Returns the same configuration, changed so that every node is examined.
    #[must_use]
    pub fn without_sampling(mut self) -> Self {
        self.percentage_of_nodes_to_score = 100;
        for profile in &mut self.profiles {
            Arc::make_mut(profile).percentage_of_nodes_to_score = None;
        }
        self
    }

    /// Reads a configuration of API version v1 or older. Adds a notice about each field that was translated from an
    /// older version.
    ///
    /// # Errors
    /// Returns every unknown or invalid field, with its path.
    pub fn from_value(value: &serde_json::Value) -> Result<Self, Vec<ConfigError>> {
        read::read(value)
    }
}
