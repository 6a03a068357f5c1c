# The legend at the right: recent events, and the meaning of the marks of pods.

select = Select anything to ask why
nodes = nodes
pods = pods
ready = ready
pending = pending
ghosts = ghosts
just-now = Just now
colour = Colour: who owns it
shape = Shape: how it is
other-marks = Marks that are not on the stage now

## Marks

ready-mark = running and ready
starting-mark = starting
not-ready-mark = running, not ready
terminating-mark = terminating: the ring empties
crash-loop-mark = crashing, waits to restart
succeeded-mark = succeeded
failed-mark = failed
pending-mark = pending: no node yet
unconfirmed-mark = nobody can confirm it
ghost-mark = runs, but is forgotten
