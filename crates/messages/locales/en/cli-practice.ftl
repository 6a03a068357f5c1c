# Practice tasks on the command line (cli/src/practice.rs).

# $title (String) - of the family. $seed, $level (Number) - they name the task.
task = { $title } (seed { $seed }, level { $level })

## The judgement of an answer. $why (String) - sentences.

right = Right. { $why }
wrong = Wrong. { $why }
# $answer (String) - the right one.
right-answer = The right answer is { $answer }. { $why }
# $rule (String) - sentences.
rule = Rule: { $rule }

## When each family is asked again.

next = Next (by SM-2):
# In a table: the level of difficulty.
level = level { $level }
due = { $days ->
    [0] today
    [1] tomorrow
   *[other] in { $days } days
}
