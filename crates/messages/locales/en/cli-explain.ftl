# An explanation of a decision of the scheduler as text (cli/src/explain.rs, explain_text.rs).

## Lines above the tables. $why, $message (String) - without a full stop.

why = Why: { $why }.
# $message (String) - of the scheduler that decided here, in English.
scheduler-says = kube-scheduler says: { $message }
# $message (String) - that the dump has, in English.
scheduler-said = kube-scheduler said in the cluster: { $message }

## The table of nodes.

nodes = Nodes
fits = fits
refused = refused

## The devices of claims.

devices = Devices
device-error = error: { $error }
# A pool of devices that cannot be used. $pool (String) - driver and name.
incomplete-pool = pool { $pool } is incomplete
invalid-pool = pool { $pool } is invalid

## The table of scores.

scores = Scores (weighted)
node = node
total = total

## A topology spread constraint. $key (String) - of the topology. $kind (String) - DoNotSchedule or ScheduleAnyway.
## $fewest (Number) - pods of the emptiest domain.

spread = Spread over { $key } ({ $kind }, maxSkew { $skew }, fewest { $fewest })
# $found, $least (Number) - domains that there are, and minDomains.
spread-too-few = { $least ->
   *[other] Spread over { $key } ({ $kind }, maxSkew { $skew }, fewest { $fewest }: counts as 0, { $found } of { $least } domains)
}
# $skew (Number) - of a domain.
skew = skew { $skew } with this pod
not-scored = not scored: no node there can take the pod
within-limit = within the limit
too-many = too many
above-limit = above the limit, only scored

## Preemption.

# $what (String) - the result, without a full stop.
preemption = Preemption: { $what }
# $victims, $reprieved (String) - lists of pods.
candidate = { $node }: victims { $victims }; may stay: { $reprieved }; PodDisruptionBudgets violated: { $violations }
# A pod in such a list. $budgets (String) - one `budget` after the other.
victim = { $pod } (priority { $priority }{ $budgets })
# $allowed (Number) - disruptions.
budget = , budget { $name } allows { $allowed }
# An empty list.
no-pods = none

## Further headings.

groups = Node groups (a model of the cluster autoscaler)
ended = Containers that ended
