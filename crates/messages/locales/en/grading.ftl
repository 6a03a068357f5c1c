# What is wrong with a run that was handed in, and with its file.

# $error (Sentence) - why it cannot be read.
link-unreadable = the link cannot be read: { $error }
# $claimed (Sentence) - title of a lesson.
run-of-namesake = it is handed in as “{ $claimed }”, and the run is of another scenario of that name
# $claimed, $title (Sentence) - titles of lessons.
run-of-another = it is handed in as “{ $claimed }”, and the run is of “{ $title }”
not-finished = it claims that the lesson is finished, and the run does not finish it
# $prefix - the beginning of a link: `s1:`.
no-hand-in = neither a hand-in (JSON) nor a link ({ $prefix }…) is in it
too-many-runs = { $count ->
   *[other] { $count } runs: at most { $limit } are graded
}
# $place - file, line, column and field. $message (Sentence) - what is wrong there.
problem = { $place }: { $message }
