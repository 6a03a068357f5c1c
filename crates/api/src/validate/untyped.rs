//! Fields of pods that nothing that is simulated reads, and that the API server checks all the same: read from the
//! object's JSON, and only where there are any.

use serde_json::Value;

use crate::PodSpec;
use crate::ordered;

use super::list::quoted;
use super::{ErrorList, Path, names, volume};

const ID_MAX: i64 = i32::MAX as i64;

fn text<'v>(value: &'v Value, field: &str) -> &'v str {
    value.get(field).and_then(Value::as_str).unwrap_or_default()
}

fn is_true(value: &Value, field: &str) -> bool {
    value.get(field).and_then(Value::as_bool) == Some(true)
}

fn items<'v>(value: &'v Value, field: &str) -> impl Iterator<Item = (usize, &'v Value)> {
    let list = value.get(field).and_then(Value::as_array);
    list.into_iter().flatten().enumerate()
}

/// The one of these that a text may be; absent is fine.
fn one_of(value: &Value, field: &str, known: &[&str], path: &Path<'_>, errors: &mut ErrorList) {
    if let Some(given) = value.get(field).and_then(Value::as_str)
        && !known.contains(&given)
    {
        errors.unsupported_text(&path.child(field), given, known);
    }
}

/// `value` is the whole of `spec`.
pub(super) fn pod_spec(spec: &PodSpec, value: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    for field in ["containers", "initContainers"] {
        let list = path.child(field);
        for (index, container) in items(value, field) {
            of_container(container, spec, &list.index(index), errors);
        }
    }
    if let Some(context) = value.get("securityContext") {
        pod_context(context, value, &path.child("securityContext"), errors);
    }
    if is_true(value, "shareProcessNamespace") && is_true(value, "hostPID") {
        // It is a part of the security context inside the server.
        errors.invalid(
            &path.child("securityContext").child("shareProcessNamespace"),
            true,
            "ShareProcessNamespace and HostPID cannot both be enabled",
        );
    }
    if let Some(name) = value.get("hostnameOverride").and_then(Value::as_str) {
        errors.each_invalid(&path.child("hostnameOverride"), name, &names::subdomain(name));
    }
}

fn of_container(container: &Value, spec: &PodSpec, path: &Path<'_>, errors: &mut ErrorList) {
    devices(container, spec, path, errors);
    let mounts = path.child("volumeMounts");
    for (index, mount) in items(container, "volumeMounts") {
        let expression = text(mount, "subPathExpr");
        if !expression.is_empty() {
            if !text(mount, "subPath").is_empty() {
                errors.invalid_text(
                    &mounts.index(index).child("subPathExpr"),
                    expression,
                    "subPathExpr and subPath are mutually exclusive",
                );
            }
            volume::local_descending_path(expression, &mounts.child("subPathExpr"), errors);
        }
    }
    if let Some(context) = container.get("securityContext") {
        let path = path.child("securityContext");
        one_of(context, "procMount", &["Default", "Unmasked"], &path, errors);
        if text(context, "procMount") == "Unmasked" && spec.host_users != Some(false) {
            let message = "`hostUsers` must be false to use `Unmasked`";
            errors.invalid_text(&path.child("procMount"), "Unmasked", message);
        }
        seccomp(context, &path.child("seccompProfile"), errors);
        let escalates = context.get("allowPrivilegeEscalation").and_then(Value::as_bool);
        if escalates == Some(false) {
            let internal = || super::internal::printed("SecurityContext", context);
            if is_true(context, "privileged") {
                let message = "cannot set `allowPrivilegeEscalation` to false and `privileged` to true";
                errors.invalid(&path, internal(), message);
            }
            let added = context.pointer("/capabilities/add").and_then(Value::as_array);
            if added.into_iter().flatten().any(|added| added == "CAP_SYS_ADMIN") {
                let message = "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN";
                errors.invalid(&path, internal(), message);
            }
        }
        app_armor(context, &path.child("appArmorProfile"), errors);
    }
}

/// Block volumes of a container.
fn devices(container: &Value, spec: &PodSpec, path: &Path<'_>, errors: &mut ErrorList) {
    let path = path.child("volumeDevices");
    let (mut seen, mut seen_paths) = (ordered::Set::new(), ordered::Set::new());
    for (index, device) in items(container, "volumeDevices") {
        let path = path.index(index);
        let (name, at) = (text(device, "name"), text(device, "devicePath"));
        let (name_path, at_path) = (path.child("name"), path.child("devicePath"));
        if name.is_empty() {
            errors.required(&name_path, "");
        }
        if !seen.insert(name) {
            errors.invalid_text(&name_path, name, "must be unique");
        }
        match spec.volumes.iter().find(|volume| *volume.name == *name) {
            None => errors.not_found(&name_path, name, ""),
            Some(volume) if volume.persistent_volume_claim.is_none() && volume.ephemeral.is_none() => {
                let message = "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode";
                errors.invalid_text(&name_path, name, message);
            }
            Some(_) => {}
        }
        if at.is_empty() {
            errors.required(&at_path, "");
        } else if at.split('/').any(|part| part == "..") {
            errors.invalid_text(&at_path, at, "can not contain backsteps ('..')");
        }
        if !seen_paths.insert(at) {
            errors.invalid_text(&at_path, at, "must be unique");
        }
        for (_, mount) in items(container, "volumeMounts") {
            if text(mount, "name") == name {
                errors.invalid_text(&name_path, name, "must not already exist in volumeMounts");
            }
            if text(mount, "mountPath") == at {
                errors.invalid_text(&at_path, at, "must not already exist as a path in volumeMounts");
            }
        }
    }
}

fn pod_context(context: &Value, spec: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    let groups = path.child("supplementalGroups");
    for (index, group) in items(context, "supplementalGroups") {
        if let Some(id) = group.as_i64().filter(|id| !(0..=ID_MAX).contains(id)) {
            errors.invalid(&groups.index(index), id, &names::range_text(0, ID_MAX));
        }
    }
    let sysctls = path.child("sysctls");
    let mut seen = ordered::Set::new();
    for (index, sysctl) in items(context, "sysctls") {
        let path = sysctls.index(index);
        let name = text(sysctl, "name");
        let path = path.child("name");
        if name.is_empty() {
            errors.required(&path, "");
        } else if !is_sysctl(name) {
            let message = format!("must have at most 253 characters and match regex {SYSCTL}");
            errors.invalid_text(&path, name, &message);
        } else if !seen.insert(name) {
            errors.duplicate(&path, quoted(name), "");
        }
        for (prefix, field, words) in [
            (
                "net.",
                "hostNetwork",
                "may not be specified when 'hostNetwork' is set to true",
            ),
            (
                "kernel.shm",
                "hostIPC",
                "may not be specified when 'hostIPC' is set to true",
            ),
            (
                "kernel.msg",
                "hostIPC",
                "may not be specified when 'hostIPC' is set to true",
            ),
            (
                "fs.mqueue.",
                "hostIPC",
                "may not be specified when 'hostIPC' is set to true",
            ),
        ] {
            if is_true(spec, field) && name.replace('/', ".").starts_with(prefix) {
                errors.invalid_text(&path, name, words);
            }
        }
    }
    one_of(
        context,
        "fsGroupChangePolicy",
        &["Always", "OnRootMismatch"],
        path,
        errors,
    );
    seccomp(context, &path.child("seccompProfile"), errors);
    one_of(context, "supplementalGroupsPolicy", &["Merge", "Strict"], path, errors);
    one_of(
        context,
        "seLinuxChangePolicy",
        &["MountOption", "Recursive"],
        path,
        errors,
    );
    app_armor(context, &path.child("appArmorProfile"), errors);
}

const SYSCTL: &str = "^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$";

fn is_sysctl(name: &str) -> bool {
    let lower = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let is_part = |part: &str| {
        let bytes = part.as_bytes();
        bytes.first().is_some_and(|first| lower(*first))
            && bytes.last().is_some_and(|last| lower(*last))
            && bytes.iter().all(|byte| lower(*byte) || matches!(byte, b'-' | b'_'))
    };
    name.len() <= 253 && name.split(['.', '/']).all(is_part)
}

fn seccomp(context: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    let Some(profile) = context.get("seccompProfile") else {
        return;
    };
    let of = path.child("localhostProfile");
    let name = profile.get("localhostProfile").and_then(Value::as_str);
    match text(profile, "type") {
        "Localhost" => match name {
            None => errors.required(&of, "must be set when seccomp type is Localhost"),
            Some(name) => volume::local_descending_path(name, &of, errors),
        },
        kind => {
            match kind {
                "RuntimeDefault" | "Unconfined" => {}
                "" => errors.required(&path.child("type"), "type is required when seccompProfile is set"),
                other => {
                    let known = ["Localhost", "RuntimeDefault", "Unconfined"];
                    errors.unsupported_text(&path.child("type"), other, &known);
                }
            }
            if name.is_some() {
                let value = super::internal::printed("SeccompProfile", profile);
                errors.invalid(&of, value, "can only be set when seccomp type is Localhost");
            }
        }
    }
}

fn app_armor(context: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    let Some(profile) = context.get("appArmorProfile") else {
        return;
    };
    let of = path.child("localhostProfile");
    let name = profile.get("localhostProfile").and_then(Value::as_str);
    match text(profile, "type") {
        "Localhost" => match name {
            None => errors.required(&of, "must be set when AppArmor type is Localhost"),
            Some(name) if name.trim() != name => errors.invalid_text(&of, name, "must not be padded with whitespace"),
            Some("") => errors.required(&of, "must be set when AppArmor type is Localhost"),
            Some(_) => {}
        },
        "RuntimeDefault" | "Unconfined" => {
            if let Some(name) = name {
                errors.invalid_text(&of, name, "can only be set when AppArmor type is Localhost");
            }
        }
        "" => errors.required(&path.child("type"), "type is required when appArmorProfile is set"),
        other => {
            let known = ["Localhost", "RuntimeDefault", "Unconfined"];
            errors.unsupported_text(&path.child("type"), other, &known);
        }
    }
}

/// Sources of volumes that are only kept: fields they need.
pub(super) fn source(name: &str, value: &Value, path: &Path<'_>, errors: &mut ErrorList) {
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
        _ => &[],
    };
    for field in required {
        if text(value, field).is_empty() {
            errors.required(&path.child(field), "");
        }
    }
    let is_empty = |field: &str| items(value, field).next().is_none();
    match name {
        "gitRepo" => volume::local_descending_path(text(value, "directory"), &path.child("directory"), errors),
        "cephfs" if is_empty("monitors") => errors.required(&path.child("monitors"), ""),
        "fc" => {
            let both = "must specify either targetWWNs or wwids, but not both";
            match (is_empty("targetWWNs"), is_empty("wwids")) {
                (true, true) => errors.required(&path.child("targetWWNs"), both),
                (false, false) => {
                    let value = value.get("targetWWNs").map_or_else(String::new, ToString::to_string);
                    errors.invalid(&path.child("targetWWNs"), value, both);
                }
                (false, true) => match value.get("lun").and_then(Value::as_i64) {
                    None => errors.required(&path.child("lun"), "lun is required if targetWWNs is specified"),
                    Some(lun) if !(0..=255).contains(&lun) => {
                        errors.invalid(&path.child("lun"), lun, &names::range_text(0, 255));
                    }
                    Some(_) => {}
                },
                (true, false) => {}
            }
        }
        _ => {}
    }
}

/// How a pod resolves names.
pub(super) fn dns_config(policy: &str, config: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    const SERVERS_MAX: usize = 3;
    const SEARCHES_MAX: usize = 32;
    const SEARCH_LETTERS: usize = 2048;
    let servers: Vec<&str> = items(config, "nameservers")
        .filter_map(|(_, one)| one.as_str())
        .collect();
    if policy == "None" && servers.is_empty() {
        let message = "must provide at least one DNS nameserver when `dnsPolicy` is None";
        return errors.required(&path.child("nameservers"), message);
    }
    let all = |field: &str| config.get(field).map_or_else(String::new, ToString::to_string);
    let list = path.child("nameservers");
    if servers.len() > SERVERS_MAX {
        let message = format!("must not have more than {SERVERS_MAX} nameservers");
        errors.invalid(&list, all("nameservers"), &message);
    }
    for (index, server) in servers.iter().enumerate() {
        if !names::is_ip(server) {
            errors.invalid_text(&list.index(index), server, names::IP);
        }
    }
    let list = path.child("searches");
    let searches: Vec<&str> = items(config, "searches").filter_map(|(_, one)| one.as_str()).collect();
    if searches.len() > SEARCHES_MAX {
        let message = format!("must not have more than {SEARCHES_MAX} search paths");
        errors.invalid(&list, all("searches"), &message);
    }
    if searches.join(" ").len() > SEARCH_LETTERS {
        let message =
            format!("must not have more than {SEARCH_LETTERS} characters (including spaces) in the search list");
        errors.invalid(&list, all("searches"), &message);
    }
    for (index, search) in searches.iter().enumerate() {
        let domain = search.strip_suffix('.').unwrap_or(search);
        if !domain.is_empty() {
            errors.each_invalid(&list.index(index), search, &names::search_domain(domain));
        }
    }
    let list = path.child("options");
    for (index, option) in items(config, "options") {
        if text(option, "name").is_empty() {
            errors.required(&list.index(index), "must not be empty");
        }
    }
}
