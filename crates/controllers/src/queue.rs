//! The work queue of a controller, as in client-go: a key is queued only once, is processed by one worker at a time, is
//! queued again if it was added in the meantime, and backs off after failures (CT-158).

use podscope_api::ordered;
use std::collections::VecDeque;

use podscope_api::{CausedBy, Kind, ObjectKey, Resource};

use podscope_sim::{SimTime, Span};

/// A work item of a controller: an object by kind, namespace and name.
pub(super) type Key = (Kind, ObjectKey);

pub(super) fn key_of<T: Resource>(object: &T) -> Key {
    (T::KIND, object.metadata().key())
}

/// The back-off of a key after failures: it doubles from the base up to the maximum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Backoff {
    pub(super) base: Span,
    pub(super) max: Span,
}

impl Default for Backoff {
    fn default() -> Self {
        Self {
            base: Span::millis(5),
            max: Span::seconds(1000),
        }
    }
}

/// An item that is due: a key to sync, or a tick.
pub(super) enum QueueItem {
    /// A key, with the cause of the latest change that enqueued it.
    Key(Key, CausedBy),
    Tick(u8),
}

#[derive(Debug, Clone, Default)]
pub(super) struct Queue {
    ready: VecDeque<Key>,
    /// Queued keys, and keys that are being processed and must be processed again.
    dirty: ordered::Map<Key, CausedBy>,
    processing: ordered::Set<Key>,
    waiting: ordered::Map<Key, (SimTime, CausedBy)>,
    by_time: ordered::Set<(SimTime, Key)>,
    failures: ordered::Map<Key, u32>,
    pub(super) ticks: ordered::Set<(SimTime, u8)>,
}

impl Queue {
    /// Adds the key. The latest cause becomes the cause of its sync.
    pub(super) fn add(&mut self, key: Key, cause: CausedBy) {
        let is_new = self.dirty.insert(key.clone(), cause).is_none();
        if is_new && !self.processing.contains(&key) {
            self.ready.push_back(key);
        }
    }

    /// Adds the key at a later time. If it is added several times, the earliest time is used.
    pub(super) fn add_at(&mut self, key: Key, at: SimTime, cause: CausedBy) {
        if let Some((before, _)) = self.waiting.get(&key).copied() {
            if before <= at {
                return;
            }
            self.by_time.remove(&(before, key.clone()));
        }
        self.waiting.insert(key.clone(), (at, cause));
        self.by_time.insert((at, key));
    }

    /// Adds the key after its back-off, which then doubles.
    pub(super) fn add_rate_limited(&mut self, key: Key, backoff: Backoff, now: SimTime, cause: CausedBy) {
        let failures = self.failures.entry(key.clone()).or_default();
        let wait = backoff.base.doubled_times(*failures, backoff.max);
        *failures += 1;
        self.add_at(key, now + wait, cause);
    }

    /// Resets the back-off of the key.
    pub(super) fn forget(&mut self, key: &Key) {
        self.failures.remove(key);
    }

    /// Returns the next item that is due at `now`, and marks a returned key as being processed.
    pub(super) fn next(&mut self, now: SimTime) -> Option<QueueItem> {
        while self.by_time.first().is_some_and(|(at, _)| *at <= now)
            && let Some((_, key)) = self.by_time.pop_first()
        {
            let cause = self.waiting.remove(&key).map(|(_, cause)| cause);
            // The cause of a later change takes precedence over that of the delayed key.
            if !self.dirty.contains_key(&key) {
                self.add(key, cause.unwrap_or_default());
            }
        }
        if let Some(first) = self.ticks.first().copied()
            && first.0 <= now
        {
            self.ticks.remove(&first);
            return Some(QueueItem::Tick(first.1));
        }
        let key = self.ready.pop_front()?;
        let cause = self.dirty.remove(&key).unwrap_or_default();
        self.processing.insert(key.clone());
        Some(QueueItem::Key(key, cause))
    }

    /// Marks the key's sync as finished.
    pub(super) fn done(&mut self, key: &Key) {
        self.processing.remove(key);
        if self.dirty.contains_key(key) {
            self.ready.push_back(key.clone());
        }
    }

    /// Returns the earliest time of a delayed key or tick.
    pub(super) fn earliest_due_time(&self) -> Option<SimTime> {
        let keys = self.by_time.first().map(|(at, _)| *at);
        let ticks = self.ticks.first().map(|(at, _)| *at);
        keys.into_iter().chain(ticks).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str) -> Key {
        (Kind::Pod, ObjectKey::new("default", name))
    }

    /// Returns the name of the next key that is due; `None` for a tick or if nothing is due.
    fn next(queue: &mut Queue, now: SimTime) -> Option<String> {
        match queue.next(now)? {
            QueueItem::Key((_, key), _) => Some(key.name.to_string()),
            QueueItem::Tick(_) => None,
        }
    }

    /// Shows: CT-158
    #[test]
    fn queue_deduplicates_keys_and_doubles_back_off() {
        let mut queue = Queue::default();
        queue.add(key("a"), CausedBy::NOTHING);
        queue.add(key("a"), CausedBy::NOTHING);
        queue.add(key("b"), CausedBy::NOTHING);
        assert_eq!(next(&mut queue, SimTime::ZERO).as_deref(), Some("a"));
        queue.add(key("a"), CausedBy::NOTHING);
        assert_eq!(next(&mut queue, SimTime::ZERO).as_deref(), Some("b"));
        assert_eq!(next(&mut queue, SimTime::ZERO), None, "the key is in process");
        queue.done(&key("a"));
        assert_eq!(next(&mut queue, SimTime::ZERO).as_deref(), Some("a"));
        queue.done(&key("a"));
        for expected in [5, 10, 20, 40] {
            queue.add_rate_limited(key("b"), Backoff::default(), SimTime::ZERO, CausedBy::NOTHING);
            assert_eq!(queue.earliest_due_time(), Some(SimTime::ZERO + Span::millis(expected)));
            queue.done(&key("b"));
            next(&mut queue, SimTime::from_seconds(1));
        }
        queue.forget(&key("b"));
        queue.add_rate_limited(key("b"), Backoff::default(), SimTime::ZERO, CausedBy::NOTHING);
        assert_eq!(queue.earliest_due_time(), Some(SimTime::ZERO + Span::millis(5)));
        for _ in 0..40 {
            queue.done(&key("b"));
            queue.add_rate_limited(key("b"), Backoff::default(), SimTime::ZERO, CausedBy::NOTHING);
            next(&mut queue, SimTime::from_seconds(5000));
        }
        queue.done(&key("b"));
        queue.add_rate_limited(key("b"), Backoff::default(), SimTime::ZERO, CausedBy::NOTHING);
        assert_eq!(queue.earliest_due_time(), Some(SimTime::from_seconds(1000)));
    }
}
