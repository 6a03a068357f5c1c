//! Expectations: creates and deletes that a controller has requested and that its cache does not show yet. Until then
//! the controller does not scale again, so that a slow watch does not cause duplicate creates (CT-057). Expectations
//! are kept in memory and lost in a restart.

use podscope_api::ordered;

use podscope_api::ObjectKey;

use podscope_sim::{SimTime, Span};

use super::queue::Key;

/// Age after which expectations count as fulfilled.
const EXPECTATION_TIMEOUT: Span = Span::seconds(300);

/// Creations and deletions of pods that are expected for one key.
#[derive(Debug, Clone)]
struct ExpectedChanges {
    creations: u64,
    deletions: ordered::Set<ObjectKey>,
    since: SimTime,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Expectations(ordered::Map<Key, ExpectedChanges>);

impl Expectations {
    /// Returns whether all expectations of a key are fulfilled or have expired.
    pub(super) fn are_satisfied(&self, key: &Key, now: SimTime) -> bool {
        self.0.get(key).is_none_or(|expected| {
            (expected.creations == 0 && expected.deletions.is_empty()) || now > expected.since + EXPECTATION_TIMEOUT
        })
    }

    /// Replaces the expectations of a key.
    pub(super) fn expect(&mut self, key: &Key, creations: usize, deletions: ordered::Set<ObjectKey>, now: SimTime) {
        let expected = ExpectedChanges {
            creations: creations as u64,
            deletions,
            since: now,
        };
        self.0.insert(key.clone(), expected);
    }

    /// Counts down the expected creations: one was observed, failed, or was dropped.
    pub(super) fn creation_observed(&mut self, key: &Key) {
        if let Some(expected) = self.0.get_mut(key) {
            expected.creations = expected.creations.saturating_sub(1);
        }
    }

    /// Removes an expected deletion that was observed or failed.
    pub(super) fn deletion_observed(&mut self, key: &Key, pod: &ObjectKey) {
        if let Some(expected) = self.0.get_mut(key) {
            expected.deletions.remove(pod);
        }
    }

    /// Removes the expectations of an owner that no longer exists.
    pub(super) fn forget(&mut self, key: &Key) {
        self.0.remove(key);
    }
}
