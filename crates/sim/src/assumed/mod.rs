//! What a dump of part of a cluster refers to and does not hold (P-09).
//!
//! A dump is a window: an owner, a claim or a node that is not in it is not gone. Imported objects (those with a UID)
//! are looked at once, before the world begins:
//!
//! - what can be made up without saying anything false (a namespace, a class with the priority its pods carry, the
//!   claim that a volume names) gets a *stand-in*, an object like any other;
//! - what cannot (a ReplicaSet whose template nobody knows) is *assumed*: controllers ask [`Assumed`] before they take
//!   its absence for its end.
//!
//! What was written without a UID keeps the rules of a live cluster.

mod conditions;
mod left_alone;
mod moment;
mod stand_ins;
mod troubles;
mod unplaced;

use podscope_api::ordered;
use podscope_api::{Kind, Labels, NodeCondition, NodeName, Object, ObjectKey, Pod, Str, Uid};

pub use conditions::{is_heard, newest_heartbeat};
pub use moment::newest_time;
pub use stand_ins::{NOT_IN_THE_DUMP, OWN_NAMESPACES};
pub use troubles::Trouble;
pub use unplaced::Unheld;

/// Pods that a workload counts in its status and the dump does not hold.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MissingPods {
    /// `status.replicas`, less those that the dump holds.
    pub replicas: i32,
    /// The same of `status.readyReplicas`.
    pub ready: i32,
    /// The same of `status.availableReplicas`.
    pub available: i32,
}

/// An owner that is not in the dump.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owner {
    pub kind: Kind,
    /// Its namespace and name.
    pub key: ObjectKey,
    /// How many objects of the dump it controls: what it is taken to want.
    pub controlled: i64,
}

/// What the world takes for granted because a dump could not hold it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Assumed {
    owners: ordered::Map<Uid, Owner>,
    missing_pods: ordered::Map<Uid, MissingPods>,
    left_alone: ordered::Set<Uid>,
    /// Pods that were being deleted already.
    leaving: ordered::Set<Uid>,
    attachments: ordered::Set<(Str, NodeName)>,
    revisions: ordered::Map<Uid, Str>,
    stand_ins: Vec<(Kind, ObjectKey)>,
    troubles: ordered::Map<Uid, Vec<(Str, Trouble)>>,
    /// Pods that do not run as they should, each with the word for it.
    troubled: Vec<(ObjectKey, Str)>,
    unplaced: ordered::Map<ObjectKey, Str>,
    hopeful: ordered::Map<ObjectKey, Vec<(Kind, Str)>>,
    /// What kubelets say of their nodes that is not well, by the node's name.
    conditions: ordered::Map<Str, Vec<NodeCondition>>,
    unmetered: ordered::Set<Uid>,
    refused: ordered::Map<ObjectKey, Str>,
    /// Annotations of Deployments, which their ReplicaSets have as far as the dump says so.
    annotations: ordered::Map<Uid, Labels>,
    knows_only_names: bool,
}

impl Assumed {
    /// Looks at what a scenario imports, and adds the stand-ins to it. Some nodes may be made without being among the
    /// objects.
    pub fn complete(objects: &mut Vec<Object>, generated: impl IntoIterator<Item = Str>) -> Assumed {
        let mut assumed = Assumed::default();
        if !objects.iter().any(is_imported) {
            return assumed;
        }
        let generated: Vec<Str> = generated.into_iter().collect();
        let stand_ins = stand_ins::of(objects, &generated);
        assumed.stand_ins = stand_ins.iter().map(|object| (object.kind(), object.key())).collect();
        assumed.owners(objects);
        left_alone::note(&mut assumed, objects, &generated);
        let leaving = pods(objects).filter(|pod| pod.metadata.is_terminating());
        assumed.leaving = leaving.map(|pod| pod.metadata.uid.clone()).collect();
        troubles::note(&mut assumed, objects);
        unplaced::note(&mut assumed, objects);
        unplaced::note_hopeful(&mut assumed, objects);
        conditions::note(&mut assumed, objects);
        assumed.unmetered = left_alone::unmetered(objects);
        let deployments = objects
            .iter()
            .filter(|object| is_imported(object) && object.kind() == Kind::Deployment);
        let annotated = deployments.map(|one| (one.metadata().uid.clone(), one.metadata().annotations.clone()));
        assumed.annotations = annotated.collect();
        let is_node = |object: &Object| object.kind() == Kind::Node;
        assumed.knows_only_names =
            generated.is_empty() && !objects.iter().any(is_node) && stand_ins.iter().any(is_node);
        objects.extend(stand_ins);
        assumed
    }

    /// Whether nothing is assumed.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether the object of that UID lives although the world has never seen it.
    pub fn lives(&self, uid: &Uid) -> bool {
        self.owners.contains_key(uid)
    }

    /// The owner of that UID, if it is assumed.
    pub fn owner(&self, uid: &Uid) -> Option<&Owner> {
        self.owners.get(uid)
    }

    /// The owners that are assumed.
    pub fn all_owners(&self) -> impl Iterator<Item = &Owner> {
        self.owners.values()
    }

    /// What a workload has beyond the pods of the dump.
    pub fn missing_pods(&self, owner: &Uid) -> MissingPods {
        self.missing_pods.get(owner).copied().unwrap_or_default()
    }

    /// Whether controllers keep their hands off the object: what they would act on is not in the dump.
    pub fn is_left_alone(&self, uid: &Uid) -> bool {
        self.left_alone.contains(uid)
    }

    /// Whether the pod was being deleted when the dump was made: whoever had a reason to delete it has done so.
    pub fn was_leaving(&self, pod: &Uid) -> bool {
        self.leaving.contains(pod)
    }

    /// How many objects controllers keep their hands off, or count pods for that the dump does not hold.
    pub fn n_left_alone(&self) -> usize {
        self.left_alone.len() + self.missing_pods.len()
    }

    /// Whether a pod that is not in the dump is taken to use the volume there.
    pub fn is_attached(&self, volume: &str, node: &NodeName) -> bool {
        self.attachments.contains(&(volume.into(), node.clone()))
    }

    /// The name of the revision of a workload's present template, where the dump has none of its revisions.
    pub fn revision(&self, owner: &Uid) -> Option<&Str> {
        self.revisions.get(owner)
    }

    /// Kind and name of what was made up, in the order it was made.
    pub fn stand_ins(&self) -> &[(Kind, ObjectKey)] {
        &self.stand_ins
    }

    /// What is wrong with containers of an imported pod, by name.
    pub fn troubles(&self, pod: &Uid) -> &[(Str, Trouble)] {
        self.troubles.get(pod).map_or(&[], Vec::as_slice)
    }

    /// Pods that do not run as they should, each with the word for it.
    pub fn troubled(&self) -> &[(ObjectKey, Str)] {
        &self.troubled
    }

    /// Conditions of nodes that last: what each is short of, and that it is not ready by its own word.
    pub fn conditions(&self) -> &ordered::Map<Str, Vec<NodeCondition>> {
        &self.conditions
    }

    /// Pods that no node could take when the dump was taken and that use a claim or volume that is not in it, each with
    /// what the scheduler said.
    pub fn unplaced(&self) -> &ordered::Map<ObjectKey, Str> {
        &self.unplaced
    }

    /// Pending pods that nobody had refused when the dump was taken, each with what it uses that was made up.
    pub fn hopeful(&self) -> &ordered::Map<ObjectKey, Vec<(Kind, Str)>> {
        &self.hopeful
    }

    /// Pods that no node could take when the dump was taken, each with what the scheduler said.
    pub fn refused(&self) -> &ordered::Map<ObjectKey, Str> {
        &self.refused
    }

    /// Whether of every node only the name is known: why a pod is pending nobody can say.
    pub fn knows_only_names(&self) -> bool {
        self.knows_only_names
    }

    /// Whether a Deployment had that annotation already: whoever copies it has done so, or left it out.
    pub fn had_annotation(&self, deployment: &Uid, key: &str, value: &str) -> bool {
        let known = self.annotations.get(deployment);
        known.is_some_and(|known| known.get(key).is_some_and(|own| **own == *value))
    }

    /// Autoscalers of a real cluster, where nothing says what pods use.
    pub fn unmetered(&self) -> &ordered::Set<Uid> {
        &self.unmetered
    }

    /// Owners that references name and nobody holds. One whose name another has taken is gone.
    fn owners(&mut self, objects: &[Object]) {
        let held: ordered::Set<&Uid> = objects.iter().map(|object| &object.metadata().uid).collect();
        let names: ordered::Set<(Kind, ObjectKey)> =
            objects.iter().map(|object| (object.kind(), object.key())).collect();
        for object in objects.iter().filter(|object| is_imported(object)) {
            let meta = object.metadata();
            for reference in &meta.owner_references {
                let Some(kind) = Kind::from_wire(&reference.api_version, &reference.kind) else {
                    continue;
                };
                let namespace = if kind.is_namespaced() {
                    meta.namespace.clone()
                } else {
                    "".into()
                };
                let key = ObjectKey::new(namespace, reference.name.clone());
                if held.contains(&reference.uid) || names.contains(&(kind, key.clone())) {
                    continue;
                }
                let owner = self.owners.entry(reference.uid.clone()).or_insert(Owner {
                    kind,
                    key,
                    controlled: 0,
                });
                owner.controlled += i64::from(reference.controller == Some(true));
            }
        }
    }
}

/// Whether an object was read from a live cluster.
fn is_imported(object: &Object) -> bool {
    !object.metadata().uid.is_empty()
}

/// The imported pods.
fn pods(objects: &[Object]) -> impl Iterator<Item = &Pod> {
    objects
        .iter()
        .filter(|object| is_imported(object))
        .filter_map(|object| match object {
            Object::Pod(pod) => Some(&**pod),
            _ => None,
        })
}
