//! The search for devices: depth first with backtracking, the first solution wins (DRA-139 to DRA-170).

mod counters;

use podscope_api::ordered::Map;
use podscope_api::{Device, MAX_ALLOCATION_RESULTS, ResourceList, Str};

pub(crate) use self::counters::Available;
use self::counters::Tally;
use super::attributes::{Constraint, For};
use super::memo::Memo;
use super::pools::{Pool, gather};
use super::request::{Alternative, Mode, Wanted};
use super::selectors::Answer;
use super::table::{Slice, Table};
use super::usage::Usage;
use super::{DeviceNo, capacity};
use crate::node_info::NodeInfo;
use crate::symbols::Symbols;

/// Candidates that one search looks at. Stands for `filterTimeout`, which knows a clock (DRA-099).
const MAX_STEPS: usize = 2_000_000;

/// Why there is no allocation.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Failure {
    /// The node's devices do not do.
    Unsuitable(&'static str),
    /// The whole cycle fails.
    Error(String),
}

/// A device that the search took.
#[derive(Debug, Clone)]
pub(crate) struct Chosen {
    pub(crate) request: usize,
    pub(crate) alternative: usize,
    pub(crate) slice: usize,
    pub(crate) device: usize,
    /// Of a device with shares, what this one takes.
    pub(crate) consumed: Option<ResourceList>,
}

/// The devices of one claim.
#[derive(Debug, Clone, Default)]
pub(crate) struct Solution {
    pub(crate) devices: Vec<Chosen>,
    /// The alternative of each request.
    pub(crate) alternatives: Vec<usize>,
}

/// What is the same for all nodes of a cycle.
#[derive(Debug, Clone, Copy)]
pub(crate) struct World<'a> {
    pub(crate) table: &'a Table,
    pub(crate) usage: &'a Usage,
    pub(crate) symbols: &'a Symbols,
    /// What is left of shared counters, as computed first in this cycle.
    pub(crate) available: &'a Memo<Available>,
}

/// Searches devices of a node for all claims together.
///
/// # Errors
/// Why there are none.
pub(crate) fn allocate(world: World<'_>, node: &NodeInfo, claims: &[Wanted]) -> Result<Vec<Solution>, Failure> {
    let pools = gather(world.table, world.symbols, node);
    let mut search = Search::new(world, node, &pools, claims);
    search.check()?;
    match search.step(Place::default(), false, 0) {
        Ok(true) => Ok(search.solutions()),
        Ok(false) | Err(Stop::TooMany) if pools.iter().any(|pool| pool.is_invalid) => {
            Err(Failure::Unsuitable("invalid resource pools were encountered"))
        }
        Ok(false) | Err(Stop::TooMany) => Err(Failure::Unsuitable("cannot allocate all claims")),
        Err(Stop::Error(text)) => Err(Failure::Error(text)),
    }
}

/// Why the search turns back without trying more.
#[derive(Debug)]
enum Stop {
    /// A claim would hold more devices than it may (DRA-145).
    TooMany,
    Error(String),
}

/// Where the search is.
#[derive(Debug, Clone, Copy, Default)]
struct Place {
    claim: usize,
    request: usize,
    alternative: usize,
    /// Devices of the request taken so far.
    device: usize,
}

/// A device of the node, in the order in which they are tried.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    number: DeviceNo,
    pool: usize,
    slice: usize,
    device: usize,
}

struct Search<'a> {
    world: World<'a>,
    node: &'a NodeInfo,
    pools: &'a [Pool],
    claims: &'a [Wanted],
    /// Devices of usable pools, in order (DRA-137).
    candidates: Vec<Candidate>,
    /// The devices of requests for all, by claim, request and alternative.
    all: Map<(usize, usize, usize), Vec<Candidate>>,
    constraints: Vec<Vec<Constraint>>,
    /// Devices taken as a whole, with the claim they are for.
    taken: Vec<(DeviceNo, usize)>,
    /// Capacity taken of devices with shares.
    shares: Map<DeviceNo, Vec<ResourceList>>,
    tally: Tally,
    results: Vec<Vec<Chosen>>,
    chosen: Vec<Vec<usize>>,
    steps: usize,
}

impl<'a> Search<'a> {
    fn new(world: World<'a>, node: &'a NodeInfo, pools: &'a [Pool], claims: &'a [Wanted]) -> Self {
        let usable = pools.iter().enumerate().filter(|(_, pool)| pool.is_usable());
        Self {
            candidates: usable.flat_map(|(at, pool)| devices(world.table, at, pool)).collect(),
            all: Map::new(),
            constraints: Vec::new(),
            taken: Vec::new(),
            shares: Map::new(),
            tally: Tally::default(),
            results: vec![Vec::new(); claims.len()],
            chosen: claims.iter().map(|claim| vec![0; claim.requests.len()]).collect(),
            steps: 0,
            world,
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

    /// The checks before the search (DRA-139), and the devices of requests for all (DRA-147).
    fn check(&mut self) -> Result<(), Failure> {
        for (at, wanted) in self.claims.iter().enumerate() {
            let mut least = 0_usize;
            for (request_at, request) in wanted.requests.iter().enumerate() {
                let mut fewest: Option<usize> = None;
                for (alternative_at, alternative) in request.alternatives.iter().enumerate() {
                    let n = self.check_one(wanted, alternative, (at, request_at, alternative_at))?;
                    fewest = Some(fewest.map_or(n, |known| known.min(n)));
                }
                least = least.saturating_add(fewest.unwrap_or(0));
            }
            if least > MAX_ALLOCATION_RESULTS {
                return Err(Failure::Error(format!(
                    "claim {}: number of requested devices {least} exceeds the claim limit of {MAX_ALLOCATION_RESULTS}",
                    wanted.key()
                )));
            }
            let mut constraints = Vec::new();
            for (index, from) in wanted.claim.spec.devices.constraints.iter().enumerate() {
                constraints.push(Constraint::new(from).ok_or_else(|| {
                    Failure::Error(format!(
                        "claim {}, constraint #{index}: empty constraint (unsupported constraint type?)",
                        wanted.key()
                    ))
                })?);
            }
            self.constraints.push(constraints);
        }
        Ok(())
    }

    /// How many devices the alternative wants.
    fn check_one(
        &mut self,
        wanted: &Wanted,
        alternative: &Alternative,
        at: (usize, usize, usize),
    ) -> Result<usize, Failure> {
        let error = |text: String| {
            Err(Failure::Error(format!(
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
            Mode::Exact(n) => return Ok(n),
            Mode::Unknown => return error(format!(": unsupported count mode {}", alternative.mode_text)),
            Mode::All => {}
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
            for candidate in devices(self.world.table, pool_at, pool) {
                if self.is_selectable(alternative, candidate).map_err(Failure::Error)?
                    && self.has_capacity(alternative, candidate)
                {
                    all.push(candidate);
                }
            }
        }
        let n = all.len();
        self.all.insert(at, all);
        Ok(n)
    }

    fn slice(&self, candidate: Candidate) -> &'a Slice {
        &self.world.table.slices[candidate.slice]
    }

    fn device(&self, candidate: Candidate) -> &'a Device {
        &self.slice(candidate).object.spec.devices[candidate.device]
    }

    /// Whether class, request and node allow the device (DRA-150).
    fn is_selectable(&self, alternative: &Alternative, candidate: Candidate) -> Result<bool, String> {
        for condition in &alternative.conditions {
            if let Some(malformed) = &condition.answers.malformed {
                return Err(format!("{}: CEL compile error: {malformed}", condition.place));
            }
            match condition.answers.get(candidate.slice, candidate.device) {
                Answer::Yes => {}
                Answer::No => return Ok(false),
                Answer::Error(text) => return Err(format!("{}: CEL runtime error: {text}", condition.place)),
            }
        }
        let reach = self.slice(candidate).devices.get(candidate.device);
        Ok(reach.is_none_or(|reach| reach.matches(self.world.symbols, self.node)))
    }

    fn has_capacity(&self, alternative: &Alternative, candidate: Candidate) -> bool {
        let in_use = self.world.usage.of(candidate.number).map(|usage| &usage.consumed);
        let here = self.shares.get(&candidate.number).map(|shares| sum(shares));
        let taken = [in_use, here.as_ref()];
        capacity::fits(self.device(candidate), alternative.capacity.as_ref(), taken)
    }

    fn is_taken_by(&self, number: DeviceNo, claim: usize) -> bool {
        self.taken.contains(&(number, claim))
    }

    fn is_in_use(&self, number: DeviceNo) -> bool {
        self.world.usage.of(number).is_some_and(super::usage::Use::is_exclusive)
            || self.taken.iter().any(|(taken, _)| *taken == number)
    }

    fn has_shares(&self, number: DeviceNo) -> bool {
        self.world.usage.of(number).is_some_and(super::usage::Use::is_shared) || self.shares.contains_key(&number)
    }

    /// Goes on from a place: `true` once everything is allocated. `in_list`: one alternative of a list is being
    /// tried; `from`: the first candidate that counts.
    fn step(&mut self, place: Place, in_list: bool, from: usize) -> Result<bool, Stop> {
        let claims = self.claims;
        let Some(wanted) = claims.get(place.claim) else {
            return Ok(true);
        };
        let Some(request) = wanted.requests.get(place.request) else {
            let next = Place {
                claim: place.claim + 1,
                ..Place::default()
            };
            return match self.step(next, false, 0) {
                Err(Stop::TooMany) => Ok(false),
                other => other,
            };
        };
        if request.is_list && !in_list {
            return self.first_available(place, request.alternatives.len());
        }
        let Some(alternative) = request.alternatives.get(place.alternative) else {
            return Ok(false);
        };
        let key = (place.claim, place.request, place.alternative);
        let n = match alternative.mode {
            Mode::Exact(n) => n,
            Mode::All | Mode::Unknown => self.all.get(&key).map_or(0, Vec::len),
        };
        if alternative.mode == Mode::All && n == 0 {
            return Ok(false);
        }
        if place.device >= n {
            let next = Place {
                claim: place.claim,
                request: place.request + 1,
                ..Place::default()
            };
            return self.step(next, false, 0);
        }
        if self.results[place.claim].len() + n - place.device > MAX_ALLOCATION_RESULTS {
            return Err(Stop::TooMany);
        }
        if alternative.mode == Mode::All {
            return self.take_all(place, alternative, key, in_list);
        }
        for at in from..self.candidates.len() {
            self.steps += 1;
            if self.steps > MAX_STEPS {
                let name = &self.node.name;
                return Err(Stop::Error(format!(
                    "node {name}: timed out trying to allocate devices"
                )));
            }
            let candidate = self.candidates[at];
            let is_free = match alternative.admin_access {
                true => !self.is_taken_by(candidate.number, place.claim),
                false => !self.is_in_use(candidate.number),
            };
            if !is_free
                || !self.is_selectable(alternative, candidate).map_err(Stop::Error)?
                || !self.has_capacity(alternative, candidate)
                || !self.take(place, alternative, candidate, false)?
            {
                continue;
            }
            let next = Place {
                device: place.device + 1,
                ..place
            };
            match self.step(next, in_list, at + 1) {
                Ok(true) => return Ok(true),
                Ok(false) => self.give_back(place, candidate),
                Err(stop) => {
                    self.give_back(place, candidate);
                    return Err(stop);
                }
            }
        }
        Ok(false)
    }

    /// Tries the alternatives of a prioritized list in order (DRA-146).
    fn first_available(&mut self, place: Place, n: usize) -> Result<bool, Stop> {
        let mut all_too_many = true;
        for alternative in 0..n {
            match self.step(Place { alternative, ..place }, true, 0) {
                Err(Stop::TooMany) => continue,
                Err(stop) => return Err(stop),
                Ok(true) => {
                    self.chosen[place.claim][place.request] = alternative;
                    return Ok(true);
                }
                Ok(false) => all_too_many = false,
            }
        }
        if all_too_many { Err(Stop::TooMany) } else { Ok(false) }
    }

    /// Takes the next device of a request for all of them (DRA-147).
    fn take_all(
        &mut self,
        place: Place,
        alternative: &Alternative,
        key: (usize, usize, usize),
        in_list: bool,
    ) -> Result<bool, Stop> {
        let Some(candidate) = self.all.get(&key).and_then(|all| all.get(place.device)).copied() else {
            return Ok(false);
        };
        if !self.take(place, alternative, candidate, true)? {
            return Ok(false);
        }
        let next = Place {
            device: place.device + 1,
            ..place
        };
        let done = self.step(next, in_list, 0);
        if !matches!(done, Ok(true)) {
            self.give_back(place, candidate);
        }
        done
    }

    fn names(&self, place: Place) -> For<'a> {
        let claims: &'a [Wanted] = self.claims;
        let request = &claims[place.claim].requests[place.request];
        For {
            request: &request.name,
            sub: request.is_list.then(|| &request.alternatives[place.alternative].name),
        }
    }

    /// Takes a device if nothing stands against it (DRA-143, DRA-144). `must`: no other will do.
    fn take(
        &mut self,
        place: Place,
        alternative: &Alternative,
        candidate: Candidate,
        must: bool,
    ) -> Result<bool, Stop> {
        let device = self.device(candidate);
        let number = candidate.number;
        let has_shares = device.allow_multiple_allocations == Some(true);
        if !has_shares && alternative.admin_access && self.is_taken_by(number, place.claim) {
            return Ok(false);
        }
        if !alternative.admin_access && self.is_in_use(number) {
            return Ok(false);
        }
        let is_shared = has_shares && self.has_shares(number);
        let is_counted = !is_shared && !device.consumes_counters.is_empty();
        if is_counted && !self.count(candidate, device) {
            return Ok(false);
        }
        let is_kept_off = device
            .taints
            .iter()
            .any(|taint| taint.is_enforced() && !alternative.tolerations.iter().any(|one| one.tolerates(taint)));
        if is_kept_off {
            self.uncount(candidate, device, is_counted);
            return Ok(false);
        }
        let what = self.names(place);
        let pool = &self.pools[candidate.pool];
        let constraints = &mut self.constraints[place.claim];
        for at in 0..constraints.len() {
            if constraints[at].add(what, &pool.driver, device) {
                continue;
            }
            if must {
                return Err(Stop::Error(format!(
                    "claim {}, request {}: cannot add device {}/{} because a claim constraint would not be satisfied",
                    self.claims[place.claim].key(),
                    alternative.name,
                    pool.id(),
                    device.name
                )));
            }
            constraints[..at]
                .iter_mut()
                .for_each(|constraint| constraint.remove(what));
            self.uncount(candidate, device, is_counted);
            return Ok(false);
        }
        // Of a request for all devices, an earlier request may have taken what is left of one.
        if !self.has_capacity(alternative, candidate) {
            let constraints = &mut self.constraints[place.claim];
            constraints.iter_mut().for_each(|constraint| constraint.remove(what));
            self.uncount(candidate, device, is_counted);
            return Ok(false);
        }
        let mut consumed = None;
        if has_shares {
            let own = capacity::consumed(device, alternative.capacity.as_ref());
            self.shares.entry(number).or_default().push(own.clone());
            consumed = Some(own);
        } else {
            self.taken.push((number, place.claim));
        }
        self.results[place.claim].push(Chosen {
            request: place.request,
            alternative: place.alternative,
            slice: candidate.slice,
            device: candidate.device,
            consumed,
        });
        Ok(true)
    }

    /// Takes back what [`Search::count`] counted.
    fn uncount(&mut self, candidate: Candidate, device: &Device, is_counted: bool) {
        if is_counted {
            let pool: &Str = &self.pools[candidate.pool].name;
            self.tally.take_back(pool, device);
        }
    }

    /// Takes back what [`Search::take`] did, as the latest of its claim.
    fn give_back(&mut self, place: Place, candidate: Candidate) {
        let device = self.device(candidate);
        let what = self.names(place);
        let constraints = &mut self.constraints[place.claim];
        constraints.iter_mut().for_each(|constraint| constraint.remove(what));
        self.results[place.claim].pop();
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
            .position(|one| *one == (candidate.number, place.claim));
        if let Some(at) = at {
            self.taken.swap_remove(at);
        }
        if !device.consumes_counters.is_empty() {
            let pool: &Str = &self.pools[candidate.pool].name;
            self.tally.take_back(pool, device);
        }
    }
}

/// The devices of a pool in order.
fn devices<'a>(table: &'a Table, at: usize, pool: &'a Pool) -> impl Iterator<Item = Candidate> + 'a {
    pool.slices.iter().flat_map(move |slice| {
        let numbers = table.slices[*slice].numbers.iter().enumerate();
        numbers.map(move |(device, number)| Candidate {
            number: *number,
            pool: at,
            slice: *slice,
            device,
        })
    })
}

fn sum(shares: &[ResourceList]) -> ResourceList {
    let mut total = ResourceList::new();
    for (name, amount) in shares.iter().flatten() {
        let sum = total.entry(name.clone()).or_default();
        *sum = sum.plus(*amount);
    }
    total
}
