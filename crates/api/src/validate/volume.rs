//! Validation of pod volumes (VA-127 to VA-142).

use serde_json::Value;

use crate::untyped::{given, is_true, text};
use crate::{KeyToPath, ObjectMeta, PodSpec, Volume, ordered};

use super::error_list::quoted;
use super::mounts::ValidVolumes;
use super::{ErrorList, Path, downward_api, meta, names, untyped_fields};

const MORE_THAN_ONE_VOLUME_TYPE: &str = "may not specify more than 1 volume type";

/// Validates the volumes of a pod or template and returns the valid ones. `value` is the spec in JSON form; `pod` is
/// the pod's name, empty for a template.
pub(super) fn validate<'v>(
    spec: &'v PodSpec,
    value: &Value,
    pod: &str,
    path: &Path<'_>,
    errors: &mut ErrorList,
) -> ValidVolumes<'v> {
    let mut known = ValidVolumes::default();
    let created_claims: ordered::Set<String> = spec
        .volumes
        .iter()
        .filter(|volume| volume.ephemeral.is_some() && !pod.is_empty())
        .map(|volume| format!("{pod}-{}", volume.name))
        .collect();
    for (index, volume) in spec.volumes.iter().enumerate() {
        let at = path.index(index);
        let before = errors.len();
        let volume_json = value.pointer(&format!("/volumes/{index}")).unwrap_or(&Value::Null);
        check_single_volume_source(volume, volume_json, pod, &at, errors);
        let name = at.child("name");
        if volume.name.is_empty() {
            errors.required(&name, "");
        } else {
            errors.invalid_name(&name, &volume.name, &names::label_faults(&volume.name));
        }
        if known.contains_key(&*volume.name) {
            errors.duplicate(&name, quoted(&volume.name), "");
        }
        if errors.len() == before {
            known.insert(&volume.name, volume);
        }
        if let Some(claim) = &volume.persistent_volume_claim
            && created_claims.contains(&*claim.claim_name)
        {
            let message = "must not reference a PVC that gets created for an ephemeral volume";
            let at = at.child("persistentVolumeClaim");
            errors.invalid_text(&at.child("claimName"), &claim.claim_name, message);
        }
    }
    known
}

fn check_single_volume_source(
    volume: &Volume,
    volume_json: &Value,
    pod: &str,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let mut is_first = true;
    for name in volume.volume_source_names() {
        if is_first {
            is_first = false;
            check_volume_source_fields(volume, name, volume_json, path, errors);
        } else {
            // For two volume sources, the API server's messages use another spelling.
            let name = match name {
                "cephfs" => "cephFS",
                "downwardAPI" => "downwarAPI",
                name => name,
            };
            errors.forbidden(&path.child(name), MORE_THAN_ONE_VOLUME_TYPE);
        }
        if let ("iscsi", Some(target)) = (name, &volume.iscsi)
            && volume_json
                .pointer("/iscsi/initiatorName")
                .is_some_and(Value::is_string)
            && volume.name.len() + 1 + target.target_portal.len() > MAX_NAME_AND_PORTAL_BYTES
        {
            errors.invalid_text(&path.child("name"), &volume.name, NAME_AND_PORTAL_TOO_LONG);
        }
    }
    if let Some(source) = &volume.ephemeral
        && volume.volume_source_names().next() == Some("ephemeral")
        && source.volume_claim_template.is_some()
        && !pod.is_empty()
        && !volume.name.is_empty()
    {
        let claim = format!("{pod}-{}", volume.name);
        for problem in names::subdomain_faults(&claim) {
            let fault = names::join_faults(&[problem], &format!("PVC name {}: ", quoted(&claim)), "");
            errors.invalid_name(&path.child("name"), &volume.name, &[fault]);
        }
    }
    if is_first {
        errors.required(path, "must specify a volume type");
    }
}

/// Maximum length of the text that consists of volume name, colon and target portal, in bytes.
pub(super) const MAX_NAME_AND_PORTAL_BYTES: usize = 64;
pub(super) const NAME_AND_PORTAL_TOO_LONG: &str = "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.";

fn check_volume_source_fields(
    volume: &Volume,
    name: &str,
    volume_json: &Value,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let enclosing_path = path;
    let path = path.child(name);
    let source_json = volume_json.get(name).unwrap_or(&Value::Null);
    let required = |field: &str, value: &str, errors: &mut ErrorList| {
        if value.is_empty() {
            errors.required(&path.child(field), "");
        }
    };
    if let ("emptyDir", Some(source)) = (name, &volume.empty_dir) {
        if source.size_limit.is_some_and(|limit| limit.sign() < 0) {
            errors.forbidden(
                &path.child("sizeLimit"),
                "SizeLimit field must be a valid resource quantity",
            );
        }
    } else if let ("hostPath", Some(source)) = (name, &volume.host_path) {
        validate_host_path(source, &path, errors);
    } else if let ("persistentVolumeClaim", Some(source)) = (name, &volume.persistent_volume_claim) {
        required("claimName", &source.claim_name, errors);
    } else if let ("configMap", Some(source)) = (name, &volume.config_map) {
        required("name", &source.name, errors);
        check_file_modes_and_paths(source.default_mode, &source.items, &path, errors);
    } else if let ("secret", Some(source)) = (name, &volume.secret) {
        required("secretName", &source.secret_name, errors);
        check_file_modes_and_paths(source.default_mode, &source.items, &path, errors);
    } else if let ("projected", Some(source)) = (name, &volume.projected) {
        check_file_modes_and_paths(source.default_mode, &[], &path, errors);
        check_projected_sources(&source.sources, &path, errors);
    } else if let ("downwardAPI", Some(source)) = (name, &volume.downward_api) {
        check_file_modes_and_paths(source.default_mode, &[], &path, errors);
        // The API server reports the path of the volume source, not of the file.
        for file in &source.items {
            check_downward_file(file, &path, errors);
        }
    } else if let ("nfs", Some(source)) = (name, &volume.nfs) {
        validate_nfs(source, &path, errors);
    } else if let ("iscsi", Some(source)) = (name, &volume.iscsi) {
        validate_iscsi(source, source_json, false, &path, errors);
    } else if let ("gcePersistentDisk", Some(source)) = (name, &volume.gce_persistent_disk) {
        validate_gce_disk(source, source_json, enclosing_path, errors);
    } else if let ("awsElasticBlockStore", Some(source)) = (name, &volume.aws_elastic_block_store) {
        validate_aws_disk(source, &path, errors);
    } else if let ("rbd", Some(source)) = (name, &volume.rbd) {
        validate_rbd(source, &path, errors);
    } else if let ("csi", Some(source)) = (name, &volume.csi) {
        check_csi_driver_name(&source.driver, &path.child("driver"), errors);
        if let Some(secret) = &source.node_publish_secret_ref {
            if secret.name.is_empty() {
                errors.required(&path.child("nodePublishSecretRef").child("name"), "");
            } else {
                errors.invalid_name(
                    &path.child("name"),
                    &secret.name,
                    &names::subdomain_faults(&secret.name),
                );
            }
        }
    } else if let ("ephemeral", Some(source)) = (name, &volume.ephemeral) {
        let path = path.child("volumeClaimTemplate");
        match &source.volume_claim_template {
            None => errors.required(&path, ""),
            Some(template) => {
                check_ephemeral_claim_metadata(&template.metadata, &path.child("metadata"), errors);
                super::storage::validate_claim_spec(&template.spec, &path.child("spec"), errors);
            }
        }
    } else if let Some(value) = untyped_volume_source(volume, name) {
        untyped_fields::check_volume_source(name, value, untyped_fields::VolumeSourceOwner::Pod, &path, errors);
    }
}

/// Checks the metadata of an ephemeral volume's claim template: only labels and annotations may be set.
fn check_ephemeral_claim_metadata(given: &ObjectMeta, path: &Path<'_>, errors: &mut ErrorList) {
    meta::check_annotations(&given.annotations, &path.child("annotations"), errors);
    meta::check_labels(&given.labels, &path.child("labels"), errors);
    for (field, is_given) in [
        ("name", !given.name.is_empty()),
        ("generateName", !given.generate_name.is_empty()),
        ("namespace", !given.namespace.is_empty()),
        ("ownerReferences", !given.owner_references.is_empty()),
        ("finalizers", !given.finalizers.is_empty()),
    ] {
        if is_given {
            errors.forbidden(&path.child(field), "cannot be set");
        }
    }
}

/// Returns a volume source that has no Rust type and is stored as JSON.
fn untyped_volume_source<'v>(volume: &'v Volume, name: &str) -> Option<&'v serde_json::Value> {
    let source = match name {
        "gitRepo" => &volume.git_repo,
        "glusterfs" => &volume.glusterfs,
        "flexVolume" => &volume.flex_volume,
        "cinder" => &volume.cinder,
        "cephfs" => &volume.cephfs,
        "flocker" => &volume.flocker,
        "fc" => &volume.fc,
        "azureFile" => &volume.azure_file,
        "azureDisk" => &volume.azure_disk,
        "vsphereVolume" => &volume.vsphere_volume,
        "quobyte" => &volume.quobyte,
        "photonPersistentDisk" => &volume.photon_persistent_disk,
        "portworxVolume" => &volume.portworx_volume,
        "scaleIO" => &volume.scale_io,
        "storageos" => &volume.storageos,
        "image" => &volume.image,
        _ => return None,
    };
    source.as_deref()
}

fn check_downward_file(file: &crate::DownwardFile, path: &Path<'_>, errors: &mut ErrorList) {
    if file.path.is_empty() {
        errors.required(&path.child("path"), "");
    }
    check_local_path(&file.path, &path.child("path"), errors);
    match (&file.field_ref, &file.resource_field_ref) {
        (None, None) => errors.required(path, "one of fieldRef and resourceFieldRef is required"),
        (Some(field), resource) => {
            downward_api::check_field_selector(
                field,
                downward_api::VOLUME_FILE_FIELDS,
                &path.child("fieldRef"),
                errors,
            );
            if resource.is_some() {
                let message = "fieldRef and resourceFieldRef can not be specified simultaneously";
                errors.invalid_text(path, "resource", message);
            }
        }
        (None, Some(resource)) => {
            downward_api::check_resource_selector(resource, true, &path.child("resourceFieldRef"), errors)
        }
    }
    if let Some(mode) = file.mode.filter(|mode| !(0..=0o777).contains(mode)) {
        errors.invalid(&path.child("mode"), mode, INVALID_FILE_MODE);
    }
}

/// Checks the sources of a projected volume; all file paths must differ (VA-296).
fn check_projected_sources(sources: &[crate::VolumeProjection], volume: &Path<'_>, errors: &mut ErrorList) {
    const CONFLICTING_PATHS: &str = "conflicting duplicate paths";
    let (list, mut paths) = (volume.child("sources"), ordered::Set::new());
    for (index, source) in sources.iter().enumerate() {
        let path = list.index(index);
        for (field, projection) in [("secret", &source.secret), ("configMap", &source.config_map)] {
            let Some(projection) = projection else { continue };
            let path = path.child(field);
            if projection.name.is_empty() {
                errors.required(&path.child("name"), "");
            }
            let items = path.child("items");
            for (index, item) in projection.items.iter().enumerate() {
                check_key_to_path(item, &items.index(index), errors);
                if !item.path.is_empty() && !paths.insert(&*item.path) {
                    errors.invalid_text(volume, &projection.name, CONFLICTING_PATHS);
                }
            }
        }
        for file in source.downward_api.iter().flat_map(|files| &files.items) {
            check_downward_file(file, &path.child("downwardAPI"), errors);
            if !file.path.is_empty() && !paths.insert(&*file.path) {
                errors.invalid_text(volume, &file.path, CONFLICTING_PATHS);
            }
        }
        if let Some(token) = &source.service_account_token {
            let path = path.child("serviceAccountToken");
            if let Some(seconds) = token.expiration_seconds {
                if seconds < 600 {
                    let message = "may not specify a duration less than 10 minutes";
                    errors.invalid(&path.child("expirationSeconds"), seconds, message);
                } else if seconds > 1 << 32 {
                    let message = "may not specify a duration larger than 2^32 seconds";
                    errors.invalid(&path.child("expirationSeconds"), seconds, message);
                }
            }
            // The API server reports the path of the volume, not of the volume source.
            if token.path.is_empty() {
                errors.required(&volume.child("path"), "");
            } else {
                check_local_path(&token.path, &volume.child("path"), errors);
            }
        }
        let given = [
            source.secret.is_some(),
            source.config_map.is_some(),
            source.downward_api.is_some(),
            source.service_account_token.is_some(),
        ];
        if given.iter().filter(|is_given| **is_given).count() > 1 {
            errors.forbidden(&path, "may not specify more than 1 volume type per source");
        }
    }
}

const INVALID_FILE_MODE: &str = "must be a number between 0 and 0777 (octal), both inclusive";

/// Values of a hostPath volume's `type`; sorted, because error messages list them sorted.
pub const HOST_PATH_TYPES: &[&str] = &[
    "",
    "BlockDevice",
    "CharDevice",
    "Directory",
    "DirectoryOrCreate",
    "File",
    "FileOrCreate",
    "Socket",
];

pub(super) fn validate_host_path(source: &crate::HostPathVolume, path: &Path<'_>, errors: &mut ErrorList) {
    if source.path.is_empty() {
        return errors.required(&path.child("path"), "");
    }
    check_no_backsteps(&source.path, &path.child("path"), errors);
    if let Some(kind) = &source.kind
        && !HOST_PATH_TYPES.contains(&&**kind)
    {
        errors.unsupported_text(&path.child("type"), kind, HOST_PATH_TYPES);
    }
}

pub(super) fn validate_nfs(source: &crate::NfsVolume, path: &Path<'_>, errors: &mut ErrorList) {
    if source.server.is_empty() {
        errors.required(&path.child("server"), "");
    }
    if source.path.is_empty() {
        errors.required(&path.child("path"), "");
    }
    if !source.path.starts_with('/') {
        errors.invalid_text(&path.child("path"), &source.path, "must be an absolute path");
    }
}

/// Validates an iSCSI source; `source_json` is the source in JSON form. In a PersistentVolume, the message for an
/// invalid name is shorter.
pub(super) fn validate_iscsi(
    source: &crate::IscsiVolume,
    source_json: &Value,
    in_persistent_volume: bool,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    const INVALID_FORMAT: &str = "must be valid format";
    let begin = match in_persistent_volume {
        true => INVALID_FORMAT,
        false => "must be valid format starting with iqn, eui, or naa",
    };
    let has_valid_prefix = |name: &str| ["iqn", "eui", "naa"].iter().any(|prefix| name.starts_with(prefix));
    if source.target_portal.is_empty() {
        errors.required(&path.child("targetPortal"), "");
    }
    let iqn = path.child("iqn");
    if source.iqn.is_empty() {
        errors.required(&iqn, "");
    } else if !has_valid_prefix(&source.iqn) {
        errors.invalid_text(&iqn, &source.iqn, begin);
    } else if !is_qualified_iscsi_name(&source.iqn) {
        errors.invalid_text(&iqn, &source.iqn, INVALID_FORMAT);
    }
    if !(0..=255).contains(&source.lun) {
        errors.invalid(&path.child("lun"), source.lun, &names::out_of_range_message(0, 255));
    }
    let secret = path.child("secretRef");
    let uses_chap = ["chapAuthDiscovery", "chapAuthSession"]
        .iter()
        .any(|field| is_true(source_json, field));
    match given(source_json, "secretRef") {
        None if uses_chap => errors.required(&secret, ""),
        Some(value) if in_persistent_volume && text(value, "name").is_empty() => {
            errors.required(&secret.child("name"), "")
        }
        _ => {}
    }
    if let Some(initiator) = source_json.get("initiatorName").and_then(Value::as_str) {
        let path = path.child("initiatorname");
        if !has_valid_prefix(initiator) {
            errors.invalid_text(&path, initiator, begin);
        } else if !is_qualified_iscsi_name(initiator) {
            errors.invalid_text(&path, initiator, INVALID_FORMAT);
        }
    }
}

/// Returns whether the text is `iqn.YYYY-MM.reversed.domain:name`, `eui.` with 16 characters, or `naa.` with 32.
fn is_qualified_iscsi_name(name: &str) -> bool {
    let has = |text: &str, length: usize| {
        text.len() == length + 4 && text.bytes().skip(4).all(|byte| byte.is_ascii_alphanumeric())
    };
    if name.starts_with("eui") {
        return has(name, 16);
    }
    if name.starts_with("naa") {
        return has(name, 32);
    }
    let Some(rest) = name.find("iqn.").and_then(|at| name.get(at + 4..)) else {
        return false;
    };
    let (date, rest) = rest.as_bytes().split_at(rest.len().min(8));
    let Some(colon) = rest.iter().position(|byte| *byte == b':') else {
        return false;
    };
    let (domain, own) = rest.split_at(colon);
    matches!(date, [y1, y2, y3, y4, b'-', m1, m2, b'.'] if [y1, y2, y3, y4, m1, m2].iter().all(|byte| byte.is_ascii_digit()))
        && !domain.is_empty()
        && domain
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.'))
        && own.len() > 1
        && !own
            .iter()
            .any(|byte| matches!(byte, b',' | b';' | b'*' | b'&' | b'$' | b'|') || byte.is_ascii_whitespace())
}

/// Validates a GCE disk. As in the API server, error paths contain `persistentDisk` instead of `gcePersistentDisk`
/// (VA-141). `enclosing_path` is the path of the struct that contains the volume source.
pub(super) fn validate_gce_disk(
    source: &crate::GceDiskVolume,
    source_json: &Value,
    enclosing_path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let path = enclosing_path.child("persistentDisk");
    if source.pd_name.is_empty() {
        errors.required(&path.child("pdName"), "");
    }
    if let Some(partition) = source_json.get("partition").and_then(Value::as_i64)
        && !(0..=255).contains(&partition)
    {
        errors.invalid(
            &path.child("partition"),
            partition,
            &names::out_of_range_message(1, 255),
        );
    }
}

pub(super) fn validate_aws_disk(source: &crate::AwsDiskVolume, path: &Path<'_>, errors: &mut ErrorList) {
    if source.volume_id.is_empty() {
        errors.required(&path.child("volumeID"), "");
    }
    let partition = source.partition.unwrap_or(0);
    if !(0..=255).contains(&partition) {
        errors.invalid(
            &path.child("partition"),
            partition,
            &names::out_of_range_message(1, 255),
        );
    }
}

pub(super) fn validate_rbd(source: &crate::RbdVolume, path: &Path<'_>, errors: &mut ErrorList) {
    if source.monitors.is_empty() {
        errors.required(&path.child("monitors"), "");
    }
    if source.image.is_empty() {
        errors.required(&path.child("image"), "");
    }
}

/// Checks the name of a CSI driver (VA-138).
pub(super) fn check_csi_driver_name(driver: &str, path: &Path<'_>, errors: &mut ErrorList) {
    if driver.is_empty() {
        errors.required(path, "");
        return;
    }
    if driver.len() > 63 {
        errors.too_long(path, 63);
    }
    errors.invalid_name(path, driver, &names::subdomain_faults(&driver.to_ascii_lowercase()));
}

fn check_file_modes_and_paths(default_mode: Option<i32>, items: &[KeyToPath], path: &Path<'_>, errors: &mut ErrorList) {
    if let Some(mode) = default_mode.filter(|mode| !(0..=0o777).contains(mode)) {
        errors.invalid(&path.child("defaultMode"), mode, INVALID_FILE_MODE);
    }
    let list = path.child("items");
    for (index, item) in items.iter().enumerate() {
        check_key_to_path(item, &list.index(index), errors);
    }
}

fn check_key_to_path(item: &KeyToPath, path: &Path<'_>, errors: &mut ErrorList) {
    if item.key.is_empty() {
        errors.required(&path.child("key"), "");
    }
    if item.path.is_empty() {
        errors.required(&path.child("path"), "");
    }
    check_local_path(&item.path, &path.child("path"), errors);
    if let Some(mode) = item.mode.filter(|mode| !(0..=0o777).contains(mode)) {
        errors.invalid(&path.child("mode"), mode, INVALID_FILE_MODE);
    }
}

/// Checks that a path is relative, contains no part `..`, and does not begin with two dots (such as `..data`).
fn check_local_path(target: &str, path: &Path<'_>, errors: &mut ErrorList) {
    check_local_descending_path(target, path, errors);
    if target.starts_with("..") && !target.starts_with("../") {
        errors.invalid_text(path, target, "must not start with '..'");
    }
}

/// Checks that a path is relative and contains no part `..`.
pub(super) fn check_local_descending_path(target: &str, path: &Path<'_>, errors: &mut ErrorList) {
    if target.starts_with('/') {
        errors.invalid_text(path, target, "must be a relative path");
    }
    check_no_backsteps(target, path, errors);
}

/// Checks that a path contains no part `..` (Go's `validatePathNoBacksteps`).
pub(super) fn check_no_backsteps(target: &str, path: &Path<'_>, errors: &mut ErrorList) {
    if !has_no_backsteps(target) {
        errors.invalid_text(path, target, "must not contain '..'");
    }
}

/// Returns whether no part of a path is `..`.
pub(super) fn has_no_backsteps(target: &str) -> bool {
    target.split('/').all(|part| part != "..")
}
