//! The arithmetic of a metric: computes the number of replicas from the usage of each pod (CT-192).
//!
//! ```text
//! ignored   terminating or Failed
//! unready   Pending, or for cpu not ready yet: counted as unused when scaling up
//! missing   without a metric: counted as fully used when scaling down, as unused when scaling up
//! ready     all others
//! ```

use std::sync::Arc;

use podscope_api::well_known::condition;
use podscope_api::{ConditionStatus, Pod, PodPhase, Quantity, Str, Time, ordered};
use podscope_sim::Span;
use serde_json::Value;

/// Maximum distance of the usage ratio from 1 that causes no scaling (`--horizontal-pod-autoscaler-tolerance`).
const DEFAULT_TOLERANCE: f64 = 0.1;
/// Time after its start during which the cpu usage of a pod is used only while the pod is ready
/// (`…-cpu-initialization-period`).
const CPU_INITIALIZATION: Span = Span::seconds(300);
/// Time that a pod must have been ready before its cpu usage is used: one window of the metrics.
const METRICS_WINDOW: Span = Span::seconds(15);
/// A pod that became unready within this time after its start is treated as never ready (`…-initial-readiness-delay`).
const READINESS_DELAY: Span = Span::seconds(30);

/// The value of one metric for each pod, in thousandths.
pub(super) type PodMetrics = ordered::Map<Str, i64>;

/// Maximum distance of the usage ratio from 1 that causes no scaling, when scaling down and up.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tolerances {
    down: f64,
    up: f64,
}

impl Tolerances {
    /// Reads the tolerances of `spec.behavior`, or returns the default.
    pub(super) fn read(behavior: &Value) -> Self {
        let of = |direction: &str| {
            let text = behavior[direction]["tolerance"].as_str();
            let amount = text.and_then(|text| text.parse::<Quantity>().ok());
            amount.map_or(DEFAULT_TOLERANCE, |amount| amount.milli_value() as f64 / 1000.0)
        };
        Self {
            down: of("scaleDown"),
            up: of("scaleUp"),
        }
    }

    /// Returns whether the ratio is so close to 1 that it causes no scaling.
    pub(super) fn is_within(self, ratio: f64) -> bool {
        1.0 - self.down <= ratio && ratio <= 1.0 + self.up
    }
}

/// The pods of a selector, grouped by the usability of their metrics.
#[derive(Debug, Default)]
pub(super) struct PodGroups {
    pub(super) n_ready: usize,
    unready: Vec<Str>,
    missing: Vec<Str>,
    ignored: Vec<Str>,
}

impl PodGroups {
    /// Groups the pods. `has_metric` returns whether a pod has a metric.
    pub(super) fn of(pods: &[Arc<Pod>], has_metric: impl Fn(&Pod) -> bool, is_cpu: bool, now: Time) -> Self {
        let mut groups = Self::default();
        for pod in pods {
            let phase = pod.status.phase.clone();
            let group = if pod.metadata.is_terminating() || phase == Some(PodPhase::Failed) {
                &mut groups.ignored
            } else if phase.is_none() || phase == Some(PodPhase::Pending) {
                &mut groups.unready
            } else if !has_metric(pod) {
                &mut groups.missing
            } else if is_cpu && is_unready(pod, now) {
                &mut groups.unready
            } else {
                groups.n_ready += 1;
                continue;
            };
            group.push(pod.metadata.name.clone());
        }
        groups
    }

    /// Removes the metrics of pods that are not ready.
    ///
    /// # Errors
    /// Returns an error if no ready pod is left.
    pub(super) fn retain_ready(&self, metrics: &mut PodMetrics) -> Result<(), String> {
        for pod in self.ignored.iter().chain(&self.unready) {
            metrics.remove(pod);
        }
        if metrics.is_empty() {
            return Err("did not receive metrics for targeted pods (pods might be unready)".to_owned());
        }
        Ok(())
    }
}

/// Returns whether a pod's cpu usage is not yet representative.
fn is_unready(pod: &Pod, now: Time) -> bool {
    let (Some(ready), Some(start)) = (pod.condition(condition::READY), pod.status.start_time) else {
        return true;
    };
    let since = ready.last_transition_time.unwrap_or(start);
    let is_false = ready.status == ConditionStatus::False;
    if start.0 + CPU_INITIALIZATION.0 > now.0 {
        is_false || now.0 < since.0 + METRICS_WINDOW.0
    } else {
        is_false && start.0 + READINESS_DELAY.0 > since.0
    }
}

/// Computes the number of replicas that the metrics of ready pods propose.
///
/// `ratio` computes the usage relative to the target. `max_usage` returns the usage that is assumed for a pod without a
/// metric when scaling down.
pub(super) fn proposed_replicas<E>(
    current: i32,
    mut metrics: PodMetrics,
    groups: &PodGroups,
    tolerances: Tolerances,
    max_usage: impl Fn(&Str) -> i64,
    ratio: impl Fn(&PodMetrics) -> Result<f64, E>,
) -> Result<i32, E> {
    let first = ratio(&metrics)?;
    let counts_unready = !groups.unready.is_empty() && first > 1.0;
    if !counts_unready && groups.missing.is_empty() {
        let is_near = tolerances.is_within(first);
        return Ok(if is_near {
            current
        } else {
            scaled_pod_count(first, groups.n_ready)
        });
    }
    for pod in &groups.missing {
        if first < 1.0 {
            metrics.insert(pod.clone(), max_usage(pod));
        } else if first > 1.0 {
            metrics.insert(pod.clone(), 0);
        }
    }
    if counts_unready {
        metrics.extend(groups.unready.iter().map(|pod| (pod.clone(), 0)));
    }
    let second = ratio(&metrics)?;
    // No scaling if the second ratio, which includes the assumed usage of unready and missing pods, is within the
    // tolerance or contradicts the first ratio (up instead of down, or down instead of up).
    let changes_direction = (first < 1.0 && second > 1.0) || (first > 1.0 && second < 1.0);
    if tolerances.is_within(second) || changes_direction {
        return Ok(current);
    }
    let wanted = scaled_pod_count(second, metrics.len());
    let changes_direction = (second < 1.0 && wanted > current) || (second > 1.0 && wanted < current);
    Ok(if changes_direction { current } else { wanted })
}

/// Returns the ratio of the average usage to the target, and the average usage.
pub(super) fn usage_ratio_and_average(metrics: &PodMetrics, target: i64) -> (f64, i64) {
    let total = metrics.values().fold(0_i64, |sum, value| sum.saturating_add(*value));
    let average = total / to_i64(metrics.len()).max(1);
    (average as f64 / target as f64, average)
}

/// The usage as a percentage of the requests, and its ratio to a target percentage.
pub(super) struct Utilization {
    pub(super) ratio: f64,
    pub(super) percent: i64,
    pub(super) average: i64,
}

impl Utilization {
    /// # Errors
    /// Returns an error if no pod has a request.
    pub(super) fn of(metrics: &PodMetrics, requests: &PodMetrics, target: i64) -> Result<Self, String> {
        let (mut used, mut requested, mut entries) = (0_i64, 0_i64, 0);
        for (pod, value) in metrics {
            if let Some(request) = requests.get(pod) {
                used = used.saturating_add(*value);
                requested = requested.saturating_add(*request);
                entries += 1;
            }
        }
        if requested == 0 {
            return Err("no metrics returned matched known pods".to_owned());
        }
        let percent = i64::try_from(i128::from(used) * 100 / i128::from(requested)).unwrap_or(i64::MAX);
        Ok(Self {
            ratio: percent as f64 / target as f64,
            percent,
            average: used / entries,
        })
    }
}

/// Returns the number of pods times a ratio, rounded up.
pub(super) fn scaled_pod_count(ratio: f64, pods: usize) -> i32 {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a cast saturates, as the API's bounds do"
    )]
    let wanted = (ratio * pods as f64).ceil() as i32;
    wanted
}

fn to_i64(pods: usize) -> i64 {
    i64::try_from(pods).unwrap_or(i64::MAX)
}
