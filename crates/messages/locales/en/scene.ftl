# One run on the stage.

name = Cluster. Arrow keys move among nodes and pods, Enter selects.
keys-hint = Arrow keys: nodes and pods · Enter: details · Del: delete
all-zones = All zones
# The word for groups of nodes, where none other is chosen: before the name of a zone ("zone a").
zone = zone
machines-without-node = Machines without a Node object
no-node-object = no Node object
