//! The scheduling queue: activeQ, backoffQ, unschedulablePods (SCH-112 to SCH-118, S-02).
//!
//! ```text
//!            ┌────────────── pop ──────────────┐
//!            │                                 ▼
//!   add ─► activeQ ◄── flush, 1 s ── backoffQ (unschedulable | error)      in a cycle
//!            ▲                          ▲                                      │
//!            └── hint, not backing off ─┴── hint, backing off ── unschedulable ◄┘ refused
//!                                                                (gated ones too)
//! ```
//! A cycle takes no simulated time, so no event can fall between a pop and the pod's return: what
//! Kubernetes keeps as "in-flight events" (SCH-113, SCH-127) is always empty here.

pub(crate) mod events;

use podscope_api::ordered;
use std::sync::Arc;

use podscope_api::{CausedBy, Str};

use crate::config::SchedulerConfiguration;
use crate::plugins::priority_sort::{self, SortKey};
use crate::plugins::{Plugin, PluginSet};
use crate::pod_info::Incoming;
use crate::status::Refusal;

const SECOND: i64 = 1_000_000;
/// No back-off ends later than time itself, and an instant of a run and this make no overflow.
const LONGEST: i64 = i64::MAX / 4;
/// How often pods that wait too long are looked for (SCH-116).
const UNSCHEDULABLE_FLUSH_PERIOD: i64 = 30 * SECOND;
/// `--pod-max-in-unschedulable-pods-duration` (SCH-116).
const UNSCHEDULABLE_MAX: i64 = 5 * 60 * SECOND;

/// Which of the three pools a pod waits in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Pool {
    /// Next in turn.
    Active,
    /// Backing off after a refusal.
    Backoff,
    /// Backing off after an error.
    ErrorBackoff,
    /// Waiting for an event that may help.
    Unschedulable,
    /// Held back before activeQ (scheduling gates, a running preemption).
    Gated,
}

/// A pod in the queue, or in a cycle.
#[derive(Debug, Clone)]
pub(crate) struct QueuedPod {
    pub(crate) incoming: Arc<Incoming>,
    /// When it came, or came back; microseconds.
    pub(crate) timestamp: i64,
    /// Orders equal timestamps.
    arrival: u64,
    pub(crate) attempts: u32,
    unschedulable_count: u32,
    errors: u32,
    pub(crate) rejectors: PluginSet,
    pub(crate) gated_by: Option<Plugin>,
    /// What brought it into the queue, or moved it there last; it leads to the next attempt.
    pub(crate) caused_by: CausedBy,
    /// Why no node took it the last time; none before its first attempt.
    pub(crate) refusal: Option<Arc<Refusal>>,
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
        priority_sort::key(self.incoming.info.priority, self.timestamp, self.arrival)
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Queue {
    initial: i64,
    max: i64,
    started_at: i64,
    flushed_at: i64,
    arrivals: u64,
    pods: ordered::Map<Str, (Pool, QueuedPod)>,
    active: ordered::Set<(SortKey, Str)>,
    /// By expiration, then as activeQ.
    backoff: ordered::Set<(i64, SortKey, Str)>,
    error_backoff: ordered::Set<(i64, SortKey, Str)>,
    /// Gated ones are in here too.
    waiting: ordered::Set<Str>,
    /// The record of the change that is being taken in.
    pub(crate) cause: CausedBy,
}

fn whole_seconds(at: i64) -> i64 {
    at - at.rem_euclid(SECOND)
}

impl Queue {
    pub(crate) fn new(config: &SchedulerConfiguration, now: i64) -> Self {
        Self {
            initial: config.pod_initial_backoff_seconds.saturating_mul(SECOND).min(LONGEST),
            max: config.pod_max_backoff_seconds.saturating_mul(SECOND).min(LONGEST),
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

    /// When the pod's back-off ends; `None` where it has none (SCH-114).
    fn expiration(&self, pod: &QueuedPod) -> Option<i64> {
        let count = if pod.errors > 0 {
            pod.errors
        } else {
            pod.unschedulable_count
        };
        if count == 0 {
            return None;
        }
        let mut duration = self.initial;
        for _ in 1..count {
            // Doubling stops before it would pass the maximum, as in Kubernetes.
            if duration > self.max - duration {
                duration = self.max;
                break;
            }
            duration *= 2;
        }
        Some(whole_seconds(pod.timestamp + duration.min(self.max)))
    }

    fn is_backing_off(&self, pod: &QueuedPod, now: i64) -> bool {
        self.expiration(pod).is_some_and(|end| whole_seconds(now) <= end)
    }

    /// Where a pod is.
    pub(crate) fn pool(&self, uid: &str) -> Option<Pool> {
        self.pods.get(uid).map(|(pool, _)| *pool)
    }

    pub(crate) fn get(&self, uid: &str) -> Option<&QueuedPod> {
        self.pods.get(uid).map(|(_, pod)| pod)
    }

    /// Takes a pod out of the queue.
    pub(crate) fn take(&mut self, uid: &str) -> Option<QueuedPod> {
        let (pool, pod) = self.pods.remove(uid)?;
        let uid = pod.uid().clone();
        let was_there = match pool {
            Pool::Active => self.active.remove(&(pod.key(), uid)),
            Pool::Backoff => self.backoff.remove(&self.heap_key(&pod)),
            Pool::ErrorBackoff => self.error_backoff.remove(&self.heap_key(&pod)),
            Pool::Unschedulable | Pool::Gated => self.waiting.remove(&uid),
        };
        assert!(
            was_there,
            "a queued pod stands in its pool under the key it was put in with"
        );
        Some(pod)
    }

    /// Puts a pod into a pool.
    fn put(&mut self, pool: Pool, pod: QueuedPod) {
        let uid = pod.uid().clone();
        match pool {
            Pool::Active => self.active.insert((pod.key(), uid.clone())),
            Pool::Backoff => self.backoff.insert(self.heap_key(&pod)),
            Pool::ErrorBackoff => self.error_backoff.insert(self.heap_key(&pod)),
            Pool::Unschedulable | Pool::Gated => self.waiting.insert(uid.clone()),
        };
        let before = self.pods.insert(uid, (pool, pod));
        assert!(
            before.is_none(),
            "a pod is in one pool: it is taken out before it is put in again"
        );
    }

    /// Where a pod that backs off stands in its heap.
    fn heap_key(&self, pod: &QueuedPod) -> (i64, SortKey, Str) {
        (self.expiration(pod).unwrap_or(0), pod.key(), pod.uid().clone())
    }

    /// A new pod, its arrival noted; `gate` is what PreEnqueue said.
    pub(crate) fn add(&mut self, mut pod: QueuedPod, gate: Option<Plugin>) {
        pod.arrival = self.next_arrival();
        self.admit(pod, gate, Pool::Active);
    }

    fn admit(&mut self, mut pod: QueuedPod, gate: Option<Plugin>, pool: Pool) {
        pod.gated_by = gate;
        if self.cause != CausedBy::NOTHING {
            pod.caused_by = self.cause;
        }
        match gate {
            Some(plugin) => {
                pod.rejectors.insert(plugin);
                self.put(Pool::Gated, pod);
            }
            None => self.put(pool, pod),
        }
    }

    /// A pod that may be schedulable now: to activeQ, or backoffQ while it backs off (SCH-117).
    pub(crate) fn requeue(&mut self, pod: QueuedPod, gate: Option<Plugin>, now: i64) {
        let pool = match self.is_backing_off(&pod, now) {
            true if pod.errors > 0 => Pool::ErrorBackoff,
            true => Pool::Backoff,
            false => Pool::Active,
        };
        self.admit(pod, gate, pool);
    }

    /// To activeQ at once, back-off or not.
    pub(crate) fn activate(&mut self, pod: QueuedPod, gate: Option<Plugin>) {
        self.admit(pod, gate, Pool::Active);
    }

    /// A failed pod comes back (SCH-113), with the plugins that refused it this time. Without any it is an
    /// error and retried on a timer.
    pub(crate) fn give_back(&mut self, mut pod: QueuedPod, rejectors: PluginSet, gate: Option<Plugin>, now: i64) {
        pod.rejectors = rejectors;
        pod.timestamp = now;
        pod.arrival = self.next_arrival();
        if pod.rejectors.is_empty() {
            pod.errors += 1;
            self.requeue(pod, gate, now);
        } else {
            pod.unschedulable_count += 1;
            pod.errors = 0;
            self.put(Pool::Unschedulable, pod);
        }
    }

    /// Replaces the pod's object where it waits; the place in its pool stays.
    pub(crate) fn replace(&mut self, uid: &str, incoming: Arc<Incoming>) {
        if let Some((_, pod)) = self.pods.get_mut(uid) {
            let same = pod.incoming.info.priority == incoming.info.priority;
            if same {
                pod.incoming = incoming;
                return;
            }
        }
        let pool = self.pool(uid);
        if let (Some(pool), Some(mut pod)) = (pool, self.take(uid)) {
            pod.incoming = incoming;
            self.put(pool, pod);
        }
    }

    /// The change that is being taken in makes room for a pod that backs off or waits for its turn already.
    pub(crate) fn made_room_for(&mut self, uid: &str) {
        if let Some((Pool::Active | Pool::Backoff, pod)) = self.pods.get_mut(uid)
            && self.cause != CausedBy::NOTHING
        {
            pod.caused_by = self.cause;
        }
    }

    /// Pods that wait for an event, gated ones included, by UID.
    pub(crate) fn waiting(&self) -> Vec<Str> {
        self.waiting.iter().cloned().collect()
    }

    pub(crate) fn has_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Runs the timers up to now (SCH-116); returns the pods that waited too long, to be queued again.
    pub(crate) fn flush(&mut self, now: i64) -> Vec<Str> {
        // Invariant: release depends on the last whole second only, so skipped ticks change nothing.
        for errors in [false, true] {
            loop {
                let heap = if errors { &self.error_backoff } else { &self.backoff };
                match heap.first() {
                    Some((end, _, uid)) if whole_seconds(now) > *end => {
                        let uid = uid.clone();
                        if let Some(pod) = self.take(&uid) {
                            self.put(Pool::Active, pod);
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
                self.pods
                    .get(*uid)
                    .is_some_and(|(pool, pod)| *pool == Pool::Unschedulable && tick - pod.timestamp > UNSCHEDULABLE_MAX)
            })
            .cloned()
            .collect()
    }

    /// Whether a pod can be popped.
    pub(crate) fn is_ready(&self) -> bool {
        !self.active.is_empty() || !self.backoff.is_empty()
    }

    /// The next pod: activeQ's head, else the head of the unschedulable back-off heap (SCH-115).
    pub(crate) fn pop(&mut self) -> Option<QueuedPod> {
        let uid = match self.active.first() {
            Some((_, uid)) => uid.clone(),
            None => self.backoff.first()?.2.clone(),
        };
        let mut pod = self.take(&uid)?;
        pod.attempts += 1;
        pod.gated_by = None;
        Some(pod)
    }

    /// When a timer can next change something.
    pub(crate) fn next_timer(&self) -> Option<i64> {
        let release = self.error_backoff.first().map(|(end, ..)| end + SECOND);
        let oldest = self
            .waiting
            .iter()
            .filter_map(|uid| self.pods.get(uid))
            .filter(|(pool, _)| *pool == Pool::Unschedulable)
            .map(|(_, pod)| pod.timestamp)
            .min();
        let flush = oldest.map(|timestamp| self.flush_at(timestamp));
        [release, flush].into_iter().flatten().min()
    }

    /// Every pod in the queue with its pool, by UID.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Pool, &QueuedPod)> {
        self.pods.values().map(|(pool, pod)| (*pool, pod))
    }

    /// When a pod that waits since then is queued again although nothing happened (SCH-116): the first tick at which its
    /// age is more than the limit, and not one that already ran.
    pub(crate) fn flush_at(&self, since: i64) -> i64 {
        let due = since + UNSCHEDULABLE_MAX + 1 - self.started_at;
        let periods = (due + UNSCHEDULABLE_FLUSH_PERIOD - 1).div_euclid(UNSCHEDULABLE_FLUSH_PERIOD);
        (self.started_at + periods * UNSCHEDULABLE_FLUSH_PERIOD).max(self.flushed_at + UNSCHEDULABLE_FLUSH_PERIOD)
    }

    /// When a pod that backs off is released by the timer.
    pub(crate) fn release_at(&self, pod: &QueuedPod) -> Option<i64> {
        self.expiration(pod).map(|end| end + SECOND)
    }
}
