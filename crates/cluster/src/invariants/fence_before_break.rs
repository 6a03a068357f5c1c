//! `fence-before-break` (CT-175, CT-144): before a volume is detached by
//! force, or a pod is deleted by force because its node is unreachable, the
//! node is known to do no harm: it is powered off or fenced, or has unmounted
//! the volume.

use podscope_api::{Node, NodeName, Object, Pod, Str, Uid, phrase};

use podscope_sim::Culprit;

use super::{Breach, Cause, Check, Group, Invariant, Promise, Seen, View, blame};
use crate::{Actor, Happening, Place, Record, subject_of};

pub(super) const FENCE_BEFORE_BREAK: Invariant = Invariant {
    name: "fence-before-break",
    fact: "CT-175",
    group: Group::Storage,
    promise: Promise::Safety,
    statement: "Before a volume is taken by force, its node is confirmed fenced.",
    keeper: "The fencing controller.",
    breaker: "An operator's error.",
    lesson: "attach-protocol-fencing",
};

#[derive(Debug, Clone, Default)]
pub(super) struct FenceBeforeBreak;

const FACT: &str = "CT-175";

impl Check for FenceBeforeBreak {
    fn see(&mut self, seen: &Seen<'_>, view: &View<'_>, out: &mut Vec<Breach>) {
        match seen {
            Seen::Record(record) => {
                if let Happening::VolumeDetached { volume, node, .. } = &record.happening {
                    self.detached(record, volume, node, view, out);
                }
            }
            Seen::Change { actor, change } => {
                if let (Some(Object::Pod(pod)), None) = (&change.old, &change.new) {
                    self.deleted(actor, pod, view, out);
                }
            }
            Seen::Request { .. } | Seen::Tick { .. } => {}
        }
    }
}

impl FenceBeforeBreak {
    /// Whether the node can do no harm (CT-148). A plain partition may heal at any time and is no fence.
    fn is_harmless(&self, node: &NodeName, view: &View<'_>) -> bool {
        view.nodes
            .get(node)
            .is_none_or(|state| !state.is_powered || state.machine.is_storage_refused() || view.network.is_fenced(node))
    }

    fn detached(&self, record: &Record, volume: &Str, node: &NodeName, view: &View<'_>, out: &mut Vec<Breach>) {
        let Some(state) = view.nodes.get(node) else { return };
        let mut mounts = state.machine.mounts().filter(|(_, _, mount)| mount.volume == *volume);
        let Some((uid, pod, _)) = mounts.next() else { return };
        if self.is_harmless(node, view) {
            return;
        }
        let (cause, by) = self.blame(&record.actor, Some(volume), uid, node, view);
        out.push(Breach {
            corrupts: None,
            invariant: FENCE_BEFORE_BREAK.name,
            object: record.object.clone(),
            cause,
            by,
            seen: phrase!(
                "volume {volume} was detached from {node}, which is not fenced and has it mounted for {pod}",
                volume = &**volume,
                node = &**node,
                pod = pod.subject.key.to_string()
            ),
        });
    }

    fn deleted(&self, actor: &Actor, pod: &std::sync::Arc<Pod>, view: &View<'_>, out: &mut Vec<Breach>) {
        let uid = &pod.metadata.uid;
        let (Some(node), Some(_)) = (&pod.spec.node_name, view.ledger.live.get(uid)) else {
            return;
        };
        let is_unreachable = view
            .objects
            .named::<Node>(node.as_str())
            .is_none_or(|node| !node.is_ready())
            || !view.network.is_open(&Place::Node(node.clone()), &Place::ControlPlane);
        if !is_unreachable || matches!(actor, Actor::Kubelet(_)) || self.is_harmless(node, view) {
            return;
        }
        // A member that a quorum of its group has removed can do no harm to it (CT-013). To a volume that it has mounted
        // it still can: what is detached is looked at whoever it is.
        if view.ledger.forgotten.contains(uid) {
            return;
        }
        let (cause, by) = self.blame(actor, None, uid, node, view);
        let key = pod.metadata.key();
        out.push(Breach {
            corrupts: None,
            invariant: FENCE_BEFORE_BREAK.name,
            object: Some(subject_of(&Object::Pod(pod.clone()))),
            cause,
            by,
            seen: phrase!(
                "{pod} was deleted by force while it runs on {node}, which is unreachable and not fenced",
                pod = key.to_string(),
                node = &**node
            ),
        });
    }

    fn blame(
        &self,
        actor: &Actor,
        volume: Option<&Str>,
        uid: &Uid,
        node: &NodeName,
        view: &View<'_>,
    ) -> (Cause, Culprit) {
        if view.ledger.out_of_service.get(node) == Some(&Actor::Fencing) {
            // It says out of service only when the fence is confirmed (CT-144).
            return (Cause::Bug, "the fencing controller, without a fence".into());
        }
        blame::of_break(actor, volume, uid, node, FACT, view)
    }
}

#[cfg(test)]
mod tests {
    use super::super::lab::{self, Trace};
    use crate::fault::{Fault, FenceMechanism};
    use crate::{Actor, DeleteOptions, Given, Request, SimTime, World};
    use podscope_api::{Kind, ObjectKey};

    fn run(trace: &mut Trace, fence: Option<FenceMechanism>) -> World {
        let mut world = lab::world(&lab::volume_and_pod(), trace);
        world.run_until(SimTime::from_seconds(30), trace);
        world.apply_fault(&lab::partition("a-1"), trace).expect("a known node");
        if let Some(mechanism) = fence {
            let fault = Fault::Fence("a-1".into(), mechanism);
            world.apply_fault(&fault, trace).expect("a known node");
        }
        world.run_until(SimTime::from_seconds(120), trace);
        world
    }

    fn force() -> Request {
        Request::Delete {
            kind: Kind::Pod,
            key: ObjectKey::new("default", "one"),
            options: DeleteOptions {
                grace_seconds: Some(0),
                ..DeleteOptions::default()
            },
        }
    }

    /// A fence comes first, whichever it is; without one, the user is told what the command broke.
    /// Shows: CT-139, CT-175
    #[test]
    fn a_fence_precedes_a_forced_deletion() {
        use FenceMechanism::{Network, Power, Storage};
        for (fence, expected) in [
            (
                None,
                vec!["fence-before-break command the scenario's manifests (CT-175: operator error)"],
            ),
            (Some(Power), vec![]),
            (Some(Storage), vec![]),
            (Some(Network), vec![]),
        ] {
            let mut trace = Trace::default();
            let mut world = run(&mut trace, fence);
            let answer = world.serve(&Actor::Client(0), &force(), &mut trace);
            assert!(answer.is_ok(), "{answer:?}");
            assert_eq!(trace.broken_of("fence-before-break"), expected, "{fence:?}");
        }
    }

    /// A forced detach, with and without a fence before it.
    /// Shows: F-04, CT-175
    #[test]
    fn a_fence_precedes_a_forced_detach() {
        for (fence, expected) in [
            (None, vec!["fence-before-break fault fault detach disk (CT-175)"]),
            (Some(FenceMechanism::Storage), vec![]),
        ] {
            let mut trace = Trace::default();
            let mut world = run(&mut trace, fence);
            let fault = Fault::Detach("disk".into());
            // As it is typed: what the trace says of the fault are other words.
            let given = Given {
                text: "fault  detach  'disk'",
                number: 7,
            };
            world.record_command(given, None, &mut trace);
            world.apply_fault(&fault, &mut trace).expect("it is attached");
            assert_eq!(trace.broken_of("fence-before-break"), expected, "{fence:?}");
            assert!(
                trace.blamed().iter().all(|number| *number == Some(7)),
                "F-04: {fence:?}"
            );
        }
    }
}
