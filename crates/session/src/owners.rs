//! Whose pods pods are, as a reader knows it.

use podscope_api::{ObjectKey, ObjectMeta, OwnerReference, ReplicaSet};
use podscope_cluster::Objects;

/// The controller of an object; of what a ReplicaSet controls the one that controls the ReplicaSet, where there is one.
pub(crate) fn workload_of<'a>(objects: &'a Objects, meta: &'a ObjectMeta) -> Option<&'a OwnerReference> {
    let own = meta.controller_ref()?;
    if &*own.kind != "ReplicaSet" {
        return Some(own);
    }
    let key = ObjectKey::new(meta.namespace.clone(), own.name.clone());
    let above = objects
        .get::<ReplicaSet>(&key)
        .and_then(|set| set.metadata.controller_ref());
    above.or(Some(own))
}
