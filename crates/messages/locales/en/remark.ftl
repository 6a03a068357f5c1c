# Remarks about opened files: what was translated, left out, assumed, or kept without being simulated. Most of them have
# no full stop.
#
# $objects, $pods, $nodes (String) - lists of names, possibly with `…` at the end.

not-simulated = { $count } × { $kind } (not simulated)
# $kind, $version (String) - in quotation marks. $place (String) - file and line.
unserved = { $kind } in version { $version } is not served by v1.36 and is left out ({ $place })
converted = { $count } × { $kind } of { $version }, which v1.36 does not serve by default, converted to resource.k8s.io/v1
# $problem (String) - file, line and message.
unread = left out: { $problem }
more-unread = { $count ->
    [one] One more problem of files that are left out
   *[other] { $count } more problems of files that are left out
}
duplicates = { $count ->
    [one] One object stands in the files more than once: the newest is read
   *[other] { $count } objects stand in the files more than once: the newest is read
}
scrubbed = { $count ->
    [one] One object has no UID: { $objects }; it is taken as dumped, not as something to create
   *[other] { $count } objects have no UID: { $objects }; they are taken as dumped, not as something to create
}
shared-uid = { $count ->
   *[other] { $count } objects have a UID that others have too: { $objects }; they are told apart by their names
}
pod-problems = { $count ->
    [one] One pod does not run well in the files: { $pods }; its trouble is taken to last; a pod that is made anew is well, unless an annotation about its behavior says otherwise
   *[other] { $count } pods do not run well in the files: { $pods }; their trouble is taken to last; a pod that is made anew is well, unless an annotation about its behavior says otherwise
}
node-problems = { $count ->
    [one] One node is not well in the files: { $nodes }; that is taken to last until the machine is started anew
   *[other] { $count } nodes are not well in the files: { $nodes }; that is taken to last until the machine is started anew
}
node-problems-pressure = { $count ->
    [one] One node is not well in the files: { $nodes }; that is taken to last until the machine is started anew, and no pod that runs there is evicted for pressure that nobody measures
   *[other] { $count } nodes are not well in the files: { $nodes }; that is taken to last until the machine is started anew, and no pod that runs there is evicted for pressure that nobody measures
}
# Problems of a node, in parentheses after its name.
node-not-ready = not ready
node-not-ready-reason = not ready: { $reason }
# $message (String) - text of kube-scheduler.
missing-volumes = { $pod } uses a claim or volume that the files do not have, and stays Pending; the real scheduler said: { $message }
more-with-missing-volumes = { $count ->
   *[other] { $count } more pods stay Pending for claims or volumes that the files do not have
}
uses-assumed = { $count ->
    [one] One pending pod uses what is only assumed to exist: { $pods }; if that is what it waits for, it runs here and not in the cluster
   *[other] { $count } pending pods use what is only assumed to exist: { $pods }; if that is what they wait for, they run here and not in the cluster
}
autoscalers-without-metrics = { $count ->
    [one] A HorizontalPodAutoscaler scales nothing: the files do not say what pods use, unless an annotation about their behavior does
   *[other] { $count } HorizontalPodAutoscalers scale nothing: the files do not say what pods use, unless an annotation about their behavior does
}
no-objects = { $nodes ->
   *[other] No file has an object: the cluster of { $nodes } nodes is made up
}
namespace-created = namespace { $name } is in none of the files and is made
# $made (Number) - generated nodes. $own (Number) - nodes in the files.
generated-nodes = { $made ->
   *[other] { $made } nodes are made beside the files' own { $own }; a Scenario with `cluster: { "{" }nodesPerZone: 0{ "}" }` leaves them out
}
# $time (String) - in RFC 3339.
start-time = t = 0 is { $time }, the latest moment that the files show to have passed
# $command (String) - in quotation marks. $error (String) - an English text of the parser.
unreadable = the link's command { $command } is not understood: { $error }
lesson-gone = The lesson { $name } was removed after this link was made. It opens as it was, without its story.
lesson-changed = The lesson { $name } was changed after this link was made. It opens as it was, without its story.

## Missing objects that are assumed to exist. What that means follows, each after a semicolon.

assumed = What the files refer to and do not have is assumed to exist
# $kinds (String) - list of numbers, kinds and names: 2 × Node (a-1, b-1).
assumed-kinds = What the files refer to and do not have is assumed to exist: { $kinds }
means-nodes = nothing new is placed on a node of which only the name is known
means-priority-classes = a class has the priority that its pods carry
means-storage-classes = a class makes volumes wherever the pod goes
means-persistent-volumes = such a volume is reached from every node, unless only pending pods use it
means-owners = what such an owner owns stays, and what ends of it is not made anew
means-counted = { $count ->
    [one] one object counts others that the files do not have: they are taken to run
   *[other] { $count } objects count others that the files do not have: they are taken to run
}
