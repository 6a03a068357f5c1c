# The page as a whole.

# A link before everything else, for the keyboard: it moves the focus.
to-cluster = To the cluster
