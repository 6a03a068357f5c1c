//! `preempt-lower` (CT-173): victims of a preemption have lower priority than the preemptor, which has no node yet.

use podscope_api::Pod;
use podscope_messages::invariant;
use podscope_messages::sentence;

use super::{Check, DetectedViolation, Invariant, InvariantGroup, InvariantKind, Observation, View, blame};
use crate::Happening;

pub(super) const PREEMPT_LOWER: Invariant = Invariant {
    name: "preempt-lower",
    fact: "CT-173",
    group: InvariantGroup::Scheduling,
    kind: InvariantKind::Safety,
    statement: invariant::preempt_lower,
    keeper: invariant::preempt_lower_keeper,
    breaker: invariant::preempt_lower_breaker,
    lesson: "preemption-and-grace",
};

#[derive(Debug, Clone, Default)]
pub(super) struct PreemptLower;

impl Check for PreemptLower {
    fn check(&mut self, seen: &Observation<'_>, view: &View<'_>, out: &mut Vec<DetectedViolation>) {
        let Observation::Record(record) = seen else { return };
        let (Happening::Preempted { by: key, .. }, Some(object)) = (&record.happening, &record.object) else {
            return;
        };
        let victim = view.ledger.pod_of(&object.uid, view.objects);
        let Some(victim) = victim else { return };
        let Some(preemptor) = view.objects.get::<Pod>(key) else {
            return;
        };
        let seen = if victim.priority() >= preemptor.priority() {
            sentence!(
                seen::priority_not_lower,
                victim = victim.priority(),
                preemptor = preemptor.priority(),
                pod = key.to_string()
            )
        } else if let Some(node) = &preemptor.spec.node_name {
            sentence!(seen::is_on_node_already, pod = key.to_string(), node = &**node)
        } else {
            return;
        };
        let (cause, by) = blame::of_two_instances(&record.actor, "CT-173, CT-154: two instances at once", view);
        out.push(DetectedViolation {
            corrupts: None,
            invariant: PREEMPT_LOWER.name,
            object: Some(object.clone()),
            cause,
            by,
            seen,
        });
    }
}
