# Changes that would let a pending pod run, each with its result.

## A change with its result. $change (String) - a message of the groups below.

fits = { $nodes ->
    [one] { $change }: then one node can take it
   *[other] { $change }: then { $nodes } nodes can take it
}
# $victims (String) - list of pods.
ends = { $change }: it would end { $victims } on { $node }

## Changes of the pod, of others and of nodes
## $taint (String) - KEY=VALUE:EFFECT. $topology-key, $key, $field, $resource, $class (String) - names of Kubernetes.

uncordon = Uncordon { $node }
untaint = Remove the taint { $taint } from node { $node }
# $gates (String) - names of one or several gates. $setter (String) - the controller that removes them, such as Kueue.
ungate-by = { $count ->
    [one] Remove the scheduling gate { $gates }, which { $setter } does when it lets the pod go
   *[other] Remove the scheduling gates { $gates }, which { $setter } does when it lets the pod go
}
ungate = { $count ->
    [one] Remove the scheduling gate { $gates }, as the controller that set it does when it lets the pod go
   *[other] Remove the scheduling gates { $gates }, as the controller that set it does when it lets the pod go
}
honor-taints = Leave nodes with taints that the pod does not tolerate out of the spread over { $topology-key } (nodeTaintsPolicy: Honor)
tolerate = Let the pod tolerate the taint { $taint }
# $to, $from (String) - amounts of the resource.
shrink = Request { $to } of { $resource } instead of { $from }
max-skew = Allow a maxSkew of { $to } over { $topology-key }
min-domains = { $to ->
   *[other] Be content with { $to } domains of { $topology-key } (minDomains)
}
soften = Make the spread over { $topology-key } a wish (ScheduleAnyway) instead of a rule
drop = Leave out { $field }
drop-request = Leave out the request of { $resource }
priority = Give the pod the PriorityClass { $class } ({ $value })
allow-preemption = Let the pod preempt (preemptionPolicy PreemptLowerPriority)
scheduler = Have the pod made anew with schedulerName { $to }, as nobody can change it
delete-pod = Delete pod { $pod } on { $node }
# $kind (String) - such as ReplicaSet.
delete-pod-of = Delete pod { $pod } on { $node } (its { $kind } makes another one, which may take the place)
label = Label node { $node } with { $key }={ $value }
offer = Have { $node } offer { $amount } { $resource }, as a device plugin would
# $pod (String) - NAMESPACE/NAME. $labels (String) - KEY=VALUE, separated by commas.
add-pod = Run a pod { $pod } with { $labels }, which the affinity asks for

## Controllers that set scheduling gates, where the name is not only a proper name. They stand for $setter above.

coscheduling-plugin = the Coscheduling plugin
multiarch-operator = the Multiarch Tuning Operator

## Changes of a ResourceClaim. $place (String) - the claim, or a request of it.

in-claim = ResourceClaim { $claim }
in-request = request { $request } of ResourceClaim { $claim }
fewer-devices = { $from ->
   *[other] Ask for { $to } instead of { $from } devices in { $place }
}
drop-selector = Leave out the selector { $expression } in { $place }
tolerate-device-taint = Tolerate the device taint { $taint } in { $place }
drop-capacity = Leave out the requests for capacity in { $place }
drop-constraint = Leave out the constraint on { $attribute } in { $place }
delete-claim = Delete ResourceClaim { $claim }, whose devices no pod uses

## One more node. $node (String) - one of the first three messages, which say what the node is like.

any-node = a node
node-like = a node like { $like }
# The comma at the end is needed: a sentence goes on after it. $taints (String) - list of $count taints.
node-like-without = { $count ->
    [one] a node like { $like }, without its taint { $taints },
   *[other] a node like { $like }, without its taints { $taints },
}
# $more (String) - resources, RESOURCE=AMOUNT.
add-node-with = Add { $node } with { $more }
add-node-in-new-domain = Add { $node } in a domain of { $topology-key } that is not there yet
add-node-in-domain = Add { $node } with { $topology-key }={ $domain }
add-node-near-volume = Add { $node } with { $topology-key }={ $domain }, where volume { $volume } can be reached
# $drivers (String) - list of device drivers.
add-node-with-devices = Add a node like { $like }, with the same devices of { $drivers }
