//! `NodeResourcesFit`: room for what the pod requests, and a preference for how full nodes should be
//! (SCH-053 to SCH-060).

use crate::config::{Resource, ScoringStrategy};
use crate::cycle::Cycle;
use crate::node_info::NodeInfo;
use crate::plugins::Plugin;
use crate::resources::{Resources, is_extended, is_scalar};
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

/// A resource's amounts on the node with the pod added, for scoring: `(requested, allocatable)`.
pub(crate) fn amounts(
    cycle: &Cycle<'_>,
    node: &NodeInfo,
    resource: &str,
    pod: &Resources,
    nonzero: bool,
) -> (i64, i64) {
    match resource {
        "cpu" => {
            let used = if nonzero { node.nonzero_cpu } else { node.requested.cpu };
            (used.wrapping_add(pod.cpu), node.allocatable.cpu)
        }
        "memory" => {
            let used = if nonzero {
                node.nonzero_memory
            } else {
                node.requested.memory
            };
            (used.wrapping_add(pod.memory), node.allocatable.memory)
        }
        "ephemeral-storage" => (
            node.requested.ephemeral.wrapping_add(pod.ephemeral),
            node.allocatable.ephemeral,
        ),
        name => {
            let Some(name_symbol) = cycle.cache.symbols.get(name) else {
                return (0, 0);
            };
            let wanted = pod.scalar(name_symbol).unwrap_or(0);
            if wanted == 0 && is_scalar(name) {
                return (0, 0);
            }
            match node.allocatable.scalar(name_symbol) {
                Some(have) => (
                    node.requested.scalar(name_symbol).unwrap_or(0).wrapping_add(wanted),
                    have,
                ),
                None => (0, 0),
            }
        }
    }
}

/// Score: by the profile's strategy.
pub fn score(cycle: &Cycle<'_>, node: &NodeInfo) -> i64 {
    let pod = &cycle.incoming.info.requests.scoring;
    let strategy = &cycle.profile.args.fit.strategy;
    let (mut sum, mut weights) = (0_i64, 0_i64);
    for Resource { name, weight } in strategy.resources() {
        let (requested, allocatable) = amounts(cycle, node, name, pod, true);
        if allocatable == 0 {
            continue;
        }
        let score = match strategy {
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
        sum += score * weight;
        weights += weight;
    }
    if weights == 0 {
        return 0;
    }
    match strategy {
        // Go's math.Round: half away from zero, as Rust's.
        ScoringStrategy::RequestedToCapacityRatio(..) => libm::round(sum as f64 / weights as f64) as i64,
        _ => sum / weights,
    }
}

/// Wraps on absurd amounts, as Go does.
fn percent(part: i64, whole: i64) -> i64 {
    part.wrapping_mul(100).wrapping_div(whole)
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
