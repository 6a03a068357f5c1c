//! Translates in-tree volumes to volumes of CSI drivers: driver name, volume handle and topology key (SCH-063,
//! SCH-066).

use podscope_api::ordered;
use podscope_api::well_known::label;
use podscope_api::{
    NodeSelector, NodeSelectorRequirement, NodeSelectorTerm, PersistentVolume, SelectorOperator, Str, Volume,
    VolumeNodeAffinity,
};

/// An in-tree volume plugin that is migrated to a CSI driver.
pub(super) struct CsiMigration {
    /// Name of the in-tree plugin, which is also the provisioner of its StorageClasses.
    pub(super) plugin: &'static str,
    pub(super) driver: &'static str,
    /// The node label that the driver uses for zones.
    topology_key: Option<&'static str>,
    /// Whether the plugin is migrated only if the CSINode's annotation lists it. The other plugins are always migrated.
    pub(super) requires_annotation: bool,
}

const AWS: CsiMigration = CsiMigration {
    plugin: "kubernetes.io/aws-ebs",
    driver: "ebs.csi.aws.com",
    topology_key: Some("topology.ebs.csi.aws.com/zone"),
    requires_annotation: false,
};
const GCE: CsiMigration = CsiMigration {
    plugin: "kubernetes.io/gce-pd",
    driver: "pd.csi.storage.gke.io",
    topology_key: Some("topology.gke.io/zone"),
    requires_annotation: false,
};
const AZURE: CsiMigration = CsiMigration {
    plugin: "kubernetes.io/azure-disk",
    driver: "disk.csi.azure.com",
    topology_key: None,
    requires_annotation: false,
};
const CINDER: CsiMigration = CsiMigration {
    plugin: "kubernetes.io/cinder",
    driver: "cinder.csi.openstack.org",
    topology_key: Some("topology.cinder.csi.openstack.org/zone"),
    requires_annotation: false,
};
const PORTWORX: CsiMigration = CsiMigration {
    plugin: "kubernetes.io/portworx-volume",
    driver: "pxd.portworx.com",
    topology_key: None,
    requires_annotation: true,
};

/// Returns the migration of a StorageClass's in-tree provisioner.
pub(super) fn migration_of_provisioner(provisioner: &str) -> Option<&'static CsiMigration> {
    [&AWS, &GCE, &AZURE, &CINDER, &PORTWORX]
        .into_iter()
        .find(|migration| migration.plugin == provisioner)
}

fn text_field(value: &serde_json::Value, field: &str) -> String {
    let field = value.get(field).and_then(serde_json::Value::as_str);
    field.unwrap_or_default().to_owned()
}

/// Returns the volume ID without its optional prefix: `aws://zone/vol-1` and `vol-1` are the same disk.
fn aws_handle(id: &str) -> String {
    match id.strip_prefix("aws://") {
        Some(rest) => rest.rsplit('/').next().unwrap_or(rest).to_owned(),
        None => id.to_owned(),
    }
}

/// Returns the volume handle of a GCE disk. It contains the zone or region, or `UNSPECIFIED` if there are no zones.
fn gce_handle(name: &str, zones: &str) -> Option<String> {
    let zones: Vec<&str> = zones.split("__").collect();
    let location = match zones.as_slice() {
        [""] => "zones/UNSPECIFIED".to_owned(),
        [zone] => format!("zones/{zone}"),
        several => {
            let region_of = |zone: &&str| zone.rsplit_once('-').map(|(region, _)| region.to_owned());
            let regions: ordered::Set<Option<String>> = several.iter().map(region_of).collect();
            match regions.into_iter().collect::<Vec<_>>().as_slice() {
                [Some(region)] => format!("regions/{region}"),
                _ => return None,
            }
        }
    };
    Some(format!("projects/UNSPECIFIED/{location}/disks/{name}"))
}

/// Returns the migration and the CSI volume handle of a PersistentVolume's in-tree disk.
pub(super) fn migrated_disk_of_volume(volume: &PersistentVolume) -> Option<(&'static CsiMigration, String)> {
    let spec = &volume.spec;
    if let Some(disk) = &spec.aws_elastic_block_store {
        return Some((&AWS, aws_handle(&disk.volume_id)));
    }
    if let Some(disk) = &spec.gce_persistent_disk {
        let label = |key| volume.metadata.label(key).filter(|zones| !zones.is_empty());
        let zones = label(label::ZONE)
            .or_else(|| label(label::BETA_ZONE))
            .unwrap_or_default();
        return Some((&GCE, gce_handle(&disk.pd_name, zones)?));
    }
    if let Some(disk) = &spec.azure_disk {
        return Some((&AZURE, text_field(disk, "diskURI")));
    }
    if let Some(disk) = &spec.cinder {
        return Some((&CINDER, text_field(disk, "volumeID")));
    }
    let disk = spec.portworx_volume.as_ref()?;
    Some((&PORTWORX, text_field(disk, "volumeID")))
}

/// Returns the migration and the CSI volume handle of an inline volume of a pod.
pub(super) fn migrated_disk_of_inline_volume(volume: &Volume) -> Option<(&'static CsiMigration, String)> {
    if let Some(disk) = &volume.aws_elastic_block_store {
        return Some((&AWS, aws_handle(&disk.volume_id)));
    }
    if let Some(disk) = &volume.gce_persistent_disk {
        return Some((&GCE, gce_handle(&disk.pd_name, "")?));
    }
    if let Some(disk) = &volume.azure_disk {
        return Some((&AZURE, text_field(disk, "diskURI")));
    }
    if let Some(disk) = &volume.cinder {
        return Some((&CINDER, text_field(disk, "volumeID")));
    }
    let disk = volume.portworx_volume.as_ref()?;
    Some((&PORTWORX, text_field(disk, "volumeID")))
}

fn has_requirement_with_key(affinity: Option<&NodeSelector>, key: &str) -> bool {
    affinity.is_some_and(|affinity| {
        let mut expressions = affinity
            .node_selector_terms
            .iter()
            .flat_map(|term| &term.match_expressions);
        expressions.any(|expression| &*expression.key == key && !expression.values.is_empty())
    })
}

fn rename_requirement_key(affinity: &mut NodeSelector, from: &str, to: &str) {
    for term in &mut affinity.node_selector_terms {
        for expression in &mut term.match_expressions {
            if &*expression.key == from {
                expression.key = to.into();
            }
        }
    }
}

/// Returns the node affinity of the volume after translation to CSI. The zone, from the volume's affinity or otherwise
/// from its labels, is expressed by the driver's topology key.
pub(super) fn translated_affinity(migration: &CsiMigration, volume: &PersistentVolume) -> Option<VolumeNodeAffinity> {
    let mut affinity = volume.spec.node_affinity.clone();
    let Some(topology_key) = migration.topology_key else {
        return affinity;
    };
    let required = affinity.as_ref().and_then(|affinity| affinity.required.as_ref());
    let label = |key: &str| volume.metadata.label(key);
    let is_beta = !has_requirement_with_key(required, label::ZONE)
        && (has_requirement_with_key(required, label::BETA_ZONE)
            || (label(label::ZONE).is_none() && label(label::BETA_ZONE).is_some()));
    let zone_key = if is_beta { label::BETA_ZONE } else { label::ZONE };
    if has_requirement_with_key(required, zone_key) {
        if let Some(required) = affinity.as_mut().and_then(|affinity| affinity.required.as_mut()) {
            rename_requirement_key(required, zone_key, topology_key);
        }
    } else if let Some(zones) = label(zone_key) {
        let zones: ordered::Set<Str> = zones
            .split("__")
            .map(str::trim)
            .filter(|zone| !zone.is_empty())
            .map(Str::from)
            .collect();
        if !zones.is_empty() {
            let affinity = affinity.get_or_insert_default();
            let required = affinity.required.get_or_insert_default();
            if required.node_selector_terms.is_empty() {
                required.node_selector_terms.push(NodeSelectorTerm::default());
            }
            for term in &mut required.node_selector_terms {
                term.match_expressions.push(NodeSelectorRequirement {
                    key: topology_key.into(),
                    operator: SelectorOperator::In,
                    values: zones.iter().cloned().collect(),
                });
            }
        }
    }
    if is_beta && let Some(required) = affinity.as_mut().and_then(|affinity| affinity.required.as_mut()) {
        rename_requirement_key(required, label::BETA_REGION, label::REGION);
    }
    affinity
}
