//! `NodeResourcesFit`: room for what the pod requests, and a preference for how full nodes should be
//! (SCH-053 to SCH-060).

use crate::cache::Cache;
use crate::config::{Resource, ScoringStrategy};
use crate::cycle::Cycle;
use crate::node_info::{NodeIdx, NodeInfo};
use crate::plugins::{Plugin, quotient};
use crate::resources::{Resources, is_extended, is_scalar};
use crate::rows::Row;
use crate::status::{Code, Reason, Reasons, Status};
use crate::symbols::Symbol;

/// Filter: every resource that is short, in Kubernetes' order.
pub fn filter(cycle: &Cycle<'_>, node: &NodeInfo) -> Result<(), Status> {
    let want = &cycle.incoming.info.requests.requests;
    let have = &node.allocatable;
    let used = &node.requested;
    let too_many = node.pods.len() as i64 + 1 > node.allowed_pods;
    let short = |want: i64, have: i64, used: i64| want > 0 && want > have.wrapping_sub(used);
    let cpu = short(want.cpu, have.cpu, used.cpu);
    let memory = short(want.memory, have.memory, used.memory);
    let ephemeral = short(want.ephemeral, have.ephemeral, used.ephemeral);
    if !too_many && !cpu && !memory && !ephemeral && want.scalars.is_empty() {
        return Ok(());
    }
    let mut reasons = Vec::new();
    let mut unresolvable = false;
    if too_many {
        reasons.push(Reason::Fixed("Too many pods"));
    }
    for (is_short, text, want, have) in [
        (cpu, "Insufficient cpu", want.cpu, have.cpu),
        (memory, "Insufficient memory", want.memory, have.memory),
        (
            ephemeral,
            "Insufficient ephemeral-storage",
            want.ephemeral,
            have.ephemeral,
        ),
    ] {
        if is_short {
            reasons.push(Reason::Fixed(text));
            unresolvable |= want > have;
        }
    }
    for (name, want) in &want.scalars {
        if *want == 0 || is_ignored(cycle, *name) {
            continue;
        }
        let have = have.scalar(*name).unwrap_or(0);
        if *want > have.wrapping_sub(used.scalar(*name).unwrap_or(0)) {
            reasons.push(Reason::Insufficient(*name));
            unresolvable |= *want > have;
        }
    }
    if reasons.is_empty() {
        return Ok(());
    }
    Err(Status {
        plugin: Some(Plugin::NodeResourcesFit),
        code: if unresolvable {
            Code::UnschedulableAndUnresolvable
        } else {
            Code::Unschedulable
        },
        reasons: match reasons.len() {
            1 => reasons.pop().map_or(Reasons::Many(Vec::new()), Reasons::One),
            _ => Reasons::Many(reasons),
        },
    })
}

/// Extended resources exempt from Filter (SCH-055).
fn is_ignored(cycle: &Cycle<'_>, name: Symbol) -> bool {
    let args = &cycle.profile.args.fit;
    if args.ignored_resources.is_empty() && args.ignored_resource_groups.is_empty() {
        return false;
    }
    let name = cycle.cache.symbols.text(name);
    let group = name.split('/').next().unwrap_or("");
    is_extended(name)
        && (args.ignored_resources.iter().any(|ignored| **ignored == **name)
            || args.ignored_resource_groups.iter().any(|ignored| **ignored == *group))
}

/// What a score reads of a resource.
#[derive(Debug, Clone, Copy)]
enum Column {
    Cpu,
    Memory,
    Ephemeral,
    Scalar(Symbol),
}

/// A resource that counts in a score of this pod.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ScoredResource {
    column: Column,
    /// What the pod asks for.
    pub wanted: i64,
    weight: i64,
}

/// The configured resources, without those of which neither the pod nor any node has something to say.
pub(crate) fn scored_resources(cycle: &Cycle<'_>, resources: &[Resource], pod: &Resources) -> Vec<ScoredResource> {
    let scored = |Resource { name, weight }: &Resource| {
        let (column, wanted) = match &**name {
            "cpu" => (Column::Cpu, pod.cpu),
            "memory" => (Column::Memory, pod.memory),
            "ephemeral-storage" => (Column::Ephemeral, pod.ephemeral),
            name => {
                let symbol = cycle.cache.symbols.get(name)?;
                let wanted = pod.scalar(symbol).unwrap_or(0);
                if wanted == 0 && is_scalar(name) {
                    return None;
                }
                (Column::Scalar(symbol), wanted)
            }
        };
        Some(ScoredResource {
            column,
            wanted,
            weight: *weight,
        })
    };
    resources.iter().filter_map(scored).collect()
}

impl ScoredResource {
    /// Its amounts on the node with the pod added: `(requested, allocatable)`.
    /// `nonzero` counts the placed pods' requests with their defaults.
    #[inline(always)]
    pub(crate) fn on(&self, cache: &Cache, node: NodeIdx, row: &Row, nonzero: bool) -> (i64, i64) {
        let (used, have) = match self.column {
            Column::Cpu => (if nonzero { row.nonzero_cpu } else { row.used_cpu }, row.cpu),
            Column::Memory => (if nonzero { row.nonzero_memory } else { row.used_memory }, row.memory),
            Column::Ephemeral => {
                let node = cache.node(node);
                (node.requested.ephemeral, node.allocatable.ephemeral)
            }
            Column::Scalar(name) => {
                let node = cache.node(node);
                match node.allocatable.scalar(name) {
                    Some(have) => (node.requested.scalar(name).unwrap_or(0), have),
                    None => return (0, 0),
                }
            }
        };
        (used.wrapping_add(self.wanted), have)
    }
}

/// Scores nodes by the profile's strategy.
pub(crate) struct Scorer<'a> {
    strategy: &'a ScoringStrategy,
    resources: Vec<ScoredResource>,
}

impl<'a> Scorer<'a> {
    /// For the pod of this cycle.
    pub(crate) fn new(cycle: &Cycle<'a>) -> Self {
        let strategy = &cycle.profile.args.fit.strategy;
        let pod = &cycle.incoming.info.requests.scoring;
        Self {
            strategy,
            resources: scored_resources(cycle, strategy.resources(), pod),
        }
    }

    /// Score.
    pub(crate) fn score(&self, cache: &Cache, node: NodeIdx) -> i64 {
        let (mut sum, mut weights) = (0_i64, 0_i64);
        let row = cache.row(node);
        for resource in &self.resources {
            let (requested, allocatable) = resource.on(cache, node, row, true);
            if allocatable == 0 {
                continue;
            }
            let score = match self.strategy {
                ScoringStrategy::LeastAllocated(_) => least(requested, allocatable),
                ScoringStrategy::MostAllocated(_) => percent(requested.min(allocatable), allocatable),
                ScoringStrategy::RequestedToCapacityRatio(_, shape) => {
                    let utilization = if requested > allocatable {
                        100
                    } else {
                        percent(requested, allocatable)
                    };
                    let score = broken_linear(shape, utilization);
                    if score <= 0 {
                        continue;
                    }
                    score
                }
            };
            sum += score * resource.weight;
            weights += resource.weight;
        }
        if weights == 0 {
            return 0;
        }
        match self.strategy {
            // Go's math.Round: half away from zero, as Rust's.
            ScoringStrategy::RequestedToCapacityRatio(..) => libm::round(sum as f64 / weights as f64) as i64,
            _ => quotient(sum, weights),
        }
    }
}

/// Wraps on absurd amounts, as Go does.
#[inline(always)]
fn percent(part: i64, whole: i64) -> i64 {
    quotient(part.wrapping_mul(100), whole)
}

fn least(requested: i64, allocatable: i64) -> i64 {
    if requested > allocatable {
        0
    } else {
        percent(allocatable.wrapping_sub(requested), allocatable)
    }
}

/// SCH-060: straight lines between the points; utilization in percent, scores 0 to 100.
fn broken_linear(shape: &[(i64, i64)], utilization: i64) -> i64 {
    for (index, (x, y)) in shape.iter().enumerate() {
        if utilization <= *x {
            return match index.checked_sub(1).map(|before| shape[before]) {
                None => *y,
                Some((x0, y0)) => y0 + (y - y0) * (utilization - x0) / (x - x0),
            };
        }
    }
    shape.last().map_or(0, |(_, y)| *y)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sch_060_shapes() {
        let bin_packing = [(0, 0), (100, 100)];
        let bent = [(0, 0), (40, 80), (100, 100)];
        for (shape, utilization, score) in [
            (&bin_packing[..], 0, 0),
            (&bin_packing[..], 37, 37),
            (&bent[..], 20, 40),
            (&bent[..], 70, 90),
            (&bent[..], 100, 100),
            (&[(50, 30)][..], 80, 30),
        ] {
            assert_eq!(broken_linear(shape, utilization), score, "{shape:?} at {utilization}");
        }
    }
}
