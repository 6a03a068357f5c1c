# Hints of a lesson.

hints = Hints
# The tooltip of a button with a command.
run-it = Run it
# The button that reveals the next hint.
more = Hint { $number } of { $count }
