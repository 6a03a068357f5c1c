# The offer to repeat a question of an earlier lesson.

asked-again = Asked again
still-know = Do you still know?
# Stands after still-know. $lesson - title of a lesson.
one-question = One question of “{ $lesson }”, in a run that you have not seen.
ask-me = Ask me
not-now = Not now
