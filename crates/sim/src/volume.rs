//! Volumes behind pods: which back-end, under which name, whether it must be
//! attached to a node and whether it admits one node only. Shared by kubelets
//! and the attach/detach controller, so that both mean the same.

use podscope_api::{
    AwsDiskVolume, CsiDriver, GceDiskVolume, IscsiVolume, NfsVolume, ObjectKey, PersistentVolume,
    PersistentVolumeClaim, PersistentVolumeSpec, Pod, RbdVolume, Str, Volume,
};
use serde_json::Value;

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
    /// Whether it is a disk with a file system on it, which two nodes that write destroy, and no share of files.
    pub is_block: bool,
    /// Whether it lies behind the network, and not in the machine.
    pub is_remote: bool,
    /// Whether the pod asked for it read-only.
    pub is_read_only: bool,
}

/// The driver of a volume; those of former in-tree plugins have one too.
pub fn driver_of(volume: &PersistentVolume) -> Option<Str> {
    let spec = &volume.spec;
    if let Some(csi) = &spec.csi {
        return Some(csi.driver.clone());
    }
    let moved = [
        (spec.aws_elastic_block_store.is_some(), "ebs.csi.aws.com"),
        (spec.gce_persistent_disk.is_some(), "pd.csi.storage.gke.io"),
        (spec.azure_disk.is_some(), "disk.csi.azure.com"),
        (spec.cinder.is_some(), "cinder.csi.openstack.org"),
        (spec.vsphere_volume.is_some(), "csi.vsphere.vmware.com"),
        (spec.rbd.is_some(), "rbd.csi.ceph.com"),
    ];
    moved
        .into_iter()
        .find(|(is_it, _)| *is_it)
        .map(|(_, driver)| driver.into())
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

/// A source of storage as a PersistentVolume or a pod names it.
struct Sources<'a> {
    gce: Option<&'a GceDiskVolume>,
    aws: Option<&'a AwsDiskVolume>,
    rbd: Option<&'a RbdVolume>,
    nfs: Option<&'a NfsVolume>,
    iscsi: Option<&'a IscsiVolume>,
    azure_disk: Option<&'a Value>,
    cinder: Option<&'a Value>,
    vsphere: Option<&'a Value>,
    fc: Option<&'a Value>,
    cephfs: Option<&'a Value>,
    glusterfs: Option<&'a Value>,
    azure_file: Option<&'a Value>,
}

impl<'a> Sources<'a> {
    fn of_spec(spec: &'a PersistentVolumeSpec) -> Self {
        Self {
            gce: spec.gce_persistent_disk.as_ref(),
            aws: spec.aws_elastic_block_store.as_ref(),
            rbd: spec.rbd.as_ref(),
            nfs: spec.nfs.as_ref(),
            iscsi: spec.iscsi.as_ref(),
            azure_disk: spec.azure_disk.as_ref(),
            cinder: spec.cinder.as_ref(),
            vsphere: spec.vsphere_volume.as_ref(),
            fc: spec.fc.as_ref(),
            cephfs: spec.cephfs.as_ref(),
            glusterfs: spec.glusterfs.as_ref(),
            azure_file: spec.azure_file.as_ref(),
        }
    }

    fn of_volume(volume: &'a Volume) -> Self {
        Self {
            gce: volume.gce_persistent_disk.as_ref(),
            aws: volume.aws_elastic_block_store.as_ref(),
            rbd: volume.rbd.as_ref(),
            nfs: volume.nfs.as_ref(),
            iscsi: volume.iscsi.as_ref(),
            azure_disk: volume.azure_disk.as_deref(),
            cinder: volume.cinder.as_deref(),
            vsphere: volume.vsphere_volume.as_deref(),
            fc: volume.fc.as_deref(),
            cephfs: volume.cephfs.as_deref(),
            glusterfs: volume.glusterfs.as_deref(),
            azure_file: volume.azure_file.as_deref(),
        }
    }

    /// The storage, under the name that its plugin gives it, whoever names it.
    fn backend(&self) -> Option<Backend> {
        // A disk that refuses a second node; one that does not; a share of files.
        let disk =
            |plugin: &str, id: String, is_read_only: Option<bool>| Some(made(plugin, id, true, true, is_read_only));
        let lun = |plugin: &str, id: String, is_read_only| Some(made(plugin, id, true, false, is_read_only));
        let share = |plugin: &str, id: String, is_read_only: Option<bool>| {
            let mut backend = made(plugin, id, false, false, is_read_only);
            backend.is_block = false;
            Some(backend)
        };
        if let Some(of) = self.gce {
            return disk("gce-pd", of.pd_name.to_string(), of.read_only);
        }
        if let Some(of) = self.aws {
            // `aws://zone/vol-1` and `vol-1` are one disk.
            let id = of.volume_id.rsplit('/').next().unwrap_or_default();
            return disk("aws-ebs", id.to_owned(), of.read_only);
        }
        if let Some(of) = self.rbd {
            return disk("rbd", format!("{}:{}", of.pool, of.image), of.read_only);
        }
        if let Some(of) = self.azure_disk {
            return disk("azure-disk", text(of, &["diskURI"]), flag(of));
        }
        if let Some(of) = self.cinder {
            return disk("cinder", text(of, &["volumeID"]), flag(of));
        }
        if let Some(of) = self.vsphere {
            return disk("vsphere-volume", text(of, &["volumePath"]), flag(of));
        }
        if let Some(of) = self.iscsi {
            let id = format!("{}:{}:{}", of.target_portal, of.iqn, of.lun);
            return lun("iscsi", id, of.read_only);
        }
        if let Some(of) = self.fc {
            return lun("fc", text(of, &["targetWWNs", "lun", "wwids"]), flag(of));
        }
        if let Some(of) = self.nfs {
            return share("nfs", format!("{}:{}", of.server, of.path), of.read_only);
        }
        if let Some(of) = self.cephfs {
            return share("cephfs", text(of, &["monitors", "path"]), flag(of));
        }
        if let Some(of) = self.glusterfs {
            return share("glusterfs", text(of, &["endpoints", "path"]), flag(of));
        }
        let of = self.azure_file?;
        share("azure-file", text(of, &["secretName", "shareName"]), flag(of))
    }
}

fn made(plugin: &str, id: String, needs_attach: bool, is_exclusive: bool, is_read_only: Option<bool>) -> Backend {
    Backend {
        unique_name: format!("kubernetes.io/{plugin}/{id}").into(),
        name: id.into(),
        needs_attach,
        is_exclusive,
        is_block: true,
        is_remote: true,
        is_read_only: is_read_only == Some(true),
    }
}

/// What identifies a source whose fields are not typed.
fn text(source: &Value, fields: &[&str]) -> String {
    let field = |name: &&str| match source.get(*name)? {
        Value::String(text) => Some(text.clone()),
        Value::Array(all) => Some(all.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(",")),
        other => Some(other.to_string()),
    };
    fields.iter().filter_map(field).collect::<Vec<_>>().join(":")
}

fn flag(source: &Value) -> Option<bool> {
    source.get("readOnly")?.as_bool()
}

/// The storage behind a PersistentVolume; none for sources without one (nothing given).
pub fn of_persistent_volume(volume: &PersistentVolume, objects: &Objects) -> Option<Backend> {
    let spec = &volume.spec;
    let mut backend = if let Some(csi) = &spec.csi {
        let driver = objects.get::<CsiDriver>(&ObjectKey::cluster(csi.driver.clone()));
        let needs_attach = driver.and_then(|driver| driver.spec.attach_required) != Some(false);
        let is_shared = SHARED_DRIVERS.contains(&&*csi.driver)
            || driver.is_some_and(|driver| driver.metadata.annotation("podscope.dev/attachment") == Some("shared"));
        let id = format!("{}^{}", csi.driver, csi.volume_handle);
        made("csi", id, needs_attach, !is_shared, csi.read_only)
    } else if spec.host_path.is_some() || spec.local.is_some() {
        let mut backend = made("local-volume", volume.metadata.name.to_string(), false, false, None);
        (backend.is_block, backend.is_remote) = (false, false);
        backend
    } else {
        Sources::of_spec(spec).backend()?
    };
    if volume.metadata.annotation("podscope.dev/attachment") == Some("shared") {
        backend.is_exclusive = false;
    }
    backend.name = volume.metadata.name.clone();
    Some(backend)
}

/// The storage behind a volume that a pod names itself, without a claim; none for scratch space and configuration.
pub fn of_inline(volume: &Volume) -> Option<Backend> {
    Sources::of_volume(volume).backend()
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
