# The most important problem of a node, beside its name.

no-object = no Node object
off = machine is off
# Where there is little room.
off-short = off
cut-off = cut off
links-cut = links cut
not-ready = not ready
cordoned = cordoned
