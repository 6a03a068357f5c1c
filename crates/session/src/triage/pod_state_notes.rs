//! Notes about a pod's state, which precede the explanation of its scheduling decision: the pod is terminating,
//! finished, already bound, or has scheduling gates.

use podscope_api::{AccessMode, ObjectKey, PersistentVolumeClaim, Pod, PodPhase, Str};
use podscope_cluster::Objects;
use podscope_messages::{Sentence, sentence};

use super::{pods, without_full_stop};

/// Returns the notes about a pod's state. Empty if the pod only waits for the scheduler.
#[must_use]
pub fn pod_state_notes(objects: &Objects, pod: &Pod) -> Vec<Sentence> {
    let mut said = Vec::new();
    let node = pod.spec.node_name.as_ref();
    if let Some(unheld) = objects.missing_objects(pod).filter(|_| node.is_none()) {
        let missing = crate::view::missing_objects_view(unheld);
        said.push(sentence!(standing::place_unknown, why = missing.sentence()));
    }
    if pod.metadata.is_terminating() {
        said.push(describe_deletion(pod));
    } else if pod.is_terminal() {
        said.push(sentence!(standing::has_ended, how = describe_end(pod)));
    } else if let Some(node) = node {
        said.push(sentence!(standing::is_placed, node = node.as_str()));
    } else if !pod.spec.scheduling_gates.is_empty() {
        let gates = pods::scheduling_gate_values(pod);
        said.push(sentence!(standing::is_gated, count = gates.len(), gates = gates));
    }
    let causes = unmentioned_causes(objects, pod).into_iter();
    said.extend(causes.map(|cause| sentence!(explain::sentence, text = cause)));
    said
}

fn describe_deletion(pod: &Pod) -> Sentence {
    let held = &*pod.metadata.finalizers;
    match (&pod.spec.node_name, held.is_empty()) {
        (None, true) => sentence!(standing::deleted),
        (Some(node), true) => sentence!(standing::deleted_on, node = node.as_str()),
        (None, false) => sentence!(standing::deleted_held, finalizers = held),
        (Some(node), false) => sentence!(standing::deleted_on_held, node = node.as_str(), finalizers = held),
    }
}

/// Describes how a pod has ended, as a clause without a full stop at the end.
fn describe_end(pod: &Pod) -> Sentence {
    match (&*pod.status.reason, &pod.status.phase) {
        ("Evicted", _) => sentence!(standing::was_evicted, message = without_full_stop(&pod.status.message)),
        ("", Some(PodPhase::Succeeded)) => sentence!(standing::has_succeeded),
        ("", _) => sentence!(standing::has_failed),
        (reason, _) => sentence!(standing::ended_for, reason = reason),
    }
}

/// Returns causes that kube-scheduler's message does not mention, as clauses without a full stop at the end: the only
/// node on which a DaemonSet's pod may run, and the pods that use its ReadWriteOncePod claims.
pub(super) fn unmentioned_causes(objects: &Objects, pod: &Pod) -> Vec<Sentence> {
    let meant = pinned_node_of_daemon_pod(pod).map(|node| sentence!(problem::made_for_node, node = &node));
    meant.into_iter().chain(exclusive_claim_clauses(objects, pod)).collect()
}

/// Returns the node for which a DaemonSet created the pod. None if no DaemonSet created it.
fn pinned_node_of_daemon_pod(pod: &Pod) -> Option<Str> {
    pod.metadata
        .controller_ref()
        .filter(|owner| &*owner.kind == "DaemonSet")?;
    pod.spec.pinned_node().cloned()
}

/// Returns one clause for each ReadWriteOncePod claim that another pod uses.
fn exclusive_claim_clauses(objects: &Objects, pod: &Pod) -> Vec<Sentence> {
    let mut said = Vec::new();
    for volume in pod.spec.volumes.iter() {
        let Some(name) = podscope_cluster::claim_name(pod, volume) else {
            continue;
        };
        let key = ObjectKey::new(pod.metadata.namespace.clone(), name.clone());
        let Some(claim) = objects.get::<PersistentVolumeClaim>(&key) else {
            continue;
        };
        if !claim.spec.access_modes.contains(&AccessMode::ReadWriteOncePod) {
            continue;
        }
        let holder = objects.list_in::<Pod>(&pod.metadata.namespace).find(|other| {
            let mut volumes = other.spec.volumes.iter();
            other.metadata.uid != pod.metadata.uid
                && other.spec.node_name.is_some()
                && !other.is_terminal()
                && volumes.any(|volume| podscope_cluster::claim_name(other, volume).as_ref() == Some(&name))
        });
        if let Some(holder) = holder {
            let node = holder.spec.node_name.as_ref().map_or("", |node| node.as_str());
            said.push(sentence!(
                problem::claim_in_use,
                claim = &name,
                pod = &holder.metadata.name,
                node = node
            ));
        }
    }
    said
}

/// Returns the newest kubelet version in the cluster that is older than the engine's Kubernetes version.
#[must_use]
pub fn newest_older_kubelet_version(objects: &Objects) -> Option<String> {
    let minor = |version: &str| -> Option<(u32, u32)> {
        let mut parts = version.strip_prefix('v')?.split('.');
        Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
    };
    let own = minor(podscope_api::KUBERNETES_VERSION)?;
    let told = objects.list::<podscope_api::Node>().filter_map(|node| {
        let version = node.status.node_info.as_ref()?.kubelet_version.clone();
        minor(&version).filter(|read| *read < own).map(|read| (read, version))
    });
    told.max().map(|(_, version)| version.to_string())
}
