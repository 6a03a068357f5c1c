namespace-and-priority = { $namespace } · 优先级 { $priority }
gone = 已消失
ghost = { $node } 上的幽灵
zone = 可用区 { $zone }
no-node = 没有 Node 对象
invariant = 保证
failed-requests = 失败的请求

terminating = 正在终止：{ $cause }。
terminating-unconfirmed = 正在终止：{ $cause }。它的节点联系不上，所以谁也无法确认它的进程已经结束。
unbound = 还没有绑定到节点。
last-heard = API 说是 { $status }，但 { $node } 联系不上：这是最后得到的消息。
bound = { $status }，在 { $node } 上，容器就绪 { $ready }/{ $containers }。
gone-pod = { $pod } 已消失：API 里没有这个 Pod，也没有它的进程在运行。
ghost-pod = { $pod } 仍在 { $node } 上运行，但 API 已经忘记它。它的 kubelet 得知删除之后，就会结束它。

agrees = { $status }。API 与机器一致。
machine-alone = 有机器 { $node }，但 API 里没有它的 Node 对象。
gone-node = { $node } 已消失。
gone-object = API 里没有 { $kind } { $key }。
holds = { $invariant } 成立。
requests-failed = { $sentence }。
no-request-failed = 还没有请求失败。

deleted-by-request = 有请求要删除它
preempted = 被优先级更高的 Pod 抢占
tainted = 它的节点有它不容忍的 NoExecute 污点
evicted = 因腾空或其他自愿干扰而被驱逐
node-gone = 它的节点已消失：被 Pod 垃圾收集器移除
node-pressure = 被它的 kubelet 驱逐：节点有压力

unknown-to-api = API 不知道它
no-status = 还没有状态
waiting = 等待中
waiting-because = 等待中：{ $reason }
running = 运行中
ended = 已结束：{ $reason }，退出码 { $code }
runs-since = 自 { $since } 起运行
runs-since-with-signals = 自 { $since } 起运行，收到了 { $signals }

claim = 申领 { $name }
scratch = 临时空间，与 Pod 同时消失
scratch-with-data = 临时空间，与 Pod 同时消失：{ $written }
written = { $container } 自 { $since } 起写入 { $size }
nfs = NFS：挡不住第二个写入者
host-path = 节点上的目录
volume = 卷
attached = 已挂接
