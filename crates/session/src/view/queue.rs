//! Where a pending pod stands in the scheduler's queue, and what it waits for.

use podscope_api::{ConditionStatus, Pod, Str};
use podscope_cluster::{Unheld, World};
use podscope_protocol::{NotHeld, QueuePlace, QueueView, RefusalView};
use podscope_scheduler::{Pool, QueueEntry};

use super::nodes::halted_by;

/// Place of a pending pod in the queue, whose entries come by UID.
pub(super) fn queue(world: &World, waiting: &[QueueEntry], pod: &Pod) -> QueueView {
    let condition = pod
        .condition("PodScheduled")
        .filter(|condition| condition.status == ConditionStatus::False);
    let found = waiting.binary_search_by(|entry| (*entry.uid).cmp(&pod.metadata.uid.0));
    let entry = found.ok().and_then(|at| waiting.get(at));
    let victims = victims(world, pod);
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
        _ if let Some(component) = halted_by(world) => QueuePlace::Halted(component),
        entry if let Some(what) = not_held(world, entry, pod) => QueuePlace::Unknown(what),
        entry if !victims.is_empty() || is_promised(pod, entry) => QueuePlace::Victims {
            node: pod.status.nominated_node_name.to_string(),
            pods: victims.iter().map(|victim| victim.metadata.key().to_string()).collect(),
        },
        Some(entry) => match entry.pool {
            Pool::Active => QueuePlace::Active,
            Pool::Backoff | Pool::ErrorBackoff => QueuePlace::Backoff,
            Pool::Gated | Pool::Unschedulable => {
                QueuePlace::Unschedulable(entry.rejectors.iter().map(ToString::to_string).collect())
            }
        },
        None if scheduler.is_none() => QueuePlace::Stranded,
        None if scheduler.is_some_and(|scheduler| scheduler.cache().is_assumed(&pod.metadata.uid)) => {
            let has_volumes = pod.spec.volumes.iter().any(|one| one.persistent_volume_claim.is_some());
            QueuePlace::Binding { has_volumes }
        }
        None => QueuePlace::Unheard,
    };
    let is_known_why = !matches!(place, QueuePlace::Unknown(_));
    let refusal = entry
        .and_then(|entry| entry.refusal.as_ref())
        .filter(|_| is_known_why)
        .map(|refusal| RefusalView {
            nodes: count(refusal.nodes),
            causes: (refusal.causes.iter())
                .map(|(cause, nodes)| (cause.clone(), count(*nodes)))
                .collect(),
        });
    let gone = victims.iter().filter_map(|victim| victim.metadata.deletion_timestamp);
    let gone = gone.max().map(|at| at.0 - world.start().0);
    QueueView {
        place,
        until: gone.or(entry.and_then(|entry| entry.release_at)),
        refusal,
        message: condition
            .filter(|_| is_known_why || world.objects().is_as_refused(pod))
            .map_or_else(String::new, |condition| condition.message.to_string()),
    }
}

/// What keeps everybody from knowing why a pod waits. One that the scheduler refused for what is known of nodes waits for
/// that, wherever its volumes are.
pub(crate) fn not_held_in_words(unheld: Unheld) -> NotHeld {
    let names = |names: Vec<podscope_api::Str>| names.iter().map(ToString::to_string).collect();
    match unheld {
        Unheld::Nodes => NotHeld::Nodes,
        Unheld::Claims(claims) => NotHeld::Claims(names(claims)),
        Unheld::Volumes(claims) => NotHeld::Volumes(names(claims)),
    }
}

fn not_held(world: &World, entry: Option<&QueueEntry>, pod: &Pod) -> Option<NotHeld> {
    let names = |names: Vec<Str>| names.iter().map(ToString::to_string).collect();
    let asks_for_volumes = || entry.is_some_and(|entry| entry.rejectors.contains(&"VolumeBinding"));
    match world.objects().unheld(pod)? {
        Unheld::Nodes => Some(NotHeld::Nodes),
        Unheld::Claims(claims) if asks_for_volumes() => Some(NotHeld::Claims(names(claims))),
        Unheld::Volumes(claims) if asks_for_volumes() => Some(NotHeld::Volumes(names(claims))),
        _ => None,
    }
}

/// Whether a pod waits for the room that is made for it: the victims may not be told to end yet, or be gone just now.
fn is_promised(pod: &Pod, entry: Option<&QueueEntry>) -> bool {
    let is_nominated = !pod.status.nominated_node_name.is_empty();
    entry.is_some_and(|entry| entry.pool == Pool::Gated || is_nominated && entry.pool == Pool::Unschedulable)
}

fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// What still ends on the node that a pod is nominated to, and is less important.
fn victims<'w>(world: &'w World, pod: &Pod) -> Vec<&'w Pod> {
    let node = &pod.status.nominated_node_name;
    if node.is_empty() {
        return Vec::new();
    }
    let here = world.objects().pods_on(&podscope_api::NodeName(node.clone()));
    here.filter(|other| other.metadata.is_terminating() && other.priority() < pod.priority())
        .map(|other| &**other)
        .collect()
}
