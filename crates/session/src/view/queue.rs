//! A pending pod's position in the scheduler's queue, and the reason why it is pending.

use podscope_api::well_known::condition;
use podscope_api::{ConditionStatus, Pod, Str};
use podscope_cluster::{MissingNodesOrStorage, World};
use podscope_protocol::{MissingObjectsView, QueuePlace, QueueView};
use podscope_scheduler::{QueueEntry, QueuePool};

use super::nodes::component_blocking_api;

/// Returns the position of a pending pod in the scheduler's queue. `waiting` contains the queue's entries, ordered by
/// UID.
pub(super) fn queue_view(world: &World, waiting: &[QueueEntry], pod: &Pod) -> QueueView {
    let condition = pod
        .condition(condition::POD_SCHEDULED)
        .filter(|condition| condition.status == ConditionStatus::False);
    let found = waiting.binary_search_by(|entry| (*entry.uid).cmp(&pod.metadata.uid.0));
    let entry = found.ok().and_then(|at| waiting.get(at));
    let victims = nominated_victims(world, pod);
    let scheduler = world.scheduler();
    let name = &pod.spec.scheduler_name;
    let place = match entry {
        _ if !pod.spec.scheduling_gates.is_empty() => {
            let gates = pod.spec.scheduling_gates.iter();
            QueuePlace::Gated(gates.map(|gate| gate.name.to_string()).collect())
        }
        _ if scheduler.is_some_and(|scheduler| scheduler.config().profile(name).is_none()) => {
            QueuePlace::Foreign(name.to_string())
        }
        _ if let Some(component) = component_blocking_api(world) => QueuePlace::Halted(component),
        entry if let Some(what) = missing_objects(world, entry, pod) => QueuePlace::Unknown(what),
        entry if !victims.is_empty() || is_waiting_for_victims(pod, entry) => QueuePlace::Victims {
            node: pod.status.nominated_node_name.to_string(),
            pods: victims.iter().map(|victim| victim.metadata.key().to_string()).collect(),
        },
        Some(entry) => match entry.pool {
            QueuePool::Active => QueuePlace::Active,
            QueuePool::Backoff | QueuePool::ErrorBackoff => QueuePlace::Backoff,
            QueuePool::Gated | QueuePool::Unschedulable => {
                QueuePlace::Unschedulable(entry.rejectors.iter().map(ToString::to_string).collect())
            }
        },
        None if scheduler.is_none() => QueuePlace::Stranded,
        None if scheduler.is_some_and(|scheduler| scheduler.cache().is_assumed(&pod.metadata.uid)) => {
            let has_volumes = pod.spec.volumes.iter().any(|one| one.persistent_volume_claim.is_some());
            QueuePlace::Binding { has_volumes }
        }
        None => QueuePlace::NotObserved,
    };
    let is_reason_known = !matches!(place, QueuePlace::Unknown(_));
    let refusal = entry
        .and_then(|entry| entry.refusal.as_deref())
        .filter(|_| is_reason_known)
        .cloned();
    let victims_gone = victims.iter().filter_map(|victim| victim.metadata.deletion_timestamp);
    let victims_gone = victims_gone.max().map(|at| world.sim_time(at).0);
    QueueView {
        place,
        until: victims_gone.or(entry.and_then(|entry| entry.release_at)),
        refusal,
        message: condition
            .filter(|_| is_reason_known || world.objects().has_imported_scheduler_message(pod))
            .map_or_else(String::new, |condition| condition.message.to_string()),
    }
}

/// Converts the list of objects that the dump lacks to its form on the page. Without these objects, it cannot be known
/// why a pod is pending.
pub(crate) fn missing_objects_view(missing: MissingNodesOrStorage) -> MissingObjectsView {
    let names = |names: Vec<podscope_api::Str>| names.iter().map(ToString::to_string).collect();
    match missing {
        MissingNodesOrStorage::Nodes => MissingObjectsView::Nodes,
        MissingNodesOrStorage::Claims(claims) => MissingObjectsView::Claims(names(claims)),
        MissingNodesOrStorage::Volumes(claims) => MissingObjectsView::Volumes(names(claims)),
    }
}

fn missing_objects(world: &World, entry: Option<&QueueEntry>, pod: &Pod) -> Option<MissingObjectsView> {
    let names = |names: Vec<Str>| names.iter().map(ToString::to_string).collect();
    let asks_for_volumes = || entry.is_some_and(|entry| entry.rejectors.contains(&"VolumeBinding"));
    match world.objects().missing_objects(pod)? {
        MissingNodesOrStorage::Nodes => Some(MissingObjectsView::Nodes),
        MissingNodesOrStorage::Claims(claims) if asks_for_volumes() => Some(MissingObjectsView::Claims(names(claims))),
        MissingNodesOrStorage::Volumes(claims) if asks_for_volumes() => {
            Some(MissingObjectsView::Volumes(names(claims)))
        }
        _ => None,
    }
}

/// Returns whether the pod waits for the termination of its preemption victims. This includes the time before the
/// victims are deleted, and the moment after they are gone.
fn is_waiting_for_victims(pod: &Pod, entry: Option<&QueueEntry>) -> bool {
    let is_nominated = !pod.status.nominated_node_name.is_empty();
    entry.is_some_and(|entry| entry.pool == QueuePool::Gated || is_nominated && entry.pool == QueuePool::Unschedulable)
}

/// Returns the preemption victims of a pod: the terminating pods with lower priority on its nominated node.
fn nominated_victims<'w>(world: &'w World, pod: &Pod) -> Vec<&'w Pod> {
    let node = &pod.status.nominated_node_name;
    if node.is_empty() {
        return Vec::new();
    }
    let pods = world.objects().pods_on(&podscope_api::NodeName(node.clone()));
    pods.filter(|other| other.metadata.is_terminating() && other.priority() < pod.priority())
        .map(|other| &**other)
        .collect()
}
