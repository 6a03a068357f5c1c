# The worker of the engine.

# Message of a crash. $error - for developers, in English.
unreadable = the engine's answer is not readable: { $error }
