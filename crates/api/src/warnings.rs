//! What the API server warns of without refusing it: fields that are deprecated, have no effect or surprise. Clients print
//! each as `Warning: …`.

use serde_json::Value;

use crate::untyped::{items, list, text};
use crate::validate::{dns_label, quoted};
use crate::{Kind, Object, Quantity};

/// Label keys that have a better name since long.
const OLD_LABELS: &[(&str, &str, &str)] = &[
    ("beta.kubernetes.io/arch", "v1.14", "kubernetes.io/arch"),
    ("beta.kubernetes.io/os", "v1.14", "kubernetes.io/os"),
    (
        "failure-domain.beta.kubernetes.io/region",
        "v1.17",
        "topology.kubernetes.io/region",
    ),
    (
        "failure-domain.beta.kubernetes.io/zone",
        "v1.17",
        "topology.kubernetes.io/zone",
    ),
    (
        "beta.kubernetes.io/instance-type",
        "v1.17",
        "node.kubernetes.io/instance-type",
    ),
];
const OLD_CLASS: &str = "volume.beta.kubernetes.io/storage-class";

/// What the server says to every request about Endpoints.
pub const DEPRECATED_ENDPOINTS: &str = "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice";

/// The warnings for an object that a client writes, in the API server's order.
#[must_use]
pub fn warnings(object: &Object) -> Vec<String> {
    if object.kind() == crate::Kind::Endpoints {
        return vec![DEPRECATED_ENDPOINTS.to_owned()];
    }
    let value = object.to_value();
    let mut found = Vec::new();
    let name = &object.metadata().name;
    let surprising = |what: &str| {
        let wrong = dns_label(name);
        (!wrong.is_empty() && !name.is_empty()).then(|| {
            format!(
                "metadata.name: this is used in {what}, which can result in surprising behavior; a DNS label is recommended: [{}]",
                wrong.join(" ")
            )
        })
    };
    match object.kind() {
        Kind::Pod => found.extend(surprising("the Pod's hostname")),
        Kind::Deployment | Kind::ReplicaSet | Kind::Job => found.extend(surprising("Pod names and hostnames")),
        _ => {}
    }
    let template = match object.kind() {
        Kind::Pod => Some((&value, String::new())),
        _ => value
            .pointer("/spec/template")
            .map(|template| (template, "spec.template.".to_owned())),
    };
    if let Some((template, at)) = template {
        pod(template, &at, &mut found);
    }
    of_kind(object, &value, &mut found);
    found
}

fn of_kind(object: &Object, value: &Value, found: &mut Vec<String>) {
    let spec = |path: &str| value.pointer(&format!("/spec/{path}"));
    match object {
        Object::StatefulSet(set) if set.spec.revision_history_limit.is_some_and(|limit| limit < 0) => {
            found.push("spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended".to_owned());
        }
        Object::PersistentVolume(_) | Object::PersistentVolumeClaim(_) => {
            if object.metadata().annotation(OLD_CLASS).is_some() {
                found.push(format!(
                    "metadata.annotations[{OLD_CLASS}]: deprecated since v1.8; use \"storageClassName\" attribute instead"
                ));
            }
            if spec("persistentVolumeReclaimPolicy").and_then(Value::as_str) == Some("Recycle") {
                found.push("spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.".to_owned());
            }
            for (at, list) in [
                ("capacity", "spec.capacity"),
                ("resources/requests", "spec.resources.requests"),
            ] {
                if let Some(amount) = spec(&format!("{at}/storage")) {
                    fractional(amount, &format!("{list}[storage]"), found);
                }
            }
        }
        Object::Service(service)
            if &*service.spec.cluster_ip == "None" && &*service.spec.session_affinity == "ClientIP" =>
        {
            found.push("spec.SessionAffinity is ignored for headless services".to_owned());
        }
        Object::Node(_) if spec("externalID").is_some() => {
            found.push("spec.externalID: this field is deprecated, and is unused by Kubernetes".to_owned());
        }
        _ => {}
    }
}

/// Memory is counted in bytes, and a part of one is none.
fn fractional(amount: &Value, path: &str, found: &mut Vec<String>) {
    let text = amount.as_str().map_or_else(|| amount.to_string(), str::to_owned);
    if let Ok(quantity) = text.parse::<Quantity>()
        && quantity.milli_value() % 1000 != 0
    {
        found.push(format!(
            "{path}: fractional byte value {text:?} is invalid, must be an integer"
        ));
    }
}

/// A pod or a template; `at` stands before its fields.
fn pod(pod: &Value, at: &str, found: &mut Vec<String>) {
    for (key, since, instead) in OLD_LABELS {
        if pod
            .pointer("/spec/nodeSelector")
            .is_some_and(|labels| labels.get(key).is_some())
        {
            found.push(format!(
                "{at}spec.nodeSelector[{key}]: deprecated since {since}; use {instead:?} instead"
            ));
        }
    }
    for (key, since, instead) in [
        (
            "scheduler.alpha.kubernetes.io/critical-pod",
            "v1.16",
            "priorityClassName",
        ),
        ("seccomp.security.alpha.kubernetes.io/pod", "v1.27", "seccompProfile"),
    ] {
        if pod
            .pointer("/metadata/annotations")
            .is_some_and(|marks| marks.get(key).is_some())
        {
            found.push(format!(
                "{at}metadata.annotations[{key}]: non-functional in {since}+; use the {instead:?} field instead"
            ));
        }
    }
    for (index, constraint) in list(pod.pointer("/spec/topologySpreadConstraints")) {
        if constraint.get("labelSelector").is_none_or(Value::is_null) {
            found.push(format!(
                "{at}spec.topologySpreadConstraints[{index}].labelSelector: a null labelSelector results in matching no pod"
            ));
        }
    }
    for (index, secret) in list(pod.pointer("/spec/imagePullSecrets")) {
        if text(secret, "name").is_empty() {
            found.push(format!(
                "{at}spec.imagePullSecrets[{index}].name: invalid empty name \"\""
            ));
        }
    }
    for (_, volume) in list(pod.pointer("/spec/volumes")) {
        let sources = volume.pointer("/projected/sources").and_then(Value::as_array);
        let is_empty = |source: &Value| source.as_object().is_none_or(serde_json::Map::is_empty);
        if volume.get("projected").is_some() && sources.is_none_or(|sources| sources.iter().all(is_empty)) {
            found.push(format!(
                "volume {:?} (Projected) has no sources provided",
                text(volume, "name")
            ));
        }
    }
    let grace = pod
        .pointer("/spec/terminationGracePeriodSeconds")
        .and_then(Value::as_i64);
    // Of a pod itself it has become 1 before anybody is warned.
    if !at.is_empty() && grace.is_some_and(|seconds| seconds < 0) {
        found.push(format!(
            "{at}spec.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1"
        ));
    }
    for field in ["initContainers", "containers"] {
        for (index, container) in list(pod.pointer(&format!("/spec/{field}"))) {
            of_container(container, &format!("{at}spec.{field}[{index}]"), found);
        }
    }
    ports(pod, at, found);
}

fn of_container(container: &Value, at: &str, found: &mut Vec<String>) {
    for (kind, amounts) in ["limits", "requests"].map(|kind| (kind, container.pointer(&format!("/resources/{kind}")))) {
        for name in ["memory", "ephemeral-storage"] {
            if let Some(amount) = amounts.and_then(|amounts| amounts.get(name)) {
                fractional(amount, &format!("{at}.resources.{kind}[{name}]"), found);
            }
        }
    }
    let names: Vec<&str> = items(container, "env")
        .map(|(_, variable)| text(variable, "name"))
        .collect();
    for (index, name) in names.iter().enumerate() {
        if names.iter().take(index).any(|before| before == name) {
            found.push(format!(
                "{at}.env[{index}]: hides previous definition of {}, which may be dropped when using apply",
                quoted(name)
            ));
        }
    }
}

/// The same port twice in a container: the second says nothing new.
fn ports(pod: &Value, at: &str, found: &mut Vec<String>) {
    for (index, container) in list(pod.pointer("/spec/containers")) {
        let ports: Vec<(Option<i64>, &str, Option<i64>)> = items(container, "ports")
            .map(|(_, port)| {
                let protocol = text(port, "protocol");
                let number = |field: &str| port.get(field).and_then(Value::as_i64);
                (
                    number("containerPort"),
                    if protocol.is_empty() { "TCP" } else { protocol },
                    number("hostPort"),
                )
            })
            .collect();
        for (later, port) in ports.iter().enumerate() {
            if let Some(earlier) = ports.iter().take(later).position(|before| before == port) {
                let path = format!("{at}spec.containers[{index}].ports");
                found.push(format!(
                    "{path}[{later}]: duplicate port definition with {path}[{earlier}]"
                ));
            }
        }
    }
}
