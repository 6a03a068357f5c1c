//! `NodeResourcesBalancedAllocation`: nodes whose resources would be used evenly (SCH-107).

use super::Point::{PreScore, Score};
use super::resource_allocation::{Resource, ScoredResource, default_resources, read_resources, scored_resources};
use super::{ExtensionPoints, Row};
use crate::cache::Cache;
use crate::config::{Errors, Fields};
use crate::cycle::{Cycle, CycleState, Search};
use crate::node_info::NodeIdx;
use crate::status::Status;

pub(super) const ROW: Row = Row {
    weight: 1,
    about: "cpu and memory used evenly",
    ..Row::new(
        "NodeResourcesBalancedAllocation",
        &[PreScore, Score],
        &BalancedAllocation,
    )
};

/// Its arguments.
#[derive(Debug, Clone, PartialEq)]
pub struct Args {
    /// The resources that are to be used evenly.
    pub resources: Vec<Resource>,
}

impl Default for Args {
    fn default() -> Self {
        Self {
            resources: default_resources(),
        }
    }
}

struct BalancedAllocation;

impl ExtensionPoints for BalancedAllocation {
    /// Skips when the pod requests none of the configured resources (SCH-035).
    fn pre_score(
        &self,
        search: &Search<'_>,
        cache: &mut Cache,
        _: &mut CycleState,
        _: &[NodeIdx],
    ) -> Result<bool, Status> {
        let resources = resources(&search.cycle(cache));
        Ok(resources.iter().any(|resource| resource.wanted != 0))
    }

    fn score(&self, cycle: &Cycle<'_>, _: &CycleState, feasible: &[NodeIdx], scores: &mut [i64]) {
        let (resources, mut fractions) = (resources(cycle), Vec::new());
        for (score, node) in scores.iter_mut().zip(feasible) {
            *score = of_node(cycle.cache, &resources, &mut fractions, *node);
        }
    }

    fn read_args(&self, fields: &mut Fields<'_>, args: &mut crate::config::Args, errors: &mut Errors) {
        let Some(resources) = read_resources(fields, errors) else {
            return;
        };
        let path = fields.at("resources");
        for (index, resource) in resources.iter().enumerate() {
            let at = format!("{path}[{index}]");
            if resource.weight != 1 {
                errors.invalid(format!("{at}.weight"), resource.weight, "must be 1");
            }
            if resources[..index].iter().any(|other| other.name == resource.name) {
                errors.push(format!("{at}.name"), format!("Duplicate value: \"{}\"", resource.name));
            }
        }
        if !resources.is_empty() {
            args.balanced.resources = resources;
        }
    }
}

/// The configured resources as this pod asks for them.
fn resources(cycle: &Cycle<'_>) -> Vec<ScoredResource> {
    let configured = &cycle.profile.args.balanced.resources;
    scored_resources(cycle, configured, &cycle.incoming.info.requests.requests)
}

/// 100 less the standard deviation of the fractions used. `fractions` is room to compute in.
fn of_node(cache: &Cache, resources: &[ScoredResource], fractions: &mut Vec<f64>, node: NodeIdx) -> i64 {
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
