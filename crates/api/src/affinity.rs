//! Evaluates node selectors and node affinity for a single node (SCH-046). The scheduler uses faster tables of its own.

use crate::ordered;
use crate::{
    Node, NodeSelector, NodeSelectorRequirement, NodeSelectorTerm, PodAffinity, PodAffinityTerm, PodSpec, Str,
};

/// The only node field that `matchFields` supports.
pub const NAME_FIELD: &str = "metadata.name";

impl NodeSelectorRequirement {
    fn matches(&self, labels: &ordered::Map<Str, Str>) -> bool {
        self.operator.is_satisfied_by(labels.get(&self.key), &self.values)
    }
}

impl NodeSelectorTerm {
    /// Returns whether the term matches the node. An empty term matches no node.
    fn matches(&self, node: &Node) -> bool {
        let fields = ordered::Map::from([(Str::from(NAME_FIELD), node.metadata.name.clone())]);
        let is_empty = self.match_expressions.is_empty() && self.match_fields.is_empty();
        let mut expressions = self.match_expressions.iter();
        !is_empty
            && expressions.all(|requirement| requirement.matches(&node.metadata.labels))
            && self.match_fields.iter().all(|requirement| requirement.matches(&fields))
    }
}

impl NodeSelector {
    /// Returns whether one of the terms matches the node.
    pub fn matches(&self, node: &Node) -> bool {
        self.node_selector_terms.iter().any(|term| term.matches(node))
    }
}

impl PodSpec {
    /// Returns the pod's required node affinity.
    pub fn required_node_affinity(&self) -> Option<&NodeSelector> {
        let affinity = self.affinity.as_ref()?.node_affinity.as_ref()?;
        affinity.required_during_scheduling_ignored_during_execution.as_ref()
    }

    /// Returns the node that a required `matchFields` on `metadata.name` selects; the DaemonSet controller sets it on
    /// its pods.
    pub fn pinned_node(&self) -> Option<&Str> {
        let terms = &self.required_node_affinity()?.node_selector_terms;
        let mut fields = terms.iter().flat_map(|term| &term.match_fields);
        fields.find(|field| &*field.key == NAME_FIELD)?.values.first()
    }

    /// Returns whether the node satisfies the pod's node selector and required node affinity.
    pub fn selects(&self, node: &Node) -> bool {
        let mut labels = self.node_selector.iter();
        labels.all(|(key, value)| node.metadata.labels.get(key) == Some(value))
            && self
                .required_node_affinity()
                .is_none_or(|selector| selector.matches(node))
    }
}

impl PodAffinity {
    /// Returns all pod affinity terms, the required ones first.
    pub fn terms(&self) -> impl Iterator<Item = &PodAffinityTerm> {
        let preferred = &self.preferred_during_scheduling_ignored_during_execution;
        self.required_during_scheduling_ignored_during_execution
            .iter()
            .chain(preferred.iter().map(|weighted| &weighted.pod_affinity_term))
    }
}
