//! Pods that were unschedulable when the dump was taken, and whose claims or volumes are not in it. The refusal is
//! evidence: no stand-in may make these pods schedulable (P-09).

use podscope_api::ordered;
use podscope_api::well_known::condition;
use podscope_api::{
    ConditionStatus, Kind, Node, Object, ObjectKey, ObjectMeta, PersistentVolume, PersistentVolumeClaim, Pod, Str,
};

use super::stand_ins::configuration_of;
use super::{Assumed, NOT_IN_THE_DUMP, imported_pods};
use crate::Objects;
use crate::volume::claim_name;

/// The objects without which it cannot be explained why an imported pod is pending.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MissingNodesOrStorage {
    /// All Nodes: only their names are known.
    Nodes,
    /// The claims with these names.
    Claims(Vec<Str>),
    /// The volumes of the claims with these names.
    Volumes(Vec<Str>),
}

fn is_stand_in(meta: &ObjectMeta) -> bool {
    meta.annotation(NOT_IN_THE_DUMP).is_some()
}

impl Objects {
    /// Returns the objects whose absence from the dump makes it unknown where the pod can be placed; `None` if real
    /// objects have replaced all their stand-ins.
    pub fn missing_objects(&self, pod: &Pod) -> Option<MissingNodesOrStorage> {
        let assumed = self.assumed();
        if assumed.knows_only_node_names() && self.list::<Node>().all(|node| is_stand_in(&node.metadata)) {
            return Some(MissingNodesOrStorage::Nodes);
        }
        if !assumed
            .unschedulable_with_missing_storage()
            .contains_key(&pod.metadata.key())
        {
            return None;
        }
        let (mut made_claims, mut bound) = (Vec::new(), Vec::new());
        for key in claim_keys_of_pod(pod) {
            let Some(claim) = self.get::<PersistentVolumeClaim>(&key) else {
                continue;
            };
            let volume = self.named::<PersistentVolume>(&claim.spec.volume_name);
            if is_stand_in(&claim.metadata) {
                made_claims.push(key.name);
            } else if volume.is_some_and(|volume| is_stand_in(&volume.metadata)) {
                bound.push(key.name);
            }
        }
        match (made_claims.is_empty(), bound.is_empty()) {
            (false, _) => Some(MissingNodesOrStorage::Claims(made_claims)),
            (true, false) => Some(MissingNodesOrStorage::Volumes(bound)),
            _ => None,
        }
    }

    /// Returns whether the pod's `PodScheduled` condition still holds the message of the real scheduler.
    pub fn has_imported_scheduler_message(&self, pod: &Pod) -> bool {
        let condition = pod.condition(condition::POD_SCHEDULED);
        condition.is_some_and(|own| self.assumed().unschedulable_pods().get(&pod.metadata.key()) == Some(&own.message))
    }
}

/// Problem of a claim, according to the scheduler's message about an unschedulable pod that uses the claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RefusedClaim {
    /// The scheduler did not find the claim.
    Missing,
    /// The claim is not bound, and its binding does not wait for a pod.
    Unbound,
    /// The message does not name the claim; its volume may be out of reach of all nodes.
    NotNamed,
}

/// Returns the scheduler's message about a pending pod; `None` if the pod was not refused.
fn scheduler_refusal(pod: &Pod) -> Option<&Str> {
    let condition = pod.condition(condition::POD_SCHEDULED)?;
    let is_refused = condition.status == ConditionStatus::False && &*condition.reason == "Unschedulable";
    (is_refused && pod.spec.node_name.is_none() && !pod.is_terminal()).then_some(&condition.message)
}

/// Returns the keys of the PersistentVolumeClaims that a pod uses.
fn claim_keys_of_pod(pod: &Pod) -> impl Iterator<Item = ObjectKey> {
    let names = pod.spec.volumes.iter().filter_map(|volume| claim_name(pod, volume));
    names.map(|name| ObjectKey::new(pod.metadata.namespace.clone(), name))
}

/// Returns the claims that only unschedulable pods use.
pub(super) fn claims_of_refused_pods(objects: &[Object]) -> ordered::Map<ObjectKey, RefusedClaim> {
    let mut refused = ordered::Map::new();
    for pod in imported_pods(objects) {
        let Some(message) = scheduler_refusal(pod) else {
            continue;
        };
        for claim in claim_keys_of_pod(pod) {
            let is_reported_missing = message.contains(&format!("persistentvolumeclaim \"{}\" not found", claim.name));
            let found = if is_reported_missing {
                RefusedClaim::Missing
            } else if message.contains("unbound immediate PersistentVolumeClaims") {
                RefusedClaim::Unbound
            } else {
                RefusedClaim::NotNamed
            };
            refused.insert(claim, found);
        }
    }
    for pod in imported_pods(objects).filter(|pod| !pod.is_terminal() && scheduler_refusal(pod).is_none()) {
        for claim in claim_keys_of_pod(pod) {
            refused.remove(&claim);
        }
    }
    refused
}

/// Stores the unschedulable pods, and which of them stay pending because their claims or volumes are not in the dump.
pub(super) fn store_unschedulable_pods(assumed: &mut Assumed, objects: &[Object]) {
    let refused = claims_of_refused_pods(objects);
    let mut held: ordered::Map<ObjectKey, &Str> = ordered::Map::new();
    let mut volumes: ordered::Set<&str> = ordered::Set::new();
    for object in objects {
        match object {
            Object::PersistentVolumeClaim(claim) => {
                held.insert(claim.metadata.key(), &claim.spec.volume_name);
            }
            Object::PersistentVolume(volume) => {
                volumes.insert(&volume.metadata.name);
            }
            _ => {}
        }
    }
    let made_claims: ordered::Set<&ObjectKey> = (assumed.stand_ins.iter())
        .filter(|(kind, _)| *kind == Kind::PersistentVolumeClaim)
        .map(|(_, key)| key)
        .collect();
    let is_missing_in_dump = |claim: &ObjectKey| match held.get(claim) {
        None => made_claims.contains(claim) || refused.get(claim) == Some(&RefusedClaim::Missing),
        Some(volume) => !volume.is_empty() && !volumes.contains(&***volume),
    };
    for pod in imported_pods(objects) {
        if let Some(message) = scheduler_refusal(pod).filter(|message| !message.is_empty()) {
            assumed.unschedulable_pods.insert(pod.metadata.key(), message.clone());
        }
        if let Some(message) = scheduler_refusal(pod)
            && claim_keys_of_pod(pod).any(|claim| refused.contains_key(&claim) && is_missing_in_dump(&claim))
        {
            assumed
                .unschedulable_with_missing_storage
                .insert(pod.metadata.key(), message.clone());
        }
    }
}

/// Stores the pending pods that were not reported as unschedulable, each with the stand-ins that it uses: it may run
/// only because the stand-ins exist.
pub(super) fn store_pending_with_stand_ins(assumed: &mut Assumed, objects: &[Object]) {
    let stand_ins: ordered::Set<(Kind, ObjectKey)> = assumed.stand_ins.iter().cloned().collect();
    let volumes: ordered::Map<ObjectKey, &Str> = (objects.iter())
        .filter_map(|object| match object {
            Object::PersistentVolumeClaim(claim) => Some((claim.metadata.key(), &claim.spec.volume_name)),
            _ => None,
        })
        .collect();
    for pod in imported_pods(objects).filter(|pod| pod.spec.node_name.is_none() && !pod.is_terminal()) {
        if scheduler_refusal(pod).is_some() || !pod.spec.scheduling_gates.is_empty() {
            continue;
        }
        let storage = claim_keys_of_pod(pod).flat_map(|claim| {
            let volume = volumes.get(&claim).map(|name| ObjectKey::cluster((*name).clone()));
            let volume = volume.map(|key| (Kind::PersistentVolume, key));
            [Some((Kind::PersistentVolumeClaim, claim)), volume]
        });
        let namespace = &pod.metadata.namespace;
        let configuration = configuration_of(&pod.spec).into_keys();
        let configuration = configuration.map(|(kind, name)| (kind, ObjectKey::new(namespace.clone(), name)));
        let used = storage.flatten().chain(configuration);
        let rests_on: Vec<(Kind, Str)> = (used.filter(|object| stand_ins.contains(object)))
            .map(|(kind, key)| (kind, key.name))
            .collect();
        if !rests_on.is_empty() {
            assumed.pending_with_stand_ins.insert(pod.metadata.key(), rests_on);
        }
    }
}
