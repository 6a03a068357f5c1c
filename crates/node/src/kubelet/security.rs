//! Security checks of the kubelet before a container runs: users, sysctls, image pull secrets, `subPathExpr` of mounts
//! (LC-239 to LC-242).

use podscope_api::{Container, EventType, ObjectKey, Pod, Secret, ordered};

use super::events;
use super::host::Host;

/// Sysctls that are namespaced per pod and cannot harm other pods: every pod may set them.
const SAFE_SYSCTLS: [&str; 12] = [
    "kernel.shm_rmid_forced",
    "net.ipv4.ip_local_port_range",
    "net.ipv4.tcp_syncookies",
    "net.ipv4.ping_group_range",
    "net.ipv4.ip_unprivileged_port_start",
    "net.ipv4.ip_local_reserved_ports",
    "net.ipv4.tcp_keepalive_time",
    "net.ipv4.tcp_fin_timeout",
    "net.ipv4.tcp_keepalive_intvl",
    "net.ipv4.tcp_keepalive_probes",
    "net.ipv4.tcp_rmem",
    "net.ipv4.tcp_wmem",
];

/// Checks `runAsNonRoot` against the user in the manifest (LC-239).
///
/// Deviation: the user of an image is not simulated; every image is assumed to have a non-root user.
///
/// # Errors
/// The container would run as root.
pub(super) fn verify_non_root(pod: &Pod, container: &Container) -> Result<(), String> {
    let (of_pod, own) = (
        pod.spec.security_context.as_deref(),
        container.security_context.as_ref(),
    );
    let non_root =
        (own.and_then(|own| own.run_as_non_root)).or_else(|| of_pod.and_then(|of_pod| of_pod.run_as_non_root));
    let user = (own.and_then(|own| own.run_as_user)).or_else(|| of_pod.and_then(|of_pod| of_pod.run_as_user));
    if non_root == Some(true) && user == Some(0) {
        let meta = &pod.metadata;
        let pod_name = format!("{}_{}({})", meta.name, meta.namespace, meta.uid);
        return Err(format!(
            "container's runAsUser breaks non-root policy (pod: {pod_name:?}, container: {})",
            container.name
        ));
    }
    Ok(())
}

/// Checks that the pod only sets safe sysctls, or unsafe ones that the kubelet allows (LC-240).
///
/// # Errors
/// The first sysctl that is not allowed.
pub(super) fn admit_sysctls(pod: &Pod, host: &Host<'_, '_>) -> Result<(), String> {
    let allowed = &host.shared.settings.allowed_unsafe_sysctls;
    let is_allowed = |name: &str| {
        SAFE_SYSCTLS.contains(&name)
            || allowed.iter().any(|pattern| match pattern.strip_suffix('*') {
                Some(prefix) => name.starts_with(prefix),
                None => name == &**pattern,
            })
    };
    let sysctls = pod.spec.security_context.iter().flat_map(|context| &context.sysctls);
    for sysctl in sysctls {
        // If the first separator is a slash, slashes separate the parts of the name, and dots are part of them.
        let name = match sysctl.name.find(['.', '/']) {
            Some(at) if sysctl.name[at..].starts_with('/') => swap_sysctl_separators(&sysctl.name),
            _ => sysctl.name.to_string(),
        };
        if !is_allowed(&name) {
            return Err(format!("forbidden sysctl: {name:?} not allowlisted"));
        }
    }
    Ok(())
}

/// Replaces each slash by a dot, and each dot by a slash.
fn swap_sysctl_separators(name: &str) -> String {
    let swapped = name.chars().map(|character| match character {
        '/' => '.',
        '.' => '/',
        other => other,
    });
    swapped.collect()
}

/// Checks that the image pull secrets exist. Every sync emits an event about missing ones, and the image is pulled
/// without them (LC-241).
///
/// Pods created before the simulation began are skipped, because dumps contain no Secrets.
pub(super) fn check_image_pull_secrets(pod: &Pod, host: &mut Host<'_, '_>) {
    let start = host.ctx.wall().0 - host.ctx.now.0;
    if pod.metadata.creation_timestamp.is_some_and(|made| made.0 < start) {
        return;
    }
    let names = pod.spec.image_pull_secrets.iter().map(|secret| &secret.name);
    let is_missing = |name: &&podscope_api::Str| {
        let key = ObjectKey::new(pod.metadata.namespace.clone(), (*name).clone());
        !name.is_empty() && host.cache.get::<Secret>(&key).is_none()
    };
    let missing: Vec<&str> = names.filter(is_missing).map(|name| &**name).collect();
    if !missing.is_empty() {
        let message = format!(
            "Unable to retrieve some image pull secrets ({}); attempting to pull the image may not succeed.",
            missing.join(", ")
        );
        events::emit_for_pod(
            pod,
            EventType::Warning,
            "FailedToRetrieveImagePullSecret",
            message,
            host,
        );
    }
}

/// Checks that the environment variables in `subPathExpr` are set and not empty (LC-242).
///
/// # Errors
/// The missing variables of the first such path.
pub(super) fn check_sub_path_variables(container: &Container) -> Result<(), String> {
    let is_set = |name: &str| {
        let mut variables = container.env.iter().rev();
        let found = variables.find(|variable| &*variable.name == name);
        found.is_some_and(|variable| variable.value_from.is_some() || !variable.value.is_empty())
    };
    // Variables from `envFrom` are not resolved, so any name may be set.
    if !container.env_from.is_empty() {
        return Ok(());
    }
    for mount in &container.volume_mounts {
        let missing: ordered::Set<&str> = variable_names(&mount.sub_path_expr)
            .filter(|name| !is_set(name))
            .collect();
        if !missing.is_empty() {
            let names: Vec<&str> = missing.into_iter().collect();
            return Err(format!("missing value for {}", names.join(", ")));
        }
    }
    Ok(())
}

/// Returns the variable names in `$(NAME)`; `$$` is an escaped dollar sign.
fn variable_names(expression: &str) -> impl Iterator<Item = &str> {
    let mut rest = expression;
    std::iter::from_fn(move || {
        loop {
            let (_, after) = rest.split_once('$')?;
            if let Some(escaped) = after.strip_prefix('$') {
                rest = escaped;
                continue;
            }
            rest = after;
            if let Some((name, behind)) = after.strip_prefix('(').and_then(|inner| inner.split_once(')')) {
                rest = behind;
                return Some(name);
            }
        }
    })
}
