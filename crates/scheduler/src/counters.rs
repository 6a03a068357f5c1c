//! Counts of matching pods on each node, for topology spread and pod affinity.
//!
//! Pods with equal namespace, labels and deletion state form a *class*. A *counter* belongs to one query ("pods that
//! match this selector") and holds one number per node. Placing a pod updates the counters whose queries match its
//! class. A decision reads one number per node, regardless of the number of pods.
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

/// Index of a class of pods with equal namespace, labels and deletion state.
pub(crate) type PodClassIdx = u32;
/// Maximum number of counters; the least recently used one is evicted.
const MAX_COUNTERS: usize = 512;

/// Labels of the Namespace objects, by namespace.
pub(crate) type NamespaceLabels = ordered::Map<Symbol, LabelSet>;

/// A query that counts pods.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PodQuery {
    /// Matchers that a pod must all match to be counted.
    pub all_of: Vec<PodMatcher>,
    /// Whether pods that are being deleted are counted: true for affinity, false for spread (SCH-074, SCH-086).
    pub include_terminating: bool,
}

impl PodQuery {
    fn matches(&self, class: &PodClass, namespaces: &NamespaceLabels) -> bool {
        let namespace_labels = namespaces.get(&class.key.namespace).map(|labels| &**labels);
        (self.include_terminating || !class.key.terminating)
            && self
                .all_of
                .iter()
                .all(|matcher| matcher.matches_incoming(class.key.namespace, namespace_labels, &class.key.labels))
    }

    fn depends_on_namespace_labels(&self) -> bool {
        self.all_of
            .iter()
            .any(|matcher| !matches!(matcher.namespace_selector, crate::selector::Selector::Nothing))
    }
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct PodClassKey {
    namespace: Symbol,
    labels: LabelSet,
    terminating: bool,
}

#[derive(Debug, Clone)]
struct PodClass {
    key: PodClassKey,
    n_pods: u32,
    /// Indices of the counters whose query matches this class.
    counters: Vec<u32>,
}

#[derive(Debug, Clone)]
struct PodCounter {
    query: Arc<PodQuery>,
    /// Number of matching pods by node index. Shared with clones of the cache until it changes.
    on_node: Arc<Vec<u32>>,
    /// Value of [`PodCounters::clock`] at the last use, for eviction.
    used_at: u64,
}

/// The classes of all placed pods, and the counters of matching pods.
#[derive(Debug, Clone, Default)]
pub(crate) struct PodCounters {
    classes: Vec<Option<PodClass>>,
    class_ids: ordered::Map<PodClassKey, PodClassIdx>,
    free_classes: Vec<PodClassIdx>,
    counters: Vec<Option<PodCounter>>,
    counter_ids: ordered::Map<Arc<PodQuery>, u32>,
    free_counters: Vec<u32>,
    /// Number of queries so far.
    clock: u64,
}

impl PodCounters {
    /// Adds a pod that was placed on a node to the counters. Returns the class of the pod.
    pub(crate) fn add(&mut self, pod: &PodInfo, node: NodeIdx, namespaces: &NamespaceLabels) -> PodClassIdx {
        let key = PodClassKey {
            namespace: pod.namespace,
            labels: pod.labels.clone(),
            terminating: pod.terminating,
        };
        let index = match self.class_ids.get(&key) {
            Some(index) => *index,
            None => {
                let mut class = PodClass {
                    key: key.clone(),
                    n_pods: 0,
                    counters: Vec::new(),
                };
                for (id, counter) in self.counters.iter().enumerate() {
                    if counter
                        .as_ref()
                        .is_some_and(|counter| counter.query.matches(&class, namespaces))
                    {
                        class.counters.push(id as u32);
                    }
                }
                let index = self.free_classes.pop().unwrap_or_else(|| {
                    self.classes.push(None);
                    self.classes.len() as PodClassIdx - 1
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

    /// Subtracts a pod of the given class that left a node.
    pub(crate) fn remove(&mut self, index: PodClassIdx, node: NodeIdx) {
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

    /// Returns the number of matching pods by node index; missing entries are 0. The first call counts all pods; later
    /// calls read the counter.
    pub(crate) fn count_pods(
        &mut self,
        query: PodQuery,
        nodes: &[Arc<NodeInfo>],
        namespaces: &NamespaceLabels,
    ) -> Arc<Vec<u32>> {
        self.clock += 1;
        if let Some(id) = self.counter_ids.get(&query)
            && let Some(counter) = &mut self.counters[*id as usize]
        {
            counter.used_at = self.clock;
            if counter.on_node.len() < nodes.len() {
                Arc::make_mut(&mut counter.on_node).resize(nodes.len(), 0);
            }
            return counter.on_node.clone();
        }
        if self.counter_ids.len() >= MAX_COUNTERS {
            let oldest = self
                .counters
                .iter()
                .enumerate()
                .filter_map(|(id, counter)| counter.as_ref().map(|counter| (counter.used_at, id)))
                .min();
            if let Some((_, id)) = oldest {
                self.drop_counter(id as u32);
            }
        }
        let id = self.free_counters.pop().unwrap_or_else(|| {
            self.counters.push(None);
            self.counters.len() as u32 - 1
        });
        let mut matching = vec![false; self.classes.len()];
        for (index, class) in self.classes.iter_mut().enumerate() {
            if let Some(class) = class
                && query.matches(class, namespaces)
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
        let (query, on_node) = (Arc::new(query), Arc::new(on_node));
        self.counter_ids.insert(query.clone(), id);
        self.counters[id as usize] = Some(PodCounter {
            query,
            on_node: on_node.clone(),
            used_at: self.clock,
        });
        on_node
    }

    fn drop_counter(&mut self, id: u32) {
        if let Some(counter) = self.counters[id as usize].take() {
            self.counter_ids.remove(&counter.query);
            self.free_counters.push(id);
            for class in self.classes.iter_mut().flatten() {
                class.counters.retain(|known| *known != id);
            }
        }
    }

    /// Removes the counters that depend on namespace labels; the next query counts the pods again.
    pub(crate) fn namespaces_changed(&mut self) {
        for id in 0..self.counters.len() {
            if self.counters[id]
                .as_ref()
                .is_some_and(|counter| counter.query.depends_on_namespace_labels())
            {
                self.drop_counter(id as u32);
            }
        }
    }
}

/// An affinity term of placed pods, with the number of pods that have it on each node.
#[derive(Debug, Clone)]
pub(crate) struct PlacedAffinityTerm {
    pub term: Arc<Term>,
    /// Number of pods with this term, by node index. May be shorter than the node table.
    pub on_node: Arc<Vec<u32>>,
    /// Number of pods with this term on all nodes.
    pub n_pods: u32,
}

/// The distinct affinity terms of all placed pods.
#[derive(Debug, Clone, Default)]
pub(crate) struct PlacedAffinityTerms {
    terms: Vec<Option<PlacedAffinityTerm>>,
    ids: ordered::Map<Arc<Term>, u32>,
    free: Vec<u32>,
}

impl PlacedAffinityTerms {
    /// Adds a pod with this term that was placed on a node. Returns the term's index.
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
                self.terms[id as usize] = Some(PlacedAffinityTerm {
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

    /// Subtracts a pod with this term that left a node.
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

    /// Returns every term that at least one placed pod has.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &PlacedAffinityTerm> {
        self.terms.iter().flatten()
    }
}
