# A group of nodes on the stage, by default a zone. $key - the label key by which nodes are grouped, such as "zone".

# $value - a value of the label, such as "a".
name = { $key } { $value }
without = without { $key }
# $group - one of the two messages above; the group belongs to the second run of a comparison.
other-run = { $group }, other run

## Pods of one owner in the group

# After the name of the owner: its pods, and processes that the API server has forgotten.
pods-and-ghosts = { $ghosts ->
    [one] { $pods } (+{ $ghosts } ghost)
   *[other] { $pods } (+{ $ghosts } ghosts)
}
here = { $owner }: { $pods } here
# $limit - largest number that the spread constraint allows. $least - number in the emptiest group.
here-with-limit = { $owner }: { $pods } here; at most { $limit } may be placed while the emptiest has { $least } (maxSkew { $skew })
