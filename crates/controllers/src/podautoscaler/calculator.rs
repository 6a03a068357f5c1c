//! The arithmetic of a metric: from what each pod uses to how many pods are wanted (CT-192).
//!
//! ```text
//! ignored   being deleted, or Failed
//! unready   Pending; for cpu also not ready yet: they count as idle when more pods are asked for
//! missing   no metric: they count as fully used on the way down, as idle on the way up
//! ready     the rest
//! ```

use std::sync::Arc;

use podscope_api::{ConditionStatus, Pod, PodPhase, Quantity, Str, Time, ordered};
use podscope_sim::Span;
use serde_json::Value;

/// A ratio this near to 1 is left alone (`--horizontal-pod-autoscaler-tolerance`).
const TOLERANCE: f64 = 0.1;
/// After its start a pod's use of cpu counts only while it is ready (`…-cpu-initialization-period`).
const CPU_INITIALIZATION: Span = Span::seconds(300);
/// How long a pod must have been ready for its use of cpu to be that of its work: a window of the metrics.
const WINDOW: Span = Span::seconds(15);
/// A pod that was unready from its start on until here is taken for one that never got ready
/// (`…-initial-readiness-delay`).
const READINESS_DELAY: Span = Span::seconds(30);

/// What pods use of one thing, in thousandths, by pod.
pub(super) type PodMetrics = ordered::Map<Str, i64>;

/// How far from 1 a ratio may be without anything being done.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tolerances {
    down: f64,
    up: f64,
}

impl Tolerances {
    /// The tolerances of `spec.behavior`, where it has them.
    pub(super) fn read(behavior: &Value) -> Self {
        let of = |direction: &str| {
            let text = behavior[direction]["tolerance"].as_str();
            let amount = text.and_then(|text| text.parse::<Quantity>().ok());
            amount.map_or(TOLERANCE, |amount| amount.milli_value() as f64 / 1000.0)
        };
        Self {
            down: of("scaleDown"),
            up: of("scaleUp"),
        }
    }

    pub(super) fn holds(self, ratio: f64) -> bool {
        1.0 - self.down <= ratio && ratio <= 1.0 + self.up
    }
}

/// The pods of a selector by what their metrics are good for.
#[derive(Debug, Default)]
pub(super) struct Groups {
    pub(super) n_ready: usize,
    unready: Vec<Str>,
    missing: Vec<Str>,
    ignored: Vec<Str>,
}

impl Groups {
    /// Sorts pods into groups; `has_metric` says for which of them there is one.
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

    /// Leaves the metrics of ready pods; there must be some.
    ///
    /// # Errors
    /// No pod is ready.
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

/// Whether a pod's use of cpu is not yet that of its work.
fn is_unready(pod: &Pod, now: Time) -> bool {
    let (Some(ready), Some(start)) = (pod.condition("Ready"), pod.status.start_time) else {
        return true;
    };
    let since = ready.last_transition_time.unwrap_or(start);
    let is_false = ready.status == ConditionStatus::False;
    if start.0 + CPU_INITIALIZATION.0 > now.0 {
        is_false || now.0 < since.0 + WINDOW.0
    } else {
        is_false && start.0 + READINESS_DELAY.0 > since.0
    }
}

/// How many pods the metrics of ready pods ask for.
///
/// `ratio` is the use relative to the target; `full` what a pod without a metric uses at most.
pub(super) fn replicas<E>(
    current: i32,
    mut metrics: PodMetrics,
    groups: &Groups,
    tolerances: Tolerances,
    full: impl Fn(&Str) -> i64,
    ratio: impl Fn(&PodMetrics) -> Result<f64, E>,
) -> Result<i32, E> {
    let first = ratio(&metrics)?;
    let counts_unready = !groups.unready.is_empty() && first > 1.0;
    if !counts_unready && groups.missing.is_empty() {
        let is_near = tolerances.holds(first);
        return Ok(if is_near { current } else { times(first, groups.n_ready) });
    }
    for pod in &groups.missing {
        if first < 1.0 {
            metrics.insert(pod.clone(), full(pod));
        } else if first > 1.0 {
            metrics.insert(pod.clone(), 0);
        }
    }
    if counts_unready {
        metrics.extend(groups.unready.iter().map(|pod| (pod.clone(), 0)));
    }
    let second = ratio(&metrics)?;
    // Neither a change that is too small nor one in the other direction is made.
    let turns = (first < 1.0 && second > 1.0) || (first > 1.0 && second < 1.0);
    if tolerances.holds(second) || turns {
        return Ok(current);
    }
    let wanted = times(second, metrics.len());
    let turns = (second < 1.0 && wanted > current) || (second > 1.0 && wanted < current);
    Ok(if turns { current } else { wanted })
}

/// The ratio of the average use to a target, and the average.
pub(super) fn usage_ratio(metrics: &PodMetrics, target: i64) -> (f64, i64) {
    let total = metrics.values().fold(0_i64, |sum, value| sum.saturating_add(*value));
    let average = total / count(metrics.len()).max(1);
    (average as f64 / target as f64, average)
}

/// The use in percent of what is requested, relative to a target in percent.
pub(super) struct Utilization {
    pub(super) ratio: f64,
    pub(super) percent: i64,
    pub(super) average: i64,
}

impl Utilization {
    /// # Errors
    /// Nothing is requested.
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

/// So many pods times a ratio, rounded up.
pub(super) fn times(ratio: f64, pods: usize) -> i32 {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a cast saturates, as the API's bounds do"
    )]
    let wanted = (ratio * pods as f64).ceil() as i32;
    wanted
}

fn count(pods: usize) -> i64 {
    i64::try_from(pods).unwrap_or(i64::MAX)
}
