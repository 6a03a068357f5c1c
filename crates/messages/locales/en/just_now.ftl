# Recent events: lines of the legend, also read aloud by screen readers. No capital, no full stop.

## Several events of one kind. $count (Number) - how many pods or containers, 2 or more

no-node = { $count ->
   *[other] { $count } pods: no node
}
got-node = { $count ->
   *[other] { $count } pods got a node
}
preempted = { $count ->
   *[other] { $count } pods preempted
}
evicted-by-taint = { $count ->
    [one] 1 pod evicted: a taint of its node
   *[other] { $count } pods evicted: a taint of their node
}
evicted-by-pressure = { $count ->
    [one] 1 pod evicted by its kubelet: pressure on its node
   *[other] { $count } pods evicted by their kubelet: pressure on their node
}
ended-by-shutdown = { $count ->
    [one] 1 pod ended by its kubelet: the node shuts down
   *[other] { $count } pods ended by their kubelet: the node shuts down
}
evicted-by-api = { $count ->
    [one] 1 pod evicted through the eviction API
   *[other] { $count } pods evicted through the eviction API
}
removed-by-garbage-collector = { $count ->
    [one] 1 pod removed by the pod garbage collector: its node is gone or out of service
   *[other] { $count } pods removed by the pod garbage collector: their node is gone or out of service
}
run-again = { $count ->
   *[other] { $count } containers run again
}
get-sigterm = { $count ->
   *[other] { $count } containers get SIGTERM
}
get-sigkill = { $count ->
   *[other] { $count } containers get SIGKILL
}
pre-stop-begin = { $count ->
   *[other] { $count } preStop hooks begin
}

## Ends of states

ready-again = { $node } is Ready again
condition-over = { $node }: { $condition } is over
# $time - how long it was broken: `20 s`. $what - a guarantee, and what broke it.
whole-again = whole again after { $time }: { $what }

## Cut links

cut-off = { $node } is cut off
lost-to-node = what is sent to { $node } is lost
lost-from-node = what { $node } sends is lost
# $from - what the node is cut off from: `the control plane`, or a node.
lost-to-node-from = what { $from } sends to { $node } is lost
lost-from-node-to = what { $node } sends to { $from } is lost
cut-off-from = { $node } is cut off from { $from }

## One event

# $what - a pod and its container: `web-0/app`.
sigterm = { $what } gets SIGTERM
sigkill = { $what } gets SIGKILL
pre-stop = { $what }: its preStop hook begins
# $what - a guarantee, and what broke it.
broken = broken: { $what }
# $what - a statement of a scenario about the cluster.
as-expected = as expected: { $what }
not-as-expected = not as expected: { $what }
# $command - a command that was refused.
refused = refused: { $command }
