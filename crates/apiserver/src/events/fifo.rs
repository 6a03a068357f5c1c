//! A queue of which clones share all but the end: a checkpoint holds one, and the next event goes on with another.

use std::collections::VecDeque;
use std::sync::Arc;

/// Values of a chunk.
const CHUNK: u64 = 256;

/// Values in the order of their coming, each with a number that no later one has.
///
/// Invariant: all chunks but the last are full, and the first one begins at the multiple of [`CHUNK`] that is not after
/// `first`.
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

    /// Puts a value at the end; its number.
    pub(super) fn push(&mut self, value: T) -> u64 {
        let number = self.next;
        if number.is_multiple_of(CHUNK) {
            self.chunks.push_back(Arc::default());
        }
        let chunk = self.chunks.back_mut().expect("a chunk that is not full is there");
        Arc::make_mut(chunk).push(value);
        self.next += 1;
        number
    }

    /// Takes the value that came first, with its number.
    pub(super) fn pop(&mut self) -> Option<(u64, T)> {
        let number = (self.first < self.next).then_some(self.first)?;
        let value = self.chunks[0][(number % CHUNK) as usize].clone();
        self.first += 1;
        if self.first.is_multiple_of(CHUNK) {
            self.chunks.pop_front();
        }
        Some((number, value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_came_first_goes_first_and_a_clone_stays_as_it_was() {
        let mut queue = Fifo::default();
        let numbers: Vec<u64> = (0..600).map(|value: u64| queue.push(value * 10)).collect();
        assert_eq!(numbers, (0..600).collect::<Vec<_>>());
        let kept = queue.clone();
        for value in 0..600 {
            assert_eq!(queue.pop(), Some((value, value * 10)));
        }
        assert_eq!((queue.pop(), queue.len()), (None, 0));
        assert_eq!((queue.push(1), queue.pop(), queue.pop()), (600, Some((600, 1)), None));
        let mut kept = kept;
        assert_eq!((kept.len(), kept.pop(), kept.push(7)), (600, Some((0, 0)), 600));
    }
}
