//! Protection of claims, volumes and VolumeAttributesClasses in use: a finalizer keeps a claim while a scheduled pod
//! uses it, a volume while a claim is bound to it, and a class while a claim or a volume refers to it (CT-125). The
//! controller examines pod objects, not processes, so after a forced deletion of a pod the claim is released too early.

use podscope_api::well_known::finalizer;
use podscope_api::{Kind, Object, ObjectKey, PersistentVolume, PersistentVolumeClaim, Pod, Str, VolumePhase};

use podscope_sim::{Change, Mutation, Part, Request};

use super::controller::{Controller, ControllerContext};
use super::index::claims_of_pod;
use super::plan::{Accept, Action, Plan};
use super::queue::{Key, key_of};

#[derive(Debug, Clone, Default)]
pub(super) struct VolumeProtectionController;

impl Controller for VolumeProtectionController {
    fn name(&self) -> &'static str {
        "pvc-protection-controller"
    }

    fn watches(&self) -> &'static [Kind] {
        &[
            Kind::PersistentVolume,
            Kind::PersistentVolumeClaim,
            Kind::Pod,
            Kind::VolumeAttributesClass,
        ]
    }

    fn changed(&mut self, change: &Change, cx: &mut ControllerContext<'_, '_>) {
        if let Some(class) = change.old.as_ref().and_then(volume_attributes_class_of) {
            cx.enqueue((Kind::VolumeAttributesClass, ObjectKey::new("", class.clone())));
        }
        match (&change.old, &change.new) {
            (Some(Object::Pod(pod)), None) => {
                for claim in claims_of_pod(pod).collect::<Vec<ObjectKey>>() {
                    cx.enqueue((Kind::PersistentVolumeClaim, claim));
                }
            }
            (_, Some(Object::PersistentVolumeClaim(claim))) if claim.metadata.is_terminating() => {
                cx.enqueue(key_of(&**claim))
            }
            (_, Some(Object::PersistentVolume(volume))) if volume.metadata.is_terminating() => {
                cx.enqueue(key_of(&**volume))
            }
            (_, Some(Object::Untyped(class))) if class.metadata.is_terminating() => {
                cx.enqueue((Kind::VolumeAttributesClass, class.metadata.key()));
            }
            _ => {}
        }
    }

    fn sync(&mut self, key: &Key, cx: &mut ControllerContext<'_, '_>) -> Plan {
        if key.0 == Kind::VolumeAttributesClass {
            return release_volume_attributes_class(&key.1, cx);
        }
        if key.0 == Kind::PersistentVolume {
            let volume = cx.objects.get::<PersistentVolume>(&key.1);
            return match volume {
                Some(volume) if volume.metadata.is_terminating() && volume.status.phase != Some(VolumePhase::Bound) => {
                    remove_finalizer(&Object::PersistentVolume(volume.clone()), finalizer::PV_PROTECTION)
                }
                _ => Plan::default(),
            };
        }
        let Some(claim) = cx.objects.get::<PersistentVolumeClaim>(&key.1).filter(|claim| {
            claim.metadata.is_terminating() && !cx.objects.assumed().is_left_alone(&claim.metadata.uid)
        }) else {
            return Plan::default();
        };
        let mut users = cx
            .index
            .pods_using_claim(&key.1)
            .filter_map(|pod| cx.objects.get::<Pod>(pod));
        if users.any(|pod| pod.spec.node_name.is_some()) {
            return Plan::default();
        }
        remove_finalizer(&Object::PersistentVolumeClaim(claim.clone()), finalizer::PVC_PROTECTION)
    }
}

/// Returns the VolumeAttributesClass that a claim or a volume refers to.
fn volume_attributes_class_of(object: &Object) -> Option<&Str> {
    match object {
        Object::PersistentVolumeClaim(claim) => claim.spec.volume_attributes_class_name.as_ref(),
        Object::PersistentVolume(volume) => volume.spec.volume_attributes_class_name.as_ref(),
        _ => None,
    }
}

/// Removes the finalizer of a deleted VolumeAttributesClass that no claim and no volume refers to.
fn release_volume_attributes_class(key: &ObjectKey, cx: &ControllerContext<'_, '_>) -> Plan {
    let names_it = |name: &Option<Str>| name.as_ref() == Some(&key.name);
    let mut claims = cx.objects.list::<PersistentVolumeClaim>();
    let mut volumes = cx.objects.list::<PersistentVolume>();
    match cx.objects.get_kind(Kind::VolumeAttributesClass, key) {
        Some(class)
            if class.metadata().is_terminating()
                && !claims.any(|claim| names_it(&claim.spec.volume_attributes_class_name))
                && !volumes.any(|volume| names_it(&volume.spec.volume_attributes_class_name)) =>
        {
            remove_finalizer(&class, finalizer::VAC_PROTECTION)
        }
        _ => Plan::default(),
    }
}

/// Removes a protection finalizer from an object, if the object has it.
fn remove_finalizer(object: &Object, finalizer: &'static str) -> Plan {
    let meta = object.metadata();
    if !meta.finalizers.iter().any(|name| &**name == finalizer) {
        return Plan::default();
    }
    let patch = Request::Patch {
        kind: object.kind(),
        key: object.key(),
        uid: Some(meta.uid.clone()),
        part: Part::Main,
        change: Mutation::of_object("protection", move |object| {
            let mut object = object.clone();
            object.metadata_mut().finalizers.retain(|name| &**name != finalizer);
            Some(object)
        }),
    };
    Plan::one(Action::from(patch).accept(Accept::OrNotFound))
}

#[cfg(test)]
mod tests {
    use super::super::lab::Lab;
    use super::*;
    use podscope_sim::Span;

    /// A terminating claim stays while a scheduled pod object uses it. A forced deletion of the pod releases the claim
    /// at once.
    /// Shows: CT-125
    #[test]
    fn claim_in_use_is_not_removed() {
        let mut lab = Lab::new(
            &["a-1"],
            "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data, finalizers: [kubernetes.io/pvc-protection]}, spec: {storageClassName: '', accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}\n---\n\
             {apiVersion: v1, kind: Pod, metadata: {name: one}, spec: {nodeName: a-1, containers: [{name: c, image: i}], volumes: [{name: v, persistentVolumeClaim: {claimName: data}}]}}",
        );
        lab.partition("a-1");
        lab.delete(Kind::PersistentVolumeClaim, "data", None);
        lab.run(Span::seconds(60));
        assert!(lab.get::<PersistentVolumeClaim>("data").is_some());
        lab.delete(Kind::Pod, "one", Some(0));
        lab.run(Span::seconds(1));
        assert!(lab.get::<PersistentVolumeClaim>("data").is_none());
    }
}
