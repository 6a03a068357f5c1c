# The notes above the timeline.

notes = Notes
