//! `NodeAffinity`: nodeSelector, required and preferred node affinity, and the profile's added affinity
//! (SCH-044 to SCH-048).

use crate::cycle::{Cycle, PreFilter};
use crate::node_info::NodeInfo;
use crate::plugins::{Plugin, default_normalize};
use crate::status::{Code, Status};
use crate::symbols::Symbol;
use podscope_api::ordered::StableSort as _;

/// The pod's own rule.
pub const REASON_POD: &str = "node(s) didn't match Pod's node affinity/selector";
/// The profile's rule.
pub const REASON_ENFORCED: &str = "node(s) didn't match scheduler-enforced node affinity";
/// No node name can satisfy every field.
pub const REASON_CONFLICT: &str = "pod affinity terms conflict";

/// PreFilter: skips without rules; narrows to the nodes that terms pin by name (SCH-045).
pub fn pre_filter(cycle: &Cycle<'_>) -> Result<PreFilter, Status> {
    let required = &cycle.incoming.required;
    if required.is_absent() && cycle.added_affinity.required.is_none() {
        return Ok(PreFilter::Skip);
    }
    let Some(affinity) = &required.affinity else {
        return Ok(PreFilter::Run);
    };
    if affinity.terms.is_empty() {
        return Ok(PreFilter::Run);
    }
    let mut names: Vec<Symbol> = Vec::new();
    for term in &affinity.terms {
        match term.pinned_names() {
            None => return Ok(PreFilter::Run),
            Some(more) => names.extend(more),
        }
    }
    if names.is_empty() {
        return Err(Status::unresolvable(Plugin::NodeAffinity, REASON_CONFLICT));
    }
    names.stable_sort();
    names.dedup();
    Ok(PreFilter::Only(names))
}

/// Filter.
pub fn filter(cycle: &Cycle<'_>, node: &NodeInfo) -> Result<(), Status> {
    if let Some(added) = &cycle.added_affinity.required
        && !added.matches(&cycle.cache.symbols, node)
    {
        return Err(Status::unresolvable(Plugin::NodeAffinity, REASON_ENFORCED));
    }
    if !cycle.incoming.required.matches(&cycle.cache.symbols, node) {
        return Err(Status::unresolvable(Plugin::NodeAffinity, REASON_POD));
    }
    Ok(())
}

/// PreScore: `Ok(false)` skips; a malformed preferred term fails the cycle (SCH-046).
pub fn pre_score(cycle: &Cycle<'_>) -> Result<bool, Status> {
    let affinity = &cycle.incoming.info.pod.spec.affinity;
    let has_own = affinity
        .as_ref()
        .and_then(|affinity| affinity.node_affinity.as_ref())
        .is_some_and(|rules| !rules.preferred_during_scheduling_ignored_during_execution.is_empty());
    if !has_own && cycle.added_affinity.preferred.is_empty() {
        return Ok(false);
    }
    match cycle
        .incoming
        .preferred
        .iter()
        .find_map(|(_, term)| term.malformed.as_ref())
    {
        Some(error) => Err(Status::text(Plugin::NodeAffinity, Code::Error, error.as_str())),
        None => Ok(true),
    }
}

/// Score: the weights of the preferred terms that match.
pub fn score(cycle: &Cycle<'_>, node: &NodeInfo) -> i64 {
    cycle
        .incoming
        .preferred
        .iter()
        .chain(&cycle.added_affinity.preferred)
        .filter(|(_, term)| term.matches(&cycle.cache.symbols, node))
        .map(|(weight, _)| weight)
        .sum()
}

/// Normalize: the best is 100.
pub fn normalize(scores: &mut [i64]) {
    default_normalize(scores, false);
}
