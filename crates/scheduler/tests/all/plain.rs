//! The tables decide as the formulas do: every decision of the five workloads is made a second time from
//! the objects alone, node by node and pod by pod; 300 nodes, sampling off.

use podscope_api::ordered;
use std::sync::Arc;

use podscope_api::{Pod, PodAffinityTerm, ResourceList};
use podscope_scheduler::bench::{Bench, Size, Workload};
use podscope_scheduler::{Cache, cases};
use serde_json::{Value, json};

/// A node with the pods that are placed on it.
struct PlainNode {
    name: String,
    zone: String,
    have: [i64; 2],
    used: [i64; 2],
    max_pods: usize,
    pods: Vec<Arc<Pod>>,
}

/// cpu in thousandths, memory in bytes.
fn amounts(list: &ResourceList) -> [i64; 2] {
    [list["cpu"].milli_value(), list["memory"].value()]
}

fn request(pod: &Pod) -> [i64; 2] {
    amounts(&pod.spec.containers[0].resources.requests)
}

fn nodes(cache: &Cache) -> Vec<PlainNode> {
    let mut nodes: Vec<PlainNode> = cache
        .order()
        .iter()
        .filter_map(|node| cache.node(*node).node.clone())
        .map(|node| PlainNode {
            name: node.metadata.name.to_string(),
            zone: node.metadata.labels["topology.kubernetes.io/zone"].to_string(),
            have: amounts(&node.status.allocatable),
            used: [0; 2],
            max_pods: node.status.allocatable["pods"].value() as usize,
            pods: Vec::new(),
        })
        .collect();
    let places: ordered::Map<String, usize> = (0..).zip(&nodes).map(|(at, node)| (node.name.clone(), at)).collect();
    for info in cache.pods() {
        let name = info.pod.spec.node_name.as_ref().expect("a placed pod");
        let node = &mut nodes[places[&*name.0]];
        for (sum, more) in node.used.iter_mut().zip(request(&info.pod)) {
            *sum += more;
        }
        node.pods.push(info.pod.clone());
    }
    nodes
}

/// All pods of the workloads are of one namespace and select by the label `app`.
fn alike(a: &Pod, b: &Pod) -> bool {
    a.metadata.labels["app"] == b.metadata.labels["app"]
}

fn n_alike(pod: &Pod, nodes: &[PlainNode], zone: &str) -> i64 {
    let in_zone = nodes.iter().filter(|node| node.zone == zone);
    in_zone
        .flat_map(|node| &node.pods)
        .filter(|other| alike(pod, other))
        .count() as i64
}

fn required_affinity(pod: &Pod) -> Option<&PodAffinityTerm> {
    let rules = pod.spec.affinity.as_ref()?.pod_affinity.as_ref()?;
    rules.required_during_scheduling_ignored_during_execution.first()
}

fn prefers_to_be_alone(pod: &Pod) -> bool {
    let affinity = pod.spec.affinity.as_ref();
    affinity.is_some_and(|affinity| affinity.pod_anti_affinity.is_some())
}

/// The feasible nodes and their totals.
fn totals(pod: &Pod, workload: Workload, nodes: &[PlainNode]) -> ordered::Map<String, i64> {
    let wanted = request(pod);
    let in_zones: ordered::Map<&str, i64> = nodes
        .iter()
        .map(|node| (node.zone.as_str(), 0))
        .collect::<ordered::Map<_, _>>()
        .into_keys()
        .map(|zone| (zone, n_alike(pod, nodes, zone)))
        .collect();
    let fewest = in_zones.values().copied().min().unwrap_or(0);
    let anywhere: i64 = in_zones.values().sum();
    let feasible: Vec<&PlainNode> = nodes
        .iter()
        .filter(|node| node.pods.len() < node.max_pods)
        .filter(|node| (0..2).all(|resource| node.used[resource] + wanted[resource] <= node.have[resource]))
        .filter(|node| workload != Workload::Spread || in_zones[&*node.zone] + 1 - fewest <= 5)
        .filter(|node| required_affinity(pod).is_none() || anywhere == 0 || in_zones[&*node.zone] > 0)
        .collect();
    // TaintToleration: nothing to tolerate.
    let mut totals = vec![3 * 100; feasible.len()];
    for (total, node) in totals.iter_mut().zip(&feasible) {
        let after = [0, 1].map(|resource| node.used[resource] + wanted[resource]);
        let left = [0, 1].map(|resource| (node.have[resource] - after[resource]) * 100 / node.have[resource]);
        *total += (left[0] + left[1]) / 2;
        let evenness = |used: [i64; 2]| {
            let share = [0, 1].map(|resource| used[resource] as f64 / node.have[resource] as f64);
            ((1.0 - ((share[0] - share[1]) / 2.0).abs()) * 100.0) as i64
        };
        *total += 50 + (50 + evenness(after) - evenness([node.used[0], node.used[1]])) / 2;
    }
    if workload == Workload::SoftSpread {
        let weight = libm::log((in_zones.len() + 2) as f64);
        let raw: Vec<i64> = feasible
            .iter()
            .map(|node| libm::round(in_zones[&*node.zone] as f64 * weight + 4.0) as i64)
            .collect();
        let (min, max) = (raw.iter().min().expect("a node"), raw.iter().max().expect("a node"));
        for (total, score) in totals.iter_mut().zip(&raw) {
            *total += 2 * (100 * (max + min - score) / max);
        }
    }
    let raw: Vec<i64> = feasible
        .iter()
        .map(|node| {
            let own = node.pods.iter().filter(|other| alike(pod, other));
            // Both the pod's wish and the other's count.
            let alone: i64 = own.map(|_| if prefers_to_be_alone(pod) { -2 } else { 0 }).sum();
            let together = required_affinity(pod).map_or(0, |_| in_zones[&*node.zone]);
            alone + together
        })
        .collect();
    let (min, max) = (raw.iter().min().expect("a node"), raw.iter().max().expect("a node"));
    for (total, score) in totals.iter_mut().zip(&raw).filter(|_| max > min) {
        *total += 2 * (100.0 * ((score - min) as f64 / (max - min) as f64)) as i64;
    }
    feasible.iter().map(|node| node.name.clone()).zip(totals).collect()
}

/// Shows: S-01
#[test]
fn tables_decide_as_the_formulas() {
    let mut refused = 0;
    for (workload, name) in Workload::ALL {
        if workload == Workload::Preempt {
            continue;
        }
        for (templates, pods) in [(1, 450), (20, 900)] {
            let size = Size {
                nodes: 300,
                pods,
                templates,
                deletions: templates > 1,
                without_sampling: true,
            };
            let mut bench = Bench::new(workload, size);
            for index in 0..20 {
                bench.prepare(index);
                let pod = bench.pending().expect("a pod").clone();
                let (cache, decision) = bench.scheduler().decide(&pod).expect("a decision");
                let expected = totals(&pod, workload, &nodes(&cache));
                refused += 300 - expected.len();
                let best = expected.values().max().expect("a node");
                let hosts: Vec<&String> = expected
                    .iter()
                    .filter(|(_, total)| *total == best)
                    .map(|(name, _)| name)
                    .collect();
                let got: Value = cases::to_value(&cache, &decision);
                let at = format!("{name}, {templates} templates, decision {index}");
                assert_eq!(got["totals"], json!(expected), "{at}");
                assert_eq!(got["hosts"], json!(hosts), "{at}");
                let attempt = bench.decide().expect("an attempt");
                bench.settle(&attempt);
            }
        }
    }
    assert!(refused > 0, "no Filter refused any node");
}
