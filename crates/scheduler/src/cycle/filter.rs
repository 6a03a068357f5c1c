//! Filter: finds the nodes that can run a pod (SCH-011 to SCH-019).

use std::sync::Arc;

use podscope_api::ordered::StableSort as _;

use super::{Cycle, CycleResult, CycleState, NodeSearch};
use crate::cache::Cache;
use crate::config::{Profile, SchedulerConfiguration};
use crate::node_info::{NodeIdx, NodeInfo};
use crate::plugins::{Plugin, Point};
use crate::pod_info::PodInfo;
use crate::rows::{Row, RowBounds};
use crate::status::{Code, Reason, Reasons, Status};
use crate::symbols::Symbol;

/// Returns the number of feasible nodes at which the search stops: `percentageOfNodesToScore` of all nodes, but at
/// least `minFeasibleNodesToFind` (SCH-013).
fn nodes_to_find(config: &SchedulerConfiguration, profile: &Profile, n: usize) -> usize {
    if profile.at(Point::Score).is_empty() {
        return 1;
    }
    if n < 100 {
        return n;
    }
    let mut percentage = profile
        .percentage_of_nodes_to_score
        .unwrap_or(config.percentage_of_nodes_to_score) as usize;
    if percentage == 0 {
        percentage = 50_usize.saturating_sub(n / 125).max(5);
    }
    (n * percentage / 100).max(100)
}

/// The Filter plugins of a cycle. Plugins that need only a node's [`Row`] are replaced by bounds on the row.
struct RowFilter {
    bounds: RowBounds,
    /// Nodes with nominated pods, sorted. On these nodes, all plugins run one by one.
    nominated: Vec<NodeIdx>,
    /// Plugins whose check needs more than a row, in order.
    others: Vec<Plugin>,
}

impl RowFilter {
    fn new(search: &NodeSearch<'_>, cache: &Cache, plugins: &[Plugin]) -> Self {
        let mut nominated: Vec<NodeIdx> = search
            .nominator
            .nodes()
            .filter_map(|name| cache.node_index(name))
            .collect();
        nominated.sort_unstable();
        let mut bounds = RowBounds::default();
        let needs_node = |plugin: &&Plugin| {
            !plugin
                .extension_points()
                .add_node_row_bounds(search.incoming, &mut bounds)
        };
        let others = plugins.iter().filter(needs_node).copied().collect();
        Self {
            bounds,
            nominated,
            others,
        }
    }

    fn passes_filters(&self, node: NodeIdx, row: &Row) -> bool {
        self.bounds.are_satisfied(row) && self.nominated.binary_search(&node).is_err()
    }
}

impl NodeSearch<'_> {
    /// Examines nodes until enough are feasible (SCH-011 to SCH-017).
    pub(super) fn find_feasible(
        &self,
        cache: &Cache,
        state: &mut CycleState,
        only: Option<Vec<Symbol>>,
        start: &mut usize,
        found: &mut CycleResult,
    ) -> Result<(), String> {
        let cycle = self.cycle(cache);
        let order = cache.examination_order();
        let nominated = &self.incoming.info.pod.status.nominated_node_name;
        if !nominated.is_empty()
            && let Some(node) = cache.node_index(nominated)
        {
            match self.filter_with_nominated(&cycle, state, node, cache.node(node)) {
                Ok(()) => {
                    found.feasible.push(node);
                    return Ok(());
                }
                // An error of a plugin on the nominated node does not end the cycle.
                Err(status) if status.code == Code::Error => {}
                Err(status) => self.record_rejection(cache, found, node, status)?,
            }
        }
        let narrowed: Vec<NodeIdx>;
        let nodes = match &only {
            None => order,
            Some(names) => {
                let named = order
                    .iter()
                    .filter(|node| names.contains(&cache.node(**node).name_symbol));
                narrowed = named.copied().collect();
                // `rejectors` also contains the plugin that rejected the nominated node (SCH-148).
                let mut plugins: Vec<&str> = found.diagnosis.rejectors.iter().map(Plugin::name).collect();
                plugins.stable_sort();
                let reason = match plugins.as_slice() {
                    ["NodeAffinity"] => Reason::Fixed("node(s) didn't satisfy plugin(s) [NodeAffinity]"),
                    all => Reason::Text(format!("node(s) didn't satisfy plugin(s) [{}]", all.join(" ")).into()),
                };
                found.diagnosis.absent = Some(Status {
                    plugin: None,
                    code: Code::UnschedulableAndUnresolvable,
                    reasons: Reasons::One(reason),
                });
                &narrowed
            }
        };
        let n = nodes.len();
        found.wanted = nodes_to_find(self.config, self.profile, n);
        let first = if n == 0 { 0 } else { *start % n };
        let by_row = RowFilter::new(self, cache, &state.filters);
        found.feasible.reserve(found.wanted.min(n));
        for node in nodes[first..].iter().chain(&nodes[..first]) {
            let info = cache.node(*node);
            let result = if by_row.passes_filters(*node, cache.row(*node)) {
                run(&by_row.others, &cycle, state, *node, info)
            } else {
                self.filter_with_nominated(&cycle, state, *node, info)
            };
            match result {
                Ok(()) if found.feasible.len() == found.wanted => break,
                Ok(()) => found.feasible.push(*node),
                Err(status) => self.record_rejection(cache, found, *node, status)?,
            }
        }
        let examined = found.feasible.len() + found.diagnosis.refused.len();
        *start = (*start + examined) % order.len();
        Ok(())
    }

    fn record_rejection(
        &self,
        cache: &Cache,
        found: &mut CycleResult,
        node: NodeIdx,
        status: Status,
    ) -> Result<(), String> {
        let plugin = status.plugin;
        if status.code == Code::Error {
            return Err(format!(
                "running \"{}\" filter plugin: {}",
                plugin.map_or("", Plugin::name),
                status.message(&cache.symbols)
            ));
        }
        if let Some(plugin) = plugin {
            found.diagnosis.rejectors.insert(plugin);
        }
        let refused = &mut found.diagnosis.refused;
        // Only the nominated node can be rejected twice; it is the first node of the list.
        match refused.first_mut() {
            Some((known, before)) if *known == node => *before = status,
            _ => refused.push((node, status)),
        }
        Ok(())
    }

    /// Runs Filter on a node: first with the nominated pods of equal or higher priority added, then without them
    /// (SCH-017).
    pub(crate) fn filter_with_nominated(
        &self,
        cycle: &Cycle<'_>,
        state: &mut CycleState,
        index: NodeIdx,
        node: &NodeInfo,
    ) -> Result<(), Status> {
        let own = &self.incoming.info;
        let others: Vec<&Arc<PodInfo>> = self
            .nominator
            .pods_nominated_to(&node.name)
            .iter()
            .filter(|pod| pod.priority >= own.priority && pod.uid != own.uid)
            .collect();
        if !others.is_empty() {
            let saved = state.critical_paths();
            let mut copy = node.clone();
            for pod in &others {
                copy.add_pod((*pod).clone());
                state.add_or_remove_pod(cycle, pod, index, 1);
            }
            let result = run(&state.filters, cycle, state, index, &copy);
            for pod in &others {
                state.add_or_remove_pod(cycle, pod, index, -1);
            }
            state.restore_critical_paths(saved);
            result?;
        }
        run(&state.filters, cycle, state, index, node)
    }
}

/// Runs Filter plugins on a node and returns the first rejection (SCH-016).
fn run(
    plugins: &[Plugin],
    cycle: &Cycle<'_>,
    state: &CycleState,
    index: NodeIdx,
    node: &NodeInfo,
) -> Result<(), Status> {
    plugins
        .iter()
        .try_for_each(|plugin| plugin.extension_points().filter(cycle, state, index, node))
}
