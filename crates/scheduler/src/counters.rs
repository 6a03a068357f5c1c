//! How many pods of a kind are on each node: the numbers behind spread and pod affinity.
//!
//! Pods of equal namespace, labels and deletion state form a *class*. A *counter* is a question
//! ("pods that match this") with one number a node. Placing a pod touches the counters its class
//! matches; a decision reads one number a node, however many pods there are.
//!
//! ```text
//!   pod ──► class 7 {ns default, app=web} ──► counters [2, 5]
//!                                                 │
//!   counter 2 {app in (web, api)}   nodes  [ 3 | 0 | 1 | … ]   += 1 at the pod's node
//! ```

use podscope_api::ordered;
use std::sync::Arc;

use crate::node_info::{NodeIdx, NodeInfo};
use crate::pod_info::{PodInfo, PodMatcher, Term};
use crate::selector::LabelSet;
use crate::symbols::Symbol;

/// Index of a class of equal pods.
pub(crate) type ClassIdx = u32;
/// Most counters kept; the least recently used one goes first.
const COUNTERS_MAX: usize = 512;

/// Labels of the Namespace objects.
pub(crate) type NamespaceLabels = ordered::Map<Symbol, LabelSet>;

/// A question about pods.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Question {
    /// All of these must match.
    pub all_of: Vec<PodMatcher>,
    /// Pods being deleted count too (affinity: yes, spread: no; SCH-074, SCH-086).
    pub terminating_too: bool,
}

impl Question {
    fn matches(&self, class: &Class, namespaces: &NamespaceLabels) -> bool {
        let have = namespaces.get(&class.key.namespace).map(|labels| &**labels);
        (self.terminating_too || !class.key.terminating)
            && self
                .all_of
                .iter()
                .all(|matcher| matcher.matches_incoming(class.key.namespace, have, &class.key.labels))
    }

    fn asks_namespaces(&self) -> bool {
        self.all_of
            .iter()
            .any(|matcher| !matches!(matcher.namespace_selector, crate::selector::Selector::Nothing))
    }
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct ClassKey {
    namespace: Symbol,
    labels: LabelSet,
    terminating: bool,
}

#[derive(Debug, Clone)]
struct Class {
    key: ClassKey,
    n_pods: u32,
    /// Counters this class matches.
    counters: Vec<u32>,
}

#[derive(Debug, Clone)]
struct Counter {
    question: Arc<Question>,
    /// Pods by node index.
    /// Shared with checkpoints until it changes.
    on_node: Arc<Vec<u32>>,
    used_at: u64,
}

/// Classes and counters.
#[derive(Debug, Clone, Default)]
pub(crate) struct Counters {
    classes: Vec<Option<Class>>,
    class_ids: ordered::Map<ClassKey, ClassIdx>,
    free_classes: Vec<ClassIdx>,
    counters: Vec<Option<Counter>>,
    counter_ids: ordered::Map<Arc<Question>, u32>,
    free_counters: Vec<u32>,
    clock: u64,
}

impl Counters {
    /// Counts a pod that came to a node; returns its class.
    pub(crate) fn add(&mut self, pod: &PodInfo, node: NodeIdx, namespaces: &NamespaceLabels) -> ClassIdx {
        let key = ClassKey {
            namespace: pod.namespace,
            labels: pod.labels.clone(),
            terminating: pod.terminating,
        };
        let index = match self.class_ids.get(&key) {
            Some(index) => *index,
            None => {
                let mut class = Class {
                    key: key.clone(),
                    n_pods: 0,
                    counters: Vec::new(),
                };
                for (id, counter) in self.counters.iter().enumerate() {
                    if counter
                        .as_ref()
                        .is_some_and(|counter| counter.question.matches(&class, namespaces))
                    {
                        class.counters.push(id as u32);
                    }
                }
                let index = self.free_classes.pop().unwrap_or_else(|| {
                    self.classes.push(None);
                    self.classes.len() as ClassIdx - 1
                });
                self.classes[index as usize] = Some(class);
                self.class_ids.insert(key, index);
                index
            }
        };
        if let Some(class) = &mut self.classes[index as usize] {
            class.n_pods += 1;
            for id in &class.counters {
                if let Some(counter) = &mut self.counters[*id as usize] {
                    let on_node = Arc::make_mut(&mut counter.on_node);
                    if on_node.len() <= node as usize {
                        on_node.resize(node as usize + 1, 0);
                    }
                    on_node[node as usize] += 1;
                }
            }
        }
        index
    }

    /// Takes a pod of that class off a node.
    pub(crate) fn remove(&mut self, index: ClassIdx, node: NodeIdx) {
        let Some(class) = &mut self.classes[index as usize] else {
            return;
        };
        class.n_pods -= 1;
        for id in &class.counters {
            if let Some(counter) = &mut self.counters[*id as usize] {
                Arc::make_mut(&mut counter.on_node)[node as usize] -= 1;
            }
        }
        if class.n_pods == 0 {
            self.class_ids.remove(&class.key);
            self.classes[index as usize] = None;
            self.free_classes.push(index);
        }
    }

    /// The answer to a question: pods by node index (missing ones are 0). Counted once, then kept.
    pub(crate) fn ask(
        &mut self,
        question: Question,
        nodes: &[Arc<NodeInfo>],
        namespaces: &NamespaceLabels,
    ) -> Arc<Vec<u32>> {
        self.clock += 1;
        if let Some(id) = self.counter_ids.get(&question)
            && let Some(counter) = &mut self.counters[*id as usize]
        {
            counter.used_at = self.clock;
            if counter.on_node.len() < nodes.len() {
                Arc::make_mut(&mut counter.on_node).resize(nodes.len(), 0);
            }
            return counter.on_node.clone();
        }
        if self.counter_ids.len() >= COUNTERS_MAX {
            let oldest = self
                .counters
                .iter()
                .enumerate()
                .filter_map(|(id, counter)| counter.as_ref().map(|counter| (counter.used_at, id)))
                .min();
            if let Some((_, id)) = oldest {
                self.forget(id as u32);
            }
        }
        let id = self.free_counters.pop().unwrap_or_else(|| {
            self.counters.push(None);
            self.counters.len() as u32 - 1
        });
        let mut matching = vec![false; self.classes.len()];
        for (index, class) in self.classes.iter_mut().enumerate() {
            if let Some(class) = class
                && question.matches(class, namespaces)
            {
                class.counters.push(id);
                matching[index] = true;
            }
        }
        let mut on_node = vec![0; nodes.len()];
        if matching.iter().any(|matches| *matches) {
            for (index, node) in nodes.iter().enumerate() {
                for pod in &node.pods {
                    if matching.get(pod.class as usize) == Some(&true) {
                        on_node[index] += 1;
                    }
                }
            }
        }
        let (question, on_node) = (Arc::new(question), Arc::new(on_node));
        self.counter_ids.insert(question.clone(), id);
        self.counters[id as usize] = Some(Counter {
            question,
            on_node: on_node.clone(),
            used_at: self.clock,
        });
        on_node
    }

    fn forget(&mut self, id: u32) {
        if let Some(counter) = self.counters[id as usize].take() {
            self.counter_ids.remove(&counter.question);
            self.free_counters.push(id);
            for class in self.classes.iter_mut().flatten() {
                class.counters.retain(|known| *known != id);
            }
        }
    }

    /// Drops what depended on the labels of namespaces; it is counted again when asked.
    pub(crate) fn namespaces_changed(&mut self) {
        for id in 0..self.counters.len() {
            if self.counters[id]
                .as_ref()
                .is_some_and(|counter| counter.question.asks_namespaces())
            {
                self.forget(id as u32);
            }
        }
    }
}

/// A term of placed pods: how many such pods are on each node.
#[derive(Debug, Clone)]
pub(crate) struct PlacedTerm {
    pub term: Arc<Term>,
    /// Pods that carry it, by node index. May be shorter than the node table.
    pub on_node: Arc<Vec<u32>>,
    /// Pods that carry it.
    pub n_pods: u32,
}

/// The distinct terms of all placed pods.
#[derive(Debug, Clone, Default)]
pub(crate) struct PlacedTerms {
    terms: Vec<Option<PlacedTerm>>,
    ids: ordered::Map<Arc<Term>, u32>,
    free: Vec<u32>,
}

impl PlacedTerms {
    /// A pod with that term came to a node.
    pub(crate) fn add(&mut self, term: &Term, node: NodeIdx) -> u32 {
        let id = match self.ids.get(term) {
            Some(id) => *id,
            None => {
                let id = self.free.pop().unwrap_or_else(|| {
                    self.terms.push(None);
                    self.terms.len() as u32 - 1
                });
                let term = Arc::new(term.clone());
                self.ids.insert(term.clone(), id);
                self.terms[id as usize] = Some(PlacedTerm {
                    term,
                    on_node: Arc::new(Vec::new()),
                    n_pods: 0,
                });
                id
            }
        };
        if let Some(placed) = &mut self.terms[id as usize] {
            let on_node = Arc::make_mut(&mut placed.on_node);
            if on_node.len() <= node as usize {
                on_node.resize(node as usize + 1, 0);
            }
            on_node[node as usize] += 1;
            placed.n_pods += 1;
        }
        id
    }

    /// A pod with that term left a node.
    pub(crate) fn remove(&mut self, id: u32, node: NodeIdx) {
        if let Some(placed) = &mut self.terms[id as usize] {
            Arc::make_mut(&mut placed.on_node)[node as usize] -= 1;
            placed.n_pods -= 1;
            if placed.n_pods == 0 {
                self.ids.remove(&placed.term);
                self.terms[id as usize] = None;
                self.free.push(id);
            }
        }
    }

    /// Every term some placed pod carries.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &PlacedTerm> {
        self.terms.iter().flatten()
    }
}
