# Marks on the stage of the answer to a what-if question.

# On the card of a pod: the node that it would leave.
from = from { $node }
# On the card of a pod.
would-come = would come
would-stay-pending = { $count ->
   *[other] { $count } would stay Pending
}
