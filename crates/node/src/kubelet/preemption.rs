//! Room for a critical pod (LC-066): which pods the kubelet ends so that it
//! fits, as few and as small as possible, BestEffort before Burstable before
//! Guaranteed.
//!
//! ```text
//! (admission fails for resources) ─▶ victim ──dead, or given up──▶ next victim … ─▶ admitted, whatever became of them
//! ```
//!
//! Ending a victim (`killPodNow`) blocks the admission, and with it every new
//! pod behind it (LC-178).
//!
//! Deviation: changes of pods that the kubelet knows already are not kept
//! waiting meanwhile.

use std::collections::VecDeque;
use std::sync::Arc;

use podscope_api::{EventType, Pod, QosClass, Str, Uid};

use super::admission::{is_critical, requests, shortages};
use super::conditions::EndReason;
use super::host::Host;
use super::{Managers, events};

/// A critical pod that is being admitted.
#[derive(Debug, Clone)]
pub(super) struct Preemption {
    pub(super) pod: Uid,
    /// The pod that is being ended now.
    current: Option<Uid>,
    /// Those that come after it.
    next: VecDeque<Uid>,
}

impl Preemption {
    pub(super) fn new(pod: Uid, victims: VecDeque<Uid>) -> Self {
        Self {
            pod,
            current: None,
            next: victims,
        }
    }
}

impl Managers {
    /// Whether the admission of a critical pod keeps new pods waiting.
    pub(super) fn is_admitting(&self) -> bool {
        !self.preemptions.is_empty()
    }

    /// A new pod, or one that waits already, as it is now.
    pub(super) fn put_back(&mut self, pod: &Arc<Pod>) {
        match self
            .backlog
            .iter_mut()
            .find(|known| known.metadata.uid == pod.metadata.uid)
        {
            Some(known) => *known = pod.clone(),
            None => self.backlog.push(pod.clone()),
        }
    }

    /// Goes on when a victim is dead or was given up: the next one is ended, and after the last one the critical pod
    /// starts and new pods are looked at again.
    pub(super) fn preemption_step(&mut self, host: &mut Host<'_, '_>) {
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
            let Some(Preemption { pod, .. }) = self.preemptions.pop_front() else {
                return;
            };
            if let Some(worker) = self.pods.get_mut(&pod) {
                worker.kick(host);
            }
            self.advance(&pod, host);
            for waiting in std::mem::take(&mut self.backlog) {
                self.pod_seen(&waiting, host);
            }
            if self.has_listed {
                self.look_for_orphans(host);
            }
        }
    }

    /// Ends a pod for a critical one.
    fn preempt(&mut self, victim: &Uid, host: &mut Host<'_, '_>) {
        if let Some(worker) = self.pods.get_mut(victim) {
            let message = "Preempted in order to admit critical pod";
            events::of_pod(&worker.pod.clone(), EventType::Warning, "Preempting", message, host);
            let ended_for = EndReason {
                reason: "Preempting".into(),
                message: message.into(),
                disruption: Some("Pod was preempted by Kubelet to accommodate a critical pod.".into()),
            };
            worker.kill_pod_now(ended_for, None, host);
        }
        self.advance(victim, host);
    }
}

/// A resource that is short, and how much of it.
type Lack = (Str, i64);

/// The pods to end; none if even ending all that may be ended makes no room.
pub(super) fn victims<'a>(pod: &Pod, others: &[&'a Pod], host: &Host<'_, '_>) -> Option<Vec<&'a Pod>> {
    let node = host.shared.node_object.clone()?;
    let lacks: Vec<Lack> = shortages(pod, others, &node)
        .into_iter()
        .map(|shortage| (shortage.resource.as_str().into(), shortage.missing()))
        .collect();
    let of_class = |class: QosClass| -> Vec<&'a Pod> {
        // A critical pod goes before any other, and of two critical ones that of the higher priority.
        let may_go = |other: &&&'a Pod| {
            other.status.qos_class.as_ref() == Some(&class)
                && (!is_critical(other) || other.priority() < pod.priority())
        };
        others.iter().filter(may_go).copied().collect()
    };
    let best_effort = of_class(QosClass::BestEffort);
    let burstable = of_class(QosClass::Burstable);
    let guaranteed = of_class(QosClass::Guaranteed);
    let all = [&best_effort[..], &burstable, &guaranteed].concat();
    if !without(&lacks, &all).is_empty() {
        return None;
    }
    // What the lesser classes cannot give is taken from the better ones, and no more than that.
    let from_guaranteed = nearest(&guaranteed, without(&lacks, &[&best_effort[..], &burstable].concat()));
    let from_burstable = nearest(
        &burstable,
        without(&lacks, &[&best_effort[..], &from_guaranteed].concat()),
    );
    let from_best_effort = nearest(
        &best_effort,
        without(&lacks, &[&from_burstable[..], &from_guaranteed].concat()),
    );
    Some([from_best_effort, from_burstable, from_guaranteed].concat())
}

/// What a pod holds of a resource; of `pods` it holds one.
fn holds(pod: &Pod, resource: &str) -> i64 {
    if resource == "pods" {
        1
    } else {
        requests(pod).get(resource).copied().unwrap_or(0)
    }
}

/// What is still short when these pods are gone.
fn without(lacks: &[Lack], gone: &[&Pod]) -> Vec<Lack> {
    let left = |(resource, amount): &Lack| {
        let freed: i64 = gone.iter().map(|pod| holds(pod, resource)).sum();
        (*amount > freed).then(|| (resource.clone(), amount - freed))
    };
    lacks.iter().filter_map(left).collect()
}

/// Takes, again and again, the pod that leaves least to be wished for, and of equals the smaller.
fn nearest<'a>(pods: &[&'a Pod], mut lacks: Vec<Lack>) -> Vec<&'a Pod> {
    let mut left = pods.to_vec();
    let mut taken = Vec::new();
    while !lacks.is_empty() && !left.is_empty() {
        let mut best = 0;
        for idx in 1..left.len() {
            let (one, known) = (distance(left[idx], &lacks), distance(left[best], &lacks));
            let is_smaller = || size(left[idx]) <= size(left[best]);
            if one < known || (one == known && is_smaller()) {
                best = idx;
            }
        }
        let chosen = left.remove(best);
        lacks = without(&lacks, &[chosen]);
        taken.push(chosen);
    }
    taken
}

/// The squares of the shares that stay short when the pod is gone. (Plain arithmetic, equal on every target.)
fn distance(pod: &Pod, lacks: &[Lack]) -> f64 {
    let share = |(resource, amount): &Lack| {
        let left = (amount - holds(pod, resource)).max(0) as f64 / *amount as f64;
        left * left
    };
    lacks.iter().map(share).sum()
}

/// Smaller pods come first: by memory, then cpu.
fn size(pod: &Pod) -> (i64, i64) {
    (holds(pod, "memory"), holds(pod, "cpu"))
}
