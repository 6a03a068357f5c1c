//! Ordered maps and sets with the interface of `std`'s, and a stable sort, optimized for code size in wasm. The
//! collections of `std` are usually faster, but their code is generated again (several KiB) for each pair of key and
//! value types, and the engine has a hundred such pairs.
//!
//! ```text
//! chunks   [ a c e ] [ g k ] [ m p q z ]      sorted vectors of at most 128 entries, none empty
//! ```
//! A lookup is two binary searches; an insertion moves the entries of at most one chunk. Iteration is always in key
//! order.

mod entry;
mod go_sort;
mod iter;
mod set;
mod sort;

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::ops::{Bound, RangeBounds};

pub use self::entry::{Entry, OccupiedEntry, VacantEntry};
pub use self::go_sort::go_sort;
pub use self::iter::{Iter, IterMut, Keys, Values};
pub use self::set::Set;
pub use self::sort::StableSort;

/// Number of entries in a full chunk.
const CHUNK_MAX: usize = 128;

/// A map sorted by key.
///
/// Invariant: no chunk is empty, and the keys ascend within a chunk and from one chunk to the next.
#[derive(Clone)]
pub struct Map<K, V> {
    chunks: Vec<Vec<(K, V)>>,
}

/// The position of an entry.
#[derive(Clone, Copy)]
struct Slot {
    chunk: usize,
    at: usize,
}

impl<K, V> Map<K, V> {
    /// Creates an empty map.
    pub const fn new() -> Self {
        Self { chunks: Vec::new() }
    }

    pub fn len(&self) -> usize {
        self.chunks.iter().map(Vec::len).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.chunks.is_empty()
    }

    pub fn clear(&mut self) {
        self.chunks.clear();
    }

    /// Iterates over the entries in key order.
    pub fn iter(&self) -> Iter<'_, K, V> {
        Iter {
            front: [].iter(),
            middle: self.chunks.iter(),
            back: [].iter(),
        }
    }

    /// Iterates over the entries in key order, with mutable values.
    pub fn iter_mut(&mut self) -> impl DoubleEndedIterator<Item = (&K, &mut V)> {
        self.chunks.iter_mut().flatten().map(|(key, value)| (&*key, value))
    }

    /// Iterates over the keys in order.
    pub fn keys(&self) -> Keys<'_, K, V> {
        Keys(self.iter())
    }

    /// Iterates over the values in key order.
    pub fn values(&self) -> Values<'_, K, V> {
        Values(self.iter())
    }

    /// Iterates over mutable references to the values, in key order.
    pub fn values_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut V> {
        self.chunks.iter_mut().flatten().map(|(_, value)| value)
    }

    /// Consumes the map and returns its keys in order.
    pub fn into_keys(self) -> impl DoubleEndedIterator<Item = K> {
        self.chunks.into_iter().flatten().map(|(key, _)| key)
    }

    /// Consumes the map and returns its values in key order.
    pub fn into_values(self) -> impl DoubleEndedIterator<Item = V> {
        self.chunks.into_iter().flatten().map(|(_, value)| value)
    }

    /// Returns the entry with the smallest key.
    pub fn first_key_value(&self) -> Option<(&K, &V)> {
        self.iter().next()
    }

    /// Returns the entry with the largest key.
    pub fn last_key_value(&self) -> Option<(&K, &V)> {
        self.iter().next_back()
    }

    /// Removes and returns the entry with the smallest key.
    pub fn pop_first(&mut self) -> Option<(K, V)> {
        (!self.is_empty()).then(|| self.remove_at(Slot { chunk: 0, at: 0 }))
    }

    /// Keeps only the entries for which `keep` returns true.
    pub fn retain(&mut self, mut keep: impl FnMut(&K, &mut V) -> bool) {
        for chunk in &mut self.chunks {
            chunk.retain_mut(|(key, value)| keep(key, value));
        }
        self.chunks.retain(|chunk| !chunk.is_empty());
    }

    fn remove_at(&mut self, slot: Slot) -> (K, V) {
        let entry = self.chunks[slot.chunk].remove(slot.at);
        if self.chunks[slot.chunk].is_empty() {
            self.chunks.remove(slot.chunk);
        }
        entry
    }

    /// Inserts an entry at the position that [`Map::locate`] returned.
    fn insert_at(&mut self, mut slot: Slot, entry: (K, V)) -> &mut V {
        if self.chunks.is_empty() {
            // Most maps have only one entry.
            self.chunks.reserve_exact(1);
            self.chunks.push(Vec::with_capacity(1));
        }
        let chunk = &mut self.chunks[slot.chunk];
        if chunk.len() == CHUNK_MAX {
            // A key after the last key of a full chunk is put into a new chunk: if keys arrive in order, all chunks
            // become full.
            let split_at = if slot.at == CHUNK_MAX { CHUNK_MAX } else { CHUNK_MAX / 2 };
            let rest = chunk.split_off(split_at);
            self.chunks.insert(slot.chunk + 1, rest);
            if slot.at >= split_at && split_at < CHUNK_MAX || slot.at == CHUNK_MAX {
                slot = Slot {
                    chunk: slot.chunk + 1,
                    at: slot.at - split_at,
                };
            }
        }
        let chunk = &mut self.chunks[slot.chunk];
        chunk.insert(slot.at, entry);
        &mut chunk[slot.at].1
    }
}

impl<K: Ord, V> Map<K, V> {
    /// Finds a key: returns its position (`Ok`), or the position at which to insert it (`Err`).
    fn locate<Q: Ord + ?Sized>(&self, key: &Q) -> Result<Slot, Slot>
    where
        K: Borrow<Q>,
    {
        search_chunks(self.chunks.len(), &mut |chunk, at| {
            let entries = &self.chunks[chunk];
            let at = at.unwrap_or(entries.len() - 1);
            (entries.len(), entries[at].0.borrow().cmp(key))
        })
    }

    /// Returns the value of a key.
    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.locate(key).ok().map(|slot| &self.chunks[slot.chunk][slot.at].1)
    }

    /// Returns the stored key that equals `key`, and its value.
    pub fn get_key_value<Q: Ord + ?Sized>(&self, key: &Q) -> Option<(&K, &V)>
    where
        K: Borrow<Q>,
    {
        let slot = self.locate(key).ok()?;
        let (key, value) = &self.chunks[slot.chunk][slot.at];
        Some((key, value))
    }

    /// Returns a mutable reference to the value of a key.
    pub fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        let slot = self.locate(key).ok()?;
        Some(&mut self.chunks[slot.chunk][slot.at].1)
    }

    pub fn contains_key<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.locate(key).is_ok()
    }

    /// Sets the value of a key and returns the previous value.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        match self.locate(&key) {
            Ok(slot) => Some(std::mem::replace(&mut self.chunks[slot.chunk][slot.at].1, value)),
            Err(slot) => {
                debug_assert!(self.belongs_at(slot, &key), "entries are found by binary search");
                self.insert_at(slot, (key, value));
                None
            }
        }
    }

    /// Returns whether the key belongs at the slot: it is greater than the key before the slot in its chunk, and less
    /// than the key at the slot.
    fn belongs_at(&self, slot: Slot, key: &K) -> bool {
        let Some(chunk) = self.chunks.get(slot.chunk) else {
            return self.chunks.is_empty();
        };
        let (before, after) = chunk.split_at(slot.at);
        before.last().is_none_or(|(last, _)| last < key) && after.first().is_none_or(|(first, _)| key < first)
    }

    /// Removes a key and returns its value.
    pub fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        self.remove_entry(key).map(|(_, value)| value)
    }

    /// Removes a key and returns its entry.
    pub fn remove_entry<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<(K, V)>
    where
        K: Borrow<Q>,
    {
        self.locate(key).ok().map(|slot| self.remove_at(slot))
    }

    /// Returns the entry of a key, to update or insert its value.
    pub fn entry(&mut self, key: K) -> Entry<'_, K, V> {
        match self.locate(&key) {
            Ok(slot) => Entry::Occupied(OccupiedEntry { map: self, slot }),
            Err(slot) => Entry::Vacant(VacantEntry { map: self, slot, key }),
        }
    }

    /// Iterates over the entries with keys in a range, in order.
    pub fn range<Q: Ord + ?Sized, R: RangeBounds<Q>>(&self, range: R) -> Iter<'_, K, V>
    where
        K: Borrow<Q>,
    {
        let from = match range.start_bound() {
            Bound::Unbounded => Slot { chunk: 0, at: 0 },
            Bound::Included(key) => self.locate(key).unwrap_or_else(|slot| slot),
            Bound::Excluded(key) => self.slot_after(key),
        };
        let to = match range.end_bound() {
            Bound::Unbounded => None,
            Bound::Included(key) => Some(self.slot_after(key)),
            Bound::Excluded(key) => Some(self.locate(key).unwrap_or_else(|slot| slot)),
        };
        self.iter_between(from, to)
    }

    fn slot_after<Q: Ord + ?Sized>(&self, key: &Q) -> Slot
    where
        K: Borrow<Q>,
    {
        match self.locate(key) {
            Ok(slot) => Slot {
                at: slot.at + 1,
                ..slot
            },
            Err(slot) => slot,
        }
    }

    fn iter_between(&self, from: Slot, to: Option<Slot>) -> Iter<'_, K, V> {
        let empty = Iter {
            front: [].iter(),
            middle: [].iter(),
            back: [].iter(),
        };
        let Some(first) = self.chunks.get(from.chunk) else {
            return empty;
        };
        match to {
            None => Iter {
                front: first[from.at..].iter(),
                middle: self.chunks[from.chunk + 1..].iter(),
                back: [].iter(),
            },
            Some(to) if to.chunk < from.chunk || (to.chunk == from.chunk && to.at <= from.at) => empty,
            Some(to) if to.chunk == from.chunk => Iter {
                front: first[from.at..to.at].iter(),
                ..empty
            },
            Some(to) => Iter {
                front: first[from.at..].iter(),
                middle: self.chunks[from.chunk + 1..to.chunk].iter(),
                back: self.chunks[to.chunk][..to.at].iter(),
            },
        }
    }
}

/// Finds a key in the given number of chunks: returns its position (`Ok`), or the position at which to insert it
/// (`Err`). `compare(chunk, at)` returns the length of the chunk, and the order of the chunk's key at index `at` (None:
/// its last key) relative to the searched key.
fn search_chunks(
    chunk_count: usize,
    compare: &mut dyn FnMut(usize, Option<usize>) -> (usize, Ordering),
) -> Result<Slot, Slot> {
    // Binary search for the first chunk whose last key is not smaller than the searched key; if all last keys are
    // smaller, the last chunk.
    let (mut chunk, mut end) = (0, chunk_count.saturating_sub(1));
    while chunk < end {
        let middle = (chunk + end) / 2;
        match compare(middle, None).1 {
            Ordering::Less => chunk = middle + 1,
            _ => end = middle,
        }
    }
    if chunk_count == 0 {
        return Err(Slot { chunk, at: 0 });
    }
    let (mut at, (mut end, last)) = (0, compare(chunk, None));
    if last == Ordering::Less {
        return Err(Slot { chunk, at: end });
    }
    while at < end {
        let middle = (at + end) / 2;
        match compare(chunk, Some(middle)).1 {
            Ordering::Less => at = middle + 1,
            Ordering::Equal => return Ok(Slot { chunk, at: middle }),
            Ordering::Greater => end = middle,
        }
    }
    Err(Slot { chunk, at })
}

impl<K, V> Default for Map<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: fmt::Debug, V: fmt::Debug> fmt::Debug for Map<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl<K: PartialEq, V: PartialEq> PartialEq for Map<K, V> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl<K: Eq, V: Eq> Eq for Map<K, V> {}
impl<K: PartialOrd, V: PartialOrd> PartialOrd for Map<K, V> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.iter().partial_cmp(other.iter())
    }
}

impl<K: Ord, V: Ord> Ord for Map<K, V> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.iter().cmp(other.iter())
    }
}

impl<K: Hash, V: Hash> Hash for Map<K, V> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.len().hash(state);
        self.iter().for_each(|entry| entry.hash(state));
    }
}

impl<K: Ord, V> Extend<(K, V)> for Map<K, V> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, entries: I) {
        for (key, value) in entries {
            self.insert(key, value);
        }
    }
}

impl<K: Ord, V> FromIterator<(K, V)> for Map<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut map = Self::new();
        map.extend(entries);
        map
    }
}

impl<K: Ord, V, const N: usize> From<[(K, V); N]> for Map<K, V> {
    fn from(entries: [(K, V); N]) -> Self {
        entries.into_iter().collect()
    }
}

impl<K: Ord + Borrow<Q>, Q: Ord + ?Sized, V> std::ops::Index<&Q> for Map<K, V> {
    type Output = V;
    fn index(&self, key: &Q) -> &V {
        self.get(key).expect("no entry for this key")
    }
}

impl<K: serde::Serialize, V: serde::Serialize> serde::Serialize for Map<K, V> {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeMap as _;
        // Some formats require the length before the entries.
        let mut map = s.serialize_map(Some(self.len()))?;
        for (key, value) in self {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

impl<'de, K: serde::Deserialize<'de> + Ord, V: serde::Deserialize<'de>> serde::Deserialize<'de> for Map<K, V> {
    fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct MapVisitor<K, V>(PhantomData<(K, V)>);

        impl<'de, K: serde::Deserialize<'de> + Ord, V: serde::Deserialize<'de>> serde::de::Visitor<'de> for MapVisitor<K, V> {
            type Value = Map<K, V>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map")
            }

            fn visit_map<A: serde::de::MapAccess<'de>>(self, mut entries: A) -> Result<Map<K, V>, A::Error> {
                let mut map = Map::new();
                while let Some((key, value)) = entries.next_entry()? {
                    map.insert(key, value);
                }
                Ok(map)
            }
        }

        d.deserialize_map(MapVisitor(PhantomData))
    }
}

#[cfg(test)]
mod tests {
    use super::Map;

    #[test]
    fn map_round_trips_through_json() {
        let map = Map::from([("b".to_string(), 2), ("a".to_string(), 1)]);
        let text = serde_json::to_string(&map).expect("a map serializes");
        assert_eq!(text, r#"{"a":1,"b":2}"#);
        assert_eq!(
            serde_json::from_str::<Map<String, i32>>(&text).expect("the text parses"),
            map
        );
    }

    /// Every operation gives the same result as `std`'s map; there are enough keys for many chunks.
    #[test]
    #[allow(clippy::disallowed_types)] // the reference implementation
    fn map_behaves_like_std_btree_map() {
        let mut ours = Map::new();
        let mut theirs = std::collections::BTreeMap::new();
        let mut seed = 1_u32;
        for round in 0..20_000_u32 {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let key = if round < 1000 { round } else { (seed >> 8) % 2000 };
            if seed >> 31 == 0 || round < 1000 {
                assert_eq!(ours.insert(key, round), theirs.insert(key, round));
            } else {
                assert_eq!(ours.remove(&key), theirs.remove(&key));
            }
            *ours.entry(key / 2).or_insert(0) += 1;
            *theirs.entry(key / 2).or_insert(0) += 1;
            if round % 500 == 0 {
                let end = key.saturating_add(seed % 900);
                assert!(ours.range(key..end).eq(theirs.range(key..end)));
                assert!(ours.range(key..).rev().eq(theirs.range(key..).rev()));
                assert!(ours.range(..=key).eq(theirs.range(..=key)));
                assert_eq!(ours.first_key_value(), theirs.first_key_value());
                assert_eq!(ours.last_key_value(), theirs.last_key_value());
                ours.retain(|key, _| !key.is_multiple_of(7));
                theirs.retain(|key, _| !key.is_multiple_of(7));
            }
            assert_eq!(ours.get(&key), theirs.get(&key));
        }
        assert_eq!(ours.len(), theirs.len());
        assert!(ours.iter().eq(theirs.iter()) && ours.keys().rev().eq(theirs.keys().rev()));
        assert!(
            ours.chunks
                .iter()
                .all(|chunk| !chunk.is_empty() && chunk.len() <= super::CHUNK_MAX)
        );
        assert!(ours.into_iter().eq(theirs));
    }
}
