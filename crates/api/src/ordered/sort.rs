//! Sorting, with the code of the algorithm once for all types of elements.

use std::cmp::Ordering;

/// Stable sorting like `std`'s, whose code comes again (5 KiB) for each type and each order.
pub trait StableSort {
    /// What is sorted.
    type Item;
    /// Sorts; equal elements keep their order.
    fn stable_sort(&mut self)
    where
        Self::Item: Ord;
    /// Sorts by a comparison; equal elements keep their order.
    fn stable_sort_by(&mut self, compare: impl FnMut(&Self::Item, &Self::Item) -> Ordering);
    /// Sorts by a key; elements of equal keys keep their order.
    fn stable_sort_by_key<K: Ord>(&mut self, key: impl FnMut(&Self::Item) -> K);
}

impl<T> StableSort for [T] {
    type Item = T;

    fn stable_sort(&mut self)
    where
        T: Ord,
    {
        self.stable_sort_by(T::cmp);
    }

    fn stable_sort_by(&mut self, mut compare: impl FnMut(&T, &T) -> Ordering) {
        let order = order(self.len(), &mut |one, other| compare(&self[one], &self[other]));
        put_in_order(self, order);
    }

    fn stable_sort_by_key<K: Ord>(&mut self, mut key: impl FnMut(&T) -> K) {
        self.stable_sort_by(|one, other| key(one).cmp(&key(other)));
    }
}

/// Every position takes the element that belongs there; a cycle of positions is one round of swaps.
pub(super) fn put_in_order<T>(items: &mut [T], mut order: Vec<usize>) {
    for start in 0..order.len() {
        let mut at = start;
        loop {
            let from = std::mem::replace(&mut order[at], at);
            if from == start {
                break;
            }
            items.swap(at, from);
            at = from;
        }
    }
}

/// Which element belongs to each position.
#[allow(clippy::disallowed_methods)] // the one instance of `std`'s
fn order(len: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..len).collect();
    order.sort_by(|one, other| compare(*one, *other));
    order
}

#[cfg(test)]
mod tests {
    use super::StableSort;

    #[test]
    #[allow(clippy::disallowed_methods)] // what it is compared with
    fn sorts_as_std_does_and_keeps_the_order_of_equals() {
        let mut seed = 7_u32;
        for len in 0..60 {
            let mut ours: Vec<(u32, usize)> = (0..len)
                .map(|at| {
                    seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    (seed >> 28, at)
                })
                .collect();
            let mut theirs = ours.clone();
            ours.stable_sort_by_key(|(key, _)| *key);
            theirs.sort_by_key(|(key, _)| *key);
            assert_eq!(ours, theirs);
        }
    }
}
