//! Notes that precede the explanation of a pod's scheduling decision: the pod is terminating, finished, already bound, or
//! gated.

use podscope_api::{AccessMode, ObjectKey, PersistentVolumeClaim, Pod, PodPhase, Str};
use podscope_cluster::Objects;

use super::{clause, pods};

/// Returns the notes for a pod; none if the pod only waits for the scheduler.
#[must_use]
pub fn standing(objects: &Objects, pod: &Pod) -> Vec<String> {
    let mut said = Vec::new();
    let node = pod.spec.node_name.as_ref();
    let as_if = "what follows decides it as if it were pending";
    if let Some(unheld) = objects.missing_objects(pod).filter(|_| node.is_none()) {
        said.push(format!(
            "Nobody can say where it may go: {}.",
            crate::view::missing_objects_view(unheld)
        ));
    }
    if pod.metadata.is_terminating() {
        let held: Vec<&str> = pod.metadata.finalizers.iter().map(|name| &**name).collect();
        let held = match held.as_slice() {
            [] => String::new(),
            names => format!(", held by {}", names.join(", ")),
        };
        let place = node.map_or_else(String::new, |node| format!(" on node {node}"));
        said.push(format!(
            "It is being deleted{place}{held}: it is not scheduled again; {as_if}."
        ));
    } else if pod.is_terminal() {
        let ended = match (&*pod.status.reason, &pod.status.phase) {
            ("Evicted", _) => format!("It was evicted: {}", clause(&pod.status.message)),
            ("", Some(PodPhase::Succeeded)) => "It has finished (Succeeded)".to_owned(),
            ("", _) => "It has failed".to_owned(),
            (reason, _) => format!("It has ended ({reason})"),
        };
        said.push(format!("{ended}. It is not scheduled again; {as_if}."));
    } else if let Some(node) = node {
        said.push(format!("It is placed on node {node} already; {as_if}."));
    } else if !pod.spec.scheduling_gates.is_empty() {
        let mut gated = pods::gated(pod);
        if let Some(first) = gated.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        said.push(format!(
            "{gated}. What follows is what it would decide without the gate."
        ));
    }
    said.extend(particulars(objects, pod));
    said
}

/// Causes that kube-scheduler's message does not name: the only node of a DaemonSet's pod, and the pods that use its
/// ReadWriteOncePod claims.
pub(super) fn particulars(objects: &Objects, pod: &Pod) -> Vec<String> {
    let meant = meant_for(pod).map(|node| format!("Its DaemonSet made it for node {node} alone."));
    meant.into_iter().chain(holders(objects, pod)).collect()
}

/// The node for which a DaemonSet created the pod.
fn meant_for(pod: &Pod) -> Option<Str> {
    pod.metadata
        .controller_ref()
        .filter(|owner| &*owner.kind == "DaemonSet")?;
    pod.spec.pinned_node().cloned()
}

/// One sentence for each ReadWriteOncePod claim that another pod uses.
fn holders(objects: &Objects, pod: &Pod) -> Vec<String> {
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
            said.push(format!(
                "Its claim {name} is ReadWriteOncePod, and pod {} on node {node} uses it.",
                holder.metadata.name
            ));
        }
    }
    said
}

/// The newest kubelet version in the cluster that is older than the Kubernetes version of the engine.
#[must_use]
pub fn older_versions(objects: &Objects) -> Option<String> {
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
