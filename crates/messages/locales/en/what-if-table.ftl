# Heads of the tables of a what-if answer: on the page, on the command line (there in capitals) and in copied Markdown.

pods = Pods
nodes = Nodes
pod = Pod
# Heads of two columns: the node that a pod leaves, and the node that it goes to.
from = From
to = To
# In the column "From": the pod is on no node now.
from-none = none
# In the column "To": the pod goes nowhere. $reason says why.
to-none = none: { $reason }
