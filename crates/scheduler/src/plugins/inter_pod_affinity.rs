//! `InterPodAffinity`: near or far from other pods, over topology domains (SCH-084 to SCH-092).

use crate::cache::Cache;
use crate::config::Profile;
use crate::counters::Question;
use crate::cycle::Cycle;
use crate::node_info::NodeIdx;
use crate::plugins::Plugin;
use crate::pod_info::{Incoming, PodInfo, PodMatcher, Term, TermKind};
use crate::status::Status;
use crate::topology::{KeyIdx, NONE, Topology};

/// A required affinity term is not met.
pub const REASON_AFFINITY: &str = "node(s) didn't match pod affinity rules";
/// An own anti-affinity term is violated.
pub const REASON_ANTI_AFFINITY: &str = "node(s) didn't match pod anti-affinity rules";
/// Another pod's anti-affinity term is violated.
pub const REASON_EXISTING: &str = "node(s) didn't satisfy existing pods anti-affinity rules";

/// A map (topology key, value) → number, as one dense table a key.
#[derive(Debug, Clone, Default)]
pub struct PairCounts {
    by_key: Vec<(KeyIdx, Vec<i64>)>,
}

impl PairCounts {
    fn table(&mut self, topology: &Topology, key: KeyIdx) -> &mut Vec<i64> {
        let at = match self.by_key.iter().position(|(known, _)| *known == key) {
            Some(at) => at,
            None => {
                self.by_key.push((key, vec![0; topology.key(key).n_domains()]));
                self.by_key.len() - 1
            }
        };
        &mut self.by_key[at].1
    }
    /// Adds `weight` for every counted pod at its node's value; says whether any was.
    fn add_all(&mut self, topology: &Topology, key: KeyIdx, on_node: &[u32], weight: i64) -> bool {
        topology.key(key).add_up(on_node, weight, self.table(topology, key))
    }
    fn add_one(&mut self, topology: &Topology, key: KeyIdx, node: NodeIdx, delta: i64) {
        let domain = topology.key(key).domain(node);
        if domain != NONE {
            self.table(topology, key)[domain as usize] += delta;
        }
    }
    fn get(&self, topology: &Topology, key: KeyIdx, node: NodeIdx) -> Option<i64> {
        let domain = topology.key(key).domain(node);
        if domain == NONE {
            return None;
        }
        let table = self.by_key.iter().find(|(known, _)| *known == key);
        Some(table.map_or(0, |(_, table)| table[domain as usize]))
    }
}

/// The three maps of SCH-086.
#[derive(Debug, Clone, Default)]
pub struct FilterState {
    existing: PairCounts,
    has_existing: bool,
    affinity: PairCounts,
    /// Whether any pod anywhere on a labelled node matches all own affinity terms.
    affinity_total: i64,
    anti: PairCounts,
}

fn matches_all(cache: &Cache, incoming: &Incoming, pod: &PodInfo) -> bool {
    let mut any = false;
    let labels = cache.namespaces.get(&pod.namespace).map(|labels| &**labels);
    let all = incoming
        .info
        .terms_where(|kind| kind == TermKind::Affinity)
        .inspect(|_| any = true)
        .all(|term| term.pods.matches_incoming(pod.namespace, labels, &pod.labels));
    any && all
}

fn question(all_of: Vec<PodMatcher>) -> Question {
    Question {
        all_of,
        terminating_too: true,
    }
}

/// PreFilter; `None` skips.
pub fn pre_filter(cache: &mut Cache, incoming: &Incoming) -> Result<Option<FilterState>, Status> {
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
            state.has_existing |= state
                .existing
                .add_all(&cache.topology, placed.term.key, &placed.on_node, 1);
        }
    }
    let affinity: Vec<_> = pod.terms_where(|kind| kind == TermKind::Affinity).collect();
    let anti: Vec<_> = pod.terms_where(|kind| kind == TermKind::AntiAffinity).collect();
    if !state.has_existing && affinity.is_empty() && anti.is_empty() {
        return Ok(None);
    }
    if !affinity.is_empty() {
        let all_of = affinity.iter().map(|term| term.pods.clone()).collect();
        let on_node = cache.counters.ask(question(all_of), &cache.nodes, &cache.namespaces);
        for term in &affinity {
            state.affinity.add_all(&cache.topology, term.key, &on_node, 1);
        }
        state.affinity_total = state.affinity.by_key.iter().flat_map(|(_, table)| table).sum();
    }
    for term in &anti {
        let on_node = cache
            .counters
            .ask(question(vec![term.pods.clone()]), &cache.nodes, &cache.namespaces);
        state.anti.add_all(&cache.topology, term.key, &on_node, 1);
    }
    Ok(Some(state))
}

impl FilterState {
    /// AddPod (`1`) and RemovePod (`-1`).
    pub(crate) fn update(&mut self, cycle: &Cycle<'_>, pod: &PodInfo, node: NodeIdx, delta: i64) {
        let (cache, incoming) = (cycle.cache, cycle.incoming);
        let topology = &cache.topology;
        for term in pod.terms_where(|kind| kind == TermKind::AntiAffinity) {
            let own = &incoming.info;
            if term
                .pods
                .matches(own.namespace, cache.namespace_labels(own.namespace), &own.labels)
            {
                self.existing.add_one(topology, term.key, node, delta);
                self.has_existing = true;
            }
        }
        if matches_all(cache, incoming, pod) {
            for term in incoming.info.terms_where(|kind| kind == TermKind::Affinity) {
                if topology.key(term.key).domain(node) != NONE {
                    self.affinity_total += delta;
                }
                self.affinity.add_one(topology, term.key, node, delta);
            }
        }
        let labels = cache.namespaces.get(&pod.namespace).map(|labels| &**labels);
        for term in incoming.info.terms_where(|kind| kind == TermKind::AntiAffinity) {
            if term.pods.matches_incoming(pod.namespace, labels, &pod.labels) {
                self.anti.add_one(topology, term.key, node, delta);
            }
        }
    }
}

/// Whether a placed pod keeps the incoming one out of some domain: by its own anti-affinity, or by the other's.
pub(crate) fn excludes(cycle: &Cycle<'_>, pod: &PodInfo) -> bool {
    let (cache, own) = (cycle.cache, &cycle.incoming.info);
    let labels = cache.namespaces.get(&pod.namespace).map(|labels| &**labels);
    let anti = |kind| kind == TermKind::AntiAffinity;
    let by_theirs = |term: &Term| {
        let namespace = cache.namespace_labels(own.namespace);
        term.pods.matches(own.namespace, namespace, &own.labels)
    };
    pod.terms_where(anti).any(by_theirs)
        || own
            .terms_where(anti)
            .any(|term| term.pods.matches_incoming(pod.namespace, labels, &pod.labels))
}

/// Filter (SCH-087 to SCH-089).
pub fn filter(cycle: &Cycle<'_>, state: &FilterState, node: NodeIdx) -> Result<(), Status> {
    let (topology, pod) = (&cycle.cache.topology, &cycle.incoming.info);
    let mut met = true;
    for term in pod.terms_where(|kind| kind == TermKind::Affinity) {
        match state.affinity.get(topology, term.key, node) {
            None => return Err(Status::unresolvable(Plugin::InterPodAffinity, REASON_AFFINITY)),
            Some(count) => met &= count > 0,
        }
    }
    // The first pod of a group that has affinity to itself may go anywhere.
    if !met && (state.affinity_total != 0 || !matches_all(cycle.cache, cycle.incoming, pod)) {
        return Err(Status::unresolvable(Plugin::InterPodAffinity, REASON_AFFINITY));
    }
    let violated = |counts: &PairCounts, key| counts.get(topology, key, node).is_some_and(|count| count > 0);
    if pod
        .terms_where(|kind| kind == TermKind::AntiAffinity)
        .any(|term| violated(&state.anti, term.key))
    {
        return Err(Status::unschedulable(Plugin::InterPodAffinity, REASON_ANTI_AFFINITY));
    }
    if state.has_existing
        && state
            .existing
            .by_key
            .iter()
            .any(|(key, _)| violated(&state.existing, *key))
    {
        return Err(Status::unschedulable(Plugin::InterPodAffinity, REASON_EXISTING));
    }
    Ok(())
}

/// Weights by (key, value) (SCH-090).
#[derive(Debug, Clone, Default)]
pub struct ScoreState {
    weights: PairCounts,
}

/// PreScore; `None` skips (SCH-091).
pub fn pre_score(cache: &mut Cache, profile: &Profile, incoming: &Incoming) -> Option<ScoreState> {
    let pod = &incoming.info;
    let wishes: Vec<_> = pod
        .terms_where(|kind| matches!(kind, TermKind::Preferred(_) | TermKind::PreferredAnti(_)))
        .collect();
    let args = &profile.args.inter_pod_affinity;
    if wishes.is_empty() && args.ignore_preferred_terms_of_existing_pods {
        return None;
    }
    let mut state = ScoreState::default();
    let mut recorded = false;
    for term in wishes {
        let weight = match term.kind {
            TermKind::Preferred(weight) => i64::from(weight),
            TermKind::PreferredAnti(weight) => -i64::from(weight),
            TermKind::Affinity | TermKind::AntiAffinity => continue,
        };
        let on_node = cache
            .counters
            .ask(question(vec![term.pods.clone()]), &cache.nodes, &cache.namespaces);
        recorded |= state.weights.add_all(&cache.topology, term.key, &on_node, weight);
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
                .add_all(&cache.topology, placed.term.key, &placed.on_node, weight);
        }
    }
    recorded.then_some(state)
}

/// Score: the sum over keys of the weight at the node's value (SCH-092).
pub fn score(cycle: &Cycle<'_>, state: &ScoreState, node: NodeIdx) -> i64 {
    let mut sum = 0;
    for (key, table) in &state.weights.by_key {
        let domain = cycle.cache.topology.key(*key).domain(node);
        if domain != NONE {
            sum += table[domain as usize];
        }
    }
    sum
}

/// Normalize: divides before multiplying (SCH-092).
pub fn normalize(scores: &mut [i64]) {
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
    #[test]
    fn sch_092_divides_before_multiplying() {
        // 29/100 is 0.28999…: kube-scheduler shows 28.
        let mut scores = vec![0, 29, 100];
        super::normalize(&mut scores);
        assert_eq!(scores, [0, 28, 100]);
    }
}
