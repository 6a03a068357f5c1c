//! Preemption for a critical pod (LC-066): the kubelet kills as few and as small pods as possible so that the critical
//! pod fits, BestEffort before Burstable before Guaranteed.
//!
//! ```text
//! (admission fails for resources) ─▶ victim ──dead, or timed out──▶ next victim … ─▶ admitted, even if a
//!                                                                                       victim still runs
//! ```
//!
//! Killing a victim (`killPodNow`) blocks the sync loop that admits the pod (LC-178). Until it returns, new pods,
//! updates and deletions wait, and no pod begins a sync: an ended container is not restarted, a failed probe kills
//! nothing. Workers continue what they do already, and the eviction manager, which has a loop of its own, is not
//! blocked.
//!
//! Deviation: readiness that changes meanwhile is published at once.

use std::collections::VecDeque;
use std::sync::Arc;

use podscope_api::{EventType, Pod, QosClass, Str, Uid};

use super::admission::{is_critical, requests_by_resource, shortages};
use super::conditions::PodEndReason;
use super::host::Host;
use super::worker::{PodWorker, WorkerStage};
use super::{KubeletManagers, events};

/// The admission of a critical pod that preempts others.
#[derive(Debug, Clone)]
pub(super) struct CriticalPodPreemption {
    pub(super) pod: Uid,
    /// The victim that is being killed.
    current: Option<Uid>,
    /// The victims that are killed after `current`.
    next: VecDeque<Uid>,
}

impl CriticalPodPreemption {
    pub(super) fn new(pod: Uid, victims: VecDeque<Uid>) -> Self {
        Self {
            pod,
            current: None,
            next: victims,
        }
    }
}

impl KubeletManagers {
    /// Stores a new or changed pod until the admission is over; replaces an older version of it.
    pub(super) fn defer_pod(&mut self, pod: &Arc<Pod>) {
        match self
            .backlog
            .iter_mut()
            .find(|known| known.metadata.uid == pod.metadata.uid)
        {
            Some(known) => *known = pod.clone(),
            None => self.backlog.push(pod.clone()),
        }
    }

    /// Continues a preemption when a victim is dead or its kill timed out: kills the next victim. After the last
    /// victim, starts the critical pod and adds the deferred pods.
    pub(super) fn continue_preemption(&mut self, host: &mut Host<'_, '_>) {
        while let Some(admission) = self.preemptions.front() {
            if admission.current.as_ref().is_some_and(|uid| self.is_being_killed(uid)) {
                return;
            }
            let next = self.preemptions.front_mut().and_then(|admission| {
                admission.current = admission.next.pop_front();
                admission.current.clone()
            });
            if let Some(next) = next {
                self.preempt(&next, host);
                continue;
            }
            let Some(CriticalPodPreemption { pod, .. }) = self.preemptions.pop_front() else {
                return;
            };
            host.shared.is_sync_loop_blocked = false;
            if let Some(worker) = self.pods.get_mut(&pod) {
                worker.request_sync(host);
            }
            self.advance_worker(&pod, host);
            self.handle_deferred_changes(host);
        }
    }

    /// Handles the deferred pods and deletions when the sync loop continues. If one of the pods is critical, its
    /// admission may block the loop again.
    fn handle_deferred_changes(&mut self, host: &mut Host<'_, '_>) {
        for waiting in std::mem::take(&mut self.backlog) {
            self.observe_pod(&waiting, host);
        }
        for uid in std::mem::take(&mut self.deleted_backlog) {
            self.observe_pod_deleted(&uid, host);
        }
        let all: Vec<Uid> = self.pods.keys().cloned().collect();
        for uid in all {
            self.advance_worker(&uid, host);
        }
        if self.has_listed {
            self.schedule_housekeeping(host);
        }
    }

    /// Kills a pod to make room for a critical one.
    fn preempt(&mut self, victim: &Uid, host: &mut Host<'_, '_>) {
        if let Some(worker) = self.pods.get_mut(victim) {
            let message = "Preempted in order to admit critical pod";
            events::emit_for_pod(&worker.pod.clone(), EventType::Warning, "Preempting", message, host);
            let end_reason = PodEndReason {
                reason: "Preempting".into(),
                message: message.into(),
                disruption: Some("Pod was preempted by Kubelet to accommodate a critical pod.".into()),
            };
            worker.kill_pod_now(end_reason, None, host);
        }
        self.advance_worker(victim, host);
    }
}

impl PodWorker {
    /// Returns whether the worker cannot begin a sync because the sync loop is blocked. A termination does not need the
    /// loop.
    pub(super) fn is_blocked_by_preemption(&self, host: &Host<'_, '_>) -> bool {
        host.shared.is_sync_loop_blocked && self.stage == WorkerStage::Syncing
    }
}

/// A resource that is short, and the missing amount.
type Shortfall = (Str, i64);

/// Returns the pods to kill, so that a critical pod fits; None if killing all candidates would not make enough room.
pub(super) fn pods_to_preempt<'a>(pod: &Pod, others: &[&'a Pod], host: &Host<'_, '_>) -> Option<Vec<&'a Pod>> {
    let node = host.shared.node_object.clone()?;
    let shortfalls: Vec<Shortfall> = shortages(pod, others, &node)
        .into_iter()
        .map(|shortage| (shortage.resource.as_str().into(), shortage.missing_amount()))
        .collect();
    let of_class = |class: QosClass| -> Vec<&'a Pod> {
        // A critical pod may preempt any pod that is not critical, and critical pods of lower priority.
        let is_candidate = |other: &&&'a Pod| {
            other.status.qos_class.as_ref() == Some(&class)
                && (!is_critical(other) || other.priority() < pod.priority())
        };
        others.iter().filter(is_candidate).copied().collect()
    };
    let best_effort = of_class(QosClass::BestEffort);
    let burstable = of_class(QosClass::Burstable);
    let guaranteed = of_class(QosClass::Guaranteed);
    let all = [&best_effort[..], &burstable, &guaranteed].concat();
    if !remaining_shortfalls(&shortfalls, &all).is_empty() {
        return None;
    }
    // Pods of a QoS class are killed only for what killing all pods of the lower classes would not free.
    let from_guaranteed = choose_pods_for_shortfalls(
        &guaranteed,
        remaining_shortfalls(&shortfalls, &[&best_effort[..], &burstable].concat()),
    );
    let from_burstable = choose_pods_for_shortfalls(
        &burstable,
        remaining_shortfalls(&shortfalls, &[&best_effort[..], &from_guaranteed].concat()),
    );
    let from_best_effort = choose_pods_for_shortfalls(
        &best_effort,
        remaining_shortfalls(&shortfalls, &[&from_burstable[..], &from_guaranteed].concat()),
    );
    Some([from_best_effort, from_burstable, from_guaranteed].concat())
}

/// Returns the amount of a resource that a pod requests. Every pod requests 1 of the resource `pods`.
fn requested_amount(pod: &Pod, resource: &str) -> i64 {
    if resource == "pods" {
        1
    } else {
        requests_by_resource(pod).get(resource).copied().unwrap_or(0)
    }
}

/// Returns the shortfalls that remain after `removed` pods are gone.
fn remaining_shortfalls(shortfalls: &[Shortfall], removed: &[&Pod]) -> Vec<Shortfall> {
    let left = |(resource, amount): &Shortfall| {
        let freed: i64 = removed.iter().map(|pod| requested_amount(pod, resource)).sum();
        (*amount > freed).then(|| (resource.clone(), amount - freed))
    };
    shortfalls.iter().filter_map(left).collect()
}

/// Repeatedly chooses the pod that reduces the shortfalls most; of equal pods, the smaller.
fn choose_pods_for_shortfalls<'a>(pods: &[&'a Pod], mut shortfalls: Vec<Shortfall>) -> Vec<&'a Pod> {
    let mut left = pods.to_vec();
    let mut chosen = Vec::new();
    while !shortfalls.is_empty() && !left.is_empty() {
        let mut best = 0;
        for idx in 1..left.len() {
            let (one, known) = (
                remaining_shortfall_distance(left[idx], &shortfalls),
                remaining_shortfall_distance(left[best], &shortfalls),
            );
            let is_smaller = || pod_size_sort_key(left[idx]) <= pod_size_sort_key(left[best]);
            if one < known || (one == known && is_smaller()) {
                best = idx;
            }
        }
        let pod = left.remove(best);
        shortfalls = remaining_shortfalls(&shortfalls, &[pod]);
        chosen.push(pod);
    }
    chosen
}

/// Returns the sum of the squared relative shortfalls that remain when the pod is removed. It uses only basic
/// arithmetic, so that all targets compute the same value.
fn remaining_shortfall_distance(pod: &Pod, shortfalls: &[Shortfall]) -> f64 {
    let share = |(resource, amount): &Shortfall| {
        let left = (amount - requested_amount(pod, resource)).max(0) as f64 / *amount as f64;
        left * left
    };
    shortfalls.iter().map(share).sum()
}

/// Returns the sort key: smaller pods come first, by memory, then CPU.
fn pod_size_sort_key(pod: &Pod) -> (i64, i64) {
    (requested_amount(pod, "memory"), requested_amount(pod, "cpu"))
}
