//! Table columns of nodes, Services, endpoints, events, namespaces, leases, ConfigMaps, Secrets and quotas.

use podscope_api::{
    ConfigMap, EndpointSlice, EndpointSubset, Endpoints, Event, Lease, Namespace, Node, Object, ResourceQuota, Secret,
    Service,
};

use super::row::RowBuilder;
use super::{
    age, event_times_and_count, join_first_texts, label_map_text, node_roles, node_status, text_or_none, value_at_path,
};

pub(super) fn add_node_columns(node: &Node, row: &mut RowBuilder) {
    let address = |kind: &str| {
        let address = node.status.addresses.iter().find(|address| &*address.kind == kind);
        address.map_or_else(|| "<none>".to_owned(), |address| address.address.to_string())
    };
    let info = node.status.node_info.clone().unwrap_or_default();
    let or_unknown = |text: &str| if text.is_empty() { "<unknown>" } else { text }.to_owned();
    row.add_name();
    row.put("STATUS", node_status(node));
    row.put("ROLES", node_roles(node));
    row.add_age();
    row.put("VERSION", info.kubelet_version.to_string());
    row.put_wide("INTERNAL-IP", address("InternalIP"));
    row.put_wide("EXTERNAL-IP", address("ExternalIP"));
    row.put_wide("OS-IMAGE", or_unknown(&info.os_image));
    let kernel = or_unknown(&info.kernel_version);
    row.put_wide(
        "KERNEL-VERSION",
        match &*info.architecture {
            "" => kernel,
            architecture => format!("{kernel} ({architecture})"),
        },
    );
    row.put_wide("CONTAINER-RUNTIME", or_unknown(&info.container_runtime_version));
}

pub(super) fn add_service_columns(service: &Service, object: &Object, row: &mut RowBuilder) {
    let spec = &service.spec;
    let kind = if spec.kind.is_empty() { "ClusterIP" } else { &*spec.kind };
    let external = match kind {
        "ExternalName" => text_or_none(&spec.external_name),
        "LoadBalancer" => "<pending>".into(),
        _ => match value_at_path(object, &["spec", "externalIPs"]) {
            Some(serde_json::Value::Array(ips)) => {
                text_or_none(&ips.iter().filter_map(|ip| ip.as_str()).collect::<Vec<_>>().join(","))
            }
            _ => "<none>".into(),
        },
    };
    let ports = spec.ports.iter().map(|port| {
        let protocol = if port.protocol.is_empty() {
            "TCP"
        } else {
            &*port.protocol
        };
        match port.node_port.filter(|port| *port > 0) {
            Some(node) => format!("{}:{node}/{protocol}", port.port),
            None => format!("{}/{protocol}", port.port),
        }
    });
    let ports: Vec<String> = ports.collect();
    row.add_name();
    row.put("TYPE", kind.to_owned());
    row.put("CLUSTER-IP", text_or_none(&spec.cluster_ip));
    row.put("EXTERNAL-IP", external);
    row.put("PORT(S)", text_or_none(&ports.join(",")));
    row.add_age();
    let selector = spec.selector.as_ref();
    row.put_wide("SELECTOR", selector.map_or_else(|| "<none>".into(), label_map_text));
}

pub(super) fn add_endpoint_slice_columns(slice: &EndpointSlice, row: &mut RowBuilder) {
    let ports = slice.ports.iter().map(|port| match (port.port, &port.name) {
        (Some(number), _) => number.to_string(),
        (None, Some(name)) if !name.is_empty() => name.to_string(),
        _ => "*".into(),
    });
    let addresses = slice.endpoints.iter().flat_map(|endpoint| &endpoint.addresses);
    let addresses = addresses.map(ToString::to_string).collect();
    row.add_name();
    row.put("ADDRESSTYPE", slice.address_type.to_string());
    row.put("PORTS", join_first_texts(ports.collect(), 3, ",", "<unset>"));
    row.put("ENDPOINTS", join_first_texts(addresses, 3, ",", "<unset>"));
    row.add_age();
}

pub(super) fn add_endpoints_columns(endpoints: &Endpoints, row: &mut RowBuilder) {
    row.add_name();
    row.put("ENDPOINTS", addresses_text(&endpoints.subsets));
    row.add_age();
}

/// Formats the addresses of Endpoints: `10.0.0.1:80,10.0.0.2:80 + 1 more...`
fn addresses_text(subsets: &[EndpointSubset]) -> String {
    let mut all: Vec<String> = Vec::new();
    for subset in subsets {
        let ips = || subset.addresses.iter().map(|address| &address.ip);
        if subset.ports.is_empty() {
            all.extend(ips().map(ToString::to_string));
        }
        for port in &subset.ports {
            let number = port.port.unwrap_or(0);
            all.extend(ips().map(|ip| format!("{ip}:{number}")));
        }
    }
    join_first_texts(all, 3, ",", "<none>")
}

pub(super) fn add_event_columns(event: &Event, row: &mut RowBuilder) {
    let (first, last, count) = event_times_and_count(event);
    let (component, host) = event.emitter();
    let involved = &event.involved_object;
    row.put("LAST SEEN", age(last, row.now));
    row.put("TYPE", event.kind.to_string());
    row.put("REASON", event.reason.to_string());
    let kind = involved.kind.to_ascii_lowercase();
    let about = match &*involved.name {
        "" => kind,
        name => format!("{kind}/{name}"),
    };
    row.put("OBJECT", about);
    row.put_wide("SUBOBJECT", involved.field_path.to_string());
    row.put_wide(
        "SOURCE",
        match &**host {
            "" => component.to_string(),
            host => format!("{component}, {host}"),
        },
    );
    row.put("MESSAGE", event.message.trim().to_owned());
    row.put_wide("FIRST SEEN", age(first, row.now));
    row.put_wide("COUNT", count.to_string());
    row.add_wide_name();
}

pub(super) fn add_namespace_columns(namespace: &Namespace, row: &mut RowBuilder) {
    row.add_name();
    row.put("STATUS", namespace.status.phase.to_string());
    row.add_age();
}

pub(super) fn add_lease_columns(lease: &Lease, row: &mut RowBuilder) {
    row.add_name();
    row.put(
        "HOLDER",
        lease.spec.holder_identity.as_deref().unwrap_or_default().to_owned(),
    );
    row.add_age();
}

pub(super) fn add_config_map_columns(map: &ConfigMap, object: &Object, row: &mut RowBuilder) {
    let binary = value_at_path(object, &["binaryData"]).and_then(|value| value.as_object().map(serde_json::Map::len));
    row.add_name();
    row.put("DATA", (map.data.len() + binary.unwrap_or(0)).to_string());
    row.add_age();
}

pub(super) fn add_secret_columns(secret: &Secret, row: &mut RowBuilder) {
    let kind = if secret.kind.is_empty() {
        "Opaque"
    } else {
        &*secret.kind
    };
    row.add_name();
    row.put("TYPE", kind.to_owned());
    row.put("DATA", secret.data.len().to_string());
    row.add_age();
}

/// Adds usage and hard limits as `pods: 1/2, requests.cpu: 0/1`, in one column for requests and one for limits.
pub(super) fn add_quota_columns(quota: &ResourceQuota, row: &mut RowBuilder) {
    let rows = quota.status.hard.iter().map(|(resource, hard)| {
        let used = quota.status.used.get(resource).copied().unwrap_or_default();
        (resource.starts_with("limits."), format!("{resource}: {used}/{hard}"))
    });
    let (limits, requests): (Vec<_>, Vec<_>) = rows.partition(|(is_limit, _)| *is_limit);
    let [requests, limits] = [requests, limits].map(|rows| {
        let rows: Vec<String> = rows.into_iter().map(|(_, row)| row).collect();
        rows.join(", ")
    });
    row.add_name();
    row.put("REQUEST", requests);
    row.put("LIMIT", limits);
    row.add_age();
}
