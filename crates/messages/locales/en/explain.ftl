# The explanation of a scheduling decision.

## What separates the node that the reader predicted from the chosen one

# $reason - why the node cannot run the pod. $plugin - the plugin that refused it.
refused = { $node }: { $reason } ({ $plugin }).
alike = { $predicted } and { $chosen } scored alike: the draw decided.
# $points (Number) - the difference of the scores, 1 or more.
points-more = { $points ->
   *[other] { $plugin } gave { $chosen } { $points } points more than { $predicted }.
}

## Verdicts on nodes, shown at each node

fits = fits
# $verdict - the node's score, or `fits`.
chosen = { $verdict } · chosen

# Between short words for the reasons of a node.
separator = ,{ " " }
# A sentence that comes without its full stop.
sentence = { $text }.
