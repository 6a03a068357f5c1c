//! Devices of dynamic resource allocation: the existing devices, their use, and the search that allocates them to
//! claims (DRA-085 to DRA-087, DRA-130 to DRA-175).
//!
//! ```text
//!  ResourceSlice ──► table.rs      slices with the numbers of their devices, by node, by pool
//!  ResourceClaim ──► usage.rs      allocations of each numbered device
//!  expressions   ──► selectors.rs  compiled once, evaluated once per device
//!                       │
//!  claims of a pod ─► request.rs ──► search.rs: pools of a node, first fit with backtracking ──► result.rs
//! ```

mod attributes;
mod capacity;
pub(crate) mod memo;
mod pools;
pub(crate) mod request;
pub(crate) mod result;
pub(crate) mod search;
mod selectors;
pub(crate) mod table;
mod usage;

use std::sync::Arc;

use podscope_api::ordered::{Map, Set};
use podscope_api::{AllocationResult, ObjectKey, ResourceClaim, ResourceSlice, Str};

use self::selectors::SelectorCache;
pub(crate) use self::selectors::SelectorResults;
use self::table::DeviceTable;
use self::usage::DeviceUsage;
use crate::symbols::Symbols;

/// Number of a device, an index into tables of devices.
pub(crate) type DeviceNo = u32;

/// Unique identity of a device.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct DeviceId {
    pub(crate) driver: Str,
    pub(crate) pool: Str,
    pub(crate) device: Str,
}

/// Assigns a stable number to each device when it first appears.
#[derive(Debug, Clone, Default)]
pub(crate) struct DeviceNumbers {
    known: Map<DeviceId, DeviceNo>,
}

impl DeviceNumbers {
    pub(crate) fn number_of(&mut self, driver: &Str, pool: &Str, device: &Str) -> DeviceNo {
        let next = self.known.len() as DeviceNo;
        let id = DeviceId {
            driver: driver.clone(),
            pool: pool.clone(),
            device: device.clone(),
        };
        *self.known.entry(id).or_insert_with(|| next)
    }
}

/// All state about devices that persists between decisions.
#[derive(Debug, Clone, Default)]
pub(crate) struct Devices {
    numbers: Arc<DeviceNumbers>,
    usage: Arc<DeviceUsage>,
    table: Arc<DeviceTable>,
    is_stale: bool,
    selectors: Arc<SelectorCache>,
    /// UIDs of claims with an allocation that Reserve made but that the API does not show yet (DRA-087).
    in_flight: Set<Str>,
    /// Wall-clock time of the cycle in microseconds; `None` for decisions without a clock.
    pub(crate) now: Option<i64>,
}

impl Devices {
    /// Returns the table of slices as of the last [`Devices::rebuild_table_if_stale`].
    pub(crate) fn table(&self) -> &Arc<DeviceTable> {
        &self.table
    }

    pub(crate) fn usage(&self) -> &Arc<DeviceUsage> {
        &self.usage
    }

    /// Marks the table as stale after a ResourceSlice was created, updated or deleted.
    pub(crate) fn slices_changed(&mut self) {
        self.is_stale = true;
    }

    /// Rebuilds the table from the slices (in name order) if the table is stale.
    pub(crate) fn rebuild_table_if_stale<'a>(
        &mut self,
        symbols: &mut Symbols,
        slices: impl Iterator<Item = &'a Arc<ResourceSlice>>,
    ) {
        if !std::mem::take(&mut self.is_stale) {
            return;
        }
        let numbers = Arc::make_mut(&mut self.numbers);
        self.table = Arc::new(DeviceTable::new(symbols, numbers, slices, &self.table));
    }

    /// Replaces the counted allocation of a claim with its current allocation.
    pub(crate) fn set_claim(&mut self, key: &ObjectKey, claim: Option<&ResourceClaim>) {
        let allocation = claim.and_then(|claim| claim.status.allocation.as_ref());
        let numbers = Arc::make_mut(&mut self.numbers);
        Arc::make_mut(&mut self.usage).set(numbers, &key.to_string().into(), allocation);
    }

    /// Marks the devices of an allocation as used before the allocation is written to the API.
    pub(crate) fn reserve(&mut self, uid: &Str, allocation: &AllocationResult) {
        let numbers = Arc::make_mut(&mut self.numbers);
        Arc::make_mut(&mut self.usage).set(numbers, uid, Some(allocation));
        self.in_flight.insert(uid.clone());
    }

    /// Ends a reservation made by [`Devices::reserve`], after the allocation was written or abandoned.
    pub(crate) fn release(&mut self, uid: &Str) {
        if self.in_flight.remove(uid) {
            let numbers = Arc::make_mut(&mut self.numbers);
            Arc::make_mut(&mut self.usage).set(numbers, uid, None);
        }
    }

    /// Returns whether an allocation of the claim is reserved but not yet written.
    pub(crate) fn is_allocation_in_flight(&self, uid: &str) -> bool {
        self.in_flight.contains(uid)
    }

    /// Returns the results of a CEL expression for every device of the table.
    pub(crate) fn evaluate_selector(&mut self, expression: &Str) -> Arc<SelectorResults> {
        Arc::make_mut(&mut self.selectors).evaluate_selector(expression, &self.table)
    }
}
