//! Table columns of volumes, claims, storage classes, attachments and CSI drivers.

use podscope_api::{
    CsiDriver, CsiNode, Object, PersistentVolume, PersistentVolumeClaim, StorageClass, VolumeAttachment,
};

use super::row::RowBuilder;
use super::{access_modes_text, claim_storage_class, is_default_storage_class, text_or_unset, volume_storage_class};

pub(super) fn add_volume_columns(volume: &PersistentVolume, row: &mut RowBuilder) {
    let spec = &volume.spec;
    let text = |value: Option<&dyn ToString>| value.map_or_else(String::new, ToString::to_string);
    let policy = spec.persistent_volume_reclaim_policy.as_deref();
    let claim = spec.claim_ref.as_ref();
    row.add_name();
    row.put("CAPACITY", text(spec.capacity.get("storage").map(|size| size as _)));
    row.put("ACCESS MODES", access_modes_text(&spec.access_modes));
    row.put("RECLAIM POLICY", policy.unwrap_or("Retain").to_owned());
    row.put(
        "STATUS",
        match volume.metadata.is_terminating() {
            true => "Terminating".to_owned(),
            false => text(volume.status.phase.as_ref().map(|phase| phase as _)),
        },
    );
    let claim = claim.map(|claim| format!("{}/{}", claim.namespace, claim.name));
    row.put("CLAIM", claim.unwrap_or_default());
    row.put("STORAGECLASS", volume_storage_class(volume));
    row.put(
        "VOLUMEATTRIBUTESCLASS",
        text_or_unset(spec.volume_attributes_class_name.as_ref()),
    );
    row.put("REASON", volume.status.reason.to_string());
    row.add_age();
    row.put_wide("VOLUMEMODE", text_or_unset(spec.volume_mode.as_ref()));
}

pub(super) fn add_claim_columns(claim: &PersistentVolumeClaim, row: &mut RowBuilder) {
    let (spec, status) = (&claim.spec, &claim.status);
    let is_bound = !spec.volume_name.is_empty();
    let capacity = status.capacity.get("storage").filter(|_| is_bound);
    row.add_name();
    row.put(
        "STATUS",
        match (claim.metadata.is_terminating(), &status.phase) {
            (true, _) => "Terminating".to_owned(),
            (false, phase) => phase.as_ref().map_or_else(String::new, ToString::to_string),
        },
    );
    row.put("VOLUME", spec.volume_name.to_string());
    row.put("CAPACITY", capacity.map_or_else(String::new, ToString::to_string));
    row.put(
        "ACCESS MODES",
        if is_bound {
            access_modes_text(&status.access_modes)
        } else {
            String::new()
        },
    );
    row.put("STORAGECLASS", claim_storage_class(&claim.metadata, spec));
    row.put(
        "VOLUMEATTRIBUTESCLASS",
        text_or_unset(spec.volume_attributes_class_name.as_ref()),
    );
    row.add_age();
    row.put_wide("VOLUMEMODE", text_or_unset(spec.volume_mode.as_ref()));
}

pub(super) fn add_storage_class_columns(class: &StorageClass, object: &Object, row: &mut RowBuilder) {
    let value = object.typed_value();
    let text = |field: &str, default: &str| match value.get(field) {
        Some(serde_json::Value::String(text)) if !text.is_empty() => text.clone(),
        Some(serde_json::Value::Bool(on)) => on.to_string(),
        _ => default.to_owned(),
    };
    row.add_name_with_suffix(if is_default_storage_class(&class.metadata) {
        " (default)"
    } else {
        ""
    });
    row.put("PROVISIONER", text("provisioner", ""));
    row.put("RECLAIMPOLICY", text("reclaimPolicy", "Delete"));
    row.put("VOLUMEBINDINGMODE", text("volumeBindingMode", "Immediate"));
    row.put("ALLOWVOLUMEEXPANSION", text("allowVolumeExpansion", "false"));
    row.add_age();
}

pub(super) fn add_attachment_columns(attachment: &VolumeAttachment, row: &mut RowBuilder) {
    let spec = &attachment.spec;
    row.add_name();
    row.put("ATTACHER", spec.attacher.to_string());
    let volume = spec.source.persistent_volume_name.as_deref();
    row.put("PV", volume.unwrap_or_default().to_owned());
    row.put("NODE", spec.node_name.to_string());
    row.put("ATTACHED", attachment.status.attached.to_string());
    row.add_age();
}

pub(super) fn add_csi_node_columns(node: &CsiNode, row: &mut RowBuilder) {
    row.add_name();
    row.put("DRIVERS", node.spec.drivers.len().to_string());
    row.add_age();
}

pub(super) fn add_csi_driver_columns(driver: &CsiDriver, object: &Object, row: &mut RowBuilder) {
    let (spec, value) = (&driver.spec, object.to_value());
    let requests = value
        .pointer("/spec/tokenRequests")
        .and_then(serde_json::Value::as_array);
    let audiences = requests.map(|requests| {
        let audience = |request: &serde_json::Value| request["audience"].as_str().unwrap_or_default().to_owned();
        requests.iter().map(audience).collect::<Vec<_>>().join(",")
    });
    let modes = match spec.volume_lifecycle_modes.join(",") {
        none if none.is_empty() => "<none>".to_owned(),
        modes => modes,
    };
    let flag = |given: Option<bool>, default: bool| given.unwrap_or(default).to_string();
    row.add_name();
    row.put("ATTACHREQUIRED", flag(spec.attach_required, true));
    row.put("PODINFOONMOUNT", flag(spec.pod_info_on_mount, false));
    row.put("STORAGECAPACITY", flag(spec.storage_capacity, false));
    row.put("TOKENREQUESTS", audiences.unwrap_or_else(|| "<unset>".to_owned()));
    row.put("REQUIRESREPUBLISH", flag(spec.requires_republish, false));
    row.put("MODES", modes);
    row.add_age();
}
