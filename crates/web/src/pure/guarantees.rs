//! The guarantees of the pod lifecycle: what is promised, who keeps it, what breaks it, and a
//! lesson that shows it (E-04). The invariants' own names are those of the trace.

/// A guarantee.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Guarantee {
    /// The invariant's name.
    pub(crate) name: &'static str,
    /// Safety: never broken at any instant. Otherwise: comes true in the end.
    pub(crate) always: bool,
    pub(crate) promise: &'static str,
    pub(crate) keeper: &'static str,
    pub(crate) breaker: &'static str,
    /// Lesson that shows it.
    pub(crate) lesson: &'static str,
}

macro_rules! guarantee {
    ($name:literal, $always:literal, $promise:literal, $keeper:literal, $breaker:literal, $lesson:literal) => {
        Guarantee {
            name: $name,
            always: $always,
            promise: $promise,
            keeper: $keeper,
            breaker: $breaker,
            lesson: $lesson,
        }
    };
}

/// All of them: identity, life, termination, storage, scheduling, and what comes in the end.
pub(crate) const ALL: &[(&str, &[Guarantee])] = &[
    (
        "Identity",
        &[
            guarantee!(
                "at-most-one",
                true,
                "Of each StatefulSet member at most one has live processes, anywhere.",
                "The StatefulSet controller waits for the old object to go; only the kubelet lets it go.",
                "A forced delete, a false out-of-service taint, or deleting the Node of a machine that still runs.",
                "force-delete-split-brain"
            ),
            guarantee!(
                "slot-unique",
                true,
                "A StatefulSet never creates a member while an object of that name exists.",
                "The API server: a name is taken until the object is gone.",
                "Nothing.",
                "partition-statefulset"
            ),
            guarantee!(
                "safe-stall",
                true,
                "While a partition lasts, a member is missing or stalled, never doubled.",
                "The StatefulSet controller, by doing nothing.",
                "What breaks at-most-one.",
                "partition-statefulset"
            ),
            guarantee!(
                "one-node",
                true,
                "A pod runs on the node it was bound to and on no other; nodeName never changes.",
                "The API server refuses a second binding.",
                "Nothing.",
                "first-pod"
            ),
            guarantee!(
                "daemon-one",
                true,
                "A DaemonSet has at most one active pod on a node, surges aside.",
                "The DaemonSet controller.",
                "Races between two managers; duplicates are removed.",
                "drain-with-pdb"
            ),
        ],
    ),
    (
        "Life",
        &[
            guarantee!(
                "forward-only",
                true,
                "Phases go forward only, and a deletion is never taken back.",
                "The API server and the kubelet.",
                "Nothing.",
                "first-pod"
            ),
            guarantee!(
                "roll-bound",
                true,
                "A rollout keeps within maxSurge and maxUnavailable.",
                "The Deployment controller.",
                "Terminating pods are not counted: they still use room.",
                "rolling-update-bad-image"
            ),
            guarantee!(
                "pdb-ledger",
                true,
                "Evictions never spend more than a budget allows.",
                "The eviction subresource, against one version of the budget's status.",
                "Whatever is not an eviction: deletes, preemption, node loss.",
                "drain-with-pdb"
            ),
            guarantee!(
                "evict-throttle",
                true,
                "Nodes are tainted NoExecute no faster than their zone's rate allows; never when all zones are dark.",
                "The node lifecycle controller.",
                "People who taint by hand.",
                "zone-outage"
            ),
        ],
    ),
    (
        "Termination",
        &[
            guarantee!(
                "grace-honoured",
                true,
                "Between SIGTERM and SIGKILL a process has its grace period, less preStop, but at least two seconds.",
                "The kubelet.",
                "A shorter second delete, a force, an eviction, a lost node.",
                "graceful-termination"
            ),
            guarantee!(
                "grace-monotone",
                true,
                "A grace period can be shortened, never lengthened.",
                "The API server.",
                "A kubelet crash starts the clock again, with the same value.",
                "prestop-overrun"
            ),
            guarantee!(
                "force-authority",
                true,
                "Only the kubelet, the garbage collector of lost pods and people delete with grace 0.",
                "Every controller, by asking only.",
                "People.",
                "force-delete-split-brain"
            ),
            guarantee!(
                "no-early-removal",
                true,
                "The kubelet removes a pod's object only when none of its processes is left.",
                "The kubelet.",
                "Nothing.",
                "graceful-termination"
            ),
        ],
    ),
    (
        "Storage",
        &[
            guarantee!(
                "single-writer",
                true,
                "A ReadWriteOnce volume is writable on one node at a time; ReadWriteOncePod by one pod.",
                "The attach controller and backends that refuse a second attachment.",
                "A forced detach without a fence; backends that refuse nothing (NFS).",
                "corrupting-nfs"
            ),
            guarantee!(
                "attach-cas",
                true,
                "An attachment changes only from the state that was observed, and a pod runs only where its volume is attached.",
                "The attach controller and the kubelet.",
                "A fence that breaks it on purpose.",
                "attach-protocol-fencing"
            ),
            guarantee!(
                "fence-before-break",
                true,
                "Before a volume is taken by force, its node is confirmed fenced.",
                "The fencing controller.",
                "An operator's error.",
                "attach-protocol-fencing"
            ),
            guarantee!(
                "detach-live",
                false,
                "A volume that nobody needs is detached in the end.",
                "The attach controller: unmounted, after its timeout, or fenced.",
                "Switching the timeout off.",
                "attach-protocol-fencing"
            ),
        ],
    ),
    (
        "Scheduling",
        &[
            guarantee!(
                "no-overcommit",
                true,
                "What pods request fits the node when they are bound.",
                "The scheduler.",
                "A stale cache, a direct binding, static pods, a node that shrinks.",
                "first-pod"
            ),
            guarantee!(
                "skew-at-bind",
                true,
                "A DoNotSchedule constraint holds at the moment of binding.",
                "The scheduler.",
                "What happens later: deletions, other labels.",
                "spread-by-zone"
            ),
            guarantee!(
                "preempt-lower",
                true,
                "Only pods of lower priority lose their place, and only to one that waits for it.",
                "The scheduler.",
                "Nothing.",
                "preemption-and-grace"
            ),
            guarantee!(
                "nominee-resolved",
                false,
                "A nominated pod is scheduled, outranked or deleted in the end.",
                "The scheduler.",
                "A partition that nobody heals.",
                "preemption-and-grace"
            ),
            guarantee!(
                "pending-placed",
                false,
                "A pod that fits somewhere does not stay pending.",
                "The scheduler and its queue.",
                "Scheduling gates; a scheduler that is down.",
                "first-pod"
            ),
        ],
    ),
    (
        "In the end",
        &[
            guarantee!(
                "no-orphans",
                false,
                "After a partition heals, processes that the API has forgotten end.",
                "The kubelet: what the API does not list is stopped.",
                "A kubelet or runtime that is down.",
                "force-delete-split-brain"
            ),
            guarantee!(
                "ready-restored",
                false,
                "A healed node's taints go, and its pods are ready again.",
                "The node lifecycle controller and the kubelet.",
                "Nothing.",
                "partition-replicaset"
            ),
            guarantee!(
                "namespace-gone",
                false,
                "A namespace being deleted vanishes in the end.",
                "The namespace controller.",
                "Finalizers of others; a partition, while it lasts.",
                "namespace-stuck"
            ),
            guarantee!(
                "converge",
                false,
                "Replicas match their spec once the world is quiet.",
                "All controllers.",
                "Quota, no room, a partitioned member.",
                "partition-replicaset"
            ),
        ],
    ),
];

/// The one of that name.
pub(crate) fn named(name: &str) -> Option<&'static Guarantee> {
    ALL.iter()
        .flat_map(|(_, rows)| rows.iter())
        .find(|row| row.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// E-04: all invariants of the lifecycle are told, each once.
    #[test]
    fn every_invariant_has_its_row() {
        let mut names: Vec<&str> = ALL.iter().flat_map(|(_, rows)| rows.iter().map(|g| g.name)).collect();
        assert_eq!(names.len(), 26);
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), 26);
    }
}
