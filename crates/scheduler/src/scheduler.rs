//! The scheduler: receives watch events and returns scheduling attempts, one pod at a time (SCH-002, SCH-112 to
//! SCH-127).

mod changes;
mod choice;
mod claims;

use podscope_api::explained::RefusedNodes;
use podscope_api::ordered;
use podscope_api::well_known::condition;
use std::sync::Arc;

use podscope_api::{NodeName, Object, ObjectKey, Pod, Str};

use self::choice::{draw_preemption_offset, nomination_to_write, pick_host};
use self::claims::freed_claim;
use crate::attempt::{
    Attempt, EventToCreate, Outcome, PreemptionPlan, ReservedClaims, StatusPatch, Victim, truncate_event_note,
};
use crate::cache::Cache;
use crate::config::{Profile, SchedulerConfiguration};
use crate::cycle::{NodeSearch, name_of_node};
use crate::decide::Decision;
use crate::nominator::Nominator;
use crate::plugins::node_affinity::AddedAffinity;
use crate::plugins::{Plugin, PluginSet, Point, default_binder, default_preemption, volume_binding};
use crate::pod_info::Incoming;
use crate::post_filter::{self, DryRunLimit, Preemption};
use crate::queue::events::EventKind;
use crate::queue::{Queue, QueuePool, QueuedPod};

/// Receives complete decisions, for explanations.
pub trait DecisionRecorder {
    /// Returns whether to record the decision for this pod. Called before the decision is assembled.
    fn wants_decision_of(&self, pod: &ObjectKey) -> bool;
    /// Receives the decision, and the cache in the state in which the decision was made.
    fn record(&mut self, cache: &Cache, decision: &Decision);
}

/// A recorder that records nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoRecorder;

impl DecisionRecorder for NoRecorder {
    fn wants_decision_of(&self, _: &ObjectKey) -> bool {
        false
    }

    fn record(&mut self, _: &Cache, _: &Decision) {}
}

/// A queued pod, in the form used for display.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueueEntry {
    pub pod: ObjectKey,
    pub uid: Str,
    pub pool: QueuePool,
    /// Number of attempts so far.
    pub attempts: u32,
    /// Time at which the timer ends the back-off, in microseconds.
    pub release_at: Option<i64>,
    /// Time at which the pod is retried even without an event, in microseconds: at the flush of pods that waited too
    /// long, or at the end of the back-off after an error. `None` during the back-off after an unschedulable attempt,
    /// because the pod is popped earlier if activeQ is empty.
    pub retried_at: Option<i64>,
    /// Names of the plugins that rejected the pod.
    pub rejectors: Vec<&'static str>,
    /// Reasons of the last failed attempt; `None` before the first attempt.
    pub refusal: Option<Arc<RefusedNodes>>,
}

/// The state of kube-scheduler: cache, queue and nominations. A clone is a cheap checkpoint.
#[derive(Debug, Clone)]
pub struct Scheduler {
    config: Arc<SchedulerConfiguration>,
    cache: Cache,
    queue: Queue,
    nominator: Nominator,
    /// Position in the node order at which the next cycle starts to examine nodes (SCH-015).
    start: usize,
    /// Latest objects of the pods without a node that this scheduler is responsible for.
    unassigned: ordered::Map<Str, Arc<Pod>>,
    /// Assumed pods whose binding is in progress.
    binding: ordered::Map<Str, PendingBinding>,
    /// Preemptors whose victims are being evicted; PreEnqueue keeps them out of activeQ. The value is the UID of the
    /// last victim, once its eviction has begun; the preemptor is released when the cache shows that this victim is
    /// terminating (SCH-105).
    preempting: ordered::Map<Str, Option<Str>>,
}

impl Scheduler {
    /// Creates a scheduler that starts at `now` (microseconds); its timers start at this time.
    pub fn new(config: SchedulerConfiguration, now: i64) -> Self {
        Self {
            queue: Queue::new(&config, now),
            config: Arc::new(config),
            cache: Cache::default(),
            nominator: Nominator::default(),
            start: 0,
            unassigned: ordered::Map::new(),
            binding: ordered::Map::new(),
            preempting: ordered::Map::new(),
        }
    }

    /// Returns the scheduler's view of the cluster.
    pub fn cache(&self) -> &Cache {
        &self.cache
    }

    /// Returns the nominated pods.
    pub fn nominator(&self) -> &Nominator {
        &self.nominator
    }

    pub fn config(&self) -> &SchedulerConfiguration {
        &self.config
    }

    /// Returns the pods in the queue, ordered by UID.
    pub fn queue(&self) -> Vec<QueueEntry> {
        self.queue
            .iter()
            .map(|(pool, pod)| QueueEntry {
                pod: pod.incoming.info.pod.metadata.key(),
                uid: pod.incoming.info.uid.clone(),
                pool,
                attempts: pod.attempts,
                release_at: match pool {
                    QueuePool::Backoff | QueuePool::ErrorBackoff => self.queue.release_at(pod),
                    QueuePool::Active | QueuePool::Unschedulable | QueuePool::Gated => None,
                },
                retried_at: match pool {
                    QueuePool::ErrorBackoff => self.queue.release_at(pod),
                    QueuePool::Unschedulable => Some(self.queue.unschedulable_flush_at(pod.timestamp)),
                    QueuePool::Active | QueuePool::Backoff | QueuePool::Gated => None,
                },
                rejectors: pod.rejectors.iter().map(Plugin::name).collect(),
                refusal: pod.refusal.clone(),
            })
            .collect()
    }

    /// Returns the pool in which a pod waits; `None` if it is not queued.
    pub fn pool(&self, uid: &str) -> Option<QueuePool> {
        self.queue.pool(uid)
    }

    /// Returns the next time to call [`Scheduler::schedule_one`]: `now` if a pod can be popped, otherwise the time of
    /// the next timer.
    pub fn next_deadline(&self, now: i64) -> Option<i64> {
        if self.queue.has_pod_to_pop() {
            return Some(now);
        }
        self.queue.next_timer_at().map(|at| at.max(now))
    }

    fn is_responsible_for(&self, pod: &Pod) -> bool {
        self.config.profile(&pod.spec.scheduler_name).is_some()
    }

    /// Makes the decision for the next pod, if one can be popped. `draw` returns random numbers. It is called only
    /// where kube-scheduler uses a random number: among equal hosts, and for the offset of preemption candidates.
    pub fn schedule_one(
        &mut self,
        now: i64,
        draw: &mut dyn FnMut() -> u64,
        recorder: &mut dyn DecisionRecorder,
    ) -> Option<Attempt> {
        self.run_queue_timers(now);
        loop {
            let pod = self.queue.pop()?;
            let info = pod.incoming.info.clone();
            let Some(profile) = self.config.profile(&info.pod.spec.scheduler_name).cloned() else {
                continue;
            };
            if info.terminating {
                return Some(Attempt::skipped(&pod, &profile.scheduler_name));
            }
            if self.cache.is_assumed(&info.uid) {
                continue;
            }
            return Some(self.run_cycle(pod, &profile, now, draw, recorder));
        }
    }

    #[expect(
        clippy::too_many_lines,
        reason = "the steps of a scheduling cycle, one after another"
    )]
    fn run_cycle(
        &mut self,
        mut pod: QueuedPod,
        profile: &Arc<Profile>,
        now: i64,
        draw: &mut dyn FnMut() -> u64,
        recorder: &mut dyn DecisionRecorder,
    ) -> Attempt {
        self.cache.update_snapshot();
        let incoming = pod.incoming.clone();
        let config = self.config.clone();
        let added_affinity = AddedAffinity::compile(&mut self.cache, profile);
        // The nominator is moved out while the search borrows it. The search does not change it.
        let nominator = std::mem::take(&mut self.nominator);
        let search = NodeSearch {
            config: &config,
            profile,
            incoming: &incoming,
            added_affinity: &added_affinity,
            nominator: &nominator,
        };
        let (mut found, mut state) = search.run(&mut self.cache, &mut self.start);
        let mut preemption = None;
        let mut preempt = None;
        let mut reserved = None;
        let no_nodes = self.cache.examination_order().is_empty();
        if let Some(host) = pick_host(&found, draw) {
            let bindings = match state.volume_binding_state() {
                None => Ok(volume_binding::Bindings::default()),
                Some(binding) => volume_binding::reserve(&search.cycle(&self.cache), binding, self.cache.node(host)),
            };
            match bindings {
                Ok(bindings) => match self.reserved_claims(&state, host) {
                    Ok(devices) => reserved = Some((host, bindings, devices)),
                    Err(text) => found.error = Some(text),
                },
                Err(status) => found.error = Some(status.message(&self.cache.symbols)),
            }
        } else if found.error.is_none() && !no_nodes {
            let limit = DryRunLimit::Configured(draw_preemption_offset(draw, &found));
            preemption = post_filter::run(&search, &mut self.cache, &mut state, &mut found.diagnosis, limit);
            preempt = preemption
                .as_ref()
                .and_then(|result| self.choose_preemption(&search, result, draw));
        }
        self.nominator = nominator;
        let message = match &found.error {
            Some(error) => Some(error.clone()),
            None if found.hosts.is_empty() => {
                let (message, refusal) = found.diagnosis.message_and_refusal(&self.cache);
                pod.refusal = Some(Arc::new(refusal));
                Some(message)
            }
            None => None,
        };
        let key = incoming.info.pod.metadata.key();
        let mut attempt = Attempt {
            n_feasible: found.feasible.len(),
            n_examined: found.feasible.len() + found.diagnosis.refused.len(),
            freed: freed_claim(&state),
            ..Attempt::without_result(&pod, &profile.scheduler_name)
        };
        match (reserved, message) {
            (Some((host, bindings, devices)), _) => {
                self.assume_on_host(pod, host, found.hosts.len(), (bindings, devices), &mut attempt);
            }
            (None, message) => {
                let message = message.unwrap_or_default();
                let is_cleared = found.error.is_some() || no_nodes || profile.at(Point::PostFilter).is_empty();
                let nominated = nomination_to_write(preemption.as_ref(), preempt.as_ref(), is_cleared);
                let reason = if found.error.is_some() {
                    "SchedulerError"
                } else {
                    "Unschedulable"
                };
                if let Some(preempt) = &preempt
                    && preempt.victims.iter().any(|victim| !victim.terminating)
                {
                    self.preempting.insert(incoming.info.uid.clone(), None);
                }
                let rejectors = match found.error {
                    Some(_) => PluginSet::default(),
                    None => found.diagnosis.rejectors,
                };
                let failure = AttemptFailure {
                    reason,
                    message: &message,
                    nominated,
                    rejectors,
                };
                self.handle_failed_attempt(pod, failure, now, &mut attempt);
                attempt.outcome = if found.error.is_some() {
                    Outcome::Error { message }
                } else {
                    Outcome::Unschedulable { message, preempt }
                };
            }
        }
        if recorder.wants_decision_of(&key) {
            let decision = Decision {
                incoming: (*incoming).clone(),
                profile: profile.clone(),
                found,
                state,
                preemption,
                message: attempt.outcome.message().map(ToOwned::to_owned),
                chosen: attempt.outcome.chosen_node().map(|node| node.0.clone()),
            };
            recorder.record(&self.cache, &decision);
        }
        attempt
    }

    fn assume_on_host(
        &mut self,
        pod: QueuedPod,
        host: u32,
        n_equal_hosts: usize,
        (bindings, devices): (volume_binding::Bindings, Option<Box<ReservedClaims>>),
        attempt: &mut Attempt,
    ) {
        let in_flight = devices
            .as_deref()
            .map_or_else(Vec::new, |devices| self.reserve_claims(&pod, devices));
        let info = pod.incoming.info.clone();
        for (volume, _) in &bindings.binds {
            let key = volume.metadata.key();
            self.cache.stores.assumed_volumes.insert(key, volume.clone());
        }
        for claim in &bindings.provisions {
            let key = claim.metadata.key();
            self.cache.stores.assumed_claims.insert(key, claim.clone());
        }
        self.nominator.remove(&info.uid);
        self.cache.assume(&info, host);
        let node = name_of_node(&self.cache, host);
        let key = &info.pod.metadata;
        // PreBind may take long, so the expected node is published as `nominatedNodeName` (SCH-025).
        if (bindings.is_slow || devices.is_some()) && node != info.pod.status.nominated_node_name {
            attempt.patch = Some(StatusPatch {
                condition: None,
                nominated_node_name: Some(node.clone()),
            });
        }
        attempt.events.push(EventToCreate {
            about: key.key(),
            about_uid: info.uid.clone(),
            kind: "Normal",
            reason: "Scheduled",
            action: "Binding",
            note: default_binder::scheduled_note(&key.namespace, &key.name, &node),
            related: None,
        });
        attempt.outcome = Outcome::Assumed {
            node: NodeName(node),
            ties: n_equal_hosts,
            is_slow: bindings.is_slow,
            volumes: bindings.binds.into_iter().map(|(volume, _)| volume).collect(),
            claims: bindings.provisions,
            devices,
        };
        if let Some(assumed) = self.cache.pod(&info.uid) {
            let assumed = assumed.pod.clone();
            let binding = PendingBinding {
                pod,
                assumed,
                in_flight,
            };
            self.binding.insert(info.uid.clone(), binding);
        }
    }

    /// Chooses one of the best candidates and describes the preemption to carry out (SCH-102, SCH-104).
    fn choose_preemption(
        &self,
        search: &NodeSearch<'_>,
        preemption: &Preemption,
        draw: &mut dyn FnMut() -> u64,
    ) -> Option<PreemptionPlan> {
        let Preemption::Found {
            candidates,
            chosen,
            criterion,
        } = preemption
        else {
            return None;
        };
        let node = match chosen.as_slice() {
            [one] => *one,
            many => many[(draw() % many.len() as u64) as usize],
        };
        let candidate = candidates.iter().find(|candidate| candidate.node == node)?;
        let name = name_of_node(&self.cache, node);
        let victims: Vec<Victim> = candidate
            .victims
            .iter()
            .map(|victim| Victim {
                pod: victim.pod.metadata.key(),
                uid: victim.uid.clone(),
                terminating: victim.terminating,
            })
            .collect();
        let all_terminating = victims.iter().all(|victim| victim.terminating);
        let lower_priority_nominated =
            default_preemption::lower_priority_nominated(search, &name).map(|pod| pod.pod.metadata.key());
        Some(PreemptionPlan {
            clear_nominations: if all_terminating {
                Vec::new()
            } else {
                lower_priority_nominated.collect()
            },
            node: NodeName(name.clone()),
            victims,
            message: format!(
                "{}: preempting to accommodate a higher priority pod",
                search.profile.scheduler_name
            ),
            note: format!("Preempted by pod {} on node {name}", search.incoming.info.uid),
            pdb_violations: candidate.pdb_violations,
            reprieved: candidate.reprieved.len(),
            candidates: candidates.len(),
            criterion: *criterion,
        })
    }

    /// Handles a failed attempt: returns the pod to the queue, updates its nomination, and adds the condition and the event
    /// to the attempt (SCH-024, SCH-025).
    fn handle_failed_attempt(
        &mut self,
        mut pod: QueuedPod,
        failure: AttemptFailure<'_>,
        now: i64,
        attempt: &mut Attempt,
    ) {
        let AttemptFailure {
            reason,
            message,
            nominated,
            rejectors,
        } = failure;
        let mut info = pod.incoming.info.clone();
        // The watch may have delivered a newer object after the pod was popped.
        if let Some(newest) = self.unassigned.get(&info.uid).cloned() {
            if !Arc::ptr_eq(&newest, &info.pod) {
                pod.incoming = Arc::new(Incoming::new(&mut self.cache, &newest));
            }
            let gate = self.gating_plugin(&newest);
            let node = nominated
                .clone()
                .unwrap_or_else(|| newest.status.nominated_node_name.clone());
            info = pod.incoming.info.clone();
            self.queue.return_failed(pod, rejectors, gate, now);
            self.nominator.remove(&info.uid);
            if !node.is_empty() {
                self.nominator.add(info.clone(), &node);
            }
        }
        attempt.events.push(EventToCreate {
            about: info.pod.metadata.key(),
            about_uid: info.uid.clone(),
            kind: "Warning",
            reason: "FailedScheduling",
            action: "Scheduling",
            note: truncate_event_note(message),
            related: None,
        });
        let is_condition_unchanged = info.pod.condition(condition::POD_SCHEDULED).is_some_and(|condition| {
            condition.status == podscope_api::ConditionStatus::False
                && &*condition.reason == reason
                && &*condition.message == message
        });
        let renominated = nominated.filter(|node| *node != info.pod.status.nominated_node_name);
        if !is_condition_unchanged || renominated.is_some() {
            attempt.patch = Some(StatusPatch {
                condition: (!is_condition_unchanged).then(|| (reason, message.to_owned())),
                nominated_node_name: renominated,
            });
        }
    }

    /// Handles the result of a binding. A failure releases the reservations, notifies waiting pods, and retries the pod
    /// after back-off (SCH-023); the returned attempt contains the events and patches to write.
    pub fn bind_finished(&mut self, uid: &str, result: Result<(), String>, now: i64) -> Option<Attempt> {
        let PendingBinding {
            pod,
            assumed,
            in_flight,
        } = self.binding.remove(uid)?;
        let Err(message) = result else {
            return None;
        };
        self.release_claims(&in_flight);
        let info = pod.incoming.info.clone();
        self.cache.forget(uid);
        self.cache.stores.forget_assumed(&info.pod);
        // If the pod was deleted in the meantime, its reservations are released only now.
        self.move_waiting_pods(EventKind::PodDelete, Some(&Object::Pod(assumed)), None, now, None);
        let mut attempt = Attempt {
            outcome: Outcome::Error {
                message: message.clone(),
            },
            ..Attempt::without_result(&pod, &info.pod.spec.scheduler_name)
        };
        let failure = AttemptFailure {
            reason: "SchedulerError",
            message: &message,
            nominated: Some("".into()),
            rejectors: PluginSet::default(),
        };
        self.handle_failed_attempt(pod, failure, now, &mut attempt);
        Some(attempt)
    }

    /// Reports that the eviction of a preemption's last victim begins: the preemptor may enter activeQ as soon as the
    /// cache shows that the victim is terminating (SCH-105).
    pub fn last_eviction_started(&mut self, preemptor: &str, victim: &str) {
        if let Some(last) = self.preempting.get_mut(preemptor) {
            *last = Some(victim.into());
        }
    }

    /// Reports that the API server has answered all evictions: the preemptor may enter activeQ again.
    pub fn preemption_finished(&mut self, preemptor: &str) {
        self.preempting.remove(preemptor);
    }

    /// Reports a failed eviction: the preemptor moves to activeQ immediately.
    pub fn preemption_failed(&mut self, preemptor: &str) {
        self.preempting.remove(preemptor);
        // A pod in backoffQ moves to activeQ without PreEnqueue (SCH-117).
        let backs_off = matches!(
            self.queue.pool(preemptor),
            Some(QueuePool::Backoff | QueuePool::ErrorBackoff)
        );
        if let Some(pod) = self.queue.remove(preemptor) {
            let gate = if backs_off {
                None
            } else {
                self.gating_plugin(&pod.incoming.info.pod)
            };
            self.queue.activate(pod, gate);
        }
    }

    /// Returns whether the pod's own preemption is still in progress.
    fn is_preempting(&self, uid: &str) -> bool {
        match self.preempting.get(uid) {
            None => false,
            Some(None) => true,
            Some(Some(victim)) => {
                let is_running = self.cache.pod(victim).is_some_and(|pod| !pod.terminating);
                let unassigned = self.unassigned.get(victim);
                is_running && unassigned.is_none_or(|pod| !pod.metadata.is_terminating())
            }
        }
    }

    /// Updates the cache's snapshot now. Otherwise, each copy of the state would update it before its first decision.
    pub fn update_snapshot(&mut self) {
        self.cache.update_snapshot();
    }

    /// Makes the decision for a pod on a copy of the current state, for explanations.
    pub fn decide(&self, pod: &Arc<Pod>) -> Option<(Cache, Decision)> {
        let mut cache = self.cache.clone();
        let mut start = self.start;
        let decision = crate::decide::decide(&mut cache, &self.config, &self.nominator, pod, &mut start)?;
        Some((cache, decision))
    }
}

/// A pod for which the binding is in progress.
#[derive(Debug, Clone)]
struct PendingBinding {
    pod: QueuedPod,
    /// The assumed pod object, with its node.
    assumed: Arc<Pod>,
    /// UIDs of the claims whose allocations Reserve made.
    in_flight: Vec<Str>,
}

/// Details of a failed attempt.
struct AttemptFailure<'a> {
    reason: &'static str,
    message: &'a str,
    /// The nominated node to write; `None` leaves it unchanged.
    nominated: Option<Str>,
    rejectors: PluginSet,
}
