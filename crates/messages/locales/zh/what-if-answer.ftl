blocked = 无法驱逐
volumes-that-stay = 留下的卷
less-than-before = 比之前少
broken-guarantees = 被打破的保证
can-go = 可以撤掉
are-needed = 不能撤掉

in-draws = { $what }（{ $draws } 次随机运行中有 { $often } 次）
stays = { $pod } 留下：{ $why }
budget-allows = { $budget } 允许 { $allowed } 次干扰，需要 { $needed } 次
still-on-node = 它还在这个节点上

not-scheduled = 还没有调度
still-terminating = 还在终止：它的节点没有确认它已结束，它的名字一直被占用
no-controller = 它没有控制器：没有谁会替换它
daemon-goes = 这是它的 DaemonSet 在该节点上的 Pod，随节点一起离开
not-replaced = { $kind } { $name } 没有替换它

volume-stays = { $pod } 的卷 { $volume }：{ $why }
directory-of-node = PersistentVolume { $volume } 是它节点上的目录：内容留在那里
usable-nowhere = PersistentVolume { $volume } 在哪个节点上都用不了
usable-only-on = PersistentVolume { $volume } 只能在 { $nodes } 上使用
usable-only-on-more = PersistentVolume { $volume } 只能在 { $nodes } 和另外 { $more } 个节点上使用
empty-dir = emptyDir：内容随 Pod 一起删除
host-path = hostPath { $path }：内容留在 { $node } 上

less = { $object }：{ $level }，持续 { $seconds } s
less-still = { $object }：{ $level }，持续 { $seconds } s，到最后仍是这样
available-replicas = 可用的副本只有 { $least } 个，应有 { $wanted } 个
healthy-pods = 健康的 Pod 只有 { $least } 个，应有 { $wanted } 个
ready-endpoints = 就绪的端点只有 { $least } 个，应有 { $wanted } 个

breaks = 打破 **{ $name }**

drained = { $node }：{ $pods } 个 Pod 离开，用时 { $seconds } s
not-drained = { $node }：{ $pod }：{ $why }
node-can-go = 可以撤掉：{ $drained }
node-is-needed = 不能撤掉：{ $not-drained }

summary = { $seconds } s 之后：{ $placed } 个得到节点，{ $left } 个没有节点，{ $blocked } 个无法驱逐。
summary-of-draws = { $seconds } s 之后：{ $placed } 个得到节点，{ $left } 个没有节点，{ $blocked } 个无法驱逐；共 { $draws } 次随机运行。
nodes-can-go = { $count ->
    [0] 没有节点可以撤掉。
    [1] 有 1 个节点可以撤掉；已模拟腾空它。
   *[other] 有 { $count } 个节点可以一起撤掉；已模拟腾空它们。
}

fit = { $count ->
    [0] 这样的 Pod 一个也放不下了。
   *[other] 这样的 Pod 还放得下 { $count } 个。
}
fit-of-shapes = 这几种 Pod 一共还放得下 { $count } 个。
fit-at-least = 这样的 Pod 还放得下 { $count } 个，之后没有再数。
fit-daemon-set = { $wanted } 个节点中有 { $count } 个放得下这个 DaemonSet 的 Pod。
shape = { $shape }：{ $count }
shape-stops = { $shape }：{ $count }；再多一个就放不下
refused-by = { $reason }：{ $nodes }
refused-by-more = { $reason }：{ $nodes } 以及另外 { $more } 个
room-for = 腾出 { $count } 个的位置：`{ $commands }`
