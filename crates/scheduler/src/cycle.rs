//! One scheduling cycle: PreFilter, Filter, PreScore, Score and selection of a host (SCH-002, SCH-007 to SCH-021).

mod filter;
mod score;

use podscope_api::Str;
use podscope_api::explained::RefusedNodes;
use podscope_api::ordered::StableSort as _;

use crate::cache::Cache;
use crate::config::{Profile, SchedulerConfiguration};
use crate::node_info::NodeIdx;
use crate::nominator::Nominator;
use crate::plugins::node_affinity::AddedAffinity;
use crate::plugins::{
    Plugin, PluginSet, Point, inter_pod_affinity, pod_topology_spread, volume_binding, volume_restrictions, volume_zone,
};
use crate::pod_info::{Incoming, PodInfo};
use crate::status::{Code, ReasonHistogram, Status};
use crate::symbols::Symbol;

/// The read-only inputs of plugins during a cycle.
#[derive(Debug, Clone, Copy)]
pub struct Cycle<'a> {
    /// The cluster.
    pub cache: &'a Cache,
    /// The profile that schedules the pod.
    pub profile: &'a Profile,
    /// The pod being scheduled.
    pub incoming: &'a Incoming,
    /// The node affinity that the profile adds to every pod.
    pub added_affinity: &'a AddedAffinity,
}

/// The result of a plugin's PreFilter.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum PreFilter {
    /// The plugin is not relevant for this pod: its Filter is skipped in this cycle.
    Skip,
    /// The plugin's Filter runs on every node.
    Run,
    /// Only the nodes with these names are candidates.
    Only(Vec<Symbol>),
}

impl PreFilter {
    /// Returns `Run` if the condition holds, otherwise `Skip`.
    pub(crate) fn run_or_skip(run: bool) -> Self {
        if run { Self::Run } else { Self::Skip }
    }
}

/// State that plugins store between the extension points of one cycle, in one field per plugin.
#[derive(Debug, Clone, Default)]
pub struct CycleState {
    /// Plugins whose PreFilter returned `Skip`.
    pub skip_filter: PluginSet,
    /// Plugins whose Filter runs, in order.
    filters: Vec<Plugin>,
    /// Plugins that implement AddPod and RemovePod and whose PreFilter did not skip.
    pre_filter_extensions: Vec<Plugin>,
    pub(crate) spread: Option<pod_topology_spread::FilterState>,
    pub(crate) affinity: Option<inter_pod_affinity::FilterState>,
    pub(crate) restrictions: Option<volume_restrictions::State>,
    pub(crate) binding: Option<volume_binding::State>,
    pub(crate) zone: Option<volume_zone::State>,
    /// Whether PreFilter of DynamicResources ran (SCH-031).
    pub(crate) dynamic_resources_ran: bool,
    pub(crate) claims: Option<crate::plugins::dynamic_resources::ClaimsState>,
    pub(crate) spread_score: Option<pod_topology_spread::ScoreState>,
    pub(crate) affinity_score: Option<inter_pod_affinity::ScoreState>,
}

impl CycleState {
    /// Returns the state that a plugin's PreFilter stored for its Filter. If the configuration disables only the
    /// PreFilter, the state is missing, which is an error as in kube-scheduler.
    pub(crate) fn pre_filter_state<T>(plugin: Plugin, state: Option<&T>) -> Result<&T, Status> {
        state.ok_or_else(|| {
            let text = format!("reading \"PreFilter{}\" from cycleState: not found", plugin.name());
            Status::text(plugin, Code::Error, text)
        })
    }

    /// Calls AddPod (`delta` 1) or RemovePod (`delta` -1) of every plugin in `pre_filter_extensions`.
    pub(crate) fn add_or_remove_pod(&mut self, cycle: &Cycle<'_>, pod: &PodInfo, node: NodeIdx, delta: i64) {
        for at in 0..self.pre_filter_extensions.len() {
            self.pre_filter_extensions[at]
                .extension_points()
                .update_for_changed_pod(cycle, self, pod, node, delta);
        }
    }

    /// Returns a copy of PodTopologySpread's `criticalPaths`: for each hard constraint, a domain with the fewest matching
    /// pods and one other domain, with their counts.
    pub(crate) fn critical_paths(&self) -> Option<Vec<[(u32, i64); 2]>> {
        self.spread
            .as_ref()
            .map(pod_topology_spread::FilterState::critical_paths)
    }

    pub(crate) fn restore_critical_paths(&mut self, saved: Option<Vec<[(u32, i64); 2]>>) {
        if let (Some(state), Some(saved)) = (&mut self.spread, saved) {
            state.restore_critical_paths(saved);
        }
    }

    /// Returns the hard spread constraints and their counts.
    pub fn spread(&self) -> Option<&pod_topology_spread::FilterState> {
        self.spread.as_ref()
    }

    pub(crate) fn volume_binding_state(&self) -> Option<&volume_binding::State> {
        self.binding.as_ref()
    }
}

/// The reasons why nodes were rejected.
#[derive(Debug, Clone, Default)]
pub struct Diagnosis {
    /// Nodes that Filter rejected, in the order of examination.
    pub refused: Vec<(NodeIdx, Status)>,
    /// Status of all nodes that were not examined; `None` is an empty status (SCH-028).
    pub absent: Option<Status>,
    /// Status of the PreFilter that rejected the pod for all nodes.
    pub pre_filter: Option<Status>,
    /// Plugins that rejected the pod or a node. The pod is requeued only by events for which one of these plugins has
    /// registered.
    pub rejectors: PluginSet,
    /// Message of PostFilter; empty if PostFilter succeeded.
    pub post_filter: String,
}

impl Diagnosis {
    /// Returns the status of a node in this cycle; `None` is the default status of nodes that were not examined.
    pub fn status_of(&self, node: NodeIdx) -> Option<&Status> {
        let explicit = self.refused.iter().find(|(refused, _)| *refused == node);
        explicit.map(|(_, status)| status).or(self.absent.as_ref())
    }

    /// Returns the message of the FailedScheduling event (SCH-026).
    pub fn message(&self, cache: &Cache) -> String {
        self.message_and_refusal(cache).0
    }

    /// Returns the message of the FailedScheduling event, and the same reasons as structured counts.
    pub fn message_and_refusal(&self, cache: &Cache) -> (String, RefusedNodes) {
        let n_nodes = cache.examination_order().len();
        let histogram = self.reason_histogram(n_nodes);
        let refusal = RefusedNodes {
            nodes: n_nodes,
            causes: histogram.causes(&cache.symbols),
        };
        if n_nodes == 0 {
            return ("no nodes available to schedule pods".to_owned(), refusal);
        }
        let mut text = format!("0/{n_nodes} nodes are available:");
        match &self.pre_filter {
            Some(status) => {
                text.push_str(&format!(" {}.", status.message(&cache.symbols)));
            }
            None => text.push_str(&histogram.text(&cache.symbols)),
        }
        if !self.post_filter.is_empty() {
            text.push(' ');
            text.push_str(&self.post_filter);
        }
        (text, refusal)
    }

    fn reason_histogram(&self, n_nodes: usize) -> ReasonHistogram {
        let mut histogram = ReasonHistogram::default();
        if let Some(status) = &self.pre_filter {
            histogram.add(status, n_nodes);
            return histogram;
        }
        for (_, status) in &self.refused {
            histogram.add(status, 1);
        }
        if let Some(status) = &self.absent
            && self.refused.len() < n_nodes
        {
            histogram.add(status, n_nodes - self.refused.len());
        }
        histogram
    }
}

/// One plugin's scores of the feasible nodes, in the order of the nodes.
#[derive(Debug, Clone)]
pub struct PluginScores {
    pub plugin: Plugin,
    /// Scores before normalization.
    pub raw: Vec<i64>,
    /// Scores after NormalizeScore, in `[0, 100]`.
    pub normalized: Vec<i64>,
    pub weight: i64,
}

/// The result of a scheduling cycle.
#[derive(Debug, Clone, Default)]
pub struct CycleResult {
    /// Nodes that passed Filter, in the order of examination.
    pub feasible: Vec<NodeIdx>,
    /// Scores by plugin; empty with fewer than two feasible nodes.
    pub scores: Vec<PluginScores>,
    /// Sum of the weighted scores of each feasible node.
    pub totals: Vec<i64>,
    /// The nodes with the highest total, in the order of examination.
    pub hosts: Vec<NodeIdx>,
    /// The reasons why the other nodes were rejected.
    pub diagnosis: Diagnosis,
    /// Error text if the cycle failed before a decision.
    pub error: Option<String>,
    /// Number of feasible nodes at which the search stops (SCH-013).
    pub wanted: usize,
}

/// The search for a node for one pod: the inputs of a scheduling cycle, except the cache.
pub(crate) struct NodeSearch<'a> {
    pub(crate) config: &'a SchedulerConfiguration,
    pub(crate) profile: &'a Profile,
    pub(crate) incoming: &'a Incoming,
    pub(crate) added_affinity: &'a AddedAffinity,
    pub(crate) nominator: &'a Nominator,
}

impl NodeSearch<'_> {
    pub(crate) fn cycle<'a>(&'a self, cache: &'a Cache) -> Cycle<'a> {
        Cycle {
            cache,
            profile: self.profile,
            incoming: self.incoming,
            added_affinity: self.added_affinity,
        }
    }

    /// Runs the cycle up to the selection of hosts. `start` is the rotating start index (SCH-015).
    pub(crate) fn run(&self, cache: &mut Cache, start: &mut usize) -> (CycleResult, CycleState) {
        let mut found = CycleResult::default();
        let mut state = CycleState::default();
        if cache.examination_order().is_empty() {
            return (found, state);
        }
        let only = match self.pre_filter(cache, &mut state, &mut found.diagnosis) {
            Ok(only) => only,
            Err(error) => {
                found.error = error;
                return (found, state);
            }
        };
        if let Err(error) = self.find_feasible(cache, &mut state, only, start, &mut found) {
            found.error = Some(error);
            return (found, state);
        }
        match found.feasible.len() {
            0 => {}
            1 => found.hosts = found.feasible.clone(),
            _ => {
                if let Err(error) = self.score_and_select_hosts(cache, &mut state, &mut found) {
                    found.error = Some(error);
                }
            }
        }
        (found, state)
    }

    /// Runs PreFilter (SCH-008, SCH-009). `Ok(Some)` contains the names of the only candidate nodes; with `Ok(None)`,
    /// all nodes are candidates. `Err(None)` means that the pod was rejected, with the status in the diagnosis;
    /// `Err(Some)` is an error.
    fn pre_filter(
        &self,
        cache: &mut Cache,
        state: &mut CycleState,
        diagnosis: &mut Diagnosis,
    ) -> Result<Option<Vec<Symbol>>, Option<String>> {
        let mut only: Option<Vec<Symbol>> = None;
        let mut narrowed_by: Vec<&str> = Vec::new();
        for plugin in self.profile.at(Point::PreFilter) {
            match plugin.extension_points().pre_filter(self, cache, state) {
                Ok(PreFilter::Run) => {}
                Ok(PreFilter::Skip) => state.skip_filter.insert(*plugin),
                Ok(PreFilter::Only(names)) => {
                    narrowed_by.push(plugin.name());
                    // A plugin that restricts the candidate nodes counts as a rejector even if a node is found.
                    diagnosis.rejectors.insert(*plugin);
                    only = Some(match only {
                        None => names,
                        Some(before) => before.into_iter().filter(|name| names.contains(name)).collect(),
                    });
                    if only.as_ref().is_some_and(Vec::is_empty) {
                        narrowed_by.stable_sort();
                        let text = match narrowed_by.as_slice() {
                            [one] => format!("node(s) didn't satisfy plugin {one}"),
                            all => format!("node(s) didn't satisfy plugin(s) [{}] simultaneously", all.join(" ")),
                        };
                        let status = Status::text(*plugin, Code::UnschedulableAndUnresolvable, text);
                        diagnosis.absent = Some(status.clone());
                        diagnosis.pre_filter = Some(status);
                        return Err(None);
                    }
                }
                Err(status) if status.code == Code::Error => {
                    let message = status.message(&cache.symbols);
                    return Err(Some(format!(
                        "running PreFilter plugin \"{}\": {message}",
                        plugin.name()
                    )));
                }
                Err(status) => {
                    diagnosis.rejectors.insert(*plugin);
                    diagnosis.absent = Some(status.clone());
                    diagnosis.pre_filter = Some(status);
                    return Err(None);
                }
            }
        }
        state.filters = self
            .profile
            .at(Point::Filter)
            .iter()
            .copied()
            .filter(|plugin| !state.skip_filter.contains(*plugin))
            .collect();
        state.pre_filter_extensions = self
            .profile
            .at(Point::PreFilter)
            .iter()
            .copied()
            .filter(|plugin| plugin.spec().has_pre_filter_extensions && !state.skip_filter.contains(*plugin))
            .collect();
        Ok(only)
    }
}

/// Returns a node's name, for results.
pub(crate) fn name_of_node(cache: &Cache, node: NodeIdx) -> Str {
    cache.node(node).name.clone()
}
