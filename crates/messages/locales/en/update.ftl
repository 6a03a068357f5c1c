# Texts of updates from the engine to the page.

## Tasks that take long, beside a bar of their progress

task-open = open
task-seek = seek
task-film = film
task-what-if = what if

## Limitations of answers because objects are missing from a dump

no-budgets = No file has a PodDisruptionBudget: preemption and `kubectl drain` ignore them
no-nodes = No file has a Node: pending pods meet a made-up cluster of six nodes
only-names = No file has a Node, so nobody can say why a pod is pending
one-namespace = All pods in the files are of namespace { $namespace }: what else runs on the nodes is not counted
# $count (Number) - complete objects of the file.
cut = { $count ->
    [one] { $file } ends in the middle of line { $line }: one object was read, and what came after is missing
   *[other] { $file } ends in the middle of line { $line }: { $count } objects were read, and what came after is missing
}

## Links

link-long = { $characters ->
   *[other] This link has { $characters } characters; some programs cut links off after { $limit }. A scenario file is safer.
}
link-too-long = { $characters ->
   *[other] This link has { $characters } characters; not every browser opens one of that length. Save a scenario file.
}

## Films

film-empty-span = A film wants a span that has been played: its end lies after its beginning
film-too-large = This film would be larger than { $mib } MiB: take a shorter span, or a smaller cluster
