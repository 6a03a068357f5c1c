//! `fence-before-break` (CT-175, CT-144): before a volume is detached by force, or a pod is deleted by force because
//! its node is unreachable, the node must be unable to do harm: powered off, fenced, or with the volume unmounted.

use podscope_api::fault::ViolationCause;
use podscope_api::{Node, NodeName, Object, Pod, Str, Uid};
use podscope_messages::invariant;
use podscope_messages::sentence;

use podscope_sim::Originator;

use super::{Check, DetectedViolation, Invariant, InvariantGroup, InvariantKind, Observation, View, blame};
use crate::{Actor, Happening, Place, Record, subject_of};

pub(super) const FENCE_BEFORE_BREAK: Invariant = Invariant {
    name: "fence-before-break",
    fact: "CT-175",
    group: InvariantGroup::Storage,
    kind: InvariantKind::Safety,
    statement: invariant::fence_before_break,
    keeper: invariant::fence_before_break_keeper,
    breaker: invariant::fence_before_break_breaker,
    lesson: "attach-protocol-fencing",
};

#[derive(Debug, Clone, Default)]
pub(super) struct FenceBeforeBreak;

const FACT_ID: &str = "CT-175";

impl Check for FenceBeforeBreak {
    fn check(&mut self, seen: &Observation<'_>, view: &View<'_>, out: &mut Vec<DetectedViolation>) {
        match seen {
            Observation::Record(record) => {
                if let Happening::VolumeDetached { volume, node, .. } = &record.happening {
                    self.check_detach(record, volume, node, view, out);
                }
            }
            Observation::Change { actor, change } => {
                if let (Some(Object::Pod(pod)), None) = (&change.old, &change.new) {
                    self.check_deletion(actor, pod, view, out);
                }
            }
            Observation::Request { .. } | Observation::Tick { .. } => {}
        }
    }
}

impl FenceBeforeBreak {
    /// Returns whether the node can do no harm (CT-148). A partition without a fence may heal at any time and does not
    /// count.
    fn is_harmless_node(&self, node: &NodeName, view: &View<'_>) -> bool {
        view.nodes
            .get(node)
            .is_none_or(|state| !state.is_powered || state.machine.is_storage_refused() || view.network.is_fenced(node))
    }

    fn check_detach(
        &self,
        record: &Record,
        volume: &Str,
        node: &NodeName,
        view: &View<'_>,
        out: &mut Vec<DetectedViolation>,
    ) {
        let Some(state) = view.nodes.get(node) else { return };
        let mut mounts = state.machine.mounts().filter(|(_, _, mount)| mount.volume == *volume);
        let Some((uid, pod, _)) = mounts.next() else { return };
        if self.is_harmless_node(node, view) {
            return;
        }
        let (cause, by) = self.cause_and_originator(&record.actor, Some(volume), uid, node, view);
        out.push(DetectedViolation {
            corrupts: None,
            invariant: FENCE_BEFORE_BREAK.name,
            object: record.object.clone(),
            cause,
            by,
            seen: sentence!(
                seen::detached_from_unfenced,
                volume = &**volume,
                node = &**node,
                pod = pod.subject.key.to_string()
            ),
        });
    }

    fn check_deletion(
        &self,
        actor: &Actor,
        pod: &std::sync::Arc<Pod>,
        view: &View<'_>,
        out: &mut Vec<DetectedViolation>,
    ) {
        let uid = &pod.metadata.uid;
        let (Some(node), Some(_)) = (&pod.spec.node_name, view.ledger.live.get(uid)) else {
            return;
        };
        let is_unreachable = view
            .objects
            .named::<Node>(node.as_str())
            .is_none_or(|node| !node.is_ready())
            || !view.network.is_open(&Place::Node(node.clone()), &Place::ControlPlane);
        if !is_unreachable || matches!(actor, Actor::Kubelet(_)) || self.is_harmless_node(node, view) {
            return;
        }
        // A member that a quorum has removed can do no harm to its group (CT-013). It can still harm a mounted volume,
        // which `check_detach` covers for every pod.
        if view.ledger.expelled_members.contains(uid) {
            return;
        }
        let (cause, by) = self.cause_and_originator(actor, None, uid, node, view);
        let key = pod.metadata.key();
        out.push(DetectedViolation {
            corrupts: None,
            invariant: FENCE_BEFORE_BREAK.name,
            object: Some(subject_of(&Object::Pod(pod.clone()))),
            cause,
            by,
            seen: sentence!(seen::deleted_while_unfenced, pod = key.to_string(), node = &**node),
        });
    }

    /// Returns the cause and the originator of a forced detach or deletion without a fence.
    fn cause_and_originator(
        &self,
        actor: &Actor,
        volume: Option<&Str>,
        uid: &Uid,
        node: &NodeName,
        view: &View<'_>,
    ) -> (ViolationCause, Originator) {
        if view.ledger.is_fenced(node) {
            // The controller may set the out-of-service taint only after a confirmed fence (CT-144).
            return (ViolationCause::Bug, sentence!(seen::fencing_without_fence).into());
        }
        blame::of_forced_removal(actor, volume, uid, node, FACT_ID, view)
    }
}

#[cfg(test)]
mod tests {
    use super::super::lab::{self, Trace};
    use crate::fault::Fault;
    use crate::{Actor, DeleteOptions, GivenCommand, Request, SimTime, World};
    use podscope_api::fault::FenceMechanism;
    use podscope_api::{Kind, ObjectKey};

    fn world_with_partition(trace: &mut Trace, fence: Option<FenceMechanism>) -> World {
        let mut world = lab::world(&lab::volume_and_pod(), trace);
        world.run_until(SimTime::from_seconds(30), trace);
        world
            .apply_fault(&lab::partition("a-1"), trace)
            .expect("node a-1 exists");
        if let Some(mechanism) = fence {
            let fault = Fault::Fence("a-1".into(), mechanism);
            world.apply_fault(&fault, trace).expect("node a-1 exists");
        }
        world.run_until(SimTime::from_seconds(120), trace);
        world
    }

    /// Returns the request that deletes pod `one` with grace period 0.
    fn force_delete() -> Request {
        Request::Delete {
            kind: Kind::Pod,
            key: ObjectKey::new("default", "one"),
            options: DeleteOptions {
                grace_seconds: Some(0),
                ..DeleteOptions::default()
            },
        }
    }

    /// Any fence makes the forced deletion safe; without one, the command is named as the cause.
    /// Shows: CT-139, CT-175
    #[test]
    fn forced_deletion_without_fence_is_violation() {
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
            let mut world = world_with_partition(&mut trace, fence);
            let answer = world.serve(&Actor::Client(0), &force_delete(), &mut trace);
            assert!(answer.is_ok(), "{answer:?}");
            assert_eq!(trace.violations_of("fence-before-break"), expected, "{fence:?}");
        }
    }

    /// A forced detach is a violation unless the node was fenced before.
    /// Shows: F-04, CT-175
    #[test]
    fn forced_detach_without_fence_is_violation() {
        for (fence, expected) in [
            (None, vec!["fence-before-break fault fault detach disk (CT-175)"]),
            (Some(FenceMechanism::Storage), vec![]),
        ] {
            let mut trace = Trace::default();
            let mut world = world_with_partition(&mut trace, fence);
            let fault = Fault::Detach("disk".into());
            // The line as the user typed it; the trace names the fault in its canonical form.
            let given = GivenCommand {
                text: "fault  detach  'disk'",
                number: 7,
            };
            world.record_command(given, None, &mut trace);
            world.apply_fault(&fault, &mut trace).expect("the volume is attached");
            assert_eq!(trace.violations_of("fence-before-break"), expected, "{fence:?}");
            assert!(
                trace.blamed_commands().iter().all(|number| *number == Some(7)),
                "F-04: {fence:?}"
            );
        }
    }
}
