//! `forward-only` (CT-165) and `grace-monotone` (CT-166): pod phases only move forward, deletions are never revoked,
//! and their grace period never grows. Exception: a pod whose sandbox was lost is Pending while its init containers run
//! again.

use podscope_api::{Object, Pod, PodPhase};
use podscope_messages::invariant;
use podscope_messages::{Sentence, sentence};

use super::{Check, DetectedViolation, Invariant, InvariantGroup, InvariantKind, Observation, View, blame};
use crate::subject_of;

pub(super) const FORWARD_ONLY: Invariant = Invariant {
    name: "forward-only",
    fact: "CT-165",
    group: InvariantGroup::Life,
    kind: InvariantKind::Safety,
    statement: invariant::forward_only,
    keeper: invariant::forward_only_keeper,
    breaker: invariant::forward_only_breaker,
    lesson: "first-pod",
};

pub(super) const GRACE_MONOTONE: Invariant = Invariant {
    name: "grace-monotone",
    fact: "CT-166",
    group: InvariantGroup::Termination,
    kind: InvariantKind::Safety,
    statement: invariant::grace_monotone,
    keeper: invariant::grace_monotone_keeper,
    breaker: invariant::grace_monotone_breaker,
    lesson: "prestop-overrun",
};

#[derive(Debug, Clone, Default)]
pub(super) struct ForwardOnly;

/// Returns a number that must never decrease while a pod goes through its phases.
fn phase_rank(phase: Option<&PodPhase>) -> u8 {
    match phase {
        None | Some(PodPhase::Pending | PodPhase::Unknown | PodPhase::Other(_)) => 0,
        Some(PodPhase::Running) => 1,
        Some(PodPhase::Succeeded | PodPhase::Failed) => 2,
    }
}

/// Returns whether init containers may run again: the present sandbox is not the pod's first, or all containers were
/// restarted.
fn can_rerun_init_containers(pod: &Pod, view: &View<'_>) -> bool {
    let state = pod.spec.node_name.as_ref().and_then(|node| view.nodes.get(node));
    let held = state.and_then(|state| state.machine.pod(&pod.metadata.uid));
    let has_new_sandbox = held.is_some_and(|held| held.sandbox.as_ref().is_some_and(|sandbox| sandbox.attempt > 0));
    let is_restarted = |one: &podscope_api::ContainerStatus| {
        let last = one.last_state.terminated.as_ref();
        last.is_some_and(|last| &*last.reason == podscope_api::RESTARTING_ALL)
    };
    has_new_sandbox || pod.status.container_statuses.iter().any(is_restarted)
}

impl Check for ForwardOnly {
    fn check(&mut self, seen: &Observation<'_>, view: &View<'_>, out: &mut Vec<DetectedViolation>) {
        let Observation::Change { actor, change } = seen else {
            return;
        };
        let (Some(Object::Pod(old)), Some(Object::Pod(new))) = (&change.old, &change.new) else {
            return;
        };
        let mut report = |invariant: &'static str, fact: &str, seen: Sentence| {
            let (cause, by) = blame::of_kubelet(actor, fact, view);
            out.push(DetectedViolation {
                corrupts: None,
                invariant,
                object: Some(subject_of(&Object::Pod(new.clone()))),
                cause,
                by,
                seen,
            });
        };
        let (before, after) = (
            phase_rank(old.status.phase.as_ref()),
            phase_rank(new.status.phase.as_ref()),
        );
        let changes_end = before == 2 && old.status.phase != new.status.phase;
        // Init containers run again in a new sandbox or after RestartAllContainers; the pod is Pending meanwhile
        // (LC-071, LC-100, LC-228).
        let is_restarting =
            before == 1 && after == 0 && !new.spec.init_containers.is_empty() && can_rerun_init_containers(new, view);
        if (after < before && !is_restarting) || changes_end {
            let name = |phase: &Option<PodPhase>| phase.as_ref().map_or("", |phase| phase.as_str()).to_owned();
            report(
                FORWARD_ONLY.name,
                "CT-165",
                sentence!(
                    seen::phase_went_back,
                    old = name(&old.status.phase),
                    new = name(&new.status.phase)
                ),
            );
        }
        if old.metadata.is_terminating() && !new.metadata.is_terminating() {
            report(FORWARD_ONLY.name, "CT-165", sentence!(seen::deletion_taken_back));
        }
        if let (Some(was), Some(is)) = (
            old.metadata.deletion_grace_period_seconds,
            new.metadata.deletion_grace_period_seconds,
        ) && is > was.max(1)
        {
            report(
                GRACE_MONOTONE.name,
                "CT-166",
                sentence!(seen::grace_grew, was = was, is = is),
            );
        }
    }
}
