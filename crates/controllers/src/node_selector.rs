//! Whether a node satisfies what a pod requires of nodes: for controllers that pin pods themselves.

use podscope_api::ordered;
use podscope_api::{
    LabelSelectorRequirement, Node, NodeInclusionPolicy, NodeName, NodeSelectorRequirement, NodeSelectorTerm, Pod,
    PodSpec, SelectorOperator, Str, TaintEffect, TopologySpreadConstraint,
};

const NAME_FIELD: &str = "metadata.name";

fn matches(requirement: &NodeSelectorRequirement, labels: &ordered::Map<Str, Str>) -> bool {
    // Node selectors have the operators of label selectors, and Gt and Lt.
    LabelSelectorRequirement {
        key: requirement.key.clone(),
        operator: requirement.operator.clone(),
        values: requirement.values.clone(),
    }
    .matches(labels)
}

fn term_matches(term: &NodeSelectorTerm, node: &Node) -> bool {
    let fields = ordered::Map::from([(Str::from(NAME_FIELD), node.metadata.name.clone())]);
    let is_empty = term.match_expressions.is_empty() && term.match_fields.is_empty();
    !is_empty
        && term
            .match_expressions
            .iter()
            .all(|requirement| matches(requirement, &node.metadata.labels))
        && term
            .match_fields
            .iter()
            .all(|requirement| matches(requirement, &fields))
}

/// Whether a node counts for a constraint of a pod's spread; `keys` are those that a node has to have (SCH-075).
pub fn counts_for_spread<'k>(
    spec: &PodSpec,
    node: &Node,
    constraint: &TopologySpreadConstraint,
    mut keys: impl Iterator<Item = &'k Str>,
) -> bool {
    let ignores_affinity = constraint.node_affinity_policy == Some(NodeInclusionPolicy::Ignore);
    let honors_taints = constraint.node_taints_policy == Some(NodeInclusionPolicy::Honor);
    let is_tolerated = || {
        let taints = &node.spec.taints;
        let mut barring = taints
            .iter()
            .filter(|taint| taint.effect != TaintEffect::PreferNoSchedule);
        barring.all(|taint| spec.tolerations.iter().any(|toleration| toleration.tolerates(taint)))
    };
    keys.all(|key| node.metadata.labels.contains_key(key))
        && (ignores_affinity || fits(spec, node))
        && (!honors_taints || is_tolerated())
}

/// Whether the node has the labels that the spec's node selector and required node affinity ask for (SCH-046).
pub fn fits(spec: &PodSpec, node: &Node) -> bool {
    let required = spec
        .affinity
        .as_ref()
        .and_then(|affinity| affinity.node_affinity.as_ref())
        .and_then(|affinity| affinity.required_during_scheduling_ignored_during_execution.as_ref());
    spec.node_selector
        .iter()
        .all(|(key, value)| node.metadata.labels.get(key) == Some(value))
        && required.is_none_or(|selector| selector.node_selector_terms.iter().any(|term| term_matches(term, node)))
}

/// The required term that pins a pod to one node by name.
pub(super) fn pin(node: &str) -> NodeSelectorTerm {
    NodeSelectorTerm {
        match_fields: vec![NodeSelectorRequirement {
            key: NAME_FIELD.into(),
            operator: SelectorOperator::In,
            values: vec![node.into()],
        }],
        ..NodeSelectorTerm::default()
    }
}

/// The node a pod is bound to, or pinned to by name.
pub(super) fn target(pod: &Pod) -> Option<NodeName> {
    if let Some(node) = &pod.spec.node_name {
        return Some(node.clone());
    }
    let affinity = pod.spec.affinity.as_ref()?.node_affinity.as_ref()?;
    let terms = &affinity
        .required_during_scheduling_ignored_during_execution
        .as_ref()?
        .node_selector_terms;
    let mut fields = terms.iter().flat_map(|term| &term.match_fields);
    let field = fields.find(|field| &*field.key == NAME_FIELD && field.values.len() == 1)?;
    Some(NodeName(field.values.first()?.clone()))
}
