//! Node-pressure eviction (LC-186 to LC-201).
//!
//! ```text
//! Resting ──10 s──▶ synchronize ─▶ thresholds met ─▶ conditions ─▶ local storage limits exceeded: every such pod ────┐
//!    ▲                ▲  │                                                                                           ▼
//!    │                │  └─▶ grace over? ─▶ reclaim on the node ─▶ still met: the pod ranked first ─▶ Killing, one after
//!    └──no pod to kill┘                                                                                       the other
//!                     └──────────── all finished, or 30 s ───────────── CleaningUp ◀──each killed, or timed out───────┘
//! ```
//!
//! The eviction manager is one loop, and killing a pod (`killPodNow`) blocks it: no other pod is evicted meanwhile, and
//! the next pass follows the cleanup at once (LC-178, LC-190). A pass is scheduled only if the maximum future use of
//! the containers could cross a threshold, or while a pressure condition is still set.
//!
//! Deviation: the operating system uses no resources. nodefs and imagefs are one disk, the node's `ephemeral-storage`,
//! which also stores the images (`images.rs`). A file system has one inode per 16 KiB, the default of mke2fs, and
//! written data uses inodes at that rate. A container counts as one process and a sandbox as another, of the 32 768
//! that a kernel allows.

mod resource;

use podscope_api::ordered::StableSort as _;
use std::cmp::Reverse;
use std::collections::VecDeque;

use podscope_api::{EventType, Pod, Quantity, Str, Uid};

use self::resource::{
    EvictionResource, available_amount, max_future_use, pod_disk_bytes, saturating_sum, threshold_amount,
};

use super::admission::is_critical;
use super::conditions::PodEndReason;
use super::host::Host;
use super::node::NodePressure;
use super::settings::EvictionThreshold;
use super::worker::{PodWorker, WorkerStage};
use super::{KubeletManagers, KubeletTimer, events, grace, host};
use crate::Timer;
use crate::machine::{Container, MachinePod};
use podscope_sim::{SimTime, Span};

const EPHEMERAL_STORAGE: &str = "ephemeral-storage";

/// Timeout of the wait for the cleanup of evicted pods (LC-190).
const CLEANUP_TIMEOUT: Span = Span::seconds(30);
/// Interval at which the loop checks whether evicted pods are cleaned up.
const CLEANUP_POLL_INTERVAL: Span = Span::seconds(1);

/// State of the eviction manager.
#[derive(Debug, Clone, Default)]
pub(super) struct EvictionManager {
    queued: Option<SimTime>,
    /// When the last pass began; the loop then sleeps for ten seconds.
    last_pass: Option<SimTime>,
    state: EvictionLoopState,
    /// For each threshold of the settings, the time since which it has been met.
    met_since: Vec<Option<SimTime>>,
    /// When each kind of pressure was last observed, in the order of [`NodePressure::ALL`] (LC-191).
    pressure_seen: [Option<SimTime>; NodePressure::ALL.len()],
    /// Machine change counter ([`Machine::changes`](crate::machine::Machine::changes)) at the last check of future use.
    checked_changes: Option<u64>,
}

#[derive(Debug, Clone, Default)]
enum EvictionLoopState {
    /// The loop sleeps until the next pass.
    #[default]
    Resting,
    /// The loop waits until a pod is killed; `next` are the other victims of the same pass.
    Killing {
        current: Uid,
        next: VecDeque<PodToEvict>,
        killed: Vec<Uid>,
    },
    /// The loop waits until the killed pods are cleaned up.
    CleaningUp { pods: Vec<Uid>, until: SimTime },
}

/// A pod to be evicted.
#[derive(Debug, Clone)]
struct PodToEvict {
    uid: Uid,
    message: String,
    has_condition: bool,
    /// Grace period for the pod, in seconds.
    grace: i64,
}

/// Returns the capacity and free bytes of the disk; None if its capacity is unknown.
pub(super) fn disk_capacity_and_free(host: &Host<'_, '_>) -> Option<(i64, i64)> {
    let capacity = EvictionResource::Disk.capacity(host).filter(|capacity| *capacity > 0)?;
    Some((capacity, available_amount(EvictionResource::Disk, host)?))
}

/// Returns the maximum percentage of the disk that the running containers and present images can come to use, rounded
/// to the next greater integer and at most 101; None if the capacity is unknown.
pub(super) fn max_future_disk_use_percent(host: &Host<'_, '_>) -> Option<i64> {
    let (capacity, _) = disk_capacity_and_free(host)?;
    let used = i128::from(max_future_use(EvictionResource::Disk, host)) * 100;
    Some((used.div_euclid(i128::from(capacity)) + 1).min(101) as i64)
}

/// Returns the message about the first local-storage limit that the pod exceeds, given the bytes used by each container
/// (LC-200). A `sizeLimit` of 0 sets no limit, and container limits are checked only for app containers.
fn exceeded_storage_limit_message(pod: &Pod, held: &MachinePod, used: impl Fn(&Container) -> i64) -> Option<String> {
    for volume in pod.spec.volumes.iter() {
        let limit = volume.empty_dir.as_ref().and_then(|dir| dir.size_limit);
        let Some(limit) = limit.filter(|limit| limit.sign() > 0) else {
            continue;
        };
        let written = held.empty_dir_contents(&used);
        let in_volume = written.iter().filter(|written| written.volume == volume.name);
        let used_in_volume = saturating_sum(in_volume.map(|written| written.bytes));
        if used_in_volume > limit.value() {
            return Some(format!(
                "Usage of EmptyDir volume \"{}\" exceeds the limit \"{limit}\". ",
                volume.name
            ));
        }
    }
    // Most pods have no such limit, and summing the use of a pod is expensive.
    let has_limit = |spec: &podscope_api::Container| spec.resources.limits.contains_key(EPHEMERAL_STORAGE);
    if !pod.spec.all_containers().any(has_limit) {
        return None;
    }
    if let Some(total) = pod.spec.total_limits().get(EPHEMERAL_STORAGE)
        && pod_disk_bytes(held, &used) > total.value()
    {
        return Some(format!(
            "Pod ephemeral local storage usage exceeds the total limit of containers {total}. "
        ));
    }
    for spec in pod.spec.containers.iter() {
        let limit = spec.resources.limits.get(EPHEMERAL_STORAGE);
        let Some(limit) = limit.filter(|limit| !limit.is_zero()) else {
            continue;
        };
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

/// Sort key of eviction: the pod with the smallest key is evicted first (LC-195). Fields are compared in the order of
/// declaration. The QoS class is not part of the key.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct EvictionRank {
    /// Whether the pod has usage statistics; a pod without a sandbox on the machine has none and is evicted first.
    has_stats: bool,
    /// Whether the pod uses no more than it requests. Such pods are evicted after those that use more (LC-196).
    is_within_request: bool,
    priority: i32,
    /// Usage above the request, in descending order. For PIDs, which cannot be requested, the number of processes.
    over_request: Reverse<i64>,
    /// Breaks ties between pods that are equal in the other fields.
    uid: Uid,
}

impl KubeletManagers {
    /// Schedules the next eviction pass and the next image garbage collection if future usage can reach their
    /// thresholds; the eviction pass also while a pressure condition is set. Checks this only if containers or images
    /// of the machine changed since the last call.
    pub(super) fn schedule_passes_for_usage(&mut self, host: &mut Host<'_, '_>) {
        let changes = host.machine.changes();
        if self.eviction.checked_changes == Some(changes) {
            return;
        }
        self.eviction.checked_changes = Some(changes);
        if matches!(self.eviction.state, EvictionLoopState::Resting) && self.can_cross_threshold(host) {
            self.schedule_eviction_pass(host);
        }
        self.schedule_image_gc_if_useful(host);
    }

    /// Schedules the next pass of the loop, which sleeps ten seconds after each pass.
    fn schedule_eviction_pass(&mut self, host: &mut Host<'_, '_>) {
        let now = host.ctx.now;
        let at = match self.eviction.last_pass {
            None => host.shared.next_slow_pass_after(now),
            Some(last) => host::next_tick(now, host::SLOW_LOOP_INTERVAL, Span(last.0)),
        };
        self.schedule_eviction_timer(at, host);
    }

    fn schedule_eviction_timer(&mut self, at: SimTime, host: &mut Host<'_, '_>) {
        let queued = &mut self.eviction.queued;
        if queued.is_none_or(|queued| queued > at || queued <= host.ctx.now) {
            *queued = Some(at);
            host.ctx.timer(at, Timer::Kubelet(KubeletTimer::Eviction));
        }
    }

    /// Returns whether the running containers can cross a threshold or limit, or a pressure condition is set.
    fn can_cross_threshold(&self, host: &Host<'_, '_>) -> bool {
        let eviction = &self.eviction;
        let has_pressure = eviction.pressure_seen.iter().any(Option::is_some);
        let can_cross = |threshold: &EvictionThreshold| {
            let resource = EvictionResource::of(threshold.signal);
            let Some(capacity) = resource.capacity(host) else {
                return false;
            };
            capacity.saturating_sub(max_future_use(resource, host)) < threshold_amount(threshold.value, capacity)
        };
        let can_exceed_limit = || {
            self.pods.iter().any(|(uid, worker)| {
                let held = host.machine.pod(uid);
                held.is_some_and(|held| {
                    exceeded_storage_limit_message(&worker.pod, held, |one| {
                        EvictionResource::Disk.max_future_container_use(one)
                    })
                    .is_some()
                })
            })
        };
        has_pressure || host.shared.settings.eviction.iter().any(can_cross) || can_exceed_limit()
    }

    /// Handles the loop's timer: starts a pass, or checks whether the cleanup is done.
    pub(super) fn handle_eviction_timer(&mut self, host: &mut Host<'_, '_>) {
        let now = host.ctx.now;
        if self.eviction.queued.is_none_or(|queued| queued > now) {
            return;
        }
        self.eviction.queued = None;
        match &self.eviction.state {
            // The loop continues when the kill returns (`handle_eviction_kill_end`).
            EvictionLoopState::Killing { .. } => return,
            EvictionLoopState::CleaningUp { pods, until } => {
                let is_finished = |uid: &Uid| {
                    self.pods
                        .get(uid)
                        .is_none_or(|worker| worker.stage == WorkerStage::Finished)
                };
                if now < *until && !pods.iter().all(is_finished) {
                    self.schedule_eviction_timer(now + CLEANUP_POLL_INTERVAL, host);
                    return;
                }
                self.eviction.state = EvictionLoopState::Resting;
            }
            EvictionLoopState::Resting => {}
        }
        self.run_eviction_pass(host);
    }

    /// Runs one pass of the loop (`synchronize` in the real kubelet).
    fn run_eviction_pass(&mut self, host: &mut Host<'_, '_>) {
        let now = host.ctx.now;
        self.eviction.last_pass = Some(now);
        if host.machine.is_runtime_up() {
            self.observe_thresholds(host);
            let mut victims = self.storage_limit_victims(host);
            if victims.is_empty() {
                victims.extend(self.reclaim_or_choose_victim(host));
            }
            self.kill_next_victim(victims, Vec::new(), host);
        }
        if matches!(self.eviction.state, EvictionLoopState::Resting) && self.can_cross_threshold(host) {
            self.schedule_eviction_pass(host);
        }
    }

    /// Continues the loop when the kill that blocks it has returned: the pod is dead, or the wait timed out.
    pub(super) fn handle_eviction_kill_end(&mut self, host: &mut Host<'_, '_>) {
        while let EvictionLoopState::Killing { current, .. } = &self.eviction.state
            && !self.is_being_killed(current)
        {
            let EvictionLoopState::Killing {
                current,
                next,
                mut killed,
            } = std::mem::take(&mut self.eviction.state)
            else {
                return;
            };
            killed.push(current);
            self.kill_next_victim(next, killed, host);
        }
    }

    /// Kills the next pod of a pass. After the last one, waits for the cleanup.
    fn kill_next_victim(&mut self, mut next: VecDeque<PodToEvict>, killed: Vec<Uid>, host: &mut Host<'_, '_>) {
        let now = host.ctx.now;
        match next.pop_front() {
            Some(victim) => {
                self.eviction.state = EvictionLoopState::Killing {
                    current: victim.uid.clone(),
                    next,
                    killed,
                };
                self.evict(&victim, host);
            }
            None if killed.is_empty() => {}
            None => {
                self.eviction.state = EvictionLoopState::CleaningUp {
                    pods: killed,
                    until: now + CLEANUP_TIMEOUT,
                };
                self.eviction.queued = None;
                self.schedule_eviction_timer(now + CLEANUP_POLL_INTERVAL, host);
            }
        }
    }

    /// Returns all pods that exceed a local-storage limit; they are evicted before any threshold is checked (LC-200).
    fn storage_limit_victims(&self, host: &Host<'_, '_>) -> VecDeque<PodToEvict> {
        let now = host.ctx.now;
        let offenders = self
            .pods
            .iter()
            .filter(|(_, worker)| is_eviction_candidate(worker) && !is_critical(&worker.pod));
        offenders
            .filter_map(|(uid, worker)| {
                let held = host.machine.pod(uid)?;
                Some(PodToEvict {
                    uid: uid.clone(),
                    message: exceeded_storage_limit_message(&worker.pod, held, |one| one.disk(now))?,
                    has_condition: false,
                    grace: 1,
                })
            })
            .collect()
    }

    /// Determines the thresholds that are met now, and updates the pressure conditions (LC-191, LC-192).
    fn observe_thresholds(&mut self, host: &mut Host<'_, '_>) {
        let now = host.ctx.now;
        let thresholds = host.shared.settings.eviction.clone();
        self.eviction.met_since.resize(thresholds.len(), None);
        for (threshold, since) in thresholds.iter().zip(&mut self.eviction.met_since) {
            *since = is_threshold_met(threshold, since.is_some(), host).then(|| since.unwrap_or(now));
        }
        for (kind, seen) in NodePressure::ALL.iter().zip(&mut self.eviction.pressure_seen) {
            let mut all = thresholds.iter().zip(&self.eviction.met_since);
            if all.any(|(threshold, since)| NodePressure::from_signal(threshold.signal) == *kind && since.is_some()) {
                *seen = Some(now);
            }
        }
        self.update_pressure_conditions(host);
    }

    /// Handles the most important threshold whose grace period is over: reclaims node-level resources, and returns the
    /// pod to evict if that is not enough.
    fn reclaim_or_choose_victim(&mut self, host: &mut Host<'_, '_>) -> Option<PodToEvict> {
        let now = host.ctx.now;
        let thresholds = host.shared.settings.eviction.clone();
        // Thresholds whose grace period is over; memory comes before everything else (LC-189, LC-193).
        let is_grace_over = |(threshold, since): &(&EvictionThreshold, &Option<SimTime>)| {
            since.is_some_and(|since| now - since >= threshold.grace.unwrap_or(Span::ZERO))
        };
        let triggered = thresholds
            .iter()
            .zip(&self.eviction.met_since)
            .filter(is_grace_over)
            .map(|(threshold, _)| *threshold);
        let threshold = triggered.min_by_key(|threshold| threshold.signal)?;
        let resource = EvictionResource::of(threshold.signal);
        let node = host.shared.node.clone();
        let message = format!("Attempting to reclaim {}", resource.name());
        events::emit_for_node(&node, EventType::Warning, "EvictionThresholdMet", message, host);
        if matches!(resource, EvictionResource::Disk | EvictionResource::Inodes) {
            let is_finished = |uid: &Uid| {
                self.pods
                    .get(uid)
                    .is_none_or(|worker| worker.stage == WorkerStage::Finished)
            };
            host.machine.collect_dead_containers(&is_finished, now);
            self.delete_unused_images(host);
            if !is_threshold_met(&threshold, true, host) {
                return None;
            }
        }
        self.choose_victim(resource, &threshold, host)
    }

    /// Ranks the pods and returns the first that may be evicted (LC-195 to LC-199). Pods that are already terminating
    /// are candidates too.
    fn choose_victim(
        &self,
        resource: EvictionResource,
        threshold: &EvictionThreshold,
        host: &Host<'_, '_>,
    ) -> Option<PodToEvict> {
        let now = host.ctx.now;
        let mut ranked: Vec<EvictionRank> = self
            .pods
            .iter()
            .filter(|(_, worker)| is_eviction_candidate(worker))
            .map(|(uid, worker)| {
                let in_pod = |held: &MachinePod| resource.pod_usage(held, |one| resource.container_usage(one, now));
                let held = host.machine.pod(uid).filter(|held| held.sandbox.is_some());
                let over = held.map_or(0, in_pod).saturating_sub(resource.pod_request(&worker.pod));
                EvictionRank {
                    has_stats: held.is_some(),
                    // PIDs cannot be requested: pods are ranked by priority, then by number of processes.
                    is_within_request: over <= 0 && resource != EvictionResource::Pids,
                    priority: if host.ctx.switches.pod_priority_off {
                        0
                    } else {
                        worker.pod.priority()
                    },
                    over_request: Reverse(over),
                    uid: uid.clone(),
                }
            })
            .collect();
        ranked.stable_sort();
        let is_exempt = |rank: &EvictionRank| rank.is_within_request && host.ctx.switches.within_requests_exempt;
        let chosen = ranked.into_iter().find(|rank| {
            let is_critical = self.pods.get(&rank.uid).is_some_and(|worker| is_critical(&worker.pod));
            !is_critical && !is_exempt(rank)
        });
        let uid = chosen?.uid;
        let worker = self.pods.get(&uid)?;
        let message = eviction_message(&worker.pod, resource, threshold, host);
        let max_grace = host.shared.settings.eviction_max_pod_grace_period;
        let grace = grace::eviction_grace_seconds(threshold.grace.is_none(), max_grace, &worker.pod, host.ctx.switches);
        Some(PodToEvict {
            uid,
            message,
            has_condition: true,
            grace,
        })
    }

    /// Evicts a pod: emits the event and starts the kill.
    fn evict(&mut self, victim: &PodToEvict, host: &mut Host<'_, '_>) {
        if let Some(worker) = self.pods.get_mut(&victim.uid) {
            // In the trace, the cause of the eviction is the latest record about the pod.
            host.ctx.set_cause(worker.cause_of_actions(host));
            events::emit_for_pod(
                &worker.pod.clone(),
                EventType::Warning,
                "Evicted",
                victim.message.as_str(),
                host,
            );
            let text: Str = victim.message.as_str().into();
            let end_reason = PodEndReason {
                reason: "Evicted".into(),
                message: text.clone(),
                disruption: victim.has_condition.then_some(text),
            };
            worker.kill_pod_now(end_reason, Some(victim.grace), host);
        }
        self.advance_worker(&victim.uid, host);
    }

    /// Keeps a pressure condition set until the transition period after its last observation is over (LC-191).
    fn update_pressure_conditions(&mut self, host: &mut Host<'_, '_>) {
        let period = host.shared.settings.eviction_pressure_transition_period;
        let now = host.ctx.now;
        let mut pressure = Vec::new();
        for (kind, seen) in NodePressure::ALL.iter().zip(&mut self.eviction.pressure_seen) {
            *seen = seen.filter(|at| now - *at < period);
            pressure.extend(seen.map(|_| *kind));
        }
        let state = &mut host.shared.node_state;
        if state.pressure != pressure {
            state.pressure = pressure;
            // A changed condition is sent at once, not with the next periodic status.
            host.schedule_node_status_pass(now);
        }
    }
}

/// Returns the message of an evicted pod (`evictionMessage`): the threshold; for memory, the usage of a pod with a
/// pod-level request; for memory and disk, the containers that use more than they request, init containers last.
fn eviction_message(
    pod: &Pod,
    resource: EvictionResource,
    threshold: &EvictionThreshold,
    host: &Host<'_, '_>,
) -> String {
    let now = host.ctx.now;
    let capacity = resource.capacity(host).unwrap_or(0);
    let name = resource.name();
    let mut message = format!(
        "The node was low on resource: {name}. Threshold quantity: {}, available: {}. ",
        resource.format_amount(threshold_amount(threshold.value, capacity)),
        resource.format_amount(available_amount(resource, host).unwrap_or(0)),
    );
    let held = host
        .machine
        .pod(&pod.metadata.uid)
        .filter(|held| held.sandbox.is_some());
    let Some(held) = held.filter(|_| matches!(resource, EvictionResource::Memory | EvictionResource::Disk)) else {
        return message;
    };
    let own = pod.spec.resources.as_ref().and_then(|own| own.requests.get(name));
    if let Some(request) = own.filter(|_| resource == EvictionResource::Memory) {
        let used = resource.pod_usage(held, |one| resource.container_usage(one, now));
        message += &consumption_message("Pod", &pod.metadata.name, used, *request, resource);
    }
    for spec in pod.spec.containers.iter().chain(pod.spec.init_containers.iter()) {
        let used = held
            .latest(&spec.name)
            // Data in an emptyDir does not count as the container's own use.
            .filter(|container| resource != EvictionResource::Disk || container.writes_to.is_none())
            .map_or(0, |container| resource.container_usage(container, now));
        let request = spec.resources.requests.get(name).copied().unwrap_or_default();
        if used > request.value() {
            message += &consumption_message("Container", &spec.name, used, request, resource);
        }
    }
    message
}

/// Formats the part of an eviction message about one pod or container that uses more than it requests.
fn consumption_message(what: &str, name: &str, used: i64, request: Quantity, resource: EvictionResource) -> String {
    format!(
        "{what} {name} was using {}, request is {request}, has larger consumption of {}. ",
        resource.format_amount(used),
        resource.name()
    )
}

/// Returns whether the eviction manager considers the pod: its containers may run, and its API object exists.
fn is_eviction_candidate(worker: &PodWorker) -> bool {
    worker.can_have_running_containers() && !worker.is_deleted
}

/// Returns whether a threshold is met. A threshold that was met stays met until the minimum reclaim is free as well
/// (LC-192).
fn is_threshold_met(threshold: &EvictionThreshold, was_met: bool, host: &Host<'_, '_>) -> bool {
    let resource = EvictionResource::of(threshold.signal);
    let (Some(capacity), Some(available)) = (resource.capacity(host), available_amount(resource, host)) else {
        return false;
    };
    let reclaim = threshold
        .min_reclaim
        .filter(|_| was_met)
        .map_or(0, |value| threshold_amount(value, capacity));
    available < threshold_amount(threshold.value, capacity).saturating_add(reclaim)
}
