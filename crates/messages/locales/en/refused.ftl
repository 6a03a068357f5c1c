# Problems of what was to be opened, without a full stop.

# $problem - a message of the API server. $count (Number) - further problems that are not listed.
and-more = { $count ->
   *[other] { $problem } (and { $count } more problems)
}
# $name - in quotation marks.
no-lesson = there is no lesson { $name }
no-family = there is no practice family { $name }
no-families = there is no practice family
no-course = there is no course { $name }
no-task = no draw of seed { $seed } at level { $level } has exactly one right answer
