//! Computes the plugins of each extension point from the enabled and disabled lists (SCH-131, SCH-132, SCH-137).

use super::{Args, DEFAULT_SCHEDULER_NAME, Profile};
use crate::plugins::{COUNT, Plugin, Point, TABLE};

/// A plugin set as written in the document: enabled names with weights, and disabled names.
#[derive(Debug, Clone, Default)]
pub(super) struct PluginSetSpec {
    pub(super) enabled: Vec<(String, i64)>,
    pub(super) disabled: Vec<String>,
}

/// All plugin sets of a profile as written in the document.
#[derive(Debug, Clone, Default)]
pub(super) struct PluginsSpec {
    pub(super) multi_point: PluginSetSpec,
    pub(super) points: [PluginSetSpec; 12],
}

pub(super) fn default_profile() -> Profile {
    match resolve_profile(
        DEFAULT_SCHEDULER_NAME,
        None,
        &PluginsSpec::default(),
        Args::default(),
        "profiles[0]",
    ) {
        Ok(profile) => profile,
        Err(errors) => unreachable!("the default configuration is valid: {errors:?}"),
    }
}

/// Merges a custom set with the defaults. A disabled default is removed; a default that the custom set enables again is
/// replaced at its position.
fn merge_with_defaults(custom: &PluginSetSpec) -> Vec<(String, i64)> {
    let is_disabled = |name: &str| {
        custom
            .disabled
            .iter()
            .any(|disabled| disabled == name || disabled == "*")
    };
    let mut merged: Vec<(String, i64)> = Vec::new();
    let mut replaced = vec![false; custom.enabled.len()];
    for row in TABLE.iter().filter(|row| !is_disabled(row.name)) {
        match custom.enabled.iter().rposition(|(name, _)| name == row.name) {
            Some(index) => {
                replaced[index] = true;
                merged.push(custom.enabled[index].clone());
            }
            None => merged.push((row.name.to_owned(), row.weight)),
        }
    }
    let rest = custom.enabled.iter().zip(&replaced).filter(|(_, replaced)| !**replaced);
    merged.extend(rest.map(|(plugin, _)| plugin.clone()));
    merged
}

/// Returns an error, as `(path, message)`, if there is not exactly one QueueSort plugin, if there is no Bind plugin, or
/// if the total score could overflow.
fn validate_plugins(
    scheduler_name: &str,
    points: &[Vec<Plugin>; 12],
    weights: &[i64; COUNT],
    path: &str,
) -> Vec<(String, String)> {
    let mut errors = Vec::new();
    let n_sort = points[Point::QueueSort as usize].len();
    if n_sort != 1 {
        errors.push((
            format!("{path}.plugins.queueSort"),
            format!(
                "{} for profile with scheduler name \"{scheduler_name}\"",
                if n_sort == 0 {
                    "one queue sort plugin required"
                } else {
                    "only one queue sort plugin can be enabled"
                }
            ),
        ));
    }
    if points[Point::Bind as usize].is_empty() {
        errors.push((
            format!("{path}.plugins.bind"),
            format!("at least one bind plugin is needed for profile with scheduler name \"{scheduler_name}\""),
        ));
    }
    let total = points[Point::Score as usize].iter().try_fold(0_i64, |sum, plugin| {
        sum.checked_add(weights[*plugin as usize].checked_mul(100)?)
    });
    if total.is_none() {
        errors.push((
            format!("{path}.plugins.score"),
            "score plugins: total score of Score plugins could overflow".to_owned(),
        ));
    }
    errors
}

/// Builds a profile from its plugin sets.
///
/// # Errors
/// Returns `(path, message)` of each problem that makes kube-scheduler exit at start.
pub(super) fn resolve_profile(
    scheduler_name: &str,
    percentage: Option<i64>,
    spec: &PluginsSpec,
    args: Args,
    path: &str,
) -> Result<Profile, Vec<(String, String)>> {
    let mut errors = Vec::new();
    let multi_point = merge_with_defaults(&spec.multi_point);
    let mut lookup = |name: &str, at: &str| {
        let found = Plugin::from_name(name);
        if found.is_none() {
            errors.push((
                format!("{path}.plugins.{at}"),
                format!("{at} plugin \"{name}\" does not exist"),
            ));
        }
        found
    };
    let multi: Vec<(Plugin, i64)> = multi_point
        .iter()
        .filter_map(|(name, weight)| lookup(name, "multiPoint").map(|plugin| (plugin, *weight)))
        .collect();
    let mut weights = [0_i64; COUNT];
    let mut points: [Vec<Plugin>; 12] = Default::default();
    let mut point_errors = Vec::new();
    let point_error = |at: &str, text: String| (format!("{path}.plugins.{at}"), text);
    for (point, at) in Point::ALL {
        let set = &spec.points[point as usize];
        let mut own: Vec<Plugin> = Vec::new();
        for (name, weight) in &set.enabled {
            let Some(plugin) = lookup(name, at) else { continue };
            if !plugin.implements(point) {
                point_errors.push(point_error(
                    at,
                    format!("plugin \"{name}\" does not extend {at} plugin"),
                ));
            } else if own.contains(&plugin) {
                point_errors.push(point_error(
                    at,
                    format!("plugin \"{name}\" already registered as \"{at}\""),
                ));
            } else {
                own.push(plugin);
                if point == Point::Score {
                    weights[plugin as usize] = if *weight == 0 { 1 } else { *weight };
                }
            }
        }
        let mut from_multi: Vec<Plugin> = Vec::new();
        if !set.disabled.iter().any(|name| name == "*") {
            for (plugin, _) in &multi {
                let disabled = set.disabled.iter().any(|name| name == plugin.name());
                if plugin.implements(point) && !disabled {
                    if from_multi.contains(plugin) {
                        let text = format!("plugin \"{}\" already registered as \"{at}\"", plugin.name());
                        point_errors.push(point_error("multiPoint", text));
                    } else {
                        from_multi.push(*plugin);
                    }
                }
            }
        }
        let overriding = own.iter().filter(|plugin| from_multi.contains(plugin));
        let remaining = from_multi.iter().filter(|plugin| !own.contains(plugin));
        let specific = own.iter().filter(|plugin| !from_multi.contains(plugin));
        points[point as usize] = overriding.chain(remaining).chain(specific).copied().collect();
    }
    for (plugin, weight) in &multi {
        let slot = &mut weights[*plugin as usize];
        if *slot == 0 {
            *slot = if *weight == 0 { 1 } else { *weight };
        }
    }
    errors.extend(point_errors);
    errors.extend(validate_plugins(scheduler_name, &points, &weights, path));
    if errors.is_empty() {
        Ok(Profile {
            scheduler_name: scheduler_name.into(),
            percentage_of_nodes_to_score: percentage,
            points,
            weights,
            args,
        })
    } else {
        Err(errors)
    }
}
