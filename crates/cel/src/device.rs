//! The variable `device` of CEL expressions.

use std::sync::Arc;

use cel::ExecutionError;
use cel::common::traits::Indexer;
use cel::common::types::{CelBool, CelInt, CelString, Type};
use cel::common::value::{CowVal, Val};
use podscope_api::ordered::StableSort as _;
use podscope_api::{Device, DeviceAttribute};

use crate::map::{Record, SharedValue, SortedMap, string_key};
use crate::quantity::CelQuantity;
use crate::version::CelVersion;

static DEVICE: Type = Type::new_unspecified_type("kubernetes.DRADevice");

/// The value of the variable `device`: the fields of a device that a CEL expression can access. Clones share the data.
#[derive(Debug, Clone)]
pub struct DeviceValue(Arc<DeviceFields>);

#[derive(Debug)]
struct DeviceFields {
    driver: CelString<'static>,
    attributes: FieldsByDomain,
    capacity: FieldsByDomain,
    allow_multiple_allocations: CelBool,
}

impl DeviceValue {
    /// Converts a device of a driver. Attribute names without a domain get the driver's name as their domain.
    pub fn new(driver: &str, device: &Device) -> Self {
        let attributes = device.attributes.iter().filter_map(|(name, value)| {
            let value = attribute_value(value)?;
            Some((&**name, value))
        });
        let capacity = device.capacity.iter().map(|(name, capacity)| {
            let value: Box<dyn Val> = Box::new(CelQuantity(capacity.value));
            (&**name, value)
        });
        Self(Arc::new(DeviceFields {
            attributes: FieldsByDomain::group_by_domain(driver, attributes),
            capacity: FieldsByDomain::group_by_domain(driver, capacity),
            driver: CelString::from(driver.to_owned()),
            allow_multiple_allocations: CelBool::from(device.allow_multiple_allocations == Some(true)),
        }))
    }
}

fn attribute_value(value: &DeviceAttribute) -> Option<Box<dyn Val>> {
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
        Ok(match string_key(index)? {
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

type DomainFields = Record;
type FieldsByDomain = SortedMap<DomainFields>;

impl FieldsByDomain {
    fn group_by_domain<'a>(driver: &str, values: impl Iterator<Item = (&'a str, Box<dyn Val>)>) -> Self {
        let mut sorted: Vec<(&str, &str, Box<dyn Val>)> = values
            .map(|(name, value)| {
                let (domain, id) = name.split_once('/').unwrap_or((driver, name));
                (domain, id, value)
            })
            .collect();
        // The sort is stable: equal names keep their order in the device's map.
        sorted.stable_sort_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)));
        let mut domains: Vec<(CelString<'static>, Vec<(CelString<'static>, SharedValue)>)> = Vec::new();
        for (domain, id, value) in sorted {
            if domains.last().is_none_or(|(last, _)| last.inner() != domain) {
                domains.push((CelString::from(domain.to_owned()), Vec::new()));
            }
            if let Some((_, ids)) = domains.last_mut() {
                ids.push((CelString::from(id.to_owned()), SharedValue::new(value)));
            }
        }
        let entries = domains.into_iter().map(|(domain, ids)| (domain, DomainFields::of(ids)));
        Self::of(entries.collect()).with_value_for_absent_key(DomainFields::of(Vec::new()))
    }
}
