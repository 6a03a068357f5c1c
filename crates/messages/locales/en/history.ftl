# What a recorded history does not tell and what is not replayed, as notices without a full stop.

# $notice (Sentence) - one of the notices below. $names (List) - names of some of its cases, possibly with `…` at the end.
with-names = { $notice }: { $names }

## The notices. $count (Number) - how many cases there are.

cut = { $count ->
    [one] The last record of a history is incomplete and is left out
   *[other] The last records of { $count } histories are incomplete and are left out
}
watch-error = { $count ->
    [one] A watch ended with an error; what happened afterwards is not in the history
   *[other] { $count } watches ended with an error; what happened afterwards is not in the history
}
no-types = { $count ->
    [one] A watch stream has no types of events (--output-watch-events), so only deletions of objects with a deletionTimestamp are known
   *[other] { $count } watch streams have no types of events (--output-watch-events), so only deletions of objects with a deletionTimestamp are known
}
before-start = { $count ->
    [one] 1 write is older than t = 0 and is not replayed
   *[other] { $count } writes are older than t = 0 and are not replayed
}
incomplete = { $count ->
    [one] 1 write is not replayed, because its audit event has no object (level Metadata)
   *[other] { $count } writes are not replayed, because their audit events have no object (level Metadata)
}
never-seen = { $count ->
    [one] 1 write is not replayed, because its object is not in the files before; a dump of the beginning, opened together with the history, has it
   *[other] { $count } writes are not replayed, because their objects are not in the files before; a dump of the beginning, opened together with the history, has them
}
not-whole = { $count ->
    [one] 1 object of the beginning cannot be read and is left out
   *[other] { $count } objects of the beginning cannot be read and are left out
}
seen-late = { $count ->
    [one] 1 object is seen first after a change; it is at t = 0 as it was then
   *[other] { $count } objects are seen first after a change; they are at t = 0 as they were then
}
node-lost = { $count ->
    [one] 1 node became Unknown. The cause is not in the history: a restart of the machine is replayed as a loss of power, any other loss as a partition, 50 s (nodeMonitorGracePeriod) before the node became Unknown
   *[other] { $count } nodes became Unknown. The cause is not in the history: a restart of the machine is replayed as a loss of power, any other loss as a partition, 50 s (nodeMonitorGracePeriod) before a node became Unknown
}
node-unready = { $count ->
    [one] 1 node reported itself not ready; the cause is not in the history, and it is not replayed
   *[other] { $count } nodes reported themselves not ready; the cause is not in the history, and it is not replayed
}
node-gone = { $count ->
    [one] 1 Node was deleted; its machine is taken to have left
   *[other] { $count } Nodes were deleted; their machines are taken to have left
}
named-by-simulation = { $count ->
    [one] 1 write is not replayed, because it concerns an object to which the simulation gives another name
   *[other] { $count } writes are not replayed, because they concern objects to which the simulation gives other names
}
unknown-deleter = { $count ->
    [one] 1 pod ended, and the history does not tell whether its controller deleted it, which is assumed
   *[other] { $count } pods ended, and the history does not tell whether their controllers deleted them, which is assumed
}
owner-unknown = { $count ->
    [one] 1 object is created as if by a user, because its owner is not in the files
   *[other] { $count } objects are created as if by a user, because their owners are not in the files
}
undated = { $count ->
    [one] 1 change has no time in the watch stream; it has that of the next record with a time
   *[other] { $count } changes have no time in the watch stream; each has that of the next record with a time
}
patch-type = { $count ->
    [one] 1 patch is taken as a strategic merge patch, as kubectl sends it: audit events do not name the type
   *[other] { $count } patches are taken as strategic merge patches, as kubectl sends them: audit events do not name the type
}
restarts = { $count ->
    [one] 1 restart of a container is not replayed, because its cause is not in the history
   *[other] { $count } restarts of containers are not replayed, because their causes are not in the history
}
lifetimes = { $count ->
    [one] The SimKube trace has how long pods ran, which is not replayed
   *[other] { $count } SimKube traces have how long pods ran, which is not replayed
}
no-nodes = { $count ->
    [one] The history has no Nodes, so the nodes are generated
   *[other] The histories have no Nodes, so the nodes are generated
}
autoscaler-scales = { $count ->
    [one] 1 change of replicas by a HorizontalPodAutoscaler is replayed as a command, because its metrics are not in the history
   *[other] { $count } changes of replicas by HorizontalPodAutoscalers are replayed as commands, because their metrics are not in the history
}
not-simulated = { $count ->
    [one] 1 write of a kind that is not simulated is not replayed
   *[other] { $count } writes of kinds that are not simulated are not replayed
}
no-name = { $count ->
    [one] 1 record has no valid kind or name and is left out
   *[other] { $count } records have no valid kind or name and are left out
}
by-simulation = { $count ->
    [one] 1 write by a component is not replayed, because the simulation makes its own
   *[other] { $count } writes by components are not replayed, because the simulation makes its own
}

## Why histories are not opened.

beside-scenario = a history becomes a Scenario itself: it cannot be opened together with another one
# $count, $limit (Number) - commands.
too-long = { $count ->
   *[other] the history has { $count } commands: the limit is { $limit }; open an excerpt of a shorter time
}
