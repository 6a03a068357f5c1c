//! What led to something, as the trace numbers it.

use std::num::NonZeroU32;

/// The record of the trace that led to something; nothing for what nothing in the run caused: the start, a command of
/// the timeline, a drawn fault. Four bytes, because every queued event carries one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct CausedBy(Option<NonZeroU32>);

impl CausedBy {
    /// Nothing in the run.
    pub const NOTHING: Self = Self(None);

    /// The record of that `seq`. A trace is bounded far below the numbers that this holds; a larger one counts as nothing.
    #[must_use]
    pub fn record(seq: u64) -> Self {
        let place = u32::try_from(seq).ok().and_then(|seq| seq.checked_add(1));
        Self(place.and_then(NonZeroU32::new))
    }

    /// The `seq` of that record.
    #[must_use]
    pub fn seq(self) -> Option<u64> {
        self.0.map(|place| u64::from(place.get()) - 1)
    }

    /// The later of two records.
    #[must_use]
    pub fn latest(self, other: Self) -> Self {
        self.max(other)
    }
}
