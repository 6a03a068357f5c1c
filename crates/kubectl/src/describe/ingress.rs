//! Ingresses, their classes and network policies, as they are kept (KC-121).

use podscope_api::{EndpointSlice, Object, ObjectKey, Service};
use serde_json::Value;

use super::super::View;
use super::super::columns::{or_none, selector_text, sent_selector};
use super::super::jsonpath::plain;
use super::super::text::Elastic;
use super::network::endpoints;
use super::{annotations, labels};

fn items<'v>(value: &'v Value, field: &str) -> impl DoubleEndedIterator<Item = &'v Value> {
    let list = value.get(field).and_then(Value::as_array);
    list.into_iter().flatten()
}

fn word<'v>(value: &'v Value, field: &str) -> &'v str {
    value.get(field).and_then(Value::as_str).unwrap_or_default()
}

fn joined(value: &Value, field: &str, between: &str) -> String {
    let all: Vec<&str> = items(value, field).filter_map(Value::as_str).collect();
    all.join(between)
}

pub(super) fn ingress(object: &Object, view: &View<'_>, text: &mut Elastic) {
    let (meta, value) = (object.metadata(), object.to_value());
    let none = Value::Null;
    let spec = value.get("spec").unwrap_or(&none);
    text.line(0, &format!("Name:\t{}", meta.name));
    labels(text, "Labels", &meta.labels);
    text.line(0, &format!("Namespace:\t{}", meta.namespace));
    let addresses = value.pointer("/status/loadBalancer").unwrap_or(&none);
    let addresses: Vec<&str> = items(addresses, "ingress")
        .map(|one| match word(one, "ip") {
            "" => word(one, "hostname"),
            ip => ip,
        })
        .collect();
    text.line(0, &format!("Address:\t{}", addresses.join(",")));
    let class = or_none(word(spec, "ingressClassName"));
    text.line(0, &format!("Ingress Class:\t{class}"));
    let default = spec.get("defaultBackend");
    let default = default.map_or_else(|| "<default>".to_owned(), |one| backend(one, &meta.namespace, view));
    text.line(0, &format!("Default backend:\t{default}"));
    if items(spec, "tls").next().is_some() {
        text.line(0, "TLS:");
    }
    for one in items(spec, "tls") {
        let hosts = joined(one, "hosts", ",");
        text.line(
            1,
            &match word(one, "secretName") {
                "" => format!("SNI routes {hosts}"),
                secret => format!("{secret} terminates {hosts}"),
            },
        );
    }
    text.line(0, "Rules:");
    text.line(1, "Host\tPath\tBackends");
    text.line(1, "----\t----\t--------");
    let mut is_empty = true;
    for rule in items(spec, "rules") {
        let Some(http) = rule.get("http") else { continue };
        is_empty = false;
        let host = match word(rule, "host") {
            "" => "*",
            host => host,
        };
        text.line(1, &format!("{host}\t"));
        for path in items(http, "paths") {
            let backend = backend(path.get("backend").unwrap_or(&none), &meta.namespace, view);
            text.line(2, &format!("\t{} \t{backend}", word(path, "path")));
        }
    }
    if is_empty {
        text.line(1, &format!("*\t*\t{default}"));
    }
    annotations(text, "Annotations", &meta.annotations);
}

/// `web:80 (10.0.0.1:8080)`.
fn backend(value: &Value, namespace: &str, view: &View<'_>) -> String {
    if let Some(resource) = value.get("resource") {
        let group = or_none(word(resource, "apiGroup"));
        let (kind, name) = (word(resource, "kind"), word(resource, "name"));
        return format!("APIGroup: {group}, Kind: {kind}, Name: {name}");
    }
    let Some(service) = value.get("service") else {
        return String::new();
    };
    let name = word(service, "name");
    let none = Value::Null;
    let port = service.get("port").unwrap_or(&none);
    let (named, number) = (
        word(port, "name"),
        port.get("number").and_then(Value::as_i64).unwrap_or(0),
    );
    let shown = match number {
        0 => format!("{name}:{named}"),
        number => format!("{name}:{number}"),
    };
    let Some(found) = view.objects.get::<Service>(&ObjectKey::new(namespace, name)) else {
        return format!("{shown} (<error: services {name:?} not found>)");
    };
    let port = found.spec.ports.iter().rfind(|port| match number {
        0 => !named.is_empty() && *port.name == *named,
        number => i64::from(port.port) == number,
    });
    let slices: Vec<_> = view
        .objects
        .list_in::<EndpointSlice>(namespace)
        .filter(|slice| slice.metadata.label("kubernetes.io/service-name") == Some(name))
        .collect();
    let port = port.map_or("", |port| &*port.name);
    format!("{shown} ({})", endpoints(&slices, port))
}

pub(super) fn class(object: &Object, text: &mut Elastic) {
    let (meta, value) = (object.metadata(), object.to_value());
    text.line(0, &format!("Name:\t{}", meta.name));
    labels(text, "Labels", &meta.labels);
    annotations(text, "Annotations", &meta.annotations);
    let none = Value::Null;
    let spec = value.get("spec").unwrap_or(&none);
    text.line(0, &format!("Controller:\t{}", word(spec, "controller")));
    let Some(parameters) = spec.get("parameters") else {
        return;
    };
    text.line(0, "Parameters:");
    if let Some(group) = parameters.get("apiGroup") {
        text.line(1, &format!("APIGroup:\t{}", plain(group)));
    }
    text.line(1, &format!("Kind:\t{}", word(parameters, "kind")));
    text.line(1, &format!("Name:\t{}", word(parameters, "name")));
}

pub(super) fn policy(object: &Object, text: &mut Elastic) {
    const ALL_PODS: &str = "<none> (Allowing the specific traffic to all pods in this namespace)";
    let (meta, value) = (object.metadata(), object.to_value());
    text.line(0, &format!("Name:\t{}", meta.name));
    text.line(0, &format!("Namespace:\t{}", meta.namespace));
    let made = meta.creation_timestamp.map(|at| podscope_api::print_rfc3339(at.0, 0));
    let made = made.unwrap_or_default().replace('T', " ").replace('Z', " +0000 UTC");
    text.line(0, &format!("Created on:\t{made}"));
    labels(text, "Labels", &meta.labels);
    annotations(text, "Annotations", &meta.annotations);
    let none = Value::Null;
    let spec = value.get("spec").unwrap_or(&none);
    text.line(0, "Spec:");
    let pods = match selector_text(sent_selector(spec.get("podSelector")).as_ref()) {
        all if all == "<none>" => ALL_PODS.to_owned(),
        some => some,
    };
    text.line(1, &format!("PodSelector: {pods}"));
    let types = joined(spec, "policyTypes", ", ");
    for (kind, field, peers, port_of, peer_of, from) in [
        ("Ingress", "ingress", "from", "To Port", "From", "source"),
        ("Egress", "egress", "to", "To Port", "To", "destination"),
    ] {
        if !types.split(", ").any(|one| one == kind) {
            text.line(1, &format!("Not affecting {field} traffic"));
            continue;
        }
        text.line(1, &format!("Allowing {field} traffic:"));
        let last = items(spec, field).count();
        if last == 0 {
            text.line(
                2,
                &format!("<none> (Selected pods are isolated for {field} connectivity)"),
            );
        }
        for (at, rule) in items(spec, field).enumerate() {
            if items(rule, "ports").next().is_none() {
                text.line(2, &format!("{port_of}: <any> (traffic allowed to all ports)"));
            }
            for port in items(rule, "ports") {
                let number = port.get("port").map_or_else(|| "<nil>".to_owned(), plain);
                let protocol = port.get("protocol").map_or_else(|| "TCP".to_owned(), plain);
                text.line(2, &format!("{port_of}: {number}/{protocol}"));
            }
            if items(rule, peers).next().is_none() {
                text.line(2, &format!("{peer_of}: <any> (traffic not restricted by {from})"));
            }
            for one in items(rule, peers) {
                text.line(2, &format!("{peer_of}:"));
                peer(one, text);
            }
            if at + 1 < last {
                text.line(2, "----------");
            }
        }
    }
    text.line(1, &format!("Policy Types: {types}"));
}

fn peer(one: &Value, text: &mut Elastic) {
    let mut is_selected = false;
    for (title, field) in [
        ("NamespaceSelector", "namespaceSelector"),
        ("PodSelector", "podSelector"),
    ] {
        if let Some(labels) = one.get(field) {
            is_selected = true;
            text.line(
                3,
                &format!("{title}: {}", selector_text(sent_selector(Some(labels)).as_ref())),
            );
        }
    }
    if let Some(block) = one.get("ipBlock").filter(|_| !is_selected) {
        text.line(3, "IPBlock:");
        text.line(4, &format!("CIDR: {}", word(block, "cidr")));
        text.line(4, &format!("Except: {}", joined(block, "except", ", ")));
    }
}
