//! `one-node` (CT-164): a pod runs only where it was bound.

use podscope_api::Object;
use podscope_api::fault::ViolationCause;
use podscope_messages::invariant;
use podscope_messages::sentence;

use super::{Check, DetectedViolation, Invariant, InvariantGroup, InvariantKind, Observation, View};
use crate::{Place, What, subject_of};

pub(super) const ONE_NODE: Invariant = Invariant {
    name: "one-node",
    fact: "CT-164",
    group: InvariantGroup::Identity,
    kind: InvariantKind::Safety,
    statement: invariant::one_node,
    keeper: invariant::one_node_keeper,
    breaker: invariant::one_node_breaker,
    lesson: "first-pod",
};

#[derive(Debug, Clone, Default)]
pub(super) struct OneNode;

impl Check for OneNode {
    fn check(&mut self, seen: &Observation<'_>, view: &View<'_>, out: &mut Vec<DetectedViolation>) {
        match seen {
            Observation::Change { actor, change } => {
                let (Some(Object::Pod(old)), Some(Object::Pod(new))) = (&change.old, &change.new) else {
                    return;
                };
                if old.spec.node_name.is_some() && old.spec.node_name != new.spec.node_name {
                    out.push(DetectedViolation {
                        corrupts: None,
                        invariant: ONE_NODE.name,
                        object: Some(subject_of(&Object::Pod(new.clone()))),
                        cause: ViolationCause::Bug,
                        by: actor.to_string().into(),
                        seen: sentence!(seen::node_name_changed),
                    });
                }
            }
            Observation::Record(record) if record.what() == What::ContainerStarted => {
                let (Some(object), Place::Node(node)) = (&record.object, record.actor.place()) else {
                    return;
                };
                let Some(Object::Pod(pod)) = view.objects.by_uid(&object.uid) else {
                    return;
                };
                if pod.spec.node_name.as_ref() != Some(&node) {
                    out.push(DetectedViolation {
                        corrupts: None,
                        invariant: ONE_NODE.name,
                        object: Some(object.clone()),
                        cause: ViolationCause::Bug,
                        by: record.actor.to_string().into(),
                        seen: sentence!(seen::started_where_not_bound, node = &*node),
                    });
                }
            }
            _ => {}
        }
    }
}
