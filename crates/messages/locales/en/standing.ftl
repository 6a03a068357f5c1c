# What is said of a pod before the scheduler's decision is explained: the command `podscope explain` decides each pod as if
# it were pending.

# $why - a message of missing-objects.ftl.
place-unknown = Nobody can say where it may go: { $why }.

## The pod is being deleted. $finalizers (String) - list of finalizers.

deleted = It is being deleted: it is not scheduled again; what follows decides it as if it were pending.
deleted-on = It is being deleted on node { $node }: it is not scheduled again; what follows decides it as if it were pending.
deleted-held = It is being deleted, held by { $finalizers }: it is not scheduled again; what follows decides it as if it were pending.
deleted-on-held = It is being deleted on node { $node }, held by { $finalizers }: it is not scheduled again; what follows decides it as if it were pending.

## The pod has ended

# $how - one of the next four messages.
has-ended = { $how }. It is not scheduled again; what follows decides it as if it were pending.
was-evicted = It was evicted: { $message }
has-succeeded = It has finished (Succeeded)
has-failed = It has failed
# $reason - a reason of Kubernetes, such as NodeLost.
ended-for = It has ended ({ $reason })

## The pod is bound, or has scheduling gates

is-placed = It is placed on node { $node } already; what follows decides it as if it were pending.
# $gates (String) - list of scheduling gates, each as its name or as `gate-of` of problem.ftl.
is-gated = { $count ->
    [one] Its scheduling gate { $gates } holds it back: the scheduler does not look at it. What follows is what it would decide without the gate.
   *[other] Its scheduling gates { $gates } hold it back: the scheduler does not look at it. What follows is what it would decide without the gates.
}
