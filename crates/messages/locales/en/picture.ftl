# Violated invariants.

# $time (String) - an instant. $cause, $violation (String) - English texts of the engine.
broken = Broken at { $time } by { $cause }: { $violation }.

## Kind of the cause of a violation

cause-command = command
cause-fault = fault
cause-bug = bug
