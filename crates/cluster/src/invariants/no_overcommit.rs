//! `no-overcommit` (CT-171): at binding, the requests on a node fit what it
//! can allocate.

use podscope_api::ordered;

use podscope_api::{Node, Pod, Quantity, ResourceList, Str, phrase};

use super::{Breach, Cause, Check, Group, Invariant, Promise, Seen, View, blame};
use crate::Actor;

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
        let Some((record, pod, name)) = seen.bound(view) else {
            return;
        };
        let Some(node) = view.objects.named::<Node>(name.as_str()) else {
            return;
        };
        let others: Vec<_> = view
            .objects
            .pods_on(&name)
            .filter(|other| !other.is_terminal())
            .collect();
        let is_over = |resource: &Str| {
            let sum = (others.iter()).fold(Quantity::default(), |sum, other| sum.plus(request(other, resource)));
            sum > node.status.allocatable.get(resource).copied().unwrap_or_default()
        };
        let mut over: Vec<String> = named(&pod)
            .into_iter()
            .filter(|resource| request(&pod, resource).sign() > 0 && is_over(resource))
            .map(|resource| resource.to_string())
            .collect();
        let pods = i64::try_from(others.len()).unwrap_or(i64::MAX);
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
            (Cause::Bug, _) if arrived_past_the_scheduler(view, &name) => (
                Cause::Command,
                "a pod with spec.nodeName of its own (CT-171: direct bind)".into(),
            ),
            blame => blame,
        };
        out.push(Breach {
            corrupts: None,
            invariant: NO_OVERCOMMIT.name,
            object: record.object.clone(),
            cause,
            by,
            seen: phrase!(
                "requests on {node} exceed its allocatable: {resources}",
                node = &*name,
                resources = over
            ),
        });
    }
}

/// Whether some pod of the node was never scheduled: it was created with its node, or is a daemon of the node itself.
fn arrived_past_the_scheduler(view: &View<'_>, node: &podscope_api::NodeName) -> bool {
    view.objects
        .pods_on(node)
        .any(|pod| pod.condition("PodScheduled").is_none() || pod.is_mirror())
}

/// The resources that a pod may ask for, in the order of their names.
fn named(pod: &Pod) -> ordered::Set<Str> {
    let own = pod.spec.resources.iter().map(|own| &own.requests);
    let all = pod.spec.containers.iter().chain(pod.spec.init_containers.iter());
    let lists = own
        .chain(all.map(|one| &one.resources.requests))
        .chain([&pod.spec.overhead]);
    lists.flat_map(|list| list.keys()).cloned().collect()
}

/// What a pod asks of a resource: its own request, or that of app containers and sidecars together, or of the largest
/// step of its start; plus overhead. Counted without lists: each binding asks it of all pods of a node.
fn request(pod: &Pod, resource: &Str) -> Quantity {
    let of = |list: &ResourceList| list.get(resource).copied().unwrap_or_default();
    let overhead = of(&pod.spec.overhead);
    if let Some(own) = &pod.spec.resources {
        return of(&own.requests).plus(overhead);
    }
    let apps = pod.spec.containers.iter().map(|one| of(&one.resources.requests));
    let mut total = apps.fold(Quantity::default(), Quantity::plus);
    let (mut sidecars, mut start) = (Quantity::default(), Quantity::default());
    for container in pod.spec.init_containers.iter() {
        let own = of(&container.resources.requests);
        let step = sidecars.plus(own);
        if container.is_sidecar() {
            total = total.plus(own);
            sidecars = step;
        }
        start = start.max(step);
    }
    total.max(start).plus(overhead)
}
