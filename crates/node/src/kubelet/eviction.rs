//! Node-pressure eviction (LC-186 to LC-201).
//!
//! ```text
//! (pass) ─▶ local limits broken: evict every offender
//!    │
//!    └────▶ thresholds met ─▶ conditions ─▶ grace over? ─▶ reclaim on the node ─▶ still met: evict one pod, wait for it
//! ```
//!
//! A pass is queued only while the sum of what the containers can use at most
//! could cross a threshold, or a condition is still held.
//!
//! Deviation: the machine itself uses nothing; nodefs and imagefs are one disk,
//! the node's `ephemeral-storage`, on which images take room (`images.rs`). A file system has an
//! inode for every 16 KiB, as mke2fs makes it, and what is written uses them at
//! that rate; a container is one process, a sandbox another, of the 32 768 that
//! a kernel allows.

use podscope_api::ordered::StableSort as _;
use std::cmp::Reverse;

use podscope_api::{EventType, Pod, Quantity, Str, Uid};

use super::admission::is_critical;
use super::conditions::EndReason;
use super::host::Host;
use super::node::Pressure;
use super::settings::{EvictionSignal, EvictionThreshold, ThresholdValue};
use super::worker::Stage;
use super::{KubeletTimer, Managers, events, grace};
use crate::Timer;
use crate::machine::{Container, MachinePod};
use podscope_sim::{SimTime, Span};

/// How long a pass waits for the pod it evicted, and how often it looks (LC-190).
const CLEANUP_PATIENCE: Span = Span::seconds(30);
const CLEANUP_POLL: Span = Span::seconds(1);

/// What the eviction manager remembers.
#[derive(Debug, Clone, Default)]
pub(super) struct Eviction {
    queued: Option<SimTime>,
    /// Since when each threshold of the settings is met.
    met_since: Vec<Option<SimTime>>,
    /// When each kind of pressure was last observed (LC-191).
    seen: [Option<SimTime>; Pressure::ALL.len()],
    /// The pod evicted last, while its end is waited for.
    waits_for: Option<(Uid, SimTime)>,
    /// The machine's state as of the last look at what could happen.
    looked_at: Option<u64>,
}

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Resource {
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
    const fn of(signal: EvictionSignal) -> Self {
        match signal {
            EvictionSignal::MemoryAvailable => Self::Memory,
            EvictionSignal::NodefsAvailable | EvictionSignal::ImagefsAvailable => Self::Disk,
            EvictionSignal::NodefsInodesFree | EvictionSignal::ImagefsInodesFree => Self::Inodes,
            EvictionSignal::PidAvailable => Self::Pids,
        }
    }

    /// Its name in messages, and among requests.
    const fn name(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Disk => "ephemeral-storage",
            Self::Inodes => "inodes",
            Self::Pids => "pids",
        }
    }

    /// An amount of it as messages show it.
    fn quantity(self, amount: i64) -> Quantity {
        match self {
            Self::Memory | Self::Disk => Quantity::from_bytes(amount),
            Self::Inodes | Self::Pids => Quantity::from_units(amount),
        }
    }

    /// What the machine has; none if nobody said.
    fn capacity(self, host: &Host<'_, '_>) -> Option<i64> {
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

    fn used(self, container: &Container, now: SimTime) -> i64 {
        match self {
            Self::Memory => container.memory(now),
            Self::Disk => container.disk(now),
            Self::Inodes => container.disk(now).div_euclid(BYTES_PER_INODE),
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

    /// The most a container can come to use.
    fn most(self, container: &Container) -> i64 {
        let usage = match self {
            Self::Memory | Self::Pids if !container.is_running() => return 0,
            Self::Pids => return 1,
            Self::Memory => container.behavior.memory,
            Self::Disk | Self::Inodes => container.behavior.disk,
        };
        let most = usage.from.max(usage.to);
        if self == Self::Inodes {
            most.div_euclid(BYTES_PER_INODE)
        } else {
            most
        }
    }

    /// What a pod uses: its containers, and for processes its sandbox too.
    fn of_pod(self, held: &MachinePod, container: impl Fn(&Container) -> i64) -> i64 {
        let own = i64::from(self == Self::Pids && held.has_sandbox());
        own.saturating_add(sum_of(held.containers.iter().map(container)))
    }

    fn request(self, pod: &Pod) -> i64 {
        super::admission::requests(pod).get(self.name()).copied().unwrap_or(0)
    }
}

/// The amount a threshold stands for on this machine.
fn amount(value: ThresholdValue, capacity: i64) -> i64 {
    match value {
        ThresholdValue::Quantity(quantity) => quantity.value(),
        ThresholdValue::PerTenThousand(share) => (i128::from(capacity) * i128::from(share) / 10_000) as i64,
    }
}

fn available(resource: Resource, host: &Host<'_, '_>) -> Option<i64> {
    let in_pod = |held: &MachinePod| resource.of_pod(held, |one| resource.used(one, host.ctx.now));
    let used = sum_of(host.machine.pods().map(|(_, held)| in_pod(held)));
    let free = resource.capacity(host)?.saturating_sub(used);
    Some(free.saturating_sub(resource.of_images(host)))
}

/// The most of it that what runs now can come to use, with the images that are there.
fn most(resource: Resource, host: &Host<'_, '_>) -> i64 {
    let in_pod = |held: &MachinePod| resource.of_pod(held, |one| resource.most(one));
    let all = sum_of(host.machine.pods().map(|(_, held)| in_pod(held)));
    all.saturating_add(resource.of_images(host))
}

/// Bytes of the disk, and how many of them are free; none if nobody said how large it is.
pub(super) fn disk(host: &Host<'_, '_>) -> Option<(i64, i64)> {
    let capacity = Resource::Disk.capacity(host).filter(|capacity| *capacity > 0)?;
    Some((capacity, available(Resource::Disk, host)?))
}

/// How many per cent of the disk can come to be used as things stand, rounded up.
pub(super) fn most_disk(host: &Host<'_, '_>) -> Option<i64> {
    let (capacity, _) = disk(host)?;
    let used = i128::from(most(Resource::Disk, host)) * 100;
    Some((used.div_euclid(i128::from(capacity)) + 1).min(101) as i64)
}

/// Which emptyDir a container's disk use goes to: the first it mounts; else its own layer.
fn empty_dir_of<'a>(pod: &'a Pod, container: &str) -> Option<&'a podscope_api::Volume> {
    let spec = pod.spec.all_containers().find(|one| &*one.name == container)?;
    spec.volume_mounts.iter().find_map(|mount| {
        let volume = pod.spec.volumes.iter().find(|volume| volume.name == mount.name)?;
        let on_disk = volume.empty_dir.as_ref().is_some_and(|dir| &*dir.medium != "Memory");
        on_disk.then_some(volume)
    })
}

/// The sum of amounts, which may be as large as a quantity can say.
fn sum_of(amounts: impl Iterator<Item = i64>) -> i64 {
    amounts.fold(0, i64::saturating_add)
}

/// The local-storage limit that a pod breaks, in words, with use by container as told (LC-200).
fn broken_limit(pod: &Pod, held: &MachinePod, used: impl Fn(&Container) -> i64) -> Option<String> {
    for volume in pod.spec.volumes.iter() {
        let Some(limit) = volume.empty_dir.as_ref().and_then(|dir| dir.size_limit) else {
            continue;
        };
        let in_it = |one: &&Container| empty_dir_of(pod, &one.name).is_some_and(|dir| dir.name == volume.name);
        let use_of_it = sum_of(held.containers.iter().filter(in_it).map(&used));
        if use_of_it > limit.value() {
            return Some(format!(
                "Usage of EmptyDir volume \"{}\" exceeds the limit \"{limit}\". ",
                volume.name
            ));
        }
    }
    let limit_of = |spec: &podscope_api::Container| spec.resources.limits.get("ephemeral-storage").copied();
    let limits: Vec<Quantity> = pod.spec.containers.iter().filter_map(limit_of).collect();
    if !limits.is_empty() {
        let total = limits.iter().fold(Quantity::default(), |sum, limit| sum.plus(*limit));
        let all = sum_of(held.containers.iter().map(&used));
        if all > total.value() {
            return Some(format!(
                "Pod ephemeral local storage usage exceeds the total limit of containers {total}. "
            ));
        }
    }
    for spec in pod.spec.all_containers() {
        let Some(limit) = limit_of(spec) else { continue };
        let own = held
            .latest(&spec.name)
            .filter(|_| empty_dir_of(pod, &spec.name).is_none());
        if own.is_some_and(|one| used(one) > limit.value()) {
            return Some(format!(
                "Container {} exceeded its local ephemeral storage limit \"{limit}\". ",
                spec.name
            ));
        }
    }
    None
}

/// Who is evicted first: the least (LC-195). The fields stand in the order in which they are compared; the QoS class
/// is none of them.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    /// Whether it uses no more than it requests: such pods come last, but come (LC-196).
    is_within: bool,
    priority: i32,
    /// Usage beyond the request; the most first. Of processes, which nobody requests, their number.
    over: Reverse<i64>,
    /// So that equals have an order.
    uid: Uid,
}

impl Managers {
    /// Queues the next pass if usage can cross a threshold; looks only when the machine's containers changed.
    pub(super) fn watch_usage(&mut self, host: &mut Host<'_, '_>) {
        let changes = host.machine.changes();
        if self.eviction.looked_at == Some(changes) {
            return;
        }
        self.eviction.looked_at = Some(changes);
        if self.can_matter(host) {
            self.queue_eviction(host.shared.slow_after(host.ctx.now), host);
        }
        self.watch_images(host);
    }

    fn queue_eviction(&mut self, at: SimTime, host: &mut Host<'_, '_>) {
        if self
            .eviction
            .queued
            .is_none_or(|queued| queued > at || queued <= host.ctx.now)
        {
            self.eviction.queued = Some(at);
            host.ctx.timer(at, Timer::Kubelet(KubeletTimer::Eviction));
        }
    }

    /// Whether a threshold or limit could be crossed by what runs now.
    fn can_matter(&self, host: &Host<'_, '_>) -> bool {
        let eviction = &self.eviction;
        let is_held = eviction.seen.iter().any(Option::is_some) || eviction.waits_for.is_some();
        let can_cross = |threshold: &EvictionThreshold| {
            let resource = Resource::of(threshold.signal);
            let Some(capacity) = resource.capacity(host) else {
                return false;
            };
            capacity.saturating_sub(most(resource, host)) < amount(threshold.value, capacity)
        };
        let can_break = || {
            self.pods.iter().any(|(uid, worker)| {
                let held = host.machine.pod(uid);
                held.is_some_and(|held| broken_limit(&worker.pod, held, |one| Resource::Disk.most(one)).is_some())
            })
        };
        is_held || host.shared.settings.eviction.iter().any(can_cross) || can_break()
    }

    pub(super) fn eviction_pass(&mut self, host: &mut Host<'_, '_>) {
        let now = host.ctx.now;
        if self.eviction.queued.is_none_or(|queued| queued > now) {
            return;
        }
        self.eviction.queued = None;
        if let Some((uid, until)) = self.eviction.waits_for.clone() {
            let is_cleaned_up = self.pods.get(&uid).is_none_or(|worker| worker.stage == Stage::Finished);
            if !is_cleaned_up && now < until {
                self.queue_eviction(now + CLEANUP_POLL, host);
                return;
            }
            self.eviction.waits_for = None;
        }
        if host.machine.is_runtime_up() && !self.evict_over_limits(host) {
            self.evict_under_pressure(host);
        }
        if self.eviction.waits_for.is_some() {
            self.queue_eviction(now + CLEANUP_POLL, host);
        } else if self.can_matter(host) {
            self.queue_eviction(host.shared.slow_after(now), host);
        }
    }

    /// Local-storage limits: every offender, before any threshold (LC-200); true if there was one.
    fn evict_over_limits(&mut self, host: &mut Host<'_, '_>) -> bool {
        let now = host.ctx.now;
        let offenders: Vec<(Uid, String)> = self
            .pods
            .iter()
            .filter(|(_, worker)| worker.stage == Stage::Syncing && !is_critical(&worker.pod))
            .filter_map(|(uid, worker)| {
                let held = host.machine.pod(uid)?;
                Some((uid.clone(), broken_limit(&worker.pod, held, |one| one.disk(now))?))
            })
            .collect();
        for (uid, message) in &offenders {
            self.evict(uid, message, false, 1, host);
        }
        !offenders.is_empty()
    }

    fn evict_under_pressure(&mut self, host: &mut Host<'_, '_>) {
        let now = host.ctx.now;
        let thresholds = host.shared.settings.eviction.clone();
        self.eviction.met_since.resize(thresholds.len(), None);
        for (threshold, since) in thresholds.iter().zip(&mut self.eviction.met_since) {
            *since = is_met(threshold, since.is_some(), host).then(|| since.unwrap_or(now));
        }
        for (kind, seen) in Pressure::ALL.iter().zip(&mut self.eviction.seen) {
            let mut all = thresholds.iter().zip(&self.eviction.met_since);
            if all.any(|(threshold, since)| Pressure::by(threshold.signal) == *kind && since.is_some()) {
                *seen = Some(now);
            }
        }
        self.set_pressure(host);
        // Thresholds whose grace is over, memory before everything else (LC-189, LC-193).
        let is_ripe = |(threshold, since): &(&EvictionThreshold, &Option<SimTime>)| {
            since.is_some_and(|since| now - since >= threshold.grace.unwrap_or(Span::ZERO))
        };
        let ripe = thresholds
            .iter()
            .zip(&self.eviction.met_since)
            .filter(is_ripe)
            .map(|(threshold, _)| *threshold);
        let Some(threshold) = ripe.min_by_key(|threshold| threshold.signal) else {
            return;
        };
        let resource = Resource::of(threshold.signal);
        let node = host.shared.node.clone();
        let message = format!("Attempting to reclaim {}", resource.name());
        events::of_node(&node, EventType::Warning, "EvictionThresholdMet", message, host);
        if matches!(resource, Resource::Disk | Resource::Inodes) {
            let is_over = |uid: &Uid| self.pods.get(uid).is_none_or(|worker| worker.stage == Stage::Finished);
            host.machine.collect_dead_containers(&is_over, now);
            self.delete_unused_images(host);
            if !is_met(&threshold, true, host) {
                return;
            }
        }
        self.evict_one(resource, &threshold, host);
    }

    /// Ranks the pods and evicts the first that may be evicted (LC-195 to LC-199).
    fn evict_one(&mut self, resource: Resource, threshold: &EvictionThreshold, host: &mut Host<'_, '_>) {
        let now = host.ctx.now;
        let mut ranked: Vec<Rank> = self
            .pods
            .iter()
            .filter(|(_, worker)| worker.stage == Stage::Syncing)
            .map(|(uid, worker)| {
                let in_pod = |held: &MachinePod| resource.of_pod(held, |one| resource.used(one, now));
                let over = host.machine.pod(uid).map_or(0, in_pod) - resource.request(&worker.pod);
                // Nobody requests processes: priority, then their number.
                let is_within = over <= 0 && resource != Resource::Pids;
                Rank {
                    is_within,
                    priority: worker.pod.priority(),
                    over: Reverse(over),
                    uid: uid.clone(),
                }
            })
            .collect();
        ranked.stable_sort();
        let is_exempt = |rank: &Rank| rank.is_within && host.ctx.switches.within_requests_exempt;
        let chosen = ranked.into_iter().find(|rank| {
            let is_critical = self.pods.get(&rank.uid).is_some_and(|worker| is_critical(&worker.pod));
            !is_critical && !is_exempt(rank)
        });
        let Some(Rank { uid, .. }) = chosen else { return };
        let Some(worker) = self.pods.get(&uid) else { return };
        let capacity = resource.capacity(host).unwrap_or(0);
        let mut message = format!(
            "The node was low on resource: {}. Threshold quantity: {}, available: {}. ",
            resource.name(),
            resource.quantity(amount(threshold.value, capacity)),
            resource.quantity(available(resource, host).unwrap_or(0)),
        );
        let has_usage = matches!(resource, Resource::Memory | Resource::Disk);
        for spec in worker.pod.spec.containers.iter().filter(|_| has_usage) {
            let used = host
                .machine
                .pod(&uid)
                .and_then(|held| held.latest(&spec.name))
                .map_or(0, |container| resource.used(container, now));
            let request = spec
                .resources
                .requests
                .get(resource.name())
                .copied()
                .unwrap_or_default();
            if used > request.value() {
                message += &format!(
                    "Container {} was using {}, request is {request}, has larger consumption of {}. ",
                    spec.name,
                    resource.quantity(used),
                    resource.name()
                );
            }
        }
        let max_grace = host.shared.settings.eviction_max_pod_grace_period;
        let asked = grace::of_eviction(threshold.grace.is_none(), max_grace, &worker.pod, host.ctx.switches);
        self.evict(&uid, &message, true, asked, host);
        self.eviction.waits_for = Some((uid, now + CLEANUP_PATIENCE));
    }

    fn evict(&mut self, uid: &Uid, message: &str, has_condition: bool, asked_grace: i64, host: &mut Host<'_, '_>) {
        if let Some(worker) = self.pods.get_mut(uid) {
            // The process that used too much, from its start on.
            host.ctx.because(worker.cause(host));
            events::of_pod(&worker.pod.clone(), EventType::Warning, "Evicted", message, host);
            let text: Str = message.into();
            let ended_for = EndReason {
                reason: "Evicted".into(),
                message: text.clone(),
                disruption: has_condition.then_some(text),
            };
            worker.kill_pod_now(ended_for, Some(asked_grace), host);
        }
        self.advance(uid, host);
    }

    /// Conditions of pressure stay until the transition period after the last observation (LC-191).
    fn set_pressure(&mut self, host: &mut Host<'_, '_>) {
        let period = host.shared.settings.eviction_pressure_transition_period;
        let now = host.ctx.now;
        let mut pressure = Vec::new();
        for (kind, seen) in Pressure::ALL.iter().zip(&mut self.eviction.seen) {
            *seen = seen.filter(|at| now - *at < period);
            pressure.extend(seen.map(|_| *kind));
        }
        let state = &mut host.shared.node_state;
        if state.pressure != pressure {
            state.pressure = pressure;
            // The condition goes out at once, not only with the next status.
            host.node_pass_at(now);
        }
    }
}

/// Whether a threshold is met; one that was met before stays so until the minimum is reclaimed (LC-192).
fn is_met(threshold: &EvictionThreshold, was_met: bool, host: &Host<'_, '_>) -> bool {
    let resource = Resource::of(threshold.signal);
    let (Some(capacity), Some(available)) = (resource.capacity(host), available(resource, host)) else {
        return false;
    };
    let reclaim = threshold
        .min_reclaim
        .filter(|_| was_met)
        .map_or(0, |value| amount(value, capacity));
    available < amount(threshold.value, capacity).saturating_add(reclaim)
}
