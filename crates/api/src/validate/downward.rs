//! Fields of a pod and amounts of its containers that variables and files take (VA-292 to VA-295).

use super::resources;
use super::{ErrorList, Path, names};
use crate::{ObjectFieldSelector, ResourceFieldSelector};

/// What a file may hold.
pub(super) const OF_FILES: &[&str] = &[
    "metadata.annotations",
    "metadata.labels",
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
];
/// What a variable may be.
pub(super) const OF_VARIABLES: &[&str] = &[
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
];
/// Every field that the API knows for one or the other.
const KNOWN: &[&str] = &[
    "metadata.annotations",
    "metadata.labels",
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.restartPolicy",
    "spec.schedulerName",
    "spec.serviceAccountName",
    "spec.hostNetwork",
    "status.hostIP",
    "status.hostIPs",
    "status.nominatedNodeName",
    "status.phase",
    "status.podIP",
    "status.podIPs",
];
const RESOURCES: [&str; 6] = [
    "limits.cpu",
    "limits.ephemeral-storage",
    "limits.memory",
    "requests.cpu",
    "requests.ephemeral-storage",
    "requests.memory",
];
const OF_BYTES: &[&str] = &[
    "1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei",
];

/// `fieldRef`: one of the fields that may be taken, or one entry of a map.
pub(super) fn field(selector: &ObjectFieldSelector, may_take: &[&str], path: &Path<'_>, errors: &mut ErrorList) {
    let (at, label) = (path.child("fieldPath"), &*selector.field_path);
    if label.is_empty() {
        return errors.required(&at, "");
    }
    let version = &*selector.api_version;
    if !matches!(version, "" | "v1") {
        let message = format!("error converting fieldPath: unsupported pod version: {version}");
        return errors.invalid_text(&at, label, &message);
    }
    if let Some((map, key)) = subscripted(label) {
        return match map {
            "metadata.labels" => errors.each_invalid(path, key, &names::qualified(key)),
            "metadata.annotations" => {
                let key = key.to_ascii_lowercase();
                errors.each_invalid(path, &key, &names::qualified(&key));
            }
            _ => {
                let message = format!("error converting fieldPath: field label does not support subscript: {label}");
                errors.invalid_text(&at, label, &message);
            }
        };
    }
    if may_take.contains(&label) {
        return;
    }
    if KNOWN.contains(&label) {
        errors.unsupported_text(&at, label, may_take);
    } else {
        let message = format!("error converting fieldPath: field label not supported: {label}");
        errors.invalid_text(&at, label, &message);
    }
}

/// `metadata.labels['app']`: the map and the key.
fn subscripted(label: &str) -> Option<(&str, &str)> {
    let (map, key) = label.strip_suffix("']")?.split_once("['")?;
    (!map.is_empty()).then_some((map, key))
}

/// `resourceFieldRef`: an amount of a container, which a file names.
pub(super) fn resource(selector: &ResourceFieldSelector, is_file: bool, path: &Path<'_>, errors: &mut ErrorList) {
    let (at, resource) = (path.child("resource"), &*selector.resource);
    let is_huge = ["limits.", "requests."]
        .iter()
        .any(|kind| resource.strip_prefix(kind).is_some_and(resources::is_huge_page));
    if is_file && selector.container_name.is_empty() {
        errors.required(&path.child("containerName"), "");
    } else if resource.is_empty() {
        errors.required(&at, "");
    } else if !RESOURCES.contains(&resource) && !is_huge {
        errors.unsupported_text(&at, resource, &RESOURCES);
    }
    let divisor = selector.divisor.as_ref().map(ToString::to_string);
    let Some(divisor) = divisor.filter(|divisor| divisor != "0") else {
        return;
    };
    let of = match resource.split_once('.').map_or("", |(_, of)| of) {
        "cpu" => "cpu",
        "memory" => "memory",
        "ephemeral-storage" => "local ephemeral storage",
        _ if is_huge => "hugepages",
        _ => return,
    };
    let message = match of {
        "cpu" if matches!(&*divisor, "1m" | "1") => return,
        "cpu" => "only divisor's values 1m and 1 are supported with the cpu resource".to_owned(),
        _ if OF_BYTES.contains(&&*divisor) => return,
        _ => format!(
            "only divisor's values {} are supported with the {of} resource",
            OF_BYTES.join(", ")
        ),
    };
    errors.invalid_text(&path.child("divisor"), resource, &message);
}
