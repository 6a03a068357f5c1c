//! `roll-bound` (CT-178): scaling up a ReplicaSet never takes a Deployment above its replicas plus surge.

use podscope_api::{Deployment, Object, ObjectKey, ReplicaSet, scaled_value};
use podscope_messages::invariant;
use podscope_messages::sentence;

use super::{Check, DetectedViolation, Invariant, InvariantGroup, InvariantKind, Observation, View, blame};
use crate::subject_of;

pub(super) const ROLL_BOUND: Invariant = Invariant {
    name: "roll-bound",
    fact: "CT-178",
    group: InvariantGroup::Life,
    kind: InvariantKind::Safety,
    statement: invariant::roll_bound,
    keeper: invariant::roll_bound_keeper,
    breaker: invariant::roll_bound_breaker,
    lesson: "rolling-update-bad-image",
};

#[derive(Debug, Clone, Default)]
pub(super) struct RollBound;

impl Check for RollBound {
    fn check(&mut self, seen: &Observation<'_>, view: &View<'_>, out: &mut Vec<DetectedViolation>) {
        let Some((actor, change)) = seen.change_by_controller_manager() else {
            return;
        };
        let Some(Object::ReplicaSet(new)) = &change.new else {
            return;
        };
        let before = match &change.old {
            Some(Object::ReplicaSet(old)) => old.spec.replicas.unwrap_or(1),
            _ => 0,
        };
        let Some(owner) = new.metadata.controller_ref() else {
            return;
        };
        if new.spec.replicas.unwrap_or(1) <= before || &*owner.kind != "Deployment" {
            return;
        }
        let key = ObjectKey::new(new.metadata.namespace.clone(), owner.name.clone());
        let Some(deployment) = view.objects.get::<Deployment>(&key) else {
            return;
        };
        let replicas = i64::from(deployment.spec.replicas.unwrap_or(1));
        let surge = deployment
            .spec
            .strategy
            .rolling_update
            .as_ref()
            .and_then(|rolling| rolling.max_surge.as_ref())
            .and_then(|surge| scaled_value(surge, replicas, true))
            .unwrap_or(0);
        let total: i64 = view
            .objects
            .list_in::<ReplicaSet>(&new.metadata.namespace)
            .filter(|set| {
                set.metadata
                    .controller_ref()
                    .is_some_and(|other| other.uid == owner.uid)
            })
            .map(|set| i64::from(set.spec.replicas.unwrap_or(1)))
            .sum();
        // The controller may not have observed the latest scale of the Deployment yet.
        let is_current = deployment.metadata.generation == deployment.status.observed_generation;
        if total > replicas + surge && is_current {
            let (cause, by) = blame::of_two_instances(actor, "CT-154: two instances at once", view);
            out.push(DetectedViolation {
                corrupts: None,
                invariant: ROLL_BOUND.name,
                object: Some(subject_of(&Object::ReplicaSet(new.clone()))),
                cause,
                by,
                seen: sentence!(
                    seen::too_many_replicas,
                    total = total,
                    replicas = replicas,
                    surge = surge
                ),
            });
        }
    }
}
