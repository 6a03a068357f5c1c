//! `NodeResourcesBalancedAllocation`: nodes whose resources would be used evenly (SCH-107).

use crate::cycle::Cycle;
use crate::node_info::NodeInfo;
use crate::plugins::node_resources_fit::amounts;

/// PreScore: `false` skips, when the pod requests none of the configured resources (SCH-035).
pub fn pre_score(cycle: &Cycle<'_>) -> bool {
    let requests = &cycle.incoming.info.requests.requests;
    cycle.profile.args.balanced_resources.iter().any(|resource| {
        let amount = match &*resource.name {
            "cpu" => requests.cpu,
            "memory" => requests.memory,
            "ephemeral-storage" => requests.ephemeral,
            name => cycle
                .cache
                .symbols
                .get(name)
                .and_then(|symbol| requests.scalar(symbol))
                .unwrap_or(0),
        };
        amount != 0
    })
}

/// Score: 100 less the standard deviation of the fractions used.
pub fn score(cycle: &Cycle<'_>, node: &NodeInfo) -> i64 {
    let pod = &cycle.incoming.info.requests.requests;
    let mut fractions = [0.0_f64; 2];
    let mut more = Vec::new();
    let mut n = 0_usize;
    let mut total = 0.0_f64;
    for resource in &cycle.profile.args.balanced_resources {
        let (requested, allocatable) = amounts(cycle, node, &resource.name, pod, false);
        if allocatable == 0 {
            continue;
        }
        let fraction = (requested as f64 / allocatable as f64).min(1.0);
        total += fraction;
        if n < 2 {
            fractions[n] = fraction;
        } else {
            more.push(fraction);
        }
        n += 1;
    }
    let deviation = match n {
        0 | 1 => 0.0,
        2 => ((fractions[0] - fractions[1]) / 2.0).abs(),
        _ => {
            let mean = total / n as f64;
            let sum = fractions
                .iter()
                .chain(&more)
                .fold(0.0, |sum, fraction| sum + (fraction - mean) * (fraction - mean));
            libm::sqrt(sum / n as f64)
        }
    };
    ((1.0 - deviation) * 100.0) as i64
}
