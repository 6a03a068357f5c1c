//! `kubectl describe` of Ingresses, IngressClasses and NetworkPolicies, which are stored but not simulated (KC-121).

use podscope_api::{Object, ObjectKey, Service};
use serde_json::Value;

use super::super::View;
use super::super::columns::{selector_from_value, selector_text, text_or_none};
use super::super::jsonpath::value_text;
use super::super::text::TabbedText;
use super::network::endpoints_text;
use super::{print_annotations, print_labels};

/// Returns the elements of a list field.
fn list_items<'v>(value: &'v Value, field: &str) -> impl DoubleEndedIterator<Item = &'v Value> {
    let list = value.get(field).and_then(Value::as_array);
    list.into_iter().flatten()
}

/// Returns the value of a string field; empty if missing.
fn string_field<'v>(value: &'v Value, field: &str) -> &'v str {
    value.get(field).and_then(Value::as_str).unwrap_or_default()
}

fn joined_items(value: &Value, field: &str, between: &str) -> String {
    let all: Vec<&str> = list_items(value, field).filter_map(Value::as_str).collect();
    all.join(between)
}

pub(super) fn describe_ingress(object: &Object, view: &View<'_>, text: &mut TabbedText) {
    let (meta, value) = (object.metadata(), object.to_value());
    let none = Value::Null;
    let spec = value.get("spec").unwrap_or(&none);
    text.line(0, &format!("Name:\t{}", meta.name));
    print_labels(text, "Labels", &meta.labels);
    text.line(0, &format!("Namespace:\t{}", meta.namespace));
    let addresses = value.pointer("/status/loadBalancer").unwrap_or(&none);
    let addresses: Vec<&str> = list_items(addresses, "ingress")
        .map(|one| match string_field(one, "ip") {
            "" => string_field(one, "hostname"),
            ip => ip,
        })
        .collect();
    text.line(0, &format!("Address:\t{}", addresses.join(",")));
    let class = text_or_none(string_field(spec, "ingressClassName"));
    text.line(0, &format!("Ingress Class:\t{class}"));
    let default = spec.get("defaultBackend");
    let default = default.map_or_else(
        || "<default>".to_owned(),
        |one| backend_text(one, &meta.namespace, view),
    );
    text.line(0, &format!("Default backend:\t{default}"));
    if list_items(spec, "tls").next().is_some() {
        text.line(0, "TLS:");
    }
    for one in list_items(spec, "tls") {
        let hosts = joined_items(one, "hosts", ",");
        text.line(
            1,
            &match string_field(one, "secretName") {
                "" => format!("SNI routes {hosts}"),
                secret => format!("{secret} terminates {hosts}"),
            },
        );
    }
    text.line(0, "Rules:");
    text.line(1, "Host\tPath\tBackends");
    text.line(1, "----\t----\t--------");
    let mut is_empty = true;
    for rule in list_items(spec, "rules") {
        let Some(http) = rule.get("http") else { continue };
        is_empty = false;
        let host = match string_field(rule, "host") {
            "" => "*",
            host => host,
        };
        text.line(1, &format!("{host}\t"));
        for path in list_items(http, "paths") {
            let backend = backend_text(path.get("backend").unwrap_or(&none), &meta.namespace, view);
            text.line(2, &format!("\t{} \t{backend}", string_field(path, "path")));
        }
    }
    if is_empty {
        text.line(1, &format!("*\t*\t{default}"));
    }
    print_annotations(text, "Annotations", &meta.annotations);
}

/// Formats a backend: `web:80 (10.0.0.1:8080)`.
fn backend_text(value: &Value, namespace: &str, view: &View<'_>) -> String {
    if let Some(resource) = value.get("resource") {
        let group = text_or_none(string_field(resource, "apiGroup"));
        let (kind, name) = (string_field(resource, "kind"), string_field(resource, "name"));
        return format!("APIGroup: {group}, Kind: {kind}, Name: {name}");
    }
    let Some(service) = value.get("service") else {
        return String::new();
    };
    let name = string_field(service, "name");
    let none = Value::Null;
    let port = service.get("port").unwrap_or(&none);
    let (port_name, number) = (
        string_field(port, "name"),
        port.get("number").and_then(Value::as_i64).unwrap_or(0),
    );
    let service_port = match number {
        0 => format!("{name}:{port_name}"),
        number => format!("{name}:{number}"),
    };
    let Some(found) = view.objects.get::<Service>(&ObjectKey::new(namespace, name)) else {
        return format!("{service_port} (<error: services {name:?} not found>)");
    };
    let port = found.spec.ports.iter().rfind(|port| match number {
        0 => !port_name.is_empty() && *port.name == *port_name,
        number => i64::from(port.port) == number,
    });
    let slices: Vec<_> = view.objects.slices_of(namespace, name).collect();
    let port = port.map_or("", |port| &*port.name);
    format!("{service_port} ({})", endpoints_text(&slices, port))
}

pub(super) fn describe_ingress_class(object: &Object, text: &mut TabbedText) {
    let (meta, value) = (object.metadata(), object.to_value());
    text.line(0, &format!("Name:\t{}", meta.name));
    print_labels(text, "Labels", &meta.labels);
    print_annotations(text, "Annotations", &meta.annotations);
    let none = Value::Null;
    let spec = value.get("spec").unwrap_or(&none);
    text.line(0, &format!("Controller:\t{}", string_field(spec, "controller")));
    let Some(parameters) = spec.get("parameters") else {
        return;
    };
    text.line(0, "Parameters:");
    if let Some(group) = parameters.get("apiGroup") {
        text.line(1, &format!("APIGroup:\t{}", value_text(group)));
    }
    text.line(1, &format!("Kind:\t{}", string_field(parameters, "kind")));
    text.line(1, &format!("Name:\t{}", string_field(parameters, "name")));
}

pub(super) fn describe_network_policy(object: &Object, text: &mut TabbedText) {
    const ALL_PODS: &str = "<none> (Allowing the specific traffic to all pods in this namespace)";
    let (meta, value) = (object.metadata(), object.to_value());
    text.line(0, &format!("Name:\t{}", meta.name));
    text.line(0, &format!("Namespace:\t{}", meta.namespace));
    let created = meta.creation_timestamp.map(|at| podscope_api::print_rfc3339(at.0, 0));
    let created = created.unwrap_or_default().replace('T', " ").replace('Z', " +0000 UTC");
    text.line(0, &format!("Created on:\t{created}"));
    print_labels(text, "Labels", &meta.labels);
    print_annotations(text, "Annotations", &meta.annotations);
    let none = Value::Null;
    let spec = value.get("spec").unwrap_or(&none);
    text.line(0, "Spec:");
    let pods = match selector_text(selector_from_value(spec.get("podSelector")).as_ref()) {
        all if all == "<none>" => ALL_PODS.to_owned(),
        some => some,
    };
    text.line(1, &format!("PodSelector: {pods}"));
    let types = joined_items(spec, "policyTypes", ", ");
    for (kind, field, peers, port_of, peer_of, from) in [
        ("Ingress", "ingress", "from", "To Port", "From", "source"),
        ("Egress", "egress", "to", "To Port", "To", "destination"),
    ] {
        if !types.split(", ").any(|one| one == kind) {
            text.line(1, &format!("Not affecting {field} traffic"));
            continue;
        }
        text.line(1, &format!("Allowing {field} traffic:"));
        let last = list_items(spec, field).count();
        if last == 0 {
            text.line(
                2,
                &format!("<none> (Selected pods are isolated for {field} connectivity)"),
            );
        }
        for (at, rule) in list_items(spec, field).enumerate() {
            if list_items(rule, "ports").next().is_none() {
                text.line(2, &format!("{port_of}: <any> (traffic allowed to all ports)"));
            }
            for port in list_items(rule, "ports") {
                let number = port.get("port").map_or_else(|| "<nil>".to_owned(), value_text);
                let protocol = port.get("protocol").map_or_else(|| "TCP".to_owned(), value_text);
                text.line(2, &format!("{port_of}: {number}/{protocol}"));
            }
            if list_items(rule, peers).next().is_none() {
                text.line(2, &format!("{peer_of}: <any> (traffic not restricted by {from})"));
            }
            for one in list_items(rule, peers) {
                text.line(2, &format!("{peer_of}:"));
                print_peer(one, text);
            }
            if at + 1 < last {
                text.line(2, "----------");
            }
        }
    }
    text.line(1, &format!("Policy Types: {types}"));
}

/// Prints a peer of a network policy rule.
fn print_peer(one: &Value, text: &mut TabbedText) {
    let mut has_selector = false;
    for (title, field) in [
        ("NamespaceSelector", "namespaceSelector"),
        ("PodSelector", "podSelector"),
    ] {
        if let Some(labels) = one.get(field) {
            has_selector = true;
            text.line(
                3,
                &format!("{title}: {}", selector_text(selector_from_value(Some(labels)).as_ref())),
            );
        }
    }
    if let Some(block) = one.get("ipBlock").filter(|_| !has_selector) {
        text.line(3, "IPBlock:");
        text.line(4, &format!("CIDR: {}", string_field(block, "cidr")));
        text.line(4, &format!("Except: {}", joined_items(block, "except", ", ")));
    }
}
