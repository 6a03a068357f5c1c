//! `NodeResourcesFit`: the node must have enough free resources for the pod's requests; scores nodes by their
//! utilization (SCH-053 to SCH-060).

use podscope_api::{CLASS_RESOURCE_PREFIX, DeviceClass, Kind, Object, Quantity, Str};
use podscope_messages::plugin as messages;
use serde_json::Value;

use super::Point::{Filter, PreFilter, PreScore, Score};
use super::resource_allocation::{Resource, ScoredResource, default_resources, read_resources, scored_resources};
use super::{ExtensionPoints, Plugin, PluginSpec, quotient};
use crate::cache::Cache;
use crate::config::{self, Errors, Fields};
use crate::cycle::{Cycle, CycleState};
use crate::decide::Decision;
use crate::node_info::{NodeIdx, NodeInfo};
use crate::pod_info::{Incoming, PodInfo};
use crate::queue::events::{Event, EventKind, WaitingPod};
use crate::resources::{Resources, is_extended};
use crate::rows::RowBounds;
use crate::status::{Code, Reason, Reasons, Status};
use crate::symbols::Symbol;

pub(super) const SPEC: PluginSpec = PluginSpec {
    weight: 1,
    events: &[
        EventKind::PodDelete,
        EventKind::PodScaleDown,
        EventKind::NodeAdd,
        EventKind::NodeAllocatable,
        EventKind::Add(Kind::DeviceClass),
        EventKind::Update(Kind::DeviceClass),
    ],
    about: Some(messages::node_resources_fit_about),
    refused: messages::node_resources_fit_refused,
    ..PluginSpec::new(
        "NodeResourcesFit",
        &[PreFilter, Filter, PreScore, Score],
        &NodeResourcesFit,
    )
};

/// The scoring strategy of NodeResourcesFit (SCH-058 to SCH-060).
#[derive(Debug, Clone, PartialEq)]
pub enum ScoringStrategy {
    /// Prefers nodes with low utilization.
    LeastAllocated(Vec<Resource>),
    /// Prefers nodes with high utilization.
    MostAllocated(Vec<Resource>),
    /// Scores by a piecewise linear function, given as points of (utilization in percent, score 0 to 100).
    RequestedToCapacityRatio(Vec<Resource>, Vec<(i64, i64)>),
}

impl ScoringStrategy {
    /// Returns the resources that the strategy scores.
    pub fn resources(&self) -> &[Resource] {
        match self {
            Self::LeastAllocated(resources)
            | Self::MostAllocated(resources)
            | Self::RequestedToCapacityRatio(resources, _) => resources,
        }
    }
}

/// The fields of NodeResourcesFitArgs.
#[derive(Debug, Clone, PartialEq)]
pub struct Args {
    /// Extended resources that Filter ignores.
    pub ignored_resources: Vec<Str>,
    /// Prefixes (before `/`) of extended resources that Filter ignores.
    pub ignored_resource_groups: Vec<Str>,
    pub strategy: ScoringStrategy,
}

impl Default for Args {
    fn default() -> Self {
        Self {
            ignored_resources: Vec::new(),
            ignored_resource_groups: Vec::new(),
            strategy: ScoringStrategy::LeastAllocated(default_resources()),
        }
    }
}

struct NodeResourcesFit;

impl ExtensionPoints for NodeResourcesFit {
    fn add_node_row_bounds(&self, incoming: &Incoming, bounds: &mut RowBounds) -> bool {
        let requested = &incoming.info.requests.requests;
        if !requested.scalars.is_empty() {
            return false;
        }
        let bound = |requested: i64| if requested > 0 { requested } else { i64::MIN };
        bounds.cpu = bound(requested.cpu);
        bounds.memory = bound(requested.memory);
        bounds.ephemeral = bound(requested.ephemeral);
        bounds.pods = 1;
        true
    }

    fn filter(&self, cycle: &Cycle<'_>, _: &CycleState, _: NodeIdx, node: &NodeInfo) -> Result<(), Status> {
        check_resources(cycle, node)
    }

    fn score(&self, cycle: &Cycle<'_>, _: &CycleState, feasible: &[NodeIdx], scores: &mut [i64]) -> bool {
        let scorer = Scorer::new(cycle);
        for (score, node) in scores.iter_mut().zip(feasible) {
            *score = scorer.score(cycle.cache, *node);
        }
        true
    }

    fn queueing_hint(&self, cache: &mut Cache, event: &Event<'_>, waiting: &WaitingPod<'_>) -> bool {
        let pod = &waiting.incoming.info;
        if let Some(Object::DeviceClass(class)) = event.new {
            return provides_new_requested_resource(cache, event.old, class, pod);
        }
        match (event.kind, &event.old_node, &event.new_node) {
            (EventKind::PodDelete, ..) => event.deleted_pod().is_some(),
            (EventKind::PodScaleDown, ..) => event.is_update_of_pod(waiting) || frees_requested_resource(event, pod),
            (_, Some(old), Some(new)) => fits_on_empty_node(new, pod) && allocatable_increased_for_pod(old, new, pod),
            (_, None, Some(new)) => fits_on_empty_node(new, pod),
            _ => false,
        }
    }

    fn read_args(&self, fields: &mut Fields<'_>, args: &mut config::Args, errors: &mut Errors) {
        read_fit_args(fields, &mut args.fit, errors);
    }

    fn refusal_text(&self, cache: &Cache, decision: &Decision, node: NodeIdx, status: &Status) -> String {
        explain_rejection(cache, decision, cache.node(node), status)
    }
}

/// Returns whether the pod requests an extended resource that the added or changed class provides and that the class
/// did not provide before (DRA-116).
fn provides_new_requested_resource(cache: &Cache, old: Option<&Object>, class: &DeviceClass, pod: &PodInfo) -> bool {
    let declared = class.spec.extended_resource_name.as_deref();
    let before = match old {
        Some(Object::DeviceClass(old)) => old.spec.extended_resource_name.as_deref(),
        _ => None,
    };
    let mut scalars = pod.requests.requests.scalars.iter();
    scalars.any(|(name, _)| {
        let name = &**cache.symbols.text(*name);
        let is_implicit = name.strip_prefix(CLASS_RESOURCE_PREFIX) == Some(&*class.metadata.name);
        (old.is_none() && is_implicit) || (declared == Some(name) && declared != before)
    })
}

/// Checks all resources of a node. The status lists every insufficient resource in kube-scheduler's order.
fn check_resources(cycle: &Cycle<'_>, node: &NodeInfo) -> Result<(), Status> {
    let requested = &cycle.incoming.info.requests.requests;
    let allocatable = &node.allocatable;
    let used = &node.requested;
    let has_too_many_pods = node.pods.len() as i64 + 1 > node.allowed_pods;
    let is_insufficient =
        |requested: i64, allocatable: i64, used: i64| requested > 0 && requested > allocatable.wrapping_sub(used);
    let cpu = is_insufficient(requested.cpu, allocatable.cpu, used.cpu);
    let memory = is_insufficient(requested.memory, allocatable.memory, used.memory);
    let ephemeral = is_insufficient(requested.ephemeral, allocatable.ephemeral, used.ephemeral);
    if !has_too_many_pods && !cpu && !memory && !ephemeral && requested.scalars.is_empty() {
        return Ok(());
    }
    let mut reasons = Vec::new();
    let mut unresolvable = false;
    if has_too_many_pods {
        reasons.push(Reason::Fixed("Too many pods"));
    }
    for (is_short, text, requested, allocatable) in [
        (cpu, "Insufficient cpu", requested.cpu, allocatable.cpu),
        (memory, "Insufficient memory", requested.memory, allocatable.memory),
        (
            ephemeral,
            "Insufficient ephemeral-storage",
            requested.ephemeral,
            allocatable.ephemeral,
        ),
    ] {
        if is_short {
            reasons.push(Reason::Fixed(text));
            unresolvable |= requested > allocatable;
        }
    }
    for (name, requested) in &requested.scalars {
        if *requested == 0 || is_ignored(cycle, *name) {
            continue;
        }
        let allocatable = allocatable.scalar(*name).unwrap_or(0);
        if allocatable == 0 && is_provided_by_devices(cycle.cache, *name) {
            continue;
        }
        if *requested > allocatable.wrapping_sub(used.scalar(*name).unwrap_or(0)) {
            reasons.push(Reason::Insufficient(*name));
            unresolvable |= *requested > allocatable;
        }
    }
    if reasons.is_empty() {
        return Ok(());
    }
    Err(Status {
        plugin: Some(Plugin::NodeResourcesFit),
        code: if unresolvable {
            Code::UnschedulableAndUnresolvable
        } else {
            Code::Unschedulable
        },
        reasons: match reasons.len() {
            1 => reasons.pop().map_or(Reasons::Many(Vec::new()), Reasons::One),
            _ => Reasons::Many(reasons),
        },
    })
}

/// Returns whether a device class provides an extended resource. If a node does not have the resource in its
/// allocatable, DynamicResources checks it instead (DRA-116).
fn is_provided_by_devices(cache: &Cache, name: Symbol) -> bool {
    cache.stores.class_of_resource(cache.symbols.text(name)).is_some()
}

/// Returns whether Filter ignores an extended resource (SCH-055).
fn is_ignored(cycle: &Cycle<'_>, name: Symbol) -> bool {
    let args = &cycle.profile.args.fit;
    if args.ignored_resources.is_empty() && args.ignored_resource_groups.is_empty() {
        return false;
    }
    let name = cycle.cache.symbols.text(name);
    let group = name.split('/').next().unwrap_or("");
    is_extended(name)
        && (args.ignored_resources.iter().any(|ignored| **ignored == **name)
            || args.ignored_resource_groups.iter().any(|ignored| **ignored == *group))
}

/// Returns whether the pod would fit if the node had no pods.
fn fits_on_empty_node(node: &NodeInfo, pod: &PodInfo) -> bool {
    let (requested, allocatable) = (&pod.requests.requests, &node.allocatable);
    node.allowed_pods >= 1
        && requested.cpu <= allocatable.cpu.max(0)
        && requested.memory <= allocatable.memory.max(0)
        && requested.ephemeral <= allocatable.ephemeral.max(0)
        && requested
            .scalars
            .iter()
            .all(|(name, amount)| *amount <= allocatable.scalar(*name).unwrap_or(0))
}

/// Returns whether a bound pod reduced its request of a resource that the waiting pod requests.
fn frees_requested_resource(event: &Event<'_>, pod: &PodInfo) -> bool {
    let (Some(old), Some(new)) = (&event.old_pod, &event.new_pod) else {
        return false;
    };
    new.pod.spec.node_name.is_some()
        && holds_for_any_requested_resource(
            &pod.requests.requests,
            &new.requests.requests,
            &old.requests.requests,
            |new, old| new < old,
        )
}

/// Returns whether the node's allocatable amount of a requested resource, or of pods, increased.
fn allocatable_increased_for_pod(old: &NodeInfo, new: &NodeInfo, pod: &PodInfo) -> bool {
    new.allowed_pods > old.allowed_pods
        || holds_for_any_requested_resource(
            &pod.requests.requests,
            &new.allocatable,
            &old.allocatable,
            |new, old| new > old,
        )
}

/// Returns whether `holds` returns true for the amounts in `a` and in `b` of any resource that the pod requests.
fn holds_for_any_requested_resource(
    requested: &Resources,
    a: &Resources,
    b: &Resources,
    holds: impl Fn(i64, i64) -> bool,
) -> bool {
    (requested.cpu > 0 && holds(a.cpu, b.cpu))
        || (requested.memory > 0 && holds(a.memory, b.memory))
        || (requested.ephemeral > 0 && holds(a.ephemeral, b.ephemeral))
        || requested.scalars.iter().any(|(name, requested)| {
            *requested > 0 && holds(a.scalar(*name).unwrap_or(0), b.scalar(*name).unwrap_or(0))
        })
}

/// Scores nodes by the profile's strategy.
pub(crate) struct Scorer<'a> {
    strategy: &'a ScoringStrategy,
    resources: Vec<ScoredResource>,
}

impl<'a> Scorer<'a> {
    /// Creates the scorer for the pod of a cycle.
    pub(crate) fn new(cycle: &Cycle<'a>) -> Self {
        let strategy = &cycle.profile.args.fit.strategy;
        let pod = &cycle.incoming.info.requests.scoring;
        Self {
            strategy,
            resources: scored_resources(cycle, strategy.resources(), pod),
        }
    }

    pub(crate) fn score(&self, cache: &Cache, node: NodeIdx) -> i64 {
        let (mut sum, mut weights) = (0_i64, 0_i64);
        let row = cache.row(node);
        for resource in &self.resources {
            let (requested, allocatable) = resource.requested_and_allocatable(cache, node, row, true);
            if allocatable == 0 {
                continue;
            }
            let score = match self.strategy {
                ScoringStrategy::LeastAllocated(_) => least_allocated_score(requested, allocatable),
                ScoringStrategy::MostAllocated(_) => percent(requested.min(allocatable), allocatable),
                ScoringStrategy::RequestedToCapacityRatio(_, shape) => {
                    let utilization = if requested > allocatable {
                        100
                    } else {
                        percent(requested, allocatable)
                    };
                    let score = interpolate_score(shape, utilization);
                    if score <= 0 {
                        continue;
                    }
                    score
                }
            };
            sum += score * resource.weight;
            weights += resource.weight;
        }
        if weights == 0 {
            return 0;
        }
        match self.strategy {
            // As Go's math.Round, rounds half away from zero.
            ScoringStrategy::RequestedToCapacityRatio(..) => libm::round(sum as f64 / weights as f64) as i64,
            _ => quotient(sum, weights),
        }
    }
}

/// Returns `part` as a percentage of `whole`; as in Go, wraps on overflow.
#[inline(always)]
fn percent(part: i64, whole: i64) -> i64 {
    quotient(part.wrapping_mul(100), whole)
}

fn least_allocated_score(requested: i64, allocatable: i64) -> i64 {
    if requested > allocatable {
        0
    } else {
        percent(allocatable.wrapping_sub(requested), allocatable)
    }
}

/// Interpolates linearly between the points of a shape (SCH-060). Utilization is in percent, scores are from 0 to 100.
fn interpolate_score(shape: &[(i64, i64)], utilization: i64) -> i64 {
    for (index, (x, y)) in shape.iter().enumerate() {
        if utilization <= *x {
            return match index.checked_sub(1).map(|before| shape[before]) {
                None => *y,
                Some((x0, y0)) => y0 + (y - y0) * (utilization - x0) / (x - x0),
            };
        }
    }
    shape.last().map_or(0, |(_, y)| *y)
}

fn read_fit_args(fields: &mut Fields<'_>, args: &mut Args, errors: &mut Errors) {
    args.ignored_resources = fields
        .strings("ignoredResources", errors)
        .iter()
        .map(|name| name.as_str().into())
        .collect();
    for (index, group) in fields.strings("ignoredResourceGroups", errors).iter().enumerate() {
        if group.contains('/') {
            errors.push_invalid_value(
                format!("{}[{index}]", fields.path_of("ignoredResourceGroups")),
                format!("\"{group}\""),
                "resource group name can't contain '/'",
            );
        }
        args.ignored_resource_groups.push(group.as_str().into());
    }
    let Some(value) = fields.get("scoringStrategy") else {
        return;
    };
    let path = fields.path_of("scoringStrategy");
    let mut strategy = Fields::new(value, &path, errors);
    let kind = strategy.string("type", errors).unwrap_or("LeastAllocated").to_owned();
    let resources = read_resources(&mut strategy, errors)
        .filter(|resources| !resources.is_empty())
        .unwrap_or_else(default_resources);
    for (index, resource) in resources.iter().enumerate() {
        if !(1..=100).contains(&resource.weight) {
            errors.push_invalid_value(
                format!("{path}.resources[{index}].weight"),
                resource.weight,
                &format!("resource weight of {} not in valid range (0, 100]", resource.name),
            );
        }
    }
    let ratio = strategy.get("requestedToCapacityRatio");
    if ratio.is_some() && kind != "RequestedToCapacityRatio" {
        errors.push(
            format!("{path}.requestedToCapacityRatio"),
            "Forbidden: must be nil when type is not RequestedToCapacityRatio",
        );
    }
    args.strategy = match kind.as_str() {
        "LeastAllocated" | "" => ScoringStrategy::LeastAllocated(resources),
        "MostAllocated" => ScoringStrategy::MostAllocated(resources),
        "RequestedToCapacityRatio" => {
            let path = format!("{path}.requestedToCapacityRatio");
            let shape = match ratio {
                Some(value) => read_shape(value, &path, errors),
                None => {
                    errors.push(
                        path,
                        "Required value: must be specified when type is RequestedToCapacityRatio",
                    );
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
            errors.push_invalid_value(format!("{at}.utilization"), utilization, "not in valid range [0-100]");
        }
        if !(0..=10).contains(&score) {
            errors.push_invalid_value(format!("{at}.score"), score, "not in valid range [0-10]");
        }
        if shape.last().is_some_and(|(last, _)| utilization <= *last) {
            errors.push_invalid_value(
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

fn format_amount(resource: &str, amount: i64) -> String {
    match resource {
        "cpu" => Quantity::from_milli(amount).to_string(),
        "memory" | "ephemeral-storage" => Quantity::from_bytes(amount).to_string(),
        _ => amount.to_string(),
    }
}

/// A function that reads the amount of one resource.
type ReadResourceAmount = Box<dyn Fn(&Resources) -> i64>;

fn explain_rejection(cache: &Cache, decision: &Decision, info: &NodeInfo, status: &Status) -> String {
    let requested = &decision.incoming.info.requests.requests;
    let mut parts = Vec::new();
    for reason in status.reasons.as_slice() {
        let (resource, read): (&str, ReadResourceAmount) = match reason {
            Reason::Fixed("Insufficient cpu") => ("cpu", Box::new(|amounts| amounts.cpu)),
            Reason::Fixed("Insufficient memory") => ("memory", Box::new(|amounts| amounts.memory)),
            Reason::Fixed("Insufficient ephemeral-storage") => {
                ("ephemeral-storage", Box::new(|amounts| amounts.ephemeral))
            }
            Reason::Insufficient(name) => {
                let name = *name;
                let read = move |amounts: &Resources| amounts.scalar(name).unwrap_or(0);
                (cache.symbols.text(name), Box::new(read))
            }
            Reason::Fixed("Too many pods") => {
                parts.push(format!("holds {} of {} pods", info.pods.len(), info.allowed_pods));
                continue;
            }
            other => {
                parts.push(other.text(&cache.symbols));
                continue;
            }
        };
        let (requested, allocatable, used) = (read(requested), read(&info.allocatable), read(&info.requested));
        parts.push(if requested > allocatable {
            format!(
                "has {} {resource} in all, the pod asks for {}",
                format_amount(resource, allocatable),
                format_amount(resource, requested)
            )
        } else {
            format!(
                "has {} of {} {resource} left, the pod asks for {}",
                format_amount(resource, (allocatable - used).max(0)),
                format_amount(resource, allocatable),
                format_amount(resource, requested)
            )
        });
    }
    parts.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shows: SCH-060
    #[test]
    fn ratio_shape_is_interpolated_between_points() {
        let bin_packing = [(0, 0), (100, 100)];
        let bent = [(0, 0), (40, 80), (100, 100)];
        for (shape, utilization, score) in [
            (&bin_packing[..], 0, 0),
            (&bin_packing[..], 37, 37),
            (&bent[..], 20, 40),
            (&bent[..], 70, 90),
            (&bent[..], 100, 100),
            (&[(50, 30)][..], 80, 30),
        ] {
            assert_eq!(
                interpolate_score(shape, utilization),
                score,
                "{shape:?} at {utilization}"
            );
        }
    }
}
