//! The event queue: pending events ordered by time; events at the same time keep the order in which they were pushed.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use podscope_api::CausedBy;

use crate::SimTime;

/// A pending event. `seq` orders events at the same time.
#[derive(Debug, Clone)]
struct QueuedEvent<E> {
    at: SimTime,
    seq: u64,
    caused_by: CausedBy,
    event: E,
}

impl<E> PartialEq for QueuedEvent<E> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<E> Eq for QueuedEvent<E> {}
impl<E> PartialOrd for QueuedEvent<E> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<E> Ord for QueuedEvent<E> {
    /// Reverses the order, because [`BinaryHeap`] pops the greatest entry and the queue needs the earliest.
    fn cmp(&self, other: &Self) -> Ordering {
        (other.at, other.seq).cmp(&(self.at, self.seq))
    }
}

#[derive(Debug, Clone)]
pub struct Queue<E> {
    heap: BinaryHeap<QueuedEvent<E>>,
    next_seq: u64,
    popped: u64,
    /// Time of the event that was popped last. Invariant: no pending event is earlier.
    reached: SimTime,
    /// The cause of events that are pushed now: the cause of the event that was popped last, unless
    /// [`Queue::set_cause`] replaced it.
    cause: CausedBy,
}

impl<E> Default for Queue<E> {
    fn default() -> Self {
        Self {
            heap: BinaryHeap::new(),
            next_seq: 0,
            popped: 0,
            reached: SimTime::ZERO,
            cause: CausedBy::NOTHING,
        }
    }
}

impl<E> Queue<E> {
    /// Adds an event, with [`Queue::cause`] as its cause.
    ///
    /// # Panics
    /// Panics if the event is earlier than the one that was popped last, because time would run backwards.
    pub fn push(&mut self, at: SimTime, event: E) {
        assert!(
            at >= self.reached,
            "an event for {at:?} was pushed after {:?} was reached",
            self.reached
        );
        let seq = self.next_seq;
        self.next_seq += 1;
        self.heap.push(QueuedEvent {
            at,
            seq,
            caused_by: self.cause,
            event,
        });
    }

    /// Returns when the next event is due.
    pub fn next_at(&self) -> Option<SimTime> {
        self.heap.peek().map(|entry| entry.at)
    }

    /// Returns the cause of events that are pushed now.
    pub fn cause(&self) -> CausedBy {
        self.cause
    }

    /// Sets the cause of events that are pushed from now on.
    pub fn set_cause(&mut self, cause: CausedBy) {
        self.cause = cause;
    }

    /// Takes the next event; its cause becomes the cause of events that are pushed from now on.
    pub fn pop(&mut self) -> Option<(SimTime, E)> {
        let entry = self.heap.pop()?;
        self.popped += 1;
        debug_assert!(entry.at >= self.reached, "events leave the queue in time order");
        self.reached = entry.at;
        self.cause = entry.caused_by;
        Some((entry.at, entry.event))
    }

    /// Returns the number of pending events, and the number of events popped so far.
    pub fn stats(&self) -> (usize, u64) {
        (self.heap.len(), self.popped)
    }
}
