# Toasts about files and kept sessions.

# $name - a name of a file.
not-saved = { $name } could not be saved
# $time - when it was saved: `9:05`, or with the date. "Files, Sessions" is a dialog and its tab.
session-kept = Your session of { $time } is kept: Files, Sessions.
