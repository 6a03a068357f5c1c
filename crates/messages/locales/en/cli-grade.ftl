# The result sheet of runs that were handed in (cli/src/grade.rs).

## Headings of the columns.

student = STUDENT
lesson = LESSON
finished = FINISHED
goals = GOALS
answers = ANSWERS
hints = HINTS
# Whether the solution was shown.
shown = SHOWN
minutes = MINUTES
# What is wrong with the file, or that the run was replayed.
check = CHECK

## Cells.

yes = yes
no = no
replayed = replayed

## Lines below the table.

# $percent (String) - points of an exam. $missing (Number) - tasks of it without a run.
passed = { $student }: { $percent } %, passed{ $missing ->
    [0] { "" }
    [one] , 1 task without a run
   *[other] , { $missing } tasks without a run
}
not-passed = { $student }: { $percent } %, not passed{ $missing ->
    [0] { "" }
    [one] , 1 task without a run
   *[other] , { $missing } tasks without a run
}
# A frequent mistake. $count, $of (Number) - students. $wrong, $right (String) - answers.
mistake = { $count ->
   *[other] { $count } of { $of } said { $wrong }; the run says { $right }
}
