//! Validation of containers (VA-084 to VA-105).

use serde_json::Value;

use crate::ordered;
use crate::schema::values;

use crate::untyped::text;
use crate::{
    Container, ContainerPort, EnvFromSource, EnvVar, EnvVarSource, FileKeySelector, KeySelector, PodSpec, PullPolicy,
    RestartPolicy,
};

use super::error_list::quoted;
use super::mounts::{self, ValidVolumes};
use super::probe::{self, ProbeKind};
use super::{ErrorList, Path, downward_api, names, resources, security, volume};

/// The parts of a pod that the validation of its containers needs.
struct PodContext<'p> {
    spec: &'p PodSpec,
    /// The pod's spec in JSON form, for checks of fields without a Rust type; null if there are none to check.
    value: &'p Value,
    volumes: &'p ValidVolumes<'p>,
    claims: Vec<&'p str>,
    /// The pod's grace period in seconds; a `sleep` hook must not exceed it.
    grace: i64,
}

impl<'p> PodContext<'p> {
    /// Returns a container in JSON form.
    fn container_json(&self, list: &str, index: usize) -> &'p Value {
        let list = self.value.get(list);
        list.and_then(|list| list.get(index)).unwrap_or(&Value::Null)
    }
}

pub(super) fn validate(
    spec: &PodSpec,
    value: &Value,
    volumes: &ValidVolumes<'_>,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let mut claims: Vec<&str> = spec.resource_claims.iter().map(|claim| &*claim.name).collect();
    claims.retain(|name| !name.is_empty());
    claims.sort_unstable();
    let pod = PodContext {
        spec,
        value,
        volumes,
        claims,
        grace: spec.grace_seconds().max(0),
    };
    check_app_containers(&pod, &path.child("containers"), errors);
    check_init_containers(&pod, &path.child("initContainers"), errors);
    check_ephemeral_containers(&pod, &path.child("ephemeralContainers"), errors);
}

fn check_app_containers(pod: &PodContext<'_>, list: &Path<'_>, errors: &mut ErrorList) {
    if pod.spec.containers.is_empty() {
        return errors.required(list, "");
    }
    let mut names = ordered::Set::new();
    for (index, container) in pod.spec.containers.iter().enumerate() {
        let path = list.index(index);
        check_fields_of_any_container(container, pod.container_json("containers", index), pod, &path, errors);
        if !names.insert(&*container.name) {
            errors.duplicate(&path.child("name"), quoted(&container.name), "");
        }
        check_lifecycle_and_probes(container, pod, &path, errors);
    }
    let mut taken = ordered::Set::new();
    for (index, container) in pod.spec.containers.iter().enumerate() {
        check_host_port_conflicts(container, &mut taken, &list.index(index), errors);
    }
}

fn check_init_containers(pod: &PodContext<'_>, list: &Path<'_>, errors: &mut ErrorList) {
    let mut names: ordered::Set<&str> = pod.spec.containers.iter().map(|container| &*container.name).collect();
    for (index, container) in pod.spec.init_containers.iter().enumerate() {
        let path = list.index(index);
        check_fields_of_any_container(
            container,
            pod.container_json("initContainers", index),
            pod,
            &path,
            errors,
        );
        if names.contains(&*container.name) {
            errors.duplicate(&path.child("name"), quoted(&container.name), "");
        } else if !container.name.is_empty() {
            names.insert(&container.name);
        }
        // As in the API server, the host ports of an init container are compared only with each other, and conflicts
        // are reported under `initContainers[0]`, whichever container has them.
        check_host_port_conflicts(container, &mut ordered::Set::new(), &list.index(0), errors);
        if container.is_sidecar() {
            check_lifecycle_and_probes(container, pod, &path, errors);
            continue;
        }
        for (field, given) in [
            ("lifecycle", container.lifecycle.is_some()),
            ("livenessProbe", container.liveness_probe.is_some()),
            ("readinessProbe", container.readiness_probe.is_some()),
            ("startupProbe", container.startup_probe.is_some()),
        ] {
            if given {
                errors.forbidden(
                    &path.child(field),
                    "may not be set for init containers without restartPolicy=Always",
                );
            }
        }
    }
}

/// Checks ephemeral containers (VA-300).
fn check_ephemeral_containers(pod: &PodContext<'_>, list: &Path<'_>, errors: &mut ErrorList) {
    const NOT_FOR_EPHEMERAL: &str = "cannot be set for an Ephemeral Container";
    let others = || pod.spec.containers.iter().chain(pod.spec.init_containers.iter());
    let others: ordered::Set<&str> = others().map(|container| &*container.name).collect();
    let mut names = others.clone();
    for (index, container) in pod.spec.ephemeral_containers.iter().enumerate() {
        let path = list.index(index);
        let value = pod.container_json("ephemeralContainers", index);
        check_fields_of_any_container(container, value, pod, &path, errors);
        check_image_is_trimmed(container, &path, errors);
        if !names.insert(&*container.name) {
            errors.duplicate(&path.child("name"), quoted(&container.name), "");
        }
        let target = text(value, "targetContainerName");
        if !target.is_empty() && !others.contains(target) {
            errors.not_found(&path.child("targetContainerName"), target, "");
        }
        for (field, is_given) in [
            ("ports", !container.ports.is_empty()),
            (
                "resources",
                *container.resources != crate::ResourceRequirements::default(),
            ),
            ("resizePolicy", !container.resize_policy.is_empty()),
            ("restartPolicy", container.restart_policy.is_some()),
            ("restartPolicyRules", !container.restart_policy_rules.is_empty()),
            ("livenessProbe", container.liveness_probe.is_some()),
            ("readinessProbe", container.readiness_probe.is_some()),
            ("startupProbe", container.startup_probe.is_some()),
            ("lifecycle", container.lifecycle.is_some()),
        ] {
            if is_given {
                errors.forbidden(&path.child(field), NOT_FOR_EPHEMERAL);
            }
        }
        let mounts = path.child("volumeMounts");
        for (index, mount) in container.volume_mounts.iter().enumerate() {
            for (field, text) in [("subPath", &mount.sub_path), ("subPathExpr", &mount.sub_path_expr)] {
                if !text.is_empty() {
                    errors.forbidden(&mounts.index(index).child(field), NOT_FOR_EPHEMERAL);
                }
            }
        }
    }
}

/// Checks that the image name has no surrounding spaces. Called for pods, not for templates.
pub(super) fn check_image_is_trimmed(container: &Container, path: &Path<'_>, errors: &mut ErrorList) {
    if container.image.trim() != &*container.image {
        errors.invalid_text(
            &path.child("image"),
            &container.image,
            "must not have leading or trailing whitespace",
        );
    }
}

fn check_lifecycle_and_probes(container: &Container, pod: &PodContext<'_>, path: &Path<'_>, errors: &mut ErrorList) {
    if let Some(lifecycle) = &container.lifecycle {
        probe::check_lifecycle(lifecycle, pod.grace, &path.child("lifecycle"), errors);
    }
    check_probes(container, pod, path, errors);
}

fn check_probes(container: &Container, pod: &PodContext<'_>, path: &Path<'_>, errors: &mut ErrorList) {
    for (name, given, kind) in [
        ("livenessProbe", &container.liveness_probe, ProbeKind::Liveness),
        ("readinessProbe", &container.readiness_probe, ProbeKind::Readiness),
        ("startupProbe", &container.startup_probe, ProbeKind::Startup),
    ] {
        if let Some(given) = given {
            probe::check_probe(given, kind, pod.grace, &path.child(name), errors);
        }
    }
}

fn check_fields_of_any_container(
    container: &Container,
    value: &Value,
    pod: &PodContext<'_>,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let name = path.child("name");
    if container.name.is_empty() {
        errors.required(&name, "");
    } else {
        errors.invalid_name(&name, &container.name, &names::label_faults(&container.name));
    }
    if container.image.is_empty() {
        errors.required(&path.child("image"), "");
    }
    match &*container.termination_message_policy {
        "" => errors.required(&path.child("terminationMessagePolicy"), ""),
        given => errors.check_one_of(
            &path.child("terminationMessagePolicy"),
            given,
            values::TERMINATION_MESSAGE_POLICY,
        ),
    }
    check_container_ports(&container.ports, &path.child("ports"), errors);
    check_env_variables(&container.env, &path.child("env"), errors);
    check_env_from_sources(&container.env_from, &path.child("envFrom"), errors);
    check_restart_policy_and_rules(container, path, errors);
    mounts::check_volume_mounts(container, value, pod.volumes, path, errors);
    mounts::check_block_devices(container, value, pod.volumes, path, errors);
    match &container.image_pull_policy {
        None => errors.required(&path.child("imagePullPolicy"), ""),
        Some(policy) => errors.check_one_of_sorted(&path.child("imagePullPolicy"), policy.as_str(), PullPolicy::KNOWN),
    }
    resources::validate(&container.resources, &pod.claims, &path.child("resources"), errors);
    check_resize_policy(container, pod, &path.child("resizePolicy"), errors);
    if let Some(context) = &container.security_context {
        let value = value.get("securityContext").unwrap_or(&Value::Null);
        let has_host_users = pod.spec.host_users != Some(false);
        security::validate_container_context(context, value, has_host_users, &path.child("securityContext"), errors);
    }
}

/// Checks the resize policies: only cpu and memory, each once, and no restart in a pod that never restarts containers.
fn check_resize_policy(container: &Container, pod: &PodContext<'_>, path: &Path<'_>, errors: &mut ErrorList) {
    let mut seen = ordered::Set::new();
    for (index, policy) in container.resize_policy.iter().enumerate() {
        let (resource, restart) = (&*policy.resource_name, &*policy.restart_policy);
        if !seen.insert(resource) {
            errors.duplicate(&path.index(index), quoted(resource), "");
        }
        match resource {
            "cpu" | "memory" => {}
            "" => errors.required(path, ""),
            other => errors.unsupported_text(path, other, &["cpu", "memory"]),
        }
        match restart {
            "" => errors.required(path, ""),
            given => errors.check_one_of(path, given, values::RESIZE_RESTART_POLICY),
        }
        if pod.spec.restart_policy == Some(RestartPolicy::Never) && restart != "NotRequired" {
            let message = "must be 'NotRequired' when pod `restartPolicy` is 'Never'";
            errors.invalid_text(path, restart, message);
        }
    }
}

fn check_container_ports(ports: &[ContainerPort], path: &Path<'_>, errors: &mut ErrorList) {
    let mut known = ordered::Set::new();
    for (index, port) in ports.iter().enumerate() {
        let path = path.index(index);
        if !port.name.is_empty() {
            let messages = names::port_name_faults(&port.name);
            errors.invalid_name(&path.child("name"), &port.name, &messages);
            if messages.is_empty() && !known.insert(&*port.name) {
                errors.duplicate(&path.child("name"), quoted(&port.name), "");
            }
        }
        if port.container_port == 0 {
            errors.required(&path.child("containerPort"), "");
        } else {
            errors.check_port(&path.child("containerPort"), port.container_port);
        }
        if let Some(host_port) = port.host_port.filter(|port| *port != 0) {
            errors.check_port(&path.child("hostPort"), host_port);
        }
        errors.check_protocol(&path.child("protocol"), &port.protocol);
    }
}

/// Checks the ports of a pod with host networking. In a template the host port may be unset.
pub(super) fn check_host_network_ports(spec: &PodSpec, is_pod: bool, path: &Path<'_>, errors: &mut ErrorList) {
    if spec.host_network != Some(true) {
        return;
    }
    let containers = path.child("containers");
    for (index, container) in spec.containers.iter().enumerate() {
        let path = containers.index(index);
        let ports = path.child("ports");
        for (index, port) in container.ports.iter().enumerate() {
            let host_port = port.host_port.unwrap_or(0);
            if (is_pod || host_port != 0) && host_port != port.container_port {
                errors.invalid(
                    &ports.index(index).child("hostPort"),
                    host_port,
                    "must match `containerPort` when `hostNetwork` is true",
                );
            }
        }
    }
}

/// Checks that each host port is used only once (VA-091). `taken` holds the host ports of preceding containers.
fn check_host_port_conflicts(
    container: &Container,
    taken: &mut ordered::Set<String>,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let ports = path.child("ports");
    for (index, port) in container.ports.iter().enumerate() {
        let number = port.host_port.unwrap_or(0);
        if number == 0 {
            continue;
        }
        let text = format!("{}/{}/{number}", port.protocol, port.host_ip);
        if taken.contains(&text) {
            errors.duplicate(&ports.index(index).child("hostPort"), quoted(&text), "");
        }
        taken.insert(text);
    }
}

fn check_env_variables(env: &[EnvVar], path: &Path<'_>, errors: &mut ErrorList) {
    for (index, variable) in env.iter().enumerate() {
        let path = path.index(index);
        if variable.name.is_empty() {
            errors.required(&path.child("name"), "");
        } else {
            errors.invalid_name(
                &path.child("name"),
                &variable.name,
                &names::env_name_faults(&variable.name),
            );
        }
        if let Some(source) = &variable.value_from {
            check_env_source(source, !variable.value.is_empty(), &path.child("valueFrom"), errors);
        }
    }
}

fn check_env_from_sources(sources: &[EnvFromSource], path: &Path<'_>, errors: &mut ErrorList) {
    for (index, source) in sources.iter().enumerate() {
        let at = path.index(index);
        if !source.prefix.is_empty() {
            errors.invalid_name(
                &at.child("prefix"),
                &source.prefix,
                &names::env_name_faults(&source.prefix),
            );
        }
        let mut count = 0;
        for (field, reference) in [
            ("configMapRef", &source.config_map_ref),
            ("secretRef", &source.secret_ref),
        ] {
            let Some(reference) = reference else { continue };
            count += 1;
            let at = at.child(field);
            if reference.name.is_empty() {
                errors.required(&at.child("name"), "");
            } else {
                errors.invalid_name(
                    &at.child("name"),
                    &reference.name,
                    &names::subdomain_faults(&reference.name),
                );
            }
        }
        // The API server reports these errors at the path of the list, not of its element.
        match count {
            0 => errors.invalid_text(path, "", "must specify one of: `configMapRef` or `secretRef`"),
            1 => {}
            _ => errors.invalid_text(path, "", "may not have more than one field specified at a time"),
        }
    }
}

/// Checks the container's restart policy and its restart rules (VA-105).
fn check_restart_policy_and_rules(container: &Container, path: &Path<'_>, errors: &mut ErrorList) {
    const MAX_RESTART_RULES: usize = 20;
    const MAX_EXIT_CODES: usize = 255;
    let policy = path.child("restartPolicy");
    let given = container.restart_policy.as_ref().map(RestartPolicy::as_str);
    let rules = &container.restart_policy_rules;
    match given {
        None if !rules.is_empty() => {
            errors.required(&policy, "must specify restartPolicy when restart rules are used");
        }
        Some(given) => errors.check_one_of_sorted(&policy, given, RestartPolicy::KNOWN),
        None => {}
    }
    let path = path.child("restartPolicyRules");
    if rules.len() > MAX_RESTART_RULES {
        errors.too_many(&path, rules.len(), MAX_RESTART_RULES);
    }
    for (index, rule) in rules.iter().enumerate() {
        let path = path.index(index);
        errors.check_one_of(&path.child("action"), &rule.action, values::CONTAINER_RESTART_ACTION);
        let path = path.child("exitCodes");
        let Some(codes) = &rule.exit_codes else {
            errors.required(&path, "must be specified");
            continue;
        };
        errors.check_one_of(&path.child("operator"), &codes.operator, values::EXIT_CODES_OPERATOR);
        if codes.values.len() > MAX_EXIT_CODES {
            errors.too_many(&path.child("values"), codes.values.len(), MAX_EXIT_CODES);
        }
    }
}

fn check_env_source(source: &EnvVarSource, has_value: bool, path: &Path<'_>, errors: &mut ErrorList) {
    let mut count = 0;
    if let Some(field) = &source.field_ref {
        count += 1;
        downward_api::check_field_selector(
            field,
            downward_api::ENV_VARIABLE_FIELDS,
            &path.child("fieldRef"),
            errors,
        );
    }
    if let Some(resource) = &source.resource_field_ref {
        count += 1;
        downward_api::check_resource_selector(resource, false, &path.child("resourceFieldRef"), errors);
    }
    for (name, selector) in [
        ("configMapKeyRef", &source.config_map_key_ref),
        ("secretKeyRef", &source.secret_key_ref),
    ] {
        if let Some(selector) = selector {
            count += 1;
            check_key_selector(selector, &path.child(name), errors);
        }
    }
    if let Some(selector) = &source.file_key_ref {
        count += 1;
        check_file_key_selector(selector, &path.child("fileKeyRef"), errors);
    }
    if has_value {
        if count != 0 {
            errors.invalid_text(path, "", "may not be specified when `value` is not empty");
        }
    } else if count == 0 {
        errors.invalid_text(
            path,
            "",
            "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`",
        );
    } else if count > 1 {
        errors.invalid_text(path, "", "may not have more than one field specified at a time");
    }
}

fn check_key_selector(selector: &KeySelector, path: &Path<'_>, errors: &mut ErrorList) {
    errors.invalid_name(
        &path.child("name"),
        &selector.name,
        &names::subdomain_faults(&selector.name),
    );
    if selector.key.is_empty() {
        errors.required(&path.child("key"), "");
    } else {
        errors.invalid_name(
            &path.child("key"),
            &selector.key,
            &names::config_key_faults(&selector.key),
        );
    }
}

/// Checks a reference to a key in an env file: first the key, then the file (VA-291).
fn check_file_key_selector(selector: &FileKeySelector, path: &Path<'_>, errors: &mut ErrorList) {
    for (name, value, rule) in [
        ("key", &selector.key, names::env_name_faults as names::NameRule),
        ("volumeName", &selector.volume_name, names::label_faults),
    ] {
        let path = path.child(name);
        if value.is_empty() {
            errors.required(&path, "");
        } else {
            errors.invalid_name(&path, value, &rule(value));
        }
    }
    let path = path.child("path");
    if selector.path.is_empty() {
        errors.required(&path, "");
    } else {
        volume::check_no_backsteps(&selector.path, &path, errors);
    }
}

/// Checks that env files are in emptyDir volumes of the pod (VA-291). The API server makes this check after all others.
pub(super) fn check_file_key_volumes(spec: &PodSpec, path: &Path<'_>, errors: &mut ErrorList) {
    for (name, list) in [
        ("containers", &spec.containers),
        ("initContainers", &spec.init_containers),
    ] {
        let list_path = path.child(name);
        for (index, container) in list.iter().enumerate() {
            let at = list_path.index(index);
            let at = at.child("env");
            for (index, variable) in container.env.iter().enumerate() {
                let Some(file) = variable.value_from.as_ref().and_then(|from| from.file_key_ref.as_ref()) else {
                    continue;
                };
                let at = at.index(index);
                let at = at.child("valueFrom");
                let at = at.child("fileKeyRef");
                let at = at.child("volumeName");
                match spec.volumes.iter().find(|volume| volume.name == file.volume_name) {
                    None => errors.not_found(&at, &file.volume_name, ""),
                    Some(volume) if volume.empty_dir.is_none() => {
                        errors.invalid_text(&at, &file.volume_name, "referenced volume must be of type emptyDir");
                    }
                    Some(_) => {}
                }
            }
        }
    }
}
