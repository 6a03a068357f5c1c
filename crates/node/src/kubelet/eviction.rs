//! Node-pressure eviction (LC-186 to LC-201).
//!
//! ```text
//! Resting ──10 s──▶ (look) ─▶ thresholds met ─▶ conditions ─▶ local limits broken: every offender ───────────┐
//!    ▲               ▲  │                                                                                    ▼
//!    │               │  └─▶ grace over? ─▶ reclaim on the node ─▶ still met: the first of the ranking ─▶ Killing, one after
//!    └──nobody to end┘                                                                                    the other
//!                    └─────────────── all finished, or 30 s ───────────────── CleaningUp ◀──each ended, or given up──┘
//! ```
//!
//! It is one loop, and ending a pod (`killPodNow`) blocks it: nobody else is
//! evicted meanwhile, and the next look follows the cleanup at once (LC-178,
//! LC-190). A look is queued only while the sum of what the containers can use
//! at most could cross a threshold, or a condition is still held.
//!
//! Deviation: the machine itself uses nothing; nodefs and imagefs are one disk,
//! the node's `ephemeral-storage`, on which images take room (`images.rs`). A file system has an
//! inode for every 16 KiB, as mke2fs makes it, and what is written uses them at
//! that rate; a container is one process, a sandbox another, of the 32 768 that
//! a kernel allows.

mod resource;

use podscope_api::ordered::StableSort as _;
use std::cmp::Reverse;
use std::collections::VecDeque;

use podscope_api::{EventType, Pod, Quantity, Str, Uid};

use self::resource::{Resource, amount, available, most, on_disk, sum_of};

use super::admission::is_critical;
use super::conditions::EndReason;
use super::host::Host;
use super::node::Pressure;
use super::settings::EvictionThreshold;
use super::worker::{PodWorker, Stage};
use super::{KubeletTimer, Managers, events, grace, host};
use crate::Timer;
use crate::machine::{Container, MachinePod};
use podscope_sim::{SimTime, Span};

/// How long the loop waits for the pods it evicted to be cleaned up, and how often it looks (LC-190).
const CLEANUP_PATIENCE: Span = Span::seconds(30);
const CLEANUP_POLL: Span = Span::seconds(1);

/// What the eviction manager remembers.
#[derive(Debug, Clone, Default)]
pub(super) struct Eviction {
    queued: Option<SimTime>,
    /// When it looked last: it sleeps ten seconds from there.
    looked_last: Option<SimTime>,
    busy: Busy,
    /// Since when each threshold of the settings is met.
    met_since: Vec<Option<SimTime>>,
    /// When each kind of pressure was last observed (LC-191).
    seen: [Option<SimTime>; Pressure::ALL.len()],
    /// The machine's state as of the last look at what could happen.
    looked_at: Option<u64>,
}

/// What the loop is busy with.
#[derive(Debug, Clone, Default)]
enum Busy {
    /// It sleeps until the next look.
    #[default]
    Resting,
    /// A pod is being ended; others of the same pass come after it.
    Killing {
        current: Uid,
        next: VecDeque<Victim>,
        ended: Vec<Uid>,
    },
    /// The pods that were ended are being cleaned up.
    CleaningUp { pods: Vec<Uid>, until: SimTime },
}

/// A pod to be evicted.
#[derive(Debug, Clone)]
struct Victim {
    uid: Uid,
    message: String,
    /// Whether the pod gets a DisruptionTarget condition.
    has_condition: bool,
    /// The grace it is given, in seconds.
    grace: i64,
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

/// The local-storage limit that a pod breaks, in words, with use by container as told (LC-200).
fn broken_limit(pod: &Pod, held: &MachinePod, used: impl Fn(&Container) -> i64) -> Option<String> {
    for volume in pod.spec.volumes.iter() {
        let Some(limit) = volume.empty_dir.as_ref().and_then(|dir| dir.size_limit) else {
            continue;
        };
        let written = held.written(&used);
        let in_it = written.iter().filter(|written| written.volume == volume.name);
        let use_of_it = sum_of(in_it.map(|written| written.bytes));
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
        if on_disk(held, &used) > total.value() {
            return Some(format!(
                "Pod ephemeral local storage usage exceeds the total limit of containers {total}. "
            ));
        }
    }
    for spec in pod.spec.all_containers() {
        let Some(limit) = limit_of(spec) else { continue };
        let own = held.latest(&spec.name).filter(|one| one.writes_to.is_none());
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
    /// Whether anything is known of its use; of a pod that has nothing on the machine yet nothing is.
    has_stats: bool,
    /// Whether it uses no more than it requests: such pods come last, but come (LC-196).
    is_within: bool,
    priority: i32,
    /// Usage beyond the request; the most first. Of processes, which nobody requests, their number.
    over: Reverse<i64>,
    /// So that equals have an order.
    uid: Uid,
}

impl Managers {
    /// Queues the next look if usage can cross a threshold; only when the machine's containers changed.
    pub(super) fn watch_usage(&mut self, host: &mut Host<'_, '_>) {
        let changes = host.machine.changes();
        if self.eviction.looked_at == Some(changes) {
            return;
        }
        self.eviction.looked_at = Some(changes);
        if matches!(self.eviction.busy, Busy::Resting) && self.can_matter(host) {
            self.queue_look(host);
        }
        self.watch_images(host);
    }

    /// The next look of a loop that sleeps ten seconds after each.
    fn queue_look(&mut self, host: &mut Host<'_, '_>) {
        let now = host.ctx.now;
        let at = match self.eviction.looked_last {
            None => host.shared.slow_after(now),
            Some(last) => host::next_tick(now, host::SLOW, Span(last.0)),
        };
        self.queue_eviction(at, host);
    }

    fn queue_eviction(&mut self, at: SimTime, host: &mut Host<'_, '_>) {
        let queued = &mut self.eviction.queued;
        if queued.is_none_or(|queued| queued > at || queued <= host.ctx.now) {
            *queued = Some(at);
            host.ctx.timer(at, Timer::Kubelet(KubeletTimer::Eviction));
        }
    }

    /// Whether a threshold or limit could be crossed by what runs now.
    fn can_matter(&self, host: &Host<'_, '_>) -> bool {
        let eviction = &self.eviction;
        let is_held = eviction.seen.iter().any(Option::is_some);
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

    /// The loop's timer: a look is due, or a look at the cleanup.
    pub(super) fn eviction_pass(&mut self, host: &mut Host<'_, '_>) {
        let now = host.ctx.now;
        if self.eviction.queued.is_none_or(|queued| queued > now) {
            return;
        }
        self.eviction.queued = None;
        match &self.eviction.busy {
            // It goes on when the kill returns.
            Busy::Killing { .. } => return,
            Busy::CleaningUp { pods, until } => {
                let is_finished = |uid: &Uid| self.pods.get(uid).is_none_or(|worker| worker.stage == Stage::Finished);
                if now < *until && !pods.iter().all(is_finished) {
                    self.queue_eviction(now + CLEANUP_POLL, host);
                    return;
                }
                self.eviction.busy = Busy::Resting;
            }
            Busy::Resting => {}
        }
        self.look(host);
    }

    /// One pass of the loop (`synchronize`).
    fn look(&mut self, host: &mut Host<'_, '_>) {
        let now = host.ctx.now;
        self.eviction.looked_last = Some(now);
        if host.machine.is_runtime_up() {
            self.observe(host);
            let mut victims = self.over_limits(host);
            if victims.is_empty() {
                victims.extend(self.under_pressure(host));
            }
            self.end_next(victims, Vec::new(), host);
        }
        if matches!(self.eviction.busy, Busy::Resting) && self.can_matter(host) {
            self.queue_look(host);
        }
    }

    /// Goes on when the kill that blocks the loop has returned: the pod is dead, or was given up.
    pub(super) fn eviction_step(&mut self, host: &mut Host<'_, '_>) {
        while let Busy::Killing { current, .. } = &self.eviction.busy
            && !self.is_being_killed(current)
        {
            let Busy::Killing {
                current,
                next,
                mut ended,
            } = std::mem::take(&mut self.eviction.busy)
            else {
                return;
            };
            ended.push(current);
            self.end_next(next, ended, host);
        }
    }

    /// Ends the next pod of a pass; after the last one the cleanup is waited for.
    fn end_next(&mut self, mut next: VecDeque<Victim>, ended: Vec<Uid>, host: &mut Host<'_, '_>) {
        let now = host.ctx.now;
        match next.pop_front() {
            Some(victim) => {
                self.eviction.busy = Busy::Killing {
                    current: victim.uid.clone(),
                    next,
                    ended,
                };
                self.evict(&victim, host);
            }
            None if ended.is_empty() => {}
            None => {
                self.eviction.busy = Busy::CleaningUp {
                    pods: ended,
                    until: now + CLEANUP_PATIENCE,
                };
                self.eviction.queued = None;
                self.queue_eviction(now + CLEANUP_POLL, host);
            }
        }
    }

    /// Local-storage limits: every offender, before any threshold (LC-200).
    fn over_limits(&self, host: &Host<'_, '_>) -> VecDeque<Victim> {
        let now = host.ctx.now;
        let offenders = self
            .pods
            .iter()
            .filter(|(_, worker)| is_active(worker) && !is_critical(&worker.pod));
        offenders
            .filter_map(|(uid, worker)| {
                let held = host.machine.pod(uid)?;
                Some(Victim {
                    uid: uid.clone(),
                    message: broken_limit(&worker.pod, held, |one| one.disk(now))?,
                    has_condition: false,
                    grace: 1,
                })
            })
            .collect()
    }

    /// Which thresholds are met, and the conditions that follow (LC-191, LC-192).
    fn observe(&mut self, host: &mut Host<'_, '_>) {
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
    }

    /// The pod that goes for a threshold that has been met for its grace, if what the node gives by itself is not enough.
    fn under_pressure(&mut self, host: &mut Host<'_, '_>) -> Option<Victim> {
        let now = host.ctx.now;
        let thresholds = host.shared.settings.eviction.clone();
        // Thresholds whose grace is over, memory before everything else (LC-189, LC-193).
        let is_ripe = |(threshold, since): &(&EvictionThreshold, &Option<SimTime>)| {
            since.is_some_and(|since| now - since >= threshold.grace.unwrap_or(Span::ZERO))
        };
        let ripe = thresholds
            .iter()
            .zip(&self.eviction.met_since)
            .filter(is_ripe)
            .map(|(threshold, _)| *threshold);
        let threshold = ripe.min_by_key(|threshold| threshold.signal)?;
        let resource = Resource::of(threshold.signal);
        let node = host.shared.node.clone();
        let message = format!("Attempting to reclaim {}", resource.name());
        events::of_node(&node, EventType::Warning, "EvictionThresholdMet", message, host);
        if matches!(resource, Resource::Disk | Resource::Inodes) {
            let is_over = |uid: &Uid| self.pods.get(uid).is_none_or(|worker| worker.stage == Stage::Finished);
            host.machine.collect_dead_containers(&is_over, now);
            self.delete_unused_images(host);
            if !is_met(&threshold, true, host) {
                return None;
            }
        }
        self.first_of(resource, &threshold, host)
    }

    /// Ranks the pods; the first that may be evicted (LC-195 to LC-199). Pods that end already are candidates too.
    fn first_of(&self, resource: Resource, threshold: &EvictionThreshold, host: &Host<'_, '_>) -> Option<Victim> {
        let now = host.ctx.now;
        let mut ranked: Vec<Rank> = self
            .pods
            .iter()
            .filter(|(_, worker)| is_active(worker))
            .map(|(uid, worker)| {
                let in_pod = |held: &MachinePod| resource.of_pod(held, |one| resource.used(one, now));
                let held = host.machine.pod(uid).filter(|held| held.sandbox.is_some());
                let over = held.map_or(0, in_pod).saturating_sub(resource.request(&worker.pod));
                Rank {
                    has_stats: held.is_some(),
                    // Nobody requests processes: priority, then their number.
                    is_within: over <= 0 && resource != Resource::Pids,
                    priority: if host.ctx.switches.pod_priority_off {
                        0
                    } else {
                        worker.pod.priority()
                    },
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
        let uid = chosen?.uid;
        let worker = self.pods.get(&uid)?;
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
                // What lies in an emptyDir is not the container's.
                .filter(|container| resource != Resource::Disk || container.writes_to.is_none())
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
        let grace = grace::of_eviction(threshold.grace.is_none(), max_grace, &worker.pod, host.ctx.switches);
        Some(Victim {
            uid,
            message,
            has_condition: true,
            grace,
        })
    }

    fn evict(&mut self, victim: &Victim, host: &mut Host<'_, '_>) {
        if let Some(worker) = self.pods.get_mut(&victim.uid) {
            // The process that used too much, from its start on.
            host.ctx.because(worker.cause(host));
            events::of_pod(
                &worker.pod.clone(),
                EventType::Warning,
                "Evicted",
                victim.message.as_str(),
                host,
            );
            let text: Str = victim.message.as_str().into();
            let ended_for = EndReason {
                reason: "Evicted".into(),
                message: text.clone(),
                disruption: victim.has_condition.then_some(text),
            };
            worker.kill_pod_now(ended_for, Some(victim.grace), host);
        }
        self.advance(&victim.uid, host);
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

/// Whether the eviction manager sees the pod: also one that ends, until nothing of it runs, as long as the API has it.
fn is_active(worker: &PodWorker) -> bool {
    worker.may_run() && !worker.is_gone
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
