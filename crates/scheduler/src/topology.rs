//! The topology keys that are in use. The domain of every node is stored as a small integer.
//!
//! ```text
//!  key zone:      nodes  [0] [1] [2] [3] …        values  0: a   1: b   2: c
//!                 domain  0   0   1   -  …        (- = NO_DOMAIN: no such label, or no such node)
//!                                                n_nodes 0: 2   1: 1   2: 0
//! ```

use podscope_api::ordered;
use std::sync::Arc;

use crate::node_info::{NodeIdx, NodeInfo};
use crate::selector::label;
use crate::symbols::Symbol;

/// Index of a topology key.
pub(crate) type KeyIdx = u32;
/// Index of a domain within a topology key.
pub(crate) type Domain = u32;
/// Domain of a node without the key's label.
pub(crate) const NO_DOMAIN: Domain = u32::MAX;

/// A topology key and its domains.
#[derive(Debug, Clone)]
pub(crate) struct TopologyKey {
    /// The label key.
    pub symbol: Symbol,
    /// Domain of each node, by node index.
    of_node: Vec<Domain>,
    /// Label value of each domain.
    pub values: Vec<Symbol>,
    /// Number of nodes in each domain.
    n_nodes: Vec<u32>,
    /// Number of nodes that belong to a domain.
    n_placed: usize,
    by_value: ordered::Map<Symbol, Domain>,
}

/// All topology keys that a constraint or term has used. Keys are never removed, because there are few.
#[derive(Debug, Clone, Default)]
pub(crate) struct Topology {
    keys: Vec<TopologyKey>,
}

impl Topology {
    /// Returns the index of a key. Builds the key's table at the first use.
    pub(crate) fn intern(&mut self, symbol: Symbol, nodes: &[Arc<NodeInfo>]) -> KeyIdx {
        if let Some(index) = self.keys.iter().position(|key| key.symbol == symbol) {
            return index as KeyIdx;
        }
        let mut key = TopologyKey {
            symbol,
            of_node: Vec::with_capacity(nodes.len()),
            values: Vec::new(),
            n_nodes: Vec::new(),
            n_placed: 0,
            by_value: ordered::Map::new(),
        };
        for (index, node) in nodes.iter().enumerate() {
            key.update_node(index as NodeIdx, node);
        }
        self.keys.push(key);
        self.keys.len() as KeyIdx - 1
    }

    /// Returns the table of a key.
    pub(crate) fn key(&self, key: KeyIdx) -> &TopologyKey {
        &self.keys[key as usize]
    }

    /// Updates a node's domain in every table, according to its labels.
    pub(crate) fn update_node(&mut self, index: NodeIdx, node: &NodeInfo) {
        for key in &mut self.keys {
            key.update_node(index, node);
        }
    }
}

impl TopologyKey {
    fn update_node(&mut self, index: NodeIdx, node: &NodeInfo) {
        let index = index as usize;
        if self.of_node.len() <= index {
            self.of_node.resize(index + 1, NO_DOMAIN);
        }
        if let Some(n_nodes) = self.n_nodes.get_mut(self.of_node[index] as usize) {
            *n_nodes -= 1;
            self.n_placed -= 1;
        }
        let value = node.node.as_ref().and_then(|_| label(&node.labels, self.symbol));
        self.of_node[index] = match value {
            None => NO_DOMAIN,
            Some(value) => *self.by_value.entry(value).or_insert_with(|| {
                self.values.push(value);
                self.n_nodes.push(0);
                self.values.len() as Domain - 1
            }),
        };
        if let Some(n_nodes) = self.n_nodes.get_mut(self.of_node[index] as usize) {
            *n_nodes += 1;
            self.n_placed += 1;
        }
    }

    /// Returns the number of nodes in each domain.
    pub(crate) fn n_nodes(&self) -> &[u32] {
        &self.n_nodes
    }

    /// Returns whether each of the `n` nodes of the cluster has the label of the key.
    pub(crate) fn all_nodes_have_domain(&self, n: usize) -> bool {
        self.n_placed == n
    }

    /// Adds `weight` to the sum of a domain for every pod on a node of the domain. `on_node` is the number of pods by
    /// node index. Returns whether any pod was counted.
    pub(crate) fn add_up_by_domain(&self, on_node: &[u32], weight: i64, sums: &mut [i64]) -> bool {
        let mut any = false;
        for (count, domain) in on_node.iter().zip(&self.of_node) {
            if *count != 0
                && let Some(sum) = sums.get_mut(*domain as usize)
            {
                *sum += weight * i64::from(*count);
                any = true;
            }
        }
        any
    }

    /// Returns the number of domains, including those without nodes.
    pub(crate) fn n_domains(&self) -> usize {
        self.values.len()
    }

    /// Returns the index of a node's domain in sums over domains. Nodes without the label share the index of the empty
    /// value, or the index after the last domain if no node has an empty value.
    pub(crate) fn domain_slot(&self, node: NodeIdx) -> usize {
        match self.domain(node) {
            NO_DOMAIN => self
                .by_value
                .get(&Symbol::EMPTY)
                .map_or(self.n_domains(), |domain| *domain as usize),
            domain => domain as usize,
        }
    }

    /// Returns the node's domain; [`NO_DOMAIN`] if the node has none.
    pub(crate) fn domain(&self, node: NodeIdx) -> Domain {
        self.of_node[node as usize]
    }
}
