//! Finds volumes that cannot follow their pods to another node.

use std::sync::Arc;

use podscope_api::{Node, NodeName, ObjectKey, PersistentVolume, PersistentVolumeClaim, Pod, Volume, ordered};
use podscope_cluster::{Objects, claim_name};
use podscope_messages::{Sentence, sentence};
use serde::Serialize;

use super::is_removed_by_drain;
use super::text::MAX_LISTED_NODES;

/// A volume that cannot move to another node with its pod.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StuckVolume {
    /// The pod that uses the volume, as `NAMESPACE/NAME`.
    pub pod: String,
    /// Name of the volume in the pod's spec.
    pub volume: String,
    /// Name of the volume's PersistentVolumeClaim, if it has one.
    pub claim: Option<String>,
    #[serde(serialize_with = "podscope_messages::as_english")]
    pub reason: Sentence,
}

/// Returns the volumes of pods on nodes that leave the cluster, if no remaining node can use the volume, or if its
/// content is lost.
pub(super) fn stuck_volumes(objects: &Objects, leaving: &ordered::Set<NodeName>) -> Vec<StuckVolume> {
    let remaining: Vec<&Arc<Node>> = (objects.list::<Node>())
        .filter(|node| !leaving.contains(&NodeName(node.metadata.name.clone())) && !node.is_unschedulable())
        .collect();
    let pods = leaving.iter().flat_map(|node| objects.pods_on(node));
    let pods = pods.filter(|pod| is_removed_by_drain(pod));
    pods.flat_map(|pod| {
        let volumes = pod.spec.volumes.iter();
        let stuck = volumes.filter_map(|volume| {
            let claim = claim_name(pod, volume);
            let reason = match &claim {
                Some(claim) => {
                    let key = ObjectKey::new(pod.metadata.namespace.clone(), claim.clone());
                    why_claim_stays(objects, &key, &remaining)
                }
                None => why_inline_volume_stays(pod, volume),
            };
            Some(StuckVolume {
                pod: pod.metadata.key().to_string(),
                volume: volume.name.to_string(),
                claim: claim.map(|claim| claim.to_string()),
                reason: reason?,
            })
        });
        stuck.collect::<Vec<_>>()
    })
    .collect()
}

fn why_claim_stays(objects: &Objects, claim: &ObjectKey, remaining: &[&Arc<Node>]) -> Option<Sentence> {
    let claim = objects.get::<PersistentVolumeClaim>(claim)?;
    let volume = objects.named::<PersistentVolume>(&claim.spec.volume_name)?;
    let name = &*volume.metadata.name;
    let affinity = volume.spec.node_affinity.as_ref().and_then(|one| one.required.as_ref());
    let Some(affinity) = affinity else {
        let is_of_host = volume.spec.host_path.is_some() || volume.spec.local.is_some();
        return is_of_host.then(|| sentence!(what_if_answer::directory_of_node, volume = name));
    };
    if remaining.iter().any(|node| affinity.matches(node)) {
        return None;
    }
    let usable: Vec<&str> = (objects.list::<Node>())
        .filter(|node| affinity.matches(node))
        .map(|node| &*node.metadata.name)
        .collect();
    Some(match usable.len() {
        0 => sentence!(what_if_answer::usable_nowhere, volume = name),
        all if all > MAX_LISTED_NODES => sentence!(
            what_if_answer::usable_only_on_more,
            volume = name,
            nodes = usable[..MAX_LISTED_NODES].to_vec(),
            more = all - MAX_LISTED_NODES
        ),
        _ => sentence!(what_if_answer::usable_only_on, volume = name, nodes = usable),
    })
}

fn why_inline_volume_stays(pod: &Pod, volume: &Volume) -> Option<Sentence> {
    if let Some(empty_dir) = &volume.empty_dir {
        let on_disk = &*empty_dir.medium != "Memory";
        return on_disk.then(|| sentence!(what_if_answer::empty_dir));
    }
    let host_path = volume.host_path.as_ref()?;
    let node = pod.spec.node_name.as_ref()?;
    Some(sentence!(
        what_if_answer::host_path,
        path = &*host_path.path,
        node = node.as_str()
    ))
}
