//! Expectations: what a controller has asked for and not yet seen in its
//! cache. Until then it does not scale again, so that a slow watch does not
//! make it create twice (CT-057). They are memory: a restart forgets them.

use podscope_api::ordered;

use podscope_api::ObjectKey;

use podscope_sim::{SimTime, Span};

use super::queue::Key;

/// Expectations older than this count as fulfilled.
const TIMEOUT: Span = Span::seconds(300);

#[derive(Debug, Clone)]
struct Expected {
    creations: u64,
    deletions: ordered::Set<ObjectKey>,
    since: SimTime,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Expectations(ordered::Map<Key, Expected>);

impl Expectations {
    /// Whether everything expected was seen, or too long ago.
    pub(super) fn are_satisfied(&self, key: &Key, now: SimTime) -> bool {
        self.0.get(key).is_none_or(|expected| {
            (expected.creations == 0 && expected.deletions.is_empty()) || now > expected.since + TIMEOUT
        })
    }

    /// Replaces what is expected of a key.
    pub(super) fn expect(&mut self, key: &Key, creations: usize, deletions: ordered::Set<ObjectKey>, now: SimTime) {
        let expected = Expected {
            creations: creations as u64,
            deletions,
            since: now,
        };
        self.0.insert(key.clone(), expected);
    }

    /// One creation was seen, failed, or will not be tried.
    pub(super) fn creation_observed(&mut self, key: &Key) {
        if let Some(expected) = self.0.get_mut(key) {
            expected.creations = expected.creations.saturating_sub(1);
        }
    }

    /// The pod was seen terminating or gone, or its deletion failed.
    pub(super) fn deletion_observed(&mut self, key: &Key, pod: &ObjectKey) {
        if let Some(expected) = self.0.get_mut(key) {
            expected.deletions.remove(pod);
        }
    }

    /// The owner is gone.
    pub(super) fn forget(&mut self, key: &Key) {
        self.0.remove(key);
    }
}
