# The question how to make room for a number of copies of a pod, and its answers.

# $count copies of the pod.
title = What makes room for { $count }
none = Nothing that was tried: uncordoning nodes, labels, taints, and more nodes of the kinds that there are.
# The two are one sentence with a field for a number between them: Make room for [5] of them.
ask = Make room for
ask-end = of them
find = What would do it?
# Copies of the pod that fit after a change.
fits-then = { $count ->
    [one] 1 fits then
   *[other] { $count } fit then
}
do-it = Do it
