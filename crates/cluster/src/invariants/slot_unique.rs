//! `slot-unique` (CT-176): no pod of a StatefulSet is created while an object of its name exists. The API server
//! ensures that names are unique; a create request that it refuses is no violation (CT-071).

use podscope_api::fault::ViolationCause;
use podscope_api::{Kind, Object, ObjectKey, Pod, Uid};
use podscope_messages::invariant;
use podscope_messages::sentence;

use super::{Check, DetectedViolation, Invariant, InvariantGroup, InvariantKind, Observation, View};
use crate::{Request, subject_of};

pub(super) const SLOT_UNIQUE: Invariant = Invariant {
    name: "slot-unique",
    fact: "CT-176",
    group: InvariantGroup::Identity,
    kind: InvariantKind::Safety,
    statement: invariant::slot_unique,
    keeper: invariant::slot_unique_keeper,
    breaker: invariant::slot_unique_breaker,
    lesson: "partition-statefulset",
};

/// State of the check of `slot-unique`: the name of the pod that the present request creates, with the UID of the
/// object that already has this name.
#[derive(Debug, Clone, Default)]
pub(super) struct SlotUnique {
    taken: Option<(ObjectKey, Uid)>,
}

fn is_stateful_set_pod(pod: &Pod) -> bool {
    let owner = pod.metadata.controller_ref();
    owner.is_some_and(|owner| &*owner.kind == Kind::StatefulSet.name())
}

impl Check for SlotUnique {
    fn check(&mut self, seen: &Observation<'_>, view: &View<'_>, out: &mut Vec<DetectedViolation>) {
        match seen {
            Observation::Request { request, .. } => {
                self.taken = match request {
                    Request::Create(Object::Pod(pod)) if is_stateful_set_pod(pod) => {
                        let key = pod.metadata.key();
                        let holder = view.objects.get::<Pod>(&key).map(|pod| pod.metadata.uid.clone());
                        holder.map(|uid| (key, uid))
                    }
                    _ => None,
                };
            }
            Observation::Change { actor, change } => {
                let Some(Object::Pod(new)) = &change.new else { return };
                let Some((key, holder)) = &self.taken else { return };
                if new.metadata.key() != *key || new.metadata.uid == *holder {
                    return;
                }
                out.push(DetectedViolation {
                    corrupts: None,
                    invariant: SLOT_UNIQUE.name,
                    object: Some(subject_of(&Object::Pod(new.clone()))),
                    cause: ViolationCause::Bug,
                    by: actor.to_string().into(),
                    seen: sentence!(seen::created_beside_older, pod = key.to_string()),
                });
            }
            Observation::Record(_) | Observation::Tick { .. } => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::lab::{self, Trace};
    use super::*;
    use crate::{Actor, Change};
    use std::sync::Arc;

    /// The API server refuses a second pod of the same name. If it accepted it, that would be a violation.
    /// Shows: CT-071, CT-176
    #[test]
    fn creating_pod_with_existing_name_is_violation() {
        let mut trace = Trace::default();
        let mut world = lab::world(&[lab::stateful_set_pod("web-0")], &mut trace);
        let manager = Actor::ControllerManager(0);
        let create = Request::Create(lab::object(&lab::stateful_set_pod("web-0")));
        assert!(world.serve(&manager, &create, &mut trace).is_err());
        assert!(trace.violations().is_empty(), "{:?}", trace.violations());

        let Object::Pod(mut second) = lab::object(&lab::stateful_set_pod("web-0")) else {
            panic!("the object is a pod");
        };
        Arc::make_mut(&mut second).metadata.uid = Uid("second".into());
        let seen = Observation::Request {
            actor: &manager,
            request: &create,
        };
        world.check(&seen, &mut trace);
        let change = Change {
            revision: 0,
            old: None,
            new: Some(Object::Pod(second)),
        };
        let seen = Observation::Change {
            actor: &manager,
            change: &change,
        };
        world.check(&seen, &mut trace);
        assert_eq!(trace.violations(), ["slot-unique bug controller-manager"]);
    }
}
