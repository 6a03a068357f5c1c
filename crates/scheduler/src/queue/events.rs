//! Cluster events: classifies changes of objects by their possible effect on waiting pods (SCH-119, SCH-124).

use podscope_api::ordered::StableSort as _;
use podscope_api::{Kind, Node, Object, Pod};

use crate::cache::Cache;
use crate::config::Profile;
use crate::node_info::NodeInfo;
use crate::plugins::TABLE;
use crate::plugins::node_affinity::AddedAffinity;
use crate::pod_info::{Incoming, PodInfo};
use crate::resources::PodRequests;

/// The kind of a cluster event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EventKind {
    NodeAdd,
    NodeDelete,
    NodeAllocatable,
    NodeLabel,
    /// Taints changed, or the node was uncordoned.
    NodeTaint,
    NodeCondition,
    NodeAnnotation,
    NodeDeclaredFeature,
    /// A pod was bound, or a bound pod was created.
    PodAdd,
    /// A pod that was bound, assumed or nominated no longer holds resources of its node: it was deleted, its binding
    /// failed, or its nomination changed.
    PodDelete,
    PodLabel,
    PodScaleDown,
    PodGatesGone,
    /// The ResourceClaims generated for the pod changed.
    PodGeneratedClaims,
    PodToleration,
    /// Any other update of a pod. No in-tree plugin registers for this event.
    PodOther,
    /// An object of this kind, neither Pod nor Node, was created.
    Add(Kind),
    Update(Kind),
    Delete(Kind),
}

impl EventKind {
    /// Returns whether any plugin registers for the event.
    pub(crate) fn has_registered_plugin(self) -> bool {
        TABLE.iter().any(|row| row.waits_for(self))
    }
}

/// A waiting pod, in the form that queueing hints receive.
pub(crate) struct WaitingPod<'a> {
    pub(crate) profile: &'a Profile,
    pub(crate) added_affinity: &'a AddedAffinity,
    pub(crate) incoming: &'a Incoming,
}

/// An event with its objects; pods and nodes are also given in compiled form, for queueing hints.
#[derive(Debug)]
pub(crate) struct Event<'a> {
    pub(crate) kind: EventKind,
    pub(crate) old: Option<&'a Object>,
    pub(crate) new: Option<&'a Object>,
    pub(crate) old_pod: Option<PodInfo>,
    pub(crate) new_pod: Option<PodInfo>,
    pub(crate) old_node: Option<NodeInfo>,
    pub(crate) new_node: Option<NodeInfo>,
}

impl<'a> Event<'a> {
    pub(crate) fn new(cache: &mut Cache, kind: EventKind, old: Option<&'a Object>, new: Option<&'a Object>) -> Self {
        let pod = |cache: &mut Cache, object: Option<&Object>| match object {
            Some(Object::Pod(pod)) => Some(PodInfo::new(cache, pod, true)),
            _ => None,
        };
        let node = |cache: &mut Cache, object: Option<&Object>| match object {
            Some(Object::Node(node)) => {
                let mut info = NodeInfo::without_node_object(&mut cache.symbols, &node.metadata.name);
                info.set_node(&mut cache.symbols, node);
                Some(info)
            }
            _ => None,
        };
        Self {
            kind,
            old,
            new,
            old_pod: pod(cache, old),
            new_pod: pod(cache, new),
            old_node: node(cache, old),
            new_node: node(cache, new),
        }
    }

    /// Returns whether the event is an update of the waiting pod itself.
    pub(crate) fn is_update_of_pod(&self, waiting: &WaitingPod<'_>) -> bool {
        let own = &waiting.incoming.info.uid;
        self.new_pod.as_ref().is_some_and(|other| other.uid == *own)
    }

    /// Returns the deleted pod of a deletion event, if it was bound or nominated to a node.
    pub(crate) fn deleted_pod(&self) -> Option<&PodInfo> {
        self.old_pod.as_ref().filter(|pod| pod.is_bound_or_nominated())
    }
}

/// Returns the events of a node update, in kube-scheduler's order. Uncordoning is treated as a taint change; cordoning
/// causes no event.
pub(crate) fn node_events(old: &Node, new: &Node) -> Vec<EventKind> {
    let mut events = Vec::new();
    if old.is_unschedulable() && !new.is_unschedulable() {
        events.push(EventKind::NodeTaint);
    }
    if old.status.allocatable != new.status.allocatable {
        events.push(EventKind::NodeAllocatable);
    }
    if old.metadata.labels != new.metadata.labels {
        events.push(EventKind::NodeLabel);
    }
    if old.spec.taints != new.spec.taints {
        events.push(EventKind::NodeTaint);
    }
    let statuses = |node: &Node| -> Vec<_> {
        let mut list: Vec<_> = node
            .status
            .conditions
            .iter()
            .map(|condition| (condition.kind.clone(), condition.status.clone()))
            .collect();
        list.stable_sort();
        list
    };
    if statuses(old) != statuses(new) {
        events.push(EventKind::NodeCondition);
    }
    if old.metadata.annotations != new.metadata.annotations {
        events.push(EventKind::NodeAnnotation);
    }
    if old.status.declared_features != new.status.declared_features {
        events.push(EventKind::NodeDeclaredFeature);
    }
    events
}

/// Returns the events of a pod update.
pub(crate) fn pod_events(cache: &mut Cache, old: &Pod, new: &Pod) -> Vec<EventKind> {
    let mut events = Vec::new();
    if old.metadata.labels != new.metadata.labels {
        events.push(EventKind::PodLabel);
    }
    if is_scaled_down(cache, old, new) {
        events.push(EventKind::PodScaleDown);
    }
    if !old.spec.scheduling_gates.is_empty() && new.spec.scheduling_gates.is_empty() {
        events.push(EventKind::PodGatesGone);
    }
    if old.status.resource_claim_statuses != new.status.resource_claim_statuses
        || old.status.extended_resource_claim_status != new.status.extended_resource_claim_status
    {
        events.push(EventKind::PodGeneratedClaims);
    }
    if old.spec.tolerations.len() != new.spec.tolerations.len() {
        events.push(EventKind::PodToleration);
    }
    if events.is_empty() {
        events.push(EventKind::PodOther);
    }
    events
}

fn is_scaled_down(cache: &mut Cache, old: &Pod, new: &Pod) -> bool {
    if old.spec.containers == new.spec.containers
        && old.spec.init_containers == new.spec.init_containers
        && old.spec.resources == new.spec.resources
        && old.status.container_statuses == new.status.container_statuses
    {
        return false;
    }
    let requests = |cache: &mut Cache, pod: &Pod| PodRequests::of(&mut cache.symbols, pod, true).requests;
    let (old, new) = (requests(cache, old), requests(cache, new));
    new.cpu < old.cpu
        || new.memory < old.memory
        || new.ephemeral < old.ephemeral
        || old
            .scalars
            .iter()
            .any(|(name, amount)| new.scalar(*name).unwrap_or(0) < *amount)
}
