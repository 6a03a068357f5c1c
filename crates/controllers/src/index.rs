//! Indexes over the watch cache that several controllers share, in addition to those of [`podscope_sim::Objects`].

use podscope_api::{Object, ObjectKey, Pod, Uid};
use rpds::{RedBlackTreeMapSync, RedBlackTreeSetSync};

use podscope_sim::Change;

/// Invariant: the indexes depend only on the contents of the cache.
#[derive(Debug, Clone, Default)]
pub(super) struct Index {
    /// Pods without a controller.
    orphans: RedBlackTreeSetSync<ObjectKey>,
    /// Pods that use a claim, by the claim's key.
    by_claim: RedBlackTreeMapSync<ObjectKey, RedBlackTreeSetSync<ObjectKey>>,
    /// Objects by the UID of each of their owners.
    dependents: RedBlackTreeMapSync<Uid, RedBlackTreeSetSync<(podscope_api::Kind, ObjectKey)>>,
}

impl Index {
    pub(super) fn update(&mut self, change: &Change) {
        // Most changes concern only a status and do not affect the indexes.
        if let (Some(old), Some(new)) = (&change.old, &change.new)
            && has_equal_index_entries(old, new)
        {
            return;
        }
        if let Some(old) = &change.old {
            self.for_each_owner(old, |map, owner, key| remove_from_set(map, owner, &key));
            if let Object::Pod(pod) = old {
                self.orphans.remove_mut(&pod.metadata.key());
                for claim in claims_of_pod(pod) {
                    remove_from_set(&mut self.by_claim, &claim, &pod.metadata.key());
                }
            }
        }
        if let Some(new) = &change.new {
            self.for_each_owner(new, insert_in_set);
            if let Object::Pod(pod) = new {
                if pod.metadata.controller_ref().is_none() {
                    self.orphans.insert_mut(pod.metadata.key());
                }
                for claim in claims_of_pod(pod) {
                    insert_in_set(&mut self.by_claim, &claim, pod.metadata.key());
                }
            }
        }
    }

    /// Returns the pods of a namespace that have no controller.
    pub(super) fn orphans_in<'i>(&'i self, namespace: &str) -> impl Iterator<Item = &'i ObjectKey> + use<'i> {
        let from = ObjectKey::new(namespace, "");
        let namespace = from.namespace.clone();
        self.orphans
            .range(from..)
            .take_while(move |key| key.namespace == namespace)
    }

    /// Returns the pods that use a claim.
    pub(super) fn pods_using_claim(&self, claim: &ObjectKey) -> impl Iterator<Item = &ObjectKey> {
        self.by_claim.get(claim).into_iter().flat_map(|keys| keys.iter())
    }

    /// Returns the objects that have the UID among their owners.
    pub(super) fn dependents_of(&self, owner: &Uid) -> impl Iterator<Item = &(podscope_api::Kind, ObjectKey)> {
        self.dependents.get(owner).into_iter().flat_map(|keys| keys.iter())
    }

    fn for_each_owner(
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

/// Returns whether both versions of an object have the same entries in all indexes.
fn has_equal_index_entries(old: &Object, new: &Object) -> bool {
    let has_same_owners = old.metadata().owner_references == new.metadata().owner_references;
    has_same_owners
        && match (old, new) {
            (Object::Pod(old), Object::Pod(new)) => claims_of_pod(old).eq(claims_of_pod(new)),
            _ => true,
        }
}

/// Returns the claims that a pod uses, including those for its ephemeral volumes.
pub(super) fn claims_of_pod(pod: &Pod) -> impl Iterator<Item = ObjectKey> {
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

/// Adds a value to the set of the key `at` in an index.
fn insert_in_set<K: Ord + Clone, V: Ord + Clone>(
    map: &mut RedBlackTreeMapSync<K, RedBlackTreeSetSync<V>>,
    at: &K,
    value: V,
) {
    let mut values = map.get(at).cloned().unwrap_or_default();
    values.insert_mut(value);
    map.insert_mut(at.clone(), values);
}

/// Removes a value from the set of the key `at` in an index.
fn remove_from_set<K: Ord + Clone, V: Ord + Clone>(
    map: &mut RedBlackTreeMapSync<K, RedBlackTreeSetSync<V>>,
    at: &K,
    value: &V,
) {
    let Some(mut values) = map.get(at).cloned() else { return };
    values.remove_mut(value);
    if values.is_empty() {
        map.remove_mut(at);
    } else {
        map.insert_mut(at.clone(), values);
    }
}
