//! The variable `device` of CEL expressions.

use std::sync::Arc;

use cel::ExecutionError;
use cel::common::traits::{Container, Indexer, Iterable, Iterator as Elements, Sizer};
use cel::common::types::{CelBool, CelInt, CelString, MAP_TYPE, Type};
use cel::common::value::{CowVal, Val};
use podscope_api::ordered::StableSort as _;
use podscope_api::{Device, DeviceAttribute};

use crate::quantity::CelQuantity;
use crate::version::CelVersion;

static DEVICE: Type = Type::new_unspecified_type("kubernetes.DRADevice");

/// The fields of a device that an expression can access. Clones share the data.
#[derive(Debug, Clone)]
pub struct DeviceValue(Arc<Fields>);

#[derive(Debug)]
struct Fields {
    driver: CelString<'static>,
    attributes: Domains,
    capacity: Domains,
    allow_multiple_allocations: CelBool,
}

impl DeviceValue {
    /// A device of a driver. Attribute names without a domain get the driver's name as their domain.
    pub fn new(driver: &str, device: &Device) -> Self {
        let attributes = device.attributes.iter().filter_map(|(name, value)| {
            let value = attribute(value)?;
            Some((&**name, value))
        });
        let capacity = device.capacity.iter().map(|(name, capacity)| {
            let value: Box<dyn Val> = Box::new(CelQuantity(capacity.value));
            (&**name, value)
        });
        Self(Arc::new(Fields {
            attributes: Domains::new(driver, attributes),
            capacity: Domains::new(driver, capacity),
            driver: CelString::from(driver.to_owned()),
            allow_multiple_allocations: CelBool::from(device.allow_multiple_allocations == Some(true)),
        }))
    }
}

fn attribute(value: &DeviceAttribute) -> Option<Box<dyn Val>> {
    if let Some(int) = value.int {
        return Some(Box::new(CelInt::from(int)));
    }
    if let Some(boolean) = value.boolean {
        return Some(Box::new(CelBool::from(boolean)));
    }
    if let Some(text) = &value.string {
        return Some(Box::new(CelString::from(text.to_string())));
    }
    let version = value.version.as_ref()?.parse().ok()?;
    Some(Box::new(CelVersion(version)))
}

fn key_of(value: &dyn Val) -> Result<&str, ExecutionError> {
    value
        .downcast_ref::<CelString<'_>>()
        .map(CelString::inner)
        .ok_or_else(|| ExecutionError::UnexpectedType {
            got: value.get_type().name().to_owned(),
            want: "string".to_owned(),
        })
}

impl Val for DeviceValue {
    fn get_type(&self) -> &Type {
        &DEVICE
    }

    fn cel_type() -> &'static Type {
        &DEVICE
    }

    fn as_indexer<'b, 'v>(&'b self) -> Option<&'b (dyn Indexer + 'v)>
    where
        Self: 'v,
    {
        Some(self)
    }

    fn clone_as_boxed<'v>(&self) -> Box<dyn Val + 'v>
    where
        Self: 'v,
    {
        Box::new(self.clone())
    }
}

impl Indexer for DeviceValue {
    fn get<'b, 'v>(&'b self, index: &dyn Val) -> Result<CowVal<'b, 'v>, ExecutionError>
    where
        Self: 'v,
    {
        Ok(match key_of(index)? {
            "driver" => CowVal::Borrowed(&self.0.driver),
            "attributes" => CowVal::Borrowed(&self.0.attributes),
            "capacity" => CowVal::Borrowed(&self.0.capacity),
            "allowMultipleAllocations" => CowVal::Borrowed(&self.0.allow_multiple_allocations),
            other => return Err(ExecutionError::no_such_key(other)),
        })
    }

    fn steal<'v>(self: Box<Self>, index: &dyn Val) -> Result<Box<dyn Val + 'v>, ExecutionError>
    where
        Self: 'v,
    {
        self.get(index).map(CowVal::into_owned)
    }
}

/// A map sorted by key, so that the order of iteration is defined.
#[derive(Debug, Clone)]
struct SortedMap<V> {
    entries: Arc<Vec<(CelString<'static>, V)>>,
    /// The value of missing keys; None if a missing key is an error.
    absent: Option<V>,
}

type Domain = SortedMap<Shared>;
type Domains = SortedMap<Domain>;

/// A value shared by its clones.
#[derive(Debug, Clone)]
struct Shared(Arc<dyn Val>);

/// A value of a [`SortedMap`].
trait MapValue: std::fmt::Debug + Clone + Send + Sync + 'static {
    fn as_val(&self) -> &(dyn Val + 'static);
}

impl MapValue for Shared {
    fn as_val(&self) -> &(dyn Val + 'static) {
        &*self.0
    }
}

impl MapValue for Domain {
    fn as_val(&self) -> &(dyn Val + 'static) {
        self
    }
}

impl Domains {
    fn new<'a>(driver: &str, values: impl Iterator<Item = (&'a str, Box<dyn Val>)>) -> Self {
        let mut sorted: Vec<(&str, &str, Box<dyn Val>)> = values
            .map(|(name, value)| {
                let (domain, id) = name.split_once('/').unwrap_or((driver, name));
                (domain, id, value)
            })
            .collect();
        // A stable sort: equal names keep their order in the device's map.
        sorted.stable_sort_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)));
        let mut domains: Vec<(CelString<'static>, Vec<(CelString<'static>, Shared)>)> = Vec::new();
        for (domain, id, value) in sorted {
            if domains.last().is_none_or(|(last, _)| last.inner() != domain) {
                domains.push((CelString::from(domain.to_owned()), Vec::new()));
            }
            if let Some((_, ids)) = domains.last_mut() {
                ids.push((CelString::from(id.to_owned()), Shared(Arc::from(value))));
            }
        }
        let entries = domains.into_iter().map(|(domain, ids)| (domain, Domain::of(ids)));
        Self {
            entries: Arc::new(entries.collect()),
            absent: Some(Domain::of(Vec::new())),
        }
    }
}

impl Domain {
    fn of(entries: Vec<(CelString<'static>, Shared)>) -> Self {
        Self {
            entries: Arc::new(entries),
            absent: None,
        }
    }
}

impl<V> SortedMap<V> {
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
        let key = key_of(index)?;
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
        Ok(key_of(value).is_ok_and(|key| self.find(key).is_some()))
    }
}

impl<V: MapValue> Sizer for SortedMap<V> {
    fn size(&self) -> CelInt {
        CelInt::from(self.entries.len() as i64)
    }
}

impl<V: MapValue> Iterable for SortedMap<V> {
    fn iter<'b, 'v>(&'b self) -> Box<dyn Elements<'b, 'v> + 'b>
    where
        Self: 'v,
    {
        Box::new(Keys(self.entries.iter()))
    }
}

struct Keys<'b, V>(std::slice::Iter<'b, (CelString<'static>, V)>);

impl<'b, 'v, V> Elements<'b, 'v> for Keys<'b, V> {
    fn next(&mut self) -> Option<&'b (dyn Val + 'v)> {
        self.0.next().map(|(key, _)| key as &dyn Val)
    }
}
