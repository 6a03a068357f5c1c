# What the API server believes about a node, and what comes next: one of the first messages, then one of the others after
# " · ". $instant - a time of the clock.

no-such-node = knows no such node
ready = Ready
# $time (a duration) - time since the last heartbeat.
ready-last-heard = Ready, last heard { $time } ago
notready-since = NotReady since { $instant }
not-ready-since = not ready since { $instant }

## What comes next

notready-at = NotReady at { $instant }
# $component - the controller-manager.
nobody-judges-down = nobody judges: { $component } is down
nobody-judges-no-leader = nobody judges: no controller-manager leads yet
evicts = { $count ->
    [one] evicts 1 pod at { $instant }
   *[other] evicts { $count } pods at { $instant }
}
# Further pods, after the message above and ", ".
evicts-more = { $count ->
   *[other] { $count } more at { $instant }
}
evicts-later = { $count ->
   *[other] { $count } later
}
