# The dialog of a class: runs that were handed in.

class = Class
about = Drop the files that people handed in. Each run is replayed here, and what a file claims is checked; nothing leaves this browser.
choose-files = Choose files
save = Save as CSV
forget = Forget them
awaited = { $count ->
    [one] 1 file is being replayed…
   *[other] { $count } files are being replayed…
}
frequent-wrong-answers = Most frequent wrong answers
# Stands after a question. $count of $all answers were $wrong; $right would have been right.
wrong-answer = { $count } of { $all } said { $wrong }; it is { $right }.

## Table of runs

runs = Runs
student = Student
lesson = Lesson
finished = Finished
goals = Goals
answers = Answers
hints = Hints
shown = Shown
minutes = Minutes
check = Check
# For screen readers: the heading of the column of buttons.
run = Run
# A button in each row; $student is who handed in the run of the lesson $title.
open = Open
open-run = Open the run of { $title } by { $student }
# The lesson is finished; the solution was shown.
yes = yes
no = no
# The replay confirms what the file claims.
replayed = replayed
