//! Explains the search on one node: which devices each request gets, and which test of the search every other device
//! fails. The explanation uses the search itself: the search runs again and records its largest selection, and then the
//! other devices are tested in addition to that selection.

use podscope_api::explained::{
    CapacityAmount, DeviceName, DeviceObstacle, DeviceSelectorPlace, DeviceShare, NodeDevices, RequestDevices,
    RequestOutcome, UnsuitableDevices, UnusablePool,
};
use podscope_api::{Quantity, ResourceList, Str};

use super::selection::SelectionObstacle;
use super::{
    AllocationFailure, ChosenDevice, DeviceCandidate, DeviceSearch, SearchAbort, SearchInputs, SearchPosition,
};
use crate::devices::capacity;
use crate::devices::pools::pools_of_node;
use crate::devices::request::{AllocationMode, Alternative, ClaimToAllocate};
use crate::devices::selectors::SelectorResult;
use crate::node_info::NodeInfo;

/// Explains the search of [`super::allocate`] with the same arguments. `consumers` returns the names of the pods that
/// use a claim.
pub(crate) fn explain(
    inputs: SearchInputs<'_>,
    node: &NodeInfo,
    claims: &[ClaimToAllocate],
    consumers: &dyn Fn(&str) -> Vec<String>,
) -> NodeDevices {
    let pools = pools_of_node(inputs.table, inputs.symbols, node);
    let unusable = pools.iter().filter(|pool| !pool.is_usable());
    let mut out = NodeDevices {
        unusable_pools: unusable
            .map(|pool| UnusablePool {
                driver: pool.driver.to_string(),
                pool: pool.name.to_string(),
                is_incomplete: pool.is_incomplete,
            })
            .collect(),
        ..NodeDevices::default()
    };
    let new_search = || {
        let mut search = DeviceSearch::new(inputs, node, &pools, claims);
        let checked = search.check_claims();
        (search, checked)
    };
    let (mut search, checked) = new_search();
    if let Err(AllocationFailure::Error(text)) = checked {
        out.error = Some(text);
        return out;
    }
    search.largest = Some(vec![Vec::new(); claims.len()]);
    let found = search.search_from(SearchPosition::default(), false, 0);
    let is_found = matches!(found, Ok(true));
    let selected = match is_found {
        true => std::mem::take(&mut search.results),
        false => search.largest.take().unwrap_or_default(),
    };
    if let Err(SearchAbort::Error(text)) = found {
        out.error = Some(text);
    }
    let chosen = is_found.then_some(search.chosen);
    let mut explainer = Explainer {
        search: new_search().0,
        selected: &selected,
        consumers,
    };
    for (claim_at, claim) in claims.iter().enumerate() {
        for (request_at, request) in claim.requests.iter().enumerate() {
            let position = SearchPosition {
                claim: claim_at,
                request: request_at,
                ..SearchPosition::default()
            };
            let fulfilled = match &chosen {
                Some(chosen) => Some(chosen[claim_at][request_at]),
                None => explainer.fulfilled_alternative(position),
            };
            let alternatives = fulfilled.map_or(0..request.alternatives.len(), |one| 0..one + 1);
            for alternative in alternatives {
                let position = SearchPosition {
                    alternative,
                    ..position
                };
                let (mut explained, taken) = explainer.explain_alternative(position);
                let is_kept = fulfilled == Some(alternative) || request.alternatives.len() == 1;
                if !is_kept && explained.outcome == RequestOutcome::Complete {
                    explained.outcome = RequestOutcome::PassedOver;
                }
                out.requests.push(explained);
                // This alternative is not used, so its devices are released before the next alternative is explained.
                if !is_kept {
                    for candidate in taken.into_iter().rev() {
                        explainer.search.deselect(position, candidate);
                    }
                }
            }
        }
    }
    out
}

struct Explainer<'a> {
    /// The state of the search: the devices of the already explained requests are selected.
    search: DeviceSearch<'a>,
    /// The devices that the search selected, by claim.
    selected: &'a [Vec<ChosenDevice>],
    consumers: &'a dyn Fn(&str) -> Vec<String>,
}

impl Explainer<'_> {
    fn selected_for(&self, position: SearchPosition) -> impl Iterator<Item = &ChosenDevice> {
        let devices = self.selected.get(position.claim).into_iter().flatten();
        devices.filter(move |device| device.request == position.request)
    }

    /// Returns the alternative for which a request got all its devices, although the search may have failed at a later
    /// request.
    fn fulfilled_alternative(&self, position: SearchPosition) -> Option<usize> {
        let alternative = self.selected_for(position).next()?.alternative;
        let n = self.n_requested_devices(SearchPosition {
            alternative,
            ..position
        })?;
        (self.selected_for(position).count() >= n).then_some(alternative)
    }

    fn alternative(&self, position: SearchPosition) -> &Alternative {
        &self.search.claims[position.claim].requests[position.request].alternatives[position.alternative]
    }

    /// Returns the number of devices that an alternative requests; `None` for an unknown mode.
    fn n_requested_devices(&self, position: SearchPosition) -> Option<usize> {
        match self.alternative(position).mode {
            AllocationMode::Exact(n) => Some(n),
            AllocationMode::All => {
                let key = (position.claim, position.request, position.alternative);
                self.search.all.get(&key).map(Vec::len)
            }
            AllocationMode::Unknown => None,
        }
    }

    /// Explains an alternative. Afterwards, devices are selected for it: those that the search selected, or otherwise
    /// the first suitable ones. Returns the explanation and the selected devices.
    fn explain_alternative(&mut self, position: SearchPosition) -> (RequestDevices, Vec<DeviceCandidate>) {
        let claims = self.search.claims;
        let claim = &claims[position.claim];
        let request = &claim.requests[position.request];
        let alternative = &request.alternatives[position.alternative];
        let is_all = alternative.mode == AllocationMode::All;
        let n = self.n_requested_devices(position).unwrap_or(0);
        let own: Vec<(usize, usize)> = self
            .selected_for(position)
            .filter(|device| device.alternative == position.alternative)
            .map(|device| (device.slice, device.device))
            .collect();
        let candidates = self.search.candidates.clone();
        let mut taken: Vec<DeviceCandidate> = Vec::new();
        let mut last = 0;
        for (at, candidate) in candidates.iter().enumerate() {
            let is_wanted = own.is_empty() || own.contains(&(candidate.slice, candidate.device));
            let may_take = taken.len() < n
                && is_wanted
                && (!is_all || self.search.test_for_mode_all(alternative, *candidate).is_none());
            if may_take && self.search.select(position, alternative, *candidate).is_none() {
                taken.push(*candidate);
                last = at;
            }
        }
        let is_complete = taken.len() == n && n > 0;
        // As in the search, the devices after the last selected device are not tried.
        let n_tried = if is_complete && !is_all { last } else { candidates.len() };
        let gets = taken
            .iter()
            .map(|candidate| self.device_share(position, *candidate))
            .collect();
        let mut unsuitable: Vec<UnsuitableDevices> = Vec::new();
        for candidate in candidates.into_iter().take(n_tried) {
            let is_same = |one: &DeviceCandidate| (one.slice, one.device) == (candidate.slice, candidate.device);
            if taken.iter().any(is_same) {
                continue;
            }
            let why = self.obstacle_of(position, alternative, candidate);
            let device = self.device_name(candidate);
            match unsuitable.iter_mut().find(|group| group.why == why) {
                Some(group) => group.devices.push(device),
                None => unsuitable.push(UnsuitableDevices {
                    devices: vec![device],
                    why,
                }),
            }
        }
        let explained = RequestDevices {
            claim: claim.key(),
            request: request.result_name(position.alternative).to_string(),
            class: alternative.class_name.to_string(),
            outcome: match is_complete {
                true => RequestOutcome::Complete,
                false => RequestOutcome::TooFew {
                    asks: (!is_all).then_some(n),
                },
            },
            gets,
            unsuitable,
        };
        (explained, taken)
    }

    fn device_name(&self, candidate: DeviceCandidate) -> DeviceName {
        let pool = &self.search.pools[candidate.pool];
        DeviceName {
            driver: pool.driver.to_string(),
            pool: pool.name.to_string(),
            device: self.search.device(candidate).name.to_string(),
        }
    }

    fn device_share(&self, position: SearchPosition, candidate: DeviceCandidate) -> DeviceShare {
        let mut results = self.search.results[position.claim].iter().rev();
        let result = results.find(|one| (one.slice, one.device) == (candidate.slice, candidate.device));
        DeviceShare {
            device: self.device_name(candidate),
            consumes: result
                .and_then(|result| result.consumed.as_ref())
                .map_or_else(Vec::new, named_amounts),
            counters: self.search.counter_uses(candidate, self.search.device(candidate)),
        }
    }

    /// Returns why a device cannot be selected in addition to the devices that are already selected.
    fn obstacle_of(
        &mut self,
        position: SearchPosition,
        alternative: &Alternative,
        candidate: DeviceCandidate,
    ) -> DeviceObstacle {
        if alternative.mode == AllocationMode::All
            && let Some(obstacle) = self.search.test_for_mode_all(alternative, candidate)
        {
            return self.describe_obstacle(position, alternative, candidate, obstacle);
        }
        match self.search.select(position, alternative, candidate) {
            Some(obstacle) => self.describe_obstacle(position, alternative, candidate, obstacle),
            None => {
                self.search.deselect(position, candidate);
                self.obstacle_if_selected(candidate)
                    .unwrap_or(DeviceObstacle::LeavesTooFew)
            }
        }
    }

    /// If the search selected the device, returns as its obstacle the request for which it was selected.
    fn obstacle_if_selected(&self, candidate: DeviceCandidate) -> Option<DeviceObstacle> {
        let selected = self.selected.iter().chain(&self.search.results).enumerate();
        let n_claims = self.search.claims.len();
        selected
            .flat_map(|(claim, devices)| devices.iter().map(move |device| (claim % n_claims, device)))
            .find(|(_, device)| (device.slice, device.device) == (candidate.slice, candidate.device))
            .map(|(claim, device)| {
                let claim = &self.search.claims[claim];
                DeviceObstacle::TakenBy {
                    claim: claim.key(),
                    request: claim.requests[device.request]
                        .result_name(device.alternative)
                        .to_string(),
                }
            })
    }

    fn describe_obstacle(
        &self,
        position: SearchPosition,
        alternative: &Alternative,
        candidate: DeviceCandidate,
        obstacle: SelectionObstacle,
    ) -> DeviceObstacle {
        let device = self.search.device(candidate);
        // If the selectors exclude the device, report this rather than who uses it.
        let obstacle = match self.search.test_for_mode_all(alternative, candidate) {
            Some(excluded @ SelectionObstacle::NotSelected(_)) => excluded,
            _ => obstacle,
        };
        match obstacle {
            SelectionObstacle::InUse => match self.search.inputs.usage.holder_of(candidate.number) {
                Some(claim) => DeviceObstacle::InUse {
                    claim: claim.to_string(),
                    pods: (self.consumers)(claim),
                },
                None => self
                    .obstacle_if_selected(candidate)
                    .unwrap_or(DeviceObstacle::LeavesTooFew),
            },
            SelectionObstacle::NotSelected(at) | SelectionObstacle::SelectorError(at) => {
                let condition = &alternative.conditions[at];
                let index = condition.index;
                let selector = match condition.is_of_class {
                    true => DeviceSelectorPlace::Class {
                        class: alternative.class_name.to_string(),
                        index,
                    },
                    false => DeviceSelectorPlace::Request { index },
                };
                let expression = condition.expression.to_string();
                let error = match condition.results.get(candidate.slice, candidate.device) {
                    _ if condition.results.malformed.is_some() => condition.results.malformed.clone(),
                    SelectorResult::Error(text) => Some(text.to_string()),
                    SelectorResult::Yes | SelectorResult::No => None,
                };
                match error {
                    Some(error) => DeviceObstacle::SelectorError {
                        selector,
                        expression,
                        error,
                    },
                    None => DeviceObstacle::NotSelected { selector, expression },
                }
            }
            SelectionObstacle::OtherNode => DeviceObstacle::OtherNode,
            SelectionObstacle::Capacity => match self.search.capacity_obstacle(alternative, candidate) {
                Some(capacity::CapacityObstacle::Missing(name)) => {
                    DeviceObstacle::NoSuchCapacity { name: name.to_string() }
                }
                Some(capacity::CapacityObstacle::Policy(name, own)) => {
                    DeviceObstacle::CapacityPolicy(named_amount(name, own))
                }
                Some(capacity::CapacityObstacle::TooLittle(name, own, left)) => DeviceObstacle::Capacity {
                    asks: named_amount(name, own),
                    left: left.to_string(),
                },
                None => DeviceObstacle::LeavesTooFew,
            },
            SelectionObstacle::Counter(counter) => self
                .search
                .counter_use(candidate, device, counter)
                .map_or(DeviceObstacle::LeavesTooFew, DeviceObstacle::Counter),
            SelectionObstacle::Taint(at) => {
                let taint = &device.taints[at];
                DeviceObstacle::Taint {
                    key: taint.key.to_string(),
                    value: taint.value.to_string(),
                    effect: taint.effect.to_string(),
                }
            }
            SelectionObstacle::Constraint(at) => {
                let driver = &self.search.pools[candidate.pool].driver;
                self.search.constraints[position.claim][at].constraint_obstacle(driver, device)
            }
        }
    }
}

fn named_amount(name: &Str, amount: Quantity) -> CapacityAmount {
    CapacityAmount {
        name: name.to_string(),
        amount: amount.to_string(),
    }
}

fn named_amounts(list: &ResourceList) -> Vec<CapacityAmount> {
    list.iter().map(|(name, value)| named_amount(name, *value)).collect()
}
