//! A persistent queue: clones share all chunks but the last, so that a checkpoint that holds one stays small.

use std::collections::VecDeque;
use std::sync::Arc;

/// Number of values per chunk.
const VALUES_PER_CHUNK: u64 = 256;

/// Values in insertion order, each with an increasing number.
///
/// Invariant: all chunks but the last are full, and the first chunk starts at the greatest multiple of
/// [`VALUES_PER_CHUNK`] that is not greater than `first`.
#[derive(Debug, Clone)]
pub(super) struct Fifo<T> {
    chunks: VecDeque<Arc<Vec<T>>>,
    first: u64,
    next: u64,
}

impl<T> Default for Fifo<T> {
    fn default() -> Self {
        Self {
            chunks: VecDeque::new(),
            first: 0,
            next: 0,
        }
    }
}

impl<T: Clone> Fifo<T> {
    pub(super) fn len(&self) -> usize {
        (self.next - self.first) as usize
    }

    /// Appends a value and returns its number.
    pub(super) fn push(&mut self, value: T) -> u64 {
        let number = self.next;
        if number.is_multiple_of(VALUES_PER_CHUNK) {
            self.chunks.push_back(Arc::default());
        }
        let chunk = self.chunks.back_mut().expect("the last chunk has room");
        Arc::make_mut(chunk).push(value);
        self.next += 1;
        debug_assert!(
            self.has_exactly_needed_chunks(),
            "a value is found by the number of its chunk"
        );
        number
    }

    /// Returns whether the chunks cover exactly the values from the first to the last.
    fn has_exactly_needed_chunks(&self) -> bool {
        self.chunks.len() as u64 == self.next.div_ceil(VALUES_PER_CHUNK) - self.first / VALUES_PER_CHUNK
    }

    /// Removes the oldest value and returns it with its number.
    pub(super) fn pop(&mut self) -> Option<(u64, T)> {
        let number = (self.first < self.next).then_some(self.first)?;
        let value = self.chunks[0][(number % VALUES_PER_CHUNK) as usize].clone();
        self.first += 1;
        if self.first.is_multiple_of(VALUES_PER_CHUNK) {
            self.chunks.pop_front();
        }
        debug_assert!(
            self.has_exactly_needed_chunks(),
            "a value is found by the number of its chunk"
        );
        Some((number, value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fifo_pops_in_insertion_order_and_clones_are_independent() {
        let mut queue = Fifo::default();
        let numbers: Vec<u64> = (0..600).map(|value: u64| queue.push(value * 10)).collect();
        assert_eq!(numbers, (0..600).collect::<Vec<_>>());
        let snapshot = queue.clone();
        for value in 0..600 {
            assert_eq!(queue.pop(), Some((value, value * 10)));
        }
        assert_eq!((queue.pop(), queue.len()), (None, 0));
        assert_eq!((queue.push(1), queue.pop(), queue.pop()), (600, Some((600, 1)), None));
        let mut snapshot = snapshot;
        assert_eq!(
            (snapshot.len(), snapshot.pop(), snapshot.push(7)),
            (600, Some((0, 0)), 600)
        );
    }
}
