# The filter field.

find = Find pods and nodes
placeholder = A name, label, state, owner, node, image or IP
hint = Enter goes to the next one, Shift + Enter to the one before
close = Show everything again
# Numbers of matching pods and nodes.
found = { $pods ->
    [one] 1 pod
   *[other] { $pods } pods
}, { $nodes ->
    [one] 1 node
   *[other] { $nodes } nodes
}
