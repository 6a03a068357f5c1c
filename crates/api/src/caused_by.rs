//! The cause of a trace record: the record that led to it.

use std::num::NonZeroU32;

/// The trace record that led to something. `NOTHING` for events without a cause in the run: the start, a command of the
/// timeline, a randomly drawn fault. Four bytes, because every queued event carries one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct CausedBy(Option<NonZeroU32>);

impl CausedBy {
    /// No record of the run is the cause.
    pub const NOTHING: Self = Self(None);

    /// The record with this sequence number (`seq`). Numbers beyond `u32` become `NOTHING`; traces are far shorter.
    #[must_use]
    pub fn record(seq: u64) -> Self {
        let place = u32::try_from(seq).ok().and_then(|seq| seq.checked_add(1));
        Self(place.and_then(NonZeroU32::new))
    }

    /// The `seq` of the causing record; None for `NOTHING`.
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
