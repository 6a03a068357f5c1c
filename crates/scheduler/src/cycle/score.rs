//! PreScore, Score, Normalize and the choice of hosts (SCH-020, SCH-021, SCH-035).

use super::{Cycle, CycleState, Found, PluginScores, Search};
use crate::cache::Cache;
use crate::node_info::NodeIdx;
use crate::plugins::{
    Plugin, Point, balanced_allocation, image_locality, inter_pod_affinity, node_affinity, node_resources_fit,
    pod_topology_spread, taint_toleration,
};
use crate::status::Status;

impl Search<'_> {
    /// PreScore, Score, Normalize, weights, hosts (SCH-020, SCH-021).
    pub(super) fn score(&self, cache: &mut Cache, state: &mut CycleState, found: &mut Found) -> Result<(), String> {
        let plugins = self.profile.at(Point::Score);
        let n = found.feasible.len();
        let mut totals = vec![0_i64; n];
        for plugin in plugins {
            let run = self
                .pre_score(*plugin, cache, state, &found.feasible)
                .map_err(|status| {
                    let message = status.message(&cache.symbols);
                    format!("running PreScore plugin \"{}\": {message}", plugin.name())
                })?;
            if !run {
                continue;
            }
            let cycle = self.cycle(cache);
            let raw = score_all(*plugin, &cycle, state, &found.feasible);
            let mut normalized = raw.clone();
            normalize(*plugin, state, &mut normalized);
            let weight = self.profile.weight(*plugin);
            for (total, score) in totals.iter_mut().zip(&normalized) {
                if !(0..=100).contains(score) {
                    return Err(format!(
                        "plugin \"{}\" returns an invalid score {score}, it should in the range of [0, 100] after normalizing",
                        plugin.name()
                    ));
                }
                *total += score * weight;
            }
            found.scores.push(PluginScores {
                plugin: *plugin,
                raw,
                normalized,
                weight,
            });
        }
        if plugins.is_empty() {
            totals.fill(1);
        }
        let best = totals.iter().copied().max().unwrap_or(0);
        let tied = found.feasible.iter().zip(&totals).filter(|(_, total)| **total == best);
        found.hosts.reserve(n);
        found.hosts.extend(tied.map(|(node, _)| *node));
        found.totals = totals;
        Ok(())
    }

    /// Whether the plugin scores this cycle (SCH-035).
    fn pre_score(
        &self,
        plugin: Plugin,
        cache: &mut Cache,
        state: &mut CycleState,
        feasible: &[NodeIdx],
    ) -> Result<bool, Status> {
        Ok(match plugin {
            Plugin::NodeAffinity => node_affinity::pre_score(&self.cycle(cache))?,
            Plugin::VolumeBinding => false,
            Plugin::PodTopologySpread => {
                state.spread_score = pod_topology_spread::pre_score(cache, self.profile, self.incoming, feasible)?;
                state.spread_score.is_some()
            }
            Plugin::InterPodAffinity => {
                state.affinity_score = inter_pod_affinity::pre_score(cache, self.profile, self.incoming);
                state.affinity_score.is_some()
            }
            Plugin::BalancedAllocation => balanced_allocation::pre_score(&self.cycle(cache)),
            _ => true,
        })
    }
}

/// A plugin's scores of the feasible nodes, in their order.
fn score_all(plugin: Plugin, cycle: &Cycle<'_>, state: &CycleState, feasible: &[NodeIdx]) -> Vec<i64> {
    let cache = cycle.cache;
    let mut scores = vec![0; feasible.len()];
    let nodes = scores.iter_mut().zip(feasible);
    match plugin {
        Plugin::TaintToleration => nodes.for_each(|(score, node)| *score = taint_toleration::score(cycle, *node)),
        Plugin::NodeAffinity => nodes.for_each(|(score, node)| *score = node_affinity::score(cycle, cache.node(*node))),
        Plugin::NodeResourcesFit => {
            let scorer = node_resources_fit::Scorer::new(cycle);
            nodes.for_each(|(score, node)| *score = scorer.score(cache, *node));
        }
        Plugin::BalancedAllocation => {
            let (resources, mut fractions) = (balanced_allocation::resources(cycle), Vec::new());
            nodes.for_each(|(score, node)| {
                *score = balanced_allocation::score(cache, &resources, &mut fractions, *node)
            });
        }
        Plugin::ImageLocality if cache.has_no_images() => {}
        Plugin::ImageLocality => {
            nodes.for_each(|(score, node)| *score = image_locality::score(cycle, cache.node(*node)))
        }
        Plugin::PodTopologySpread => {
            if let Some(state) = &state.spread_score {
                for (at, (score, node)) in nodes.enumerate() {
                    *score = pod_topology_spread::score(cycle, state, at, *node);
                }
            }
        }
        Plugin::InterPodAffinity => {
            if let Some(state) = &state.affinity_score {
                nodes.for_each(|(score, node)| *score = inter_pod_affinity::score(cycle, state, *node));
            }
        }
        _ => {}
    }
    scores
}

fn normalize(plugin: Plugin, state: &CycleState, scores: &mut [i64]) {
    match plugin {
        Plugin::TaintToleration => taint_toleration::normalize(scores),
        Plugin::NodeAffinity => node_affinity::normalize(scores),
        Plugin::PodTopologySpread => {
            if let Some(state) = &state.spread_score {
                pod_topology_spread::normalize(state, scores);
            }
        }
        Plugin::InterPodAffinity => inter_pod_affinity::normalize(scores),
        _ => {}
    }
}
