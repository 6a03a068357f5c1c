# The bar at the top of the page.

# Title while the engine starts.
starting = Starting…
# Name of the logo; begins with the word Podscope, which the button shows.
logo = Podscope: what this is, and the ways in
logo-hint = What this is, and the ways in
lessons-hint = Lessons and scenarios (l)
share = Share
share-hint = A link that holds everything (s)
more = More
more-hint = Find, editor, files, theme, help and the rest

## Time

# Name of the group of controls.
time = Time
play = Play
play-hint = Play (Space)
pause = Pause
pause-hint = Pause (Space)
undo = Undo
# Name of the button "Undo" for screen readers.
undo-command = Undo the last command
undo-hint = Undo the last command (u)
speed = Speed
speed-hint = Speed ([ and ])
# Beside the speed that was asked for stands the lower one that is reached.
achieved-hint = What this machine achieves
clock = Clock: type an instant to go there
clock-hint = Type an instant to go there
# Toast when the typed text is no instant. 90s, 1:30 and 5m are examples that may be typed.
form-of-instant = An instant looks like 90s, 1:30 or 5m.
