# Verbs beside lines on the stage. A line leads from who acts, such as the scheduler, to the object that it changes.

binds = binds
creates = creates
nominates = nominates
preempts = preempts
taints = taints
evicts = evicts
deletes = deletes
