# The stage as a whole.

name = Cluster
starting = Starting the cluster…

## Two runs side by side

this-run = This run, and its lanes
this-run-hint = The timeline below, its lanes and the story are this run's
same-seed = Same seed
# Titles of the two runs, if both have the same title.
with-commands = with its commands
without-commands = without commands
end = End
end-comparison = End the comparison

## The bin, while a pod is dragged

delete = Delete: it gets its grace period
force-delete = Force delete: the name is free at once
