# Problems of a cluster, as text (protocol/src/triage.rs).

nothing = nothing is wrong that the objects show

## A problem of one or several objects. $object, $owner (String) - kind and name. $more (Number) - further objects.
## $age (String) - a duration, such as 5m.

heading = { $more ->
    [0] { $object }
   *[other] { $object } and { $more } more
}
heading-of = { $more ->
    [0] { $object } (of { $owner })
   *[other] { $object } and { $more } more (of { $owner })
}
heading-for = { $more ->
    [0] { $object } (for { $age })
   *[other] { $object } and { $more } more (for { $age })
}
heading-of-for = { $more ->
    [0] { $object } (of { $owner }, for { $age })
   *[other] { $object } and { $more } more (of { $owner }, for { $age })
}
