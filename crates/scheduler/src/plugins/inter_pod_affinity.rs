//! `InterPodAffinity`: places a pod near other pods, or away from them, within topology domains (SCH-084 to SCH-092).

use super::Point::{Filter, PreFilter as AtPreFilter, PreScore, Score};
use super::location_texts::domain_text;
use super::{ExtensionPoints, Plugin, PluginSpec};
use podscope_api::ObjectKey;
use podscope_messages::plugin as messages;

use crate::cache::Cache;
use crate::config::{self, Errors, Fields, Profile};
use crate::counters::PodQuery;
use crate::cycle::{Cycle, CycleState, NodeSearch, PreFilter};
use crate::decide::Decision;
use crate::node_info::{NodeIdx, NodeInfo};
use crate::pod_info::{Incoming, PodInfo, PodMatcher, Term, TermKind};
use crate::queue::events::{Event, EventKind, WaitingPod};
use crate::selector::label;
use crate::status::Status;
use crate::topology::{KeyIdx, NO_DOMAIN, Topology};

pub(super) const SPEC: PluginSpec = PluginSpec {
    weight: 2,
    has_pre_filter_extensions: true,
    events: &[
        EventKind::PodAdd,
        EventKind::PodDelete,
        EventKind::PodLabel,
        EventKind::NodeAdd,
        EventKind::NodeLabel,
    ],
    about: Some(messages::inter_pod_affinity_about),
    refused: messages::inter_pod_affinity_refused,
    short: &[
        (REASON_AFFINITY, messages::inter_pod_affinity_pod_affinity),
        (REASON_ANTI_AFFINITY, messages::inter_pod_affinity_pod_anti_affinity),
        (
            REASON_EXISTING,
            messages::inter_pod_affinity_another_pod_s_anti_affinity,
        ),
    ],
    ..PluginSpec::new(
        "InterPodAffinity",
        &[AtPreFilter, Filter, PreScore, Score],
        &InterPodAffinity,
    )
};

/// Reason why a node is rejected: a required affinity term of the pod is not satisfied.
pub const REASON_AFFINITY: &str = "node(s) didn't match pod affinity rules";
/// Reason why a node is rejected: an anti-affinity term of the pod is violated.
pub const REASON_ANTI_AFFINITY: &str = "node(s) didn't match pod anti-affinity rules";
/// Reason why a node is rejected: an anti-affinity term of an existing pod is violated.
pub const REASON_EXISTING: &str = "node(s) didn't satisfy existing pods anti-affinity rules";

/// The fields of InterPodAffinityArgs.
#[derive(Debug, Clone, PartialEq)]
pub struct Args {
    /// Weight of the required affinity terms of existing pods when scoring.
    pub hard_pod_affinity_weight: i64,
    /// Whether the preferred terms of existing pods are ignored for a pod without preferred terms.
    pub ignore_preferred_terms_of_existing_pods: bool,
}

impl Default for Args {
    fn default() -> Self {
        Self {
            hard_pod_affinity_weight: 1,
            ignore_preferred_terms_of_existing_pods: false,
        }
    }
}

struct InterPodAffinity;

impl ExtensionPoints for InterPodAffinity {
    fn pre_filter(
        &self,
        search: &NodeSearch<'_>,
        cache: &mut Cache,
        state: &mut CycleState,
    ) -> Result<PreFilter, Status> {
        state.affinity = compute_filter_state(cache, search.incoming)?;
        Ok(PreFilter::run_or_skip(state.affinity.is_some()))
    }

    fn update_for_changed_pod(
        &self,
        cycle: &Cycle<'_>,
        state: &mut CycleState,
        pod: &PodInfo,
        node: NodeIdx,
        delta: i64,
    ) {
        if let Some(state) = &mut state.affinity {
            state.update(cycle, pod, node, delta);
        }
    }

    fn filter(&self, cycle: &Cycle<'_>, state: &CycleState, node: NodeIdx, _: &NodeInfo) -> Result<(), Status> {
        let state = CycleState::pre_filter_state(Plugin::InterPodAffinity, state.affinity.as_ref())?;
        state.check_affinity_on_node(cycle, node)
    }

    fn pre_score(
        &self,
        search: &NodeSearch<'_>,
        cache: &mut Cache,
        state: &mut CycleState,
        _: &[NodeIdx],
    ) -> Result<bool, Status> {
        state.affinity_score = compute_score_state(cache, search.profile, search.incoming);
        Ok(state.affinity_score.is_some())
    }

    /// Sums the weights of the node's domains over all topology keys (SCH-092).
    fn score(&self, cycle: &Cycle<'_>, state: &CycleState, feasible: &[NodeIdx], scores: &mut [i64]) -> bool {
        let Some(state) = &state.affinity_score else {
            return false;
        };
        for (key, table) in &state.weights.by_key {
            let key = cycle.cache.topology.key(*key);
            for (score, node) in scores.iter_mut().zip(feasible) {
                let domain = key.domain(*node);
                if domain != NO_DOMAIN {
                    *score += table[domain as usize];
                }
            }
        }
        true
    }

    fn normalize(&self, _: &CycleState, scores: &mut [i64]) {
        normalize_scores(scores);
    }

    fn queueing_hint(&self, cache: &mut Cache, event: &Event<'_>, waiting: &WaitingPod<'_>) -> bool {
        let own = &waiting.incoming.info;
        match event.kind {
            EventKind::NodeAdd | EventKind::NodeLabel => node_event_may_help(cache, event, own),
            EventKind::PodLabel if event.is_update_of_pod(waiting) => true,
            _ => pod_event_may_help(cache, event, own),
        }
    }

    fn read_args(&self, fields: &mut Fields<'_>, args: &mut config::Args, errors: &mut Errors) {
        let args = &mut args.inter_pod_affinity;
        if let Some(weight) = fields.integer("hardPodAffinityWeight", errors) {
            args.hard_pod_affinity_weight = weight;
            if !(0..=100).contains(&weight) {
                errors.push_invalid_value(
                    fields.path_of("hardPodAffinityWeight"),
                    weight,
                    "not in valid range [0, 100]",
                );
            }
        }
        if let Some(ignore) = fields.boolean("ignorePreferredTermsOfExistingPods", errors) {
            args.ignore_preferred_terms_of_existing_pods = ignore;
        }
    }

    fn refusal_text(&self, cache: &Cache, decision: &Decision, node: NodeIdx, status: &Status) -> String {
        let (is_own, why) = match status.message(&cache.symbols).as_str() {
            REASON_AFFINITY => return "has no pod in its domain that the pod's required affinity asks for".to_owned(),
            REASON_ANTI_AFFINITY => (true, "which the pod's required anti-affinity keeps away from"),
            _ => (false, "whose own anti-affinity keeps this pod away"),
        };
        match find_conflicting_pod(cache, &decision.incoming.info, node, is_own) {
            Some((pod, on, _)) if on == node => format!("has pod {pod}, {why}"),
            Some((pod, on, domain)) => format!("is in {domain} with pod {pod} on {}, {why}", cache.node(on).name),
            None => format!("has a pod in its domain, {why}"),
        }
    }
}

/// Finds a placed pod whose domain the incoming pod must avoid because of anti-affinity. Returns the pod's key, its
/// node, and the domain that it shares with `node`. Prefers a pod on `node` itself. `is_term_of_incoming` tells
/// whether the anti-affinity term belongs to the incoming pod or to the placed pod.
fn find_conflicting_pod(
    cache: &Cache,
    incoming: &PodInfo,
    node: NodeIdx,
    is_term_of_incoming: bool,
) -> Option<(ObjectKey, NodeIdx, String)> {
    let anti = |kind| kind == TermKind::AntiAffinity;
    let conflicting_key = |other: &PodInfo, on: NodeIdx| {
        let is_same_domain = |term: &&Term| {
            let key = cache.topology.key(term.key);
            key.domain(node) != NO_DOMAIN && key.domain(node) == key.domain(on)
        };
        let labels = cache.namespaces.get(&other.namespace).map(|labels| &**labels);
        let by_incoming = |term: &&Term| term.pods.matches_incoming(other.namespace, labels, &other.labels);
        let namespace = cache.namespace_labels(incoming.namespace);
        let by_other = |term: &&Term| term.pods.matches(incoming.namespace, namespace, &incoming.labels);
        let term = match is_term_of_incoming {
            true => incoming.terms_where(anti).filter(is_same_domain).find(by_incoming),
            false => other.terms_where(anti).filter(is_same_domain).find(by_other),
        };
        term.map(|term| cache.topology.key(term.key))
    };
    std::iter::once(&node).chain(cache.examination_order()).find_map(|on| {
        let mut pods = cache.node(*on).pods.iter();
        pods.find_map(|other| {
            let key = conflicting_key(other, *on)?;
            let value = cache.symbols.text(key.values[key.domain(node) as usize]);
            let domain = domain_text(cache.symbols.text(key.symbol), value);
            Some((other.pod.metadata.key(), *on, domain))
        })
    })
}

/// Returns whether `pod` matches all terms of a kind of the pod `own`. Here, namespace selectors are matched against an
/// empty label set (SCH-123).
fn matches_all_terms_of_kind(own: &PodInfo, kind: TermKind, pod: &PodInfo) -> bool {
    let mut any = false;
    let all = own.terms_where(|known| known == kind).all(|term| {
        any = true;
        term.pods.matches(pod.namespace, &[], &pod.labels)
    });
    any && all
}

fn pod_event_may_help(cache: &Cache, event: &Event<'_>, own: &PodInfo) -> bool {
    let has_node = |pod: &Option<PodInfo>| pod.as_ref().is_none_or(PodInfo::is_bound_or_nominated);
    if !has_node(&event.old_pod) || !has_node(&event.new_pod) {
        return false;
    }
    let has_anti_affinity_to_own = |pod: &PodInfo| {
        let namespace = cache.namespace_labels(own.namespace);
        let mut terms = pod.terms_where(|kind| kind == TermKind::AntiAffinity);
        terms.any(|term| term.pods.matches(own.namespace, namespace, &own.labels))
    };
    let matches_affinity = |pod: &PodInfo| matches_all_terms_of_kind(own, TermKind::Affinity, pod);
    let matches_anti_affinity = |pod: &PodInfo| matches_all_terms_of_kind(own, TermKind::AntiAffinity, pod);
    match (&event.old_pod, &event.new_pod) {
        (Some(old), Some(new)) => {
            (!matches_affinity(old) && matches_affinity(new))
                || (matches_anti_affinity(old) && !matches_anti_affinity(new))
        }
        (None, Some(new)) => matches_affinity(new),
        (Some(old), None) => matches_anti_affinity(old) || has_anti_affinity_to_own(old),
        (None, None) => false,
    }
}

fn node_event_may_help(cache: &Cache, event: &Event<'_>, own: &PodInfo) -> bool {
    let mut required = own.terms_where(|kind| matches!(kind, TermKind::Affinity | TermKind::AntiAffinity));
    required.any(|term| {
        let key = cache.topology.key(term.key).symbol;
        let value = |node: &NodeInfo| label(&node.labels, key);
        match (&event.old_node, &event.new_node) {
            (None, Some(new)) => term.kind == TermKind::AntiAffinity || value(new).is_some(),
            (Some(old), Some(new)) => match (value(old), value(new), term.kind) {
                (Some(before), Some(after), _) => before != after,
                (None, Some(_), TermKind::Affinity) | (Some(_), None, TermKind::AntiAffinity) => true,
                _ => false,
            },
            _ => false,
        }
    })
}

/// A number for each (topology key, value) pair, stored as one dense table per key.
#[derive(Debug, Clone, Default)]
pub struct PairCounts {
    by_key: Vec<(KeyIdx, Vec<i64>)>,
}

impl PairCounts {
    fn table_of_key(&mut self, topology: &Topology, key: KeyIdx) -> &mut Vec<i64> {
        let at = match self.by_key.iter().position(|(known, _)| *known == key) {
            Some(at) => at,
            None => {
                self.by_key.push((key, vec![0; topology.key(key).n_domains()]));
                self.by_key.len() - 1
            }
        };
        &mut self.by_key[at].1
    }

    /// Adds `weight` to the sum of a domain for every pod on a node of the domain. `on_node` is the number of pods by
    /// node index. Returns whether any pod was counted.
    fn add_pods_per_node(&mut self, topology: &Topology, key: KeyIdx, on_node: &[u32], weight: i64) -> bool {
        topology
            .key(key)
            .add_up_by_domain(on_node, weight, self.table_of_key(topology, key))
    }

    fn add_pod_on_node(&mut self, topology: &Topology, key: KeyIdx, node: NodeIdx, delta: i64) {
        let domain = topology.key(key).domain(node);
        if domain != NO_DOMAIN {
            self.table_of_key(topology, key)[domain as usize] += delta;
        }
    }

    fn get(&self, topology: &Topology, key: KeyIdx, node: NodeIdx) -> Option<i64> {
        let domain = topology.key(key).domain(node);
        if domain == NO_DOMAIN {
            return None;
        }
        let table = self.by_key.iter().find(|(known, _)| *known == key);
        Some(table.map_or(0, |(_, table)| table[domain as usize]))
    }
}

/// The numbers of pods per topology pair, computed by PreFilter (SCH-086).
#[derive(Debug, Clone, Default)]
pub struct FilterState {
    /// Number of existing pods with an anti-affinity term that matches the incoming pod.
    existing: PairCounts,
    has_existing: bool,
    /// Number of pods that match all required affinity terms of the incoming pod.
    affinity: PairCounts,
    /// Sum of `affinity`; 0 if no matching pod is on a node with the topology labels.
    affinity_total: i64,
    /// Number of pods that match an anti-affinity term of the incoming pod.
    anti: PairCounts,
}

fn matches_all_affinity_terms(cache: &Cache, incoming: &Incoming, pod: &PodInfo) -> bool {
    let mut any = false;
    let labels = cache.namespaces.get(&pod.namespace).map(|labels| &**labels);
    let all = incoming
        .info
        .terms_where(|kind| kind == TermKind::Affinity)
        .inspect(|_| any = true)
        .all(|term| term.pods.matches_incoming(pod.namespace, labels, &pod.labels));
    any && all
}

fn query_including_terminating_pods(all_of: Vec<PodMatcher>) -> PodQuery {
    PodQuery {
        all_of,
        include_terminating: true,
    }
}

/// Counts the pods per topology pair for PreFilter; returns `None` if the plugin is skipped.
fn compute_filter_state(cache: &mut Cache, incoming: &Incoming) -> Result<Option<FilterState>, Status> {
    let pod = &incoming.info;
    if let Some(error) = &pod.malformed {
        return Err(Status::text(
            Plugin::InterPodAffinity,
            crate::status::Code::UnschedulableAndUnresolvable,
            format!("parsing pod: {error}"),
        ));
    }
    let mut state = FilterState::default();
    for placed in cache.terms.iter() {
        if placed.term.kind == TermKind::AntiAffinity
            && placed
                .term
                .pods
                .matches(pod.namespace, cache.namespace_labels(pod.namespace), &pod.labels)
        {
            state.has_existing |=
                state
                    .existing
                    .add_pods_per_node(&cache.topology, placed.term.key, &placed.on_node, 1);
        }
    }
    let affinity: Vec<_> = pod.terms_where(|kind| kind == TermKind::Affinity).collect();
    let anti: Vec<_> = pod.terms_where(|kind| kind == TermKind::AntiAffinity).collect();
    if !state.has_existing && affinity.is_empty() && anti.is_empty() {
        return Ok(None);
    }
    if !affinity.is_empty() {
        let all_of = affinity.iter().map(|term| term.pods.clone()).collect();
        let on_node = cache.counters.count_pods(
            query_including_terminating_pods(all_of),
            &cache.nodes,
            &cache.namespaces,
        );
        for term in &affinity {
            state.affinity.add_pods_per_node(&cache.topology, term.key, &on_node, 1);
        }
        state.affinity_total = state.affinity.by_key.iter().flat_map(|(_, table)| table).sum();
    }
    for term in &anti {
        let on_node = cache.counters.count_pods(
            query_including_terminating_pods(vec![term.pods.clone()]),
            &cache.nodes,
            &cache.namespaces,
        );
        state.anti.add_pods_per_node(&cache.topology, term.key, &on_node, 1);
    }
    Ok(Some(state))
}

impl FilterState {
    /// Implements AddPod (`delta` 1) and RemovePod (`delta` -1).
    fn update(&mut self, cycle: &Cycle<'_>, pod: &PodInfo, node: NodeIdx, delta: i64) {
        let (cache, incoming) = (cycle.cache, cycle.incoming);
        let topology = &cache.topology;
        for term in pod.terms_where(|kind| kind == TermKind::AntiAffinity) {
            let own = &incoming.info;
            if term
                .pods
                .matches(own.namespace, cache.namespace_labels(own.namespace), &own.labels)
            {
                self.existing.add_pod_on_node(topology, term.key, node, delta);
                self.has_existing = true;
            }
        }
        if matches_all_affinity_terms(cache, incoming, pod) {
            for term in incoming.info.terms_where(|kind| kind == TermKind::Affinity) {
                if topology.key(term.key).domain(node) != NO_DOMAIN {
                    self.affinity_total += delta;
                }
                self.affinity.add_pod_on_node(topology, term.key, node, delta);
            }
        }
        let labels = cache.namespaces.get(&pod.namespace).map(|labels| &**labels);
        for term in incoming.info.terms_where(|kind| kind == TermKind::AntiAffinity) {
            if term.pods.matches_incoming(pod.namespace, labels, &pod.labels) {
                self.anti.add_pod_on_node(topology, term.key, node, delta);
            }
        }
    }
}

/// Returns whether a placed pod excludes the incoming pod from a domain, because of an anti-affinity term of either
/// pod.
pub(crate) fn excludes_incoming_pod(cycle: &Cycle<'_>, pod: &PodInfo) -> bool {
    let (cache, own) = (cycle.cache, &cycle.incoming.info);
    let labels = cache.namespaces.get(&pod.namespace).map(|labels| &**labels);
    let anti = |kind| kind == TermKind::AntiAffinity;
    let matches_incoming = |term: &Term| {
        let namespace = cache.namespace_labels(own.namespace);
        term.pods.matches(own.namespace, namespace, &own.labels)
    };
    pod.terms_where(anti).any(matches_incoming)
        || own
            .terms_where(anti)
            .any(|term| term.pods.matches_incoming(pod.namespace, labels, &pod.labels))
}

impl FilterState {
    /// Checks required affinity and anti-affinity on a node (SCH-087 to SCH-089).
    fn check_affinity_on_node(&self, cycle: &Cycle<'_>, node: NodeIdx) -> Result<(), Status> {
        let (topology, pod) = (&cycle.cache.topology, &cycle.incoming.info);
        let mut is_satisfied = true;
        for term in pod.terms_where(|kind| kind == TermKind::Affinity) {
            match self.affinity.get(topology, term.key, node) {
                None => return Err(Status::unresolvable(Plugin::InterPodAffinity, REASON_AFFINITY)),
                Some(count) => is_satisfied &= count > 0,
            }
        }
        // A pod that matches its own affinity terms may be the first pod of its group, on any node with the topology
        // labels.
        if !is_satisfied && (self.affinity_total != 0 || !matches_all_affinity_terms(cycle.cache, cycle.incoming, pod))
        {
            return Err(Status::unresolvable(Plugin::InterPodAffinity, REASON_AFFINITY));
        }
        let violated = |counts: &PairCounts, key| counts.get(topology, key, node).is_some_and(|count| count > 0);
        if pod
            .terms_where(|kind| kind == TermKind::AntiAffinity)
            .any(|term| violated(&self.anti, term.key))
        {
            return Err(Status::unschedulable(Plugin::InterPodAffinity, REASON_ANTI_AFFINITY));
        }
        if self.has_existing
            && self
                .existing
                .by_key
                .iter()
                .any(|(key, _)| violated(&self.existing, *key))
        {
            return Err(Status::unschedulable(Plugin::InterPodAffinity, REASON_EXISTING));
        }
        Ok(())
    }
}

/// Weights by topology key and value (SCH-090).
#[derive(Debug, Clone, Default)]
pub struct ScoreState {
    weights: PairCounts,
}

/// Computes the weights for PreScore; returns `None` if the plugin is skipped (SCH-091).
fn compute_score_state(cache: &mut Cache, profile: &Profile, incoming: &Incoming) -> Option<ScoreState> {
    let pod = &incoming.info;
    let preferred: Vec<_> = pod
        .terms_where(|kind| matches!(kind, TermKind::Preferred(_) | TermKind::PreferredAnti(_)))
        .collect();
    let args = &profile.args.inter_pod_affinity;
    if preferred.is_empty() && args.ignore_preferred_terms_of_existing_pods {
        return None;
    }
    let mut state = ScoreState::default();
    let mut recorded = false;
    for term in preferred {
        let weight = match term.kind {
            TermKind::Preferred(weight) => i64::from(weight),
            TermKind::PreferredAnti(weight) => -i64::from(weight),
            TermKind::Affinity | TermKind::AntiAffinity => continue,
        };
        let on_node = cache.counters.count_pods(
            query_including_terminating_pods(vec![term.pods.clone()]),
            &cache.nodes,
            &cache.namespaces,
        );
        recorded |= state
            .weights
            .add_pods_per_node(&cache.topology, term.key, &on_node, weight);
    }
    for placed in cache.terms.iter() {
        let weight = match placed.term.kind {
            TermKind::Affinity if args.hard_pod_affinity_weight > 0 => args.hard_pod_affinity_weight,
            TermKind::Preferred(weight) => i64::from(weight),
            TermKind::PreferredAnti(weight) => -i64::from(weight),
            TermKind::Affinity | TermKind::AntiAffinity => continue,
        };
        if placed
            .term
            .pods
            .matches(pod.namespace, cache.namespace_labels(pod.namespace), &pod.labels)
        {
            recorded |= state
                .weights
                .add_pods_per_node(&cache.topology, placed.term.key, &placed.on_node, weight);
        }
    }
    recorded.then_some(state)
}

/// Implements NormalizeScore. As in kube-scheduler, divides before multiplying by 100 (SCH-092).
fn normalize_scores(scores: &mut [i64]) {
    let min = scores.iter().copied().min().unwrap_or(0);
    let max = scores.iter().copied().max().unwrap_or(0);
    for score in scores {
        *score = if max > min {
            (100.0 * ((*score - min) as f64 / (max - min) as f64)) as i64
        } else {
            0
        };
    }
}

#[cfg(test)]
mod tests {
    /// Shows: SCH-092
    #[test]
    fn normalize_divides_before_multiplying() {
        // 29/100 is 0.28999… as a float, so kube-scheduler's result is 28.
        let mut scores = vec![0, 29, 100];
        super::normalize_scores(&mut scores);
        assert_eq!(scores, [0, 28, 100]);
    }
}
