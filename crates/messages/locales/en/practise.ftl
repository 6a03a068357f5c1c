# The dialog of practice, and the card at the end of a task.

practise = Practise
the-next-task = The next task
nothing-is-due = Nothing is due today.
due-topics = { $count ->
    [one] 1 topic is due.
   *[other] { $count } topics are due.
}
give-task = Give me a task
about-schedule = Each task is a new cluster, and the simulation is the answer key. A topic comes back after a day, then after 6 days, then later each time; after a mistake it begins again (the SM-2 rule). Topics take turns. Kept on this device only.
loading = The tasks come with the rest of the engine, which is loading…

## Cards of topics

# $due - one of the four below.
level = level { $level } · { $due }
due-new = new
due-today = due
due-tomorrow = tomorrow
due-in = { $days ->
   *[other] in { $days } days
}

## The end of a task

end-of-task = The end of the task
rule = The rule
reasons = Every answer, and why
next-task = Next task ›
another = Another of this kind
harder = A harder one
all-topics = All topics
