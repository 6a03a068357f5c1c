pods-placed = 已放置的 Pod
pods-pending = Pending 的 Pod
nodes-used = 用到的节点
allocated = { $resource } 已分配
deviation = { $resource } 标准差
jain-index = { $resource } Jain 指数
largest-free = { $resource } 单个节点上最多空闲
by-node = { $resource }，按节点
devices-allocated = 已分配的设备
of = { $allocated } / { $devices }
pods-in-a-zone = 一个可用区的 Pod
range = { $fewest } 至 { $most }
preemptions = 抢占
mean-time-to-place = 得到节点的用时，平均
longest-time-to-place = 得到节点的用时，最长

pods-elsewhere = 节点不同的 Pod
pod = { $pod }：{ $nodes }
beside = { $one } | { $other }
no-node = 没有节点
and-more = 以及另外 { $count } 个
other-nodes = { $count ->
    [0] 每个 Pod 在两次运行中都在同一个节点上。
   *[other] 有 { $count } 个 Pod 换了节点。
}
