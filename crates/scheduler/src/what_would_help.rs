//! What would help a pending pod (S-15): single changes, each verified by deciding the pod on the changed
//! world, smallest first.
//!
//! [`WhatWouldHelp::step`] tries one change and returns, so that the caller can show progress and stop.

mod amounts;
mod blockers;
mod neighbour;
mod new_node;
mod plan;

use podscope_api::ordered::StableSort as _;
use std::collections::VecDeque;
use std::sync::Arc;

pub use podscope_api::remedy::{Change, NewNode, Then};
use podscope_api::{Container, Node, Object, Pod, PriorityClass, Quantity};

use crate::cache::Cache;
use crate::config::SchedulerConfiguration;
use crate::cycle::{CycleState, Found};
use crate::decide::decide;
use crate::nominator::Nominator;
use crate::pod_info::Incoming;
use crate::post_filter::Preemption;
use crate::scheduler::Scheduler;

/// Whether a change is no advice beside one that is known.
fn is_enough_with(change: &Change, known: &Change) -> bool {
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
            // One larger node is enough; and a node in a domain that is there, or that a volume names, for one that
            // is not.
            !more.is_empty() && !some.is_empty() || domain.is_empty() && more.is_empty() && known == topology_key
        }
        (Change::Priority { .. }, Change::Priority { .. })
        | (Change::Scheduler { .. }, Change::Scheduler { .. })
        | (Change::Untaint { .. }, Change::Untaint { .. })
        | (Change::Label { .. }, Change::Label { .. })
        | (Change::Offer { .. }, Change::Offer { .. })
        | (Change::DeletePod { .. }, Change::DeletePod { .. }) => true,
        _ => false,
    }
}

/// One more in a list `KEY=VALUE,…`.
#[inline(never)]
fn add_to(list: &mut String, key: &str, value: &str) {
    if !list.is_empty() {
        list.push(',');
    }
    list.push_str(key);
    list.push('=');
    list.push_str(value);
}

/// A change that helps.
#[derive(Debug, Clone, PartialEq)]
pub struct Suggestion {
    pub change: Change,
    /// What comes of it, as the scheduler itself decided.
    pub then: Then,
    /// Smaller is a smaller change.
    pub cost: i64,
}

/// How far the search is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
    Pod(Change, Arc<Pod>, i64),
    /// The largest request that fits.
    Shrink(Resource),
    /// A node changed.
    Node(Change, Arc<Node>, Arc<Node>, i64),
    /// A node more.
    AddNode(Change, Arc<Node>, i64),
    /// Looks for pods whose end makes room on their own node.
    FindBlockers,
    /// A pod less.
    Delete(Change, Arc<Pod>, i64),
    /// A pod more, wherever the scheduler puts it.
    AddPod(Change, Arc<Pod>, i64),
}

impl Trial {
    fn change(&self) -> Option<&Change> {
        match self {
            Self::Pod(change, ..)
            | Self::Node(change, ..)
            | Self::AddNode(change, ..)
            | Self::Delete(change, ..)
            | Self::AddPod(change, ..) => Some(change),
            Self::Shrink(_) | Self::FindBlockers => None,
        }
    }
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

    fn read(self, quantity: &Quantity) -> i64 {
        match self {
            Self::Cpu => quantity.milli_value(),
            Self::Memory | Self::Ephemeral => quantity.value(),
        }
    }

    /// As people write it.
    fn print(self, amount: i64) -> String {
        match self {
            Self::Cpu => Quantity::from_milli(amount).to_string(),
            Self::Memory | Self::Ephemeral => amounts::bytes(amount),
        }
    }

    fn rounded_down(self, amount: i64) -> i64 {
        match self {
            Self::Cpu => amounts::cpu_rounded_down(amount),
            Self::Memory | Self::Ephemeral => amounts::bytes_rounded_down(amount),
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
    pub fn new(scheduler: &Scheduler, pod: &Arc<Pod>, classes: &[Arc<PriorityClass>]) -> Self {
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

    /// The pod that is asked about.
    pub fn pod(&self) -> &Arc<Pod> {
        &self.pod
    }

    /// Runs to the end.
    pub fn finish(mut self) -> Vec<Suggestion> {
        while !self.step().finished {}
        self.suggestions
    }

    fn search(&mut self, pod: &Arc<Pod>) -> Option<(Found, CycleState)> {
        self.cache.update_snapshot();
        self.with_search(pod, |cache, search| search.run(cache, &mut 0))
    }

    fn n_feasible(&mut self, pod: &Arc<Pod>) -> usize {
        self.search(pod).map_or(
            0,
            |(found, _)| {
                if found.error.is_some() { 0 } else { found.feasible.len() }
            },
        )
    }

    fn run(&mut self, trial: Trial) {
        if trial.change().is_some_and(|change| self.is_settled(change)) {
            return;
        }
        let pod = self.pod.clone();
        match trial {
            // Of a priority, success is also to be able to preempt.
            Trial::Pod(change @ (Change::Priority { .. } | Change::AllowPreemption), pod, cost) => {
                if let Some(then) = self.preempting(&pod) {
                    self.suggest(change, then, cost);
                }
            }
            Trial::Pod(change, pod, cost) => {
                let n_feasible = self.n_feasible(&pod);
                self.fits(change, n_feasible, cost);
            }
            Trial::Shrink(resource) => self.shrink(resource),
            Trial::Node(change, before, after, cost) => {
                let (before, after) = (Object::Node(before), Object::Node(after));
                self.cache.on_change(Some(&before), Some(&after));
                let n_feasible = self.n_feasible(&pod);
                self.cache.on_change(Some(&after), Some(&before));
                self.fits(change, n_feasible, cost);
            }
            Trial::AddNode(change, node, cost) => {
                let node = Object::Node(node);
                self.cache.on_change(None, Some(&node));
                let n_feasible = self.n_feasible(&pod);
                self.cache.on_change(Some(&node), None);
                self.fits(change, n_feasible, cost);
            }
            Trial::FindBlockers => self.find_blockers(),
            Trial::Delete(change, other, cost) => {
                let other = Object::Pod(other);
                self.cache.on_change(Some(&other), None);
                let n_feasible = self.n_feasible(&pod);
                self.cache.on_change(None, Some(&other));
                self.fits(change, n_feasible, cost);
            }
            Trial::AddPod(change, other, cost) => {
                let n_feasible = self.n_feasible_beside(&other);
                self.fits(change, n_feasible, cost);
            }
        }
    }

    /// Whether one that is like it was found already and is enough.
    fn is_settled(&self, change: &Change) -> bool {
        let n_like = self
            .suggestions
            .iter()
            .filter(|known| is_enough_with(change, &known.change));
        n_like.count()
            >= if matches!(change, Change::DeletePod { .. }) {
                3
            } else {
                1
            }
    }

    /// What comes of it where success is also to be able to preempt.
    fn preempting(&mut self, pod: &Arc<Pod>) -> Option<Then> {
        let decision = decide(&mut self.cache, &self.config, &self.nominator, pod, &mut 0)?;
        match &decision.preemption {
            Some(Preemption::Found { candidates, chosen, .. }) => {
                let candidate = candidates.iter().find(|candidate| chosen.contains(&candidate.node))?;
                let victims = candidate.victims.iter();
                Some(Then::Ends {
                    victims: victims.map(|pod| pod.pod.metadata.key().to_string()).collect(),
                    node: self.cache.node(candidate.node).name.to_string(),
                })
            }
            _ => Some(decision.found.feasible.len())
                .filter(|n_feasible| *n_feasible > 0)
                .map(Then::Fits),
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
                // What is a little smaller fits as well, and reads better.
                resource.rounded_down(resource.of(&node.allocatable) - resource.of(&node.requested))
            })
            .filter(|left| *left > 0 && *left < want)
            .collect();
        amounts.stable_sort();
        amounts.dedup();
        let (mut low, mut high) = (0, amounts.len());
        let mut best = None;
        while low < high {
            let middle = low.midpoint(high);
            let smaller = self.with_request(resource, want, amounts[middle]);
            let n_feasible = smaller.map_or(0, |(pod, _)| self.n_feasible(&Arc::new(pod)));
            if n_feasible > 0 {
                best = Some((amounts[middle], n_feasible));
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        if let Some((amount, n_feasible)) = best
            && let Some((_, change)) = self.with_request(resource, want, amount)
        {
            // A small cut is a small change, half the request a large one.
            let percent = (want - amount) * 100 / want;
            self.fits(change, n_feasible, 15 + percent);
        }
    }

    /// The pod with its request lowered by what is too much, taken from the container that asks for most.
    fn with_request(&self, resource: Resource, from: i64, to: i64) -> Option<(Pod, Change)> {
        let mut pod = (*self.pod).clone();
        let amount = |list: &podscope_api::ResourceList| list.get(resource.name()).map_or(0, |q| resource.read(q));
        let container: &mut Container = Arc::make_mut(&mut pod.spec.containers)
            .iter_mut()
            .max_by_key(|container| amount(&container.resources.requests))?;
        let request = amount(&container.resources.requests);
        let left = request - (from - to);
        if left < 0 {
            return None;
        }
        let change = Change::Shrink {
            resource: resource.name().to_owned(),
            from: resource.print(from),
            to: resource.print(to),
            container: container.name.to_string(),
            request: resource.print(left),
            with_limit: amount(&container.resources.limits) == request,
        };
        let requests = &mut Arc::make_mut(&mut container.resources).requests;
        *requests.get_mut(resource.name())? = resource.quantity(left);
        Some((pod, change))
    }

    fn fits(&mut self, change: Change, n_feasible: usize, cost: i64) {
        if n_feasible > 0 {
            self.suggest(change, Then::Fits(n_feasible), cost);
        }
    }

    fn suggest(&mut self, change: Change, then: Then, cost: i64) {
        let at = self.suggestions.partition_point(|known| known.cost <= cost);
        self.suggestions.insert(at, Suggestion { change, then, cost });
    }
}
