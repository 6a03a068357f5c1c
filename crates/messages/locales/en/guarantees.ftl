# The page of guarantees.

to-cluster = To the cluster
title = What Kubernetes guarantees
intro = A pod is one run of its processes: created, bound to one node, executed there, ended, gone. These are the guarantees about that life: who keeps each, and what breaks it. Podscope checks all of them at every instant of every run; one that breaks is named on the stage, with the command or fault that broke it.
# Before the name of a component.
kept-by = Kept by
# Before what can break a guarantee.
broken-by = Broken by
# The guarantee holds at every instant.
always = always
# The guarantee holds after some time.
in-the-end = in the end
see-it = See it: { $lesson }
