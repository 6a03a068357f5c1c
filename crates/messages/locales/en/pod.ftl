# The mark of a pod on the stage.

## State of the pod, in the name of its mark for screen readers. $status - a status of Kubernetes, such as "ContainerCreating".

pending = pending
starting = starting, { $status }
running-ready = running and ready
running-not-ready = running, not ready
terminating = terminating
terminating-unobserved = terminating; the kubelet has not heard of it yet
terminating-unreachable = terminating; the kubelet cannot hear of it, so nobody knows when it ends
terminating-prestop = terminating, its preStop hook runs; SIGTERM when the preStop hook ends, or when the grace period is over
# The container waits for its turn: sidecars are stopped after the other containers, in an order of their own.
terminating-turn = terminating, waits for its turn: it is stopped when other containers have ended
terminating-sigterm = terminating, SIGTERM was sent; SIGKILL when the grace period is over, unless it exits before
terminating-killed = terminating, SIGKILL was sent; the process ends, then the kubelet removes the pod
crashing = crashing, waits before the next start
succeeded = succeeded
failed = failed, { $status }
ghost = a process that the API has forgotten
unconfirmed = running as far as the API knows; nobody can confirm it

## Name of the mark for screen readers: these parts, with ", " between them

# $state - one of the messages above.
name = pod { $pod }, { $state }
# $owner - kind and name of the owner, such as "ReplicaSet default/web".
of-owner = of { $owner }
priority = priority { $priority }

# After "; " at the end of the name: the pod differs in the compared run.
differs = not so in the other run
