# What the address opens.

# Toast. "Files, Sessions" is a dialog and its tab.
unfinished = The last session did not finish opening, so it is not tried again by itself. It is kept: Files, Sessions.
