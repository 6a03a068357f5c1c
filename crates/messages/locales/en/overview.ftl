# The picture of a big cluster.

name = { $nodes ->
   *[other] { $nodes } nodes
} in { $groups ->
   *[other] { $groups } groups
}; arrows go from node to node, Enter selects
groups = Groups
all-groups = All groups

## Title of a group of nodes

group-hint = { $nodes ->
   *[other] { $nodes } nodes
}, { $pods ->
   *[other] { $pods } pods
}. Look at this one only
not-ready = { $count ->
   *[other] { $count } not ready
}
# Read by screen readers after the number of pods of the group.
pods = pods
