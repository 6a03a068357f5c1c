//! Choices at the end of a cycle: the selection among equal hosts, and the nomination to write.

use podscope_api::Str;

use crate::attempt::PreemptionPlan;
use crate::cycle::CycleResult;
use crate::plugins::default_preemption;
use crate::post_filter::Preemption;

/// Draws one of the nodes with the highest total score, each with the same probability; None if the cycle failed or no
/// node is feasible (SCH-021).
///
/// Deviation: since v1.35, kube-scheduler draws only among nodes that extenders have scored. Without extenders, it
/// takes the first node of a list whose order depends on a race between 16 workers. The race cannot be reproduced, and
/// upstream calls the missing draw an omission.
pub(super) fn pick_host(found: &CycleResult, draw: &mut dyn FnMut() -> u64) -> Option<u32> {
    if found.error.is_some() {
        return None;
    }
    match found.hosts.as_slice() {
        [] => None,
        [one] => Some(*one),
        hosts => Some(hosts[(draw() % hosts.len() as u64) as usize]),
    }
}

/// Returns the `nominatedNodeName` to write: `None` leaves it unchanged, an empty name clears it. `is_cleared` tells
/// whether the cycle failed before PostFilter, there are no nodes, or no PostFilter plugin is enabled (SCH-025).
pub(super) fn nomination_to_write(
    preemption: Option<&Preemption>,
    preempt: Option<&PreemptionPlan>,
    is_cleared: bool,
) -> Option<Str> {
    match (preemption, preempt) {
        (_, Some(preempt)) => Some(preempt.node.0.clone()),
        (Some(Preemption::NoCandidate { .. }), None) => Some("".into()),
        (Some(Preemption::NotEligible(_)), None) => None,
        _ => is_cleared.then(|| "".into()),
    }
}

pub(super) fn draw_preemption_offset(draw: &mut dyn FnMut() -> u64, found: &CycleResult) -> u64 {
    if default_preemption::potential_nodes(&found.diagnosis).is_empty() {
        0
    } else {
        draw()
    }
}
