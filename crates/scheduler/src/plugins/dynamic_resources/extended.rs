//! Extended resources that nodes provide by devices (DRA-114 to DRA-119).

use std::sync::Arc;

use podscope_api::ordered::{Map, StableSort as _};
use podscope_api::{
    Container, ContainerExtendedResourceRequest, DeviceRequest, ExactDeviceRequest, Pod, ResourceClaim, Str,
};

use super::claims::{self, is_owned};
use super::unresolvable_status;
use crate::cache::Cache;
use crate::devices::request::ClaimToAllocate;
use crate::node_info::NodeInfo;
use crate::pod_info::Incoming;
use crate::status::Status;
use crate::symbols::Symbol;

/// Name, used in error messages, of the claim that the scheduler keeps in memory to allocate extended resources.
pub(crate) const SPECIAL_CLAIM_NAME: &str = "<extended-resources>";

/// The claim for the extended resources that a node provides by devices, and the mapping of containers to its requests.
#[derive(Debug, Clone)]
pub(crate) struct ExtendedClaim {
    pub(super) to_allocate: ClaimToAllocate,
    pub(super) mappings: Vec<ContainerExtendedResourceRequest>,
}

/// The extended resources that a pod requests.
#[derive(Debug, Clone)]
pub(super) struct ExtendedResources {
    pod: Arc<Pod>,
    /// Symbol and name of each resource, with the device class that provides it, if any. Sorted by name.
    resources: Vec<(Symbol, Str, Option<Str>)>,
    /// The claim for extended resources that an earlier cycle created.
    pub(super) left_over: Option<Arc<ResourceClaim>>,
    /// Claims by the set of resources (indices into `resources`) that a node provides by devices.
    claims: Map<Vec<usize>, Arc<ExtendedClaim>>,
}

impl ExtendedResources {
    /// Returns the extended resources that the pod requests; `None` if no device class provides one of them.
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
            claims: Map::new(),
        })
    }

    /// Creates the claims that nodes may need: one per distinct set of resources provided by devices.
    pub(super) fn prepare(&mut self, cache: &mut Cache) {
        let mut sets: Vec<Vec<usize>> = cache
            .examination_order()
            .iter()
            .map(|node| self.resources_provided_by_devices(cache.node(*node)))
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
            claim.metadata.name = SPECIAL_CLAIM_NAME.into();
            claim.spec.devices.requests = requests;
            let to_allocate = claims::prepare_claim(cache, &Arc::new(claim));
            self.claims
                .insert(set, Arc::new(ExtendedClaim { to_allocate, mappings }));
        }
    }

    /// Returns the indices of the resources that a node provides by devices: those that are not in the node's
    /// allocatable.
    fn resources_provided_by_devices(&self, node: &NodeInfo) -> Vec<usize> {
        let resources = self.resources.iter().enumerate();
        let by_devices = resources
            .filter(|(_, (symbol, _, class))| class.is_some() && node.allocatable.scalar(*symbol).unwrap_or(0) == 0);
        by_devices.map(|(at, _)| at).collect()
    }

    /// Returns the claim that the pod needs on the node, if any (DRA-117).
    pub(super) fn claim_for_node(&self, node: &NodeInfo) -> Result<Option<Arc<ExtendedClaim>>, Status> {
        if self.left_over.is_some() {
            return Err(unresolvable_status(
                "cannot schedule extended resource claim".to_owned(),
            ));
        }
        let set = self.resources_provided_by_devices(node);
        for (at, (symbol, ..)) in self.resources.iter().enumerate() {
            if !set.contains(&at) && node.allocatable.scalar(*symbol).is_none() {
                return Err(unresolvable_status("cannot fit resource".to_owned()));
            }
        }
        Ok(self.claims.get(&set).cloned())
    }
}

/// A container with its index among all containers of the pod, init containers first.
struct IndexedContainer<'a> {
    index: usize,
    container: &'a Container,
    is_long_lived: bool,
}

impl IndexedContainer<'_> {
    fn requested_quantity(&self, resource: &str) -> i64 {
        let amount = self.container.resources.requests.get(resource);
        amount.map_or(0, podscope_api::Quantity::value)
    }

    /// Returns the name of the request for a resource: `container-<i>-request-<j>`.
    fn request_name(&self, resource: &str) -> Str {
        let names = self.container.resources.requests.keys();
        let at = names.take_while(|name| ***name < *resource).count();
        format!("container-{}-request-{at}", self.index).into()
    }
}

/// Builds the device requests for resources, given as (resource, class), and the mapping of containers to requests
/// (DRA-118). Init containers reuse the devices of long-lived containers that start later. If an init container needs
/// more devices, each resource gets one additional request for the largest difference.
fn requests_of(pod: &Pod, resources: &[(&Str, &Str)]) -> (Vec<DeviceRequest>, Vec<ContainerExtendedResourceRequest>) {
    let init = pod
        .spec
        .init_containers
        .iter()
        .map(|container| (container, container.is_sidecar()));
    let app = pod.spec.containers.iter().map(|container| (container, true));
    let all: Vec<IndexedContainer<'_>> = init
        .chain(app)
        .enumerate()
        .map(|(index, (container, is_long_lived))| IndexedContainer {
            index,
            container,
            is_long_lived,
        })
        .collect();
    let (mut requests, mut mappings) = (Vec::new(), Vec::new());
    for (resource, class) in resources {
        let mapping = |indexed: &IndexedContainer<'_>, request: Str| ContainerExtendedResourceRequest {
            container_name: indexed.container.name.clone(),
            resource_name: (*resource).clone(),
            request_name: request,
        };
        let mut long_lived: Vec<(usize, Str, i64)> = Vec::new();
        for indexed in all.iter().filter(|indexed| indexed.is_long_lived) {
            let quantity = indexed.requested_quantity(resource);
            if quantity > 0 {
                let name = indexed.request_name(resource);
                mappings.push(mapping(indexed, name.clone()));
                long_lived.push((indexed.index, name, quantity));
            }
        }
        let mut largest: Option<(Str, i64)> = None;
        let mut unserved: Vec<&IndexedContainer<'_>> = Vec::new();
        for indexed in all.iter().filter(|indexed| !indexed.is_long_lived) {
            let mut remaining = indexed.requested_quantity(resource);
            if remaining <= 0 {
                continue;
            }
            for (_, name, quantity) in long_lived.iter().filter(|(index, ..)| *index >= indexed.index) {
                if remaining > 0 {
                    mappings.push(mapping(indexed, name.clone()));
                    remaining -= quantity;
                }
            }
            if remaining > 0 {
                unserved.push(indexed);
                if largest
                    .as_ref()
                    .is_none_or(|(_, largest_quantity)| remaining > *largest_quantity)
                {
                    largest = Some((indexed.request_name(resource), remaining));
                }
            }
        }
        if let Some((name, _)) = &largest {
            mappings.extend(unserved.iter().map(|indexed| mapping(indexed, name.clone())));
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
