//! Topology keys in use, and for each the domain of every node as a small integer.
//!
//! ```text
//!  key zone:      nodes  [0] [1] [2] [3] …        values  0: a   1: b   2: c
//!                 domain  0   0   1   -  …        (- = NONE: no such label, or no such node)
//! ```

use podscope_api::ordered::BTreeMap;
use std::sync::Arc;

use crate::node_info::{NodeIdx, NodeInfo};
use crate::selector::label;
use crate::symbols::Symbol;

/// Index of a topology key.
pub(crate) type KeyIdx = u32;
/// Index of a domain of one key.
pub(crate) type Domain = u32;
/// A node that has no domain of that key.
pub(crate) const NONE: Domain = u32::MAX;

/// One key and the domains it makes.
#[derive(Debug, Clone)]
pub(crate) struct TopologyKey {
    /// The label.
    pub symbol: Symbol,
    /// Domain of each node, by node index.
    pub of_node: Vec<Domain>,
    /// Value of each domain.
    pub values: Vec<Symbol>,
    by_value: BTreeMap<Symbol, Domain>,
}

/// Every key a constraint or term has named. Keys are never dropped: they are few.
#[derive(Debug, Clone, Default)]
pub(crate) struct Topology {
    keys: Vec<TopologyKey>,
}

impl Topology {
    /// The key's index; builds its table at first use.
    pub(crate) fn intern(&mut self, symbol: Symbol, nodes: &[Arc<NodeInfo>]) -> KeyIdx {
        if let Some(index) = self.keys.iter().position(|key| key.symbol == symbol) {
            return index as KeyIdx;
        }
        let mut key = TopologyKey {
            symbol,
            of_node: Vec::with_capacity(nodes.len()),
            values: Vec::new(),
            by_value: BTreeMap::new(),
        };
        for (index, node) in nodes.iter().enumerate() {
            key.place(index as NodeIdx, node);
        }
        self.keys.push(key);
        self.keys.len() as KeyIdx - 1
    }
    /// One key's table.
    pub(crate) fn key(&self, key: KeyIdx) -> &TopologyKey {
        &self.keys[key as usize]
    }
    /// Reads a node's labels anew into every table.
    pub(crate) fn place(&mut self, index: NodeIdx, node: &NodeInfo) {
        for key in &mut self.keys {
            key.place(index, node);
        }
    }
}

impl TopologyKey {
    fn place(&mut self, index: NodeIdx, node: &NodeInfo) {
        let index = index as usize;
        if self.of_node.len() <= index {
            self.of_node.resize(index + 1, NONE);
        }
        let value = node.node.as_ref().and_then(|_| label(&node.labels, self.symbol));
        self.of_node[index] = match value {
            None => NONE,
            Some(value) => *self.by_value.entry(value).or_insert_with(|| {
                self.values.push(value);
                self.values.len() as Domain - 1
            }),
        };
    }
    /// Number of domains ever seen.
    pub(crate) fn n_domains(&self) -> usize {
        self.values.len()
    }
    /// The domain of the empty value, if some node has it.
    pub(crate) fn empty_domain(&self) -> Option<Domain> {
        self.by_value.get(&Symbol::EMPTY).copied()
    }
    /// The node's domain, [`NONE`] if it has none.
    pub(crate) fn domain(&self, node: NodeIdx) -> Domain {
        self.of_node[node as usize]
    }
}
