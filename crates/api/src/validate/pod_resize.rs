//! In-place resizes of pods: cpu and memory may change, nothing may be taken away (`ValidatePodResize`).

use std::sync::Arc;

use crate::{Container, MIRROR, Pod, QosClass, ResourceList, ResourceRequirements};

use super::{ErrorList, Path, pod};

/// The text where more than cpu and memory differs. Deviation: the real server adds a diff in its internal spelling.
const ONLY: &str = "only cpu and memory resources are mutable";

/// What is wrong with a resize of a pod from one version to the next, which would be of the class `qos`.
pub fn validate_resize(old: &Pod, new: &Pod, qos: &QosClass) -> ErrorList {
    let mut errors = ErrorList::default();
    if old.metadata.annotation(MIRROR).is_some() {
        errors.forbidden(&Path::root(""), "static pods cannot be resized");
        return errors;
    }
    let path = Path::root("spec");
    pod::whole(new, &path, &mut errors);
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
            kept(
                &before.resources,
                &after.resources,
                &list.index(index).child("resources"),
                &mut errors,
            );
        }
    }
    let pod_level = |pod: &Pod| pod.spec.resources.as_deref().cloned().unwrap_or_default();
    kept(&pod_level(old), &pod_level(new), &path.child("resources"), &mut errors);
    let mut rest = new.spec.clone();
    let munge = |after: &mut Arc<Vec<Container>>, before: &Arc<Vec<Container>>| {
        if after != before {
            for (after, before) in Arc::make_mut(after).iter_mut().zip(before.iter()) {
                after.resources = Arc::new(munged(&after.resources, &before.resources));
                after.resize_policy.clone_from(&before.resize_policy);
            }
        }
    };
    munge(&mut rest.containers, &old.spec.containers);
    munge(&mut rest.init_containers, &old.spec.init_containers);
    if let (Some(after), Some(before)) = (&rest.resources, &old.spec.resources) {
        rest.resources = Some(Arc::new(munged(after, before)));
    }
    if rest != old.spec {
        errors.forbidden(&path, ONLY);
    }
    errors
}

/// Neither requests nor limits of cpu and memory may go.
fn kept(before: &ResourceRequirements, after: &ResourceRequirements, path: &Path<'_>, errors: &mut ErrorList) {
    let goes = |before: &ResourceList, after: &ResourceList| {
        ["cpu", "memory"]
            .iter()
            .any(|name| before.contains_key(*name) && !after.contains_key(*name))
    };
    if goes(&before.requests, &after.requests) {
        errors.forbidden(&path.child("requests"), "resource requests cannot be removed");
    }
    if goes(&before.limits, &after.limits) {
        errors.forbidden(&path.child("limits"), "resource limits cannot be removed");
    }
}

/// The later resources with the cpu and memory of the earlier ones: what still differs may not change.
fn munged(after: &ResourceRequirements, before: &ResourceRequirements) -> ResourceRequirements {
    let mut munged = after.clone();
    for (after, before) in [
        (&mut munged.requests, &before.requests),
        (&mut munged.limits, &before.limits),
    ] {
        for name in ["cpu", "memory"] {
            match before.get(name) {
                Some(amount) => after.insert(name.into(), *amount),
                None => after.remove(name),
            };
        }
    }
    munged
}
