//! Filter: can the node give the pod its devices (DRA-097 to DRA-099)?

use std::sync::Arc;

use podscope_api::{DeviceReadiness, ResourceClaim};

use super::claims::{OnNode, State};
use super::refused;
use crate::cycle::Cycle;
use crate::devices::request::Wanted;
use crate::devices::search::{Failure, World, allocate};
use crate::node_info::{NodeIdx, NodeInfo};
use crate::plugins::Plugin;
use crate::status::{Code, Status};

/// How long devices may take until they are ready, microseconds: `bindingTimeout` (DRA-081).
pub(super) const BINDING_TIMEOUT: i64 = 600_000_000;

pub(super) fn filter(cycle: &Cycle<'_>, claims: &State, index: NodeIdx, node: &NodeInfo) -> Result<(), Status> {
    let extended = match &claims.extended {
        Some(extended) => extended.on_node(node)?,
        None => None,
    };
    let symbols = &cycle.cache.symbols;
    let mut unavailable = Vec::new();
    for (at, claimed) in claims.claims.iter().enumerate() {
        if !claimed.is_allocated() {
            continue;
        }
        let is_reachable = claimed.reach.as_ref().is_none_or(|reach| reach.matches(symbols, node));
        if !is_reachable || has_failed(&claimed.claim, cycle.cache.devices.now) {
            unavailable.push(at);
        }
    }
    if !claims.wanted.is_empty() || extended.is_some() {
        search(cycle, claims, index, node, extended)?;
    }
    if unavailable.is_empty() {
        return Ok(());
    }
    // Only where the search did not fail before.
    claims.unavailable.borrow().extend(unavailable);
    Err(Status::unresolvable(
        Plugin::DynamicResources,
        "resourceclaim not available on the node",
    ))
}

fn search(
    cycle: &Cycle<'_>,
    claims: &State,
    index: NodeIdx,
    node: &NodeInfo,
    extended: Option<Arc<super::extended::Request>>,
) -> Result<(), Status> {
    let world = World {
        table: &claims.table,
        usage: cycle.cache.devices.usage(),
        symbols: &cycle.cache.symbols,
        available: &claims.available,
    };
    let with_extended: Vec<Wanted>;
    let wanted = match &extended {
        None => &claims.wanted,
        Some(request) => {
            with_extended = claims.wanted.iter().chain([&request.wanted]).cloned().collect();
            &with_extended
        }
    };
    let found = allocate(world, node, wanted).and_then(|solutions| {
        // A node selector that cannot be made is an error already here.
        for (wanted, solution) in wanted.iter().zip(&solutions) {
            crate::devices::result::allocation(&claims.table, wanted, solution, &node.name).map_err(Failure::Error)?;
        }
        Ok(solutions)
    });
    match found {
        Ok(solutions) => {
            let on_node = Arc::new(OnNode { solutions, extended });
            claims.found.borrow().insert(index, on_node);
            Ok(())
        }
        Err(Failure::Unsuitable(text)) => Err(refused(text.to_owned())),
        Err(Failure::Error(text)) => Err(Status::text(Plugin::DynamicResources, Code::Error, text)),
    }
}

/// Whether an allocated claim has to be given up: its devices failed, or took too long.
fn has_failed(claim: &ResourceClaim, now: Option<i64>) -> bool {
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
                .is_some_and(|(since, now)| since.0 + BINDING_TIMEOUT < now)
        }
    }
}
