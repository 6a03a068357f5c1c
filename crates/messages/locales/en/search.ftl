# The dialog that searches for a run that breaks a guarantee.

title = Find a run that breaks a guarantee
intro = Each run has other faults and a quiet time after them, as `spec.search` of the scenario says. Your own run does not change.
# The two are one line with fields after them: Runs [100] from seed [42].
runs = Runs
from-seed = from seed
stop = Stop
search = Search
# Name of the progress bar.
tried-runs = Tried runs
# $tried of $runs runs have been tried; $broken of them broke a guarantee.
tried = { $tried } of { $runs ->
       *[other] { $runs } runs
    } tried, { $broken ->
        [0] no guarantee broke
        [one] 1 broke a guarantee
       *[other] { $broken } broke a guarantee
    }.
# The same, while commands that are not needed are removed from the runs that broke a guarantee.
tried-and-shrinks = { $tried } of { $runs ->
       *[other] { $runs } runs
    } tried, { $broken ->
        [0] no guarantee broke
        [one] 1 broke a guarantee
       *[other] { $broken } broke a guarantee
    }; the shortest is looked for…
guarantee = Guarantee
runs-that-break = Runs that break it

## The shortest run

shortest = The shortest run
# After it stands what was seen, and then the message shortest-broke-end. $guarantee is its title, $at an instant.
shortest-broke = { $guarantee } broke at { $at } with seed { $seed }:
shortest-broke-end = .
# Before the command or fault that broke the guarantee.
by = By:
open-run = Open this run
