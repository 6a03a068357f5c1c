//! Stable sorting whose code the compiler generates only once, for all element types.

use std::cmp::Ordering;

/// Stable sorting. With `std`'s stable sort, 5 KiB of code would be generated for each element type and comparison.
pub trait StableSort {
    /// The element type.
    type Item;
    /// Sorts the elements; equal elements keep their order.
    fn stable_sort(&mut self)
    where
        Self::Item: Ord;
    /// Sorts with a comparison function; equal elements keep their order.
    fn stable_sort_by(&mut self, compare: impl FnMut(&Self::Item, &Self::Item) -> Ordering);
    /// Sorts by a key; elements with equal keys keep their order.
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
        let order = sorted_indices(self.len(), &mut |one, other| compare(&self[one], &self[other]));
        put_in_order(self, order);
    }

    fn stable_sort_by_key<K: Ord>(&mut self, mut key: impl FnMut(&T) -> K) {
        self.stable_sort_by(|one, other| key(one).cmp(&key(other)));
    }
}

/// Moves `items[order[i]]` to position `i`, for all i; swaps along each cycle of the permutation.
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

/// Returns, for each position of the sorted list, the index of the element that belongs there.
#[allow(clippy::disallowed_methods)] // the only instance of `std`'s sort
fn sorted_indices(len: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..len).collect();
    order.sort_by(|one, other| compare(*one, *other));
    order
}

#[cfg(test)]
mod tests {
    use super::StableSort;

    #[test]
    #[allow(clippy::disallowed_methods)] // the reference implementation
    fn stable_sort_behaves_like_std() {
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
