# Problems of a cluster: the reason of each, and what would help. Without a full stop.
# Messages of Kubernetes stand in a reason as they are: they are English in each language.

## Nodes

# $why - one of the next two messages, or a message of Kubernetes. $pods (Number) - pods of the node.
node-not-ready = { $pods ->
    [one] { $why }; { $pods } pod there
   *[other] { $why }; { $pods } pods there
}
kubelet-not-heard = its kubelet is not heard
# $reason - a reason of Kubernetes, such as KubeletNotReady.
not-ready-for = not ready: { $reason }

## What would help for what runs on a node that is not heard. $command - a command, which stays as it is.

bring-machine-back = Bring the machine or its network back; while nobody knows that it is off, its pods may still run. Once it is surely off: { $command }
bring-node-back = Bring node { $node } back: its kubelet then ends the pod
once-machine-is-off = Once the machine is surely off: { $command }

## Pods without a node

# $gates (String) - list of scheduling gates, each as its name or as in `gate-of`.
gated = { $count ->
    [one] its scheduling gate { $gates } holds it back: the scheduler does not look at it
   *[other] its scheduling gates { $gates } hold it back: the scheduler does not look at it
}
# $setter - the controller that sets the gate, such as Kueue.
gate-of = { $gate } (of { $setter })
# $message - kube-scheduler's message in the cluster. $missing - a message of missing-objects.ftl.
said-in-cluster = { $message } (said in the cluster; { $missing })
nobody-can-say = nobody can say why: { $missing }
said-by-unknown-scheduler = { $message } (its scheduler { $scheduler } is not one that is known here)
unknown-scheduler = its scheduler { $scheduler } is not one that is known here: nothing says why it waits
# $message - kube-scheduler's message with its full stop. $cause - one of the messages below.
message-and-cause = { $message } { $cause }
# Two clauses as two sentences; $before may be several already.
and-cause = { $before }. { $cause }
made-for-node = Its DaemonSet made it for node { $node } alone
claim-in-use = Its claim { $claim } is ReadWriteOncePod, and pod { $pod } on node { $node } uses it
# $lines - messages of device-words.ftl, joined as in `and-cause`.
devices-on-node = On { $node }: { $lines }
# $nodes (String) - list of nodes. The files of the cluster say that the pod fits nowhere.
fits-now = by what the files hold it fits now: on { $nodes }
fits-on = it was not scheduled yet: it fits on { $nodes }

## Pods that ended. $exit - one of the last two messages.

# $ends (String) - list of `container-ended`.
ended-containers = { $ends }
# $message - reason and message of the pod's status.
message-and-ends = { $message }: { $ends }
container-ended = container { $container } ended with { $exit }
container-restarts = { $restarts ->
    [1] container { $container } ends with { $exit }, restarted once
   *[other] container { $container } ends with { $exit }, restarted { $restarts } times
}
exit-code = exit code { $code }
# $reason - a reason of Kubernetes, such as OOMKilled.
reason-with-exit-code = { $reason } (exit code { $code })

## Objects whose deletion does not finish. $names (String) - list of finalizers.

held-by-finalizers = { $count ->
    [one] the finalizer { $names } holds it: whoever set that has to remove it
   *[other] the finalizers { $names } hold it: whoever set them has to remove them
}
node-unreachable = its node { $node } is not reachable, so no kubelet confirms that its containers have ended
node-unreachable-then-held = { $count ->
    [one] its node { $node } is not reachable, so no kubelet confirms that its containers have ended; after that the finalizer { $names } holds it
   *[other] its node { $node } is not reachable, so no kubelet confirms that its containers have ended; after that the finalizers { $names } hold it
}
grace-has-ended = its grace period has ended, and the kubelet of { $node } has not ended it
grace-has-ended-unbound = its grace period has ended, and the kubelet of its node has not ended it
used-by-pod = pod { $pod } still uses it ({ $finalizer })
used-by-none = the finalizer { $finalizer } holds it, though no pod of the files uses it
waits-for-owned = it waits for what it owns to be gone
content-not-gone = its content is not gone yet
finalizer-not-removed = its finalizer was not removed yet
# $users (String) - list of pods.
reserved-for = it is reserved for { $users }
# What would help. $names (String) - list of finalizers. $command - a command, which stays as it is.
let-controller-finish = Let the controller of { $names } finish, or, where it is gone for good, remove the finalizer: { $command }

## Pods that are not ready

# $message - a message of Kubernetes, or `ends-repeatedly`.
of-container = container { $container }: { $message }
ends-repeatedly = it ends again and again
image = image { $image }: { $message }
init-container-runs = its init container { $container } has not ended yet
container-not-ready-for = container { $container } is not ready: { $message }
startup-probe-fails = the startup probe of container { $container } does not succeed
readiness-probe-fails = the readiness probe of container { $container } fails
container-not-ready = container { $container } runs and is not ready
# $reason - a reason of Kubernetes, such as ContainerCreating, or `not-created`.
container-waits = container { $container } waits: { $reason }
not-created = not created yet
# $gate - a condition of the pod.
readiness-gate = its readiness gate { $gate } is not True
not-begun = it is bound to { $node }, and its kubelet has not begun it
only-containers-ready = its containers are ready and it is not

## Workloads. $why - the reason of a pod's problem, or one of the next two messages.

pod-not-ready = pod { $pod } is not ready: { $why }
node-of-pod-not-ready = its node { $node } is not ready
not-ready = nothing says why
cannot-create-pods = no pod can be created: { $message }
# $updated (Number) of $wanted replicas. $pod - `pod-not-ready`, or a message of Kubernetes.
rollout = { $wanted ->
   *[other] { $updated } of { $wanted } replicas are of the new template; { $pod }
}
# $allowed - a number or a percentage.
daemon-rollout = { $wanted ->
   *[other] { $updated } of { $wanted } nodes have a pod of the new template; { $pod }, which uses up maxUnavailable { $allowed }
}

## PodDisruptionBudgets. $healthy, $needed (Number) - pods.

too-few-healthy = { $healthy ->
   *[other] it allows no disruption: { $healthy } pods are healthy and { $needed } must be
}
no-spare = { $pods ->
   *[other] it allows no disruption: { $healthy } of { $pods } pods are healthy and { $needed } must be
}
get-pods-ready = Get the unhealthy pods of its selector ready
run-one-more = Run one more replica, or let the budget allow one disruption (maxUnavailable: 1)

## Volumes and claims. $class - a StorageClass.

volume-not-bound = its volume { $volume } is not bound to it
waits-for-pod = class { $class } waits until pod { $pod }, which uses it, has a node
waits-for-first-pod = class { $class } waits for a first pod that uses it, and none does
waits-for-provisioner = it waits for { $provisioner } to provision its volume
no-volume-fits = no volume fits it, and no class provisions one
bound-without-devices = pod { $pod } was bound to { $node } without it, and nothing allocates it
gets-devices-with-node = it gets its devices when pod { $pod }, which uses it, gets a node
attachment-error = volume { $volume } on node { $node }: { $message }
not-detached = volume { $volume } is not detached from node { $node } yet
