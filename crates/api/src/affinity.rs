//! What node selectors and affinities say (SCH-046): the plain rules, for whoever asks about one node. The scheduler asks
//! its own tables.

use crate::ordered;
use crate::{
    Node, NodeSelector, NodeSelectorRequirement, NodeSelectorTerm, PodAffinity, PodAffinityTerm, PodSpec, Str,
};

/// The only field of a node that a term can ask for.
pub const NAME_FIELD: &str = "metadata.name";

impl NodeSelectorRequirement {
    fn matches(&self, labels: &ordered::Map<Str, Str>) -> bool {
        self.operator.holds(labels.get(&self.key), &self.values)
    }
}

impl NodeSelectorTerm {
    /// Whether it chooses the node; an empty one chooses none.
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
    /// Whether one of its terms chooses the node.
    pub fn matches(&self, node: &Node) -> bool {
        self.node_selector_terms.iter().any(|term| term.matches(node))
    }
}

impl PodSpec {
    /// The nodes that its affinity requires.
    pub fn required_nodes(&self) -> Option<&NodeSelector> {
        let affinity = self.affinity.as_ref()?.node_affinity.as_ref()?;
        affinity.required_during_scheduling_ignored_during_execution.as_ref()
    }

    /// Whether the node has what the node selector and the required node affinity ask for.
    pub fn selects(&self, node: &Node) -> bool {
        let mut labels = self.node_selector.iter();
        labels.all(|(key, value)| node.metadata.labels.get(key) == Some(value))
            && self.required_nodes().is_none_or(|selector| selector.matches(node))
    }
}

impl PodAffinity {
    /// Its terms, those that are required first.
    pub fn terms(&self) -> impl Iterator<Item = &PodAffinityTerm> {
        let preferred = &self.preferred_during_scheduling_ignored_during_execution;
        self.required_during_scheduling_ignored_during_execution
            .iter()
            .chain(preferred.iter().map(|weighted| &weighted.pod_affinity_term))
    }
}
