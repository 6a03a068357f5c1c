//! One scheduling cycle: PreFilter, Filter, PreScore, Score, choice (SCH-002, SCH-007 to SCH-021).

use podscope_api::ordered::InOrder as _;
use std::sync::Arc;

use podscope_api::Str;

use crate::cache::Cache;
use crate::config::{Profile, SchedulerConfiguration};
use crate::node_info::{NodeIdx, NodeInfo};
use crate::nominator::Nominator;
use crate::plugins::{
    Plugin, PluginSet, Point, balanced_allocation, dynamic_resources, image_locality, inter_pod_affinity,
    node_affinity, node_name, node_ports, node_resources_fit, node_unschedulable, node_volume_limits,
    pod_topology_spread, taint_toleration, volume_binding, volume_restrictions, volume_zone,
};
use crate::pod_info::{Incoming, PodInfo};
use crate::selector::{NodeSelector, NodeTerm};
use crate::status::{Code, Histogram, Reason, Reasons, Status};
use crate::symbols::Symbol;

/// The profile's added node affinity, compiled.
#[derive(Debug, Clone, Default)]
pub struct AddedAffinity {
    /// Required of every pod.
    pub required: Option<NodeSelector>,
    /// Preferred for every pod.
    pub preferred: Vec<(i64, NodeTerm)>,
}

impl AddedAffinity {
    pub(crate) fn compile(cache: &mut Cache, profile: &Profile) -> Self {
        let Some(added) = &profile.args.added_affinity else {
            return Self::default();
        };
        let symbols = &mut cache.symbols;
        Self {
            required: added
                .required_during_scheduling_ignored_during_execution
                .as_ref()
                .map(|selector| NodeSelector::compile(symbols, selector)),
            preferred: added
                .preferred_during_scheduling_ignored_during_execution
                .iter()
                .map(|term| (i64::from(term.weight), NodeTerm::compile(symbols, &term.preference)))
                .filter(|(weight, term)| *weight != 0 && !term.empty)
                .collect(),
        }
    }
}

/// What plugins may look at.
#[derive(Debug, Clone, Copy)]
pub struct Cycle<'a> {
    /// The cluster.
    pub cache: &'a Cache,
    /// The profile that decides.
    pub profile: &'a Profile,
    /// The pod being decided.
    pub incoming: &'a Incoming,
    /// The profile's own node affinity.
    pub added_affinity: &'a AddedAffinity,
}

/// What a PreFilter says.
#[derive(Debug, Clone, PartialEq)]
pub enum PreFilter {
    /// Not concerned: its Filter is off for the cycle.
    Skip,
    /// Go on.
    Run,
    /// Go on, on these nodes only.
    Only(Vec<Symbol>),
}

/// What plugins keep between extension points of one cycle.
#[derive(Debug, Clone, Default)]
pub struct CycleState {
    /// Plugins whose PreFilter skipped.
    pub skip_filter: PluginSet,
    /// Filters that run, in order.
    filters: Vec<Plugin>,
    spread: Option<pod_topology_spread::FilterState>,
    affinity: Option<inter_pod_affinity::FilterState>,
    restrictions: Option<volume_restrictions::State>,
    binding: Option<volume_binding::State>,
    zone: Option<volume_zone::State>,
    /// Whether DynamicResources' PreFilter ran (SCH-031).
    pub dynamic_resources_ran: bool,
    pub(crate) spread_score: Option<pod_topology_spread::ScoreState>,
    affinity_score: Option<inter_pod_affinity::ScoreState>,
}

impl CycleState {
    /// AddPod (`1`) or RemovePod (`-1`) of every plugin that has the hooks and was not skipped.
    pub(crate) fn update(&mut self, cycle: &Cycle<'_>, pod: &PodInfo, node: NodeIdx, delta: i64) {
        if let Some(state) = &mut self.restrictions {
            state.update(pod, delta);
        }
        if let Some(state) = &mut self.spread {
            state.update(cycle, pod, node, delta);
        }
        if let Some(state) = &mut self.affinity {
            state.update(cycle, pod, node, delta);
        }
    }
    pub(crate) fn save(&self) -> Option<Vec<[(u32, i64); 2]>> {
        self.spread.as_ref().map(pod_topology_spread::FilterState::save)
    }
    pub(crate) fn restore(&mut self, saved: Option<Vec<[(u32, i64); 2]>>) {
        if let (Some(state), Some(saved)) = (&mut self.spread, saved) {
            state.restore(saved);
        }
    }
    /// The hard spread constraints and their counts.
    pub fn spread(&self) -> Option<&pod_topology_spread::FilterState> {
        self.spread.as_ref()
    }
    pub(crate) fn binding(&self) -> Option<&volume_binding::State> {
        self.binding.as_ref()
    }
}

/// Why nodes were refused.
#[derive(Debug, Clone, Default)]
pub struct Diagnosis {
    /// Nodes that were examined and refused, in the order of examination.
    pub refused: Vec<(NodeIdx, Status)>,
    /// What holds for every node not examined; the default says nothing (SCH-028).
    pub absent: Option<Status>,
    /// A PreFilter refused the pod outright.
    pub pre_filter: Option<Status>,
    /// Plugins that refused anything: they decide which events requeue the pod.
    pub rejectors: PluginSet,
    /// What PostFilter said, empty after a success.
    pub post_filter: String,
}

impl Diagnosis {
    /// The status of a node this cycle; `None` is the default "absent" status.
    pub fn status_of(&self, node: NodeIdx) -> Option<&Status> {
        let explicit = self.refused.iter().find(|(refused, _)| *refused == node);
        explicit.map(|(_, status)| status).or(self.absent.as_ref())
    }
    /// The FailedScheduling text (SCH-026).
    pub fn message(&self, cache: &Cache) -> String {
        let n_nodes = cache.order().len();
        if n_nodes == 0 {
            return "no nodes available to schedule pods".to_owned();
        }
        let mut text = format!("0/{n_nodes} nodes are available:");
        match &self.pre_filter {
            Some(status) => {
                text.push_str(&format!(" {}.", status.message(&cache.symbols)));
            }
            None => text.push_str(&self.histogram(n_nodes).text(&cache.symbols)),
        }
        if !self.post_filter.is_empty() {
            text.push(' ');
            text.push_str(&self.post_filter);
        }
        text
    }
    fn histogram(&self, n_nodes: usize) -> Histogram {
        let mut histogram = Histogram::default();
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

/// One plugin's scores of the feasible nodes, in their order.
#[derive(Debug, Clone)]
pub struct PluginScores {
    /// Whose.
    pub plugin: Plugin,
    /// As the plugin gave them.
    pub raw: Vec<i64>,
    /// After Normalize, in `[0, 100]`.
    pub normalized: Vec<i64>,
    /// Its weight.
    pub weight: i64,
}

/// What a cycle found.
#[derive(Debug, Clone, Default)]
pub struct Found {
    /// Nodes that passed, in the order of examination.
    pub feasible: Vec<NodeIdx>,
    /// Scores, with two or more feasible nodes.
    pub scores: Vec<PluginScores>,
    /// Sum of the weighted scores of each feasible node.
    pub totals: Vec<i64>,
    /// The nodes with the highest total, in the order of examination.
    pub hosts: Vec<NodeIdx>,
    /// Why the others did not.
    pub diagnosis: Diagnosis,
    /// The cycle failed: an error text instead of a decision.
    pub error: Option<String>,
    /// How many nodes were to be found at most (SCH-013).
    pub wanted: usize,
}

/// How many feasible nodes end the search (SCH-013).
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

/// The search of one cycle.
pub(crate) struct Search<'a> {
    pub(crate) config: &'a SchedulerConfiguration,
    pub(crate) profile: &'a Profile,
    pub(crate) incoming: &'a Incoming,
    pub(crate) added_affinity: &'a AddedAffinity,
    pub(crate) nominator: &'a Nominator,
}

impl Search<'_> {
    pub(crate) fn cycle<'a>(&'a self, cache: &'a Cache) -> Cycle<'a> {
        Cycle {
            cache,
            profile: self.profile,
            incoming: self.incoming,
            added_affinity: self.added_affinity,
        }
    }

    /// Runs the cycle up to the choice of hosts. `start` is the rotating start index (SCH-015).
    pub(crate) fn run(&self, cache: &mut Cache, start: &mut usize) -> (Found, CycleState) {
        let mut found = Found::default();
        let mut state = CycleState::default();
        if cache.order().is_empty() {
            return (found, state);
        }
        let only = match self.pre_filter(cache, &mut state, &mut found.diagnosis) {
            Ok(only) => only,
            Err(error) => {
                found.error = error;
                return (found, state);
            }
        };
        if let Err(error) = self.find(cache, &mut state, only, start, &mut found) {
            found.error = Some(error);
            return (found, state);
        }
        match found.feasible.len() {
            0 => {}
            1 => found.hosts = found.feasible.clone(),
            _ => {
                if let Err(error) = self.score(cache, &mut state, &mut found) {
                    found.error = Some(error);
                }
            }
        }
        (found, state)
    }

    /// PreFilter (SCH-008, SCH-009). `Err(None)`: refused, told in the diagnosis; `Err(Some)`: an error.
    fn pre_filter(
        &self,
        cache: &mut Cache,
        state: &mut CycleState,
        diagnosis: &mut Diagnosis,
    ) -> Result<Option<Vec<Symbol>>, Option<String>> {
        let mut only: Option<Vec<Symbol>> = None;
        let mut narrowed_by: Vec<&str> = Vec::new();
        for plugin in self.profile.at(Point::PreFilter) {
            match self.pre_filter_one(*plugin, cache, state) {
                Ok(PreFilter::Run) => {}
                Ok(PreFilter::Skip) => state.skip_filter.insert(*plugin),
                Ok(PreFilter::Only(names)) => {
                    narrowed_by.push(plugin.name());
                    only = Some(match only {
                        None => names,
                        Some(before) => before.into_iter().filter(|name| names.contains(name)).collect(),
                    });
                    if only.as_ref().is_some_and(Vec::is_empty) {
                        narrowed_by.in_order();
                        let text = match narrowed_by.as_slice() {
                            [one] => format!("node(s) didn't satisfy plugin {one}"),
                            all => format!("node(s) didn't satisfy plugin(s) [{}] simultaneously", all.join(" ")),
                        };
                        let status = Status::text(*plugin, Code::UnschedulableAndUnresolvable, text);
                        diagnosis.rejectors.insert(*plugin);
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
        Ok(only)
    }

    fn pre_filter_one(&self, plugin: Plugin, cache: &mut Cache, state: &mut CycleState) -> Result<PreFilter, Status> {
        let run_if = |run: bool| if run { PreFilter::Run } else { PreFilter::Skip };
        Ok(match plugin {
            Plugin::NodeAffinity => node_affinity::pre_filter(&self.cycle(cache))?,
            Plugin::NodePorts => run_if(node_ports::pre_filter(&self.cycle(cache))),
            Plugin::VolumeRestrictions => {
                state.restrictions = self.if_volumes(cache, volume_restrictions::pre_filter)?;
                run_if(state.restrictions.is_some())
            }
            Plugin::NodeVolumeLimits => {
                run_if(self.incoming.has_volumes && node_volume_limits::pre_filter(&self.cycle(cache)))
            }
            Plugin::VolumeBinding => {
                state.binding = self.if_volumes(cache, volume_binding::pre_filter)?;
                run_if(state.binding.is_some())
            }
            Plugin::VolumeZone => {
                state.zone = self.if_volumes(cache, volume_zone::pre_filter)?;
                run_if(state.zone.is_some())
            }
            Plugin::PodTopologySpread => {
                state.spread = pod_topology_spread::pre_filter(cache, self.profile, self.incoming)?;
                run_if(state.spread.is_some())
            }
            Plugin::InterPodAffinity => {
                state.affinity = inter_pod_affinity::pre_filter(cache, self.incoming)?;
                run_if(state.affinity.is_some())
            }
            Plugin::DynamicResources => {
                let run = dynamic_resources::pre_filter(&self.cycle(cache));
                state.dynamic_resources_ran = true;
                run_if(run?)
            }
            _ => PreFilter::Run,
        })
    }

    fn if_volumes<T>(
        &self,
        cache: &Cache,
        pre_filter: impl FnOnce(&Cycle<'_>) -> Result<Option<T>, Status>,
    ) -> Result<Option<T>, Status> {
        if self.incoming.has_volumes {
            pre_filter(&self.cycle(cache))
        } else {
            Ok(None)
        }
    }

    /// Examines nodes (SCH-011 to SCH-017).
    fn find(
        &self,
        cache: &Cache,
        state: &mut CycleState,
        only: Option<Vec<Symbol>>,
        start: &mut usize,
        found: &mut Found,
    ) -> Result<(), String> {
        let cycle = self.cycle(cache);
        let order = cache.order();
        let nominated = &self.incoming.info.pod.status.nominated_node_name;
        if !nominated.is_empty()
            && let Some(node) = cache.node_index(nominated)
        {
            match self.filter_with_nominated(&cycle, state, node, cache.node(node)) {
                Ok(()) => {
                    found.feasible.push(node);
                    return Ok(());
                }
                Err(status) => self.refuse(cache, found, node, status)?,
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
                found.diagnosis.absent = Some(Status {
                    plugin: None,
                    code: Code::UnschedulableAndUnresolvable,
                    reasons: Reasons::One(Reason::Fixed("node(s) didn't satisfy plugin(s) [NodeAffinity]")),
                });
                &narrowed
            }
        };
        let n = nodes.len();
        found.wanted = nodes_to_find(self.config, self.profile, n);
        let first = if n == 0 { 0 } else { *start % n };
        for node in nodes[first..].iter().chain(&nodes[..first]) {
            match self.filter_with_nominated(&cycle, state, *node, cache.node(*node)) {
                Ok(()) if found.feasible.len() == found.wanted => break,
                Ok(()) => found.feasible.push(*node),
                Err(status) => self.refuse(cache, found, *node, status)?,
            }
        }
        let examined = found.feasible.len() + found.diagnosis.refused.len();
        *start = (*start + examined) % order.len();
        Ok(())
    }

    fn refuse(&self, cache: &Cache, found: &mut Found, node: NodeIdx, status: Status) -> Result<(), String> {
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
        // Only the nominated node can be refused twice; it is the first of the list.
        match refused.first_mut() {
            Some((known, before)) if *known == node => *before = status,
            _ => refused.push((node, status)),
        }
        Ok(())
    }

    /// Filter, first with the nominated pods of at least this priority added (SCH-017).
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
            .on(&node.name)
            .iter()
            .filter(|pod| pod.priority >= own.priority && pod.uid != own.uid)
            .collect();
        if !others.is_empty() {
            let saved = state.save();
            let mut copy = node.clone();
            for pod in &others {
                copy.add_pod((*pod).clone());
                state.update(cycle, pod, index, 1);
            }
            let result = filter(cycle, state, index, &copy);
            for pod in &others {
                state.update(cycle, pod, index, -1);
            }
            state.restore(saved);
            result?;
        }
        filter(cycle, state, index, node)
    }

    /// PreScore, Score, Normalize, weights, hosts (SCH-020, SCH-021).
    fn score(&self, cache: &mut Cache, state: &mut CycleState, found: &mut Found) -> Result<(), String> {
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
        found.hosts = tied.map(|(node, _)| *node).collect();
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

/// Runs the Filter plugins on a node; the first refusal wins (SCH-016).
pub(crate) fn filter(cycle: &Cycle<'_>, state: &CycleState, index: NodeIdx, node: &NodeInfo) -> Result<(), Status> {
    for plugin in &state.filters {
        match plugin {
            Plugin::NodeUnschedulable => node_unschedulable::filter(cycle, node)?,
            Plugin::NodeName => node_name::filter(cycle, node)?,
            Plugin::TaintToleration => taint_toleration::filter(cycle, node)?,
            Plugin::NodeAffinity => node_affinity::filter(cycle, node)?,
            Plugin::NodePorts => node_ports::filter(cycle, node)?,
            Plugin::NodeResourcesFit => node_resources_fit::filter(cycle, node)?,
            Plugin::VolumeRestrictions => with(*plugin, state.restrictions.as_ref(), |state| {
                volume_restrictions::filter(cycle, state, node)
            })?,
            Plugin::NodeVolumeLimits => node_volume_limits::filter(cycle, node)?,
            Plugin::VolumeBinding => with(*plugin, state.binding.as_ref(), |state| {
                volume_binding::filter(cycle, state, node)
            })?,
            Plugin::VolumeZone => with(*plugin, state.zone.as_ref(), |state| volume_zone::filter(state, node))?,
            Plugin::PodTopologySpread => with(*plugin, state.spread.as_ref(), |state| {
                pod_topology_spread::filter(cycle, state, index)
            })?,
            Plugin::InterPodAffinity => with(*plugin, state.affinity.as_ref(), |state| {
                inter_pod_affinity::filter(cycle, state, index)
            })?,
            _ => {}
        }
    }
    Ok(())
}

/// A Filter whose PreFilter is disabled has no state to read: an error, as in Kubernetes.
fn with<T>(plugin: Plugin, state: Option<&T>, run: impl FnOnce(&T) -> Result<(), Status>) -> Result<(), Status> {
    match state {
        Some(state) => run(state),
        None => Err(Status::text(
            plugin,
            Code::Error,
            format!("reading \"PreFilter{}\" from cycleState: not found", plugin.name()),
        )),
    }
}

fn score_all(plugin: Plugin, cycle: &Cycle<'_>, state: &CycleState, feasible: &[NodeIdx]) -> Vec<i64> {
    let each = |score: &dyn Fn(&NodeInfo) -> i64| feasible.iter().map(|node| score(cycle.cache.node(*node))).collect();
    match plugin {
        Plugin::TaintToleration => each(&|node| taint_toleration::score(cycle, node)),
        Plugin::NodeAffinity => each(&|node| node_affinity::score(cycle, node)),
        Plugin::NodeResourcesFit => each(&|node| node_resources_fit::score(cycle, node)),
        Plugin::BalancedAllocation => each(&|node| balanced_allocation::score(cycle, node)),
        Plugin::ImageLocality if cycle.cache.has_no_images() => vec![0; feasible.len()],
        Plugin::ImageLocality => each(&|node| image_locality::score(cycle, node)),
        Plugin::PodTopologySpread => match &state.spread_score {
            Some(state) => feasible
                .iter()
                .enumerate()
                .map(|(at, node)| pod_topology_spread::score(cycle, state, at, *node))
                .collect(),
            None => vec![0; feasible.len()],
        },
        Plugin::InterPodAffinity => match &state.affinity_score {
            Some(state) => feasible
                .iter()
                .map(|node| inter_pod_affinity::score(cycle, state, *node))
                .collect(),
            None => vec![0; feasible.len()],
        },
        _ => vec![0; feasible.len()],
    }
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

/// A node's name, for results.
pub(crate) fn name_of(cache: &Cache, node: NodeIdx) -> Str {
    cache.node(node).name.clone()
}
