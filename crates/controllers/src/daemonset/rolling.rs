//! The rolling update of a DaemonSet, within its bounds (CT-089).

use podscope_api::ordered::{self, StableSort as _};
use std::sync::Arc;

use podscope_api::{DaemonSet, IntOrString, Node, NodeName, Pod, scaled_value};

use super::{Work, belongs, hash_of_pod};
use crate::controller::ControllerContext;
use crate::pod_util::is_available;

/// Bounds of an update: how many may be missing, how many may be extra.
pub(super) fn bounds(set: &DaemonSet, desired: usize) -> (usize, usize) {
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

/// One step of a rolling update.
pub(super) fn roll(
    set: &DaemonSet,
    by_node: &ordered::Map<NodeName, Vec<Arc<Pod>>>,
    work: &mut Work,
    cx: &ControllerContext<'_, '_>,
) {
    let now = cx.ctx.wall();
    let available = |pod: &Pod| is_available(pod, set.spec.min_ready_seconds, now) && !pod.metadata.is_terminating();
    let nodes: Vec<&Arc<Node>> = cx.objects.list::<Node>().filter(|node| belongs(set, node).0).collect();
    let (max_unavailable, max_surge) = bounds(set, nodes.len());
    let (mut unavailable, mut surging) = (0, 0);
    let (mut broken, mut candidates, mut to_surge) = (Vec::new(), Vec::new(), Vec::new());
    for node in &nodes {
        let pods = by_node.get(&*node.metadata.name).map(Vec::as_slice).unwrap_or_default();
        let new = pods.iter().find(|pod| hash_of_pod(pod) == &*work.hash);
        let old = pods.iter().find(|pod| hash_of_pod(pod) != &*work.hash);
        match (old, new) {
            (None, None) => unavailable += 1,
            (None, Some(new)) => unavailable += usize::from(!available(new)),
            (Some(old), Some(new)) if max_surge > 0 => {
                surging += 1;
                if available(new) {
                    broken.push(old.clone());
                }
            }
            (Some(_), Some(_)) => unavailable += 1,
            (Some(old), None) if max_surge > 0 => to_surge.push((available(old), NodeName::from(&*node.metadata.name))),
            (Some(old), None) if !available(old) => {
                unavailable += usize::from(old.metadata.is_terminating());
                broken.push(old.clone());
            }
            (Some(old), None) => candidates.push(old.clone()),
        }
    }
    broken.iter().for_each(|pod| work.delete(pod));
    if max_surge > 0 {
        to_surge.stable_sort();
        work.create.extend(
            to_surge
                .into_iter()
                .map(|(_, node)| node)
                .take(max_surge.saturating_sub(surging)),
        );
    } else {
        let room = max_unavailable.saturating_sub(unavailable);
        candidates.iter().take(room).for_each(|pod| work.delete(pod));
    }
}
