# Presenting to a class.

## Keys while presenting, on the sheet of keyboard shortcuts

key-next-step = Next step of the story
key-step-before = Step before
key-spotlight = Spotlight
key-code = QR code of this instant
key-console = Console
key-timeline = Timeline
key-timer = Timer: counts down five minutes, more or less
key-ask = The question large, for the class; once more: what happens
key-end = End

## Buttons of the layer; each ends with its key

# Name of the layer.
presenting = Presenting
spotlight = Spotlight
qr-code = QR code
console = Console
timeline = Timeline
timer = Timer
end = End

## The question for the class

ask-class = Ask the class
question = A question for the class
what-happens = What happens?

## Timer

minute-less = A minute less
minute-more = A minute more
time-left = Time left

## QR code

# Description of the picture.
code = QR code: a link to this instant
link-too-long = This link has { $count ->
   *[other] { $count } characters
    }; a QR code holds 2 953. Share it as a file.
cannot-save = The browser does not allow saving here.
save-code = Save the code
show-large = Show it large
