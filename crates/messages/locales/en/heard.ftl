# Announcements for screen readers.

name = What happens
# Stands for the arrow in "web-1 → a-1", between a pod and its node.
is-bound-to = is bound to
other-things = { $count ->
   *[other] { $count } other things happened
}
goals-reached = { $count ->
    [one] a goal is reached
   *[other] { $count } goals are reached
}
question = the story asks a question, and time waits
step = step { $number } of the story can be read
