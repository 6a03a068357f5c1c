//! Which devices are in use: by whole, or by shares (DRA-086).

use podscope_api::ordered::Map;
use podscope_api::{AllocationResult, Quantity, ResourceList, Str};

use super::{DeviceNo, Numbers};

/// The use of one device.
#[derive(Debug, Clone, Default)]
pub(crate) struct Use {
    /// Allocations of the whole device.
    exclusive: u32,
    /// Allocations of a share.
    shares: u32,
    /// Sum of the shares' capacity.
    pub(crate) consumed: ResourceList,
}

impl Use {
    /// Whether the whole device is taken.
    pub(crate) fn is_exclusive(&self) -> bool {
        self.exclusive > 0
    }

    /// Whether a share is taken.
    pub(crate) fn is_shared(&self) -> bool {
        self.shares > 0
    }
}

/// One result of an allocation that counts.
#[derive(Debug, Clone)]
struct Counted {
    device: DeviceNo,
    /// The capacity of a share; none for the whole device.
    share: Option<ResourceList>,
}

/// The use of all devices.
#[derive(Debug, Clone, Default)]
pub(crate) struct Usage {
    devices: Vec<Use>,
    /// What is counted, by who has it.
    counted: Map<Str, Vec<Counted>>,
}

impl Usage {
    pub(crate) fn of(&self, device: DeviceNo) -> Option<&Use> {
        self.devices.get(device as usize)
    }

    /// Replaces what somebody has. Admin access does not count.
    pub(super) fn set(&mut self, numbers: &mut Numbers, who: &Str, allocation: Option<&AllocationResult>) {
        for counted in self.counted.remove(who).unwrap_or_default() {
            self.count(&counted, -1);
        }
        let results = allocation.iter().flat_map(|allocation| &allocation.devices.results);
        let counted: Vec<Counted> = results
            .filter(|result| result.admin_access != Some(true))
            .map(|result| Counted {
                device: numbers.of(&result.driver, &result.pool, &result.device),
                share: result.share_id.as_ref().map(|_| result.consumed_capacity.clone()),
            })
            .collect();
        for one in &counted {
            self.count(one, 1);
        }
        if !counted.is_empty() {
            self.counted.insert(who.clone(), counted);
        }
    }

    fn count(&mut self, counted: &Counted, by: i32) {
        let at = counted.device as usize;
        if self.devices.len() <= at {
            self.devices.resize_with(at + 1, Use::default);
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
