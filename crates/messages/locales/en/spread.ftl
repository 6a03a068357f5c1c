# Topology spread: its lane on the timeline, and the lane as a list.

## Pods of the domains

# $least, $most - pods of the emptiest and of the fullest domain. $count (Number) - domains.
pods-in-domains = { $count ->
   *[other] { $least } to { $most } pods in { $count } domains
}

## Skew. $limit - maxSkew of the constraint.

skew-no-constraint = skew { $skew }, no constraint
skew-hard = skew { $skew }, at most { $limit }
skew-soft = skew { $skew }, preferably at most { $limit }
# $found - domains that exist. $wanted - minDomains of the constraint.
skew-hard-few-domains = { $wanted ->
   *[other] skew { $skew }, at most { $limit }; the emptiest counts as 0: { $found } of { $wanted } domains
}
skew-soft-few-domains = { $wanted ->
   *[other] skew { $skew }, preferably at most { $limit }; the emptiest counts as 0: { $found } of { $wanted } domains
}

## List

# $owner - the owner of the pods. $key - the last part of the topology key, such as "zone".
title = Spread of { $owner } by { $key }
no-constraint = No constraint: where pods of its owner run.
hard = maxSkew { $limit }: a pod goes only where it leaves the fullest domain at most { $limit } above the emptiest. Nobody moves pods that run.
soft = maxSkew { $limit }, ScheduleAnyway: the scheduler prefers domains that keep to it.
