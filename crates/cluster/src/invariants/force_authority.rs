//! `force-authority` (CT-168): only authorized actors delete pods with grace period 0 (table 12 of the facts, C-05).

use podscope_api::well_known::taint;
use podscope_api::{Kind, Node, Pod};
use podscope_messages::invariant;
use podscope_messages::sentence;

use super::{Check, DetectedViolation, Invariant, InvariantGroup, InvariantKind, Observation, View, blame};
use crate::{Actor, Request, subject_of};

pub(super) const FORCE_AUTHORITY: Invariant = Invariant {
    name: "force-authority",
    fact: "CT-168",
    group: InvariantGroup::Termination,
    kind: InvariantKind::Safety,
    statement: invariant::force_authority,
    keeper: invariant::force_authority_keeper,
    breaker: invariant::force_authority_breaker,
    lesson: "force-delete-split-brain",
};

#[derive(Debug, Clone, Default)]
pub(super) struct ForceAuthority;

impl Check for ForceAuthority {
    fn check(&mut self, seen: &Observation<'_>, view: &View<'_>, out: &mut Vec<DetectedViolation>) {
        let Observation::Request { actor, request } = seen else {
            return;
        };
        let (key, options) = match request {
            Request::Delete {
                kind: Kind::Pod,
                key,
                options,
            } => (key, options),
            Request::Evict { pod, options } => (pod, options),
            _ => return,
        };
        if options.grace_seconds != Some(0) {
            return;
        }
        let Some(pod) = view.objects.get::<Pod>(key) else {
            return;
        };
        if options.uid.as_ref().is_some_and(|uid| *uid != pod.metadata.uid) || may_force(actor, pod, view) {
            return;
        }
        let (cause, by) = blame::of_component(actor, "CT-168", view);
        out.push(DetectedViolation {
            corrupts: None,
            invariant: FORCE_AUTHORITY.name,
            object: Some(subject_of(&podscope_api::Object::Pod(pod.clone()))),
            cause,
            by,
            seen: sentence!(seen::force_deletes, actor = actor.to_string(), pod = key.to_string()),
        });
    }
}

/// Returns whether the actor is authorized to delete the pod with grace period 0.
fn may_force(actor: &Actor, pod: &Pod, view: &View<'_>) -> bool {
    match actor {
        Actor::Client(_) => true,
        Actor::Kubelet(node) => pod.spec.node_name.as_ref() == Some(node),
        Actor::Fencing => pod
            .spec
            .node_name
            .as_ref()
            .is_none_or(|node| view.nodes.get(node).is_none_or(|state| !state.is_powered)),
        Actor::ControllerManager(_) => {
            let is_terminating = pod.metadata.is_terminating();
            let Some(name) = &pod.spec.node_name else {
                return true;
            };
            if pod.is_terminal() {
                return true;
            }
            match view.objects.named::<Node>(name.as_str()) {
                None => true,
                Some(node) => {
                    is_terminating
                        && !node.is_ready()
                        && node
                            .spec
                            .taints
                            .iter()
                            .any(|taint| &*taint.key == taint::OUT_OF_SERVICE)
                }
            }
        }
        _ => pod.spec.node_name.is_none() || pod.is_terminal(),
    }
}
