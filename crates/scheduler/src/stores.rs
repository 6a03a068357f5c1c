//! The scheduler's stores of objects other than nodes and pods, as delivered by its watches.

use podscope_api::ordered;
use std::marker::PhantomData;
use std::sync::Arc;

use podscope_api::{self as api, Object, ObjectKey, Resource, Str};

/// The objects of one kind, by namespace and name.
///
/// Invariant: all objects are of kind `T`. The map stores `Object`, so that all kinds share its compiled code.
#[derive(Debug, Clone)]
pub struct Store<T> {
    objects: ordered::Map<ObjectKey, Object>,
    kind: PhantomData<T>,
}

impl<T> Default for Store<T> {
    fn default() -> Self {
        Self {
            objects: ordered::Map::new(),
            kind: PhantomData,
        }
    }
}

impl<T: Resource> Store<T> {
    pub fn get(&self, key: &ObjectKey) -> Option<&Arc<T>> {
        T::from_object(self.objects.get(key)?)
    }

    /// Returns the objects in key order.
    pub fn values(&self) -> impl Iterator<Item = &Arc<T>> {
        self.objects.values().filter_map(T::from_object)
    }

    /// Returns the objects of one namespace, in name order.
    pub(crate) fn in_namespace<'a>(&'a self, namespace: &'a Str) -> impl Iterator<Item = &'a Arc<T>> {
        self.objects
            .range(ObjectKey::new(namespace.clone(), "")..)
            .take_while(move |(key, _)| key.namespace == *namespace)
            .filter_map(|(_, object)| T::from_object(object))
    }

    pub(crate) fn insert(&mut self, key: ObjectKey, object: Arc<T>) {
        self.objects.insert(key, object.into_object());
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.objects.is_empty()
    }

    pub(crate) fn remove(&mut self, key: &ObjectKey) {
        self.objects.remove(key);
    }
}

/// All objects that the scheduler watches, except nodes and pods.
#[derive(Debug, Clone, Default)]
pub struct Stores {
    pub services: Store<api::Service>,
    pub replication_controllers: Store<api::ReplicationController>,
    pub replica_sets: Store<api::ReplicaSet>,
    pub stateful_sets: Store<api::StatefulSet>,
    /// PodDisruptionBudgets.
    pub budgets: Store<api::PodDisruptionBudget>,
    /// PersistentVolumes, as the API shows them. Use [`Stores::volume`] to include assumed changes.
    pub volumes: Store<api::PersistentVolume>,
    /// PersistentVolumeClaims, as the API shows them. Use [`Stores::claim`] to include assumed changes.
    pub claims: Store<api::PersistentVolumeClaim>,
    pub storage_classes: Store<api::StorageClass>,
    /// CSINodes.
    pub csi_nodes: Store<api::CsiNode>,
    /// CSIDrivers.
    pub csi_drivers: Store<api::CsiDriver>,
    /// CSIStorageCapacities.
    pub capacities: Store<api::CsiStorageCapacity>,
    /// VolumeAttachments.
    pub attachments: Store<api::VolumeAttachment>,
    pub device_classes: Store<api::DeviceClass>,
    /// ResourceClaims, as the API shows them. Use [`Stores::resource_claim`] to include written changes.
    pub resource_claims: Store<api::ResourceClaim>,
    pub resource_slices: Store<api::ResourceSlice>,
    /// Volumes that Reserve assumed and that the watch does not show yet (SCH-070).
    pub(crate) assumed_volumes: Store<api::PersistentVolume>,
    /// PersistentVolumeClaims that Reserve assumed and that the watch does not show yet (SCH-070).
    pub(crate) assumed_claims: Store<api::PersistentVolumeClaim>,
    /// ResourceClaims that PreBind wrote and that the watch does not show yet (DRA-085).
    pub(crate) assumed_resource_claims: Store<api::ResourceClaim>,
}

impl Stores {
    /// Returns a PersistentVolume, including assumed changes.
    pub fn volume(&self, name: &str) -> Option<&Arc<api::PersistentVolume>> {
        let key = ObjectKey::cluster(name);
        self.assumed_volumes.get(&key).or_else(|| self.volumes.get(&key))
    }

    /// Returns all PersistentVolumes in name order, including assumed changes.
    pub fn all_volumes(&self) -> impl Iterator<Item = &Arc<api::PersistentVolume>> {
        self.volumes
            .values()
            .map(|volume| self.assumed_volumes.get(&volume.metadata.key()).unwrap_or(volume))
    }

    /// Returns a PersistentVolumeClaim, including assumed changes.
    pub fn claim(&self, namespace: &str, name: &str) -> Option<&Arc<api::PersistentVolumeClaim>> {
        let key = ObjectKey::new(namespace, name);
        self.assumed_claims.get(&key).or_else(|| self.claims.get(&key))
    }

    /// Returns a ResourceClaim, including changes that the scheduler wrote.
    pub fn resource_claim(&self, key: &ObjectKey) -> Option<&Arc<api::ResourceClaim>> {
        let assumed = self.assumed_resource_claims.get(key);
        assumed.or_else(|| self.resource_claims.get(key))
    }

    pub fn device_class(&self, name: &str) -> Option<&Arc<api::DeviceClass>> {
        self.device_classes.get(&ObjectKey::cluster(name))
    }

    /// Returns the DeviceClass that provides an extended resource: the youngest class that declares the resource's name
    /// or, for a name with the class prefix, the class itself (DRA-114).
    pub(crate) fn class_of_resource(&self, name: &str) -> Option<&Arc<api::DeviceClass>> {
        if self.device_classes.is_empty() {
            return None;
        }
        if let Some(class) = name.strip_prefix(api::CLASS_RESOURCE_PREFIX) {
            return self.device_class(class);
        }
        let declares = |class: &&Arc<api::DeviceClass>| class.spec.extended_resource_name.as_deref() == Some(name);
        // Classes are in name order; among equally old classes, the first is used.
        let mut found: Option<&Arc<api::DeviceClass>> = None;
        for class in self.device_classes.values().filter(declares) {
            let created = |class: &Arc<api::DeviceClass>| class.metadata.creation_timestamp;
            if found.is_none_or(|known| created(class) > created(known)) {
                found = Some(class);
            }
        }
        found
    }

    pub fn storage_class(&self, name: &str) -> Option<&Arc<api::StorageClass>> {
        self.storage_classes.get(&ObjectKey::cluster(name))
    }

    pub fn csi_node(&self, name: &str) -> Option<&Arc<api::CsiNode>> {
        self.csi_nodes.get(&ObjectKey::cluster(name))
    }

    /// Removes the changes of volumes and claims that Reserve assumed for a pod (SCH-023).
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
            self.assumed_volumes.objects.retain(|_, object| {
                api::PersistentVolume::from_object(object)
                    .and_then(|volume| volume.spec.claim_ref.as_ref())
                    .is_none_or(|reference| reference.namespace != *namespace || reference.name != name)
            });
        }
    }

    /// Applies a change of an object. Kinds that the scheduler does not watch are ignored.
    pub(crate) fn on_change(&mut self, old: Option<&Object>, new: Option<&Object>) {
        let Some(key) = new.or(old).map(Object::key) else {
            return;
        };
        macro_rules! update_store {
            ($($kind:ident => $field:ident),* $(,)?) => {
                match (old, new) {
                    $((_, Some(Object::$kind(object))) => self.$field.insert(key, object.clone()),
                      (Some(Object::$kind(_)), None) => self.$field.remove(&key),)*
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
            Some(Object::ResourceClaim(claim)) => {
                let assumed = self.assumed_resource_claims.get(&key);
                let version = |claim: &api::ResourceClaim| claim.metadata.resource_version.parse::<u64>().ok();
                if new.is_none() || assumed.is_some_and(|assumed| version(assumed) <= version(claim)) {
                    self.assumed_resource_claims.remove(&key);
                }
            }
            _ => {}
        }
        update_store! {
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
            DeviceClass => device_classes,
            ResourceClaim => resource_claims,
            ResourceSlice => resource_slices,
        }
    }
}
