# The sheet of keyboard shortcuts. Names of keys are not messages.

## Time

time = Time
play-or-pause = Play or pause
next-event = Next event
next-decision = Run to the next decision
mark-before = Back to the mark before
speed = Slower, faster
to-start = Back to the start
branch = Branch: keep this future, go on from here
undo = Undo the last command

## Cluster. "It" is the pod or node that has the focus or is selected.

cluster = Cluster
nearest = To the nearest pod or node
select = Select it; once more: read its details
menu = Everything that can be done to it
delete-pod = Delete the pod
force-delete-pod = Force delete the pod
cut-or-heal = Cut the node off, or heal it
cordon = Cordon or uncordon the node
drain = Drain the node
power = Power the machine off or on
help-pending = What would help the pending pod

## Page

page = Page
find = Find pods and nodes; Enter goes to the next
console = Console
lessons = Lessons
editor = Editor; Ctrl + M there lets Tab leave it
share = Share
theme = Theme
present = Present: large type, the cluster and the story alone
close = Close, or select nothing
this-sheet = This sheet

# Heading of the keys while presenting; their rows are in present.ftl.
presenting = While you present

## Gestures with the mouse: each with what it does

with-mouse = With the mouse
drag-across-links = Drag across links
drag-across-links-does = Cut them
drag-to-bin = Drag a pod to the bin
drag-to-bin-does = Delete it; with Shift, force delete it
right-click = Right click
right-click-does = Everything that can be done to it
wheel = Wheel on the timeline
wheel-does = Zoom

## Gestures with a finger: each with what it does

with-finger = With a finger
rest = Rest on a pod
rest-does = Everything that can be done to it
rest-and-drag = Rest, then drag
rest-and-drag-does = Delete it, as with the mouse
rest-and-stroke = Rest, then stroke
rest-and-stroke-does = Cut links
# The key of the keyboard. Keys that are printed in English on keyboards are no messages.
space = Space
