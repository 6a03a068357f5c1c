# A question for a time, on the timeline. The marks of answers have the words of story.ftl.

# The label of a slider.
slider = Your answer: how long it takes
# $answer - a duration.
your-answer = your answer: { $answer }
# At the instant from which the answer counts, until a pin is set.
from-here = from here on
