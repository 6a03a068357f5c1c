//! Owner references: controllers of objects, adoption and release (CT-060).

use podscope_api::ordered::StableSort as _;
use std::sync::Arc;

use podscope_api::{Kind, LabelSelector, Object, ObjectMeta, OwnerReference, Pod, Resource};

use podscope_sim::{Mutation, Objects, Part, Request};

use super::controller::ControllerContext;
use super::plan::{Accept, Action};
use super::queue::Key;

/// Returns the owner reference that a controller sets on the objects that it creates.
pub(super) fn controller_ref<T: Resource>(owner: &T) -> OwnerReference {
    let meta = owner.metadata();
    OwnerReference {
        api_version: T::KIND.api_version().into(),
        kind: T::KIND.name().into(),
        name: meta.name.clone(),
        uid: meta.uid.clone(),
        controller: Some(true),
        block_owner_deletion: Some(true),
    }
}

/// Returns the kind that an owner reference points to.
pub(super) fn kind_of(reference: &OwnerReference) -> Option<Kind> {
    Kind::from_wire(&reference.api_version, &reference.kind)
}

/// Returns the controller of an object, if it has type `T` and is in the cache with the same UID.
pub(super) fn controller_of<'o, T: Resource>(objects: &'o Objects, meta: &ObjectMeta) -> Option<&'o Arc<T>> {
    let reference = meta.controller_ref()?;
    if kind_of(reference)? != T::KIND {
        return None;
    }
    let key = podscope_api::ObjectKey::new(meta.namespace.clone(), reference.name.clone());
    objects
        .get::<T>(&key)
        .filter(|owner| owner.metadata().uid == reference.uid)
}

/// Returns the keys of the owners of type `T` that a change of a dependent affects: its controllers before and after
/// the change and, for an orphan, every owner whose selector matches.
pub(super) fn affected_owners<T: Resource>(
    cx: &ControllerContext<'_, '_>,
    old: Option<&ObjectMeta>,
    new: Option<&ObjectMeta>,
    selector: impl Fn(&T) -> Option<LabelSelector>,
) -> Vec<Key> {
    let mut keys: Vec<Key> = Vec::new();
    for meta in [old, new].into_iter().flatten() {
        if let Some(owner) = controller_of::<T>(cx.objects, meta) {
            keys.push(super::queue::key_of::<T>(owner));
        }
    }
    if let Some(orphan) = new.filter(|meta| meta.controller_ref().is_none() && !meta.is_terminating()) {
        let labels_changed = old.is_none_or(|old| old.labels != orphan.labels || old.controller_ref().is_some());
        if labels_changed {
            for owner in cx.objects.list_in::<T>(&orphan.namespace) {
                if selector(owner).is_some_and(|selector| !selector.is_empty() && selector.matches(&orphan.labels)) {
                    keys.push(super::queue::key_of::<T>(owner));
                }
            }
        }
    }
    keys.stable_sort();
    keys.dedup();
    keys
}

/// The objects that belong to an owner, and the requests that adopt matching orphans and release objects that no longer
/// match (CT-060).
pub(super) struct ClaimedDependents<D> {
    pub(super) owned: Vec<Arc<D>>,
    /// Adoptions and releases. Before it adopts, the plan reads the owner from the API server to check that it still
    /// exists.
    pub(super) steps: Vec<Vec<Action>>,
}

/// Determines which candidates are owned, which to adopt and which to release.
pub(super) fn claim_dependents<T: Resource, D: Resource>(
    owner: &T,
    selector: &LabelSelector,
    candidates: impl IntoIterator<Item = Arc<D>>,
) -> ClaimedDependents<D> {
    let meta = owner.metadata();
    let (mut owned, mut adopt, mut release) = (Vec::new(), Vec::new(), Vec::new());
    for candidate in candidates {
        let candidate_meta = candidate.metadata();
        let reference = candidate_meta.controller_ref();
        // Most candidates belong to another owner; skip the comparison of their labels.
        if reference.is_some_and(|reference| reference.uid != meta.uid) {
            continue;
        }
        let matches = !selector.is_empty() && selector.matches(&candidate_meta.labels);
        match reference {
            Some(_) if matches => owned.push(candidate),
            Some(_) if !meta.is_terminating() => {
                let uid = meta.uid.clone();
                release.push(patch_owners::<D>(candidate_meta, "release", move |owners| {
                    owners.retain(|reference| reference.uid != uid);
                }));
            }
            None if matches && !meta.is_terminating() && !candidate_meta.is_terminating() => {
                let reference = controller_ref(owner);
                adopt.push(patch_owners::<D>(candidate_meta, "adopt", move |owners| {
                    owners.push(reference.clone())
                }));
                owned.push(candidate);
            }
            _ => {}
        }
    }
    let mut steps = Vec::new();
    if !adopt.is_empty() {
        let live = Action::from(Request::Get {
            kind: T::KIND,
            key: meta.key(),
        });
        steps.push(vec![live.accept(Accept::LiveOwner(meta.uid.clone()))]);
        steps.push(adopt);
    }
    if !release.is_empty() {
        steps.push(release);
    }
    ClaimedDependents { owned, steps }
}

/// Returns the pods that an owner may claim: those that it controls, and the orphans in its namespace.
pub(super) fn pod_candidates<T: Resource>(cx: &ControllerContext<'_, '_>, owner: &T) -> Vec<Arc<Pod>> {
    let meta = owner.metadata();
    let orphans = cx
        .index
        .orphans_in(&meta.namespace)
        .filter_map(|key| cx.objects.get::<Pod>(key));
    cx.objects.pods_of(&meta.uid).chain(orphans).cloned().collect()
}

/// Patches an object's ownerReferences, with a UID precondition.
pub(super) fn patch_owners<D: Resource>(
    meta: &ObjectMeta,
    name: &'static str,
    change: impl Fn(&mut Vec<OwnerReference>) + Send + Sync + 'static,
) -> Action {
    Action::from(Request::Patch {
        kind: D::KIND,
        key: meta.key(),
        uid: Some(meta.uid.clone()),
        part: Part::Main,
        change: Mutation::new::<D>(name, move |object: &mut D| {
            change(&mut object.metadata_mut().owner_references)
        }),
    })
    .accept(Accept::OrNotFound)
}

/// Returns the pod before and after a change.
pub(super) fn pods_of_change(change: &podscope_sim::Change) -> (Option<&Arc<Pod>>, Option<&Arc<Pod>>) {
    (as_pod(change.old.as_ref()), as_pod(change.new.as_ref()))
}

fn as_pod(object: Option<&Object>) -> Option<&Arc<Pod>> {
    Pod::from_object(object?)
}
