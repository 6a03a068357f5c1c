//! What becomes of a pod's claims once a node is chosen, or none is (DRA-101, DRA-106).

use podscope_api::Str;

use super::claims::State;
use crate::attempt::ReservedClaims;
use crate::cycle::{CycleState, Search};
use crate::devices::result::allocation;
use crate::node_info::NodeIdx;

/// The pod's claims as they are on a node that passed Filter.
///
/// # Errors
/// Node selectors that cannot be put together; Filter would have met it.
pub(crate) fn reserved_on(claims: &State, index: NodeIdx, node: &Str) -> Result<ReservedClaims, String> {
    let found = claims.found.borrow().get(&index).cloned();
    let mut solutions = found.iter().flat_map(|found| &found.solutions);
    let mut reserved = ReservedClaims::default();
    let mut wanted = claims.wanted.iter();
    for claimed in &claims.claims {
        let new = match claimed.is_allocated() {
            true => None,
            false => match (wanted.next(), solutions.next()) {
                (Some(wanted), Some(solution)) => Some(allocation(&claims.table, wanted, solution, node)?),
                _ => return Err("claim allocation not found for node".to_owned()),
            },
        };
        reserved.claims.push((claimed.claim.clone(), new));
    }
    let extended = found.as_ref().and_then(|found| found.extended.as_ref());
    if let (Some(request), Some(solution)) = (extended, solutions.next()) {
        let new = allocation(&claims.table, &request.wanted, solution, node)?;
        reserved.extended = Some((request.wanted.claim.clone(), new, request.mappings.clone()));
    }
    Ok(reserved)
}

/// PostFilter: takes the devices from a claim that no other pod uses, or says why not (DRA-101).
pub(super) fn deallocate(search: &Search<'_>, state: &mut CycleState) -> &'static str {
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
