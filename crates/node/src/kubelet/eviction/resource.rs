//! The resources that the eviction manager measures, with capacity and use (LC-186).

use podscope_api::{Pod, Quantity};
use podscope_sim::SimTime;

use crate::kubelet::admission;
use crate::kubelet::host::Host;
use crate::kubelet::settings::{EvictionSignal, ThresholdValue};
use crate::machine::{Container, MachinePod, round_to_pages};

/// A resource of the machine whose shortage causes evictions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EvictionResource {
    Memory,
    Disk,
    Inodes,
    Pids,
}

/// Number of PIDs on a machine. Assumption: the kernel's default `pid_max`.
const PID_MAX: i64 = 32_768;
/// Number of bytes per inode. Assumption: the default of a new ext4 file system.
const BYTES_PER_INODE: i64 = 16_384;

impl EvictionResource {
    pub(super) const fn of(signal: EvictionSignal) -> Self {
        match signal {
            EvictionSignal::MemoryAvailable => Self::Memory,
            EvictionSignal::NodefsAvailable | EvictionSignal::ImagefsAvailable => Self::Disk,
            EvictionSignal::NodefsInodesFree | EvictionSignal::ImagefsInodesFree => Self::Inodes,
            EvictionSignal::PidAvailable => Self::Pids,
        }
    }

    /// Returns the name of the resource in messages and in requests.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Disk => "ephemeral-storage",
            Self::Inodes => "inodes",
            Self::Pids => "pids",
        }
    }

    /// Formats an amount for messages.
    pub(super) fn format_amount(self, amount: i64) -> Quantity {
        match self {
            Self::Memory | Self::Disk => Quantity::from_bytes(amount),
            Self::Inodes | Self::Pids => Quantity::from_units(amount),
        }
    }

    /// Returns the capacity of the machine; None if the scenario does not give it.
    pub(super) fn capacity(self, host: &Host<'_, '_>) -> Option<i64> {
        let of = |resource: Self| {
            let quantity = host.machine.capacity().get(resource.name())?;
            Some(quantity.value())
        };
        match self {
            Self::Memory | Self::Disk => of(self),
            Self::Inodes => Some(of(Self::Disk)? / BYTES_PER_INODE),
            Self::Pids => Some(PID_MAX),
        }
    }

    /// Returns the amount that a container uses, in its own layer and in emptyDirs. For inodes, the result is a number
    /// of bytes, which [`Self::pod_usage`] converts to inodes.
    pub(super) fn container_usage(self, container: &Container, now: SimTime) -> i64 {
        match self {
            Self::Memory => container.memory(now),
            Self::Disk | Self::Inodes => container.disk(now),
            Self::Pids => i64::from(container.is_running()),
        }
    }

    /// Returns the amount that the images use.
    fn image_usage(self, host: &Host<'_, '_>) -> i64 {
        match self {
            Self::Disk => host.machine.image_bytes(),
            Self::Inodes => host.machine.image_bytes() / BYTES_PER_INODE,
            Self::Memory | Self::Pids => 0,
        }
    }

    /// Returns the maximum that a container may use in the future. For inodes, the result is a number of bytes, which
    /// [`Self::pod_usage`] converts to inodes.
    pub(super) fn max_future_container_use(self, container: &Container) -> i64 {
        let usage = match self {
            Self::Memory | Self::Pids if !container.is_running() => return 0,
            Self::Pids => return 1,
            Self::Memory => container.behavior.memory,
            Self::Disk | Self::Inodes => container.behavior.disk,
        };
        round_to_pages(usage.from.max(usage.to))
    }

    /// Returns the amount that a pod uses: the sum of `container_amount` over its containers, plus its sandbox for
    /// PIDs, plus its emptyDirs for disk and inodes.
    pub(super) fn pod_usage(self, held: &MachinePod, container_amount: impl Fn(&Container) -> i64) -> i64 {
        match self {
            Self::Memory => saturating_sum(held.containers.iter().map(container_amount)),
            Self::Pids => i64::from(held.has_sandbox())
                .saturating_add(saturating_sum(held.containers.iter().map(container_amount))),
            Self::Disk => pod_disk_bytes(held, container_amount),
            Self::Inodes => pod_disk_bytes(held, container_amount).div_euclid(BYTES_PER_INODE),
        }
    }

    /// Returns the amount that a pod requests.
    pub(super) fn pod_request(self, pod: &Pod) -> i64 {
        admission::requests_by_resource(pod)
            .get(self.name())
            .copied()
            .unwrap_or(0)
    }
}

/// Returns the absolute amount of a threshold on a machine with this capacity.
pub(super) fn threshold_amount(value: ThresholdValue, capacity: i64) -> i64 {
    match value {
        ThresholdValue::Quantity(quantity) => quantity.value(),
        ThresholdValue::PerTenThousand(share) => (i128::from(capacity) * i128::from(share) / 10_000) as i64,
    }
}

/// Returns the amount of a resource that is free on the machine; None if its capacity is unknown.
pub(super) fn available_amount(resource: EvictionResource, host: &Host<'_, '_>) -> Option<i64> {
    let in_pod = |held: &MachinePod| resource.pod_usage(held, |one| resource.container_usage(one, host.ctx.now));
    let used = saturating_sum(host.machine.pods().map(|(_, held)| in_pod(held)));
    let free = resource.capacity(host)?.saturating_sub(used);
    // The result is never negative: on a full disk writes fail, and when memory is full the kernel kills a process.
    Some(free.saturating_sub(resource.image_usage(host)).max(0))
}

/// Returns the maximum future use by the running containers and the present images.
pub(super) fn max_future_use(resource: EvictionResource, host: &Host<'_, '_>) -> i64 {
    let in_pod = |held: &MachinePod| resource.pod_usage(held, |one| resource.max_future_container_use(one));
    let all = saturating_sum(host.machine.pods().map(|(_, held)| in_pod(held)));
    all.saturating_add(resource.image_usage(host))
}

/// Returns the bytes of the writable layers of a pod's containers, plus the contents of its emptyDirs.
pub(super) fn pod_disk_bytes(held: &MachinePod, bytes: impl Fn(&Container) -> i64) -> i64 {
    let layers = held.containers.iter().filter(|one| one.writes_to.is_none());
    let layers = saturating_sum(layers.map(&bytes));
    layers.saturating_add(saturating_sum(
        held.empty_dir_contents(bytes).iter().map(|written| written.bytes),
    ))
}

/// Adds amounts without overflow; a single quantity may already be close to the maximum.
pub(super) fn saturating_sum(amounts: impl Iterator<Item = i64>) -> i64 {
    amounts.fold(0, i64::saturating_add)
}
