//! Explains, for people, which devices a pod's claims get on one node.

use podscope_api::explained::{CapacityAmount, DeviceName, DeviceShare, NodeDevices, RequestDevices, RequestOutcome};
use podscope_api::{DeviceRequestAllocationResult, ObjectKey};

use super::claims::{ClaimsState, PodClaim};
use super::filter::can_use_allocated_claim;
use crate::cache::Cache;
use crate::decide::Decision;
use crate::devices::request::ClaimToAllocate;
use crate::devices::search::SearchInputs;
use crate::node_info::{NodeIdx, NodeInfo};

/// Returns the devices of the pod's claims on a node; `None` if the pod has no claims, or if the plugin ended the cycle
/// before any node was examined.
pub(super) fn explain(cache: &Cache, decision: &Decision, node: NodeIdx) -> Option<NodeDevices> {
    let claims = decision.state.claims.as_ref()?;
    let info = cache.node(node);
    let mut explained = explain_claims_to_allocate(cache, claims, info);
    let allocated = claims.claims.iter().filter(|pod_claim| pod_claim.is_allocated());
    let allocated = allocated.flat_map(|pod_claim| explain_allocated_claim(cache, pod_claim, info));
    explained.requests.splice(0..0, allocated);
    Some(explained)
}

/// Explains the claims that this cycle allocates.
fn explain_claims_to_allocate(cache: &Cache, claims: &ClaimsState, node: &NodeInfo) -> NodeDevices {
    let extended = claims.extended.as_ref();
    let extended = extended.and_then(|extended| extended.claim_for_node(node).ok().flatten());
    let own = extended.iter().map(|extended| &extended.to_allocate);
    let to_allocate: Vec<ClaimToAllocate> = claims.to_allocate.iter().chain(own).cloned().collect();
    if to_allocate.is_empty() {
        return NodeDevices::default();
    }
    let inputs = SearchInputs {
        table: &claims.table,
        usage: cache.devices.usage(),
        symbols: &cache.symbols,
        available: &claims.available,
    };
    let consumers = |claim: &str| {
        let key = claim
            .split_once('/')
            .map(|(namespace, name)| ObjectKey::new(namespace, name));
        let claim = key.and_then(|key| cache.stores.resource_claim(&key));
        let consumers = claim.into_iter().flat_map(|claim| &claim.status.reserved_for);
        consumers.map(|consumer| consumer.name.to_string()).collect()
    };
    crate::devices::search::explain(inputs, node, &to_allocate, &consumers)
}

/// Explains the requests of a claim that was allocated before this cycle.
fn explain_allocated_claim(cache: &Cache, pod_claim: &PodClaim, node: &NodeInfo) -> Vec<RequestDevices> {
    let claim = &pod_claim.claim;
    let results = claim.status.allocation.iter().flat_map(|one| &one.devices.results);
    let outcome = match can_use_allocated_claim(cache, pod_claim, node) {
        true => RequestOutcome::Allocated,
        false => RequestOutcome::AllocatedElsewhere,
    };
    let mut requests: Vec<RequestDevices> = Vec::new();
    for result in results {
        let share = device_share(result);
        match requests.iter_mut().find(|known| *known.request == *result.request) {
            Some(known) => known.gets.push(share),
            None => requests.push(RequestDevices {
                claim: claim.metadata.key().to_string(),
                request: result.request.to_string(),
                class: String::new(),
                outcome: outcome.clone(),
                gets: vec![share],
                unsuitable: Vec::new(),
            }),
        }
    }
    requests
}

fn device_share(result: &DeviceRequestAllocationResult) -> DeviceShare {
    let consumes = result.consumed_capacity.iter().map(|(name, amount)| CapacityAmount {
        name: name.to_string(),
        amount: amount.to_string(),
    });
    DeviceShare {
        device: DeviceName {
            driver: result.driver.to_string(),
            pool: result.pool.to_string(),
            device: result.device.to_string(),
        },
        consumes: consumes.collect(),
        counters: Vec::new(),
    }
}
