//! Suggestions for a pending pod (S-15): single changes that make it schedulable, each verified by scheduling the pod
//! on the changed cluster. The smallest change comes first.
//!
//! [`WhatWouldHelp::step`] tries one change and returns, so that the caller can show progress and cancel.

mod affinity_pod;
mod amounts;
mod blockers;
mod devices;
mod new_node;
mod plan;

use podscope_api::ordered::StableSort as _;
use std::collections::VecDeque;
use std::sync::Arc;

pub use podscope_api::remedy::{Change, ChangeEffect, ClaimEdit, NewNode};
use podscope_api::{Container, Node, Object, Pod, PriorityClass, Quantity};

use crate::cache::Cache;
use crate::config::SchedulerConfiguration;
use crate::cycle::{CycleResult, CycleState};
use crate::decide::decide;
use crate::nominator::Nominator;
use crate::pod_info::Incoming;
use crate::post_filter::Preemption;
use crate::scheduler::Scheduler;

/// Returns whether `change` need not be suggested, because `known` is already suggested.
fn is_superfluous(change: &Change, known: &Change) -> bool {
    match (known, change) {
        (Change::MaxSkew { index: known, .. }, Change::MaxSkew { index, .. }) => known == index,
        (
            Change::AddNode {
                topology_key: known,
                more: some,
                ..
            },
            Change::AddNode {
                topology_key,
                domain,
                more,
                ..
            },
        ) => {
            // One suggestion of a larger node is enough. A node in an existing domain, or in a domain that a volume
            // requires, makes a node in a new domain superfluous.
            !more.is_empty() && !some.is_empty() || domain.is_empty() && more.is_empty() && known == topology_key
        }
        (Change::Priority { .. }, Change::Priority { .. })
        | (Change::Scheduler { .. }, Change::Scheduler { .. })
        | (Change::Untaint { .. }, Change::Untaint { .. })
        | (Change::Label { .. }, Change::Label { .. })
        | (Change::Offer { .. }, Change::Offer { .. })
        | (Change::DeleteClaim { .. }, Change::DeleteClaim { .. })
        | (Change::AddNodeWithDevices { .. }, Change::AddNodeWithDevices { .. })
        | (Change::DeletePod { .. }, Change::DeletePod { .. }) => true,
        (
            Change::Claim {
                claim: known,
                request: same,
                edit: ClaimEdit::Count { .. },
            },
            Change::Claim {
                claim,
                request,
                edit: ClaimEdit::Count { .. },
            },
        ) => known == claim && same == request,
        _ => false,
    }
}

/// Appends an entry to a list `KEY=VALUE,…`.
#[inline(never)]
fn append_list_entry(list: &mut String, key: &str, value: &str) {
    if !list.is_empty() {
        list.push(',');
    }
    list.push_str(key);
    list.push('=');
    list.push_str(value);
}

/// A verified change that makes the pod schedulable.
#[derive(Debug, Clone, PartialEq)]
pub struct Suggestion {
    pub change: Change,
    /// The effect of the change, as determined by the scheduler.
    pub effect: ChangeEffect,
    /// Cost of the change; suggestions are sorted by it.
    pub cost: i64,
}

/// Progress of the search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Number of changes tried.
    pub done: usize,
    /// Number of changes to try; it may grow during the search.
    pub total: usize,
    /// Whether all changes were tried.
    pub finished: bool,
}

/// A change to verify. In most variants, the last field is the cost of the change.
#[derive(Debug, Clone)]
enum Trial {
    /// Schedule a changed pod on the same cluster.
    Pod(Change, Arc<Pod>, i64),
    /// Find the largest request of the resource with which the pod fits.
    Shrink(ReducibleResource),
    /// Replace a node: change, old object, new object, cost.
    Node(Change, Arc<Node>, Arc<Node>, i64),
    /// Add a new node to the cluster.
    AddNode(Change, Arc<Node>, i64),
    /// Search for pods whose deletion would make the pending pod schedulable, and add a trial for each.
    FindBlockers,
    /// Delete a pod.
    Delete(Change, Arc<Pod>, i64),
    /// Add a pod, on the node that the scheduler selects for it.
    AddPod(Change, Arc<Pod>, i64),
    /// Replace several objects: old object, new object.
    Objects(Change, Vec<(Option<Object>, Option<Object>)>, i64),
}

impl Trial {
    fn change(&self) -> Option<&Change> {
        match self {
            Self::Pod(change, ..)
            | Self::Node(change, ..)
            | Self::AddNode(change, ..)
            | Self::Delete(change, ..)
            | Self::AddPod(change, ..) => Some(change),
            Self::Objects(change, ..) => Some(change),
            Self::Shrink(_) | Self::FindBlockers => None,
        }
    }
}

/// A resource whose request a suggestion can reduce.
#[derive(Debug, Clone, Copy)]
enum ReducibleResource {
    Cpu,
    Memory,
    Ephemeral,
}

impl ReducibleResource {
    fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Memory => "memory",
            Self::Ephemeral => "ephemeral-storage",
        }
    }

    fn amount_in(self, amounts: &crate::resources::Resources) -> i64 {
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

    fn amount_of(self, quantity: &Quantity) -> i64 {
        match self {
            Self::Cpu => quantity.milli_value(),
            Self::Memory | Self::Ephemeral => quantity.value(),
        }
    }

    /// Formats an amount for people.
    fn displayed_amount(self, amount: i64) -> String {
        match self {
            Self::Cpu => Quantity::from_milli(amount).to_string(),
            Self::Memory | Self::Ephemeral => amounts::format_bytes(amount),
        }
    }

    fn rounded_down(self, amount: i64) -> i64 {
        match self {
            Self::Cpu => amounts::cpu_rounded_down(amount),
            Self::Memory | Self::Ephemeral => amounts::bytes_rounded_down(amount),
        }
    }
}

/// A search for changes that make a pending pod schedulable.
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

/// Maximum number of trials of one type, if their number grows with the cluster.
const MAX_TRIALS: usize = 24;

impl WhatWouldHelp {
    /// Prepares the search on a copy of the scheduler's state. `classes` are the PriorityClasses.
    pub fn new(scheduler: &Scheduler, pod: &Arc<Pod>, classes: &[Arc<PriorityClass>]) -> Self {
        Self::on_cluster(
            scheduler.cache().clone(),
            scheduler.nominator().clone(),
            scheduler.config().clone(),
            pod,
            classes,
        )
    }

    /// Prepares the search on the given cluster.
    pub fn on_cluster(
        cache: Cache,
        nominator: Nominator,
        config: SchedulerConfiguration,
        pod: &Arc<Pod>,
        classes: &[Arc<PriorityClass>],
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
        search.plan_trials(classes);
        search
    }

    /// Tries the next change. Returns the progress of the search.
    pub fn step(&mut self) -> Progress {
        if let Some(trial) = self.trials.pop_front() {
            self.done += 1;
            self.run_trial(trial);
        }
        self.progress()
    }

    pub fn progress(&self) -> Progress {
        Progress {
            done: self.done,
            total: self.done + self.trials.len(),
            finished: self.trials.is_empty(),
        }
    }

    /// Returns the suggestions found so far, the smallest change first.
    pub fn suggestions(&self) -> &[Suggestion] {
        &self.suggestions
    }

    /// Returns the pending pod.
    pub fn pod(&self) -> &Arc<Pod> {
        &self.pod
    }

    /// Runs the search to its end.
    pub fn finish(mut self) -> Vec<Suggestion> {
        while !self.step().finished {}
        self.suggestions
    }

    fn schedule_on_copy(&mut self, pod: &Arc<Pod>) -> Option<(CycleResult, CycleState)> {
        self.cache.update_snapshot();
        self.with_search(pod, |cache, search| search.run(cache, &mut 0))
    }

    fn count_feasible_nodes(&mut self, pod: &Arc<Pod>) -> usize {
        self.schedule_on_copy(pod).map_or(
            0,
            |(found, _)| {
                if found.error.is_some() { 0 } else { found.feasible.len() }
            },
        )
    }

    fn run_trial(&mut self, trial: Trial) {
        if trial
            .change()
            .is_some_and(|change| self.has_similar_suggestions(change))
        {
            return;
        }
        let pod = self.pod.clone();
        match trial {
            // A change of the priority also helps if the pod then preempts successfully.
            Trial::Pod(change @ (Change::Priority { .. } | Change::AllowPreemption), pod, cost) => {
                if let Some(effect) = self.result_with_preemption(&pod) {
                    self.suggest(change, effect, cost);
                }
            }
            Trial::Pod(change, pod, cost) => {
                let n_feasible = self.count_feasible_nodes(&pod);
                self.suggest_if_feasible(change, n_feasible, cost);
            }
            Trial::Shrink(resource) => self.suggest_smaller_request(resource),
            Trial::Node(change, before, after, cost) => {
                let (before, after) = (Object::Node(before), Object::Node(after));
                self.cache.on_change(Some(&before), Some(&after));
                let n_feasible = self.count_feasible_nodes(&pod);
                self.cache.on_change(Some(&after), Some(&before));
                self.suggest_if_feasible(change, n_feasible, cost);
            }
            Trial::AddNode(change, node, cost) => {
                let node = Object::Node(node);
                self.cache.on_change(None, Some(&node));
                let n_feasible = self.count_feasible_nodes(&pod);
                self.cache.on_change(Some(&node), None);
                self.suggest_if_feasible(change, n_feasible, cost);
            }
            Trial::FindBlockers => self.find_blockers(),
            Trial::Delete(change, other, cost) => {
                let other = Object::Pod(other);
                self.cache.on_change(Some(&other), None);
                let n_feasible = self.count_feasible_nodes(&pod);
                self.cache.on_change(None, Some(&other));
                self.suggest_if_feasible(change, n_feasible, cost);
            }

            Trial::Objects(change, objects, cost) => {
                for (before, after) in &objects {
                    self.cache.on_change(before.as_ref(), after.as_ref());
                }
                let n_feasible = self.count_feasible_nodes(&pod);
                for (before, after) in objects.iter().rev() {
                    self.cache.on_change(after.as_ref(), before.as_ref());
                }
                self.suggest_if_feasible(change, n_feasible, cost);
            }
            Trial::AddPod(change, other, cost) => {
                let n_feasible = self.count_feasible_nodes_beside(&other);
                self.suggest_if_feasible(change, n_feasible, cost);
            }
        }
    }

    /// Returns whether enough similar suggestions were found, so that this change need not be tried.
    fn has_similar_suggestions(&self, change: &Change) -> bool {
        let similar = self
            .suggestions
            .iter()
            .filter(|known| is_superfluous(change, &known.change));
        similar.count()
            >= if matches!(change, Change::DeletePod { .. }) {
                3
            } else {
                1
            }
    }

    /// Returns the effect of scheduling a pod; a successful preemption counts as success.
    fn result_with_preemption(&mut self, pod: &Arc<Pod>) -> Option<ChangeEffect> {
        let decision = decide(&mut self.cache, &self.config, &self.nominator, pod, &mut 0)?;
        match &decision.preemption {
            Some(Preemption::Found { candidates, chosen, .. }) => {
                let candidate = candidates.iter().find(|candidate| chosen.contains(&candidate.node))?;
                let victims = candidate.victims.iter();
                Some(ChangeEffect::Ends {
                    victims: victims.map(|pod| pod.pod.metadata.key().to_string()).collect(),
                    node: self.cache.node(candidate.node).name.to_string(),
                })
            }
            _ => Some(decision.found.feasible.len())
                .filter(|n_feasible| *n_feasible > 0)
                .map(ChangeEffect::Fits),
        }
    }

    /// Finds the largest request below the current one that fits, by a binary search over the free amounts of the
    /// nodes.
    fn suggest_smaller_request(&mut self, resource: ReducibleResource) {
        let info = Incoming::new(&mut self.cache, &self.pod).info;
        let request = resource.amount_in(&info.requests.requests);
        if request == 0 || self.pod.spec.resources.is_some() {
            return;
        }
        let mut amounts: Vec<i64> = self
            .cache
            .examination_order()
            .iter()
            .map(|node| {
                let node = self.cache.node(*node);
                // A slightly smaller, rounded amount fits as well, and is easier to read.
                resource.rounded_down(resource.amount_in(&node.allocatable) - resource.amount_in(&node.requested))
            })
            .filter(|free| *free > 0 && *free < request)
            .collect();
        amounts.stable_sort();
        amounts.dedup();
        let (mut low, mut high) = (0, amounts.len());
        let mut best = None;
        while low < high {
            let middle = low.midpoint(high);
            let smaller = self.with_reduced_request(resource, request, amounts[middle]);
            let n_feasible = smaller.map_or(0, |(pod, _)| self.count_feasible_nodes(&Arc::new(pod)));
            if n_feasible > 0 {
                best = Some((amounts[middle], n_feasible));
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        if let Some((amount, n_feasible)) = best
            && let Some((_, change)) = self.with_reduced_request(resource, request, amount)
        {
            // The cost grows with the percentage by which the request is reduced.
            let percent = (request - amount) * 100 / request;
            self.suggest_if_feasible(change, n_feasible, 15 + percent);
        }
    }

    /// Returns a copy of the pod whose total request is reduced from `from` to `to`, at the container with the largest
    /// request, and the change to suggest. Returns `None` if the request of that container is too small.
    fn with_reduced_request(&self, resource: ReducibleResource, from: i64, to: i64) -> Option<(Pod, Change)> {
        let mut pod = (*self.pod).clone();
        let amount = |list: &podscope_api::ResourceList| list.get(resource.name()).map_or(0, |q| resource.amount_of(q));
        let container: &mut Container = Arc::make_mut(&mut pod.spec.containers)
            .iter_mut()
            .max_by_key(|container| amount(&container.resources.requests))?;
        let request = amount(&container.resources.requests);
        let free = request - (from - to);
        if free < 0 {
            return None;
        }
        let change = Change::Shrink {
            resource: resource.name().to_owned(),
            from: resource.displayed_amount(from),
            to: resource.displayed_amount(to),
            container: container.name.to_string(),
            request: resource.displayed_amount(free),
            with_limit: amount(&container.resources.limits) == request,
        };
        let requests = &mut Arc::make_mut(&mut container.resources).requests;
        *requests.get_mut(resource.name())? = resource.quantity(free);
        Some((pod, change))
    }

    fn suggest_if_feasible(&mut self, change: Change, n_feasible: usize, cost: i64) {
        if n_feasible > 0 {
            self.suggest(change, ChangeEffect::Fits(n_feasible), cost);
        }
    }

    fn suggest(&mut self, change: Change, effect: ChangeEffect, cost: i64) {
        let at = self.suggestions.partition_point(|known| known.cost <= cost);
        self.suggestions.insert(at, Suggestion { change, effect, cost });
    }
}
