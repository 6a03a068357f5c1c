# The pending pods at the scheduler, and what they wait for.

name = Pending pods
# Of the second run of a comparison.
name-other-run = Pending pods, other run
hidden = what it waits for is hidden until you have answered
# Read by screen readers before what the pods wait for.
pending = { $count ->
   *[other] { $count } pending:
}
# Heading of the list.
pending-heading = Pending { $count ->
   *[other] { $count }
}
what-would-help = What would help?

## Pods grouped by what they wait for. $cause - why they have no node, such as "Insufficient cpu".

pods-of-cause = { $count ->
   *[other] { $count } pods: { $cause }
}
# The same, if some of the pods match the filter.
found-pods-of-cause = { $count ->
   *[other] { $found } of { $count } pods: { $cause }
}
# The most frequent cause, with the number of all pending pods.
most-frequent-cause = { $count } of { $all }: { $cause }
more-pods = { $count ->
   *[other] and { $count } more pods for other causes
}
show-fewer = Show fewer
show-fewer-causes = Show fewer causes
