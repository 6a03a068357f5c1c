# A lesson on paper.

print = Print
# Stands after the button.
about-pages = A page ends below each question, as the next one tells what happened. The answers are on a page of their own.
# A line to write on.
name = Name: ______________________________
start-over = Start over for the picture of the cluster: now it would show the first answer.
# Below the picture.
cluster = The cluster
# Stands before a command.
try-command = Try:
# A line to write a duration on.
after = After ____________
# $address - the address of the lesson, in a QR code.
qr-code = A code that opens { $address }

## The page of answers

answers = Answers
other-answers = other answers
# Stands before a sentence.
rule = The rule:
