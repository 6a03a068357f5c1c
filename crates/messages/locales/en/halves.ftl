# The two halves of a pod's mark: what the API server says above, what runs on the machine below.

## Upper half

# $status - the status that the API server has, such as "Running".
api-says = API: { $status }
api-no-such-pod = API: no such pod
api-nobody-knows = API: nobody knows
# The API server still says so, but nobody can confirm it.
api-running-unsure = API: Running?
api-deleting = API: deleting

## Lower half

runs = runs
still-runs = still runs
runs-unheard = runs, unheard
runs-not-told = runs, not told yet
runs-cannot-be-told = runs, cannot be told
has-ended = has ended
has-ended-unheard = has ended, unheard
no-power = no power: nothing runs
nothing-runs = nothing runs
prestop-hook = preStop hook
waits-for-turn = waits for its turn
got-sigterm = got SIGTERM
got-sigkill = got SIGKILL

## Last line of the lower half

not-reported = not reported yet
# $time - a duration such as "18 s".
sigterm-in = SIGTERM in { $time }
sigkill-in = SIGKILL in { $time }

## A mark whose halves agree

not-ready = not ready
nobody-knows = nobody knows
next-start-in = next start in { $time }

## Both halves in one line, for screen readers

# $api - a message of the upper half. $process - a message of the lower half.
both = { $api }; on the machine: { $process }
# $next - a message of the last line.
both-and-next = { $api }; on the machine: { $process }, { $next }
