# The tab "Why here?": the decision of the scheduler about a pod, and what would help a pending one.

## Decision

# $what - what the files lack, such as "no file has a Node".
nobody-can-say = Nobody can say why this pod is pending: { $what }.
# The message of the real scheduler follows.
real-scheduler-said = The real scheduler said:
not-looked-at-yet = The scheduler has not looked at this pod yet.
scheduler-not-asked = It was bound before t = 0, or came with its node: the scheduler was not asked.
# $number - number of the shown attempt. $count (Number) - number of all attempts. $instant - a time of the clock.
attempt = { $count ->
   *[other] Attempt { $number } of { $count } · { $instant }
}
last-attempt = The last attempt
attempt-before = The attempt before
next-attempt = The next attempt
as-the-event-says = As the event says it

## Nodes that cannot run the pod

cannot-take-it = { $count ->
   *[other] Cannot take it ({ $count })
}
# The common reason of these nodes follows, after a colon.
nodes = { $count ->
   *[other] { $count } nodes
}
and-more = { $count ->
   *[other] and { $count } more
}
devices = Devices

## Table of scores

scores = Scores
plugin = plugin
# Read by screen readers after the sign "×".
weight = weight
total = total
# $plugin - a plugin of the scheduler.
what-it-adds = What { $plugin } adds
and-more-nodes = { $count ->
   *[other] and { $count } more nodes
}

## Topology spread. $least - pods in the emptiest domain. $skew - maxSkew. $limit - largest number allowed.

# $key - the topology key.
spread-by = Spread by { $key }
spread-hard = The emptiest has { $least }; maxSkew { $skew } allows at most { $limit } in each.
spread-soft = The emptiest has { $least }; maxSkew { $skew } allows preferably at most { $limit } in each.
# $found - domains that exist. $wanted - minDomains of the constraint.
spread-hard-few-domains = { $wanted ->
   *[other] The emptiest counts as 0: { $found } of { $wanted } domains are there (minDomains { $wanted }); maxSkew { $skew } allows at most { $limit } in each.
}
spread-soft-few-domains = { $wanted ->
   *[other] The emptiest counts as 0: { $found } of { $wanted } domains are there (minDomains { $wanted }); maxSkew { $skew } allows preferably at most { $limit } in each.
}
full = full
full-hint = With this pod the skew would be { $skew }
not-scored = not scored
not-scored-hint = No node there can take the pod

## Preemption

making-room = Making room
# After the name of a node and " · ".
nominated = nominated
# $pods - a list of "victim" below, or "no-pods".
victims = victims: { $pods }
may-stay = may stay: { $pods }
victim = { $pod } (priority { $priority })
no-pods = none
against-budget = { $count ->
   *[other] { $count } against a disruption budget
}

## What would help

what-would-help = What would help?
what-would-help-pod = What would help { $pod }?
trying = Trying changes
stop = Stop
try-on-branch = Try on a branch
# $remedy - what would help, as a sentence. The name of the button begins with its text "try-on-branch".
try-remedy = Try on a branch: { $remedy }
one-more-node = One more node of a group
nothing-found = No single change was found that would let it schedule.
# $what - what the files lack, such as "no file has its claim data-db-0".
nothing-can-be-tried = No change can be tried: { $what }. With it among the files, there is an answer.
nothing-found-foreign = No single change was found: the scheduler `{ $scheduler }` does not run here, and none that runs has a node for it.
