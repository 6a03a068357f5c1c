# Events of the causal thread of a subject. The name of the affected object stands beside each.

## Commands and faults

# $line (String) - the command.
refused-command = refused: { $line }
# $fault (String) - the fault in the command language, such as: partition a-1.
fault = fault: { $fault }
repaired = repaired: { $fault }
fenced = fenced

## Objects

created = created
updated = updated
wants-pods = { $replicas ->
    [one] wants { $replicas } pod
   *[other] wants { $replicas } pods
}
deletion-requested = { $grace ->
    [0] deletion requested, no grace
   *[other] deletion requested, { $grace } s of grace
}
deleted = gone from the API
refused = refused
refused-because = refused: { $message }
event = event { $reason }
# $guarantee (String) - name of an invariant.
broken = { $guarantee } broken
expectation-holds = expectation holds
expectation-fails = expectation fails

## Scheduling

bound = bound to { $node }
chosen = scheduler chooses { $node }
no-node-fits = no node fits
preempts = { $preempts ->
    [one] no node fits: preempts { $preempts } pod
   *[other] no node fits: preempts { $preempts } pods
}
attempt-failed = scheduling attempt failed
nominated = nominated to { $node }
# $by (String) - a pod.
preempted = preempted by { $by }
gated = held back by scheduling gates

## Containers

image-pulled = image { $image } pulled
started = { $container } started
# $restarts (Number) - which restart it is.
started-again = { $container } started again, restart { $restarts }
exited = { $container } exited with { $code }
exited-because = { $container } exited with { $code }: { $reason }
# $hook (String) - such as preStop.
hook-started = { $container }: { $hook } hook started
hook-finished = { $container }: { $hook } hook finished
hook-failed = { $container }: { $hook } hook failed
# $signal (String) - such as SIGTERM.
signal = { $signal } to { $container }
# $probe (String) - such as liveness.
probe-failed = { $container }: { $probe } probe failed
probe-succeeds = { $container }: { $probe } probe succeeds

## Volumes and nodes

volume-attached = volume { $volume } attached
volume-detached = volume { $volume } detached
volume-mounted = volume { $volume } mounted
volume-unmounted = volume { $volume } unmounted
volume-corrupted = two nodes wrote to one volume
registered = registered
# $condition, $status, $reason (String) - of a node, such as Ready, False, KubeletNotReady.
condition = { $condition } is { $status }
condition-because = { $condition } is { $status }: { $reason }
tainted = tainted { $taint }
untainted = taint { $taint } removed

## Requests

no-requests = no requests any more
# $rate (String) - a number with decimals.
requests = { $rate } requests a second
