//! The entry API of [`Map`], like that of `std`.

use super::{Map, Slot};

/// The entry of a key, whether or not the key is in the map.
pub enum Entry<'m, K, V> {
    /// The key is in the map.
    Occupied(OccupiedEntry<'m, K, V>),
    /// The key is not in the map.
    Vacant(VacantEntry<'m, K, V>),
}

/// The entry of a key that is in the map.
pub struct OccupiedEntry<'m, K, V> {
    pub(super) map: &'m mut Map<K, V>,
    pub(super) slot: Slot,
}

/// The position for a key that is not in the map.
pub struct VacantEntry<'m, K, V> {
    pub(super) map: &'m mut Map<K, V>,
    pub(super) slot: Slot,
    pub(super) key: K,
}

impl<'m, K, V> OccupiedEntry<'m, K, V> {
    /// Converts the entry to a reference to its value.
    pub fn into_mut(self) -> &'m mut V {
        &mut self.map.chunks[self.slot.chunk][self.slot.at].1
    }
}

impl<'m, K, V> VacantEntry<'m, K, V> {
    /// Inserts the value.
    pub fn insert(self, value: V) -> &'m mut V {
        self.map.insert_at(self.slot, (self.key, value))
    }
}

impl<'m, K, V> Entry<'m, K, V> {
    /// Returns the value; if the key is absent, inserts the result of `make` first.
    pub fn or_insert_with(self, make: impl FnOnce() -> V) -> &'m mut V {
        match self {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => entry.insert(make()),
        }
    }

    /// Returns the value; if the key is absent, inserts `value` first.
    pub fn or_insert(self, value: V) -> &'m mut V {
        self.or_insert_with(|| value)
    }

    /// Returns the value; if the key is absent, inserts the default first.
    pub fn or_default(self) -> &'m mut V
    where
        V: Default,
    {
        self.or_insert_with(V::default)
    }

    /// Changes the value if the key is present.
    pub fn and_modify(mut self, change: impl FnOnce(&mut V)) -> Self {
        if let Entry::Occupied(entry) = &mut self {
            change(&mut entry.map.chunks[entry.slot.chunk][entry.slot.at].1);
        }
        self
    }
}
