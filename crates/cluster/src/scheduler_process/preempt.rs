//! Carrying out a preemption: nominations of weaker pods go, then all victims but the last, then the last; each
//! first gets its condition, then its deletion (SCH-104, SCH-105).

use podscope_api::{ConditionStatus, EventType, Kind, ObjectKey, Pod, PodCondition, Str, Uid};
use podscope_scheduler::{Preempt, StatusPatch, Victim};
use podscope_sim::Happening;
use std::collections::VecDeque;

use super::{Context, Pending, SchedulerProcess, patch_status, set_condition, tell};
use crate::{Answer, DeleteOptions, EventNote, Mutation, Part, Propagation, Request, subject};

/// One preemption under way. A preemptor that is woken too early may begin a second one.
pub(super) type RunId = u64;

/// A preemption that is being carried out.
#[derive(Debug, Clone)]
pub(super) struct Preempting {
    pod: ObjectKey,
    uid: Uid,
    scheduler_name: Str,
    plan: Preempt,
    /// Nominations still to be cleared.
    clearing: VecDeque<ObjectKey>,
    /// Victims (by index) not asked to leave yet, the last one alone at the end.
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
        plan: Preempt,
        ctx: &mut Context<'_>,
    ) {
        let leaving = |(index, victim): (usize, &Victim)| (!victim.terminating).then_some(index);
        let waiting: VecDeque<usize> = plan.victims.iter().enumerate().filter_map(leaving).collect();
        if waiting.is_empty() {
            return;
        }
        self.n_preemptions += 1;
        let run = Preempting {
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
        self.go_on(self.n_preemptions, ctx);
    }

    /// Does what comes next, once everything under way was answered.
    fn go_on(&mut self, id: RunId, ctx: &mut Context<'_>) {
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
            self.calls.insert(call, Pending::Clearing(id));
            return;
        }
        // A preemptor whose victims fail is tried again at once: no use in ending one more for it.
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
            self.core.preemption_of_last(run.uid.as_str(), &last);
        }
        for index in batch {
            self.evict(id, index, ctx);
        }
    }

    /// Ends a victim: in memory where its volumes are still waited for, else through the API.
    fn evict(&mut self, id: RunId, index: usize, ctx: &mut Context<'_>) {
        let Some(run) = self.preemptions.get(&id) else {
            return;
        };
        let (victim, wall) = (run.plan.victims[index].clone(), ctx.wall());
        let uid = Uid(victim.uid.clone());
        if self.preempt_in_memory(&uid, ctx) {
            self.victim_is_leaving(id, index, " (in kube-scheduler memory).", ctx);
            self.one_answered(id, true, ctx);
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
                set_condition(
                    pod,
                    PodCondition {
                        kind: "DisruptionTarget".into(),
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
        self.calls.insert(call, Pending::Condition(id, index));
    }

    /// The victim's condition was answered: its deletion goes out.
    pub(super) fn condition_answered(&mut self, id: RunId, index: usize, answer: &Answer, ctx: &mut Context<'_>) {
        let Some(run) = self.preemptions.get(&id) else {
            return;
        };
        if answer.is_err() {
            self.one_answered(id, is_done(answer), ctx);
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
        self.calls.insert(call, Pending::Victim(id, index));
    }

    pub(super) fn victim_answered(&mut self, id: RunId, index: usize, answer: &Answer, ctx: &mut Context<'_>) {
        if answer.is_ok() {
            self.victim_is_leaving(id, index, "", ctx);
        }
        self.one_answered(id, is_done(answer), ctx);
    }

    /// A nomination was cleared, or an eviction is over.
    pub(super) fn one_answered(&mut self, id: RunId, is_done: bool, ctx: &mut Context<'_>) {
        if let Some(run) = self.preemptions.get_mut(&id) {
            assert!(run.in_flight > 0, "an answer that nothing waits for");
            run.in_flight -= 1;
            run.has_failed |= !is_done;
        }
        self.go_on(id, ctx);
    }

    /// Records a victim and tells it (SCH-128).
    fn victim_is_leaving(&self, id: RunId, index: usize, how: &str, ctx: &mut Context<'_>) {
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
            message: format!("{}{how}", run.plan.note).into(),
            action: "Preempting".into(),
            related: Some((Kind::Pod, run.pod.clone(), run.uid.clone())),
        };
        tell(vec![event], ctx);
    }
}

/// Whether the eviction needs no more: the pod is leaving, or is another by now.
fn is_done(answer: &Answer) -> bool {
    answer
        .as_ref()
        .err()
        .is_none_or(|error| error.is_not_found() || error.is_conflict())
}
