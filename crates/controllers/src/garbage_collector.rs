//! Garbage collection by ownerReferences (C-11, CT-152).
//!
//! Watches all kinds. An object whose owners have all been deleted is deleted. An owner that is deleted in the
//! foreground waits for its blocking dependents. An owner that is deleted with `orphan` first removes its reference
//! from its dependents. Before a deletion, the controller verifies with the API server, by UID, that the owner no
//! longer exists; the DELETE carries the dependent's UID.

use podscope_api::{Kind, Object, ObjectKey, ObjectMeta, OwnerReference, Uid};

use podscope_sim::{Change, DeleteOptions, Mutation, Part, Propagation, Request};

use super::controller::{Controller, ControllerContext};
use super::plan::{Accept, Action, Plan};
use super::queue::Key;

/// Finalizer of an owner that is deleted after its dependents.
const FOREGROUND_FINALIZER: &str = "foregroundDeletion";
/// Finalizer of an owner that is deleted without its dependents.
const ORPHAN_FINALIZER: &str = "orphan";

#[derive(Debug, Clone, Default)]
pub(super) struct GarbageCollector;

fn has_finalizer(meta: &ObjectMeta, name: &str) -> bool {
    meta.finalizers.iter().any(|finalizer| &**finalizer == name)
}

/// Returns whether the object is deleted in the foreground, and so waits for its dependents.
fn is_foreground(meta: &ObjectMeta) -> bool {
    meta.is_terminating() && has_finalizer(meta, FOREGROUND_FINALIZER)
}

impl Controller for GarbageCollector {
    fn name(&self) -> &'static str {
        "garbage-collector-controller"
    }

    fn watches(&self) -> &'static [Kind] {
        Kind::ALL
    }

    fn changed(&mut self, change: &Change, cx: &mut ControllerContext<'_, '_>) {
        let Some(object) = change.object() else { return };
        let meta = object.metadata();
        let is_gone = change.new.is_none();
        if is_gone || is_foreground(meta) {
            let dependents: Vec<Key> = cx.index.dependents_of(&meta.uid).cloned().collect();
            for key in dependents {
                cx.enqueue(key);
            }
        }
        // The deleted object may have been the last dependent that its owner waits for.
        if is_gone {
            let owners: Vec<Object> = meta
                .owner_references
                .iter()
                .filter_map(|owner| cx.objects.by_uid(&owner.uid))
                .collect();
            for owner in owners.iter().filter(|owner| is_foreground(owner.metadata())) {
                cx.enqueue((owner.kind(), owner.key()));
            }
            return;
        }
        let is_new = change.old.is_none();
        let owners_changed = change
            .old
            .as_ref()
            .is_some_and(|old| old.metadata().owner_references != meta.owner_references);
        let lacks_owner = (is_new || owners_changed)
            && meta.owner_references.iter().any(|owner| {
                cx.objects.by_uid(&owner.uid).is_none() && !cx.objects.assumed().is_assumed_to_exist(&owner.uid)
            });
        let awaits_finalizer = meta.is_terminating()
            && (has_finalizer(meta, FOREGROUND_FINALIZER) || has_finalizer(meta, ORPHAN_FINALIZER));
        if lacks_owner || awaits_finalizer {
            cx.enqueue((object.kind(), object.key()));
        }
    }

    fn sync(&mut self, key: &Key, cx: &mut ControllerContext<'_, '_>) -> Plan {
        let Some(object) = cx.objects.get_kind(key.0, &key.1) else {
            return Plan::default();
        };
        let meta = object.metadata();
        if meta.is_terminating() && has_finalizer(meta, ORPHAN_FINALIZER) {
            return sync_orphan_deletion(&object, cx);
        }
        if is_foreground(meta) {
            return sync_foreground_deletion(&object, cx);
        }
        if meta.is_terminating() || meta.owner_references.is_empty() {
            return Plan::default();
        }
        delete_if_ownerless(&object, cx)
    }
}

/// Deletes an object without a live owner. If the object has a live owner, removes the references to owners that are
/// deleted or wait for it.
fn delete_if_ownerless(object: &Object, cx: &ControllerContext<'_, '_>) -> Plan {
    let meta = object.metadata();
    let (mut n_live_owners, mut waiting, mut absent) = (0, Vec::new(), Vec::new());
    for reference in &meta.owner_references {
        match cx.objects.by_uid(&reference.uid) {
            Some(owner) if is_foreground(owner.metadata()) => waiting.push(reference.uid.clone()),
            Some(_) => n_live_owners += 1,
            None if kind_of(reference, cx).is_none() || cx.objects.assumed().is_assumed_to_exist(&reference.uid) => {
                n_live_owners += 1
            }
            None => absent.push(reference.clone()),
        }
    }
    if absent.is_empty() && waiting.is_empty() {
        return Plan::default();
    }
    let checks = absent
        .iter()
        .filter_map(|reference| verify_absence(meta, reference, cx))
        .collect();
    let plan = Plan::default().then(checks);
    if n_live_owners > 0 {
        let removed_owners: Vec<Uid> = absent
            .into_iter()
            .map(|reference| reference.uid)
            .chain(waiting)
            .collect();
        return plan.then_action(change_meta(object, "owners", move |meta| {
            meta.owner_references
                .retain(|reference| !removed_owners.contains(&reference.uid));
        }));
    }
    let has_dependents = cx.index.dependents_of(&meta.uid).next().is_some();
    let propagation = if has_finalizer(meta, ORPHAN_FINALIZER) {
        Propagation::Orphan
    } else if has_finalizer(meta, FOREGROUND_FINALIZER) || (!waiting.is_empty() && has_dependents) {
        Propagation::Foreground
    } else {
        Propagation::Background
    };
    let options = DeleteOptions {
        uid: Some(meta.uid.clone()),
        propagation: Some(propagation),
        ..DeleteOptions::default()
    };
    let delete = Request::Delete {
        kind: object.kind(),
        key: object.key(),
        options,
    };
    plan.then_action(Action::from(delete).accept(Accept::OrNotFound))
}

/// Returns the kind of an owner, if the API server serves it.
fn kind_of(reference: &OwnerReference, cx: &ControllerContext<'_, '_>) -> Option<Kind> {
    cx.objects.served_kind(&reference.api_version, &reference.kind)
}

/// Verifies with the API server that an owner no longer exists: no object has its name, or that object has another UID.
fn verify_absence(meta: &ObjectMeta, reference: &OwnerReference, cx: &ControllerContext<'_, '_>) -> Option<Action> {
    let kind = kind_of(reference, cx)?;
    let namespace = if kind.is_namespaced() {
        meta.namespace.clone()
    } else {
        "".into()
    };
    let read = Request::Get {
        kind,
        key: ObjectKey::new(namespace, reference.name.clone()),
    };
    Some(Action::from(read).accept(Accept::Gone(reference.uid.clone())))
}

/// Removes the foreground finalizer when no dependent blocks the deletion any more.
fn sync_foreground_deletion(object: &Object, cx: &ControllerContext<'_, '_>) -> Plan {
    let uid = &object.metadata().uid;
    if cx.objects.assumed().is_left_alone(uid) {
        return Plan::default();
    }
    let blocks = |dependent: &Object| {
        let mut references = dependent.metadata().owner_references.iter();
        references.any(|reference| reference.uid == *uid && reference.block_owner_deletion == Some(true))
    };
    let mut dependents = cx
        .index
        .dependents_of(uid)
        .filter_map(|(kind, key)| cx.objects.get_kind(*kind, key));
    if dependents.any(|dependent| blocks(&dependent)) {
        return Plan::default();
    }
    Plan::one(drop_finalizer(object, FOREGROUND_FINALIZER))
}

/// Removes the owner's reference from its dependents, then its finalizer.
fn sync_orphan_deletion(object: &Object, cx: &ControllerContext<'_, '_>) -> Plan {
    let dependents = cx
        .index
        .dependents_of(&object.metadata().uid)
        .filter_map(|(kind, key)| cx.objects.get_kind(*kind, key));
    let strip_references = dependents
        .map(|dependent| {
            let uid = object.metadata().uid.clone();
            change_meta(&dependent, "orphan", move |meta| {
                meta.owner_references.retain(|reference| reference.uid != uid)
            })
        })
        .collect();
    Plan::default()
        .then(strip_references)
        .then_action(drop_finalizer(object, ORPHAN_FINALIZER))
}

fn drop_finalizer(object: &Object, name: &'static str) -> Action {
    change_meta(object, "finalizer", move |meta| {
        meta.finalizers.retain(|finalizer| &**finalizer != name)
    })
}

fn change_meta(
    object: &Object,
    name: &'static str,
    change: impl Fn(&mut ObjectMeta) + Send + Sync + 'static,
) -> Action {
    let change = Mutation::of_object(name, move |object| {
        let mut object = object.clone();
        change(object.metadata_mut());
        Some(object)
    });
    let patch = Request::Patch {
        kind: object.kind(),
        key: object.key(),
        uid: Some(object.metadata().uid.clone()),
        part: Part::Main,
        change,
    };
    Action::from(patch).accept(Accept::OrNotFound)
}

#[cfg(test)]
mod tests {
    use super::super::lab::Lab;
    use super::*;
    use podscope_api::{Deployment, Pod, ReplicaSet};
    use podscope_sim::Span;

    const WEB: &str = "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {replicas: 2, selector: {matchLabels: {app: web}}, \
        template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: web}]}}}}";

    /// Returns the numbers of Deployments, ReplicaSets and pods.
    fn count_deployments_replica_sets_pods(lab: &Lab) -> (usize, usize, usize) {
        (
            lab.objects().list::<Deployment>().count(),
            lab.objects().list::<ReplicaSet>().count(),
            lab.objects().list::<Pod>().count(),
        )
    }

    /// With background deletion, dependents are deleted gracefully afterwards. With foreground deletion, the owner
    /// waits for them. With orphan, the dependents stay.
    /// Shows: CT-152
    #[test]
    fn dependents_follow_propagation_policy_of_owner() {
        let mut lab = Lab::new(&["a-1"], WEB);
        lab.run(Span::seconds(5));
        lab.delete(Kind::Deployment, "web", None);
        lab.run(Span::millis(100));
        assert_eq!(count_deployments_replica_sets_pods(&lab), (0, 0, 2));
        assert!(lab.pods().iter().all(|pod| pod.starts_with('-')));
        lab.run(Span::seconds(3));
        assert_eq!(count_deployments_replica_sets_pods(&lab), (0, 0, 0));

        let mut lab = Lab::new(&["a-1"], WEB);
        lab.run(Span::seconds(5));
        lab.edit::<Deployment>("web", |web| web.metadata.finalizers.push(FOREGROUND_FINALIZER.into()));
        lab.partition("a-1");
        lab.delete(Kind::Deployment, "web", None);
        lab.run(Span::seconds(60));
        assert_eq!(
            count_deployments_replica_sets_pods(&lab),
            (1, 1, 2),
            "a pod that cannot terminate blocks the deletion of its owners"
        );
        lab.heal("a-1");
        lab.run(Span::seconds(5));
        assert_eq!(count_deployments_replica_sets_pods(&lab), (0, 0, 0));

        let mut lab = Lab::new(&["a-1"], WEB);
        lab.run(Span::seconds(5));
        lab.edit::<Deployment>("web", |web| web.metadata.finalizers.push(ORPHAN_FINALIZER.into()));
        lab.delete(Kind::Deployment, "web", None);
        lab.run(Span::seconds(5));
        assert_eq!(count_deployments_replica_sets_pods(&lab), (0, 1, 2));
    }
}
