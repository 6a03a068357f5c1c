//! `evict-throttle` (CT-179): the nodes of a zone get NoExecute taints one by one, at the zone's eviction rate.

use podscope_api::ordered;
use podscope_api::well_known::{label, taint};
use podscope_messages::invariant;
use podscope_messages::sentence;

use podscope_api::{Node, Object, Str, TaintEffect};

use super::{Check, DetectedViolation, Invariant, InvariantGroup, InvariantKind, Observation, View, blame};
use crate::{Actor, SimTime, Span, subject_of};

pub(super) const EVICT_THROTTLE: Invariant = Invariant {
    name: "evict-throttle",
    fact: "CT-179",
    group: InvariantGroup::Life,
    kind: InvariantKind::Safety,
    statement: invariant::evict_throttle,
    keeper: invariant::evict_throttle_keeper,
    breaker: invariant::evict_throttle_breaker,
    lesson: "zone-outage",
};

/// State of the check of `evict-throttle`: the rate limit of each zone.
#[derive(Debug, Clone, Default)]
pub(super) struct EvictThrottle {
    last: ordered::Map<Str, LastEvictionTaint>,
}

/// The last NoExecute taint that a controller-manager set in a zone.
#[derive(Debug, Clone)]
struct LastEvictionTaint {
    /// Instant at which the next token of the rate limit is available.
    next_token: SimTime,
    /// The controller-manager that used the last token, and its incarnation.
    by: Actor,
    incarnation: u32,
}

/// Returns whether the node has a NoExecute taint `unreachable` or `not-ready`.
fn has_eviction_taint(node: &Node) -> bool {
    node.spec.taints.iter().any(|taint| {
        taint.effect == TaintEffect::NoExecute && matches!(&*taint.key, taint::UNREACHABLE | taint::NOT_READY)
    })
}

impl Check for EvictThrottle {
    fn check(&mut self, seen: &Observation<'_>, view: &View<'_>, out: &mut Vec<DetectedViolation>) {
        let Some((actor, change)) = seen.change_by_controller_manager() else {
            return;
        };
        let (Some(Object::Node(old)), Some(Object::Node(new))) = (&change.old, &change.new) else {
            return;
        };
        if has_eviction_taint(old) || !has_eviction_taint(new) || view.eviction_rate_millis <= 0 {
            return;
        }
        let region = new.metadata.label(label::REGION).unwrap_or_default();
        let zone = new.metadata.label(label::ZONE).unwrap_or_default();
        let interval = Span(1_000_000_000 / view.eviction_rate_millis);
        let key: Str = format!("{region}/{zone}").into();
        let incarnation = view.processes.get(actor).map_or(0, |process| process.incarnation);
        // Tolerance of a tenth of a second: the token bucket refills while the write is sent.
        if let Some(last) = self.last.get(&key)
            && view.now + Span::millis(100) < last.next_token
        {
            let next = last.next_token;
            // Two exceptions: a second instance has its own rate limit, and a restarted instance has a token at once.
            // No other fault is an exception.
            let is_same = last.by == *actor && last.incarnation == incarnation;
            let blame_of = if is_same {
                blame::of_two_instances
            } else {
                blame::of_lost_memory
            };
            let (cause, by) = blame_of(actor, "CT-154: a token of its own", view);
            out.push(DetectedViolation {
                corrupts: None,
                invariant: EVICT_THROTTLE.name,
                object: Some(subject_of(&Object::Node(new.clone()))),
                cause,
                by,
                seen: sentence!(
                    seen::tainted_too_early,
                    zone = format!("{zone:?}"),
                    next = next.to_string()
                ),
            });
        }
        let last = LastEvictionTaint {
            next_token: view.now + interval,
            by: actor.clone(),
            incarnation,
        };
        self.last.insert(key, last);
    }
}
