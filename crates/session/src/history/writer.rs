//! Determines from the objects of a history whether a simulated component made a write.

use podscope_api::Kind;
use podscope_api::well_known::condition;
use serde_json::Value;

use super::replay::{KnownObject, KnownObjects};
use super::{ChangeTarget, target, text};

/// Kinds whose objects are all written by components, not by users.
const COMPONENT_KINDS: [Kind; 6] = [
    Kind::Endpoints,
    Kind::Event,
    Kind::Lease,
    Kind::EndpointSlice,
    Kind::ControllerRevision,
    Kind::VolumeAttachment,
];

/// Returns whether components write all objects of the resource with this plural name, in any group.
pub(super) fn is_components_resource(plural: &str) -> bool {
    COMPONENT_KINDS.iter().any(|kind| kind.plural() == plural)
}

/// Kinds whose controllers are simulated.
const SIMULATED_CONTROLLER_KINDS: [Kind; 8] = [
    Kind::ReplicaSet,
    Kind::Deployment,
    Kind::StatefulSet,
    Kind::DaemonSet,
    Kind::Job,
    Kind::CronJob,
    Kind::ReplicationController,
    Kind::Node,
];

/// Who deleted a pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Deleter {
    User,
    Eviction,
    Component,
    /// Either a controller or a user: the files do not contain enough to decide.
    Unknown,
}

/// Returns whether a component writes the object: its kind is one of `COMPONENT_KINDS`, or it is the ServiceAccount
/// `default`, the ConfigMap with the root CA, or a provisioned PersistentVolume.
pub(super) fn is_written_by_components(target: &ChangeTarget, object: Option<&Value>) -> bool {
    let name = &*target.key.name;
    let is_provisioned = || {
        let provisioner = object.and_then(|object| object.pointer("/metadata/annotations"));
        provisioner.is_some_and(|annotations| annotations.get("pv.kubernetes.io/provisioned-by").is_some())
    };
    COMPONENT_KINDS.contains(&target.kind)
        || target.kind == Kind::ServiceAccount && name == "default"
        || target.kind == Kind::ConfigMap && name == podscope_api::ROOT_CA_CONFIG_MAP
        || target.kind == Kind::PersistentVolume && is_provisioned()
}

/// Returns the controller in an object's owner references, if its kind is built in.
fn controller_of(object: &Value) -> Option<ChangeTarget> {
    let owners = object.pointer("/metadata/ownerReferences").and_then(Value::as_array)?;
    let is_controller = |owner: &&Value| owner.get("controller").and_then(Value::as_bool) == Some(true);
    let owner = owners.iter().find(is_controller)?;
    let kind = Kind::from_wire(text(owner, "/apiVersion"), text(owner, "/kind"))?;
    Some(target(kind, text(object, "/metadata/namespace"), text(owner, "/name")))
}

/// Returns whether the object has an owner reference.
pub(super) fn has_owner(object: &Value) -> bool {
    let owners = object.pointer("/metadata/ownerReferences").and_then(Value::as_array);
    owners.is_some_and(|owners| !owners.is_empty())
}

/// Returns the owner of an object if the history's files contain the owner and its kind is simulated. A ReplicaSet that
/// is missing from the files counts as contained if its Deployment is there, because the Deployment controller creates
/// it.
pub(super) fn simulated_owner(object: &Value, known: &KnownObjects) -> Option<ChangeTarget> {
    let owner = controller_of(object).filter(|owner| SIMULATED_CONTROLLER_KINDS.contains(&owner.kind))?;
    if known.contains_key(&(owner.kind, owner.key.clone())) {
        return Some(owner);
    }
    let (deployment, _) = owner.key.name.rsplit_once('-')?;
    let deployment = target(Kind::Deployment, &owner.key.namespace, deployment);
    let is_known = owner.kind == Kind::ReplicaSet && known.contains_key(&(deployment.kind, deployment.key.clone()));
    is_known.then_some(owner)
}

/// Returns whether a controller of this kind gives the objects that it creates the same names in each run.
pub(super) fn has_stable_names(owner: Kind) -> bool {
    owner == Kind::StatefulSet
}

/// Determines who deleted an object.
pub(super) fn deleter(target: &ChangeTarget, object: &Value, known: &KnownObjects) -> Deleter {
    let namespace = (
        Kind::Namespace,
        podscope_api::ObjectKey::cluster(target.key.namespace.clone()),
    );
    if known.get(&namespace).is_some_and(|known| known.is_deleted) {
        return Deleter::Component;
    }
    if target.kind == Kind::Pod {
        if let Some(deleter) = deleter_by_disruption(object) {
            return deleter;
        }
        if is_on_lost_node(object, known) {
            return Deleter::Component;
        }
    }
    let Some(owner) = simulated_owner(object, known) else {
        return Deleter::User;
    };
    match known.get(&(owner.kind, owner.key.clone())) {
        Some(owner_state) if owner_state.is_deleted => Deleter::Component,
        _ if target.kind != Kind::Pod => Deleter::Component,
        Some(owner_state) => deleter_by_owner(&owner, owner_state, object, known),
        None => Deleter::Unknown,
    }
}

/// Determines who deleted a pod from its condition DisruptionTarget.
fn deleter_by_disruption(pod: &Value) -> Option<Deleter> {
    let conditions = pod.pointer("/status/conditions").and_then(Value::as_array)?;
    let is_disrupted =
        |one: &&Value| text(one, "/type") == condition::DISRUPTION_TARGET && text(one, "/status") == "True";
    Some(match text(conditions.iter().find(is_disrupted)?, "/reason") {
        "EvictionByEvictionAPI" => Deleter::Eviction,
        _ => Deleter::Component,
    })
}

/// Returns whether the pod's node is lost, so that the taint manager or the pod garbage collector deletes the pod.
fn is_on_lost_node(pod: &Value, known: &KnownObjects) -> bool {
    let name = text(pod, "/spec/nodeName");
    let node = target(Kind::Node, "", name);
    let has_nodes = known.keys().any(|(kind, _)| *kind == Kind::Node);
    let state = known.get(&(node.kind, node.key));
    !name.is_empty() && has_nodes && state.is_none_or(|node| super::node::ready_status(&node.value) == "Unknown")
}

/// Determines who deleted a pod of a controller: the controller if it had too many pods or if the pod has an old
/// revision, otherwise a user. Pods of a Job are always deleted by the Job's controller.
fn deleter_by_owner(owner: &ChangeTarget, owner_state: &KnownObject, pod: &Value, known: &KnownObjects) -> Deleter {
    let replicas = owner_state
        .value
        .pointer("/spec/replicas")
        .and_then(Value::as_i64)
        .unwrap_or(1);
    let name = text(pod, "/metadata/name");
    let revision = text(pod, "/metadata/labels/controller-revision-hash");
    let is_component = match owner.kind {
        Kind::ReplicaSet | Kind::ReplicationController => count_live_pods(owner, known) > replicas,
        Kind::StatefulSet => {
            let ordinal = name
                .rsplit_once('-')
                .and_then(|(_, ordinal)| ordinal.parse::<i64>().ok());
            let newest = text(&owner_state.value, "/status/updateRevision");
            ordinal.is_none_or(|ordinal| ordinal >= replicas) || !newest.is_empty() && revision != newest
        }
        Kind::DaemonSet => {
            let generation = owner_state
                .value
                .pointer("/metadata/generation")
                .and_then(Value::as_i64);
            let of_pod = text(pod, "/metadata/labels/pod-template-generation")
                .parse::<i64>()
                .ok();
            generation.is_some() && of_pod.is_some() && generation != of_pod
        }
        _ => true,
    };
    if is_component {
        Deleter::Component
    } else {
        Deleter::User
    }
}

/// Returns the number of pods of a controller that are not being deleted and have not ended.
fn count_live_pods(owner: &ChangeTarget, known: &KnownObjects) -> i64 {
    let is_live = |pod: &&KnownObject| {
        let phase = text(&pod.value, "/status/phase");
        !pod.is_deleted && !["Succeeded", "Failed"].contains(&phase)
    };
    let pods = known
        .iter()
        .filter(|((kind, _), _)| *kind == Kind::Pod)
        .map(|(_, pod)| pod);
    let own = pods
        .filter(is_live)
        .filter(|pod| controller_of(&pod.value).as_ref() == Some(owner));
    i64::try_from(own.count()).unwrap_or(i64::MAX)
}

/// Returns whether a HorizontalPodAutoscaler in the files scales the object.
pub(super) fn is_autoscaled(target: &ChangeTarget, known: &KnownObjects) -> bool {
    let mut autoscalers = known
        .iter()
        .filter(|((kind, _), _)| *kind == Kind::HorizontalPodAutoscaler);
    autoscalers.any(|((_, key), autoscaler)| {
        let scaled = |field: &str| text(&autoscaler.value, &format!("/spec/scaleTargetRef/{field}")).to_owned();
        key.namespace == target.key.namespace
            && scaled("kind") == target.kind.name()
            && scaled("name") == *target.key.name
    })
}

/// User names of control plane processes.
const CONTROL_PLANE_USERS: [&str; 3] = [
    "system:apiserver",
    "system:kube-controller-manager",
    "system:kube-scheduler",
];

/// Service accounts in kube-system of controllers in the controller-manager whose names do not end in `-controller`.
const CONTROLLER_ACCOUNTS: [&str; 5] = [
    "generic-garbage-collector",
    "persistent-volume-binder",
    "pod-garbage-collector",
    "root-ca-cert-publisher",
    "ttl-after-finished",
];

/// Returns whether a user name in an audit event is that of a simulated component. The controller of
/// HorizontalPodAutoscalers does not count: it reads metrics, which are not in the history, so its writes are replayed.
pub(super) fn is_component_user(user: &str) -> bool {
    let account = user.strip_prefix("system:serviceaccount:kube-system:");
    CONTROL_PLANE_USERS.contains(&user)
        || user.starts_with("system:node:")
        || account.is_some_and(|name| name.ends_with("-controller") || CONTROLLER_ACCOUNTS.contains(&name))
}
