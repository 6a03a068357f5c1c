//! Iterators over a map.

use std::slice;

use super::Map;

impl<K, V> IntoIterator for Map<K, V> {
    type Item = (K, V);
    type IntoIter = std::iter::Flatten<std::vec::IntoIter<Vec<(K, V)>>>;
    fn into_iter(self) -> Self::IntoIter {
        self.chunks.into_iter().flatten()
    }
}

impl<'m, K, V> IntoIterator for &'m Map<K, V> {
    type Item = (&'m K, &'m V);
    type IntoIter = Iter<'m, K, V>;
    fn into_iter(self) -> Iter<'m, K, V> {
        self.iter()
    }
}

impl<'m, K, V> IntoIterator for &'m mut Map<K, V> {
    type Item = (&'m K, &'m mut V);
    type IntoIter = IterMut<'m, K, V>;
    fn into_iter(self) -> IterMut<'m, K, V> {
        IterMut(self.chunks.iter_mut().flatten())
    }
}

/// Iterates over the entries in key order.
pub struct Iter<'m, K, V> {
    pub(super) front: slice::Iter<'m, (K, V)>,
    pub(super) middle: slice::Iter<'m, Vec<(K, V)>>,
    pub(super) back: slice::Iter<'m, (K, V)>,
}

impl<K, V> Clone for Iter<'_, K, V> {
    fn clone(&self) -> Self {
        Self {
            front: self.front.clone(),
            middle: self.middle.clone(),
            back: self.back.clone(),
        }
    }
}

impl<'m, K, V> Iterator for Iter<'m, K, V> {
    type Item = (&'m K, &'m V);
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some((key, value)) = self.front.next() {
                return Some((key, value));
            }
            match self.middle.next() {
                Some(chunk) => self.front = chunk.iter(),
                None => return self.back.next().map(|(key, value)| (key, value)),
            }
        }
    }
}

impl<K, V> DoubleEndedIterator for Iter<'_, K, V> {
    fn next_back(&mut self) -> Option<Self::Item> {
        loop {
            if let Some((key, value)) = self.back.next_back() {
                return Some((key, value));
            }
            match self.middle.next_back() {
                Some(chunk) => self.back = chunk.iter(),
                None => return self.front.next_back().map(|(key, value)| (key, value)),
            }
        }
    }
}

/// Iterates over the entries in key order, with mutable values.
pub struct IterMut<'m, K, V>(std::iter::Flatten<slice::IterMut<'m, Vec<(K, V)>>>);
impl<'m, K, V> Iterator for IterMut<'m, K, V> {
    type Item = (&'m K, &'m mut V);
    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(|(key, value)| (&*key, value))
    }
}

macro_rules! key_and_value_iterators {
    ($(#[$m:meta] $name:ident, $item:ty, $at:tt;)*) => {$(
        #[$m]
        pub struct $name<'m, K, V>(pub(super) Iter<'m, K, V>);
        impl<K, V> Clone for $name<'_, K, V> {
            fn clone(&self) -> Self {
                Self(self.0.clone())
            }
        }

        impl<'m, K, V> Iterator for $name<'m, K, V> {
            type Item = $item;
            fn next(&mut self) -> Option<$item> {
                self.0.next().map(|entry| entry.$at)
            }
        }

        impl<'m, K, V> DoubleEndedIterator for $name<'m, K, V> {
            fn next_back(&mut self) -> Option<$item> {
                self.0.next_back().map(|entry| entry.$at)
            }
        }
    )*};
}
key_and_value_iterators! {
    /// Iterates over the keys in order.
    Keys, &'m K, 0;
    /// Iterates over the values in key order.
    Values, &'m V, 1;
}
