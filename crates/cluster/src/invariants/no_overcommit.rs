//! `no-overcommit` (CT-171): at binding, the requests on a node fit what it
//! can allocate.

use podscope_api::ordered;

use podscope_api::{Container, Node, Object, Pod, Quantity, ResourceList, Str};

use super::{Breach, Cause, Check, Group, Invariant, Promise, Seen, View, blame};
use crate::{Actor, What};

pub(super) const NO_OVERCOMMIT: Invariant = Invariant {
    name: "no-overcommit",
    fact: "CT-171",
    group: Group::Scheduling,
    promise: Promise::Safety,
    statement: "What pods request fits the node when they are bound.",
    keeper: "The scheduler.",
    breaker: "A stale cache, a direct binding, static pods, a node that shrinks.",
    lesson: "first-pod",
};

/// Remembers nothing.
#[derive(Debug, Clone, Default)]
pub(super) struct NoOvercommit;

impl Check for NoOvercommit {
    fn see(&mut self, seen: &Seen<'_>, view: &View<'_>, out: &mut Vec<Breach>) {
        let Seen::Record(record) = seen else { return };
        let (What::Bound, Some(object)) = (record.what(), &record.object) else {
            return;
        };
        let Some(Object::Pod(pod)) = view.objects.by_uid(&object.uid) else {
            return;
        };
        let Some(name) = &pod.spec.node_name else { return };
        let Some(node) = view.objects.named::<Node>(name.as_str()) else {
            return;
        };
        let own = requests(&pod);
        let mut total: ordered::Map<Str, Quantity> = ordered::Map::new();
        let mut pods = 0_i64;
        for other in view.objects.pods_on(name).filter(|other| !other.is_terminal()) {
            pods += 1;
            for (resource, amount) in requests(other) {
                let sum = total.entry(resource).or_default();
                *sum = sum.plus(amount);
            }
        }
        let mut over: Vec<String> = own
            .keys()
            .filter(|resource| {
                let sum = total.get(*resource).copied().unwrap_or_default();
                let room = node.status.allocatable.get(*resource).copied().unwrap_or_default();
                own.get(*resource).is_some_and(|own| own.sign() > 0) && sum > room
            })
            .map(|resource| resource.to_string())
            .collect();
        if node
            .status
            .allocatable
            .get("pods")
            .is_some_and(|room| pods > room.value())
        {
            over.push("pods".into());
        }
        if over.is_empty() {
            return;
        }
        let fact = match record.actor {
            Actor::Client(_) => "CT-171: direct bind",
            _ => "CT-171: stale cache",
        };
        let (cause, by) = match blame::of_instances(&record.actor, fact, view) {
            (Cause::Bug, _) if arrived_past_the_scheduler(view, name) => (
                Cause::Command,
                "a pod with spec.nodeName of its own (CT-171: direct bind)".into(),
            ),
            blame => blame,
        };
        out.push(Breach {
            corrupts: None,
            invariant: NO_OVERCOMMIT.name,
            object: Some(object.clone()),
            cause,
            by,
            message: format!("requests on {name} exceed its allocatable: {}", over.join(", ")),
        });
    }
}

/// Whether some pod of the node was never scheduled: it was created with its node, or is a daemon of the node itself.
fn arrived_past_the_scheduler(view: &View<'_>, node: &podscope_api::NodeName) -> bool {
    view.objects
        .pods_on(node)
        .any(|pod| pod.condition("PodScheduled").is_none() || pod.is_mirror())
}

/// What a pod asks for: app containers and sidecars together, or the largest step of its start, plus overhead.
fn requests(pod: &Pod) -> ResourceList {
    let mut total = ResourceList::new();
    if let Some(own) = &pod.spec.resources {
        total.clone_from(&own.requests);
        return plus(total, &pod.spec.overhead);
    }
    let add = |list: &mut ResourceList, container: &Container| {
        for (name, amount) in &container.resources.requests {
            let sum = list.entry(name.clone()).or_default();
            *sum = sum.plus(*amount);
        }
    };
    for container in pod.spec.containers.iter() {
        add(&mut total, container);
    }
    let mut sidecars = ResourceList::new();
    let mut start = ResourceList::new();
    for container in pod.spec.init_containers.iter() {
        let mut step = sidecars.clone();
        add(&mut step, container);
        if container.is_sidecar() {
            add(&mut total, container);
            sidecars = step.clone();
        }
        for (name, amount) in step {
            let most = start.entry(name).or_default();
            *most = (*most).max(amount);
        }
    }
    for (name, amount) in start {
        let most = total.entry(name).or_default();
        *most = (*most).max(amount);
    }
    plus(total, &pod.spec.overhead)
}

fn plus(mut list: ResourceList, more: &ResourceList) -> ResourceList {
    for (name, amount) in more {
        let sum = list.entry(name.clone()).or_default();
        *sum = sum.plus(*amount);
    }
    list
}
