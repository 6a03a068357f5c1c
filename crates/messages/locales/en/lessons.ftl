# The dialog of the course.

title = Lessons and scenarios
loading = The lessons come with the engine, which is still loading…

## Progress

course = The course
done-of = { $done } of { $count } done
lessons-done = Lessons done
# $title - the next lesson: the first one of all, or another one.
begin-with = Begin: { $title }
continue-with = Continue: { $title }
on-this-device = Kept on this device only.
save = Save as a file
forget = Forget it
load = Load a file
# $file - name of a file.
cannot-save = { $file } could not be saved
none-loaded = No finished lesson stands in that file
loaded = { $count ->
    [one] 1 finished lesson was loaded
   *[other] { $count } finished lessons were loaded
}

## Doors to other dialogs: a title, and a line below it

free-play = Free play
about-free-play = A small living cluster, nothing to follow
practise = Practise
about-practise = Tasks without end, each in a new cluster
exam = Exam
about-exam = Sixteen tasks, 90 minutes
your-own = Your own
about-your-own = Write or paste manifests and scenarios
terms = Terms
about-terms = What the words of the lessons mean
a-file = A file
about-a-file = A scenario, or a dump of a real cluster

## The field to find a lesson

find = Find a lesson
find-hint = Enter opens the first one
# The label of a group of symptoms.
what-do-you-see = What do you see?
no-matches = No lesson with these words.
matches = { $count ->
    [one] 1 lesson
   *[other] { $count } lessons
}

## Cards of lessons

# $group - a group of lessons.
group-done = { $group } · { $done } of { $count }
# $minutes - how long a lesson takes.
minutes = { $minutes } min
# $lessons - titles of the lessons that come before it.
minutes-after = { $minutes } min · after { $lessons }
