//! Pods that no node could take when the dump was taken, and whose claims or volumes are not in it: what was found
//! then is evidence. Nothing is made up that would let them be placed (P-09).

use podscope_api::ordered;
use podscope_api::{
    ConditionStatus, Kind, Node, Object, ObjectKey, ObjectMeta, PersistentVolume, PersistentVolumeClaim, Pod, Str,
};

use super::stand_ins::configuration_of;
use super::{Assumed, NOT_IN_THE_DUMP, pods};
use crate::Objects;
use crate::volume::claim_name;

/// What an answer about a pending pod would rest on, and a dump does not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unheld {
    /// Any Node: of each only the name is known.
    Nodes,
    /// Claims of these names.
    Claims(Vec<Str>),
    /// The volumes of the claims of these names.
    Volumes(Vec<Str>),
}

fn is_stand_in(meta: &ObjectMeta) -> bool {
    meta.annotation(NOT_IN_THE_DUMP).is_some()
}

impl Objects {
    /// What keeps everybody from knowing where a pod may go; none once what was made up has been replaced.
    pub fn unheld(&self, pod: &Pod) -> Option<Unheld> {
        let assumed = self.assumed();
        if assumed.knows_only_names() && self.list::<Node>().all(|node| is_stand_in(&node.metadata)) {
            return Some(Unheld::Nodes);
        }
        if !assumed.unplaced().contains_key(&pod.metadata.key()) {
            return None;
        }
        let (mut made, mut bound) = (Vec::new(), Vec::new());
        for key in claims(pod) {
            let Some(claim) = self.get::<PersistentVolumeClaim>(&key) else {
                continue;
            };
            let volume = self.named::<PersistentVolume>(&claim.spec.volume_name);
            if is_stand_in(&claim.metadata) {
                made.push(key.name);
            } else if volume.is_some_and(|volume| is_stand_in(&volume.metadata)) {
                bound.push(key.name);
            }
        }
        match (made.is_empty(), bound.is_empty()) {
            (false, _) => Some(Unheld::Claims(made)),
            (true, false) => Some(Unheld::Volumes(bound)),
            _ => None,
        }
    }

    /// Whether what the pod's status says of its refusal is what the real scheduler said.
    pub fn is_as_refused(&self, pod: &Pod) -> bool {
        let condition = pod.condition("PodScheduled");
        condition.is_some_and(|own| self.assumed().refused().get(&pod.metadata.key()) == Some(&own.message))
    }
}

/// What is known of a claim that a pod waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sought {
    /// The scheduler did not find it.
    Missing,
    /// It is not bound, and nothing that the scheduler does binds it.
    Unbound,
    /// Nothing, or that no node reaches its volume.
    Elsewhere,
}

/// What the scheduler said of a pod that waits; none of one that it has not refused.
fn refusal(pod: &Pod) -> Option<&Str> {
    let condition = pod.condition("PodScheduled")?;
    let is_refused = condition.status == ConditionStatus::False && &*condition.reason == "Unschedulable";
    (is_refused && pod.spec.node_name.is_none() && !pod.is_terminal()).then_some(&condition.message)
}

fn claims(pod: &Pod) -> impl Iterator<Item = ObjectKey> {
    let names = pod.spec.volumes.iter().filter_map(|volume| claim_name(pod, volume));
    names.map(|name| ObjectKey::new(pod.metadata.namespace.clone(), name))
}

/// The claims that only refused pods use.
pub(super) fn sought(objects: &[Object]) -> ordered::Map<ObjectKey, Sought> {
    let mut sought = ordered::Map::new();
    for pod in pods(objects) {
        let Some(message) = refusal(pod) else { continue };
        for claim in claims(pod) {
            let is_missing = message.contains(&format!("persistentvolumeclaim \"{}\" not found", claim.name));
            let found = if is_missing {
                Sought::Missing
            } else if message.contains("unbound immediate PersistentVolumeClaims") {
                Sought::Unbound
            } else {
                Sought::Elsewhere
            };
            sought.insert(claim, found);
        }
    }
    for pod in pods(objects).filter(|pod| !pod.is_terminal() && refusal(pod).is_none()) {
        for claim in claims(pod) {
            sought.remove(&claim);
        }
    }
    sought
}

/// Notes the pods that are kept waiting because the dump does not hold what they use.
pub(super) fn note(assumed: &mut Assumed, objects: &[Object]) {
    let sought = sought(objects);
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
    let made: ordered::Set<&ObjectKey> = (assumed.stand_ins.iter())
        .filter(|(kind, _)| *kind == Kind::PersistentVolumeClaim)
        .map(|(_, key)| key)
        .collect();
    let is_unseen = |claim: &ObjectKey| match held.get(claim) {
        None => made.contains(claim) || sought.get(claim) == Some(&Sought::Missing),
        Some(volume) => !volume.is_empty() && !volumes.contains(&***volume),
    };
    for pod in pods(objects) {
        if let Some(message) = refusal(pod).filter(|message| !message.is_empty()) {
            assumed.refused.insert(pod.metadata.key(), message.clone());
        }
        if let Some(message) = refusal(pod)
            && claims(pod).any(|claim| sought.contains_key(&claim) && is_unseen(&claim))
        {
            assumed.unplaced.insert(pod.metadata.key(), message.clone());
        }
    }
}

/// Notes the pods that nobody had placed or refused yet, and what was made up that they use: with it they may run.
pub(super) fn note_hopeful(assumed: &mut Assumed, objects: &[Object]) {
    let made: ordered::Set<(Kind, ObjectKey)> = assumed.stand_ins.iter().cloned().collect();
    let volumes: ordered::Map<ObjectKey, &Str> = (objects.iter())
        .filter_map(|object| match object {
            Object::PersistentVolumeClaim(claim) => Some((claim.metadata.key(), &claim.spec.volume_name)),
            _ => None,
        })
        .collect();
    for pod in pods(objects).filter(|pod| pod.spec.node_name.is_none() && !pod.is_terminal()) {
        if refusal(pod).is_some() || !pod.spec.scheduling_gates.is_empty() {
            continue;
        }
        let storage = claims(pod).flat_map(|claim| {
            let volume = volumes.get(&claim).map(|name| ObjectKey::cluster((*name).clone()));
            let volume = volume.map(|key| (Kind::PersistentVolume, key));
            [Some((Kind::PersistentVolumeClaim, claim)), volume]
        });
        let namespace = &pod.metadata.namespace;
        let configuration = configuration_of(&pod.spec).into_keys();
        let configuration = configuration.map(|(kind, name)| (kind, ObjectKey::new(namespace.clone(), name)));
        let used = storage.flatten().chain(configuration);
        let rests_on: Vec<(Kind, Str)> = (used.filter(|one| made.contains(one)))
            .map(|(kind, key)| (kind, key.name))
            .collect();
        if !rests_on.is_empty() {
            assumed.hopeful.insert(pod.metadata.key(), rests_on);
        }
    }
}
