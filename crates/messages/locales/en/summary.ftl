# The inspector's sentences about one subject.

## The line below the name of the subject

namespace-and-priority = { $namespace } · priority { $priority }
gone = gone
# A process of a pod that no longer exists.
ghost = ghost on { $node }
zone = zone { $zone }
no-node = no Node object
invariant = invariant
failed-requests = failed requests

## Pods. $pod (String) - NAMESPACE/NAME. $status (String) - as kubectl prints it, such as CrashLoopBackOff.

# $cause (String) - a message of the group `Why a pod is deleted`.
terminating = Being terminated: { $cause }.
terminating-unconfirmed = Being terminated: { $cause }. Its node cannot be reached, so nobody can confirm that its processes ended.
unbound = Not bound to a node yet.
last-heard = The API says { $status }, but { $node } cannot be reached: this is the last that was heard.
# $ready (Number) - ready containers of all $containers.
bound = { $containers ->
   *[other] { $status } on { $node }, { $ready }/{ $containers } containers ready.
}
gone-pod = { $pod } is gone: the API has no such pod, and no process of it runs.
ghost-pod = { $pod } still runs on { $node }, but the API has forgotten it. Its kubelet will end it when it hears of the deletion.

## Nodes, objects and invariants

agrees = { $status }. API and machine agree.
# Sentences of the file machine.ftl may follow.
machine-alone = There is a machine { $node }, but the API has no Node for it.
gone-node = { $node } is gone.
gone-object = The API has no { $kind } { $key }.
holds = { $invariant } holds.
# $sentence (String) - a sentence of the file failed-requests.ftl.
requests-failed = { $sentence }.
no-request-failed = No request has failed yet.

## Why a pod is deleted. It stands after `Being terminated:`.

deleted-by-request = deleted by request
preempted = preempted by a pod of higher priority
tainted = its node has a NoExecute taint that it does not tolerate
evicted = evicted by a drain or another voluntary disruption
node-gone = its node is gone: removed by the pod garbage collector
node-pressure = evicted by its kubelet: the node is under pressure

## State of a container and of its process. $reason (String) - of Kubernetes, such as OOMKilled.

unknown-to-api = unknown to the API
no-status = no status yet
waiting = waiting
waiting-because = waiting: { $reason }
running = running
ended = ended: { $reason }, exit code { $code }
# $since (String) - an instant, such as 1:05.0.
runs-since = runs since { $since }
# $signals (String) - list of signals.
runs-since-with-signals = runs since { $since }, received { $signals }

## Volumes

# A PersistentVolumeClaim.
claim = claim { $name }
# An emptyDir.
scratch = scratch space that lives as long as the pod
# $written (String) - list of `written`.
scratch-with-data = scratch space that lives as long as the pod: { $written }
# $size (String) - amount of data.
written = { $size } by { $container } since { $since }
nfs = NFS: does not keep a second writer out
host-path = a directory of the node
volume = volume
attached = attached
