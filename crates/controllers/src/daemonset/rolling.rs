//! The rolling update of a DaemonSet within maxUnavailable and maxSurge (CT-089, CT-228).
//!
//! The update covers all nodes that should run a daemon pod or already have one, so that a pod on a node that is no
//! longer eligible is updated too. Terminating pods are ignored: a node whose only pod is terminating counts as a node
//! without a pod.
//!
//! ```text
//! maxSurge 0   unavailable = no pod | old and new | new, not available | old, not available (this one is deleted too)
//!              available old pods are deleted while unavailable < maxUnavailable
//! maxSurge > 0 surging = old and new, where new is not available yet
//!              new pods are created beside old ones that are not available, and while surging < maxSurge
//! ```

use podscope_api::ordered;
use std::sync::Arc;

use podscope_api::{DaemonSet, IntOrString, Node, NodeName, Pod, scaled_value};

use super::{DaemonPodChanges, revision_hash_of_pod, should_run_and_may_stay};
use crate::controller::ControllerContext;
use crate::pod_util::is_available;

/// Returns the resolved maxUnavailable and maxSurge.
pub(super) fn max_unavailable_and_surge(set: &DaemonSet, desired: usize) -> (usize, usize) {
    let rolling = set.spec.update_strategy.rolling_update.clone().unwrap_or_default();
    let desired = i64::try_from(desired).unwrap_or(i64::MAX);
    let resolve = |value: &IntOrString| usize::try_from(scaled_value(value, desired, true).unwrap_or(0)).unwrap_or(0);
    let surge = rolling.max_surge.as_ref().map_or(0, resolve);
    let unavailable = rolling
        .max_unavailable
        .as_ref()
        .map_or(usize::from(surge == 0), resolve);
    if surge == 0 && unavailable == 0 {
        (1, 0)
    } else {
        (unavailable, surge)
    }
}

/// Returns whether a node may have an additional pod during an update.
pub(super) fn allows_surge(set: &DaemonSet) -> bool {
    max_unavailable_and_surge(set, 1).1 > 0
}

/// The new and the old daemon pod on one node; terminating pods are ignored.
struct PodsOnNode<'p> {
    new: Option<&'p Arc<Pod>>,
    old: Option<&'p Arc<Pod>>,
    /// Whether there are several old or several new pods. The pass over the nodes deletes excess pods first.
    has_excess: bool,
}

impl<'p> PodsOnNode<'p> {
    fn of(pods: &'p [Arc<Pod>], hash: &str) -> Self {
        let mut found = Self {
            new: None,
            old: None,
            has_excess: false,
        };
        for pod in pods.iter().filter(|pod| !pod.metadata.is_terminating()) {
            let place = if revision_hash_of_pod(pod) == hash {
                &mut found.new
            } else {
                &mut found.old
            };
            found.has_excess |= place.replace(pod).is_some();
        }
        found
    }
}

/// Performs one step of a rolling update.
pub(super) fn roll(
    set: &DaemonSet,
    by_node: &ordered::Map<NodeName, Vec<Arc<Pod>>>,
    changes: &mut DaemonPodChanges,
    cx: &ControllerContext<'_, '_>,
) {
    let now = cx.ctx.wall();
    let available = |pod: &Pod| is_available(pod, set.spec.min_ready_seconds, now);
    let should_run = |name: &NodeName| {
        let node = cx.objects.named::<Node>(name);
        node.map(|node| should_run_and_may_stay(set, node).0)
    };
    let wanted = cx
        .objects
        .list::<Node>()
        .filter(|node| should_run_and_may_stay(set, node).0);
    let wanted: Vec<NodeName> = wanted.map(|node| NodeName::from(&*node.metadata.name)).collect();
    let mut nodes: ordered::Map<&NodeName, &[Arc<Pod>]> = wanted.iter().map(|name| (name, [].as_slice())).collect();
    nodes.extend(by_node.iter().map(|(name, pods)| (name, pods.as_slice())));
    let (max_unavailable, max_surge) = max_unavailable_and_surge(set, wanted.len());
    if max_surge == 0 {
        delete_old_pods(&nodes, max_unavailable, available, changes);
    } else {
        replace_with_surge(&nodes, (wanted.len(), max_surge), available, should_run, changes);
    }
}

/// Deletes old pods. Unavailable ones are deleted at once; available ones only while fewer than `max_unavailable` nodes
/// lack an available pod.
fn delete_old_pods(
    nodes: &ordered::Map<&NodeName, &[Arc<Pod>]>,
    max_unavailable: usize,
    available: impl Fn(&Pod) -> bool,
    changes: &mut DaemonPodChanges,
) {
    let mut unavailable = 0;
    let (mut replaceable, mut candidates) = (Vec::new(), Vec::new());
    for pods in nodes.values() {
        let pods = PodsOnNode::of(pods, &changes.hash);
        match (pods.old, pods.new) {
            _ if pods.has_excess => unavailable += 1,
            (None, None) | (Some(_), Some(_)) => unavailable += 1,
            (None, Some(new)) => unavailable += usize::from(!available(new)),
            (Some(old), None) if available(old) => candidates.push(old),
            (Some(old), None) => {
                unavailable += 1;
                replaceable.push(old);
            }
        }
    }
    let room = max_unavailable.saturating_sub(unavailable);
    for pod in replaceable.into_iter().chain(candidates.into_iter().take(room)) {
        changes.add_deletion(pod);
    }
}

/// Creates new pods beside old ones, and deletes old pods whose replacements are available. An available pod on a node
/// that is no longer eligible is deleted only if enough other pods are available.
fn replace_with_surge(
    nodes: &ordered::Map<&NodeName, &[Arc<Pod>]>,
    (desired, max_surge): (usize, usize),
    available: impl Fn(&Pod) -> bool,
    should_run: impl Fn(&NodeName) -> Option<bool>,
    changes: &mut DaemonPodChanges,
) {
    let (mut surging, mut n_available) = (0, 0);
    let (mut delete, mut misplaced) = (Vec::new(), Vec::new());
    let (mut allowed, mut candidates) = (Vec::new(), Vec::new());
    for (name, pods) in nodes {
        let pods = PodsOnNode::of(pods, &changes.hash);
        if pods.has_excess {
            surging += 1;
            continue;
        }
        n_available += usize::from(pods.old.or(pods.new).is_some_and(|pod| available(pod)));
        match (pods.old, pods.new) {
            (None, _) => {}
            (Some(old), Some(new)) if available(new) => delete.push(old),
            (Some(_), Some(_)) => surging += 1,
            (Some(old), None) => match (available(old), should_run(name)) {
                (_, None) => {}
                (false, Some(false)) => delete.push(old),
                (false, Some(true)) => allowed.push((*name).clone()),
                (true, Some(false)) => misplaced.push(old),
                (true, Some(true)) => candidates.push((*name).clone()),
            },
        }
    }
    let spare = n_available.saturating_sub(desired);
    for pod in delete.into_iter().chain(misplaced.into_iter().take(spare)) {
        changes.add_deletion(pod);
    }
    let room = max_surge.saturating_sub(surging);
    changes.create.extend(allowed);
    changes.create.extend(candidates.into_iter().take(room));
}
