//! Validation of volume mounts (VA-098 to VA-101) and block devices of containers.

use serde_json::Value;

use crate::schema::values;
use crate::untyped::{items, text};
use crate::{Container, Volume, VolumeMount, ordered};

use super::volume::{check_local_descending_path, has_no_backsteps};
use super::{ErrorList, Path};

/// The valid volumes of a pod by name; only these can be mounted.
pub(super) type ValidVolumes<'v> = ordered::Map<&'v str, &'v Volume>;

/// Checks the volume mounts of a container; `value` is the container in JSON form.
pub(super) fn check_volume_mounts(
    container: &Container,
    value: &Value,
    volumes: &ValidVolumes<'_>,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let mut points = ordered::Set::new();
    let path = path.child("volumeMounts");
    for (index, mount) in container.volume_mounts.iter().enumerate() {
        let at = path.index(index);
        let (name, point) = (at.child("name"), at.child("mountPath"));
        if mount.name.is_empty() {
            errors.required(&name, "");
        }
        if !volumes.contains_key(&*mount.name) {
            errors.not_found(&name, &mount.name, "");
        }
        if mount.mount_path.is_empty() {
            errors.required(&point, "");
        }
        if !points.insert(&*mount.mount_path) {
            errors.invalid_text(&point, &mount.mount_path, "must be unique");
        }
        for (_, device) in items(value, "volumeDevices") {
            if text(device, "name") == &*mount.name {
                errors.invalid_text(&name, &mount.name, "must not already exist in volumeDevices");
            }
            if text(device, "devicePath") == &*mount.mount_path {
                let message = "must not already exist as a path in volumeDevices";
                errors.invalid_text(&point, &mount.mount_path, message);
            }
        }
        if !mount.sub_path.is_empty() {
            check_local_descending_path(&mount.sub_path, &path.child("subPath"), errors);
        }
        let mount_json = value.pointer(&format!("/volumeMounts/{index}")).unwrap_or(&Value::Null);
        let expression = &*mount.sub_path_expr;
        if !expression.is_empty() {
            if !mount.sub_path.is_empty() {
                let message = "subPathExpr and subPath are mutually exclusive";
                errors.invalid_text(&at.child("subPathExpr"), expression, message);
            }
            check_local_descending_path(expression, &path.child("subPathExpr"), errors);
        }
        check_propagation(mount, container, &path.child("mountPropagation"), errors);
        check_recursive_read_only(mount, mount_json, &path.child("recursiveReadOnly"), errors);
    }
}

fn check_propagation(mount: &VolumeMount, container: &Container, path: &Path<'_>, errors: &mut ErrorList) {
    let context = container.security_context.as_ref();
    let is_privileged = context.is_some_and(|context| context.privileged == Some(true));
    match mount.mount_propagation.as_deref() {
        Some("Bidirectional") if !is_privileged => errors.forbidden(
            path,
            "Bidirectional mount propagation is available only to privileged containers",
        ),
        Some(given) => errors.check_one_of_sorted(path, given, values::MOUNT_PROPAGATION),
        None => {}
    }
}

/// Checks `recursiveReadOnly` (VA-297).
fn check_recursive_read_only(mount: &VolumeMount, mount_json: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    match mount_json.get("recursiveReadOnly").and_then(Value::as_str) {
        None | Some("Disabled") => {}
        Some("Enabled" | "IfPossible") => {
            if mount.read_only != Some(true) {
                errors.forbidden(path, "may only be specified when readOnly is true");
            }
            if !matches!(mount.mount_propagation.as_deref(), None | Some("None")) {
                let message = "may only be specified when mountPropagation is None or not specified";
                errors.forbidden(path, message);
            }
        }
        Some(other) => errors.unsupported_sorted(path, other, values::RECURSIVE_READ_ONLY),
    }
}

/// Checks the block devices of a container; `value` is the container in JSON form.
pub(super) fn check_block_devices(
    container: &Container,
    value: &Value,
    volumes: &ValidVolumes<'_>,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let path = path.child("volumeDevices");
    let (mut seen, mut seen_paths) = (ordered::Set::new(), ordered::Set::new());
    for (index, device) in items(value, "volumeDevices") {
        let path = path.index(index);
        let (name, at) = (text(device, "name"), text(device, "devicePath"));
        let (name_path, at_path) = (path.child("name"), path.child("devicePath"));
        if name.is_empty() {
            errors.required(&name_path, "");
        } else if !seen.insert(name) {
            errors.invalid_text(&name_path, name, "must be unique");
        }
        match volumes.get(name) {
            None => errors.not_found(&name_path, name, ""),
            Some(volume) if volume.persistent_volume_claim.is_none() && volume.ephemeral.is_none() => {
                let message = "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode";
                errors.invalid_text(&name_path, name, message);
            }
            Some(_) => {}
        }
        if at.is_empty() {
            errors.required(&at_path, "");
        }
        if seen_paths.contains(at) {
            errors.invalid_text(&at_path, at, "must be unique");
        }
        if has_no_backsteps(at) {
            seen_paths.insert(at);
        } else {
            errors.invalid_text(&at_path, at, "can not contain backsteps ('..')");
        }
        for mount in &container.volume_mounts {
            if *mount.name == *name {
                errors.invalid_text(&name_path, name, "must not already exist in volumeMounts");
            }
            if *mount.mount_path == *at {
                errors.invalid_text(&at_path, at, "must not already exist as a path in volumeMounts");
            }
        }
    }
}
