# Devices of a node.

devices = Devices
# $counts - a list of the messages below, such as "1 held, 3 free".
counted = { $count ->
    [one] { $count } device: { $counts }
   *[other] { $count } devices: { $counts }
}
held = { $count ->
   *[other] { $count } held
}
shared = { $count ->
   *[other] { $count } shared
}
blocked = { $count ->
   *[other] { $count } blocked
}
tainted = { $count ->
   *[other] { $count } tainted
}
free = { $count ->
   *[other] { $count } free
}

## List of devices

# The taint follows as code.
taint = Taint
# The name of a counter follows as code.
blocked-other-devices = Blocked: other devices use up
# The name of a ResourceClaim follows as a button, then ", " and one of the last two messages.
held-by = Held by
share-held-by = A share is held by
reserved-for-none = reserved for no pod
# $pods - names of pods.
for-pods = for { $pods }
