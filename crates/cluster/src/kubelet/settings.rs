//! KubeletConfiguration: the fields with behaviour, under Kubernetes' names.

use podscope_api::{Quantity, Str};

use crate::Span;

/// What an eviction threshold watches (LC-186).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum EvictionSignal {
    /// `memory.available`.
    MemoryAvailable,
    /// `nodefs.available`.
    NodefsAvailable,
    /// `imagefs.available`; here images lie on the same disk.
    ImagefsAvailable,
}

impl EvictionSignal {
    /// The signal of that name; none for signals that are not simulated (inodes, PIDs).
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "memory.available" => Self::MemoryAvailable,
            "nodefs.available" => Self::NodefsAvailable,
            "imagefs.available" => Self::ImagefsAvailable,
            _ => return None,
        })
    }
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::MemoryAvailable => "memory.available",
            Self::NodefsAvailable => "nodefs.available",
            Self::ImagefsAvailable => "imagefs.available",
        }
    }
}

/// The value of a threshold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ThresholdValue {
    /// An amount.
    Quantity(Quantity),
    /// Hundredths of a per cent of the capacity.
    PerTenThousand(i64),
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

/// The configuration of kubelets.
#[derive(Debug, Clone, PartialEq)]
pub struct KubeletSettings {
    /// `evictionHard` and `evictionSoft` with their grace periods.
    pub eviction: Vec<EvictionThreshold>,
    /// `evictionMaxPodGracePeriod`, seconds (LC-198); default 0.
    pub eviction_max_pod_grace_period: i64,
    /// `evictionPressureTransitionPeriod` (LC-191); default 5 min.
    pub eviction_pressure_transition_period: Span,
    /// `serializeImagePulls` (LC-070); default true.
    pub serialize_image_pulls: bool,
    /// `maxPods`, where the machine's capacity says nothing; default 110.
    pub max_pods: i64,
    /// `registerNode`: whether a kubelet creates its Node (LC-209); default true.
    pub register_node: bool,
    /// Version it reports, e.g. `v1.34.1`.
    pub version: Str,
}

impl Default for KubeletSettings {
    /// The defaults of v1.34 (LC-187).
    fn default() -> Self {
        let hard = |signal, value| EvictionThreshold {
            signal,
            value,
            grace: None,
            min_reclaim: None,
        };
        Self {
            eviction: vec![
                hard(
                    EvictionSignal::MemoryAvailable,
                    ThresholdValue::Quantity(Quantity::from_bytes(100 << 20)),
                ),
                hard(EvictionSignal::NodefsAvailable, ThresholdValue::PerTenThousand(1000)),
                hard(EvictionSignal::ImagefsAvailable, ThresholdValue::PerTenThousand(1500)),
            ],
            eviction_max_pod_grace_period: 0,
            eviction_pressure_transition_period: Span::seconds(300),
            serialize_image_pulls: true,
            max_pods: 110,
            register_node: true,
            version: "v1.34.1".into(),
        }
    }
}
