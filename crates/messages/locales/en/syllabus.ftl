# The dialog of a course or an exam.

progress = Progress
# Of an exam.
answered-of = { $done } of { $count } answered
# Of a course.
done-of = { $done } of { $count } done
# The label of the meter beside it.
answered = answered
done = done
# $title - the next item: the first one of all, or another one.
begin-with = Begin: { $title }
continue-with = Continue: { $title }
# Stands before a field.
your-name = Your name or number
hand-in = Save the file to hand in
leave = Leave the course
about-file = Kept on this device only. The file holds the link of each run, and whoever grades it replays the runs.
replay = Replay
replay-of = Replay of { $title }
# Above a lesson of the course: stands after the title of the course.
place = { $number } of { $count }

## What is known about a task

# In an exam that is running.
task-answered = answered
task-begun = begun
score = { $percent } %
# $state - one of the three above. $weight - a number.
with-weight = { $state } · weight { $weight }
not-tried = not tried · weight { $weight }

## Exam

# $minutes - its length. $pass - the points that are needed, in percent.
about-exam = { $minutes ->
   *[other] { $minutes } minutes, { $pass } % of the points to pass. Parts of a task count. Hints and Show me are off.
}
about-exam-with-hints = { $minutes ->
   *[other] { $minutes } minutes, { $pass } % of the points to pass. Parts of a task count. Hints and Show me are open.
}
begin-exam = Begin the exam
end-exam = End the exam
left = { $minutes ->
    [one] 1 minute left.
   *[other] { $minutes } minutes left.
}
# Above a task.
left-short = { $minutes ->
    [one] 1 minute left
   *[other] { $minutes } minutes left
}

## The question before an exam ends

end-exam-now = End the exam now?
all-answered = Every task is answered.
# $tasks - the numbers of the tasks.
not-answered = { $count ->
    [one] Task { $tasks } is not answered.
   *[other] { $count } tasks are not answered: { $tasks }.
}
left-before-end = { $minutes ->
    [one] 1 minute left. Nothing can be changed afterwards.
   *[other] { $minutes } minutes left. Nothing can be changed afterwards.
}
go-on = Go on with the exam
end-it = End it

## The result of an exam

passed = Passed: { $percent } % of the points; { $pass } % are asked.
not-passed = Not passed: { $percent } % of the points; { $pass } % are asked.
about-replay = Each replay shows your run with every answer and its reasons.
begin-again = Begin again
