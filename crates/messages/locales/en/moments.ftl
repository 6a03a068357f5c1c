# Two small pictures of the cluster, before and after the key moment of a lesson. $time is an instant such as 01:20.

before = Before, { $time }
after = After, { $time }
# In a picture, above the pods that have no node.
pending = pending

## Text of a picture for screen readers

# $node - a node that runs no pod, perhaps with its trouble: a-1, off.
empty-node = { $node }: empty
pending-pods = pending: { $pods }
