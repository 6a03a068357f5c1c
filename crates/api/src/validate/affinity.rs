//! Validation of affinity and node selectors (VA-144 to VA-153).

use crate::{
    Affinity, LabelSelector, NAME_FIELD, NodeSelector, NodeSelectorRequirement, NodeSelectorTerm, PodAffinity,
    PodAffinityTerm, SelectorOperator, Str,
};

use super::{ErrorList, Path, names, selector};

const REQUIRED_FIELD: &str = "requiredDuringSchedulingIgnoredDuringExecution";
const PREFERRED_FIELD: &str = "preferredDuringSchedulingIgnoredDuringExecution";

pub(super) fn validate(affinity: &Affinity, path: &Path<'_>, errors: &mut ErrorList) {
    if let Some(rules) = &affinity.node_affinity {
        let path = path.child("nodeAffinity");
        if let Some(required) = &rules.required_during_scheduling_ignored_during_execution {
            validate_node_selector(required, &path.child(REQUIRED_FIELD), errors);
        }
        let preferred = path.child(PREFERRED_FIELD);
        for (index, term) in rules
            .preferred_during_scheduling_ignored_during_execution
            .iter()
            .enumerate()
        {
            let path = preferred.index(index);
            check_preference_weight(term.weight, &path, errors);
            check_node_selector_term(&term.preference, false, &path.child("preference"), errors);
        }
    }
    for (name, rules) in [
        ("podAffinity", &affinity.pod_affinity),
        ("podAntiAffinity", &affinity.pod_anti_affinity),
    ] {
        if let Some(rules) = rules {
            check_pod_affinity(rules, &path.child(name), errors);
        }
    }
}

fn check_preference_weight(weight: i32, path: &Path<'_>, errors: &mut ErrorList) {
    if !(1..=100).contains(&weight) {
        errors.invalid(&path.child("weight"), weight, "must be in the range 1-100");
    }
}

pub(super) fn validate_node_selector(node_selector: &NodeSelector, path: &Path<'_>, errors: &mut ErrorList) {
    let terms = path.child("nodeSelectorTerms");
    if node_selector.node_selector_terms.is_empty() {
        return errors.required(&terms, "must have at least one node selector term");
    }
    for (index, term) in node_selector.node_selector_terms.iter().enumerate() {
        check_node_selector_term(term, true, &terms.index(index), errors);
    }
}

/// Checks a term of a node selector. In a preferred term, label values are not checked.
fn check_node_selector_term(term: &NodeSelectorTerm, is_required: bool, path: &Path<'_>, errors: &mut ErrorList) {
    let expressions = path.child("matchExpressions");
    for (index, requirement) in term.match_expressions.iter().enumerate() {
        check_node_label_requirement(requirement, is_required, &expressions.index(index), errors);
    }
    let fields = path.child("matchFields");
    for (index, requirement) in term.match_fields.iter().enumerate() {
        check_node_field_requirement(requirement, &fields.index(index), errors);
    }
}

fn check_node_label_requirement(
    requirement: &NodeSelectorRequirement,
    is_required: bool,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    match requirement.operator {
        SelectorOperator::Gt | SelectorOperator::Lt => {
            if requirement.values.len() != 1 {
                let message = "must be specified single value when `operator` is 'Lt' or 'Gt'";
                errors.required(&path.child("values"), message);
            }
        }
        _ => selector::check_operator_values(&requirement.operator, &requirement.values, path, errors),
    }
    selector::check_label_key(&requirement.key, path, errors);
    if is_required {
        selector::check_label_values(&requirement.values, path, errors);
    }
}

/// Checks a `matchFields` requirement; the only supported field is the node's name (VA-148).
fn check_node_field_requirement(requirement: &NodeSelectorRequirement, path: &Path<'_>, errors: &mut ErrorList) {
    let values = path.child("values");
    match requirement.operator {
        SelectorOperator::In | SelectorOperator::NotIn => {
            if requirement.values.len() != 1 {
                errors.required(
                    &values,
                    "must be only one value when `operator` is 'In' or 'NotIn' for node field selector",
                );
            }
        }
        _ => selector::report_invalid_operator(requirement.operator.as_str(), path, errors),
    }
    if &*requirement.key == NAME_FIELD {
        for (index, value) in requirement.values.iter().enumerate() {
            errors.invalid_name(&values.index(index), value, &names::subdomain_faults(value));
        }
    } else {
        errors.invalid_text(&path.child("key"), &requirement.key, "not a valid field selector key");
    }
}

fn check_pod_affinity(rules: &PodAffinity, path: &Path<'_>, errors: &mut ErrorList) {
    let required = path.child(REQUIRED_FIELD);
    for (index, term) in rules
        .required_during_scheduling_ignored_during_execution
        .iter()
        .enumerate()
    {
        check_pod_affinity_term(term, &required.index(index), errors);
    }
    let preferred = path.child(PREFERRED_FIELD);
    for (index, term) in rules
        .preferred_during_scheduling_ignored_during_execution
        .iter()
        .enumerate()
    {
        let path = preferred.index(index);
        check_preference_weight(term.weight, &path, errors);
        check_pod_affinity_term(&term.pod_affinity_term, &path.child("podAffinityTerm"), errors);
    }
}

fn check_pod_affinity_term(term: &PodAffinityTerm, path: &Path<'_>, errors: &mut ErrorList) {
    if let Some(labels) = &term.label_selector {
        selector::validate(labels, &path.child("labelSelector"), errors);
    }
    if let Some(labels) = &term.namespace_selector {
        selector::validate(labels, &path.child("namespaceSelector"), errors);
    }
    for namespace in &term.namespaces {
        errors.invalid_name(&path.child("namespace"), namespace, &names::label_faults(namespace));
    }
    let (keys, others) = (&term.match_label_keys, &term.mismatch_label_keys);
    check_label_keys(keys, others, term.label_selector.as_ref(), path, errors);
    let topology_key = path.child("topologyKey");
    if term.topology_key.is_empty() {
        errors.required(&topology_key, "can not be empty");
    }
    errors.invalid_name(
        &topology_key,
        &term.topology_key,
        &names::qualified_name_faults(&term.topology_key),
    );
}

const KEYS_WITHOUT_SELECTOR: &str = "must not be specified when labelSelector is not set";

/// Checks `matchLabelKeys` and `mismatchLabelKeys` of an affinity term, or `matchLabelKeys` of a spread constraint:
/// they restrict a label selector by labels of the pod itself (VA-153).
pub(super) fn check_label_keys(
    keys: &[Str],
    mismatch_keys: &[Str],
    labels: Option<&LabelSelector>,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    for (name, keys) in [("matchLabelKeys", keys), ("mismatchLabelKeys", mismatch_keys)] {
        let path = path.child(name);
        if !keys.is_empty() && labels.is_none() {
            errors.forbidden(&path, KEYS_WITHOUT_SELECTOR);
            continue;
        }
        for (index, key) in keys.iter().enumerate() {
            errors.invalid_name(&path.index(index), key, &names::qualified_name_faults(key));
        }
    }
    if let Some(labels) = labels {
        report_keys_in_selector_and_label_keys(labels, keys, path, errors);
    }
    let both = path.child("matchLabelKeys");
    for (index, key) in keys.iter().enumerate() {
        if mismatch_keys.contains(key) {
            let message = "exists in both matchLabelKeys and mismatchLabelKeys";
            errors.invalid_text(&both.index(index), key, message);
        }
    }
}

/// Reports keys that are both in `matchLabelKeys` and in the selector (VA-153). The server has already added an
/// expression for each match key, so such a key occurs twice in the selector. The server reports the key's index under
/// the path of the term.
fn report_keys_in_selector_and_label_keys(
    labels: &LabelSelector,
    keys: &[Str],
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let mut seen: Vec<&str> = labels.match_labels.keys().map(|key| &**key).collect();
    for expression in &labels.match_expressions {
        let key = &*expression.key;
        if let Some(index) = keys.iter().rposition(|known| **known == *key)
            && seen.contains(&key)
        {
            let message = "exists in both matchLabelKeys and labelSelector";
            errors.invalid_text(&path.index(index), key, message);
        }
        seen.push(key);
    }
}
