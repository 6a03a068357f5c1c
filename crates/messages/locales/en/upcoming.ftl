# Coming events, the forward button, and how a run to an event ended.
#
# In the messages about an event, $count (Number) says how many things it is about: 1 is shown by $name, more are counted.
# So the form for one thing has the key [1]; a language whose plural form `one` also stands for 21 needs both.

## A coming event, in the middle of a sentence: no capital, no full stop

will-not-ready = { $count ->
    [1] { $name } becomes NotReady
   *[other] { $count } nodes become NotReady
}
will-evicted = { $count ->
    [1] { $name } is evicted
   *[other] { $count } pods are evicted
}
# A process of the control plane becomes the leader by taking the lease.
will-lease = { $count ->
    [1] another process takes the lease { $name }
   *[other] other processes take { $count } leases
}
will-attempt = { $count ->
    [1] the scheduler tries { $name } again
   *[other] the scheduler tries { $count } pods again
}
will-back-off = { $count ->
    [1] { $name } is started again
   *[other] { $count } containers are started again
}
will-probe = { $count ->
    [1] the probe of { $name } has failed often enough
   *[other] the probe of { $count } containers has failed often enough
}
will-stop-signal = { $count ->
    [1] the preStop hook of { $name } has had its time
   *[other] the preStop hook of { $count } containers has had its time
}
will-kill = { $count ->
    [1] { $name } gets SIGKILL
   *[other] { $count } containers get SIGKILL
}
will-exit = { $count ->
    [1] { $name } ends by itself
   *[other] { $count } containers end by themselves
}
will-job = { $count ->
    [1] { $name } makes a Job
   *[other] { $count } CronJobs make a Job
}
will-script = the scenario goes on
will-story = the story goes on
# $name - a command of the solution.
will-solution = { $count ->
    [1] the solution runs { $name }
   *[other] the solution runs { $count } commands
}

# $event - one of the messages above. $time - the time left: `40 s`, `4:12`.
event-in = { $event } in { $time }
# In another font, after one of the messages above.
in-time = in { $time }
# Two events, the earlier one first: each with the time left.
events-in = { $event } in { $time }, { $then } in { $then-time }

## An event that has come, in the middle of a sentence: no capital, no full stop

was-not-ready = { $count ->
    [1] { $name } became NotReady
   *[other] { $count } nodes became NotReady
}
was-evicted = { $count ->
    [1] { $name } was evicted
   *[other] { $count } pods were evicted
}
was-lease = { $count ->
    [1] the lease { $name } has a new holder
   *[other] { $count } leases have a new holder
}
was-attempt = { $count ->
    [1] the scheduler tried { $name } again
   *[other] the scheduler tried { $count } pods again
}
was-back-off = { $count ->
    [1] { $name } was started again
   *[other] { $count } containers were started again
}
was-probe = { $count ->
    [1] the probe of { $name } failed
   *[other] the probe of { $count } containers failed
}
was-stop-signal = { $count ->
    [1] { $name } got the stop signal
   *[other] { $count } containers got the stop signal
}
was-kill = { $count ->
    [1] { $name } got SIGKILL, or had ended by then
   *[other] { $count } containers got SIGKILL, or had ended by then
}
was-exit = { $count ->
    [1] { $name } ended
   *[other] { $count } containers ended
}
was-job = { $count ->
    [1] { $name } made a Job
   *[other] { $count } CronJobs made a Job
}
was-script = the scenario went on
was-story = the story went on
# $name - a command of the solution.
was-solution = { $count ->
    [1] the solution ran { $name }
   *[other] the solution ran { $count } commands
}

## Outlined marks on the timeline: one or two words

mark-evicted = evicted
mark-lease = lease
mark-attempt = next try
mark-back-off = restart
mark-probe = probe fails
mark-exit = ends
mark-script = scenario
mark-story = story
mark-solution = solution

## The forward button: what it goes to, after "Skip to"

to-eviction = the eviction
to-leader = the new leader
to-attempt = the next try
to-restart = the restart
to-probe = the failed probe
to-exit = its end
to-job = the next Job
to-script = the next event
to-story = the story
to-solution = the solution

## The forward button: what else it does, and beside it a short remark

stop = Stop
# $time - an instant: `1:30`.
until = until { $time }
answer-first = Answer first
time-waits = time waits
next-page = Next page
# $step - the number of a page of the story.
step = step { $step }
your-move = your move
next-decision = Next decision

## The forward button's tooltip

# A fast run goes on. $time - an instant: `1:30`.
skipping = Skipping to { $time }
looking = Looking for a decision, no further than { $time }
waits-for-answer = Time waits for the answer to the story's question
story-goes-on = The story goes on
until-decision = Runs until the scheduler decides something (n)

## How a run ended. $waited - how long it took: `20 s`, `5:00`

# $name - a command. $time - an instant: `1:30`.
showing = Showing: { $name } at { $time }.
# $event - one of the messages of an event that has come.
occurred = { $waited } later: { $event }.
# $event - one of the messages of a coming event.
did-not-occur = { $waited } later: it did not come to it that { $event }.
story-went-on = { $waited } later: the story goes on.
decided = { $waited } later: the scheduler made a decision.
# $time - an instant: `1:30`.
no-decision = Nothing was decided for { $waited }, up to { $time }: the scheduler waits for a pod, or for something that helps one.
# $event - one of the messages of an event that has come.
before-decision = { $waited } later: { $event }, before any decision.
# A single step. $by - who did something. $what - the kind of what was done.
one-event = { $by }: { $what }.
# $of - kind and name of the object.
one-event-of = { $by }: { $what } { $of }.
nothing-comes = Ten minutes went by, and nothing changed: as long as nobody does anything, nothing will.
