//! The pools of devices that a node's drivers publish: made from the description in the Node's annotation, or adopted
//! from ResourceSlices.

use podscope_api::{
    CounterSet, DEVICES_ANNOTATION, Device, DeviceCounterConsumption, DeviceDescription, Node, PrepareDescription,
    ResourcePool, ResourceSliceSpec, Str, ordered, parse_devices,
};

use crate::machine::Devices;

/// Maximum number of devices in a slice, if some of them have taints or counters (DRA-004).
const MAX_DEVICES_PER_SLICE: usize = 64;
/// Maximum number of counter sets in a slice.
const MAX_COUNTER_SETS_PER_SLICE: usize = 8;

/// A pool that the drivers of one node publish.
#[derive(Debug, Clone)]
pub struct DevicePool {
    pub driver: Str,
    pub name: Str,
    pub slices: Vec<PoolSlice>,
    /// Prefix of device names, with the answer of the driver to NodePrepareResources for these devices.
    prepare: Vec<(Str, PrepareDescription)>,
}

/// One ResourceSlice of a pool, before it is published.
#[derive(Debug, Clone)]
pub struct PoolSlice {
    /// Name of the slice if it is adopted; None if the name is generated.
    pub published_as: Option<Str>,
    /// Content of the slice. Its generation and slice count are set when the pool is published.
    pub spec: ResourceSliceSpec,
    /// For each device of the slice, the device that it is a partition of, if any.
    parents: Vec<Option<Str>>,
}

/// Returns the pools of a node, sorted by driver and name, as they are without faults.
pub fn device_pools(node: &Node, devices: Option<&Devices>) -> Vec<DevicePool> {
    let mut pools: ordered::Map<(Str, Str), Vec<DeviceDescription>> = ordered::Map::new();
    let described = node.metadata.annotation(DEVICES_ANNOTATION).map(parse_devices);
    // Validation refuses a malformed annotation. An imported Node may still have one: it describes no devices.
    for one in described.and_then(Result::ok).unwrap_or_default() {
        let key = (one.driver.clone(), one.pool_on(&node.metadata.name).clone());
        pools.entry(key).or_default().push(one);
    }
    let mut all: Vec<DevicePool> = pools
        .into_iter()
        .map(|((driver, name), described)| pool_from_descriptions(&node.metadata.name, driver, name, &described))
        .collect();
    for slice in devices.iter().flat_map(|devices| &devices.adopted) {
        let (driver, name) = (&slice.spec.driver, &slice.spec.pool.name);
        let of_slice = PoolSlice {
            published_as: Some(slice.metadata.name.clone()),
            spec: slice.spec.clone(),
            parents: vec![None; slice.spec.devices.len()],
        };
        match all.iter_mut().find(|pool| pool.driver == *driver && pool.name == *name) {
            Some(pool) => pool.slices.push(of_slice),
            None => all.push(DevicePool {
                driver: driver.clone(),
                name: name.clone(),
                slices: vec![of_slice],
                prepare: Vec::new(),
            }),
        }
    }
    all
}

fn pool_from_descriptions(node: &Str, driver: Str, name: Str, described: &[DeviceDescription]) -> DevicePool {
    let mut devices: Vec<(Device, Option<Str>)> = Vec::new();
    let mut sets: Vec<CounterSet> = Vec::new();
    for one in described {
        let counters: ordered::Map<Str, podscope_api::Counter> = (one.counters().into_iter())
            .map(|(name, value)| (name, podscope_api::Counter { value }))
            .collect();
        for index in 0..one.count {
            let whole = one.device_name(index);
            let consumes = |counters: ordered::Map<Str, podscope_api::Counter>| DeviceCounterConsumption {
                counter_set: whole.clone(),
                counters,
            };
            for part in &one.partitions {
                for nth in 0..part.count {
                    let mut device = one.device(format!("{whole}-{}-{nth}", part.name).into(), Some(part));
                    let amounts = part.consumes.iter();
                    let amounts = amounts.map(|(name, value)| (name.clone(), podscope_api::Counter { value: *value }));
                    device.consumes_counters = vec![consumes(amounts.collect())];
                    devices.push((device, Some(whole.clone())));
                }
            }
            let mut device = one.device(whole.clone(), None);
            if !counters.is_empty() {
                device.consumes_counters = vec![consumes(counters.clone())];
                sets.push(CounterSet {
                    name: whole.clone(),
                    counters: counters.clone(),
                });
            }
            devices.push((device, None));
        }
    }
    let base = ResourceSliceSpec {
        driver: driver.clone(),
        pool: ResourcePool {
            name: name.clone(),
            ..ResourcePool::default()
        },
        node_name: Some(node.clone()),
        ..ResourceSliceSpec::default()
    };
    let of_counters = sets.chunks(MAX_COUNTER_SETS_PER_SLICE).map(|sets| PoolSlice {
        published_as: None,
        spec: ResourceSliceSpec {
            shared_counters: sets.to_vec(),
            ..base.clone()
        },
        parents: Vec::new(),
    });
    let of_devices = devices.chunks(MAX_DEVICES_PER_SLICE).map(|devices| PoolSlice {
        published_as: None,
        spec: ResourceSliceSpec {
            devices: devices.iter().map(|(device, _)| device.clone()).collect(),
            ..base.clone()
        },
        parents: devices.iter().map(|(_, parent)| parent.clone()).collect(),
    });
    DevicePool {
        slices: of_counters.chain(of_devices).collect(),
        prepare: described.iter().map(|one| (one.prefix.clone(), one.prepare)).collect(),
        driver,
        name,
    }
}

impl DevicePool {
    /// Returns the spec of each slice in the current state of the devices, with the pool's name, generation and slice
    /// count.
    pub fn slice_specs(&self, devices: Option<&Devices>, generation: i64) -> Vec<ResourceSliceSpec> {
        let count = i64::try_from(self.slices.len()).unwrap_or(i64::MAX);
        let with_state = |slice: &PoolSlice| {
            let mut spec = slice.spec.clone();
            let state =
                |device: &Device, parent: Option<&Str>| devices?.device_state(&self.driver, &device.name, parent);
            let present = spec
                .devices
                .into_iter()
                .zip(&slice.parents)
                .filter_map(|(mut device, parent)| {
                    let Some(state) = state(&device, parent.as_ref()) else {
                        return Some(device);
                    };
                    device.taints.extend(state.taints.iter().cloned());
                    (!state.is_gone).then_some(device)
                });
            spec.devices = present.collect();
            spec.pool = ResourcePool {
                name: self.name.clone(),
                generation,
                resource_slice_count: count,
            };
            spec
        };
        self.slices.iter().map(with_state).collect()
    }

    /// Returns the name of each device and, for a partition, the name of the device that it belongs to.
    pub fn device_names_with_parents(&self) -> impl Iterator<Item = (&Str, Option<&Str>)> {
        self.slices.iter().flat_map(|slice| {
            let names = slice.spec.devices.iter().map(|device| &device.name);
            names.zip(&slice.parents).map(|(name, parent)| (name, parent.as_ref()))
        })
    }

    /// Returns the driver's answer to NodePrepareResources for a device; `None` if no description defines it.
    pub fn prepare_description(&self, device: &str) -> Option<PrepareDescription> {
        let is_of = |prefix: &str| device.strip_prefix(prefix).is_some_and(|rest| rest.starts_with('-'));
        let found = self.prepare.iter().filter(|(prefix, _)| is_of(prefix));
        found
            .max_by_key(|(prefix, _)| prefix.len())
            .map(|(_, prepare)| *prepare)
    }
}
