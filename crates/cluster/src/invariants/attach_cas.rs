//! `attach-cas` (CT-174): the holder recorded on a PersistentVolume changes
//! only from the value that the writer observed, and a container whose volume
//! must be attached starts only where it is attached. Volumes for several
//! nodes have no one holder, and are looked at by driver only.

use podscope_api::ordered;

use podscope_api::{AccessMode, Node, NodeName, Object, PersistentVolume, Pod, Str, Uid, VolumeAttachment, phrase};

use podscope_sim::Culprit;

use super::{Breach, Cause, Check, Group, Invariant, Promise, Seen, View, blame};
use crate::controllers::Holder;
use crate::volume::{Backend, Resolved, driver_of, resolve};
use crate::{Actor, Change, Happening, Place, Record, Request, SimTime, subject_of};

pub(super) const ATTACH_CAS: Invariant = Invariant {
    name: "attach-cas",
    fact: "CT-174",
    group: Group::Storage,
    promise: Promise::Safety,
    statement: "An attachment changes only from the state that was observed, and a pod runs only where its volume is attached.",
    keeper: "The attach controller and the kubelet.",
    breaker: "A fence that breaks it on purpose.",
    lesson: "attach-protocol-fencing",
};

const FACT: &str = "CT-174";

/// The write under way, and what was told.
#[derive(Debug, Clone, Default)]
pub(super) struct AttachCas {
    /// Whether the write under way names the version of the volume that is stored.
    is_observed: bool,
    /// Pods that ran when the world began, without their volumes attached.
    adopted: ordered::Set<Uid>,
    reported: ordered::Set<(Uid, Str)>,
    /// Volumes that were detached from a node that had them mounted, and who is to blame.
    torn: ordered::Map<(Str, NodeName), (Cause, Culprit)>,
}

impl Check for AttachCas {
    fn see(&mut self, seen: &Seen<'_>, view: &View<'_>, out: &mut Vec<Breach>) {
        match seen {
            Seen::Request { request, .. } => {
                self.is_observed = match request {
                    Request::Update(Object::PersistentVolume(volume), _) => {
                        let stored = view.objects.named::<PersistentVolume>(&volume.metadata.name);
                        stored
                            .is_some_and(|stored| stored.metadata.resource_version == volume.metadata.resource_version)
                    }
                    _ => false,
                };
            }
            Seen::Change { actor, change } => self.swapped(actor, change, view, out),
            Seen::Record(record) => match &record.happening {
                Happening::VolumeDetached { volume, node, .. } => {
                    self.detached(record, (volume.clone(), node.clone()), view);
                }
                Happening::VolumeAttached { volume, node } => {
                    self.torn.remove(&(volume.clone(), node.clone()));
                }
                Happening::ContainerStarted { .. } => self.started(record, view, out),
                _ => {}
            },
            Seen::Tick { .. } => {}
        }
    }
}

fn holder(object: &Option<Object>) -> Option<Option<Holder>> {
    match object {
        Some(Object::PersistentVolume(volume)) => Some(Holder::of(&volume.metadata)),
        _ => None,
    }
}

fn is_single(volume: &PersistentVolume) -> bool {
    let modes = &volume.spec.access_modes;
    let is_shared = |mode: &AccessMode| matches!(mode, AccessMode::ReadWriteMany | AccessMode::ReadOnlyMany);
    !modes.is_empty() && !modes.iter().any(is_shared)
}

/// Whether the API says that the volume is attached to the node.
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
    !is_single(volume) || Holder::of(&volume.metadata).is_some_and(|holder| holder.node == *name)
}

impl AttachCas {
    /// Remembers who took a volume from a node that has it mounted: a container may start there later.
    fn detached(&mut self, record: &Record, place: (Str, NodeName), view: &View<'_>) {
        let Some(state) = view.nodes.get(&place.1) else { return };
        let mut mounts = state.machine.mounts().filter(|(_, _, mount)| mount.volume == place.0);
        if let Some((uid, _, _)) = mounts.next() {
            let blame = blame::of_break(&record.actor, Some(&place.0), uid, &place.1, FACT, view);
            self.torn.insert(place, blame);
        }
    }

    fn swapped(&self, actor: &Actor, change: &Change, view: &View<'_>, out: &mut Vec<Breach>) {
        let (Some(old), Some(new)) = (holder(&change.old), holder(&change.new)) else {
            return;
        };
        if old == new || self.is_observed {
            return;
        }
        let (cause, by) = match actor {
            Actor::World => blame::of_fault(FACT, view),
            _ => blame::of_component(actor, FACT, view),
        };
        let name = |holder: Option<Holder>| holder.map_or(phrase!("nobody"), |holder| holder.to_string().into());
        out.push(Breach {
            corrupts: None,
            invariant: ATTACH_CAS.name,
            object: change.new.as_ref().map(subject_of),
            cause,
            by,
            seen: phrase!(
                "the holder went from {old} to {new} unobserved",
                old = name(old),
                new = name(new)
            ),
        });
    }

    fn started(&mut self, record: &Record, view: &View<'_>, out: &mut Vec<Breach>) {
        let (Some(object), Place::Node(node)) = (&record.object, record.actor.place()) else {
            return;
        };
        let stored = view.ledger.pod_of(&object.uid, view.objects);
        let Some(pod) = stored else { return };
        for backend in missing(&pod, &node, view) {
            let uid = &object.uid;
            if record.at == SimTime::ZERO {
                self.adopted.insert(uid.clone());
                continue;
            }
            if !self.reported.insert((uid.clone(), backend.name.clone())) {
                continue;
            }
            let (cause, by) = if self.adopted.contains(uid) {
                (
                    Cause::Command,
                    "the scenario's manifests: a pod that already ran".into(),
                )
            } else if view.ledger.out_of_service.get(&node) == Some(&Actor::Fencing) {
                (
                    Cause::Fault,
                    Culprit::excused("the fencing controller", format!("{FACT}: fencing break")),
                )
            } else if let Some(blame) = self.torn.get(&(backend.name.clone(), node.clone())) {
                blame.clone()
            } else {
                blame::of_break(&record.actor, Some(&backend.name), uid, &node, FACT, view)
            };
            out.push(Breach {
                corrupts: None,
                invariant: ATTACH_CAS.name,
                object: Some(object.clone()),
                cause,
                by,
                seen: phrase!(
                    "a container starts on {node}, to which volume {volume} is not attached",
                    node = &*node,
                    volume = &*backend.name
                ),
            });
        }
    }
}

/// Volumes of the pod that should be attached to the node and are not.
fn missing(pod: &Pod, node: &NodeName, view: &View<'_>) -> Vec<Backend> {
    let volumes = pod.spec.volumes.iter();
    volumes
        .filter_map(|volume| match resolve(pod, volume, view.objects) {
            Resolved::Backend(backend) if backend.needs_attach => Some(backend),
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
    use podscope_api::{Kind, ObjectKey};
    use std::sync::Arc;

    fn run(trace: &mut Trace) -> crate::World {
        let mut world = lab::world(&lab::volume_and_pod(), trace);
        world.run_until(SimTime::from_seconds(30), trace);
        let volume = world.objects().named::<PersistentVolume>("disk").expect("given");
        assert_eq!(Holder::of(&volume.metadata), Some(Holder::parse("a-1 default/one")));
        assert!(trace.broken().is_empty(), "{:?}", trace.broken());
        world
    }

    /// A swap from an observed value is right, a blind one is not, whoever makes it.
    /// Shows: CT-174
    #[test]
    fn the_holder_changes_from_the_observed_value() {
        let free = |volume: &mut PersistentVolume| {
            Holder::strike(&mut volume.metadata);
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
            let mut world = run(&mut trace);
            assert!(world.serve(&actor, &blind, &mut trace).is_ok());
            assert_eq!(trace.broken_of("attach-cas"), [expected]);
        }
        let mut trace = Trace::default();
        let mut world = run(&mut trace);
        let mut volume = (**world.objects().named::<PersistentVolume>("disk").expect("given")).clone();
        free(&mut volume);
        let swap = Request::Update(Object::PersistentVolume(Arc::new(volume)), Part::Main);
        assert!(world.serve(&manager, &swap, &mut trace).is_ok());
        assert!(trace.broken_of("attach-cas").is_empty());
    }

    /// A container that starts again after its volume was torn away, and who tore it away.
    /// Shows: CT-174
    #[test]
    fn a_container_starts_only_where_its_volume_is_attached() {
        let mut trace = Trace::default();
        let mut world = run(&mut trace);
        // The controller must not repair it before the container is back.
        let second = lab::partition("a-1");
        world.apply_fault(&second, &mut trace).expect("a known node");
        let crash = Fault::ControlPlane {
            process: crate::fault::ControlPlaneProcess::ControllerManager,
            up: false,
        };
        world.apply_fault(&crash, &mut trace).expect("it runs");
        world
            .apply_fault(&Fault::Detach("disk".into()), &mut trace)
            .expect("it is attached");
        let exit = Fault::Exit {
            pod: ObjectKey::new("default", "one"),
            container: "db".into(),
            code: 1,
        };
        world.apply_fault(&exit, &mut trace).expect("it runs");
        world.run_until(SimTime::from_seconds(90), &mut trace);
        let broken = trace.broken_of("attach-cas");
        assert_eq!(broken.len(), 2, "{broken:?}");
        assert_eq!(broken[0], "attach-cas fault fault detach disk (CT-174)");
        assert!(broken[1].starts_with("attach-cas fault fault "), "{broken:?}");
    }
}
