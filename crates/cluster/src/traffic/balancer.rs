//! A load balancer outside the cluster: it sends to the nodes that it holds for healthy (TR-079). A node that becomes
//! unhealthy, or healthy again, is seen to be so after two checks ten seconds apart.

use podscope_api::{NodeName, ordered};
use podscope_sim::{SimTime, Span};

/// Two failed checks.
const NOTICED_AFTER: Span = Span::seconds(20);

/// What the load balancer holds a node for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Health {
    is_used: bool,
    /// Since when checks say otherwise.
    differs_since: Option<SimTime>,
}

/// The nodes that requests are sent to, given which of them would pass a check now, and when that may be others.
pub(super) fn used(
    health: &mut ordered::Map<NodeName, Health>,
    passing: &ordered::Map<NodeName, bool>,
    now: SimTime,
) -> (Vec<NodeName>, Option<SimTime>) {
    health.retain(|node, _| passing.contains_key(node));
    let mut wake = None;
    for (node, passes) in passing {
        let known = health.entry(node.clone()).or_insert(Health {
            is_used: *passes,
            differs_since: None,
        });
        if known.is_used == *passes {
            known.differs_since = None;
            continue;
        }
        let noticed_at = *known.differs_since.get_or_insert(now) + NOTICED_AFTER;
        if noticed_at <= now {
            *known = Health {
                is_used: *passes,
                differs_since: None,
            };
        } else {
            wake = [wake, Some(noticed_at)].into_iter().flatten().min();
        }
    }
    let used: Vec<NodeName> = health
        .iter()
        .filter(|(_, known)| known.is_used)
        .map(|(node, _)| node.clone())
        .collect();
    // Where none is healthy, all are tried.
    let used = if used.is_empty() {
        health.keys().cloned().collect()
    } else {
        used
    };
    (used, wake)
}
