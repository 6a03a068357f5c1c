//! Which part of an object a write may change: `status` is ignored on the
//! main resource, everything else on the status subresource, all but resources
//! on a pod's resize; and when the generation rises.

use std::sync::Arc;

use podscope_api::{Object, Pod, Resource};

use podscope_sim::Part;

/// The object that a write of `part` leaves behind: `new` where it may write, `old` elsewhere.
/// The server's own metadata (UID, deletion state, …) always stays.
pub(super) fn merge(old: &Object, new: Object, part: Part) -> Option<Object> {
    if part == Part::Resize {
        return match (old, new) {
            (Object::Pod(old), Object::Pod(new)) => Some(Object::Pod(resized(old, &new))),
            _ => None,
        };
    }
    macro_rules! merge {
        (status: $($with:ident),*; plain: $($without:ident),*) => {
            match (old, new) {
                $((Object::$with(old), Object::$with(mut new)) => Some(match part {
                    Part::Main => {
                        let typed = Arc::make_mut(&mut new);
                        typed.status.clone_from(&old.status);
                        keep_metadata(typed, &**old);
                        Object::$with(new)
                    }
                    Part::Status | Part::Resize => {
                        let mut merged = old.clone();
                        Arc::make_mut(&mut merged).status.clone_from(&new.status);
                        Object::$with(merged)
                    }
                }),)*
                $((Object::$without(old), Object::$without(mut new)) => {
                    keep_metadata(Arc::make_mut(&mut new), &**old);
                    Some(Object::$without(new))
                })*
                _ => None,
            }
        };
    }
    merge!(
        status: Namespace, Node, Pod, ReplicationController, ReplicaSet, Deployment, StatefulSet, DaemonSet, Job,
            PodDisruptionBudget, PersistentVolume, PersistentVolumeClaim, VolumeAttachment;
        plain: Lease, ControllerRevision, PriorityClass, Service, EndpointSlice, StorageClass, CsiNode, CsiDriver,
            CsiStorageCapacity, ConfigMap, Secret, Event
    )
}

/// The pod with the resources that another version of it has, container by container by name; all else that differs
/// is dropped (`dropNonResizeUpdates`).
fn resized(old: &Arc<Pod>, new: &Pod) -> Arc<Pod> {
    let mut merged = old.clone();
    let pod = Arc::make_mut(&mut merged);
    pod.take_resources(new);
    for container in Arc::make_mut(&mut pod.spec.containers) {
        if let Some(wanted) = new.spec.containers.iter().find(|wanted| wanted.name == container.name) {
            container.resize_policy.clone_from(&wanted.resize_policy);
        }
    }
    merged
}

fn keep_metadata<T: Resource>(new: &mut T, old: &T) {
    let stored = old.metadata().clone();
    let metadata = new.metadata_mut();
    metadata.name = stored.name;
    metadata.namespace = stored.namespace;
    metadata.generate_name = stored.generate_name;
    metadata.uid = stored.uid;
    metadata.resource_version = stored.resource_version;
    metadata.generation = stored.generation;
    metadata.creation_timestamp = stored.creation_timestamp;
    metadata.deletion_timestamp = stored.deletion_timestamp;
    metadata.deletion_grace_period_seconds = stored.deletion_grace_period_seconds;
}

/// Whether objects of this kind carry a generation, and it rises with this change of the spec.
pub(super) fn raises_generation(old: &Object, new: &Object) -> bool {
    macro_rules! spec_differs {
        ($($kind:ident),*) => {
            match (old, new) {
                $((Object::$kind(old), Object::$kind(new)) => old.spec != new.spec,)*
                _ => false,
            }
        };
    }
    spec_differs!(
        Pod,
        ReplicationController,
        ReplicaSet,
        Deployment,
        StatefulSet,
        DaemonSet,
        Job,
        PodDisruptionBudget
    )
}

/// Whether objects of this kind start with generation 1.
pub(super) fn has_generation(object: &Object) -> bool {
    matches!(
        object,
        Object::Pod(_)
            | Object::ReplicationController(_)
            | Object::ReplicaSet(_)
            | Object::Deployment(_)
            | Object::StatefulSet(_)
            | Object::DaemonSet(_)
            | Object::Job(_)
            | Object::PodDisruptionBudget(_)
            | Object::EndpointSlice(_)
            | Object::PriorityClass(_)
    )
}

/// Wipes the status of an object that is created (LC-040); a Node keeps the one its kubelet reports.
pub(super) fn wipe_status(object: &mut Object) {
    macro_rules! wipe {
        ($($kind:ident),*) => {
            match object {
                $(Object::$kind(typed) => Arc::make_mut(typed).status = Default::default(),)*
                _ => {}
            }
        };
    }
    wipe!(
        Namespace,
        Pod,
        ReplicationController,
        ReplicaSet,
        Deployment,
        StatefulSet,
        DaemonSet,
        Job,
        PodDisruptionBudget,
        PersistentVolume,
        PersistentVolumeClaim,
        VolumeAttachment
    );
}
