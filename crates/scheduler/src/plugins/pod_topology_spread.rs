//! `PodTopologySpread`: spreads pods over topology domains, by hard and soft constraints (SCH-071 to SCH-083).

use podscope_messages::plugin as messages;
use std::sync::Arc;

use podscope_api as api;

use super::Point::{Filter, PreFilter as AtPreFilter, PreScore, Score};
use super::{ExtensionPoints, Plugin, PluginSpec};
use crate::cache::Cache;
use crate::config::{Args, Errors, Fields, Profile};
use crate::counters::PodQuery;
use crate::cycle::{Cycle, CycleState, NodeSearch, PreFilter};
use crate::decide::Decision;
use crate::node_info::{NodeIdx, NodeInfo};
use crate::pod_info::{Incoming, PodInfo, PodMatcher, SpreadConstraint, spread_constraint};
use crate::queue::events::{Event, EventKind, WaitingPod};
use crate::selector::{Selector, label};
use crate::status::{Code, Status};
use crate::topology::{Domain, NO_DOMAIN, TopologyKey};

mod args;
mod score;

pub use args::DefaultConstraints;
pub use score::ScoreState;

pub(super) const SPEC: PluginSpec = PluginSpec {
    weight: 2,
    has_pre_filter_extensions: true,
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
    about: Some(messages::pod_topology_spread_about),
    refused: messages::pod_topology_spread_refused,
    short: &[
        (REASON, messages::pod_topology_spread_topology_spread),
        (REASON_LABEL, messages::pod_topology_spread_no_label_to_spread_by),
    ],
    ..PluginSpec::new(
        "PodTopologySpread",
        &[AtPreFilter, Filter, PreScore, Score],
        &PodTopologySpread,
    )
};

/// Reason why a node is rejected: the skew would exceed maxSkew.
pub const REASON: &str = "node(s) didn't match pod topology spread constraints";
/// Reason why a node is rejected: it lacks the topology label.
pub const REASON_LABEL: &str = "node(s) didn't match pod topology spread constraints (missing required label)";

struct PodTopologySpread;

impl ExtensionPoints for PodTopologySpread {
    fn pre_filter(
        &self,
        search: &NodeSearch<'_>,
        cache: &mut Cache,
        state: &mut CycleState,
    ) -> Result<PreFilter, Status> {
        state.spread = compute_filter_state(cache, search.profile, search.incoming)?;
        Ok(PreFilter::run_or_skip(state.spread.is_some()))
    }

    fn update_for_changed_pod(
        &self,
        cycle: &Cycle<'_>,
        state: &mut CycleState,
        pod: &PodInfo,
        node: NodeIdx,
        delta: i64,
    ) {
        if let Some(state) = &mut state.spread {
            state.update(cycle, pod, node, delta);
        }
    }

    /// Checks the constraints in order and returns the first failure (SCH-077).
    fn filter(&self, cycle: &Cycle<'_>, state: &CycleState, node: NodeIdx, _: &NodeInfo) -> Result<(), Status> {
        let state = CycleState::pre_filter_state(Plugin::PodTopologySpread, state.spread.as_ref())?;
        for (index, constraint) in state.constraints.iter().enumerate() {
            let domain = cycle.cache.topology.key(constraint.key).domain(node);
            if domain == NO_DOMAIN {
                return Err(Status::unresolvable(Plugin::PodTopologySpread, REASON_LABEL));
            }
            let count = state.domain_count(index, domain).unwrap_or(0);
            if count + state.self_match(index) - state.min_count(index) > constraint.max_skew {
                return Err(Status::unschedulable(Plugin::PodTopologySpread, REASON));
            }
        }
        Ok(())
    }

    fn pre_score(
        &self,
        search: &NodeSearch<'_>,
        cache: &mut Cache,
        state: &mut CycleState,
        feasible: &[NodeIdx],
    ) -> Result<bool, Status> {
        state.spread_score = score::compute_score_state(cache, search.profile, search.incoming, feasible)?;
        Ok(state.spread_score.is_some())
    }

    /// Returns the weighted counts; NormalizeScore gives the lowest count the highest score (SCH-082).
    fn score(&self, cycle: &Cycle<'_>, state: &CycleState, feasible: &[NodeIdx], scores: &mut [i64]) -> bool {
        let Some(state) = &state.spread_score else {
            return false;
        };
        for (at, (score, node)) in scores.iter_mut().zip(feasible).enumerate() {
            *score = state.node_score(cycle.cache, at, *node);
        }
        true
    }

    fn normalize(&self, state: &CycleState, scores: &mut [i64]) {
        if let Some(state) = &state.spread_score {
            state.normalize(scores);
        }
    }

    fn queueing_hint(&self, cache: &mut Cache, event: &Event<'_>, waiting: &WaitingPod<'_>) -> bool {
        let Ok(constraints) = spread_constraints(cache, waiting.profile, waiting.incoming, true) else {
            // As in kube-scheduler, an error in a hint queues the pod.
            return true;
        };
        if event.new_pod.is_some() || event.old_pod.is_some() {
            may_change_counts(&constraints, event, waiting)
        } else {
            may_change_domains(&constraints, event)
        }
    }

    fn read_args(&self, fields: &mut Fields<'_>, args: &mut Args, errors: &mut Errors) {
        if let Some(constraints) = args::read(fields, errors) {
            args.spread = constraints;
        }
    }

    fn refusal_text(&self, cache: &Cache, decision: &Decision, node: NodeIdx, status: &Status) -> String {
        explain_rejection(cache, decision, node).unwrap_or_else(|| status.message(&cache.symbols))
    }
}

/// Returns whether an event about a pod may change the counts of a constraint.
fn may_change_counts(constraints: &[SpreadConstraint], event: &Event<'_>, waiting: &WaitingPod<'_>) -> bool {
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

/// Returns whether an event about a node may change the set of domains.
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

/// Count of a domain in which the constraint includes no node.
const UNREGISTERED_DOMAIN: i64 = i64::MIN;

/// The counts of the hard constraints by domain, and the smallest counts.
#[derive(Debug, Clone, Default)]
pub struct FilterState {
    /// The hard constraints, in order.
    pub constraints: Vec<SpreadConstraint>,
    self_match: Vec<bool>,
    counts: Vec<Vec<i64>>,
    n_domains: Vec<usize>,
    paths: Vec<CriticalPaths>,
}

/// The two domains with the smallest counts, with these counts, tracked as in kube-scheduler (SCH-076).
type CriticalPaths = [(Domain, i64); 2];

fn update_critical_paths(paths: &mut CriticalPaths, domain: Domain, count: i64) {
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

/// Returns the pod's hard or soft constraints, or the profile's default constraints if the pod has none (SCH-071,
/// SCH-073, SCH-074).
fn spread_constraints(
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
    let selected: Vec<(usize, &api::TopologySpreadConstraint)> = defaults
        .iter()
        .enumerate()
        .filter(|(_, from)| from.is_do_not_schedule() == hard)
        .collect();
    if selected.is_empty() {
        return Ok(Vec::new());
    }
    let selector = default_selector(cache, &incoming.info);
    if selector.is_empty() {
        return Ok(Vec::new());
    }
    selected
        .into_iter()
        .map(|(index, from)| {
            let mut constraint = spread_constraint(cache, &incoming.info, index, from)?;
            constraint.selector = selector.clone();
            Ok(constraint)
        })
        .collect()
}

/// Returns the merged selectors of the services and the controller that select the pod (SCH-074).
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

/// Returns the number of pods in the pod's namespace that match a selector, by node index; missing entries are 0.
fn matching_pods_per_node(cache: &mut Cache, pod: &PodInfo, selector: &Selector) -> Arc<Vec<u32>> {
    // As in kube-scheduler, an empty selector counts no pods, although it matches every pod (SCH-072).
    if selector.is_empty() || *selector == Selector::Nothing {
        return Arc::default();
    }
    let query = PodQuery {
        all_of: vec![PodMatcher {
            namespaces: vec![pod.namespace],
            namespace_selector: Selector::Nothing,
            selector: selector.clone(),
        }],
        include_terminating: false,
    };
    cache.count_pods(query)
}

fn pod_count_on_node(counts: &[u32], node: NodeIdx) -> i64 {
    counts.get(node as usize).map_or(0, |count| i64::from(*count))
}

/// Returns whether a constraint includes a node (SCH-075).
fn includes_node(cache: &Cache, incoming: &Incoming, constraint: &SpreadConstraint, node: &NodeInfo) -> bool {
    (!constraint.honor_affinity || incoming.required.matches(&cache.symbols, node))
        && (!constraint.honor_taints || incoming.first_untolerated(node).is_none())
}

/// Returns the number of pods per domain of a constraint, over the nodes that the constraint includes and that have all
/// keys in `required`. The count of a domain without such a node is [`UNREGISTERED_DOMAIN`]; the last entry is for
/// nodes without the label.
fn count_per_domain(
    cache: &Cache,
    incoming: &Incoming,
    constraint: &SpreadConstraint,
    required: &[&TopologyKey],
    pods: &[u32],
) -> Vec<i64> {
    let key = cache.topology.key(constraint.key);
    let n_nodes = cache.examination_order().len();
    let includes_all_nodes = (!constraint.honor_affinity || incoming.required.is_absent()) && !constraint.honor_taints;
    if includes_all_nodes
        && key.all_nodes_have_domain(n_nodes)
        && required.iter().all(|key| key.all_nodes_have_domain(n_nodes))
    {
        let registered = |n_nodes: &u32| if *n_nodes == 0 { UNREGISTERED_DOMAIN } else { 0 };
        let mut count_per_domain: Vec<i64> = key.n_nodes().iter().map(registered).collect();
        key.add_up_by_domain(pods, 1, &mut count_per_domain);
        count_per_domain.push(UNREGISTERED_DOMAIN);
        return count_per_domain;
    }
    let mut count_per_domain = vec![UNREGISTERED_DOMAIN; key.n_domains() + 1];
    for node in cache.examination_order() {
        if required.iter().any(|key| key.domain(*node) == NO_DOMAIN) {
            continue;
        }
        if !includes_all_nodes && !includes_node(cache, incoming, constraint, cache.node(*node)) {
            continue;
        }
        let sum = &mut count_per_domain[key.domain_slot(*node)];
        *sum = (*sum).max(0) + pod_count_on_node(pods, *node);
    }
    count_per_domain
}

/// Counts the pods per domain for the hard constraints; returns `None` if there are no hard constraints.
fn compute_filter_state(
    cache: &mut Cache,
    profile: &Profile,
    incoming: &Incoming,
) -> Result<Option<FilterState>, Status> {
    let constraints = spread_constraints(cache, profile, incoming, true)
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
        .map(|constraint| matching_pods_per_node(cache, &incoming.info, &constraint.selector))
        .collect();
    let required: Vec<_> = constraints
        .iter()
        .map(|constraint| cache.topology.key(constraint.key))
        .collect();
    for (constraint, pods) in constraints.iter().zip(&pods) {
        let counts = count_per_domain(cache, incoming, constraint, &required, pods);
        let mut paths = [(NO_DOMAIN, i64::MAX); 2];
        let mut n_domains = 0;
        for (domain, count) in counts.iter().enumerate() {
            if *count != UNREGISTERED_DOMAIN {
                n_domains += 1;
                update_critical_paths(&mut paths, domain as Domain, *count);
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
    /// Implements AddPod (`delta` 1) and RemovePod (`delta` -1). As in kube-scheduler, terminating pods are counted,
    /// and an empty selector matches every pod (SCH-078).
    fn update(&mut self, cycle: &Cycle<'_>, pod: &PodInfo, node: NodeIdx, delta: i64) {
        if pod.namespace != cycle.incoming.info.namespace {
            return;
        }
        let cache = cycle.cache;
        let domain_of = |constraint: &SpreadConstraint| cache.topology.key(constraint.key).domain(node);
        if self
            .constraints
            .iter()
            .any(|constraint| domain_of(constraint) == NO_DOMAIN)
        {
            return;
        }
        for (index, constraint) in self.constraints.iter().enumerate() {
            if !constraint.selector.matches(&pod.labels)
                || !includes_node(cache, cycle.incoming, constraint, cache.node(node))
            {
                continue;
            }
            let domain = domain_of(constraint);
            let count = &mut self.counts[index][domain as usize];
            *count = if *count == UNREGISTERED_DOMAIN {
                delta
            } else {
                *count + delta
            };
            update_critical_paths(&mut self.paths[index], domain, *count);
        }
    }

    /// Returns whether a hard constraint counts a placed pod.
    pub(crate) fn counts_pod(&self, cycle: &Cycle<'_>, pod: &PodInfo) -> bool {
        pod.namespace == cycle.incoming.info.namespace
            && self
                .constraints
                .iter()
                .any(|constraint| constraint.selector.matches(&pod.labels))
    }

    /// Returns a copy of the critical paths, to restore them after a dry run: [`FilterState::update`] with the opposite
    /// delta does not restore them exactly.
    pub(crate) fn critical_paths(&self) -> Vec<[(Domain, i64); 2]> {
        self.paths.clone()
    }

    pub(crate) fn restore_critical_paths(&mut self, paths: Vec<[(Domain, i64); 2]>) {
        self.paths = paths;
    }

    /// Returns the smallest count of a constraint's domains; 0 with fewer than minDomains domains (SCH-076).
    pub fn min_count(&self, constraint_index: usize) -> i64 {
        match self.too_few_domains(constraint_index) {
            Some(_) => 0,
            None => self.paths[constraint_index][0].1,
        }
    }

    /// Returns the number of domains if it is smaller than minDomains, otherwise `None`.
    pub fn too_few_domains(&self, constraint_index: usize) -> Option<usize> {
        let found = self.n_domains[constraint_index];
        (found < self.constraints[constraint_index].min_domains).then_some(found)
    }

    /// Returns the count of a domain; `None` if the constraint includes none of its nodes.
    pub fn domain_count(&self, constraint_index: usize, domain: Domain) -> Option<i64> {
        self.counts[constraint_index]
            .get(domain as usize)
            .copied()
            .filter(|count| *count != UNREGISTERED_DOMAIN)
    }

    /// Returns 1 if the pod matches the constraint's selector, otherwise 0.
    pub fn self_match(&self, constraint_index: usize) -> i64 {
        i64::from(self.self_match[constraint_index])
    }
}

/// Returns a text about the first constraint that a node violates, with numbers.
fn explain_rejection(cache: &Cache, decision: &Decision, node: NodeIdx) -> Option<String> {
    let state = decision.state.spread()?;
    for (at, constraint) in state.constraints.iter().enumerate() {
        let key = cache.topology.key(constraint.key);
        let label = cache.symbols.text(constraint.key_symbol);
        let domain = key.domain(node);
        if domain == NO_DOMAIN {
            return Some(format!("has no label {label}, over which the pod wants to be spread"));
        }
        let count = state.domain_count(at, domain).unwrap_or(0);
        let (own, min) = (state.self_match(at), state.min_count(at));
        let skew = count + own - min;
        if skew > constraint.max_skew {
            let value = cache.symbols.text(key.values[domain as usize]);
            let fewest = match state.too_few_domains(at) {
                Some(found) => format!("{min} (counts as 0: {found} of {} domains)", constraint.min_domains),
                None => min.to_string(),
            };
            return Some(format!(
                "{label}={value} would have {} matching pods where the fewest is {fewest}: a skew of {skew}, and {} is allowed",
                count + own,
                constraint.max_skew
            ));
        }
    }
    None
}
