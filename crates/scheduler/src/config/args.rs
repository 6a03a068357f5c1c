//! `pluginConfig`: arguments of the plugins, their defaults and limits (SCH-134, SCH-136).

use std::sync::Arc;

use podscope_api::{NodeAffinity, TopologySpreadConstraint, UnsatisfiableAction};
use serde_json::Value;

use super::read::{Errors, Fields};
use super::{Args, Resource, ScoringStrategy, SpreadDefaulting, default_resources};
use crate::plugins::Plugin;

pub(super) fn read_args(profile: &mut Fields<'_>, args: &mut Args, errors: &mut Errors) {
    let base = profile.at("pluginConfig");
    let mut seen: Vec<String> = Vec::new();
    for (index, value) in profile.list("pluginConfig", errors).into_iter().flatten().enumerate() {
        let path = format!("{base}[{index}]");
        let mut entry = Fields::new(value, &path, errors);
        let name = entry.string("name", errors).unwrap_or("").to_owned();
        let value = entry.get("args");
        entry.finish(errors);
        if seen.contains(&name) {
            errors.push(path, format!("Duplicate value: \"{name}\""));
            continue;
        }
        seen.push(name.clone());
        // Arguments of plugins that do not exist are skipped (SCH-133).
        if let (Some(plugin), Some(value)) = (Plugin::from_name(&name), value) {
            read_one(plugin, value, &format!("{path}.args"), args, errors);
        }
    }
}

fn read_one(plugin: Plugin, value: &Value, path: &str, args: &mut Args, errors: &mut Errors) {
    let name = plugin.name();
    let mut fields = Fields::new(value, path, errors);
    fields.string("apiVersion", errors);
    if let Some(kind) = fields.string("kind", errors)
        && kind != format!("{name}Args")
    {
        errors.push(
            path,
            format!("args for plugin {name} were not of type {name}Args, got {kind}"),
        );
        return;
    }
    match plugin {
        Plugin::DefaultPreemption => {
            let (percentage, absolute) = (
                fields.integer("minCandidateNodesPercentage", errors),
                fields.integer("minCandidateNodesAbsolute", errors),
            );
            let preemption = &mut args.preemption;
            preemption.min_candidate_nodes_percentage = percentage.unwrap_or(preemption.min_candidate_nodes_percentage);
            preemption.min_candidate_nodes_absolute = absolute.unwrap_or(preemption.min_candidate_nodes_absolute);
            let (percentage, absolute) = (
                preemption.min_candidate_nodes_percentage,
                preemption.min_candidate_nodes_absolute,
            );
            if !(0..=100).contains(&percentage) {
                errors.invalid(
                    fields.at("minCandidateNodesPercentage"),
                    percentage,
                    "not in valid range [0, 100]",
                );
            }
            if absolute < 0 {
                errors.invalid(
                    fields.at("minCandidateNodesAbsolute"),
                    absolute,
                    "not in valid range [0, inf)",
                );
            }
            if percentage == 0 && absolute == 0 {
                errors.push(
                    path,
                    "cannot have both minCandidateNodesPercentage and minCandidateNodesAbsolute to be 0",
                );
            }
        }
        Plugin::InterPodAffinity => {
            if let Some(weight) = fields.integer("hardPodAffinityWeight", errors) {
                args.inter_pod_affinity.hard_pod_affinity_weight = weight;
                if !(0..=100).contains(&weight) {
                    errors.invalid(
                        fields.at("hardPodAffinityWeight"),
                        weight,
                        "not in valid range [0, 100]",
                    );
                }
            }
            if let Some(ignore) = fields.boolean("ignorePreferredTermsOfExistingPods", errors) {
                args.inter_pod_affinity.ignore_preferred_terms_of_existing_pods = ignore;
            }
        }
        Plugin::NodeAffinity => {
            if let Some(value) = fields.get("addedAffinity") {
                match podscope_api::wire::from_value::<NodeAffinity>(value) {
                    Ok(affinity) => args.added_affinity = Some(Arc::new(affinity)),
                    Err(error) => errors.push(fields.at("addedAffinity"), error),
                }
            }
        }
        Plugin::NodeResourcesFit => read_fit(&mut fields, args, errors),
        Plugin::BalancedAllocation => {
            if let Some(resources) = read_resources(&mut fields, errors) {
                for (index, resource) in resources.iter().enumerate() {
                    let at = format!("{path}.resources[{index}]");
                    if resource.weight != 1 {
                        errors.invalid(format!("{at}.weight"), resource.weight, "must be 1");
                    }
                    if resources[..index].iter().any(|other| other.name == resource.name) {
                        errors.push(format!("{at}.name"), format!("Duplicate value: \"{}\"", resource.name));
                    }
                }
                if !resources.is_empty() {
                    args.balanced_resources = resources;
                }
            }
        }
        Plugin::PodTopologySpread => read_spread(&mut fields, args, errors),
        Plugin::VolumeBinding => {
            if let Some(seconds) = fields.integer("bindTimeoutSeconds", errors) {
                args.bind_timeout_seconds = seconds;
                if seconds < 0 {
                    errors.invalid(
                        fields.at("bindTimeoutSeconds"),
                        seconds,
                        "invalid BindTimeoutSeconds, should not be a negative value",
                    );
                }
            }
            if fields.get("shape").is_some() {
                errors.push(
                    fields.at("shape"),
                    "unexpected field, remove it or turn on the feature gate StorageCapacityScoring",
                );
            }
        }
        Plugin::DynamicResources => {
            fields.get("filterTimeout");
        }
        _ => {}
    }
    fields.finish(errors);
}

fn read_resources(fields: &mut Fields<'_>, errors: &mut Errors) -> Option<Vec<Resource>> {
    let base = fields.at("resources");
    let list = fields.list("resources", errors)?;
    let mut out = Vec::new();
    for (index, value) in list.iter().enumerate() {
        let mut entry = Fields::new(value, &format!("{base}[{index}]"), errors);
        let name = entry.string("name", errors).unwrap_or("");
        let weight = entry.integer("weight", errors).unwrap_or(0);
        out.push(Resource {
            name: name.into(),
            weight: if weight == 0 { 1 } else { weight },
        });
        entry.finish(errors);
    }
    Some(out)
}

fn read_fit(fields: &mut Fields<'_>, args: &mut Args, errors: &mut Errors) {
    args.fit.ignored_resources = fields
        .strings("ignoredResources", errors)
        .iter()
        .map(|name| name.as_str().into())
        .collect();
    for (index, group) in fields.strings("ignoredResourceGroups", errors).iter().enumerate() {
        if group.contains('/') {
            errors.invalid(
                format!("{}[{index}]", fields.at("ignoredResourceGroups")),
                format!("\"{group}\""),
                "resource group name can't contain '/'",
            );
        }
        args.fit.ignored_resource_groups.push(group.as_str().into());
    }
    let Some(value) = fields.get("scoringStrategy") else {
        return;
    };
    let path = fields.at("scoringStrategy");
    let mut strategy = Fields::new(value, &path, errors);
    let kind = strategy.string("type", errors).unwrap_or("LeastAllocated").to_owned();
    let resources = read_resources(&mut strategy, errors)
        .filter(|resources| !resources.is_empty())
        .unwrap_or_else(default_resources);
    for (index, resource) in resources.iter().enumerate() {
        if !(1..=100).contains(&resource.weight) {
            errors.invalid(
                format!("{path}.resources[{index}].weight"),
                resource.weight,
                &format!("resource weight of {} not in valid range (0, 100]", resource.name),
            );
        }
    }
    let ratio = strategy.get("requestedToCapacityRatio");
    args.fit.strategy = match kind.as_str() {
        "LeastAllocated" | "" => ScoringStrategy::LeastAllocated(resources),
        "MostAllocated" => ScoringStrategy::MostAllocated(resources),
        "RequestedToCapacityRatio" => {
            let path = format!("{path}.requestedToCapacityRatio");
            let shape = match ratio {
                Some(value) => read_shape(value, &path, errors),
                None => {
                    errors.push(path, "Required value: the shape of the function");
                    Vec::new()
                }
            };
            ScoringStrategy::RequestedToCapacityRatio(resources, shape)
        }
        other => {
            errors.push(
                format!("{path}.type"),
                format!("scoring strategy {other} is not supported; use LeastAllocated, MostAllocated or RequestedToCapacityRatio"),
            );
            return;
        }
    };
    strategy.finish(errors);
}

fn read_shape(value: &Value, path: &str, errors: &mut Errors) -> Vec<(i64, i64)> {
    let mut fields = Fields::new(value, path, errors);
    let list = fields.list("shape", errors).map_or(&[][..], |list| list);
    let mut shape: Vec<(i64, i64)> = Vec::new();
    for (index, value) in list.iter().enumerate() {
        let at = format!("{path}.shape[{index}]");
        let mut point = Fields::new(value, &at, errors);
        let utilization = point.integer("utilization", errors).unwrap_or(0);
        let score = point.integer("score", errors).unwrap_or(0);
        point.finish(errors);
        if !(0..=100).contains(&utilization) {
            errors.invalid(format!("{at}.utilization"), utilization, "not in valid range [0-100]");
        }
        if !(0..=10).contains(&score) {
            errors.invalid(format!("{at}.score"), score, "not in valid range [0-10]");
        }
        if shape.last().is_some_and(|(last, _)| utilization <= *last) {
            errors.invalid(
                format!("{at}.utilization"),
                utilization,
                "utilization values must be sorted in increasing order",
            );
        }
        shape.push((utilization, score * 10));
    }
    if shape.is_empty() {
        errors.push(
            format!("{path}.shape"),
            "Required value: at least one point must be specified",
        );
    }
    fields.finish(errors);
    shape
}

fn read_spread(fields: &mut Fields<'_>, args: &mut Args, errors: &mut Errors) {
    let base = fields.at("defaultConstraints");
    let mut constraints: Vec<TopologySpreadConstraint> = Vec::new();
    for (index, value) in fields
        .list("defaultConstraints", errors)
        .into_iter()
        .flatten()
        .enumerate()
    {
        let at = format!("{base}[{index}]");
        let constraint: TopologySpreadConstraint = match podscope_api::wire::from_value(value) {
            Ok(constraint) => constraint,
            Err(error) => {
                errors.push(at, error);
                continue;
            }
        };
        if constraint.max_skew <= 0 {
            errors.invalid(
                format!("{at}.maxSkew"),
                constraint.max_skew,
                "not in valid range (0, inf)",
            );
        }
        if constraint.topology_key.is_empty() {
            errors.push(format!("{at}.topologyKey"), "Required value: can not be empty");
        }
        match &constraint.when_unsatisfiable {
            Some(UnsatisfiableAction::DoNotSchedule | UnsatisfiableAction::ScheduleAnyway) => {}
            Some(other) => errors.push(
                format!("{at}.whenUnsatisfiable"),
                format!("Unsupported value: \"{other}\": supported values: \"DoNotSchedule\", \"ScheduleAnyway\""),
            ),
            None => errors.push(format!("{at}.whenUnsatisfiable"), "Required value: can not be empty"),
        }
        if constraint.label_selector.is_some() {
            errors.push(
                format!("{at}.labelSelector"),
                "Forbidden: constraint must not define a selector, as they deduced for each pod",
            );
        }
        if constraints.iter().any(|other| {
            other.topology_key == constraint.topology_key && other.when_unsatisfiable == constraint.when_unsatisfiable
        }) {
            errors.push(
                &at,
                format!(
                    "Duplicate value: \"{{{}, {}}}\"",
                    constraint.topology_key,
                    constraint
                        .when_unsatisfiable
                        .as_ref()
                        .map_or("", |action| action.as_str())
                ),
            );
        }
        constraints.push(constraint);
    }
    match fields.string("defaultingType", errors).unwrap_or("System") {
        "List" => args.spread = SpreadDefaulting::List(constraints.into()),
        "System" => {
            if !constraints.is_empty() {
                errors.invalid(
                    fields.at("defaultingType"),
                    "\"System\"",
                    "when .defaultConstraints are not empty",
                );
            }
        }
        other => errors.push(
            fields.at("defaultingType"),
            format!("Unsupported value: \"{other}\": supported values: \"System\", \"List\""),
        ),
    }
}
