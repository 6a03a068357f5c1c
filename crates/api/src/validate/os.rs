//! Fields that a pod must not set for its operating system (VA-299).

use serde_json::Value;

use crate::schema::values;
use crate::untyped::{given, is_true, items};

use super::{ErrorList, Path};

const NOT_FOR_WINDOWS_POD: &str = "cannot be set for a windows pod";
const CONTAINER_LISTS: [&str; 3] = ["initContainers", "containers", "ephemeralContainers"];

/// Checks the fields of a pod that sets `spec.os`; `spec` is the pod's spec in JSON form.
pub(super) fn check_fields_of_os(system: &str, spec: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    match system {
        "linux" => check_linux_fields(spec, path, errors),
        "windows" => check_windows_fields(spec, path, errors),
        "" => errors.required(&path.child("os").child("name"), "cannot be empty"),
        other => errors.unsupported_text(&path.child("os"), other, values::OS_NAME),
    }
}

fn check_linux_fields(spec: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    const NOT_FOR_LINUX_POD: &str = "windows options cannot be set for a linux pod";
    let refuse = |context: Option<&Value>, path: &Path<'_>, errors: &mut ErrorList| {
        if context.is_some_and(|context| given(context, "windowsOptions").is_some()) {
            errors.forbidden(
                &path.child("securityContext").child("windowsOptions"),
                NOT_FOR_LINUX_POD,
            );
        }
    };
    refuse(given(spec, "securityContext"), path, errors);
    for list in CONTAINER_LISTS {
        let path = path.child(list);
        for (index, container) in items(spec, list) {
            refuse(given(container, "securityContext"), &path.index(index), errors);
        }
    }
}

fn check_windows_fields(spec: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    let none = Value::Null;
    let of_pod = given(spec, "securityContext").unwrap_or(&none);
    let context = path.child("securityContext");
    let mut refuse = |is_given: bool, path: Path<'_>| {
        if is_given {
            errors.forbidden(&path, NOT_FOR_WINDOWS_POD);
        }
    };
    for field in ["appArmorProfile", "seLinuxOptions"] {
        refuse(given(of_pod, field).is_some(), context.child(field));
    }
    refuse(given(spec, "hostUsers").is_some(), path.child("hostUsers"));
    for field in ["hostPID", "hostIPC"] {
        refuse(is_true(spec, field), path.child(field));
    }
    for field in ["seccompProfile", "fsGroup", "fsGroupChangePolicy"] {
        refuse(given(of_pod, field).is_some(), context.child(field));
    }
    refuse(items(of_pod, "sysctls").next().is_some(), context.child("sysctls"));
    let shares = given(spec, "shareProcessNamespace").is_some();
    refuse(shares, path.child("shareProcessNamespace"));
    for field in [
        "runAsUser",
        "runAsGroup",
        "supplementalGroups",
        "supplementalGroupsPolicy",
        "seLinuxChangePolicy",
    ] {
        refuse(given(of_pod, field).is_some(), context.child(field));
    }
    for list in CONTAINER_LISTS {
        let path = path.child(list);
        for (index, container) in items(spec, list) {
            let path = path.index(index);
            let of_container = given(container, "securityContext").unwrap_or(&none);
            let context = path.child("securityContext");
            for field in [
                "appArmorProfile",
                "seLinuxOptions",
                "seccompProfile",
                "capabilities",
                "readOnlyRootFilesystem",
                "privileged",
                "allowPrivilegeEscalation",
                "procMount",
                "runAsUser",
                "runAsGroup",
            ] {
                refuse(given(of_container, field).is_some(), context.child(field));
            }
        }
    }
}

/// Checks HostProcess containers of Windows: either all containers of a pod or none, and with host networking.
pub(super) fn check_windows_host_processes(spec: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    let host_process = |value: &Value| {
        let context = value.pointer("/securityContext/windowsOptions/hostProcess");
        context.and_then(Value::as_bool)
    };
    let of_pod = host_process(spec);
    let (mut n_containers, mut n_processes) = (0, 0);
    for list in CONTAINER_LISTS {
        let path = path.child(list);
        for (index, container) in items(spec, list) {
            n_containers += 1;
            let own = host_process(container);
            if let (Some(of_pod), Some(own)) = (of_pod, own)
                && of_pod != own
            {
                let message = format!("pod hostProcess value must be identical if both are specified, was {of_pod}");
                let path = path.index(index);
                let path = path.child("securityContext");
                errors.invalid(&path.child("windowsOptions").child("hostProcess"), own, &message);
            }
            n_processes += u32::from(own.or(of_pod) == Some(true));
        }
    }
    if n_processes == 0 {
        return;
    }
    if n_processes != n_containers {
        let message = "If pod contains any hostProcess containers then all containers must be HostProcess containers";
        errors.invalid_text(path, "", message);
    }
    if !is_true(spec, "hostNetwork") {
        let message = "hostNetwork must be true if pod contains any hostProcess containers";
        errors.invalid(&path.child("hostNetwork"), false, message);
    }
}
