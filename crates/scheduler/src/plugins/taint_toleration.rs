//! `TaintToleration`: taints the pod does not tolerate keep it away; the softer ones cost score (SCH-041 to SCH-043).

use crate::cycle::Cycle;
use crate::node_info::{Effect, NodeIdx, NodeInfo};
use crate::plugins::{Plugin, default_normalize};
use crate::rows::DISCOURAGES;
use crate::status::{Code, Reason, Reasons, Status};

/// Filter: the first untolerated NoSchedule or NoExecute taint.
pub fn filter(cycle: &Cycle<'_>, node: &NodeInfo) -> Result<(), Status> {
    match cycle.incoming.first_untolerated(node) {
        None => Ok(()),
        Some(taint) => Err(Status {
            plugin: Some(Plugin::TaintToleration),
            code: Code::UnschedulableAndUnresolvable,
            reasons: Reasons::One(Reason::Taint(taint.key, taint.value)),
        }),
    }
}

/// Score: how many PreferNoSchedule taints are not tolerated.
pub fn score(cycle: &Cycle<'_>, node: NodeIdx) -> i64 {
    if cycle.cache.row(node).flags & DISCOURAGES == 0 {
        return 0;
    }
    let taints = &cycle.cache.node(node).taints;
    taints
        .iter()
        .filter(|taint| taint.effect == Effect::PreferNoSchedule)
        .filter(|taint| {
            !cycle.incoming.tolerations.iter().any(|toleration| {
                matches!(toleration.effect, None | Some(Effect::PreferNoSchedule)) && toleration.tolerates(taint)
            })
        })
        .count() as i64
}

/// Normalize: fewer is better.
pub fn normalize(scores: &mut [i64]) {
    default_normalize(scores, true);
}
