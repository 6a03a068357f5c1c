//! What the eviction manager measures, and how much of it there is (LC-186).

use podscope_api::{Pod, Quantity};
use podscope_sim::SimTime;

use crate::kubelet::admission;
use crate::kubelet::host::Host;
use crate::kubelet::settings::{EvictionSignal, ThresholdValue};
use crate::machine::{Container, MachinePod, whole_pages};

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Resource {
    Memory,
    Disk,
    Inodes,
    Pids,
}

/// `~` The kernel's default `pid_max`.
const PID_MAX: i64 = 32_768;
/// `~` Bytes for every inode of a new ext4 file system.
const BYTES_PER_INODE: i64 = 16_384;

impl Resource {
    pub(super) const fn of(signal: EvictionSignal) -> Self {
        match signal {
            EvictionSignal::MemoryAvailable => Self::Memory,
            EvictionSignal::NodefsAvailable | EvictionSignal::ImagefsAvailable => Self::Disk,
            EvictionSignal::NodefsInodesFree | EvictionSignal::ImagefsInodesFree => Self::Inodes,
            EvictionSignal::PidAvailable => Self::Pids,
        }
    }

    /// Its name in messages, and among requests.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Disk => "ephemeral-storage",
            Self::Inodes => "inodes",
            Self::Pids => "pids",
        }
    }

    /// An amount of it as messages show it.
    pub(super) fn quantity(self, amount: i64) -> Quantity {
        match self {
            Self::Memory | Self::Disk => Quantity::from_bytes(amount),
            Self::Inodes | Self::Pids => Quantity::from_units(amount),
        }
    }

    /// What the machine has; none if nobody said.
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

    /// What a container uses of it, wherever that lies. Of inodes: the bytes behind them.
    pub(super) fn used(self, container: &Container, now: SimTime) -> i64 {
        match self {
            Self::Memory => container.memory(now),
            Self::Disk | Self::Inodes => container.disk(now),
            Self::Pids => i64::from(container.is_running()),
        }
    }

    /// What the images use of it.
    fn of_images(self, host: &Host<'_, '_>) -> i64 {
        match self {
            Self::Disk => host.machine.image_bytes(),
            Self::Inodes => host.machine.image_bytes() / BYTES_PER_INODE,
            Self::Memory | Self::Pids => 0,
        }
    }

    /// The most a container can come to use. Of inodes: the bytes behind them.
    pub(super) fn most(self, container: &Container) -> i64 {
        let usage = match self {
            Self::Memory | Self::Pids if !container.is_running() => return 0,
            Self::Pids => return 1,
            Self::Memory => container.behavior.memory,
            Self::Disk | Self::Inodes => container.behavior.disk,
        };
        whole_pages(usage.from.max(usage.to))
    }

    /// What a pod uses: its containers, for processes its sandbox too, of the disk its emptyDirs too.
    pub(super) fn of_pod(self, held: &MachinePod, container: impl Fn(&Container) -> i64) -> i64 {
        match self {
            Self::Memory => sum_of(held.containers.iter().map(container)),
            Self::Pids => i64::from(held.has_sandbox()).saturating_add(sum_of(held.containers.iter().map(container))),
            Self::Disk => on_disk(held, container),
            Self::Inodes => on_disk(held, container).div_euclid(BYTES_PER_INODE),
        }
    }

    pub(super) fn request(self, pod: &Pod) -> i64 {
        admission::requests(pod).get(self.name()).copied().unwrap_or(0)
    }
}

/// The amount a threshold stands for on this machine.
pub(super) fn amount(value: ThresholdValue, capacity: i64) -> i64 {
    match value {
        ThresholdValue::Quantity(quantity) => quantity.value(),
        ThresholdValue::PerTenThousand(share) => (i128::from(capacity) * i128::from(share) / 10_000) as i64,
    }
}

pub(super) fn available(resource: Resource, host: &Host<'_, '_>) -> Option<i64> {
    let in_pod = |held: &MachinePod| resource.of_pod(held, |one| resource.used(one, host.ctx.now));
    let used = sum_of(host.machine.pods().map(|(_, held)| in_pod(held)));
    let free = resource.capacity(host)?.saturating_sub(used);
    // What is full takes no more: a write fails, and the kernel kills for memory.
    Some(free.saturating_sub(resource.of_images(host)).max(0))
}

/// The most of it that what runs now can come to use, with the images that are there.
pub(super) fn most(resource: Resource, host: &Host<'_, '_>) -> i64 {
    let in_pod = |held: &MachinePod| resource.of_pod(held, |one| resource.most(one));
    let all = sum_of(host.machine.pods().map(|(_, held)| in_pod(held)));
    all.saturating_add(resource.of_images(host))
}

/// Bytes of the layers of a pod's containers, and of its emptyDirs.
pub(super) fn on_disk(held: &MachinePod, bytes: impl Fn(&Container) -> i64) -> i64 {
    let layers = held.containers.iter().filter(|one| one.writes_to.is_none());
    let layers = sum_of(layers.map(&bytes));
    layers.saturating_add(sum_of(held.written(bytes).iter().map(|written| written.bytes)))
}

/// The sum of amounts, which may be as large as a quantity can say.
pub(super) fn sum_of(amounts: impl Iterator<Item = i64>) -> i64 {
    amounts.fold(0, i64::saturating_add)
}
