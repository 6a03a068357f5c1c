//! `daemon-one` (CT-177): at most one active pod of a DaemonSet on a node.

use podscope_api::{DaemonSet, Object, ObjectKey};
use podscope_messages::invariant;
use podscope_messages::sentence;

use super::{Check, DetectedViolation, Invariant, InvariantGroup, InvariantKind, Observation, View, blame};
use crate::{Actor, subject_of};

pub(super) const DAEMON_ONE: Invariant = Invariant {
    name: "daemon-one",
    fact: "CT-177",
    group: InvariantGroup::Identity,
    kind: InvariantKind::Safety,
    statement: invariant::daemon_one,
    keeper: invariant::daemon_one_keeper,
    breaker: invariant::daemon_one_breaker,
    lesson: "daemonset-and-drain",
};

#[derive(Debug, Clone, Default)]
pub(super) struct DaemonOne;

impl Check for DaemonOne {
    fn check(&mut self, seen: &Observation<'_>, view: &View<'_>, out: &mut Vec<DetectedViolation>) {
        let Some((_, pod, node)) = seen.recorded_bound_pod(view) else {
            return;
        };
        let Some(owner) = pod.metadata.controller_ref() else {
            return;
        };
        if &*owner.kind != "DaemonSet" {
            return;
        }
        let key = ObjectKey::new(pod.metadata.namespace.clone(), owner.name.clone());
        let has_surge = view.objects.get::<DaemonSet>(&key).is_some_and(|set| {
            set.spec
                .update_strategy
                .rolling_update
                .as_ref()
                .and_then(|rolling| rolling.max_surge.as_ref())
                .is_some_and(|surge| !matches!(surge, podscope_api::IntOrString::Int(0)) && surge.to_string() != "0%")
        });
        if has_surge {
            return;
        }
        let active = view
            .objects
            .pods_of(&owner.uid)
            .filter(|other| {
                other.spec.node_name.as_ref() == Some(&node) && !other.is_terminal() && !other.metadata.is_terminating()
            })
            .count();
        if active > 1 {
            // The pod was created by the controller-manager; the scheduler only binds it.
            let manager = Actor::ControllerManager(0);
            let (cause, by) =
                blame::of_lost_memory(&manager, "CT-177, CT-159: races, duplicates after a restart", view);
            out.push(DetectedViolation {
                corrupts: None,
                invariant: DAEMON_ONE.name,
                object: Some(subject_of(&Object::Pod(pod.clone()))),
                cause,
                by,
                seen: sentence!(
                    seen::too_many_daemons,
                    active = active,
                    set = key.to_string(),
                    node = &*node
                ),
            });
        }
    }
}
