# The timeline at the bottom.

name = Timeline
time = Time

## Lanes

faults = Faults
commands = Commands
decisions = Decisions
terminations = Terminations
requests = Requests
guarantees = Guarantees
spread = Spread
# $owner - the owner of the pods, such as "web".
spread-of = The spread of { $owner }
lanes = Lanes
as-lists = The lanes as lists
# Read by screen readers before the names of the lanes.
as-lists-sr = The lanes as lists:

## Buttons at the right

zoom-in = Zoom in
zoom-out = Zoom out
see-all = See all
legend = Legend
legend-hint = What the marks mean, and what just happened

## Titles of marks. $event - what happened. $instant, $from, $to - times of the clock.

event-at = { $event } · { $instant }
event-from-to = { $event } · { $from } to { $to }
# $last - one of the two messages above.
several-here = { $count ->
   *[other] { $count } here, the last: { $last }
}

## Branches

main = main
branch = branch { $number }
# $label - the command by which the branch began.
branch-hint = Branch { $number }: { $label }
branches = Branches
leaves-at = Leaves at { $instant }
compare = Compare
# $branch - its name.
compare-hint = Compare with { $branch }: side by side, on one clock
compare-no-commands = Compare with no commands
compare-no-commands-hint = Side by side, on one clock and one seed: this run, and the same without its commands
