//! Services (VA-199, VA-200).

use crate::ordered;

use crate::{IntOrString, Service, ServicePort};

use super::list::{IMMUTABLE, quoted};
use super::{ErrorList, Path, meta, names};

pub(super) fn validate(service: &Service, errors: &mut ErrorList) {
    let path = Path::root("spec");
    let spec = &service.spec;
    let headless = &*spec.cluster_ip == "None";
    let external = &*spec.kind == "ExternalName";
    let ports = path.child("ports");
    if spec.ports.is_empty() && !headless && !external {
        errors.required(&ports, "");
    }
    let mut known = ordered::Set::new();
    for (index, port) in spec.ports.iter().enumerate() {
        one_port(port, spec.ports.len() > 1, &mut known, &ports.index(index), errors);
    }
    if let Some(labels) = &spec.selector {
        meta::labels(labels, &path.child("selector"), errors);
    }
    match &*spec.session_affinity {
        "ClientIP" | "None" => {}
        "" => errors.required(&path.child("sessionAffinity"), ""),
        other => errors.unsupported_text(&path.child("sessionAffinity"), other, &["ClientIP", "None"]),
    }
    match &*spec.kind {
        "ClusterIP" | "ExternalName" | "LoadBalancer" | "NodePort" => {}
        "" => errors.required(&path.child("type"), ""),
        other => errors.unsupported_text(
            &path.child("type"),
            other,
            &["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"],
        ),
    }
    if external && spec.external_name.is_empty() {
        errors.required(&path.child("externalName"), "");
    }
    if !spec.cluster_ip.is_empty() && !headless && !names::is_ip(&spec.cluster_ip) {
        errors.invalid_text(&path.child("clusterIPs").index(0), &spec.cluster_ip, names::IP);
    }
    for (index, family) in spec.ip_families.iter().enumerate() {
        if !matches!(&**family, "IPv4" | "IPv6") {
            let path = path.child("ipFamilies");
            errors.unsupported_text(&path.index(index), family, &["IPv4", "IPv6"]);
        }
    }
    if let Some(policy) = spec.internal_traffic_policy.as_deref()
        && !matches!(policy, "Cluster" | "Local")
    {
        errors.unsupported_text(&path.child("internalTrafficPolicy"), policy, &["Cluster", "Local"]);
    }
    if let Some(distribution) = spec.traffic_distribution.as_deref() {
        const KNOWN: [&str; 3] = ["PreferClose", "PreferSameZone", "PreferSameNode"];
        if !KNOWN.contains(&distribution) {
            errors.unsupported_text(&path.child("trafficDistribution"), distribution, &KNOWN);
        }
    }
    traffic_policy(service, &path, errors);
    if &*spec.kind == "NodePort" && headless {
        let path = path.child("clusterIPs");
        errors.invalid_text(&path.index(0), "None", "may not be set to 'None' for NodePort services");
    }
    if &*spec.kind == "ClusterIP" {
        for (index, port) in spec.ports.iter().enumerate() {
            if port.node_port.unwrap_or(0) != 0 {
                errors.forbidden(
                    &ports.index(index).child("nodePort"),
                    "may not be used when `type` is 'ClusterIP'",
                );
            }
        }
    }
    let mut pairs = ordered::Set::new();
    for (index, port) in spec.ports.iter().enumerate() {
        if !pairs.insert((&*port.protocol, port.port)) {
            let value = format!(
                "{{\"Name\":\"\",\"Protocol\":{},\"AppProtocol\":null,\"Port\":{},\"TargetPort\":0,\"NodePort\":0}}",
                quoted(&port.protocol),
                port.port
            );
            errors.duplicate(&ports.index(index), value, "");
        }
    }
}

fn one_port<'p>(
    port: &'p ServicePort,
    must_have_name: bool,
    known: &mut ordered::Set<&'p str>,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    if port.name.is_empty() {
        if must_have_name {
            errors.required(&path.child("name"), "");
        }
    } else {
        errors.each_invalid(&path.child("name"), &port.name, &names::label(&port.name));
        if !known.insert(&port.name) {
            errors.duplicate(&path.child("name"), quoted(&port.name), "");
        }
    }
    if !(1..=65_535).contains(&port.port) {
        errors.invalid(&path.child("port"), port.port, &names::range_text(1, 65_535));
    }
    match &*port.protocol {
        "TCP" | "UDP" | "SCTP" => {}
        "" => errors.required(&path.child("protocol"), ""),
        other => errors.unsupported_text(&path.child("protocol"), other, &["SCTP", "TCP", "UDP"]),
    }
    match &port.target_port {
        Some(IntOrString::Int(number)) if !(1..=65_535).contains(number) => {
            errors.invalid(&path.child("targetPort"), number, &names::range_text(1, 65_535));
        }
        Some(IntOrString::String(name)) => {
            errors.each_invalid(&path.child("targetPort"), name, &names::port_name(name));
        }
        _ => {}
    }
}

pub(super) fn validate_update(old: &Service, new: &Service, errors: &mut ErrorList) {
    let keeps_ip = &*old.spec.kind != "ExternalName" && &*new.spec.kind != "ExternalName";
    if keeps_ip && !old.spec.cluster_ip.is_empty() && old.spec.cluster_ip != new.spec.cluster_ip {
        let path = Path::root("spec");
        errors.invalid_text(&path.child("clusterIPs").index(0), &new.spec.cluster_ip, IMMUTABLE);
    }
    validate(new, errors);
}

/// Where traffic from outside goes: only for what is reached from outside.
fn traffic_policy(service: &Service, path: &Path<'_>, errors: &mut ErrorList) {
    let spec = &service.spec;
    let is_external = matches!(&*spec.kind, "NodePort" | "LoadBalancer");
    let path = path.child("externalTrafficPolicy");
    match &*spec.external_traffic_policy {
        "" if is_external => errors.required(&path, ""),
        "" => {}
        policy if !is_external => {
            errors.invalid_text(&path, policy, "may only be set for externally-accessible services");
        }
        "Cluster" | "Local" => {}
        other => errors.unsupported_text(&path, other, &["Cluster", "Local"]),
    }
}

/// The endpoints of a Service.
pub(super) fn slice(object: &crate::EndpointSlice, errors: &mut ErrorList) {
    const TYPES: [&str; 3] = ["FQDN", "IPv4", "IPv6"];
    let path = Path::root("addressType");
    match &*object.address_type {
        "" => errors.required(&path, ""),
        known if TYPES.contains(&known) => {}
        other => errors.unsupported_text(&path, other, &TYPES),
    }
}
