//! Volumes of a pod (VA-127 to VA-142).

use crate::ordered;

use crate::{KeyToPath, PodSpec, Volume};

use super::list::quoted;
use super::{ErrorList, Path, names};

pub(super) fn validate(spec: &PodSpec, path: &Path<'_>, errors: &mut ErrorList) {
    let mut known = ordered::Set::new();
    for (index, volume) in spec.volumes.iter().enumerate() {
        let path = path.index(index);
        source(volume, &path, errors);
        let name = path.child("name");
        if volume.name.is_empty() {
            errors.required(&name, "");
        } else {
            let messages = names::label(&volume.name);
            errors.each_invalid(&name, &volume.name, &messages);
            if messages.is_empty() && !known.insert(&*volume.name) {
                errors.duplicate(&name, quoted(&volume.name), "");
            }
        }
    }
}

fn source(volume: &Volume, path: &Path<'_>, errors: &mut ErrorList) {
    let mut is_first = true;
    for name in volume.sources() {
        if is_first {
            is_first = false;
            one_source(volume, name, path, errors);
        } else {
            errors.forbidden(&path.child(name), "may not specify more than 1 volume type");
        }
    }
    if is_first {
        errors.required(path, "must specify a volume type");
    }
}

fn one_source(volume: &Volume, name: &str, path: &Path<'_>, errors: &mut ErrorList) {
    let path = path.child(name);
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
        host_path(source, &path, errors);
    } else if let ("persistentVolumeClaim", Some(source)) = (name, &volume.persistent_volume_claim) {
        required("claimName", &source.claim_name, errors);
    } else if let ("configMap", Some(source)) = (name, &volume.config_map) {
        required("name", &source.name, errors);
        files(source.default_mode, &source.items, &path, errors);
    } else if let ("secret", Some(source)) = (name, &volume.secret) {
        required("secretName", &source.secret_name, errors);
        files(source.default_mode, &source.items, &path, errors);
    } else if let ("projected", Some(source)) = (name, &volume.projected) {
        files(source.default_mode, &[], &path, errors);
        projections(&source.sources, &path.child("sources"), errors);
    } else if let ("downwardAPI", Some(source)) = (name, &volume.downward_api) {
        files(source.default_mode, &[], &path, errors);
        // Its files are named by the source.
        for file in &source.items {
            downward_file(file, &path, errors);
        }
    } else if let ("nfs", Some(source)) = (name, &volume.nfs) {
        nfs(source, &path, errors);
    } else if let ("iscsi", Some(source)) = (name, &volume.iscsi) {
        iscsi(source, &path, errors);
    } else if let ("gcePersistentDisk", Some(source)) = (name, &volume.gce_persistent_disk) {
        // VA-141: the path segment really is another name.
        if source.pd_name.is_empty()
            && let Some(parent) = path.parent()
        {
            errors.required(&parent.child("persistentDisk").child("pdName"), "");
        }
    } else if let ("awsElasticBlockStore", Some(source)) = (name, &volume.aws_elastic_block_store) {
        aws(source, &path, errors);
    } else if let ("rbd", Some(source)) = (name, &volume.rbd) {
        rbd(source, &path, errors);
    } else if let ("csi", Some(source)) = (name, &volume.csi) {
        csi_driver(&source.driver, &path.child("driver"), errors);
        if source
            .node_publish_secret_ref
            .as_ref()
            .is_some_and(|secret| secret.name.is_empty())
        {
            errors.required(&path.child("nodePublishSecretRef").child("name"), "");
        }
    } else if let ("ephemeral", Some(source)) = (name, &volume.ephemeral) {
        let path = path.child("volumeClaimTemplate");
        match &source.volume_claim_template {
            None => errors.required(&path, ""),
            Some(template) => super::storage::claim_spec(&template.spec, &path.child("spec"), errors),
        }
    } else if let Some(value) = kept_source(volume, name) {
        super::untyped::source(name, value, &path, errors);
    }
}

/// A source that nothing reads.
fn kept_source<'v>(volume: &'v Volume, name: &str) -> Option<&'v serde_json::Value> {
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

fn downward_file(file: &crate::DownwardFile, path: &Path<'_>, errors: &mut ErrorList) {
    if file.path.is_empty() {
        errors.required(&path.child("path"), "");
    }
    local_descending_path(&file.path, &path.child("path"), errors);
    match (&file.field_ref, &file.resource_field_ref) {
        (None, None) => errors.required(path, "one of fieldRef and resourceFieldRef is required"),
        (Some(_), Some(_)) => {
            let message = "fieldRef and resourceFieldRef can not be specified simultaneously";
            errors.invalid_text(path, "resource", message);
        }
        (None, Some(resource)) if resource.container_name.is_empty() => {
            errors.required(&path.child("resourceFieldRef").child("containerName"), "");
        }
        _ => {}
    }
    if let Some(mode) = file.mode.filter(|mode| !(0..=0o777).contains(mode)) {
        errors.invalid(&path.child("mode"), mode, MODE);
    }
}

fn projections(sources: &[crate::VolumeProjection], path: &Path<'_>, errors: &mut ErrorList) {
    for (index, source) in sources.iter().enumerate() {
        let path = path.index(index);
        for (field, projection) in [("secret", &source.secret), ("configMap", &source.config_map)] {
            let Some(projection) = projection else { continue };
            let path = path.child(field);
            if projection.name.is_empty() {
                errors.required(&path.child("name"), "");
            }
            files(None, &projection.items, &path, errors);
        }
        for file in source.downward_api.iter().flat_map(|files| &files.items) {
            downward_file(file, &path.child("downwardAPI"), errors);
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
            if token.path.is_empty() {
                errors.required(&path.child("path"), "");
            }
        }
    }
}

const MODE: &str = "must be a number between 0 and 0777 (octal), both inclusive";

pub(super) fn host_path(source: &crate::HostPathVolume, path: &Path<'_>, errors: &mut ErrorList) {
    const TYPES: [&str; 8] = [
        "",
        "BlockDevice",
        "CharDevice",
        "Directory",
        "DirectoryOrCreate",
        "File",
        "FileOrCreate",
        "Socket",
    ];
    if source.path.is_empty() {
        errors.required(&path.child("path"), "");
    } else {
        no_backsteps(&source.path, &path.child("path"), errors);
    }
    if let Some(kind) = &source.kind
        && !TYPES.contains(&&**kind)
    {
        errors.unsupported_text(&path.child("type"), kind, &TYPES);
    }
}

pub(super) fn nfs(source: &crate::NfsVolume, path: &Path<'_>, errors: &mut ErrorList) {
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

pub(super) fn iscsi(source: &crate::IscsiVolume, path: &Path<'_>, errors: &mut ErrorList) {
    if source.target_portal.is_empty() {
        errors.required(&path.child("targetPortal"), "");
    }
    let iqn = path.child("iqn");
    if source.iqn.is_empty() {
        errors.required(&iqn, "");
    } else if !["iqn", "eui", "naa"]
        .iter()
        .any(|prefix| source.iqn.starts_with(prefix))
    {
        errors.invalid_text(&iqn, &source.iqn, "must be valid format starting with iqn, eui, or naa");
    } else if !is_qualified_iscsi_name(&source.iqn) {
        errors.invalid_text(&iqn, &source.iqn, "must be valid format");
    }
    if !(0..=255).contains(&source.lun) {
        errors.invalid(&path.child("lun"), source.lun, &names::range_text(0, 255));
    }
}

/// `iqn.YYYY-MM.reversed.domain[:name]`, `eui.` with 16 hexadecimal digits, `naa.` with 16 or 32.
fn is_qualified_iscsi_name(name: &str) -> bool {
    let hex = |text: &str, lengths: &[usize]| {
        lengths.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    if let Some(rest) = name.strip_prefix("iqn.") {
        let bytes = rest.as_bytes();
        return bytes.len() > 8
            && bytes[..4].iter().all(u8::is_ascii_digit)
            && bytes[4] == b'-'
            && bytes[5..7].iter().all(u8::is_ascii_digit)
            && bytes[7] == b'.';
    }
    if let Some(rest) = name.strip_prefix("eui.") {
        return hex(rest, &[16]);
    }
    name.strip_prefix("naa.").is_some_and(|rest| hex(rest, &[16, 32]))
}

pub(super) fn aws(source: &crate::AwsDiskVolume, path: &Path<'_>, errors: &mut ErrorList) {
    if source.volume_id.is_empty() {
        errors.required(&path.child("volumeID"), "");
    }
    let partition = source.partition.unwrap_or(0);
    if !(0..=255).contains(&partition) {
        errors.invalid(&path.child("partition"), partition, &names::range_text(1, 255));
    }
}

pub(super) fn rbd(source: &crate::RbdVolume, path: &Path<'_>, errors: &mut ErrorList) {
    if source.monitors.is_empty() {
        errors.required(&path.child("monitors"), "");
    }
    if source.image.is_empty() {
        errors.required(&path.child("image"), "");
    }
}

/// VA-138.
pub(super) fn csi_driver(driver: &str, path: &Path<'_>, errors: &mut ErrorList) {
    if driver.is_empty() {
        errors.required(path, "");
        return;
    }
    if driver.len() > 63 {
        errors.too_long(path, 63);
    }
    errors.each_invalid(path, driver, &names::subdomain(&driver.to_ascii_lowercase()));
}

fn files(default_mode: Option<i32>, items: &[KeyToPath], path: &Path<'_>, errors: &mut ErrorList) {
    let bad = |mode: i32| !(0..=0o777).contains(&mode);
    if let Some(mode) = default_mode.filter(|mode| bad(*mode)) {
        errors.invalid(&path.child("defaultMode"), mode, MODE);
    }
    let list = path.child("items");
    for (index, item) in items.iter().enumerate() {
        let path = list.index(index);
        if item.key.is_empty() {
            errors.required(&path.child("key"), "");
        }
        if item.path.is_empty() {
            errors.required(&path.child("path"), "");
        } else {
            local_descending_path(&item.path, &path.child("path"), errors);
            if item.path.starts_with("..") && !item.path.starts_with("../") && &*item.path != ".." {
                errors.invalid_text(&path.child("path"), &item.path, "must not start with '..'");
            }
        }
        if let Some(mode) = item.mode.filter(|mode| bad(*mode)) {
            errors.invalid(&path.child("mode"), mode, MODE);
        }
    }
}

/// A relative path without `..`.
pub(super) fn local_descending_path(target: &str, path: &Path<'_>, errors: &mut ErrorList) {
    if target.starts_with('/') {
        errors.invalid_text(path, target, "must be a relative path");
    }
    no_backsteps(target, path, errors);
}

pub(super) fn no_backsteps(target: &str, path: &Path<'_>, errors: &mut ErrorList) {
    if target.split('/').any(|part| part == "..") {
        errors.invalid_text(path, target, "must not contain '..'");
    }
}
