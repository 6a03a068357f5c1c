//! Table columns of volumes, claims, storage classes, attachments and CSI drivers.

use podscope_api::{
    CsiDriver, CsiNode, Object, PersistentVolume, PersistentVolumeClaim, StorageClass, VolumeAttachment,
};

use super::line::Line;
use super::{access_modes_text, claim_storage_class, is_default_storage_class, text_or_unset, volume_storage_class};

pub(super) fn add_volume_columns(volume: &PersistentVolume, line: &mut Line) {
    let spec = &volume.spec;
    let text = |value: Option<&dyn ToString>| value.map_or_else(String::new, ToString::to_string);
    let policy = spec.persistent_volume_reclaim_policy.as_deref();
    let claim = spec.claim_ref.as_ref();
    line.add_name();
    line.put("CAPACITY", text(spec.capacity.get("storage").map(|size| size as _)));
    line.put("ACCESS MODES", access_modes_text(&spec.access_modes));
    line.put("RECLAIM POLICY", policy.unwrap_or("Retain").to_owned());
    line.put(
        "STATUS",
        match volume.metadata.is_terminating() {
            true => "Terminating".to_owned(),
            false => text(volume.status.phase.as_ref().map(|phase| phase as _)),
        },
    );
    let claim = claim.map(|claim| format!("{}/{}", claim.namespace, claim.name));
    line.put("CLAIM", claim.unwrap_or_default());
    line.put("STORAGECLASS", volume_storage_class(volume));
    line.put(
        "VOLUMEATTRIBUTESCLASS",
        text_or_unset(spec.volume_attributes_class_name.as_ref()),
    );
    line.put("REASON", volume.status.reason.to_string());
    line.add_age();
    line.put_wide("VOLUMEMODE", text_or_unset(spec.volume_mode.as_ref()));
}

pub(super) fn add_claim_columns(claim: &PersistentVolumeClaim, line: &mut Line) {
    let (spec, status) = (&claim.spec, &claim.status);
    let is_bound = !spec.volume_name.is_empty();
    let capacity = status.capacity.get("storage").filter(|_| is_bound);
    line.add_name();
    line.put(
        "STATUS",
        match (claim.metadata.is_terminating(), &status.phase) {
            (true, _) => "Terminating".to_owned(),
            (false, phase) => phase.as_ref().map_or_else(String::new, ToString::to_string),
        },
    );
    line.put("VOLUME", spec.volume_name.to_string());
    line.put("CAPACITY", capacity.map_or_else(String::new, ToString::to_string));
    line.put(
        "ACCESS MODES",
        if is_bound {
            access_modes_text(&status.access_modes)
        } else {
            String::new()
        },
    );
    line.put("STORAGECLASS", claim_storage_class(&claim.metadata, spec));
    line.put(
        "VOLUMEATTRIBUTESCLASS",
        text_or_unset(spec.volume_attributes_class_name.as_ref()),
    );
    line.add_age();
    line.put_wide("VOLUMEMODE", text_or_unset(spec.volume_mode.as_ref()));
}

pub(super) fn add_storage_class_columns(class: &StorageClass, object: &Object, line: &mut Line) {
    let value = object.typed_value();
    let text = |field: &str, default: &str| match value.get(field) {
        Some(serde_json::Value::String(text)) if !text.is_empty() => text.clone(),
        Some(serde_json::Value::Bool(on)) => on.to_string(),
        _ => default.to_owned(),
    };
    line.add_name_with_suffix(if is_default_storage_class(&class.metadata) {
        " (default)"
    } else {
        ""
    });
    line.put("PROVISIONER", text("provisioner", ""));
    line.put("RECLAIMPOLICY", text("reclaimPolicy", "Delete"));
    line.put("VOLUMEBINDINGMODE", text("volumeBindingMode", "Immediate"));
    line.put("ALLOWVOLUMEEXPANSION", text("allowVolumeExpansion", "false"));
    line.add_age();
}

pub(super) fn add_attachment_columns(attachment: &VolumeAttachment, line: &mut Line) {
    let spec = &attachment.spec;
    line.add_name();
    line.put("ATTACHER", spec.attacher.to_string());
    let volume = spec.source.persistent_volume_name.as_deref();
    line.put("PV", volume.unwrap_or_default().to_owned());
    line.put("NODE", spec.node_name.to_string());
    line.put("ATTACHED", attachment.status.attached.to_string());
    line.add_age();
}

pub(super) fn add_csi_node_columns(node: &CsiNode, line: &mut Line) {
    line.add_name();
    line.put("DRIVERS", node.spec.drivers.len().to_string());
    line.add_age();
}

pub(super) fn add_csi_driver_columns(driver: &CsiDriver, object: &Object, line: &mut Line) {
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
    line.add_name();
    line.put("ATTACHREQUIRED", flag(spec.attach_required, true));
    line.put("PODINFOONMOUNT", flag(spec.pod_info_on_mount, false));
    line.put("STORAGECAPACITY", flag(spec.storage_capacity, false));
    line.put("TOKENREQUESTS", audiences.unwrap_or_else(|| "<unset>".to_owned()));
    line.put("REQUIRESREPUBLISH", flag(spec.requires_republish, false));
    line.put("MODES", modes);
    line.add_age();
}
