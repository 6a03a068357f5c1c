//! The event queue: what will happen, by instant, and at equal instants in
//! the order in which it was decided.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use podscope_api::CausedBy;

use crate::SimTime;

#[derive(Debug, Clone)]
struct Entry<E> {
    at: SimTime,
    seq: u64,
    caused_by: CausedBy,
    event: E,
}

impl<E> PartialEq for Entry<E> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<E> Eq for Entry<E> {}
impl<E> PartialOrd for Entry<E> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<E> Ord for Entry<E> {
    /// The earliest is the greatest, for the heap.
    fn cmp(&self, other: &Self) -> Ordering {
        (other.at, other.seq).cmp(&(self.at, self.seq))
    }
}

#[derive(Debug, Clone)]
pub struct Queue<E> {
    heap: BinaryHeap<Entry<E>>,
    next_seq: u64,
    popped: u64,
    /// When the event that was taken last was due. Invariant: nothing waits that is due before it.
    reached: SimTime,
    /// What led to whatever is pushed now: the cause of the event that was taken last, until someone says otherwise.
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
    /// It is due before one that was taken already: time would run back.
    pub fn push(&mut self, at: SimTime, event: E) {
        assert!(
            at >= self.reached,
            "an event at {at:?} after {:?} was reached",
            self.reached
        );
        let seq = self.next_seq;
        self.next_seq += 1;
        self.heap.push(Entry {
            at,
            seq,
            caused_by: self.cause,
            event,
        });
    }

    /// When the next event is due.
    pub fn next_at(&self) -> Option<SimTime> {
        self.heap.peek().map(|entry| entry.at)
    }

    /// What led to whatever is pushed now.
    pub fn cause(&self) -> CausedBy {
        self.cause
    }

    /// From here on, this led to what is pushed.
    pub fn set_cause(&mut self, cause: CausedBy) {
        self.cause = cause;
    }

    /// Takes the next event; its cause is that of what is pushed from here on.
    pub fn pop(&mut self) -> Option<(SimTime, E)> {
        let entry = self.heap.pop()?;
        self.popped += 1;
        debug_assert!(entry.at >= self.reached, "the earliest comes first");
        self.reached = entry.at;
        self.cause = entry.caused_by;
        Some((entry.at, entry.event))
    }

    /// How many events wait, and how many were taken so far.
    pub fn stats(&self) -> (usize, u64) {
        (self.heap.len(), self.popped)
    }
}
