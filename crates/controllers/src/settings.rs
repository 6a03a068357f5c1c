//! Reading of settings, and the settings of kube-controller-manager under Kubernetes' own names.

use podscope_api::ProblemKind;
use serde_json::Value;

use podscope_sim::Span;

/// An unknown or invalid setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingError {
    /// The setting's name as it was written.
    pub name: String,
    pub message: String,
    /// The kind of problem, for code that reacts to it.
    pub kind: ProblemKind,
}

/// The type of a setting, which parses its value.
pub(super) trait Setting {
    /// Reads the value, or returns an error message. A duration must be at least `least`; zero is allowed if it is the
    /// default.
    fn read(&mut self, value: &Value, least: Span) -> Result<(), String>;
}

/// Minimum period of repeated work; shorter periods would make the simulation too slow.
pub(super) const MIN_PERIOD: Span = Span::millis(100);
/// Maximum duration of a setting: a hundred years, the maximum simulated time.
const MAX_DURATION: Span = Span::seconds(100 * 365 * 86_400);

/// A struct of settings that are read by name.
pub(super) trait Settings: Default {
    /// The names of all settings.
    const NAMES: &'static [&'static str];
    /// Returns the setting with the given name and its minimum duration, if it exists.
    fn setting(&mut self, name: &str) -> Option<(&mut dyn Setting, Span)>;
}

/// Reads a map of settings; missing ones keep their defaults.
///
/// # Errors
/// Returns an error for every setting that is unknown or invalid.
pub(super) fn read_settings<T: Settings>(value: &Value) -> Result<T, Vec<SettingError>> {
    let mut settings = T::default();
    let Value::Object(map) = value else {
        return Err(vec![SettingError {
            name: String::new(),
            message: "must be a map of settings".into(),
            kind: ProblemKind::OtherType,
        }]);
    };
    let mut errors = Vec::new();
    for (name, value) in map {
        let read = match settings.setting(name) {
            Some((setting, least)) => (setting.read(value, least)).map_err(|message| (ProblemKind::Other, message)),
            None => {
                let message = format!("unknown setting; known are {}", T::NAMES.join(", "));
                Err((ProblemKind::UnknownField, message))
            }
        };
        errors.extend(read.err().map(|(kind, message)| SettingError {
            name: name.clone(),
            message,
            kind,
        }));
    }
    if errors.is_empty() { Ok(settings) } else { Err(errors) }
}

impl Setting for Span {
    fn read(&mut self, value: &Value, least: Span) -> Result<(), String> {
        let text = value
            .as_str()
            .ok_or_else(|| format!("{value} is not a duration such as 50s"))?;
        let span = Span(podscope_api::parse_duration(text)?);
        let is_off = *self == Span::ZERO && span == Span::ZERO;
        if span < least && !is_off {
            let least = podscope_api::print_duration_short(least.0);
            return Err(format!(
                "Invalid value: {text:?}: must be greater than or equal to {least}"
            ));
        }
        if span > MAX_DURATION {
            return Err(format!(
                "Invalid value: {text:?}: must be at most a hundred years (876000h)"
            ));
        }
        *self = span;
        Ok(())
    }
}

impl Setting for i64 {
    fn read(&mut self, value: &Value, _: Span) -> Result<(), String> {
        *self = value.as_i64().ok_or_else(|| format!("{value} is not a whole number"))?;
        Ok(())
    }
}

impl Setting for bool {
    fn read(&mut self, value: &Value, _: Span) -> Result<(), String> {
        *self = value.as_bool().ok_or_else(|| format!("{value} is not true or false"))?;
        Ok(())
    }
}

impl Setting for Thousandths {
    fn read(&mut self, value: &Value, _: Span) -> Result<(), String> {
        *self = match value {
            Value::Number(number) => parse_decimal(&number.to_string(), 3).map(Thousandths),
            _ => None,
        }
        .ok_or_else(|| format!("{value} is not a number from 0 with at most three decimals"))?;
        Ok(())
    }
}

/// A rate or fraction in thousandths: `0.1` is `Thousandths(100)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Thousandths(pub i64);

/// Declares a struct of settings with their names and defaults.
macro_rules! settings {
    ($(#[$of:meta])* $struct:ident; $($(#[$m:meta])* $field:ident: $ty:ty = $name:literal, $default:expr $(, least $least:expr)?;)*) => {
        $(#[$of])*
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub struct $struct { $($(#[$m])* pub $field: $ty),* }
        impl Default for $struct {
            fn default() -> Self { Self { $($field: $default),* } }
        }

        impl $crate::settings::Settings for $struct {
            const NAMES: &'static [&'static str] = &[$($name),*];
            fn setting(&mut self, name: &str) -> Option<(&mut dyn $crate::settings::Setting, podscope_sim::Span)> {
                match name {
                    $($name => {
                        let least = [$($least,)? podscope_sim::Span::ZERO][0];
                        Some((&mut self.$field, least))
                    })*
                    _ => None,
                }
            }
        }

        impl $struct {
            /// Reads the settings of a scenario; missing ones keep their defaults.
            ///
            /// # Errors
            /// Returns an error for every setting that is unknown or invalid.
            pub fn from_value(value: &serde_json::Value) -> Result<Self, Vec<$crate::SettingError>> {
                $crate::settings::read_settings(value)
            }
        }
    };
}

pub(super) use settings;

settings! {
    /// Settings of kube-controller-manager (`components.controllerManager`); the defaults are v1.36's (CT-020).
    ControllerManagerSettings;
    /// Interval of the monitoring passes over nodes.
    node_monitor_period: Span = "nodeMonitorPeriod", Span::seconds(5), least MIN_PERIOD;
    /// Time without a heartbeat after which a node becomes Unknown.
    node_monitor_grace_period: Span = "nodeMonitorGracePeriod", Span::seconds(50);
    /// Time without a heartbeat after which a node becomes Unknown, if it has never reported Ready.
    node_startup_grace_period: Span = "nodeStartupGracePeriod", Span::seconds(60);
    /// Number of nodes per second that get a NoExecute taint in a healthy zone, in thousandths.
    node_eviction_rate: Thousandths = "nodeEvictionRate", Thousandths(100);
    /// Number of nodes per second that get a NoExecute taint in a large, partly disrupted zone, in thousandths.
    secondary_node_eviction_rate: Thousandths = "secondaryNodeEvictionRate", Thousandths(10);
    /// Number of nodes above which a zone is large.
    large_cluster_size_threshold: i64 = "largeClusterSizeThreshold", 50;
    /// Minimum fraction of unready nodes in a partly disrupted zone, in thousandths.
    unhealthy_zone_threshold: Thousandths = "unhealthyZoneThreshold", Thousandths(550);
    /// Number of finished pods above which the oldest are deleted; 0 disables the deletion (CT-045).
    terminated_pod_gc_threshold: i64 = "terminatedPodGCThreshold", 12_500;
    /// Whether a forced detach after six minutes is disabled (CT-133).
    disable_force_detach_on_timeout: bool = "disableForceDetachOnTimeout", false;
    /// Interval of the descheduler's passes; 0 disables the descheduler (S-12).
    descheduling_interval: Span = "deschedulingInterval", Span::ZERO, least MIN_PERIOD;
    /// Validity of the leader's lease (CT-153).
    lease_duration: Span = "leaseDuration", Span::seconds(15), least MIN_PERIOD;
    /// Time after which a leader that cannot renew its lease steps down.
    renew_deadline: Span = "renewDeadline", Span::seconds(10), least MIN_PERIOD;
    /// Interval between attempts to acquire or renew the lease.
    retry_period: Span = "retryPeriod", Span::seconds(2), least MIN_PERIOD;
}

/// Parses a number with at most `places` decimals, and scales it to an integer.
fn parse_decimal(text: &str, places: usize) -> Option<i64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || fraction.len() > places || !digits(whole) || !digits(fraction) {
        return None;
    }
    format!("{whole}{fraction:0<places$}").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Shows: Q-03, CT-020
    #[test]
    fn settings_have_kubernetes_names_and_minimum_periods() {
        let settings = ControllerManagerSettings::from_value(&json!({
            "nodeMonitorGracePeriod": "1m30s", "nodeEvictionRate": 0.25, "terminatedPodGCThreshold": 10,
            "disableForceDetachOnTimeout": true,
        }))
        .unwrap();
        assert_eq!(settings.node_monitor_grace_period, Span::seconds(90));
        assert_eq!(settings.node_eviction_rate, Thousandths(250));
        assert_eq!(settings.terminated_pod_gc_threshold, 10);
        assert!(settings.disable_force_detach_on_timeout);
        assert_eq!(settings.node_monitor_period, Span::seconds(5));
        // Periods have a minimum.
        for (name, value, is_fine) in [
            ("nodeMonitorPeriod", "0s", false),
            ("nodeMonitorPeriod", "1us", false),
            ("nodeMonitorPeriod", "100ms", true),
            ("retryPeriod", "-2s", false),
            ("deschedulingInterval", "0s", true),
            ("deschedulingInterval", "1ms", false),
            ("nodeMonitorGracePeriod", "0s", true),
            ("nodeMonitorGracePeriod", "-1s", false),
            ("nodeMonitorGracePeriod", "2000000h", false),
        ] {
            let read = ControllerManagerSettings::from_value(&json!({name: value}));
            assert_eq!(read.is_ok(), is_fine, "{name}: {value}: {read:?}");
        }
        let errors =
            ControllerManagerSettings::from_value(&json!({"nodeMonitorPeriod": "5 s", "pods": 1})).unwrap_err();
        let names: Vec<&str> = errors.iter().map(|error| error.name.as_str()).collect();
        assert_eq!(names, ["nodeMonitorPeriod", "pods"]);
    }
}
