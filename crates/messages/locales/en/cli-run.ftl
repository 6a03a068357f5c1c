# The summary of `podscope run` (cli/src/run.rs).

no-scenario = (no scenario)
# $title (String) - the scenario's. $time (String) - the end of the run, such as 2m30s. $seed (Number).
head = { $title }: seed { $seed }, ran to { $time }
note = note: { $notice }

## An expectation, before its text: it held, it failed, or the run ended before it was checked.

held = ok
failed = FAILED
skipped = skip

## $time (String) - an instant.

# $command (String) - a command line. $error (String) - in kubectl's words.
refused = refused at { $time }: { $command }: { $error }
# $invariant (String) - a name. $cause (String) - bug, command or fault. $by (String) - who did what, in English.
broken = invariant { $invariant } broken at { $time } (cause: { $cause }) { $by }

## The last lines.

# $counts (String) - numbers of objects by kind.
objects = objects: { $counts }
no-objects = objects: none
# $hash (String) - of the trace.
trace = { $records ->
   *[other] trace: { $records } records, hash { $hash }
}
