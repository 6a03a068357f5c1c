//! Descriptions of the devices that the simulated drivers of a node publish. The Node's annotation
//! `podscope.dev/devices` and the scenario's `spec.cluster.devices` hold a list of descriptions:
//!
//! ```json
//! [{"driver": "gpu.example.com", "count": 2, "prefix": "gpu", "attributes": {"model": "A100"},
//!   "capacity": {"memory": "40Gi"},
//!   "partitions": [{"name": "half", "count": 2, "consumes": {"memory": "20Gi"}}]}]
//! ```
//!
//! A device with partitions publishes its partitions and then the whole device. They share one set of counters: a
//! partition consumes the amounts in `consumes`, the whole device consumes everything (DRA-289).

use serde_json::Value;

use crate::validate::dns_label_problems;
use crate::{Device, DeviceAttribute, DeviceCapacity, Quantity, Str, ordered, parse_duration, subdomain_problems};

/// Maximum number of devices that one node publishes, partitions included.
const MAX_DEVICES_PER_NODE: u64 = 1_024;
/// Default duration of NodePrepareResources, in microseconds.
const DEFAULT_PREPARE_MICROS: i64 = 100_000;

/// A group of equal devices in one pool of a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceDescription {
    pub driver: Str,
    /// Name of the pool; `None` means the name of the node.
    pub pool: Option<Str>,
    pub count: u32,
    /// Prefix of the device names: `PREFIX-0`, `PREFIX-1`, ….
    pub prefix: Str,
    pub attributes: ordered::Map<Str, DeviceAttribute>,
    pub capacity: ordered::Map<Str, Quantity>,
    pub partitions: Vec<PartitionDescription>,
    /// Whether several claims can share a device, each consuming a part of its capacity.
    pub allow_multiple_allocations: bool,
    pub prepare: PrepareDescription,
}

/// A group of equal partitions of each described device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartitionDescription {
    /// Middle part of the partition names: those of device D are `D-NAME-0`, `D-NAME-1`, ….
    pub name: Str,
    pub count: u32,
    /// The amounts of the device's counters that one partition consumes.
    pub consumes: ordered::Map<Str, Quantity>,
}

/// The driver's answer to NodePrepareResources.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PrepareDescription {
    /// Success after this duration in microseconds.
    Takes(i64),
    Fails,
}

/// An error in a device description, with the path of its field below the list of descriptions, such as `[0].count`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DescriptionError {
    pub path: String,
    pub message: String,
}

/// Parses the text of the annotation `podscope.dev/devices`.
///
/// # Errors
/// Every error in the text.
pub fn parse_devices(text: &str) -> Result<Vec<DeviceDescription>, Vec<DescriptionError>> {
    match serde_json::from_str::<Value>(text) {
        Ok(value) => decode_device_descriptions(&value),
        Err(error) => Err(vec![DescriptionError {
            path: String::new(),
            message: format!("must be a JSON list of devices: {error}"),
        }]),
    }
}

/// Decodes a list of device descriptions from JSON.
///
/// # Errors
/// Every error in the list.
pub fn decode_device_descriptions(value: &Value) -> Result<Vec<DeviceDescription>, Vec<DescriptionError>> {
    let mut errors = DescriptionErrors(Vec::new());
    let Some(list) = value.as_array() else {
        errors.add("", "must be a list of devices");
        return Err(errors.0);
    };
    let described: Vec<DeviceDescription> = list
        .iter()
        .enumerate()
        .map(|(index, value)| read_device(value, &format!("[{index}]"), &mut errors))
        .collect();
    check_device_names_and_total(&described, &mut errors);
    if errors.0.is_empty() {
        Ok(described)
    } else {
        Err(errors.0)
    }
}

struct DescriptionErrors(Vec<DescriptionError>);

impl DescriptionErrors {
    fn add(&mut self, path: &str, message: impl Into<String>) {
        self.0.push(DescriptionError {
            path: path.to_owned(),
            message: message.into(),
        });
    }
}

const DEVICE_FIELDS: [&str; 9] = [
    "driver",
    "pool",
    "count",
    "prefix",
    "attributes",
    "capacity",
    "partitions",
    "allowMultipleAllocations",
    "prepare",
];

fn read_device(value: &Value, path: &str, errors: &mut DescriptionErrors) -> DeviceDescription {
    let fields = read_object_fields(value, path, &DEVICE_FIELDS, errors);
    let at = |name: &str| format!("{path}.{name}");
    let mut described = DeviceDescription {
        driver: read_text_field(fields, "driver", path, errors).unwrap_or_default(),
        pool: read_text_field(fields, "pool", path, errors),
        count: read_device_count(fields, path, errors),
        prefix: read_text_field(fields, "prefix", path, errors).unwrap_or_else(|| "device".into()),
        attributes: ordered::Map::new(),
        capacity: read_quantities(fields, "capacity", path, errors),
        partitions: Vec::new(),
        allow_multiple_allocations: match fields.get("allowMultipleAllocations") {
            None => false,
            Some(Value::Bool(allows)) => *allows,
            Some(_) => {
                errors.add(&at("allowMultipleAllocations"), "must be true or false");
                false
            }
        },
        prepare: read_prepare_description(fields.get("prepare"), &at("prepare"), errors),
    };
    if described.driver.is_empty() {
        errors.add(&at("driver"), "Required value");
    }
    for problem in subdomain_problems(&described.driver)
        .into_iter()
        .filter(|_| !described.driver.is_empty())
    {
        errors.add(&at("driver"), problem);
    }
    for problem in dns_label_problems(&described.prefix) {
        errors.add(&at("prefix"), problem);
    }
    if let Some(given) = fields.get("attributes") {
        let path = at("attributes");
        match given.as_object() {
            None => errors.add(&path, "must be an object"),
            Some(given) => {
                for (name, value) in given {
                    match read_attribute(value) {
                        Some(value) => drop(described.attributes.insert(name.as_str().into(), value)),
                        None => errors.add(
                            &format!("{path}.{name}"),
                            "must be a string, an integer, true, false or {\"version\": \"1.2.3\"}",
                        ),
                    }
                }
            }
        }
    }
    match fields.get("partitions") {
        None => {}
        Some(Value::Array(list)) => {
            described.partitions = list
                .iter()
                .enumerate()
                .map(|(index, value)| read_partition(value, &format!("{path}.partitions[{index}]"), errors))
                .collect();
        }
        Some(_) => errors.add(&at("partitions"), "must be a list of partitions"),
    }
    described
}

fn read_partition(value: &Value, path: &str, errors: &mut DescriptionErrors) -> PartitionDescription {
    let fields = read_object_fields(value, path, &["name", "count", "consumes"], errors);
    let name = read_text_field(fields, "name", path, errors).unwrap_or_default();
    for problem in dns_label_problems(&name) {
        errors.add(&format!("{path}.name"), problem);
    }
    PartitionDescription {
        name,
        count: read_device_count(fields, path, errors),
        consumes: read_quantities(fields, "consumes", path, errors),
    }
}

/// Checks that device names are unique in each pool, and that their number is within the limit.
fn check_device_names_and_total(described: &[DeviceDescription], errors: &mut DescriptionErrors) {
    let total = described.iter().fold(0_u64, |total, one| {
        let of_one = one.partitions.iter().map(|part| u64::from(part.count)).sum::<u64>() + 1;
        total.saturating_add(u64::from(one.count).saturating_mul(of_one))
    });
    if total > MAX_DEVICES_PER_NODE {
        errors.add(
            "",
            format!("describes {total} devices; at most {MAX_DEVICES_PER_NODE} are possible"),
        );
    }
    for (index, one) in described.iter().enumerate() {
        let is_same = |other: &DeviceDescription| {
            (&other.driver, &other.pool, &other.prefix) == (&one.driver, &one.pool, &one.prefix)
        };
        if described.iter().take(index).any(is_same) {
            errors.add(
                &format!("[{index}].prefix"),
                format!("Duplicate value: {:?}", &*one.prefix),
            );
        }
    }
}

/// Returns the fields of a JSON object; reports any other value as an error and returns no fields.
fn read_object_fields<'v>(
    value: &'v Value,
    path: &str,
    known: &[&str],
    errors: &mut DescriptionErrors,
) -> &'v serde_json::Map<String, Value> {
    static EMPTY: std::sync::LazyLock<serde_json::Map<String, Value>> = std::sync::LazyLock::new(serde_json::Map::new);
    let Some(fields) = value.as_object() else {
        errors.add(path, "must be an object");
        return &EMPTY;
    };
    for name in fields.keys().filter(|name| !known.contains(&name.as_str())) {
        errors.add(
            &format!("{path}.{name}"),
            format!("unknown field; known fields: {}", known.join(", ")),
        );
    }
    fields
}

fn read_text_field(
    fields: &serde_json::Map<String, Value>,
    name: &str,
    path: &str,
    errors: &mut DescriptionErrors,
) -> Option<Str> {
    match fields.get(name)? {
        Value::String(text) => Some(text.as_str().into()),
        _ => {
            errors.add(&format!("{path}.{name}"), "must be a string");
            None
        }
    }
}

fn read_device_count(fields: &serde_json::Map<String, Value>, path: &str, errors: &mut DescriptionErrors) -> u32 {
    let Some(value) = fields.get("count") else { return 1 };
    let count = value.as_u64().and_then(|count| u32::try_from(count).ok());
    if let Some(count) = count.filter(|count| *count > 0) {
        return count;
    }
    errors.add(&format!("{path}.count"), "must be a number greater than 0");
    1
}

fn read_quantities(
    fields: &serde_json::Map<String, Value>,
    name: &str,
    path: &str,
    errors: &mut DescriptionErrors,
) -> ordered::Map<Str, Quantity> {
    let mut all = ordered::Map::new();
    let Some(value) = fields.get(name) else { return all };
    let Some(given) = value.as_object() else {
        errors.add(&format!("{path}.{name}"), "must be an object");
        return all;
    };
    for (key, value) in given {
        let text = match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        match text.parse::<Quantity>() {
            Ok(quantity) if quantity.sign() >= 0 => drop(all.insert(key.as_str().into(), quantity)),
            _ => errors.add(&format!("{path}.{name}.{key}"), format!("{text:?} is not a quantity")),
        }
    }
    all
}

/// Reads an attribute: a bare value such as `"A100"`, or an object as in a ResourceSlice such as `{"string": "A100"}`.
fn read_attribute(value: &Value) -> Option<DeviceAttribute> {
    let mut attribute = DeviceAttribute::default();
    match value {
        Value::Bool(value) => attribute.boolean = Some(*value),
        Value::Number(number) => attribute.int = Some(number.as_i64()?),
        Value::String(text) => attribute.string = Some(text.as_str().into()),
        Value::Object(fields) if fields.len() == 1 => match fields.iter().next()? {
            (kind, Value::String(text)) if kind == "version" => attribute.version = Some(text.as_str().into()),
            (kind, Value::String(text)) if kind == "string" => attribute.string = Some(text.as_str().into()),
            (kind, Value::Number(number)) if kind == "int" => attribute.int = Some(number.as_i64()?),
            (kind, Value::Bool(value)) if kind == "bool" => attribute.boolean = Some(*value),
            _ => return None,
        },
        _ => return None,
    }
    Some(attribute)
}

fn read_prepare_description(value: Option<&Value>, path: &str, errors: &mut DescriptionErrors) -> PrepareDescription {
    let Some(value) = value else {
        return PrepareDescription::Takes(DEFAULT_PREPARE_MICROS);
    };
    let duration = value.as_str().map(|text| (text, parse_duration(text)));
    match duration {
        Some(("fails", _)) => PrepareDescription::Fails,
        Some((_, Ok(micros))) if micros >= 0 => PrepareDescription::Takes(micros),
        _ => {
            errors.add(path, "must be a duration such as 2s, or \"fails\"");
            PrepareDescription::Takes(DEFAULT_PREPARE_MICROS)
        }
    }
}

impl DeviceDescription {
    /// Returns the name of the pool to which a node's driver publishes the described devices: by default the name of
    /// the node.
    pub fn pool_on<'a>(&'a self, node: &'a Str) -> &'a Str {
        self.pool.as_ref().unwrap_or(node)
    }

    /// Returns the name of the described device with this index. The device's counter set has the same name.
    pub fn device_name(&self, index: u32) -> Str {
        format!("{}-{index}", self.prefix).into()
    }

    /// Returns the counters that the partitions of one device share. The amount of a counter is the device's capacity
    /// of the same name; without such a capacity, it is the largest total that the partitions of one group consume.
    pub fn counters(&self) -> ordered::Map<Str, Quantity> {
        let mut counters: ordered::Map<Str, Quantity> = ordered::Map::new();
        for partition in &self.partitions {
            for (name, amount) in &partition.consumes {
                let total = self.capacity.get(name).copied();
                let total = total.unwrap_or_else(|| {
                    let one = *amount;
                    (1..partition.count).fold(one, |sum, _| sum.plus(one))
                });
                let known = counters.entry(name.clone()).or_insert_with(|| total);
                if *known < total {
                    *known = total;
                }
            }
        }
        counters
    }

    /// Builds the device that is published: `partition` if it is given, otherwise the whole device. The caller adds the
    /// counters that the device consumes.
    pub fn device(&self, name: Str, partition: Option<&PartitionDescription>) -> Device {
        let mut device = Device {
            name,
            attributes: self.attributes.clone(),
            allow_multiple_allocations: self.allow_multiple_allocations.then_some(true),
            ..Device::default()
        };
        if !self.partitions.is_empty() {
            let of = partition.map_or_else(|| "whole".into(), |partition| partition.name.clone());
            let string = Some(of);
            device
                .attributes
                .entry("partition".into())
                .or_insert_with(|| DeviceAttribute {
                    string,
                    ..DeviceAttribute::default()
                });
        }
        for (name, amount) in &self.capacity {
            let amount = partition.map_or(Some(amount), |partition| partition.consumes.get(name));
            if let Some(value) = amount {
                let capacity = DeviceCapacity {
                    value: *value,
                    ..DeviceCapacity::default()
                };
                device.capacity.insert(name.clone(), capacity);
            }
        }
        device
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_error_of_a_description_has_its_field_path() {
        let text = r#"[{"driver": "", "count": 0, "prefix": "GPU", "attributes": {"a": [1]}, "capacity": {"memory": "x"},
            "partitions": [{"name": "p", "size": 1}], "prepare": "soon"}, 3]"#;
        let errors = parse_devices(text).expect_err("the text has errors");
        let paths: Vec<&str> = errors.iter().map(|error| error.path.as_str()).collect();
        assert_eq!(
            paths,
            [
                "[0].count",
                "[0].capacity.memory",
                "[0].prepare",
                "[0].driver",
                "[0].prefix",
                "[0].attributes.a",
                "[0].partitions[0].size",
                "[1]",
                "[1].driver",
            ]
        );
    }

    #[test]
    fn partitions_of_a_device_share_its_counters() {
        let text = r#"[{"driver": "gpu.example.com", "prefix": "gpu", "capacity": {"memory": "40Gi"},
            "partitions": [{"name": "half", "count": 2, "consumes": {"memory": "20Gi", "slices": 3}}]}]"#;
        let described = parse_devices(text).expect("the text is correct");
        let counters = described[0].counters();
        let shown: Vec<String> = counters
            .iter()
            .map(|(name, amount)| format!("{name}={amount}"))
            .collect();
        assert_eq!(shown, ["memory=40Gi", "slices=6"]);
        let half = described[0].device("gpu-0-half-0".into(), described[0].partitions.first());
        assert_eq!(half.capacity["memory"].value.to_string(), "20Gi");
    }

    #[test]
    fn descriptions_with_equal_device_names_are_refused() {
        let text = r#"[{"driver": "d", "prefix": "x"}, {"driver": "d", "prefix": "x"}]"#;
        let errors = parse_devices(text).expect_err("the names are equal");
        assert_eq!(errors[0].message, "Duplicate value: \"x\"");
    }
}
