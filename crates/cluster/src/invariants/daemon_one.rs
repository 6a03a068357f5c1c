//! `daemon-one` (CT-177): at most one active pod of a DaemonSet on a node.

use podscope_api::{DaemonSet, Object, ObjectKey, phrase};

use super::{Breach, Check, Group, Invariant, Promise, Seen, View, blame};
use crate::{Actor, subject_of};

pub(super) const DAEMON_ONE: Invariant = Invariant {
    name: "daemon-one",
    fact: "CT-177",
    group: Group::Identity,
    promise: Promise::Safety,
    statement: "A DaemonSet has at most one active pod on a node, surges aside.",
    keeper: "The DaemonSet controller.",
    breaker: "Races between two managers; duplicates are removed.",
    lesson: "daemonset-and-drain",
};

/// Remembers nothing.
#[derive(Debug, Clone, Default)]
pub(super) struct DaemonOne;

impl Check for DaemonOne {
    fn see(&mut self, seen: &Seen<'_>, view: &View<'_>, out: &mut Vec<Breach>) {
        let Some((_, pod, node)) = seen.bound(view) else { return };
        let Some(owner) = pod.metadata.controller_ref() else {
            return;
        };
        if &*owner.kind != "DaemonSet" {
            return;
        }
        let key = ObjectKey::new(pod.metadata.namespace.clone(), owner.name.clone());
        let surges = view.objects.get::<DaemonSet>(&key).is_some_and(|set| {
            set.spec
                .update_strategy
                .rolling_update
                .as_ref()
                .and_then(|rolling| rolling.max_surge.as_ref())
                .is_some_and(|surge| !matches!(surge, podscope_api::IntOrString::Int(0)) && surge.to_string() != "0%")
        });
        if surges {
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
            // The scheduler binds what the controller-manager made.
            let manager = Actor::ControllerManager(0);
            let (cause, by) = blame::of_memory(&manager, "CT-177, CT-159: races, duplicates after a restart", view);
            out.push(Breach {
                corrupts: None,
                invariant: DAEMON_ONE.name,
                object: Some(subject_of(&Object::Pod(pod.clone()))),
                cause,
                by,
                seen: phrase!(
                    "{active} active pods of {set} on {node}",
                    active = active,
                    set = key.to_string(),
                    node = &*node
                ),
            });
        }
    }
}
