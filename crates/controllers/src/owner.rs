//! Owner references: who controls what, adoption and release (CT-060).

use podscope_api::ordered::StableSort as _;
use std::sync::Arc;

use podscope_api::{Kind, LabelSelector, Object, ObjectMeta, OwnerReference, Pod, Resource};

use podscope_sim::{Mutation, Objects, Part, Request};

use super::controller::ControllerContext;
use super::plan::{Accept, Action};
use super::queue::Key;

/// The reference a controller puts on what it makes.
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

/// The kind a reference points to.
pub(super) fn kind_of(reference: &OwnerReference) -> Option<Kind> {
    Kind::from_wire(&reference.api_version, &reference.kind)
}

/// The controller of an object, if it is of that type and in the cache with the same UID.
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

/// Keys of the owners of that type that a change of a dependent concerns: its controller before and after,
/// and, for an orphan, every owner whose selector matches.
pub(super) fn concerned<T: Resource>(
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

/// What belongs to an owner, and the requests that settle it: adopt matching orphans, release what no longer matches (CT-060).
pub(super) struct Claimed<D> {
    pub(super) owned: Vec<Arc<D>>,
    /// Adoptions and releases; the live owner is looked at first.
    pub(super) steps: Vec<Vec<Action>>,
}

/// Sorts candidates into owned, to adopt and to release.
pub(super) fn claim<T: Resource, D: Resource>(
    owner: &T,
    selector: &LabelSelector,
    candidates: impl IntoIterator<Item = Arc<D>>,
) -> Claimed<D> {
    let meta = owner.metadata();
    let (mut owned, mut adopt, mut release) = (Vec::new(), Vec::new(), Vec::new());
    for candidate in candidates {
        let theirs = candidate.metadata();
        let reference = theirs.controller_ref();
        // Most are another's; their labels need no look.
        if reference.is_some_and(|reference| reference.uid != meta.uid) {
            continue;
        }
        let matches = !selector.is_empty() && selector.matches(&theirs.labels);
        match reference {
            Some(_) if matches => owned.push(candidate),
            Some(_) if !meta.is_terminating() => {
                let uid = meta.uid.clone();
                release.push(patch_owners::<D>(theirs, "release", move |owners| {
                    owners.retain(|reference| reference.uid != uid);
                }));
            }
            None if matches && !meta.is_terminating() && !theirs.is_terminating() => {
                let reference = controller_ref(owner);
                adopt.push(patch_owners::<D>(theirs, "adopt", move |owners| {
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
    Claimed { owned, steps }
}

/// Pods an owner may claim: its own, and the orphans of its namespace.
pub(super) fn pod_candidates<T: Resource>(cx: &ControllerContext<'_, '_>, owner: &T) -> Vec<Arc<Pod>> {
    let meta = owner.metadata();
    let orphans = cx
        .index
        .orphans_in(&meta.namespace)
        .filter_map(|key| cx.objects.get::<Pod>(key));
    cx.objects.pods_of(&meta.uid).chain(orphans).cloned().collect()
}

/// A patch of the owner references of an object, guarded by its UID.
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

/// The pod of a change, before and after.
pub(super) fn pods_of_change(change: &podscope_sim::Change) -> (Option<&Arc<Pod>>, Option<&Arc<Pod>>) {
    (typed(change.old.as_ref()), typed(change.new.as_ref()))
}

fn typed(object: Option<&Object>) -> Option<&Arc<Pod>> {
    Pod::from_object(object?)
}
