cut-off = 切断
lose-inbound = 丢弃发给它的消息
heal-links = 恢复它的连接
uncordon = 解除封锁
cordon = 封锁
drain = 腾空
crash-kubelet = 让 kubelet 崩溃
restart-kubelet = 重启 kubelet
crash-runtime = 让运行时崩溃
restart-runtime = 重启运行时
power-off = 断电
boot = 启动
back-in-service = 恢复服务
out-of-service = 声明停止服务
delete-node = 删除 Node 对象

heal-zone = 恢复可用区
cut-zone = 切断可用区

heal-node-links = 恢复节点的连接
power-machine-off = 给机器断电
delete-pod = 删除
force-delete-pod = 强制删除
break-sandbox = 弄坏它的沙箱

scale-up = 扩容
scale-down = 缩容
restart-rollout = 重启
delete-object = 删除

stop-etcd = 停止 etcd
start-etcd = 启动 etcd
crash-component = 让它崩溃
restart-component = 重启它
start-second = 再启动一个

heal-all = 全部恢复
heal-zone-named = 恢复可用区 { $zone }
cut-zone-named = 切断可用区 { $zone }
cut-off-named = 切断 { $node }
heal-named = 恢复 { $node }
power-off-named = 给 { $node } 断电
boot-named = 启动 { $node }
force-delete-named = 强制删除 { $pod }
delete-named = 删除 { $pod }
cordon-named = 封锁 { $node }
uncordon-named = 解除 { $node } 的封锁
drain-named = 腾空 { $node }

node-is-cut-off = { $node } 已被切断：它的 Pod 在那里继续运行，但谁也得不到它们的消息。
node-is-off = { $node } 已断电：那里什么也没有运行。

detach-warning = 卷会被拿走，尽管它的节点可能还在往上写。如果不先隔离节点，同一个卷上可能会有两个写入者。
force-delete-warning = 立即删除不会等待确认正在运行的资源已经终止。该资源可能会在集群中无限期地继续运行。对 StatefulSet 来说，这意味着两个同名的成员可能会同时运行。
delete-node-warning = 删除 Node 对象，就是告诉 Kubernetes 这台机器永远不会回来了：随后 Pod 垃圾收集器会强制删除它的 Pod。如果机器其实还在运行，那些 Pod 也还在运行。
delete-namespace-warning = 删除名字空间会删除其中的一切。这个操作无法取消，而且会一直等待被切断的节点上的 Pod。
force-drain-warning = 没有控制器的 Pod 也会被删除；没有谁会重新创建它们。
out-of-service-warning = 停止服务的意思是：我知道这台机器已经停机。它的 Pod 会立刻被强制删除，它们的卷会立刻解除挂接。如果机器还在运行，同一个卷上可能会有两个写入者。

cannot-move-ghost = { $pod } 是 API 已经忘记的进程：没有谁能让它搬到 { $node }。
cannot-move-pending = { $pod } 在哪里运行由调度器决定。要让它选 { $node }，就改变它所看的东西：标签、污点、资源请求。
cannot-move-bound = Pod 从不搬家：{ $pod } 已经绑定到 { $from }，会一直待在那里，直到结束。没有热迁移。删除它，它的控制器会再创建一个 Pod，调度器可能会把新的放到 { $node } 上。
