# A question of a lesson: time waits for the answer.

## Before the answer

question = A question
place-hint = Time waits. Click a node or pod in the picture, then confirm.
choice-hint = Time waits. Choose one:
time-hint = Time waits. Set a pin on the timeline.
time-choice-hint = Time waits. Choose one, or set a pin on the timeline:
# $answer - the node or pod that was clicked, or the time of the pin.
my-answer = My answer: { $answer }
do-not-know = I don't know
# The label of a slider that sets a pin on the timeline.
pin = Pin
# The pin has no place yet.
not-set = not set

## After the answer
## An answer is an option of the lesson, the name of a node or pod, or a duration. $exact is a duration.

prediction = Your prediction
skipped = You skipped it. Watch.
said-watch = You said { $answer }. Watch.
said-right = You said { $answer }, and so it is.
said-right-exactly = You said { $answer }, and so it is (exactly { $exact }).
said-wrong = You said { $answer }.
# Stands before "The answer was …" if the question came too late.
happened-already = That has happened already.
answer-was = The answer was { $answer }.
answer-was-exactly = The answer was { $answer } (exactly { $exact }).
# Opens the decision of the scheduler on the pod in question.
why-here = Why here?
