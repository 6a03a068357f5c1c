//! `forward-only` (CT-165) and `grace-monotone` (CT-166): phases go forward,
//! deletions are never taken back, their grace never grows.

use podscope_api::{Object, Phrase, PodPhase, phrase};

use super::{Breach, Check, Group, Invariant, Promise, Seen, View, blame};
use crate::subject_of;

pub(super) const FORWARD_ONLY: Invariant = Invariant {
    name: "forward-only",
    fact: "CT-165",
    group: Group::Life,
    promise: Promise::Safety,
    statement: "Phases go forward only, and a deletion is never taken back.",
    keeper: "The API server and the kubelet.",
    breaker: "Nothing.",
    lesson: "first-pod",
};

pub(super) const GRACE_MONOTONE: Invariant = Invariant {
    name: "grace-monotone",
    fact: "CT-166",
    group: Group::Termination,
    promise: Promise::Safety,
    statement: "A grace period can be shortened, never lengthened.",
    keeper: "The API server.",
    breaker: "A kubelet crash starts the clock again, with the same value.",
    lesson: "prestop-overrun",
};

/// Remembers nothing.
#[derive(Debug, Clone, Default)]
pub(super) struct ForwardOnly;

fn rank(phase: Option<&PodPhase>) -> u8 {
    match phase {
        None | Some(PodPhase::Pending | PodPhase::Unknown | PodPhase::Other(_)) => 0,
        Some(PodPhase::Running) => 1,
        Some(PodPhase::Succeeded | PodPhase::Failed) => 2,
    }
}

impl Check for ForwardOnly {
    fn see(&mut self, seen: &Seen<'_>, view: &View<'_>, out: &mut Vec<Breach>) {
        let Seen::Change { actor, change } = seen else { return };
        let (Some(Object::Pod(old)), Some(Object::Pod(new))) = (&change.old, &change.new) else {
            return;
        };
        let mut breach = |invariant: &'static str, fact: &str, seen: Phrase| {
            let (cause, by) = blame::of_component(actor, fact, view);
            out.push(Breach {
                corrupts: None,
                invariant,
                object: Some(subject_of(&Object::Pod(new.clone()))),
                cause,
                by,
                seen,
            });
        };
        let (before, after) = (rank(old.status.phase.as_ref()), rank(new.status.phase.as_ref()));
        let swapped_end = before == 2 && old.status.phase != new.status.phase;
        if after < before || swapped_end {
            let name = |phase: &Option<PodPhase>| phase.as_ref().map_or("", |phase| phase.as_str()).to_owned();
            breach(
                FORWARD_ONLY.name,
                "CT-165",
                phrase!(
                    "the phase went from {old} to {new}",
                    old = name(&old.status.phase),
                    new = name(&new.status.phase)
                ),
            );
        }
        if old.metadata.is_terminating() && !new.metadata.is_terminating() {
            breach(FORWARD_ONLY.name, "CT-165", phrase!("deletionTimestamp was taken back"));
        }
        if let (Some(was), Some(is)) = (
            old.metadata.deletion_grace_period_seconds,
            new.metadata.deletion_grace_period_seconds,
        ) && is > was.max(1)
        {
            breach(
                GRACE_MONOTONE.name,
                "CT-166",
                phrase!("the grace grew from {was} s to {is} s", was = was, is = is),
            );
        }
    }
}
