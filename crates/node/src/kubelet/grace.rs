//! Lengths of grace periods and timeouts of the termination of pods and containers. When a kill begins and what it does
//! is decided in `worker/termination.rs` and `kill.rs`; a kill in progress keeps its deadline (LC-164).

use podscope_api::Pod;

use podscope_sim::{Span, Switches};

/// Grace period for orphaned containers (LC-061) and minimum grace period of a pod (LC-133), in seconds.
pub(super) const MIN_GRACE_SECONDS: i64 = 1;
/// Minimum time between stop signal and SIGKILL, in seconds (LC-138 step 5, LC-140).
const MIN_STOP_TIMEOUT_SECONDS: i64 = 2;
/// Grace period of a container whose spec is unknown, in seconds (LC-136).
const UNKNOWN_CONTAINER_GRACE_SECONDS: i64 = 2;

/// Returns the grace period of a pod's termination in seconds (LC-133). `stored` is the value that the worker has
/// stored (0 if none yet); `requested` is the value of an eviction or preemption.
pub(super) fn pod_grace_seconds(stored: i64, pod: &Pod, requested: Option<i64>, switches: &Switches) -> i64 {
    let mut grace = stored;
    let mut is_given = false;
    for bound in [pod.metadata.deletion_grace_period_seconds, requested]
        .into_iter()
        .flatten()
    {
        if grace == 0 && !is_given || bound < grace {
            grace = bound;
            is_given = true;
        }
    }
    // Up to v1.23, an explicit 0 counted as not set (LC-134).
    let is_unset = grace == 0 && (!is_given || switches.grace_rules_v1_23);
    if is_unset && let Some(own) = pod.spec.termination_grace_period_seconds {
        grace = own;
    }
    let grace = grace.max(MIN_GRACE_SECONDS);
    // A grace period can only become shorter (LC-133). Exception: up to v1.23, an explicit 0 restored the pod's own
    // value.
    debug_assert!(
        stored == 0 || grace <= stored || switches.grace_rules_v1_23,
        "the grace period grew from {stored} s to {grace} s: {:?}",
        pod.metadata.key()
    );
    grace
}

/// Why a single container is killed (not its whole pod).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KillReason {
    Liveness,
    Startup,
    /// The container's definition changed, its postStart hook failed, or its pod ended by itself.
    Other,
}

/// Returns the grace period in seconds for killing one container, where no pod-level grace period applies (LC-126,
/// LC-136).
pub(super) fn container_grace_seconds(
    pod: &Pod,
    container: Option<&podscope_api::Container>,
    reason: KillReason,
) -> i64 {
    if let Some(deletion) = pod.metadata.deletion_grace_period_seconds {
        return deletion;
    }
    let probe = match reason {
        KillReason::Liveness => container.and_then(|container| container.liveness_probe.as_ref()),
        KillReason::Startup => container.and_then(|container| container.startup_probe.as_ref()),
        KillReason::Other => None,
    };
    probe
        .and_then(|probe| probe.termination_grace_period_seconds)
        .or(pod.spec.termination_grace_period_seconds)
        .unwrap_or(UNKNOWN_CONTAINER_GRACE_SECONDS)
}

/// Remaining grace period of a container that is being killed (LC-138).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RemainingGrace {
    seconds: i64,
    /// The timeout that a v1.23 kubelet passes to the runtime instead of `seconds`, however long the hook took
    /// (LC-137).
    runtime_timeout: Option<i64>,
}

impl RemainingGrace {
    /// Returns the grace period at the start of a kill. It is `requested`, the pod's grace period, if the whole pod is
    /// killed; otherwise it is `base`, the container's own.
    pub(super) fn new(requested: Option<i64>, base: i64, switches: &Switches) -> Self {
        if switches.grace_rules_v1_23 {
            Self {
                seconds: base,
                runtime_timeout: requested,
            }
        } else {
            Self {
                seconds: requested.unwrap_or(base),
                runtime_timeout: None,
            }
        }
    }

    /// Returns the maximum time to wait for a hook or for the containers that stop first; None if no grace period is
    /// left.
    pub(super) fn max_wait(self) -> Option<Span> {
        (self.seconds > 0).then(|| Span::seconds(self.seconds))
    }

    /// Subtracts the time waited, in whole seconds.
    pub(super) fn after_waiting(self, waited: Span) -> Self {
        Self {
            seconds: self.seconds - waited.whole_seconds(),
            ..self
        }
    }

    /// Returns the time from the stop signal to SIGKILL.
    pub(super) fn stop_timeout(self, switches: &Switches) -> Span {
        let floor = if switches.kubelet_without_two_second_floor {
            0
        } else {
            MIN_STOP_TIMEOUT_SECONDS
        };
        Span::seconds(self.runtime_timeout.unwrap_or_else(|| self.seconds.max(floor)))
    }
}

/// Minimum timeout of killPodNow, in seconds (LC-178).
const MIN_KILL_TIMEOUT_SECONDS: i64 = 10;

/// Returns the timeout of `killPodNow` (LC-178): an eviction or preemption waits for 1.5 times the grace period, in
/// whole seconds, and then emits `ExceededGracePeriod`. The kill itself continues.
pub(super) fn kill_timeout(pod: &Pod, requested: Option<i64>) -> Span {
    let grace = requested.or(pod.spec.termination_grace_period_seconds).unwrap_or(0);
    Span::seconds(grace.saturating_add(grace.div_euclid(2)).max(MIN_KILL_TIMEOUT_SECONDS))
}

/// Returns the grace period of an eviction (LC-198): 1 s for hard thresholds; for soft ones the minimum of
/// `evictionMaxPodGracePeriod` and the pod's own. v1.23: 0 for hard thresholds, the configured maximum for soft ones.
pub(super) fn eviction_grace_seconds(is_hard: bool, max_pod_grace: i64, pod: &Pod, switches: &Switches) -> i64 {
    let own = pod.spec.termination_grace_period_seconds.unwrap_or(0);
    match (is_hard, switches.grace_rules_v1_23) {
        (true, true) => 0,
        (true, false) => 1,
        (false, true) => max_pod_grace,
        (false, false) => max_pod_grace.min(own),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pod_with_grace_periods(spec: i64, deletion: Option<i64>) -> Pod {
        let mut pod = Pod::default();
        pod.spec.termination_grace_period_seconds = Some(spec);
        pod.metadata.deletion_grace_period_seconds = deletion;
        pod
    }

    /// Shows: L-11, LC-133, LC-134
    #[test]
    fn shortest_given_value_sets_pod_grace_period() {
        let now = Switches::default();
        let old = Switches {
            grace_rules_v1_23: true,
            ..now
        };
        for (stored, spec, deletion, requested, v1_34, v1_23) in [
            (0, 30, None, None, 30, 30),
            (0, 30, Some(30), None, 30, 30),
            (0, 30, Some(60), None, 60, 60),
            (30, 30, Some(10), None, 10, 10),
            (10, 30, Some(30), None, 10, 10),
            (0, 30, Some(0), None, 1, 30),
            (0, 30, None, Some(0), 1, 30),
            (0, 30, None, Some(1), 1, 1),
            (0, 30, Some(20), Some(5), 5, 5),
            (0, 30, Some(5), Some(20), 5, 5),
            (30, 30, Some(0), None, 1, 30),
            (0, 0, None, None, 1, 1),
        ] {
            let row = format!("{stored} {spec} {deletion:?} {requested:?}");
            assert_eq!(
                pod_grace_seconds(stored, &pod_with_grace_periods(spec, deletion), requested, &now),
                v1_34,
                "{row}"
            );
            assert_eq!(
                pod_grace_seconds(stored, &pod_with_grace_periods(spec, deletion), requested, &old),
                v1_23,
                "v1.23 {row}"
            );
        }
    }

    /// Shows: LC-178
    #[test]
    fn kill_timeout_is_one_and_a_half_grace_periods() {
        for (grace, seconds) in [(7, 10), (9, 13), (30, 45)] {
            assert_eq!(
                kill_timeout(&pod_with_grace_periods(30, None), Some(grace)),
                Span::seconds(seconds)
            );
        }
    }

    /// Shows: LC-138, LC-151
    #[test]
    fn stop_timeout_excludes_hook_time_but_is_at_least_two_seconds() {
        let switches = Switches::default();
        for (grace, hook_millis, timeout) in [(30, 10_000, 20), (30, 10_900, 20), (30, 29_000, 2), (1, 1000, 2)] {
            let left = RemainingGrace::new(Some(grace), 5, &switches).after_waiting(Span::millis(hook_millis));
            assert_eq!(
                left.stop_timeout(&switches),
                Span::seconds(timeout),
                "{grace} {hook_millis}"
            );
        }
        let old = Switches {
            grace_rules_v1_23: true,
            ..switches
        };
        let left = RemainingGrace::new(Some(30), 30, &old).after_waiting(Span::seconds(10));
        assert_eq!(left.stop_timeout(&old), Span::seconds(30));
    }
}
