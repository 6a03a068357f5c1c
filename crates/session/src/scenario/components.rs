//! Settings of the kubelets, the scheduler and the fencing controller, as a
//! scenario's `components` or documents of their own give them.

use podscope_api::ordered::BTreeMap;
use std::sync::Arc;

use podscope_api::{Quantity, Tree};
use podscope_cluster::Span;
use podscope_cluster::controllers::FencingSettings;
use podscope_cluster::kubelet::{EvictionSignal, EvictionThreshold, KubeletSettings, ThresholdValue};
use podscope_scheduler::SchedulerConfiguration;
use serde_json::Value;

use super::{Reader, join};
use crate::duration::parse_duration;

impl Reader {
    /// `KubeletConfiguration`: the fields with behaviour; others are unknown.
    pub(super) fn kubelet(&mut self, file: &str, tree: &Tree, prefix: &str, value: &Value) {
        let mut settings = KubeletSettings::clone(&self.loaded.setup.settings.kubelet);
        let mut problems = Vec::new();
        let Value::Object(map) = value else {
            return self.problem(file, tree, prefix, "must be a map of settings");
        };
        let mut hard = None;
        let mut soft = None;
        let mut soft_grace = BTreeMap::new();
        let mut reclaim = BTreeMap::new();
        for (name, value) in map {
            let mut bad = |inner: &str, message: String| problems.push((join(&join(prefix, name), inner), message));
            match name.as_str() {
                "apiVersion" | "kind" => {}
                "evictionHard" | "evictionSoft" | "evictionMinimumReclaim" => {
                    let mut found = Vec::new();
                    for (signal, amount) in value.as_object().into_iter().flatten() {
                        match (EvictionSignal::from_name(signal), threshold(amount)) {
                            (None, _) => bad(
                                signal,
                                format!(
                                    "Unsupported value: {signal:?}: supported values: \"memory.available\", \"nodefs.available\", \"imagefs.available\""
                                ),
                            ),
                            (_, None) => bad(
                                signal,
                                format!("Invalid value: {amount}: must be a quantity or a percentage"),
                            ),
                            (Some(signal), Some(value)) => found.push((signal, value)),
                        }
                    }
                    match name.as_str() {
                        "evictionHard" => hard = Some(found),
                        "evictionSoft" => soft = Some(found),
                        _ => reclaim.extend(found),
                    }
                }
                "evictionSoftGracePeriod" => {
                    for (signal, text) in value.as_object().into_iter().flatten() {
                        let span = text.as_str().and_then(|text| parse_duration(text).ok());
                        match (EvictionSignal::from_name(signal), span) {
                            (Some(signal), Some(span)) => {
                                soft_grace.insert(signal, span);
                            }
                            _ => bad(
                                signal,
                                format!("Invalid value: {text}: must be a signal and a duration"),
                            ),
                        }
                    }
                }
                "evictionMaxPodGracePeriod" => match value.as_i64() {
                    Some(seconds) => settings.eviction_max_pod_grace_period = seconds,
                    None => bad("", format!("Invalid value: {value}: must be a number of seconds")),
                },
                "evictionPressureTransitionPeriod" => match value.as_str().map(parse_duration) {
                    Some(Ok(span)) => settings.eviction_pressure_transition_period = span,
                    _ => bad("", format!("Invalid value: {value}: must be a duration")),
                },
                "serializeImagePulls" | "registerNode" => match value.as_bool() {
                    Some(on) if name == "registerNode" => settings.register_node = on,
                    Some(on) => settings.serialize_image_pulls = on,
                    None => bad("", format!("Invalid value: {value}: must be true or false")),
                },
                "maxPods" => match value.as_i64() {
                    Some(count) if count >= 0 => settings.max_pods = count,
                    _ => bad("", format!("Invalid value: {value}: must be a number, not negative")),
                },
                _ => problems.push((join(prefix, name), format!("unknown field {name:?}"))),
            }
        }
        let mut set = |found: Vec<(EvictionSignal, ThresholdValue)>, is_soft: bool| {
            settings
                .eviction
                .retain(|threshold| threshold.grace.is_some() != is_soft);
            for (signal, value) in found {
                let grace = if is_soft {
                    match soft_grace.get(&signal) {
                        Some(grace) => Some(*grace),
                        None => {
                            problems.push((
                                join(prefix, "evictionSoft"),
                                format!(
                                    "grace period must be specified for the soft eviction threshold {}",
                                    signal.name()
                                ),
                            ));
                            Some(Span::ZERO)
                        }
                    }
                } else {
                    None
                };
                settings.eviction.push(EvictionThreshold {
                    signal,
                    value,
                    grace,
                    min_reclaim: None,
                });
            }
        };
        if let Some(found) = hard {
            set(found, false);
        }
        if let Some(found) = soft {
            set(found, true);
        }
        for threshold in &mut settings.eviction {
            if let Some(value) = reclaim.get(&threshold.signal) {
                threshold.min_reclaim = Some(*value);
            }
        }
        self.loaded.setup.settings.kubelet = Arc::new(settings);
        for (path, message) in problems {
            self.problem(file, tree, &path, message);
        }
    }

    /// `KubeSchedulerConfiguration`.
    pub(super) fn scheduler(&mut self, file: &str, tree: &Tree, prefix: &str, value: Value) {
        if !value.is_object() {
            return self.problem(file, tree, prefix, "must be a KubeSchedulerConfiguration");
        }
        if value.as_object().is_some_and(serde_json::Map::is_empty) {
            return;
        }
        match SchedulerConfiguration::from_value(&value) {
            Ok(config) => {
                self.loaded.notices.extend(config.notices.iter().cloned());
                self.loaded.setup.settings.scheduler = config;
            }
            Err(errors) => {
                for error in errors {
                    self.problem(file, tree, &join(prefix, &error.path), error.message);
                }
            }
        }
    }

    /// `components.fencing`.
    pub(super) fn fencing(&mut self, file: &str, tree: &Tree, prefix: &str, value: &Value) {
        match FencingSettings::from_value(value) {
            Ok(settings) => self.loaded.setup.settings.fencing = settings,
            Err(errors) => {
                for error in errors {
                    self.problem(file, tree, &join(prefix, &error.name), error.message);
                }
            }
        }
    }
}

fn threshold(value: &Value) -> Option<ThresholdValue> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    if let Some(percent) = text.strip_suffix('%') {
        let (whole, fraction) = percent.split_once('.').unwrap_or((percent, ""));
        if fraction.len() > 2 || whole.is_empty() {
            return None;
        }
        let hundredths: i64 = format!("{whole}{fraction:0<2}").parse().ok()?;
        return (0..=10_000)
            .contains(&hundredths)
            .then_some(ThresholdValue::PerTenThousand(hundredths));
    }
    text.parse::<Quantity>().ok().map(ThresholdValue::Quantity)
}
