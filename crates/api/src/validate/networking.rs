//! Validation of Ingresses, IngressClasses and NetworkPolicies (VA-303 to VA-305), in their JSON form.

use serde_json::Value;

use crate::UntypedObject;
use crate::schema::values;
use crate::untyped::{given, items, text};
use crate::well_known::annotation;

use super::error_list::IMMUTABLE;
use super::{ErrorList, Path, job, names, selector};

pub(super) fn validate_network_policy(object: &UntypedObject, errors: &mut ErrorList) {
    let path = Path::root("spec");
    let spec = object.at("/spec").unwrap_or(&Value::Null);
    selector::validate_selector_json(given(spec, "podSelector"), &path.child("podSelector"), errors);
    for (rules, peers) in [("ingress", "from"), ("egress", "to")] {
        let list = path.child(rules);
        for (index, rule) in items(spec, rules) {
            let path = list.index(index);
            let ports = path.child("ports");
            for (index, port) in items(rule, "ports") {
                check_network_policy_port(port, &ports.index(index), errors);
            }
            let list = path.child(peers);
            for (index, value) in items(rule, peers) {
                check_network_policy_peer(value, &list.index(index), errors);
            }
        }
    }

    const POLICY_TYPES: [&str; 2] = ["Ingress", "Egress"];
    let types = path.child("policyTypes");
    if items(spec, "policyTypes").count() > POLICY_TYPES.len() {
        let value = spec.get("policyTypes").map_or_else(String::new, ToString::to_string);
        return errors.invalid(&types, value, "may not specify more than two policyTypes");
    }
    for (index, policy_type) in items(spec, "policyTypes") {
        let policy_type = policy_type.as_str().unwrap_or_default();
        if !POLICY_TYPES.contains(&policy_type) {
            errors.unsupported_text(&types.index(index), policy_type, &POLICY_TYPES);
        }
    }
}

fn check_network_policy_port(port: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    if let Some(protocol) = port.get("protocol").and_then(Value::as_str) {
        errors.check_one_of(&path.child("protocol"), protocol, values::PROTOCOL);
    }
    let (at, end_path) = (path.child("port"), path.child("endPort"));
    let end = port.get("endPort").and_then(Value::as_i64);
    match given(port, "port") {
        Some(Value::String(name)) => {
            if let Some(end) = end {
                errors.invalid(&end_path, end, "may not be specified when `port` is non-numeric");
            }
            errors.invalid_name(&at, name, &names::port_name_faults(name));
        }
        Some(number) => {
            let number = number.as_i64().unwrap_or_default();
            errors.check_port(&at, number);
            if let Some(end) = end {
                if end < number {
                    errors.invalid(&end_path, end, "must be greater than or equal to `port`");
                }
                errors.check_port(&end_path, end);
            }
        }
        None => {
            if let Some(end) = end {
                errors.invalid(&end_path, end, "may not be specified when `port` is not specified");
            }
        }
    }
}

fn check_network_policy_peer(peer: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    let mut n_given = 0;
    for field in ["podSelector", "namespaceSelector"] {
        let labels = given(peer, field);
        n_given += u32::from(labels.is_some());
        selector::validate_selector_json(labels, &path.child(field), errors);
    }
    let block = given(peer, "ipBlock");
    if let Some(block) = block {
        check_ip_block(block, &path.child("ipBlock"), errors);
    }
    match (n_given, block) {
        (0, None) => errors.required(path, "must specify a peer"),
        (1.., Some(_)) => errors.forbidden(path, "may not specify both ipBlock and another peer"),
        _ => {}
    }
}

fn check_ip_block(block: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    let cidr = text(block, "cidr");
    if cidr.is_empty() {
        return errors.required(&path.child("cidr"), "");
    }
    check_cidr(cidr, &path.child("cidr"), errors);
    if !names::is_cidr(cidr) {
        return;
    }
    let excepted = path.child("except");
    for (index, exception) in items(block, "except") {
        let path = excepted.index(index);
        let exception = exception.as_str().unwrap_or_default();
        check_cidr(exception, &path, errors);
        if names::is_cidr(exception) && !names::is_cidr_inside(exception, cidr) {
            errors.invalid_text(&path, exception, "must be a strict subset of `cidr`");
        }
    }
}

fn check_cidr(text: &str, path: &Path<'_>, errors: &mut ErrorList) {
    if !names::is_cidr(text) {
        errors.invalid_text(path, text, names::INVALID_CIDR);
    } else if !names::is_network_address(text) {
        errors.invalid_text(path, text, "must not have bits set beyond the prefix length");
    }
}

pub(super) fn validate_ingress(object: &UntypedObject, errors: &mut ErrorList) {
    let path = Path::root("spec");
    let spec = object.at("/spec").unwrap_or(&Value::Null);
    let default = given(spec, "defaultBackend");
    if items(spec, "rules").next().is_none() && default.is_none() {
        let value = given(spec, "rules").map_or_else(|| "null".to_owned(), ToString::to_string);
        errors.invalid(&path, value, "either `defaultBackend` or `rules` must be specified");
    }
    if let Some(default) = default {
        check_ingress_backend(default, &path.child("defaultBackend"), errors);
    }
    let rules = path.child("rules");
    for (index, item) in items(spec, "rules") {
        check_ingress_rule(item, &rules.index(index), errors);
    }
    let list = path.child("tls");
    for (index, entry) in items(spec, "tls") {
        let path = list.index(index);
        let hosts = path.child("hosts");
        for (index, name) in items(entry, "hosts") {
            let name = name.as_str().unwrap_or_default();
            errors.invalid_name(&hosts.index(index), name, &host_name_or_wildcard_faults(name));
        }
        let secret = text(entry, "secretName");
        if !secret.is_empty() {
            errors.invalid_name(&path.child("secretName"), secret, &names::subdomain_faults(secret));
        }
    }
    let class = spec.get("ingressClassName").and_then(Value::as_str);
    if let Some(class) = class {
        errors.invalid_name(&path.child("ingressClassName"), class, &names::subdomain_faults(class));
    }
    if let (Some(older), Some(class)) = (object.metadata.annotation(annotation::INGRESS_CLASS), class)
        && older != class
    {
        let path = Path::root("annotations");
        let message = "must match `ingressClassName` when both are specified";
        errors.invalid_text(&path.child(annotation::INGRESS_CLASS), older, message);
    }
}

/// Returns the problems of an Ingress host, which may be a wildcard.
fn host_name_or_wildcard_faults(name: &str) -> Vec<names::NameFault> {
    if name.contains('*') {
        names::wildcard_faults(name)
    } else {
        names::subdomain_faults(name)
    }
}

fn check_ingress_rule(rule: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    let name = text(rule, "host");
    if !name.is_empty() {
        let path = path.child("host");
        if names::is_ip(name) {
            errors.invalid_text(&path, name, "must be a DNS name, not an IP address");
        }
        errors.invalid_name(&path, name, &host_name_or_wildcard_faults(name));
    }
    let Some(http) = given(rule, "http") else { return };
    let path = path.child("http");
    let list = path.child("paths");
    if items(http, "paths").next().is_none() {
        errors.required(&list, "");
    }
    for (index, item) in items(http, "paths") {
        check_http_path(item, &list.index(index), errors);
    }
}

fn check_http_path(value: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    const NOT_ABSOLUTE: &str = "must be an absolute path";
    let (http_path, at) = (text(value, "path"), path.child("path"));
    match value.get("pathType").and_then(Value::as_str) {
        None => return errors.required(&path.child("pathType"), "pathType must be specified"),
        Some("Exact" | "Prefix") => {
            if !http_path.starts_with('/') {
                errors.invalid_text(&at, http_path, NOT_ABSOLUTE);
            }
            for part in ["//", "/./", "/../", "%2f", "%2F"] {
                if http_path.contains(part) {
                    errors.invalid_text(&at, http_path, &format!("must not contain '{part}'"));
                }
            }
            for end in ["/..", "/."] {
                if http_path.ends_with(end) {
                    errors.invalid_text(&at, http_path, &format!("cannot end with '{end}'"));
                }
            }
        }
        Some("ImplementationSpecific") => {
            if !http_path.is_empty() && !http_path.starts_with('/') {
                errors.invalid_text(&at, http_path, NOT_ABSOLUTE);
            }
        }
        Some(other) => {
            let known = ["Exact", "ImplementationSpecific", "Prefix"];
            errors.unsupported_text(&path.child("pathType"), other, &known);
        }
    }
    let none = Value::Null;
    check_ingress_backend(value.get("backend").unwrap_or(&none), &path.child("backend"), errors);
}

fn check_ingress_backend(value: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    let service = match (given(value, "resource"), given(value, "service")) {
        (Some(_), Some(_)) => return errors.invalid_text(path, "", "cannot set both resource and service backends"),
        (Some(resource), None) => return check_object_reference(resource, &path.child("resource"), errors),
        (None, None) => return errors.invalid_text(path, "", "resource or service backend is required"),
        (None, Some(service)) => service,
    };
    let at = path.child("service");
    errors.check_name(&at.child("name"), text(service, "name"), names::label_faults);
    let none = Value::Null;
    let port = service.get("port").unwrap_or(&none);
    let (name, number) = (
        text(port, "name"),
        port.get("number").and_then(Value::as_i64).unwrap_or(0),
    );
    let at = at.child("port");
    match (name.is_empty(), number) {
        (true, 0) => errors.required(path, "port name or number is required"),
        (true, number) => errors.check_port(&at.child("number"), number),
        (false, 0) => errors.invalid_name(&at.child("name"), name, &names::port_name_faults(name)),
        (false, _) => errors.invalid_text(path, "", "cannot set both port name & port number"),
    }
}

/// Checks the group, kind and name of a reference to an object.
fn check_object_reference(value: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    if let Some(group) = value.get("apiGroup").and_then(Value::as_str) {
        errors.invalid_name(&path.child("apiGroup"), group, &names::subdomain_faults(group));
    }
    for field in ["kind", "name"] {
        errors.check_name(&path.child(field), text(value, field), names::path_segment_faults);
    }
}

pub(super) fn validate_ingress_class(object: &UntypedObject, errors: &mut ErrorList) {
    const MAX_CONTROLLER_BYTES: usize = 250;
    let path = Path::root("spec");
    let spec = object.at("/spec").unwrap_or(&Value::Null);
    let at = path.child("controller");
    let controller = text(spec, "controller");
    if controller.is_empty() {
        errors.required(&at, "");
    } else {
        if controller.len() > MAX_CONTROLLER_BYTES {
            errors.too_long(&at, MAX_CONTROLLER_BYTES);
        }
        job::check_domain_prefixed_path(controller, &at, errors);
    }
    let Some(parameters) = given(spec, "parameters") else {
        return;
    };
    let path = path.child("parameters");
    check_object_reference(parameters, &path, errors);
    let namespace = parameters.get("namespace").and_then(Value::as_str);
    let at = path.child("namespace");
    match (parameters.get("scope").and_then(Value::as_str), namespace) {
        (None, _) => errors.required(&path.child("scope"), ""),
        (Some("Namespace"), None) => errors.required(&at, "`parameters.scope` is set to 'Namespace'"),
        (Some("Namespace"), Some(namespace)) => errors.invalid_name(&at, namespace, &names::label_faults(namespace)),
        (Some("Cluster"), None) => {}
        (Some("Cluster"), Some(_)) => errors.forbidden(&at, "`parameters.scope` is set to 'Cluster'"),
        (Some(other), _) => errors.unsupported_text(&path.child("scope"), other, &["Cluster", "Namespace"]),
    }
}

pub(super) fn validate_ingress_class_update(old: &UntypedObject, new: &UntypedObject, errors: &mut ErrorList) {
    let controller = |object: &UntypedObject| {
        object
            .at("/spec/controller")
            .and_then(Value::as_str)
            .unwrap_or("")
            .to_owned()
    };
    if controller(old) != controller(new) {
        errors.invalid_text(&Path::root("spec").child("controller"), &controller(new), IMMUTABLE);
    }
}
