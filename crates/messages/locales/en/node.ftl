# The card of a node on the stage: its name, its state, its pods, and where its machine differs from what the API
# server believes.

## State, in the header and in the name of the card

no-node-object = no Node object
no-machine = no machine
machine-is-off = machine is off
off = off
no-kubelet = no kubelet runs
no-runtime = no runtime answers
# $time (a duration such as "82 s") - time since the last heartbeat.
cut-off-last-heard = cut off, last heard { $time } ago
# $time (a duration) - time since the last heartbeat; empty if there was none.
unreachable = unreachable { $time }
not-ready = not ready
# $reason - a reason of Kubernetes, such as "KubeletNotReady".
not-ready-because = not ready: { $reason }

## Cut links. $end is what the node cannot reach: "the control plane", "storage", "other nodes" or the name of a node.

cut-off = cut off
cut-off-from = cut off from { $end }
nothing-from-arrives = nothing from { $end } arrives
nothing-arrives-at = nothing arrives at { $end }
nothing-sent-arrives = nothing that is sent to it arrives
# $first - one of the three sentences with $end. $count (Number) - further cut links.
first-cut-and-more = { $first } and { $count ->
   *[other] { $count } more
}

## State with the time left, as the header has room

cut-off-notready-in = cut off · NotReady in { $time }
notready-in = NotReady in { $time }
notready-evicts-in = NotReady · evicts in { $time }
evicts-in = evicts in { $time }

## Name of the card for screen readers: these parts, with ", " between them

name = Node { $node }
ready = ready
cordoned = cordoned
pods = { $count ->
    [one] 1 pod
   *[other] { $count } pods
}
only-name-known = only its name is known

## Header

pods-only-name-known = { $count ->
    [one] 1 pod · only its name is known
   *[other] { $count } pods · only its name is known
}
running-pods = { $count ->
    [one] 1 pod runs
   *[other] { $count } pods run
}
cordoned-hint = Cordoned: no new pods
# $taint - a taint of Kubernetes: key=value:effect.
taint = Taint { $taint }
# $verdict - a verdict of the scheduler on this node. $instant - a time of the clock.
verdict-at = { $verdict } at { $instant }

## The button at the node's wire

heal-links = Heal the links of { $node }
cut-everything = Cut { $node } off from everything

## Bar of what the pods request of the node

requests = requests: cpu { $cpu }, memory { $memory }, { $places ->
   *[other] { $pods } of { $places } pods
}
wants = { $pod } wants { $amount }
free = { $amount } free
has = { $node } has { $amount }

## Pods

pods-on = Pods on { $node }
nominated-hint = { $pod } is nominated here: room is being made for it
# Read by screen readers before the name of the pod.
nominated-here = nominated here:
# On the upper half of a mark: what the API server says of the pod.
api-nominated = API: nominated
waits-for-room = waits for room

## Lines below the pods

api = API
pressure-as-in-files = Pressure as in the files, which nobody measures here: it lasts until the machine is started anew
pressure-lasts-longer = Pressure is reported for 5 min more once it is over, unless evictionPressureTransitionPeriod says otherwise
