//! Validation of spread constraints, tolerations and gates (VA-154 to VA-163).

use crate::ordered;

use crate::{
    NodeInclusionPolicy, PodReadinessGate, PodSchedulingGate, TaintEffect, Toleration, TolerationOperator,
    TopologySpreadConstraint, UnsatisfiableAction,
};

use super::error_list::{NOT_POSITIVE, quoted};
use super::{ErrorList, Path, affinity, names, selector};

pub(super) fn check_spread_constraints(
    constraints: &[TopologySpreadConstraint],
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    for (index, constraint) in constraints.iter().enumerate() {
        let path = path.index(index);
        if constraint.max_skew <= 0 {
            errors.invalid(&path.child("maxSkew"), constraint.max_skew, NOT_POSITIVE);
        }
        if constraint.topology_key.is_empty() {
            errors.required(&path.child("topologyKey"), "can not be empty");
        }
        let action = constraint
            .when_unsatisfiable
            .as_ref()
            .map_or("", UnsatisfiableAction::as_str);
        errors.check_one_of(&path.child("whenUnsatisfiable"), action, UnsatisfiableAction::KNOWN);
        let repeated = constraints.get(index + 1..).unwrap_or_default().iter().any(|later| {
            later.topology_key == constraint.topology_key && later.when_unsatisfiable == constraint.when_unsatisfiable
        });
        if repeated {
            let value = format!("{{{}, {action}}}", constraint.topology_key);
            errors.duplicate(&path.child("{topologyKey, whenUnsatisfiable}"), quoted(&value), "");
        }
        if let Some(domains) = constraint.min_domains {
            let path = path.child("minDomains");
            if domains <= 0 {
                errors.invalid(&path, domains, NOT_POSITIVE);
            }
            if action != "DoNotSchedule" {
                let message = format!("can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {action}");
                errors.invalid(&path, domains, &message);
            }
        }
        for (name, policy) in [
            ("nodeAffinityPolicy", &constraint.node_affinity_policy),
            ("nodeTaintsPolicy", &constraint.node_taints_policy),
        ] {
            if let Some(policy) = policy {
                errors.check_one_of(&path.child(name), policy.as_str(), NodeInclusionPolicy::KNOWN);
            }
        }
        let keys = &constraint.match_label_keys;
        affinity::check_label_keys(keys, &[], constraint.label_selector.as_ref(), &path, errors);
        if let Some(labels) = &constraint.label_selector {
            selector::validate(labels, &path.child("labelSelector"), errors);
        }
    }
}

pub(super) fn check_tolerations(tolerations: &[Toleration], path: &Path<'_>, errors: &mut ErrorList) {
    for (index, toleration) in tolerations.iter().enumerate() {
        let path = path.index(index);
        let operator = path.child("operator");
        if !toleration.key.is_empty() {
            errors.invalid_name(
                &path.child("key"),
                &toleration.key,
                &names::qualified_name_faults(&toleration.key),
            );
        }
        let given = toleration.operator.as_ref().map_or("", TolerationOperator::as_str);
        if toleration.key.is_empty() && given != "Exists" {
            errors.invalid_text(
                &operator,
                given,
                "operator must be Exists when `key` is empty, which means \"match all values and all keys\"",
            );
        }
        if toleration.toleration_seconds.is_some() && toleration.effect != Some(TaintEffect::NoExecute) {
            let effect = toleration.effect.as_ref().map_or("", TaintEffect::as_str);
            errors.invalid_text(
                &path.child("effect"),
                effect,
                "effect must be 'NoExecute' when `tolerationSeconds` is set",
            );
        }
        match given {
            "" | "Equal" => {
                let messages = names::label_value_faults(&toleration.value);
                if !messages.is_empty() {
                    errors.invalid_name(&operator, &toleration.value, &[names::join_faults(&messages, "", ";")]);
                }
            }
            "Exists" => {
                if !toleration.value.is_empty() {
                    errors.invalid_text(
                        &operator,
                        &toleration.value,
                        "value must be empty when `operator` is 'Exists'",
                    );
                }
            }
            "Lt" | "Gt" => errors.unsupported_text(&operator, given, &["Equal", "Exists", "Lt", "Gt"]),
            other => errors.unsupported_text(&operator, other, &["Equal", "Exists"]),
        }
        if let Some(effect) = &toleration.effect
            && !effect.as_str().is_empty()
            && !effect.is_known()
        {
            errors.unsupported_text(&path.child("effect"), effect.as_str(), TaintEffect::KNOWN);
        }
    }
}

pub(super) fn check_scheduling_gates(gates: &[PodSchedulingGate], path: &Path<'_>, errors: &mut ErrorList) {
    let mut known = ordered::Set::new();
    for (index, gate) in gates.iter().enumerate() {
        let path = path.index(index);
        errors.invalid_name(&path, &gate.name, &names::qualified_name_faults(&gate.name));
        if !known.insert(&*gate.name) {
            errors.duplicate(&path, quoted(&gate.name), "");
        }
    }
}

pub(super) fn check_readiness_gates(gates: &[PodReadinessGate], path: &Path<'_>, errors: &mut ErrorList) {
    for (index, gate) in gates.iter().enumerate() {
        let path = path.index(index);
        let messages = names::qualified_name_faults(&gate.condition_type);
        errors.invalid_name(&path.child("conditionType"), &gate.condition_type, &messages);
    }
}
