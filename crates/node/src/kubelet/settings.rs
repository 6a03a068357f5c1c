//! Settings of kubelets: the fields of KubeletConfiguration that have an effect, under their Kubernetes names.

use podscope_api::ordered::StableSort as _;
use podscope_api::{Duration, KUBERNETES_VERSION, KubeletConfiguration, Quantity, Str, Taint, parse_duration};

use super::backoff;
use podscope_messages::{Sentence, sentence};
use podscope_sim::Span;

/// A signal that an eviction threshold watches (LC-186), in the order in which thresholds are handled: memory first
/// (LC-193).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum EvictionSignal {
    /// `memory.available`.
    MemoryAvailable,
    /// `nodefs.available`.
    NodefsAvailable,
    /// `nodefs.inodesFree`.
    NodefsInodesFree,
    /// `imagefs.available`; here images are stored on the node's disk.
    ImagefsAvailable,
    /// `imagefs.inodesFree`.
    ImagefsInodesFree,
    /// `pid.available`.
    PidAvailable,
}

impl EvictionSignal {
    const ALL: [Self; 6] = [
        Self::MemoryAvailable,
        Self::NodefsAvailable,
        Self::NodefsInodesFree,
        Self::ImagefsAvailable,
        Self::ImagefsInodesFree,
        Self::PidAvailable,
    ];
    /// Returns the signal with this name; None for signals that are not simulated (`containerfs.*`,
    /// `allocatableMemory.available`).
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|signal| signal.name() == name)
    }

    pub const fn name(self) -> &'static str {
        match self {
            Self::MemoryAvailable => "memory.available",
            Self::NodefsAvailable => "nodefs.available",
            Self::NodefsInodesFree => "nodefs.inodesFree",
            Self::ImagefsAvailable => "imagefs.available",
            Self::ImagefsInodesFree => "imagefs.inodesFree",
            Self::PidAvailable => "pid.available",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ThresholdValue {
    Quantity(Quantity),
    /// A fraction of the capacity, in hundredths of a percent.
    PerTenThousand(i64),
}

impl ThresholdValue {
    /// Parses `100Mi` or `12.5%` of a validated configuration; digits below a hundredth of a percent are dropped.
    fn parse(text: &str) -> Self {
        let Some(percent) = text.strip_suffix('%') else {
            return Self::Quantity(text.parse().expect("a validated threshold is a quantity"));
        };
        let number = || -> f64 { percent.parse().expect("a validated percentage is a number") };
        let (whole, fraction) = percent.split_once('.').unwrap_or((percent, ""));
        let hundredths: String = fraction.chars().chain("00".chars()).take(2).collect();
        let is_plain = fraction.bytes().all(|byte| byte.is_ascii_digit());
        let plain = format!("{whole}{hundredths}").parse().ok().filter(|_| is_plain);
        // Go also accepts exponents, such as `1e1%`.
        Self::PerTenThousand(plain.unwrap_or_else(|| (number() * 100.0) as i64))
    }
}

/// A threshold of node-pressure eviction, written as `SIGNAL<VALUE`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EvictionThreshold {
    pub signal: EvictionSignal,
    /// The threshold is met below this value.
    pub value: ThresholdValue,
    /// Time for which a soft threshold must be met before an eviction; None for a hard threshold.
    pub grace: Option<Span>,
    /// Amount that must be free above the threshold before it counts as resolved (LC-192).
    pub min_reclaim: Option<ThresholdValue>,
}

/// A group of pods in a graceful shutdown of the machine: pods of this priority or higher get this grace period
/// (LC-212).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShutdownGroup {
    /// Minimum priority of the pods in the group.
    pub priority: i32,
    /// Maximum grace period of a pod in the group, in seconds.
    pub grace_seconds: i64,
}

#[derive(Debug, Clone, PartialEq)]
pub struct KubeletSettings {
    /// `evictionHard` and `evictionSoft` with their grace periods.
    pub eviction: Vec<EvictionThreshold>,
    /// `evictionMaxPodGracePeriod` in seconds (LC-198); default 0.
    pub eviction_max_pod_grace_period: i64,
    /// `evictionPressureTransitionPeriod` (LC-191); default 5 min.
    pub eviction_pressure_transition_period: Span,
    /// `imageGCHighThresholdPercent`: disk use that triggers image garbage collection; default 85; 100 disables it.
    pub image_gc_high_threshold_percent: i64,
    /// `imageGCLowThresholdPercent`: disk use down to which images are removed; default 80.
    pub image_gc_low_threshold_percent: i64,
    /// `imageMinimumGCAge`: images detected more recently are kept; default 2 min.
    pub image_minimum_gc_age: Span,
    /// `imageMaximumGCAge`: images unused for longer are removed whatever the disk use; default 0 disables it.
    pub image_maximum_gc_age: Span,
    /// `serializeImagePulls` (LC-070); default true: one pull at a time.
    pub serialize_image_pulls: bool,
    /// `maxParallelImagePulls`, if pulls are not serialized; default: unlimited.
    pub max_parallel_image_pulls: Option<usize>,
    /// `crashLoopBackOff.maxContainerRestartPeriod` (LC-091); default 5 min.
    pub max_container_restart_period: Span,
    /// `shutdownGracePeriod`, `shutdownGracePeriodCriticalPods` or `shutdownGracePeriodByPodPriority` (LC-212), by
    /// ascending priority; empty (the default) disables graceful shutdown.
    pub shutdown: Vec<ShutdownGroup>,
    /// `maxPods`, if the machine's capacity does not set it; default 110.
    pub max_pods: i64,
    /// `allowedUnsafeSysctls` (LC-240); default none.
    pub allowed_unsafe_sysctls: Vec<podscope_api::Str>,
    /// `registerNode`: whether a kubelet creates its Node (LC-209); default true.
    pub register_node: bool,
    /// `registerWithTaints`: taints with which a kubelet creates its Node.
    pub register_with_taints: Vec<Taint>,
    /// Version that the kubelet reports, for example `v1.36.3`.
    pub version: Str,
}

impl Default for KubeletSettings {
    /// Returns the defaults of v1.36 (LC-187).
    fn default() -> Self {
        Self {
            eviction: default_hard_thresholds(),
            eviction_max_pod_grace_period: 0,
            eviction_pressure_transition_period: Span::seconds(300),
            image_gc_high_threshold_percent: 85,
            image_gc_low_threshold_percent: 80,
            image_minimum_gc_age: Span::seconds(120),
            image_maximum_gc_age: Span::ZERO,
            serialize_image_pulls: true,
            max_parallel_image_pulls: None,
            max_container_restart_period: backoff::MAX_DELAY,
            shutdown: Vec::new(),
            max_pods: 110,
            allowed_unsafe_sysctls: Vec::new(),
            register_node: true,
            register_with_taints: Vec::new(),
            version: KUBERNETES_VERSION.into(),
        }
    }
}

fn hard_threshold(signal: EvictionSignal, value: ThresholdValue) -> EvictionThreshold {
    EvictionThreshold {
        signal,
        value,
        grace: None,
        min_reclaim: None,
    }
}

/// Returns the thresholds of `evictionHard` by default (LC-187).
fn default_hard_thresholds() -> Vec<EvictionThreshold> {
    use EvictionSignal::{ImagefsAvailable, ImagefsInodesFree, MemoryAvailable, NodefsAvailable, NodefsInodesFree};
    vec![
        hard_threshold(
            MemoryAvailable,
            ThresholdValue::Quantity(Quantity::from_bytes(100 << 20)),
        ),
        hard_threshold(NodefsAvailable, ThresholdValue::PerTenThousand(1000)),
        hard_threshold(NodefsInodesFree, ThresholdValue::PerTenThousand(500)),
        hard_threshold(ImagefsAvailable, ThresholdValue::PerTenThousand(1500)),
        hard_threshold(ImagefsInodesFree, ThresholdValue::PerTenThousand(500)),
    ]
}

/// Returns the grace period of a soft threshold in a validated configuration.
fn soft_threshold_grace_period(config: &KubeletConfiguration, signal: EvictionSignal) -> Span {
    let period = config.eviction_soft_grace_period.get(signal.name());
    let period = period.expect("a validated soft threshold has a grace period");
    Span(parse_duration(period).expect("a validated grace period is a duration"))
}

impl KubeletSettings {
    /// Returns the maximum number of concurrent image pulls (LC-070).
    pub fn parallel_pulls(&self) -> usize {
        if self.serialize_image_pulls {
            1
        } else {
            self.max_parallel_image_pulls.unwrap_or(usize::MAX)
        }
    }

    /// Applies a validated configuration; fields that it does not set keep their values. Returns notices about settings
    /// that have no effect here.
    pub fn apply(&mut self, config: &KubeletConfiguration) -> Vec<Sentence> {
        let mut notices = Vec::new();
        let mut thresholds = |list: &podscope_api::ordered::Map<Str, Str>| -> Vec<(EvictionSignal, ThresholdValue)> {
            let read = list.iter().filter_map(|(name, text)| {
                let signal = EvictionSignal::from_name(name);
                if signal.is_none() {
                    notices.push(sentence!(configuration::signal_without_effect, signal = &**name));
                }
                Some((signal?, ThresholdValue::parse(text)))
            });
            read.collect()
        };
        if let Some(list) = &config.eviction_hard {
            let given = thresholds(list);
            self.eviction.retain(|known| known.grace.is_some());
            if config.merge_default_eviction_settings == Some(true) {
                let is_missing = |known: &EvictionThreshold| given.iter().all(|(signal, _)| *signal != known.signal);
                self.eviction
                    .extend(default_hard_thresholds().into_iter().filter(is_missing));
            }
            self.eviction
                .extend(given.into_iter().map(|(signal, value)| hard_threshold(signal, value)));
        }
        let soft = thresholds(&config.eviction_soft);
        if !soft.is_empty() {
            self.eviction.retain(|known| known.grace.is_none());
        }
        for (signal, value) in soft {
            self.eviction.push(EvictionThreshold {
                grace: Some(soft_threshold_grace_period(config, signal)),
                ..hard_threshold(signal, value)
            });
        }
        for (signal, value) in thresholds(&config.eviction_minimum_reclaim) {
            for known in self.eviction.iter_mut().filter(|known| known.signal == signal) {
                known.min_reclaim = Some(value);
            }
        }
        let span = |duration: Duration| Span(duration.0);
        set_if_given(
            &mut self.eviction_max_pod_grace_period,
            config.eviction_max_pod_grace_period.map(i64::from),
        );
        set_if_given(
            &mut self.eviction_pressure_transition_period,
            config.eviction_pressure_transition_period.map(span),
        );
        let restarts = config.crash_loop_back_off.as_ref();
        set_if_given(
            &mut self.max_container_restart_period,
            restarts.and_then(|one| one.max_container_restart_period).map(span),
        );
        for (field, given) in [
            (
                &mut self.image_gc_high_threshold_percent,
                config.image_gc_high_threshold_percent,
            ),
            (
                &mut self.image_gc_low_threshold_percent,
                config.image_gc_low_threshold_percent,
            ),
        ] {
            set_if_given(field, given.map(i64::from));
        }
        // As for every duration in this configuration, 0 means the default. For the maximum age the default is 0.
        let min_age = config.image_minimum_gc_age.filter(|age| age.0 != 0);
        set_if_given(&mut self.image_minimum_gc_age, min_age.map(span));
        set_if_given(&mut self.image_maximum_gc_age, config.image_maximum_gc_age.map(span));
        set_if_given(&mut self.serialize_image_pulls, config.serialize_image_pulls);
        if let Some(most) = config.max_parallel_image_pulls {
            self.max_parallel_image_pulls = usize::try_from(most).ok();
        }
        set_if_given(&mut self.max_pods, config.max_pods.map(i64::from));
        self.allowed_unsafe_sysctls.clone_from(&config.allowed_unsafe_sysctls);
        set_if_given(&mut self.register_node, config.register_node);
        if !config.register_with_taints.is_empty() {
            self.register_with_taints.clone_from(&config.register_with_taints);
        }
        if let Some(shutdown) = shutdown_groups(config) {
            self.shutdown = shutdown;
        }
        notices
    }
}

/// Sets a field if a value is given.
fn set_if_given<T>(field: &mut T, given: Option<T>) {
    if let Some(given) = given {
        *field = given;
    }
}

/// Returns the groups by priority, or the two groups that the simple fields define: all pods, then critical ones. None
/// if the configuration sets neither.
fn shutdown_groups(config: &KubeletConfiguration) -> Option<Vec<ShutdownGroup>> {
    let mut groups: Vec<ShutdownGroup> = config
        .shutdown_grace_period_by_pod_priority
        .iter()
        .map(|group| ShutdownGroup {
            priority: group.priority,
            grace_seconds: group.shutdown_grace_period_seconds,
        })
        .collect();
    if groups.is_empty() {
        let whole = config.shutdown_grace_period?;
        let critical = config.shutdown_grace_period_critical_pods.unwrap_or_default();
        if whole.0 == 0 {
            return Some(groups);
        }
        let seconds = |duration: i64| Span(duration).whole_seconds();
        groups = vec![
            ShutdownGroup {
                priority: 0,
                grace_seconds: seconds(whole.0 - critical.0),
            },
            ShutdownGroup {
                priority: super::admission::SYSTEM_CRITICAL_PRIORITY,
                grace_seconds: seconds(critical.0),
            },
        ];
    }
    groups.stable_sort_by_key(|group| group.priority);
    Some(groups)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A hard threshold drops all other defaults, unless `mergeDefaultEvictionSettings` is true.
    /// Shows: LC-187
    #[test]
    fn hard_thresholds_replace_the_defaults() {
        for (merge, signals) in [
            (None, vec!["memory.available"]),
            (
                Some(true),
                vec![
                    "nodefs.available",
                    "nodefs.inodesFree",
                    "imagefs.available",
                    "imagefs.inodesFree",
                    "memory.available",
                ],
            ),
        ] {
            let mut settings = KubeletSettings::default();
            let config = KubeletConfiguration {
                eviction_hard: Some([("memory.available".into(), "12.5%".into())].into()),
                merge_default_eviction_settings: merge,
                ..KubeletConfiguration::default()
            };
            assert!(settings.apply(&config).is_empty());
            let names: Vec<&str> = settings.eviction.iter().map(|one| one.signal.name()).collect();
            assert_eq!(names, signals, "{merge:?}");
            let last = settings.eviction.last().map(|one| one.value);
            assert_eq!(last, Some(ThresholdValue::PerTenThousand(1250)));
        }
    }

    /// A percentage may have any form that Go's number parser accepts.
    /// Shows: LC-187
    #[test]
    fn eviction_percentage_accepts_all_go_number_forms() {
        for (text, value) in [
            ("7%", 700),
            ("0.5%", 50),
            ("12.345%", 1234),
            ("1e1%", 1000),
            ("0.12e2%", 1200),
        ] {
            assert_eq!(
                ThresholdValue::parse(text),
                ThresholdValue::PerTenThousand(value),
                "{text}"
            );
        }
    }
}
