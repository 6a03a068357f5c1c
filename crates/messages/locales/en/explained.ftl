# Sentences that explain a decision of the scheduler (S-14).

not-examined = not examined: enough nodes were found before

## Between parts: names and causes of a list, and two sentences.

separator = ,{ " " }
gap = { " " }

## The conclusion: what happens, and what has happened (-past).
## $pod, $node (String) - names. $of (Number) - nodes of the cluster. $fit (Number) - nodes that can take the pod.

failed = Deciding { $pod } failed: { $error }. The scheduler tries again after a pause.
only-node = { $of ->
    [one] { $pod } goes to { $node }, the only one of 1 node that can take it.
   *[other] { $pod } goes to { $node }, the only one of { $of } nodes that can take it.
}
only-node-past = { $of ->
    [one] { $pod } went to { $node }, the only one of 1 node that could take it.
   *[other] { $pod } went to { $node }, the only one of { $of } nodes that could take it.
}
best = { $of ->
    [one] { $pod } goes to { $node }: { $fit } of 1 node can take it, and { $node } scores highest.
   *[other] { $pod } goes to { $node }: { $fit } of { $of } nodes can take it, and { $node } scores highest.
}
best-past = { $of ->
    [one] { $pod } went to { $node }: { $fit } of 1 node could take it, and { $node } scored highest.
   *[other] { $pod } went to { $node }: { $fit } of { $of } nodes could take it, and { $node } scored highest.
}
# $among (Number) - nodes with the same score.
drawn = { $among ->
    [one] { $pod } goes to { $node }: it is one of 1 node that score equally high, and the draw took it.
   *[other] { $pod } goes to { $node }: it is one of { $among } nodes that score equally high, and the draw took it.
}
drawn-past = { $among ->
    [one] { $pod } went to { $node }: it was one of 1 node that scored equally high, and the draw took it.
   *[other] { $pod } went to { $node }: it was one of { $among } nodes that scored equally high, and the draw took it.
}
# $nodes (String) - names of the nodes.
to-be-drawn = { $pod } goes to one of { $nodes }: they score equally high, and a draw decides.

## Why a pod waits. $room (String) - empty, or a sentence that begins with a space: `room`.

waits-no-nodes = { $pod } waits: the cluster has no nodes.{ $room }
# $why (String) - a reason from a plugin.
waits-whatever-the-node = { $pod } waits: { $why }, whatever the node.{ $room }
waits-only-node = { $pod } waits: the only node cannot take it: { $why }.{ $room }
# $causes (String) - list of `cause`.
waits-refused = { $nodes ->
    [one] { $pod } waits: none of 1 node can take it. Of these: { $causes }.{ $room }
   *[other] { $pod } waits: none of { $nodes } nodes can take it. Of these: { $causes }.{ $room }
}
# $nodes (Number) - nodes that the cause applies to. $why (String) - the reason, such as: too full for its requests.
cause = { $nodes } { $why }
# $nodes (String) - names of nodes, joined with `or`.
room = { $victims ->
    [one] It may end a less important pod on { $nodes } and take its room.
   *[other] It may end { $victims } less important pods on { $nodes } and take their room.
}
# Between names of nodes.
or = { " " }or{ " " }

## Why the winning node won, without a full stop.

won-only-node = the only node that can take it, so nothing is scored
# $leads (String) - list of `lead`, joined with `and`.
won-ahead = { $points } points against { $next-points } for the next, { $next }: { $leads }
lead = { $points } points from { $plugin } ({ $about })
and = { " " }and{ " " }
won-tie = { $nodes } nodes share the highest score, { $points }; kube-scheduler draws one at random
won-tie-drawn = { $nodes } nodes share the highest score, { $points }; kube-scheduler draws one at random, and drew { $chosen }

## Nodes, without a full stop.

sampling = { $examined } of { $nodes } nodes were examined: the search ends when { $wanted } can take the pod
fits = can take the pod
# $words (Sentence) - `fits`, possibly with an earlier note. $note (Sentence) - one of the three below.
with-note = { $words }; { $note }
# How evenly a node's cpu and memory are used, from 0 to 100: before and with the pod.
more-even = even use of its resources { $without } → { $with }: this pod evens the node out
as-even = even use of its resources { $without } → { $with }: this pod leaves the node as even as it is
less-even = even use of its resources { $without } → { $with }: this pod makes the node less even
not-named = is not one of the nodes that the pod's affinity names

## Preemption, without a full stop.

# $why (String) - a reason from a plugin.
not-helpful = no pod's end changes that: { $why }
no-victims = no pod there is less important
still-refused = without all less important pods { $plugin } still refuses: { $why }
never = the pod's preemptionPolicy is Never: it waits, and ends nobody
terminating = pods it preempted before are still ending on its nominated node: it waits for them
no-candidate = ending less important pods would not let the pod run on any node
one-candidate = one node would do without some less important pods
only-candidate = { $candidates } nodes would do without some less important pods; of these, the chosen one is taken because it is the only candidate
fewest-violations = { $candidates } nodes would do without some less important pods; of these, the chosen one is taken because it violates the fewest PodDisruptionBudgets
lowest-priority = { $candidates } nodes would do without some less important pods; of these, the chosen one is taken because its most important victim has the lowest priority
lowest-sum = { $candidates } nodes would do without some less important pods; of these, the chosen one is taken because its victims' priorities have the smallest sum
fewest-victims = { $candidates } nodes would do without some less important pods; of these, the chosen one is taken because it has the fewest victims
latest-start = { $candidates } nodes would do without some less important pods; of these, the chosen one is taken because its most important victims started last
candidates-tie = { $candidates } nodes would do without some less important pods; of these, several are equal and any may be taken
