# The editor for manifests and scenarios.

editor = Editor
editor-beside = Editor beside the cluster
close = Close the editor

## Examples

# Stands before the list of examples.
begin-with = Begin with
examples = Examples
a-pod = A pod
spread = A Deployment spread over zones
partition = A StatefulSet and a partition
priorities = Priorities
lesson = A lesson to write on
paste-hint = Paste what kubectl get … -A -o yaml printed, or drop files.

## What was found in the text

found = What was found in the text
advice = Advice
# At the place of a gap in the text.
gap = a gap: replace the ___
nothing-to-apply = Nothing to apply yet: there is no object in it.
no-problems = No problems.
# Stands above the API server's answer.
refused = The server refused it
# Below some results.
and-more = { $count ->
   *[other] and { $count } more
}
time-stands = Time stands still: play or step to see what follows.

## Buttons

check-lesson = Check the lesson
check-lesson-hint = Plays the solution, nothing, and each bypass, and says what is to be mended
apply-live = Apply as I type
beside = Beside the cluster
beside-hint = The text on one side, what it does on the other
apply = Apply
apply-to-running = Apply to the running cluster
start-anew = Start anew with this
