# Durations in their short form, as they stand beside a node or a pod.
seconds = { $n ->
   *[other] { $n } s
}
minutes = { $n ->
   *[other] { $n } min
}
hours = { $n ->
   *[other] { $n } h
}
# Between the whole part of a number and its other digits.
decimal-separator = .
