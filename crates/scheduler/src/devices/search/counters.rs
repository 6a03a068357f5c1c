//! Shared counters: what is left of them, and what a search takes (DRA-160 to DRA-163).

use podscope_api::ordered::Map;
use podscope_api::{Device, Quantity, Str};

use super::{Candidate, Search};
use crate::devices::pools::{CounterKey, Pool};

/// What is left of each pool's counters, computed once a cycle. As upstream by the pool's name alone: of two drivers
/// with pools of one name the first one's counters count for both.
pub(crate) type Available = Map<Str, Map<CounterKey, Quantity>>;

/// What the search has taken, by pool name.
#[derive(Debug, Default)]
pub(super) struct Tally(Map<Str, Map<CounterKey, Quantity>>);

impl Tally {
    fn add(&mut self, pool: &Str, device: &Device) {
        let tally = self.0.entry(pool.clone()).or_default();
        for (key, amount) in consumption(device) {
            let sum = tally.entry(key).or_default();
            *sum = sum.plus(amount);
        }
    }

    pub(super) fn take_back(&mut self, pool: &Str, device: &Device) {
        let tally = self.0.entry(pool.clone()).or_default();
        for (key, amount) in consumption(device) {
            let sum = tally.entry(key).or_default();
            *sum = sum.minus(amount);
        }
    }
}

fn consumption(device: &Device) -> impl Iterator<Item = (CounterKey, Quantity)> {
    device.consumes_counters.iter().flat_map(|one| {
        let counters = one.counters.iter();
        counters.map(|(name, counter)| ((one.counter_set.clone(), name.clone()), counter.value))
    })
}

impl Search<'_> {
    /// Counts a device; `false`, and not counted, if some counter of its pool does not do.
    pub(super) fn count(&mut self, candidate: Candidate, device: &Device) -> bool {
        let pool = &self.pools[candidate.pool];
        let mut available = self.world.available.borrow();
        let left = available.entry(pool.name.clone()).or_insert_with(|| self.left(pool));
        self.tally.add(&pool.name, device);
        let tally = &self.tally.0[&pool.name];
        let fits = left.iter().all(|(key, left)| {
            let taken = tally.get(key).copied().unwrap_or_default();
            *left >= taken
        });
        drop(available);
        if !fits {
            self.tally.take_back(&pool.name, device);
        }
        fits
    }

    /// What devices in use leave of a pool's counters.
    fn left(&self, pool: &Pool) -> Map<CounterKey, Quantity> {
        let mut left = pool.counters.clone();
        for at in pool.slices.iter().chain(&pool.elsewhere) {
            let slice = &self.world.table.slices[*at];
            for (device, number) in slice.object.spec.devices.iter().zip(&slice.numbers) {
                let usage = self.world.usage.of(*number);
                if !usage.is_some_and(|usage| usage.is_exclusive() || usage.is_shared()) {
                    continue;
                }
                for (key, amount) in consumption(device) {
                    if let Some(sum) = left.get_mut(&key) {
                        *sum = sum.minus(amount);
                    }
                }
            }
        }
        left
    }
}
