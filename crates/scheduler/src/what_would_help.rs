//! What would help a pending pod (S-15): single changes, each verified by deciding the pod on the changed
//! world, smallest first.
//!
//! [`WhatWouldHelp::step`] tries one change and returns, so that the caller can show progress and stop.

use podscope_api::ordered::BTreeSet;
use podscope_api::ordered::InOrder as _;
use std::collections::VecDeque;
use std::sync::Arc;

use podscope_api::{
    Node, Object, ObjectKey, Pod, PreemptionPolicy, Quantity, Str, Taint, Toleration, TolerationOperator,
    UnsatisfiableAction,
};
use serde::{Deserialize, Serialize};

use crate::cache::Cache;
use crate::config::SchedulerConfiguration;
use crate::cycle::{AddedAffinity, CycleState, Found, Search};
use crate::decide::decide;
use crate::node_info::{Effect, NodeIdx};
use crate::nominator::Nominator;
use crate::plugins::{Plugin, taint_toleration};
use crate::pod_info::Incoming;
use crate::post_filter::Preemption;
use crate::scheduler::Scheduler;
use crate::status::Code;

/// A change that was tried.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "change")]
pub enum Change {
    /// `kubectl uncordon`.
    Uncordon {
        /// The node.
        node: String,
    },
    /// One more toleration.
    Tolerate {
        /// Key.
        key: String,
        /// Value, may be empty.
        value: String,
        /// Effect.
        effect: String,
    },
    /// A smaller request (of the whole pod).
    Shrink {
        /// The resource.
        resource: String,
        /// What it asks for now.
        from: String,
        /// The largest amount that fits.
        to: String,
    },
    /// A larger maxSkew.
    MaxSkew {
        /// Which constraint of the pod.
        index: usize,
        /// Its topology key.
        topology_key: String,
        /// The smallest value that fits.
        to: i32,
    },
    /// ScheduleAnyway instead of DoNotSchedule.
    Soften {
        /// Which constraint of the pod.
        index: usize,
        /// Its topology key.
        topology_key: String,
    },
    /// A rule of the pod's spec left out.
    Drop {
        /// Field path.
        field: String,
    },
    /// Another priority.
    Priority {
        /// The PriorityClass, if one has that value.
        class: String,
        /// Its value.
        value: i32,
    },
    /// PreemptLowerPriority instead of Never.
    AllowPreemption,
    /// One pod less.
    DeletePod {
        /// `namespace/name`.
        pod: String,
        /// Where it runs.
        node: String,
    },
    /// One more node.
    AddNode {
        /// The label.
        topology_key: String,
        /// Its value.
        domain: String,
        /// The node it would be like.
        like: String,
    },
}

/// A change that helps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Suggestion {
    /// The change.
    #[serde(flatten)]
    pub change: Change,
    /// In words, with what comes of it.
    pub text: String,
    /// The command that makes it, where one command does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// How many nodes could take the pod then; 0 where it would have to preempt.
    pub n_feasible: usize,
    /// Smaller is a smaller change.
    pub cost: i64,
}

/// How far the search is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Progress {
    /// Changes tried.
    pub done: usize,
    /// Changes to try, as far as known.
    pub total: usize,
    /// Nothing is left to try.
    pub finished: bool,
}

/// A change to verify.
#[derive(Debug, Clone)]
enum Trial {
    /// Another pod on the same cluster.
    Pod(Change, Box<Pod>, i64),
    /// The largest request that fits.
    Shrink(Resource),
    /// A priority: success is also to be able to preempt.
    Preempting(Change, Box<Pod>, i64),
    /// A node changed.
    Node(Change, Arc<Node>, Arc<Node>, i64),
    /// A node more.
    AddNode(Change, Arc<Node>, i64),
    /// Looks for pods whose end makes room on their own node.
    FindBlockers,
    /// A pod less.
    Delete(Change, Arc<Pod>, i64),
}

#[derive(Debug, Clone, Copy)]
enum Resource {
    Cpu,
    Memory,
    Ephemeral,
}

impl Resource {
    fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Memory => "memory",
            Self::Ephemeral => "ephemeral-storage",
        }
    }
    fn of(self, amounts: &crate::resources::Resources) -> i64 {
        match self {
            Self::Cpu => amounts.cpu,
            Self::Memory => amounts.memory,
            Self::Ephemeral => amounts.ephemeral,
        }
    }
    fn quantity(self, amount: i64) -> Quantity {
        match self {
            Self::Cpu => Quantity::from_milli(amount),
            Self::Memory | Self::Ephemeral => Quantity::from_bytes(amount),
        }
    }
}

/// A search for what would help.
#[derive(Debug, Clone)]
pub struct WhatWouldHelp {
    cache: Cache,
    config: SchedulerConfiguration,
    nominator: Nominator,
    pod: Arc<Pod>,
    trials: VecDeque<Trial>,
    done: usize,
    suggestions: Vec<Suggestion>,
}

/// At most this many trials of one kind that grows with the cluster.
const TRIALS_MAX: usize = 24;

impl WhatWouldHelp {
    /// Prepares the search on a copy of the scheduler's state. `classes` are the PriorityClasses.
    pub fn new(scheduler: &Scheduler, pod: &Arc<Pod>, classes: &[(Str, i32)]) -> Self {
        Self::on(
            scheduler.cache().clone(),
            scheduler.nominator().clone(),
            scheduler.config().clone(),
            pod,
            classes,
        )
    }

    /// The same on a cluster that was loaded.
    pub fn on(
        cache: Cache,
        nominator: Nominator,
        config: SchedulerConfiguration,
        pod: &Arc<Pod>,
        classes: &[(Str, i32)],
    ) -> Self {
        let mut search = Self {
            cache,
            config: config.without_sampling(),
            nominator,
            pod: pod.clone(),
            trials: VecDeque::new(),
            done: 0,
            suggestions: Vec::new(),
        };
        search.cache.update_snapshot();
        search.plan(classes);
        search
    }

    /// Tries one change.
    pub fn step(&mut self) -> Progress {
        if let Some(trial) = self.trials.pop_front() {
            self.done += 1;
            self.run(trial);
        }
        self.progress()
    }

    /// How far it is.
    pub fn progress(&self) -> Progress {
        Progress {
            done: self.done,
            total: self.done + self.trials.len(),
            finished: self.trials.is_empty(),
        }
    }

    /// What was found so far, smallest change first.
    pub fn suggestions(&self) -> &[Suggestion] {
        &self.suggestions
    }

    /// Runs to the end.
    pub fn finish(mut self) -> Vec<Suggestion> {
        while !self.step().finished {}
        self.suggestions
    }

    fn search(&mut self, pod: &Arc<Pod>) -> Option<(Found, CycleState)> {
        let profile = self.config.profile(&pod.spec.scheduler_name)?.clone();
        self.cache.update_snapshot();
        let incoming = Incoming::new(&mut self.cache, pod);
        let added_affinity = AddedAffinity::compile(&mut self.cache, &profile);
        let search = Search {
            config: &self.config,
            profile: &profile,
            incoming: &incoming,
            added_affinity: &added_affinity,
            nominator: &self.nominator,
        };
        Some(search.run(&mut self.cache, &mut 0))
    }

    fn n_feasible(&mut self, pod: &Arc<Pod>) -> usize {
        self.search(pod).map_or(
            0,
            |(found, _)| {
                if found.error.is_some() { 0 } else { found.feasible.len() }
            },
        )
    }

    fn plan(&mut self, classes: &[(Str, i32)]) {
        let pod = self.pod.clone();
        let Some((found, _)) = self.search(&pod) else {
            return;
        };
        if !found.feasible.is_empty() {
            return;
        }
        let refused: Vec<(NodeIdx, Option<Plugin>)> = found
            .diagnosis
            .refused
            .iter()
            .map(|(node, status)| (*node, status.plugin))
            .collect();
        let by = |plugin: Plugin| refused.iter().any(|(_, refuser)| *refuser == Some(plugin));
        self.plan_uncordon();
        if by(Plugin::TaintToleration) || by(Plugin::NodeUnschedulable) {
            self.plan_tolerations();
        }
        for resource in [Resource::Cpu, Resource::Memory, Resource::Ephemeral] {
            self.trials.push_back(Trial::Shrink(resource));
        }
        self.plan_spread();
        self.plan_drops();
        self.plan_priority(classes);
        self.trials.push_back(Trial::FindBlockers);
        self.plan_nodes();
    }

    fn plan_uncordon(&mut self) {
        let cordoned: Vec<Arc<Node>> = self
            .cache
            .order()
            .iter()
            .filter_map(|node| self.cache.node(*node).node.clone())
            .filter(|node| node.is_unschedulable())
            .take(TRIALS_MAX)
            .collect();
        for node in cordoned {
            let mut after = (*node).clone();
            after.spec.unschedulable = None;
            after
                .spec
                .taints
                .retain(|taint| &*taint.key != "node.kubernetes.io/unschedulable");
            let change = Change::Uncordon {
                node: node.metadata.name.to_string(),
            };
            self.trials.push_back(Trial::Node(change, node, Arc::new(after), 10));
        }
    }

    fn plan_tolerations(&mut self) {
        let mut seen: BTreeSet<(Str, Str, String)> = BTreeSet::new();
        let incoming = Incoming::new(&mut self.cache, &self.pod);
        for index in self.cache.order() {
            let info = self.cache.node(*index);
            let Some(node) = &info.node else { continue };
            let untolerated: Vec<&Taint> = node
                .spec
                .taints
                .iter()
                .zip(info.taints.iter())
                .filter(|(_, taint)| matches!(taint.effect, Effect::NoSchedule | Effect::NoExecute))
                .filter(|(_, taint)| {
                    !incoming
                        .tolerations
                        .iter()
                        .any(|toleration| toleration.tolerates(taint))
                })
                .map(|(taint, _)| taint)
                .collect();
            // One toleration helps only where one taint is in the way.
            if let [taint] = untolerated.as_slice() {
                let effect = taint.effect.as_str().to_owned();
                seen.insert((taint.key.clone(), taint.value.clone(), effect));
            }
        }
        for (key, value, effect) in seen.into_iter().take(TRIALS_MAX) {
            let mut pod = (*self.pod).clone();
            Arc::make_mut(&mut pod.spec.tolerations).push(Toleration {
                key: key.clone(),
                operator: Some(TolerationOperator::Equal),
                value: value.clone(),
                effect: Some(effect.as_str().into()),
                toleration_seconds: None,
            });
            let change = Change::Tolerate {
                key: key.to_string(),
                value: value.to_string(),
                effect,
            };
            self.trials.push_back(Trial::Pod(change, Box::new(pod), 20));
        }
    }

    fn plan_spread(&mut self) {
        for (index, constraint) in self.pod.spec.topology_spread_constraints.iter().enumerate() {
            if constraint.when_unsatisfiable == Some(UnsatisfiableAction::ScheduleAnyway) {
                continue;
            }
            let topology_key = constraint.topology_key.to_string();
            // The smallest of a few values; a constraint off by more is rather softened.
            for more in 1..=8 {
                let mut pod = (*self.pod).clone();
                let to = constraint.max_skew.saturating_add(more);
                Arc::make_mut(&mut pod.spec.topology_spread_constraints)[index].max_skew = to;
                let change = Change::MaxSkew {
                    index,
                    topology_key: topology_key.clone(),
                    to,
                };
                self.trials
                    .push_back(Trial::Pod(change, Box::new(pod), 30 + i64::from(more)));
            }
            let mut pod = (*self.pod).clone();
            let soft = &mut Arc::make_mut(&mut pod.spec.topology_spread_constraints)[index];
            soft.when_unsatisfiable = Some(UnsatisfiableAction::ScheduleAnyway);
            soft.min_domains = None;
            let change = Change::Soften { index, topology_key };
            self.trials.push_back(Trial::Pod(change, Box::new(pod), 42));
        }
    }

    fn plan_drops(&mut self) {
        let original = self.pod.clone();
        let mut drop = |field: String, change: &dyn Fn(&mut Pod)| {
            let mut pod = (*original).clone();
            change(&mut pod);
            self.trials
                .push_back(Trial::Pod(Change::Drop { field }, Box::new(pod), 50));
        };
        let spec = &original.spec;
        for key in spec.node_selector.keys() {
            drop(format!("spec.nodeSelector[{key}]"), &|pod| {
                Arc::make_mut(&mut pod.spec.node_selector).remove(key);
            });
        }
        for index in 0..spec.topology_spread_constraints.len() {
            drop(format!("spec.topologySpreadConstraints[{index}]"), &|pod| {
                Arc::make_mut(&mut pod.spec.topology_spread_constraints).remove(index);
            });
        }
        if let Some(affinity) = &spec.affinity {
            const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";
            if let Some(node) = &affinity.node_affinity
                && node.required_during_scheduling_ignored_during_execution.is_some()
            {
                drop(format!("spec.affinity.nodeAffinity.{REQUIRED}"), &|pod| {
                    if let Some(affinity) = &mut pod.spec.affinity
                        && let Some(node) = &mut Arc::make_mut(affinity).node_affinity
                    {
                        node.required_during_scheduling_ignored_during_execution = None;
                    }
                });
            }
            for (name, is_anti) in [("podAffinity", false), ("podAntiAffinity", true)] {
                let rules = if is_anti {
                    &affinity.pod_anti_affinity
                } else {
                    &affinity.pod_affinity
                };
                let n_terms = rules.as_ref().map_or(0, |rules| {
                    rules.required_during_scheduling_ignored_during_execution.len()
                });
                for index in 0..n_terms {
                    drop(format!("spec.affinity.{name}.{REQUIRED}[{index}]"), &|pod| {
                        if let Some(affinity) = &mut pod.spec.affinity {
                            let affinity = Arc::make_mut(affinity);
                            let rules = if is_anti {
                                &mut affinity.pod_anti_affinity
                            } else {
                                &mut affinity.pod_affinity
                            };
                            if let Some(rules) = rules {
                                rules.required_during_scheduling_ignored_during_execution.remove(index);
                            }
                        }
                    });
                }
            }
        }
        let has_host_ports = spec
            .all_containers()
            .any(|container| container.ports.iter().any(|port| port.host_port.unwrap_or(0) > 0));
        if has_host_ports {
            drop("spec.containers[*].ports[*].hostPort".to_owned(), &|pod| {
                for containers in [&mut pod.spec.containers, &mut pod.spec.init_containers] {
                    for container in Arc::make_mut(containers) {
                        for port in &mut container.ports {
                            port.host_port = None;
                        }
                    }
                }
            });
        }
    }

    fn plan_priority(&mut self, classes: &[(Str, i32)]) {
        let own = self.pod.priority();
        if self.pod.spec.preemption_policy == Some(PreemptionPolicy::Never) {
            let mut pod = (*self.pod).clone();
            pod.spec.preemption_policy = Some(PreemptionPolicy::PreemptLowerPriority);
            self.trials
                .push_back(Trial::Preempting(Change::AllowPreemption, Box::new(pod), 60));
            return;
        }
        let mut higher: Vec<&(Str, i32)> = classes.iter().filter(|(_, value)| *value > own).collect();
        higher.in_order_by_key(|(name, value)| (*value, name.clone()));
        for (name, value) in higher.into_iter().take(TRIALS_MAX) {
            let mut pod = (*self.pod).clone();
            pod.spec.priority = Some(*value);
            pod.spec.priority_class_name = name.clone();
            let change = Change::Priority {
                class: name.to_string(),
                value: *value,
            };
            self.trials.push_back(Trial::Preempting(change, Box::new(pod), 61));
        }
    }

    fn plan_nodes(&mut self) {
        let mut keys: BTreeSet<Str> = self
            .pod
            .spec
            .topology_spread_constraints
            .iter()
            .map(|constraint| constraint.topology_key.clone())
            .collect();
        keys.insert("topology.kubernetes.io/zone".into());
        keys.remove("kubernetes.io/hostname");
        let nodes: Vec<Arc<Node>> = self
            .cache
            .order()
            .iter()
            .filter_map(|node| self.cache.node(*node).node.clone())
            .collect();
        for key in keys {
            let mut domains: BTreeSet<Str> = BTreeSet::new();
            for like in &nodes {
                let Some(domain) = like.metadata.label(&key) else {
                    continue;
                };
                if domains.len() >= TRIALS_MAX || !domains.insert(domain.into()) {
                    continue;
                }
                let name: Str = format!("{}-like", like.metadata.name).into();
                let mut node = (**like).clone();
                node.metadata.name = name.clone();
                node.metadata.uid = podscope_api::Uid::default();
                node.spec.unschedulable = None;
                node.spec.taints.clear();
                if node.metadata.label("kubernetes.io/hostname").is_some() {
                    Arc::make_mut(&mut node.metadata.labels).insert("kubernetes.io/hostname".into(), name);
                }
                let change = Change::AddNode {
                    topology_key: key.to_string(),
                    domain: domain.to_owned(),
                    like: like.metadata.name.to_string(),
                };
                self.trials.push_back(Trial::AddNode(change, Arc::new(node), 90));
            }
        }
    }

    fn run(&mut self, trial: Trial) {
        match trial {
            Trial::Pod(change, pod, cost) => {
                // Of several values of maxSkew the smallest that helps is enough.
                let known = |known: &Suggestion| matches!((&known.change, &change), (Change::MaxSkew { index: a, .. }, Change::MaxSkew { index: b, .. }) if a == b);
                if self.suggestions.iter().any(known) {
                    return;
                }
                let n_feasible = self.n_feasible(&Arc::new(*pod));
                self.suggest(change, n_feasible, None, cost);
            }
            Trial::Shrink(resource) => self.shrink(resource),
            Trial::Preempting(change, pod, cost) => {
                let known = |known: &Suggestion| matches!(known.change, Change::Priority { .. });
                if self.suggestions.iter().any(known) && matches!(change, Change::Priority { .. }) {
                    return;
                }
                let decision = decide(&mut self.cache, &self.config, &self.nominator, &Arc::new(*pod), &mut 0);
                if let Some(decision) = decision {
                    let n_feasible = decision.found.feasible.len();
                    let victims = match &decision.preemption {
                        Some(Preemption::Found { candidates, chosen, .. }) => candidates
                            .iter()
                            .find(|candidate| chosen.contains(&candidate.node))
                            .map(|candidate| {
                                let victims: Vec<String> = candidate
                                    .victims
                                    .iter()
                                    .map(|pod| pod.pod.metadata.key().to_string())
                                    .collect();
                                format!(
                                    "it would end {} on {}",
                                    victims.join(", "),
                                    self.cache.node(candidate.node).name
                                )
                            }),
                        _ => None,
                    };
                    if n_feasible > 0 || victims.is_some() {
                        self.suggest(change, n_feasible, victims, cost);
                    }
                }
            }
            Trial::Node(change, before, after, cost) => {
                let (before, after) = (Object::Node(before), Object::Node(after));
                self.cache.on_change(Some(&before), Some(&after));
                let n_feasible = self.n_feasible(&self.pod.clone());
                self.cache.on_change(Some(&after), Some(&before));
                self.suggest(change, n_feasible, None, cost);
            }
            Trial::AddNode(change, node, cost) => {
                let node = Object::Node(node);
                self.cache.on_change(None, Some(&node));
                let n_feasible = self.n_feasible(&self.pod.clone());
                self.cache.on_change(Some(&node), None);
                self.suggest(change, n_feasible, None, cost);
            }
            Trial::FindBlockers => self.find_blockers(),
            Trial::Delete(change, pod, cost) => {
                let enough = self
                    .suggestions
                    .iter()
                    .filter(|known| matches!(known.change, Change::DeletePod { .. }))
                    .count();
                if enough >= 3 {
                    return;
                }
                let pod = Object::Pod(pod);
                self.cache.on_change(Some(&pod), None);
                let n_feasible = self.n_feasible(&self.pod.clone());
                self.cache.on_change(None, Some(&pod));
                self.suggest(change, n_feasible, None, cost);
            }
        }
    }

    /// The largest smaller request that fits, found by halving the list of what nodes have left.
    fn shrink(&mut self, resource: Resource) {
        let info = Incoming::new(&mut self.cache, &self.pod).info;
        let want = resource.of(&info.requests.requests);
        if want == 0 || self.pod.spec.resources.is_some() {
            return;
        }
        let mut amounts: Vec<i64> = self
            .cache
            .order()
            .iter()
            .map(|node| {
                let node = self.cache.node(*node);
                resource.of(&node.allocatable) - resource.of(&node.requested)
            })
            .filter(|left| *left > 0 && *left < want)
            .collect();
        amounts.in_order();
        amounts.dedup();
        let (mut low, mut high) = (0, amounts.len());
        let mut best = None;
        while low < high {
            let middle = low.midpoint(high);
            let smaller = self.with_request(resource, want, amounts[middle]);
            let n_feasible = smaller.map_or(0, |pod| self.n_feasible(&Arc::new(pod)));
            if n_feasible > 0 {
                best = Some((amounts[middle], n_feasible));
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        if let Some((amount, n_feasible)) = best {
            let change = Change::Shrink {
                resource: resource.name().to_owned(),
                from: resource.quantity(want).to_string(),
                to: resource.quantity(amount).to_string(),
            };
            // A small cut is a small change, half the request a large one.
            let percent = (want - amount) * 100 / want;
            self.suggest(change, n_feasible, None, 15 + percent);
        }
    }

    /// The pod with its request lowered by what is too much, taken from the container that asks for most.
    fn with_request(&self, resource: Resource, from: i64, to: i64) -> Option<Pod> {
        let mut pod = (*self.pod).clone();
        let read = |quantity: &Quantity| match resource {
            Resource::Cpu => quantity.milli_value(),
            Resource::Memory | Resource::Ephemeral => quantity.value(),
        };
        let container = Arc::make_mut(&mut pod.spec.containers)
            .iter_mut()
            .max_by_key(|container| container.resources.requests.get(resource.name()).map_or(0, read))?;
        let quantity = container.resources.requests.get_mut(resource.name())?;
        let left = read(quantity) - (from - to);
        if left < 0 {
            return None;
        }
        *quantity = resource.quantity(left);
        Some(pod)
    }

    /// Pods whose end makes room on their own node, the least important first; verified one by one afterwards.
    fn find_blockers(&mut self) {
        let pod = self.pod.clone();
        let Some((found, mut state)) = self.search(&pod) else {
            return;
        };
        let Some(profile) = self.config.profile(&pod.spec.scheduler_name).cloned() else {
            return;
        };
        let incoming = Incoming::new(&mut self.cache, &pod);
        let added_affinity = AddedAffinity::compile(&mut self.cache, &profile);
        let search = Search {
            config: &self.config,
            profile: &profile,
            incoming: &incoming,
            added_affinity: &added_affinity,
            nominator: &self.nominator,
        };
        let cycle = search.cycle(&self.cache);
        let mut blockers = Vec::new();
        for (index, status) in &found.diagnosis.refused {
            // A taint or a label is not lifted by ending a pod; a lack of affinity neither.
            if status.code != Code::Unschedulable || taint_toleration::filter(&cycle, self.cache.node(*index)).is_err()
            {
                continue;
            }
            for candidate in self.cache.node(*index).pods.iter() {
                let saved = state.save();
                let mut node = self.cache.node(*index).clone();
                node.remove_pod(&candidate.uid);
                state.update(&cycle, candidate, *index, -1);
                let helps = search.filter_with_nominated(&cycle, &mut state, *index, &node).is_ok();
                state.update(&cycle, candidate, *index, 1);
                state.restore(saved);
                if helps {
                    blockers.push((
                        candidate.priority,
                        candidate.pod.metadata.key(),
                        candidate.pod.clone(),
                        *index,
                    ));
                }
            }
        }
        blockers.in_order_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
        for (_, key, pod, node) in blockers.into_iter().take(6).rev() {
            let change = Change::DeletePod {
                pod: key.to_string(),
                node: self.cache.node(node).name.to_string(),
            };
            self.trials.push_front(Trial::Delete(change, pod, 70));
        }
    }

    fn suggest(&mut self, change: Change, n_feasible: usize, instead: Option<String>, cost: i64) {
        if n_feasible == 0 && instead.is_none() {
            return;
        }
        let then = instead.unwrap_or_else(|| match n_feasible {
            1 => "then one node can take it".to_owned(),
            n => format!("then {n} nodes can take it"),
        });
        let suggestion = Suggestion {
            text: format!("{}: {then}", in_words(&change)),
            command: command(&change),
            change,
            n_feasible,
            cost,
        };
        let at = self.suggestions.partition_point(|known| known.cost <= cost);
        self.suggestions.insert(at, suggestion);
    }
}

fn in_words(change: &Change) -> String {
    match change {
        Change::Uncordon { node } => format!("Uncordon {node}"),
        Change::Tolerate { key, value, effect } if value.is_empty() => {
            format!("Let the pod tolerate the taint {key}:{effect}")
        }
        Change::Tolerate { key, value, effect } => format!("Let the pod tolerate the taint {key}={value}:{effect}"),
        Change::Shrink { resource, from, to } => format!("Request {to} of {resource} instead of {from}"),
        Change::MaxSkew { topology_key, to, .. } => format!("Allow a maxSkew of {to} over {topology_key}"),
        Change::Soften { topology_key, .. } => {
            format!("Make the spread over {topology_key} a wish (ScheduleAnyway) instead of a rule")
        }
        Change::Drop { field } => format!("Leave out {field}"),
        Change::Priority { class, value } => format!("Give the pod the PriorityClass {class} ({value})"),
        Change::AllowPreemption => "Let the pod preempt (preemptionPolicy PreemptLowerPriority)".to_owned(),
        Change::DeletePod { pod, node } => format!("Delete pod {pod} on {node}"),
        Change::AddNode {
            topology_key,
            domain,
            like,
        } => format!("Add a node like {like} with {topology_key}={domain}"),
    }
}

fn command(change: &Change) -> Option<String> {
    match change {
        Change::Uncordon { node } => Some(format!("kubectl uncordon {node}")),
        Change::DeletePod { pod, .. } => {
            let (namespace, name) = pod.split_once('/')?;
            Some(format!("kubectl delete pod {name} -n {namespace}"))
        }
        _ => None,
    }
}

/// The key of the pod that is asked about.
impl WhatWouldHelp {
    /// `namespace/name`.
    pub fn pod(&self) -> ObjectKey {
        self.pod.metadata.key()
    }
}
