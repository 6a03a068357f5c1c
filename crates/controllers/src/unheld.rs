//! What controllers had made of the objects of a dump, and the dump does not hold: it is there from the beginning, so
//! that nothing is made anew when time begins (P-09).

use podscope_api::{DaemonSet, Object, ObjectMeta, Service, StatefulSet};
use podscope_sim::{Objects, Request};

use super::template::Template;
use super::{endpointslice, revision};

/// The EndpointSlices of Services and the revisions of templates, without UIDs.
#[must_use]
pub fn unheld(objects: &Objects) -> Vec<Object> {
    let is_given = |meta: &ObjectMeta| !meta.is_terminating() && !objects.assumed().is_left_alone(&meta.uid);
    let services = objects.list::<Service>();
    let mut made: Vec<Object> = services
        .flat_map(|service| endpointslice::unheld(service, objects))
        .collect();
    let create = |history: revision::History| match history.action.map(|action| action.request) {
        Some(Request::Create(object)) => Some(object),
        _ => None,
    };
    for set in objects.list::<StatefulSet>().filter(|set| is_given(&set.metadata)) {
        let template = Template::of(&set.spec.template);
        made.extend(create(revision::history(
            objects,
            &**set,
            &template,
            set.status.collision_count,
        )));
    }
    for set in objects.list::<DaemonSet>().filter(|set| is_given(&set.metadata)) {
        let template = Template::of(&set.spec.template);
        made.extend(create(revision::history(
            objects,
            &**set,
            &template,
            set.status.collision_count,
        )));
    }
    made
}
