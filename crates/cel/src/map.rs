//! CEL maps with string keys that iterate in the order of their keys.

use std::sync::Arc;

use cel::ExecutionError;
use cel::common::traits::{Container, Indexer, Iterable, Iterator as Elements, Sizer, Zeroer};
use cel::common::types::{CelInt, CelString, MAP_TYPE, Type};
use cel::common::value::{CowVal, Val};

/// Returns the key for indexing a map.
///
/// # Errors
/// The index is not a string.
pub(crate) fn string_key(value: &dyn Val) -> Result<&str, ExecutionError> {
    value
        .downcast_ref::<CelString<'_>>()
        .map(CelString::inner)
        .ok_or_else(|| ExecutionError::UnexpectedType {
            got: value.get_type().name().to_owned(),
            want: "string".to_owned(),
        })
}

/// A map sorted by key. Clones share the entries.
#[derive(Debug, Clone)]
pub(crate) struct SortedMap<V> {
    entries: Arc<Vec<(CelString<'static>, V)>>,
    /// Default value for missing keys; None if reading a missing key is an error.
    absent: Option<V>,
}

/// A map of values of any type.
pub(crate) type Record = SortedMap<SharedValue>;

/// A CEL value; clones share it.
#[derive(Debug, Clone)]
pub(crate) struct SharedValue(Arc<dyn Val>);

impl SharedValue {
    pub(crate) fn new(value: Box<dyn Val>) -> Self {
        Self(Arc::from(value))
    }
}

/// A value of a [`SortedMap`].
pub(crate) trait MapValue: std::fmt::Debug + Clone + Send + Sync + 'static {
    fn as_val(&self) -> &(dyn Val + 'static);
}

impl MapValue for SharedValue {
    fn as_val(&self) -> &(dyn Val + 'static) {
        &*self.0
    }
}

impl<V: MapValue> MapValue for SortedMap<V> {
    fn as_val(&self) -> &(dyn Val + 'static) {
        self
    }
}

impl<V> SortedMap<V> {
    /// Creates a map from entries that are sorted by key; reading a missing key is an error.
    pub(crate) fn of(entries: Vec<(CelString<'static>, V)>) -> Self {
        Self {
            entries: Arc::new(entries),
            absent: None,
        }
    }

    /// Returns the same map with a default value for missing keys.
    pub(crate) fn with_value_for_absent_key(self, absent: V) -> Self {
        Self {
            absent: Some(absent),
            ..self
        }
    }

    fn find(&self, key: &str) -> Option<&V> {
        let at = self
            .entries
            .binary_search_by(|(known, _)| known.inner().cmp(key))
            .ok()?;
        Some(&self.entries[at].1)
    }
}

impl<V: MapValue> Val for SortedMap<V> {
    fn get_type(&self) -> &Type {
        &MAP_TYPE
    }

    fn cel_type() -> &'static Type {
        &MAP_TYPE
    }

    fn as_container(&self) -> Option<&dyn Container> {
        Some(self)
    }

    fn as_indexer<'b, 'v>(&'b self) -> Option<&'b (dyn Indexer + 'v)>
    where
        Self: 'v,
    {
        Some(self)
    }

    fn as_iterable<'b, 'v>(&'b self) -> Option<&'b (dyn Iterable + 'v)>
    where
        Self: 'v,
    {
        Some(self)
    }

    fn as_sizer(&self) -> Option<&dyn Sizer> {
        Some(self)
    }

    fn as_zeroer(&self) -> Option<&dyn Zeroer> {
        Some(self)
    }

    fn equals(&self, other: &dyn Val) -> bool {
        let (Some(size), Some(values)) = (other.as_sizer(), other.as_indexer()) else {
            return false;
        };
        let is_equal = |(key, value): &(CelString<'static>, V)| {
            let found = values.get(key);
            found.is_ok_and(|found| value.as_val().equals(&*found))
        };
        other.get_type().name() == MAP_TYPE.name()
            && *size.size().inner() == self.entries.len() as i64
            && self.entries.iter().all(is_equal)
    }

    fn clone_as_boxed<'v>(&self) -> Box<dyn Val + 'v>
    where
        Self: 'v,
    {
        Box::new(self.clone())
    }
}

impl<V: MapValue> Indexer for SortedMap<V> {
    fn get<'b, 'v>(&'b self, index: &dyn Val) -> Result<CowVal<'b, 'v>, ExecutionError>
    where
        Self: 'v,
    {
        let key = string_key(index)?;
        let found = self.find(key).or(self.absent.as_ref());
        found
            .map(|value| CowVal::Borrowed(value.as_val()))
            .ok_or_else(|| ExecutionError::no_such_key(key))
    }

    fn steal<'v>(self: Box<Self>, index: &dyn Val) -> Result<Box<dyn Val + 'v>, ExecutionError>
    where
        Self: 'v,
    {
        self.get(index).map(CowVal::into_owned)
    }
}

impl<V: MapValue> Container for SortedMap<V> {
    fn contains(&self, value: &dyn Val) -> Result<bool, ExecutionError> {
        Ok(string_key(value).is_ok_and(|key| self.find(key).is_some()))
    }
}

impl<V: MapValue> Sizer for SortedMap<V> {
    fn size(&self) -> CelInt {
        CelInt::from(self.entries.len() as i64)
    }
}

impl<V: MapValue> Zeroer for SortedMap<V> {
    fn is_zero_value(&self) -> bool {
        self.entries.is_empty()
    }
}

impl<V: MapValue> Iterable for SortedMap<V> {
    fn iter<'b, 'v>(&'b self) -> Box<dyn Elements<'b, 'v> + 'b>
    where
        Self: 'v,
    {
        Box::new(MapKeys(self.entries.iter()))
    }
}

struct MapKeys<'b, V>(std::slice::Iter<'b, (CelString<'static>, V)>);

impl<'b, 'v, V> Elements<'b, 'v> for MapKeys<'b, V> {
    fn next(&mut self) -> Option<&'b (dyn Val + 'v)> {
        self.0.next().map(|(key, _)| key as &dyn Val)
    }
}
