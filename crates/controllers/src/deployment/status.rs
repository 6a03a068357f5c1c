//! The status of a Deployment: counts, conditions, and whether it makes progress within its deadline (CT-067, CT-068).

use podscope_api::well_known::condition;
use podscope_api::{ConditionStatus, Deployment, DeploymentStatus, ReplicaSet, Time, WorkloadCondition};

use podscope_sim::Span;

use super::{max_unavailable, replicas_of, sum};

/// Whether a sync updates the Progressing condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ProgressConditionUpdate {
    /// The sync belongs to a rollout: update the condition.
    Report,
    /// The sync handles a scaling, a pause or a deletion: keep the condition.
    Keep,
}

/// Returns `progressDeadlineSeconds` (default 600); `i32::MAX` means no deadline.
fn progress_deadline(deployment: &Deployment) -> i32 {
    deployment.spec.progress_deadline_seconds.unwrap_or(600)
}

pub(super) fn has_deadline(deployment: &Deployment) -> bool {
    progress_deadline(deployment) != i32::MAX
}

pub(super) fn find_condition<'s>(status: &'s DeploymentStatus, kind: &str) -> Option<&'s WorkloadCondition> {
    status.conditions.iter().find(|condition| &*condition.kind == kind)
}

/// Sets a condition unless it already has that status and reason.
pub(super) fn set_condition(
    status: &mut DeploymentStatus,
    kind: &str,
    value: ConditionStatus,
    reason: &str,
    message: &str,
    now: Time,
) {
    let old = find_condition(status, kind).cloned();
    if old
        .as_ref()
        .is_some_and(|old| old.status == value && &*old.reason == reason)
    {
        return;
    }
    let since = old
        .filter(|old| old.status == value)
        .map_or(Some(now), |old| old.last_transition_time);
    status.conditions.retain(|condition| &*condition.kind != kind);
    status.conditions.push(WorkloadCondition {
        kind: kind.into(),
        status: value,
        last_update_time: Some(now),
        last_transition_time: since,
        reason: reason.into(),
        message: message.into(),
        ..WorkloadCondition::default()
    });
}

/// Returns whether all replicas are updated and available, and no old pods are left.
pub(super) fn is_complete(deployment: &Deployment, status: &DeploymentStatus) -> bool {
    let replicas = replicas_of(deployment);
    status.updated_replicas.unwrap_or(0) == replicas
        && status.replicas.unwrap_or(0) == replicas
        && status.available_replicas.unwrap_or(0) == replicas
        && status.observed_generation >= deployment.metadata.generation
}

/// Returns whether more pods are updated, ready or available than before, or fewer pods are outdated.
fn made_progress(old: &DeploymentStatus, new: &DeploymentStatus) -> bool {
    let value = |count: Option<i32>| count.unwrap_or(0);
    let outdated = |status: &DeploymentStatus| value(status.replicas) - value(status.updated_replicas);
    value(new.updated_replicas) > value(old.updated_replicas)
        || outdated(new) < outdated(old)
        || value(new.ready_replicas) > value(old.ready_replicas)
        || value(new.available_replicas) > value(old.available_replicas)
}

/// Returns whether the progress deadline has passed.
fn has_timed_out(deployment: &Deployment, status: &DeploymentStatus, now: Time) -> bool {
    let Some(condition) = find_condition(status, condition::PROGRESSING) else {
        return false;
    };
    match &*condition.reason {
        "NewReplicaSetAvailable" => false,
        "ProgressDeadlineExceeded" => true,
        _ => {
            let from = condition.last_update_time.unwrap_or(now);
            from.0 + i64::from(progress_deadline(deployment)) * 1_000_000 < now.0
        }
    }
}

/// Returns whether two statuses differ. A count of zero equals an absent count, because API servers store one or the
/// other depending on their version.
pub(super) fn has_changed(one: &DeploymentStatus, other: &DeploymentStatus) -> bool {
    let without_zeros = |status: &DeploymentStatus| {
        let nonzero = |count: Option<i32>| count.filter(|count| *count != 0);
        DeploymentStatus {
            replicas: nonzero(status.replicas),
            updated_replicas: nonzero(status.updated_replicas),
            ready_replicas: nonzero(status.ready_replicas),
            available_replicas: nonzero(status.available_replicas),
            unavailable_replicas: nonzero(status.unavailable_replicas),
            terminating_replicas: nonzero(status.terminating_replicas),
            ..status.clone()
        }
    };
    one != other && without_zeros(one) != without_zeros(other)
}

/// Computes the status after a sync.
pub(super) fn compute_status(
    deployment: &Deployment,
    new: Option<&ReplicaSet>,
    old: &[&ReplicaSet],
    progress: ProgressConditionUpdate,
    now: Time,
) -> DeploymentStatus {
    let all = || old.iter().copied().chain(new);
    let nonzero = |count: i32| (count != 0).then_some(count);
    let total = sum(all().map(|set| set.spec.replicas.unwrap_or(1)));
    let available = sum(all().map(|set| set.status.available_replicas.unwrap_or(0)));
    let mut status = DeploymentStatus {
        observed_generation: deployment.metadata.generation,
        replicas: nonzero(sum(all().map(|set| set.status.replicas))),
        updated_replicas: nonzero(new.map_or(0, |set| set.status.replicas)),
        ready_replicas: nonzero(sum(all().map(|set| set.status.ready_replicas.unwrap_or(0)))),
        available_replicas: nonzero(available),
        unavailable_replicas: nonzero(total.saturating_sub(available).max(0)),
        terminating_replicas: count_terminating_replicas(all()),
        conditions: deployment.status.conditions.clone(),
        collision_count: deployment.status.collision_count,
    };
    if available >= replicas_of(deployment) - max_unavailable(deployment) {
        let text = "Deployment has minimum availability.";
        set_condition(
            &mut status,
            condition::AVAILABLE,
            ConditionStatus::True,
            "MinimumReplicasAvailable",
            text,
            now,
        );
    } else {
        let text = "Deployment does not have minimum availability.";
        set_condition(
            &mut status,
            condition::AVAILABLE,
            ConditionStatus::False,
            "MinimumReplicasUnavailable",
            text,
            now,
        );
    }
    if progress == ProgressConditionUpdate::Report {
        report_progress(deployment, new, &mut status, now);
        report_failures(new, old, &mut status, now);
    }
    status
}

/// Returns the number of terminating pods of all ReplicaSets; `None` if an observed ReplicaSet does not report it
/// (CT-063).
fn count_terminating_replicas<'s>(mut sets: impl Iterator<Item = &'s ReplicaSet>) -> Option<i32> {
    sets.try_fold(0, |sum, set| match set.status.terminating_replicas {
        None if set.status.observed_generation.is_none() => Some(sum),
        counted => Some(sum + counted?),
    })
}

fn report_progress(deployment: &Deployment, new: Option<&ReplicaSet>, status: &mut DeploymentStatus, now: Time) {
    if !has_deadline(deployment) {
        status
            .conditions
            .retain(|condition| &*condition.kind != condition::PROGRESSING);
        return;
    }
    let current = find_condition(status, condition::PROGRESSING).cloned();
    let was_complete = status.replicas == status.updated_replicas
        && current
            .as_ref()
            .is_some_and(|condition| &*condition.reason == "NewReplicaSetAvailable");
    if was_complete {
        return;
    }
    let subject = new.map_or_else(
        || format!("Deployment \"{}\"", deployment.metadata.name),
        |set| format!("ReplicaSet \"{}\"", set.metadata.name),
    );
    if is_complete(deployment, status) {
        let text = format!("{subject} has successfully progressed.");
        set_condition(
            status,
            condition::PROGRESSING,
            ConditionStatus::True,
            "NewReplicaSetAvailable",
            &text,
            now,
        );
    } else if made_progress(&deployment.status, status) {
        // Each progress updates lastUpdateTime, from which the deadline is measured.
        let since = current.filter(|current| current.status == ConditionStatus::True);
        status
            .conditions
            .retain(|condition| &*condition.kind != condition::PROGRESSING);
        let text = format!("{subject} is progressing.");
        set_condition(
            status,
            condition::PROGRESSING,
            ConditionStatus::True,
            "ReplicaSetUpdated",
            &text,
            now,
        );
        if let (Some(since), Some(last)) = (since, status.conditions.last_mut()) {
            last.last_transition_time = since.last_transition_time;
        }
    } else if has_timed_out(deployment, status, now) {
        let text = format!("{subject} has timed out progressing.");
        set_condition(
            status,
            condition::PROGRESSING,
            ConditionStatus::False,
            "ProgressDeadlineExceeded",
            &text,
            now,
        );
    }
}

fn report_failures(new: Option<&ReplicaSet>, old: &[&ReplicaSet], status: &mut DeploymentStatus, now: Time) {
    let failure = new.into_iter().chain(old.iter().copied()).find_map(|set| {
        set.status
            .conditions
            .iter()
            .find(|condition| &*condition.kind == condition::REPLICA_FAILURE)
            .cloned()
    });
    match failure {
        Some(failure) => {
            set_condition(
                status,
                condition::REPLICA_FAILURE,
                failure.status,
                &failure.reason,
                &failure.message,
                now,
            );
        }
        None => status
            .conditions
            .retain(|condition| &*condition.kind != condition::REPLICA_FAILURE),
    }
}

/// Returns the time until a sync has to check the progress deadline: one second after the deadline.
pub(super) fn progress_recheck_delay(deployment: &Deployment, status: &DeploymentStatus, now: Time) -> Option<Span> {
    let condition = find_condition(status, condition::PROGRESSING)?;
    if !has_deadline(deployment)
        || is_complete(deployment, status)
        || matches!(
            &*condition.reason,
            "ProgressDeadlineExceeded" | "NewReplicaSetAvailable"
        )
    {
        return None;
    }
    let from = condition.last_update_time?.seconds();
    let remaining = from + i64::from(progress_deadline(deployment)) - now.seconds();
    Some(Span::seconds(remaining.max(0) + 1))
}
