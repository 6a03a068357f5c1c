//! Finds the imported objects that controllers leave alone, because they would react to the absence of objects that
//! the dump does not contain: pods that a status counts, contents of a terminating namespace, users of a volume.

use podscope_api::ordered;
use podscope_api::well_known::label;
use podscope_api::{
    ConditionStatus, DaemonSet, EndpointSlice, Kind, Object, ObjectMeta, Pod, Service, StatefulSet, Str, Uid,
};

use super::{Assumed, MissingPods, imported_pods, is_imported};
use crate::volume::claim_name;

/// Finalizer of an owner in foreground deletion.
const FOREGROUND_FINALIZER: &str = "foregroundDeletion";
/// Label of a pod with the hash of its ControllerRevision.
const REVISION_LABEL: &str = "controller-revision-hash";

/// Indexes over the objects of the dump, for the checks in this module.
#[derive(Default)]
struct DumpIndex<'o> {
    /// Number of active pods and number of ready pods, by controller UID.
    pods: ordered::Map<&'o Uid, (i32, i32)>,
    /// UIDs of the owners of any object in the dump.
    owners: ordered::Set<&'o Uid>,
    /// UIDs of owners, with the kind of the objects that they own: Deployments with a ReplicaSet, workloads with a
    /// ControllerRevision.
    owners_of: ordered::Set<(Kind, &'o Uid)>,
    namespaces: ordered::Set<&'o str>,
    nodes: ordered::Set<&'o str>,
    /// Namespace and name of the claims that pods in the dump use.
    claims: ordered::Set<(&'o str, Str)>,
    /// Namespace and name of Services with endpoints.
    service_with_endpoints: ordered::Set<(&'o str, &'o str)>,
}

impl<'o> DumpIndex<'o> {
    fn of(objects: &'o [Object]) -> Self {
        let mut held = DumpIndex::default();
        for object in objects {
            let meta = object.metadata();
            held.namespaces.insert(&meta.namespace);
            if object.kind() == Kind::Node {
                held.nodes.insert(&meta.name);
            }
            for owner in &meta.owner_references {
                held.owners.insert(&owner.uid);
                held.owners_of.insert((object.kind(), &owner.uid));
            }
            if let Object::EndpointSlice(slice) = object
                && let Some(service) = service_with_endpoints(slice)
            {
                held.service_with_endpoints.insert((&meta.namespace, service));
            }
        }
        for pod in imported_pods(objects) {
            let names = pod.spec.volumes.iter().filter_map(|volume| claim_name(pod, volume));
            held.claims.extend(names.map(|name| (&*pod.metadata.namespace, name)));
            if let Some(owner) = pod.metadata.controller_ref()
                && !pod.is_terminal()
                && !pod.metadata.is_terminating()
            {
                let count = held.pods.entry(&owner.uid).or_default();
                count.0 += 1;
                count.1 += i32::from(pod.is_ready());
            }
        }
        held
    }

    /// Returns the number of active pods and the number of ready pods that an owner controls in the dump.
    fn pods_of(&self, meta: &ObjectMeta) -> (i32, i32) {
        self.pods.get(&meta.uid).copied().unwrap_or_default()
    }
}

fn service_with_endpoints(slice: &EndpointSlice) -> Option<&str> {
    (!slice.endpoints.is_empty()).then(|| slice.metadata.label(label::SERVICE_NAME))?
}

/// Stores which imported objects the controllers do not reconcile. Also stores what a workload or VolumeAttachment
/// shows about missing objects: the number of missing pods, the current revision, and volumes that missing pods use.
pub(super) fn store_left_alone(assumed: &mut Assumed, objects: &[Object], generated_nodes: &[Str]) {
    let mut held = DumpIndex::of(objects);
    held.nodes.extend(generated_nodes.iter().map(|name| &**name));
    for object in objects.iter().filter(|object| is_imported(object)) {
        let meta = object.metadata();
        if waits_for_missing_objects(object, &held) || would_react_to_missing_objects(object, objects, &held) {
            assumed.left_alone.insert(meta.uid.clone());
        }
        let counted = match object {
            Object::ReplicaSet(set) => Some(&set.status),
            Object::ReplicationController(set) => Some(&set.status),
            _ => None,
        };
        if let Some(status) = counted {
            let (replicas, ready) = held.pods_of(meta);
            let shortfall = |counted: i32, held: i32| (counted - held).max(0);
            let missing = MissingPods {
                replicas: shortfall(status.replicas, replicas),
                ready: shortfall(status.ready_replicas.unwrap_or(0), ready),
                available: shortfall(status.available_replicas.unwrap_or(0), ready),
            };
            if missing.replicas > 0 {
                assumed.missing_pods.insert(meta.uid.clone(), missing);
            }
        }
        if let Some(revision) = missing_revision(object, objects, &held) {
            assumed.revisions.insert(meta.uid.clone(), revision);
        }
        if let Object::VolumeAttachment(attachment) = object
            && let Some(volume) = &attachment.spec.source.persistent_volume_name
            && !is_volume_used(volume, &attachment.spec.node_name, objects)
        {
            assumed
                .attachments
                .insert((volume.clone(), attachment.spec.node_name.clone()));
        }
    }
}

/// Returns the UIDs of HorizontalPodAutoscalers without a load annotation: the real usage of their pods is not in a
/// dump.
pub(super) fn autoscalers_without_load(objects: &[Object]) -> ordered::Set<Uid> {
    let imported = objects.iter().filter(|object| is_imported(object));
    let unknown = imported.filter(|object| {
        let meta = object.metadata();
        object.kind() == Kind::HorizontalPodAutoscaler
            && podscope_api::parse_load_annotation(&meta.annotations).is_ok_and(|load| load.is_empty())
    });
    unknown.map(|object| object.metadata().uid.clone()).collect()
}

/// Returns whether a terminating object waits for objects that the dump does not contain: the contents of a namespace,
/// the users of a claim, or dependents.
fn waits_for_missing_objects(object: &Object, held: &DumpIndex<'_>) -> bool {
    let meta = object.metadata();
    if !meta.is_terminating() {
        return false;
    }
    let is_foreground = meta.finalizers.iter().any(|name| &**name == FOREGROUND_FINALIZER);
    match object {
        Object::Namespace(namespace) => {
            let remains = namespace.status.conditions.iter().any(|condition| {
                condition.status == ConditionStatus::True
                    && matches!(
                        &*condition.kind,
                        "NamespaceContentRemaining" | "NamespaceFinalizersRemaining"
                    )
            });
            remains && !held.namespaces.contains(&*meta.name)
        }
        Object::PersistentVolumeClaim(_) => !held.claims.contains(&(&*meta.namespace, meta.name.clone())),
        _ => is_foreground && !held.owners.contains(&meta.uid),
    }
}

/// Returns whether the object's controller would recreate, delete or recount objects because the dump lacks some.
fn would_react_to_missing_objects(object: &Object, objects: &[Object], held: &DumpIndex<'_>) -> bool {
    let meta = object.metadata();
    let pods_here = held.pods_of(meta).0;
    match object {
        Object::Deployment(deployment) => {
            deployment.status.replicas.unwrap_or(0) > 0 && !held.owners_of.contains(&(Kind::ReplicaSet, &meta.uid))
        }
        Object::StatefulSet(set) => set.status.replicas > pods_here && !has_ending_pods(objects, meta),
        // The DaemonSet controller reads the Node to decide where a daemon pod belongs.
        Object::DaemonSet(set) => {
            (set.status.current_number_scheduled > pods_here && !has_ending_pods(objects, meta))
                || imported_pods(objects).any(|pod| {
                    let is_theirs = pod.metadata.controller_ref().is_some_and(|owner| owner.uid == meta.uid);
                    let node = pod.spec.node_name.as_ref();
                    is_theirs && node.is_some_and(|node| !held.nodes.contains(node.as_str()))
                })
        }
        Object::Job(job) => job.status.active.unwrap_or(0) > pods_here,
        Object::PodDisruptionBudget(budget) => {
            let selector = budget.spec.selector.as_ref();
            let covers = |pod: &Pod| {
                pod.metadata.namespace == meta.namespace
                    && selector.is_some_and(|selector| selector.matches(&pod.metadata.labels))
            };
            budget.status.expected_pods > 0 && !imported_pods(objects).any(covers)
        }
        Object::Service(service) => {
            held.service_with_endpoints.contains(&(&*meta.namespace, &*meta.name))
                && !imported_pods(objects).any(|pod| selects(service, pod))
        }
        _ => false,
    }
}

/// Returns whether the owner has pods that are terminating or finished. The status then counts more pods than are
/// active, although the dump lacks none.
fn has_ending_pods(objects: &[Object], owner: &ObjectMeta) -> bool {
    imported_pods(objects).any(|pod| {
        let is_theirs = pod
            .metadata
            .controller_ref()
            .is_some_and(|theirs| theirs.uid == owner.uid);
        is_theirs && (pod.metadata.is_terminating() || pod.is_terminal())
    })
}

fn selects(service: &Service, pod: &Pod) -> bool {
    let selector = service.spec.selector.iter().flatten();
    pod.metadata.namespace == service.metadata.namespace
        && selector
            .into_iter()
            .all(|(key, value)| pod.metadata.labels.get(key) == Some(value))
}

/// Returns the name of the current revision if the dump lacks it: a StatefulSet's status names it, for a DaemonSet it
/// follows from the newest pod's hash label.
fn missing_revision(object: &Object, objects: &[Object], held: &DumpIndex<'_>) -> Option<Str> {
    let meta = object.metadata();
    if held.owners_of.contains(&(Kind::ControllerRevision, &meta.uid)) {
        return None;
    }
    match object {
        Object::StatefulSet(set) => {
            let StatefulSet { status, .. } = &**set;
            (!status.update_revision.is_empty()).then(|| status.update_revision.clone())
        }
        Object::DaemonSet(set) => newest_revision_hash(set, objects).map(|hash| format!("{}-{hash}", meta.name).into()),
        _ => None,
    }
}

/// Returns the revision hash in the label of the newest pod of a DaemonSet.
fn newest_revision_hash<'o>(set: &DaemonSet, objects: &'o [Object]) -> Option<&'o str> {
    let theirs = imported_pods(objects).filter(|pod| {
        let owner = pod.metadata.controller_ref();
        owner.is_some_and(|owner| owner.uid == set.metadata.uid)
    });
    let newest = theirs.max_by_key(|pod| pod.metadata.creation_timestamp)?;
    newest.metadata.label(REVISION_LABEL)
}

/// Returns whether a pod of the dump on that node uses the volume.
fn is_volume_used(volume: &Str, node: &podscope_api::NodeName, objects: &[Object]) -> bool {
    let claim = objects.iter().find_map(|object| match object {
        Object::PersistentVolumeClaim(claim) if claim.spec.volume_name == *volume => Some(claim.metadata.key()),
        Object::PersistentVolume(known) if known.metadata.name == *volume => {
            let claim = known.spec.claim_ref.as_ref()?;
            Some(podscope_api::ObjectKey::new(
                claim.namespace.clone(),
                claim.name.clone(),
            ))
        }
        _ => None,
    });
    let Some(claim) = claim else { return false };
    imported_pods(objects)
        .filter(|pod| pod.spec.node_name.as_ref() == Some(node) && pod.metadata.namespace == claim.namespace)
        .any(|pod| {
            let mut names = pod.spec.volumes.iter().filter_map(|volume| claim_name(pod, volume));
            names.any(|name| name == claim.name)
        })
}
