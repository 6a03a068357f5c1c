//! Devices in use, as a whole or by shares (DRA-086).

use podscope_api::ordered::Map;
use podscope_api::{AllocationResult, Quantity, ResourceList, Str};

use super::{DeviceNo, DeviceNumbers};

/// The use of one device by existing allocations.
#[derive(Debug, Clone, Default)]
pub(crate) struct DeviceUse {
    /// Number of allocations of the whole device.
    exclusive: u32,
    /// Number of allocated shares.
    shares: u32,
    /// Sum of the capacity of all allocated shares.
    pub(crate) consumed: ResourceList,
}

impl DeviceUse {
    /// Returns whether the whole device is allocated.
    pub(crate) fn is_exclusive(&self) -> bool {
        self.exclusive > 0
    }

    /// Returns whether at least one share is allocated.
    pub(crate) fn is_shared(&self) -> bool {
        self.shares > 0
    }
}

/// A device that is counted as used by an allocation.
#[derive(Debug, Clone)]
struct CountedDevice {
    device: DeviceNo,
    /// Capacity of the allocated share; `None` if the whole device is allocated.
    share: Option<ResourceList>,
}

/// The use of all devices.
#[derive(Debug, Clone, Default)]
pub(crate) struct DeviceUsage {
    devices: Vec<DeviceUse>,
    /// Counted devices by holder. The holder is the key of a claim, or its UID before the allocation is written.
    counted: Map<Str, Vec<CountedDevice>>,
}

impl DeviceUsage {
    pub(crate) fn use_of(&self, device: DeviceNo) -> Option<&DeviceUse> {
        self.devices.get(device as usize)
    }

    /// Returns a claim that uses the device: its key, or its UID if the allocation is not written yet.
    pub(crate) fn holder_of(&self, device: DeviceNo) -> Option<&Str> {
        let holds = |counted: &[CountedDevice]| counted.iter().any(|one| one.device == device);
        self.counted
            .iter()
            .find(|(_, counted)| holds(counted))
            .map(|(holder, _)| holder)
    }

    /// Stops counting the allocation of a holder.
    pub(super) fn release(&mut self, holder: &Str) {
        for counted in self.counted.remove(holder).unwrap_or_default() {
            self.change_use(&counted, -1);
        }
    }

    /// Replaces the counted allocation of a holder. Devices with admin access are not counted.
    pub(super) fn set(&mut self, numbers: &mut DeviceNumbers, holder: &Str, allocation: Option<&AllocationResult>) {
        self.release(holder);
        let results = allocation.iter().flat_map(|allocation| &allocation.devices.results);
        let counted: Vec<CountedDevice> = results
            .filter(|result| result.admin_access != Some(true))
            .map(|result| CountedDevice {
                device: numbers.number_of(&result.driver, &result.pool, &result.device),
                share: result.share_id.as_ref().map(|_| result.consumed_capacity.clone()),
            })
            .collect();
        for one in &counted {
            self.change_use(one, 1);
        }
        if !counted.is_empty() {
            self.counted.insert(holder.clone(), counted);
        }
    }

    /// Adds (`by` 1) or subtracts (`by` -1) one use of a device.
    fn change_use(&mut self, counted: &CountedDevice, by: i32) {
        let at = counted.device as usize;
        if self.devices.len() <= at {
            self.devices.resize_with(at + 1, DeviceUse::default);
        }
        let device = &mut self.devices[at];
        let Some(consumed) = &counted.share else {
            device.exclusive = device.exclusive.saturating_add_signed(by);
            return;
        };
        device.shares = device.shares.saturating_add_signed(by);
        for (name, amount) in consumed {
            let sum: &mut Quantity = device.consumed.entry(name.clone()).or_default();
            *sum = if by > 0 { sum.plus(*amount) } else { sum.minus(*amount) };
        }
    }
}
