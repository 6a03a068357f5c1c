//! Measures for how long workloads, PodDisruptionBudgets and Services have less than before a change: fewer available
//! replicas, fewer healthy pods than a budget requires, or no ready endpoint.

use podscope_api::well_known::label;
use podscope_api::{Deployment, EndpointSlice, ObjectKey, PodDisruptionBudget, Service, StatefulSet, ordered};
use podscope_cluster::{Objects, SimTime};
use serde::Serialize;

use crate::timeline::Session;

/// An object that had less than it requires for some time after a change.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Shortfall {
    /// Kind, namespace and name of the object.
    pub object: String,
    /// What is counted for the object.
    pub of: ShortfallUnit,
    /// The number that the object requires.
    pub wanted: i32,
    /// The smallest number that the object had.
    pub least: i32,
    /// Total time during which the object had less than it requires, in seconds.
    pub seconds: i64,
    /// Whether the object still has less than it requires at the end of the run.
    pub lasts: bool,
}

/// What is counted for an object: replicas, pods or endpoints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum ShortfallUnit {
    #[serde(rename = "available replicas")]
    AvailableReplicas,
    #[serde(rename = "healthy pods")]
    HealthyPods,
    #[serde(rename = "ready endpoints")]
    ReadyEndpoints,
}

/// The number that an object has, and the number that it requires.
#[derive(Debug, Clone, Copy)]
struct ActualAndRequired {
    of: ShortfallUnit,
    has: i32,
    wanted: i32,
}

/// The actual and the required number of each object, by kind and key of the object.
type LevelsByObject = ordered::Map<String, ActualAndRequired>;

/// Samples the objects that have enough at the beginning of a run, to find their shortfalls.
#[derive(Debug, Clone)]
pub(super) struct ShortfallWatcher {
    /// The number that each of these objects requires at the beginning.
    wanted: ordered::Map<String, i32>,
    found: ordered::Map<String, Shortfall>,
    sampled: SimTime,
}

impl ShortfallWatcher {
    pub(super) fn new(session: &Session) -> Self {
        let levels = measured_levels(session.world().objects()).into_iter();
        let enough = levels.filter(|(_, level)| level.wanted > 0 && level.has >= level.wanted);
        Self {
            wanted: enough.map(|(object, level)| (object, level.wanted)).collect(),
            found: ordered::Map::new(),
            sampled: session.now(),
        }
    }

    /// Records the objects that have too little now. The time since the last sample counts as time of their shortfall.
    pub(super) fn sample(&mut self, session: &Session) {
        let passed = (session.now() - self.sampled).0 / 1_000_000;
        self.sampled = session.now();
        self.found.values_mut().for_each(|one| one.lasts = false);
        for (object, level) in measured_levels(session.world().objects()) {
            // If a workload is scaled up, its additional replicas are not required.
            let Some(wanted) = self.wanted.get(&object).map(|before| level.wanted.min(*before)) else {
                continue;
            };
            if level.has >= wanted {
                continue;
            }
            let one = self.found.entry(object.clone()).or_insert_with(|| Shortfall {
                object,
                of: level.of,
                wanted,
                least: level.has,
                seconds: 0,
                lasts: true,
            });
            one.least = one.least.min(level.has);
            one.seconds += passed;
            one.lasts = true;
        }
    }

    /// Returns the shortfalls so far: first those that still last, and among them the longest first.
    pub(super) fn shortfalls(&self) -> Vec<Shortfall> {
        use podscope_api::ordered::StableSort as _;
        let mut all: Vec<Shortfall> = self.found.values().cloned().collect();
        all.stable_sort_by_key(|one| (!one.lasts, -one.seconds, one.object.clone()));
        all
    }
}

fn measured_levels(objects: &Objects) -> LevelsByObject {
    let mut levels = LevelsByObject::new();
    for one in objects.list::<Deployment>() {
        let level = ActualAndRequired {
            of: ShortfallUnit::AvailableReplicas,
            has: one.status.available_replicas.unwrap_or(0),
            wanted: one.spec.replicas.unwrap_or(1),
        };
        levels.insert(format!("Deployment {}", one.metadata.key()), level);
    }
    for one in objects.list::<StatefulSet>() {
        let level = ActualAndRequired {
            of: ShortfallUnit::AvailableReplicas,
            has: one.status.available_replicas,
            wanted: one.spec.replicas.unwrap_or(1),
        };
        levels.insert(format!("StatefulSet {}", one.metadata.key()), level);
    }
    for one in objects.list::<PodDisruptionBudget>() {
        let level = ActualAndRequired {
            of: ShortfallUnit::HealthyPods,
            has: one.status.current_healthy,
            wanted: one.status.desired_healthy,
        };
        levels.insert(format!("PodDisruptionBudget {}", one.metadata.key()), level);
    }
    let ready = ready_endpoints(objects);
    for one in objects.list::<Service>() {
        let key = one.metadata.key();
        let level = ActualAndRequired {
            of: ShortfallUnit::ReadyEndpoints,
            has: ready.get(&key).copied().unwrap_or(0),
            wanted: 1,
        };
        levels.insert(format!("Service {key}"), level);
    }
    levels
}

/// Returns the number of ready endpoints of each Service.
fn ready_endpoints(objects: &Objects) -> ordered::Map<ObjectKey, i32> {
    let mut ready: ordered::Map<ObjectKey, i32> = ordered::Map::new();
    for slice in objects.list::<EndpointSlice>() {
        let Some(service) = slice.metadata.label(label::SERVICE_NAME) else {
            continue;
        };
        let count = (slice.endpoints.iter())
            .filter(|endpoint| endpoint.conditions.ready != Some(false))
            .count();
        let key = ObjectKey::new(slice.metadata.namespace.clone(), service);
        *ready.entry(key).or_default() += i32::try_from(count).unwrap_or(i32::MAX);
    }
    ready
}
