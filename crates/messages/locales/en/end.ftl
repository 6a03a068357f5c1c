# The card at the end of a lesson, and at the end of a task of an exam.

end = The end
end-of-lesson = The end of the lesson
all-reached = All goals reached
predictions = Predictions: { $right } of { $count } right.
# Stands before a command.
own-cluster = In a cluster of yours:
# Stands before a sentence of the lesson.
try-also = Try also:
# Stands before a link to a page of the Kubernetes documentation.
read-on = Read on:
next-lesson = Next lesson: { $title } ›
course = The course

## Exam

end-of-task = The end of the task
noted = Your work on this task is noted
shown-later = What is right, and why, is shown after the exam.
next-task = Next task ›
next-item = Next: { $title } ›
to-exam = To the exam
to-course = To the course
