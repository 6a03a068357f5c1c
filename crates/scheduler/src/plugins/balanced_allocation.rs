//! `NodeResourcesBalancedAllocation`: nodes whose resources would be used evenly (SCH-107).

use crate::cache::Cache;
use crate::cycle::Cycle;
use crate::node_info::NodeIdx;
use crate::plugins::node_resources_fit::{ScoredResource, scored_resources};

/// The configured resources as this pod asks for them.
pub(crate) fn resources(cycle: &Cycle<'_>) -> Vec<ScoredResource> {
    let args = &cycle.profile.args;
    scored_resources(cycle, &args.balanced_resources, &cycle.incoming.info.requests.requests)
}

/// PreScore: `false` skips, when the pod requests none of the configured resources (SCH-035).
pub fn pre_score(cycle: &Cycle<'_>) -> bool {
    resources(cycle).iter().any(|resource| resource.wanted != 0)
}

/// Score: 100 less the standard deviation of the fractions used. `fractions` is room to compute in.
pub(crate) fn score(cache: &Cache, resources: &[ScoredResource], fractions: &mut Vec<f64>, node: NodeIdx) -> i64 {
    fractions.clear();
    let row = cache.row(node);
    for resource in resources {
        let (requested, allocatable) = resource.on(cache, node, row, false);
        if allocatable != 0 {
            fractions.push((requested as f64 / allocatable as f64).min(1.0));
        }
    }
    let deviation = match fractions.as_slice() {
        [] | [_] => 0.0,
        [a, b] => ((a - b) / 2.0).abs(),
        all => {
            let n = all.len() as f64;
            let mean = all.iter().fold(0.0, |sum, fraction| sum + fraction) / n;
            let sum = all
                .iter()
                .fold(0.0, |sum, fraction| sum + (fraction - mean) * (fraction - mean));
            libm::sqrt(sum / n)
        }
    };
    ((1.0 - deviation) * 100.0) as i64
}
