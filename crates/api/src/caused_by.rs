//! The cause of a trace record: the record that led to it.

use std::num::NonZeroU32;

/// The trace record that caused an event. `NOTHING` for events without a cause in the run: the start, a command of the
/// timeline, a random fault. The type has only four bytes, because every queued event stores a cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct CausedBy(Option<NonZeroU32>);

impl CausedBy {
    /// The event has no cause in this run.
    pub const NOTHING: Self = Self(None);

    /// Creates the cause that is the trace record with this sequence number (`seq`). A number beyond `u32` becomes
    /// `NOTHING`; traces are far shorter.
    #[must_use]
    pub fn record(seq: u64) -> Self {
        let one_based = u32::try_from(seq).ok().and_then(|seq| seq.checked_add(1));
        Self(one_based.and_then(NonZeroU32::new))
    }

    /// Returns the `seq` of the causing record; None for `NOTHING`.
    #[must_use]
    pub fn seq(self) -> Option<u64> {
        self.0.map(|one_based| u64::from(one_based.get()) - 1)
    }

    /// Returns the later of two causes: the one whose record comes later in the trace.
    #[must_use]
    pub fn latest(self, other: Self) -> Self {
        self.max(other)
    }
}
