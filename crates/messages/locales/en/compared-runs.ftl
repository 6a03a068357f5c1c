# Figures of several runs side by side: of two runs on the page, or of several configurations of the scheduler on the
# command line.

## Rows of the table

pods-placed = pods placed
pods-pending = pods pending
nodes-used = nodes used
# $resource - cpu, memory or another resource: the share of it that is requested.
allocated = { $resource } allocated
deviation = { $resource } standard deviation
# Jain's fairness index.
jain-index = { $resource } Jain index
largest-free = { $resource } largest free on a node
# A plot with a bar for each node.
by-node = { $resource } by node
devices-allocated = devices allocated
# $allocated of all $devices.
of = { $allocated } of { $devices }
pods-in-a-zone = pods in a zone
# The number of pods in the zone with the fewest, and in the one with the most.
range = { $fewest } to { $most }
preemptions = preemptions
# Time until a pod gets its node.
mean-time-to-place = time to place, mean
longest-time-to-place = time to place, longest

## Pods that are not on the same node in each run

pods-elsewhere = Pods elsewhere
# Where the pod is in each run: names of nodes, or "no node".
pod = { $pod }: { $nodes }
# Two nodes, or more of them and another one.
beside = { $one } | { $other }
no-node = no node
# The last line of a list that is cut off.
and-more = { $count ->
   *[other] and { $count } more
}
other-nodes = { $count ->
    [0] Each pod has the same node in both runs.
    [one] 1 pod has another node.
   *[other] { $count } pods have another node.
}
