//! `KubeSchedulerConfiguration`: profiles, plugin sets, arguments (SCH-130 to SCH-137, S-16).
//!
//! [`SchedulerConfiguration::from_value`] reads, defaults, merges and validates; what it returns is ready
//! to run: for every profile and extension point the plugins in their final order.

mod args;
mod read;
mod resolve;

use std::sync::Arc;

use podscope_api::{NodeAffinity, Str, TopologySpreadConstraint};

use crate::plugins::{COUNT, Plugin, Point};
pub use read::ConfigError;

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

/// One profile.
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

/// A resource and its weight in a score.
#[derive(Debug, Clone, PartialEq)]
pub struct Resource {
    /// Its name.
    pub name: Str,
    /// Its weight; 0 was read as 1.
    pub weight: i64,
}

/// How NodeResourcesFit scores (SCH-058 to SCH-060).
#[derive(Debug, Clone, PartialEq)]
pub enum ScoringStrategy {
    /// Emptier is better.
    LeastAllocated(Vec<Resource>),
    /// Fuller is better.
    MostAllocated(Vec<Resource>),
    /// By a shape: points of (utilization in percent, score 0 to 100).
    RequestedToCapacityRatio(Vec<Resource>, Vec<(i64, i64)>),
}

impl ScoringStrategy {
    /// The resources it looks at.
    pub fn resources(&self) -> &[Resource] {
        match self {
            Self::LeastAllocated(resources)
            | Self::MostAllocated(resources)
            | Self::RequestedToCapacityRatio(resources, _) => resources,
        }
    }
}

/// Arguments of NodeResourcesFit.
#[derive(Debug, Clone, PartialEq)]
pub struct FitArgs {
    /// Extended resources exempt from Filter.
    pub ignored_resources: Vec<Str>,
    /// Prefixes (before `/`) of extended resources exempt from Filter.
    pub ignored_resource_groups: Vec<Str>,
    /// How to score.
    pub strategy: ScoringStrategy,
}

/// Arguments of InterPodAffinity.
#[derive(Debug, Clone, PartialEq)]
pub struct InterPodAffinityArgs {
    /// What a placed pod's required affinity adds to scores.
    pub hard_pod_affinity_weight: i64,
    /// Placed pods' wishes do not count for a pod without its own.
    pub ignore_preferred_terms_of_existing_pods: bool,
}

/// Arguments of PodTopologySpread.
#[derive(Debug, Clone, PartialEq)]
pub enum SpreadDefaulting {
    /// The built-in soft constraints (SCH-073).
    System(Arc<[TopologySpreadConstraint]>),
    /// These.
    List(Arc<[TopologySpreadConstraint]>),
}

impl SpreadDefaulting {
    /// The constraints for pods without their own.
    pub fn constraints(&self) -> Arc<[TopologySpreadConstraint]> {
        match self {
            Self::System(constraints) | Self::List(constraints) => constraints.clone(),
        }
    }
}

/// Arguments of DefaultPreemption.
#[derive(Debug, Clone, PartialEq)]
pub struct PreemptionArgs {
    /// Least share of the nodes that are tried.
    pub min_candidate_nodes_percentage: i64,
    /// Least number of nodes that are tried.
    pub min_candidate_nodes_absolute: i64,
}

/// Arguments of every plugin.
#[derive(Debug, Clone, PartialEq)]
pub struct Args {
    /// DefaultPreemption.
    pub preemption: PreemptionArgs,
    /// InterPodAffinity.
    pub inter_pod_affinity: InterPodAffinityArgs,
    /// NodeAffinity: a rule for every pod.
    pub added_affinity: Option<Arc<NodeAffinity>>,
    /// NodeResourcesFit.
    pub fit: FitArgs,
    /// NodeResourcesBalancedAllocation.
    pub balanced_resources: Vec<Resource>,
    /// PodTopologySpread.
    pub spread: SpreadDefaulting,
    /// VolumeBinding, seconds.
    pub bind_timeout_seconds: i64,
}

fn default_resources() -> Vec<Resource> {
    ["cpu", "memory"]
        .into_iter()
        .map(|name| Resource {
            name: name.into(),
            weight: 1,
        })
        .collect()
}

impl Default for Args {
    fn default() -> Self {
        Self {
            preemption: PreemptionArgs {
                min_candidate_nodes_percentage: 10,
                min_candidate_nodes_absolute: 100,
            },
            inter_pod_affinity: InterPodAffinityArgs {
                hard_pod_affinity_weight: 1,
                ignore_preferred_terms_of_existing_pods: false,
            },
            added_affinity: None,
            fit: FitArgs {
                ignored_resources: Vec::new(),
                ignored_resource_groups: Vec::new(),
                strategy: ScoringStrategy::LeastAllocated(default_resources()),
            },
            balanced_resources: default_resources(),
            spread: SpreadDefaulting::System(crate::plugins::pod_topology_spread::system_defaults()),
            bind_timeout_seconds: 600,
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
