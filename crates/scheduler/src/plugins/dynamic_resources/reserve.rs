//! Reserve, which allocates claims on the chosen node, and PostFilter, which deallocates a claim if no node fits
//! (DRA-101, DRA-106).

use podscope_api::Str;

use super::claims::ClaimsState;
use crate::attempt::ReservedClaims;
use crate::cycle::{CycleState, NodeSearch};
use crate::devices::result::allocation_result;
use crate::node_info::NodeIdx;

/// Returns the allocations of the pod's claims on a node that passed Filter.
///
/// # Errors
/// Returns an error if the node selectors of slices cannot be combined. Filter reports the same error earlier.
pub(crate) fn reserved_claims_on_node(
    claims: &ClaimsState,
    index: NodeIdx,
    node: &Str,
) -> Result<ReservedClaims, String> {
    let found = claims.found.borrow().get(&index).cloned();
    let mut solutions = found.iter().flat_map(|found| &found.solutions);
    let mut reserved = ReservedClaims::default();
    let mut to_allocate = claims.to_allocate.iter();
    for pod_claim in &claims.claims {
        let new = match pod_claim.is_allocated() {
            true => None,
            false => match (to_allocate.next(), solutions.next()) {
                (Some(to_allocate), Some(solution)) => {
                    Some(allocation_result(&claims.table, to_allocate, solution, node)?)
                }
                _ => return Err("claim allocation not found for node".to_owned()),
            },
        };
        reserved.claims.push((pod_claim.claim.clone(), new));
    }
    let extended = found.as_ref().and_then(|found| found.extended.as_ref());
    if let (Some(extended), Some(solution)) = (extended, solutions.next()) {
        let new = allocation_result(&claims.table, &extended.to_allocate, solution, node)?;
        reserved.extended = Some((extended.to_allocate.claim.clone(), new, extended.mappings.clone()));
    }
    Ok(reserved)
}

/// Implements PostFilter: selects a claim to deallocate that no other pod uses. Returns kube-scheduler's text for the
/// result (DRA-101).
pub(super) fn choose_claim_to_deallocate(search: &NodeSearch<'_>, state: &mut CycleState) -> &'static str {
    let Some(claims) = &mut state.claims else {
        return "no new claims to deallocate";
    };
    let uid = &search.incoming.info.uid;
    let unavailable = claims.unavailable.borrow();
    let free = unavailable.iter().find_map(|at| {
        let claim = &claims.claims.get(*at)?.claim;
        let consumers = &claim.status.reserved_for;
        let is_free = consumers.is_empty() || (consumers.len() == 1 && claim.is_reserved_for(uid));
        is_free.then(|| claim.clone())
    });
    drop(unavailable);
    if free.is_some() {
        claims.deallocate = free;
        return "deallocation of ResourceClaim completed";
    }
    claims.delete = claims.extended.as_ref().and_then(|extended| extended.left_over.clone());
    match claims.delete {
        Some(_) => "deletion of ResourceClaim completed",
        None => "still not schedulable",
    }
}
