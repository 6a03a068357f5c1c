//! The ResourceClaims of a pod, and their state during a cycle (DRA-088, DRA-093 to DRA-096, DRA-104).

use std::sync::Arc;

use podscope_api::ordered::{Map, Set};
use podscope_api::{AllocationResult, DeviceClass, ObjectKey, Pod, ResourceClaim, Str};

use super::extended::ExtendedResources;
use super::{DynamicResources, unresolvable_status};
use crate::cache::Cache;
use crate::cycle::{CycleState, NodeSearch, PreFilter};
use crate::devices::memo::Memo;
use crate::devices::request::{ClaimToAllocate, ClassesAndSelectors};
use crate::devices::search::{AvailableCounters, Solution};
use crate::devices::table::DeviceTable;
use crate::node_info::NodeIdx;
use crate::plugins::Plugin;
use crate::pod_info::uid_of;
use crate::selector::NodeSelector;
use crate::status::{Code, Status};
use crate::stores::Stores;

/// Returns the claims of the entries in `spec.resourceClaims`, in order, or the reason why one of them cannot be used
/// (DRA-088).
pub(crate) fn claims_of_pod<'a>(
    stores: &'a Stores,
    pod: &'a Pod,
) -> impl Iterator<Item = Result<&'a Arc<ResourceClaim>, String>> {
    let namespace = &pod.metadata.namespace;
    pod.spec.resource_claims.iter().filter_map(move |entry| {
        let (name, is_generated) = match (&entry.resource_claim_name, &entry.resource_claim_template_name) {
            (Some(name), _) => (name.clone(), false),
            (None, Some(_)) => {
                let mut statuses = pod.status.resource_claim_statuses.iter();
                match statuses.find(|status| status.name == entry.name) {
                    None => {
                        let key = pod.metadata.key();
                        return Some(Err(format!("pod \"{key}\": ResourceClaim not created yet")));
                    }
                    Some(status) => (status.resource_claim_name.clone()?, true),
                }
            }
            (None, None) => {
                return Some(Err(format!(
                    "pod \"{}\", spec.resourceClaim \"{}\": none of the supported fields are set",
                    pod.metadata.key(),
                    entry.name
                )));
            }
        };
        Some(usable_claim(
            stores,
            pod,
            ObjectKey::new(namespace.clone(), name),
            is_generated,
        ))
    })
}

fn usable_claim<'a>(
    stores: &'a Stores,
    pod: &Pod,
    key: ObjectKey,
    is_generated: bool,
) -> Result<&'a Arc<ResourceClaim>, String> {
    let claim = stores.resource_claim(&key);
    let claim = claim.ok_or_else(|| format!("could not find ResourceClaim \"{key}\""))?;
    if claim.metadata.is_terminating() {
        return Err(format!("resourceclaim \"{}\" is being deleted", key.name));
    }
    if is_generated && !is_owned(claim, pod) {
        return Err(format!(
            "ResourceClaim {key} was not created for Pod {} (Pod is not owner)",
            pod.metadata.key()
        ));
    }
    Ok(claim)
}

/// Returns whether the claim's controlling owner reference names this pod.
pub(super) fn is_owned(claim: &ResourceClaim, pod: &Pod) -> bool {
    let owner = claim.metadata.controller_ref();
    owner.is_some_and(|owner| *owner.uid == *uid_of(pod))
}

/// A claim of the pod, prepared by PreFilter.
#[derive(Debug, Clone)]
pub(super) struct PodClaim {
    pub(super) claim: Arc<ResourceClaim>,
    /// The nodes from which an allocated claim can be used; `None` means all nodes.
    pub(super) scope: Option<NodeSelector>,
}

impl PodClaim {
    pub(super) fn is_allocated(&self) -> bool {
        self.claim.status.allocation.is_some()
    }
}

/// The devices that Filter selected on a node.
#[derive(Debug, Clone)]
pub(crate) struct NodeAllocation {
    /// Devices for each claim that this cycle allocates; the claim for extended resources is last.
    pub(super) solutions: Vec<Solution>,
    /// The claim for extended resources that this node needs.
    pub(super) extended: Option<Arc<super::extended::ExtendedClaim>>,
}

/// The state of DynamicResources during a cycle.
#[derive(Debug, Clone, Default)]
pub(crate) struct ClaimsState {
    pub(super) claims: Vec<PodClaim>,
    /// The claims that this cycle allocates.
    pub(super) to_allocate: Vec<ClaimToAllocate>,
    pub(super) extended: Option<ExtendedResources>,
    pub(super) table: Arc<DeviceTable>,
    /// Remaining values of the shared counters.
    pub(super) available: Memo<AvailableCounters>,
    /// Indices of the allocated claims that at least one node cannot use.
    pub(super) unavailable: Memo<Set<usize>>,
    /// Selected devices by node.
    pub(super) found: Memo<Map<NodeIdx, Arc<NodeAllocation>>>,
    /// The claim that PostFilter deallocates.
    pub(crate) deallocate: Option<Arc<ResourceClaim>>,
    /// The claim for extended resources that PostFilter deletes.
    pub(crate) delete: Option<Arc<ResourceClaim>>,
}

/// Looks up device classes and evaluates selectors in the cache.
struct FromCache<'a>(&'a mut Cache);

impl ClassesAndSelectors for FromCache<'_> {
    fn class(&self, name: &Str) -> Option<Arc<DeviceClass>> {
        self.0.stores.device_class(name).cloned()
    }

    fn evaluate_selector(&mut self, expression: &Str) -> Arc<crate::devices::SelectorResults> {
        self.0.devices.evaluate_selector(expression)
    }
}

/// Prepares a claim for allocation.
pub(super) fn prepare_claim(cache: &mut Cache, claim: &Arc<ResourceClaim>) -> ClaimToAllocate {
    ClaimToAllocate::new(claim, &mut FromCache(cache))
}

/// Updates the cache's table of devices.
pub(super) fn refresh_device_table(cache: &mut Cache) {
    cache
        .devices
        .rebuild_table_if_stale(&mut cache.symbols, cache.stores.resource_slices.values());
}

impl DynamicResources {
    /// Implements PreFilter (DRA-093 to DRA-096).
    pub(super) fn pre_filter_claims(
        search: &NodeSearch<'_>,
        cache: &mut Cache,
        state: &mut CycleState,
    ) -> Result<PreFilter, Status> {
        let pod = &search.incoming.info.pod;
        let claims = claims_of_pod(&cache.stores, pod).map(|claim| claim.cloned());
        let claims: Vec<Arc<ResourceClaim>> = claims.collect::<Result<_, String>>().map_err(unresolvable_status)?;
        let extended = ExtendedResources::of_pod(cache, search.incoming);
        if claims.is_empty() && extended.is_none() {
            return Ok(PreFilter::Skip);
        }
        let mut kept = ClaimsState::default();
        for claim in claims {
            let scope = claim
                .status
                .allocation
                .as_ref()
                .and_then(|allocation| allocation.node_selector.as_ref());
            let scope = scope.map(|selector| NodeSelector::compile(&mut cache.symbols, selector));
            if let Some(malformed) = scope
                .iter()
                .flat_map(|scope| &scope.terms)
                .find_map(|term| term.malformed.as_ref())
            {
                return Err(Status::text(Plugin::DynamicResources, Code::Error, malformed.clone()));
            }
            if claim.status.allocation.is_none() {
                let key = claim.metadata.key();
                if cache.devices.is_allocation_in_flight(&claim.metadata.uid) {
                    return Err(unresolvable_status(format!(
                        "resource claim {key} is in the process of being allocated"
                    )));
                }
                check_classes(&cache.stores, &claim)?;
            }
            kept.claims.push(PodClaim { claim, scope });
        }
        kept.extended = extended;
        let unallocated = kept.claims.iter().filter(|pod_claim| !pod_claim.is_allocated());
        let unallocated: Vec<Arc<ResourceClaim>> = unallocated.map(|pod_claim| pod_claim.claim.clone()).collect();
        if !unallocated.is_empty() || kept.extended.is_some() {
            refresh_device_table(cache);
            kept.to_allocate = unallocated.iter().map(|claim| prepare_claim(cache, claim)).collect();
            if let Some(extended) = &mut kept.extended {
                extended.prepare(cache);
            }
            kept.table = cache.devices.table().clone();
        }
        state.claims = Some(kept);
        Ok(PreFilter::Run)
    }
}

/// Checks that the device classes of a claim exist (DRA-095).
fn check_classes(stores: &Stores, claim: &ResourceClaim) -> Result<(), Status> {
    for request in &claim.spec.devices.requests {
        if let Some(exactly) = &request.exactly {
            check_class(stores, &request.name, &exactly.device_class_name)?;
        } else if request.first_available.is_empty() {
            return Err(unresolvable_status(format!(
                "resource claim {}, request {}: unknown request type",
                claim.metadata.key(),
                request.name
            )));
        }
        for sub in &request.first_available {
            let name = format!("{}/{}", request.name, sub.name);
            check_class(stores, &name, &sub.device_class_name)?;
        }
    }
    Ok(())
}

fn check_class(stores: &Stores, request: &str, class: &str) -> Result<(), Status> {
    if class.is_empty() {
        let text = format!("request {request}: unsupported request type");
        return Err(Status::text(Plugin::DynamicResources, Code::Error, text));
    }
    match stores.device_class(class) {
        Some(_) => Ok(()),
        None => Err(unresolvable_status(format!(
            "request {request}: device class {class} does not exist"
        ))),
    }
}

impl ClaimsState {
    /// Scores prioritized lists: 8 for the first alternative, 7 for the second, … (DRA-104). Returns false if no claim
    /// has a prioritized list, so that all scores stay 0.
    pub(super) fn score(&self, feasible: &[NodeIdx], scores: &mut [i64]) -> bool {
        let has_list = |claim: &ResourceClaim| {
            let mut requests = claim.spec.devices.requests.iter();
            requests.any(|request| !request.first_available.is_empty())
        };
        if !self.claims.iter().any(|pod_claim| has_list(&pod_claim.claim)) {
            return false;
        }
        let allocated = self.claims.iter().filter_map(|pod_claim| {
            let allocation = pod_claim.claim.status.allocation.as_ref()?;
            Some(stored_score(&pod_claim.claim, allocation))
        });
        let allocated: i64 = allocated.sum();
        let found = self.found.borrow();
        for (score, node) in scores.iter_mut().zip(feasible) {
            if let Some(on_node) = found.get(node).filter(|on_node| !on_node.solutions.is_empty()) {
                let pairs = self.to_allocate.iter().zip(&on_node.solutions);
                let new = pairs.map(|(to_allocate, solution)| {
                    let requests = to_allocate.requests.iter().zip(&solution.alternatives);
                    let lists = requests.filter(|(request, _)| request.is_list);
                    lists.map(|(_, chosen)| 8 - *chosen as i64).sum::<i64>()
                });
                *score = allocated + new.sum::<i64>();
            }
        }
        true
    }
}

/// Returns the score of the prioritized lists of an already allocated claim.
fn stored_score(claim: &ResourceClaim, allocation: &AllocationResult) -> i64 {
    let requests = claim.spec.devices.requests.iter();
    let chosen = requests.filter_map(|request| {
        request.first_available.iter().position(|sub| {
            let mut results = allocation.devices.results.iter();
            results.any(|result| {
                let parts = result.request.split_once('/');
                parts.is_some_and(|(name, own)| *name == *request.name && *own == *sub.name)
            })
        })
    });
    chosen.map(|index| 8 - index as i64).sum()
}
