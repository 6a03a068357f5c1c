//! Validation of pod updates, which may change only a few fields (LC-042, VA-171 to VA-178).

use std::sync::Arc;

use serde_json::Value;

use crate::ordered;

use crate::{Container, MIRROR_ANNOTATION, Pod, PodSpec, Str, Toleration};

use super::{ErrorList, Path, internal, names, pod};
use crate::wire::Wire;

/// Message for a change of an immutable field (LC-042); a diff of the internal structs follows.
const FORBIDDEN_UPDATE: &str = "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";
const ONLY_ADDITIONS_ALLOWED: &str = "only additions are allowed (no mutations or deletions)";

pub(super) fn validate(old: &Pod, new: &Pod, errors: &mut ErrorList) {
    let metadata = Path::root("metadata");
    if old.metadata.annotations != new.metadata.annotations {
        pod::check_behavior_annotations(&new.metadata.annotations, &new.spec, &metadata, errors);
        check_mirror_annotation(old, new, &metadata.child("annotations"), errors);
    }
    let same_extra =
        || old.extra == new.extra || old.extra.value_at_path(&["spec"]) == new.extra.value_at_path(&["spec"]);
    if old.spec == new.spec && same_extra() {
        return;
    }
    let path = Path::root("spec");
    pod::validate_spec_of_pod(new, &path, errors);
    for (name, before, after) in [
        ("containers", &old.spec.containers, &new.spec.containers),
        ("initContainers", &old.spec.init_containers, &new.spec.init_containers),
    ] {
        if before.len() != after.len() {
            errors.forbidden(&path.child(name), "pod updates may not add or remove containers");
            return;
        }
    }
    let mut munged_spec = new.spec.clone();
    if !check_active_deadline_update(&old.spec, &new.spec, &path.child("activeDeadlineSeconds"), errors) {
        return;
    }
    let own_image = |list: &Arc<Vec<Container>>, before: &Arc<Vec<Container>>| -> Arc<Vec<Container>> {
        let mut list = list.clone();
        if list != *before {
            for (container, before) in Arc::make_mut(&mut list).iter_mut().zip(before.iter()) {
                container.image.clone_from(&before.image);
            }
        }
        list
    };
    munged_spec.containers = own_image(&new.spec.containers, &old.spec.containers);
    munged_spec.init_containers = own_image(&new.spec.init_containers, &old.spec.init_containers);
    check_images_are_trimmed(&new.spec, &path, errors);
    munged_spec.active_deadline_seconds = old.spec.active_deadline_seconds;
    check_tolerations_only_added(&old.spec, &new.spec, &path.child("tolerations"), errors);
    munged_spec.tolerations.clone_from(&old.spec.tolerations);
    check_gates_only_removed(&old.spec, &new.spec, &path.child("schedulingGates"), errors);
    munged_spec.scheduling_gates.clone_from(&old.spec.scheduling_gates);
    if old
        .spec
        .termination_grace_period_seconds
        .is_some_and(|seconds| seconds < 0)
        && new.spec.termination_grace_period_seconds == Some(1)
    {
        munged_spec.termination_grace_period_seconds = old.spec.termination_grace_period_seconds;
    }
    if !old.spec.scheduling_gates.is_empty() {
        check_update_of_gated_pod(&old.spec, &new.spec, &mut munged_spec, &path, errors);
    }
    if munged_spec != old.spec || !same_extra() {
        let mut now = new.clone();
        now.spec = munged_spec;
        let diff = internal::unified_diff(&internal_spec_json(old), &internal_spec_json(&now));
        errors.forbidden(&path, &format!("{FORBIDDEN_UPDATE}\n{diff}"));
    }
}

/// Returns a pod's spec as the server's internal struct.
fn internal_spec_json(pod: &Pod) -> Value {
    let mut value = pod.with_token_volume().to_json_value();
    pod.extra.merge_into(&mut value);
    let spec = value.get_mut("spec").map(Value::take).unwrap_or_default();
    internal::to_internal_struct("PodSpec", &spec)
}

/// Checks that the mirror annotation is not added, changed or removed (LC-213; `ValidatePodSpecificAnnotationUpdates`).
fn check_mirror_annotation(old: &Pod, new: &Pod, path: &Path<'_>, errors: &mut ErrorList) {
    let manifest_of = |pod: &Pod| pod.metadata.annotation(MIRROR_ANNOTATION).map(str::to_owned);
    match (manifest_of(old), manifest_of(new)) {
        (before, after) if before == after => {}
        (None, _) => errors.forbidden(&path.key(MIRROR_ANNOTATION), "may not add mirror pod annotation"),
        _ => errors.forbidden(
            &path.key(MIRROR_ANNOTATION),
            "may not remove or update mirror pod annotation",
        ),
    }
}

fn check_images_are_trimmed(spec: &PodSpec, path: &Path<'_>, errors: &mut ErrorList) {
    for (name, list) in [
        ("containers", &spec.containers),
        ("initContainers", &spec.init_containers),
    ] {
        let list_path = path.child(name);
        for (index, container) in list.iter().enumerate() {
            let path = list_path.index(index);
            let image = path.child("image");
            if container.image.trim() != &*container.image {
                errors.invalid_text(&image, &container.image, "must not have leading or trailing whitespace");
            }
        }
    }
}

/// Checks a change of `activeDeadlineSeconds` (VA-167, VA-174). Returns false if validation must stop.
fn check_active_deadline_update(old: &PodSpec, new: &PodSpec, path: &Path<'_>, errors: &mut ErrorList) -> bool {
    match (old.active_deadline_seconds, new.active_deadline_seconds) {
        (_, Some(seconds)) if !(0..=i64::from(i32::MAX)).contains(&seconds) => {
            errors.invalid(path, seconds, &names::out_of_range_message(0, i64::from(i32::MAX)));
            false
        }
        (Some(before), Some(seconds)) if before < seconds => {
            errors.invalid(path, seconds, "must be less than or equal to previous value");
            false
        }
        (Some(_), None) => {
            errors.invalid(path, "null", "must not update from a positive integer to nil value");
            true
        }
        _ => true,
    }
}

/// Checks that tolerations are only added (VA-175).
fn check_tolerations_only_added(old: &PodSpec, new: &PodSpec, path: &Path<'_>, errors: &mut ErrorList) {
    if old.tolerations == new.tolerations {
        return;
    }
    let is_same_except_seconds = |a: &Toleration, b: &Toleration| {
        a.key == b.key && a.operator == b.operator && a.value == b.value && a.effect == b.effect
    };
    let all_kept = old.tolerations.iter().all(|before| {
        new.tolerations
            .iter()
            .any(|after| is_same_except_seconds(before, after))
    });
    if !all_kept {
        errors.forbidden(
            path,
            "existing toleration can not be modified except its tolerationSeconds",
        );
    }
}

/// Checks that scheduling gates are only removed (VA-176).
fn check_gates_only_removed(old: &PodSpec, new: &PodSpec, path: &Path<'_>, errors: &mut ErrorList) {
    for (index, gate) in new.scheduling_gates.iter().enumerate() {
        if !old.scheduling_gates.contains(gate) {
            let message = format!(
                "only deletion is allowed, but found new scheduling gate '{}'",
                gate.name
            );
            errors.forbidden(&path.index(index).child("name"), &message);
        }
    }
}

/// Checks that node selector and affinity of a gated pod become only stricter (VA-177, VA-178). Undoes allowed changes
/// in `munged_spec`, a copy of the new spec that must then equal the old spec.
fn check_update_of_gated_pod(
    old: &PodSpec,
    new: &PodSpec,
    munged_spec: &mut PodSpec,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let only_added = |before: &ordered::Map<Str, Str>, after: &ordered::Map<Str, Str>| {
        before.iter().all(|(key, value)| after.get(key) == Some(value))
    };
    if !only_added(&old.node_selector, &new.node_selector) {
        let value = crate::wire::to_json(&*new.node_selector);
        errors.invalid(
            &path.child("nodeSelector"),
            value,
            "only additions to spec.nodeSelector are allowed (no mutations or deletions)",
        );
    }
    munged_spec.node_selector.clone_from(&old.node_selector);

    let affinity = path.child("affinity");
    let node_affinity = affinity.child("nodeAffinity");
    let required = node_affinity.child("requiredDuringSchedulingIgnoredDuringExecution");
    if let Some(before) = old.required_node_affinity() {
        let terms = required.child("nodeSelectorTerms");
        match new.required_node_affinity() {
            Some(after) if after.node_selector_terms.len() == before.node_selector_terms.len() => {
                let pairs = before.node_selector_terms.iter().zip(&after.node_selector_terms);
                for (index, (before, after)) in pairs.enumerate() {
                    let only_appended = after.match_expressions.starts_with(&before.match_expressions)
                        && after.match_fields.starts_with(&before.match_fields);
                    if !only_appended {
                        errors.invalid(
                            &terms.index(index),
                            internal_node_term_json(after),
                            ONLY_ADDITIONS_ALLOWED,
                        );
                    }
                }
            }
            other => {
                let value = other.map_or_else(
                    || "null".to_owned(),
                    |selector| {
                        let list: Vec<String> = selector
                            .node_selector_terms
                            .iter()
                            .map(internal_node_term_json)
                            .collect();
                        format!("[{}]", list.join(","))
                    },
                );
                errors.invalid(
                    &terms,
                    value,
                    "no additions/deletions to non-empty NodeSelectorTerms list are allowed",
                );
            }
        }
    }
    // The required node affinity was checked above, and the preferred one may change; pod affinity and anti-affinity
    // must not change.
    let mut before = old.affinity.clone().unwrap_or_default();
    let mut after = new.affinity.clone().unwrap_or_default();
    Arc::make_mut(&mut before).node_affinity = None;
    Arc::make_mut(&mut after).node_affinity = None;
    if before == after {
        munged_spec.affinity.clone_from(&old.affinity);
    }
}

/// Prints a node selector term as the server's internal JSON (VA-014).
fn internal_node_term_json(term: &crate::NodeSelectorTerm) -> String {
    let list = |requirements: &[crate::NodeSelectorRequirement]| {
        if requirements.is_empty() {
            return "null".to_owned();
        }
        let each: Vec<String> = requirements
            .iter()
            .map(|requirement| {
                let values = if requirement.values.is_empty() {
                    "null".to_owned()
                } else {
                    crate::wire::to_json(&requirement.values)
                };
                format!(
                    "{{\"Key\":{},\"Operator\":{},\"Values\":{values}}}",
                    serde_json::Value::from(&*requirement.key),
                    serde_json::Value::from(requirement.operator.as_str())
                )
            })
            .collect();
        format!("[{}]", each.join(","))
    };
    format!(
        "{{\"MatchExpressions\":{},\"MatchFields\":{}}}",
        list(&term.match_expressions),
        list(&term.match_fields)
    )
}
