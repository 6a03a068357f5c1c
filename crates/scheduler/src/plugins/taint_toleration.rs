//! `TaintToleration`: rejects nodes with untolerated NoSchedule or NoExecute taints; untolerated PreferNoSchedule taints
//! lower the score (SCH-041 to SCH-043).

use super::Point::{Filter, PreScore, Score};
use super::{ExtensionPoints, Plugin, PluginSpec, default_normalize};
use crate::cache::Cache;
use crate::cycle::{Cycle, CycleState};
use crate::decide::Decision;
use crate::node_info::{Effect, NodeIdx, NodeInfo};
use crate::pod_info::Incoming;
use crate::queue::events::{Event, EventKind, WaitingPod};
use crate::rows::{HARD_TAINT_FLAG, RowBounds, SOFT_TAINT_FLAG};
use crate::status::Status;
use crate::symbols::Symbol;
use podscope_messages::plugin as messages;

pub(super) const SPEC: PluginSpec = PluginSpec {
    weight: 3,
    events: &[EventKind::NodeAdd, EventKind::NodeTaint, EventKind::PodToleration],
    about: Some(messages::taint_toleration_about),
    refused: messages::taint_toleration_refused,
    short: &[(REASON, messages::taint_toleration_untolerated_taint)],
    ..PluginSpec::new("TaintToleration", &[Filter, PreScore, Score], &TaintToleration)
};

/// Reason why a node is rejected. The text does not contain the taint; explanations do.
pub const REASON: &str = "node(s) had untolerated taint(s)";

struct TaintToleration;

impl ExtensionPoints for TaintToleration {
    fn add_node_row_bounds(&self, _: &Incoming, bounds: &mut RowBounds) -> bool {
        bounds.flags |= HARD_TAINT_FLAG;
        true
    }

    /// Rejects a node that has an untolerated NoSchedule or NoExecute taint.
    fn filter(&self, cycle: &Cycle<'_>, _: &CycleState, _: NodeIdx, node: &NodeInfo) -> Result<(), Status> {
        match cycle.incoming.first_untolerated(node) {
            None => Ok(()),
            Some(_) => Err(Status::unresolvable(Plugin::TaintToleration, REASON)),
        }
    }

    /// Counts the PreferNoSchedule taints that the pod does not tolerate.
    fn score(&self, cycle: &Cycle<'_>, _: &CycleState, feasible: &[NodeIdx], scores: &mut [i64]) -> bool {
        for (score, node) in scores.iter_mut().zip(feasible) {
            if cycle.cache.row(*node).flags & SOFT_TAINT_FLAG != 0 {
                *score = count_untolerated_prefer_no_schedule(cycle.incoming, cycle.cache.node(*node));
            }
        }
        true
    }

    /// Inverts the scores, so that fewer untolerated taints give a higher score.
    fn normalize(&self, _: &CycleState, scores: &mut [i64]) {
        default_normalize(scores, true);
    }

    fn queueing_hint(&self, _: &mut Cache, event: &Event<'_>, waiting: &WaitingPod<'_>) -> bool {
        if event.kind == EventKind::PodToleration {
            return event.is_update_of_pod(waiting);
        }
        let tolerated = |node: &NodeInfo| waiting.incoming.first_untolerated(node).is_none();
        event.new_node.as_ref().is_some_and(tolerated) && !event.old_node.as_ref().is_some_and(tolerated)
    }

    fn refusal_text(&self, cache: &Cache, decision: &Decision, node: NodeIdx, _: &Status) -> String {
        let Some(taint) = decision.incoming.first_untolerated(cache.node(node)) else {
            return "has a taint the pod does not tolerate".to_owned();
        };
        let text = |symbol: Symbol| cache.symbols.text(symbol);
        let value = match taint.value {
            Symbol::EMPTY => String::new(),
            value => format!("={}", text(value)),
        };
        let effect = if taint.effect == Effect::NoExecute {
            "NoExecute"
        } else {
            "NoSchedule"
        };
        format!(
            "has the taint {}{value}:{effect}, which the pod does not tolerate",
            text(taint.key)
        )
    }
}

fn count_untolerated_prefer_no_schedule(incoming: &Incoming, node: &NodeInfo) -> i64 {
    node.taints
        .iter()
        .filter(|taint| taint.effect == Effect::PreferNoSchedule)
        .filter(|taint| {
            !incoming.tolerations.iter().any(|toleration| {
                matches!(toleration.effect, None | Some(Effect::PreferNoSchedule)) && toleration.tolerates(taint)
            })
        })
        .count() as i64
}
