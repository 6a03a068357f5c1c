//! Objects that a real cluster has and the simulation does not store, because nothing in it depends on them: the
//! ServiceCIDR of the service network, an IPAddress for each cluster IP of a Service, and for each Node the CSINode
//! without drivers that a real kubelet would create. They are computed from the stored objects, so that a run is the
//! same with and without a server. A stored object of the same name replaces the derived one.
//!
//! Deviation: a derived object can be read and watched like any other, but not written; the simulated API server
//! answers that it does not exist.

use std::sync::Arc;

use podscope_api::{Kind, Object, ObjectKey, ObjectMeta, Str, hash, object_from_value};
use podscope_cluster::{Change, Objects};
use serde_json::{Value, json};

const DERIVED_KINDS: [Kind; 3] = [Kind::CsiNode, Kind::IpAddress, Kind::ServiceCidr];
/// The network from which the API server allocates cluster IPs.
const SERVICE_NETWORK: &str = "10.96.0.0/12";
/// The in-tree plugins that the kubelet of v1.36 replaces with CSI drivers.
const MIGRATED_PLUGINS: &str = "kubernetes.io/aws-ebs,kubernetes.io/azure-disk,kubernetes.io/azure-file,kubernetes.io/cinder,kubernetes.io/gce-pd,kubernetes.io/portworx-volume,kubernetes.io/vsphere-volume";

/// The derived objects of a cluster state. Invariant: `all` contains exactly the objects of [`DERIVED_KINDS`], stored
/// and derived.
#[derive(Debug, Clone)]
pub(crate) struct DerivedObjects {
    all: Arc<Objects>,
}

impl DerivedObjects {
    pub(crate) fn of(objects: &Objects) -> DerivedObjects {
        let mut all = Objects::default();
        for stored in DERIVED_KINDS.iter().flat_map(|kind| objects.list_kind(*kind)) {
            all.put(stored);
        }
        let mut derived = DerivedObjects { all: Arc::new(all) };
        let parents = [Kind::Node, Kind::Service, Kind::Namespace];
        for parent in parents.iter().flat_map(|kind| objects.list_kind(*kind)) {
            for object in derived_objects_of(&parent) {
                derived.add(object);
            }
        }
        derived
    }

    /// Returns all objects of a kind, stored and derived; None if the kind is not one of [`DERIVED_KINDS`].
    pub(crate) fn objects_with_kind(&self, kind: Kind) -> Option<&Objects> {
        DERIVED_KINDS.contains(&kind).then_some(&*self.all)
    }

    /// Reverts the effect of a change if its object is of one of the [`DERIVED_KINDS`].
    pub(crate) fn undo_change(&mut self, change: &Change) {
        if !change
            .object()
            .is_some_and(|object| DERIVED_KINDS.contains(&object.kind()))
        {
            return;
        }
        let all = Arc::make_mut(&mut self.all);
        match (&change.old, &change.new) {
            (Some(old), _) => drop(all.put(old.clone())),
            (None, Some(new)) => drop(all.remove(new.kind(), &new.key())),
            (None, None) => {}
        }
    }

    /// Updates the derived objects after changes of stored objects. Returns both the given changes and those of the
    /// derived objects, in order.
    pub(crate) fn with_derived_changes(&mut self, changes: Vec<Arc<Change>>) -> Vec<Arc<Change>> {
        let mut all_changes = Vec::with_capacity(changes.len());
        for change in changes {
            let kind = change.object().map(Object::kind);
            match kind {
                Some(kind) if DERIVED_KINDS.contains(&kind) => all_changes.push(self.apply_stored_change(change)),
                Some(Kind::Node | Kind::Service) => {
                    all_changes.push(change.clone());
                    self.push_derived_changes(&change, &mut all_changes);
                }
                _ => all_changes.push(change),
            }
        }
        all_changes
    }

    /// Applies a change of a stored object whose kind is one of [`DERIVED_KINDS`].
    fn apply_stored_change(&mut self, change: Arc<Change>) -> Arc<Change> {
        let before = match (&change.old, &change.new) {
            (_, Some(new)) => Arc::make_mut(&mut self.all).put(new.clone()),
            (Some(old), None) => Arc::make_mut(&mut self.all).remove(old.kind(), &old.key()),
            (None, None) => None,
        };
        // Watches have already seen the derived object of this name, so this creation is reported as a modification.
        match (&change.old, before) {
            (None, Some(before)) => Arc::new(Change {
                old: Some(before),
                ..Change::clone(&change)
            }),
            _ => change,
        }
    }

    fn push_derived_changes(&mut self, change: &Change, all_changes: &mut Vec<Arc<Change>>) {
        let of = |parent: &Option<Object>| parent.as_ref().map_or(Vec::new(), derived_objects_of);
        let (old, new) = (of(&change.old), of(&change.new));
        let is_in = |object: &Object, others: &[Object]| others.iter().any(|other| other.key() == object.key());
        let revision = change.revision;
        for removed in old.iter().filter(|object| !is_in(object, &new)) {
            let known = self.all.get_kind(removed.kind(), &removed.key());
            if let Some(known) = known.filter(|known| known.metadata().uid == removed.metadata().uid) {
                Arc::make_mut(&mut self.all).remove(known.kind(), &known.key());
                let (old, new) = (Some(known), None);
                all_changes.push(Arc::new(Change { revision, old, new }));
            }
        }
        for mut added in new.into_iter().filter(|object| !is_in(object, &old)) {
            added.metadata_mut().resource_version = revision.to_string().as_str().into();
            if let Some(added) = self.add(added) {
                let (old, new) = (None, Some(added));
                all_changes.push(Arc::new(Change { revision, old, new }));
            }
        }
    }

    /// Adds an object unless one of the same name exists. Returns the object if it was added.
    fn add(&mut self, object: Object) -> Option<Object> {
        debug_assert!(DERIVED_KINDS.contains(&object.kind()), "only these kinds are derived");
        if self.all.get_kind(object.kind(), &object.key()).is_some() {
            return None;
        }
        Arc::make_mut(&mut self.all).put(object.clone());
        Some(object)
    }
}

/// Returns the objects that are derived from another object.
fn derived_objects_of(parent: &Object) -> Vec<Object> {
    let metadata = parent.metadata();
    match parent {
        Object::Node(_) => {
            let owner = json!({"apiVersion": "v1", "kind": "Node", "name": metadata.name, "uid": *metadata.uid});
            let value = json!({
                "apiVersion": "storage.k8s.io/v1", "kind": "CSINode",
                "metadata": {
                    "name": metadata.name, "ownerReferences": [owner],
                    "annotations": {"storage.alpha.kubernetes.io/migrated-plugins": MIGRATED_PLUGINS},
                },
                "spec": {"drivers": []},
            });
            derived_object(value, metadata).into_iter().collect()
        }
        Object::Service(service) => {
            let addresses = service.spec.cluster_ips.iter();
            let addresses = addresses.filter(|ip| !ip.is_empty() && ***ip != *"None");
            addresses.filter_map(|ip| ip_address(ip, metadata)).collect()
        }
        // The API server creates the ServiceCIDR when the cluster starts, so it is as old as the namespace kube-system.
        Object::Namespace(_) if &*metadata.name == "kube-system" => {
            let ready = json!({
                "type": "Ready", "status": "True", "reason": "", "message": "Kubernetes default Service CIDR is ready",
                "lastTransitionTime": metadata.creation_timestamp.map(|time| time.to_string()),
            });
            let value = json!({
                "apiVersion": "networking.k8s.io/v1", "kind": "ServiceCIDR",
                "metadata": {"name": "kubernetes", "finalizers": ["networking.k8s.io/service-cidr-finalizer"]},
                "spec": {"cidrs": [SERVICE_NETWORK]},
                "status": {"conditions": [ready]},
            });
            derived_object(value, metadata).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

fn ip_address(ip: &Str, service: &ObjectMeta) -> Option<Object> {
    let family = if ip.contains(':') { "IPv6" } else { "IPv4" };
    let value = json!({
        "apiVersion": "networking.k8s.io/v1", "kind": "IPAddress",
        "metadata": {"name": ip, "labels": {
            "ipaddress.kubernetes.io/ip-family": family,
            "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io",
        }},
        "spec": {"parentRef": {"group": "", "resource": "services", "namespace": service.namespace, "name": service.name}},
    });
    derived_object(value, service)
}

/// Creates a derived object with the creation time of its parent.
fn derived_object(value: Value, parent: &ObjectMeta) -> Option<Object> {
    let mut object = object_from_value(&value).ok()?;
    let key: ObjectKey = object.key();
    let seed = format!("{}/{}/{}", parent.uid, object.kind().plural(), key.name);
    let (high, low) = (
        hash::fnv1a(hash::EMPTY, seed.bytes()),
        hash::fnv1a(hash::EMPTY, seed.bytes().rev()),
    );
    let metadata = object.metadata_mut();
    metadata.uid = format_uuid(high, low).as_str().into();
    metadata.creation_timestamp = parent.creation_timestamp;
    metadata.resource_version = parent.resource_version.clone();
    Some(object)
}

/// Formats 128 bits as a version 4 UUID.
fn format_uuid(high: u64, low: u64) -> String {
    let (a, b, c) = (high >> 32, high >> 16 & 0xffff, high & 0xfff);
    let (d, e) = (low >> 48 & 0x3fff | 0x8000, low & 0xffff_ffff_ffff);
    format!("{a:08x}-{b:04x}-4{c:03x}-{d:04x}-{e:012x}")
}
