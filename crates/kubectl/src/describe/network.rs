//! `kubectl describe` of Services and EndpointSlices (KC-078).

use std::sync::Arc;

use podscope_api::{EndpointSlice, Object, Service};
use serde_json::Value;

use super::super::View;
use super::super::columns::{label_map_text, text_or_none};
use super::super::jsonpath::value_text;
use super::super::text::TabbedText;
use super::{print_annotations, print_labels};

/// Maximum number of endpoints listed for a port; of the others only the number is printed.
const MAX_SHOWN_ENDPOINTS: usize = 3;

pub(super) fn describe_service(service: &Arc<Service>, view: &View<'_>, text: &mut TabbedText) {
    let (meta, spec) = (&service.metadata, &service.spec);
    let value = Object::Service(service.clone()).to_value();
    let field = |name: &str| value.pointer(&format!("/spec/{name}"));
    let joined = |name: &str| {
        let items = field(name).and_then(Value::as_array);
        let items: Vec<String> = items.into_iter().flatten().map(value_text).collect();
        items.join(",")
    };
    text.line(0, &format!("Name:\t{}", meta.name));
    text.line(0, &format!("Namespace:\t{}", meta.namespace));
    print_labels(text, "Labels", &meta.labels);
    print_annotations(text, "Annotations", &meta.annotations);
    let selector = spec.selector.as_ref().map_or_else(|| "<none>".into(), label_map_text);
    text.line(0, &format!("Selector:\t{selector}"));
    text.line(0, &format!("Type:\t{}", spec.kind));
    if !spec.ip_family_policy.is_empty() {
        text.line(0, &format!("IP Family Policy:\t{}", spec.ip_family_policy));
    }
    text.line(
        0,
        &format!("IP Families:\t{}", text_or_none(&spec.ip_families.join(","))),
    );
    text.line(0, &format!("IP:\t{}", spec.cluster_ip));
    text.line(0, &format!("IPs:\t{}", text_or_none(&joined("clusterIPs"))));
    let external = joined("externalIPs");
    if !external.is_empty() {
        text.line(0, &format!("External IPs:\t{external}"));
    }
    if let Some(wanted) = field("loadBalancerIP") {
        text.line(0, &format!("Desired LoadBalancer IP:\t{}", value_text(wanted)));
    }
    if !spec.external_name.is_empty() {
        text.line(0, &format!("External Name:\t{}", spec.external_name));
    }
    print_load_balancer(&value, text);
    print_ports(service, &value, view, text);
    text.line(0, &format!("Session Affinity:\t{}", spec.session_affinity));
    if !spec.external_traffic_policy.is_empty() {
        text.line(
            0,
            &format!("External Traffic Policy:\t{}", spec.external_traffic_policy),
        );
    }
    if let Some(policy) = &spec.internal_traffic_policy {
        text.line(0, &format!("Internal Traffic Policy:\t{policy}"));
    }
    for (title, name) in [
        ("HealthCheck NodePort", "healthCheckNodePort"),
        ("Traffic Distribution", "trafficDistribution"),
    ] {
        if let Some(value) = field(name) {
            text.line(0, &format!("{title}:\t{}", value_text(value)));
        }
    }
}

/// Prints the ingress addresses of the load balancer.
fn print_load_balancer(value: &Value, text: &mut TabbedText) {
    let ingress = value
        .pointer("/status/loadBalancer/ingress")
        .and_then(Value::as_array)
        .filter(|ingress| !ingress.is_empty());
    if let Some(ingress) = ingress {
        let all: Vec<String> = ingress
            .iter()
            .map(|one| match (one.get("ip"), one.get("ipMode"), one.get("hostname")) {
                (Some(ip), Some(mode), _) => format!("{} ({})", value_text(ip), value_text(mode)),
                (Some(ip), None, _) => value_text(ip),
                (None, _, host) => host.map_or_else(String::new, value_text),
            })
            .collect();
        text.line(0, &format!("LoadBalancer Ingress:\t{}", all.join(", ")));
    }
}

/// Prints the ports, each with its endpoints.
fn print_ports(service: &Service, value: &Value, view: &View<'_>, text: &mut TabbedText) {
    let (meta, spec) = (&service.metadata, &service.spec);
    let slices: Vec<&Arc<EndpointSlice>> = view.objects.slices_of(&meta.namespace, &meta.name).collect();
    for (at, port) in spec.ports.iter().enumerate() {
        let name = if port.name.is_empty() { "<unset>" } else { &port.name };
        text.line(0, &format!("Port:\t{name}\t{}/{}", port.port, port.protocol));
        let target = port.target_port.clone().unwrap_or_default();
        text.line(0, &format!("TargetPort:\t{target}/{}", port.protocol));
        if let Some(protocol) = value.pointer(&format!("/spec/ports/{at}/appProtocol")) {
            text.line(0, &format!("AppProtocol:\t{}", value_text(protocol)));
        }
        if let Some(node_port) = port.node_port.filter(|port| *port != 0) {
            text.line(0, &format!("NodePort:\t{name}\t{node_port}/{}", port.protocol));
        }
        text.line(0, &format!("Endpoints:\t{}", endpoints_text(&slices, &port.name)));
    }
}

/// Formats the ready endpoints of a port: `10.0.0.1:80,10.0.0.2:80 + 2 more...`.
pub(super) fn endpoints_text(slices: &[&Arc<EndpointSlice>], port_name: &str) -> String {
    if slices.is_empty() {
        return "<none>".into();
    }
    let mut ready: Vec<String> = Vec::new();
    for slice in slices {
        let addresses = || {
            slice
                .endpoints
                .iter()
                .filter(|endpoint| endpoint.conditions.ready != Some(false))
                .filter_map(|endpoint| endpoint.addresses.first())
        };
        if slice.ports.is_empty() {
            ready.extend(addresses().map(ToString::to_string));
        }
        for port in &slice.ports {
            if port.name.as_deref().unwrap_or_default() == port_name {
                let number = port.port.unwrap_or(0);
                ready.extend(addresses().map(|address| format!("{address}:{number}")));
            }
        }
    }
    let more = ready.len().saturating_sub(MAX_SHOWN_ENDPOINTS);
    ready.truncate(MAX_SHOWN_ENDPOINTS);
    let shown = ready.join(",");
    if more > 0 {
        format!("{shown} + {more} more...")
    } else {
        shown
    }
}

pub(super) fn describe_endpoint_slice(slice: &Arc<EndpointSlice>, text: &mut TabbedText) {
    let meta = &slice.metadata;
    text.line(0, &format!("Name:\t{}", meta.name));
    text.line(0, &format!("Namespace:\t{}", meta.namespace));
    print_labels(text, "Labels", &meta.labels);
    print_annotations(text, "Annotations", &meta.annotations);
    text.line(0, &format!("AddressType:\t{}", slice.address_type));
    if slice.ports.is_empty() {
        text.line(0, "Ports: <unset>");
    } else {
        text.line(0, "Ports:");
        text.line(1, "Name\tPort\tProtocol");
        text.line(1, "----\t----\t--------");
    }
    for port in &slice.ports {
        let name = port.name.as_deref().filter(|name| !name.is_empty());
        let number = port.port.map_or_else(|| "<unset>".to_owned(), |port| port.to_string());
        let protocol = port.protocol.as_deref().unwrap_or("TCP");
        text.line(1, &format!("{}\t{number}\t{protocol}", name.unwrap_or("<unset>")));
    }
    if slice.endpoints.is_empty() {
        return text.line(0, "Endpoints: <none>");
    }
    text.line(0, "Endpoints:");
    for endpoint in &slice.endpoints {
        let addresses: Vec<&str> = endpoint.addresses.iter().map(|address| &**address).collect();
        text.line(1, &format!("- Addresses:\t{}", text_or_none(&addresses.join(", "))));
        text.line(2, "Conditions:");
        let ready = endpoint
            .conditions
            .ready
            .map_or_else(|| "<unset>".to_owned(), |ready| ready.to_string());
        text.line(3, &format!("Ready:\t{ready}"));
        let hostname = endpoint.hostname.as_deref().unwrap_or("<unset>");
        text.line(2, &format!("Hostname:\t{hostname}"));
        if let Some(target) = &endpoint.target_ref {
            text.line(2, &format!("TargetRef:\t{}/{}", target.kind, target.name));
        }
        text.line(
            2,
            &format!("NodeName:\t{}", endpoint.node_name.as_deref().unwrap_or("<unset>")),
        );
        text.line(2, &format!("Zone:\t{}", endpoint.zone.as_deref().unwrap_or("<unset>")));
    }
}
