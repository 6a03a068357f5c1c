//! The scheduler's listers: objects other than nodes and pods, as its watch shows them.

use std::collections::BTreeMap;
use std::sync::Arc;

use podscope_api::{self as api, Object, ObjectKey, Str};

/// Objects of one kind by namespace and name.
pub(crate) type Store<T> = BTreeMap<ObjectKey, Arc<T>>;

/// Objects of one namespace, in name order.
pub(crate) fn in_namespace<'a, T>(store: &'a Store<T>, namespace: &'a Str) -> impl Iterator<Item = &'a Arc<T>> {
    store
        .range(ObjectKey::new(namespace.clone(), "")..)
        .take_while(move |(key, _)| key.namespace == *namespace)
        .map(|(_, object)| object)
}

/// Everything the scheduler lists besides nodes and pods.
#[derive(Debug, Clone, Default)]
pub struct Stores {
    /// Services.
    pub services: Store<api::Service>,
    /// ReplicationControllers.
    pub replication_controllers: Store<api::ReplicationController>,
    /// ReplicaSets.
    pub replica_sets: Store<api::ReplicaSet>,
    /// StatefulSets.
    pub stateful_sets: Store<api::StatefulSet>,
    /// PodDisruptionBudgets.
    pub budgets: Store<api::PodDisruptionBudget>,
    /// PersistentVolumes as the API has them; read them through [`Stores::volume`].
    pub volumes: Store<api::PersistentVolume>,
    /// PersistentVolumeClaims as the API has them; read them through [`Stores::claim`].
    pub claims: Store<api::PersistentVolumeClaim>,
    /// StorageClasses.
    pub storage_classes: Store<api::StorageClass>,
    /// CSINodes.
    pub csi_nodes: Store<api::CsiNode>,
    /// CSIDrivers.
    pub csi_drivers: Store<api::CsiDriver>,
    /// CSIStorageCapacities.
    pub capacities: Store<api::CsiStorageCapacity>,
    /// VolumeAttachments.
    pub attachments: Store<api::VolumeAttachment>,
    /// Volumes and claims that Reserve assumed and the API does not show yet (SCH-070).
    pub(crate) assumed_volumes: Store<api::PersistentVolume>,
    pub(crate) assumed_claims: Store<api::PersistentVolumeClaim>,
}

fn put<T>(store: &mut Store<T>, key: ObjectKey, object: Option<Arc<T>>) {
    match object {
        Some(object) => {
            store.insert(key, object);
        }
        None => {
            store.remove(&key);
        }
    }
}

impl Stores {
    /// A volume, with what the scheduler assumed of it.
    pub fn volume(&self, name: &str) -> Option<&Arc<api::PersistentVolume>> {
        let key = ObjectKey::cluster(name);
        self.assumed_volumes.get(&key).or_else(|| self.volumes.get(&key))
    }
    /// Every volume, in name order, with what the scheduler assumed of it.
    pub fn all_volumes(&self) -> impl Iterator<Item = &Arc<api::PersistentVolume>> {
        self.volumes
            .iter()
            .map(|(key, volume)| self.assumed_volumes.get(key).unwrap_or(volume))
    }
    /// A claim, with what the scheduler assumed of it.
    pub fn claim(&self, namespace: &str, name: &str) -> Option<&Arc<api::PersistentVolumeClaim>> {
        let key = ObjectKey::new(namespace, name);
        self.assumed_claims.get(&key).or_else(|| self.claims.get(&key))
    }
    /// A class of storage.
    pub fn storage_class(&self, name: &str) -> Option<&Arc<api::StorageClass>> {
        self.storage_classes.get(&ObjectKey::cluster(name))
    }
    /// The CSINode of a node.
    pub fn csi_node(&self, name: &str) -> Option<&Arc<api::CsiNode>> {
        self.csi_nodes.get(&ObjectKey::cluster(name))
    }
    /// Gives up what Reserve assumed for a pod's claims (SCH-023).
    pub(crate) fn forget_assumed(&mut self, pod: &api::Pod) {
        let namespace = &pod.metadata.namespace;
        for volume in pod.spec.volumes.iter() {
            let name = match (&volume.persistent_volume_claim, &volume.ephemeral) {
                (Some(source), _) => source.claim_name.clone(),
                (None, Some(_)) => format!("{}-{}", pod.metadata.name, volume.name).into(),
                (None, None) => continue,
            };
            self.assumed_claims
                .remove(&ObjectKey::new(namespace.clone(), name.clone()));
            self.assumed_volumes.retain(|_, volume| {
                volume
                    .spec
                    .claim_ref
                    .as_ref()
                    .is_none_or(|reference| reference.namespace != *namespace || reference.name != name)
            });
        }
    }
    /// Takes a change over; kinds the scheduler does not list are ignored.
    pub(crate) fn on_change(&mut self, old: Option<&Object>, new: Option<&Object>) {
        let Some(key) = new.or(old).map(Object::key) else {
            return;
        };
        macro_rules! take {
            ($($kind:ident => $field:ident),* $(,)?) => {
                match (old, new) {
                    $((_, Some(Object::$kind(object))) => put(&mut self.$field, key, Some(object.clone())),
                      (Some(Object::$kind(_)), None) => put(&mut self.$field, key, None),)*
                    _ => {}
                }
            };
        }
        match new.or(old) {
            Some(Object::PersistentVolume(_)) => {
                self.assumed_volumes.remove(&key);
            }
            Some(Object::PersistentVolumeClaim(_)) => {
                self.assumed_claims.remove(&key);
            }
            _ => {}
        }
        take! {
            Service => services,
            ReplicationController => replication_controllers,
            ReplicaSet => replica_sets,
            StatefulSet => stateful_sets,
            PodDisruptionBudget => budgets,
            PersistentVolume => volumes,
            PersistentVolumeClaim => claims,
            StorageClass => storage_classes,
            CsiNode => csi_nodes,
            CsiDriver => csi_drivers,
            CsiStorageCapacity => capacities,
            VolumeAttachment => attachments,
        }
    }
}
