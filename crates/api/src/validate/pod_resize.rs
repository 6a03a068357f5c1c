//! Validation of in-place pod resizes: cpu and memory may change but not be removed (`ValidatePodResize`).

use std::sync::Arc;

use crate::{Container, MIRROR_ANNOTATION, Pod, QosClass, ResourceList, ResourceRequirements};

use super::{ErrorList, Path, pod};

/// Message for a resize that changes anything other than cpu and memory. Deviation: the real server appends a diff of
/// its internal structs.
const ONLY_CPU_AND_MEMORY: &str = "only cpu and memory resources are mutable";

/// Validates a resize from `old` to `new`; `qos` is the QoS class that the pod would have afterwards.
pub fn validate_resize(old: &Pod, new: &Pod, qos: &QosClass) -> ErrorList {
    let mut errors = ErrorList::default();
    if old.metadata.annotation(MIRROR_ANNOTATION).is_some() {
        errors.forbidden(&Path::root(""), "static pods cannot be resized");
        return errors;
    }
    let path = Path::root("spec");
    pod::validate_spec_of_pod(new, &path, &mut errors);
    if let Some(class) = old.status.qos_class.as_ref().filter(|class| *class != qos) {
        let why = "Pod QOS Class may not change as a result of resizing";
        errors.invalid_text(&path, class.as_str(), why);
    }
    for (name, before, after) in [
        ("initContainers", &old.spec.init_containers, &new.spec.init_containers),
        ("containers", &old.spec.containers, &new.spec.containers),
    ] {
        let list = path.child(name);
        for (index, (before, after)) in before.iter().zip(after.iter()).enumerate() {
            check_resources_not_removed(
                &before.resources,
                &after.resources,
                &list.index(index).child("resources"),
                &mut errors,
            );
        }
    }
    let pod_level = |pod: &Pod| pod.spec.resources.as_deref().cloned().unwrap_or_default();
    check_resources_not_removed(&pod_level(old), &pod_level(new), &path.child("resources"), &mut errors);
    let mut rest = new.spec.clone();
    let reset_resources = |after: &mut Arc<Vec<Container>>, before: &Arc<Vec<Container>>| {
        if after != before {
            for (after, before) in Arc::make_mut(after).iter_mut().zip(before.iter()) {
                after.resources = Arc::new(with_cpu_and_memory_of(&after.resources, &before.resources));
                after.resize_policy.clone_from(&before.resize_policy);
            }
        }
    };
    reset_resources(&mut rest.containers, &old.spec.containers);
    reset_resources(&mut rest.init_containers, &old.spec.init_containers);
    if let (Some(after), Some(before)) = (&rest.resources, &old.spec.resources) {
        rest.resources = Some(Arc::new(with_cpu_and_memory_of(after, before)));
    }
    if rest != old.spec {
        errors.forbidden(&path, ONLY_CPU_AND_MEMORY);
    }
    errors
}

/// Checks that no request or limit of cpu or memory is removed.
fn check_resources_not_removed(
    before: &ResourceRequirements,
    after: &ResourceRequirements,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let is_removed = |before: &ResourceList, after: &ResourceList| {
        ["cpu", "memory"]
            .iter()
            .any(|name| before.contains_key(*name) && !after.contains_key(*name))
    };
    if is_removed(&before.requests, &after.requests) {
        errors.forbidden(&path.child("requests"), "resource requests cannot be removed");
    }
    if is_removed(&before.limits, &after.limits) {
        errors.forbidden(&path.child("limits"), "resource limits cannot be removed");
    }
}

/// Returns the resources of `after` with the cpu and memory of `before`. The result must equal `before`, because a
/// resize may change only cpu and memory.
fn with_cpu_and_memory_of(after: &ResourceRequirements, before: &ResourceRequirements) -> ResourceRequirements {
    let mut with_cpu_and_memory_of = after.clone();
    for (after, before) in [
        (&mut with_cpu_and_memory_of.requests, &before.requests),
        (&mut with_cpu_and_memory_of.limits, &before.limits),
    ] {
        for name in ["cpu", "memory"] {
            match before.get(name) {
                Some(amount) => after.insert(name.into(), *amount),
                None => after.remove(name),
            };
        }
    }
    with_cpu_and_memory_of
}
