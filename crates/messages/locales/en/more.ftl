# The menu "More": the controls for which the bar has no room.

title = More

## Time

# Name of the first list of controls.
time = Time
next-event = Next event
next-decision = Next decision
back-to-mark = Back to the mark before
back-to-start = Back to the start
branch = Branch: keep this future, go on from here

## Page

# Name of the second list of controls.
page = Page
find = Find pods and nodes
legend = Legend: what the marks mean
console = Console
editor = Editor
files = Files
# Which nodes of the cluster can be removed.
consolidate = Which nodes can be removed?
search = Find a run that breaks a guarantee
triage = What is wrong
# $count is the number of notices.
notices = About what was opened ({ $count })
guarantees = Guarantees
worksheet = Worksheet: this lesson on paper
class = Class: runs that were handed in
present = Present to a room
theme = { $theme ->
    [light] Theme: light
    [dark] Theme: dark
   *[other] Theme: system
}
help = Help and shortcuts
