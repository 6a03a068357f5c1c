pods = Pod
nodes = 节点
pod = Pod
from = 从
to = 到
from-none = 无
to-none = 无：{ $reason }
