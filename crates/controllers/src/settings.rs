//! How settings are read, and those of the controller-manager, under
//! Kubernetes' own names.

use podscope_api::ProblemKind;
use serde_json::Value;

use podscope_sim::Span;

/// A setting that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingError {
    /// The setting's name, as it was written.
    pub name: String,
    /// What is wrong.
    pub message: String,
    /// The same, for those who do more than show it.
    pub kind: ProblemKind,
}

/// What one setting holds and how it is read.
pub(super) trait Setting {
    /// Takes the value, or says what is wrong with it. A duration is at least `least`, or zero where that is
    /// the default.
    fn read(&mut self, value: &Value, least: Span) -> Result<(), String>;
}

/// The shortest period of anything that comes again and again: shorter ones are work without end.
pub(super) const SHORTEST_PERIOD: Span = Span::millis(100);
/// The longest duration of a setting: a hundred years, the end of simulated time.
const LONGEST: Span = Span::seconds(100 * 365 * 86_400);

/// Settings that are read by their names.
pub(super) trait Settings: Default {
    /// All names, in order.
    const NAMES: &'static [&'static str];
    /// The setting of that name, if there is one.
    fn setting(&mut self, name: &str) -> Option<(&mut dyn Setting, Span)>;
}

/// Reads a map of settings; what is not given keeps its default.
///
/// # Errors
/// Every setting that is unknown or of the wrong form.
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
        if span > LONGEST {
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

impl Setting for Millis {
    fn read(&mut self, value: &Value, _: Span) -> Result<(), String> {
        *self = match value {
            Value::Number(number) => parse_decimal(&number.to_string(), 3).map(Millis),
            _ => None,
        }
        .ok_or_else(|| format!("{value} is not a number from 0 with at most three decimals"))?;
        Ok(())
    }
}

/// A rate or fraction in thousandths: `0.1` is `Millis(100)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Millis(pub i64);

/// A struct of settings with their names and defaults.
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
            /// Reads what a scenario gives; the rest keeps its default.
            ///
            /// # Errors
            /// Every setting that is unknown or of the wrong form.
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
    /// How often nodes are looked at.
    node_monitor_period: Span = "nodeMonitorPeriod", Span::seconds(5), least SHORTEST_PERIOD;
    /// Silence after which a node is Unknown.
    node_monitor_grace_period: Span = "nodeMonitorGracePeriod", Span::seconds(50);
    /// The same for a node that never posted Ready.
    node_startup_grace_period: Span = "nodeStartupGracePeriod", Span::seconds(60);
    /// NoExecute taints per second in a healthy zone, in thousandths.
    node_eviction_rate: Millis = "nodeEvictionRate", Millis(100);
    /// The same in a large zone that is partly disrupted.
    secondary_node_eviction_rate: Millis = "secondaryNodeEvictionRate", Millis(10);
    /// A zone of more nodes is large.
    large_cluster_size_threshold: i64 = "largeClusterSizeThreshold", 50;
    /// Fraction of unready nodes from which a zone is partly disrupted, in thousandths.
    unhealthy_zone_threshold: Millis = "unhealthyZoneThreshold", Millis(550);
    /// Finished pods beyond this number are removed; 0 turns that off (CT-045).
    terminated_pod_gc_threshold: i64 = "terminatedPodGCThreshold", 12_500;
    /// No forced detach after six minutes (CT-133).
    disable_force_detach_on_timeout: bool = "disableForceDetachOnTimeout", false;
    /// How often the descheduler looks at spread constraints; 0 turns it off (S-12).
    descheduling_interval: Span = "deschedulingInterval", Span::ZERO, least SHORTEST_PERIOD;
    /// Validity of the leader's lease (CT-153).
    lease_duration: Span = "leaseDuration", Span::seconds(15), least SHORTEST_PERIOD;
    /// A leader that cannot renew for this long steps down.
    renew_deadline: Span = "renewDeadline", Span::seconds(10), least SHORTEST_PERIOD;
    /// Time between attempts to acquire or renew.
    retry_period: Span = "retryPeriod", Span::seconds(2), least SHORTEST_PERIOD;
}

/// Digits with at most `places` decimals, scaled to a whole number.
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
    fn settings_are_read_under_kubernetes_names() {
        let settings = ControllerManagerSettings::from_value(&json!({
            "nodeMonitorGracePeriod": "1m30s", "nodeEvictionRate": 0.25, "terminatedPodGCThreshold": 10,
            "disableForceDetachOnTimeout": true,
        }))
        .unwrap();
        assert_eq!(settings.node_monitor_grace_period, Span::seconds(90));
        assert_eq!(settings.node_eviction_rate, Millis(250));
        assert_eq!(settings.terminated_pod_gc_threshold, 10);
        assert!(settings.disable_force_detach_on_timeout);
        assert_eq!(settings.node_monitor_period, Span::seconds(5));
        //
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
