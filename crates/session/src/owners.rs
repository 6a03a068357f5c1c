//! Determines the workload that controls a pod.

use podscope_api::{ObjectKey, ObjectMeta, OwnerReference, ReplicaSet};
use podscope_cluster::Objects;

/// Returns the workload that controls an object: its controller or, if this is a ReplicaSet with its own controller
/// (such as a Deployment), that controller.
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
