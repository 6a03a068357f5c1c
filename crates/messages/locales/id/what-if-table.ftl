pods = Pod
nodes = Node
pod = Pod
from = Dari
to = Ke
from-none = tidak ada
to-none = tidak ada: { $reason }
