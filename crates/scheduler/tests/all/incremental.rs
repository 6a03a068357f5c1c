//! Tests that the incrementally updated cache leads to the same decisions as a newly built cache, for every workload:
//! 300 nodes, sampling off, 20 templates, deletions in between.

use podscope_api::Object;
use podscope_scheduler::bench::{Bench, BenchOptions, Workload};
use podscope_scheduler::{Cache, cases, decide};

/// Returns all objects in the cache.
fn objects(cache: &Cache) -> Vec<Object> {
    let nodes = cache
        .examination_order()
        .iter()
        .filter_map(|node| cache.node(*node).node.clone());
    let pods = cache.pods().map(|info| info.pod.clone());
    let budgets = cache.stores().budgets.values().cloned();
    nodes
        .map(Object::Node)
        .chain(pods.map(Object::Pod))
        .chain(budgets.map(Object::PodDisruptionBudget))
        .collect()
}

/// Shows: S-01
#[test]
fn incremental_and_rebuilt_caches_give_equal_decisions() {
    for (workload, name) in Workload::ALL {
        // This workload is skipped, because the rebuilt caches have no devices.
        if workload == Workload::Dra {
            continue;
        }
        let options = BenchOptions {
            nodes: 300,
            pods: 600,
            templates: 20,
            deletions: true,
            without_sampling: true,
        };
        let mut bench = Bench::new(workload, options);
        for index in 0..20 {
            bench.prepare(index);
            let pod = bench.pending().expect("a pod").clone();
            let scheduler = bench.scheduler();
            let (cache, incremental) = scheduler.decide(&pod).expect("a decision");
            // The order of a node's pods differs. The order matters only for ties among victims, which do not occur
            // here.
            let (mut fresh, _) = cases::load(&objects(&cache), scheduler.config());
            let rebuilt =
                decide(&mut fresh, scheduler.config(), scheduler.nominator(), &pod, &mut 0).expect("a decision");
            let (incremental, rebuilt) = (cases::to_value(&cache, &incremental), cases::to_value(&fresh, &rebuilt));
            let differences = cases::compare(&incremental, &rebuilt);
            assert!(
                differences.is_empty(),
                "{name}, decision {index}: {}",
                differences.join("; ")
            );
            let attempt = bench.decide().expect("an attempt");
            bench.carry_out(&attempt);
        }
    }
}
