//! `KubeletConfiguration` v1beta1. The fields for eviction, graceful shutdown, restarts, images and registration are
//! typed. Other fields of the real kubelet are accepted with a notice; unknown fields are refused (P-05, LC-186 to
//! LC-200).

use crate::ProblemKind;
use crate::ordered;

use crate::decode::{FieldError, decode};
use crate::duration::parse_duration;
use crate::tree::{Data, Tree};
use crate::wire_types;
use crate::{Duration, Quantity, Str, Taint};
use podscope_messages::{Sentence, sentence};

wire_types! {
    /// The kubelet settings that the simulation uses.
    pub struct KubeletConfiguration {
        pub api_version: Str,
        pub kind: Str,
        /// Hard thresholds by signal: an amount or a percentage. If set, no default threshold applies.
        pub eviction_hard: Option<ordered::Map<Str, Str>>,
        /// Soft thresholds by signal.
        pub eviction_soft: ordered::Map<Str, Str>,
        /// For each signal, how long a soft threshold must be exceeded before eviction.
        pub eviction_soft_grace_period: ordered::Map<Str, Str>,
        /// For each signal, the amount to free beyond the threshold.
        pub eviction_minimum_reclaim: ordered::Map<Str, Str>,
        /// Whether signals missing in `evictionHard` keep their default threshold.
        pub merge_default_eviction_settings: Option<bool>,
        pub eviction_pressure_transition_period: Option<Duration>,
        /// Maximum grace period that a soft eviction grants a pod, in seconds.
        pub eviction_max_pod_grace_period: Option<i32>,
        pub shutdown_grace_period: Option<Duration>,
        pub shutdown_grace_period_critical_pods: Option<Duration>,
        /// Finer setting in place of `shutdownGracePeriod` and `shutdownGracePeriodCriticalPods`.
        pub shutdown_grace_period_by_pod_priority: Vec<ShutdownGracePeriodByPodPriority>,
        pub crash_loop_back_off: Option<CrashLoopBackOffConfig>,
        pub image_minimum_gc_age as "imageMinimumGCAge": Option<Duration>,
        pub image_maximum_gc_age as "imageMaximumGCAge": Option<Duration>,
        pub image_gc_high_threshold_percent as "imageGCHighThresholdPercent": Option<i32>,
        pub image_gc_low_threshold_percent as "imageGCLowThresholdPercent": Option<i32>,
        pub serialize_image_pulls: Option<bool>,
        pub max_parallel_image_pulls: Option<i32>,
        pub max_pods: Option<i32>,
        /// Unsafe sysctls that pods may set; a trailing `*` is a wildcard.
        pub allowed_unsafe_sysctls: Vec<Str>,
        pub register_node: Option<bool>,
        pub register_with_taints: Vec<Taint>,
    }

    /// The grace period of a group of pods during a graceful node shutdown.
    pub struct ShutdownGracePeriodByPodPriority {
        /// Lowest priority of the pods in the group.
        pub priority: i32,
        pub shutdown_grace_period_seconds: i64,
    }

    /// The configurable limit of the back-off between container restarts.
    pub struct CrashLoopBackOffConfig {
        /// Maximum back-off, from 1 s to 300 s.
        pub max_container_restart_period: Option<Duration>,
    }
}

/// Fields of the real kubelet that the simulation ignores.
const IGNORED_FIELDS: &[&str] = &[
    "address",
    "authentication",
    "authorization",
    "cgroupDriver",
    "cgroupRoot",
    "cgroupsPerQOS",
    "clusterDNS",
    "clusterDomain",
    "configMapAndSecretChangeDetectionStrategy",
    "containerLogMaxFiles",
    "containerLogMaxSize",
    "containerLogMaxWorkers",
    "containerLogMonitorInterval",
    "containerRuntimeEndpoint",
    "contentType",
    "cpuCFSQuota",
    "cpuCFSQuotaPeriod",
    "cpuManagerPolicy",
    "cpuManagerPolicyOptions",
    "cpuManagerReconcilePeriod",
    "enableContentionProfiling",
    "enableControllerAttachDetach",
    "enableDebugFlagsHandler",
    "enableDebuggingHandlers",
    "enableProfilingHandler",
    "enableServer",
    "enableSystemLogHandler",
    "enableSystemLogQuery",
    "enforceNodeAllocatable",
    "eventBurst",
    "eventRecordQPS",
    "failCgroupV1",
    "failSwapOn",
    "featureGates",
    "fileCheckFrequency",
    "hairpinMode",
    "healthzBindAddress",
    "healthzPort",
    "httpCheckFrequency",
    "imagePullCredentialsVerificationPolicy",
    "imageServiceEndpoint",
    "iptablesDropBit",
    "iptablesMasqueradeBit",
    "kernelMemcgNotification",
    "kubeAPIBurst",
    "kubeAPIQPS",
    "kubeReserved",
    "kubeReservedCgroup",
    "kubeletCgroups",
    "localStorageCapacityIsolation",
    "logging",
    "makeIPTablesUtilChains",
    "maxOpenFiles",
    "memoryManagerPolicy",
    "memorySwap",
    "memoryThrottlingFactor",
    "nodeLeaseDurationSeconds",
    "nodeStatusReportFrequency",
    "nodeStatusUpdateFrequency",
    "oomScoreAdj",
    "podCIDR",
    "podLogsDir",
    "podPidsLimit",
    "podsPerCore",
    "port",
    "preloadedImagesVerificationAllowlist",
    "protectKernelDefaults",
    "providerID",
    "qosReserved",
    "readOnlyPort",
    "registryBurst",
    "registryPullQPS",
    "reservedMemory",
    "reservedSystemCPUs",
    "resolvConf",
    "rotateCertificates",
    "runOnce",
    "runtimeRequestTimeout",
    "seccompDefault",
    "serverTLSBootstrap",
    "showHiddenMetricsForVersion",
    "singleProcessOOMKill",
    "staticPodPath",
    "staticPodURL",
    "staticPodURLHeader",
    "streamingConnectionIdleTimeout",
    "syncFrequency",
    "systemCgroups",
    "systemReserved",
    "systemReservedCgroup",
    "tlsCertFile",
    "tlsCipherSuites",
    "tlsMinVersion",
    "tlsPrivateKeyFile",
    "topologyManagerPolicy",
    "topologyManagerPolicyOptions",
    "topologyManagerScope",
    "tracing",
    "userNamespaces",
    "volumePluginDir",
    "volumeStatsAggPeriod",
];

const EVICTION_SIGNALS: [&str; 10] = [
    "memory.available",
    "nodefs.available",
    "nodefs.inodesFree",
    "imagefs.available",
    "imagefs.inodesFree",
    "containerfs.available",
    "containerfs.inodesFree",
    "allocatableMemory.available",
    "pid.available",
    "nodefs.pid",
];

/// Decodes and validates a `KubeletConfiguration`. Returns it with a notice for each field that has no effect.
///
/// # Errors
/// All problems with their positions.
pub fn kubelet_configuration(tree: &Tree<'_>) -> Result<(KubeletConfiguration, Vec<Sentence>), Vec<FieldError>> {
    let mut known = tree.clone();
    let mut notices = Vec::new();
    if let Data::Map(entries) = &mut known.data {
        entries.retain(|entry| {
            let is_ignored = IGNORED_FIELDS.contains(&&*entry.key);
            if is_ignored {
                notices.push(sentence!(configuration::no_effect, field = &*entry.key));
            }
            !is_ignored && &*entry.key != "metadata"
        });
    }
    let config: KubeletConfiguration = decode(&known, true)?;
    let mut errors = Vec::new();
    let mut refuse_of = |kind: ProblemKind, path: String, message: String| {
        let (line, column) = tree.position(&path);
        errors.push(FieldError {
            mismatch: None,
            path,
            line,
            column,
            message,
            kind,
        });
    };
    check_eviction_settings(&config, &mut refuse_of);
    let mut refuse_field = |path: String, message: String| refuse_of(ProblemKind::Other, path, message);
    check_number_ranges(&config, &mut refuse_field);
    check_duration_settings(&config, &mut refuse_field);
    check_image_garbage_collection(&config, &mut refuse_field);
    check_crash_loop_back_off(&config, &mut refuse_field);
    if errors.is_empty() {
        Ok((config, notices))
    } else {
        Err(errors)
    }
}

/// Checks signal names, thresholds, and that each soft threshold has a grace period.
fn check_eviction_settings(config: &KubeletConfiguration, refuse_field: &mut dyn FnMut(ProblemKind, String, String)) {
    for (field, thresholds) in [
        ("evictionHard", config.eviction_hard.as_ref()),
        ("evictionSoft", Some(&config.eviction_soft)),
        ("evictionMinimumReclaim", Some(&config.eviction_minimum_reclaim)),
    ] {
        for (signal, text) in thresholds.into_iter().flatten() {
            let path = format!("{field}[{signal}]");
            if !EVICTION_SIGNALS.contains(&&**signal) {
                refuse_field(
                    ProblemKind::Other,
                    path,
                    format!("unsupported eviction signal {signal}"),
                );
            } else if let Err((kind, message)) = check_eviction_threshold(signal, text) {
                refuse_field(kind, path, message);
            } else if field == "evictionSoft" && !config.eviction_soft_grace_period.contains_key(signal) {
                refuse_field(
                    ProblemKind::Other,
                    path,
                    format!("grace period must be specified for the soft eviction threshold {signal}"),
                );
            }
        }
    }
    for (signal, text) in &config.eviction_soft_grace_period {
        let path = format!("evictionSoftGracePeriod[{signal}]");
        if !EVICTION_SIGNALS.contains(&&**signal) {
            refuse_field(
                ProblemKind::Other,
                path,
                format!("unsupported eviction signal {signal}"),
            );
            continue;
        }
        match parse_duration(text) {
            Ok(micros) if micros >= 0 => {}
            Ok(_) => refuse_field(
                ProblemKind::Other,
                path,
                format!("invalid eviction grace period specified: {text}, must be a positive value"),
            ),
            Err(message) => refuse_field(ProblemKind::Other, path, message),
        }
    }
}

/// Checks the ranges of numbers, and that `maxParallelImagePulls` is at most 1 if `serializeImagePulls` is true.
fn check_number_ranges(config: &KubeletConfiguration, refuse_field: &mut dyn FnMut(String, String)) {
    let mut range = |field: &str, value: Option<i64>, low: i64, high: i64| {
        if let Some(value) = value
            && !(low..=high).contains(&value)
        {
            let message = format!("Invalid value: {value}: must be between {low} and {high}, inclusive");
            refuse_field(field.to_owned(), message);
        }
    };
    let most = i64::from(i32::MAX);
    range(
        "evictionMaxPodGracePeriod",
        config.eviction_max_pod_grace_period.map(i64::from),
        0,
        most,
    );
    range("maxPods", config.max_pods.map(i64::from), 0, most);
    range(
        "maxParallelImagePulls",
        config.max_parallel_image_pulls.map(i64::from),
        1,
        most,
    );
    if config.max_parallel_image_pulls.is_some_and(|pulls| pulls > 1) && config.serialize_image_pulls == Some(true) {
        refuse_field(
            "maxParallelImagePulls".into(),
            "maxParallelImagePulls cannot be larger than 1 unless SerializeImagePulls (--serialize-image-pulls) set to false"
                .into(),
        );
    }
}

/// Checks that durations are not negative and that the shutdown periods are consistent.
fn check_duration_settings(config: &KubeletConfiguration, refuse_field: &mut dyn FnMut(String, String)) {
    for (field, duration) in [
        (
            "evictionPressureTransitionPeriod",
            config.eviction_pressure_transition_period,
        ),
        ("shutdownGracePeriod", config.shutdown_grace_period),
        (
            "shutdownGracePeriodCriticalPods",
            config.shutdown_grace_period_critical_pods,
        ),
    ] {
        if let Some(duration) = duration
            && duration.0 < 0
        {
            refuse_field(
                field.into(),
                format!("Invalid value: \"{duration}\": must be greater than or equal to 0"),
            );
        }
    }
    let (whole, critical) = (
        config.shutdown_grace_period.unwrap_or_default(),
        config.shutdown_grace_period_critical_pods.unwrap_or_default(),
    );
    if !config.shutdown_grace_period_by_pod_priority.is_empty()
        && (config.shutdown_grace_period.is_some() || config.shutdown_grace_period_critical_pods.is_some())
    {
        refuse_field(
            "shutdownGracePeriodByPodPriority".into(),
            "Cannot specify both shutdownGracePeriodByPodPriority and shutdownGracePeriod at the same time".into(),
        );
    }
    if critical > whole {
        refuse_field(
            "shutdownGracePeriodCriticalPods".into(),
            format!("shutdownGracePeriodCriticalPods {critical} must be <= shutdownGracePeriod {whole}"),
        );
    }
}

/// Checks the maximum restart back-off.
fn check_crash_loop_back_off(config: &KubeletConfiguration, refuse_field: &mut dyn FnMut(String, String)) {
    if let Some(period) = config
        .crash_loop_back_off
        .as_ref()
        .and_then(|config| config.max_container_restart_period)
        && !(1_000_000..=300_000_000).contains(&period.0)
    {
        refuse_field(
            "crashLoopBackOff.maxContainerRestartPeriod".into(),
            format!(
                "maxContainerRestartPeriod (got: {} seconds) must be set between 1s and 300s",
                period.0 / 1_000_000
            ),
        );
    }
}

/// Checks the thresholds and ages of image garbage collection (the kubelet's `validation.go`).
fn check_image_garbage_collection(config: &KubeletConfiguration, refuse_field: &mut dyn FnMut(String, String)) {
    let (high, low) = (
        config.image_gc_high_threshold_percent.unwrap_or(85),
        config.image_gc_low_threshold_percent.unwrap_or(80),
    );
    for (field, flag, percent) in [
        ("imageGCHighThresholdPercent", "high", high),
        ("imageGCLowThresholdPercent", "low", low),
    ] {
        if !(0..=100).contains(&percent) {
            let message =
                format!("{field} (--image-gc-{flag}-threshold) {percent} must be between 0 and 100, inclusive");
            refuse_field(field.into(), message);
        }
    }
    if low >= high {
        let field = "imageGCLowThresholdPercent";
        let message = format!(
            "{field} (--image-gc-low-threshold) {low} must be less than imageGCHighThresholdPercent (--image-gc-high-threshold) {high}"
        );
        refuse_field(field.into(), message);
    }
    let max = config.image_maximum_gc_age.unwrap_or_default();
    let min = config
        .image_minimum_gc_age
        .filter(|age| age.0 != 0)
        .unwrap_or(Duration(120_000_000));
    if max.0 < 0 {
        refuse_field(
            "imageMaximumGCAge".into(),
            format!("imageMaximumGCAge {max} must not be negative"),
        );
    } else if max.0 > 0 && max <= min {
        let message = format!("imageMaximumGCAge {max} must be greater than imageMinimumGCAge {min}");
        refuse_field("imageMaximumGCAge".into(), message);
    }
}

/// Checks an eviction threshold: an amount, or a percentage from 0 to 100.
fn check_eviction_threshold(signal: &str, text: &str) -> Result<(), (ProblemKind, String)> {
    let other = |message: String| (ProblemKind::Other, message);
    if let Some(percent) = text.strip_suffix('%') {
        let value: f64 = percent.parse().map_err(|_| {
            other(format!(
                "eviction percentage threshold {signal} is not a number: {text}"
            ))
        })?;
        if value < 0.0 {
            return Err(other(format!(
                "eviction percentage threshold {signal} must be >= 0%: {text}"
            )));
        }
        // NaN is in no range, so this condition refuses NaN too.
        if !(0.0..=100.0).contains(&value) {
            return Err(other(format!(
                "eviction percentage threshold {signal} must be <= 100%: {text}"
            )));
        }
        return Ok(());
    }
    let quantity: Result<Quantity, _> = text.parse();
    let quantity = quantity.map_err(|why: &str| (ProblemKind::NoQuantity, why.to_owned()))?;
    if quantity.sign() < 0 {
        return Err(other(format!("eviction threshold {signal} must be positive: {text}")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    fn parse_kubelet_configuration(text: &str) -> Result<(KubeletConfiguration, Vec<String>), Vec<String>> {
        let text = format!("apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n{text}");
        let parsed = parse(&text);
        kubelet_configuration(&parsed.configs[0].value.tree)
            .map(|(config, notices)| (config, notices.iter().map(Sentence::english).collect()))
            .map_err(|errors| {
                errors
                    .into_iter()
                    .map(|error| format!("{}:{}: {}: {}", error.line, error.column, error.path, error.message))
                    .collect()
            })
    }

    /// Fields with a Rust type are decoded; a field that the simulation ignores gives a notice.
    /// Shows: P-05
    #[test]
    fn ignored_kubelet_field_gives_a_notice() {
        let (config, notices) = parse_kubelet_configuration(
            "evictionHard: {memory.available: 5%, nodefs.available: 1Gi}\nevictionSoft: {memory.available: 500Mi}\n\
             evictionSoftGracePeriod: {memory.available: 1m30s}\nevictionPressureTransitionPeriod: 0s\n\
             evictionMaxPodGracePeriod: 60\nclusterDNS: [10.0.0.10]\ncrashLoopBackOff: {maxContainerRestartPeriod: 60s}\n",
        )
        .unwrap();
        assert_eq!(notices, ["clusterDNS has no effect here"]);
        assert_eq!(config.eviction_max_pod_grace_period, Some(60));
        assert_eq!(config.eviction_pressure_transition_period, Some(Duration(0)));
        assert_eq!(config.eviction_hard.unwrap().len(), 2);
    }

    /// Shows: P-05
    #[test]
    fn wrong_kubelet_settings_are_reported_with_position() {
        for (text, expected) in [
            ("evictionHrad: {}", "3:15: evictionHrad: unknown field \"evictionHrad\""),
            (
                "evictionHard: {memory.free: 5%}",
                "3:29: evictionHard[memory.free]: unsupported eviction signal memory.free",
            ),
            (
                "evictionHard: {memory.available: 105%}",
                "3:34: evictionHard[memory.available]: eviction percentage threshold memory.available must be <= 100%: 105%",
            ),
            (
                "evictionSoft: {memory.available: 5%}",
                "3:34: evictionSoft[memory.available]: grace period must be specified for the soft eviction threshold \
                 memory.available",
            ),
            (
                "evictionMaxPodGracePeriod: -1",
                "3:28: evictionMaxPodGracePeriod: Invalid value: -1: must be between 0 and 2147483647, inclusive",
            ),
            (
                "shutdownGracePeriodCriticalPods: 10s",
                "3:34: shutdownGracePeriodCriticalPods: shutdownGracePeriodCriticalPods 10s must be <= shutdownGracePeriod 0s",
            ),
            (
                "evictionPressureTransitionPeriod: soon",
                "3:35: evictionPressureTransitionPeriod: time: invalid duration \"soon\"",
            ),
            (
                "imageGCLowThresholdPercent: 90",
                "3:29: imageGCLowThresholdPercent: imageGCLowThresholdPercent (--image-gc-low-threshold) 90 must be less than \
                 imageGCHighThresholdPercent (--image-gc-high-threshold) 85",
            ),
            (
                "imageGCHighThresholdPercent: 101",
                "3:30: imageGCHighThresholdPercent: imageGCHighThresholdPercent (--image-gc-high-threshold) 101 must be between 0 \
                 and 100, inclusive",
            ),
            (
                "imageMaximumGCAge: 2m",
                "3:20: imageMaximumGCAge: imageMaximumGCAge 2m0s must be greater than imageMinimumGCAge 2m0s",
            ),
            (
                "imageMaximumGCAge: -1h",
                "3:20: imageMaximumGCAge: imageMaximumGCAge -1h0m0s must not be negative",
            ),
        ] {
            assert_eq!(parse_kubelet_configuration(text).unwrap_err(), [expected], "{text}");
        }
    }
}
