//! Volumes behind pods: which back-end, under which name, whether it must be
//! attached to a node and whether it admits one node only. Shared by kubelets
//! and the attach/detach controller, so that both mean the same.

use podscope_api::{
    CsiDriver, ObjectKey, PersistentVolume, PersistentVolumeClaim, PersistentVolumeSpec, Pod, Str, Volume,
};

use crate::Objects;

/// A piece of storage as nodes see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Backend {
    /// Its name in records: the PersistentVolume's, or the disk's or export's of an inline volume.
    pub name: Str,
    /// Its name in `volumesInUse` and `volumesAttached`, e.g. `kubernetes.io/csi/DRIVER^HANDLE`.
    pub unique_name: Str,
    /// Whether it must be attached to a node before it is mounted (CT-127).
    pub needs_attach: bool,
    /// Whether the back-end itself refuses a second node, as a block device does and a share of files does not.
    pub is_exclusive: bool,
    /// Whether the pod asked for it read-only.
    pub is_read_only: bool,
}

/// Drivers whose back-ends let several nodes write.
const SHARED_DRIVERS: [&str; 10] = [
    "nfs.csi.k8s.io",
    "smb.csi.k8s.io",
    "file.csi.azure.com",
    "efs.csi.aws.com",
    "filestore.csi.storage.gke.io",
    "cephfs.csi.ceph.com",
    "org.gluster.glusterfs",
    "iscsi.csi.k8s.io",
    "fc.csi.k8s.io",
    "cephfs.manila.csi.openstack.org",
];

/// The storage behind a PersistentVolume; none for sources without one (nothing given).
pub fn of_persistent_volume(volume: &PersistentVolume, objects: &Objects) -> Option<Backend> {
    let PersistentVolumeSpec { csi, .. } = &volume.spec;
    let name = volume.metadata.name.clone();
    let made = |plugin: &str, id: &str, needs_attach: bool, is_exclusive: bool, is_read_only: Option<bool>| {
        let is_shared = volume.metadata.annotation("podscope.dev/attachment") == Some("shared");
        Some(Backend {
            name: name.clone(),
            unique_name: format!("kubernetes.io/{plugin}/{id}").into(),
            needs_attach,
            is_exclusive: is_exclusive && !is_shared,
            is_read_only: is_read_only == Some(true),
        })
    };
    let spec = &volume.spec;
    if let Some(csi) = csi {
        let driver = objects.get::<CsiDriver>(&ObjectKey::cluster(csi.driver.clone()));
        let needs_attach = driver.and_then(|driver| driver.spec.attach_required) != Some(false);
        let is_shared = SHARED_DRIVERS.contains(&&*csi.driver)
            || driver.is_some_and(|driver| driver.metadata.annotation("podscope.dev/attachment") == Some("shared"));
        let id = format!("{}^{}", csi.driver, csi.volume_handle);
        return made("csi", &id, needs_attach, !is_shared, csi.read_only);
    }
    if let Some(disk) = &spec.gce_persistent_disk {
        return made("gce-pd", &disk.pd_name, true, true, disk.read_only);
    }
    if let Some(disk) = &spec.aws_elastic_block_store {
        return made("aws-ebs", &disk.volume_id, true, true, disk.read_only);
    }
    if let Some(disk) = &spec.rbd {
        return made(
            "rbd",
            &format!("{}:{}", disk.pool, disk.image),
            true,
            true,
            disk.read_only,
        );
    }
    for (plugin, source) in [
        ("azure-disk", &spec.azure_disk),
        ("cinder", &spec.cinder),
        ("vsphere-volume", &spec.vsphere_volume),
    ] {
        if source.is_some() {
            return made(plugin, &name, true, true, None);
        }
    }
    if let Some(export) = &spec.nfs {
        return made(
            "nfs",
            &format!("{}:{}", export.server, export.path),
            false,
            false,
            export.read_only,
        );
    }
    if let Some(target) = &spec.iscsi {
        let id = format!("{}:{}:{}", target.target_portal, target.iqn, target.lun);
        return made("iscsi", &id, true, false, target.read_only);
    }
    for (plugin, source, needs_attach) in [
        ("fc", &spec.fc, true),
        ("cephfs", &spec.cephfs, false),
        ("glusterfs", &spec.glusterfs, false),
        ("azure-file", &spec.azure_file, false),
    ] {
        if source.is_some() {
            return made(plugin, &name, needs_attach, false, None);
        }
    }
    if spec.host_path.is_some() || spec.local.is_some() {
        return made("local-volume", &name, false, false, None);
    }
    None
}

/// The storage behind a volume that a pod names itself, without a claim; none for scratch space and configuration.
pub fn of_inline(volume: &Volume) -> Option<Backend> {
    let made = |plugin: &str, id: String, needs_attach: bool, is_exclusive: bool, is_read_only: Option<bool>| Backend {
        name: id.as_str().into(),
        unique_name: format!("kubernetes.io/{plugin}/{id}").into(),
        needs_attach,
        is_exclusive,
        is_read_only: is_read_only == Some(true),
    };
    if let Some(disk) = &volume.gce_persistent_disk {
        return Some(made("gce-pd", disk.pd_name.to_string(), true, true, disk.read_only));
    }
    if let Some(disk) = &volume.aws_elastic_block_store {
        return Some(made("aws-ebs", disk.volume_id.to_string(), true, true, disk.read_only));
    }
    if let Some(disk) = &volume.rbd {
        let id = format!("{}:{}", disk.pool, disk.image);
        return Some(made("rbd", id, true, true, disk.read_only));
    }
    if let Some(export) = &volume.nfs {
        let id = format!("{}:{}", export.server, export.path);
        return Some(made("nfs", id, false, false, export.read_only));
    }
    if let Some(target) = &volume.iscsi {
        let id = format!("{}:{}:{}", target.target_portal, target.iqn, target.lun);
        return Some(made("iscsi", id, true, false, target.read_only));
    }
    None
}

/// What a volume of a pod rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resolved {
    /// Scratch space, configuration, a directory of the node: nothing shared.
    OfNode,
    /// Storage.
    Backend(Backend),
    /// Not to be had now; the kubelet's text why.
    Missing(String),
}

/// The name of the claim behind a volume, if there is one (CT-123: ephemeral ones are called POD-VOLUME).
pub fn claim_name(pod: &Pod, volume: &Volume) -> Option<Str> {
    if let Some(claim) = &volume.persistent_volume_claim {
        return Some(claim.claim_name.clone());
    }
    let is_ephemeral = volume.ephemeral.is_some();
    is_ephemeral.then(|| format!("{}-{}", pod.metadata.name, volume.name).into())
}

/// What a volume of a pod rests on, as the API knows it now.
pub fn resolve(pod: &Pod, volume: &Volume, objects: &Objects) -> Resolved {
    let Some(claim_name) = claim_name(pod, volume) else {
        return of_inline(volume).map_or(Resolved::OfNode, Resolved::Backend);
    };
    let key = ObjectKey::new(pod.metadata.namespace.clone(), claim_name.clone());
    let Some(claim) = objects.get::<PersistentVolumeClaim>(&key) else {
        return Resolved::Missing(format!("persistentvolumeclaim \"{claim_name}\" not found"));
    };
    if claim.spec.volume_name.is_empty() {
        return Resolved::Missing("PVC is not bound".into());
    }
    let Some(persistent) = objects.named::<PersistentVolume>(&claim.spec.volume_name) else {
        return Resolved::Missing(format!("persistentvolume \"{}\" not found", claim.spec.volume_name));
    };
    match of_persistent_volume(persistent, objects) {
        Some(mut backend) => {
            let asked = volume
                .persistent_volume_claim
                .as_ref()
                .and_then(|claim| claim.read_only);
            backend.is_read_only |= asked == Some(true);
            Resolved::Backend(backend)
        }
        None => Resolved::OfNode,
    }
}
