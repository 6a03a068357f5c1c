//! The work queue of one controller, as client-go has it: a key waits once,
//! runs once at a time, comes back if it changed while it ran, and backs off
//! by itself after failures (CT-158).

use podscope_api::ordered;
use std::collections::VecDeque;

use podscope_api::{CausedBy, Kind, ObjectKey, Resource};

use podscope_sim::{SimTime, Span};

/// What a controller works on: an object by kind, namespace and name.
pub(super) type Key = (Kind, ObjectKey);

/// The key of an object.
pub(super) fn key_of<T: Resource>(object: &T) -> Key {
    (T::KIND, object.metadata().key())
}

/// How long a key waits after failures: doubles from the base up to the maximum.
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

/// What is due.
pub(super) enum Due {
    /// A key, with the change that led to it last.
    Key(Key, CausedBy),
    Tick(u8),
}

#[derive(Debug, Clone, Default)]
pub(super) struct Queue {
    ready: VecDeque<Key>,
    /// Keys in `ready`, and those in process that must run again.
    dirty: ordered::Map<Key, CausedBy>,
    processing: ordered::Set<Key>,
    waiting: ordered::Map<Key, (SimTime, CausedBy)>,
    by_time: ordered::Set<(SimTime, Key)>,
    failures: ordered::Map<Key, u32>,
    pub(super) ticks: ordered::Set<(SimTime, u8)>,
}

impl Queue {
    /// Adds the key. What it is added for last is what leads to its sync.
    pub(super) fn add(&mut self, key: Key, cause: CausedBy) {
        let is_new = self.dirty.insert(key.clone(), cause).is_none();
        if is_new && !self.processing.contains(&key) {
            self.ready.push_back(key);
        }
    }

    /// Adds the key at an instant; the earliest of several wins.
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

    pub(super) fn add_rate_limited(&mut self, key: Key, backoff: Backoff, now: SimTime, cause: CausedBy) {
        let failures = self.failures.entry(key.clone()).or_default();
        let factor = 1_i64 << (*failures).min(30);
        *failures += 1;
        let wait = Span(backoff.base.0.saturating_mul(factor)).min(backoff.max);
        self.add_at(key, now + wait, cause);
    }

    pub(super) fn forget(&mut self, key: &Key) {
        self.failures.remove(key);
    }

    /// The next thing due at `now`; a key counts as in process from here on.
    pub(super) fn next(&mut self, now: SimTime) -> Option<Due> {
        while self.by_time.first().is_some_and(|(at, _)| *at <= now)
            && let Some((_, key)) = self.by_time.pop_first()
        {
            let cause = self.waiting.remove(&key).map(|(_, cause)| cause);
            // A change that came meanwhile is the nearer cause.
            if !self.dirty.contains_key(&key) {
                self.add(key, cause.unwrap_or_default());
            }
        }
        if let Some(first) = self.ticks.first().copied()
            && first.0 <= now
        {
            self.ticks.remove(&first);
            return Some(Due::Tick(first.1));
        }
        let key = self.ready.pop_front()?;
        let cause = self.dirty.remove(&key).unwrap_or_default();
        self.processing.insert(key.clone());
        Some(Due::Key(key, cause))
    }

    /// The key's sync ended.
    pub(super) fn done(&mut self, key: &Key) {
        self.processing.remove(key);
        if self.dirty.contains_key(key) {
            self.ready.push_back(key.clone());
        }
    }

    /// The next instant at which something becomes due by itself.
    pub(super) fn earliest(&self) -> Option<SimTime> {
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

    fn next(queue: &mut Queue, now: SimTime) -> Option<String> {
        match queue.next(now)? {
            Due::Key((_, key), _) => Some(key.name.to_string()),
            Due::Tick(_) => None,
        }
    }

    /// Shows: CT-158
    #[test]
    fn one_worker_a_key_duplicates_coalesce_back_off_doubles() {
        let mut queue = Queue::default();
        queue.add(key("a"), CausedBy::NOTHING);
        queue.add(key("a"), CausedBy::NOTHING);
        queue.add(key("b"), CausedBy::NOTHING);
        assert_eq!(next(&mut queue, SimTime::ZERO).as_deref(), Some("a"));
        queue.add(key("a"), CausedBy::NOTHING);
        assert_eq!(next(&mut queue, SimTime::ZERO).as_deref(), Some("b"));
        assert_eq!(next(&mut queue, SimTime::ZERO), None, "a is in process");
        queue.done(&key("a"));
        assert_eq!(next(&mut queue, SimTime::ZERO).as_deref(), Some("a"));
        queue.done(&key("a"));
        for expected in [5, 10, 20, 40] {
            queue.add_rate_limited(key("b"), Backoff::default(), SimTime::ZERO, CausedBy::NOTHING);
            assert_eq!(queue.earliest(), Some(SimTime::ZERO + Span::millis(expected)));
            queue.done(&key("b"));
            next(&mut queue, SimTime::from_seconds(1));
        }
        queue.forget(&key("b"));
        queue.add_rate_limited(key("b"), Backoff::default(), SimTime::ZERO, CausedBy::NOTHING);
        assert_eq!(queue.earliest(), Some(SimTime::ZERO + Span::millis(5)));
        for _ in 0..40 {
            queue.done(&key("b"));
            queue.add_rate_limited(key("b"), Backoff::default(), SimTime::ZERO, CausedBy::NOTHING);
            next(&mut queue, SimTime::from_seconds(5000));
        }
        queue.done(&key("b"));
        queue.add_rate_limited(key("b"), Backoff::default(), SimTime::ZERO, CausedBy::NOTHING);
        assert_eq!(queue.earliest(), Some(SimTime::from_seconds(1000)));
    }
}
