//! The pools of devices that a node can use (DRA-131 to DRA-138).

use podscope_api::ordered::{Map, Set, StableSort as _};
use podscope_api::{Quantity, Str};

use super::table::DeviceTable;
use crate::node_info::NodeInfo;
use crate::symbols::Symbols;

/// Identity of a shared counter: the name of its counter set, and the name of the counter.
pub(super) type CounterKey = (Str, Str);

/// A resource pool of one driver, as seen from one node.
#[derive(Debug)]
pub(super) struct Pool {
    pub(super) driver: Str,
    pub(super) name: Str,
    /// Slices with devices for the node, in name order.
    pub(super) slices: Vec<usize>,
    /// Slices of the same generation with devices of other nodes.
    pub(super) elsewhere: Vec<usize>,
    /// Initial values of the shared counters.
    pub(super) counters: Map<CounterKey, Quantity>,
    pub(super) is_incomplete: bool,
    pub(super) is_invalid: bool,
    /// Whether a device has binding conditions, for which PreBind must wait.
    has_binding_conditions: bool,
}

impl Pool {
    /// Returns whether devices of the pool can be allocated.
    pub(super) fn is_usable(&self) -> bool {
        !self.is_incomplete && !self.is_invalid
    }

    /// Returns `driver/pool`, the name used in error messages.
    pub(super) fn id(&self) -> String {
        format!("{}/{}", self.driver, self.name)
    }
}

/// Returns the pools of a node, sorted by driver and name; pools with binding conditions come last (DRA-137).
pub(super) fn pools_of_node(table: &DeviceTable, symbols: &Symbols, node: &NodeInfo) -> Vec<Pool> {
    let mut groups: Map<(Str, Str), (i64, Vec<usize>)> = Map::new();
    for at in table.candidate_slices(&node.name) {
        let slice = &table.slices[at];
        if !slice.is_relevant_for(symbols, node) {
            continue;
        }
        let spec = &slice.object.spec;
        let generation = spec.pool.generation;
        let key = (spec.driver.clone(), spec.pool.name.clone());
        let (newest, slices) = groups.entry(key).or_insert_with(|| (generation, Vec::new()));
        if generation > *newest {
            *newest = generation;
            slices.clear();
        }
        if generation == *newest {
            slices.push(at);
        }
    }
    let mut pools: Vec<Pool> = groups
        .iter()
        .filter_map(|((driver, name), (generation, slices))| build_pool(table, driver, name, *generation, slices))
        .collect();
    // The sort is stable, and `groups` is ordered by name.
    pools.stable_sort_by_key(|pool| pool.has_binding_conditions);
    pools
}

fn build_pool(table: &DeviceTable, driver: &Str, name: &Str, generation: i64, relevant: &[usize]) -> Option<Pool> {
    let mut relevant = relevant.to_vec();
    relevant.sort_unstable();
    let spec_of = |at: &usize| &table.slices[*at].object.spec;
    let wanted = relevant
        .first()
        .map_or(0, |first| spec_of(first).pool.resource_slice_count);
    let all = table.slice_indices_of_pool(driver, name);
    let mut is_incomplete = relevant.len() as i64 != wanted;
    if is_incomplete {
        if all.iter().any(|at| spec_of(at).pool.generation > generation) {
            return None;
        }
        let current = all.iter().filter(|at| spec_of(at).pool.generation == generation);
        is_incomplete = current.count() as i64 != wanted;
    }
    let (with_counters, slices): (Vec<usize>, Vec<usize>) =
        relevant.iter().partition(|at| table.slices[**at].has_counters());
    let elsewhere = all.iter().copied().filter(|at| {
        spec_of(at).pool.generation == generation && !relevant.contains(at) && !table.slices[*at].has_counters()
    });
    let mut pool = Pool {
        driver: driver.clone(),
        name: name.clone(),
        has_binding_conditions: slices.iter().any(|at| table.slices[*at].has_binding_conditions),
        elsewhere: elsewhere.collect(),
        slices,
        counters: Map::new(),
        is_incomplete,
        is_invalid: false,
    };
    pool.is_invalid = !is_incomplete && !fill_in_shared_counters(table, &mut pool, &with_counters);
    Some(pool)
}

/// Fills in the shared counters. Returns false if the pool is inconsistent (DRA-136).
fn fill_in_shared_counters(table: &DeviceTable, pool: &mut Pool, with_counters: &[usize]) -> bool {
    let mut names: Set<&Str> = Set::new();
    for at in &pool.slices {
        for device in &table.slices[*at].object.spec.devices {
            if !names.insert(&device.name) {
                return false;
            }
        }
    }
    let mut sets: Set<&Str> = Set::new();
    for at in with_counters {
        for set in &table.slices[*at].object.spec.shared_counters {
            if !sets.insert(&set.name) {
                return false;
            }
            for (name, counter) in &set.counters {
                pool.counters.insert((set.name.clone(), name.clone()), counter.value);
            }
        }
    }
    let slices = pool.slices.iter().chain(&pool.elsewhere);
    let devices = slices.flat_map(|at| &table.slices[*at].object.spec.devices);
    devices.flat_map(|device| &device.consumes_counters).all(|consumption| {
        sets.contains(&consumption.counter_set)
            && consumption.counters.keys().all(|name| {
                pool.counters
                    .contains_key(&(consumption.counter_set.clone(), name.clone()))
            })
    })
}
