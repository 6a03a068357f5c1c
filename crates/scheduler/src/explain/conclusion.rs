//! Conclusion of an explanation: the reasons why a pod waits, or the winning node and its lead.

use podscope_api::explained::{
    DecisionOutcome, DecisionSummary, NodeRefusal, PreemptionRoom, RefusalCause, RefusedNodes, ScoreLead, WaitsBecause,
    WinReason,
};
use podscope_api::ordered::StableSort as _;

use super::{node_name, score_differences};
use crate::cache::Cache;
use crate::decide::Decision;
use crate::node_info::NodeIdx;
use crate::plugins::Plugin;
use crate::post_filter::Preemption;
use crate::status::Status;

pub(super) fn plugin_refusal(cache: &Cache, decision: &Decision, node: NodeIdx, status: &Status) -> NodeRefusal {
    match status.plugin {
        Some(plugin) => NodeRefusal::Plugin {
            name: plugin.name().to_owned(),
            text: plugin.extension_points().refusal_text(cache, decision, node, status),
        },
        None => NodeRefusal::NotNamed,
    }
}

/// Returns the reason why the winning node was chosen; `None` if no node is feasible.
pub(super) fn win_reason(cache: &Cache, decision: &Decision, chosen: Option<&String>) -> Option<WinReason> {
    let found = &decision.found;
    match (found.hosts.as_slice(), found.feasible.len()) {
        ([], _) => None,
        (_, 1) => Some(WinReason::OnlyNode),
        ([winner], _) => {
            let points = *found.totals.iter().max()?;
            let next_points = *found.totals.iter().filter(|total| **total != points).max()?;
            let at = found.totals.iter().position(|total| *total == next_points)?;
            let next = found.feasible[at];
            let leads = score_differences(decision, *winner, next)
                .into_iter()
                .filter(|(_, points)| *points > 0)
                .take(2)
                .map(|(plugin, points)| ScoreLead {
                    points,
                    plugin: plugin.name().to_owned(),
                    about: plugin.spec().english_description().to_owned(),
                });
            Some(WinReason::Ahead {
                points,
                next: node_name(cache, next),
                next_points,
                leads: leads.collect(),
            })
        }
        (hosts, _) => Some(WinReason::Tie {
            nodes: hosts.len(),
            points: *found.totals.iter().max()?,
            chosen: chosen.cloned(),
        }),
    }
}

/// Builds the data for the concluding sentence. `chosen` is the bound or nominated node; `hosts` are the equally good
/// nodes, one of which is selected at random.
pub(super) fn conclusion(
    cache: &Cache,
    decision: &Decision,
    chosen: Option<&String>,
    hosts: &[String],
) -> DecisionSummary {
    let n_nodes = cache.examination_order().len();
    let n_feasible = decision.found.feasible.len();
    let outcome = match (&decision.found.error, hosts, chosen.cloned()) {
        (Some(error), ..) => DecisionOutcome::Failed(error.clone()),
        (None, [], nominated) => DecisionOutcome::Waits {
            cause: waits_because(cache, decision),
            room: room_after_preemption(cache, decision, nominated),
        },
        (None, _, None) => DecisionOutcome::ToBeDrawn { among: hosts.to_vec() },
        (None, _, Some(node)) if n_feasible == 1 => DecisionOutcome::OnlyNode { node, of: n_nodes },
        (None, [_], Some(node)) => DecisionOutcome::Best {
            node,
            fit: n_feasible,
            of: n_nodes,
        },
        (None, _, Some(node)) => DecisionOutcome::Drawn {
            node,
            among: hosts.len(),
        },
    };
    DecisionSummary {
        pod: decision.incoming.info.pod.metadata.key().to_string(),
        outcome,
    }
}

/// Returns the number of victims and the nodes of the best preemption candidates. Invariant: `Some` exactly if
/// preemption found candidates, because [`DecisionOutcome::verdict`] depends on it.
fn room_after_preemption(cache: &Cache, decision: &Decision, nominated: Option<String>) -> Option<PreemptionRoom> {
    let Some(Preemption::Found { candidates, chosen, .. }) = &decision.preemption else {
        return None;
    };
    let first = candidates.iter().find(|candidate| chosen.contains(&candidate.node));
    Some(PreemptionRoom {
        victims: first.map_or(0, |candidate| candidate.victims.len()),
        nodes: match nominated {
            Some(node) => vec![node],
            None => chosen.iter().map(|node| node_name(cache, *node)).collect(),
        },
    })
}

fn waits_because(cache: &Cache, decision: &Decision) -> WaitsBecause {
    let diagnosis = &decision.found.diagnosis;
    let nodes = cache.examination_order().len();
    if nodes == 0 {
        return WaitsBecause::NoNodes;
    }
    if let Some(status) = &diagnosis.pre_filter {
        return WaitsBecause::WhateverTheNode(status.message(&cache.symbols));
    }
    let mut causes: Vec<RefusalCause> = Vec::new();
    for node in cache.examination_order() {
        let plugin = diagnosis.status_of(*node).and_then(|status| status.plugin);
        // No plugin means that the node is outside the PreFilter result of NodeAffinity.
        let text = plugin.unwrap_or(Plugin::NodeAffinity).spec().refused.english();
        match causes.iter_mut().find(|known| known.text == text) {
            Some(known) => known.nodes += 1,
            None => causes.push(RefusalCause {
                nodes: 1,
                text: text.to_owned(),
            }),
        }
    }
    causes.stable_sort_by_key(|cause| std::cmp::Reverse(cause.nodes));
    WaitsBecause::Refused(RefusedNodes { nodes, causes })
}
