# The list of a course's items on the command line (cli/src/course.rs).

# $pass (Number) - per cent.
exam = { $minutes ->
   *[other] exam: { $minutes } minutes, pass mark { $pass } %
}
# $path (String) - of a scenario file.
of-site = { $path } (of the site)
own-lesson = a lesson of the course's own
# $family (String) - a name. $seed, $level (Number) - they name a task of the family.
practice = practice { $family }, seed { $seed }, level { $level }
# $item (String) - one of the above, or the name of a lesson. $weight (Number) - of its points in an exam.
weighted = { $item }, weight { $weight }
