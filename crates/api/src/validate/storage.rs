//! Validation of volumes, claims and storage classes (VA-201 to VA-208).

use crate::{
    AccessMode, PersistentVolume, PersistentVolumeClaim, PersistentVolumeClaimSpec, PersistentVolumeSpec, StorageClass,
    VolumeBindingMode,
};

use serde_json::Value;

use crate::ordered;
use crate::schema::values;

use super::error_list::{IMMUTABLE, NOT_POSITIVE, quoted};
use super::{ErrorList, Path, affinity, internal, names, selector, untyped_fields, volume};
use crate::untyped::{given, text};
use crate::wire::Wire;

/// Maximum number of parameters of a StorageClass.
const MAX_PARAMETERS: usize = 512;
/// Maximum total size of a StorageClass's parameters, in bytes.
const MAX_PARAMETERS_BYTES: usize = 256 * 1024;

fn check_access_modes(modes: &[AccessMode], path: &Path<'_>, errors: &mut ErrorList) {
    for mode in modes {
        errors.check_one_of_sorted(path, mode.as_str(), AccessMode::KNOWN);
    }
    let is_other = |mode: &AccessMode| mode.is_known() && *mode != AccessMode::ReadWriteOncePod;
    if modes.contains(&AccessMode::ReadWriteOncePod) && modes.iter().any(is_other) {
        errors.forbidden(path, "may not use ReadWriteOncePod with other access modes");
    }
}

pub(super) fn validate_volume(object: &PersistentVolume, errors: &mut ErrorList) {
    let path = Path::root("spec");
    let spec = &object.spec;
    let modes = path.child("accessModes");
    if spec.access_modes.is_empty() {
        errors.required(&modes, "");
    }
    check_access_modes(&spec.access_modes, &modes, errors);
    let capacity = path.child("capacity");
    if spec.capacity.is_empty() {
        errors.required(&capacity, "");
    }
    if !spec.capacity.contains_key("storage") || spec.capacity.len() > 1 {
        let value = if spec.capacity.is_empty() {
            "null".to_owned()
        } else {
            crate::wire::to_json(&spec.capacity)
        };
        errors.unsupported(&capacity, value, &["storage"]);
    }
    for (resource, quantity) in &spec.capacity {
        if quantity.sign() < 0 {
            let message = "must be a valid resource quantity";
            errors.invalid(&capacity.key(resource), quantity.value(), message);
        }
        if quantity.sign() <= 0 {
            errors.invalid_text(&capacity.key(resource), &quantity.to_string(), NOT_POSITIVE);
        }
    }
    let reclaim = spec.persistent_volume_reclaim_policy.as_deref().unwrap_or("");
    if !reclaim.is_empty() {
        let path = path.child("persistentVolumeReclaimPolicy");
        errors.check_one_of_sorted(&path, reclaim, values::VOLUME_RECLAIM_POLICY);
    }
    if let Some(rules) = &spec.node_affinity {
        let path = path.child("nodeAffinity");
        match &rules.required {
            Some(required) => affinity::validate_node_selector(required, &path.child("required"), errors),
            None => errors.required(&path.child("required"), "must specify required node constraints"),
        }
    }
    let value = (!object.extra.is_empty()).then(|| {
        let mut value = object.to_json_value();
        object.extra.merge_into(&mut value);
        value
    });
    let value = value
        .as_ref()
        .and_then(|value| value.get("spec"))
        .unwrap_or(&Value::Null);
    check_persistent_volume_source(object, value, &path, errors);
    if reclaim == "Recycle" && spec.host_path.as_ref().is_some_and(|source| is_root_path(&source.path)) {
        let message = "may not be 'recycle' for a hostPath mount of '/'";
        errors.forbidden(&path.child("persistentVolumeReclaimPolicy"), message);
    }
    if !spec.storage_class_name.is_empty() {
        let messages = names::subdomain_faults(&spec.storage_class_name);
        errors.invalid_name(&path.child("storageClassName"), &spec.storage_class_name, &messages);
    }
    check_volume_mode(spec.volume_mode.as_deref(), &path.child("volumeMode"), errors);
    if let Some(class) = &spec.volume_attributes_class_name {
        let path = path.child("volumeAttributesClassName");
        if class.is_empty() {
            errors.required(&path, "an empty string is disallowed");
        } else {
            errors.invalid_name(&path, class, &names::subdomain_faults(class));
        }
        if spec.csi.is_none() {
            let message = "has to be specified when using volumeAttributesClassName";
            errors.required(&Path::root("spec").child("csi"), message);
        }
    }
}

fn check_volume_mode(mode: Option<&str>, path: &Path<'_>, errors: &mut ErrorList) {
    if let Some(mode) = mode {
        errors.check_one_of_sorted(path, mode, values::VOLUME_MODE);
    }
}

/// Returns whether the path is `/` after resolving `.` and `..`.
fn is_root_path(path: &str) -> bool {
    let mut depth = 0_usize;
    for part in path.split('/').filter(|part| !matches!(*part, "" | ".")) {
        depth = match part {
            ".." => depth.saturating_sub(1),
            _ => depth + 1,
        };
    }
    path.starts_with('/') && depth == 0
}

/// Checks the source of a volume; `value` is the spec in JSON form if it has untyped fields.
fn check_persistent_volume_source(object: &PersistentVolume, value: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    let spec = &object.spec;
    let mut count = 0;
    for name in spec.volume_source_names() {
        count += 1;
        if count > 1 && name != "flexVolume" {
            let name = if name == "cephfs" { "cephFS" } else { name };
            errors.forbidden(&path.child(name), "may not specify more than 1 volume type");
            continue;
        }
        let source_path = path.child(name);
        let source_json = value.get(name).unwrap_or(&Value::Null);
        if let ("hostPath", Some(source)) = (name, &spec.host_path) {
            volume::validate_host_path(source, &source_path, errors);
        } else if let ("nfs", Some(source)) = (name, &spec.nfs) {
            volume::validate_nfs(source, &source_path, errors);
        } else if let ("iscsi", Some(source)) = (name, &spec.iscsi) {
            let length = object.metadata.name.len() + 1 + source.target_portal.len();
            if source_json.get("initiatorName").is_some_and(Value::is_string)
                && length > volume::MAX_NAME_AND_PORTAL_BYTES
            {
                let path = source_path.child("targetportal");
                errors.invalid_text(&path, &source.target_portal, volume::NAME_AND_PORTAL_TOO_LONG);
            }
            volume::validate_iscsi(source, source_json, true, &source_path, errors);
        } else if let ("awsElasticBlockStore", Some(source)) = (name, &spec.aws_elastic_block_store) {
            volume::validate_aws_disk(source, &source_path, errors);
        } else if let ("rbd", Some(source)) = (name, &spec.rbd) {
            volume::validate_rbd(source, &source_path, errors);
        } else if let ("gcePersistentDisk", Some(source)) = (name, &spec.gce_persistent_disk) {
            volume::validate_gce_disk(source, source_json, path, errors);
        } else if let ("csi", Some(source)) = (name, &spec.csi) {
            volume::check_csi_driver_name(&source.driver, &source_path.child("driver"), errors);
            if source.volume_handle.is_empty() {
                errors.required(&source_path.child("volumeHandle"), "");
            }
            check_csi_secret_references(source_json, &source_path, errors);
        } else if let ("local", Some(source)) = (name, &spec.local) {
            if source.path.is_empty() {
                errors.required(&source_path.child("path"), "");
            } else {
                volume::check_no_backsteps(&source.path, &source_path.child("path"), errors);
            }
            if spec.node_affinity.is_none() {
                errors.required(&path.child("nodeAffinity"), "Local volume requires node affinity");
            }
        } else if let Some(source) = untyped_volume_source(spec, name) {
            untyped_fields::check_volume_source(
                name,
                source,
                untyped_fields::VolumeSourceOwner::PersistentVolume,
                &source_path,
                errors,
            );
        }
    }
    if count == 0 {
        errors.required(path, "must specify a volume type");
    }
}

/// Returns a volume source that has no Rust type and is stored as JSON.
fn untyped_volume_source<'v>(spec: &'v PersistentVolumeSpec, name: &str) -> Option<&'v Value> {
    let source = match name {
        "fc" => &spec.fc,
        "azureDisk" => &spec.azure_disk,
        "azureFile" => &spec.azure_file,
        "cinder" => &spec.cinder,
        "cephfs" => &spec.cephfs,
        "glusterfs" => &spec.glusterfs,
        "vsphereVolume" => &spec.vsphere_volume,
        "flexVolume" => &spec.flex_volume,
        "flocker" => &spec.flocker,
        "quobyte" => &spec.quobyte,
        "photonPersistentDisk" => &spec.photon_persistent_disk,
        "portworxVolume" => &spec.portworx_volume,
        "scaleIO" => &spec.scale_io,
        "storageos" => &spec.storageos,
        _ => return None,
    };
    source.as_ref()
}

/// Checks the secret references of a CSI source.
fn check_csi_secret_references(csi: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    for field in [
        "controllerPublishSecretRef",
        "controllerExpandSecretRef",
        "nodePublishSecretRef",
        "nodeExpandSecretRef",
    ] {
        let Some(secret) = given(csi, field) else {
            continue;
        };
        let path = path.child(field);
        for (field, rule) in [
            ("name", names::subdomain_faults as names::NameRule),
            ("namespace", names::label_faults),
        ] {
            errors.check_name(&path.child(field), text(secret, field), rule);
        }
    }
}

/// Returns the spec of a PersistentVolume with only the volume source.
fn spec_with_only_volume_source(spec: &PersistentVolumeSpec) -> PersistentVolumeSpec {
    PersistentVolumeSpec {
        capacity: Default::default(),
        access_modes: Vec::new(),
        claim_ref: None,
        persistent_volume_reclaim_policy: None,
        storage_class_name: "".into(),
        volume_mode: None,
        node_affinity: None,
        volume_attributes_class_name: None,
        ..spec.clone()
    }
}

pub(super) fn validate_volume_update(old: &PersistentVolume, new: &PersistentVolume, errors: &mut ErrorList) {
    validate_volume(new, errors);
    if spec_with_only_volume_source(&old.spec) != spec_with_only_volume_source(&new.spec) {
        let source_of =
            |spec: &PersistentVolumeSpec| internal::to_internal_struct("PersistentVolumeSource", &spec.to_json_value());
        let diff = internal::unified_diff(&source_of(&old.spec), &source_of(&new.spec));
        errors.forbidden(
            &Path::root("spec").child("persistentvolumesource"),
            &format!("spec.persistentvolumesource is immutable after creation\n{diff}"),
        );
    }
    if old.spec.volume_mode != new.spec.volume_mode {
        let value = new
            .spec
            .volume_mode
            .as_deref()
            .map_or_else(|| "null".to_owned(), quoted);
        errors.invalid(&Path::root("volumeMode"), value, IMMUTABLE);
    }
    if old.spec.node_affinity.is_some() && old.spec.node_affinity != new.spec.node_affinity {
        let value = match &new.spec.node_affinity {
            Some(affinity) => internal::to_internal_struct_json("VolumeNodeAffinity", &affinity.to_json_value()),
            None => "null".to_owned(),
        };
        let message = "field is immutable, except for updating from beta label to GA";
        errors.invalid(&Path::root("nodeAffinity"), value, message);
    }
}

pub(super) fn validate_claim(object: &PersistentVolumeClaim, errors: &mut ErrorList) {
    validate_claim_spec(&object.spec, &Path::root("spec"), errors);
}

pub(super) fn validate_claim_spec(spec: &PersistentVolumeClaimSpec, path: &Path<'_>, errors: &mut ErrorList) {
    let modes = path.child("accessModes");
    if spec.access_modes.is_empty() {
        errors.required(&modes, "at least 1 access mode is required");
    }
    if let Some(labels) = &spec.selector {
        selector::validate(labels, &path.child("selector"), errors);
    }
    check_access_modes(&spec.access_modes, &modes, errors);
    let resources = path.child("resources");
    match spec.resources.requests.get("storage") {
        None => errors.required(&resources.key("storage"), ""),
        Some(size) if size.sign() <= 0 => {
            errors.invalid_text(&resources.key("storage"), &size.to_string(), NOT_POSITIVE);
        }
        Some(_) => {}
    }
    if let Some(class) = &spec.storage_class_name
        && !class.is_empty()
    {
        errors.invalid_name(&path.child("storageClassName"), class, &names::subdomain_faults(class));
    }
    check_volume_mode(spec.volume_mode.as_deref(), &path.child("volumeMode"), errors);
    for (name, source) in [
        ("dataSource", &spec.data_source),
        ("dataSourceRef", &spec.data_source_ref),
    ] {
        let Some(source) = source else { continue };
        let path = path.child(name);
        for field in ["name", "kind"] {
            if text(source, field).is_empty() {
                errors.required(&path.child(field), "");
            }
        }
        let group = text(source, "apiGroup");
        if group.is_empty() && text(source, "kind") != "PersistentVolumeClaim" {
            let message = "must be 'PersistentVolumeClaim' when referencing the default apiGroup";
            errors.invalid_text(&path, text(source, "kind"), message);
        }
        if !group.is_empty() {
            errors.invalid_name(&path.child("apiGroup"), group, &names::subdomain_faults(group));
        }
        if name == "dataSourceRef" && !text(source, "namespace").is_empty() {
            let namespace = text(source, "namespace");
            errors.invalid_name(&path.child("namespace"), namespace, &names::label_faults(namespace));
        }
    }
    // In errors about `dataSourceRef`, the server prints the spec as an empty struct.
    if let (Some(source), Some(whole)) = (&spec.data_source, &spec.data_source_ref) {
        let fields = ["apiGroup", "kind", "name"];
        if whole
            .get("namespace")
            .is_some_and(|namespace| namespace.as_str() != Some(""))
        {
            errors.invalid(
                path,
                "{}",
                "may not be specified when dataSourceRef.namespace is specified",
            );
        } else if fields.iter().any(|field| source.get(field) != whole.get(field)) {
            errors.invalid(path, "{}", "must match dataSourceRef");
        }
    }
    if let Some(class) = spec
        .volume_attributes_class_name
        .as_deref()
        .filter(|class| !class.is_empty())
    {
        let path = path.child("volumeAttributesClassName");
        errors.invalid_name(&path, class, &names::subdomain_faults(class));
    }
}

/// Checks that an update of a PersistentVolumeClaim changes only allowed fields (VA-206).
pub(super) fn validate_claim_update(old: &PersistentVolumeClaim, new: &PersistentVolumeClaim, errors: &mut ErrorList) {
    validate_claim(new, errors);
    let mut rest = new.spec.clone();
    if old.spec.volume_name.is_empty() {
        rest.volume_name.clone_from(&old.spec.volume_name);
    }
    // An unset storage class may later be set to the default class.
    if old.spec.storage_class_name.is_none() {
        rest.storage_class_name = None;
    }
    let bound = old.status.phase == Some(crate::ClaimPhase::Bound);
    if bound {
        rest.resources.requests.clone_from(&old.spec.resources.requests);
        rest.volume_attributes_class_name
            .clone_from(&old.spec.volume_attributes_class_name);
    }
    if rest != old.spec {
        let internal_spec = |spec: &PersistentVolumeClaimSpec| {
            internal::to_internal_struct("PersistentVolumeClaimSpec", &spec.to_json_value())
        };
        let diff = internal::unified_diff(&internal_spec(&old.spec), &internal_spec(&rest));
        let rule =
            "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";
        errors.forbidden(&Path::root("spec"), &format!("{rule}\n{diff}"));
    }
    if old.spec.volume_mode != new.spec.volume_mode {
        let mode = new.spec.volume_mode.as_deref();
        errors.invalid(
            &Path::root("volumeMode"),
            mode.map_or_else(|| "null".to_owned(), quoted),
            IMMUTABLE,
        );
    }
    let size = |claim: &PersistentVolumeClaim| claim.spec.resources.requests.get("storage").copied();
    let current_size = old.status.capacity.get("storage").copied().unwrap_or_default();
    if let (Some(before), Some(after)) = (size(old), size(new))
        && after < before
        && after <= current_size
        && after != before
    {
        let path = Path::root("spec");
        let resources = path.child("resources");
        let requests = resources.child("requests");
        errors.forbidden(&requests.child("storage"), "field can not be less than status.capacity");
    }
}

/// Checks the name of a provisioner or driver: qualified, in lower case.
pub(super) fn check_provisioner(name: &str, path: &Path<'_>, errors: &mut ErrorList) {
    let lower = name.to_ascii_lowercase();
    errors.check_name(path, &lower, names::qualified_name_faults);
}

pub(super) fn check_parameters<'p>(
    pairs: impl Iterator<Item = (&'p str, &'p str)>,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let pairs: Vec<(&str, &str)> = pairs.collect();
    if pairs.len() > MAX_PARAMETERS {
        return errors.too_long(path, MAX_PARAMETERS);
    }
    if pairs.iter().any(|(key, _)| key.is_empty()) {
        errors.invalid_text(path, "", "field can not be empty.");
    }
    let size: usize = pairs.iter().map(|(key, value)| key.len() + value.len()).sum();
    if size > MAX_PARAMETERS_BYTES {
        errors.too_long(path, MAX_PARAMETERS_BYTES);
    }
}

pub(super) fn validate_class(object: &StorageClass, errors: &mut ErrorList) {
    check_provisioner(&object.provisioner, &Path::root("provisioner"), errors);
    let pairs = object.parameters.iter().map(|(key, value)| (&**key, &**value));
    check_parameters(pairs, &Path::root("parameters"), errors);
    if let Some(policy) = &object.reclaim_policy {
        errors.check_one_of(&Path::root("reclaimPolicy"), policy, &["Delete", "Retain"]);
    }
    match &object.volume_binding_mode {
        None => errors.required(&Path::root("volumeBindingMode"), ""),
        Some(mode) => errors.check_one_of(
            &Path::root("volumeBindingMode"),
            mode.as_str(),
            VolumeBindingMode::KNOWN,
        ),
    }
    check_allowed_topologies(object, errors);
}

fn check_allowed_topologies(object: &StorageClass, errors: &mut ErrorList) {
    let path = Path::root("allowedTopologies");
    let sets = |term: &crate::TopologySelectorTerm| -> ordered::Map<crate::Str, ordered::Set<crate::Str>> {
        let rows = term.match_label_expressions.iter();
        rows.map(|row| (row.key.clone(), row.values.iter().cloned().collect()))
            .collect()
    };
    for (index, term) in object.allowed_topologies.iter().enumerate() {
        let path = path.index(index);
        let expressions = path.child("matchLabelExpressions");
        for (at, row) in term.match_label_expressions.iter().enumerate() {
            let path = expressions.index(at);
            let values = path.child("values");
            if row.values.is_empty() {
                errors.required(&values, "");
            }
            for (at, value) in row.values.iter().enumerate() {
                if row.values.iter().take(at).any(|before| before == value) {
                    errors.duplicate(&values.index(at), quoted(value), "");
                }
            }
            errors.invalid_name(&path.child("key"), &row.key, &names::qualified_name_faults(&row.key));
            if term
                .match_label_expressions
                .iter()
                .take(at)
                .any(|before| before.key == row.key)
            {
                errors.duplicate(&path.child("key"), quoted(&row.key), "");
            }
        }
        let before = object.allowed_topologies.iter().take(index);
        if before.clone().any(|before| sets(before) == sets(term)) {
            errors.duplicate(&expressions, quoted(""), "");
        }
    }
}

/// Checks that the immutable fields of a storage class do not change (VA-208).
pub(super) fn validate_class_update(old: &StorageClass, new: &StorageClass, errors: &mut ErrorList) {
    validate_class(new, errors);
    if old.parameters != new.parameters {
        let value = match new.parameters.is_empty() {
            true => "null".to_owned(),
            false => crate::wire::to_json(&new.parameters),
        };
        errors.invalid(&Path::root("parameters"), value, IMMUTABLE);
    }
    if old.provisioner != new.provisioner {
        errors.invalid_text(&Path::root("provisioner"), &new.provisioner, IMMUTABLE);
    }
    if old.reclaim_policy != new.reclaim_policy {
        let policy = new.reclaim_policy.as_deref().unwrap_or_default();
        errors.invalid_text(&Path::root("reclaimPolicy"), policy, IMMUTABLE);
    }
    if old.volume_binding_mode != new.volume_binding_mode {
        let mode = new.volume_binding_mode.as_ref().map_or("", VolumeBindingMode::as_str);
        errors.invalid_text(&Path::root("volumeBindingMode"), mode, IMMUTABLE);
    }
}
