//! Validation of Nodes (VA-212 to VA-214), VolumeAttachments, Namespaces and Leases.

use crate::{Node, TaintEffect};

use super::error_list::quoted;
use super::{ErrorList, Path, names, resources};

pub(super) fn validate(node: &Node, errors: &mut ErrorList) {
    let metadata = Path::root("metadata");
    let taints = metadata.child("taints");
    for (index, taint) in node.spec.taints.iter().enumerate() {
        let path = taints.index(index);
        errors.invalid_name(
            &path.child("key"),
            &taint.key,
            &names::qualified_name_faults(&taint.key),
        );
        if !taint.value.is_empty() {
            errors.invalid_name(
                &path.child("value"),
                &taint.value,
                &names::label_value_faults(&taint.value),
            );
        }
        match taint.effect.as_str() {
            "" => errors.required(&path.child("effect"), ""),
            effect => errors.check_one_of(&path.child("effect"), effect, TaintEffect::KNOWN),
        }
        let repeated = node
            .spec
            .taints
            .get(..index)
            .unwrap_or_default()
            .iter()
            .any(|earlier| earlier.key == taint.key && earlier.effect == taint.effect);
        if repeated {
            let value = format!(
                "{{\"Key\":{},\"Value\":{},\"Effect\":{},\"TimeAdded\":{}}}",
                serde_json::Value::from(&*taint.key),
                serde_json::Value::from(&*taint.value),
                serde_json::Value::from(taint.effect.as_str()),
                taint
                    .time_added
                    .map_or_else(|| "null".to_owned(), |time| format!("\"{time}\"")),
            );
            errors.duplicate(&path, value, "taints must be unique by key and effect pair");
        }
    }
    let status = Path::root("status");
    for (name, list) in [
        ("capacity", &node.status.capacity),
        ("allocatable", &node.status.allocatable),
    ] {
        let path = status.child(name);
        for (resource, quantity) in list {
            // The server appends the resource name to the path without brackets (VA-213).
            resources::check_amount(resource, *quantity, &path.child(resource), errors);
        }
    }
    check_pod_cidrs(node, errors);
    check_device_descriptions(node, &metadata, errors);
}

/// Refuses a malformed annotation that describes devices; the simulation would ignore it silently.
fn check_device_descriptions(node: &Node, metadata: &Path<'_>, errors: &mut ErrorList) {
    let Some(text) = node.metadata.annotation(crate::DEVICES_ANNOTATION) else {
        return;
    };
    for error in crate::parse_devices(text).err().unwrap_or_default() {
        let annotations = metadata.child("annotations");
        let at = if error.path.is_empty() {
            error.message
        } else {
            format!("{}: {}", error.path, error.message)
        };
        errors.invalid_text(&annotations.key(crate::DEVICES_ANNOTATION), text, &at);
    }
}

/// Checks the pod CIDRs of a node: at most one for each IP family.
fn check_pod_cidrs(node: &Node, errors: &mut ErrorList) {
    let spec = Path::root("spec");
    let path = spec.child("podCIDRs");
    let ranges: Vec<&str> = match node.spec.pod_cidrs.as_slice() {
        [] => Some(&*node.spec.pod_cidr)
            .filter(|range| !range.is_empty())
            .into_iter()
            .collect(),
        ranges => ranges.iter().map(|range| &**range).collect(),
    };
    for (index, range) in ranges.iter().enumerate() {
        if !names::is_cidr(range) {
            errors.invalid_text(&path.index(index), range, names::INVALID_CIDR);
        }
    }
    let n_ipv6 = ranges.iter().filter(|range| range.contains(':')).count();
    if ranges.len() > 2 || (ranges.len() == 2 && n_ipv6 != 1) {
        let message = "may specify no more than one CIDR for each IP family";
        errors.invalid(&path, serde_json::json!(ranges), message);
    }
    for (index, range) in ranges.iter().enumerate() {
        if ranges[..index].contains(range) {
            errors.duplicate(&path.index(index), quoted(range), "");
        }
    }
}

pub(super) fn validate_update(old: &Node, new: &Node, errors: &mut ErrorList) {
    validate(new, errors);
    let path = Path::root("spec");
    if !old.spec.pod_cidr.is_empty() && old.spec.pod_cidr != new.spec.pod_cidr {
        errors.forbidden(
            &path.child("podCIDRs"),
            "node updates may not change podCIDR except from \"\" to valid",
        );
    }
    if !old.spec.provider_id.is_empty() && old.spec.provider_id != new.spec.provider_id {
        errors.forbidden(
            &path.child("providerID"),
            "node updates may not change providerID except from \"\" to valid",
        );
    }
}

/// Validates a VolumeAttachment.
pub(super) fn validate_attachment(object: &crate::VolumeAttachment, errors: &mut ErrorList) {
    let path = Path::root("spec");
    let spec = &object.spec;
    if spec.attacher.is_empty() {
        errors.required(&path.child("attacher"), "");
    } else {
        super::volume::check_csi_driver_name(&spec.attacher, &path.child("attacher"), errors);
    }
    if spec.source.persistent_volume_name.as_deref() == Some("") {
        let source = path.child("source");
        let message = "must specify non empty persistentVolumeName";
        errors.required(&source.child("persistentVolumeName"), message);
    }
    if spec.source.persistent_volume_name.is_none() && object.extra.is_empty() {
        let message = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
        errors.required(&path.child("source"), message);
    }
    let node = spec.node_name.as_str();
    errors.invalid_name(&path.child("nodeName"), node, &names::subdomain_faults(node));
}

pub(super) fn validate_attachment_update(
    old: &crate::VolumeAttachment,
    new: &crate::VolumeAttachment,
    errors: &mut ErrorList,
) {
    validate_attachment(new, errors);
    if old.spec != new.spec {
        let spec = crate::wire::Wire::to_json_value(&new.spec);
        let value = super::internal::to_internal_struct_json("VolumeAttachmentSpec", &spec);
        errors.invalid(&Path::root("spec"), value, super::error_list::IMMUTABLE);
    }
}

/// Validates a namespace's finalizers and its Pod Security labels.
pub(super) fn validate_namespace(object: &crate::Namespace, errors: &mut ErrorList) {
    const POD_SECURITY_PREFIX: &str = "pod-security.kubernetes.io/";
    let spec = Path::root("spec");
    for finalizer in &object.spec.finalizers {
        super::meta::check_finalizer(
            finalizer,
            true,
            &spec.child("finalizers"),
            &spec.child("finalizers"),
            errors,
        );
    }
    let metadata = Path::root("metadata");
    let labels = metadata.child("labels");
    for mode in ["enforce", "audit", "warn"] {
        let key = format!("{POD_SECURITY_PREFIX}{mode}");
        if let Some(level) = object.metadata.label(&key)
            && !matches!(level, "privileged" | "baseline" | "restricted")
        {
            let message = "must be one of privileged, baseline, restricted";
            errors.invalid_text(&labels.key(&key), level, message);
        }
        let key = format!("{POD_SECURITY_PREFIX}{mode}-version");
        let is_version = |text: &str| {
            let minor = text.strip_prefix("v1.");
            text == "latest" || minor.is_some_and(|minor| minor.parse::<u16>().is_ok())
        };
        if let Some(version) = object.metadata.label(&key).filter(|version| !is_version(version)) {
            errors.invalid_text(&labels.key(&key), version, "must be \"latest\" or \"v1.x\"");
        }
    }
}

pub(super) fn validate_lease(object: &crate::Lease, errors: &mut ErrorList) {
    let path = Path::root("spec");
    if let Some(seconds) = object.spec.lease_duration_seconds.filter(|seconds| *seconds <= 0) {
        errors.invalid(&path.child("leaseDurationSeconds"), seconds, "must be greater than 0");
    }
    let transitions = object.spec.lease_transitions;
    errors.check_not_negative(&path.child("leaseTransitions"), transitions);
}
