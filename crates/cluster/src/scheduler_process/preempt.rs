//! Carrying out a preemption: nominations of weaker pods go, victims get their
//! condition and their deletion, the last of them only when the others were
//! accepted (SCH-104, SCH-105).

use podscope_api::{ConditionStatus, Kind, ObjectKey, Pod, PodCondition, Str, Uid};
use podscope_scheduler::{Preempt, StatusPatch, Victim};
use serde_json::json;

use super::{Context, Pending, SchedulerProcess, patch_status, set_condition, tell};
use crate::{Answer, DeleteOptions, EventNote, Mutation, Part, Propagation, Request, What, subject};

/// A preemption that is being carried out.
#[derive(Debug, Clone)]
pub(super) struct Preempting {
    pod: ObjectKey,
    plan: Preempt,
    events: Vec<EventNote>,
    /// Victims (by index) not asked to leave yet.
    last: Option<usize>,
    in_flight: usize,
    found_any: bool,
}

impl SchedulerProcess {
    pub(super) fn preempt(
        &mut self,
        pod: ObjectKey,
        uid: Uid,
        plan: Preempt,
        events: Vec<EventNote>,
        ctx: &mut Context<'_>,
    ) {
        for key in &plan.clear_nominations {
            patch_status(
                key,
                &Uid::default(),
                StatusPatch {
                    condition: None,
                    nominated_node_name: Some("".into()),
                },
                ctx,
            );
        }
        let leaving: Vec<usize> = plan
            .victims
            .iter()
            .enumerate()
            .filter(|(_, victim)| !victim.terminating)
            .map(|(index, _)| index)
            .collect();
        let Some((last, first)) = leaving.split_last() else {
            self.core.preemption_before_last(uid.as_str());
            return;
        };
        self.preemptions.insert(
            uid.clone(),
            Preempting {
                pod,
                plan,
                events,
                last: Some(*last),
                in_flight: first.len(),
                found_any: false,
            },
        );
        if first.is_empty() {
            self.send_last(&uid, ctx);
        }
        for index in first {
            self.send_victim(&uid, *index, ctx);
        }
    }

    fn send_last(&mut self, preemptor: &Uid, ctx: &mut Context<'_>) {
        self.core.preemption_before_last(preemptor.as_str());
        if let Some(run) = self.preemptions.get_mut(preemptor)
            && let Some(last) = run.last.take()
        {
            run.in_flight += 1;
            self.send_victim(preemptor, last, ctx);
        }
    }

    fn send_victim(&mut self, preemptor: &Uid, index: usize, ctx: &mut Context<'_>) {
        let Some(run) = self.preemptions.get(preemptor) else {
            return;
        };
        let victim: &Victim = &run.plan.victims[index];
        let (wall, message) = (ctx.wall(), Str::from(run.plan.message.as_str()));
        let uid = Uid(victim.uid.clone());
        ctx.call(Request::Patch {
            kind: Kind::Pod,
            key: victim.pod.clone(),
            uid: Some(uid.clone()),
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
        let id = ctx.call(Request::Delete {
            kind: Kind::Pod,
            key: victim.pod.clone(),
            options: DeleteOptions {
                uid: Some(uid),
                propagation: Some(Propagation::Background),
                ..DeleteOptions::default()
            },
        });
        self.calls.insert(
            id,
            Pending::Victim {
                preemptor: preemptor.clone(),
                victim: index,
            },
        );
    }

    pub(super) fn victim_answered(&mut self, preemptor: &Uid, index: usize, answer: &Answer, ctx: &mut Context<'_>) {
        let Some(run) = self.preemptions.get_mut(preemptor) else {
            return;
        };
        run.in_flight = run.in_flight.saturating_sub(1);
        match answer {
            Ok(_) => {
                run.found_any = true;
                let victim = &run.plan.victims[index];
                let fields = vec![
                    ("by", json!(run.pod.to_string())),
                    ("node", json!(run.plan.node.as_str())),
                ];
                let about = subject(Kind::Pod, victim.pod.clone(), Uid(victim.uid.clone()));
                ctx.record_subject(What::Preempted, Some(about), None, fields);
                let (own, rest) = std::mem::take(&mut run.events)
                    .into_iter()
                    .partition(|event| event.key == victim.pod);
                run.events = rest;
                tell(own, ctx);
            }
            Err(error) if error.is_not_found() || error.is_conflict() => {}
            Err(_) => {
                self.preemptions.remove(preemptor);
                self.core.preemption_failed(preemptor.as_str());
                return;
            }
        }
        if run.in_flight > 0 {
            return;
        }
        if run.last.is_some() {
            self.send_last(preemptor, ctx);
        } else {
            let found_any = run.found_any;
            self.preemptions.remove(preemptor);
            if !found_any {
                self.core.preemption_failed(preemptor.as_str());
            }
        }
    }
}
