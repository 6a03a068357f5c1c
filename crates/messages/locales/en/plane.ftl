# The control plane at the top of the stage.

## Names. "other run": of the second run of a comparison.

control-plane = Control plane
control-plane-other-run = Control plane, other run
api-server = API server
# Short names of the processes, for narrow stages.
api-short = API
scheduler-short = sched
controllers-short = control
attacher-short = attach
fencing-short = fencing
# $component - a process. $action - what can be done with it, such as "Stop it".
action-on = { $component }: { $action }

## State of a process, after its name

leader = (leader)
standby = (standby)
down = (down)
unreachable = (unreachable)

## Broken guarantees

# $guarantee - its name, such as "at-most-one". After it stands one of the messages "since" below.
broken = { $guarantee } broken
was-broken = { $guarantee } was broken
since = at { $instant }
since-for = at { $instant } for { $duration }
# The number stands before it, as an element of its own.
guarantees-broken = { $count ->
   *[other] guarantees broken
}
guarantees-were-broken = { $count ->
   *[other] guarantees were broken
}
heal-everything = Heal everything
# The command follows on a line of its own.
heal-everything-hint = { $count ->
   *[other] Remove every cut of { $count } nodes
}

## What is drawn

what-is-drawn = What is drawn
whose-picture = Whose picture
api = API
api-hint = Only what the API server believes
both = both
both-hint = What the API server believes, and where machines differ
machine = machine
machine-hint = Only what really runs
group-by = Group nodes by
group-by-label = Group nodes by label
# The default: nodes are grouped by their zone.
zone = zone
# The same, where there is also a label with the key "zone".
zone-by-topology = zone (topology…)
zone-by-label = zone (label)
# $key - a label key, or one of the three messages above: the spread constraint of the selected pod uses it.
key-of-constraint = { $key } (its constraint)
