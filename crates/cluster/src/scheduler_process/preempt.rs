//! Executes a preemption: clears nominations of pods with lower priority, then evicts all victims but the last, then
//! the last. Each victim first gets its condition and is then deleted (SCH-104, SCH-105).

use podscope_api::well_known::condition;
use podscope_api::{ConditionStatus, EventType, Kind, ObjectKey, Pod, PodCondition, Str, Uid};
use podscope_scheduler::{PreemptionPlan, StatusPatch, Victim};
use podscope_sim::Happening;
use std::collections::VecDeque;

use super::{Context, PendingCall, SchedulerProcess, emit_events, patch_status, set_pod_condition};
use crate::{Answer, DeleteOptions, EventNote, Mutation, Part, Propagation, Request, subject};

/// Number of a preemption in progress. A preemptor that is tried again before its preemption ends may begin another
/// one.
pub(super) type PreemptionId = u64;

/// A preemption in progress: the preemptor, its plan, and what is left to do.
#[derive(Debug, Clone)]
pub(super) struct PreemptionInProgress {
    pod: ObjectKey,
    uid: Uid,
    scheduler_name: Str,
    plan: PreemptionPlan,
    /// Nominations still to be cleared.
    clearing: VecDeque<ObjectKey>,
    /// Indices of victims that are not evicted yet; the last victim is evicted alone.
    waiting: VecDeque<usize>,
    in_flight: usize,
    has_failed: bool,
}

impl SchedulerProcess {
    pub(super) fn preempt(
        &mut self,
        pod: ObjectKey,
        uid: Uid,
        scheduler_name: Str,
        plan: PreemptionPlan,
        ctx: &mut Context<'_>,
    ) {
        let must_evict = |(index, victim): (usize, &Victim)| (!victim.terminating).then_some(index);
        let waiting: VecDeque<usize> = plan.victims.iter().enumerate().filter_map(must_evict).collect();
        if waiting.is_empty() {
            return;
        }
        self.n_preemptions += 1;
        let run = PreemptionInProgress {
            pod,
            uid,
            scheduler_name,
            clearing: plan.clear_nominations.iter().cloned().collect(),
            plan,
            waiting,
            in_flight: 0,
            has_failed: false,
        };
        self.preemptions.insert(self.n_preemptions, run);
        self.continue_preemption(self.n_preemptions, ctx);
    }

    /// Starts the next step of a preemption, if all its requests in flight are answered.
    fn continue_preemption(&mut self, id: PreemptionId, ctx: &mut Context<'_>) {
        let Some(run) = self.preemptions.get_mut(&id) else {
            return;
        };
        if run.in_flight > 0 {
            return;
        }
        if let Some(key) = run.clearing.pop_front() {
            run.in_flight = 1;
            let patch = StatusPatch {
                condition: None,
                nominated_node_name: Some("".into()),
            };
            let call = patch_status(&key, &Uid::default(), patch, ctx);
            self.calls.insert(call, PendingCall::Clearing(id));
            return;
        }
        // If an eviction has failed, the last victim is not evicted: the scheduler tries the preemptor again at once
        // and may choose other victims.
        let n_waiting = run.waiting.len();
        if n_waiting == 0 || (n_waiting == 1 && run.has_failed) {
            let (uid, has_failed) = (run.uid.clone(), run.has_failed);
            self.preemptions.remove(&id);
            if has_failed {
                self.core.preemption_failed(uid.as_str());
            } else {
                self.core.preemption_finished(uid.as_str());
            }
            return;
        }
        let batch: Vec<usize> = run.waiting.drain(..n_waiting.saturating_sub(1).max(1)).collect();
        run.in_flight = batch.len();
        if n_waiting == 1 {
            let last = run.plan.victims[batch[0]].uid.clone();
            self.core.last_eviction_started(run.uid.as_str(), &last);
        }
        for index in batch {
            self.evict_victim(id, index, ctx);
        }
    }

    /// Evicts a victim: in memory if the victim waits for its volumes, otherwise through the API.
    fn evict_victim(&mut self, id: PreemptionId, index: usize, ctx: &mut Context<'_>) {
        let Some(run) = self.preemptions.get(&id) else {
            return;
        };
        let (victim, wall) = (run.plan.victims[index].clone(), ctx.wall());
        let uid = Uid(victim.uid.clone());
        if self.cancel_waiting_binding(&uid, ctx) {
            self.record_victim(id, index, " (in kube-scheduler memory).", ctx);
            self.finish_preemption_step(id, true, ctx);
            return;
        }
        let Some(run) = self.preemptions.get(&id) else {
            return;
        };
        let message = Str::from(run.plan.message.as_str());
        let call = ctx.call(Request::Patch {
            kind: Kind::Pod,
            key: victim.pod.clone(),
            uid: Some(uid),
            part: Part::Status,
            change: Mutation::new::<Pod>("DisruptionTarget", move |pod| {
                set_pod_condition(
                    pod,
                    PodCondition {
                        kind: condition::DISRUPTION_TARGET.into(),
                        observed_generation: pod.metadata.generation,
                        status: ConditionStatus::True,
                        last_transition_time: Some(wall),
                        reason: "PreemptionByScheduler".into(),
                        message: message.clone(),
                        ..PodCondition::default()
                    },
                );
            }),
        });
        self.calls.insert(call, PendingCall::Condition(id, index));
    }

    /// Handles the answer to a victim's condition: sends the DELETE.
    pub(super) fn handle_condition_answer(
        &mut self,
        id: PreemptionId,
        index: usize,
        answer: &Answer,
        ctx: &mut Context<'_>,
    ) {
        let Some(run) = self.preemptions.get(&id) else {
            return;
        };
        if answer.is_err() {
            self.finish_preemption_step(id, is_eviction_done(answer), ctx);
            return;
        }
        let victim = &run.plan.victims[index];
        let call = ctx.call(Request::Delete {
            kind: Kind::Pod,
            key: victim.pod.clone(),
            options: DeleteOptions {
                uid: Some(Uid(victim.uid.clone())),
                propagation: Some(Propagation::Background),
                ..DeleteOptions::default()
            },
        });
        self.calls.insert(call, PendingCall::Victim(id, index));
    }

    pub(super) fn handle_victim_answer(
        &mut self,
        id: PreemptionId,
        index: usize,
        answer: &Answer,
        ctx: &mut Context<'_>,
    ) {
        if answer.is_ok() {
            self.record_victim(id, index, "", ctx);
        }
        self.finish_preemption_step(id, is_eviction_done(answer), ctx);
    }

    /// Handles the end of a step: a nomination was cleared, or an eviction ended. `is_done` is false if the step
    /// failed.
    pub(super) fn finish_preemption_step(&mut self, id: PreemptionId, is_done: bool, ctx: &mut Context<'_>) {
        if let Some(run) = self.preemptions.get_mut(&id) {
            assert!(run.in_flight > 0, "the preemption did not wait for this answer");
            run.in_flight -= 1;
            run.has_failed |= !is_done;
        }
        self.continue_preemption(id, ctx);
    }

    /// Records a preempted pod and emits its event (SCH-128).
    fn record_victim(&self, id: PreemptionId, index: usize, note_suffix: &str, ctx: &mut Context<'_>) {
        let Some(run) = self.preemptions.get(&id) else {
            return;
        };
        let victim = &run.plan.victims[index];
        let preempted = Happening::Preempted {
            by: run.pod.clone(),
            node: run.plan.node.clone(),
        };
        let about = subject(Kind::Pod, victim.pod.clone(), Uid(victim.uid.clone()));
        ctx.record_subject(preempted, Some(about), None);
        let event = EventNote {
            component: run.scheduler_name.clone(),
            kind: Kind::Pod,
            key: victim.pod.clone(),
            uid: Uid(victim.uid.clone()),
            field_path: "".into(),
            kind_of_event: EventType::from("Normal"),
            reason: "Preempted".into(),
            message: format!("{}{note_suffix}", run.plan.note).into(),
            action: "Preempting".into(),
            related: Some((Kind::Pod, run.pod.clone(), run.uid.clone())),
        };
        emit_events(vec![event], ctx);
    }
}

/// Returns whether the eviction needs no further request: the pod is terminating, deleted, or replaced by another.
fn is_eviction_done(answer: &Answer) -> bool {
    answer
        .as_ref()
        .err()
        .is_none_or(|error| error.is_not_found() || error.is_conflict())
}
