//! Validation of the downward API: pod fields and container resources in variables and files (VA-292 to VA-295).

use super::resources;
use super::{ErrorList, Path, names};
use crate::{ObjectFieldSelector, ResourceFieldSelector};

/// Pod fields that files of a downward API volume support.
pub(super) const VOLUME_FILE_FIELDS: &[&str] = &[
    "metadata.annotations",
    "metadata.labels",
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
];
/// Pod fields that environment variables support.
pub(super) const ENV_VARIABLE_FIELDS: &[&str] = &[
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
/// All pod fields that the downward API knows.
const KNOWN_POD_FIELDS: &[&str] = &[
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
const CONTAINER_RESOURCES: [&str; 6] = [
    "limits.cpu",
    "limits.ephemeral-storage",
    "limits.memory",
    "requests.cpu",
    "requests.ephemeral-storage",
    "requests.memory",
];
const BYTE_DIVISORS: &[&str] = &[
    "1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei",
];

/// Checks a `fieldRef`: a supported field, or one key of labels or annotations.
pub(super) fn check_field_selector(
    selector: &ObjectFieldSelector,
    supported: &[&str],
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let (at, label) = (path.child("fieldPath"), &*selector.field_path);
    if label.is_empty() {
        return errors.required(&at, "");
    }
    let version = &*selector.api_version;
    if !matches!(version, "" | "v1") {
        let message = format!("error converting fieldPath: unsupported pod version: {version}");
        return errors.invalid_text(&at, label, &message);
    }
    if let Some((map, key)) = split_map_subscript(label) {
        return match map {
            "metadata.labels" => errors.invalid_name(path, key, &names::qualified_name_faults(key)),
            "metadata.annotations" => {
                let key = key.to_ascii_lowercase();
                errors.invalid_name(path, &key, &names::qualified_name_faults(&key));
            }
            _ => {
                let message = format!("error converting fieldPath: field label does not support subscript: {label}");
                errors.invalid_text(&at, label, &message);
            }
        };
    }
    if supported.contains(&label) {
        return;
    }
    if KNOWN_POD_FIELDS.contains(&label) {
        errors.unsupported_text(&at, label, supported);
    } else {
        let message = format!("error converting fieldPath: field label not supported: {label}");
        errors.invalid_text(&at, label, &message);
    }
}

/// Splits `metadata.labels['app']` into `metadata.labels` and `app`.
fn split_map_subscript(label: &str) -> Option<(&str, &str)> {
    let (map, key) = label.strip_suffix("']")?.split_once("['")?;
    (!map.is_empty()).then_some((map, key))
}

/// Checks a `resourceFieldRef`. In a file, it must include the container's name.
pub(super) fn check_resource_selector(
    selector: &ResourceFieldSelector,
    is_file: bool,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let (at, resource) = (path.child("resource"), &*selector.resource);
    let is_huge = ["limits.", "requests."]
        .iter()
        .any(|kind| resource.strip_prefix(kind).is_some_and(resources::is_huge_page));
    if is_file && selector.container_name.is_empty() {
        errors.required(&path.child("containerName"), "");
    } else if resource.is_empty() {
        errors.required(&at, "");
    } else if !CONTAINER_RESOURCES.contains(&resource) && !is_huge {
        errors.unsupported_text(&at, resource, &CONTAINER_RESOURCES);
    }
    let divisor = selector.divisor.as_ref().map(ToString::to_string);
    let Some(divisor) = divisor.filter(|divisor| divisor != "0") else {
        return;
    };
    let noun = match resource.split_once('.').map_or("", |(_, name)| name) {
        "cpu" => "cpu",
        "memory" => "memory",
        "ephemeral-storage" => "local ephemeral storage",
        _ if is_huge => "hugepages",
        _ => return,
    };
    let message = match noun {
        "cpu" if matches!(&*divisor, "1m" | "1") => return,
        "cpu" => "only divisor's values 1m and 1 are supported with the cpu resource".to_owned(),
        _ if BYTE_DIVISORS.contains(&&*divisor) => return,
        _ => format!(
            "only divisor's values {} are supported with the {noun} resource",
            BYTE_DIVISORS.join(", ")
        ),
    };
    errors.invalid_text(&path.child("divisor"), resource, &message);
}
