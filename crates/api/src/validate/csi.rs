//! What drivers of the Container Storage Interface say of themselves: CSIDriver, CSINode, CSIStorageCapacity (VA-321).

use serde_json::Value;

use crate::{CsiStorageCapacity, ordered};

use super::list::quoted;
use super::untyped::{items, text, texts};
use super::{ErrorList, Path, names, selector, volume};

/// Most letters of what a driver calls a node.
const NODE_ID_MAX: usize = 256;

/// A CSIDriver, as JSON.
pub(super) fn driver(value: &Value, errors: &mut ErrorList) {
    const LIFECYCLES: &[&str] = &["Persistent", "Ephemeral"];
    const GROUP_POLICIES: &[&str] = &["File", "None", "ReadWriteOnceWithFSType"];
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
    for mode in texts(spec, "volumeLifecycleModes") {
        if !LIFECYCLES.contains(&mode) {
            errors.unsupported_text(&path.child("volumeLifecycleModes"), mode, LIFECYCLES);
        }
    }
    let policy = text(spec, "fsGroupPolicy");
    if !policy.is_empty() && !GROUP_POLICIES.contains(&policy) {
        errors.unsupported_text(&path.child("fsGroupPolicy"), policy, GROUP_POLICIES);
    }
}

/// A CSINode, as JSON.
pub(super) fn node(value: &Value, errors: &mut ErrorList) {
    let path = Path::root("spec");
    let drivers = path.child("drivers");
    let mut known = ordered::Set::new();
    for (index, driver) in value.get("spec").into_iter().flat_map(|spec| items(spec, "drivers")) {
        let path = drivers.index(index);
        let (name, id) = (text(driver, "name"), text(driver, "nodeID"));
        volume::csi_driver(name, &path.child("name"), errors);
        match id.len() {
            0 => errors.required(&path.child("nodeID"), ""),
            len if len > NODE_ID_MAX => {
                let message = format!("must be {NODE_ID_MAX} characters or less");
                errors.invalid_text(&path.child("nodeID"), id, &message);
            }
            _ => {}
        }
        let count = driver.pointer("/allocatable/count").and_then(Value::as_i64);
        errors.not_negative(&path.child("allocatable").child("count"), count);
        if !known.insert(name) {
            errors.duplicate(&path.child("name"), quoted(name), "");
        }
        let mut seen = ordered::Set::new();
        let keys = texts(driver, "topologyKeys");
        for key in keys.iter().copied() {
            if key.is_empty() {
                errors.required(&path, "");
            }
            if !seen.insert(key) {
                errors.duplicate(&path, quoted(key), "");
            }
            for problem in names::qualified(key) {
                errors.invalid(&path, Value::from(keys.clone()), &problem);
            }
        }
    }
}

/// A CSIStorageCapacity.
pub(super) fn capacity(object: &CsiStorageCapacity, errors: &mut ErrorList) {
    if let Some(topology) = &object.node_topology {
        selector::validate(topology, &Path::root("nodeTopology"), errors);
    }
    let class = &*object.storage_class_name;
    errors.each_invalid(&Path::root("storageClassName"), class, &names::subdomain(class));
    for (field, amount) in [
        ("capacity", object.capacity),
        ("maximumVolumeSize", object.maximum_volume_size),
    ] {
        if let Some(amount) = amount.filter(|amount| amount.milli_value() < 0) {
            let message = "must be greater than or equal to 0";
            errors.invalid_text(&Path::root(field), &amount.to_string(), message);
        }
    }
}
