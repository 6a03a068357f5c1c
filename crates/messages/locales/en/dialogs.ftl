# Small dialogs.

## What cannot be opened

refused = This cannot be opened
nothing-changed = Nothing of the running session has changed.
open-another = Open another file
to-editor = To the editor
go-on = Go on with the session

## Glossary

# Title of the glossary.
terms = Terms

## Confirmation of a dangerous command

confirm = Are you sure?
leave-it = Leave it
do-it = I understand, do it

## Menu of a zone

only-this-zone = Look at this one only
what-if-it-goes = What if it goes?

## List of the marks of a lane of the timeline

no-marks = Nothing yet.
# From one instant on the clock to another.
from-to = { $from } to { $to }
from-until-now = { $from } until now
# At the end of the list.
earlier = { $count ->
   *[other] and { $count } earlier ones
}

## Help and shortcuts

help = Help and shortcuts
help-hint = Every pod is a square: its colour says who owns it, its shape how it is. Select one and ask why it is there. Break something, and watch what the API server believes and what the machines do.
shortcuts = Shortcuts
# Label of the checkbox that turns shortcuts of a single key on and off.
single-keys = Single keys act
browsers = Nothing leaves this browser. Podscope runs in Chrome and Edge 123, Firefox 120, Safari 17.5 and later.
licences = Licences
guarantees = Guarantees

## What was opened

notices = About what was opened
# Heading above parts of a file that were read and kept, and are not simulated.
read-and-kept = Read and kept
advice = Advice

## The engine stopped

engine-stopped = The engine stopped
engine-stopped-hint = This is a mistake of Podscope's, not yours. The session was saved a moment ago.
rest-not-loaded-hint = A part of it could not be loaded, which the last command needs. The session was saved before it; going on tries again.
start-empty = Start with an empty session
go-on-saved = Go on with the saved session

## Kept sessions
# $name is the time when a session was saved, and its title.

sessions = Sessions that this browser keeps
name-of-this = Name of this tab's session
name-of = Name of { $name }
name-hint = Call it as you like
# Stands instead of the button "Open" at the session of this tab.
this-tab = this tab's
open = Open
open-session = Open { $name }
save-link = Save the link of { $name }
save-link-hint = Save its link as a file
forget-this = Forget this cluster
forget-this-hint = Nothing of it stays in this browser
forget = Forget { $name }
forget-hint = Forget it

## Files

files = Files
# Heading above the field for files.
open-files = Open
open-files-hint = Scenarios, manifests, or what `kubectl get … -A -o yaml` printed. Files can also be dropped anywhere.
compare = Compare, on the same seed
second-scenario = A second scenario that runs beside this one
# Before a list of pairs, as "Wait, or force delete".
two-ways = Two ways
without-commands = This one without its commands

## Buttons that save; the first text is what is saved, the second is how

save = Save
save-session = Session
save-session-how = as a scenario file
save-lesson = Lesson
save-lesson-how = what you did, as steps to write on
record = Record a lesson
record-how = and press fields that are to be its goals
save-objects = Objects
save-objects-how = as YAML
save-trace = Trace
save-trace-how = as JSON Lines
save-drawing = Drawing
save-drawing-how = as SVG
save-picture = Picture
save-picture-how = as PNG
