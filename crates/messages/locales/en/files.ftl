# Why files that the user opens cannot be read: toasts. $name - a name of a file.

too-large = { $name } is larger than 256 MiB
unreadable = { $name } cannot be read
empty = { $name } is empty: nothing was opened
