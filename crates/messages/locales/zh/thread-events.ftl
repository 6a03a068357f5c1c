refused-command = 被拒绝：{ $line }
fault = 故障：{ $fault }
repaired = 已恢复：{ $fault }
fenced = 已隔离

created = 已创建
updated = 已更新
wants-pods = 想要 { $replicas } 个 Pod
deletion-requested = { $grace ->
    [0] 请求删除，没有宽限
   *[other] 请求删除，宽限 { $grace } s
}
deleted = 从 API 中消失
refused = 被拒绝
refused-because = 被拒绝：{ $message }
event = 事件 { $reason }
broken = { $guarantee } 被打破
expectation-holds = 符合预期
expectation-fails = 不符合预期

bound = 绑定到 { $node }
chosen = 调度器选择 { $node }
no-node-fits = 没有合适的节点
preempts = 没有合适的节点：抢占 { $preempts } 个 Pod
attempt-failed = 调度尝试失败
nominated = 被提名到 { $node }
preempted = 被 { $by } 抢占
gated = 被调度门控挡住

image-pulled = 镜像 { $image } 已拉取
started = { $container } 已启动
started-again = { $container } 再次启动，第 { $restarts } 次重启
exited = { $container } 以退出码 { $code } 结束
exited-because = { $container } 以退出码 { $code } 结束：{ $reason }
hook-started = { $container }：{ $hook } 回调开始
hook-finished = { $container }：{ $hook } 回调结束
hook-failed = { $container }：{ $hook } 回调失败
signal = 向 { $container } 发送 { $signal }
probe-failed = { $container }：{ $probe } 探针失败
probe-succeeds = { $container }：{ $probe } 探针成功

volume-attached = 卷 { $volume } 已挂接
volume-detached = 卷 { $volume } 已解除挂接
volume-mounted = 卷 { $volume } 已挂载
volume-unmounted = 卷 { $volume } 已卸载
volume-corrupted = 两个节点写入了同一个卷
registered = 已注册
condition = { $condition } 为 { $status }
condition-because = { $condition } 为 { $status }：{ $reason }
tainted = 加上污点 { $taint }
untainted = 去掉污点 { $taint }

no-requests = 不再有请求
requests = 每秒 { $rate } 个请求
