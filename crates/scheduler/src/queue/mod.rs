//! The scheduling queue: activeQ, backoffQ, unschedulablePods (SCH-112 to SCH-118, S-02).
//!
//! ```text
//!            ┌────────────── pop ──────────────┐
//!            │                                 ▼
//!   add ─► activeQ ◄── flush, 1 s ── backoffQ (unschedulable | error)      in a cycle
//!            ▲                          ▲                                      │
//!            └── hint, not backing off ─┴── hint, backing off ── unschedulable ◄┘ refused
//!                                                                (gated pods too)
//! ```
//! A cycle takes no simulated time, so no event can occur between the pop of a pod and its return. The "in-flight
//! events" of kube-scheduler (SCH-113, SCH-127) are therefore always empty here.

pub(crate) mod events;

use podscope_api::explained::RefusedNodes;
use podscope_api::ordered;
use std::sync::Arc;

use podscope_api::{CausedBy, Str};

use crate::config::SchedulerConfiguration;
use crate::plugins::priority_sort::{self, SortKey};
use crate::plugins::{Plugin, PluginSet};
use crate::pod_info::Incoming;

const MICROS_PER_SECOND: i64 = 1_000_000;
/// Upper bound of a back-off in microseconds, small enough that adding it to any time does not overflow.
const MAX_BACKOFF_MICROS: i64 = i64::MAX / 4;
/// Period of the flush of pods that have waited too long, in microseconds (SCH-116).
const UNSCHEDULABLE_FLUSH_PERIOD: i64 = 30 * MICROS_PER_SECOND;
/// Time after which an unschedulable pod is retried, in microseconds (`--pod-max-in-unschedulable-pods-duration`,
/// SCH-116).
const MAX_UNSCHEDULABLE_TIME: i64 = 5 * 60 * MICROS_PER_SECOND;

/// The part of the queue in which a pod waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum QueuePool {
    /// In activeQ, ready for a scheduling cycle.
    Active,
    /// In backoffQ after an unschedulable attempt.
    Backoff,
    /// In backoffQ after an error.
    ErrorBackoff,
    /// In unschedulablePods, waiting for an event that may help.
    Unschedulable,
    /// Kept out of activeQ by PreEnqueue: scheduling gates, or a running preemption.
    Gated,
}

/// A pod in the queue, or in a cycle.
#[derive(Debug, Clone)]
pub(crate) struct QueuedPod {
    pub(crate) incoming: Arc<Incoming>,
    /// Time at which the pod was added to the queue or returned to it, in microseconds.
    pub(crate) timestamp: i64,
    /// Sequence number, which orders pods with equal timestamps.
    arrival: u64,
    pub(crate) attempts: u32,
    unschedulable_count: u32,
    errors: u32,
    pub(crate) rejectors: PluginSet,
    pub(crate) gated_by: Option<Plugin>,
    /// The cause of the pod's addition to the queue or of its last move. It becomes the cause of the next attempt.
    pub(crate) caused_by: CausedBy,
    /// Reasons of the last failed attempt; `None` before the first attempt.
    pub(crate) refusal: Option<Arc<RefusedNodes>>,
}

impl QueuedPod {
    pub(crate) fn new(incoming: Arc<Incoming>, now: i64) -> Self {
        Self {
            incoming,
            timestamp: now,
            arrival: 0,
            attempts: 0,
            unschedulable_count: 0,
            errors: 0,
            rejectors: PluginSet::default(),
            gated_by: None,
            caused_by: CausedBy::NOTHING,
            refusal: None,
        }
    }

    fn uid(&self) -> &Str {
        &self.incoming.info.uid
    }

    fn key(&self) -> SortKey {
        priority_sort::sort_key(self.incoming.info.priority, self.timestamp, self.arrival)
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Queue {
    initial_backoff: i64,
    max_backoff: i64,
    started_at: i64,
    flushed_at: i64,
    arrivals: u64,
    pods: ordered::Map<Str, (QueuePool, QueuedPod)>,
    active: ordered::Set<(SortKey, Str)>,
    /// Sorted by the end of the back-off, then as in activeQ.
    backoff: ordered::Set<(i64, SortKey, Str)>,
    error_backoff: ordered::Set<(i64, SortKey, Str)>,
    /// Pods in the pools `Unschedulable` and `Gated`.
    waiting: ordered::Set<Str>,
    /// The cause of the change that is being processed.
    pub(crate) cause: CausedBy,
}

fn floor_to_second(at: i64) -> i64 {
    at - at.rem_euclid(MICROS_PER_SECOND)
}

impl Queue {
    pub(crate) fn new(config: &SchedulerConfiguration, now: i64) -> Self {
        Self {
            initial_backoff: config
                .pod_initial_backoff_seconds
                .saturating_mul(MICROS_PER_SECOND)
                .min(MAX_BACKOFF_MICROS),
            max_backoff: config
                .pod_max_backoff_seconds
                .saturating_mul(MICROS_PER_SECOND)
                .min(MAX_BACKOFF_MICROS),
            started_at: now,
            flushed_at: now,
            arrivals: 0,
            pods: ordered::Map::new(),
            active: ordered::Set::new(),
            backoff: ordered::Set::new(),
            error_backoff: ordered::Set::new(),
            waiting: ordered::Set::new(),
            cause: CausedBy::NOTHING,
        }
    }

    pub(crate) fn next_arrival(&mut self) -> u64 {
        self.arrivals += 1;
        self.arrivals
    }

    /// Returns the end of the pod's back-off; `None` if it has no back-off (SCH-114).
    fn backoff_end(&self, pod: &QueuedPod) -> Option<i64> {
        let count = if pod.errors > 0 {
            pod.errors
        } else {
            pod.unschedulable_count
        };
        if count == 0 {
            return None;
        }
        let mut duration = self.initial_backoff;
        for _ in 1..count {
            // As in kube-scheduler, doubling stops before the duration exceeds the maximum.
            if duration > self.max_backoff - duration {
                duration = self.max_backoff;
                break;
            }
            duration *= 2;
        }
        Some(floor_to_second(pod.timestamp + duration.min(self.max_backoff)))
    }

    fn is_backing_off(&self, pod: &QueuedPod, now: i64) -> bool {
        self.backoff_end(pod).is_some_and(|end| floor_to_second(now) <= end)
    }

    /// Returns the pool of a queued pod.
    pub(crate) fn pool(&self, uid: &str) -> Option<QueuePool> {
        self.pods.get(uid).map(|(pool, _)| *pool)
    }

    pub(crate) fn get(&self, uid: &str) -> Option<&QueuedPod> {
        self.pods.get(uid).map(|(_, pod)| pod)
    }

    /// Removes a pod from the queue.
    pub(crate) fn remove(&mut self, uid: &str) -> Option<QueuedPod> {
        let (pool, pod) = self.pods.remove(uid)?;
        let uid = pod.uid().clone();
        let was_there = match pool {
            QueuePool::Active => self.active.remove(&(pod.key(), uid)),
            QueuePool::Backoff => self.backoff.remove(&self.heap_key(&pod)),
            QueuePool::ErrorBackoff => self.error_backoff.remove(&self.heap_key(&pod)),
            QueuePool::Unschedulable | QueuePool::Gated => self.waiting.remove(&uid),
        };
        assert!(
            was_there,
            "the pool of a queued pod must contain it under the key of its insertion"
        );
        Some(pod)
    }

    fn insert_into(&mut self, pool: QueuePool, pod: QueuedPod) {
        let uid = pod.uid().clone();
        match pool {
            QueuePool::Active => self.active.insert((pod.key(), uid.clone())),
            QueuePool::Backoff => self.backoff.insert(self.heap_key(&pod)),
            QueuePool::ErrorBackoff => self.error_backoff.insert(self.heap_key(&pod)),
            QueuePool::Unschedulable | QueuePool::Gated => self.waiting.insert(uid.clone()),
        };
        let before = self.pods.insert(uid, (pool, pod));
        assert!(
            before.is_none(),
            "a pod must be removed from its pool before it is inserted again"
        );
    }

    /// Returns the sort key for the back-off heaps.
    fn heap_key(&self, pod: &QueuedPod) -> (i64, SortKey, Str) {
        (self.backoff_end(pod).unwrap_or(0), pod.key(), pod.uid().clone())
    }

    /// Adds a new pod. `gate` is the plugin whose PreEnqueue rejected it, if any.
    pub(crate) fn add(&mut self, mut pod: QueuedPod, gate: Option<Plugin>) {
        pod.arrival = self.next_arrival();
        self.insert_unless_gated(pod, gate, QueuePool::Active);
    }

    fn insert_unless_gated(&mut self, mut pod: QueuedPod, gate: Option<Plugin>, pool: QueuePool) {
        pod.gated_by = gate;
        if self.cause != CausedBy::NOTHING {
            pod.caused_by = self.cause;
        }
        match gate {
            Some(plugin) => {
                pod.rejectors.insert(plugin);
                self.insert_into(QueuePool::Gated, pod);
            }
            None => self.insert_into(pool, pod),
        }
    }

    /// Moves a pod that may have become schedulable to activeQ, or to backoffQ during its back-off (SCH-117).
    pub(crate) fn requeue(&mut self, pod: QueuedPod, gate: Option<Plugin>, now: i64) {
        let pool = match self.is_backing_off(&pod, now) {
            true if pod.errors > 0 => QueuePool::ErrorBackoff,
            true => QueuePool::Backoff,
            false => QueuePool::Active,
        };
        self.insert_unless_gated(pod, gate, pool);
    }

    /// Moves a pod to activeQ immediately, ignoring its back-off.
    pub(crate) fn activate(&mut self, pod: QueuedPod, gate: Option<Plugin>) {
        self.insert_unless_gated(pod, gate, QueuePool::Active);
    }

    /// Returns a pod to the queue after a failed attempt (SCH-113), and stores the plugins that rejected it. Without
    /// rejectors, the failure is an error, and the pod is retried after its back-off.
    pub(crate) fn return_failed(&mut self, mut pod: QueuedPod, rejectors: PluginSet, gate: Option<Plugin>, now: i64) {
        pod.rejectors = rejectors;
        pod.timestamp = now;
        pod.arrival = self.next_arrival();
        if pod.rejectors.is_empty() {
            pod.errors += 1;
            self.requeue(pod, gate, now);
        } else {
            pod.unschedulable_count += 1;
            pod.errors = 0;
            self.insert_into(QueuePool::Unschedulable, pod);
        }
    }

    /// Replaces the object of a queued pod, which stays in its pool.
    pub(crate) fn replace_pod_object(&mut self, uid: &str, incoming: Arc<Incoming>) {
        if let Some((_, pod)) = self.pods.get_mut(uid) {
            let has_same_priority = pod.incoming.info.priority == incoming.info.priority;
            if has_same_priority {
                pod.incoming = incoming;
                return;
            }
        }
        let pool = self.pool(uid);
        if let (Some(pool), Some(mut pod)) = (pool, self.remove(uid)) {
            pod.incoming = incoming;
            self.insert_into(pool, pod);
        }
    }

    /// Records the current change as the cause of a pod's next attempt, because the change freed resources for the pod.
    /// Applies to pods in activeQ and backoffQ.
    pub(crate) fn set_cause_of_next_attempt(&mut self, uid: &str) {
        if let Some((QueuePool::Active | QueuePool::Backoff, pod)) = self.pods.get_mut(uid)
            && self.cause != CausedBy::NOTHING
        {
            pod.caused_by = self.cause;
        }
    }

    /// Returns the UIDs of the pods that wait for an event, including gated pods.
    pub(crate) fn uids_waiting_for_event(&self) -> Vec<Str> {
        self.waiting.iter().cloned().collect()
    }

    pub(crate) fn has_pods_waiting_for_event(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Runs the timers up to `now` (SCH-116). Returns the pods that waited too long, which the caller requeues.
    pub(crate) fn run_due_timers(&mut self, now: i64) -> Vec<Str> {
        // Invariant: which pods are released depends only on the last whole second, so skipped ticks change nothing.
        for errors in [false, true] {
            loop {
                let heap = if errors { &self.error_backoff } else { &self.backoff };
                match heap.first() {
                    Some((end, _, uid)) if floor_to_second(now) > *end => {
                        let uid = uid.clone();
                        if let Some(pod) = self.remove(&uid) {
                            self.insert_into(QueuePool::Active, pod);
                        }
                    }
                    _ => break,
                }
            }
        }
        let periods = (now - self.started_at).div_euclid(UNSCHEDULABLE_FLUSH_PERIOD);
        let tick = self.started_at + periods * UNSCHEDULABLE_FLUSH_PERIOD;
        if tick <= self.flushed_at {
            return Vec::new();
        }
        self.flushed_at = tick;
        self.waiting
            .iter()
            .filter(|uid| {
                self.pods.get(*uid).is_some_and(|(pool, pod)| {
                    *pool == QueuePool::Unschedulable && tick - pod.timestamp > MAX_UNSCHEDULABLE_TIME
                })
            })
            .cloned()
            .collect()
    }

    /// Returns whether [`Queue::pop`] would return a pod.
    pub(crate) fn has_pod_to_pop(&self) -> bool {
        !self.active.is_empty() || !self.backoff.is_empty()
    }

    /// Removes and returns the next pod: the first pod of activeQ, otherwise the first pod of backoffQ that does not
    /// wait after an error (SCH-115).
    pub(crate) fn pop(&mut self) -> Option<QueuedPod> {
        let uid = match self.active.first() {
            Some((_, uid)) => uid.clone(),
            None => self.backoff.first()?.2.clone(),
        };
        let mut pod = self.remove(&uid)?;
        pod.attempts += 1;
        pod.gated_by = None;
        Some(pod)
    }

    /// Returns the next time at which a timer can move a pod.
    pub(crate) fn next_timer_at(&self) -> Option<i64> {
        let release = self.error_backoff.first().map(|(end, ..)| end + MICROS_PER_SECOND);
        let oldest = self
            .waiting
            .iter()
            .filter_map(|uid| self.pods.get(uid))
            .filter(|(pool, _)| *pool == QueuePool::Unschedulable)
            .map(|(_, pod)| pod.timestamp)
            .min();
        let flush = oldest.map(|timestamp| self.unschedulable_flush_at(timestamp));
        [release, flush].into_iter().flatten().min()
    }

    /// Returns every pod in the queue with its pool, ordered by UID.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (QueuePool, &QueuedPod)> {
        self.pods.values().map(|(pool, pod)| (*pool, pod))
    }

    /// Returns the time of the periodic flush that requeues a pod waiting since `since` (SCH-116): the first tick at
    /// which the pod's age exceeds the limit and that has not run yet.
    pub(crate) fn unschedulable_flush_at(&self, since: i64) -> i64 {
        let deadline = since + MAX_UNSCHEDULABLE_TIME + 1 - self.started_at;
        let periods = (deadline + UNSCHEDULABLE_FLUSH_PERIOD - 1).div_euclid(UNSCHEDULABLE_FLUSH_PERIOD);
        (self.started_at + periods * UNSCHEDULABLE_FLUSH_PERIOD).max(self.flushed_at + UNSCHEDULABLE_FLUSH_PERIOD)
    }

    /// Returns the time at which the timer moves a pod from backoffQ to activeQ.
    pub(crate) fn release_at(&self, pod: &QueuedPod) -> Option<i64> {
        self.backoff_end(pod).map(|end| end + MICROS_PER_SECOND)
    }
}
