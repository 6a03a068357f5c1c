//! The place of one key in a map.

use super::{Map, Slot};

/// The place of a key in a map.
pub enum Entry<'m, K, V> {
    /// The key is there.
    Occupied(OccupiedEntry<'m, K, V>),
    /// The key is not there.
    Vacant(VacantEntry<'m, K, V>),
}

/// The place of a key that is there.
pub struct OccupiedEntry<'m, K, V> {
    pub(super) map: &'m mut Map<K, V>,
    pub(super) slot: Slot,
}

/// The place of a key that is not there.
pub struct VacantEntry<'m, K, V> {
    pub(super) map: &'m mut Map<K, V>,
    pub(super) slot: Slot,
    pub(super) key: K,
}

impl<'m, K, V> OccupiedEntry<'m, K, V> {
    /// The value.
    pub fn into_mut(self) -> &'m mut V {
        &mut self.map.chunks[self.slot.chunk][self.slot.at].1
    }
}

impl<'m, K, V> VacantEntry<'m, K, V> {
    /// Puts the value there.
    pub fn insert(self, value: V) -> &'m mut V {
        self.map.put(self.slot, (self.key, value))
    }
}

impl<'m, K, V> Entry<'m, K, V> {
    /// The value, or that of `make`.
    pub fn or_insert_with(self, make: impl FnOnce() -> V) -> &'m mut V {
        match self {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => entry.insert(make()),
        }
    }

    /// The value, or this one.
    pub fn or_insert(self, value: V) -> &'m mut V {
        self.or_insert_with(|| value)
    }

    /// The value, or the type's default.
    pub fn or_default(self) -> &'m mut V
    where
        V: Default,
    {
        self.or_insert_with(V::default)
    }

    /// Changes the value if there is one.
    pub fn and_modify(mut self, change: impl FnOnce(&mut V)) -> Self {
        if let Entry::Occupied(entry) = &mut self {
            change(&mut entry.map.chunks[entry.slot.chunk][entry.slot.at].1);
        }
        self
    }
}
