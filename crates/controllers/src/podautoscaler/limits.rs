//! Limits of an autoscaler: stabilization windows, scaling policies, minimum and maximum.

use podscope_api::HorizontalPodAutoscalerSpec;
use podscope_sim::{SimTime, Span};
use serde_json::Value;

/// Maximum age of the history: the largest window and period that the API server accepts.
const HISTORY_MAX_AGE: Span = Span::seconds(3600);
/// Stabilization window for scaling down, in seconds (`--horizontal-pod-autoscaler-downscale-stabilization`).
const DOWNSCALE_STABILIZATION_SECONDS: i64 = 300;

/// Recent recommendations and scaling actions.
#[derive(Debug, Clone, Default)]
pub(super) struct ScalingHistory {
    recommended: Vec<(SimTime, i32)>,
    /// Changes of the number of replicas; negative when scaling down.
    changes: Vec<(SimTime, i32)>,
}

/// Reason and message of a condition.
#[derive(Debug, Clone, Copy)]
pub(super) struct ConditionText {
    pub(super) reason: &'static str,
    pub(super) message: &'static str,
}

/// The condition ScalingLimited: whether the recommended number was limited, and the reason.
pub(super) struct Limitation {
    pub(super) is_limited: bool,
    pub(super) text: ConditionText,
}

/// The result of applying all limits to a recommendation.
pub(super) struct AllowedReplicas {
    pub(super) replicas: i32,
    pub(super) able: ConditionText,
    pub(super) limited: Limitation,
}

const READY_FOR_NEW_SCALE: ConditionText = ConditionText {
    reason: "ReadyForNewScale",
    message: "recommended size matches current size",
};
const DOWN_STABILIZED: ConditionText = ConditionText {
    reason: "ScaleDownStabilized",
    message: "recent recommendations were higher than current one, applying the highest recent recommendation",
};
const UP_STABILIZED: ConditionText = ConditionText {
    reason: "ScaleUpStabilized",
    message: "recent recommendations were lower than current one, applying the lowest recent recommendation",
};
const TOO_FAST_UP: ConditionText = ConditionText {
    reason: "ScaleUpLimit",
    message: "the desired replica count is increasing faster than the maximum scale rate",
};
const TOO_FAST_DOWN: ConditionText = ConditionText {
    reason: "ScaleDownLimit",
    message: "the desired replica count is decreasing faster than the maximum scale rate",
};
const TOO_MANY_REPLICAS: ConditionText = ConditionText {
    reason: "TooManyReplicas",
    message: "the desired replica count is more than the maximum replica count",
};
const TOO_FEW_REPLICAS: ConditionText = ConditionText {
    reason: "TooFewReplicas",
    message: "the desired replica count is less than the minimum replica count",
};
const WITHIN_RANGE: ConditionText = ConditionText {
    reason: "DesiredWithinRange",
    message: "the desired count is within the acceptable range",
};

/// The scaling rules of `spec.behavior` in one direction.
struct ScalingRules<'s> {
    window: i64,
    select: &'s str,
    policies: Vec<ScalingPolicy>,
}

/// A maximum change per period, in replicas or percent.
struct ScalingPolicy {
    is_percent: bool,
    value: i64,
    period: Span,
}

impl<'s> ScalingRules<'s> {
    /// Reads the rules in one direction. If they are omitted, the window has `default_window` seconds, and each default
    /// policy is `(is_percent, value)` per 15 s.
    fn read(behavior: &'s Value, direction: &str, default_window: i64, default_policies: &[(bool, i64)]) -> Self {
        let rules = &behavior[direction];
        let number = |value: &Value| value.as_i64();
        let policies = rules["policies"].as_array().filter(|policies| !policies.is_empty());
        Self {
            window: number(&rules["stabilizationWindowSeconds"]).unwrap_or(default_window),
            select: rules["selectPolicy"].as_str().unwrap_or("Max"),
            policies: match policies {
                Some(policies) => (policies.iter())
                    .map(|policy| ScalingPolicy {
                        is_percent: policy["type"] == "Percent",
                        value: number(&policy["value"]).unwrap_or(0),
                        period: Span::seconds(number(&policy["periodSeconds"]).unwrap_or(15)),
                    })
                    .collect(),
                None => (default_policies.iter())
                    .map(|(is_percent, value)| ScalingPolicy {
                        is_percent: *is_percent,
                        value: *value,
                        period: Span::seconds(15),
                    })
                    .collect(),
            },
        }
    }

    /// Returns the number of replicas to which the policies limit the scaling: the limit of the policy that allows the
    /// largest change, or with `selectPolicy: Min` the smallest. `limit_of` returns the limit of one policy.
    fn limit_of_policies(&self, current: i32, is_up: bool, limit_of: impl Fn(&ScalingPolicy) -> i64) -> i64 {
        if self.select == "Disabled" {
            return i64::from(current);
        }
        let allowed = self.policies.iter().map(limit_of);
        let wants_highest = is_up == (self.select != "Min");
        let limit = if wants_highest { allowed.max() } else { allowed.min() };
        limit.unwrap_or(i64::from(current))
    }
}

impl ScalingHistory {
    /// Records the initial number of replicas as the first recommendation.
    pub(super) fn record_initial(&mut self, replicas: i32, now: SimTime) {
        if self.recommended.is_empty() {
            self.recommended.push((now, replicas));
        }
    }

    pub(super) fn record_change(&mut self, from: i32, to: i32, now: SimTime) {
        self.changes.push((now, to - from));
    }

    /// Removes the latest change, because the API server refused it.
    pub(super) fn remove_latest_change(&mut self) {
        self.changes.pop();
    }

    /// Applies all limits to the recommended number of replicas.
    pub(super) fn apply_limits(
        &mut self,
        spec: &HorizontalPodAutoscalerSpec,
        current: i32,
        recommended: i32,
        now: SimTime,
    ) -> AllowedReplicas {
        self.recommended.retain(|(at, _)| *at + HISTORY_MAX_AGE >= now);
        self.changes.retain(|(at, _)| *at + HISTORY_MAX_AGE >= now);
        let (min_replicas, max_replicas) = (spec.min_replicas.unwrap_or(1), spec.max_replicas);
        let none = Value::Null;
        let behavior = spec.behavior.as_ref();
        let up = ScalingRules::read(behavior.unwrap_or(&none), "scaleUp", 0, &[(false, 4), (true, 100)]);
        let down = ScalingRules::read(
            behavior.unwrap_or(&none),
            "scaleDown",
            DOWNSCALE_STABILIZATION_SECONDS,
            &[(true, 100)],
        );
        let (stabilized, stabilization) =
            self.apply_stabilization_windows(recommended, current, behavior.map(|_| (&up, &down)), now);
        self.recommended.push((now, recommended));
        let (ceiling, floor) = match behavior {
            Some(_) => (
                self.max_allowed_replicas(&up, current, now),
                self.min_allowed_replicas(&down, current, now),
            ),
            None => (i64::from(current).saturating_mul(2).max(4), 0),
        };
        let int = |value: i64| i32::try_from(value).unwrap_or(i32::MAX);
        let (highest, why_high) = if i64::from(max_replicas) > ceiling {
            (int(ceiling), TOO_FAST_UP)
        } else {
            (max_replicas, TOO_MANY_REPLICAS)
        };
        let (lowest, why_low) = if i64::from(min_replicas) < floor {
            (int(floor), TOO_FAST_DOWN)
        } else {
            (min_replicas, TOO_FEW_REPLICAS)
        };
        let (replicas, text) = if stabilized < lowest {
            (lowest, why_low)
        } else if stabilized > highest {
            (highest, why_high)
        } else {
            (stabilized, WITHIN_RANGE)
        };
        AllowedReplicas {
            replicas,
            able: if stabilized == recommended {
                READY_FOR_NEW_SCALE
            } else {
                stabilization
            },
            limited: Limitation {
                is_limited: replicas != stabilized,
                text,
            },
        }
    }

    /// Applies the stabilization windows: scales up to at most the lowest recent recommendation, and down to at least
    /// the highest one. Without `behavior`, only scaling down has a window.
    fn apply_stabilization_windows(
        &self,
        recommended: i32,
        current: i32,
        rules: Option<(&ScalingRules<'_>, &ScalingRules<'_>)>,
        now: SimTime,
    ) -> (i32, ConditionText) {
        let Some((up, down)) = rules else {
            let recent = self
                .recommended
                .iter()
                .filter(|(at, _)| *at + Span::seconds(DOWNSCALE_STABILIZATION_SECONDS) >= now);
            let highest = recent.map(|(_, replicas)| *replicas).chain([recommended]).max();
            return (highest.unwrap_or(recommended), DOWN_STABILIZED);
        };
        let within = |window: i64| {
            let recent =
                move |(at, replicas): &(SimTime, i32)| (*at + Span::seconds(window) > now).then_some(*replicas);
            self.recommended.iter().filter_map(recent).chain([recommended])
        };
        let lowest = within(up.window).min().unwrap_or(recommended);
        let highest = within(down.window).max().unwrap_or(recommended);
        let text = if recommended >= current {
            UP_STABILIZED
        } else {
            DOWN_STABILIZED
        };
        (current.max(lowest).min(highest), text)
    }

    /// Returns the number of replicas at the start of a period.
    fn replicas_at_period_start(&self, period: Span, current: i32, now: SimTime) -> i64 {
        let within = self.changes.iter().filter(|(at, _)| *at + period > now);
        i64::from(current) - within.map(|(_, change)| i64::from(*change)).sum::<i64>()
    }

    /// Returns the maximum number of replicas that the policies allow when scaling up.
    fn max_allowed_replicas(&self, rules: &ScalingRules<'_>, current: i32, now: SimTime) -> i64 {
        let limit = rules.limit_of_policies(current, true, |policy| {
            let start = self.replicas_at_period_start(policy.period, current, now);
            if policy.is_percent {
                // Floating point as in the real controller: 10 plus 10 % is slightly above 11, and is rounded up to 12.
                (start as f64 * (1.0 + policy.value as f64 / 100.0)).ceil() as i64
            } else {
                start.saturating_add(policy.value)
            }
        });
        limit.max(i64::from(current))
    }

    /// Returns the minimum number of replicas that the policies allow when scaling down.
    fn min_allowed_replicas(&self, rules: &ScalingRules<'_>, current: i32, now: SimTime) -> i64 {
        let limit = rules.limit_of_policies(current, false, |policy| {
            let start = self.replicas_at_period_start(policy.period, current, now);
            let kept = if policy.is_percent {
                (start as f64 * (1.0 - policy.value as f64 / 100.0)) as i64
            } else {
                start.saturating_sub(policy.value)
            };
            kept.max(0)
        });
        limit.min(i64::from(current))
    }
}
