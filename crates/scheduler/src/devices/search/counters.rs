//! Shared counters: their remaining values, and the consumption of a search (DRA-160 to DRA-163).

use podscope_api::explained::CounterUse;
use podscope_api::ordered::Map;
use podscope_api::{Device, Quantity, Str};

use super::{DeviceCandidate, DeviceSearch};
use crate::devices::pools::{CounterKey, Pool};

/// Remaining values of each pool's counters, computed once per cycle. As in kube-scheduler, the key is only the pool
/// name: if two drivers have pools with the same name, the counters of the first pool apply to both.
pub(crate) type AvailableCounters = Map<Str, Map<CounterKey, Quantity>>;

/// Counter consumption of the selected devices, by pool name.
#[derive(Debug, Default)]
pub(super) struct CounterConsumption(Map<Str, Map<CounterKey, Quantity>>);

impl CounterConsumption {
    fn add(&mut self, pool: &Str, device: &Device) {
        let tally = self.0.entry(pool.clone()).or_default();
        for (key, amount) in counter_consumption(device) {
            let sum = tally.entry(key).or_default();
            *sum = sum.plus(amount);
        }
    }

    pub(super) fn subtract_consumption(&mut self, pool: &Str, device: &Device) {
        let tally = self.0.entry(pool.clone()).or_default();
        for (key, amount) in counter_consumption(device) {
            let sum = tally.entry(key).or_default();
            *sum = sum.minus(amount);
        }
    }
}

fn counter_consumption(device: &Device) -> impl Iterator<Item = (CounterKey, Quantity)> {
    device.consumes_counters.iter().flat_map(|one| {
        let counters = one.counters.iter();
        counters.map(|(name, counter)| ((one.counter_set.clone(), name.clone()), counter.value))
    })
}

impl DeviceSearch<'_> {
    /// Adds the device's counter consumption. If this would exceed a counter of its pool, adds nothing and returns the
    /// index of that counter among the remaining counters.
    pub(super) fn consume_counters(&mut self, candidate: DeviceCandidate, device: &Device) -> Result<(), usize> {
        let pool = &self.pools[candidate.pool];
        let mut available = self.inputs.available.borrow();
        let remaining = available
            .entry(pool.name.clone())
            .or_insert_with(|| self.remaining_counters(pool));
        self.tally.add(&pool.name, device);
        let tally = &self.tally.0[&pool.name];
        let exceeded = remaining.iter().position(|(key, remaining)| {
            let taken = tally.get(key).copied().unwrap_or_default();
            *remaining < taken
        });
        drop(available);
        match exceeded {
            None => Ok(()),
            Some(counter) => {
                self.tally.subtract_consumption(&pool.name, device);
                Err(counter)
            }
        }
    }

    /// Returns the use of a counter, given by its index among the remaining counters of the device's pool: the
    /// counter's name, the amount that the device consumes, and the amount available without the device.
    pub(super) fn counter_use(
        &self,
        candidate: DeviceCandidate,
        device: &Device,
        counter: usize,
    ) -> Option<CounterUse> {
        let pool = &self.pools[candidate.pool].name;
        let available = self.inputs.available.borrow();
        let (key, remaining) = available.get(pool)?.iter().nth(counter)?;
        let taken = self.tally.0.get(pool).and_then(|tally| tally.get(key)).copied();
        let takes = counter_consumption(device).filter(|(own, _)| own == key);
        let takes = takes.fold(Quantity::default(), |sum, (_, amount)| sum.plus(amount));
        Some(CounterUse {
            counter_set: key.0.to_string(),
            counter: key.1.to_string(),
            takes: takes.to_string(),
            left: remaining.minus(taken.unwrap_or_default()).to_string(),
        })
    }

    /// Returns the counters that a selected device consumes, with the available amount of each.
    pub(super) fn counter_uses(&self, candidate: DeviceCandidate, device: &Device) -> Vec<CounterUse> {
        let pool = &self.pools[candidate.pool].name;
        let keys: Vec<CounterKey> = counter_consumption(device).map(|(key, _)| key).collect();
        let known: Vec<usize> = {
            let available = self.inputs.available.borrow();
            let remaining = available.get(pool).into_iter().flat_map(Map::keys).enumerate();
            let own = remaining.filter(|(_, key)| keys.contains(key));
            own.map(|(index, _)| index).collect()
        };
        let uses = known.into_iter();
        uses.filter_map(|counter| self.counter_use(candidate, device, counter))
            .collect()
    }

    /// Returns the values of a pool's counters minus the consumption of devices in use.
    fn remaining_counters(&self, pool: &Pool) -> Map<CounterKey, Quantity> {
        let mut remaining = pool.counters.clone();
        for at in pool.slices.iter().chain(&pool.elsewhere) {
            let slice = &self.inputs.table.slices[*at];
            for (device, number) in slice.object.spec.devices.iter().zip(&slice.numbers) {
                let usage = self.inputs.usage.use_of(*number);
                if !usage.is_some_and(|usage| usage.is_exclusive() || usage.is_shared()) {
                    continue;
                }
                for (key, amount) in counter_consumption(device) {
                    if let Some(sum) = remaining.get_mut(&key) {
                        *sum = sum.minus(amount);
                    }
                }
            }
        }
        remaining
    }
}
