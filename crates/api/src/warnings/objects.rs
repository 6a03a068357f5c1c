//! Warnings about objects other than pods and templates (VA-352 to VA-354).

use crate::well_known::annotation::{BETA_STORAGE_CLASS, INGRESS_CLASS};
use serde_json::Value;

use crate::untyped::{given, items, list, text};
use crate::{Kind, Object};

use super::{deprecated_label_warning, ip, pem, pod, warn_if_fractional};

const BETA_MOUNT_OPTIONS_KEY: &str = "volume.beta.kubernetes.io/mount-options";
const OLD_TOPOLOGY_ANNOTATION: &str = "service.kubernetes.io/topology-aware-hints";
const TOPOLOGY_MODE_ANNOTATION: &str = "service.kubernetes.io/topology-mode";
const MOUNTABLE_SECRETS_KEY: &str = "kubernetes.io/enforce-mountable-secrets";

/// Volume sources that are no longer supported: name, the version that deprecated it, and the version that removed it.
const DEPRECATED_VOLUME_SOURCES: [(&str, &str, &str); 6] = [
    ("cephfs", "v1.28", "v1.31"),
    ("photonPersistentDisk", "v1.11", "v1.16"),
    ("scaleIO", "v1.16", "v1.22"),
    ("storageos", "v1.22", "v1.25"),
    ("glusterfs", "v1.25", "v1.26"),
    ("rbd", "v1.28", "v1.31"),
];

/// The warning that every request for Endpoints gets.
pub const DEPRECATED_ENDPOINTS: &str = "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice";

pub(super) fn object_warnings(object: &Object, value: &Value, found: &mut Vec<String>) {
    let has_annotation = |key: &str| object.metadata().annotation(key).is_some();
    let value_at = |pointer: &str| value.pointer(pointer);
    match object.kind() {
        Kind::StatefulSet => warn_about_stateful_set(value, found),
        Kind::PersistentVolume | Kind::PersistentVolumeClaim => {
            if has_annotation(BETA_STORAGE_CLASS) {
                found.push(format!(
                    "metadata.annotations[{BETA_STORAGE_CLASS}]: deprecated since v1.8; use \"storageClassName\" attribute instead"
                ));
            }
            if object.kind() == Kind::PersistentVolume {
                warn_about_volume(object, value, found);
            } else if let Some(amount) = value_at("/spec/resources/requests/storage") {
                warn_if_fractional(amount, "spec.resources.requests[storage]", found);
            }
        }
        Kind::StorageClass => {
            for (index, term) in list(value_at("/allowedTopologies")) {
                for (inner, expression) in items(term, "matchLabelExpressions") {
                    if let Some(message) = deprecated_label_warning(text(expression, "key")) {
                        let at = format!("allowedTopologies[{index}].matchLabelExpressions[{inner}].key");
                        found.push(format!("{at}: {message}"));
                    }
                }
            }
        }
        Kind::RuntimeClass => {
            let selected = value_at("/scheduling/nodeSelector").and_then(Value::as_object);
            let keys = selected.into_iter().flat_map(|labels| labels.keys());
            found.extend(
                keys.filter_map(|key| Some(format!("scheduling.nodeSelector: {}", deprecated_label_warning(key)?))),
            );
        }
        Kind::Job => warn_about_large_indexed_job(value_at("/spec"), found),
        Kind::CronJob => warn_about_large_indexed_job(value_at("/spec/jobTemplate/spec"), found),
        Kind::Service => warn_about_service(value, has_annotation(OLD_TOPOLOGY_ANNOTATION), found),
        Kind::Secret if text(value, "type") == "kubernetes.io/tls" => found.extend(pem::key_pair_error(value)),
        Kind::Endpoints => warn_about_endpoints(value, found),
        Kind::EndpointSlice => warn_about_endpoint_slice(value, found),
        Kind::Ingress if has_annotation(INGRESS_CLASS) => found.push(format!(
            "annotation {INGRESS_CLASS:?} is deprecated, please use 'spec.ingressClassName' instead"
        )),
        Kind::NetworkPolicy => warn_about_network_policy(value, found),
        Kind::ServiceAccount if has_annotation(MOUNTABLE_SECRETS_KEY) => found.push(format!(
            "metadata.annotations[{MOUNTABLE_SECRETS_KEY}]: deprecated in v1.32+; prefer separate namespaces to \
             isolate access to mounted secrets"
        )),
        Kind::Node if value_at("/spec/externalID").is_some() => {
            found.push("spec.externalID: this field is deprecated, and is unused by Kubernetes".to_owned());
        }
        _ => {}
    }
}

fn warn_about_stateful_set(value: &Value, found: &mut Vec<String>) {
    for (index, template) in list(value.pointer("/spec/volumeClaimTemplates")) {
        if let Some(amount) = template.pointer("/spec/resources/requests/storage") {
            let at = format!("spec.volumeClaimTemplates[{index}].Spec.resources.requests[storage]");
            warn_if_fractional(amount, &at, found);
        }
    }
    let limit = value.pointer("/spec/revisionHistoryLimit").and_then(Value::as_i64);
    if limit.is_some_and(|limit| limit < 0) {
        found.push(
            "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended"
                .to_owned(),
        );
    }
}

fn warn_about_volume(object: &Object, value: &Value, found: &mut Vec<String>) {
    if object.metadata().annotation(BETA_MOUNT_OPTIONS_KEY).is_some() {
        found.push(format!(
            "metadata.annotations[{BETA_MOUNT_OPTIONS_KEY}]: deprecated since v1.31; use \"mountOptions\" attribute \
             instead"
        ));
    }
    let spec = value.get("spec").unwrap_or(&Value::Null);
    if text(spec, "persistentVolumeReclaimPolicy") == "Recycle" {
        found.push("spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.".to_owned());
    }
    for (index, term) in list(spec.pointer("/nodeAffinity/required/nodeSelectorTerms")) {
        let at = format!("spec.nodeAffinity.required.nodeSelectorTerms[{index}]");
        pod::warn_about_node_term(term, false, &at, found);
    }
    let old = DEPRECATED_VOLUME_SOURCES
        .iter()
        .find(|(source, ..)| given(spec, source).is_some());
    found.extend(
        old.map(|(source, since, gone)| format!("spec.{source}: deprecated in {since}, non-functional in {gone}+")),
    );
    if let Some(amount) = spec.pointer("/capacity/storage") {
        warn_if_fractional(amount, "spec.capacity[storage]", found);
    }
}

/// Warns about Indexed Jobs that are too large for their failed indexes to be tracked.
fn warn_about_large_indexed_job(spec: Option<&Value>, found: &mut Vec<String>) {
    let spec = spec.unwrap_or(&Value::Null);
    let number = |field: &str| spec.get(field).and_then(Value::as_i64).unwrap_or(0);
    if text(spec, "completionMode") == "Indexed" && number("completions") > 100_000 && number("parallelism") > 10_000 {
        found.push("In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail".to_owned());
    }
}

fn warn_about_service(value: &Value, has_old_topology: bool, found: &mut Vec<String>) {
    let spec = value.get("spec").unwrap_or(&Value::Null);
    let (kind, address) = (text(spec, "type"), text(spec, "clusterIP"));
    let is_external_name = kind == "ExternalName";
    let is_headless = address == "None" && matches!(kind, "" | "ClusterIP");
    let external = || items(spec, "externalIPs").map(|(index, address)| (index, address.as_str().unwrap_or_default()));
    let has_external = external().next().is_some();
    if has_old_topology {
        found.push(format!(
            "annotation {OLD_TOPOLOGY_ANNOTATION} is deprecated, please use {TOPOLOGY_MODE_ANNOTATION} instead"
        ));
    }
    if !address.is_empty() && address != "None" {
        for (index, ip) in items(spec, "clusterIPs") {
            found.extend(ip::address_warning(
                &format!("spec.clusterIPs[{index}]"),
                ip.as_str().unwrap_or_default(),
            ));
        }
    }
    let mut ignored = |is_ignored: bool, field: &str| {
        if is_headless && is_ignored {
            found.push(format!("spec.{field} is ignored for headless services"));
        }
    };
    ignored(!text(spec, "loadBalancerIP").is_empty(), "loadBalancerIP");
    ignored(has_external, "externalIPs");
    ignored(text(spec, "sessionAffinity") == "ClientIP", "SessionAffinity");
    for (index, external_ip) in external() {
        found.extend(ip::address_warning(&format!("spec.externalIPs[{index}]"), external_ip));
    }
    if has_external && !is_headless && !is_external_name {
        found.push("spec.externalIPs is deprecated and may no longer be implemented in some clusters".to_owned());
    }
    found.extend(ip::address_warning("spec.loadBalancerIP", text(spec, "loadBalancerIP")));
    for (index, range) in items(spec, "loadBalancerSourceRanges") {
        let at = format!("spec.loadBalancerSourceRanges[{index}]");
        found.extend(ip::network_warnings(&at, range.as_str().unwrap_or_default()));
    }
    if is_external_name && has_external {
        found.push("spec.externalIPs is ignored when spec.type is \"ExternalName\"".to_owned());
    }
    if !is_external_name && !text(spec, "externalName").is_empty() {
        found.push("spec.externalName is ignored when spec.type is not \"ExternalName\"".to_owned());
    }
    if text(spec, "trafficDistribution") == "PreferClose" {
        found.push("spec.trafficDistribution: \"PreferClose\" is deprecated; use \"PreferSameZone\"".to_owned());
    }
}

fn warn_about_endpoints(value: &Value, found: &mut Vec<String>) {
    found.push(DEPRECATED_ENDPOINTS.to_owned());
    for (index, subset) in items(value, "subsets") {
        for part in ["addresses", "notReadyAddresses"] {
            for (inner, address) in items(subset, part) {
                let at = format!("subsets[{index}].{part}[{inner}].ip");
                found.extend(ip::address_warning(&at, text(address, "ip")));
            }
        }
    }
}

fn warn_about_endpoint_slice(value: &Value, found: &mut Vec<String>) {
    if text(value, "addressType") == "FQDN" {
        found.push("addressType: FQDN endpoints are deprecated".to_owned());
        return;
    }
    for (index, endpoint) in items(value, "endpoints") {
        for (inner, address) in items(endpoint, "addresses") {
            let at = format!("endpoints[{index}].addresses[{inner}]");
            found.extend(ip::address_warning(&at, address.as_str().unwrap_or_default()));
        }
    }
}

fn warn_about_network_policy(value: &Value, found: &mut Vec<String>) {
    for (direction, peers) in [("ingress", "from"), ("egress", "to")] {
        for (index, rule) in list(value.pointer(&format!("/spec/{direction}"))) {
            for (inner, peer) in items(rule, peers) {
                let Some(block) = given(peer, "ipBlock") else { continue };
                let at = format!("spec.{direction}[{index}].{peers}[{inner}].ipBlock");
                found.extend(ip::network_warnings(&format!("{at}.cidr"), text(block, "cidr")));
                for (last, except) in items(block, "except") {
                    let at = format!("{at}.except[{last}]");
                    found.extend(ip::network_warnings(&at, except.as_str().unwrap_or_default()));
                }
            }
        }
    }
}
