//! Back-off of a Job's failed pods (CT-094): 10 s after the first failure, doubling up to ten minutes. The record is
//! kept in memory, so a restarted controller does not wait.

use std::sync::Arc;

use podscope_api::well_known::condition;
use podscope_api::{Container, ContainerStatus, Pod, Time};
use podscope_sim::Span;

/// Initial and maximum back-off.
const RETRY: (Span, Span) = (Span::seconds(10), Span::seconds(600));

/// The failures since the last success.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct FailureRecord {
    failures: u32,
    last: Option<Time>,
}

impl FailureRecord {
    /// The record after further pods have finished.
    pub(super) fn with(self, succeeded: &[Arc<Pod>], failed: &[Arc<Pod>]) -> Self {
        let last_success = succeeded.iter().map(|pod| finished(pod)).max();
        let since = failed.iter().map(|pod| finished(pod));
        let since = since.filter(|at| last_success.is_none_or(|success| *at > success));
        let mut record = if last_success.is_some() { Self::default() } else { self };
        for at in since {
            record.failures = record.failures.saturating_add(1);
            record.last = record.last.max(Some(at));
        }
        record
    }

    /// Remaining back-off; `None` if it is over.
    pub(super) fn remaining_backoff(self, now: Time) -> Option<Span> {
        remaining_backoff(self.failures, self.last?, now)
    }
}

/// Remaining back-off before a failed pod is replaced; its index had failed `failures_before` times before.
pub(super) fn remaining_after(pod: &Pod, failures_before: i32, now: Time) -> Option<Span> {
    let failures = u32::try_from(failures_before).unwrap_or(0).saturating_add(1);
    remaining_backoff(failures, finished(pod), now)
}

fn remaining_backoff(failures: u32, last: Time, now: Time) -> Option<Span> {
    let wait = RETRY.0.doubled_times(failures.checked_sub(1)?, RETRY.1);
    let remaining = Span(last.0 + wait.0 - now.0);
    (remaining > Span::ZERO).then_some(remaining)
}

/// When a pod finished: when its containers ended, else when it became unready, else when its deletion was requested.
pub(super) fn finished(pod: &Pod) -> Time {
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
