//! Scoring by soft constraints: domains with fewer matching pods score higher (SCH-080 to SCH-083).

use std::sync::Arc;

use super::super::{Plugin, quotient};
use super::{DefaultConstraints, count_per_domain, matching_pods_per_node, pod_count_on_node, spread_constraints};
use crate::cache::Cache;
use crate::config::Profile;
use crate::node_info::NodeIdx;
use crate::pod_info::{Incoming, SpreadConstraint};
use crate::status::{Code, Status};
use crate::symbols::Symbol;
use crate::topology::NO_DOMAIN;

/// The state of Score: the soft constraints with their counts and weights.
#[derive(Debug, Clone, Default)]
pub struct ScoreState {
    /// The soft constraints, in order.
    pub constraints: Vec<SpreadConstraint>,
    /// Weight of each constraint: ln(number of domains + 2) (SCH-081).
    pub weights: Vec<f64>,
    counts: Vec<SpreadCounts>,
    /// For each feasible node: whether it lacks a required topology label and is therefore not scored.
    ignored: Vec<bool>,
}

#[derive(Debug, Clone)]
enum SpreadCounts {
    ByDomain {
        /// Counts of the domains with feasible nodes; 0 for other domains.
        scored: Vec<i64>,
        /// Counts of all domains.
        all: Vec<i64>,
    },
    /// Counts by node index, if the topology key is the hostname.
    ByNode(Arc<Vec<u32>>),
}

/// Computes the counts and weights of the soft constraints for the domains of feasible nodes; returns `None` without
/// soft constraints.
pub(super) fn compute_score_state(
    cache: &mut Cache,
    profile: &Profile,
    incoming: &Incoming,
    feasible: &[NodeIdx],
) -> Result<Option<ScoreState>, Status> {
    let constraints = spread_constraints(cache, profile, incoming, false)
        .map_err(|error| Status::text(Plugin::PodTopologySpread, Code::Error, error))?;
    if constraints.is_empty() {
        return Ok(None);
    }
    let own = !incoming.info.pod.spec.topology_spread_constraints.is_empty();
    let require_all = own || matches!(profile.args.spread, DefaultConstraints::List(_));
    let pods: Vec<Arc<Vec<u32>>> = constraints
        .iter()
        .map(|constraint| matching_pods_per_node(cache, &incoming.info, &constraint.selector))
        .collect();
    let cache = &*cache;
    let keys: Vec<_> = constraints
        .iter()
        .map(|constraint| cache.topology.key(constraint.key))
        .collect();
    let lacks_key = |node: NodeIdx| require_all && keys.iter().any(|key| key.domain(node) == NO_DOMAIN);
    let ignored: Vec<bool> = feasible.iter().map(|node| lacks_key(*node)).collect();
    let n_ignored = ignored.iter().filter(|ignored| **ignored).count();
    let mut weights = Vec::new();
    let mut counts = Vec::new();
    for (index, (constraint, pods)) in constraints.iter().zip(pods).enumerate() {
        if constraint.key_symbol == Symbol::HOSTNAME {
            weights.push(libm::log((feasible.len() - n_ignored + 2) as f64));
            counts.push(SpreadCounts::ByNode(pods));
            continue;
        }
        let key = keys[index];
        let required = if require_all { &keys[..] } else { &[] };
        let all = count_per_domain(cache, incoming, constraint, required, &pods);
        // Only the domains of feasible nodes are scored.
        let mut scored = vec![0; all.len()];
        let mut size = 0;
        let mut is_known = vec![false; all.len()];
        for (node, _) in feasible.iter().zip(&ignored).filter(|(_, ignored)| !**ignored) {
            let slot = key.domain_slot(*node);
            if !is_known[slot] {
                is_known[slot] = true;
                scored[slot] = all[slot].max(0);
                size += 1;
            }
        }
        weights.push(libm::log((size + 2) as f64));
        counts.push(SpreadCounts::ByDomain { scored, all });
    }
    Ok(Some(ScoreState {
        constraints,
        weights,
        counts,
        ignored,
    }))
}

impl ScoreState {
    /// Returns the count of a node's domain for a constraint, as used for scoring; `None` if the node lacks the label.
    pub fn scored_count(&self, cache: &Cache, constraint_index: usize, node: NodeIdx) -> Option<i64> {
        let domain = cache.topology.key(self.constraints[constraint_index].key).domain(node);
        if domain == NO_DOMAIN {
            return None;
        }
        Some(match &self.counts[constraint_index] {
            SpreadCounts::ByNode(pods) => pod_count_on_node(pods, node),
            SpreadCounts::ByDomain { scored, .. } => scored[domain as usize],
        })
    }

    /// Returns the count of a node's domain for a constraint, even if the domain is not scored; `None` if the node
    /// lacks the label.
    pub fn true_count(&self, cache: &Cache, constraint_index: usize, node: NodeIdx) -> Option<i64> {
        match &self.counts[constraint_index] {
            SpreadCounts::ByNode(_) => self.scored_count(cache, constraint_index, node),
            SpreadCounts::ByDomain { all, .. } => {
                let domain = cache.topology.key(self.constraints[constraint_index].key).domain(node);
                (domain != NO_DOMAIN).then(|| all[domain as usize].max(0))
            }
        }
    }

    /// Returns the scored domains of a constraint: the domains of the feasible nodes that have all required labels.
    pub fn scored_domains(&self, cache: &Cache, constraint_index: usize, feasible: &[NodeIdx]) -> Vec<u32> {
        let key = cache.topology.key(self.constraints[constraint_index].key);
        let counted = feasible.iter().zip(&self.ignored).filter(|(_, ignored)| !**ignored);
        counted.map(|(node, _)| key.domain(*node)).collect()
    }

    pub(super) fn node_score(&self, cache: &Cache, feasible_index: usize, node: NodeIdx) -> i64 {
        if self.ignored[feasible_index] {
            return 0;
        }
        let mut score = 0.0_f64;
        for (index, constraint) in self.constraints.iter().enumerate() {
            if let Some(count) = self.scored_count(cache, index, node) {
                score += count as f64 * self.weights[index] + (constraint.max_skew - 1) as f64;
            }
        }
        libm::round(score) as i64
    }

    /// Implements NormalizeScore: inverts the scores; ignored nodes get 0 (SCH-083).
    pub(super) fn normalize(&self, scores: &mut [i64]) {
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
