//! Objects that controllers had created in an imported cluster but that the dump does not contain. They are added at
//! the start, so that controllers do not create new ones (P-09).

use podscope_api::{DaemonSet, Object, ObjectMeta, Service, StatefulSet};
use podscope_sim::{Objects, Request};

use super::template::Template;
use super::{endpointslice, revision};

/// Returns the missing EndpointSlices of Services and ControllerRevisions of workloads, without UIDs.
#[must_use]
pub fn missing_controller_objects(objects: &Objects) -> Vec<Object> {
    let is_managed = |meta: &ObjectMeta| !meta.is_terminating() && !objects.assumed().is_left_alone(&meta.uid);
    let services = objects.list::<Service>();
    let mut missing: Vec<Object> = services
        .flat_map(|service| endpointslice::missing_slices(service, objects))
        .collect();
    let create = |history: revision::RevisionHistory| match history.action.map(|action| action.request) {
        Some(Request::Create(object)) => Some(object),
        _ => None,
    };
    for set in objects.list::<StatefulSet>().filter(|set| is_managed(&set.metadata)) {
        let template = Template::of(&set.spec.template);
        missing.extend(create(revision::revision_history(
            objects,
            &**set,
            &template,
            set.status.collision_count,
        )));
    }
    for set in objects.list::<DaemonSet>().filter(|set| is_managed(&set.metadata)) {
        let template = Template::of(&set.spec.template);
        missing.extend(create(revision::revision_history(
            objects,
            &**set,
            &template,
            set.status.collision_count,
        )));
    }
    missing
}
