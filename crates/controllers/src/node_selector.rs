//! Which nodes count for topology spread constraints, and to which node a pod is pinned by name. Used by controllers
//! that select nodes without the scheduler.

use podscope_api::{
    NAME_FIELD, Node, NodeInclusionPolicy, NodeName, NodeSelectorRequirement, NodeSelectorTerm, Pod, PodSpec,
    SelectorOperator, Str, TaintEffect, TopologySpreadConstraint,
};

/// Returns whether a node counts for a topology spread constraint of a pod (SCH-075). The node must have all labels in
/// `keys`.
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
        let mut hard_taints = taints
            .iter()
            .filter(|taint| taint.effect != TaintEffect::PreferNoSchedule);
        hard_taints.all(|taint| spec.tolerations.iter().any(|toleration| toleration.tolerates(taint)))
    };
    keys.all(|key| node.metadata.labels.contains_key(key))
        && (ignores_affinity || spec.selects(node))
        && (!honors_taints || is_tolerated())
}

/// Returns the node selector term that pins a pod to one node by name.
pub(super) fn node_name_term(node: &str) -> NodeSelectorTerm {
    NodeSelectorTerm {
        match_fields: vec![NodeSelectorRequirement {
            key: NAME_FIELD.into(),
            operator: SelectorOperator::In,
            values: vec![node.into()],
        }],
        ..NodeSelectorTerm::default()
    }
}

/// Returns the node that a pod is bound to, or pinned to by name.
pub(super) fn target_node(pod: &Pod) -> Option<NodeName> {
    if let Some(node) = &pod.spec.node_name {
        return Some(node.clone());
    }
    let terms = &pod.spec.required_node_affinity()?.node_selector_terms;
    let mut fields = terms.iter().flat_map(|term| &term.match_fields);
    let field = fields.find(|field| &*field.key == NAME_FIELD && field.values.len() == 1)?;
    Some(NodeName(field.values.first()?.clone()))
}
