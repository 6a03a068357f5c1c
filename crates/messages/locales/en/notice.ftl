# Notices of Podscope in the console, in addition to the output of commands.

time-is-paused = Time stands still: play or step to see what follows.
waits-for-answer = Time waits for your answer: choose one in the story, or press *I don't know*.
command-waits-for-answer = Time waits for your answer in the story: what this command brings comes after it.
nothing-to-undo = there is no command to take back on this branch
no-solution = This story has no solution that can be played from here.
piped-late = error: a pipe takes what is printed at once; this command's answer comes while time runs

## Requests that wait until a jump in time ends. $until (String) - the instant to which it goes.

# $what (String) - a command, or a message of the next group.
request-waits = { $what } waits until { $until } is reached
request-dropped = not done, { $until } was not reached: { $what }
too-many-wait = { $most ->
   *[other] not done: { $most } requests already wait until { $until } is reached
}

## Names of requests

play = play
step = the next event
next-decision = the next decision
skip = the skip
fork = the branch
undo = the undo
remedy = the remedy
seek = the way to another instant

## Pasted lines that wait for a command. $lines (String) - `lines`.

# $command (String) - the command that is still running.
lines-wait = Waiting until `{ $command }` ends: { $lines }. Ctrl-C ends it and drops what waits.
lines-dropped = not run: { $lines }
too-many-lines = { $most ->
   *[other] not run: at most { $most } lines wait
}
# $first (String) - the first line. $more (Number) - further lines.
lines = { $more ->
    [0] { $first }
    [one] { $first } and another line
   *[other] { $first } and { $more } more lines
}

## Limits

limit-branches = { $most ->
   *[other] a session holds at most { $most } branches
}
limit-commands = { $most ->
   *[other] a branch holds at most { $most } commands
}
limit-records = { $most ->
   *[other] the run holds at most { $most } records: it stops here
}

## Why a line of an object cannot be a goal of a lesson

goal-invariant = An invariant has no fields; write `always` in the file.
goal-no-object = There is no such object now.
goal-no-field = There is no field in this line.
goal-unsupported-field = This field can be no goal.
goal-differs-per-run = No reader would reach this goal: each run gives this field a value of its own.
goal-drawn-name = No reader would reach this goal: each run draws the pod's name. Phase, node, readiness and labels of such a pod can be goals, for all pods with its labels; or pick a field of its owner.

## Engines. $maker, $own (String) - versions of the engine that made a link, and of this one. $before (String) - seconds.

other-engine = This link was made by engine { $maker }; this is { $own }, which decides differently somewhere before { $before }.
# $followed (String) - version of Kubernetes.
other-engine-followed = This link was made by engine { $maker }, which followed Kubernetes { $followed }; this is { $own }, which decides differently somewhere before { $before }.
