//! `PodTopologySpread`: pods spread over domains, as a rule and as a wish (SCH-071 to SCH-083).

use std::sync::Arc;

use podscope_api::{self as api, TopologySpreadConstraint, UnsatisfiableAction};

use super::Point::{Filter, PreFilter as AtPreFilter, PreScore, Score};
use super::{ExtensionPoints, Plugin, Row, quotient};
use crate::cache::Cache;
use crate::config::{Args, Errors, Fields, Profile};
use crate::counters::Question;
use crate::cycle::{Cycle, CycleState, PreFilter, Search};
use crate::decide::Decision;
use crate::node_info::{NodeIdx, NodeInfo};
use crate::pod_info::{Incoming, PodInfo, PodMatcher, SpreadConstraint, spread_constraint};
use crate::queue::events::{Event, EventKind, Waiting};
use crate::selector::{Selector, label};
use crate::status::{Code, Status};
use crate::symbols::Symbol;
use crate::topology::{Domain, NONE, TopologyKey};

pub(super) const ROW: Row = Row {
    weight: 2,
    follows_pods: true,
    events: &[
        EventKind::PodAdd,
        EventKind::PodDelete,
        EventKind::PodLabel,
        EventKind::PodToleration,
        EventKind::NodeAdd,
        EventKind::NodeDelete,
        EventKind::NodeLabel,
        EventKind::NodeTaint,
    ],
    about: "pods spread over domains",
    refused: "against its spread constraints",
    ..Row::new(
        "PodTopologySpread",
        &[AtPreFilter, Filter, PreScore, Score],
        &PodTopologySpread,
    )
};

/// The skew would be too large.
pub const REASON: &str = "node(s) didn't match pod topology spread constraints";
/// The node has no such domain.
pub const REASON_LABEL: &str = "node(s) didn't match pod topology spread constraints (missing required label)";

/// Its arguments: the constraints of pods without their own.
#[derive(Debug, Clone, PartialEq)]
pub enum Defaulting {
    /// The built-in soft constraints (SCH-073).
    System(Arc<[TopologySpreadConstraint]>),
    /// These.
    List(Arc<[TopologySpreadConstraint]>),
}

impl Default for Defaulting {
    fn default() -> Self {
        Self::System(system_defaults())
    }
}

impl Defaulting {
    fn constraints(&self) -> Arc<[TopologySpreadConstraint]> {
        match self {
            Self::System(constraints) | Self::List(constraints) => constraints.clone(),
        }
    }
}

struct PodTopologySpread;

impl ExtensionPoints for PodTopologySpread {
    fn pre_filter(&self, search: &Search<'_>, cache: &mut Cache, state: &mut CycleState) -> Result<PreFilter, Status> {
        state.spread = count_domains(cache, search.profile, search.incoming)?;
        Ok(PreFilter::run_if(state.spread.is_some()))
    }

    fn pod_changed(&self, cycle: &Cycle<'_>, state: &mut CycleState, pod: &PodInfo, node: NodeIdx, delta: i64) {
        if let Some(state) = &mut state.spread {
            state.update(cycle, pod, node, delta);
        }
    }

    /// Constraints in order, the first failure wins (SCH-077).
    fn filter(&self, cycle: &Cycle<'_>, state: &CycleState, node: NodeIdx, _: &NodeInfo) -> Result<(), Status> {
        let state = CycleState::kept(Plugin::PodTopologySpread, state.spread.as_ref())?;
        for (index, constraint) in state.constraints.iter().enumerate() {
            let domain = cycle.cache.topology.key(constraint.key).domain(node);
            if domain == NONE {
                return Err(Status::unresolvable(Plugin::PodTopologySpread, REASON_LABEL));
            }
            let count = state.count(index, domain).unwrap_or(0);
            if count + state.self_match(index) - state.min(index) > constraint.max_skew {
                return Err(Status::unschedulable(Plugin::PodTopologySpread, REASON));
            }
        }
        Ok(())
    }

    fn pre_score(
        &self,
        search: &Search<'_>,
        cache: &mut Cache,
        state: &mut CycleState,
        feasible: &[NodeIdx],
    ) -> Result<bool, Status> {
        state.spread_score = weigh_domains(cache, search.profile, search.incoming, feasible)?;
        Ok(state.spread_score.is_some())
    }

    /// The weighted counts, so that fewer is better after Normalize (SCH-082).
    fn score(&self, cycle: &Cycle<'_>, state: &CycleState, feasible: &[NodeIdx], scores: &mut [i64]) -> bool {
        let Some(state) = &state.spread_score else {
            return false;
        };
        for (at, (score, node)) in scores.iter_mut().zip(feasible).enumerate() {
            *score = state.of_node(cycle.cache, at, *node);
        }
        true
    }

    fn normalize(&self, state: &CycleState, scores: &mut [i64]) {
        if let Some(state) = &state.spread_score {
            state.normalize(scores);
        }
    }

    fn hint(&self, cache: &mut Cache, event: &Event<'_>, waiting: &Waiting<'_>) -> bool {
        let Ok(constraints) = constraints(cache, waiting.profile, waiting.incoming, true) else {
            // A hint that fails queues.
            return true;
        };
        if event.new_pod.is_some() || event.old_pod.is_some() {
            may_change_counts(&constraints, event, waiting)
        } else {
            may_change_domains(&constraints, event)
        }
    }

    fn read_args(&self, fields: &mut Fields<'_>, args: &mut Args, errors: &mut Errors) {
        let constraints = read_constraints(fields, errors);
        match fields.string("defaultingType", errors).unwrap_or("System") {
            "List" => args.spread = Defaulting::List(constraints.into()),
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

    fn refusal(&self, cache: &Cache, decision: &Decision, node: NodeIdx, status: &Status) -> String {
        in_words(cache, decision, node).unwrap_or_else(|| status.message(&cache.symbols))
    }
}

/// Whether a pod's event may change what a constraint counts.
fn may_change_counts(constraints: &[SpreadConstraint], event: &Event<'_>, waiting: &Waiting<'_>) -> bool {
    let own = &waiting.incoming.info;
    let Some(other) = event.new_pod.as_ref().or(event.old_pod.as_ref()) else {
        return false;
    };
    let is_self = other.uid == own.uid;
    if !is_self && (!other.is_bound_or_nominated() || other.namespace != own.namespace) {
        return false;
    }
    let matches = |pod: &PodInfo| -> Vec<bool> {
        let matches = constraints
            .iter()
            .map(|constraint| constraint.selector.matches(&pod.labels));
        matches.collect()
    };
    match (&event.old_pod, &event.new_pod) {
        (Some(old), Some(new)) => {
            let honors = constraints.iter().any(|constraint| constraint.honor_taints);
            (is_self && honors && old.pod.spec.tolerations != new.pod.spec.tolerations) || matches(old) != matches(new)
        }
        (Some(one), None) | (None, Some(one)) => matches(one).contains(&true),
        (None, None) => false,
    }
}

/// Whether a node's event may change which domains there are.
fn may_change_domains(constraints: &[SpreadConstraint], event: &Event<'_>) -> bool {
    let has_keys = |node: &NodeInfo| {
        constraints
            .iter()
            .all(|constraint| label(&node.labels, constraint.key_symbol).is_some())
    };
    match (&event.old_node, &event.new_node) {
        (Some(old), Some(new)) => {
            let value_changed = constraints.iter().any(|constraint| {
                label(&old.labels, constraint.key_symbol) != label(&new.labels, constraint.key_symbol)
            });
            has_keys(old) != has_keys(new) || (has_keys(new) && (value_changed || old.taints != new.taints))
        }
        (Some(one), None) | (None, Some(one)) => has_keys(one),
        (None, None) => false,
    }
}

/// A domain that no qualifying node registered.
const UNREGISTERED: i64 = i64::MIN;

/// Counts per domain, and the smallest.
#[derive(Debug, Clone, Default)]
pub struct FilterState {
    /// The hard constraints, in order.
    pub constraints: Vec<SpreadConstraint>,
    self_match: Vec<bool>,
    counts: Vec<Vec<i64>>,
    n_domains: Vec<usize>,
    paths: Vec<CriticalPaths>,
}

/// The two domains with the smallest counts, as kube-scheduler tracks them (SCH-076).
type CriticalPaths = [(Domain, i64); 2];

fn update_paths(paths: &mut CriticalPaths, domain: Domain, count: i64) {
    if let Some(at) = paths.iter().position(|(known, _)| *known == domain) {
        paths[at].1 = count;
        if paths[0].1 > paths[1].1 {
            paths.swap(0, 1);
        }
    } else if count < paths[0].1 {
        paths[1] = paths[0];
        paths[0] = (domain, count);
    } else if count < paths[1].1 {
        paths[1] = (domain, count);
    }
}

/// Own constraints of one kind, else the profile's defaults (SCH-071, SCH-073, SCH-074).
fn constraints(
    cache: &mut Cache,
    profile: &Profile,
    incoming: &Incoming,
    hard: bool,
) -> Result<Vec<SpreadConstraint>, String> {
    if let Some(error) = &incoming.spread_error {
        return Err(error.clone());
    }
    if !incoming.info.pod.spec.topology_spread_constraints.is_empty() {
        return Ok(incoming.spread.iter().filter(|own| own.hard == hard).cloned().collect());
    }
    let defaults = profile.args.spread.constraints();
    let wanted: Vec<(usize, &api::TopologySpreadConstraint)> = defaults
        .iter()
        .enumerate()
        .filter(|(_, from)| (from.when_unsatisfiable != Some(api::UnsatisfiableAction::ScheduleAnyway)) == hard)
        .collect();
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let selector = default_selector(cache, &incoming.info);
    if selector.is_empty() {
        return Ok(Vec::new());
    }
    wanted
        .into_iter()
        .map(|(index, from)| {
            let mut constraint = spread_constraint(cache, &incoming.info, index, from)?;
            constraint.selector = selector.clone();
            Ok(constraint)
        })
        .collect()
}

/// The merged selectors of what selects the pod (SCH-074).
fn default_selector(cache: &mut Cache, pod: &PodInfo) -> Selector {
    let meta = &pod.pod.metadata;
    let mut map = podscope_api::ordered::Map::new();
    for service in cache.stores.services.in_namespace(&meta.namespace) {
        if let Some(selector) = &service.spec.selector
            && selector.iter().all(|(key, value)| meta.labels.get(key) == Some(value))
        {
            map.extend(selector.iter().map(|(key, value)| (key.clone(), value.clone())));
        }
    }
    let owned: Option<api::LabelSelector> = meta.controller_ref().and_then(|owner| {
        let key = api::ObjectKey::new(meta.namespace.clone(), owner.name.clone());
        match (&*owner.api_version, &*owner.kind) {
            ("v1", "ReplicationController") => {
                let controller = cache.stores.replication_controllers.get(&key)?;
                map.extend(
                    controller
                        .spec
                        .selector
                        .iter()
                        .map(|(key, value)| (key.clone(), value.clone())),
                );
                None
            }
            ("apps/v1", "ReplicaSet") => cache.stores.replica_sets.get(&key)?.spec.selector.clone(),
            ("apps/v1", "StatefulSet") => cache.stores.stateful_sets.get(&key)?.spec.selector.clone(),
            _ => None,
        }
    });
    let selector = Selector::from_map(&mut cache.symbols, &map);
    match owned.map(|owned| Selector::compile(&mut cache.symbols, Some(&owned))) {
        Some(Ok(owned)) => selector.and(&owned),
        _ => selector,
    }
}

/// Pods of the pod's namespace that a selector counts, by node index. Missing ones are 0.
fn matching_pods(cache: &mut Cache, pod: &PodInfo, selector: &Selector) -> Arc<Vec<u32>> {
    // An empty selector matches everything but counts nothing (SCH-072).
    if selector.is_empty() || *selector == Selector::Nothing {
        return Arc::default();
    }
    let question = Question {
        all_of: vec![PodMatcher {
            namespaces: vec![pod.namespace],
            namespace_selector: Selector::Nothing,
            selector: selector.clone(),
        }],
        terminating_too: false,
    };
    cache.ask(question)
}

fn count_on(counts: &[u32], node: NodeIdx) -> i64 {
    counts.get(node as usize).map_or(0, |count| i64::from(*count))
}

/// Whether a node counts for a constraint (SCH-075).
fn includes(cache: &Cache, incoming: &Incoming, constraint: &SpreadConstraint, node: &NodeInfo) -> bool {
    (!constraint.honor_affinity || incoming.required.matches(&cache.symbols, node))
        && (!constraint.honor_taints || incoming.first_untolerated(node).is_none())
}

/// Pods by domain of a constraint, over the nodes that count for it and have all of `required`. A domain
/// without such a node is [`UNREGISTERED`]; the last number is for nodes without the label.
fn sums(
    cache: &Cache,
    incoming: &Incoming,
    constraint: &SpreadConstraint,
    required: &[&TopologyKey],
    pods: &[u32],
) -> Vec<i64> {
    let key = cache.topology.key(constraint.key);
    let n_nodes = cache.order().len();
    let always = (!constraint.honor_affinity || incoming.required.is_absent()) && !constraint.honor_taints;
    if always && key.is_on_all(n_nodes) && required.iter().all(|key| key.is_on_all(n_nodes)) {
        let registered = |n_nodes: &u32| if *n_nodes == 0 { UNREGISTERED } else { 0 };
        let mut sums: Vec<i64> = key.n_nodes().iter().map(registered).collect();
        key.add_up(pods, 1, &mut sums);
        sums.push(UNREGISTERED);
        return sums;
    }
    let mut sums = vec![UNREGISTERED; key.n_domains() + 1];
    for node in cache.order() {
        if required.iter().any(|key| key.domain(*node) == NONE) {
            continue;
        }
        if !always && !includes(cache, incoming, constraint, cache.node(*node)) {
            continue;
        }
        let sum = &mut sums[key.slot(*node)];
        *sum = (*sum).max(0) + count_on(pods, *node);
    }
    sums
}

/// Counts every domain for the hard constraints; `None` without one.
fn count_domains(cache: &mut Cache, profile: &Profile, incoming: &Incoming) -> Result<Option<FilterState>, Status> {
    let constraints = constraints(cache, profile, incoming, true)
        .map_err(|error| Status::text(Plugin::PodTopologySpread, Code::Error, error))?;
    if constraints.is_empty() {
        return Ok(None);
    }
    let mut state = FilterState {
        self_match: constraints
            .iter()
            .map(|constraint| constraint.selector.matches(&incoming.info.labels))
            .collect(),
        ..FilterState::default()
    };
    let pods: Vec<Arc<Vec<u32>>> = constraints
        .iter()
        .map(|constraint| matching_pods(cache, &incoming.info, &constraint.selector))
        .collect();
    let required: Vec<_> = constraints
        .iter()
        .map(|constraint| cache.topology.key(constraint.key))
        .collect();
    for (constraint, pods) in constraints.iter().zip(&pods) {
        let counts = sums(cache, incoming, constraint, &required, pods);
        let mut paths = [(NONE, i64::MAX); 2];
        let mut n_domains = 0;
        for (domain, count) in counts.iter().enumerate() {
            if *count != UNREGISTERED {
                n_domains += 1;
                update_paths(&mut paths, domain as Domain, *count);
            }
        }
        state.counts.push(counts);
        state.paths.push(paths);
        state.n_domains.push(n_domains);
    }
    state.constraints = constraints;
    Ok(Some(state))
}

impl FilterState {
    /// AddPod (`1`) and RemovePod (`-1`): neither termination nor an empty selector is looked at (SCH-078).
    fn update(&mut self, cycle: &Cycle<'_>, pod: &PodInfo, node: NodeIdx, delta: i64) {
        if pod.namespace != cycle.incoming.info.namespace {
            return;
        }
        let cache = cycle.cache;
        let domain_of = |constraint: &SpreadConstraint| cache.topology.key(constraint.key).domain(node);
        if self.constraints.iter().any(|constraint| domain_of(constraint) == NONE) {
            return;
        }
        for (index, constraint) in self.constraints.iter().enumerate() {
            if !constraint.selector.matches(&pod.labels)
                || !includes(cache, cycle.incoming, constraint, cache.node(node))
            {
                continue;
            }
            let domain = domain_of(constraint);
            let count = &mut self.counts[index][domain as usize];
            *count = if *count == UNREGISTERED { delta } else { *count + delta };
            update_paths(&mut self.paths[index], domain, *count);
        }
    }
    /// Whether a placed pod is counted by a hard constraint.
    pub(crate) fn counts_pod(&self, cycle: &Cycle<'_>, pod: &PodInfo) -> bool {
        pod.namespace == cycle.incoming.info.namespace
            && self
                .constraints
                .iter()
                .any(|constraint| constraint.selector.matches(&pod.labels))
    }
    /// What [`FilterState::update`] cannot undo exactly by itself.
    pub(crate) fn save(&self) -> Vec<[(Domain, i64); 2]> {
        self.paths.clone()
    }
    pub(crate) fn restore(&mut self, paths: Vec<[(Domain, i64); 2]>) {
        self.paths = paths;
    }
    /// The smallest count of a constraint, 0 below minDomains (SCH-076).
    pub fn min(&self, index: usize) -> i64 {
        if self.n_domains[index] < self.constraints[index].min_domains {
            0
        } else {
            self.paths[index][0].1
        }
    }
    /// The count of a domain; `None` if no qualifying node is in it.
    pub fn count(&self, index: usize, domain: Domain) -> Option<i64> {
        self.counts[index]
            .get(domain as usize)
            .copied()
            .filter(|count| *count != UNREGISTERED)
    }
    /// 1 where the pod counts itself.
    pub fn self_match(&self, index: usize) -> i64 {
        i64::from(self.self_match[index])
    }
}

/// What Score needs: soft constraints, domain sums, weights.
#[derive(Debug, Clone, Default)]
pub struct ScoreState {
    /// The soft constraints, in order.
    pub constraints: Vec<SpreadConstraint>,
    /// ln(size + 2) for each (SCH-081).
    pub weights: Vec<f64>,
    counts: Vec<Counts>,
    ignored: Vec<bool>,
}

#[derive(Debug, Clone)]
enum Counts {
    /// By domain.
    ByDomain(Vec<i64>),
    /// By node index.
    ByNode(Arc<Vec<u32>>),
}

/// Counts and weighs the domains of the feasible nodes for the soft constraints; `None` without one.
fn weigh_domains(
    cache: &mut Cache,
    profile: &Profile,
    incoming: &Incoming,
    feasible: &[NodeIdx],
) -> Result<Option<ScoreState>, Status> {
    let constraints = constraints(cache, profile, incoming, false)
        .map_err(|error| Status::text(Plugin::PodTopologySpread, Code::Error, error))?;
    if constraints.is_empty() {
        return Ok(None);
    }
    let own = !incoming.info.pod.spec.topology_spread_constraints.is_empty();
    let require_all = own || matches!(profile.args.spread, Defaulting::List(_));
    let pods: Vec<Arc<Vec<u32>>> = constraints
        .iter()
        .map(|constraint| matching_pods(cache, &incoming.info, &constraint.selector))
        .collect();
    let cache = &*cache;
    let keys: Vec<_> = constraints
        .iter()
        .map(|constraint| cache.topology.key(constraint.key))
        .collect();
    let lacks_key = |node: NodeIdx| require_all && keys.iter().any(|key| key.domain(node) == NONE);
    let ignored: Vec<bool> = feasible.iter().map(|node| lacks_key(*node)).collect();
    let n_ignored = ignored.iter().filter(|ignored| **ignored).count();
    let mut weights = Vec::new();
    let mut counts = Vec::new();
    for (index, (constraint, pods)) in constraints.iter().zip(pods).enumerate() {
        if constraint.key_symbol == Symbol::HOSTNAME {
            weights.push(libm::log((feasible.len() - n_ignored + 2) as f64));
            counts.push(Counts::ByNode(pods));
            continue;
        }
        let key = keys[index];
        let required = if require_all { &keys[..] } else { &[] };
        let all = sums(cache, incoming, constraint, required, &pods);
        // Only the domains of feasible nodes count.
        let mut of_feasible = vec![0; all.len()];
        let mut size = 0;
        let mut is_known = vec![false; all.len()];
        for (node, _) in feasible.iter().zip(&ignored).filter(|(_, ignored)| !**ignored) {
            let slot = key.slot(*node);
            if !is_known[slot] {
                is_known[slot] = true;
                of_feasible[slot] = all[slot].max(0);
                size += 1;
            }
        }
        weights.push(libm::log((size + 2) as f64));
        counts.push(Counts::ByDomain(of_feasible));
    }
    Ok(Some(ScoreState {
        constraints,
        weights,
        counts,
        ignored,
    }))
}

impl ScoreState {
    /// The count a node's domain has for a constraint; `None` without the label.
    pub fn count(&self, cache: &Cache, index: usize, node: NodeIdx) -> Option<i64> {
        let domain = cache.topology.key(self.constraints[index].key).domain(node);
        if domain == NONE {
            return None;
        }
        Some(match &self.counts[index] {
            Counts::ByNode(pods) => count_on(pods, node),
            Counts::ByDomain(sums) => sums[domain as usize],
        })
    }

    fn of_node(&self, cache: &Cache, position: usize, node: NodeIdx) -> i64 {
        if self.ignored[position] {
            return 0;
        }
        let mut score = 0.0_f64;
        for (index, constraint) in self.constraints.iter().enumerate() {
            if let Some(count) = self.count(cache, index, node) {
                score += count as f64 * self.weights[index] + (constraint.max_skew - 1) as f64;
            }
        }
        libm::round(score) as i64
    }

    /// SCH-083.
    fn normalize(&self, scores: &mut [i64]) {
        let (mut min, mut max) = (i64::MAX, i64::MIN);
        for (score, ignored) in scores.iter().zip(&self.ignored) {
            if !ignored {
                min = min.min(*score);
                max = max.max(*score);
            }
        }
        for (score, ignored) in scores.iter_mut().zip(&self.ignored) {
            *score = match (ignored, max) {
                (true, _) => 0,
                (false, 0) => 100,
                (false, max) => quotient(100 * (max + min - *score), max),
            };
        }
    }
}

/// The built-in default constraints (SCH-073).
fn system_defaults() -> Arc<[api::TopologySpreadConstraint]> {
    let soft = |key: &str, max_skew| api::TopologySpreadConstraint {
        max_skew,
        topology_key: key.into(),
        when_unsatisfiable: Some(api::UnsatisfiableAction::ScheduleAnyway),
        ..api::TopologySpreadConstraint::default()
    };
    vec![
        soft("kubernetes.io/hostname", 3),
        soft("topology.kubernetes.io/zone", 5),
    ]
    .into()
}

fn read_constraints(fields: &mut Fields<'_>, errors: &mut Errors) -> Vec<TopologySpreadConstraint> {
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
    constraints
}

/// Which constraint a node breaks, with its numbers.
fn in_words(cache: &Cache, decision: &Decision, node: NodeIdx) -> Option<String> {
    let state = decision.state.spread()?;
    for (at, constraint) in state.constraints.iter().enumerate() {
        let key = cache.topology.key(constraint.key);
        let label = cache.symbols.text(constraint.key_symbol);
        let domain = key.domain(node);
        if domain == NONE {
            return Some(format!("has no label {label}, over which the pod wants to be spread"));
        }
        let count = state.count(at, domain).unwrap_or(0);
        let (own, min) = (state.self_match(at), state.min(at));
        let skew = count + own - min;
        if skew > constraint.max_skew {
            let value = cache.symbols.text(key.values[domain as usize]);
            return Some(format!(
                "{label}={value} would have {} matching pods where the fewest is {min}: a skew of {skew}, and {} is allowed",
                count + own,
                constraint.max_skew
            ));
        }
    }
    None
}
