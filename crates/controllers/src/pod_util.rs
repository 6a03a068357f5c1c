//! Rules about pods that several controllers share: active, ready, available, and setting conditions.

use podscope_api::well_known::condition;
use podscope_api::{ConditionStatus, Container, Pod, PodCondition, PodPhase, Time};

use podscope_sim::Span;

/// Returns whether the pod counts as a replica of a ReplicaSet (CT-055).
pub(super) fn is_active(pod: &Pod) -> bool {
    !pod.is_terminal() && !pod.metadata.is_terminating()
}

/// Returns whether the pod is terminating and its containers may still run, as counted by `terminatingReplicas`
/// (CT-063).
pub(super) fn is_terminating(pod: &Pod) -> bool {
    !pod.is_terminal() && pod.metadata.is_terminating()
}

pub(super) fn is_failed(pod: &Pod) -> bool {
    pod.status.phase == Some(PodPhase::Failed)
}

pub(super) fn is_succeeded(pod: &Pod) -> bool {
    pod.status.phase == Some(PodPhase::Succeeded)
}

/// Returns the time since which the pod is Ready; `None` if it is not.
pub(super) fn ready_since(pod: &Pod) -> Option<Time> {
    let ready = pod.condition(condition::READY)?;
    (ready.status == ConditionStatus::True).then(|| ready.last_transition_time.unwrap_or_default())
}

/// Returns the time until a Ready pod becomes available: zero if it is available, `None` if it is not Ready (CT-059).
pub(super) fn available_in(pod: &Pod, min_ready_seconds: Option<i32>, now: Time) -> Option<Span> {
    let since = ready_since(pod)?;
    let wanted = i64::from(min_ready_seconds.unwrap_or(0)) * 1_000_000;
    if wanted == 0 {
        return Some(Span::ZERO);
    }
    Some(Span((since.0 + wanted - now.0).max(0)))
}

/// Returns whether the pod has been Ready for at least `min_ready_seconds` (CT-059).
pub(super) fn is_available(pod: &Pod, min_ready_seconds: Option<i32>, now: Time) -> bool {
    available_in(pod, min_ready_seconds, now) == Some(Span::ZERO)
}

/// Returns the time until the next of the pods becomes available.
pub(super) fn next_available_in<'p>(
    pods: impl IntoIterator<Item = &'p std::sync::Arc<Pod>>,
    min_ready_seconds: Option<i32>,
    now: Time,
) -> Option<Span> {
    pods.into_iter()
        .filter_map(|pod| available_in(pod, min_ready_seconds, now))
        .filter(|span| *span > Span::ZERO)
        .min()
}

/// Returns the maximum restart count of the pod's sidecars, or of its main containers.
pub(super) fn max_restarts(pod: &Pod, sidecars: bool) -> i32 {
    let is_sidecar = |name: &str| {
        pod.spec
            .init_containers
            .iter()
            .any(|container| Container::is_sidecar(container) && &*container.name == name)
    };
    let statuses: &mut dyn Iterator<Item = _> = if sidecars {
        &mut pod
            .status
            .init_container_statuses
            .iter()
            .filter(|status| is_sidecar(&status.name))
    } else {
        &mut pod.status.container_statuses.iter()
    };
    statuses.map(|status| status.restart_count).max().unwrap_or(0)
}

/// Sets a condition; returns whether anything changed. The transition time changes only with the status, and
/// `observedGeneration` is set only on a new condition.
pub(super) fn set_condition(
    pod: &mut Pod,
    kind: &str,
    value: ConditionStatus,
    reason: &str,
    message: &str,
    now: Time,
) -> bool {
    let condition = PodCondition {
        kind: kind.into(),
        status: value,
        reason: reason.into(),
        message: message.into(),
        last_transition_time: Some(now),
        observed_generation: pod.metadata.generation,
        ..PodCondition::default()
    };
    let mut conditions = pod.status.conditions.iter_mut();
    let Some(old) = conditions.find(|condition| &*condition.kind == kind) else {
        pod.status.conditions.push(condition);
        return true;
    };
    let since = if old.status == condition.status {
        old.last_transition_time
    } else {
        condition.last_transition_time
    };
    let new = PodCondition {
        last_transition_time: since,
        last_probe_time: old.last_probe_time,
        observed_generation: old.observed_generation,
        ..condition
    };
    let changed = *old != new;
    *old = new;
    changed
}
