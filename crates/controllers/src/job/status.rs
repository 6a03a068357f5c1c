//! A Job's conditions, and the counts of finished pods in its status (CT-093, CT-095).

use podscope_api::{ConditionStatus, JobStatus, Str, Time, WorkloadCondition, ordered};

/// Returns the condition of the type `kind`, if its status is True.
pub(super) fn true_condition<'s>(status: &'s JobStatus, kind: &str) -> Option<&'s WorkloadCondition> {
    let mut conditions = status.conditions.iter();
    conditions.find(|condition| &*condition.kind == kind && condition.status == ConditionStatus::True)
}

/// Returns the final condition of a finished Job.
pub(crate) fn final_condition(status: &JobStatus) -> Option<&WorkloadCondition> {
    true_condition(status, "Complete").or_else(|| true_condition(status, "Failed"))
}

/// Sets a condition; returns whether it changed. A missing condition is not added with status False.
pub(super) fn set_condition(
    status: &mut JobStatus,
    kind: &str,
    value: ConditionStatus,
    reason: &str,
    message: &str,
    now: Time,
) -> bool {
    let new = WorkloadCondition {
        kind: kind.into(),
        status: value,
        last_probe_time: Some(now),
        last_transition_time: Some(now),
        reason: reason.into(),
        message: message.into(),
        ..WorkloadCondition::default()
    };
    let Some(old) = status.conditions.iter_mut().find(|condition| &*condition.kind == kind) else {
        if new.status == ConditionStatus::False {
            return false;
        }
        status.conditions.push(new);
        return true;
    };
    if old.status == new.status && old.reason == new.reason && old.message == new.message {
        return false;
    }
    *old = new;
    true
}

/// Moves pods without a finalizer from `uncountedTerminatedPods` to the counts of succeeded and failed pods.
/// `with_finalizer` contains the UIDs of pods that have the finalizer.
pub(super) fn move_uncounted_to_counts(status: &mut JobStatus, with_finalizer: &ordered::Set<Str>) {
    let mut uncounted = status.uncounted_terminated_pods.clone().unwrap_or_default();
    let move_uids = |list: &mut Vec<Str>, count: &mut Option<i32>| {
        let before = list.len();
        list.retain(|uid| with_finalizer.contains(uid));
        let settled = i32::try_from(before - list.len()).unwrap_or(0);
        if settled > 0 {
            *count = Some(count.unwrap_or(0) + settled);
        }
    };
    move_uids(&mut uncounted.succeeded, &mut status.succeeded);
    move_uids(&mut uncounted.failed, &mut status.failed);
    status.uncounted_terminated_pods = Some(uncounted);
}
