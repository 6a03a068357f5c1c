# The answer to a what-if question: where pods would go after a change of the cluster, which nodes can be removed, and how many
# more pods fit. It stands beside the stage, on the command line, and in copied Markdown.

## Headings of lists. The command line prints them in capitals

# Pods that cannot be evicted.
blocked = Blocked
# Volumes that cannot follow their pods to another node.
volumes-that-stay = Volumes that stay
# Workloads and Services that have less than before the change.
less-than-before = Less than before
broken-guarantees = Broken guarantees
# Nodes that the cluster can do without.
can-go = Can be removed
# Nodes that the cluster cannot do without.
are-needed = Are needed

## Pods

# It happens in some of the random runs only. $what - the name of the pod's new node, or a line about the pod.
in-draws = { $what } (in { $often } of { $draws ->
   *[other] { $draws } draws
 })
# $why - one of the next reasons, or another one.
stays = { $pod } stays: { $why }
# $budget - kind and name of a PodDisruptionBudget.
budget-allows = { $budget } allows { $allowed ->
   *[other] { $allowed } disruptions
 }, { $needed ->
   *[other] { $needed } needed
 }
still-on-node = it is still on the node

## Why nothing runs in place of a pod

not-scheduled = not scheduled yet
still-terminating = still terminating: its node does not confirm the end, and its name stays taken
no-controller = it has no controller: nothing replaces it
daemon-goes = its DaemonSet's pod goes with the node
# $kind - Deployment, StatefulSet or another kind of workload; $name - its name.
not-replaced = { $kind } { $name } has not replaced it

## Volumes

# $volume - its name in the pod; $why - one of the next reasons.
volume-stays = { $pod } volume { $volume }: { $why }
directory-of-node = PersistentVolume { $volume } is a directory of its node: its content stays there
usable-nowhere = PersistentVolume { $volume } can be used on no node
# $nodes is a list of their names.
usable-only-on = PersistentVolume { $volume } can be used only on { $nodes }
usable-only-on-more = PersistentVolume { $volume } can be used only on { $nodes } and { $more ->
   *[other] { $more } more
 }
empty-dir = emptyDir: its content is deleted with the pod
host-path = hostPath { $path }: its content stays on { $node }

## Less than before

# $object - kind and name; $level - one of the next three.
less = { $object }: { $level } for { $seconds } s
less-still = { $object }: { $level } for { $seconds } s, and still at the end
available-replicas = { $least } of { $wanted ->
   *[other] { $wanted } available replicas
 }
healthy-pods = { $least } of { $wanted ->
   *[other] { $wanted } healthy pods
 }
ready-endpoints = { $least } of { $wanted ->
   *[other] { $wanted } ready endpoints
 }

## Guarantees. $name is the name of an invariant; the asterisks are Markdown

breaks = breaks **{ $name }**

## Drained nodes

drained = { $node }: { $pods ->
    [one] 1 pod leaves
   *[other] { $pods } pods leave
 } in { $seconds } s
# $pod prevents the drain of the node; $why - why it does not leave.
not-drained = { $node }: { $pod }: { $why }
# Items of a list. $drained and $not-drained - one of the two messages above.
node-can-go = can be removed: { $drained }
node-is-needed = is needed: { $not-drained }

## Summaries

# Pods that get a node, pods without one, and pods that a budget keeps from being evicted.
summary = { $placed ->
   *[other] { $placed } placed
 }, { $left ->
   *[other] { $left } without a node
 }, { $blocked ->
   *[other] { $blocked } blocked
 }, after { $seconds } s.
# The same, of several random runs.
summary-of-draws = { $placed ->
   *[other] { $placed } placed
 }, { $left ->
   *[other] { $left } without a node
 }, { $blocked ->
   *[other] { $blocked } blocked
 }, after { $seconds } s, { $draws ->
   *[other] { $draws } draws
 }.
nodes-can-go = { $count ->
    [0] No node can be removed.
    [one] 1 node can be removed; its drain was simulated.
   *[other] { $count } nodes can be removed together; their drains were simulated.
}

## How many more pods fit

fit = { $count ->
    [0] No pod of this shape fits.
    [one] 1 more pod of this shape fits.
   *[other] { $count } more pods of this shape fit.
}
# There are several shapes and at least two pods fit.
fit-of-shapes = { $count ->
   *[other] { $count } more pods of these shapes fit.
}
# The count stopped at its maximum.
fit-at-least = { $count ->
   *[other] { $count } more pods of this shape fit, and it was not counted on.
}
fit-daemon-set = The DaemonSet's pod fits on { $count } of { $wanted ->
   *[other] { $wanted } nodes
 }.
# $shape - the name of a file; $count pods of it were placed.
shape = { $shape }: { $count }
shape-stops = { $shape }: { $count }; the next one does not fit
# $reason - why these nodes refuse the next pod.
refused-by = { $reason }: { $nodes }
refused-by-more = { $reason }: { $nodes } and { $more ->
   *[other] { $more } more
 }
# The commands that make room for so many pods, as code.
room-for = room for { $count ->
   *[other] { $count }
 }: `{ $commands }`
