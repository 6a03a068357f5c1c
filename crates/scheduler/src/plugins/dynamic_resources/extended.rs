//! Extended resources that devices stand for (DRA-114 to DRA-119).

use std::sync::Arc;

use podscope_api::ordered::{Map, StableSort as _};
use podscope_api::{
    Container, ContainerExtendedResourceRequest, DeviceRequest, ExactDeviceRequest, Pod, ResourceClaim, Str,
};

use super::claims::{self, is_owned};
use super::refused;
use crate::cache::Cache;
use crate::devices::request::Wanted;
use crate::node_info::NodeInfo;
use crate::pod_info::Incoming;
use crate::status::Status;
use crate::symbols::Symbol;

/// The claim of a node on which the scheduler's own claim is allocated, by the name that texts give it.
pub(crate) const NAME: &str = "<extended-resources>";

/// The claim for extended resources as a node needs it.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(super) wanted: Wanted,
    pub(super) mappings: Vec<ContainerExtendedResourceRequest>,
}

/// A pod's extended resources.
#[derive(Debug, Clone)]
pub(super) struct Extended {
    pod: Arc<Pod>,
    /// Each with the class that gives devices for it, sorted by name.
    resources: Vec<(Symbol, Str, Option<Str>)>,
    /// The claim of an earlier cycle.
    pub(super) left_over: Option<Arc<ResourceClaim>>,
    /// The claims that nodes need, by which of the resources devices serve there.
    requests: Map<Vec<usize>, Arc<Request>>,
}

impl Extended {
    /// `None` where the pod asks for no resource that a class stands for.
    pub(super) fn of_pod(cache: &Cache, incoming: &Incoming) -> Option<Self> {
        if cache.stores.device_classes.is_empty() {
            return None;
        }
        let scalars = &incoming.info.requests.requests.scalars;
        let mut resources: Vec<(Symbol, Str, Option<Str>)> = scalars
            .iter()
            .filter(|(_, amount)| *amount != 0)
            .map(|(symbol, _)| {
                let name: Str = cache.symbols.text(*symbol).clone();
                let class = cache.stores.class_of_resource(&name);
                (*symbol, name, class.map(|class| class.metadata.name.clone()))
            })
            .filter(|(_, name, class)| class.is_some() || crate::resources::is_extended(name))
            .collect();
        if resources.iter().all(|(.., class)| class.is_none()) {
            return None;
        }
        resources.stable_sort_by(|a, b| a.1.cmp(&b.1));
        let pod = &incoming.info.pod;
        let mut own = cache.stores.resource_claims.in_namespace(&pod.metadata.namespace);
        let left_over = own.find(|claim| claim.is_for_extended_resources() && is_owned(claim, pod));
        Some(Self {
            pod: pod.clone(),
            resources,
            left_over: left_over.cloned(),
            requests: Map::new(),
        })
    }

    /// Makes the claims that nodes may need: one for each set of resources that some node leaves to devices.
    pub(super) fn prepare(&mut self, cache: &mut Cache) {
        let mut sets: Vec<Vec<usize>> = cache
            .order()
            .iter()
            .map(|node| self.by_devices(cache.node(*node)))
            .collect();
        sets.sort_unstable();
        sets.dedup();
        for set in sets.into_iter().filter(|set| !set.is_empty()) {
            let by_devices = set.iter().map(|at| &self.resources[*at]);
            let by_devices: Vec<(&Str, &Str)> = by_devices
                .filter_map(|(_, name, class)| Some((name, class.as_ref()?)))
                .collect();
            let (requests, mappings) = requests_of(&self.pod, &by_devices);
            let mut claim = ResourceClaim::default();
            claim.metadata.namespace = self.pod.metadata.namespace.clone();
            claim.metadata.name = NAME.into();
            claim.spec.devices.requests = requests;
            let wanted = claims::wanted(cache, &Arc::new(claim));
            self.requests.insert(set, Arc::new(Request { wanted, mappings }));
        }
    }

    /// The resources that devices serve on a node: it has none of them itself.
    fn by_devices(&self, node: &NodeInfo) -> Vec<usize> {
        let resources = self.resources.iter().enumerate();
        let by_devices = resources
            .filter(|(_, (symbol, _, class))| class.is_some() && node.allocatable.scalar(*symbol).unwrap_or(0) == 0);
        by_devices.map(|(at, _)| at).collect()
    }

    /// The claim that the node needs, if any (DRA-117).
    pub(super) fn on_node(&self, node: &NodeInfo) -> Result<Option<Arc<Request>>, Status> {
        if self.left_over.is_some() {
            return Err(refused("cannot schedule extended resource claim".to_owned()));
        }
        let set = self.by_devices(node);
        for (at, (symbol, ..)) in self.resources.iter().enumerate() {
            if !set.contains(&at) && node.allocatable.scalar(*symbol).is_none() {
                return Err(refused("cannot fit resource".to_owned()));
            }
        }
        Ok(self.requests.get(&set).cloned())
    }
}

/// A container with its place among all of the pod.
struct Placed<'a> {
    index: usize,
    container: &'a Container,
    is_long_lived: bool,
}

impl Placed<'_> {
    fn quantity(&self, resource: &str) -> i64 {
        let amount = self.container.resources.requests.get(resource);
        amount.map_or(0, podscope_api::Quantity::value)
    }

    /// `container-<i>-request-<j>`.
    fn request_name(&self, resource: &str) -> Str {
        let names = self.container.resources.requests.keys();
        let at = names.take_while(|name| ***name < *resource).count();
        format!("container-{}-request-{at}", self.index).into()
    }
}

/// The requests for resources and their classes, and which containers they serve (DRA-118).
fn requests_of(pod: &Pod, resources: &[(&Str, &Str)]) -> (Vec<DeviceRequest>, Vec<ContainerExtendedResourceRequest>) {
    let init = pod
        .spec
        .init_containers
        .iter()
        .map(|container| (container, container.is_sidecar()));
    let app = pod.spec.containers.iter().map(|container| (container, true));
    let all: Vec<Placed<'_>> = init
        .chain(app)
        .enumerate()
        .map(|(index, (container, is_long_lived))| Placed {
            index,
            container,
            is_long_lived,
        })
        .collect();
    let (mut requests, mut mappings) = (Vec::new(), Vec::new());
    for (resource, class) in resources {
        let mapping = |placed: &Placed<'_>, request: Str| ContainerExtendedResourceRequest {
            container_name: placed.container.name.clone(),
            resource_name: (*resource).clone(),
            request_name: request,
        };
        let mut long_lived: Vec<(usize, Str, i64)> = Vec::new();
        for placed in all.iter().filter(|placed| placed.is_long_lived) {
            let quantity = placed.quantity(resource);
            if quantity > 0 {
                let name = placed.request_name(resource);
                mappings.push(mapping(placed, name.clone()));
                long_lived.push((placed.index, name, quantity));
            }
        }
        let mut largest: Option<(Str, i64)> = None;
        let mut waiting: Vec<&Placed<'_>> = Vec::new();
        for placed in all.iter().filter(|placed| !placed.is_long_lived) {
            let mut open = placed.quantity(resource);
            if open <= 0 {
                continue;
            }
            for (_, name, quantity) in long_lived.iter().filter(|(index, ..)| *index >= placed.index) {
                if open > 0 {
                    mappings.push(mapping(placed, name.clone()));
                    open -= quantity;
                }
            }
            if open > 0 {
                waiting.push(placed);
                if largest.as_ref().is_none_or(|(_, known)| open > *known) {
                    largest = Some((placed.request_name(resource), open));
                }
            }
        }
        if let Some((name, _)) = &largest {
            mappings.extend(waiting.iter().map(|placed| mapping(placed, name.clone())));
        }
        let own = long_lived.into_iter().map(|(_, name, quantity)| (name, quantity));
        requests.extend(own.chain(largest).map(|(name, quantity)| DeviceRequest {
            name,
            exactly: Some(ExactDeviceRequest {
                device_class_name: (*class).clone(),
                allocation_mode: "ExactCount".into(),
                count: Some(quantity),
                ..ExactDeviceRequest::default()
            }),
            first_available: Vec::new(),
        }));
    }
    requests.stable_sort_by(|a: &DeviceRequest, b: &DeviceRequest| a.name.cmp(&b.name));
    (requests, mappings)
}
