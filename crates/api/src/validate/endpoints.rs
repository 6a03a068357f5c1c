//! Validation of EndpointSlices and Endpoints (VA-308, VA-309).

use std::net::IpAddr;

use serde_json::Value;

use crate::untyped::{items, text};
use crate::{EndpointAddress, EndpointPort, EndpointSlice, Endpoints, ordered};

use super::error_list::{IMMUTABLE, quoted};
use super::service::refuse_special_address;
use super::{ErrorList, Path, names};

/// Maximum number of endpoints in a slice.
const MAX_ENDPOINTS: usize = 1000;
/// Maximum number of addresses of an endpoint.
const MAX_ADDRESSES: usize = 100;
/// Maximum number of zone hints, or of node hints, of an endpoint.
const MAX_HINTS: usize = 8;
/// Maximum number of ports of a slice.
const MAX_PORTS: usize = 20_000;

/// Values of an EndpointSlice's `addressType`; sorted, as an error lists them.
pub const ADDRESS_TYPES: &[&str] = &["FQDN", "IPv4", "IPv6"];

pub(super) fn validate_slice(object: &EndpointSlice, errors: &mut ErrorList) {
    let path = Path::root("addressType");
    match &*object.address_type {
        "" => errors.required(&path, ""),
        known if ADDRESS_TYPES.contains(&known) => {}
        other => errors.unsupported_text(&path, other, ADDRESS_TYPES),
    }
    check_slice_endpoints(object, &Path::root("endpoints"), errors);
    if !object.extra.is_empty() {
        check_hints(&crate::Object::EndpointSlice(object.clone().into()).to_value(), errors);
    }
    check_slice_ports(object, &Path::root("ports"), errors);
}

pub(super) fn validate_slice_update(old: &EndpointSlice, new: &EndpointSlice, errors: &mut ErrorList) {
    validate_slice(new, errors);
    if old.address_type != new.address_type {
        errors.invalid_text(&Path::root("addressType"), &new.address_type, IMMUTABLE);
    }
}

fn check_slice_endpoints(object: &EndpointSlice, path: &Path<'_>, errors: &mut ErrorList) {
    if object.endpoints.len() > MAX_ENDPOINTS {
        errors.too_many(path, object.endpoints.len(), MAX_ENDPOINTS);
        return;
    }
    for (index, endpoint) in object.endpoints.iter().enumerate() {
        let path = path.index(index);
        let addresses = path.child("addresses");
        match endpoint.addresses.len() {
            0 => errors.required(&addresses, "must contain at least 1 address"),
            count if count > MAX_ADDRESSES => errors.too_many(&addresses, count, MAX_ADDRESSES),
            _ => {}
        }
        for (index, address) in endpoint.addresses.iter().enumerate() {
            let path = addresses.index(index);
            match &*object.address_type {
                "IPv4" | "IPv6" => check_endpoint_address(address, Some(&object.address_type), &path, errors),
                "FQDN" => check_fqdn_address(address, &path, errors),
                _ => {}
            }
        }
        check_node_and_host_name(
            endpoint.node_name.as_deref(),
            endpoint.hostname.as_deref(),
            &path,
            errors,
        );
    }
}

/// Checks the topology hints of each endpoint: no zone or node occurs twice.
fn check_hints(slice: &Value, errors: &mut ErrorList) {
    let path = Path::root("endpoints");
    'endpoints: for (index, endpoint) in items(slice, "endpoints") {
        let Some(given) = endpoint.get("hints") else { continue };
        let path = path.index(index);
        let path = path.child("hints");
        for (field, rule) in [
            ("forZones", names::label_value_faults as names::NameRule),
            ("forNodes", names::subdomain_faults),
        ] {
            let path = path.child(field);
            let count = items(given, field).count();
            if count > MAX_HINTS {
                errors.too_many(&path, count, MAX_HINTS);
                continue 'endpoints;
            }
            let mut known = ordered::Set::new();
            for (index, hint) in items(given, field) {
                let path = path.index(index);
                let (path, name) = (path.child("name"), text(hint, "name"));
                if !known.insert(name) {
                    errors.duplicate(&path, quoted(name), "");
                }
                errors.invalid_name(&path, name, &rule(name));
            }
        }
    }
}

/// Checks that an IP address is usable as an endpoint, and that it belongs to `family` if that is given.
fn check_endpoint_address(address: &str, family: Option<&str>, path: &Path<'_>, errors: &mut ErrorList) {
    let parsed = address.parse::<IpAddr>();
    match (names::ip_problem(address), family, &parsed) {
        (Some(problem), _, _) => errors.invalid_text(path, address, problem),
        (None, Some("IPv4"), Ok(IpAddr::V6(_))) => errors.invalid_text(path, address, "must be an IPv4 address"),
        (None, Some("IPv6"), Ok(IpAddr::V4(_))) => errors.invalid_text(path, address, "must be an IPv6 address"),
        _ => {}
    }
    match parsed {
        Ok(parsed) => refuse_special_address(parsed, path, errors),
        Err(_) if names::ip_problem(address) == Some(names::INVALID_IP) => {
            errors.invalid_text(path, address, "must be a valid IP address");
        }
        Err(_) => {}
    }
}

/// Checks a fully qualified domain name of at least three parts.
fn check_fqdn_address(name: &str, path: &Path<'_>, errors: &mut ErrorList) {
    if name.is_empty() {
        errors.required(path, "");
        return;
    }
    let name = name.strip_suffix('.').unwrap_or(name);
    let problems = names::subdomain_faults(name);
    if !problems.is_empty() {
        errors.invalid_name(path, name, &[names::join_faults(&problems, "", ",")]);
    } else if name.split('.').count() < 3 {
        let message = "should be a domain with at least three segments separated by dots";
        errors.invalid_text(path, name, message);
    } else {
        for part in name.split('.') {
            let problems = names::label_faults(part);
            if !problems.is_empty() {
                errors.invalid_name(path, part, &[names::join_faults(&problems, "", ",")]);
            }
        }
    }
}

fn check_node_and_host_name(node: Option<&str>, host: Option<&str>, path: &Path<'_>, errors: &mut ErrorList) {
    if let Some(node) = node {
        errors.invalid_name(&path.child("nodeName"), node, &names::subdomain_faults(node));
    }
    if let Some(host) = host {
        errors.invalid_name(&path.child("hostname"), host, &names::label_faults(host));
    }
}

fn check_slice_ports(object: &EndpointSlice, path: &Path<'_>, errors: &mut ErrorList) {
    if object.ports.len() > MAX_PORTS {
        errors.too_many(path, object.ports.len(), MAX_PORTS);
        return;
    }
    let mut known = ordered::Set::new();
    for (index, port) in object.ports.iter().enumerate() {
        let path = path.index(index);
        let name = port.name.as_deref().unwrap_or_default();
        if !name.is_empty() {
            errors.invalid_name(&path.child("name"), name, &names::label_faults(name));
        }
        if !known.insert(name) {
            errors.duplicate(&path.child("name"), quoted(name), "");
        }
        check_protocols(port, &path, errors);
    }
}

fn check_protocols(port: &EndpointPort, path: &Path<'_>, errors: &mut ErrorList) {
    if let Some(protocol) = &port.protocol {
        errors.check_protocol(&path.child("protocol"), protocol);
    }
    if let Some(protocol) = &port.app_protocol {
        errors.invalid_name(
            &path.child("appProtocol"),
            protocol,
            &names::qualified_name_faults(protocol),
        );
    }
}

pub(super) fn validate(object: &Endpoints, errors: &mut ErrorList) {
    let path = Path::root("subsets");
    for (index, subset) in object.subsets.iter().enumerate() {
        let path = path.index(index);
        if subset.addresses.is_empty() && subset.not_ready_addresses.is_empty() {
            errors.required(&path, "must specify `addresses` or `notReadyAddresses`");
        }
        check_endpoints_addresses(&subset.addresses, &path.child("addresses"), errors);
        check_endpoints_addresses(&subset.not_ready_addresses, &path.child("notReadyAddresses"), errors);
        let ports = path.child("ports");
        for (index, port) in subset.ports.iter().enumerate() {
            check_endpoints_port(port, subset.ports.len() > 1, &ports.index(index), errors);
        }
    }
}

fn check_endpoints_addresses(list: &[EndpointAddress], path: &Path<'_>, errors: &mut ErrorList) {
    for (index, address) in list.iter().enumerate() {
        let path = path.index(index);
        let host = Some(&*address.hostname).filter(|host| !host.is_empty());
        check_endpoint_address(&address.ip, None, &path.child("ip"), errors);
        check_node_and_host_name(address.node_name.as_deref(), host, &path, errors);
    }
}

fn check_endpoints_port(port: &EndpointPort, must_have_name: bool, path: &Path<'_>, errors: &mut ErrorList) {
    match port.name.as_deref().unwrap_or_default() {
        "" if must_have_name => errors.required(&path.child("name"), ""),
        "" => {}
        name => errors.invalid_name(&path.child("name"), name, &names::label_faults(name)),
    }
    errors.check_port(&path.child("port"), port.port.unwrap_or(0));
    check_protocols(port, path, errors);
}
