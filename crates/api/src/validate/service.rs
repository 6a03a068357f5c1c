//! Validation of Services (VA-199, VA-200).

use crate::ordered;
use crate::schema::values;

use crate::{IntOrString, Service, ServicePort, ServiceSpec};

use super::allocation::{AllocationError, check_service_allocation};
use super::error_list::quoted;
use super::{ErrorList, Path, meta, names};

const ONLY_FOR_LOAD_BALANCER: &str = "may only be used when `type` is 'LoadBalancer'";
/// Maximum timeout of session affinity by client IP, in seconds.
const MAX_AFFINITY_SECONDS: i64 = 86_400;

pub(super) fn validate(service: &Service, errors: &mut ErrorList) {
    let path = Path::root("spec");
    let spec = &service.spec;
    let headless = is_headless(spec);
    let external = &*spec.kind == "ExternalName";
    let ports = path.child("ports");
    if spec.ports.is_empty() && !headless && !external {
        errors.required(&ports, "");
    }
    check_fields_of_type(spec, &path, errors);
    let mut known = ordered::Set::new();
    for (index, port) in spec.ports.iter().enumerate() {
        check_service_port(port, spec.ports.len() > 1, &mut known, &ports.index(index), errors);
    }
    if let Some(labels) = &spec.selector {
        meta::check_labels(labels, &path.child("selector"), errors);
    }
    check_session_affinity(spec, &path, errors);
    if !external {
        check_cluster_ips_and_families(spec, &path, errors);
    }
    let given = path.child("externalIPs");
    for (index, address) in spec.external_ips.iter().enumerate() {
        let path = given.index(index);
        match address.parse() {
            Ok(parsed) if names::ip_problem(address).is_none() => refuse_special_address(parsed, &path, errors),
            _ => errors.invalid_text(&path, address, names::ip_problem(address).unwrap_or(names::INVALID_IP)),
        }
    }
    match &*spec.kind {
        "" => errors.required(&path.child("type"), ""),
        given => errors.check_one_of_sorted(&path.child("type"), given, values::SERVICE_TYPE),
    }
    check_ports_and_node_ports_unique(spec, &ports, errors);
    check_load_balancer_fields(service, &path, errors);
    check_traffic_policy(service, &path, errors);
    if let Some(policy) = spec.internal_traffic_policy.as_deref() {
        errors.check_one_of(&path.child("internalTrafficPolicy"), policy, values::TRAFFIC_POLICY);
    }
    if let Some(distribution) = spec.traffic_distribution.as_deref() {
        const TRAFFIC_DISTRIBUTIONS: [&str; 3] = ["PreferClose", "PreferSameZone", "PreferSameNode"];
        if !TRAFFIC_DISTRIBUTIONS.contains(&distribution) {
            errors.unsupported_text(&path.child("trafficDistribution"), distribution, &TRAFFIC_DISTRIBUTIONS);
        }
    }
    if errors.is_empty()
        && let Err(AllocationError::Invalid(problems)) = check_service_allocation(service, None, std::iter::empty())
    {
        errors.extend(problems);
    }
}

/// Returns whether the Service has no cluster IP.
pub(super) fn is_headless(spec: &ServiceSpec) -> bool {
    match &*spec.cluster_ips {
        [] => &*spec.cluster_ip == "None",
        [only] => &**only == "None",
        _ => false,
    }
}

/// Checks that no field is set that the type of the Service does not allow.
fn check_fields_of_type(spec: &ServiceSpec, path: &Path<'_>, errors: &mut ErrorList) {
    const NOT_FOR_EXTERNAL_NAME: &str = "may not be set for ExternalName services";
    let ips = path.child("clusterIPs");
    match &*spec.kind {
        kind @ ("LoadBalancer" | "NodePort") if is_headless(spec) => {
            let message = format!("may not be set to 'None' for {kind} services");
            errors.invalid_text(&ips.index(0), "None", &message);
        }
        "ExternalName" => {
            if !spec.cluster_ips.is_empty() || !spec.cluster_ip.is_empty() {
                errors.forbidden(&ips, NOT_FOR_EXTERNAL_NAME);
            }
            if !spec.ip_families.is_empty() {
                errors.forbidden(&path.child("ipFamilies"), NOT_FOR_EXTERNAL_NAME);
            }
            if !spec.ip_family_policy.is_empty() {
                errors.forbidden(&path.child("ipFamilyPolicy"), NOT_FOR_EXTERNAL_NAME);
            }
            let name = path.child("externalName");
            let host = spec.external_name.strip_suffix('.').unwrap_or(&spec.external_name);
            if host.is_empty() {
                errors.required(&name, "");
            } else {
                errors.invalid_name(&name, host, &names::subdomain_faults(host));
            }
        }
        _ => {}
    }
}

fn check_session_affinity(spec: &ServiceSpec, path: &Path<'_>, errors: &mut ErrorList) {
    let config = path.child("sessionAffinityConfig");
    match &*spec.session_affinity {
        "ClientIP" => {
            let timeout = spec.session_affinity_config.as_ref();
            let timeout = timeout.and_then(|config| config.pointer("/clientIP/timeoutSeconds"));
            if let Some(seconds) = timeout.and_then(serde_json::Value::as_i64)
                && !(1..=MAX_AFFINITY_SECONDS).contains(&seconds)
            {
                let message = format!("must be greater than 0 and less than {MAX_AFFINITY_SECONDS}");
                errors.invalid(&config.child("clientIP").child("timeoutSeconds"), seconds, &message);
            }
        }
        "None" => {
            if spec.session_affinity_config.is_some() {
                errors.forbidden(&config, "must not be set when session affinity is None");
            }
        }
        "" => errors.required(&path.child("sessionAffinity"), ""),
        other => errors.unsupported_sorted(&path.child("sessionAffinity"), other, values::SERVICE_AFFINITY),
    }
}

/// Checks cluster IPs and IP families (VA-302).
pub(super) fn check_cluster_ips_and_families(spec: &ServiceSpec, path: &Path<'_>, errors: &mut ErrorList) {
    let ips = path.child("clusterIPs");
    let all = || crate::wire::to_json(&spec.cluster_ips);
    match spec.cluster_ips.first() {
        Some(_) if spec.cluster_ip.is_empty() => {
            errors.invalid(&ips, all(), "must be empty when `clusterIP` is not specified");
        }
        Some(first) if *first != spec.cluster_ip => {
            errors.invalid(&ips, all(), "first value must match `clusterIP`");
        }
        _ => {}
    }
    let families = path.child("ipFamilies");
    for (index, family) in spec.ip_families.iter().enumerate() {
        errors.check_one_of(&families.index(index), family, values::IP_FAMILY);
        if spec.ip_families.iter().take(index).any(|before| before == family) {
            errors.duplicate(&families.index(index), quoted(family), "");
        }
    }
    if !spec.ip_family_policy.is_empty() {
        let path = path.child("ipFamilyPolicy");
        errors.check_one_of_sorted(&path, &spec.ip_family_policy, values::IP_FAMILY_POLICY);
    }
    let mut given: Vec<&str> = spec.cluster_ips.iter().map(|ip| &**ip).collect();
    if given.is_empty() && !spec.cluster_ip.is_empty() {
        given.push(&spec.cluster_ip);
    }
    let before = errors.len();
    for (index, address) in given.iter().enumerate() {
        if *address == "None" && index == 0 {
            if given.len() > 1 {
                errors.invalid(&ips, all(), "'None' must be the first and only value");
            }
        } else if let Some(problem) = names::ip_problem(address) {
            errors.invalid_text(&ips.index(index), address, problem);
        }
    }
    let is_valid = errors.len() == before;
    if given.len() > 2 {
        errors.invalid(&ips, all(), "may only hold up to 2 values");
    }
    if is_valid {
        check_families_match_cluster_ips(&given, spec, &ips, errors);
    }
}

/// Checks that there is one address per family, in the order of `ipFamilies`.
fn check_families_match_cluster_ips(given: &[&str], spec: &ServiceSpec, ips: &Path<'_>, errors: &mut ErrorList) {
    let is_ipv6 = |address: &str| address.contains(':');
    if given.len() > 1 && given.iter().all(|address| is_ipv6(address) == is_ipv6(given[0])) {
        let all = crate::wire::to_json(&spec.cluster_ips);
        errors.invalid(ips, all, "may specify no more than one IP for each IP family");
    }
    if is_headless(spec) {
        return;
    }
    for (index, (address, family)) in given.iter().zip(&spec.ip_families).enumerate() {
        if matches!(&**family, "IPv4" | "IPv6") && is_ipv6(address) != (&**family == "IPv6") {
            let message = format!("expected an {family} value as indicated by `ipFamilies[{index}]`");
            errors.invalid_text(&ips.index(index), address, &message);
        }
    }
}

/// Refuses unspecified, loopback, link-local and link-local multicast addresses.
pub(super) fn refuse_special_address(address: std::net::IpAddr, path: &Path<'_>, errors: &mut ErrorList) {
    let (is_link_local, is_link_multicast) = match address {
        std::net::IpAddr::V4(address) => {
            let [a, b, c, _] = address.octets();
            (address.is_link_local(), [a, b, c] == [224, 0, 0])
        }
        std::net::IpAddr::V6(address) => {
            let first = address.segments()[0];
            (first & 0xffc0 == 0xfe80, first & 0xff0f == 0xff02)
        }
    };
    let message = if address.is_unspecified() {
        format!("may not be unspecified ({address})")
    } else if address.is_loopback() {
        "may not be in the loopback range (127.0.0.0/8, ::1/128)".to_owned()
    } else if is_link_local {
        "may not be in the link-local range (169.254.0.0/16, fe80::/10)".to_owned()
    } else if is_link_multicast {
        "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)".to_owned()
    } else {
        return;
    };
    errors.invalid_text(path, &address.to_string(), &message);
}

fn check_ports_and_node_ports_unique(spec: &ServiceSpec, ports: &Path<'_>, errors: &mut ErrorList) {
    let (mut of_nodes, mut pairs) = (ordered::Set::new(), ordered::Set::new());
    let node_ports = || {
        let ports = spec.ports.iter().enumerate();
        ports.filter_map(|(index, port)| Some((index, port, port.node_port.filter(|number| *number != 0)?)))
    };
    if &*spec.kind == "ClusterIP" {
        for (index, ..) in node_ports() {
            let message = "may not be used when `type` is 'ClusterIP'";
            errors.forbidden(&ports.index(index).child("nodePort"), message);
        }
    }
    for (index, port, number) in node_ports() {
        if !of_nodes.insert((&*port.protocol, number)) {
            errors.duplicate(&ports.index(index).child("nodePort"), number, "");
        }
    }
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

/// Checks fields that only a LoadBalancer may set.
fn check_load_balancer_fields(service: &Service, path: &Path<'_>, errors: &mut ErrorList) {
    const SOURCE_RANGES_ANNOTATION: &str = "service.beta.kubernetes.io/load-balancer-source-ranges";
    let spec = &service.spec;
    let is_load_balancer = &*spec.kind == "LoadBalancer";
    let range = |range: &str, path: &Path<'_>, errors: &mut ErrorList| {
        let range = range.trim();
        if !names::is_cidr(range) {
            errors.invalid_text(path, range, names::INVALID_CIDR);
        } else if !names::is_network_address(range) {
            errors.invalid_text(path, range, "must not have bits set beyond the prefix length");
        }
    };
    // The API server's message contains the path in this spelling.
    let ranges = path.child("LoadBalancerSourceRanges");
    if !spec.load_balancer_source_ranges.is_empty() {
        if !is_load_balancer {
            errors.forbidden(&ranges, ONLY_FOR_LOAD_BALANCER);
        }
        for (index, item) in spec.load_balancer_source_ranges.iter().enumerate() {
            range(item, &ranges.index(index), errors);
        }
    } else if let Some(given) = service.metadata.annotation(SOURCE_RANGES_ANNOTATION) {
        let metadata = Path::root("metadata");
        let annotations = metadata.child("annotations");
        let path = annotations.key(SOURCE_RANGES_ANNOTATION);
        if !is_load_balancer {
            errors.forbidden(&path, ONLY_FOR_LOAD_BALANCER);
        }
        for item in given.split(',').filter(|_| !given.trim().is_empty()) {
            range(item, &path, errors);
        }
    }
    if spec.allocate_load_balancer_node_ports.is_some() && !is_load_balancer {
        errors.forbidden(&path.child("allocateLoadBalancerNodePorts"), ONLY_FOR_LOAD_BALANCER);
    }
    if let Some(class) = &spec.load_balancer_class {
        let path = path.child("loadBalancerClass");
        if is_load_balancer {
            errors.invalid_name(&path, class, &names::qualified_name_faults(class));
        } else {
            errors.forbidden(&path, ONLY_FOR_LOAD_BALANCER);
        }
    }
}

fn check_service_port<'p>(
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
        errors.invalid_name(&path.child("name"), &port.name, &names::label_faults(&port.name));
        if !known.insert(&port.name) {
            errors.duplicate(&path.child("name"), quoted(&port.name), "");
        }
    }
    errors.check_port(&path.child("port"), port.port);
    errors.check_protocol(&path.child("protocol"), &port.protocol);
    if let Some(protocol) = &port.app_protocol {
        errors.invalid_name(
            &path.child("appProtocol"),
            protocol,
            &names::qualified_name_faults(protocol),
        );
    }
    match &port.target_port {
        Some(IntOrString::Int(number)) => errors.check_port(&path.child("targetPort"), *number),
        Some(IntOrString::String(name)) => {
            errors.invalid_name(&path.child("targetPort"), name, &names::port_name_faults(name));
        }
        _ => {}
    }
}

pub(super) fn validate_update(old: &Service, new: &Service, errors: &mut ErrorList) {
    const IMMUTABLE_ONCE_SET: &str = "may not change once set";
    let path = Path::root("spec");
    let is_external = |service: &Service| &*service.spec.kind == "ExternalName";
    // The cluster IPs, from the list or, if it is empty, from the single field.
    let given = |spec: &ServiceSpec| match (spec.cluster_ips.is_empty(), spec.cluster_ip.is_empty()) {
        (true, false) => vec![spec.cluster_ip.clone()],
        _ => spec.cluster_ips.clone(),
    };
    if !is_external(old)
        && !is_external(new)
        && let (Some(before), Some(now)) = (given(&old.spec).first(), given(&new.spec).first())
        && before != now
    {
        let value = crate::wire::to_json(&given(&new.spec));
        errors.invalid(&path.child("clusterIPs").index(0), value, IMMUTABLE_ONCE_SET);
    }
    let health_check_port = |service: &Service| {
        let spec = &service.spec;
        (&*spec.kind == "LoadBalancer" && &*spec.external_traffic_policy == "Local")
            .then_some(spec.health_check_node_port)
    };
    if let (Some(before), Some(now)) = (health_check_port(old), health_check_port(new))
        && before != now
    {
        errors.forbidden(&path.child("healthCheckNodePort"), super::error_list::IMMUTABLE);
    }
    validate(new, errors);
    let class = |service: &Service| service.spec.load_balancer_class.clone();
    let is_load_balancer = |service: &Service| &*service.spec.kind == "LoadBalancer";
    if is_load_balancer(old) && is_load_balancer(new) && class(old) != class(new) {
        let value = class(new).map_or_else(|| "null".to_owned(), |class| quoted(&class));
        errors.invalid(&path.child("loadBalancerClass"), value, IMMUTABLE_ONCE_SET);
    }
}

/// Checks the external traffic policy, which only externally reachable Services may set.
fn check_traffic_policy(service: &Service, path: &Path<'_>, errors: &mut ErrorList) {
    let spec = &service.spec;
    let is_external = matches!(&*spec.kind, "NodePort" | "LoadBalancer")
        || (&*spec.kind == "ClusterIP" && !spec.external_ips.is_empty());
    let health = path.child("healthCheckNodePort");
    let path = path.child("externalTrafficPolicy");
    match &*spec.external_traffic_policy {
        "" if is_external => errors.required(&path, ""),
        "" => {}
        policy if !is_external => {
            errors.invalid_text(&path, policy, "may only be set for externally-accessible services");
        }
        given => errors.check_one_of(&path, given, values::TRAFFIC_POLICY),
    }
    let is_checked = &*spec.kind == "LoadBalancer" && &*spec.external_traffic_policy == "Local";
    if let Some(port) = spec.health_check_node_port.filter(|port| *port != 0 && !is_checked) {
        let message = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
        errors.invalid(&health, port, message);
    }
    if let Some(port) = spec.health_check_node_port.filter(|port| *port != 0 && is_checked) {
        errors.check_port(&health, port);
    }
}
