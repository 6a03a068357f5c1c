//! `at-most-one` (CT-162) and `safe-stall` (CT-185): a StatefulSet identity never has live processes of two pods.

use podscope_messages::invariant;
use podscope_messages::{Value, sentence};

use super::ledger::location;
use super::{Check, DetectedViolation, Invariant, InvariantGroup, InvariantKind, Observation, View, blame};
use crate::{Place, What};

pub(super) const AT_MOST_ONE: Invariant = Invariant {
    name: "at-most-one",
    fact: "CT-162",
    group: InvariantGroup::Identity,
    kind: InvariantKind::Safety,
    statement: invariant::at_most_one,
    keeper: invariant::at_most_one_keeper,
    breaker: invariant::at_most_one_breaker,
    lesson: "force-delete-split-brain",
};

pub(super) const SAFE_STALL: Invariant = Invariant {
    name: "safe-stall",
    fact: "CT-185",
    group: InvariantGroup::Identity,
    kind: InvariantKind::Safety,
    statement: invariant::safe_stall,
    keeper: invariant::safe_stall_keeper,
    breaker: invariant::safe_stall_breaker,
    lesson: "partition-statefulset",
};

/// The check of `at-most-one` and `safe-stall`. It has no state: the ledger records the live pods.
#[derive(Debug, Clone, Default)]
pub(super) struct AtMostOne;

impl Check for AtMostOne {
    fn check(&mut self, seen: &Observation<'_>, view: &View<'_>, out: &mut Vec<DetectedViolation>) {
        let Observation::Record(record) = seen else { return };
        let (What::ContainerStarted, Some(object)) = (record.what(), &record.object) else {
            return;
        };
        if view.ledger.live.contains_key(&object.uid) {
            return;
        }
        let Some(identity) = view.ledger.identity_of(&object.uid, view.objects) else {
            return;
        };
        let Some(others) = view.ledger.by_identity.get(&identity) else {
            return;
        };
        // A member that a quorum has removed from its group no longer owns the identity (C-12).
        let is_member = |uid: &podscope_api::Uid| !view.ledger.expelled_members.contains(uid);
        for other in others.iter().filter(|other| **other != object.uid && is_member(other)) {
            let Some(entry) = view.ledger.live.get(other) else {
                continue;
            };
            // The violation is attributed to the removal of the pod whose object is gone but whose processes still run.
            let removed = if view.ledger.removals.contains_key(other) {
                other
            } else {
                &object.uid
            };
            let (cause, by) = blame::of_pod_removal(removed, view);
            out.push(DetectedViolation {
                corrupts: None,
                invariant: AT_MOST_ONE.name,
                object: Some(object.clone()),
                cause,
                by: by.clone(),
                seen: sentence!(
                    seen::two_processes,
                    pod = identity.to_string(),
                    one = entry.location(),
                    other = location(place_value(&record.actor.place()), record.at),
                ),
            });
            let is_cut = !view
                .network
                .is_open(&Place::Node(entry.node.clone()), &Place::ControlPlane);
            if is_cut {
                out.push(DetectedViolation {
                    corrupts: None,
                    invariant: SAFE_STALL.name,
                    object: Some(object.clone()),
                    cause,
                    by,
                    seen: sentence!(
                        seen::replaced_while_partitioned,
                        pod = identity.to_string(),
                        node = &*entry.node
                    ),
                });
            }
        }
    }
}

/// Returns a network location as an argument of a message.
fn place_value(place: &Place) -> Value {
    match place {
        Place::Node(node) => (&**node).into(),
        Place::ControlPlane => sentence!(seen::control_plane).into(),
        Place::Storage => sentence!(seen::storage).into(),
    }
}
