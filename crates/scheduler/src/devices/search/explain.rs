//! Explains the search on one node: which device each request gets, why the other devices do not do, and which smaller
//! change of the claims would let the node provide the devices. Each suggestion is verified by a search.

use podscope_api::ordered::Map;
use podscope_api::{DeviceTaint, DeviceToleration, Str};

use super::{Abort, Candidate, Position, Search, SearchInputs, allocate};
use crate::devices::pools::gather;
use crate::devices::request::{AllocationMode, Alternative, ClaimToAllocate};
use crate::devices::selectors::SelectorResult;
use crate::devices::usage::Usage;
use crate::node_info::NodeInfo;

/// Maximum number of reasons that one line names, and of claims that are tried without.
const MAX_REASONS: usize = 6;

/// Lines about the requests of the claims, in order; then one about what would help.
pub(crate) fn explain(inputs: SearchInputs<'_>, node: &NodeInfo, claims: &[ClaimToAllocate]) -> Vec<String> {
    let pools = gather(inputs.table, inputs.symbols, node);
    let found = allocate(inputs, node, claims).ok();
    let mut search = Search::new(inputs, node, &pools, claims);
    let mut lines = Vec::new();
    for pool in pools.iter().filter(|pool| !pool.is_usable()) {
        let state = match pool.is_incomplete {
            true => "is incomplete: not all of its slices are published",
            false => "is invalid: its slices contradict each other",
        };
        lines.push(format!("pool {} {state}", pool.id()));
    }
    if search.check().is_err() {
        return lines;
    }
    for (at, claim) in claims.iter().enumerate() {
        for (request_at, request) in claim.requests.iter().enumerate() {
            let chosen = found.as_ref().and_then(|solutions| solutions.get(at));
            let alternatives = match chosen.and_then(|solution| solution.alternatives.get(request_at)) {
                Some(alternative) => *alternative..*alternative + 1,
                None => 0..request.alternatives.len(),
            };
            for alternative in alternatives {
                let position = Position {
                    claim: at,
                    request: request_at,
                    alternative,
                    device: 0,
                };
                let wanted: Option<Vec<(usize, usize)>> = chosen.map(|solution| {
                    let devices = solution.devices.iter().filter(|device| device.request == request_at);
                    devices.map(|device| (device.slice, device.device)).collect()
                });
                let line = search.line(position, wanted.as_deref());
                lines.push(format!(
                    "request {} of claim {}: {line}",
                    request.result_name(alternative),
                    claim.key()
                ));
            }
        }
    }
    if found.is_none() {
        let help = help(inputs, node, claims);
        if !help.is_empty() {
            lines.push(format!("would do: {}", help.join("; or ")));
        }
    }
    lines
}

impl Search<'_> {
    /// Describes the devices that a request gets, and why other devices are not suitable. `wanted` are the devices of the
    /// allocation, by indices of slice and device; without it, the request takes the first suitable devices.
    fn line(&mut self, position: Position, wanted: Option<&[(usize, usize)]>) -> String {
        let claims = self.claims;
        let alternative = &claims[position.claim].requests[position.request].alternatives[position.alternative];
        let is_all = alternative.mode == AllocationMode::All;
        let candidates = self.candidates.clone();
        let n = match alternative.mode {
            AllocationMode::Exact(n) => n,
            _ => candidates.len(),
        };
        let mut gets: Vec<Str> = Vec::new();
        let mut reasons: Vec<(String, Vec<Str>)> = Vec::new();
        for candidate in candidates {
            // As in the search, the devices after the last one that is taken are not tried.
            if !is_all && gets.len() >= n {
                break;
            }
            let is_wanted = wanted.is_none_or(|wanted| wanted.contains(&(candidate.slice, candidate.device)));
            let name = self.device(candidate).name.clone();
            let why = self.why_not(position, alternative, candidate);
            match why {
                Some(why) => match reasons.iter_mut().find(|(known, _)| *known == why) {
                    Some((_, devices)) => devices.push(name),
                    None => reasons.push((why, vec![name])),
                },
                None if is_wanted => {
                    let taken = self.take(position, alternative, candidate, false);
                    if matches!(taken, Ok(true)) {
                        gets.push(name);
                    }
                }
                None => {}
            }
        }
        let mut line = match (gets.as_slice(), wanted.is_some() || is_all || gets.len() >= n) {
            ([], _) if self.candidates.is_empty() => "no driver publishes a device for the node".to_owned(),
            ([], _) => "no device does".to_owned(),
            (gets, true) => format!("gets {}", gets.join(", ")),
            (gets, false) => format!("{} of {n} devices do ({})", gets.len(), gets.join(", ")),
        };
        let n_more = reasons.len().saturating_sub(MAX_REASONS);
        for (why, devices) in reasons.iter().take(MAX_REASONS) {
            line.push_str(&format!("; {} {why}", devices.join(", ")));
        }
        if n_more > 0 {
            line.push_str(&format!("; {n_more} more reasons"));
        }
        line
    }

    /// Why a device does not do, in the order of the search's tests (DRA-143).
    fn why_not(&mut self, position: Position, alternative: &Alternative, candidate: Candidate) -> Option<String> {
        let number = candidate.number;
        if !alternative.admin_access && self.taken.iter().any(|(taken, _)| *taken == number) {
            return Some("is taken by a request above".to_owned());
        }
        if !alternative.admin_access && self.is_in_use(number) {
            let holder = self.inputs.usage.holder_of(number);
            return Some(holder.map_or_else(|| "is in use".to_owned(), |claim| format!("is in use by claim {claim}")));
        }
        for condition in &alternative.conditions {
            match condition.results.get(candidate.slice, candidate.device) {
                SelectorResult::Yes => {}
                SelectorResult::No => {
                    return Some(format!(
                        "is not selected by {}: {}",
                        condition.place, condition.expression
                    ));
                }
                SelectorResult::Error(text) => return Some(format!("fails {}: {text}", condition.place)),
            }
        }
        if !matches!(self.is_selectable(alternative, candidate), Ok(true)) {
            return Some("is not for this node".to_owned());
        }
        if !self.has_capacity(alternative, candidate) {
            return Some("has too little capacity left".to_owned());
        }
        let device = self.device(candidate);
        if !device.consumes_counters.is_empty() && !self.has_shares(number) {
            if !self.count(candidate, device) {
                return Some(self.exhausted_counter(candidate));
            }
            self.uncount(candidate, device, true);
        }
        if let Some(taint) = untolerated(device.taints.iter(), alternative) {
            return Some(format!("has the taint {}", taint_text(taint)));
        }
        match self.take(position, alternative, candidate, false) {
            Ok(true) => {
                self.give_back(position, candidate);
                None
            }
            Ok(false) => Some(self.violated_constraint(position, candidate)),
            Err(Abort::TooMany | Abort::Error(_)) => Some("cannot be taken".to_owned()),
        }
    }

    /// The counter that is too small for the device.
    fn exhausted_counter(&self, candidate: Candidate) -> String {
        let device = self.device(candidate);
        let pool = &self.pools[candidate.pool];
        let available = self.inputs.available.borrow();
        let remaining = available.get(&pool.name);
        for consumption in &device.consumes_counters {
            for (name, counter) in &consumption.counters {
                let set = &consumption.counter_set;
                let left = remaining.and_then(|remaining| remaining.get(&(set.clone(), name.clone())));
                let left = left
                    .copied()
                    .unwrap_or_default()
                    .minus(self.tally.of(&pool.name, set, name));
                if left < counter.value {
                    let needs = counter.value;
                    return format!("needs {needs} of the counter {name} of {set}, which has {left} left");
                }
            }
        }
        "needs a counter of which nothing is left".to_owned()
    }

    fn violated_constraint(&self, position: Position, candidate: Candidate) -> String {
        let request = self.request_name(position);
        let (driver, device) = (&self.pools[candidate.pool].driver, self.device(candidate));
        let constraints = &self.constraints[position.claim];
        let violated = constraints
            .iter()
            .find(|constraint| !(*constraint).clone().add(request, driver, device));
        violated.map_or_else(
            || "cannot be taken".to_owned(),
            |constraint| constraint.violation(driver, device),
        )
    }
}

fn untolerated<'a>(
    mut taints: impl Iterator<Item = &'a DeviceTaint>,
    alternative: &Alternative,
) -> Option<&'a DeviceTaint> {
    taints.find(|taint| taint.is_enforced() && !alternative.tolerations.iter().any(|one| one.tolerates(taint)))
}

fn taint_text(taint: &DeviceTaint) -> String {
    match &*taint.value {
        "" => format!("{}:{}", taint.key, taint.effect),
        value => format!("{}={value}:{}", taint.key, taint.effect),
    }
}

/// Changes of the claims, or of the devices' use, with which the node provides the devices.
fn help(inputs: SearchInputs<'_>, node: &NodeInfo, claims: &[ClaimToAllocate]) -> Vec<String> {
    let mut help = Vec::new();
    let mut claims = claims.to_vec();
    let works = |claims: &[ClaimToAllocate]| allocate(inputs, node, claims).is_ok();
    for at in 0..claims.len() {
        for request_at in 0..claims[at].requests.len() {
            for alternative_at in 0..claims[at].requests[request_at].alternatives.len() {
                let name = claims[at].requests[request_at].result_name(alternative_at);
                let before = claims[at].requests[request_at].alternatives[alternative_at].clone();
                for (change, text) in changes(inputs, &before) {
                    claims[at].requests[request_at].alternatives[alternative_at] = change;
                    if works(&claims) {
                        help.push(format!("request {name} {text}"));
                        break;
                    }
                }
                claims[at].requests[request_at].alternatives[alternative_at] = before;
            }
        }
        let before = claims[at].claim.clone();
        if !before.spec.devices.constraints.is_empty() {
            let mut without = podscope_api::ResourceClaim::clone(&before);
            without.spec.devices.constraints.clear();
            claims[at].claim = std::sync::Arc::new(without);
            if works(&claims) {
                help.push(format!("claim {} without its constraints", before.metadata.key()));
            }
            claims[at].claim = before;
        }
    }
    help.extend(released(inputs, node, &claims));
    help
}

/// Variants of a request that ask for less, with their descriptions; the smallest changes first.
fn changes(inputs: SearchInputs<'_>, before: &Alternative) -> Vec<(Alternative, String)> {
    let mut changes = Vec::new();
    let taints = inputs.table.slices.iter().flat_map(|slice| &slice.object.spec.devices);
    let mut taints: Vec<&DeviceTaint> = taints.flat_map(|device| &device.taints).collect();
    taints.dedup_by(|one, other| (&one.key, &one.value, &one.effect) == (&other.key, &other.value, &other.effect));
    for taint in taints.into_iter().take(MAX_REASONS) {
        let mut changed = before.clone();
        changed.tolerations.push(DeviceToleration {
            key: taint.key.clone(),
            operator: "Equal".into(),
            value: taint.value.clone(),
            effect: taint.effect.clone(),
            toleration_seconds: None,
        });
        changes.push((changed, format!("with a toleration of {}", taint_text(taint))));
    }
    if let AllocationMode::Exact(n) = before.mode {
        for fewer in (1..n).rev() {
            let mut changed = before.clone();
            changed.mode = AllocationMode::Exact(fewer);
            changes.push((changed, format!("with count {fewer} instead of {n}")));
        }
    }
    let own = before
        .conditions
        .iter()
        .enumerate()
        .filter(|(_, condition)| condition.place.starts_with("claim "));
    for (index, condition) in own {
        let mut changed = before.clone();
        changed.conditions.remove(index);
        changes.push((changed, format!("without its selector {}", condition.expression)));
    }
    if before.capacity.is_some() {
        let mut changed = before.clone();
        changed.capacity = None;
        changes.push((changed, "without its capacity requests".to_owned()));
    }
    changes
}

/// The claims whose release would make room, each by itself.
fn released(inputs: SearchInputs<'_>, node: &NodeInfo, claims: &[ClaimToAllocate]) -> Vec<String> {
    let pools = gather(inputs.table, inputs.symbols, node);
    let search = Search::new(inputs, node, &pools, claims);
    let mut holders: Map<Str, ()> = Map::new();
    for candidate in &search.candidates {
        if let Some(holder) = inputs.usage.holder_of(candidate.number) {
            holders.insert(holder.clone(), ());
        }
    }
    let would_do = |holder: &&Str| {
        let mut usage = Usage::clone(inputs.usage);
        usage.release(holder);
        let available = crate::devices::memo::Memo::default();
        let without = SearchInputs {
            usage: &usage,
            available: &available,
            ..inputs
        };
        allocate(without, node, claims).is_ok()
    };
    let released = holders.keys().take(MAX_REASONS).filter(would_do);
    released
        .map(|holder| format!("the release of claim {holder}"))
        .collect()
}
