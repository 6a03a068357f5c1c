# The counts of a search over seeds (cli/src/search).

# $runs (Number) - those in which an invariant broke.
counts = { $seeds ->
   *[other] { $seeds } seeds, something broke in { $runs } of them
}
# $wanted (String) - bug, violation, or the name of an invariant.
none = { $seeds ->
   *[other] { $wanted ->
        [bug] no bug in { $seeds } seeds
        [violation] no violation in { $seeds } seeds
       *[other] no { $wanted } in { $seeds } seeds
    }
}

## The smallest failed run of a command. $faults (Number) - of the run as it was found.

# $left (Number) - faults that are needed. $unrepaired (Number) - of these, without repair. $times (Number) - repetitions.
faults-left = { $faults ->
   *[other] { $left } of { $faults } faults are left, { $unrepaired } of them without repair: with these the run failed { $times } of { $times } times
}
no-fault-left-out = { $faults ->
   *[other] none of the { $faults } faults could be left out
}
