//! The configuration of kubelets: the fields of KubeletConfiguration with
//! behaviour, under Kubernetes' names.

use podscope_api::ordered::StableSort as _;
use podscope_api::{Duration, KUBERNETES_VERSION, KubeletConfiguration, Quantity, Str, Taint, parse_duration};

use super::backoff;
use podscope_sim::Span;

/// What an eviction threshold watches (LC-186). In the order in which thresholds are looked at: memory first (LC-193).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum EvictionSignal {
    /// `memory.available`.
    MemoryAvailable,
    /// `nodefs.available`.
    NodefsAvailable,
    /// `nodefs.inodesFree`.
    NodefsInodesFree,
    /// `imagefs.available`; here images lie on the same disk.
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
    /// The signal of that name; none for signals that are not simulated (`containerfs.*`, `allocatableMemory.available`).
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
    /// An amount.
    Quantity(Quantity),
    /// Hundredths of a per cent of the capacity.
    PerTenThousand(i64),
}

impl ThresholdValue {
    /// `100Mi` or `12.5%`, of a checked configuration; what is smaller than a hundredth of a per cent is dropped.
    fn parse(text: &str) -> Self {
        let Some(percent) = text.strip_suffix('%') else {
            return Self::Quantity(text.parse().expect("a threshold that was checked is an amount"));
        };
        let number = || -> f64 { percent.parse().expect("a percentage that was checked is a number") };
        let (whole, fraction) = percent.split_once('.').unwrap_or((percent, ""));
        let hundredths: String = fraction.chars().chain("00".chars()).take(2).collect();
        let is_plain = fraction.bytes().all(|byte| byte.is_ascii_digit());
        let plain = format!("{whole}{hundredths}").parse().ok().filter(|_| is_plain);
        // `1e1%`, which Go reads too.
        Self::PerTenThousand(plain.unwrap_or_else(|| (number() * 100.0) as i64))
    }
}

/// `SIGNAL<VALUE`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EvictionThreshold {
    /// What is watched.
    pub signal: EvictionSignal,
    /// Below this it is met.
    pub value: ThresholdValue,
    /// How long it must be met (soft); none for hard ones.
    pub grace: Option<Span>,
    /// How much must be free beyond the threshold before it counts as resolved (LC-192).
    pub min_reclaim: Option<ThresholdValue>,
}

/// Pods from this priority on get this long when their machine is shut down in order (LC-212).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShutdownGroup {
    /// The least priority of its pods.
    pub priority: i32,
    /// The most that one of them gets, seconds.
    pub grace_seconds: i64,
}

/// The configuration of kubelets.
#[derive(Debug, Clone, PartialEq)]
pub struct KubeletSettings {
    /// `evictionHard` and `evictionSoft` with their grace periods.
    pub eviction: Vec<EvictionThreshold>,
    /// `evictionMaxPodGracePeriod`, seconds (LC-198); default 0.
    pub eviction_max_pod_grace_period: i64,
    /// `evictionPressureTransitionPeriod` (LC-191); default 5 min.
    pub eviction_pressure_transition_period: Span,
    /// `imageGCHighThresholdPercent`: from this use of the disk on, images are collected; default 85, 100: never.
    pub image_gc_high_threshold_percent: i64,
    /// `imageGCLowThresholdPercent`: images are collected until so much is used; default 80.
    pub image_gc_low_threshold_percent: i64,
    /// `imageMinimumGCAge`: images seen for less than this are kept; default 2 min.
    pub image_minimum_gc_age: Span,
    /// `imageMaximumGCAge`: images unused for longer go whatever the disk's use; default 0: none does.
    pub image_maximum_gc_age: Span,
    /// `serializeImagePulls` (LC-070); default true: one pull at a time.
    pub serialize_image_pulls: bool,
    /// `maxParallelImagePulls`, where pulls are not serialized; default: no bound.
    pub max_parallel_image_pulls: Option<usize>,
    /// `crashLoopBackOff.maxContainerRestartPeriod` (LC-091); default 5 min.
    pub max_container_restart_period: Span,
    /// `shutdownGracePeriod` and its kin (LC-212), by ascending priority; empty (the default): no graceful shutdown.
    pub shutdown: Vec<ShutdownGroup>,
    /// `maxPods`, where the machine's capacity says nothing; default 110.
    pub max_pods: i64,
    /// `allowedUnsafeSysctls` (LC-240); default none.
    pub allowed_unsafe_sysctls: Vec<podscope_api::Str>,
    /// `registerNode`: whether a kubelet creates its Node (LC-209); default true.
    pub register_node: bool,
    /// `registerWithTaints`: taints of a Node that a kubelet creates.
    pub register_with_taints: Vec<Taint>,
    /// Version it reports, e.g. `v1.36.3`.
    pub version: Str,
}

impl Default for KubeletSettings {
    /// The defaults of v1.36 (LC-187).
    fn default() -> Self {
        Self {
            eviction: default_hard(),
            eviction_max_pod_grace_period: 0,
            eviction_pressure_transition_period: Span::seconds(300),
            image_gc_high_threshold_percent: 85,
            image_gc_low_threshold_percent: 80,
            image_minimum_gc_age: Span::seconds(120),
            image_maximum_gc_age: Span::ZERO,
            serialize_image_pulls: true,
            max_parallel_image_pulls: None,
            max_container_restart_period: backoff::LONGEST,
            shutdown: Vec::new(),
            max_pods: 110,
            allowed_unsafe_sysctls: Vec::new(),
            register_node: true,
            register_with_taints: Vec::new(),
            version: KUBERNETES_VERSION.into(),
        }
    }
}

fn hard(signal: EvictionSignal, value: ThresholdValue) -> EvictionThreshold {
    EvictionThreshold {
        signal,
        value,
        grace: None,
        min_reclaim: None,
    }
}

fn default_hard() -> Vec<EvictionThreshold> {
    use EvictionSignal::{ImagefsAvailable, ImagefsInodesFree, MemoryAvailable, NodefsAvailable, NodefsInodesFree};
    vec![
        hard(
            MemoryAvailable,
            ThresholdValue::Quantity(Quantity::from_bytes(100 << 20)),
        ),
        hard(NodefsAvailable, ThresholdValue::PerTenThousand(1000)),
        hard(NodefsInodesFree, ThresholdValue::PerTenThousand(500)),
        hard(ImagefsAvailable, ThresholdValue::PerTenThousand(1500)),
        hard(ImagefsInodesFree, ThresholdValue::PerTenThousand(500)),
    ]
}

/// How long a soft threshold of a checked configuration must be met.
fn soft_grace(config: &KubeletConfiguration, signal: EvictionSignal) -> Span {
    let period = config.eviction_soft_grace_period.get(signal.name());
    let period = period.expect("a soft threshold that was checked has a period");
    Span(parse_duration(period).expect("a period that was checked is a duration"))
}

impl KubeletSettings {
    /// How many image pulls may be under way at once (LC-070).
    pub fn parallel_pulls(&self) -> usize {
        if self.serialize_image_pulls {
            1
        } else {
            self.max_parallel_image_pulls.unwrap_or(usize::MAX)
        }
    }

    /// Takes over what a checked configuration says; what it does not say stays. The result names what it says and has
    /// no effect here.
    pub fn apply(&mut self, config: &KubeletConfiguration) -> Vec<String> {
        let mut notices = Vec::new();
        let mut thresholds = |list: &podscope_api::ordered::Map<Str, Str>| -> Vec<(EvictionSignal, ThresholdValue)> {
            let read = list.iter().filter_map(|(name, text)| {
                let signal = EvictionSignal::from_name(name);
                if signal.is_none() {
                    notices.push(format!("eviction signal {name} has no effect here"));
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
                self.eviction.extend(default_hard().into_iter().filter(is_missing));
            }
            self.eviction
                .extend(given.into_iter().map(|(signal, value)| hard(signal, value)));
        }
        let soft = thresholds(&config.eviction_soft);
        if !soft.is_empty() {
            self.eviction.retain(|known| known.grace.is_none());
        }
        for (signal, value) in soft {
            self.eviction.push(EvictionThreshold {
                grace: Some(soft_grace(config, signal)),
                ..hard(signal, value)
            });
        }
        for (signal, value) in thresholds(&config.eviction_minimum_reclaim) {
            for known in self.eviction.iter_mut().filter(|known| known.signal == signal) {
                known.min_reclaim = Some(value);
            }
        }
        let span = |duration: Duration| Span(duration.0);
        set(
            &mut self.eviction_max_pod_grace_period,
            config.eviction_max_pod_grace_period.map(i64::from),
        );
        set(
            &mut self.eviction_pressure_transition_period,
            config.eviction_pressure_transition_period.map(span),
        );
        let restarts = config.crash_loop_back_off.as_ref();
        set(
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
            set(field, given.map(i64::from));
        }
        // A minimum age of zero is the default's, as for every duration of that file but the maximum age, whose default it is.
        let min_age = config.image_minimum_gc_age.filter(|age| age.0 != 0);
        set(&mut self.image_minimum_gc_age, min_age.map(span));
        set(&mut self.image_maximum_gc_age, config.image_maximum_gc_age.map(span));
        set(&mut self.serialize_image_pulls, config.serialize_image_pulls);
        if let Some(most) = config.max_parallel_image_pulls {
            self.max_parallel_image_pulls = usize::try_from(most).ok();
        }
        set(&mut self.max_pods, config.max_pods.map(i64::from));
        self.allowed_unsafe_sysctls.clone_from(&config.allowed_unsafe_sysctls);
        set(&mut self.register_node, config.register_node);
        if !config.register_with_taints.is_empty() {
            self.register_with_taints.clone_from(&config.register_with_taints);
        }
        if let Some(shutdown) = shutdown_groups(config) {
            self.shutdown = shutdown;
        }
        notices
    }
}

fn set<T>(field: &mut T, given: Option<T>) {
    if let Some(given) = given {
        *field = given;
    }
}

/// Groups by priority as given, or those that the two simple fields stand for: all pods, then critical ones.
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
                priority: super::admission::SYSTEM_CRITICAL,
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

    /// Any hard value drops the other defaults, unless they are merged.
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

    /// A percentage is a number as Go reads one; what was accepted is not lost.
    /// Shows: LC-187
    #[test]
    fn every_percentage_that_is_accepted_is_taken() {
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
