//! Shared counters: their remaining values, and the consumption of a search (DRA-160 to DRA-163).

use podscope_api::ordered::Map;
use podscope_api::{Device, Quantity, Str};

use super::{Candidate, Search};
use crate::devices::pools::{CounterKey, Pool};

/// Remaining values of each pool's counters, computed once per cycle. As upstream, the key is the pool name alone:
/// if two drivers have pools of the same name, the counters of the first one apply to both.
pub(crate) type Available = Map<Str, Map<CounterKey, Quantity>>;

/// Counter consumption of the selected devices, by pool name.
#[derive(Debug, Default)]
pub(super) struct CounterConsumption(Map<Str, Map<CounterKey, Quantity>>);

impl CounterConsumption {
    fn add(&mut self, pool: &Str, device: &Device) {
        let tally = self.0.entry(pool.clone()).or_default();
        for (key, amount) in consumption(device) {
            let sum = tally.entry(key).or_default();
            *sum = sum.plus(amount);
        }
    }

    /// The amount of a counter that the selected devices consume.
    pub(super) fn of(&self, pool: &Str, set: &Str, counter: &Str) -> Quantity {
        let tally = self.0.get(pool);
        let sum = tally.and_then(|tally| tally.get(&(set.clone(), counter.clone())));
        sum.copied().unwrap_or_default()
    }

    pub(super) fn subtract(&mut self, pool: &Str, device: &Device) {
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
    /// Adds the device's counter consumption. Returns false, and adds nothing, if a counter of its pool would be
    /// exceeded.
    pub(super) fn count(&mut self, candidate: Candidate, device: &Device) -> bool {
        let pool = &self.pools[candidate.pool];
        let mut available = self.inputs.available.borrow();
        let remaining = available
            .entry(pool.name.clone())
            .or_insert_with(|| self.remaining(pool));
        self.tally.add(&pool.name, device);
        let tally = &self.tally.0[&pool.name];
        let fits = remaining.iter().all(|(key, remaining)| {
            let taken = tally.get(key).copied().unwrap_or_default();
            *remaining >= taken
        });
        drop(available);
        if !fits {
            self.tally.subtract(&pool.name, device);
        }
        fits
    }

    /// Values of a pool's counters minus the consumption of devices in use.
    fn remaining(&self, pool: &Pool) -> Map<CounterKey, Quantity> {
        let mut remaining = pool.counters.clone();
        for at in pool.slices.iter().chain(&pool.elsewhere) {
            let slice = &self.inputs.table.slices[*at];
            for (device, number) in slice.object.spec.devices.iter().zip(&slice.numbers) {
                let usage = self.inputs.usage.of(*number);
                if !usage.is_some_and(|usage| usage.is_exclusive() || usage.is_shared()) {
                    continue;
                }
                for (key, amount) in consumption(device) {
                    if let Some(sum) = remaining.get_mut(&key) {
                        *sum = sum.minus(amount);
                    }
                }
            }
        }
        remaining
    }
}
