# What a pending pod waits for, and why it has no node.

## What the pod waits for: shown beside its name, without a full stop

next = next in line
stranded = waits for a scheduler that runs
etcd = waits for etcd, which the API server does not reach
api-server = waits for the API server, which does not run
foreign = waits for the scheduler `{ $scheduler }`, which does not run here
volume = has a node: waits for its volume in PreBind
binding = has a node: is being bound
# $time - the time left: `11 s`, `4:12`.
backoff-until = backs off, tried again in { $time }
backoff = backs off
event = waits for an event that can help, or the five-minute flush
# $plugins - names of plugins, joined with commas.
event-for = waits for an event that can help { $plugins }, or the five-minute flush
unknown = nobody can say why it waits
# $message - what the scheduler of the real cluster wrote, in English.
unknown-said = nobody can say why it waits; the real scheduler said: { $message }
# $gates - names of scheduling gates, joined with commas.
gated = held by its scheduling gates: { $gates }
room = waits until there is room on { $node }
# The pod waits until other pods have left its node.
# $count (Number) - how many pods have to go, 1 to 3. $names - their names, joined with commas.
# $left - a comma and the time left (`, 23 s`), or nothing.
victims = { $count ->
    [one] waits until { $names } is gone from { $node }{ $left }
   *[other] waits until { $names } are gone from { $node }{ $left }
}
# More than three pods have to go.
# $names - the names of three of them, joined with commas. $more (Number) - how many others there are.
# $left - a comma and the time left (`, 23 s`), or nothing.
victims-and-more = { $more ->
   *[other] waits until { $names } and { $more } more are gone from { $node }{ $left }
}

## The same as sentences about a pod

pod-stranded = { $pod } waits for a scheduler that runs.
pod-etcd = { $pod } waits for etcd, which the API server does not reach.
pod-api-server = { $pod } waits for the API server, which does not run.
pod-foreign = { $pod } waits for the scheduler `{ $scheduler }`, which does not run here.
pod-volume = { $pod } has a node: waits for its volume in PreBind.
pod-binding = { $pod } has a node: is being bound.
# A sentence of kube-scheduler.
# $gates - names of scheduling gates, joined with commas.
pod-gated = Scheduling is blocked due to non-empty scheduling gates: { $gates }.
pod-room = { $pod } waits until there is room on { $node }.
# $count (Number) - how many pods have to go, 1 to 3. $names - their names, joined with commas.
# $left - a comma and the time left (`, 23 s`), or nothing.
pod-victims = { $count ->
    [one] { $pod } waits until { $names } is gone from { $node }{ $left }.
   *[other] { $pod } waits until { $names } are gone from { $node }{ $left }.
}
# $names - the names of three pods, joined with commas. $more (Number) - how many others there are.
# $left - a comma and the time left (`, 23 s`), or nothing.
pod-victims-and-more = { $more ->
   *[other] { $pod } waits until { $names } and { $more } more are gone from { $node }{ $left }.
}

## The cause of waiting in a few words: heading of a group of pods

cause-none = no node yet
cause-gated = held by a scheduling gate
cause-room = room is being made
cause-foreign = scheduler `{ $scheduler }` does not run here
cause-binding = being bound
cause-no-nodes = there are no nodes
cause-stranded = no scheduler runs
cause-etcd = etcd is out of reach
cause-api-server = the API server does not run
cause-not-looked = not looked at yet
# The cause, and on how many of all nodes it is one: `Insufficient cpu on 3 of 4`.
cause-counted = { $cause } on { $nodes } of { $all }
