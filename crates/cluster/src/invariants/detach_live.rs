//! `detach-live` (CT-186): when no fault is active, a volume that no pod needs on a node is detached from it: after it
//! is unmounted, or, on a node that is not ready, after the force timeout or a fence. Checked periodically.

use podscope_api::fault::ViolationCause;
use podscope_api::ordered;
use podscope_messages::invariant;
use podscope_messages::sentence;

use podscope_api::{
    Kind, Node, NodeName, Object, ObjectKey, PersistentVolume, PersistentVolumeClaim, Pod, Str, VolumeAttachment,
};

use podscope_sim::Originator;

use super::{Check, DetectedViolation, Invariant, InvariantGroup, InvariantKind, Observation, View, blame};
use crate::controllers::Holder;
use crate::volume::claim_name;
use crate::{Actor, SimTime, Span, What, subject};

pub(super) const DETACH_LIVE: Invariant = Invariant {
    name: "detach-live",
    fact: "CT-186",
    group: InvariantGroup::Storage,
    kind: InvariantKind::Liveness,
    statement: invariant::detach_live,
    keeper: invariant::detach_live_keeper,
    breaker: invariant::detach_live_breaker,
    lesson: "attach-protocol-fencing",
};

/// Maximum time until an unneeded volume is detached: the force timeout, the maximum back-off, and time for the driver.
const DETACH_LIMIT: Span = Span::seconds(360 + 122 + 118);

/// A volume, and a node to which it is attached.
type RecordedAttachment = (Str, NodeName);

/// State of the check of `detach-live`: the volumes that are attached to a node without being needed, and since when.
#[derive(Debug, Clone, Default)]
pub(super) struct DetachLive {
    open: ordered::Map<RecordedAttachment, SimTime>,
    reported: ordered::Set<RecordedAttachment>,
}

impl Check for DetachLive {
    fn check(&mut self, seen: &Observation<'_>, view: &View<'_>, out: &mut Vec<DetectedViolation>) {
        let is_fault_free = match seen {
            Observation::Tick { is_fault_free, .. } => *is_fault_free,
            // A fault or repair may restart the controller, which then measures its timeouts anew (CT-133).
            Observation::Record(record) if matches!(record.what(), What::Fault | What::Healed) => false,
            _ => return,
        };
        if !is_fault_free {
            self.open.clear();
            return;
        }
        let found: ordered::Set<RecordedAttachment> = recorded_attachments(view)
            .into_iter()
            .filter(|(volume, node)| is_detach_due(volume, node, view))
            .collect();
        self.reported.retain(|place| found.contains(place));
        self.open.retain(|place, _| found.contains(place));
        for place in found {
            let since = *self.open.entry(place.clone()).or_insert(view.now);
            if view.now - since >= DETACH_LIMIT && self.reported.insert(place.clone()) {
                out.push(attached_volume_violation(&place, view));
            }
        }
    }
}

/// Returns the attachments that the API objects record. Attachments with finalizers of other components than the
/// attacher are skipped, because those finalizers keep them from being deleted.
fn recorded_attachments(view: &View<'_>) -> Vec<RecordedAttachment> {
    let exists = |volume: &Str| view.objects.named::<PersistentVolume>(volume).is_some();
    let by_driver = view.objects.list::<VolumeAttachment>().filter_map(|attachment| {
        let is_managed = attachment.metadata.name.starts_with("csi-");
        let mut foreign = attachment.metadata.finalizers.iter();
        let is_held = foreign.any(|finalizer| !finalizer.starts_with("external-attacher/"));
        let volume = attachment.spec.source.persistent_volume_name.clone()?;
        let counts = is_managed && !is_held && attachment.status.attached && exists(&volume);
        counts.then(|| (volume, attachment.spec.node_name.clone()))
    });
    let by_swap = view.objects.list::<PersistentVolume>().filter_map(|volume| {
        let holder = Holder::of(&volume.metadata)?;
        Some((volume.metadata.name.clone(), holder.node))
    });
    by_driver.chain(by_swap).collect()
}

/// Returns whether the volume must be detached: no pod needs it on the node, and only the controller keeps it attached.
fn is_detach_due(volume: &Str, node: &NodeName, view: &View<'_>) -> bool {
    let Some(stored) = view.objects.named::<PersistentVolume>(volume) else {
        return false;
    };
    let claim = stored.spec.claim_ref.as_ref();
    let uses = |pod: &Pod| {
        pod.spec.volumes.iter().any(|own| {
            claim_name(pod, own).is_some_and(|name| {
                let key = ObjectKey::new(pod.metadata.namespace.clone(), name);
                let bound = view.objects.get::<PersistentVolumeClaim>(&key);
                let is_its_claim =
                    claim.is_some_and(|claim| claim.namespace == key.namespace && claim.name == key.name);
                is_its_claim || bound.is_some_and(|bound| bound.spec.volume_name == *volume)
            })
        })
    };
    let runs = |pod: &Pod| {
        let mut statuses = pod.status.container_statuses.iter();
        statuses.any(|status| status.state.terminated.is_none() && status.state.waiting.is_none())
    };
    let is_wanted = view
        .objects
        .pods_on(node)
        .any(|pod| uses(pod) && !pod.is_terminal() && (!pod.metadata.is_terminating() || runs(pod)));
    // A ready node unmounts the volume first, however long its pods take to end.
    let is_mounted = view
        .nodes
        .get(node)
        .is_some_and(|state| state.machine.mounts().any(|(_, _, mount)| mount.volume == *volume));
    !is_wanted && (!is_mounted || needs_forced_detach(node, view))
}

/// Returns whether volumes can be detached from the node only by force: its Node is absent or not Ready.
fn needs_forced_detach(node: &NodeName, view: &View<'_>) -> bool {
    let object = view.objects.named::<Node>(node.as_str());
    object.is_none_or(|node| !node.is_ready())
}

/// Returns the violation that an unneeded volume is still attached to a node.
fn attached_volume_violation((volume, node): &RecordedAttachment, view: &View<'_>) -> DetectedViolation {
    let (cause, by) = if needs_forced_detach(node, view) && !view.detaches_by_force {
        (
            ViolationCause::Command,
            Originator::excused("disableForceDetachOnTimeout: true", "CT-186: timeout disabled"),
        )
    } else {
        match blame::of_two_instances(&Actor::ControllerManager(0), "CT-154: two instances at once", view) {
            (ViolationCause::Bug, _) => {
                let by = sentence!(seen::nothing_changed, time = DETACH_LIMIT.to_string());
                (ViolationCause::Bug, by.into())
            }
            excused => excused,
        }
    };
    let object = view.objects.named::<PersistentVolume>(volume);
    DetectedViolation {
        corrupts: None,
        invariant: DETACH_LIVE.name,
        object: object.map(|volume| {
            let volume = Object::PersistentVolume(volume.clone());
            subject(Kind::PersistentVolume, volume.key(), volume.metadata().uid.clone())
        }),
        cause,
        by,
        seen: sentence!(seen::still_attached, volume = &**volume, node = &**node),
    }
}

#[cfg(test)]
mod tests {
    use super::super::lab::{self, Trace};
    use crate::controllers::Holder;
    use crate::fault::Fault;
    use crate::{Actor, DeleteOptions, Request, SimTime};
    use podscope_api::{Kind, ObjectKey, PersistentVolume};

    /// An unneeded volume is detached, by force if its machine left. If the force timeout is disabled, the volume stays
    /// attached and the setting is named as the cause.
    /// Shows: CT-186
    #[test]
    fn unneeded_volume_is_detached_unless_timeout_disabled() {
        for (disabled, expected) in [
            (false, vec![]),
            (
                true,
                vec!["detach-live command disableForceDetachOnTimeout: true (CT-186: timeout disabled)"],
            ),
        ] {
            let mut trace = Trace::default();
            let mut setup = lab::setup(&lab::volume_and_pod());
            setup.settings.controller_manager.disable_force_detach_on_timeout = disabled;
            let mut world = crate::World::new(setup, &mut trace).expect("the scenario is valid");
            world.run_until(SimTime::from_seconds(30), &mut trace);
            world
                .apply_fault(&Fault::Leave("a-1".into()), &mut trace)
                .expect("node a-1 exists");
            let force = Request::Delete {
                kind: Kind::Pod,
                key: ObjectKey::new("default", "one"),
                options: DeleteOptions {
                    grace_seconds: Some(0),
                    ..DeleteOptions::default()
                },
            };
            assert!(world.serve(&Actor::Client(0), &force, &mut trace).is_ok());
            world.run_until(SimTime::from_seconds(1200), &mut trace);
            let volume = world
                .objects()
                .named::<PersistentVolume>("disk")
                .expect("the scenario has the volume");
            assert_eq!(Holder::of(&volume.metadata).is_some(), disabled);
            assert_eq!(trace.violations_of("detach-live"), expected);
        }
    }
}
