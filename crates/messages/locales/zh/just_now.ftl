no-node = { $count } 个 Pod：没有节点
got-node = { $count } 个 Pod 得到了节点
preempted = { $count } 个 Pod 被抢占
evicted-by-taint = { $count } 个 Pod 被驱逐：所在节点有污点
evicted-by-pressure = { $count } 个 Pod 被 kubelet 驱逐：所在节点有压力
ended-by-shutdown = { $count } 个 Pod 被 kubelet 结束：节点关机
evicted-by-api = { $count } 个 Pod 经驱逐 API 被驱逐
removed-by-garbage-collector = { $count } 个 Pod 被 Pod 垃圾收集器移除：所在节点已消失或停止服务
run-again = { $count } 个容器重新运行
get-sigterm = { $count } 个容器收到 SIGTERM
get-sigkill = { $count } 个容器收到 SIGKILL
pre-stop-begin = { $count } 个 preStop 回调开始

ready-again = { $node } 恢复 Ready
condition-over = { $node }：{ $condition } 已解除
whole-again = { $time } 后恢复：{ $what }

cut-off = { $node } 被切断
lost-to-node = 发给 { $node } 的消息会丢失
lost-from-node = { $node } 发出的消息会丢失
lost-to-node-from = { $from } 发给 { $node } 的消息会丢失
lost-from-node-to = { $node } 发给 { $from } 的消息会丢失
cut-off-from = { $node } 与 { $from } 的连接被切断

sigterm = { $what } 收到 SIGTERM
sigkill = { $what } 收到 SIGKILL
pre-stop = { $what }：preStop 回调开始
broken = 被打破：{ $what }
as-expected = 符合预期：{ $what }
not-as-expected = 不符合预期：{ $what }
refused = 被拒绝：{ $command }
