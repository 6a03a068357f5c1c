//! Validation of CSIDriver, CSINode and CSIStorageCapacity (VA-321).

use serde_json::Value;

use crate::untyped::{items, text, texts};
use crate::wire::Wire;
use crate::{CsiDriver, CsiStorageCapacity, ordered};

use super::error_list::{IMMUTABLE, quoted};
use super::{ErrorList, Path, internal, names, selector, volume};

/// Maximum length of a node ID in a CSINode, in bytes.
const MAX_NODE_ID_LEN: usize = 256;

/// Validates a CSIDriver in JSON form.
pub(super) fn validate_driver(value: &Value, errors: &mut ErrorList) {
    const VOLUME_LIFECYCLE_MODES: &[&str] = &["Persistent", "Ephemeral"];
    const FS_GROUP_POLICIES: &[&str] = &["File", "None", "ReadWriteOnceWithFSType"];
    let path = Path::root("spec");
    let spec = value.get("spec").unwrap_or(&Value::Null);
    let tokens = path.child("tokenRequests");
    let mut audiences = ordered::Set::new();
    for (index, request) in items(spec, "tokenRequests") {
        let path = tokens.index(index);
        let audience = text(request, "audience");
        if !audiences.insert(audience) {
            errors.duplicate(&path.child("audience"), quoted(audience), "");
            continue;
        }
        let Some(seconds) = request.get("expirationSeconds").and_then(Value::as_i64) else {
            continue;
        };
        let path = path.child("expirationSeconds");
        if seconds < 600 {
            errors.invalid(&path, seconds, "may not specify a duration less than 10 minutes");
        }
        if seconds > 1 << 32 {
            errors.invalid(&path, seconds, "may not specify a duration larger than 2^32 seconds");
        }
    }
    if let Some(seconds) = spec.get("nodeAllocatableUpdatePeriodSeconds").and_then(Value::as_i64)
        && seconds < 10
    {
        let path = path.child("nodeAllocatableUpdatePeriodSeconds");
        errors.invalid(&path, seconds, "must be greater than or equal to 10 seconds");
    }
    for mode in texts(spec, "volumeLifecycleModes") {
        if !VOLUME_LIFECYCLE_MODES.contains(&mode) {
            errors.unsupported_text(&path.child("volumeLifecycleModes"), mode, VOLUME_LIFECYCLE_MODES);
        }
    }
    let policy = text(spec, "fsGroupPolicy");
    if !policy.is_empty() && !FS_GROUP_POLICIES.contains(&policy) {
        errors.unsupported_text(&path.child("fsGroupPolicy"), policy, FS_GROUP_POLICIES);
    }
}

/// Checks the immutable fields of a CSIDriver. Messages call the first field `attachedRequired`, as the server's
/// messages do.
pub(super) fn validate_driver_update(old: &CsiDriver, new: &CsiDriver, errors: &mut ErrorList) {
    let path = Path::root("spec");
    let (before, now) = (&old.spec, &new.spec);
    if before.attach_required != now.attach_required {
        let path = path.child("attachedRequired");
        errors.invalid(&path, Value::from(now.attach_required), IMMUTABLE);
    }
    if before.volume_lifecycle_modes != now.volume_lifecycle_modes {
        let modes = crate::wire::to_json(&now.volume_lifecycle_modes);
        errors.invalid(&path.child("volumeLifecycleModes"), modes, IMMUTABLE);
    }
}

/// Validates a CSINode in JSON form.
pub(super) fn validate_node(value: &Value, errors: &mut ErrorList) {
    let path = Path::root("spec");
    let drivers = path.child("drivers");
    let mut known = ordered::Set::new();
    for (index, driver) in value.get("spec").into_iter().flat_map(|spec| items(spec, "drivers")) {
        let path = drivers.index(index);
        let (name, id) = (text(driver, "name"), text(driver, "nodeID"));
        volume::check_csi_driver_name(name, &path.child("name"), errors);
        match id.len() {
            0 => errors.required(&path.child("nodeID"), ""),
            len if len > MAX_NODE_ID_LEN => {
                let message = format!("must be {MAX_NODE_ID_LEN} characters or less");
                errors.invalid_text(&path.child("nodeID"), id, &message);
            }
            _ => {}
        }
        let count = driver.pointer("/allocatable/count").and_then(Value::as_i64);
        errors.check_not_negative(&path.child("allocatable").child("count"), count);
        if !known.insert(name) {
            errors.duplicate(&path.child("name"), quoted(name), "");
        }
        let mut seen = ordered::Set::new();
        for key in texts(driver, "topologyKeys") {
            if key.is_empty() {
                errors.required(&path, "");
            }
            if !seen.insert(key) {
                errors.duplicate(&path, quoted(key), "");
            }
            errors.invalid_name(&path, key, &names::qualified_name_faults(key));
        }
    }
}

pub(super) fn validate_capacity(object: &CsiStorageCapacity, errors: &mut ErrorList) {
    if let Some(topology) = &object.node_topology {
        selector::validate(topology, &Path::root("nodeTopology"), errors);
    }
    let class = &*object.storage_class_name;
    errors.invalid_name(&Path::root("storageClassName"), class, &names::subdomain_faults(class));
    if let Some(amount) = object.capacity.filter(|amount| amount.milli_value() < 0) {
        let message = "must be greater than or equal to 0";
        errors.invalid_text(&Path::root("capacity"), &amount.to_string(), message);
    }
}

/// Validates an update of a CSINode in JSON form: only a driver's volume limit may change.
pub(super) fn validate_node_update(before: &Value, after: &Value, errors: &mut ErrorList) {
    validate_node(after, errors);
    let path = Path::root("spec");
    let drivers =
        |value| items(value, "drivers").map(|(_, driver)| internal::to_internal_struct("CSINodeDriver", driver));
    for mut known in before.get("spec").into_iter().flat_map(drivers) {
        for mut driver in after.get("spec").into_iter().flat_map(drivers) {
            known["Allocatable"] = Value::Null;
            driver["Allocatable"] = Value::Null;
            if known["Name"] == driver["Name"] && known != driver {
                errors.invalid(&path.child("drivers"), driver, IMMUTABLE);
            }
        }
    }
}

/// Checks the immutable fields of a CSIStorageCapacity.
pub(super) fn validate_capacity_update(old: &CsiStorageCapacity, new: &CsiStorageCapacity, errors: &mut ErrorList) {
    if old.node_topology != new.node_topology {
        errors.invalid(
            &Path::root("nodeTopology"),
            new.node_topology.to_json_value(),
            IMMUTABLE,
        );
    }
    if old.storage_class_name != new.storage_class_name {
        errors.invalid_text(&Path::root("storageClassName"), &new.storage_class_name, IMMUTABLE);
    }
}
