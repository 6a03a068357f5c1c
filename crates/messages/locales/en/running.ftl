# The running engine.

# Toast.
stopped = The engine was stopped. This is the session as it was last kept.
