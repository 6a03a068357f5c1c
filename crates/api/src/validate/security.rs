//! Validation of security contexts (VA-102, VA-103, VA-298), mostly in their JSON form.

use serde_json::Value;

use crate::schema::values;
use crate::untyped::{given, is_true, items, text};
use crate::{PodSecurityContext, PodSpec, SecurityContext, Sysctl, ordered};

use super::error_list::quoted;
use super::internal;
use super::untyped_fields::check_known_text_field;
use super::{ErrorList, Path, names, volume};

const MAX_USER_OR_GROUP_ID: i64 = i32::MAX as i64;

/// Checks a user or group ID.
fn check_user_or_group_id(id: Option<i64>, path: &Path<'_>, errors: &mut ErrorList) {
    if let Some(id) = id.filter(|id| !(0..=MAX_USER_OR_GROUP_ID).contains(id)) {
        errors.invalid(path, id, &names::out_of_range_message(0, MAX_USER_OR_GROUP_ID));
    }
}

/// Values of a container's `procMount`; sorted, because error messages list them sorted.
pub const PROC_MOUNT_TYPES: &[&str] = &["Default", "Unmasked"];

/// Validates a container's security context; `value` is the context in JSON form.
pub(super) fn validate_container_context(
    context: &SecurityContext,
    value: &Value,
    has_host_users: bool,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    check_user_or_group_id(context.run_as_user, &path.child("runAsUser"), errors);
    check_user_or_group_id(context.run_as_group, &path.child("runAsGroup"), errors);
    check_known_text_field(value, "procMount", PROC_MOUNT_TYPES, path, errors);
    if text(value, "procMount") == "Unmasked" && has_host_users {
        let message = "`hostUsers` must be false to use `Unmasked`";
        errors.invalid_text(&path.child("procMount"), "Unmasked", message);
    }
    check_seccomp_profile(value, &path.child("seccompProfile"), errors);
    if value.get("allowPrivilegeEscalation").and_then(Value::as_bool) == Some(false) {
        let internal = || internal::to_internal_struct_json("SecurityContext", value);
        if context.privileged == Some(true) {
            let message = "cannot set `allowPrivilegeEscalation` to false and `privileged` to true";
            errors.invalid(path, internal(), message);
        }
        let added = value.pointer("/capabilities/add").and_then(Value::as_array);
        for _ in added.into_iter().flatten().filter(|added| *added == "CAP_SYS_ADMIN") {
            let message = "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN";
            errors.invalid(path, internal(), message);
        }
    }
    check_windows_options(value, &path.child("windowsOptions"), errors);
    check_app_armor_profile(value, &path.child("appArmorProfile"), errors);
}

/// Validates a pod's security context; `value` is the pod's spec in JSON form.
pub(super) fn validate_pod_context(
    context: &PodSecurityContext,
    spec: &PodSpec,
    value: &Value,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let (pod, value) = (value, value.get("securityContext").unwrap_or(&Value::Null));
    check_user_or_group_id(context.fs_group, &path.child("fsGroup"), errors);
    check_user_or_group_id(context.run_as_user, &path.child("runAsUser"), errors);
    check_user_or_group_id(context.run_as_group, &path.child("runAsGroup"), errors);
    let groups = path.child("supplementalGroups");
    for (index, group) in items(value, "supplementalGroups") {
        check_user_or_group_id(group.as_i64(), &groups.index(index), errors);
    }
    check_shared_process_namespace(pod, path, errors);
    check_sysctls(
        &context.sysctls,
        spec,
        is_true(pod, "hostIPC"),
        &path.child("sysctls"),
        errors,
    );
    check_known_text_field(
        value,
        "fsGroupChangePolicy",
        values::FS_GROUP_CHANGE_POLICY,
        path,
        errors,
    );
    check_seccomp_profile(value, &path.child("seccompProfile"), errors);
    check_windows_options(value, &path.child("windowsOptions"), errors);
    check_app_armor_profile(value, &path.child("appArmorProfile"), errors);
    check_known_text_field(
        value,
        "supplementalGroupsPolicy",
        values::SUPPLEMENTAL_GROUPS_POLICY,
        path,
        errors,
    );
    check_known_text_field(
        value,
        "seLinuxChangePolicy",
        &["MountOption", "Recursive"],
        path,
        errors,
    );
}

/// Checks `shareProcessNamespace`. The error has a path in the security context, where the API server stores the field
/// internally.
pub(super) fn check_shared_process_namespace(spec: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    if is_true(spec, "shareProcessNamespace") && is_true(spec, "hostPID") {
        let message = "ShareProcessNamespace and HostPID cannot both be enabled";
        errors.invalid(&path.child("shareProcessNamespace"), true, message);
    }
}

/// Checks the pod's sysctls. Sysctls of a namespace that the pod shares with the host are not allowed.
fn check_sysctls(sysctls: &[Sysctl], spec: &PodSpec, has_host_ipc: bool, path: &Path<'_>, errors: &mut ErrorList) {
    let mut seen = ordered::Set::new();
    for (index, sysctl) in sysctls.iter().enumerate() {
        let path = path.index(index);
        let name = &*sysctl.name;
        let path = path.child("name");
        let is_new = seen.insert(name);
        if name.is_empty() {
            errors.required(&path, "");
        } else if !is_sysctl_name(name) {
            let message = format!("must have at most 253 characters and match regex {SYSCTL_PATTERN}");
            errors.invalid_text(&path, name, &message);
        } else if !is_new {
            errors.duplicate(&path, quoted(name), "");
        }
        let normalize_sysctl = normalize_sysctl(name);
        let is_of = |prefixes: &[&str]| prefixes.iter().any(|prefix| normalize_sysctl.starts_with(prefix));
        if spec.host_network == Some(true) && is_of(&["net."]) {
            errors.invalid_text(&path, name, "may not be specified when 'hostNetwork' is true");
        } else if has_host_ipc
            && (is_of(&["kernel.shm", "kernel.msg", "fs.mqueue."]) || normalize_sysctl == "kernel.sem")
        {
            errors.invalid_text(&path, name, "may not be specified when 'hostIPC' is true");
        }
    }
}

/// Normalizes a sysctl name: if its first separator is a slash, swaps dots and slashes.
fn normalize_sysctl(name: &str) -> String {
    let first = name.find(['.', '/']).and_then(|at| name.as_bytes().get(at));
    if first != Some(&b'/') {
        return name.to_owned();
    }
    let swap = |letter: char| match letter {
        '.' => '/',
        '/' => '.',
        other => other,
    };
    name.chars().map(swap).collect()
}

const SYSCTL_PATTERN: &str = "^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$";

fn is_sysctl_name(name: &str) -> bool {
    let lower = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let is_part = |part: &str| {
        let bytes = part.as_bytes();
        bytes.first().is_some_and(|first| lower(*first))
            && bytes.last().is_some_and(|last| lower(*last))
            && bytes.iter().all(|byte| lower(*byte) || matches!(byte, b'-' | b'_'))
    };
    name.len() <= 253 && name.split(['.', '/']).all(is_part)
}

fn check_seccomp_profile(context: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    let Some(profile) = given(context, "seccompProfile") else {
        return;
    };
    let profile_path = path.child("localhostProfile");
    let name = profile.get("localhostProfile").and_then(Value::as_str);
    let kind = text(profile, "type");
    if kind.is_empty() {
        errors.required(&path.child("type"), "type is required when seccompProfile is set");
    } else {
        errors.check_one_of_sorted(&path.child("type"), kind, values::SECURITY_PROFILE);
    }
    match (kind, name) {
        ("Localhost", None) => errors.required(&profile_path, "must be set when seccomp type is Localhost"),
        ("Localhost", Some(name)) => volume::check_local_descending_path(name, &profile_path, errors),
        (_, Some(_)) => {
            let value = internal::to_internal_struct_json("SeccompProfile", profile);
            errors.invalid(&profile_path, value, "can only be set when seccomp type is Localhost");
        }
        (_, None) => {}
    }
}

fn check_app_armor_profile(context: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    /// Maximum length of an AppArmor profile name, in bytes.
    const MAX_PROFILE_NAME_LEN: usize = 4095;
    const REQUIRED_FOR_LOCALHOST: &str = "must be set when AppArmor type is Localhost";
    let Some(profile) = given(context, "appArmorProfile") else {
        return;
    };
    let profile_path = path.child("localhostProfile");
    let name = profile.get("localhostProfile").and_then(Value::as_str);
    match (text(profile, "type"), name) {
        ("Localhost", None) => errors.required(&profile_path, REQUIRED_FOR_LOCALHOST),
        ("Localhost", Some(name)) => {
            if name.trim() != name {
                errors.invalid_text(&profile_path, name, "must not be padded with whitespace");
            } else if name.is_empty() {
                errors.required(&profile_path, REQUIRED_FOR_LOCALHOST);
            }
            if name.len() > MAX_PROFILE_NAME_LEN {
                errors.too_long(&profile_path, MAX_PROFILE_NAME_LEN);
            }
        }
        ("RuntimeDefault" | "Unconfined", Some(name)) => {
            errors.invalid_text(&profile_path, name, "can only be set when AppArmor type is Localhost");
        }
        ("RuntimeDefault" | "Unconfined", None) => {}
        ("", _) => errors.required(&path.child("type"), "type is required when appArmorProfile is set"),
        (other, _) => errors.unsupported_sorted(&path.child("type"), other, values::SECURITY_PROFILE),
    }
}

/// Checks the Windows options of a security context.
fn check_windows_options(context: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    const MAX_CREDENTIAL_SPEC_BYTES: usize = 64 * 1024;
    let Some(options) = context.get("windowsOptions") else {
        return;
    };
    let given = |field: &str| options.get(field).and_then(Value::as_str);
    if let Some(name) = given("gmsaCredentialSpecName") {
        errors.invalid_name(
            &path.child("gmsaCredentialSpecName"),
            name,
            &names::subdomain_faults(name),
        );
    }
    if let Some(spec) = given("gmsaCredentialSpec") {
        let path = path.child("gmsaCredentialSpec");
        if spec.is_empty() {
            errors.invalid_text(&path, spec, "gmsaCredentialSpec cannot be an empty string");
        } else if spec.len() > MAX_CREDENTIAL_SPEC_BYTES {
            errors.invalid_text(&path, spec, "gmsaCredentialSpec size must be under 64 KiB");
        }
    }
    if let Some(user) = given("runAsUserName") {
        let path = path.child("runAsUserName");
        for problem in windows_user_problems(user) {
            errors.invalid_text(&path, user, problem);
        }
    }
}

/// Returns the problems of a user name `DOMAIN\USER` or `USER`.
fn windows_user_problems(name: &str) -> Vec<&'static str> {
    let (domain, user) = match name.split('\\').collect::<Vec<_>>().as_slice() {
        _ if name.is_empty() => return vec!["runAsUserName cannot be an empty string"],
        _ if name.bytes().any(|byte| byte.is_ascii_control()) => {
            return vec!["runAsUserName cannot contain control characters"];
        }
        [user] => (None, *user),
        [domain, user] => (Some(*domain), *user),
        _ => return vec!["runAsUserName cannot contain more than one backslash"],
    };
    let mut found = Vec::new();
    if let Some(domain) = domain {
        if domain.len() >= 256 {
            found.push("runAsUserName's Domain length must be under 256 characters");
        }
        let is_net_bios = (1..=15).contains(&domain.chars().count())
            && !domain.starts_with('.')
            && !domain.contains(['\\', '/', ':', '*', '?', '"', '<', '>', '|']);
        let is_label = |label: &str| {
            (1..=63).contains(&label.len())
                && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
                && !label.starts_with('-')
                && !label.ends_with('-')
        };
        if !is_net_bios && !domain.split('.').all(is_label) {
            found.push("runAsUserName's Domain doesn't match the NetBios nor the DNS format");
        }
    }
    if user.is_empty() {
        found.push("runAsUserName's User cannot be empty");
    } else if user.len() > 104 {
        found.push("runAsUserName's User length must not be longer than 104 characters");
    }
    if !user.is_empty() && user.chars().all(|letter| matches!(letter, '.' | ' ')) {
        found.push("runAsUserName's User cannot contain only periods or spaces");
    }
    if user.contains([
        '"', '/', '\\', ':', ';', '|', '=', ',', '+', '*', '?', '<', '>', '@', '[', ']',
    ]) {
        found.push(r#"runAsUserName's User cannot contain the following characters: "/\:;|=,+*?<>@[]"#);
    }
    found
}
