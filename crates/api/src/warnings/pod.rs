//! Warnings about pods and pod templates, in the order of Kubernetes' `pkg/api/pod/warnings.go` (VA-350).

use serde_json::Value;

use crate::untyped::{given, items, list, text, texts};
use crate::validate::{label_value_problems, quoted};
use crate::well_known::annotation;

use super::{deprecated_label_warning, ip, warn_if_fractional};

/// Annotations without effect: key, the version that deprecated it, and the field that replaces it.
const DEPRECATED_ANNOTATIONS: [(&str, &str, &str); 3] = [
    (
        "scheduler.alpha.kubernetes.io/critical-pod",
        "v1.16",
        "priorityClassName",
    ),
    ("security.alpha.kubernetes.io/sysctls", "v1.11", "sysctls"),
    ("security.alpha.kubernetes.io/unsafe-sysctls", "v1.11", "sysctls"),
];
/// Deprecated or removed volume sources: the name, and the part of the warning that follows the field path.
const DEPRECATED_VOLUMES: [(&str, &str); 9] = [
    ("photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"),
    ("gitRepo", "deprecated in v1.11, and disabled by default in v1.33+"),
    ("scaleIO", "deprecated in v1.16, non-functional in v1.22+"),
    ("flocker", "deprecated in v1.22, non-functional in v1.25+"),
    ("storageos", "deprecated in v1.22, non-functional in v1.25+"),
    ("quobyte", "deprecated in v1.22, non-functional in v1.25+"),
    ("glusterfs", "deprecated in v1.25, non-functional in v1.26+"),
    ("cephfs", "deprecated in v1.28, non-functional in v1.31+"),
    ("rbd", "deprecated in v1.28, non-functional in v1.31+"),
];
const CONTAINER_SECCOMP_PREFIX: &str = "container.seccomp.security.alpha.kubernetes.io/";
const APP_ARMOR_PREFIX: &str = "container.apparmor.security.beta.kubernetes.io/";

/// Warns about a pod or a template; `at` is the path prefix of a template's fields, empty for a pod.
pub(super) fn warn_about_pod(pod: &Value, at: &str, found: &mut Vec<String>) {
    let spec = pod.get("spec").unwrap_or(&Value::Null);
    let path = format!("{at}spec");
    let has_annotation = |key: &str| {
        pod.pointer("/metadata/annotations")
            .is_some_and(|marks| marks.get(key).is_some())
    };
    let containers: Vec<(String, &Value)> = (["initContainers", "containers", "ephemeralContainers"].into_iter())
        .flat_map(|list| items(spec, list).map(move |(index, container)| (list, index, container)))
        .map(|(list, index, container)| (format!("{path}.{list}[{index}]"), container))
        .collect();
    if at.is_empty() {
        warn_about_app_armor(spec, &containers, &has_annotation, at, found);
    }
    warn_about_node_labels(spec, &path, found);
    for (key, since, instead) in DEPRECATED_ANNOTATIONS {
        if has_annotation(key) {
            found.push(format!(
                "{at}metadata.annotations[{key}]: non-functional in {since}+; use the {instead:?} field instead"
            ));
        }
    }
    warn_about_volumes(spec, &path, found);
    warn_about_duplicate_names(spec, &path, found);
    for name in ["memory", "ephemeral-storage"] {
        if let Some(amount) = spec.pointer(&format!("/overhead/{name}")) {
            warn_if_fractional(amount, &format!("{path}.overhead[{name}]"), found);
        }
    }
    let seccomp = |key: &str| {
        format!("{at}metadata.annotations[{key}]: non-functional in v1.27+; use the \"seccompProfile\" field instead")
    };
    let has_profile = |object: &Value| object.pointer("/securityContext/seccompProfile").is_some();
    if has_annotation(annotation::SECCOMP_POD) && !has_profile(spec) {
        found.push(seccomp(annotation::SECCOMP_POD));
    }
    for (container_path, container) in &containers {
        let key = format!("{CONTAINER_SECCOMP_PREFIX}{}", text(container, "name"));
        if has_annotation(&key) && !has_profile(container) {
            found.push(seccomp(&key));
        }
        warn_about_container(container, container_path, found);
    }
    if !at.is_empty() {
        warn_about_app_armor(spec, &containers, &has_annotation, at, found);
    }
    warn_about_ports(&containers, found);
    let grace = spec.get("terminationGracePeriodSeconds").and_then(Value::as_i64);
    // In a pod (unlike a template), defaulting has already replaced a negative grace period with 1.
    if !at.is_empty() && grace.is_some_and(|seconds| seconds < 0) {
        found.push(format!(
            "{path}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1"
        ));
    }
    warn_about_affinity(spec, &path, found);
    warn_about_addresses(spec, &path, found);
}

/// Warns about AppArmor annotations of containers for which no field sets a profile.
fn warn_about_app_armor(
    spec: &Value,
    containers: &[(String, &Value)],
    has_annotation: &dyn Fn(&str) -> bool,
    at: &str,
    found: &mut Vec<String>,
) {
    let has_profile = |object: &Value| object.pointer("/securityContext/appArmorProfile").is_some();
    for (_, container) in containers {
        let key = format!("{APP_ARMOR_PREFIX}{}", text(container, "name"));
        if has_annotation(&key) && !has_profile(container) && !has_profile(spec) {
            found.push(format!(
                "{at}metadata.annotations[{key}]: deprecated since v1.30; use the \"appArmorProfile\" field instead"
            ));
        }
    }
}

/// Warns about deprecated node labels in selectors, and about spread constraints without a selector.
fn warn_about_node_labels(spec: &Value, path: &str, found: &mut Vec<String>) {
    let selected = spec.get("nodeSelector").and_then(Value::as_object);
    for key in selected.into_iter().flat_map(|labels| labels.keys()) {
        if let Some(message) = deprecated_label_warning(key) {
            found.push(format!("{path}.nodeSelector[{key}]: {message}"));
        }
    }
    let node_affinity = format!("{path}.affinity.nodeAffinity");
    let required = "requiredDuringSchedulingIgnoredDuringExecution";
    for (index, term) in list(spec.pointer(&format!("/affinity/nodeAffinity/{required}/nodeSelectorTerms"))) {
        let at = format!("{node_affinity}.{required}.nodeSelectorTerms[{index}]");
        warn_about_node_term(term, false, &at, found);
    }
    let preferred = "preferredDuringSchedulingIgnoredDuringExecution";
    for (index, term) in list(spec.pointer(&format!("/affinity/nodeAffinity/{preferred}"))) {
        let preference = term.get("preference").unwrap_or(&Value::Null);
        let at = format!("{node_affinity}.{preferred}[{index}].preference");
        warn_about_node_term(preference, true, &at, found);
    }
    for (index, constraint) in items(spec, "topologySpreadConstraints") {
        let at = format!("{path}.topologySpreadConstraints[{index}]");
        let key = text(constraint, "topologyKey");
        if let Some(message) = deprecated_label_warning(key) {
            found.push(format!("{at}.topologyKey: {key} is {message}"));
        }
        warn_if_no_selector(constraint, &at, found);
    }
}

/// Warns about deprecated labels and, with `checks_values`, about invalid values in one term of a node selector.
pub(super) fn warn_about_node_term(term: &Value, checks_values: bool, at: &str, found: &mut Vec<String>) {
    for (index, expression) in items(term, "matchExpressions") {
        let at = format!("{at}.matchExpressions[{index}]");
        let key = text(expression, "key");
        if let Some(message) = deprecated_label_warning(key) {
            found.push(format!("{at}.key: {key} is {message}"));
        }
        if !checks_values {
            continue;
        }
        for (index, value) in texts(expression, "values").into_iter().enumerate() {
            for problem in label_value_problems(value) {
                found.push(format!("{at}.values[{index}]: {value} is invalid, {problem}"));
            }
        }
    }
}

fn warn_if_no_selector(term: &Value, at: &str, found: &mut Vec<String>) {
    if given(term, "labelSelector").is_none() {
        found.push(format!(
            "{at}.labelSelector: a null labelSelector results in matching no pod"
        ));
    }
}

fn warn_about_affinity(spec: &Value, path: &str, found: &mut Vec<String>) {
    for kind in ["podAffinity", "podAntiAffinity"] {
        let terms_in = |list_name: &str| spec.pointer(&format!("/affinity/{kind}/{list_name}"));
        let required = "requiredDuringSchedulingIgnoredDuringExecution";
        for (index, term) in list(terms_in(required)) {
            warn_if_no_selector(term, &format!("{path}.affinity.{kind}.{required}[{index}]"), found);
        }
        let preferred = "preferredDuringSchedulingIgnoredDuringExecution";
        for (index, term) in list(terms_in(preferred)) {
            let at = format!("{path}.affinity.{kind}.{preferred}[{index}].podAffinityTerm");
            warn_if_no_selector(term.get("podAffinityTerm").unwrap_or(&Value::Null), &at, found);
        }
    }
}

fn warn_about_volumes(spec: &Value, path: &str, found: &mut Vec<String>) {
    for (index, volume) in items(spec, "volumes") {
        let at = format!("{path}.volumes[{index}]");
        for (source, message) in DEPRECATED_VOLUMES {
            if given(volume, source).is_some() {
                found.push(format!("{at}.{source}: {message}"));
            }
        }
        if let Some(amount) = volume.pointer("/ephemeral/volumeClaimTemplate/spec/resources/requests/storage") {
            let at = format!("{at}.ephemeral.volumeClaimTemplate.spec.resources.requests[storage]");
            warn_if_fractional(amount, &at, found);
        }
    }
    for (_, volume) in items(spec, "volumes") {
        warn_about_overlapping_paths(volume, found);
    }
}

/// A path in a volume, and the projected source that provides it.
struct VolumePath {
    path: String,
    source: String,
}

impl std::fmt::Display for VolumePath {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&quoted(&self.path))?;
        if self.source.is_empty() {
            return Ok(());
        }
        write!(f, " ({})", self.source)
    }
}

impl VolumePath {
    /// Returns the paths in the `items` of a projected source.
    fn from_projected_items(source: &Value, name: &str) -> Vec<Self> {
        let paths = items(source, "items").map(|(_, item)| text(item, "path"));
        paths.map(|path| Self::new(path, name.to_owned())).collect()
    }

    fn new(path: &str, source: String) -> Self {
        Self {
            path: path.trim_end_matches('/').to_owned(),
            source,
        }
    }

    fn overlaps(&self, other: &Self) -> bool {
        let (own, other) = (format!("{}/", self.path), format!("{}/", other.path));
        own.len() > 1 && other.len() > 1 && (own.starts_with(&other) || other.starts_with(&own))
    }
}

/// Warns about two files in one volume that have the same path, or of which one is inside the other.
fn warn_about_overlapping_paths(volume: &Value, found: &mut Vec<String>) {
    let name = quoted(text(volume, "name"));
    let mut warn = |kind: &str, paths_in_volume: Vec<VolumePath>| {
        for (index, file) in paths_in_volume.iter().enumerate() {
            for before in paths_in_volume
                .iter()
                .take(index)
                .filter(|before| file.overlaps(before))
            {
                found.push(format!(
                    "volume {name} ({kind}): overlapping paths: {file} with {before}"
                ));
            }
        }
    };
    if let Some(source) = given(volume, "configMap") {
        let kind = format!("ConfigMap {}", quoted(text(source, "name")));
        warn(&kind, VolumePath::from_projected_items(source, ""));
    }
    if let Some(source) = given(volume, "secret") {
        let kind = format!("Secret {}", quoted(text(source, "secretName")));
        warn(&kind, VolumePath::from_projected_items(source, ""));
    }
    if let Some(source) = given(volume, "downwardAPI") {
        warn("DownwardAPI", VolumePath::from_projected_items(source, ""));
    }
    let Some(projected) = given(volume, "projected") else {
        return;
    };
    let is_empty = |source: &Value| source.as_object().is_none_or(serde_json::Map::is_empty);
    let sources: Vec<&Value> = items(projected, "sources").map(|(_, source)| source).collect();
    warn(
        "Projected",
        sources.iter().flat_map(|source| projected_paths(source)).collect(),
    );
    for _ in sources.iter().filter(|source| is_empty(source)) {
        found.push(format!("volume {name} (Projected) has no sources provided"));
    }
}

fn projected_paths(source: &Value) -> Vec<VolumePath> {
    let named = |kind: &str, source: &Value| format!("{kind} {}", quoted(text(source, "name")));
    if let Some(fields) = given(source, "configMap") {
        return VolumePath::from_projected_items(fields, &named("ConfigMap", fields));
    }
    if let Some(fields) = given(source, "secret") {
        return VolumePath::from_projected_items(fields, &named("Secret", fields));
    }
    if let Some(fields) = given(source, "downwardAPI") {
        return VolumePath::from_projected_items(fields, "DownwardAPI");
    }
    if let Some(fields) = given(source, "serviceAccountToken") {
        return vec![VolumePath::new(text(fields, "path"), "ServiceAccountToken".to_owned())];
    }
    if let Some(fields) = given(source, "clusterTrustBundle") {
        let name = [text(fields, "name"), text(fields, "signerName")];
        let name = name.into_iter().find(|name| !name.is_empty()).unwrap_or_default();
        let description = format!("ClusterTrustBundle {}", quoted(name));
        return vec![VolumePath::new(text(fields, "path"), description)];
    }
    let certificate = source.get("podCertificate").unwrap_or(&Value::Null);
    let parts = [
        ("certificateChainPath", "PodCertificate chain"),
        ("keyPath", "PodCertificate key"),
        ("credentialBundlePath", "PodCertificate credential bundle"),
    ];
    let given = parts
        .into_iter()
        .filter(|(field, _)| !text(certificate, field).is_empty());
    given
        .map(|(field, description)| VolumePath::new(text(certificate, field), description.to_owned()))
        .collect()
}

/// Warns about duplicate host aliases and pull secrets, and about pull secrets without a name.
fn warn_about_duplicate_names(spec: &Value, path: &str, found: &mut Vec<String>) {
    for (list_name, field) in [("hostAliases", "ip"), ("imagePullSecrets", "name")] {
        let all: Vec<&str> = items(spec, list_name).map(|(_, value)| text(value, field)).collect();
        for (index, value) in all.iter().enumerate() {
            if all.iter().take(index).any(|before| before == value) {
                let value = quoted(value);
                found.push(format!(
                    "{path}.{list_name}[{index}].{field}: duplicate {field} {value}"
                ));
            }
        }
    }
    for (index, secret) in items(spec, "imagePullSecrets") {
        if text(secret, "name").is_empty() {
            found.push(format!(
                "{path}.imagePullSecrets[{index}].name: invalid empty name \"\""
            ));
        }
    }
}

fn warn_about_container(container: &Value, at: &str, found: &mut Vec<String>) {
    for name in ["memory", "ephemeral-storage"] {
        for kind in ["limits", "requests"] {
            if let Some(amount) = container.pointer(&format!("/resources/{kind}/{name}")) {
                warn_if_fractional(amount, &format!("{at}.resources.{kind}[{name}]"), found);
            }
        }
    }
    let variables: Vec<&Value> = items(container, "env").map(|(_, variable)| variable).collect();
    for (index, variable) in variables.iter().enumerate() {
        let name = text(variable, "name");
        let is_known = variables.iter().take(index).any(|before| text(before, "name") == name);
        // A definition of a variable may refer to an earlier definition of the same variable: `$(A)x`.
        let (reference, value) = (format!("$({name})"), text(variable, "value"));
        let extends_previous =
            given(variable, "valueFrom").is_none() && value != reference && value.contains(&reference);
        if is_known && !extends_previous {
            found.push(format!(
                "{at}.env[{index}]: hides previous definition of {}, which may be dropped when using apply",
                quoted(name)
            ));
        }
    }
}

/// A container port with the fields that the warnings compare.
struct ComparedPort<'v> {
    at: String,
    name: &'v str,
    number: i64,
    protocol: &'v str,
    host_port: i64,
    host_ip: &'v str,
}

/// Warns about duplicate or conflicting ports in all containers of a pod.
fn warn_about_ports(containers: &[(String, &Value)], found: &mut Vec<String>) {
    let mut before: Vec<ComparedPort<'_>> = Vec::new();
    for (at, container) in containers {
        for (index, port) in items(container, "ports") {
            let number = |field: &str| port.get(field).and_then(Value::as_i64).unwrap_or(0);
            let protocol = text(port, "protocol");
            let port = ComparedPort {
                at: format!("{at}.ports[{index}]"),
                name: text(port, "name"),
                number: number("containerPort"),
                protocol: if protocol.is_empty() { "TCP" } else { protocol },
                host_port: number("hostPort"),
                host_ip: text(port, "hostIP"),
            };
            if !port.host_ip.is_empty() && port.host_port == 0 {
                found.push(format!(
                    "{}: hostIP set without hostPort: {{Name:{} HostPort:0 ContainerPort:{} Protocol:{} HostIP:{}}}",
                    port.at, port.name, port.number, port.protocol, port.host_ip
                ));
            }
            let same = before
                .iter()
                .filter(|other| (other.number, other.protocol) == (port.number, port.protocol));
            found.extend(same.filter_map(|other| {
                let conflict = port_conflict_adjective(&port, other)?;
                Some(format!("{}: {conflict} port definition with {}", port.at, other.at))
            }));
            before.push(port);
        }
    }
    warn_about_port_names(containers, found);
}

/// Returns how the warning describes the conflict of two ports; None if they do not conflict.
fn port_conflict_adjective(port: &ComparedPort<'_>, other: &ComparedPort<'_>) -> Option<&'static str> {
    if port.host_ip == other.host_ip && port.host_port == other.host_port {
        Some("duplicate")
    } else if port.host_port == 0 || other.host_port == 0 {
        Some("overlapping")
    } else if port.host_port == other.host_port && port.host_ip.is_empty() != other.host_ip.is_empty() {
        Some("dangerously ambiguous")
    } else {
        None
    }
}

/// Warns about duplicate port names among containers and sidecars: a lookup by name finds only the first.
fn warn_about_port_names(containers: &[(String, &Value)], found: &mut Vec<String>) {
    let is_long_running = |container_path: &str, container: &Value| {
        !container_path.contains("nitContainers[") || text(container, "restartPolicy") == "Always"
    };
    let mut known: Vec<(&str, String)> = Vec::new();
    for (container_path, container) in containers
        .iter()
        .filter(|(container_path, container)| is_long_running(container_path, container))
    {
        for (index, port) in items(container, "ports") {
            let (name, at) = (text(port, "name"), format!("{container_path}.ports[{index}]"));
            match known.iter().find(|(other, _)| *other == name) {
                _ if name.is_empty() => {}
                Some((_, other)) => found.push(format!(
                    "{at}: duplicate port name {} with {other}, services and probes that select ports by name will use {other}",
                    quoted(name)
                )),
                None => known.push((name, at)),
            }
        }
    }
}

/// Warns about IP addresses in deprecated notation.
fn warn_about_addresses(spec: &Value, path: &str, found: &mut Vec<String>) {
    let servers = spec.pointer("/dnsConfig/nameservers");
    for (index, server) in list(servers) {
        let at = format!("{path}.dnsConfig.nameservers[{index}]");
        found.extend(ip::address_warning(&at, server.as_str().unwrap_or_default()));
    }
    for (index, alias) in items(spec, "hostAliases") {
        found.extend(ip::address_warning(
            &format!("{path}.hostAliases[{index}].ip"),
            text(alias, "ip"),
        ));
    }
}
