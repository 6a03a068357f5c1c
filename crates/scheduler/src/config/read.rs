//! Reads the configuration document strictly: unknown fields and wrong types are reported as errors with their paths
//! (SCH-130, SCH-133, SCH-135).

use podscope_api::ProblemKind;
use podscope_api::schema::Rejection;
use podscope_messages::sentence;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::args::read_args;
use super::resolve::{PluginSetSpec, PluginsSpec, resolve_profile};
use super::{Args, DEFAULT_SCHEDULER_NAME, Profile, SchedulerConfiguration};
use crate::plugins::Point;

/// A problem in a configuration document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigError {
    /// Path of the field; empty for the document itself.
    pub path: String,
    /// Description of the problem, in Kubernetes' wording where it has one.
    pub message: String,
    /// Machine-readable class of the problem.
    pub kind: ProblemKind,
}

impl std::fmt::Display for ConfigError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.path.is_empty() {
            f.write_str(&self.message)
        } else {
            write!(f, "{}: {}", self.path, self.message)
        }
    }
}

/// The problems found so far.
#[derive(Debug, Default)]
pub(crate) struct Errors(pub(super) Vec<ConfigError>);

impl Errors {
    pub(crate) fn push(&mut self, path: impl Into<String>, message: impl Into<String>) {
        self.push_with_kind(ProblemKind::Other, path, message);
    }

    /// Adds a problem with the given classification.
    pub(crate) fn push_with_kind(&mut self, kind: ProblemKind, path: impl Into<String>, message: impl Into<String>) {
        self.0.push(ConfigError {
            path: path.into(),
            message: message.into(),
            kind,
        });
    }

    pub(crate) fn push_invalid_value(&mut self, path: impl Into<String>, value: impl std::fmt::Display, message: &str) {
        self.push(path, format!("Invalid value: {value}: {message}"));
    }
}

/// A JSON object that is read field by field. [`Fields::finish`] reports the fields that were never read as
/// unknown.
pub(crate) struct Fields<'a> {
    pub(crate) path: String,
    map: Option<&'a Map<String, Value>>,
    seen: Vec<&'static str>,
}

impl<'a> Fields<'a> {
    pub(crate) fn new(value: &'a Value, path: &str, errors: &mut Errors) -> Self {
        let map = match value {
            Value::Object(map) => Some(map),
            Value::Null => None,
            _ => {
                errors.push(path, "must be an object");
                None
            }
        };
        Self {
            path: path.to_owned(),
            map,
            seen: Vec::new(),
        }
    }

    /// Returns the full path of a field of this object, for error messages.
    pub(crate) fn path_of(&self, name: &str) -> String {
        if self.path.is_empty() {
            name.to_owned()
        } else {
            format!("{}.{name}", self.path)
        }
    }

    pub(crate) fn get(&mut self, name: &'static str) -> Option<&'a Value> {
        self.seen.push(name);
        self.map?.get(name).filter(|value| !value.is_null())
    }

    pub(crate) fn integer(&mut self, name: &'static str, errors: &mut Errors) -> Option<i64> {
        let value = self.get(name)?;
        let number = value.as_i64();
        if number.is_none() {
            errors.push(self.path_of(name), format!("must be an integer, not {value}"));
        }
        number
    }

    pub(crate) fn boolean(&mut self, name: &'static str, errors: &mut Errors) -> Option<bool> {
        let value = self.get(name)?;
        if value.as_bool().is_none() {
            errors.push(self.path_of(name), format!("must be true or false, not {value}"));
        }
        value.as_bool()
    }

    pub(crate) fn string(&mut self, name: &'static str, errors: &mut Errors) -> Option<&'a str> {
        let value = self.get(name)?;
        if value.as_str().is_none() {
            errors.push(self.path_of(name), format!("must be a string, not {value}"));
        }
        value.as_str()
    }

    pub(crate) fn list(&mut self, name: &'static str, errors: &mut Errors) -> Option<&'a Vec<Value>> {
        let value = self.get(name)?;
        if value.as_array().is_none() {
            errors.push(self.path_of(name), "must be a list");
        }
        value.as_array()
    }

    pub(crate) fn strings(&mut self, name: &'static str, errors: &mut Errors) -> Vec<String> {
        let path = self.path_of(name);
        let mut out = Vec::new();
        for (index, value) in self.list(name, errors).into_iter().flatten().enumerate() {
            match value.as_str() {
                Some(text) => out.push(text.to_owned()),
                None => errors.push(format!("{path}[{index}]"), "must be a string"),
            }
        }
        out
    }

    pub(crate) fn finish(self, errors: &mut Errors) {
        for name in self.map.into_iter().flat_map(Map::keys) {
            if !self.seen.contains(&name.as_str()) {
                errors.push_with_kind(
                    ProblemKind::UnknownField,
                    "",
                    Rejection::Unknown(vec![self.path_of(name)]).to_string(),
                );
            }
        }
    }
}

const API_GROUP: &str = "kubescheduler.config.k8s.io";

pub(super) fn read(value: &Value) -> Result<SchedulerConfiguration, Vec<ConfigError>> {
    let mut errors = Errors::default();
    let mut config = SchedulerConfiguration::default();
    let mut fields = Fields::new(value, "", &mut errors);
    let api_version = fields
        .string("apiVersion", &mut errors)
        .unwrap_or("kubescheduler.config.k8s.io/v1");
    let kind = fields
        .string("kind", &mut errors)
        .unwrap_or("KubeSchedulerConfiguration");
    let version = api_version
        .strip_prefix(API_GROUP)
        .and_then(|rest| rest.strip_prefix('/'))
        .unwrap_or("");
    if kind != "KubeSchedulerConfiguration" || !matches!(version, "v1" | "v1beta3" | "v1alpha1") {
        errors.push(
            "",
            format!("no kind \"{kind}\" is registered for version \"{api_version}\" (expected {API_GROUP}/v1)"),
        );
        return Err(errors.0);
    }
    let mut alpha = AlphaFields::default();
    if version != "v1" {
        let served = format!("{API_GROUP}/v1");
        config.notices.push(sentence!(
            configuration::read_as,
            version = api_version,
            served = served
        ));
    }
    if version == "v1alpha1" {
        alpha = AlphaFields::read(&mut fields, &mut config, &mut errors);
    }
    read_numeric_settings(&mut fields, &mut config, &mut errors);
    for ignored in [
        "leaderElection",
        "clientConnection",
        "enableProfiling",
        "enableContentionProfiling",
        "delayCacheUntilActive",
        "metricsBindAddress",
        "healthzBindAddress",
    ] {
        fields.get(ignored);
    }
    read_extenders(&mut fields, &mut config, &mut errors);
    read_profiles(&mut fields, &mut config, version, &alpha, &mut errors);
    fields.finish(&mut errors);
    if errors.0.is_empty() { Ok(config) } else { Err(errors.0) }
}

fn read_numeric_settings(fields: &mut Fields<'_>, config: &mut SchedulerConfiguration, errors: &mut Errors) {
    if let Some(parallelism) = fields.integer("parallelism", errors) {
        config.parallelism = parallelism;
        if parallelism <= 0 {
            errors.push_invalid_value(
                "parallelism",
                parallelism,
                "should be an integer value greater than zero",
            );
        }
    }
    if let Some(percentage) = read_percentage(fields, errors) {
        config.percentage_of_nodes_to_score = percentage;
    }
    if let Some(seconds) = fields.integer("podInitialBackoffSeconds", errors) {
        config.pod_initial_backoff_seconds = seconds;
        if seconds <= 0 {
            errors.push_invalid_value("podInitialBackoffSeconds", seconds, "must be greater than 0");
        }
    }
    if let Some(seconds) = fields.integer("podMaxBackoffSeconds", errors) {
        config.pod_max_backoff_seconds = seconds;
    }
    if config.pod_max_backoff_seconds < config.pod_initial_backoff_seconds {
        errors.push_invalid_value(
            "podMaxBackoffSeconds",
            config.pod_max_backoff_seconds,
            "must be greater than or equal to PodInitialBackoffSeconds",
        );
    }
}

fn read_profiles(
    fields: &mut Fields<'_>,
    config: &mut SchedulerConfiguration,
    version: &str,
    alpha: &AlphaFields,
    errors: &mut Errors,
) {
    let list = fields.list("profiles", errors).map_or(&[][..], Vec::as_slice);
    config.profiles = if list.is_empty() {
        // An empty list is replaced by one default profile, like an absent list.
        let profile = read_profile(&Value::Null, "profiles[0]", true, version, alpha, errors);
        profile.into_iter().map(Arc::new).collect()
    } else {
        list.iter()
            .enumerate()
            .filter_map(|(index, value)| {
                let path = format!("profiles[{index}]");
                read_profile(value, &path, list.len() == 1, version, alpha, errors)
            })
            .map(Arc::new)
            .collect()
    };
    for (index, profile) in config.profiles.iter().enumerate() {
        let name = &profile.scheduler_name;
        if config.profiles[..index]
            .iter()
            .any(|other| other.scheduler_name == *name)
        {
            errors.push_with_kind(
                ProblemKind::Duplicate,
                format!("profiles[{index}].schedulerName"),
                format!("Duplicate value: \"{name}\""),
            );
        }
    }
}

fn read_percentage(fields: &mut Fields<'_>, errors: &mut Errors) -> Option<i64> {
    let percentage = fields.integer("percentageOfNodesToScore", errors)?;
    if !(0..=100).contains(&percentage) {
        let path = fields.path_of("percentageOfNodesToScore");
        errors.push_invalid_value(path, percentage, "not in valid range [0-100]");
    }
    Some(percentage)
}

/// Fields of `v1alpha1` that have other positions in v1 (S-08, S-16).
#[derive(Default)]
struct AlphaFields {
    scheduler_name: Option<String>,
    disable_preemption: bool,
    hard_pod_affinity_weight: Option<i64>,
    bind_timeout_seconds: Option<i64>,
}

impl AlphaFields {
    fn read(fields: &mut Fields<'_>, config: &mut SchedulerConfiguration, errors: &mut Errors) -> Self {
        let alpha = Self {
            scheduler_name: fields.string("schedulerName", errors).map(str::to_owned),
            disable_preemption: fields.boolean("disablePreemption", errors).unwrap_or(false),
            hard_pod_affinity_weight: fields.integer("hardPodAffinitySymmetricWeight", errors),
            bind_timeout_seconds: fields.integer("bindTimeoutSeconds", errors),
        };
        if alpha.disable_preemption {
            config.notices.push(sentence!(configuration::no_preemption));
        }
        if let Some(source) = fields.get("algorithmSource") {
            let provider = source.get("provider").and_then(Value::as_str);
            if source.get("policy").is_some() || provider.is_some_and(|name| name != "DefaultProvider") {
                errors.push("algorithmSource", "only provider DefaultProvider can be read as v1");
            } else {
                config.notices.push(sentence!(configuration::default_plugins));
            }
        }
        alpha
    }
}

fn read_extenders(fields: &mut Fields<'_>, config: &mut SchedulerConfiguration, errors: &mut Errors) {
    let mut n_binders = 0;
    let mut managed: Vec<String> = Vec::new();
    let list = fields.list("extenders", errors);
    for (index, value) in list.into_iter().flatten().enumerate() {
        let path = format!("extenders[{index}]");
        let mut extender = Fields::new(value, &path, errors);
        for known in [
            "urlPrefix",
            "filterVerb",
            "preemptVerb",
            "enableHTTPS",
            "tlsConfig",
            "httpTimeout",
        ] {
            extender.get(known);
        }
        for known in ["nodeCacheCapable", "ignorable"] {
            extender.boolean(known, errors);
        }
        let weight = extender.integer("weight", errors).unwrap_or(0);
        if extender
            .string("prioritizeVerb", errors)
            .is_some_and(|verb| !verb.is_empty())
            && weight <= 0
        {
            errors.push_invalid_value(
                format!("{path}.weight"),
                weight,
                "must have a positive weight applied to it",
            );
        }
        n_binders += usize::from(extender.string("bindVerb", errors).is_some_and(|verb| !verb.is_empty()));
        for (at, resource) in extender
            .list("managedResources", errors)
            .into_iter()
            .flatten()
            .enumerate()
        {
            let path = format!("{path}.managedResources[{at}]");
            let mut resource = Fields::new(resource, &path, errors);
            resource.boolean("ignoredByScheduler", errors);
            let name = resource.string("name", errors).unwrap_or("").to_owned();
            if !crate::resources::is_extended(&name) {
                errors.push_invalid_value(
                    format!("{path}.name"),
                    format!("\"{name}\""),
                    "must be an extended resource name",
                );
            }
            if managed.contains(&name) {
                errors.push_with_kind(
                    ProblemKind::Duplicate,
                    format!("{path}.name"),
                    format!("Duplicate value: \"{name}\""),
                );
            }
            managed.push(name);
            resource.finish(errors);
        }
        extender.finish(errors);
    }
    if n_binders > 1 {
        errors.push_invalid_value(
            "extenders",
            format!("found {n_binders} extenders implementing bind"),
            "only one extender can implement bind",
        );
    }
    if list.is_some_and(|list| !list.is_empty()) {
        config.notices.push(sentence!(configuration::extenders));
    }
}

fn read_profile(
    value: &Value,
    path: &str,
    is_only_profile: bool,
    version: &str,
    alpha: &AlphaFields,
    errors: &mut Errors,
) -> Option<Profile> {
    let mut fields = Fields::new(value, path, errors);
    let name = match fields.string("schedulerName", errors) {
        Some(name) if !name.is_empty() => name.to_owned(),
        Some(_) => {
            errors.push_with_kind(ProblemKind::Required, format!("{path}.schedulerName"), "Required value");
            String::new()
        }
        None if is_only_profile => alpha
            .scheduler_name
            .clone()
            .unwrap_or_else(|| DEFAULT_SCHEDULER_NAME.to_owned()),
        None => {
            errors.push_with_kind(ProblemKind::Required, format!("{path}.schedulerName"), "Required value");
            String::new()
        }
    };
    let percentage = read_percentage(&mut fields, errors);
    let mut plugins = PluginsSpec::default();
    if let Some(value) = fields.get("plugins") {
        plugins = read_plugins(value, &format!("{path}.plugins"), version, errors);
    }
    if alpha.disable_preemption {
        plugins.points[Point::PostFilter as usize]
            .disabled
            .push("DefaultPreemption".to_owned());
    }
    let mut args = Args::default();
    if let Some(weight) = alpha.hard_pod_affinity_weight {
        args.inter_pod_affinity.hard_pod_affinity_weight = weight;
    }
    if let Some(seconds) = alpha.bind_timeout_seconds {
        args.bind_timeout_seconds = seconds;
    }
    read_args(&mut fields, &mut args, errors);
    fields.finish(errors);
    match resolve_profile(&name, percentage, &plugins, args, path) {
        Ok(profile) => Some(profile),
        Err(more) => {
            for (path, message) in more {
                errors.push(path, message);
            }
            None
        }
    }
}

fn read_plugins(value: &Value, path: &str, version: &str, errors: &mut Errors) -> PluginsSpec {
    let mut spec = PluginsSpec::default();
    let mut fields = Fields::new(value, path, errors);
    if let Some(value) = fields.get("multiPoint") {
        spec.multi_point = read_plugin_set(value, &format!("{path}.multiPoint"), version, errors);
    }
    for (point, name) in Point::ALL {
        if let Some(value) = fields.get(name) {
            spec.points[point as usize] = read_plugin_set(value, &format!("{path}.{name}"), version, errors);
        }
    }
    fields.finish(errors);
    spec
}

/// Plugins that do not exist any more in v1.
const REMOVED_PLUGINS: [&str; 4] = ["AzureDiskLimits", "CinderLimits", "EBSLimits", "GCEPDLimits"];

fn read_plugin_set(value: &Value, path: &str, version: &str, errors: &mut Errors) -> PluginSetSpec {
    let mut set = PluginSetSpec::default();
    let mut fields = Fields::new(value, path, errors);
    for (list, is_enabled) in [("enabled", true), ("disabled", false)] {
        for (index, value) in fields.list(list, errors).into_iter().flatten().enumerate() {
            let path = format!("{path}.{list}[{index}]");
            let mut plugin = Fields::new(value, &path, errors);
            let name = plugin.string("name", errors).unwrap_or("").to_owned();
            let weight = plugin.integer("weight", errors).unwrap_or(0);
            plugin.finish(errors);
            if is_enabled && REMOVED_PLUGINS.contains(&name.as_str()) {
                if version == "v1" {
                    errors.push_invalid_value(&path, format!("\"{name}\""), "was removed in v1");
                }
            } else if is_enabled {
                set.enabled.push((name, weight));
            } else {
                set.disabled.push(name);
            }
        }
    }
    fields.finish(errors);
    set
}
