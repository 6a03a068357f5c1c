//! Determines which pods of a node must move before the node can be removed, and which pods prevent its removal
//! (CA-026, CA-027).

use std::sync::Arc;

use podscope_api::{Kind, NodeName, ObjectKey, Pod, Time};
use podscope_sim::Objects;

use super::super::owner::kind_of;
use super::ClusterAutoscalerSettings;

/// Annotation of a pod: with "true" the pod may be evicted, with "false" it prevents the removal of its node.
const SAFE_TO_EVICT_ANNOTATION: &str = "cluster-autoscaler.kubernetes.io/safe-to-evict";
/// Annotation of a pod with the names of its local volumes that do not prevent the removal of the node.
const SAFE_VOLUMES_ANNOTATION: &str = "cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes";
/// A terminating pod is ignored from this many seconds after its deletion timestamp plus its grace period.
const POD_IGNORED_AFTER_GRACE_SECONDS: i64 = 30;
/// Number of microseconds in a second.
const MICROS_PER_SECOND: i64 = 1_000_000;

/// Returns the pods that must move before a node can be removed; `None` if a pod prevents the removal.
pub(super) fn pods_to_move(
    objects: &Objects,
    node: &NodeName,
    now: Time,
    settings: &ClusterAutoscalerSettings,
) -> Option<Vec<Arc<Pod>>> {
    let mut pods = Vec::new();
    for pod in objects.pods_on(node) {
        if pod.is_mirror() || pod.is_daemon() || is_long_terminating(pod, now) {
            continue;
        }
        let is_safe = pod.metadata.annotation(SAFE_TO_EVICT_ANNOTATION) == Some("true");
        if !is_safe && !pod.is_terminal() && prevents_node_removal(objects, pod, settings) {
            return None;
        }
        if objects
            .budgets_of(pod)
            .any(|budget| budget.status.disruptions_allowed < 1)
        {
            return None;
        }
        pods.push(pod.clone());
    }
    Some(pods)
}

/// Returns whether the pod prevents the removal of its node.
fn prevents_node_removal(objects: &Objects, pod: &Pod, settings: &ClusterAutoscalerSettings) -> bool {
    !has_replicating_owner(objects, pod)
        || settings.skip_nodes_with_system_pods
            && &*pod.metadata.namespace == "kube-system"
            && objects.budgets_of(pod).next().is_none()
        || pod.metadata.annotation(SAFE_TO_EVICT_ANNOTATION) == Some("false")
        || settings.skip_nodes_with_local_storage && has_local_storage(pod)
}

/// Returns whether an existing controller would replace the pod.
fn has_replicating_owner(objects: &Objects, pod: &Pod) -> bool {
    const REPLICATING_KINDS: [Kind; 4] = [
        Kind::ReplicationController,
        Kind::ReplicaSet,
        Kind::Job,
        Kind::StatefulSet,
    ];
    let owner = pod.metadata.controller_ref();
    owner.is_some_and(|owner| {
        let key = ObjectKey::new(pod.metadata.namespace.clone(), owner.name.clone());
        let kind = kind_of(owner).filter(|kind| REPLICATING_KINDS.contains(kind));
        kind.is_some_and(|kind| objects.get_kind(kind, &key).is_some())
    })
}

fn has_local_storage(pod: &Pod) -> bool {
    let safe = pod.metadata.annotation(SAFE_VOLUMES_ANNOTATION).unwrap_or_default();
    let is_safe = |name: &str| safe.split(',').any(|one| one == name);
    pod.spec.volumes.iter().any(|volume| {
        let is_on_disk = volume
            .empty_dir
            .as_ref()
            .is_some_and(|volume| &*volume.medium != "Memory");
        (is_on_disk || volume.host_path.is_some()) && !is_safe(&volume.name)
    })
}

/// Returns whether a terminating pod is ignored, because its grace period ended long enough ago (CA-027).
pub(super) fn is_long_terminating(pod: &Pod, now: Time) -> bool {
    let grace = pod.spec.grace_seconds();
    let until = |deleted: Time| deleted.0 + (grace + POD_IGNORED_AFTER_GRACE_SECONDS) * MICROS_PER_SECOND;
    (pod.metadata.deletion_timestamp).is_some_and(|deleted| until(deleted) < now.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use podscope_api::parse;

    /// Returns whether node a-1 can be removed. It runs a pod of a ReplicaSet with the given metadata and spec fields;
    /// `other_objects` are additional objects.
    fn is_node_removable(meta: &str, spec: &str, other_objects: &str) -> bool {
        let owner = "ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web, uid: r, controller: true}]";
        let text = format!(
            "{{apiVersion: apps/v1, kind: ReplicaSet, metadata: {{name: web, namespace: default, uid: r}}, spec: {{selector: {{matchLabels: {{app: web}}}}}}}}\n---\n\
             {{apiVersion: apps/v1, kind: ReplicaSet, metadata: {{name: web, namespace: kube-system, uid: k}}, spec: {{selector: {{matchLabels: {{app: web}}}}}}}}\n---\n\
             {{apiVersion: v1, kind: Pod, metadata: {{name: p, uid: p, labels: {{app: web}}, {}}}, spec: {{nodeName: a-1, containers: [{{name: c, image: i}}], {spec}}}}}\n---\n{other_objects}",
            meta.replace("OWNED", owner)
        );
        let mut objects = Objects::default();
        let parsed = parse(&text);
        assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
        for located in parsed.objects {
            let mut object = located.value;
            podscope_api::default_object(&mut object);
            objects.put(object);
        }
        let settings = ClusterAutoscalerSettings::default();
        pods_to_move(&objects, &NodeName::from("a-1"), Time::from_seconds(0), &settings).is_some()
    }

    /// Shows: CA-026, CA-027
    #[test]
    fn irreplaceable_pod_or_local_data_prevents_node_removal() {
        let budget = |namespace: &str, allowed: i32| {
            format!(
                "{{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {{name: b, namespace: {namespace}}}, spec: {{selector: {{matchLabels: {{app: web}}}}}}, status: {{disruptionsAllowed: {allowed}}}}}"
            )
        };
        let owned = "namespace: default, OWNED";
        let annotated =
            |annotation: &str| format!("{owned}, annotations: {{cluster-autoscaler.kubernetes.io/{annotation}}}");
        let safe = annotated("safe-to-evict: 'true'");
        let (disk, memory) = (
            "volumes: [{name: d, emptyDir: {}}]",
            "volumes: [{name: d, emptyDir: {medium: Memory}}]",
        );
        let host = "volumes: [{name: d, hostPath: {path: /d}}]";
        for (meta, spec, others, expected) in [
            (owned, "", "", true),
            ("namespace: default", "", "", false),
            (
                "namespace: default, annotations: {cluster-autoscaler.kubernetes.io/safe-to-evict: 'true'}",
                "",
                "",
                true,
            ),
            (&annotated("safe-to-evict: 'false'"), "", "", false),
            (owned, disk, "", false),
            (owned, host, "", false),
            (owned, memory, "", true),
            (&safe, disk, "", true),
            (&annotated("safe-to-evict-local-volumes: 'c,d'"), disk, "", true),
            (owned, "", &budget("default", 0), false),
            (&safe, "", &budget("default", 0), false),
            (owned, "", &budget("default", 1), true),
            ("namespace: kube-system, OWNED", "", "", false),
            ("namespace: kube-system, OWNED", "", &budget("kube-system", 1), true),
        ] {
            assert_eq!(
                is_node_removable(meta, spec, others),
                expected,
                "{meta} {spec} {others}"
            );
        }
    }
}
