# Conditions of a lesson: goals, what must stay so, what the next step waits for. They have no full stop.
#
# $position (start, inside) - whether the sentence begins with the message, or another message contains it as $what.
# $object (String) - kind and name, or `object-in`. $number (String) - a value, or a message of the last group.
# $count (Number) - the number in $number by which its noun is in the singular or plural; 0 if there is none.

## Times. $what (String) - a sentence that begins inside.

from = From { $time } on
from-what = From { $time } on: { $what }
until = By { $time }
until-what = By { $time }: { $what }
never = It never happens that { $what }
# $statement (String) - statement of an invariant.
kept = To the end: { $statement }
# Between conditions.
and = , and{ " " }

## State of an object

object-in = { $object } in { $namespace }
exists = { $object } exists
is-gone = { $object } is gone
has-node = { $object } has a node
has-no-node = { $object } has no node
placed-on = { $object } is placed on { $node }
placed-elsewhere = { $object } is placed on another node than { $node }
phase = { $object } is { $phase }
not-phase = { $object } is not { $phase }
deleting = { $object } is being deleted
not-deleting = { $position ->
    [start] A
   *[inside] a
} { $object } that is not being deleted exists
cordoned = { $object } is cordoned
not-cordoned = { $object } is not cordoned
nominated-to = { $object } is nominated to { $node }
nominated = { $object } is nominated to a node
priority = { $object } has the priority { $priority }
# $generation - metadata.generation of the object.
generation = { $position ->
    [start] The
   *[inside] the
} spec of { $object } is at its generation { $generation }
revision = { $object } is at revision { $revision }
ready = { $object } is ready
not-ready = { $object } is not ready
containers-ready = { $position ->
    [start] The
   *[inside] the
} containers of { $object } are ready
unschedulable = { $position ->
    [start] The
   *[inside] the
} scheduler found no node for { $object }
# $name (String) - type of the condition, such as Ready. $status (String) - True, False, Unknown.
condition-is = { $position ->
    [start] The
   *[inside] the
} condition { $name } of { $object } is { $status }
condition-is-not = { $position ->
    [start] The
   *[inside] the
} condition { $name } of { $object } is not { $status }
condition-reason = { $position ->
    [start] The
   *[inside] the
} condition { $name } of { $object } has the reason { $reason }
has-taint = { $object } has a taint with the effect { $effect }
has-no-taint = { $object } has no taint with the effect { $effect }
has-label-value = { $object } has the label { $name }={ $value }
has-label = { $object } has a label { $name }
has-no-label = { $object } has no label { $name }
restarted = { $position ->
    [start] A
   *[inside] a
} container of { $object } was restarted
restarted-times = { $position ->
    [start] A
   *[inside] a
} container of { $object } was restarted at least { $times ->
    [one] once
   *[other] { $times } times
}
container-waits = { $position ->
    [start] A
   *[inside] a
} container of { $object } waits: { $reason }
container-ended = { $position ->
    [start] A
   *[inside] a
} container of { $object } has ended: { $reason }
has-reason = { $object } has the reason { $reason }
has-image = { $object } has the image { $image }
# Grace period of a deletion.
has-grace = { $object } has { $seconds } s of grace
# $path (String) - a field, such as spec.clusterIP.
has-field = { $object } has { $path }
has-no-field = { $object } has no { $path }
field-is = { $path } of { $object } is { $number }
field-is-not = { $path } of { $object } is not { $number }

## Pods of a workload

wants-pods = { $count ->
    [one] { $object } wants { $number } pod
   *[other] { $object } wants { $number } pods
}
# Pods that a PodDisruptionBudget wants.
wants-healthy-pods = { $count ->
    [one] { $object } wants { $number } healthy pod
   *[other] { $object } wants { $number } healthy pods
}
has-pods = { $count ->
    [one] { $object } has { $number } pod
   *[other] { $object } has { $number } pods
}
has-ready-pods = { $count ->
    [one] { $object } has { $number } ready pod
   *[other] { $object } has { $number } ready pods
}
has-available-pods = { $count ->
    [one] { $object } has { $number } available pod
   *[other] { $object } has { $number } available pods
}
has-latest-pods = { $count ->
    [one] { $object } has { $number } pod of its latest template
   *[other] { $object } has { $number } pods of its latest template
}
has-failed-pods = { $count ->
    [one] { $object } has { $number } failed pod
   *[other] { $object } has { $number } failed pods
}
has-succeeded-pods = { $count ->
    [one] { $object } has { $number } succeeded pod
   *[other] { $object } has { $number } succeeded pods
}
has-healthy-pods = { $count ->
    [one] { $object } has { $number } healthy pod
   *[other] { $object } has { $number } healthy pods
}

## Number of objects. $objects (String) - a message of the next group.

no-objects = { $position ->
    [start] There
   *[inside] there
} are no { $objects }
objects = { $position ->
    [start] There
   *[inside] there
} { $count ->
    [one] is
   *[other] are
} { $number } { $objects }
not-objects = { $position ->
    [start] There
   *[inside] there
} { $count ->
    [one] is
   *[other] are
} not { $number } { $objects }
same-objects = { $position ->
    [start] The
   *[inside] the
} { $objects } stay the same: none goes, none is added

## Which objects are counted. $objects (String) - kinds as in kubectl (pods, deployments, in the singular after one), or
## another message of this group: each message adds to it, in this order.

# Between kinds, and between names.
or = { " " }or{ " " }
named = { $objects } named { $names }
labelled = { $objects } labelled { $labels }
in-phase = { $phase } { $objects }
on-node = { $objects } on { $node }
# $field (String) - a field selector.
with-field = { $objects } with { $field }
in-namespace = { $objects } in { $namespace }
in-all-namespaces = { $objects } in all namespaces
serving = { $objects } that are ready and not being deleted

## Number of requests to a Service. $which (String) - empty, or a message of the next group after a space.

no-request = { $position ->
    [start] There
   *[inside] there
} is no request to { $service }{ $which }
one-request = { $position ->
    [start] There
   *[inside] there
} is 1 request to { $service }{ $which }
requests = { $position ->
    [start] There
   *[inside] there
} are { $number } { $count ->
    [one] request
   *[other] requests
} to { $service }{ $which }
not-requests = { $position ->
    [start] There
   *[inside] there
} are not { $number } { $count ->
   *[other] requests
} to { $service }{ $which }

## Which requests

that-failed = that failed
with-outcome = with the outcome { $outcome }

## Values

between = { $least } to { $most }
at-least = at least { $least }
at-most = at most { $most }
