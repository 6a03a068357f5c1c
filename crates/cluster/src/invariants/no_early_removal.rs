//! `no-early-removal` (CT-169): a kubelet removes a pod object only when the pod has no running process.

use podscope_api::fault::ViolationCause;
use podscope_api::{Kind, Pod};
use podscope_messages::invariant;
use podscope_messages::sentence;

use super::{Check, DetectedViolation, Invariant, InvariantGroup, InvariantKind, Observation, View};
use crate::{Actor, Request, subject_of};

pub(super) const NO_EARLY_REMOVAL: Invariant = Invariant {
    name: "no-early-removal",
    fact: "CT-169",
    group: InvariantGroup::Termination,
    kind: InvariantKind::Safety,
    statement: invariant::no_early_removal,
    keeper: invariant::no_early_removal_keeper,
    breaker: invariant::no_early_removal_breaker,
    lesson: "graceful-termination",
};

#[derive(Debug, Clone, Default)]
pub(super) struct NoEarlyRemoval;

impl Check for NoEarlyRemoval {
    fn check(&mut self, seen: &Observation<'_>, view: &View<'_>, out: &mut Vec<DetectedViolation>) {
        let Observation::Request {
            actor: Actor::Kubelet(node),
            request:
                Request::Delete {
                    kind: Kind::Pod,
                    key,
                    options,
                },
        } = seen
        else {
            return;
        };
        let Some(pod) = view.objects.get::<Pod>(key) else {
            return;
        };
        let uid = &pod.metadata.uid;
        let is_this_pod = options.uid.as_ref().is_none_or(|wanted| wanted == uid);
        let Some(entry) = view.ledger.live.get(uid) else { return };
        if is_this_pod && options.grace_seconds == Some(0) && entry.node == *node {
            let names: Vec<String> = entry.containers.keys().map(ToString::to_string).collect();
            out.push(DetectedViolation {
                corrupts: None,
                invariant: NO_EARLY_REMOVAL.name,
                object: Some(subject_of(&podscope_api::Object::Pod(pod.clone()))),
                cause: ViolationCause::Bug,
                by: format!("kubelet/{node}").into(),
                seen: sentence!(seen::removed_while_running, containers = names),
            });
        }
    }
}
