//! Filter: checks whether a node can provide the devices of the pod's claims (DRA-097 to DRA-099).

use std::sync::Arc;

use podscope_api::{DeviceReadiness, ResourceClaim};

use super::claims::{ClaimsState, NodeAllocation, PodClaim};
use super::unresolvable_status;
use crate::cache::Cache;
use crate::cycle::Cycle;
use crate::devices::request::ClaimToAllocate;
use crate::devices::search::{AllocationFailure, SearchInputs, allocate};
use crate::node_info::{NodeIdx, NodeInfo};
use crate::plugins::Plugin;
use crate::status::{Code, Status};

/// Maximum time in which allocated devices must become ready, in microseconds (`bindingTimeout`, DRA-081).
pub(super) const BINDING_TIMEOUT_MICROS: i64 = 600_000_000;

pub(super) fn filter(cycle: &Cycle<'_>, claims: &ClaimsState, index: NodeIdx, node: &NodeInfo) -> Result<(), Status> {
    let extended = match &claims.extended {
        Some(extended) => extended.claim_for_node(node)?,
        None => None,
    };
    let mut unavailable = Vec::new();
    for (at, pod_claim) in claims.claims.iter().enumerate() {
        if pod_claim.is_allocated() && !can_use_allocated_claim(cycle.cache, pod_claim, node) {
            unavailable.push(at);
        }
    }
    if !claims.to_allocate.is_empty() || extended.is_some() {
        search_devices_on_node(cycle, claims, index, node, extended)?;
    }
    if unavailable.is_empty() {
        return Ok(());
    }
    // The unavailable claims are recorded only if the search for the other claims succeeded.
    claims.unavailable.borrow().extend(unavailable);
    Err(Status::unresolvable(
        Plugin::DynamicResources,
        "resourceclaim not available on the node",
    ))
}

/// Returns whether the devices of an allocated claim can be used from the node (DRA-098).
pub(super) fn can_use_allocated_claim(cache: &Cache, pod_claim: &PodClaim, node: &NodeInfo) -> bool {
    let scope = pod_claim.scope.as_ref();
    scope.is_none_or(|scope| scope.matches(&cache.symbols, node))
        && !must_be_deallocated(&pod_claim.claim, cache.devices.now)
}

fn search_devices_on_node(
    cycle: &Cycle<'_>,
    claims: &ClaimsState,
    index: NodeIdx,
    node: &NodeInfo,
    extended: Option<Arc<super::extended::ExtendedClaim>>,
) -> Result<(), Status> {
    let inputs = SearchInputs {
        table: &claims.table,
        usage: cycle.cache.devices.usage(),
        symbols: &cycle.cache.symbols,
        available: &claims.available,
    };
    let with_extended: Vec<ClaimToAllocate>;
    let to_allocate = match &extended {
        None => &claims.to_allocate,
        Some(extended) => {
            with_extended = claims
                .to_allocate
                .iter()
                .chain([&extended.to_allocate])
                .cloned()
                .collect();
            &with_extended
        }
    };
    let found = allocate(inputs, node, to_allocate).and_then(|solutions| {
        // The results are built only to check that their node selectors can be built: this error belongs to Filter, not
        // to Reserve.
        for (to_allocate, solution) in to_allocate.iter().zip(&solutions) {
            crate::devices::result::allocation_result(&claims.table, to_allocate, solution, &node.name)
                .map_err(AllocationFailure::Error)?;
        }
        Ok(solutions)
    });
    match found {
        Ok(solutions) => {
            let on_node = Arc::new(NodeAllocation { solutions, extended });
            claims.found.borrow().insert(index, on_node);
            Ok(())
        }
        Err(AllocationFailure::Unsuitable(text)) => Err(unresolvable_status(text.to_owned())),
        Err(AllocationFailure::Error(text)) => Err(Status::text(Plugin::DynamicResources, Code::Error, text)),
    }
}

/// Returns whether an allocated claim must be deallocated, because its devices failed or were not ready in time.
fn must_be_deallocated(claim: &ResourceClaim, now: Option<i64>) -> bool {
    match claim.readiness() {
        DeviceReadiness::Ready => false,
        DeviceReadiness::Failed(..) => true,
        DeviceReadiness::NotYet => {
            let since = claim
                .status
                .allocation
                .as_ref()
                .and_then(|allocation| allocation.allocation_timestamp);
            since
                .zip(now)
                .is_some_and(|(since, now)| since.0 + BINDING_TIMEOUT_MICROS < now)
        }
    }
}
