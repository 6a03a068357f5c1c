//! The devices of nodes for the page, from the ResourceSlices and ResourceClaims in the API.

use podscope_api::{
    Device, DeviceAttribute, DeviceTaint, NodeName, ObjectMeta, Quantity, ResourceClaim, ResourceSlice, Str, ordered,
};
use podscope_cluster::World;
use podscope_messages::sentence;
use podscope_protocol::{DeviceHolder, DeviceView, NodeDevices};

/// Identifies a device by its driver, pool and name.
type DeviceKey<'w> = (&'w Str, &'w Str, &'w Str);
/// Identifies a shared counter by its driver, pool, counter set and name.
type CounterKey<'w> = (&'w Str, &'w Str, &'w Str, &'w Str);

/// Returns the devices of all nodes, ordered by node, driver, pool and name. Devices that do not belong to a single
/// node are left out.
pub(super) fn devices(world: &World) -> Vec<NodeDevices> {
    let slices = newest_slices(world);
    if slices.is_empty() {
        return Vec::new();
    }
    let holders = holders(world);
    let counters = counters_left(&slices, &holders);
    let mut nodes: ordered::Map<NodeName, ordered::Map<DeviceKey<'_>, DeviceView>> = ordered::Map::new();
    for slice in &slices {
        for device in &slice.spec.devices {
            let Some(node) = device.node_name.as_ref().or(slice.spec.node_name.as_ref()) else {
                continue;
            };
            let key = key_of(slice, device);
            let view = device_view(slice, device, holders.get(&key).cloned().unwrap_or_default(), &counters);
            nodes.entry(NodeName(node.clone())).or_default().insert(key, view);
        }
    }
    nodes
        .into_iter()
        .map(|(node, devices)| NodeDevices {
            node: node.to_string(),
            devices: devices.into_iter().map(|(_, device)| device).collect(),
        })
        .collect()
}

fn key_of<'w>(slice: &'w ResourceSlice, device: &'w Device) -> DeviceKey<'w> {
    (&slice.spec.driver, &slice.spec.pool.name, &device.name)
}

/// Returns the ResourceSlices of the newest generation of each pool (DRA-017).
fn newest_slices(world: &World) -> Vec<&ResourceSlice> {
    let all = || world.objects().list::<ResourceSlice>().map(|slice| &**slice);
    let mut newest: ordered::Map<(&Str, &Str), i64> = ordered::Map::new();
    for slice in all() {
        let generation = newest.entry((&slice.spec.driver, &slice.spec.pool.name)).or_insert(0);
        *generation = slice.spec.pool.generation.max(*generation);
    }
    let is_newest = |slice: &&ResourceSlice| {
        newest.get(&(&slice.spec.driver, &slice.spec.pool.name)) == Some(&slice.spec.pool.generation)
    };
    all().filter(is_newest).collect()
}

/// Returns, for each allocated device, the claims to which it is allocated. Claims with admin access are left out.
fn holders(world: &World) -> ordered::Map<DeviceKey<'_>, Vec<DeviceHolder>> {
    let mut holders: ordered::Map<DeviceKey<'_>, Vec<DeviceHolder>> = ordered::Map::new();
    for claim in world.objects().list::<ResourceClaim>() {
        let results = claim
            .status
            .allocation
            .iter()
            .flat_map(|allocation| &allocation.devices.results);
        for result in results.filter(|result| result.admin_access != Some(true)) {
            let pods = claim.status.reserved_for.iter().filter(|one| &*one.resource == "pods");
            let holder = DeviceHolder {
                claim: full_name(&claim.metadata),
                pods: pods.map(|pod| pod.name.to_string()).collect(),
                is_share: result.share_id.is_some(),
            };
            let key = (&result.driver, &result.pool, &result.device);
            holders.entry(key).or_default().push(holder);
        }
    }
    holders
}

fn full_name(metadata: &ObjectMeta) -> String {
    format!("{}/{}", metadata.namespace, metadata.name)
}

/// Returns the amount of each shared counter that is still available, in thousandths of its unit.
fn counters_left<'w>(
    slices: &[&'w ResourceSlice],
    holders: &ordered::Map<DeviceKey<'w>, Vec<DeviceHolder>>,
) -> ordered::Map<CounterKey<'w>, i128> {
    let mut left: ordered::Map<CounterKey<'w>, i128> = ordered::Map::new();
    for slice in slices {
        let (driver, pool) = (&slice.spec.driver, &slice.spec.pool.name);
        for set in &slice.spec.shared_counters {
            for (name, counter) in &set.counters {
                *left.entry((driver, pool, &set.name, name)).or_insert(0) += thousandths(&counter.value);
            }
        }
        for device in &slice.spec.devices {
            if holders.get(&key_of(slice, device)).is_none() {
                continue;
            }
            for consumed in &device.consumes_counters {
                for (name, counter) in &consumed.counters {
                    *left.entry((driver, pool, &consumed.counter_set, name)).or_insert(0) -=
                        thousandths(&counter.value);
                }
            }
        }
    }
    left
}

fn thousandths(quantity: &Quantity) -> i128 {
    i128::from(quantity.milli_value())
}

fn device_view(
    slice: &ResourceSlice,
    device: &Device,
    holders: Vec<DeviceHolder>,
    left: &ordered::Map<CounterKey<'_>, i128>,
) -> DeviceView {
    let (driver, pool) = (&slice.spec.driver, &slice.spec.pool.name);
    let exhausted = device.consumes_counters.iter().find_map(|consumed| {
        let is_short = |(name, amount_needed): (&Str, i128)| {
            let available = left.get(&(driver, pool, &consumed.counter_set, name)).copied();
            available.unwrap_or_default() < amount_needed
        };
        let mut counters = consumed.counters.iter();
        let (name, _) = counters.find(|(name, counter)| is_short((name, thousandths(&counter.value))))?;
        let set = &consumed.counter_set;
        Some(sentence!(device_words::counter_of_set, counter = name, set = set))
    });
    let attributes = device
        .attributes
        .iter()
        .map(|(name, attribute)| format!("{name} {}", attribute_text(attribute)));
    let capacity = device
        .capacity
        .iter()
        .map(|(name, capacity)| format!("{name} {}", capacity.value));
    DeviceView {
        name: device.name.to_string(),
        driver: driver.to_string(),
        pool: pool.to_string(),
        properties: attributes.chain(capacity).collect(),
        taints: device.taints.iter().map(DeviceTaint::to_string).collect(),
        exhausted: exhausted.filter(|_| holders.is_empty()),
        holders,
    }
}

fn attribute_text(attribute: &DeviceAttribute) -> String {
    let number = attribute.int.map(|value| value.to_string());
    let flag = || attribute.boolean.map(|value| value.to_string());
    let text = || {
        attribute
            .string
            .as_ref()
            .or(attribute.version.as_ref())
            .map(ToString::to_string)
    };
    number.or_else(flag).or_else(text).unwrap_or_default()
}
