# What only the command line prints of the answer to a what-if question.

## Headings; they are printed in capitals

order-that-works = Order that works
# The nodes that cannot be drained.
stops-at = Stops at
# Of pods that are counted: several files.
shapes = Shapes
# Nodes on which a DaemonSet wants no pod.
not-wanted-on = Not wanted on
what-makes-room = What makes room
node-groups = Node groups

## Pods. The arrow leads to the pod's new node

goes = { $pod } (from { $from }) -> { $to }
goes-nowhere = { $pod } (from { $from }) -> no node: { $reason }
new-goes = { $pod } (new) -> { $to }
new-goes-nowhere = { $pod } (new) -> no node: { $reason }
nothing-changes = Nothing changes.

## A drain of node after node

# $node-and-why - the node, the pod that prevents its drain, and why.
stops = stops at { $node-and-why }
rolling-summary = { $drained ->
   *[other] { $drained } nodes drained
 }, { $stopped ->
   *[other] { $stopped } not
 }, after { $seconds } s.

## What makes room. So many pods fit after these commands

fit-after = { $count ->
   *[other] { $count } fit
 } after: { $commands }

## Node groups of the cluster autoscaler

# $limits - one of the next three; a new node of the group is like the node $like.
group = { $name }: { $nodes ->
    [one] 1 node
   *[other] { $nodes } nodes
 }, { $limits }, a new one like { $like }
group-of-default-machine = { $name }: { $nodes ->
    [one] 1 node
   *[other] { $nodes } nodes
 }, { $limits }, a new one like the default machine
limits = min { $min }, max { $max }
limits-without-max = min { $min }, max not known
limits-not-known = limits not known
# $owner - kind and name of the pod's workload; $more - other pods of it.
pod = Pod { $pod }
pod-of-owner = Pod { $pod } of { $owner }
pods = Pod { $pod }, and { $more ->
   *[other] { $more } more
 }
pods-of-owner = Pod { $pod } of { $owner }, and { $more ->
   *[other] { $more } more
 }
no-group = There is no node group; { $pods ->
   *[other] { $pods } pods wait
 }.
# Of the waiting pods, $helped get a node if a group grows, and $fitting fit on nodes that are there.
grow-summary = Model of the cluster autoscaler: of { $waiting ->
   *[other] { $waiting } waiting pods
 } a node group helps { $helped ->
   *[other] { $helped }
 }, { $fitting ->
   *[other] { $fitting } fit
 } without.
# $summary - one of the two sentences above.
with-not-asked = { $summary } { $more ->
   *[other] { $more } more pods were not asked about.
 }
