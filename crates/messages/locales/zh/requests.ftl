why-fail = 发往 { $pod } 的请求为什么失败？
calls = 访问
no-requests = 没有请求
why-they-failed = 为什么失败
failed = { $count } 个失败
more = 另有 { $count } 个

every-node = 每个节点
node = 节点 { $name }
zone = 可用区 { $name }
outside = 集群外
clients = { $count } 个客户端
