# What one more node of a node group would do for a pod that waits: a model of the cluster autoscaler.

takes-it = { $group }: one more node takes it
# The group cannot grow. $reasons are those of the cluster autoscaler.
would-take-it = { $group }: { $reasons }; one more node would take it
does-not-help = { $group }: { $reasons }
# $message - the event of the cluster autoscaler.
event = event: { $message }
# Nodes that are there take the pod.
fits-on = fits on { $nodes }: no group need grow
fits-on-more = fits on { $nodes } and { $more ->
   *[other] { $more } more
 }: no group need grow

## What would help the pod

none-helps = No node group helps; the cluster autoscaler would say: { $message }
one-helps = One more node of node group { $group }
# $groups is a list of their names; each of them helps.
several-help = One more node of a node group: { $groups }
