//! `no-overcommit` (CT-171): when a pod is bound, the requests on its node do not exceed the allocatable resources.

use podscope_api::fault::ViolationCause;
use podscope_api::ordered;
use podscope_api::well_known::condition;
use podscope_messages::invariant;
use podscope_messages::sentence;

use podscope_api::{Node, Pod, Quantity, ResourceList, Str};

use super::{Check, DetectedViolation, Invariant, InvariantGroup, InvariantKind, Observation, View, blame};
use crate::Actor;

pub(super) const NO_OVERCOMMIT: Invariant = Invariant {
    name: "no-overcommit",
    fact: "CT-171",
    group: InvariantGroup::Scheduling,
    kind: InvariantKind::Safety,
    statement: invariant::no_overcommit,
    keeper: invariant::no_overcommit_keeper,
    breaker: invariant::no_overcommit_breaker,
    lesson: "first-pod",
};

#[derive(Debug, Clone, Default)]
pub(super) struct NoOvercommit;

impl Check for NoOvercommit {
    fn check(&mut self, seen: &Observation<'_>, view: &View<'_>, out: &mut Vec<DetectedViolation>) {
        let Some((record, pod, name)) = seen.recorded_bound_pod(view) else {
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
        let is_exceeded = |resource: &Str| {
            let sum = (others.iter()).fold(Quantity::default(), |sum, other| {
                sum.plus(requested_amount(other, resource))
            });
            sum > node.status.allocatable.get(resource).copied().unwrap_or_default()
        };
        let mut exceeded: Vec<String> = requested_resources(&pod)
            .into_iter()
            .filter(|resource| requested_amount(&pod, resource).sign() > 0 && is_exceeded(resource))
            .map(|resource| resource.to_string())
            .collect();
        let pods = i64::try_from(others.len()).unwrap_or(i64::MAX);
        if node
            .status
            .allocatable
            .get("pods")
            .is_some_and(|limit| pods > limit.value())
        {
            exceeded.push("pods".into());
        }
        if exceeded.is_empty() {
            return;
        }
        let fact = match record.actor {
            Actor::Client(_) => "CT-171: direct bind",
            _ => "CT-171: stale cache",
        };
        let (cause, by) = match blame::of_two_instances(&record.actor, fact, view) {
            (ViolationCause::Bug, _) if has_unscheduled_pod(view, &name) => {
                (ViolationCause::Command, sentence!(seen::has_own_node_name).into())
            }
            blame => blame,
        };
        out.push(DetectedViolation {
            corrupts: None,
            invariant: NO_OVERCOMMIT.name,
            object: record.object.clone(),
            cause,
            by,
            seen: sentence!(seen::requests_exceed_allocatable, node = &*name, resources = exceeded),
        });
    }
}

/// Returns whether a pod of the node bypassed the scheduler: it was created with `spec.nodeName`, or is a mirror pod.
fn has_unscheduled_pod(view: &View<'_>, node: &podscope_api::NodeName) -> bool {
    view.objects
        .pods_on(node)
        .any(|pod| pod.condition(condition::POD_SCHEDULED).is_none() || pod.is_mirror())
}

/// Returns the names of all resources that a pod requests.
fn requested_resources(pod: &Pod) -> ordered::Set<Str> {
    let own = pod.spec.resources.iter().map(|own| &own.requests);
    let all = pod.spec.containers.iter().chain(pod.spec.init_containers.iter());
    let lists = own
        .chain(all.map(|one| &one.resources.requests))
        .chain([&pod.spec.overhead]);
    lists.flat_map(|list| list.keys()).cloned().collect()
}

/// Returns a pod's request of one resource, plus overhead: its pod-level request, or else the largest of these sums:
/// app containers and all sidecars; for each init container, this one and the sidecars before it. The function builds
/// no lists, because every binding calls it for all pods of the node. An extended resource that the scheduler allocated
/// through a claim takes nothing from the node (DRA-116).
fn requested_amount(pod: &Pod, resource: &Str) -> Quantity {
    let mut by_claim = (pod.status.extended_resource_claim_status.iter()).flat_map(|status| &status.request_mappings);
    if by_claim.any(|mapping| mapping.resource_name == *resource) {
        return Quantity::default();
    }
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
