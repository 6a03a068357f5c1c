//! Validation of a write to `pods/ephemeralcontainers`: containers can be added, but existing ones cannot be changed or
//! removed (`ValidatePodEphemeralContainersUpdate`).

use crate::wire::Wire;
use crate::{ErrorList, MIRROR_ANNOTATION, Pod};

use super::{Path, internal, pod};

/// Validates an update that changes only the pod's ephemeral containers.
pub fn validate_ephemeral_containers(old: &Pod, new: &Pod) -> ErrorList {
    let mut errors = ErrorList::default();
    if old.metadata.annotation(MIRROR_ANNOTATION).is_some() {
        errors.forbidden(&Path::root(""), "static pods do not support ephemeral containers");
        return errors;
    }
    let spec = Path::root("spec");
    pod::validate_spec_of_pod(new, &spec, &mut errors);
    let path = spec.child("ephemeralContainers");
    let (before, after) = (internal_ephemeral_containers(old), internal_ephemeral_containers(new));
    for (name, before) in &before {
        match after.iter().find(|(other, _)| other == name) {
            None => errors.forbidden(
                &path,
                &format!("existing ephemeral containers {name:?} may not be removed\n"),
            ),
            Some((_, after)) if before == after => {}
            Some((_, after)) => {
                let diff = internal::unified_diff(before, after);
                errors.forbidden(
                    &path,
                    &format!("existing ephemeral containers {name:?} may not be changed\n{diff}"),
                );
            }
        }
    }
    errors
}

/// Returns the name of each ephemeral container, and the container as the API server's internal struct.
fn internal_ephemeral_containers(pod: &Pod) -> Vec<(String, serde_json::Value)> {
    let mut value = pod.with_token_volume().to_json_value();
    pod.extra.merge_into(&mut value);
    let list = value
        .pointer("/spec/ephemeralContainers")
        .and_then(|list| list.as_array());
    let containers = list.into_iter().flatten();
    containers
        .map(|container| {
            let name = container["name"].as_str().unwrap_or_default().to_owned();
            (name, internal::to_internal_struct("EphemeralContainer", container))
        })
        .collect()
}
