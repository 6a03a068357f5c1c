# The line above two compared runs.

name = What differs
same-so-far = So far both runs are the same.
# Bold; the event follows with one of the two next messages.
first-difference = First difference at { $instant }:
# $event - what happened in the run whose lanes are shown.
in-this-run = { $event } (this run)
in-the-other = { $event } (the other)
go-there = Go there
no-pod-differs = No pod differs now
pods-differ = { $count ->
    [one] 1 pod differs now
   *[other] { $count } pods differ now
}
pods-differ-hint = It is outlined: go there; again, to the next one
figures = Figures
