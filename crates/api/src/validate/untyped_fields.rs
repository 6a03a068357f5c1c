//! Validation of pod and volume fields that have no Rust type, in their JSON form.

use serde_json::Value;

use crate::PullPolicy;
use crate::untyped::{given, items, text, texts};

use super::{ErrorList, Path, names, volume};

/// Checks that a string field, if set, has one of the known values; the message lists them sorted.
pub(super) fn check_known_text_field(
    value: &Value,
    field: &str,
    known: &[&str],
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    if let Some(given) = value.get(field).and_then(Value::as_str) {
        errors.check_one_of_sorted(&path.child(field), given, known);
    }
}

/// The object that contains the volume source; PersistentVolumes have more required fields.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum VolumeSourceOwner {
    Pod,
    PersistentVolume,
}

/// Checks the fields of a volume source that has no Rust type and is stored as JSON.
pub(super) fn check_volume_source(
    name: &str,
    value: &Value,
    owner: VolumeSourceOwner,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let required: &[&str] = match name {
        "gitRepo" => &["repository"],
        "glusterfs" => &["endpoints", "path"],
        "flexVolume" => &["driver"],
        "cinder" => &["volumeID"],
        "azureFile" => &["secretName", "shareName"],
        "azureDisk" => &["diskName", "diskURI"],
        "vsphereVolume" => &["volumePath"],
        "photonPersistentDisk" => &["pdID"],
        "portworxVolume" => &["volumeID"],
        "scaleIO" => &["gateway", "system", "volumeName"],
        "image" => &["reference"],
        "storageos" => &["volumeName"],
        _ => &[],
    };
    for field in required {
        if text(value, field).is_empty() {
            errors.required(&path.child(field), "");
        }
    }
    match name {
        "gitRepo" => volume::check_local_descending_path(text(value, "directory"), &path.child("directory"), errors),
        "cephfs" if items(value, "monitors").next().is_none() => errors.required(&path.child("monitors"), ""),
        "fc" => check_fibre_channel(value, path, errors),
        "flocker" => check_flocker(value, path, errors),
        "quobyte" => check_quobyte(value, path, errors),
        "flexVolume" => check_flex_volume_options(value, path, errors),
        "azureDisk" => check_azure_disk(value, path, errors),
        "azureFile"
            if owner == VolumeSourceOwner::PersistentVolume
                && value.get("secretNamespace").and_then(Value::as_str) == Some("") =>
        {
            errors.required(&path.child("secretNamespace"), "");
        }
        "glusterfs" if owner == VolumeSourceOwner::PersistentVolume => {
            let path = path.child("endpointsNamespace");
            match value.get("endpointsNamespace").and_then(Value::as_str) {
                Some("") => {
                    let message = "if the endpointnamespace is set, it must be a valid namespace name";
                    errors.invalid_text(&path, "", message);
                }
                Some(namespace) => errors.invalid_name(&path, namespace, &names::label_faults(namespace)),
                None => {}
            }
        }
        "storageos" => {
            for field in ["volumeName", "volumeNamespace"] {
                let given = text(value, field);
                if !given.is_empty() {
                    errors.invalid_name(&path.child(field), given, &names::label_faults(given));
                }
            }
        }
        "image" => check_known_text_field(value, "pullPolicy", PullPolicy::KNOWN, path, errors),
        _ => {}
    }
    if matches!(name, "cinder" | "storageos")
        && let Some(secret) = given(value, "secretRef")
    {
        let path = path.child("secretRef");
        let fields: &[&str] = match owner {
            VolumeSourceOwner::Pod => &["name"],
            VolumeSourceOwner::PersistentVolume => &["name", "namespace"],
        };
        for field in fields.iter().filter(|field| text(secret, field).is_empty()) {
            errors.required(&path.child(field), "");
        }
    }
}

fn check_fibre_channel(value: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    let is_empty = |field: &str| items(value, field).next().is_none();
    let names_path = path.child("targetWWNs");
    match (is_empty("targetWWNs"), is_empty("wwids")) {
        (true, true) => errors.required(&names_path, "must specify either targetWWNs or wwids, but not both"),
        (false, false) => {
            let value = value.get("targetWWNs").map_or_else(String::new, ToString::to_string);
            let message = "targetWWNs and wwids can not be specified simultaneously";
            errors.invalid(&names_path, value, message);
        }
        _ => {}
    }
    if !is_empty("targetWWNs") {
        match value.get("lun").and_then(Value::as_i64) {
            None => errors.required(&path.child("lun"), "lun is required if targetWWNs is specified"),
            Some(lun) if !(0..=255).contains(&lun) => {
                errors.invalid(&path.child("lun"), lun, &names::out_of_range_message(0, 255));
            }
            Some(_) => {}
        }
    }
}

fn check_flocker(value: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    let name = text(value, "datasetName");
    match (name.is_empty(), text(value, "datasetUUID").is_empty()) {
        (true, true) => errors.required(path, "one of datasetName and datasetUUID is required"),
        (false, false) => {
            let message = "datasetName and datasetUUID can not be specified simultaneously";
            errors.invalid_text(path, "resource", message);
        }
        _ => {}
    }
    if name.contains('/') {
        errors.invalid_text(&path.child("datasetName"), name, "must not contain '/'");
    }
}

fn check_quobyte(value: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    const INVALID_REGISTRY: &str = "must be a host:port pair or multiple pairs separated by commas";
    let registry = text(value, "registry");
    if registry.is_empty() {
        errors.required(&path.child("registry"), INVALID_REGISTRY);
    } else if text(value, "tenant").len() >= 65 {
        let message = "must be a UUID and may not exceed a length of 64 characters";
        errors.required(&path.child("tenant"), message);
    } else {
        for pair in registry.split(',') {
            let is_pair = match pair.strip_prefix('[') {
                Some(rest) => rest.split_once("]:").is_some(),
                None => pair.matches(':').count() == 1,
            };
            if !is_pair {
                errors.invalid_text(&path.child("registry"), registry, INVALID_REGISTRY);
            }
        }
    }
    if text(value, "volume").is_empty() {
        errors.required(&path.child("volume"), "");
    }
}

fn check_flex_volume_options(value: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    let options = value.get("options").and_then(Value::as_object);
    for key in options.into_iter().flat_map(serde_json::Map::keys) {
        let owner = key.split_once('/').map_or(key.as_str(), |(owner, _)| owner);
        let owner = format!(".{}", owner.to_ascii_lowercase());
        if [".kubernetes.io", ".k8s.io"]
            .iter()
            .any(|suffix| owner.ends_with(suffix))
        {
            let message = "kubernetes.io and k8s.io namespaces are reserved";
            errors.invalid_text(&path.child("options").key(key), key, message);
        }
    }
}

fn check_azure_disk(value: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    const MANAGED_DISK_URI_FORM: &str =
        "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}";
    const BLOB_URI_FORM: &str = "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd";
    check_known_text_field(value, "cachingMode", &["None", "ReadOnly", "ReadWrite"], path, errors);
    check_known_text_field(value, "kind", &["Dedicated", "Managed", "Shared"], path, errors);
    let address = text(value, "diskURI");
    match value.get("kind").and_then(Value::as_str) {
        Some("Managed") if !address.starts_with("/subscriptions/") => {
            errors.unsupported_text(&path.child("diskURI"), address, &[MANAGED_DISK_URI_FORM]);
        }
        Some(kind) if kind != "Managed" && !address.starts_with("https://") => {
            errors.unsupported_text(&path.child("diskURI"), address, &[BLOB_URI_FORM]);
        }
        _ => {}
    }
}

/// Checks the DNS configuration of a pod.
pub(super) fn check_dns_config(policy: &str, config: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    const MAX_DNS_SERVERS: usize = 3;
    const MAX_SEARCH_DOMAINS: usize = 32;
    const MAX_SEARCH_LIST_CHARS: usize = 2048;
    let servers = texts(config, "nameservers");
    if policy == "None" && servers.is_empty() {
        let message = "must provide at least one DNS nameserver when `dnsPolicy` is None";
        return errors.required(&path.child("nameservers"), message);
    }
    let all = |field: &str| config.get(field).map_or_else(String::new, ToString::to_string);
    let list = path.child("nameservers");
    if servers.len() > MAX_DNS_SERVERS {
        let message = format!("must not have more than {MAX_DNS_SERVERS} nameservers");
        errors.invalid(&list, all("nameservers"), &message);
    }
    for (index, server) in servers.iter().enumerate() {
        if let Some(problem) = names::ip_problem(server) {
            errors.invalid_text(&list.index(index), server, problem);
        }
    }
    let list = path.child("searches");
    let searches = texts(config, "searches");
    if searches.len() > MAX_SEARCH_DOMAINS {
        let message = format!("must not have more than {MAX_SEARCH_DOMAINS} search paths");
        errors.invalid(&list, all("searches"), &message);
    }
    if searches.join(" ").len() > MAX_SEARCH_LIST_CHARS {
        let message =
            format!("must not have more than {MAX_SEARCH_LIST_CHARS} characters (including spaces) in the search list");
        errors.invalid(&list, all("searches"), &message);
    }
    for (index, search) in searches.iter().enumerate().filter(|(_, search)| **search != ".") {
        let domain = search.strip_suffix('.').unwrap_or(search);
        errors.invalid_name(&list.index(index), domain, &names::search_domain_faults(domain));
    }
    let list = path.child("options");
    for (index, option) in items(config, "options") {
        if text(option, "name").is_empty() {
            errors.required(&list.index(index), "must not be empty");
        }
    }
}
