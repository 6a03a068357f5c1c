//! Chooses the endpoints of one Service on one node (`CategorizeEndpoints`, TR-012 to TR-016, TR-023, TR-030), and
//! resolves the DNS name of a headless Service (TR-074).

use std::sync::Arc;

use podscope_api::{Endpoint, NodeName, ObjectKey, Service, Str, ordered};
use podscope_sim::Objects;

use super::{Backend, PacketOrigin, Route, node_zone};

/// An endpoint of an EndpointSlice, with its conditions.
struct EndpointCandidate {
    backend: Backend,
    hostname: Option<Str>,
    zone: Option<Str>,
    is_ready: bool,
    is_serving: bool,
    is_terminating: bool,
}

impl EndpointCandidate {
    /// Returns whether the endpoint is terminating but still serves: it is used where no endpoint is ready (TR-012).
    fn is_serving_while_terminating(&self) -> bool {
        self.is_serving && self.is_terminating
    }
}

/// Reads one endpoint. `ready` and `serving` default to true, `terminating` to false (TR-011).
fn read_endpoint_candidate(endpoint: &Endpoint, port: Option<i32>) -> Option<EndpointCandidate> {
    let (uid, pod) = match &endpoint.target_ref {
        Some(target) => (
            target.uid.clone(),
            ObjectKey::new(target.namespace.clone(), target.name.clone()),
        ),
        None => (Default::default(), ObjectKey::new("", "")),
    };
    Some(EndpointCandidate {
        backend: Backend {
            address: endpoint.addresses.first()?.clone(),
            port,
            uid,
            pod,
            node: NodeName(endpoint.node_name.clone().unwrap_or_default()),
        },
        hostname: endpoint.hostname.clone(),
        zone: endpoint.zone.clone(),
        is_ready: endpoint.conditions.ready.unwrap_or(true),
        is_serving: endpoint.conditions.serving.unwrap_or(true),
        is_terminating: endpoint.conditions.terminating.unwrap_or(false),
    })
}

/// Returns the endpoints of a Service's first port, by address. If two slices list the same address, the endpoint that
/// is not terminating wins (TR-023).
fn candidates_of_service(objects: &Objects, service: &Service) -> Vec<EndpointCandidate> {
    let key = service.metadata.key();
    let wanted = service.spec.ports.first();
    let mut found: ordered::Map<(Str, Option<i32>), EndpointCandidate> = ordered::Map::new();
    for slice in objects.slices_of(&key.namespace, &key.name) {
        let mut ports = slice.ports.iter();
        let port = match wanted {
            Some(wanted) => ports
                .find(|port| port.name.as_deref().unwrap_or_default() == &*wanted.name)
                .map(|port| port.port),
            None => Some(None),
        };
        let Some(port) = port else { continue };
        for candidate in slice
            .endpoints
            .iter()
            .filter_map(|endpoint| read_endpoint_candidate(endpoint, port))
        {
            let place = (candidate.backend.address.clone(), port);
            let wins = found
                .get(&place)
                .is_none_or(|known| known.is_terminating && !candidate.is_terminating);
            if wins {
                found.insert(place, candidate);
            }
        }
    }
    found.into_values().collect()
}

/// Returns the endpoints for traffic policy `Cluster`: the ready ones that the traffic distribution allows. If no
/// endpoint is ready, the terminating ones that still serve.
fn cluster_endpoints<'t>(
    all: &'t [EndpointCandidate],
    service: &Service,
    node: &NodeName,
    zone: Option<&Str>,
) -> Vec<&'t EndpointCandidate> {
    let ready: Vec<&EndpointCandidate> = all.iter().filter(|candidate| candidate.is_ready).collect();
    if ready.is_empty() {
        return all
            .iter()
            .filter(|candidate| candidate.is_serving_while_terminating())
            .collect();
    }
    let distribution = service.spec.traffic_distribution.as_deref().unwrap_or_default();
    let on_node = |candidate: &&&EndpointCandidate| candidate.backend.node == *node;
    let all_have_nodes = ready.iter().all(|candidate| !candidate.backend.node.is_empty());
    if distribution == "PreferSameNode" && all_have_nodes && ready.iter().any(|candidate| on_node(&candidate)) {
        return ready.into_iter().filter(|candidate| on_node(&candidate)).collect();
    }
    let in_zone = |candidate: &&&EndpointCandidate| candidate.zone.as_ref() == zone;
    let prefers_zone = matches!(distribution, "PreferClose" | "PreferSameZone" | "PreferSameNode");
    let all_have_zones = zone.is_some() && ready.iter().all(|candidate| candidate.zone.is_some());
    if prefers_zone && all_have_zones && ready.iter().any(|candidate| in_zone(&candidate)) {
        return ready.into_iter().filter(|candidate| in_zone(&candidate)).collect();
    }
    ready
}

/// Returns the endpoints for traffic policy `Local`: the ready ones on this node. If none is ready, its terminating
/// ones that still serve.
fn local_endpoints<'t>(all: &'t [EndpointCandidate], node: &NodeName) -> Vec<&'t EndpointCandidate> {
    let local: Vec<&EndpointCandidate> = all.iter().filter(|candidate| candidate.backend.node == *node).collect();
    let ready: Vec<&EndpointCandidate> = local.iter().filter(|candidate| candidate.is_ready).copied().collect();
    match ready.is_empty() {
        true => local
            .into_iter()
            .filter(|candidate| candidate.is_serving_while_terminating())
            .collect(),
        false => ready,
    }
}

/// Decides about a new connection to a Service as kube-proxy's rules do if they were written from `objects`.
pub(super) fn route(objects: &Objects, service: &ObjectKey, node: &NodeName, origin: PacketOrigin) -> Route {
    let Some(service) = objects.get::<Service>(service) else {
        return Route::Unknown;
    };
    let spec = &service.spec;
    let is_served = match origin {
        PacketOrigin::Inside => !matches!(&*spec.kind, "ExternalName") && &*spec.cluster_ip != "None",
        PacketOrigin::Outside => matches!(&*spec.kind, "NodePort" | "LoadBalancer"),
    };
    if !is_served {
        return Route::Unknown;
    }
    let is_local = match origin {
        PacketOrigin::Inside => spec.internal_traffic_policy.as_deref() == Some("Local"),
        PacketOrigin::Outside => &*spec.external_traffic_policy == "Local",
    };
    let all = candidates_of_service(objects, service);
    let zone = node_zone(objects, node);
    let cluster = cluster_endpoints(&all, service, node, zone.as_ref());
    let chosen = if is_local {
        local_endpoints(&all, node)
    } else {
        cluster.clone()
    };
    match (chosen.is_empty(), cluster.is_empty()) {
        (true, true) => Route::Reject,
        (true, false) => Route::Drop,
        (false, _) => Route::Any(chosen.into_iter().map(|candidate| candidate.backend.clone()).collect()),
    }
}

/// Returns whether the node has a ready endpoint of a Service.
pub(super) fn has_ready_local_endpoint(objects: &Objects, service: &ObjectKey, node: &NodeName) -> bool {
    let service = objects.get::<Service>(service);
    let all = service
        .into_iter()
        .flat_map(|service| candidates_of_service(objects, service));
    let mut local = all.filter(|candidate| candidate.backend.node == *node);
    local.any(|candidate| candidate.is_ready)
}

/// Returns whether the Service's slices list the address as ready, or as terminating but still serving. Otherwise no
/// node may use the address any more.
pub fn is_usable(objects: &Objects, service: &ObjectKey, address: &str) -> bool {
    let mut all = objects
        .slices_of(&service.namespace, &service.name)
        .flat_map(|slice| &slice.endpoints)
        .filter_map(|endpoint| read_endpoint_candidate(endpoint, None));
    all.any(|candidate| {
        *candidate.backend.address == *address && (candidate.is_ready || candidate.is_serving_while_terminating())
    })
}

/// Returns the Service to which a DNS name refers, and the hostname before it, if any: `db-0.db` refers to the Service
/// `db`, with the hostname `db-0` (TR-075).
pub fn service_by_dns_name<'o>(
    objects: &'o Objects,
    name: &'o ObjectKey,
) -> Option<(&'o Arc<Service>, Option<&'o str>)> {
    match name.name.split_once('.') {
        None => Some((objects.get::<Service>(name)?, None)),
        Some((hostname, service)) => {
            let service = objects.get::<Service>(&ObjectKey::new(name.namespace.clone(), service))?;
            Some((service, Some(hostname)))
        }
    }
}

/// Returns the addresses that the DNS name of a headless Service resolves to: those of its ready endpoints (TR-074).
/// With a hostname, only those of the endpoints with that hostname (TR-075).
pub fn resolve_headless_service(objects: &Objects, service: &Service, hostname: Option<&str>) -> Vec<Backend> {
    let all = candidates_of_service(objects, service).into_iter();
    all.filter(|candidate| candidate.is_ready)
        .filter(|candidate| hostname.is_none() || candidate.hostname.as_deref() == hostname)
        .map(|candidate| candidate.backend)
        .collect()
}
