//! The search for devices: a depth-first search with backtracking that returns the first solution (DRA-139 to DRA-170).

mod counters;
mod explain;
mod selection;

use podscope_api::ordered::Map;
use podscope_api::{MAX_ALLOCATION_RESULTS, ResourceList};

pub(crate) use self::counters::AvailableCounters;
use self::counters::CounterConsumption;
pub(crate) use self::explain::explain;
use self::selection::SelectionObstacle;
use super::DeviceNo;
use super::attributes::AttributeConstraint;
use super::memo::Memo;
use super::pools::{Pool, pools_of_node};
use super::request::{AllocationMode, Alternative, ClaimToAllocate};
use super::table::DeviceTable;
use super::usage::DeviceUsage;
use crate::node_info::NodeInfo;
use crate::symbols::Symbols;

/// Maximum number of candidates that one search examines. Deviation: this limit replaces `filterTimeout`, which depends
/// on a clock (DRA-099).
const MAX_STEPS: usize = 2_000_000;

/// Reason why the search found no allocation.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum AllocationFailure {
    /// The devices of this node do not satisfy the claims.
    Unsuitable(&'static str),
    /// An error that makes the whole cycle fail.
    Error(String),
}

/// A device that the search selected.
#[derive(Debug, Clone)]
pub(crate) struct ChosenDevice {
    /// Indices of the claim's request and alternative, of the slice, and of the device in the slice.
    pub(crate) request: usize,
    pub(crate) alternative: usize,
    pub(crate) slice: usize,
    pub(crate) device: usize,
    /// Capacity that is consumed of a shareable device; `None` if the whole device is allocated.
    pub(crate) consumed: Option<ResourceList>,
}

/// The devices selected for one claim.
#[derive(Debug, Clone, Default)]
pub(crate) struct Solution {
    pub(crate) devices: Vec<ChosenDevice>,
    /// Index of the selected alternative of each request.
    pub(crate) alternatives: Vec<usize>,
}

/// Inputs of the search that are the same for all nodes of a cycle.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SearchInputs<'a> {
    pub(crate) table: &'a DeviceTable,
    pub(crate) usage: &'a DeviceUsage,
    pub(crate) symbols: &'a Symbols,
    /// Remaining values of the shared counters, computed at the first use in this cycle.
    pub(crate) available: &'a Memo<AvailableCounters>,
}

/// Searches the devices of a node for an allocation of all claims together.
///
/// # Errors
/// Returns the reason why there is no solution.
pub(crate) fn allocate(
    inputs: SearchInputs<'_>,
    node: &NodeInfo,
    claims: &[ClaimToAllocate],
) -> Result<Vec<Solution>, AllocationFailure> {
    let pools = pools_of_node(inputs.table, inputs.symbols, node);
    let mut search = DeviceSearch::new(inputs, node, &pools, claims);
    search.check_claims()?;
    match search.search_from(SearchPosition::default(), false, 0) {
        Ok(true) => Ok(search.solutions()),
        Ok(false) | Err(SearchAbort::TooMany) if pools.iter().any(|pool| pool.is_invalid) => {
            Err(AllocationFailure::Unsuitable("invalid resource pools were encountered"))
        }
        Ok(false) | Err(SearchAbort::TooMany) => Err(AllocationFailure::Unsuitable("cannot allocate all claims")),
        Err(SearchAbort::Error(text)) => Err(AllocationFailure::Error(text)),
    }
}

/// Reason to stop a branch of the search early.
#[derive(Debug)]
enum SearchAbort {
    /// A claim would exceed the maximum number of devices (DRA-145).
    TooMany,
    Error(String),
}

/// A position in the search: the device to select next.
#[derive(Debug, Clone, Copy, Default)]
struct SearchPosition {
    claim: usize,
    request: usize,
    alternative: usize,
    /// Number of devices already selected for the request.
    device: usize,
}

/// A device of the node that the search may select.
#[derive(Debug, Clone, Copy)]
struct DeviceCandidate {
    number: DeviceNo,
    pool: usize,
    slice: usize,
    device: usize,
}

struct DeviceSearch<'a> {
    inputs: SearchInputs<'a>,
    node: &'a NodeInfo,
    pools: &'a [Pool],
    claims: &'a [ClaimToAllocate],
    /// Devices of usable pools in the order in which they are tried (DRA-137).
    candidates: Vec<DeviceCandidate>,
    /// Devices of requests with mode `All`, by index of claim, request and alternative.
    all: Map<(usize, usize, usize), Vec<DeviceCandidate>>,
    constraints: Vec<Vec<AttributeConstraint>>,
    /// Devices that this search selected as a whole, with the index of their claim.
    taken: Vec<(DeviceNo, usize)>,
    /// Shares of shareable devices that this search selected, by device.
    shares: Map<DeviceNo, Vec<ResourceList>>,
    tally: CounterConsumption,
    results: Vec<Vec<ChosenDevice>>,
    chosen: Vec<Vec<usize>>,
    /// Number of candidates examined so far.
    steps: usize,
    /// The largest selection found so far, which an explanation shows if the search fails. `None` if it is not
    /// recorded.
    largest: Option<Vec<Vec<ChosenDevice>>>,
}

impl<'a> DeviceSearch<'a> {
    fn new(inputs: SearchInputs<'a>, node: &'a NodeInfo, pools: &'a [Pool], claims: &'a [ClaimToAllocate]) -> Self {
        let usable = pools.iter().enumerate().filter(|(_, pool)| pool.is_usable());
        Self {
            candidates: usable
                .flat_map(|(at, pool)| devices_of_pool(inputs.table, at, pool))
                .collect(),
            all: Map::new(),
            constraints: Vec::new(),
            taken: Vec::new(),
            shares: Map::new(),
            tally: CounterConsumption::default(),
            results: vec![Vec::new(); claims.len()],
            chosen: claims.iter().map(|claim| vec![0; claim.requests.len()]).collect(),
            steps: 0,
            largest: None,
            inputs,
            node,
            pools,
            claims,
        }
    }

    fn solutions(self) -> Vec<Solution> {
        let pairs = self.results.into_iter().zip(self.chosen);
        pairs
            .map(|(devices, alternatives)| Solution { devices, alternatives })
            .collect()
    }

    /// Checks the claims before the search (DRA-139), and collects the devices of requests with mode `All` (DRA-147).
    fn check_claims(&mut self) -> Result<(), AllocationFailure> {
        for (at, wanted) in self.claims.iter().enumerate() {
            let mut min_devices = 0_usize;
            for (request_at, request) in wanted.requests.iter().enumerate() {
                let mut min_of_request: Option<usize> = None;
                for (alternative_at, alternative) in request.alternatives.iter().enumerate() {
                    let n = self.check_alternative(wanted, alternative, (at, request_at, alternative_at))?;
                    min_of_request = Some(min_of_request.map_or(n, |known| known.min(n)));
                }
                min_devices = min_devices.saturating_add(min_of_request.unwrap_or(0));
            }
            if min_devices > MAX_ALLOCATION_RESULTS {
                return Err(AllocationFailure::Error(format!(
                    "claim {}: number of requested devices {min_devices} exceeds the claim limit of {MAX_ALLOCATION_RESULTS}",
                    wanted.key()
                )));
            }
            let mut constraints = Vec::new();
            for (index, from) in wanted.claim.spec.devices.constraints.iter().enumerate() {
                constraints.push(AttributeConstraint::new(from).ok_or_else(|| {
                    AllocationFailure::Error(format!(
                        "claim {}, constraint #{index}: empty constraint (unsupported constraint type?)",
                        wanted.key()
                    ))
                })?);
            }
            self.constraints.push(constraints);
        }
        Ok(())
    }

    /// Checks an alternative and returns the number of devices that it requests. `key` contains the indices of claim,
    /// request and alternative.
    fn check_alternative(
        &mut self,
        wanted: &ClaimToAllocate,
        alternative: &Alternative,
        key: (usize, usize, usize),
    ) -> Result<usize, AllocationFailure> {
        let error = |text: String| {
            Err(AllocationFailure::Error(format!(
                "claim {}, request {}{text}",
                wanted.key(),
                alternative.name
            )))
        };
        if let Some(index) = alternative.unknown_selector {
            return error(format!(
                ", selector #{index}: CEL expression empty (unsupported selector type?)"
            ));
        }
        if alternative.class_name.is_empty() {
            return error(": missing device class name (unsupported request type?)".to_owned());
        }
        if alternative.class.is_none() {
            let class = &alternative.class_name;
            return error(format!(
                ": could not retrieve device class {class}: deviceclass.resource.k8s.io \"{class}\" not found"
            ));
        }
        match alternative.mode {
            AllocationMode::Exact(n) => return Ok(n),
            AllocationMode::Unknown => return error(format!(": unsupported count mode {}", alternative.mode_text)),
            AllocationMode::All => {}
        }
        let mut all = Vec::new();
        for (pool_at, pool) in self.pools.iter().enumerate() {
            if !pool.is_usable() {
                let state = if pool.is_incomplete { "being updated" } else { "invalid" };
                return error(format!(
                    ": asks for all devices, but resource pool {} is currently {state}",
                    pool.id()
                ));
            }
            for candidate in devices_of_pool(self.inputs.table, pool_at, pool) {
                match self.test_for_mode_all(alternative, candidate) {
                    None => all.push(candidate),
                    Some(SelectionObstacle::SelectorError(index)) => self
                        .selector_error(alternative, candidate, index)
                        .map_err(AllocationFailure::Error)?,
                    Some(_) => {}
                }
            }
        }
        let n = all.len();
        self.all.insert(key, all);
        Ok(n)
    }

    /// Continues the search from a position. Returns true when everything is allocated. `in_list`: whether one
    /// alternative of a prioritized list is being tried. `from`: index of the first candidate to try.
    fn search_from(&mut self, position: SearchPosition, in_list: bool, from: usize) -> Result<bool, SearchAbort> {
        let claims = self.claims;
        let Some(wanted) = claims.get(position.claim) else {
            return Ok(true);
        };
        let Some(request) = wanted.requests.get(position.request) else {
            let next = SearchPosition {
                claim: position.claim + 1,
                ..SearchPosition::default()
            };
            return match self.search_from(next, false, 0) {
                Err(SearchAbort::TooMany) => Ok(false),
                other => other,
            };
        };
        if request.is_list && !in_list {
            return self.try_alternatives_in_order(position, request.alternatives.len());
        }
        let Some(alternative) = request.alternatives.get(position.alternative) else {
            return Ok(false);
        };
        let key = (position.claim, position.request, position.alternative);
        let n = match alternative.mode {
            AllocationMode::Exact(n) => n,
            AllocationMode::All | AllocationMode::Unknown => self.all.get(&key).map_or(0, Vec::len),
        };
        if alternative.mode == AllocationMode::All && n == 0 {
            return Ok(false);
        }
        if position.device >= n {
            let next = SearchPosition {
                claim: position.claim,
                request: position.request + 1,
                ..SearchPosition::default()
            };
            return self.search_from(next, false, 0);
        }
        if self.results[position.claim].len() + n - position.device > MAX_ALLOCATION_RESULTS {
            return Err(SearchAbort::TooMany);
        }
        if alternative.mode == AllocationMode::All {
            return self.select_next_of_all(position, alternative, key, in_list);
        }
        for at in from..self.candidates.len() {
            self.steps += 1;
            if self.steps > MAX_STEPS {
                let name = &self.node.name;
                return Err(SearchAbort::Error(format!(
                    "node {name}: timed out trying to allocate devices"
                )));
            }
            let candidate = self.candidates[at];
            if self.try_select(position, alternative, candidate)?.is_some() {
                continue;
            }
            self.record_selection_if_largest();
            let next = SearchPosition {
                device: position.device + 1,
                ..position
            };
            match self.search_from(next, in_list, at + 1) {
                Ok(true) => return Ok(true),
                Ok(false) => self.deselect(position, candidate),
                Err(abort) => {
                    self.deselect(position, candidate);
                    return Err(abort);
                }
            }
        }
        Ok(false)
    }

    /// Stores the current selection if selections are recorded and it is larger than all before.
    fn record_selection_if_largest(&mut self) {
        if let Some(largest) = &mut self.largest {
            let n_devices = |results: &[Vec<ChosenDevice>]| results.iter().map(Vec::len).sum::<usize>();
            if n_devices(&self.results) > n_devices(largest) {
                largest.clone_from(&self.results);
            }
        }
    }

    /// Tries the alternatives of a prioritized list in order (DRA-146).
    fn try_alternatives_in_order(&mut self, position: SearchPosition, n: usize) -> Result<bool, SearchAbort> {
        let mut all_too_many = true;
        for alternative in 0..n {
            match self.search_from(
                SearchPosition {
                    alternative,
                    ..position
                },
                true,
                0,
            ) {
                Err(SearchAbort::TooMany) => continue,
                Err(abort) => return Err(abort),
                Ok(true) => {
                    self.chosen[position.claim][position.request] = alternative;
                    return Ok(true);
                }
                Ok(false) => all_too_many = false,
            }
        }
        if all_too_many {
            Err(SearchAbort::TooMany)
        } else {
            Ok(false)
        }
    }

    /// Selects the next device of a request with mode `All` (DRA-147). `key` contains the indices of claim, request and
    /// alternative.
    fn select_next_of_all(
        &mut self,
        position: SearchPosition,
        alternative: &Alternative,
        key: (usize, usize, usize),
        in_list: bool,
    ) -> Result<bool, SearchAbort> {
        let Some(candidate) = self.all.get(&key).and_then(|all| all.get(position.device)).copied() else {
            return Ok(false);
        };
        if self.try_select(position, alternative, candidate)?.is_some() {
            return Ok(false);
        }
        self.record_selection_if_largest();
        let next = SearchPosition {
            device: position.device + 1,
            ..position
        };
        let done = self.search_from(next, in_list, 0);
        if !matches!(done, Ok(true)) {
            self.deselect(position, candidate);
        }
        done
    }
}

/// Returns the devices of a pool, in order.
fn devices_of_pool<'a>(
    table: &'a DeviceTable,
    pool_index: usize,
    pool: &'a Pool,
) -> impl Iterator<Item = DeviceCandidate> + 'a {
    pool.slices.iter().flat_map(move |slice| {
        let numbers = table.slices[*slice].numbers.iter().enumerate();
        numbers.map(move |(device, number)| DeviceCandidate {
            number: *number,
            pool: pool_index,
            slice: *slice,
            device,
        })
    })
}
