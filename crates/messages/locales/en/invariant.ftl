# Guarantees of a pod's life, which the invariants check: `NAME`, what keeps it (`-keeper`) and what breaks it (`-breaker`).

group-identity = Identity
group-life = Life
group-termination = Termination
group-storage = Storage
group-scheduling = Scheduling
group-requests = Requests
group-in-the-end = In the end

at-most-one = Of each StatefulSet member at most one has live processes, anywhere.
at-most-one-keeper = The StatefulSet controller waits for the old object to go; only the kubelet lets it go.
at-most-one-breaker = A forced delete, a false out-of-service taint, or deleting the Node of a machine that still runs.

safe-stall = While a partition lasts, a member is missing or stalled, never doubled.
safe-stall-keeper = The StatefulSet controller, by doing nothing.
safe-stall-breaker = What breaks at-most-one.

attach-cas = An attachment changes only from the state that was observed, and a pod runs only where its volume is attached.
attach-cas-keeper = The attach controller and the kubelet.
attach-cas-breaker = Fencing that takes the volume by force, on purpose.

daemon-one = A DaemonSet has at most one active pod on a node, not counting surge pods.
daemon-one-keeper = The DaemonSet controller.
daemon-one-breaker = Races between two controller-managers; duplicates are removed.

detach-live = A volume that nobody needs is detached in the end.
detach-live-keeper = The attach controller: unmounted, after its timeout, or fenced.
detach-live-breaker = Switching the timeout off.

evict-throttle = Nodes are tainted NoExecute no faster than their zone's rate allows; never when all zones are dark.
evict-throttle-keeper = The node lifecycle controller.
evict-throttle-breaker = People who taint by hand.

fence-before-break = Before a volume is taken by force, its node is confirmed fenced.
fence-before-break-keeper = The fencing controller.
fence-before-break-breaker = An operator's error.

force-authority = Only the kubelet, the garbage collector of lost pods and people delete with grace 0.
force-authority-keeper = Every controller, by asking only.
force-authority-breaker = People.

forward-only = Phases go forward only, but for init containers that run again in a new sandbox, and a deletion is never taken back.
forward-only-keeper = The API server and the kubelet.
forward-only-breaker = A deleted Node whose kubelet still reports how its pods ended.

grace-monotone = A grace period can be shortened, never lengthened.
grace-monotone-keeper = The API server.
grace-monotone-breaker = A kubelet crash starts the clock again, with the same value.

grace-honoured = Between SIGTERM and SIGKILL a process has its grace period, less preStop, but at least two seconds.
grace-honoured-keeper = The kubelet.
grace-honoured-breaker = A shorter second delete, a force, an eviction, a lost node; a kubelet that comes back and refuses the pod.

nominee-resolved = A nominated pod is scheduled, outranked or deleted in the end.
nominee-resolved-keeper = The scheduler.
nominee-resolved-breaker = A partition that nobody heals.

no-orphans = After a partition heals, processes that the API has forgotten end.
no-orphans-keeper = The kubelet: what the API does not list is stopped.
no-orphans-breaker = A kubelet or runtime that is down.

namespace-gone = A namespace being deleted vanishes in the end.
namespace-gone-keeper = The namespace controller.
namespace-gone-breaker = Finalizers of others; a partition, while it lasts.

ready-restored = A healed node's taints go, and its pods are ready again.
ready-restored-keeper = The node lifecycle controller and the kubelet.
ready-restored-breaker = Nothing.

converge = Replicas match their spec once the world is quiet.
converge-keeper = All controllers.
converge-breaker = Quota, no room, a partitioned member.

pending-placed = A pod that fits somewhere does not stay pending.
pending-placed-keeper = The scheduler and its queue.
pending-placed-breaker = Scheduling gates; a scheduler that is down.

no-early-removal = The kubelet removes a pod's object only when none of its processes is left.
no-early-removal-keeper = The kubelet.
no-early-removal-breaker = Nothing.

no-overcommit = What pods request fits the node when they are bound.
no-overcommit-keeper = The scheduler.
no-overcommit-breaker = A stale cache, a direct binding, static pods, a node that shrinks.

no-request-to-ended = While all links are whole, no request is sent to an endpoint later than 5 s after the client's node has heard that it ended.
no-request-to-ended-keeper = kube-proxy: it writes its rules at most a second after it heard of a change.
no-request-to-ended-breaker = A kube-proxy that does not act on what it heard.

one-node = A pod runs on the node it was bound to and on no other; nodeName never changes.
one-node-keeper = The API server refuses a second binding.
one-node-breaker = Nothing.

pdb-ledger = Evictions never spend more than a budget allows.
pdb-ledger-keeper = The eviction subresource, against one version of the budget's status.
pdb-ledger-breaker = Whatever is not an eviction: deletes, preemption, node loss.

preempt-lower = Only pods of lower priority lose their place, and only to one that waits for it.
preempt-lower-keeper = The scheduler.
preempt-lower-breaker = Nothing.

roll-bound = A rollout keeps within maxSurge and maxUnavailable.
roll-bound-keeper = The Deployment controller.
roll-bound-breaker = Terminating pods are not counted: they still use room.

single-writer = A ReadWriteOnce volume is writable on one node at a time; ReadWriteOncePod by one pod.
single-writer-keeper = The attach controller and backends that refuse a second attachment.
single-writer-breaker = A forced detach without a fence; backends that refuse nothing (NFS).

skew-at-bind = A DoNotSchedule constraint holds at the moment of binding.
skew-at-bind-keeper = The scheduler.
skew-at-bind-breaker = What happens later: deletions, other labels.

slot-unique = A StatefulSet never creates a member while an object of that name exists.
slot-unique-keeper = The API server: a name is taken until the object is gone.
slot-unique-breaker = Nothing.
