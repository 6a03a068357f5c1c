//! PreScore, Score, NormalizeScore and the selection of the best hosts (SCH-020, SCH-021, SCH-035).

use super::{CycleResult, CycleState, NodeSearch, PluginScores};
use crate::cache::Cache;
use crate::plugins::Point;

impl NodeSearch<'_> {
    /// Scores the feasible nodes and selects those with the highest total (SCH-020, SCH-021).
    pub(super) fn score_and_select_hosts(
        &self,
        cache: &mut Cache,
        state: &mut CycleState,
        found: &mut CycleResult,
    ) -> Result<(), String> {
        let plugins = self.profile.at(Point::Score);
        let n = found.feasible.len();
        let mut totals = vec![0_i64; n];
        for plugin in plugins {
            let run = plugin
                .extension_points()
                .pre_score(self, cache, state, &found.feasible)
                .map_err(|status| {
                    let message = status.message(&cache.symbols);
                    format!("running PreScore plugin \"{}\": {message}", plugin.name())
                })?;
            if !run {
                continue;
            }
            let cycle = self.cycle(cache);
            let mut raw = vec![0; n];
            if !plugin
                .extension_points()
                .score(&cycle, state, &found.feasible, &mut raw)
            {
                found.scores.push(PluginScores {
                    plugin: *plugin,
                    normalized: vec![0; n],
                    raw,
                    weight: self.profile.weight(*plugin),
                });
                continue;
            }
            let mut normalized = raw.clone();
            plugin.extension_points().normalize(state, &mut normalized);
            debug_assert_eq!(
                normalized.len(),
                totals.len(),
                "there must be one score per feasible node"
            );
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
}
