# The story panel at the left.

story = Story
# For screen readers.
step-of = Step { $step } of { $count }
# $group - a group of lessons of the course.
place-in-group = { $group } · { $step } of { $count }
place = { $step } of { $count }
waits-for-question = Time waits for the question of step { $step }.
to-question = To the question

## Before the first step

# Stands above the condition.
begins-when = The story begins when this has happened:
time-runs = Time runs.
time-stands = Time stands still.
skip-to-story = Skip to the story
let-time-run = Let time run

## Marks of answers: on nodes, on pods and on the timeline

your-answer = your answer
# The outcome of the run.
so-it-is = so it is
your-answer-right = your answer, and so it is

## Below the text

# Stands above a button with a command.
try-it = Try it
# A condition to keep was broken. The condition stands between these two; the second one begins with its full stop.
broken-at = Broken at { $time }:
broken-after = . What is reached after that does not count.
# Goes back to an instant.
back-to = Back to { $time }

## Footer

start-over = Start over
next-waits-for-answer = Next waits for your answer.
next-is-closed = Next is closed: go back, or start over.
# Stands before a condition.
next-waits-for = Next waits for:
show-me = Show me
show-me-hint = Goes to the solution's next command and gives it; what you did stays as a branch
step-before = The step before
next = Next ›
to-end = The end ›
