//! Devices of a machine: the devices that a fault removed or made unhealthy, and the state on disk that survives a
//! restart of the kubelet and of the device drivers.

use std::sync::Arc;

use podscope_api::{DeviceTaint, ObjectKey, ResourceSlice, Str, Uid, ordered};

use super::{Machine, MachineEvent};

/// State of a device that a fault has changed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DeviceState {
    /// Whether the device is missing: its driver no longer publishes it.
    pub is_gone: bool,
    /// Whether the driver reports the device as unhealthy.
    pub is_unhealthy: bool,
    /// Taints that the driver publishes in addition to those in the description of the machine's devices.
    pub taints: Vec<DeviceTaint>,
}

/// A device that the kubelet has prepared for a ResourceClaim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreparedDevice {
    /// The request that the device satisfies, without the name of a subrequest.
    pub request: Str,
    pub driver: Str,
    pub pool: Str,
    pub device: Str,
}

/// A ResourceClaim in the kubelet's checkpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreparedClaim {
    pub uid: Uid,
    /// Whether the drivers have prepared the devices of the claim.
    pub is_prepared: bool,
    /// The pods on this node that use the claim.
    pub pods: ordered::Set<Uid>,
    pub devices: Vec<PreparedDevice>,
}

/// The devices of one machine.
#[derive(Debug, Clone, Default)]
pub struct Devices {
    /// Whether the process of the device drivers runs.
    pub is_driver_running: bool,
    /// ResourceSlices from the scenario or a dump that the drivers of this machine have taken over: they publish them
    /// under the same names.
    pub adopted: Vec<Arc<ResourceSlice>>,
    /// Devices that a fault changed, by driver and device.
    pub states: ordered::Map<(Str, Str), DeviceState>,
    /// The latest published generation, by driver and pool.
    pub generations: ordered::Map<(Str, Str), i64>,
    /// The kubelet's checkpoint of claims.
    pub claims: ordered::Map<ObjectKey, PreparedClaim>,
}

impl Devices {
    /// Returns whether a driver with this name has published devices of the machine.
    pub fn has_published(&self, driver: &str) -> bool {
        self.generations.keys().any(|(known, _)| &**known == driver)
    }

    /// Returns what a fault has changed about a device or, if nothing, about the device of which it is a partition.
    pub fn device_state(&self, driver: &Str, device: &Str, partition_of: Option<&Str>) -> Option<&DeviceState> {
        let of = |device: &Str| self.states.get(&(driver.clone(), device.clone()));
        of(device).or_else(|| of(partition_of?))
    }
}

impl Machine {
    /// Returns the machine's devices; `None` if it never had any.
    pub fn devices(&self) -> Option<&Devices> {
        self.devices.as_deref()
    }

    pub fn devices_mut(&mut self) -> &mut Devices {
        Arc::make_mut(self.devices.get_or_insert_with(Arc::default))
    }

    /// Records that the driver process started or ended. The kubelet observes that its socket was opened or closed.
    pub fn set_driver_running(&mut self, runs: bool) {
        self.devices_mut().is_driver_running = runs;
        self.events.push(MachineEvent::Devices);
    }

    /// Notifies the kubelet that the state of a device changed: the driver reports the health of its devices.
    pub fn notify_device_change(&mut self) {
        self.events.push(MachineEvent::Devices);
    }
}
