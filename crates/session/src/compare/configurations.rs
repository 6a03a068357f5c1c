//! Compares several configurations of the scheduler with the same workload.

use podscope_api::ordered::{self, StableSort as _};
use podscope_api::{Pod, Quantity};
use podscope_cluster::{Happening, SimTime};
use podscope_protocol::Problem;
use serde::Serialize;

use crate::scenario::{self, File};
use crate::timeline::Session;
use crate::whatif::{ClusterState, settle_workload};

/// Maximum number of configurations.
pub const MAX_CONFIGURATIONS: usize = 5;
/// Resources whose balance is measured.
const MEASURED_RESOURCES: [&str; 2] = ["cpu", "memory"];

/// Result of a comparison.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Comparison {
    pub configurations: Vec<Figures>,
    /// Pods whose node is not the same in all configurations.
    pub differs: Vec<Differing>,
}

/// Measurements of one configuration.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Figures {
    /// File name of the configuration.
    pub name: String,
    /// Number of pods with a node.
    pub placed: usize,
    pub pending: usize,
    /// Number of nodes with at least one pod.
    pub nodes_used: usize,
    /// Balance of each measured resource over the nodes.
    pub balance: ordered::Map<String, Balance>,
    pub preemptions: usize,
    pub time_to_place: PlaceTime,
}

/// Balance of a resource over the nodes. Shares are requested divided by allocatable quantities.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Balance {
    /// Requested share of all nodes together.
    pub allocated: f64,
    /// Standard deviation of the nodes' shares.
    pub deviation: f64,
    /// Jain's fairness index of the nodes' shares: 1 if all are equal, 1/n if one node has all.
    pub jain: f64,
    /// Largest free quantity on a single node.
    pub largest_free: String,
}

/// Time from creation to binding of pods, in seconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct PlaceTime {
    pub mean: f64,
    pub longest: f64,
}

/// A pod whose node is not the same in all configurations.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Differing {
    pub pod: String,
    pub nodes: Vec<Option<String>>,
}

/// Runs the files under each configuration until pods stop moving.
///
/// # Errors
/// Problems of the files, or of a configuration.
pub fn configurations(
    workload: &[File],
    configurations: &[File],
    stop: fn() -> bool,
) -> Result<Comparison, Vec<Problem>> {
    let mut all = Vec::new();
    let mut places: Vec<ordered::Map<String, Option<String>>> = Vec::new();
    for file in configurations {
        let mut files = workload.to_vec();
        files.push(file.clone());
        let mut session = Session::new(scenario::load(&files)?)?;
        settle_workload(&mut session, stop);
        all.push(figures(&file.0, &session));
        places.push(ClusterState::of(&session).nodes_of_pods());
    }
    let names: ordered::Set<&String> = places.iter().flat_map(ordered::Map::keys).collect();
    let differs = names.into_iter().filter_map(|pod| {
        let nodes: Vec<Option<String>> = places.iter().map(|placed| placed.get(pod).cloned().flatten()).collect();
        let is_same_everywhere = nodes.windows(2).all(|pair| pair[0] == pair[1]);
        (!is_same_everywhere).then(|| Differing {
            pod: pod.clone(),
            nodes,
        })
    });
    Ok(Comparison {
        differs: differs.collect(),
        configurations: all,
    })
}

fn figures(name: &str, session: &Session) -> Figures {
    let objects = session.world().objects();
    let pods: Vec<_> = objects.list::<Pod>().filter(|pod| !pod.is_terminal()).collect();
    let placed = pods.iter().filter(|pod| pod.spec.node_name.is_some()).count();
    let used: ordered::Set<_> = pods.iter().filter_map(|pod| pod.spec.node_name.clone()).collect();
    let state = ClusterState::of(session);
    let is_preemption = |happening: &Happening| matches!(happening, Happening::Preempted { .. });
    Figures {
        name: name.to_owned(),
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
        preemptions: session
            .trace()
            .filter(|record| is_preemption(&record.happening))
            .count(),
        time_to_place: time_to_place(session),
    }
}

/// Balance of a resource; `nodes` are requested and allocatable quantities.
fn balance(nodes: &[[Quantity; 2]]) -> Balance {
    let number = |quantity: &Quantity| quantity.milli_value() as f64;
    let shares: Vec<f64> = (nodes.iter())
        .filter(|[_, has]| number(has) > 0.0)
        .map(|[used, has]| number(used) / number(has))
        .collect();
    let sum = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, |sum, value| sum + value);
    let count = shares.len() as f64;
    let total = sum(&mut nodes.iter().map(|[_, has]| number(has)));
    if shares.is_empty() || total <= 0.0 {
        return Balance::default();
    }
    let mean = sum(&mut shares.iter().copied()) / count;
    let variance = sum(&mut shares.iter().map(|share| (share - mean) * (share - mean))) / count;
    let squares = sum(&mut shares.iter().map(|share| share * share));
    let mut free: Vec<Quantity> = nodes.iter().map(|[used, has]| has.minus(*used)).collect();
    free.stable_sort();
    Balance {
        allocated: sum(&mut nodes.iter().map(|[used, _]| number(used))) / total,
        deviation: variance.sqrt(),
        jain: if squares > 0.0 {
            (mean * count) * (mean * count) / (count * squares)
        } else {
            1.0
        },
        largest_free: free.last().map(ToString::to_string).unwrap_or_default(),
    }
}

fn time_to_place(session: &Session) -> PlaceTime {
    let mut created_at: ordered::Map<String, SimTime> = ordered::Map::new();
    let mut waits: Vec<f64> = Vec::new();
    for record in session.trace() {
        let Some(subject) = record.object.as_deref() else {
            continue;
        };
        match &record.happening {
            Happening::Created { .. } => drop(created_at.insert(subject.uid.to_string(), record.at)),
            Happening::Bound { .. } => {
                // Pods of the files exist from t = 0.
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
        return PlaceTime::default();
    }
    let sum = waits.iter().fold(0.0, |sum, wait| sum + wait);
    PlaceTime {
        mean: sum / waits.len() as f64,
        longest: waits.iter().copied().fold(0.0, f64::max),
    }
}
