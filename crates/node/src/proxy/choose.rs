//! The choice of endpoints for one Service on one node (`CategorizeEndpoints`, TR-012 to TR-016, TR-023, TR-030), and
//! the addresses of a headless name (TR-074).

use std::sync::Arc;

use podscope_api::{Endpoint, EndpointSlice, NodeName, ObjectKey, Service, Str, ordered};
use podscope_sim::Objects;

use super::{Backend, Entry, Route, zone_of};

const SERVICE: &str = "kubernetes.io/service-name";

/// An endpoint as slices tell of it.
struct Told {
    backend: Backend,
    zone: Option<Str>,
    is_ready: bool,
    is_serving: bool,
    is_terminating: bool,
}

impl Told {
    /// What may be used where nothing is ready (TR-012).
    fn is_fallback(&self) -> bool {
        self.is_serving && self.is_terminating
    }
}

fn slices<'o>(objects: &'o Objects, service: &'o ObjectKey) -> impl Iterator<Item = &'o Arc<EndpointSlice>> {
    let slices = objects.list_in::<EndpointSlice>(&service.namespace);
    slices.filter(|slice| slice.metadata.label(SERVICE) == Some(&*service.name))
}

/// Absent `ready` and `serving` are true, absent `terminating` is false (TR-011).
fn told(endpoint: &Endpoint, port: Option<i32>) -> Option<Told> {
    let (uid, pod) = match &endpoint.target_ref {
        Some(target) => (
            target.uid.clone(),
            ObjectKey::new(target.namespace.clone(), target.name.clone()),
        ),
        None => (Default::default(), ObjectKey::new("", "")),
    };
    Some(Told {
        backend: Backend {
            address: endpoint.addresses.first()?.clone(),
            port,
            uid,
            pod,
            node: NodeName(endpoint.node_name.clone().unwrap_or_default()),
        },
        zone: endpoint.zone.clone(),
        is_ready: endpoint.conditions.ready.unwrap_or(true),
        is_serving: endpoint.conditions.serving.unwrap_or(true),
        is_terminating: endpoint.conditions.terminating.unwrap_or(false),
    })
}

/// The endpoints of a Service's first port, by address; of one that is told twice, what is not terminating (TR-023).
fn endpoints(objects: &Objects, service: &Service) -> Vec<Told> {
    let key = service.metadata.key();
    let wanted = service.spec.ports.first();
    let mut found: ordered::Map<(Str, Option<i32>), Told> = ordered::Map::new();
    for slice in slices(objects, &key) {
        let mut ports = slice.ports.iter();
        let port = match wanted {
            Some(wanted) => ports
                .find(|port| port.name.as_deref().unwrap_or_default() == &*wanted.name)
                .map(|port| port.port),
            None => Some(None),
        };
        let Some(port) = port else { continue };
        for told in slice.endpoints.iter().filter_map(|endpoint| told(endpoint, port)) {
            let place = (told.backend.address.clone(), port);
            let wins = found
                .get(&place)
                .is_none_or(|known| known.is_terminating && !told.is_terminating);
            if wins {
                found.insert(place, told);
            }
        }
    }
    found.into_values().collect()
}

/// Those that are ready and that topology allows; else those that still serve although they terminate.
fn of_cluster<'t>(all: &'t [Told], service: &Service, node: &NodeName, zone: Option<&Str>) -> Vec<&'t Told> {
    let ready: Vec<&Told> = all.iter().filter(|told| told.is_ready).collect();
    if ready.is_empty() {
        return all.iter().filter(|told| told.is_fallback()).collect();
    }
    let distribution = service.spec.traffic_distribution.as_deref().unwrap_or_default();
    let on_node = |told: &&&Told| told.backend.node == *node;
    let is_everywhere = ready.iter().all(|told| !told.backend.node.is_empty());
    if distribution == "PreferSameNode" && is_everywhere && ready.iter().any(|told| on_node(&told)) {
        return ready.into_iter().filter(|told| on_node(&told)).collect();
    }
    let in_zone = |told: &&&Told| told.zone.as_ref() == zone;
    let prefers_zone = matches!(distribution, "PreferClose" | "PreferSameZone" | "PreferSameNode");
    let is_zoned = zone.is_some() && ready.iter().all(|told| told.zone.is_some());
    if prefers_zone && is_zoned && ready.iter().any(|told| in_zone(&told)) {
        return ready.into_iter().filter(|told| in_zone(&told)).collect();
    }
    ready
}

/// Those of the node: ready, else still serving.
fn of_node<'t>(all: &'t [Told], node: &NodeName) -> Vec<&'t Told> {
    let local: Vec<&Told> = all.iter().filter(|told| told.backend.node == *node).collect();
    let ready: Vec<&Told> = local.iter().filter(|told| told.is_ready).copied().collect();
    match ready.is_empty() {
        true => local.into_iter().filter(|told| told.is_fallback()).collect(),
        false => ready,
    }
}

/// What the rules made from that state do with a new connection.
pub(super) fn route(objects: &Objects, service: &ObjectKey, node: &NodeName, entry: Entry) -> Route {
    let Some(service) = objects.get::<Service>(service) else {
        return Route::Unknown;
    };
    let spec = &service.spec;
    let is_open = match entry {
        Entry::Inside => !matches!(&*spec.kind, "ExternalName") && &*spec.cluster_ip != "None",
        Entry::Outside => matches!(&*spec.kind, "NodePort" | "LoadBalancer"),
    };
    if !is_open {
        return Route::Unknown;
    }
    let is_local = match entry {
        Entry::Inside => spec.internal_traffic_policy.as_deref() == Some("Local"),
        Entry::Outside => &*spec.external_traffic_policy == "Local",
    };
    let all = endpoints(objects, service);
    let zone = zone_of(objects, node);
    let cluster = of_cluster(&all, service, node, zone.as_ref());
    let chosen = if is_local { of_node(&all, node) } else { cluster.clone() };
    match (chosen.is_empty(), cluster.is_empty()) {
        (true, true) => Route::Reject,
        (true, false) => Route::Drop,
        (false, _) => Route::Any(chosen.into_iter().map(|told| told.backend.clone()).collect()),
    }
}

/// Whether slices tell of an address in a way in which some node may still use it.
pub fn usable(objects: &Objects, service: &ObjectKey, address: &str) -> bool {
    let mut all = slices(objects, service)
        .flat_map(|slice| &slice.endpoints)
        .filter_map(|endpoint| told(endpoint, None));
    all.any(|told| *told.backend.address == *address && (told.is_ready || told.is_fallback()))
}

/// The addresses of a headless name: those of the ready endpoints (TR-074).
pub fn resolve(objects: &Objects, service: &Service) -> Vec<Backend> {
    let all = endpoints(objects, service).into_iter();
    all.filter(|told| told.is_ready).map(|told| told.backend).collect()
}
