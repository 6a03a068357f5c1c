//! A load balancer outside the cluster: it sends requests to the nodes that it considers healthy (TR-079). It changes
//! the health of a node after two checks, ten seconds apart.

use podscope_api::{NodeName, ordered};
use podscope_sim::{SimTime, Span};

/// Duration of two health checks. If both contradict the health of a node, the load balancer changes it.
const HEALTH_CHANGE_DELAY: Span = Span::seconds(20);

/// The health of a node as the load balancer sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TargetHealth {
    is_healthy: bool,
    /// Since when the checks have contradicted the present health.
    differs_since: Option<SimTime>,
}

/// Returns the nodes that receive requests, given the present check result of each node, and when they may change
/// without an event.
pub(super) fn target_nodes(
    health: &mut ordered::Map<NodeName, TargetHealth>,
    passing: &ordered::Map<NodeName, bool>,
    now: SimTime,
) -> (Vec<NodeName>, Option<SimTime>) {
    health.retain(|node, _| passing.contains_key(node));
    let mut wake = None;
    for (node, passes) in passing {
        let known = health.entry(node.clone()).or_insert(TargetHealth {
            is_healthy: *passes,
            differs_since: None,
        });
        if known.is_healthy == *passes {
            known.differs_since = None;
            continue;
        }
        let change_at = *known.differs_since.get_or_insert(now) + HEALTH_CHANGE_DELAY;
        if change_at <= now {
            *known = TargetHealth {
                is_healthy: *passes,
                differs_since: None,
            };
        } else {
            wake = [wake, Some(change_at)].into_iter().flatten().min();
        }
    }
    let healthy: Vec<NodeName> = health
        .iter()
        .filter(|(_, known)| known.is_healthy)
        .map(|(node, _)| node.clone())
        .collect();
    // If no node is healthy, all nodes receive requests.
    let targets = if healthy.is_empty() {
        health.keys().cloned().collect()
    } else {
        healthy
    };
    (targets, wake)
}
