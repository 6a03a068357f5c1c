//! Back-off of a Job's failed pods (CT-094): 10 s after the first failure, doubling up to ten minutes. The failures are
//! recorded in memory only, so a restarted controller does not wait.

use std::sync::Arc;

use podscope_api::well_known::condition;
use podscope_api::{Container, ContainerStatus, Pod, Time};
use podscope_sim::Span;

/// Initial and maximum back-off before a failed pod is replaced.
const BACKOFF: (Span, Span) = (Span::seconds(10), Span::seconds(600));

/// The failures of a Job since its last success.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct FailureRecord {
    failures: u32,
    last: Option<Time>,
}

impl FailureRecord {
    /// Returns the record after further pods have finished.
    pub(super) fn with_finished_pods(self, succeeded: &[Arc<Pod>], failed: &[Arc<Pod>]) -> Self {
        let last_success = succeeded.iter().map(|pod| finish_time(pod)).max();
        let since = failed.iter().map(|pod| finish_time(pod));
        let since = since.filter(|at| last_success.is_none_or(|success| *at > success));
        let mut record = if last_success.is_some() { Self::default() } else { self };
        for at in since {
            record.failures = record.failures.saturating_add(1);
            record.last = record.last.max(Some(at));
        }
        record
    }

    /// Returns the remaining back-off; `None` if it has passed.
    pub(super) fn remaining_backoff(self, now: Time) -> Option<Span> {
        remaining_backoff(self.failures, self.last?, now)
    }
}

/// Returns the remaining back-off before a failed pod is replaced. `failures_before` is the number of earlier failures
/// of its index.
pub(super) fn remaining_backoff_of_pod(pod: &Pod, failures_before: i32, now: Time) -> Option<Span> {
    let failures = u32::try_from(failures_before).unwrap_or(0).saturating_add(1);
    remaining_backoff(failures, finish_time(pod), now)
}

fn remaining_backoff(failures: u32, last: Time, now: Time) -> Option<Span> {
    let wait = BACKOFF.0.doubled_times(failures.checked_sub(1)?, BACKOFF.1);
    let remaining = Span(last.0 + wait.0 - now.0);
    (remaining > Span::ZERO).then_some(remaining)
}

/// Returns the time at which a pod finished: when its containers terminated, otherwise when it became unready,
/// otherwise when its deletion was requested.
pub(super) fn finish_time(pod: &Pod) -> Time {
    let last_container_end = || {
        let is_sidecar = |status: &&ContainerStatus| {
            let mut init = pod.spec.init_containers.iter();
            init.any(|container| Container::is_sidecar(container) && container.name == status.name)
        };
        let sidecars = pod.status.init_container_statuses.iter().filter(is_sidecar);
        let statuses = pod.status.container_statuses.iter().chain(sidecars);
        let ends: Option<Vec<Time>> = statuses
            .map(|status| status.state.terminated.as_ref()?.finished_at)
            .collect();
        ends?.into_iter().max()
    };
    let not_ready = || {
        let ready = pod.condition(condition::READY)?;
        ready
            .last_transition_time
            .filter(|_| ready.status == podscope_api::ConditionStatus::False)
    };
    let deleted = || {
        let grace = pod.metadata.deletion_grace_period_seconds.unwrap_or(0);
        pod.metadata
            .deletion_timestamp
            .map(|at| Time(at.0.saturating_sub(grace.saturating_mul(1_000_000))))
    };
    last_container_end()
        .or_else(not_ready)
        .or_else(deleted)
        .or(pod.metadata.creation_timestamp)
        .unwrap_or_default()
}
