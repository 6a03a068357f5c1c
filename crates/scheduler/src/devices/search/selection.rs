//! Tests whether the search may select a device, selects it, and undoes the selection (DRA-143, DRA-144).

use podscope_api::{Device, DeviceTaint, ResourceList, Str};

use super::{ChosenDevice, DeviceCandidate, DeviceSearch, SearchAbort, SearchPosition};
use crate::devices::attributes::RequestName;
use crate::devices::request::{AllocationMode, Alternative, ClaimToAllocate};
use crate::devices::selectors::SelectorResult;
use crate::devices::table::DeviceSlice;
use crate::devices::usage::DeviceUse;
use crate::devices::{DeviceNo, capacity};

/// The first test that a device fails. It contains indices instead of texts, because the search runs often.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SelectionObstacle {
    /// The device is used by an existing allocation or was selected by this search.
    InUse,
    /// The alternative's selector with this index excludes the device.
    NotSelected(usize),
    /// The alternative's selector with this index has an error, which ends the search.
    SelectorError(usize),
    OtherNode,
    Capacity,
    /// Index of the exhausted counter among the remaining counters of the pool.
    Counter(usize),
    /// Index of the taint that is not tolerated.
    Taint(usize),
    /// Index of the violated constraint of the claim.
    Constraint(usize),
}

impl<'a> DeviceSearch<'a> {
    pub(super) fn slice(&self, candidate: DeviceCandidate) -> &'a DeviceSlice {
        &self.inputs.table.slices[candidate.slice]
    }

    pub(super) fn device(&self, candidate: DeviceCandidate) -> &'a Device {
        &self.slice(candidate).object.spec.devices[candidate.device]
    }

    /// Selects a device, or returns why it cannot be selected.
    ///
    /// # Errors
    /// Returns an error if a selector cannot be evaluated, or if a device of a request with mode `All` violates a
    /// constraint.
    pub(super) fn try_select(
        &mut self,
        position: SearchPosition,
        alternative: &Alternative,
        candidate: DeviceCandidate,
    ) -> Result<Option<SelectionObstacle>, SearchAbort> {
        let obstacle = self.select(position, alternative, candidate);
        match obstacle {
            Some(SelectionObstacle::SelectorError(index)) => {
                self.selector_error(alternative, candidate, index)
                    .map_err(SearchAbort::Error)?;
            }
            // A request with mode `All` cannot use another device instead.
            Some(SelectionObstacle::Constraint(_)) if alternative.mode == AllocationMode::All => {
                return Err(SearchAbort::Error(format!(
                    "claim {}, request {}: cannot add device {}/{} because a claim constraint would not be satisfied",
                    self.claims[position.claim].key(),
                    alternative.name,
                    self.pools[candidate.pool].id(),
                    self.device(candidate).name
                )));
            }
            _ => {}
        }
        Ok(obstacle)
    }

    /// Returns the error of a selector as `Err`, in kube-scheduler's words (DRA-151).
    pub(super) fn selector_error(
        &self,
        alternative: &Alternative,
        candidate: DeviceCandidate,
        index: usize,
    ) -> Result<(), String> {
        let condition = &alternative.conditions[index];
        let prefix = &condition.error_prefix;
        let text = match (
            &condition.results.malformed,
            condition.results.get(candidate.slice, candidate.device),
        ) {
            (Some(malformed), _) => format!("{prefix}: CEL compile error: {malformed}"),
            (None, SelectorResult::Error(text)) => format!("{prefix}: CEL runtime error: {text}"),
            (None, _) => return Ok(()),
        };
        Err(text)
    }

    /// Tests a device for a request with mode `All` before the search starts (DRA-147).
    pub(super) fn test_for_mode_all(
        &self,
        alternative: &Alternative,
        candidate: DeviceCandidate,
    ) -> Option<SelectionObstacle> {
        self.test_selection(alternative, candidate)
            .or_else(|| (!self.has_capacity(alternative, candidate)).then_some(SelectionObstacle::Capacity))
    }

    /// Tests the selectors of the class and the request, then the node (DRA-150).
    fn test_selection(&self, alternative: &Alternative, candidate: DeviceCandidate) -> Option<SelectionObstacle> {
        for (index, condition) in alternative.conditions.iter().enumerate() {
            if condition.results.malformed.is_some() {
                return Some(SelectionObstacle::SelectorError(index));
            }
            match condition.results.get(candidate.slice, candidate.device) {
                SelectorResult::Yes => {}
                SelectorResult::No => return Some(SelectionObstacle::NotSelected(index)),
                SelectorResult::Error(_) => return Some(SelectionObstacle::SelectorError(index)),
            }
        }
        let scope = self.slice(candidate).devices.get(candidate.device);
        let is_for_node = scope.is_none_or(|scope| scope.matches(self.inputs.symbols, self.node));
        (!is_for_node).then_some(SelectionObstacle::OtherNode)
    }

    fn has_capacity(&self, alternative: &Alternative, candidate: DeviceCandidate) -> bool {
        self.capacity_obstacle(alternative, candidate).is_none()
    }

    pub(super) fn capacity_obstacle<'d>(
        &self,
        alternative: &'d Alternative,
        candidate: DeviceCandidate,
    ) -> Option<capacity::CapacityObstacle<'d>>
    where
        'a: 'd,
    {
        let in_use = self.inputs.usage.use_of(candidate.number).map(|usage| &usage.consumed);
        let here = self.shares.get(&candidate.number).map(|shares| sum_of_shares(shares));
        let taken = [in_use, here.as_ref()];
        capacity::capacity_obstacle(self.device(candidate), alternative.capacity.as_ref(), taken)
    }

    fn is_in_use(&self, alternative: &Alternative, number: DeviceNo, claim: usize) -> bool {
        let mut taken = self.taken.iter();
        match alternative.admin_access {
            true => taken.any(|taken| *taken == (number, claim)),
            false => {
                self.inputs.usage.use_of(number).is_some_and(DeviceUse::is_exclusive)
                    || taken.any(|(taken, _)| *taken == number)
            }
        }
    }

    fn has_shares(&self, number: DeviceNo) -> bool {
        self.inputs.usage.use_of(number).is_some_and(DeviceUse::is_shared) || self.shares.contains_key(&number)
    }

    pub(super) fn request_name(&self, position: SearchPosition) -> RequestName<'a> {
        let claims: &'a [ClaimToAllocate] = self.claims;
        let request = &claims[position.claim].requests[position.request];
        RequestName {
            name: &request.name,
            subrequest: request
                .is_list
                .then(|| &request.alternatives[position.alternative].name),
        }
    }

    /// Selects a device unless a test fails; returns the failed test. An error of a selector counts as a failed test.
    pub(super) fn select(
        &mut self,
        position: SearchPosition,
        alternative: &Alternative,
        candidate: DeviceCandidate,
    ) -> Option<SelectionObstacle> {
        let device = self.device(candidate);
        let number = candidate.number;
        if self.is_in_use(alternative, number, position.claim) {
            return Some(SelectionObstacle::InUse);
        }
        let is_all = alternative.mode == AllocationMode::All;
        if !is_all && let Some(obstacle) = self.test_for_mode_all(alternative, candidate) {
            return Some(obstacle);
        }
        let has_shares = device.allow_multiple_allocations == Some(true);
        let is_shared = has_shares && self.has_shares(number);
        let is_counted = !is_shared && !device.consumes_counters.is_empty();
        if is_counted && let Err(counter) = self.consume_counters(candidate, device) {
            return Some(SelectionObstacle::Counter(counter));
        }
        let is_untolerated = |taint: &DeviceTaint| {
            taint.is_enforced() && !alternative.tolerations.iter().any(|one| one.tolerates(taint))
        };
        if let Some(taint) = device.taints.iter().position(is_untolerated) {
            self.release_counters(candidate, device, is_counted);
            return Some(SelectionObstacle::Taint(taint));
        }
        let request = self.request_name(position);
        let pool = &self.pools[candidate.pool];
        let constraints = &mut self.constraints[position.claim];
        for at in 0..constraints.len() {
            if constraints[at].add(request, &pool.driver, device) {
                continue;
            }
            constraints[..at]
                .iter_mut()
                .for_each(|constraint| constraint.remove(request));
            self.release_counters(candidate, device, is_counted);
            return Some(SelectionObstacle::Constraint(at));
        }
        // For mode `All`, an earlier request may have consumed the device's remaining capacity.
        if is_all && !self.has_capacity(alternative, candidate) {
            let constraints = &mut self.constraints[position.claim];
            constraints.iter_mut().for_each(|constraint| constraint.remove(request));
            self.release_counters(candidate, device, is_counted);
            return Some(SelectionObstacle::Capacity);
        }
        let mut consumed = None;
        if has_shares {
            let own = capacity::share_consumption(device, alternative.capacity.as_ref());
            self.shares.entry(number).or_default().push(own.clone());
            consumed = Some(own);
        } else {
            self.taken.push((number, position.claim));
        }
        self.results[position.claim].push(ChosenDevice {
            request: position.request,
            alternative: position.alternative,
            slice: candidate.slice,
            device: candidate.device,
            consumed,
        });
        None
    }

    /// Reverts [`DeviceSearch::consume_counters`] if `is_counted`, that is, if the device's consumption was added
    /// before.
    fn release_counters(&mut self, candidate: DeviceCandidate, device: &Device, is_counted: bool) {
        if is_counted {
            let pool: &Str = &self.pools[candidate.pool].name;
            self.tally.subtract_consumption(pool, device);
        }
    }

    /// Reverts the latest [`DeviceSearch::select`] of a claim.
    pub(super) fn deselect(&mut self, position: SearchPosition, candidate: DeviceCandidate) {
        let device = self.device(candidate);
        let request = self.request_name(position);
        let constraints = &mut self.constraints[position.claim];
        constraints.iter_mut().for_each(|constraint| constraint.remove(request));
        self.results[position.claim].pop();
        if device.allow_multiple_allocations == Some(true) {
            if let Some(shares) = self.shares.get_mut(&candidate.number) {
                shares.pop();
                if shares.is_empty() {
                    self.shares.remove(&candidate.number);
                }
            }
            return;
        }
        let at = self
            .taken
            .iter()
            .position(|one| *one == (candidate.number, position.claim));
        if let Some(at) = at {
            self.taken.swap_remove(at);
        }
        if !device.consumes_counters.is_empty() {
            let pool: &Str = &self.pools[candidate.pool].name;
            self.tally.subtract_consumption(pool, device);
        }
    }
}

fn sum_of_shares(shares: &[ResourceList]) -> ResourceList {
    let mut total = ResourceList::new();
    for (name, amount) in shares.iter().flatten() {
        let sum = total.entry(name.clone()).or_default();
        *sum = sum.plus(*amount);
    }
    total
}
