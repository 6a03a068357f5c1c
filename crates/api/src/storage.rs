//! Storage: claims, volumes, storage classes, attachments, CSI drivers.

use crate::ordered;

use crate::macros::string_enum;
use crate::wire_types;
use crate::{
    AwsDiskVolume, GceDiskVolume, HostPathVolume, IscsiVolume, LabelSelector, NfsVolume, NodeSelector, ObjectMeta,
    ObjectReference, Quantity, RbdVolume, ResourceList, ResourceRequirements, Str, Time,
};

wire_types! {
    /// A piece of storage in the cluster, which a PersistentVolumeClaim can be bound to.
    pub struct PersistentVolume {
        pub metadata: ObjectMeta,
        pub spec: PersistentVolumeSpec,
        pub status: PersistentVolumeStatus,
        /// Fields that Podscope does not simulate, kept for export.
        pub extra as "": crate::Extra,
    }

    /// Spec of a PersistentVolume; exactly one source is set.
    pub struct PersistentVolumeSpec {
        pub capacity: ResourceList,
        pub access_modes: Vec<AccessMode>,
        pub claim_ref: Option<ObjectReference>,
        pub persistent_volume_reclaim_policy: Option<Str>,
        pub storage_class_name: Str,
        pub volume_mode: Option<Str>,
        pub node_affinity: Option<VolumeNodeAffinity>,
        pub volume_attributes_class_name: Option<Str>,
        pub host_path: Option<HostPathVolume>,
        pub local: Option<LocalVolume>,
        pub nfs: Option<NfsVolume>,
        pub iscsi: Option<IscsiVolume>,
        pub gce_persistent_disk: Option<GceDiskVolume>,
        pub aws_elastic_block_store: Option<AwsDiskVolume>,
        pub rbd: Option<RbdVolume>,
        pub csi: Option<CsiVolume>,
        pub fc: Option<serde_json::Value>,
        pub azure_disk: Option<serde_json::Value>,
        pub azure_file: Option<serde_json::Value>,
        pub cinder: Option<serde_json::Value>,
        pub cephfs: Option<serde_json::Value>,
        pub glusterfs: Option<serde_json::Value>,
        pub vsphere_volume: Option<serde_json::Value>,
        pub flex_volume: Option<serde_json::Value>,
        pub flocker: Option<serde_json::Value>,
        pub quobyte: Option<serde_json::Value>,
        pub photon_persistent_disk: Option<serde_json::Value>,
        pub portworx_volume: Option<serde_json::Value>,
        pub scale_io as "scaleIO": Option<serde_json::Value>,
        pub storageos: Option<serde_json::Value>,
    }

    /// A disk or directory of one node.
    pub struct LocalVolume as "LocalVolumeSource" { pub path: Str }
    /// A volume that a CSI driver provides.
    pub struct CsiVolume as "CSIPersistentVolumeSource" { pub driver: Str, pub volume_handle: Str, pub read_only: Option<bool> }
    /// The nodes from which a volume is reachable.
    pub struct VolumeNodeAffinity { pub required: Option<NodeSelector> }
    pub struct PersistentVolumeStatus { pub phase: Option<VolumePhase>, pub message: Str, pub reason: Str, pub last_phase_transition_time: Option<Time> }
    /// A request for storage, which is bound to a PersistentVolume.
    pub struct PersistentVolumeClaim {
        pub metadata: ObjectMeta,
        pub spec: PersistentVolumeClaimSpec,
        pub status: PersistentVolumeClaimStatus,
        /// Fields that Podscope does not simulate, kept for export.
        pub extra as "": crate::Extra,
    }

    /// A template for PersistentVolumeClaims inside another object, such as a StatefulSet.
    pub struct PersistentVolumeClaimTemplate {
        pub api_version: Str,
        pub kind: Str,
        pub metadata: ObjectMeta,
        pub spec: PersistentVolumeClaimSpec,
        pub status: Option<serde_json::Value>,
    }

    pub struct PersistentVolumeClaimSpec {
        pub access_modes: Vec<AccessMode>,
        pub selector: Option<LabelSelector>,
        pub resources: ResourceRequirements,
        pub volume_name: Str,
        pub storage_class_name: Option<Str>,
        pub volume_mode: Option<Str>,
        pub data_source: Option<serde_json::Value>,
        pub data_source_ref: Option<serde_json::Value>,
        pub volume_attributes_class_name: Option<Str>,
    }

    pub struct PersistentVolumeClaimStatus {
        pub phase: Option<ClaimPhase>,
        pub access_modes: Vec<AccessMode>,
        pub capacity: ResourceList,
    }

    pub struct StorageClass {
        pub metadata: ObjectMeta,
        pub provisioner: Str,
        pub parameters: ordered::Map<Str, Str>,
        pub reclaim_policy: Option<Str>,
        pub allow_volume_expansion: Option<bool>,
        pub volume_binding_mode: Option<VolumeBindingMode>,
        pub allowed_topologies: Vec<TopologySelectorTerm>,
        /// Fields that Podscope does not simulate, kept for export.
        pub extra as "": crate::Extra,
    }

    /// Topologies in which volumes of a StorageClass may be provisioned.
    pub struct TopologySelectorTerm { pub match_label_expressions: Vec<TopologySelectorRequirement> }
    /// The accepted values of one topology label.
    pub struct TopologySelectorRequirement as "TopologySelectorLabelRequirement" { pub key: Str, pub values: Vec<Str> }
    /// A request to attach a volume to a node, and its outcome.
    pub struct VolumeAttachment {
        pub metadata: ObjectMeta,
        pub spec: VolumeAttachmentSpec,
        pub status: VolumeAttachmentStatus,
        /// Fields that Podscope does not simulate, kept for export.
        pub extra as "": crate::Extra,
    }

    /// Spec of a VolumeAttachment: the volume, the node, and the CSI driver that attaches the volume.
    pub struct VolumeAttachmentSpec { pub attacher: Str, pub node_name: crate::NodeName, pub source: VolumeAttachmentSource }
    pub struct VolumeAttachmentSource { pub persistent_volume_name: Option<Str> }
    /// Status of a VolumeAttachment: the result that the CSI driver reports.
    pub struct VolumeAttachmentStatus { pub attached: bool, pub attach_error: Option<VolumeError>, pub detach_error: Option<VolumeError> }
    /// The error of a failed attach or detach operation.
    pub struct VolumeError { pub time: Option<Time>, pub message: Str }
    pub struct CsiDriver as "CSIDriver" {
        pub metadata: ObjectMeta,
        pub spec: CsiDriverSpec,
        /// Fields that Podscope does not simulate, kept for export.
        pub extra as "": crate::Extra,
    }

    pub struct CsiDriverSpec as "CSIDriverSpec" {
        pub attach_required: Option<bool>,
        pub fs_group_policy: Str,
        pub pod_info_on_mount: Option<bool>,
        pub requires_republish: Option<bool>,
        pub se_linux_mount: Option<bool>,
        pub storage_capacity: Option<bool>,
        pub volume_lifecycle_modes: Vec<Str>,
    }

    /// The capacity that a storage class can provision in a part of the cluster.
    pub struct CsiStorageCapacity as "CSIStorageCapacity" {
        pub metadata: ObjectMeta,
        pub node_topology: Option<LabelSelector>,
        pub storage_class_name: Str,
        pub capacity: Option<Quantity>,
        pub maximum_volume_size: Option<Quantity>,
        /// Fields that Podscope does not simulate, kept for export.
        pub extra as "": crate::Extra,
    }
}

string_enum! {
    /// How many nodes or pods may use a volume, and whether they may write (CT-124).
    pub enum AccessMode { ReadWriteOnce, ReadOnlyMany, ReadWriteMany, ReadWriteOncePod }
    pub enum VolumePhase { Pending, Available, Bound, Released, Failed }
    pub enum ClaimPhase { Pending, Bound, Lost }
    /// When the claims of a StorageClass are bound to a volume.
    pub enum VolumeBindingMode { Immediate, WaitForFirstConsumer }
}

impl PersistentVolumeSpec {
    /// Returns the names of the volume sources that are set, in the API server's order. A valid volume has exactly one.
    pub fn volume_source_names(&self) -> impl Iterator<Item = &'static str> {
        [
            ("hostPath", self.host_path.is_some()),
            ("gcePersistentDisk", self.gce_persistent_disk.is_some()),
            ("awsElasticBlockStore", self.aws_elastic_block_store.is_some()),
            ("glusterfs", self.glusterfs.is_some()),
            ("flocker", self.flocker.is_some()),
            ("nfs", self.nfs.is_some()),
            ("rbd", self.rbd.is_some()),
            ("quobyte", self.quobyte.is_some()),
            ("cephfs", self.cephfs.is_some()),
            ("iscsi", self.iscsi.is_some()),
            ("cinder", self.cinder.is_some()),
            ("fc", self.fc.is_some()),
            ("flexVolume", self.flex_volume.is_some()),
            ("azureFile", self.azure_file.is_some()),
            ("vsphereVolume", self.vsphere_volume.is_some()),
            ("photonPersistentDisk", self.photon_persistent_disk.is_some()),
            ("portworxVolume", self.portworx_volume.is_some()),
            ("azureDisk", self.azure_disk.is_some()),
            ("scaleIO", self.scale_io.is_some()),
            ("local", self.local.is_some()),
            ("storageos", self.storageos.is_some()),
            ("csi", self.csi.is_some()),
        ]
        .into_iter()
        .filter_map(|(name, set)| set.then_some(name))
    }
}
