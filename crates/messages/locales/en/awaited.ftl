# What a lesson waits for before it shows the next step, without giving it away. The page shows it after `Waits for`.

outcome = the outcome
# $object - kind and name: `Pod web`.
change = a change of { $object }
# $objects - kinds in the plural, as kubectl names them, such as `pods`.
change-among = a change among the { $objects }
either = { $one } or { $other }
# $service - name of a Service.
requests = requests to { $service }
anything = what comes next
# $what (Sentence) - one of the above. $time - an instant: `0:15`.
not-before = { $what }, { $time }
