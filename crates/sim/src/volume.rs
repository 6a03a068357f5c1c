//! Volumes of pods: their back-end, its name, whether it must be attached to a node and whether it accepts only one
//! node. Kubelets and the attach/detach controller share this module, so that they use the same names.

use podscope_api::{
    AwsDiskVolume, CsiDriver, GceDiskVolume, IscsiVolume, NfsVolume, ObjectKey, PersistentVolume,
    PersistentVolumeClaim, PersistentVolumeSpec, Pod, RbdVolume, Str, Volume,
};
use serde_json::Value;

use crate::Objects;

/// A storage volume as nodes see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Backend {
    /// Name in records: that of the PersistentVolume, or of the disk or export of an inline volume. The latter contains
    /// `/` or `:`, so it cannot be the name of a PersistentVolume: `aws-ebs/vol-1`, `nas:/data`.
    pub name: Str,
    /// Name in events: that of the PersistentVolume. For an inline disk that CSI migration turns into a
    /// PersistentVolume, the name of the latter; for any other inline volume, its name in the pod.
    pub spec_name: Str,
    /// Name in `volumesInUse` and `volumesAttached`, e.g. `kubernetes.io/csi/DRIVER^HANDLE`.
    pub unique_name: Str,
    /// Whether the volume must be attached to a node before it is mounted (CT-127).
    pub needs_attach: bool,
    /// Whether the back-end itself refuses a second node, as block devices do and file shares do not.
    pub is_exclusive: bool,
    /// Whether the volume is a disk with a file system, which two writing nodes corrupt, and not a file share.
    pub is_block: bool,
    /// Whether the volume is reached over the network, and not local to the machine.
    pub is_remote: bool,
    /// Whether the pod uses the volume read-only.
    pub is_read_only: bool,
}

/// Returns the CSI driver of a volume. Volumes of former in-tree plugins have one by CSI migration.
pub fn driver_of(volume: &PersistentVolume) -> Option<Str> {
    if let Some(csi) = &volume.spec.csi {
        return Some(csi.driver.clone());
    }
    let (driver, _) = VolumeSources::of_spec(&volume.spec).migrated_driver_and_name()?;
    Some(driver.into())
}

/// Drivers whose back-ends let several nodes write to a volume.
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

/// The volume sources that a PersistentVolume and an inline volume of a pod have in common.
struct VolumeSources<'a> {
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

impl<'a> VolumeSources<'a> {
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

    /// Returns the driver to which CSI migration moves a disk, and the name by which the driver knows the disk.
    fn migrated_driver_and_name(&self) -> Option<(&'static str, String)> {
        let named = |source: Option<&Value>, field| source.map(|source| joined_fields(source, &[field]));
        let moved = [
            ("ebs.csi.aws.com", self.aws.map(|source| source.volume_id.to_string())),
            (
                "pd.csi.storage.gke.io",
                self.gce.map(|source| source.pd_name.to_string()),
            ),
            ("disk.csi.azure.com", named(self.azure_disk, "diskName")),
            ("cinder.csi.openstack.org", named(self.cinder, "volumeID")),
            ("csi.vsphere.vmware.com", named(self.vsphere, "volumePath")),
            ("rbd.csi.ceph.com", self.rbd.map(|source| source.image.to_string())),
        ];
        moved.into_iter().find_map(|(driver, disk)| Some((driver, disk?)))
    }

    /// Returns the back-end with the name that its in-tree plugin gives it, or `None` if no source is set.
    fn backend(&self) -> Option<Backend> {
        // A `disk` refuses a second node, a `lun` accepts several nodes, and a `share` is a file share, which is not
        // attached.
        let disk = |plugin: &str, id: String, is_read_only: Option<bool>| {
            let mut backend = backend_of_plugin(plugin, id, true, true, is_read_only);
            backend.name = backend.unique_name.trim_start_matches("kubernetes.io/").into();
            Some(backend)
        };
        let lun =
            |plugin: &str, id: String, is_read_only| Some(backend_of_plugin(plugin, id, true, false, is_read_only));
        let share = |plugin: &str, id: String, is_read_only: Option<bool>| {
            let mut backend = backend_of_plugin(plugin, id, false, false, is_read_only);
            backend.is_block = false;
            Some(backend)
        };
        if let Some(source) = self.gce {
            return disk("gce-pd", source.pd_name.to_string(), source.read_only);
        }
        if let Some(source) = self.aws {
            // `aws://zone/vol-1` and `vol-1` name the same disk.
            let id = source.volume_id.rsplit('/').next().unwrap_or_default();
            return disk("aws-ebs", id.to_owned(), source.read_only);
        }
        if let Some(source) = self.rbd {
            return disk("rbd", format!("{}:{}", source.pool, source.image), source.read_only);
        }
        if let Some(source) = self.azure_disk {
            return disk(
                "azure-disk",
                joined_fields(source, &["diskURI"]),
                read_only_flag(source),
            );
        }
        if let Some(source) = self.cinder {
            return disk("cinder", joined_fields(source, &["volumeID"]), read_only_flag(source));
        }
        if let Some(source) = self.vsphere {
            return disk(
                "vsphere-volume",
                joined_fields(source, &["volumePath"]),
                read_only_flag(source),
            );
        }
        if let Some(source) = self.iscsi {
            let id = format!("{}:{}:{}", source.target_portal, source.iqn, source.lun);
            return lun("iscsi", id, source.read_only);
        }
        if let Some(source) = self.fc {
            return lun(
                "fc",
                joined_fields(source, &["targetWWNs", "lun", "wwids"]),
                read_only_flag(source),
            );
        }
        if let Some(source) = self.nfs {
            return share("nfs", format!("{}:{}", source.server, source.path), source.read_only);
        }
        if let Some(source) = self.cephfs {
            return share(
                "cephfs",
                joined_fields(source, &["monitors", "path"]),
                read_only_flag(source),
            );
        }
        if let Some(source) = self.glusterfs {
            return share(
                "glusterfs",
                joined_fields(source, &["endpoints", "path"]),
                read_only_flag(source),
            );
        }
        let source = self.azure_file?;
        share(
            "azure-file",
            joined_fields(source, &["secretName", "shareName"]),
            read_only_flag(source),
        )
    }
}

fn backend_of_plugin(
    plugin: &str,
    id: String,
    needs_attach: bool,
    is_exclusive: bool,
    is_read_only: Option<bool>,
) -> Backend {
    Backend {
        unique_name: format!("kubernetes.io/{plugin}/{id}").into(),
        name: id.into(),
        spec_name: "".into(),
        needs_attach,
        is_exclusive,
        is_block: true,
        is_remote: true,
        is_read_only: is_read_only == Some(true),
    }
}

/// Joins the given fields of an untyped source into an identifier.
fn joined_fields(source: &Value, fields: &[&str]) -> String {
    let field = |name: &&str| match source.get(*name)? {
        Value::String(text) => Some(text.clone()),
        Value::Array(all) => Some(all.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(",")),
        other => Some(other.to_string()),
    };
    fields.iter().filter_map(field).collect::<Vec<_>>().join(":")
}

fn read_only_flag(source: &Value) -> Option<bool> {
    source.get("readOnly")?.as_bool()
}

/// Returns the back-end of a PersistentVolume; `None` if its source is none of the known ones.
pub fn of_persistent_volume(volume: &PersistentVolume, objects: &Objects) -> Option<Backend> {
    let spec = &volume.spec;
    let mut backend = if let Some(csi) = &spec.csi {
        let driver = objects.get::<CsiDriver>(&ObjectKey::cluster(csi.driver.clone()));
        let needs_attach = driver.and_then(|driver| driver.spec.attach_required) != Some(false);
        let is_shared = SHARED_DRIVERS.contains(&&*csi.driver)
            || driver.is_some_and(|driver| driver.metadata.annotation("podscope.dev/attachment") == Some("shared"));
        let id = format!("{}^{}", csi.driver, csi.volume_handle);
        backend_of_plugin("csi", id, needs_attach, !is_shared, csi.read_only)
    } else if spec.host_path.is_some() || spec.local.is_some() {
        let mut backend = backend_of_plugin("local-volume", volume.metadata.name.to_string(), false, false, None);
        (backend.is_block, backend.is_remote) = (false, false);
        backend
    } else {
        VolumeSources::of_spec(spec).backend()?
    };
    if volume.metadata.annotation("podscope.dev/attachment") == Some("shared") {
        backend.is_exclusive = false;
    }
    backend.name = volume.metadata.name.clone();
    backend.spec_name = volume.metadata.name.clone();
    Some(backend)
}

/// Returns the back-end of an inline volume of a pod; `None` for volumes without shared storage, such as emptyDir and
/// configMap.
pub fn of_inline(volume: &Volume) -> Option<Backend> {
    let sources = VolumeSources::of_volume(volume);
    let mut backend = sources.backend()?;
    backend.spec_name = match sources.migrated_driver_and_name() {
        Some((driver, disk)) => format!("{driver}-{disk}").into(),
        None => volume.name.clone(),
    };
    Some(backend)
}

/// The storage of a pod's volume.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResolvedVolume {
    /// Data that belongs to the node: emptyDir, configuration, hostPath.
    OfNode,
    /// Storage with a back-end of its own, such as a network disk or a file share.
    Backend(Backend),
    /// The volume is not available now; the kubelet's message.
    Missing(String),
}

/// Returns the name of the volume's claim, if it has one. The claim of an ephemeral volume is called POD-VOLUME
/// (CT-123).
pub fn claim_name(pod: &Pod, volume: &Volume) -> Option<Str> {
    if let Some(claim) = &volume.persistent_volume_claim {
        return Some(claim.claim_name.clone());
    }
    let is_ephemeral = volume.ephemeral.is_some();
    is_ephemeral.then(|| format!("{}-{}", pod.metadata.name, volume.name).into())
}

/// Finds the storage of a pod's volume from the given API objects.
pub fn resolve(pod: &Pod, volume: &Volume, objects: &Objects) -> ResolvedVolume {
    let Some(claim_name) = claim_name(pod, volume) else {
        return of_inline(volume).map_or(ResolvedVolume::OfNode, ResolvedVolume::Backend);
    };
    let key = ObjectKey::new(pod.metadata.namespace.clone(), claim_name.clone());
    let Some(claim) = objects.get::<PersistentVolumeClaim>(&key) else {
        return ResolvedVolume::Missing(format!("persistentvolumeclaim \"{claim_name}\" not found"));
    };
    if claim.spec.volume_name.is_empty() {
        return ResolvedVolume::Missing("PVC is not bound".into());
    }
    let Some(persistent) = objects.named::<PersistentVolume>(&claim.spec.volume_name) else {
        return ResolvedVolume::Missing(format!("persistentvolume \"{}\" not found", claim.spec.volume_name));
    };
    match of_persistent_volume(persistent, objects) {
        Some(mut backend) => {
            let requested = volume
                .persistent_volume_claim
                .as_ref()
                .and_then(|claim| claim.read_only);
            backend.is_read_only |= requested == Some(true);
            ResolvedVolume::Backend(backend)
        }
        None => ResolvedVolume::OfNode,
    }
}
