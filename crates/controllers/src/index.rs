//! Indexes over the watch cache that several controllers share, beside those of [`podscope_sim::Objects`].

use podscope_api::{Object, ObjectKey, Pod, Uid};
use rpds::{RedBlackTreeMapSync, RedBlackTreeSetSync};

use podscope_sim::Change;

/// Invariant: a function of the cache; holds only what syncs look up for every change.
#[derive(Debug, Clone, Default)]
pub(super) struct Index {
    /// Pods without a controller.
    orphans: RedBlackTreeSetSync<ObjectKey>,
    /// Pods that use a claim, by the claim's key.
    by_claim: RedBlackTreeMapSync<ObjectKey, RedBlackTreeSetSync<ObjectKey>>,
    /// Objects by the UID of each owner.
    dependents: RedBlackTreeMapSync<Uid, RedBlackTreeSetSync<(podscope_api::Kind, ObjectKey)>>,
}

impl Index {
    pub(super) fn update(&mut self, change: &Change) {
        // Most changes are of a status.
        if let (Some(old), Some(new)) = (&change.old, &change.new)
            && stands_alike(old, new)
        {
            return;
        }
        if let Some(old) = &change.old {
            self.each_owner(old, |map, owner, key| remove(map, owner, &key));
            if let Object::Pod(pod) = old {
                self.orphans.remove_mut(&pod.metadata.key());
                for claim in claims(pod) {
                    remove(&mut self.by_claim, &claim, &pod.metadata.key());
                }
            }
        }
        if let Some(new) = &change.new {
            self.each_owner(new, insert);
            if let Object::Pod(pod) = new {
                if pod.metadata.controller_ref().is_none() {
                    self.orphans.insert_mut(pod.metadata.key());
                }
                for claim in claims(pod) {
                    insert(&mut self.by_claim, &claim, pod.metadata.key());
                }
            }
        }
    }

    /// Pods of a namespace that no controller owns.
    pub(super) fn orphans_in<'i>(&'i self, namespace: &str) -> impl Iterator<Item = &'i ObjectKey> + use<'i> {
        let from = ObjectKey::new(namespace, "");
        let namespace = from.namespace.clone();
        self.orphans
            .range(from..)
            .take_while(move |key| key.namespace == namespace)
    }

    /// Pods that use a claim.
    pub(super) fn users_of(&self, claim: &ObjectKey) -> impl Iterator<Item = &ObjectKey> {
        self.by_claim.get(claim).into_iter().flat_map(|keys| keys.iter())
    }

    /// Objects that name the UID among their owners.
    pub(super) fn dependents_of(&self, owner: &Uid) -> impl Iterator<Item = &(podscope_api::Kind, ObjectKey)> {
        self.dependents.get(owner).into_iter().flat_map(|keys| keys.iter())
    }

    fn each_owner(
        &mut self,
        object: &Object,
        act: impl Fn(
            &mut RedBlackTreeMapSync<Uid, RedBlackTreeSetSync<(podscope_api::Kind, ObjectKey)>>,
            &Uid,
            (podscope_api::Kind, ObjectKey),
        ),
    ) {
        for owner in &object.metadata().owner_references {
            act(&mut self.dependents, &owner.uid, (object.kind(), object.key()));
        }
    }
}

/// Whether all indexes have an object's two states alike.
fn stands_alike(old: &Object, new: &Object) -> bool {
    let has_same_owners = old.metadata().owner_references == new.metadata().owner_references;
    has_same_owners
        && match (old, new) {
            (Object::Pod(old), Object::Pod(new)) => claims(old).eq(claims(new)),
            _ => true,
        }
}

/// The claims a pod uses, those made for its ephemeral volumes included.
pub(super) fn claims(pod: &Pod) -> impl Iterator<Item = ObjectKey> {
    pod.spec.volumes.iter().filter_map(|volume| {
        let name = if let Some(claim) = &volume.persistent_volume_claim {
            claim.claim_name.clone()
        } else {
            volume.ephemeral.as_ref()?;
            format!("{}-{}", pod.metadata.name, volume.name).into()
        };
        Some(ObjectKey::new(pod.metadata.namespace.clone(), name))
    })
}

fn insert<K: Ord + Clone, V: Ord + Clone>(map: &mut RedBlackTreeMapSync<K, RedBlackTreeSetSync<V>>, at: &K, value: V) {
    let mut values = map.get(at).cloned().unwrap_or_default();
    values.insert_mut(value);
    map.insert_mut(at.clone(), values);
}

fn remove<K: Ord + Clone, V: Ord + Clone>(map: &mut RedBlackTreeMapSync<K, RedBlackTreeSetSync<V>>, at: &K, value: &V) {
    let Some(mut values) = map.get(at).cloned() else { return };
    values.remove_mut(value);
    if values.is_empty() {
        map.remove_mut(at);
    } else {
        map.insert_mut(at.clone(), values);
    }
}
