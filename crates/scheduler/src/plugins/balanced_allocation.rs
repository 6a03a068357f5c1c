//! `NodeResourcesBalancedAllocation`: prefers nodes whose resource usage the pod makes more balanced (SCH-107). The
//! score measures the improvement: a balanced node that stays balanced gets no advantage.

use podscope_api::ProblemKind;
use podscope_api::explained::ScoreNote;
use podscope_messages::plugin as messages;

use super::Point::{PreScore, Score};
use super::resource_allocation::{Resource, ScoredResource, default_resources, read_resources, scored_resources};
use super::{ExtensionPoints, PluginSpec};
use crate::cache::Cache;
use crate::config::{Errors, Fields};
use crate::cycle::{Cycle, CycleState, NodeSearch};
use crate::node_info::NodeIdx;
use crate::resources::{evenness_of_two, fraction};
use crate::rows::{EVENNESS_NOT_IN_ROW, Row};
use crate::status::Status;

pub(super) const SPEC: PluginSpec = PluginSpec {
    weight: 1,
    about: Some(messages::balanced_allocation_about),
    ..PluginSpec::new(
        "NodeResourcesBalancedAllocation",
        &[PreScore, Score],
        &BalancedAllocation,
    )
};

/// The fields of NodeResourcesBalancedAllocationArgs.
#[derive(Debug, Clone, PartialEq)]
pub struct Args {
    /// The resources to balance.
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
    /// Skips the plugin if the pod requests none of the configured resources (SCH-035).
    fn pre_score(
        &self,
        search: &NodeSearch<'_>,
        cache: &mut Cache,
        _: &mut CycleState,
        _: &[NodeIdx],
    ) -> Result<bool, Status> {
        let resources = resources(&search.cycle(cache));
        Ok(resources.iter().any(|resource| resource.wanted != 0))
    }

    fn score(&self, cycle: &Cycle<'_>, _: &CycleState, feasible: &[NodeIdx], scores: &mut [i64]) -> bool {
        let resources = resources(cycle);
        // With the default resources cpu and memory, a node that has both is scored from its row alone.
        let both = match resources.as_slice() {
            [cpu, memory] if cpu.is_cpu() && memory.is_memory() => Some((cpu.wanted, memory.wanted)),
            _ => None,
        };
        for (score, node) in scores.iter_mut().zip(feasible) {
            let evenness_from_row =
                both.and_then(|(cpu, memory)| evenness_from_row(cycle.cache.row(*node), cpu, memory));
            let evenness = evenness_from_row.unwrap_or_else(|| evenness_from_node(cycle.cache, &resources, *node));
            *score = evenness.score();
        }
        true
    }

    fn explain_score(&self, cycle: &Cycle<'_>, node: NodeIdx) -> Option<ScoreNote> {
        let Evenness { without, with } = evenness_from_node(cycle.cache, &resources(cycle), node);
        Some(ScoreNote::Evenness { without, with })
    }

    fn read_args(&self, fields: &mut Fields<'_>, args: &mut crate::config::Args, errors: &mut Errors) {
        let Some(resources) = read_resources(fields, errors) else {
            return;
        };
        let path = fields.path_of("resources");
        for (index, resource) in resources.iter().enumerate() {
            let at = format!("{path}[{index}]");
            if resource.weight != 1 {
                errors.push_invalid_value(format!("{at}.weight"), resource.weight, "must be 1");
            }
            if resources[..index].iter().any(|other| other.name == resource.name) {
                errors.push_with_kind(
                    ProblemKind::Duplicate,
                    format!("{at}.name"),
                    format!("Duplicate value: \"{}\"", resource.name),
                );
            }
        }
        if !resources.is_empty() {
            args.balanced.resources = resources;
        }
    }
}

/// Returns the configured resources, with this pod's requests.
fn resources(cycle: &Cycle<'_>) -> Vec<ScoredResource> {
    let configured = &cycle.profile.args.balanced.resources;
    scored_resources(cycle, configured, &cycle.incoming.info.requests.requests)
}

/// The balance of a node's resource usage, from 0 to 100, without and with the pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Evenness {
    without: i64,
    with: i64,
}

impl Evenness {
    /// Returns the score of the change in balance: 75 if the pod changes nothing. As in Go, the division truncates
    /// towards zero.
    fn score(self) -> i64 {
        50 + (50 + self.with - self.without) / 2
    }
}

/// Computes the balance from a row. Works only for nodes with cpu and memory, if no other resource is scored. `cpu` and
/// `memory` are the pod's requests.
#[inline(always)]
fn evenness_from_row(row: &Row, cpu: i64, memory: i64) -> Option<Evenness> {
    let part = |used: i64, wanted: i64, have: i64| fraction(used.wrapping_add(wanted), have);
    (row.evenness != EVENNESS_NOT_IN_ROW).then(|| Evenness {
        without: i64::from(row.evenness),
        with: evenness_of_two(
            part(row.used_cpu, cpu, row.cpu),
            part(row.used_memory, memory, row.memory),
        ),
    })
}

fn evenness_from_node(cache: &Cache, resources: &[ScoredResource], node: NodeIdx) -> Evenness {
    let row = cache.row(node);
    let (mut without, mut with) = (Vec::new(), Vec::new());
    for resource in resources {
        let (requested, allocatable) = resource.requested_and_allocatable(cache, node, row, false);
        if allocatable != 0 {
            without.push(fraction(requested.wrapping_sub(resource.wanted), allocatable));
            with.push(fraction(requested, allocatable));
        }
    }
    Evenness {
        without: evenness(&without),
        with: evenness(&with),
    }
}

/// Returns the balance of the fractions: `(1 - standard deviation) * 100`.
fn evenness(fractions: &[f64]) -> i64 {
    let deviation = match fractions {
        [] | [_] => 0.0,
        [a, b] => return evenness_of_two(*a, *b),
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

#[cfg(test)]
mod tests {
    use super::Evenness;

    /// Reproduces the example values of SCH-036 and SCH-107.
    /// Shows: SCH-036, SCH-107
    #[test]
    fn score_is_improvement_of_balance() {
        for (without, with, score) in [
            (100, 93, 71),
            (100, 76, 63),
            (68, 92, 87),
            (80, 80, 75),
            (50, 100, 100),
            (100, 50, 50),
            (93, 92, 74),
        ] {
            assert_eq!(Evenness { without, with }.score(), score, "{without} to {with}");
        }
    }
}
