//! Compares decisions with plain formulas: every decision of five workloads is computed again from the objects alone,
//! node by node and pod by pod, without the cache's tables. The cluster has 300 nodes; sampling is off.

use podscope_api::ordered;
use std::sync::Arc;

use podscope_api::{Pod, PodAffinityTerm, ResourceList};
use podscope_scheduler::bench::{Bench, BenchOptions, Workload};
use podscope_scheduler::{Cache, cases};
use serde_json::{Value, json};

/// A node with its placed pods; amounts are `[millicores, bytes]`.
struct PlainNode {
    name: String,
    zone: String,
    allocatable: [i64; 2],
    requested: [i64; 2],
    max_pods: usize,
    pods: Vec<Arc<Pod>>,
}

/// Returns the amounts as `[millicores, bytes]`.
fn cpu_and_memory(list: &ResourceList) -> [i64; 2] {
    [list["cpu"].milli_value(), list["memory"].value()]
}

fn requested_amounts(pod: &Pod) -> [i64; 2] {
    cpu_and_memory(&pod.spec.containers[0].resources.requests)
}

fn plain_nodes(cache: &Cache) -> Vec<PlainNode> {
    let mut nodes: Vec<PlainNode> = cache
        .examination_order()
        .iter()
        .filter_map(|node| cache.node(*node).node.clone())
        .map(|node| PlainNode {
            name: node.metadata.name.to_string(),
            zone: node.metadata.labels["topology.kubernetes.io/zone"].to_string(),
            allocatable: cpu_and_memory(&node.status.allocatable),
            requested: [0; 2],
            max_pods: node.status.allocatable["pods"].value() as usize,
            pods: Vec::new(),
        })
        .collect();
    let node_indices: ordered::Map<String, usize> =
        (0..).zip(&nodes).map(|(at, node)| (node.name.clone(), at)).collect();
    for info in cache.pods() {
        let name = info.pod.spec.node_name.as_ref().expect("a placed pod");
        let node = &mut nodes[node_indices[&*name.0]];
        for (sum, more) in node.requested.iter_mut().zip(requested_amounts(&info.pod)) {
            *sum += more;
        }
        node.pods.push(info.pod.clone());
    }
    nodes
}

/// Returns whether two pods have the same label `app`. All pods of the workloads are in one namespace, and their
/// selectors use this label.
fn has_same_app(a: &Pod, b: &Pod) -> bool {
    a.metadata.labels["app"] == b.metadata.labels["app"]
}

fn count_same_app(pod: &Pod, nodes: &[PlainNode], zone: &str) -> i64 {
    let in_zone = nodes.iter().filter(|node| node.zone == zone);
    in_zone
        .flat_map(|node| &node.pods)
        .filter(|other| has_same_app(pod, other))
        .count() as i64
}

fn required_affinity(pod: &Pod) -> Option<&PodAffinityTerm> {
    let rules = pod.spec.affinity.as_ref()?.pod_affinity.as_ref()?;
    rules.required_during_scheduling_ignored_during_execution.first()
}

fn has_preferred_anti_affinity(pod: &Pod) -> bool {
    let affinity = pod.spec.affinity.as_ref();
    affinity.is_some_and(|affinity| affinity.pod_anti_affinity.is_some())
}

/// Returns the feasible nodes and their total scores.
fn total_scores(pod: &Pod, workload: Workload, nodes: &[PlainNode]) -> ordered::Map<String, i64> {
    let request = requested_amounts(pod);
    let count_by_zone: ordered::Map<&str, i64> = nodes
        .iter()
        .map(|node| (node.zone.as_str(), 0))
        .collect::<ordered::Map<_, _>>()
        .into_keys()
        .map(|zone| (zone, count_same_app(pod, nodes, zone)))
        .collect();
    let min_count = count_by_zone.values().copied().min().unwrap_or(0);
    let total_count: i64 = count_by_zone.values().sum();
    let feasible: Vec<&PlainNode> = nodes
        .iter()
        .filter(|node| node.pods.len() < node.max_pods)
        .filter(|node| {
            (0..2).all(|resource| node.requested[resource] + request[resource] <= node.allocatable[resource])
        })
        .filter(|node| workload != Workload::Spread || count_by_zone[&*node.zone] + 1 - min_count <= 5)
        .filter(|node| required_affinity(pod).is_none() || total_count == 0 || count_by_zone[&*node.zone] > 0)
        .collect();
    // TaintToleration gives a score of 100 with weight 3, because there are no taints.
    let mut totals = vec![3 * 100; feasible.len()];
    for (total, node) in totals.iter_mut().zip(&feasible) {
        let after = [0, 1].map(|resource| node.requested[resource] + request[resource]);
        let free_percent =
            [0, 1].map(|resource| (node.allocatable[resource] - after[resource]) * 100 / node.allocatable[resource]);
        *total += (free_percent[0] + free_percent[1]) / 2;
        let evenness = |requested: [i64; 2]| {
            let share = [0, 1].map(|resource| requested[resource] as f64 / node.allocatable[resource] as f64);
            ((1.0 - ((share[0] - share[1]) / 2.0).abs()) * 100.0) as i64
        };
        *total += 50 + (50 + evenness(after) - evenness([node.requested[0], node.requested[1]])) / 2;
    }
    if workload == Workload::SoftSpread {
        let weight = libm::log((count_by_zone.len() + 2) as f64);
        let raw: Vec<i64> = feasible
            .iter()
            .map(|node| libm::round(count_by_zone[&*node.zone] as f64 * weight + 4.0) as i64)
            .collect();
        let (min, max) = (raw.iter().min().expect("a node"), raw.iter().max().expect("a node"));
        for (total, score) in totals.iter_mut().zip(&raw) {
            *total += 2 * (100 * (max + min - score) / max);
        }
    }
    let raw: Vec<i64> = feasible
        .iter()
        .map(|node| {
            let own = node.pods.iter().filter(|other| has_same_app(pod, other));
            // Both the incoming pod and the placed pod prefer not to be near the other, so each placed pod counts
            // twice.
            let anti_affinity_score: i64 = own.map(|_| if has_preferred_anti_affinity(pod) { -2 } else { 0 }).sum();
            let affinity_score = required_affinity(pod).map_or(0, |_| count_by_zone[&*node.zone]);
            anti_affinity_score + affinity_score
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
fn decisions_match_plain_formulas() {
    let mut refused = 0;
    for (workload, name) in Workload::ALL {
        if matches!(workload, Workload::Preempt | Workload::Dra) {
            continue;
        }
        for (templates, pods) in [(1, 450), (20, 900)] {
            let options = BenchOptions {
                nodes: 300,
                pods,
                templates,
                deletions: templates > 1,
                without_sampling: true,
            };
            let mut bench = Bench::new(workload, options);
            for index in 0..20 {
                bench.prepare(index);
                let pod = bench.pending().expect("a pod").clone();
                let (cache, decision) = bench.scheduler().decide(&pod).expect("a decision");
                let expected = total_scores(&pod, workload, &plain_nodes(&cache));
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
                bench.carry_out(&attempt);
            }
        }
    }
    assert!(refused > 0, "at least one node must be rejected by Filter");
}
