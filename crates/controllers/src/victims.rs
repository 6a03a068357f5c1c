//! Chooses the excess pods of a ReplicaSet to delete, in the order of kube-controller-manager (CT-058).

use std::cmp::Ordering;
use std::sync::Arc;

use podscope_api::ordered::{self, go_sort};
use podscope_api::well_known::annotation;
use podscope_api::{NodeName, Pod, PodPhase, Time};

use super::controller::ControllerContext;
use super::pod_util::{is_active, max_restarts, ready_since};
use super::replicaset::ReplicaOwner;

/// Returns the `count` pods to delete (CT-058).
pub(super) fn victims<T: ReplicaOwner>(
    set: &Arc<T>,
    active: &[Arc<Pod>],
    count: usize,
    cx: &ControllerContext<'_, '_>,
) -> Vec<Arc<Pod>> {
    let mut ranked: Vec<Arc<Pod>> = active.to_vec();
    if count < active.len() {
        let siblings = siblings_by_node(set, cx);
        let rank = |pod: &Pod| {
            pod.spec
                .node_name
                .as_ref()
                .and_then(|node| siblings.get(node))
                .copied()
                .unwrap_or(0)
        };
        let now = cx.ctx.wall();
        go_sort(&mut ranked, |one, other| {
            deletion_order(one, rank(one), other, rank(other), now).is_lt()
        });
    }
    ranked.truncate(count);
    ranked
}

/// Returns the number of active pods by node, over all ReplicaSets with the same controller as this one.
fn siblings_by_node<T: ReplicaOwner>(set: &Arc<T>, cx: &ControllerContext<'_, '_>) -> ordered::Map<NodeName, usize> {
    let mut counts = ordered::Map::new();
    let Some(parent) = set.metadata().controller_ref() else {
        return counts;
    };
    for sibling in cx.objects.list_in::<T>(&set.metadata().namespace) {
        if sibling
            .metadata()
            .controller_ref()
            .is_some_and(|theirs| theirs.uid == parent.uid)
        {
            for pod in cx.objects.pods_of(&sibling.metadata().uid).filter(|pod| is_active(pod)) {
                if let Some(node) = &pod.spec.node_name {
                    *counts.entry(node.clone()).or_default() += 1;
                }
            }
        }
    }
    counts
}

/// Compares two pods; the lesser pod is deleted first (CT-058). The rank of a pod is the number of sibling pods on its
/// node ([`siblings_by_node`]). The order is not transitive if only some of the pods became ready at the same time.
fn deletion_order(one: &Pod, one_rank: usize, other: &Pod, other_rank: usize, now: Time) -> Ordering {
    let phase = |pod: &Pod| match pod.status.phase {
        Some(PodPhase::Unknown) => 1,
        Some(PodPhase::Running) => 2,
        _ => 0,
    };
    let cost = |pod: &Pod| {
        pod.metadata
            .annotation(annotation::POD_DELETION_COST)
            .and_then(|text| text.parse::<i32>().ok())
            .unwrap_or(0)
    };
    let by_age = |one_since: Option<Time>, other_since: Option<Time>| match (one_since, other_since) {
        (Some(one_since), Some(other_since)) if one_since != other_since => age_bucket(one_since, now)
            .cmp(&age_bucket(other_since, now))
            .then_with(|| one.metadata.uid.cmp(&other.metadata.uid)),
        _ => Ordering::Equal,
    };
    one.spec
        .node_name
        .is_some()
        .cmp(&other.spec.node_name.is_some())
        .then_with(|| phase(one).cmp(&phase(other)))
        .then_with(|| one.is_ready().cmp(&other.is_ready()))
        .then_with(|| cost(one).cmp(&cost(other)))
        .then_with(|| other_rank.cmp(&one_rank))
        .then_with(|| by_age(ready_since(one), ready_since(other)))
        .then_with(|| max_restarts(other, false).cmp(&max_restarts(one, false)))
        .then_with(|| max_restarts(other, true).cmp(&max_restarts(one, true)))
        .then_with(|| by_age(one.metadata.creation_timestamp, other.metadata.creation_timestamp))
}

/// Returns the binary logarithm of an age in nanoseconds, rounded down; −1 if the age is not positive.
fn age_bucket(since: Time, now: Time) -> i64 {
    match u64::try_from(now.0 - since.0) {
        Ok(age) if age > 0 => i64::from(age.saturating_mul(1000).ilog2()),
        _ => -1,
    }
}

#[cfg(test)]
mod tests {
    use podscope_api::ConditionStatus;

    use super::*;

    /// The first pod of each row is deleted before the second.
    /// Shows: CT-058
    #[test]
    #[expect(clippy::too_many_lines, reason = "a table of cases")]
    fn excess_pods_are_deleted_in_kubernetes_order() {
        let now = Time::from_seconds(1000);
        let pod = |uid: &str, change: &dyn Fn(&mut Pod)| {
            let mut pod = Pod::default();
            pod.metadata.uid = uid.into();
            pod.metadata.creation_timestamp = Some(Time::from_seconds(0));
            pod.spec.node_name = Some("a-1".into());
            pod.status.phase = Some(PodPhase::Running);
            super::super::pod_util::set_condition(
                &mut pod,
                "Ready",
                ConditionStatus::True,
                "",
                "",
                Time::from_seconds(10),
            );
            change(&mut pod);
            pod
        };
        let plain = pod("m", &|_| {});
        let restarted = |pod: &mut Pod| {
            pod.status.container_statuses = vec![podscope_api::ContainerStatus {
                restart_count: 3,
                ..Default::default()
            }];
        };
        let ready_at = |seconds: i64| {
            move |pod: &mut Pod| pod.status.conditions[0].last_transition_time = Some(Time::from_seconds(seconds))
        };
        for (name, first, rank, last, last_rank) in [
            (
                "unassigned",
                pod("z", &|pod| pod.spec.node_name = None),
                0,
                plain.clone(),
                0,
            ),
            (
                "pending",
                pod("z", &|pod| pod.status.phase = Some(PodPhase::Pending)),
                0,
                plain.clone(),
                0,
            ),
            (
                "not ready",
                pod("z", &|pod| pod.status.conditions.clear()),
                0,
                plain.clone(),
                0,
            ),
            (
                "lower deletion cost",
                pod("z", &|pod| {
                    pod.metadata.annotations = super::super::template::with_label(
                        &pod.metadata.annotations,
                        annotation::POD_DELETION_COST,
                        "-1",
                    )
                }),
                0,
                plain.clone(),
                0,
            ),
            ("more siblings on the node", pod("z", &|_| {}), 2, plain.clone(), 1),
            (
                "ready for a shorter time",
                pod("z", &ready_at(900)),
                0,
                plain.clone(),
                0,
            ),
            (
                "same age bucket: lower UID",
                pod("a", &ready_at(5)),
                0,
                plain.clone(),
                0,
            ),
            ("more restarts", pod("z", &restarted), 0, plain.clone(), 0),
            (
                "newer",
                pod("z", &|pod| {
                    pod.metadata.creation_timestamp = Some(Time::from_seconds(990))
                }),
                0,
                plain.clone(),
                0,
            ),
        ] {
            assert_eq!(
                deletion_order(&first, rank, &last, last_rank, now),
                Ordering::Less,
                "{name}"
            );
            assert_eq!(
                deletion_order(&last, last_rank, &first, rank, now),
                Ordering::Greater,
                "{name}, reversed"
            );
        }
    }

    /// Pods that became ready at different times within one age bucket are ordered by UID, and pods with equal times by
    /// restarts. Here this makes a cycle of three pods. The real controller sorts such pods too.
    /// Shows: CT-058
    #[test]
    fn sorting_pods_with_cyclic_order_keeps_all_pods() {
        let now = Time::from_seconds(1000);
        let pod = |at: i32| {
            let mut pod = Pod::default();
            pod.metadata.uid = format!("{at:02}").as_str().into();
            pod.status.phase = Some(PodPhase::Running);
            let since = Time::from_seconds(if at % 2 == 0 { 10 } else { 20 });
            super::super::pod_util::set_condition(&mut pod, "Ready", ConditionStatus::True, "", "", since);
            pod.status.container_statuses = vec![podscope_api::ContainerStatus {
                restart_count: at,
                ..Default::default()
            }];
            pod
        };
        let order = |one: i32, other: i32| deletion_order(&pod(one), 0, &pod(other), 0, now);
        assert_eq!(
            [order(0, 1), order(1, 2), order(2, 0)],
            [Ordering::Less; 3],
            "each pod is deleted before the next one"
        );
        let mut uids: Vec<String> = Vec::new();
        let mut all: Vec<Pod> = (0..60).map(pod).collect();
        go_sort(&mut all, |one, other| deletion_order(one, 0, other, 0, now).is_lt());
        uids.extend(all.iter().map(|pod| pod.metadata.uid.to_string()));
        uids.sort_unstable();
        uids.dedup();
        assert_eq!(uids.len(), 60);
    }
}
