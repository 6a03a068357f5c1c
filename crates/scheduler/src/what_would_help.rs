//! What would help a pending pod (S-15): single changes, each verified by deciding the pod on the changed
//! world, smallest first.
//!
//! [`WhatWouldHelp::step`] tries one change and returns, so that the caller can show progress and stop.

mod blockers;
mod describe;
mod plan;

use podscope_api::ordered::StableSort as _;
use std::collections::VecDeque;
use std::sync::Arc;

use podscope_api::{Node, Object, ObjectKey, Pod, Quantity, Str};
use serde::{Deserialize, Serialize};

use crate::cache::Cache;
use crate::config::SchedulerConfiguration;
use crate::cycle::{CycleState, Found};
use crate::decide::decide;
use crate::nominator::Nominator;
use crate::pod_info::Incoming;
use crate::post_filter::Preemption;
use crate::scheduler::Scheduler;
use describe::{command, in_words};

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
    /// A smaller minDomains.
    MinDomains {
        /// Which constraint of the pod.
        index: usize,
        /// Its topology key.
        topology_key: String,
        /// How many domains there are.
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
        /// The kind of its controller, which makes another one; empty where there is none.
        remade_by: String,
    },
    /// A label that a node lacks.
    Label {
        /// The node.
        node: String,
        /// The label.
        key: String,
        /// Its value.
        value: String,
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
    /// One more node, in a domain that is not there yet.
    AddDomain {
        /// The label.
        topology_key: String,
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

    /// The pod that is asked about.
    pub fn pod(&self) -> ObjectKey {
        self.pod.metadata.key()
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
                // One node with the label is enough.
                let is_label = |change: &Change| matches!(change, Change::Label { .. });
                if is_label(&change) && self.suggestions.iter().any(|known| is_label(&known.change)) {
                    return;
                }
                let (before, after) = (Object::Node(before), Object::Node(after));
                self.cache.on_change(Some(&before), Some(&after));
                let n_feasible = self.n_feasible(&self.pod.clone());
                self.cache.on_change(Some(&after), Some(&before));
                self.suggest(change, n_feasible, None, cost);
            }
            Trial::AddNode(change, node, cost) => {
                // Where a node in a domain that is there is enough, a new domain is no advice.
                let known = |known: &Suggestion| matches!((&known.change, &change), (Change::AddNode { topology_key: a, .. }, Change::AddDomain { topology_key: b, .. }) if a == b);
                if self.suggestions.iter().any(known) {
                    return;
                }
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
        amounts.stable_sort();
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
            // As people write it: what is a little smaller fits as well.
            const MEBI: i64 = 1 << 20;
            let is_bytes = !matches!(resource, Resource::Cpu);
            let amount = if is_bytes && amount > MEBI {
                amount / MEBI * MEBI
            } else {
                amount
            };
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
        let quantity = Arc::make_mut(&mut container.resources)
            .requests
            .get_mut(resource.name())?;
        let left = read(quantity) - (from - to);
        if left < 0 {
            return None;
        }
        *quantity = resource.quantity(left);
        Some(pod)
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
