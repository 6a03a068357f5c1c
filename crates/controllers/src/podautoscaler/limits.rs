//! How far and how fast an autoscaler may go: stabilization windows, policies, minimum and maximum.

use podscope_api::HorizontalPodAutoscalerSpec;
use podscope_sim::{SimTime, Span};
use serde_json::Value;

/// What is remembered longest: the largest window and period that the API server accepts.
const KEPT: Span = Span::seconds(3600);
/// `--horizontal-pod-autoscaler-downscale-stabilization`.
const DOWN_WINDOW: i64 = 300;

/// What was recommended and done lately.
#[derive(Debug, Clone, Default)]
pub(super) struct History {
    recommended: Vec<(SimTime, i32)>,
    /// Replicas that were added, or taken away where negative.
    changes: Vec<(SimTime, i32)>,
}

/// A reason and its message, of a condition.
#[derive(Debug, Clone, Copy)]
pub(super) struct Says {
    pub(super) reason: &'static str,
    pub(super) message: &'static str,
}

/// Whether the number that was asked for could not be had, and why.
pub(super) struct Limited {
    pub(super) holds: bool,
    pub(super) says: Says,
}

/// What becomes of a recommendation.
pub(super) struct Allowed {
    pub(super) replicas: i32,
    pub(super) able: Says,
    pub(super) limited: Limited,
}

const READY: Says = Says {
    reason: "ReadyForNewScale",
    message: "recommended size matches current size",
};
const DOWN_STABILIZED: Says = Says {
    reason: "ScaleDownStabilized",
    message: "recent recommendations were higher than current one, applying the highest recent recommendation",
};
const UP_STABILIZED: Says = Says {
    reason: "ScaleUpStabilized",
    message: "recent recommendations were lower than current one, applying the lowest recent recommendation",
};
const TOO_FAST_UP: Says = Says {
    reason: "ScaleUpLimit",
    message: "the desired replica count is increasing faster than the maximum scale rate",
};
const TOO_FAST_DOWN: Says = Says {
    reason: "ScaleDownLimit",
    message: "the desired replica count is decreasing faster than the maximum scale rate",
};
const TOO_MANY: Says = Says {
    reason: "TooManyReplicas",
    message: "the desired replica count is more than the maximum replica count",
};
const TOO_FEW: Says = Says {
    reason: "TooFewReplicas",
    message: "the desired replica count is less than the minimum replica count",
};
const WITHIN: Says = Says {
    reason: "DesiredWithinRange",
    message: "the desired count is within the acceptable range",
};

/// The rules of `spec.behavior` in one direction.
struct Rules<'s> {
    window: i64,
    select: &'s str,
    policies: Vec<Policy>,
}

/// So many replicas, or so large a part of them, in a period.
struct Policy {
    is_percent: bool,
    value: i64,
    period: Span,
}

impl<'s> Rules<'s> {
    /// The rules as written; what is left out has the API's defaults.
    fn read(behavior: &'s Value, direction: &str, window: i64, defaults: &[(bool, i64)]) -> Self {
        let rules = &behavior[direction];
        let number = |value: &Value| value.as_i64();
        let policies = rules["policies"].as_array().filter(|policies| !policies.is_empty());
        Self {
            window: number(&rules["stabilizationWindowSeconds"]).unwrap_or(window),
            select: rules["selectPolicy"].as_str().unwrap_or("Max"),
            policies: match policies {
                Some(policies) => (policies.iter())
                    .map(|policy| Policy {
                        is_percent: policy["type"] == "Percent",
                        value: number(&policy["value"]).unwrap_or(0),
                        period: Span::seconds(number(&policy["periodSeconds"]).unwrap_or(15)),
                    })
                    .collect(),
                None => (defaults.iter())
                    .map(|(is_percent, value)| Policy {
                        is_percent: *is_percent,
                        value: *value,
                        period: Span::seconds(15),
                    })
                    .collect(),
            },
        }
    }

    /// The extreme of what the policies allow: the largest change, or the smallest with `selectPolicy: Min`.
    fn limit(&self, current: i32, is_up: bool, of: impl Fn(&Policy) -> i64) -> i64 {
        if self.select == "Disabled" {
            return i64::from(current);
        }
        let allowed = self.policies.iter().map(of);
        let wants_highest = is_up == (self.select != "Min");
        let limit = if wants_highest { allowed.max() } else { allowed.min() };
        limit.unwrap_or(i64::from(current))
    }
}

impl History {
    /// The first recommendation is what is there.
    pub(super) fn begin(&mut self, replicas: i32, now: SimTime) {
        if self.recommended.is_empty() {
            self.recommended.push((now, replicas));
        }
    }

    pub(super) fn rescaled(&mut self, from: i32, to: i32, now: SimTime) {
        self.changes.push((now, to - from));
    }

    /// The latest change was refused.
    pub(super) fn not_rescaled(&mut self) {
        self.changes.pop();
    }

    /// What becomes of `wanted`.
    pub(super) fn allowed(
        &mut self,
        spec: &HorizontalPodAutoscalerSpec,
        current: i32,
        wanted: i32,
        now: SimTime,
    ) -> Allowed {
        self.recommended.retain(|(at, _)| *at + KEPT >= now);
        self.changes.retain(|(at, _)| *at + KEPT >= now);
        let (least, most) = (spec.min_replicas.unwrap_or(1), spec.max_replicas);
        let none = Value::Null;
        let behavior = spec.behavior.as_ref();
        let up = Rules::read(behavior.unwrap_or(&none), "scaleUp", 0, &[(false, 4), (true, 100)]);
        let down = Rules::read(behavior.unwrap_or(&none), "scaleDown", DOWN_WINDOW, &[(true, 100)]);
        let (stable, stabilized) = self.stabilized(wanted, current, behavior.map(|_| (&up, &down)), now);
        self.recommended.push((now, wanted));
        let (ceiling, floor) = match behavior {
            Some(_) => (self.ceiling(&up, current, now), self.floor(&down, current, now)),
            None => (i64::from(current).saturating_mul(2).max(4), 0),
        };
        let int = |value: i64| i32::try_from(value).unwrap_or(i32::MAX);
        let (highest, why_high) = if i64::from(most) > ceiling {
            (int(ceiling), TOO_FAST_UP)
        } else {
            (most, TOO_MANY)
        };
        let (lowest, why_low) = if i64::from(least) < floor {
            (int(floor), TOO_FAST_DOWN)
        } else {
            (least, TOO_FEW)
        };
        let (replicas, says) = if stable < lowest {
            (lowest, why_low)
        } else if stable > highest {
            (highest, why_high)
        } else {
            (stable, WITHIN)
        };
        Allowed {
            replicas,
            able: if stable == wanted { READY } else { stabilized },
            limited: Limited {
                holds: replicas != stable,
                says,
            },
        }
    }

    /// The gentlest of the recommendations within the windows: no more than the lowest of the window up, no less than
    /// the highest of the window down. Without a `behavior` only the way down has a window.
    fn stabilized(
        &self,
        wanted: i32,
        current: i32,
        rules: Option<(&Rules<'_>, &Rules<'_>)>,
        now: SimTime,
    ) -> (i32, Says) {
        let Some((up, down)) = rules else {
            let recent = self
                .recommended
                .iter()
                .filter(|(at, _)| *at + Span::seconds(DOWN_WINDOW) >= now);
            let most = recent.map(|(_, replicas)| *replicas).chain([wanted]).max();
            return (most.unwrap_or(wanted), DOWN_STABILIZED);
        };
        let within = |window: i64| {
            let recent =
                move |(at, replicas): &(SimTime, i32)| (*at + Span::seconds(window) > now).then_some(*replicas);
            self.recommended.iter().filter_map(recent).chain([wanted])
        };
        let lowest = within(up.window).min().unwrap_or(wanted);
        let highest = within(down.window).max().unwrap_or(wanted);
        let says = if wanted >= current {
            UP_STABILIZED
        } else {
            DOWN_STABILIZED
        };
        (current.max(lowest).min(highest), says)
    }

    /// How many there were when a period began.
    fn at_start(&self, period: Span, current: i32, now: SimTime) -> i64 {
        let within = self.changes.iter().filter(|(at, _)| *at + period > now);
        i64::from(current) - within.map(|(_, change)| i64::from(*change)).sum::<i64>()
    }

    fn ceiling(&self, rules: &Rules<'_>, current: i32, now: SimTime) -> i64 {
        let limit = rules.limit(current, true, |policy| {
            let start = self.at_start(policy.period, current, now);
            if policy.is_percent {
                // In floating point, as upstream: 10 % more than 10 are 12.
                (start as f64 * (1.0 + policy.value as f64 / 100.0)).ceil() as i64
            } else {
                start.saturating_add(policy.value)
            }
        });
        limit.max(i64::from(current))
    }

    fn floor(&self, rules: &Rules<'_>, current: i32, now: SimTime) -> i64 {
        let limit = rules.limit(current, false, |policy| {
            let start = self.at_start(policy.period, current, now);
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
