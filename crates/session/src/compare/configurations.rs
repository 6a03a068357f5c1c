//! Compares scheduler configurations by running the same workload under each of them, and compares two finished runs.

use std::sync::Arc;

use podscope_api::ordered::{self, StableSort as _};
use podscope_api::well_known::label;
use podscope_api::{Node, Pod, Quantity, ResourceClaim, ResourceSlice};
use podscope_cluster::{Happening, Objects, SimTime};
use podscope_messages::Sentence;
use podscope_protocol::Problem;
use serde::Serialize;

use crate::scenario::{self, File};
use crate::timeline::Session;
use crate::whatif::{ClusterState, settle_pods};

/// Maximum number of scheduler configurations that are compared.
pub const MAX_CONFIGURATIONS: usize = 5;
/// Maximum number of nodes whose shares (requested divided by allocatable) are listed.
const MAX_LISTED_NODE_SHARES: usize = 100;
/// Resources whose balance is measured.
const MEASURED_RESOURCES: [&str; 2] = ["cpu", "memory"];

/// Result of comparing runs, for example under several scheduler configurations.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Comparison {
    pub configurations: Vec<RunFigures>,
    /// Pods that did not run on the same node in all configurations.
    pub differs: Vec<DifferentlyPlacedPod>,
}

/// Measurements of one configuration.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RunFigures {
    /// File name of the configuration, or the title of one of the two compared runs.
    #[serde(serialize_with = "podscope_messages::as_english")]
    pub name: Sentence,
    /// Number of pods with a node.
    pub placed: usize,
    pub pending: usize,
    /// Number of nodes with at least one pod.
    pub nodes_used: usize,
    /// Balance of each measured resource over the nodes.
    pub balance: ordered::Map<String, ResourceBalance>,
    /// Allocated devices and all devices. `None` if no node has devices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub devices: Option<[usize; 2]>,
    /// Number of pods in the zone with the fewest pods and in the zone with the most. `None` with fewer than two zones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pods_per_zone: Option<[usize; 2]>,
    pub preemptions: usize,
    pub time_to_place: PlacementTime,
}

/// Balance of a resource over the nodes. A node's share is its requested divided by its allocatable quantity.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourceBalance {
    /// Requested divided by allocatable quantity of all nodes together.
    pub allocated: f64,
    /// Standard deviation of the nodes' shares.
    pub deviation: f64,
    /// Jain's fairness index of the nodes' shares: 1 if all are equal, 1/n if one node has all.
    pub jain: f64,
    /// Largest unrequested quantity of the resource on a single node.
    pub largest_free: String,
    /// Shares of the nodes in descending order. If there are more than 100 nodes, 100 of them in equal steps.
    pub shares: Vec<f64>,
}

/// Time from creation to binding of pods, in seconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct PlacementTime {
    pub mean: f64,
    pub longest: f64,
}

/// A pod that did not run on the same node in all configurations.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DifferentlyPlacedPod {
    pub pod: String,
    pub nodes: Vec<Option<String>>,
}

/// Runs the files under each configuration until pods stop moving.
///
/// # Errors
/// The problems of the workload's files, or of a configuration.
pub fn configurations(
    workload: &[File],
    configurations: &[File],
    should_stop: fn() -> bool,
) -> Result<Comparison, Vec<Problem>> {
    let mut measured = RunMeasurements::default();
    for file in configurations {
        let mut files = workload.to_vec();
        files.push(file.clone());
        let mut session = Session::new(scenario::load(&files)?)?;
        settle_pods(&mut session, should_stop);
        measured.add(Sentence::from(&file.0), &session);
    }
    Ok(measured.into_comparison())
}

/// Measures two runs in their present state. Each run is paired with its title in the result.
pub(crate) fn compare_runs(titled: [(Sentence, &Session); 2]) -> Comparison {
    let mut measured = RunMeasurements::default();
    for (name, session) in titled {
        measured.add(name, session);
    }
    measured.into_comparison()
}

/// Measurements of the runs that are compared.
#[derive(Default)]
struct RunMeasurements {
    figures: Vec<RunFigures>,
    /// For each run, the node of each pod; None for a pod without a node.
    places: Vec<ordered::Map<String, Option<String>>>,
}

impl RunMeasurements {
    fn add(&mut self, name: Sentence, session: &Session) {
        self.figures.push(measure_run(name, session));
        self.places.push(ClusterState::of(session).nodes_of_pods());
    }

    fn into_comparison(self) -> Comparison {
        let places = &self.places;
        let names: ordered::Set<&String> = places.iter().flat_map(ordered::Map::keys).collect();
        let differs = names.into_iter().filter_map(|pod| {
            let nodes: Vec<Option<String>> = places.iter().map(|placed| placed.get(pod).cloned().flatten()).collect();
            let is_same_everywhere = nodes.windows(2).all(|pair| pair[0] == pair[1]);
            (!is_same_everywhere).then(|| DifferentlyPlacedPod {
                pod: pod.clone(),
                nodes,
            })
        });
        Comparison {
            differs: differs.collect(),
            configurations: self.figures,
        }
    }
}

fn measure_run(name: Sentence, session: &Session) -> RunFigures {
    let objects = session.world().objects();
    let pods: Vec<_> = objects.list::<Pod>().filter(|pod| !pod.is_terminal()).collect();
    let placed = pods.iter().filter(|pod| pod.spec.node_name.is_some()).count();
    let used: ordered::Set<_> = pods.iter().filter_map(|pod| pod.spec.node_name.clone()).collect();
    let state = ClusterState::of(session);
    let is_preemption = |happening: &Happening| matches!(happening, Happening::Preempted { .. });
    RunFigures {
        name,
        placed,
        pending: pods.len() - placed,
        nodes_used: used.len(),
        balance: (MEASURED_RESOURCES.iter())
            .map(|resource| {
                (
                    (*resource).to_owned(),
                    balance(&state.requested_and_allocatable(resource)),
                )
            })
            .collect(),
        devices: allocated_and_total_devices(objects),
        pods_per_zone: fewest_and_most_pods_per_zone(objects, &pods),
        preemptions: session
            .trace()
            .filter(|record| is_preemption(&record.happening))
            .count(),
        time_to_place: time_to_place(session),
    }
}

/// Returns the number of allocated devices and of all devices. None if no node has devices.
fn allocated_and_total_devices(objects: &Objects) -> Option<[usize; 2]> {
    let all = (objects.list::<ResourceSlice>()).fold(0, |sum, slice| sum + slice.spec.devices.len());
    let results = |claim: &ResourceClaim| {
        let allocation = claim.status.allocation.as_ref();
        allocation.map_or(0, |allocation| allocation.devices.results.len())
    };
    let allocated = (objects.list::<ResourceClaim>()).fold(0, |sum, claim| sum + results(claim));
    (all > 0).then_some([allocated, all])
}

/// Returns the number of pods in the zone with the fewest pods and in the zone with the most.
fn fewest_and_most_pods_per_zone(objects: &Objects, pods: &[&Arc<Pod>]) -> Option<[usize; 2]> {
    let mut n_pods: ordered::Map<String, usize> = ordered::Map::new();
    let mut zones: ordered::Map<String, String> = ordered::Map::new();
    for node in objects.list::<Node>() {
        let Some(zone) = node.metadata.label(label::ZONE) else {
            continue;
        };
        n_pods.entry(zone.to_owned()).or_default();
        zones.insert(node.metadata.name.to_string(), zone.to_owned());
    }
    for pod in pods {
        let node = pod.spec.node_name.as_ref();
        if let Some(zone) = node.and_then(|node| zones.get(&**node)) {
            *n_pods.entry(zone.clone()).or_default() += 1;
        }
    }
    let (least, most) = (n_pods.values().min()?, n_pods.values().max()?);
    (n_pods.len() > 1).then_some([*least, *most])
}

/// Computes the balance of a resource; `nodes` are pairs of requested and allocatable quantities.
fn balance(nodes: &[[Quantity; 2]]) -> ResourceBalance {
    let number = |quantity: &Quantity| quantity.milli_value() as f64;
    let mut shares: Vec<f64> = (nodes.iter())
        .filter(|[_, has]| number(has) > 0.0)
        .map(|[used, has]| number(used) / number(has))
        .collect();
    let sum = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, |sum, value| sum + value);
    let count = shares.len() as f64;
    let total = sum(&mut nodes.iter().map(|[_, has]| number(has)));
    if shares.is_empty() || total <= 0.0 {
        return ResourceBalance::default();
    }
    let mean = sum(&mut shares.iter().copied()) / count;
    let variance = sum(&mut shares.iter().map(|share| (share - mean) * (share - mean))) / count;
    let squares = sum(&mut shares.iter().map(|share| share * share));
    let mut free: Vec<Quantity> = nodes.iter().map(|[used, has]| has.minus(*used)).collect();
    free.stable_sort();
    shares.stable_sort_by(|one, other| other.total_cmp(one));
    ResourceBalance {
        allocated: sum(&mut nodes.iter().map(|[used, _]| number(used))) / total,
        deviation: variance.sqrt(),
        jain: if squares > 0.0 {
            (mean * count) * (mean * count) / (count * squares)
        } else {
            1.0
        },
        largest_free: free.last().map(ToString::to_string).unwrap_or_default(),
        shares: sample_in_equal_steps(&shares, MAX_LISTED_NODE_SHARES),
    }
}

/// Returns at most `max` values, in equal steps, including the first and the last one.
pub(super) fn sample_in_equal_steps(values: &[f64], max: usize) -> Vec<f64> {
    let count = values.len().min(max);
    let step = |at: usize| at * (values.len() - 1) / (count - 1).max(1);
    (0..count).filter_map(|at| values.get(step(at)).copied()).collect()
}

fn time_to_place(session: &Session) -> PlacementTime {
    let mut created_at: ordered::Map<String, SimTime> = ordered::Map::new();
    let mut waits: Vec<f64> = Vec::new();
    for record in session.trace() {
        let Some(subject) = record.object.as_deref() else {
            continue;
        };
        match &record.happening {
            Happening::Created { .. } => drop(created_at.insert(subject.uid.to_string(), record.at)),
            Happening::Bound { .. } => {
                // The pods in the files exist from t = 0; no record shows their creation.
                let since = created_at
                    .get(&subject.uid.to_string())
                    .copied()
                    .unwrap_or(SimTime::ZERO);
                waits.push((record.at - since).0 as f64 / 1e6);
            }
            _ => {}
        }
    }
    if waits.is_empty() {
        return PlacementTime::default();
    }
    let sum = waits.iter().fold(0.0, |sum, wait| sum + wait);
    PlacementTime {
        mean: sum / waits.len() as f64,
        longest: waits.iter().copied().fold(0.0, f64::max),
    }
}
