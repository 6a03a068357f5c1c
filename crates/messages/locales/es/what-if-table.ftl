pods = Pods
nodes = Nodos
pod = Pod
from = De
to = A
from-none = ninguno
to-none = ninguno: { $reason }
