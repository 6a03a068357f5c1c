title = 发往 { $service } 的请求

failed = { $requests }：{ $why }
failed-for = { $requests }：{ $why }，持续 { $time }
believed = { $failed }；{ $node } 自 { $since } 起把它列为端点
believed-unaware = { $failed }；{ $node } 自 { $since } 起把它列为端点，还没有得知变化

refused = { $count } 个请求被拒绝
reset = { $count } 个请求被中断
timeout = { $count } 个请求超时
error = { $count } 个请求得到错误应答
other = { $count } 个请求：{ $outcome }

starting = { $node } 发给 { $pod }，它在运行，但还没有监听
not-running = { $node } 发给 { $pod }，它当时已经停止
not-running-since = { $node } 发给 { $pod }，它当时已停止 { $ago }
not-running-up-to = { $node } 发给 { $pod }，它当时已停止至多 { $ago }
listener-closed = { $node } 发给 { $pod }，它当时已停止监听
listener-closed-since = { $node } 发给 { $pod }，它当时已停止监听 { $ago }
listener-closed-up-to = { $node } 发给 { $pod }，它当时已停止监听至多 { $ago }
process-ended = { $node } 发给 { $pod }，它还没处理完这些请求就结束了
pod-gone = { $node } 发给 { $pod }，它已经不在它的节点上
pod-without-power = { $node } 发给 { $pod }，它所在的机器已断电
pod-cut-off = { $node } 发给 { $pod }，通往它的连接被切断
server-error = { $node } 发给 { $pod }，它返回错误
server-slow = { $node } 发给 { $pod }，它应答得太慢，客户端等不到

no-service = 没有 Service { $service }
no-name = { $node } 连不上集群的 DNS
no-rules = { $node } 没有关于 { $service } 的规则
no-endpoints = { $node } 不知道 { $service } 的任何端点
no-local-endpoints = { $service } 只用同一节点上的端点，而 { $node } 上没有
no-power = { $node } 已断电
cut-off = 联系不上 { $node }

a-moment = < 0.1 s
