# The dialog that appears when the engine does not answer.

title = The engine is busy
explanation = It has not answered for five seconds. You can wait on, or stop it: then the session goes on as it was last kept, without what keeps it busy.
loading-title = The engine is still loading
loading = A part of it that is needed now comes slowly. You can wait on, or stop it: then the session goes on as it was last kept, without what needs this part.
wait = Wait
stop = Stop it
