# How two clusters differ, on the command line.

## Headings; they are printed in capitals

new-problems = New problems
problems-gone = Problems that are gone
# Objects of both clusters.
changed = Changed
# Objects that exist only in the second cluster.
added = Added
# Objects that exist only in the first cluster.
removed = Removed

## Lines

nothing-differs = Nothing differs.
# $problem - its name; $object - kind and name.
problem = { $problem } { $object }: { $reason }
# The pod was on the first node, and is on the second one.
moved = { $pod }: { $from } -> { $to }
# $fields - a list of their paths.
fields = { $object }: { $fields }
fields-more = { $object }: { $fields } and { $more ->
   *[other] { $more } more
 }
