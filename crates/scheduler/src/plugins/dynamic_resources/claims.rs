//! The claims of a pod, and what a cycle keeps of them (DRA-088, DRA-093 to DRA-096, DRA-104).

use std::sync::Arc;

use podscope_api::ordered::{Map, Set};
use podscope_api::{AllocationResult, DeviceClass, ObjectKey, Pod, ResourceClaim, Str};

use super::extended::Extended;
use super::{DynamicResources, refused};
use crate::cache::Cache;
use crate::cycle::{CycleState, PreFilter, Search};
use crate::devices::memo::Memo;
use crate::devices::request::{Source, Wanted};
use crate::devices::search::{Available, Solution};
use crate::devices::table::Table;
use crate::node_info::NodeIdx;
use crate::plugins::Plugin;
use crate::pod_info::uid_of;
use crate::selector::NodeSelector;
use crate::status::{Code, Status};
use crate::stores::Stores;

/// The claims of a pod's entries in order, or why they cannot be used (DRA-088).
pub(super) fn of_pod<'a>(
    stores: &'a Stores,
    pod: &'a Pod,
) -> impl Iterator<Item = Result<&'a Arc<ResourceClaim>, String>> {
    let namespace = &pod.metadata.namespace;
    pod.spec.resource_claims.iter().filter_map(move |entry| {
        let (name, must_own) = match (&entry.resource_claim_name, &entry.resource_claim_template_name) {
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
        Some(usable(stores, pod, ObjectKey::new(namespace.clone(), name), must_own))
    })
}

fn usable<'a>(stores: &'a Stores, pod: &Pod, key: ObjectKey, must_own: bool) -> Result<&'a Arc<ResourceClaim>, String> {
    let claim = stores.resource_claim(&key);
    let claim = claim.ok_or_else(|| format!("could not find ResourceClaim \"{key}\""))?;
    if claim.metadata.is_terminating() {
        return Err(format!("resourceclaim \"{}\" is being deleted", key.name));
    }
    if must_own && !is_owned(claim, pod) {
        return Err(format!(
            "ResourceClaim {key} was not created for Pod {} (Pod is not owner)",
            pod.metadata.key()
        ));
    }
    Ok(claim)
}

/// Whether the pod controls the claim.
pub(super) fn is_owned(claim: &ResourceClaim, pod: &Pod) -> bool {
    let owner = claim.metadata.controller_ref();
    owner.is_some_and(|owner| *owner.uid == *uid_of(pod))
}

/// A claim of the pod as the cycle found it.
#[derive(Debug, Clone)]
pub(super) struct Claimed {
    pub(super) claim: Arc<ResourceClaim>,
    /// Of an allocated claim, the nodes it can be used from; none means all.
    pub(super) reach: Option<NodeSelector>,
}

impl Claimed {
    pub(super) fn is_allocated(&self) -> bool {
        self.claim.status.allocation.is_some()
    }
}

/// The devices found on a node.
#[derive(Debug, Clone)]
pub(crate) struct OnNode {
    /// The claims allocated in this cycle, the one for extended resources last.
    pub(super) solutions: Vec<Solution>,
    /// That claim, as this node needs it.
    pub(super) extended: Option<Arc<super::extended::Request>>,
}

/// What a cycle keeps of a pod's claims.
#[derive(Debug, Clone, Default)]
pub(crate) struct State {
    pub(super) claims: Vec<Claimed>,
    /// Those to allocate.
    pub(super) wanted: Vec<Wanted>,
    pub(super) extended: Option<Extended>,
    pub(super) table: Arc<Table>,
    /// What is left of shared counters.
    pub(super) available: Memo<Available>,
    /// Claims that some node could not use, by index.
    pub(super) unavailable: Memo<Set<usize>>,
    /// By node.
    pub(super) found: Memo<Map<NodeIdx, Arc<OnNode>>>,
    /// The claim that PostFilter takes its devices from.
    pub(crate) deallocate: Option<Arc<ResourceClaim>>,
    /// The claim for extended resources that PostFilter deletes.
    pub(crate) delete: Option<Arc<ResourceClaim>>,
}

/// Classes and answers of the cache.
struct FromCache<'a>(&'a mut Cache);

impl Source for FromCache<'_> {
    fn class(&self, name: &Str) -> Option<Arc<DeviceClass>> {
        self.0.stores.device_class(name).cloned()
    }

    fn ask(&mut self, expression: &Str) -> Arc<crate::devices::Answers> {
        self.0.devices.ask(expression)
    }
}

/// Reads a claim that is to be allocated.
pub(super) fn wanted(cache: &mut Cache, claim: &Arc<ResourceClaim>) -> Wanted {
    Wanted::new(claim, &mut FromCache(cache))
}

/// Brings the cache's table of devices up to date.
pub(super) fn refresh(cache: &mut Cache) {
    cache
        .devices
        .refresh(&mut cache.symbols, cache.stores.resource_slices.values());
}

impl DynamicResources {
    /// PreFilter (DRA-093 to DRA-096).
    pub(super) fn prepare(search: &Search<'_>, cache: &mut Cache, state: &mut CycleState) -> Result<PreFilter, Status> {
        let pod = &search.incoming.info.pod;
        let claims = of_pod(&cache.stores, pod).map(|claim| claim.cloned());
        let claims: Vec<Arc<ResourceClaim>> = claims.collect::<Result<_, String>>().map_err(refused)?;
        let extended = Extended::of_pod(cache, search.incoming);
        if claims.is_empty() && extended.is_none() {
            return Ok(PreFilter::Skip);
        }
        let mut kept = State::default();
        for claim in claims {
            let reach = claim
                .status
                .allocation
                .as_ref()
                .and_then(|allocation| allocation.node_selector.as_ref());
            let reach = reach.map(|selector| NodeSelector::compile(&mut cache.symbols, selector));
            if let Some(malformed) = reach
                .iter()
                .flat_map(|reach| &reach.terms)
                .find_map(|term| term.malformed.as_ref())
            {
                return Err(Status::text(Plugin::DynamicResources, Code::Error, malformed.clone()));
            }
            if claim.status.allocation.is_none() {
                let key = claim.metadata.key();
                if cache.devices.is_in_flight(&claim.metadata.uid) {
                    return Err(refused(format!(
                        "resource claim {key} is in the process of being allocated"
                    )));
                }
                check_classes(&cache.stores, &claim)?;
            }
            kept.claims.push(Claimed { claim, reach });
        }
        kept.extended = extended;
        let to_allocate = kept.claims.iter().filter(|claimed| !claimed.is_allocated());
        let to_allocate: Vec<Arc<ResourceClaim>> = to_allocate.map(|claimed| claimed.claim.clone()).collect();
        if !to_allocate.is_empty() || kept.extended.is_some() {
            refresh(cache);
            kept.wanted = to_allocate.iter().map(|claim| wanted(cache, claim)).collect();
            if let Some(extended) = &mut kept.extended {
                extended.prepare(cache);
            }
            kept.table = cache.devices.table().clone();
        }
        state.claims = Some(kept);
        Ok(PreFilter::Run)
    }
}

/// Whether the classes that a claim names exist (DRA-095).
fn check_classes(stores: &Stores, claim: &ResourceClaim) -> Result<(), Status> {
    for request in &claim.spec.devices.requests {
        if let Some(exactly) = &request.exactly {
            check_class(stores, &request.name, &exactly.device_class_name)?;
        } else if request.first_available.is_empty() {
            return Err(refused(format!(
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
        None => Err(refused(format!(
            "request {request}: device class {class} does not exist"
        ))),
    }
}

impl State {
    /// Scores prioritized lists: the first choice 8, the second 7, … (DRA-104). `false`: all stay 0.
    pub(super) fn score(&self, feasible: &[NodeIdx], scores: &mut [i64]) -> bool {
        let has_list = |claim: &ResourceClaim| {
            let mut requests = claim.spec.devices.requests.iter();
            requests.any(|request| !request.first_available.is_empty())
        };
        if !self.claims.iter().any(|claimed| has_list(&claimed.claim)) {
            return false;
        }
        let allocated = self.claims.iter().filter_map(|claimed| {
            let allocation = claimed.claim.status.allocation.as_ref()?;
            Some(stored_score(&claimed.claim, allocation))
        });
        let allocated: i64 = allocated.sum();
        let found = self.found.borrow();
        for (score, node) in scores.iter_mut().zip(feasible) {
            if let Some(on_node) = found.get(node).filter(|on_node| !on_node.solutions.is_empty()) {
                let pairs = self.wanted.iter().zip(&on_node.solutions);
                let new = pairs.map(|(wanted, solution)| {
                    let requests = wanted.requests.iter().zip(&solution.alternatives);
                    let lists = requests.filter(|(request, _)| request.is_list);
                    lists.map(|(_, chosen)| 8 - *chosen as i64).sum::<i64>()
                });
                *score = allocated + new.sum::<i64>();
            }
        }
        true
    }
}

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
