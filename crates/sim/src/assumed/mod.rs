//! Objects that a dump of part of a cluster refers to but does not contain (P-09).
//!
//! A dump is a partial view: an owner, a claim or a node that is absent from it may well exist. Imported objects (those
//! with a UID) are inspected once, before the world starts:
//!
//! - A missing object about which enough is known gets a *stand-in*, an object like any other. Examples: a namespace, a
//!   PriorityClass with the priority of its pods, the claim that a volume names.
//! - A missing object about which too little is known (a ReplicaSet whose template is unknown) is *assumed* to exist:
//!   controllers ask [`Assumed`] before they treat it as deleted.
//!
//! Objects written without a UID follow the rules of a live cluster.

mod conditions;
mod container_problems;
mod dump_time;
mod left_alone;
mod stand_ins;
mod unschedulable;

use podscope_api::ordered;
use podscope_api::{Kind, Labels, NodeCondition, NodeName, Object, ObjectKey, OwnerReference, Pod, Str, Uid};

pub use conditions::{newest_heartbeat, was_kubelet_reporting};
pub use container_problems::ContainerProblem;
pub use dump_time::dump_time;
pub use stand_ins::{INITIAL_NAMESPACES, NOT_IN_THE_DUMP};
pub use unschedulable::MissingNodesOrStorage;

/// Pods that a workload counts in its status but that the dump does not contain.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MissingPods {
    /// `status.replicas` minus the pods in the dump.
    pub replicas: i32,
    /// The same difference for `status.readyReplicas`.
    pub ready: i32,
    /// The same difference for `status.availableReplicas`.
    pub available: i32,
}

/// An owner that is not in the dump.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owner {
    pub kind: Kind,
    pub key: ObjectKey,
    /// Number of objects in the dump that the owner controls; it is assumed to be the number that the owner needs.
    pub controlled: i64,
}

/// Everything that the world assumes to exist or to be true because the dump could not contain it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Assumed {
    owners: ordered::Map<Uid, Owner>,
    missing_pods: ordered::Map<Uid, MissingPods>,
    left_alone: ordered::Set<Uid>,
    /// UIDs of the pods that were already terminating when the dump was taken.
    terminating: ordered::Set<Uid>,
    attachments: ordered::Set<(Str, NodeName)>,
    revisions: ordered::Map<Uid, Str>,
    stand_ins: Vec<(Kind, ObjectKey)>,
    container_problems: ordered::Map<Uid, Vec<(Str, ContainerProblem)>>,
    /// Pods with container problems, each with its status as `kubectl get pods` prints it.
    pods_with_problems: Vec<(ObjectKey, Str)>,
    unschedulable_with_missing_storage: ordered::Map<ObjectKey, Str>,
    pending_with_stand_ins: ordered::Map<ObjectKey, Vec<(Kind, Str)>>,
    /// Lasting conditions of unhealthy nodes, by node name.
    node_conditions: ordered::Map<Str, Vec<NodeCondition>>,
    autoscalers_without_load: ordered::Set<Uid>,
    unschedulable_pods: ordered::Map<ObjectKey, Str>,
    /// Annotations of imported Deployments. Their ReplicaSets are assumed to have received them already.
    annotations: ordered::Map<Uid, Labels>,
    knows_only_node_names: bool,
}

impl Assumed {
    /// Inspects the objects that a scenario imports, and adds the stand-ins to them. `generated_nodes` are the names of
    /// nodes that the scenario generates and that are not among the objects.
    pub fn inspect_and_add_stand_ins(
        objects: &mut Vec<Object>,
        generated_nodes: impl IntoIterator<Item = Str>,
    ) -> Assumed {
        let mut assumed = Assumed::default();
        if !objects.iter().any(is_imported) {
            return assumed;
        }
        let generated_nodes: Vec<Str> = generated_nodes.into_iter().collect();
        let stand_ins = stand_ins::stand_ins_for(objects, &generated_nodes);
        assumed.stand_ins = stand_ins.iter().map(|object| (object.kind(), object.key())).collect();
        assumed.collect_missing_owners(objects);
        left_alone::store_left_alone(&mut assumed, objects, &generated_nodes);
        let terminating = imported_pods(objects).filter(|pod| pod.metadata.is_terminating());
        assumed.terminating = terminating.map(|pod| pod.metadata.uid.clone()).collect();
        container_problems::store_container_problems(&mut assumed, objects);
        unschedulable::store_unschedulable_pods(&mut assumed, objects);
        unschedulable::store_pending_with_stand_ins(&mut assumed, objects);
        conditions::store_node_conditions(&mut assumed, objects);
        assumed.autoscalers_without_load = left_alone::autoscalers_without_load(objects);
        let deployments = objects
            .iter()
            .filter(|object| is_imported(object) && object.kind() == Kind::Deployment);
        let annotated = deployments.map(|one| (one.metadata().uid.clone(), one.metadata().annotations.clone()));
        assumed.annotations = annotated.collect();
        let is_node = |object: &Object| object.kind() == Kind::Node;
        assumed.knows_only_node_names =
            generated_nodes.is_empty() && !objects.iter().any(is_node) && stand_ins.iter().any(is_node);
        objects.extend(stand_ins);
        assumed
    }

    /// Returns whether nothing is assumed.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns whether the object with this UID is assumed to exist.
    pub fn is_assumed_to_exist(&self, uid: &Uid) -> bool {
        self.owners.contains_key(uid)
    }

    /// Returns the assumed owner with this UID.
    pub fn owner(&self, uid: &Uid) -> Option<&Owner> {
        self.owners.get(uid)
    }

    /// Returns all assumed owners.
    pub fn all_owners(&self) -> impl Iterator<Item = &Owner> {
        self.owners.values()
    }

    /// Returns the pods that a workload has beyond those in the dump.
    pub fn missing_pods(&self, owner: &Uid) -> MissingPods {
        self.missing_pods.get(owner).copied().unwrap_or_default()
    }

    /// Returns whether controllers do not reconcile the object, because they would react to objects that are not in the
    /// dump.
    pub fn is_left_alone(&self, uid: &Uid) -> bool {
        self.left_alone.contains(uid)
    }

    /// Returns whether the pod was terminating when the dump was taken, so no controller deletes it again.
    pub fn was_terminating(&self, pod: &Uid) -> bool {
        self.terminating.contains(pod)
    }

    /// Returns the number of objects that controllers leave alone, plus workloads with pods that the dump does not
    /// contain.
    pub fn n_left_alone(&self) -> usize {
        self.left_alone.len() + self.missing_pods.len()
    }

    /// Returns whether a pod that is not in the dump is assumed to use the volume on that node.
    pub fn is_attached(&self, volume: &str, node: &NodeName) -> bool {
        self.attachments.contains(&(volume.into(), node.clone()))
    }

    /// Returns the name of the workload's current revision, if the dump contains none of its ControllerRevisions.
    pub fn current_revision(&self, owner: &Uid) -> Option<&Str> {
        self.revisions.get(owner)
    }

    /// Returns kind and key of each stand-in (an object created for one that the dump lacks), in creation order.
    pub fn stand_ins(&self) -> &[(Kind, ObjectKey)] {
        &self.stand_ins
    }

    /// Returns the problems of an imported pod's containers, each with the name of the container.
    pub fn container_problems(&self, pod: &Uid) -> &[(Str, ContainerProblem)] {
        self.container_problems.get(pod).map_or(&[], Vec::as_slice)
    }

    /// Returns the pods with container problems, each with its status as `kubectl get pods` prints it.
    pub fn pods_with_problems(&self) -> &[(ObjectKey, Str)] {
        &self.pods_with_problems
    }

    /// Returns the lasting conditions of nodes: pressure, and `Ready=False` reported by the kubelet.
    pub fn node_conditions(&self) -> &ordered::Map<Str, Vec<NodeCondition>> {
        &self.node_conditions
    }

    /// Returns the pods that were unschedulable when the dump was taken and use a claim or volume that the dump does
    /// not contain, each with the scheduler's message.
    pub fn unschedulable_with_missing_storage(&self) -> &ordered::Map<ObjectKey, Str> {
        &self.unschedulable_with_missing_storage
    }

    /// Returns the pods that were pending but not reported as unschedulable when the dump was taken, each with the
    /// stand-ins that it uses.
    pub fn pending_with_stand_ins(&self) -> &ordered::Map<ObjectKey, Vec<(Kind, Str)>> {
        &self.pending_with_stand_ins
    }

    /// Returns the pods that were unschedulable when the dump was taken, each with the scheduler's message.
    pub fn unschedulable_pods(&self) -> &ordered::Map<ObjectKey, Str> {
        &self.unschedulable_pods
    }

    /// Returns whether the dump contains no Nodes, so that only their names are known and nothing can explain why a pod
    /// is pending.
    pub fn knows_only_node_names(&self) -> bool {
        self.knows_only_node_names
    }

    /// Returns whether the imported Deployment had this annotation, so that it was already copied to its ReplicaSets or
    /// deliberately left out.
    pub fn had_annotation(&self, deployment: &Uid, key: &str, value: &str) -> bool {
        let known = self.annotations.get(deployment);
        known.is_some_and(|known| known.get(key).is_some_and(|own| **own == *value))
    }

    /// Returns the UIDs of imported HorizontalPodAutoscalers for which no resource usage is known.
    pub fn autoscalers_without_load(&self) -> &ordered::Set<Uid> {
        &self.autoscalers_without_load
    }

    /// Collects owners that ownerReferences name but the dump does not contain. If another object has the owner's name,
    /// the owner was deleted and is not assumed.
    fn collect_missing_owners(&mut self, objects: &[Object]) {
        let imported = || objects.iter().filter(|object| is_imported(object));
        // A few owners own most of the objects, so two small sets suffice: the UIDs of the owners, and the UIDs of the
        // objects that are owners.
        let named: ordered::Set<&Uid> = imported()
            .flat_map(|object| &object.metadata().owner_references)
            .map(|reference| &reference.uid)
            .collect();
        let uids = objects.iter().map(|object| &object.metadata().uid);
        let held: ordered::Set<&Uid> = uids.filter(|uid| named.contains(uid)).collect();
        let mut absent: Vec<(&OwnerReference, Kind, ObjectKey)> = Vec::new();
        for object in imported() {
            let references = object.metadata().owner_references.iter();
            for reference in references.filter(|one| !held.contains(&one.uid)) {
                let Some(kind) = Kind::from_wire(&reference.api_version, &reference.kind) else {
                    continue;
                };
                let namespace = if kind.is_namespaced() {
                    object.metadata().namespace.clone()
                } else {
                    "".into()
                };
                absent.push((reference, kind, ObjectKey::new(namespace, reference.name.clone())));
            }
        }
        let wanted: ordered::Set<(Kind, &ObjectKey)> = absent.iter().map(|(_, kind, key)| (*kind, key)).collect();
        let kinds: ordered::Set<Kind> = absent.iter().map(|(_, kind, _)| *kind).collect();
        let taken: ordered::Set<(Kind, ObjectKey)> = (objects.iter())
            .filter(|object| kinds.contains(&object.kind()))
            .map(|object| (object.kind(), object.key()))
            .filter(|(kind, key)| wanted.contains(&(*kind, key)))
            .collect();
        for (reference, kind, key) in &absent {
            if taken.contains(&(*kind, key.clone())) {
                continue;
            }
            let owner = self.owners.entry(reference.uid.clone()).or_insert_with(|| Owner {
                kind: *kind,
                key: key.clone(),
                controlled: 0,
            });
            owner.controlled += i64::from(reference.controller == Some(true));
        }
    }
}

fn is_imported(object: &Object) -> bool {
    !object.metadata().uid.is_empty()
}

/// Returns the pods among the imported objects.
fn imported_pods(objects: &[Object]) -> impl Iterator<Item = &Pod> {
    objects
        .iter()
        .filter(|object| is_imported(object))
        .filter_map(|object| match object {
            Object::Pod(pod) => Some(&**pod),
            _ => None,
        })
}
