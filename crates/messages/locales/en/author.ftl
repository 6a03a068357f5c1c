# What is wrong with a lesson, told to its author by `Check lesson`. Names in backquotes are fields of the lesson's file.
# $step, $next (Number) - numbers of steps. $condition - a condition of the lesson, in its author's words.

no-steps = There are no steps: a lesson tells something in `spec.steps`.
no-solution = There is no solution: *Show me* has nothing to play.
few-bypasses = { $count ->
   *[other] A lesson lists two attempts at least that tempt and do not work (`wrong`, `bypasses`); here { $count } stand.
}
no-goal = No step has a goal: there is nothing to reach.
shows-at-once = Step { $step } shows at once after the one before: say in `when` what has happened by then.
follows-clock = Step { $step } follows the clock alone: its `when` names no object, so it would tell of what nobody did.
blind-promise = A `keep` of step { $step } holds while what it speaks of is deleted and made again; use `ready`, `same` or `never`: { $condition }
hint-no-command = A hint of step { $step } begins like a command, so a press runs it, and it is none: { $hint }
unknown-term = Step { $step } links [[{ $term }]], which is no term of the glossary.
no-gap = The manifest of step { $step } has no gap (`___`): it is the whole solution.

## What runs show. A bypass is an attempt that does not work, and is not meant to.

nothing-reaches-goals = Who does nothing reaches the last goals: they hold by themselves.
# $number (Number) - of the bypass. $commands - its commands.
bypass-reaches-goals = Bypass { $number } reaches the last goals, and it is not meant to: { $commands }
# $reply - the author's text.
unseen-reply = Step { $step } answers a mistake that no bypass makes, so nobody has seen the answer: { $reply }
never-shows = With the solution step { $step } never shows.
never-shows-waits = With the solution step { $step } never shows; it waits for: { $condition }.
holds-already = A goal of step { $step } holds already when the step shows, so nobody reaches it (a status may be older than what was just changed): { $condition }
goal-not-reached = The solution does not reach a goal of step { $step }: { $condition }
promise-broken = The solution breaks a promise of step { $step }: { $condition }
# $time - since the start of the lesson: `1m5s`.
solution-is-mistake = The solution is told at { $time } that it is a mistake (step { $step }): { $reply }
shows-too-early = Step { $next } shows before the run has answered the question of step { $step }, and may give it away or change it: let it wait (`at` in its `when`), or ask for an earlier instant.
# $ask - the question.
never-answered = The question of step { $step } is never answered: { $ask }
# $value, $options - in quotation marks.
no-option = The run answers { $value } to step { $step }, and that is none of the options { $options }: { $ask }
asks-too-late = Step { $step } asks for what has happened already: { $ask }
# $seconds (Number) - the delay of the reader. $why (Sentence) - one of the four below.
other-pace = { $seconds ->
   *[other] Who does each step's part of the solution { $seconds } s after the step has shown does not come to the end: { $why }
}

## What keeps a lesson from its end, as a part of a sentence.

step-never-shows = step { $step } never shows
step-never-shows-waits = step { $step } never shows: waited for: { $condition }
answer-no-option = the answer { $value } to step { $step } is none of its options
goal-open = a goal of step { $step } is not reached: { $condition }
