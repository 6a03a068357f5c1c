//! Devices as the scheduler knows them: which there are, which are in use, and the search that gives them to claims
//! (DRA-085 to DRA-087, DRA-130 to DRA-175).
//!
//! ```text
//!  ResourceSlice ──► table.rs      slices with their devices' numbers, by node, by pool
//!  ResourceClaim ──► usage.rs      what each numbered device is used by
//!  expressions   ──► selectors.rs  compiled once, asked once of every device
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

pub(crate) use self::selectors::Answers;
use self::selectors::Selectors;
use self::table::Table;
use self::usage::Usage;
use crate::symbols::Symbols;

/// A device's number: the index into the tables of devices.
pub(crate) type DeviceNo = u32;

/// What tells a device from all others.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct DeviceId {
    pub(crate) driver: Str,
    pub(crate) pool: Str,
    pub(crate) device: Str,
}

/// The numbers of all devices that were ever seen.
#[derive(Debug, Clone, Default)]
pub(crate) struct Numbers {
    known: Map<DeviceId, DeviceNo>,
}

impl Numbers {
    pub(crate) fn of(&mut self, driver: &Str, pool: &Str, device: &Str) -> DeviceNo {
        let next = self.known.len() as DeviceNo;
        let id = DeviceId {
            driver: driver.clone(),
            pool: pool.clone(),
            device: device.clone(),
        };
        *self.known.entry(id).or_insert_with(|| next)
    }
}

/// All that is kept of devices between decisions.
#[derive(Debug, Clone, Default)]
pub(crate) struct Devices {
    numbers: Arc<Numbers>,
    usage: Arc<Usage>,
    table: Arc<Table>,
    is_stale: bool,
    selectors: Arc<Selectors>,
    /// Allocations that Reserve made and the API does not show yet, by the UID of their claim (DRA-087).
    in_flight: Set<Str>,
    /// The time of objects when the cycle runs, microseconds; none for a question without a clock.
    pub(crate) now: Option<i64>,
}

impl Devices {
    /// The slices as of the last [`Devices::refresh`].
    pub(crate) fn table(&self) -> &Arc<Table> {
        &self.table
    }

    pub(crate) fn usage(&self) -> &Arc<Usage> {
        &self.usage
    }

    /// A slice came, changed or went.
    pub(crate) fn slices_changed(&mut self) {
        self.is_stale = true;
    }

    /// Brings the table up to date with the slices, in name order.
    pub(crate) fn refresh<'a>(&mut self, symbols: &mut Symbols, slices: impl Iterator<Item = &'a Arc<ResourceSlice>>) {
        if !std::mem::take(&mut self.is_stale) {
            return;
        }
        let numbers = Arc::make_mut(&mut self.numbers);
        self.table = Arc::new(Table::new(symbols, numbers, slices, &self.table));
    }

    /// A claim as it is known now: what it was counted with before is replaced.
    pub(crate) fn set_claim(&mut self, key: &ObjectKey, claim: Option<&ResourceClaim>) {
        let allocation = claim.and_then(|claim| claim.status.allocation.as_ref());
        let numbers = Arc::make_mut(&mut self.numbers);
        Arc::make_mut(&mut self.usage).set(numbers, &key.to_string().into(), allocation);
    }

    /// Takes an allocation as made, before it is written.
    pub(crate) fn reserve(&mut self, uid: &Str, allocation: &AllocationResult) {
        let numbers = Arc::make_mut(&mut self.numbers);
        Arc::make_mut(&mut self.usage).set(numbers, uid, Some(allocation));
        self.in_flight.insert(uid.clone());
    }

    /// The allocation is written, or given up.
    pub(crate) fn release(&mut self, uid: &Str) {
        if self.in_flight.remove(uid) {
            let numbers = Arc::make_mut(&mut self.numbers);
            Arc::make_mut(&mut self.usage).set(numbers, uid, None);
        }
    }

    /// Whether an allocation of the claim is on its way.
    pub(crate) fn is_in_flight(&self, uid: &str) -> bool {
        self.in_flight.contains(uid)
    }

    /// The answers of an expression for every device of the table.
    pub(crate) fn ask(&mut self, expression: &Str) -> Arc<Answers> {
        Arc::make_mut(&mut self.selectors).ask(expression, &self.table)
    }
}
