//! `attach-cas` (CT-174): the holder recorded on a PersistentVolume is only changed by a compare-and-swap from the
//! value that the writer observed, and a container whose volume must be attached only starts where it is attached. A
//! volume for several nodes has no single holder; it is checked only if it has a driver.

use podscope_api::fault::ViolationCause;
use podscope_api::ordered;
use podscope_messages::invariant;
use podscope_messages::sentence;

use podscope_api::{AccessMode, Node, NodeName, Object, PersistentVolume, Pod, Str, Uid, VolumeAttachment};

use podscope_sim::Originator;

use super::{Check, DetectedViolation, Invariant, InvariantGroup, InvariantKind, Observation, View, blame};
use crate::controllers::Holder;
use crate::volume::{Backend, ResolvedVolume, driver_of, resolve};
use crate::{Actor, Change, Happening, Place, Record, Request, SimTime, subject_of};

pub(super) const ATTACH_CAS: Invariant = Invariant {
    name: "attach-cas",
    fact: "CT-174",
    group: InvariantGroup::Storage,
    kind: InvariantKind::Safety,
    statement: invariant::attach_cas,
    keeper: invariant::attach_cas_keeper,
    breaker: invariant::attach_cas_breaker,
    lesson: "attach-protocol-fencing",
};

const FACT_ID: &str = "CT-174";

/// State of the check of `attach-cas`.
#[derive(Debug, Clone, Default)]
pub(super) struct AttachCas {
    /// Whether the current write carries the stored resourceVersion of the volume.
    names_stored_version: bool,
    /// Pods that already ran at t = 0, although their volumes were not attached.
    running_at_start: ordered::Set<Uid>,
    reported: ordered::Set<(Uid, Str)>,
    /// Volumes that a fault detached, or that were detached from a node that had them mounted, each with the cause and
    /// the originator.
    forced_detaches: ordered::Map<(Str, NodeName), (ViolationCause, Originator)>,
}

impl Check for AttachCas {
    fn check(&mut self, seen: &Observation<'_>, view: &View<'_>, out: &mut Vec<DetectedViolation>) {
        match seen {
            Observation::Request { request, .. } => {
                self.names_stored_version = match request {
                    Request::Update(Object::PersistentVolume(volume), _) => {
                        let stored = view.objects.named::<PersistentVolume>(&volume.metadata.name);
                        stored
                            .is_some_and(|stored| stored.metadata.resource_version == volume.metadata.resource_version)
                    }
                    _ => false,
                };
            }
            Observation::Change { actor, change } => self.check_holder_change(actor, change, view, out),
            Observation::Record(record) => match &record.happening {
                Happening::VolumeDetached { volume, node, .. } => {
                    self.record_detach(record, (volume.clone(), node.clone()), view);
                }
                Happening::VolumeAttached { volume, node } => {
                    self.forced_detaches.remove(&(volume.clone(), node.clone()));
                }
                Happening::ContainerStarted { .. } => self.check_container_start(record, view, out),
                _ => {}
            },
            Observation::Tick { .. } => {}
        }
    }
}

/// Returns the holder of a PersistentVolume, `Some(None)` if the volume is free; None if the object is no
/// PersistentVolume.
fn recorded_holder(object: &Option<Object>) -> Option<Option<Holder>> {
    match object {
        Some(Object::PersistentVolume(volume)) => Some(Holder::of(&volume.metadata)),
        _ => None,
    }
}

/// Returns whether the access modes of a volume let only one node use it.
fn is_single_node_volume(volume: &PersistentVolume) -> bool {
    let modes = &volume.spec.access_modes;
    let is_shared = |mode: &AccessMode| matches!(mode, AccessMode::ReadWriteMany | AccessMode::ReadOnlyMany);
    !modes.is_empty() && !modes.iter().any(is_shared)
}

/// Returns whether the API objects say that the volume is attached to the node.
fn is_attached(backend: &Backend, name: &NodeName, view: &View<'_>) -> bool {
    let Some(volume) = view.objects.named::<PersistentVolume>(&backend.name) else {
        let node = view.objects.named::<Node>(name.as_str());
        let mut attached = node.iter().flat_map(|node| &node.status.volumes_attached);
        return attached.any(|attached| attached.name == backend.unique_name);
    };
    if driver_of(volume).is_some() {
        return view.objects.list::<VolumeAttachment>().any(|attachment| {
            attachment.status.attached
                && attachment.spec.node_name == *name
                && attachment.spec.source.persistent_volume_name.as_ref() == Some(&backend.name)
        });
    }
    !is_single_node_volume(volume) || Holder::of(&volume.metadata).is_some_and(|holder| holder.node == *name)
}

impl AttachCas {
    /// Stores who detached a volume from a node that has it mounted, because a container may start there later. A fault
    /// is stored even if the volume is not mounted: a kubelet can still mount the volume, because the status of its
    /// Node lists the volume until the controller has removed it.
    fn record_detach(&mut self, record: &Record, place: (Str, NodeName), view: &View<'_>) {
        if record.actor == Actor::World {
            self.forced_detaches.insert(place, blame::of_fault(FACT_ID, view));
            return;
        }
        let Some(state) = view.nodes.get(&place.1) else { return };
        let mut mounts = state.machine.mounts().filter(|(_, _, mount)| mount.volume == place.0);
        if let Some((uid, _, _)) = mounts.next() {
            let blame = blame::of_forced_removal(&record.actor, Some(&place.0), uid, &place.1, FACT_ID, view);
            self.forced_detaches.insert(place, blame);
        }
    }

    /// Reports a changed holder if the writer did not observe the stored version.
    fn check_holder_change(&self, actor: &Actor, change: &Change, view: &View<'_>, out: &mut Vec<DetectedViolation>) {
        let (Some(old), Some(new)) = (recorded_holder(&change.old), recorded_holder(&change.new)) else {
            return;
        };
        if old == new || self.names_stored_version {
            return;
        }
        let (cause, by) = match actor {
            Actor::World => blame::of_fault(FACT_ID, view),
            _ => blame::of_component(actor, FACT_ID, view),
        };
        let name = |holder: Option<Holder>| holder.map_or(sentence!(seen::nobody), |holder| holder.to_string().into());
        out.push(DetectedViolation {
            corrupts: None,
            invariant: ATTACH_CAS.name,
            object: change.new.as_ref().map(subject_of),
            cause,
            by,
            seen: sentence!(seen::holder_changed, old = name(old), new = name(new)),
        });
    }

    /// Reports volumes that are not attached to the node on which a container starts.
    fn check_container_start(&mut self, record: &Record, view: &View<'_>, out: &mut Vec<DetectedViolation>) {
        let (Some(object), Place::Node(node)) = (&record.object, record.actor.place()) else {
            return;
        };
        let stored = view.ledger.pod_of(&object.uid, view.objects);
        let Some(pod) = stored else { return };
        for backend in unattached_volumes(&pod, &node, view) {
            let uid = &object.uid;
            if record.at == SimTime::ZERO {
                self.running_at_start.insert(uid.clone());
                continue;
            }
            if !self.reported.insert((uid.clone(), backend.name.clone())) {
                continue;
            }
            let (cause, by) = if self.running_at_start.contains(uid) {
                (ViolationCause::Command, sentence!(seen::ran_at_start).into())
            } else if view.ledger.is_fenced(&node) {
                (
                    ViolationCause::Fault,
                    Originator::excused("the fencing controller", format!("{FACT_ID}: fencing break")),
                )
            } else if let Some(blame) = self.forced_detaches.get(&(backend.name.clone(), node.clone())) {
                blame.clone()
            } else {
                blame::of_forced_removal(&record.actor, Some(&backend.name), uid, &node, FACT_ID, view)
            };
            out.push(DetectedViolation {
                corrupts: None,
                invariant: ATTACH_CAS.name,
                object: Some(object.clone()),
                cause,
                by,
                seen: sentence!(seen::starts_without_volume, node = &*node, volume = &*backend.name),
            });
        }
    }
}

/// Returns the volumes of the pod that must be attached to the node but are not.
fn unattached_volumes(pod: &Pod, node: &NodeName, view: &View<'_>) -> Vec<Backend> {
    let volumes = pod.spec.volumes.iter();
    volumes
        .filter_map(|volume| match resolve(pod, volume, view.objects) {
            ResolvedVolume::Backend(backend) if backend.needs_attach => Some(backend),
            _ => None,
        })
        .filter(|backend| !is_attached(backend, node, view))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::lab::{self, Trace};
    use super::*;
    use crate::fault::Fault;
    use crate::{Mutation, Part};
    use podscope_api::fault::ControlPlaneProcess;
    use podscope_api::{Kind, ObjectKey};
    use std::sync::Arc;

    fn world_with_attached_volume(trace: &mut Trace) -> crate::World {
        let mut world = lab::world(&lab::volume_and_pod(), trace);
        world.run_until(SimTime::from_seconds(30), trace);
        let volume = world
            .objects()
            .named::<PersistentVolume>("disk")
            .expect("the scenario has the volume");
        assert_eq!(Holder::of(&volume.metadata), Some(Holder::parse("a-1 default/one")));
        assert!(trace.violations().is_empty(), "{:?}", trace.violations());
        world
    }

    /// The holder of a volume may only be changed by a writer that observed its present value. Any other change is a
    /// violation, whether a controller or a client makes it.
    /// Shows: CT-174
    #[test]
    fn holder_change_without_observed_value_is_violation() {
        let free = |volume: &mut PersistentVolume| {
            Holder::remove_annotation(&mut volume.metadata);
        };
        let manager = Actor::ControllerManager(0);
        let blind = Request::Patch {
            kind: Kind::PersistentVolume,
            key: ObjectKey::cluster("disk"),
            uid: None,
            part: Part::Main,
            change: Mutation::new("free", free),
        };
        for (actor, expected) in [
            (manager.clone(), "attach-cas bug controller-manager"),
            (Actor::Client(0), "attach-cas command the scenario's manifests (CT-174)"),
        ] {
            let mut trace = Trace::default();
            let mut world = world_with_attached_volume(&mut trace);
            assert!(world.serve(&actor, &blind, &mut trace).is_ok());
            assert_eq!(trace.violations_of("attach-cas"), [expected]);
        }
        let mut trace = Trace::default();
        let mut world = world_with_attached_volume(&mut trace);
        let mut volume = (**world
            .objects()
            .named::<PersistentVolume>("disk")
            .expect("the scenario has the volume"))
        .clone();
        free(&mut volume);
        let swap = Request::Update(Object::PersistentVolume(Arc::new(volume)), Part::Main);
        assert!(world.serve(&manager, &swap, &mut trace).is_ok());
        assert!(trace.violations_of("attach-cas").is_empty());
    }

    /// A container restarts after its volume was detached by force; the fault is named as the cause.
    /// Shows: CT-174
    #[test]
    fn container_start_without_attached_volume_is_violation() {
        let mut trace = Trace::default();
        let mut world = world_with_attached_volume(&mut trace);
        // The controller must not attach the volume again before the container restarts.
        let cut = lab::partition("a-1");
        world.apply_fault(&cut, &mut trace).expect("node a-1 exists");
        let crash = Fault::ControlPlane {
            process: ControlPlaneProcess::ControllerManager,
            up: false,
        };
        world
            .apply_fault(&crash, &mut trace)
            .expect("the controller-manager runs");
        world
            .apply_fault(&Fault::Detach("disk".into()), &mut trace)
            .expect("the volume is attached");
        let exit = Fault::Exit {
            pod: ObjectKey::new("default", "one"),
            container: "db".into(),
            code: 1,
        };
        world.apply_fault(&exit, &mut trace).expect("the container runs");
        world.run_until(SimTime::from_seconds(90), &mut trace);
        let broken = trace.violations_of("attach-cas");
        assert_eq!(broken.len(), 2, "{broken:?}");
        assert_eq!(broken[0], "attach-cas fault fault detach disk (CT-174)");
        assert!(broken[1].starts_with("attach-cas fault fault "), "{broken:?}");
    }

    /// A fault detaches a volume that is not mounted yet. The Node still lists it as attached, because the controller
    /// cannot write the status without etcd, so that the kubelet mounts it; the fault is named as the cause.
    /// Shows: CT-174
    #[test]
    fn container_start_after_detach_before_mount_names_fault() {
        let mut trace = Trace::default();
        let mut world = lab::world(&lab::volume_and_pod(), &mut trace);
        let etcd = |up| Fault::Etcd { up };
        world.run_until(SimTime::from_seconds(1), &mut trace);
        world
            .apply_fault(&Fault::Detach("disk".into()), &mut trace)
            .expect("the volume is attached");
        world.apply_fault(&etcd(false), &mut trace).expect("etcd runs");
        world.run_until(SimTime::from_seconds(12), &mut trace);
        world.apply_fault(&etcd(true), &mut trace).expect("etcd is down");
        world.run_until(SimTime::from_seconds(30), &mut trace);
        let blamed = "attach-cas fault fault detach disk (CT-174)";
        assert_eq!(trace.violations_of("attach-cas"), [blamed, blamed]);
    }
}
